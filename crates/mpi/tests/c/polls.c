/* A rank that polls lets others run: with all ranks on one core a message goes round and round, and nobody waits for it but by
 * looking. Whoever looked until its time was up would do so many thousand times in each round. Looks are counted, not time.
 * (Planted: polls that let nobody run.) */
#define _GNU_SOURCE
#include "check.h"
#include <sched.h>

enum { ROUNDS = 50, LOOKS_A_ROUND = 3000 };

/* All ranks on the first core that this one may use: they were started alike. */
static void share_a_core(void)
{
    cpu_set_t all, one;
    int core = 0;

    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

enum look { TEST, TESTANY, IPROBE, IMPROBE, LOOKS };

/* Receives a number from a rank. Returns how often it has looked. */
static long received(enum look look, int from, int *number)
{
    int done = 0, index;
    long looks = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;

    if (look == TEST || look == TESTANY)
        OK(MPI_Irecv(number, 1, MPI_INT, from, look, MPI_COMM_WORLD, &request));
    for (; !done; looks++)
        switch (look) {
        case TEST:
            OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
            break;
        case TESTANY:
            OK(MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE));
            break;
        case IPROBE:
            OK(MPI_Iprobe(from, look, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE));
            break;
        default:
            OK(MPI_Improbe(from, look, MPI_COMM_WORLD, &done, &message, MPI_STATUS_IGNORE));
        }
    if (look == IPROBE)
        OK(MPI_Recv(number, 1, MPI_INT, from, look, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (look == IMPROBE)
        OK(MPI_Mrecv(number, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    return looks;
}

int main(int argc, char **argv)
{
    int rank, size;

    begin(&argc, &argv, &rank, &size);
    share_a_core();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int look = 0; look < LOOKS && size > 1; look++) {
        int next = (rank + 1) % size, before = (rank + size - 1) % size, number = 0;
        long looks = 0;

        for (int round = 0; round < ROUNDS; round++) {
            if (rank > 0)
                looks += received(look, before, &number);
            number++;
            OK(MPI_Send(&number, 1, MPI_INT, next, look, MPI_COMM_WORLD));
            if (rank == 0) {
                looks += received(look, before, &number);
                CHECK(number == (round + 1) * size);
            }
        }
        CHECK(looks < (long)ROUNDS * LOOKS_A_ROUND);
        if (getenv("SHOW_LOOKS") != NULL)
            printf("rank %d, way %d: %ld looks for %d steps\n", rank, look, looks, ROUNDS);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Finalize());
    return 0;
}
