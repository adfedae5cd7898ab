/* The library may be initialised in any thread, which is the main thread then.
 * Source: MPI 5.0, section on threads. */
#include "check.h"
#include <pthread.h>

static void *run(void *nothing)
{
    int rank, size, provided, flag, sum;

    OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided == MPI_THREAD_SERIALIZED);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Is_thread_main(&flag));
    CHECK(flag);
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size * (size - 1) / 2);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    const char *ranks = getenv("RANKS");
    int size, flag;

    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(ranks == NULL || size == atoi(ranks));
    OK(MPI_Is_thread_main(&flag));
    CHECK(!flag);
    OK(MPI_Finalize());
    return 0;
}
