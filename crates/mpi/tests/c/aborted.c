/* A thread ends the job while another of its rank is in a call that never returns, and keeps all others out. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *argument)
{
    MPI_Comm made;

    (void)argument;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int rank, size;

    begin(&argc, &argv, &rank, &size);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        CHECK(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
        /* Mostly it waits by then. */
        usleep(100000);
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    for (;;)
        pause();
}
