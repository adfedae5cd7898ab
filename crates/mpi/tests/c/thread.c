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

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

/* What is allowed at any time, several threads may do at once. */
static void *at_any_time(void *nothing)
{
    MPI_Info info, twin;
    MPI_Errhandler errhandler;
    char value[8];
    int flag, class;

    for (int at = 0; at < 3000; at++) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "key", "value"));
        OK(MPI_Info_dup(info, &twin));
        OK(MPI_Info_get(twin, "key", 7, value, &flag));
        CHECK(flag && strcmp(value, "value") == 0);
        OK(MPI_Info_free(&info));
        OK(MPI_Info_free(&twin));
        OK(MPI_Comm_create_errhandler(note, &errhandler));
        OK(MPI_Errhandler_free(&errhandler));
        OK(MPI_Add_error_class(&class));
        OK(MPI_Remove_error_class(class));
        OK(MPI_Initialized(&flag));
    }
    return nothing;
}

static void several_at_any_time(void)
{
    pthread_t threads[4];

    for (int at = 0; at < 4; at++)
        CHECK(pthread_create(&threads[at], NULL, at_any_time, NULL) == 0);
    for (int at = 0; at < 4; at++)
        CHECK(pthread_join(threads[at], NULL) == 0);
}

int main(void)
{
    pthread_t thread;
    const char *ranks = getenv("RANKS");
    int size, flag;

    several_at_any_time();
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(ranks == NULL || size == atoi(ranks));
    OK(MPI_Is_thread_main(&flag));
    CHECK(!flag);
    several_at_any_time();
    OK(MPI_Finalize());
    return 0;
}
