/* More small messages than are kept for a receiver that does not receive: below the limit of 256 MiB a sender waits for
 * nobody, so what was sent last may be received first; beyond it, it waits for its oldest, and nothing is lost. Two ranks
 * do so, others look on. */
#include "check.h"
#include <stdint.h>

enum { BYTES = 4000, BELOW = 20000, BEYOND = 80000 };

static unsigned char block[BYTES];

/* What message number `at` has: its number in the first and the last word. */
static void send_one(int at, int tag)
{
    memcpy(block, &at, sizeof at);
    memcpy(block + BYTES - sizeof at, &at, sizeof at);
    OK(MPI_Send(block, BYTES, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
}

static void receive_one(int at, int tag)
{
    int first, last, count;
    MPI_Status status;
    OK(MPI_Recv(block, BYTES, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    memcpy(&first, block, sizeof first);
    memcpy(&last, block + BYTES - sizeof last, sizeof last);
    CHECK(count == BYTES && first == at && last == at);
}

int main(int argc, char **argv)
{
    int rank, size, go = 0;
    begin(&argc, &argv, &rank, &size);
    if (rank == 0 && size > 1) {
        for (int at = 0; at < BELOW; at++)
            send_one(at, at % 7);
        send_one(-1, 8);
        for (int at = 0; at < BEYOND; at++)
            send_one(at, 9);
        OK(MPI_Recv(&go, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(go == 42);
    } else if (rank == 1) {
        receive_one(-1, 8);
        /* By tags, the last tag first. */
        for (int tag = 6; tag >= 0; tag--)
            for (int at = tag; at < BELOW; at += 7)
                receive_one(at, tag);
        for (int at = 0; at < BEYOND; at++)
            receive_one(at, 9);
        go = 42;
        OK(MPI_Send(&go, 1, MPI_INT, 0, 10, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
