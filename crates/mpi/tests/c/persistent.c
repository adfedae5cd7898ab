/* Persistent collectives: ranks describe them in the same order, and start them in any. Any number of ranks. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size;
    begin(&argc, &argv, &rank, &size);
    int first = rank, second[2] = {rank, 1}, sum[2], last = size - 1;
    MPI_Request requests[3];
    OK(MPI_Bcast_init(&first, 1, MPI_INT, last, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Allreduce_init(second, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]));
    for (int round = 0; round < 4; round++) {
        first = rank + round;
        second[0] = rank * round;
        for (int turn = 0; turn < 3; turn++)
            OK(MPI_Start(&requests[rank % 2 ? 2 - turn : turn]));
        /* A collective of another kind in between has a number of its own. */
        int least = rank;
        OK(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
        CHECK(least == 0);
        OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        CHECK(first == last + round);
        CHECK(sum[0] == round * size * (size - 1) / 2 && sum[1] == size);
    }
    for (int at = 0; at < 3; at++)
        OK(MPI_Request_free(&requests[at]));
    OK(MPI_Finalize());
    return 0;
}
