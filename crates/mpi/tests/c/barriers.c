/* What a barrier means in each mode: whether it returns at once, and what waits for it then.
 * Source: docs/MPI.md, on RUNAHEAD_MPI_BARRIER. */
#define _POSIX_C_SOURCE 199309L
#include "check.h"
#include <time.h>

enum { LATE_MS = 300 };

/* A clock that the library does not see. */
static double now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
    struct timespec late = {0, LATE_MS * 1000000L};
    const char *mode = getenv("RUNAHEAD_MPI_BARRIER");
    int rank, size, waits, guards, flag, got, index;
    double begun, passed;
    MPI_Request barrier;

    begin(&argc, &argv, &rank, &size);
    waits = mode == NULL || strcmp(mode, "traditional") == 0;
    guards = !waits && strcmp(mode, "guarded") == 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    (void)MPI_Wtime();

    if (rank == size - 1)
        nanosleep(&late, NULL);
    begun = now_ms();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    passed = now_ms() - begun;
    if (rank != size - 1) {
        CHECK(waits == (passed > LATE_MS / 2));
        /* The time that the library tells shows no barrier that is open. */
        (void)MPI_Wtime();
        passed = now_ms() - begun;
        CHECK((waits || guards) == (passed > LATE_MS / 2));
    }

    /* A message that was sent before the barrier is seen by a poll after it, where the library guards. */
    if (size > 1 && rank == 1)
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (size > 1 && rank == 0) {
        OK(MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK(flag || !(waits || guards));
        OK(MPI_Recv(&flag, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }

    /* So is it by one that looks at a request, of one or of several. */
    for (int way = 0; way < 4 && size > 1; way++) {
        if (rank == 1) {
            nanosleep(&late, NULL);
            OK(MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
        } else if (rank == 0) {
            OK(MPI_Irecv(&got, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &barrier));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == 0) {
            if (way == 0)
                OK(MPI_Test(&barrier, &flag, MPI_STATUS_IGNORE));
            else if (way == 1)
                OK(MPI_Testall(1, &barrier, &flag, MPI_STATUSES_IGNORE));
            else if (way == 2)
                OK(MPI_Request_get_status(barrier, &flag, MPI_STATUS_IGNORE));
            else
                OK(MPI_Request_get_status_any(1, &barrier, &index, &flag, MPI_STATUS_IGNORE));
            CHECK(flag || !(waits || guards));
            OK(MPI_Wait(&barrier, MPI_STATUS_IGNORE));
        }
    }

    /* A nonblocking one holds nobody in any mode. */
    if (rank == size - 1)
        nanosleep(&late, NULL);
    begun = now_ms();
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &barrier));
    CHECK(now_ms() - begun < LATE_MS / 2);
    OK(MPI_Wait(&barrier, MPI_STATUS_IGNORE));
    OK(MPI_Finalize());
    return 0;
}
