/* Buffers that nobody reads or writes: these may be null, and their datatypes too where there is no peer.
 * Source: MPI 5.0, sections on null processes, exclusive scans, reduce-scatter and neighbourhood collectives. */
#include "check.h"
#include <limits.h>

static int rank, size;

static void to_and_from_nobody(void)
{
    MPI_Request requests[3];
    MPI_Message message;
    MPI_Status status;
    int got = -1, flag;

    OK(MPI_Sendrecv(NULL, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, NULL, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0,
                    MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    OK(MPI_Isend(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Sendrecv(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, &got, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &status));
    CHECK(got == rank);
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Isendrecv(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, NULL, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Wait(&requests[0], &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    OK(MPI_Send_init(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Ssend_init(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Recv_init(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Startall(3, requests));
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    for (int at = 0; at < 3; at++)
        OK(MPI_Request_free(&requests[at]));
    OK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Mrecv(NULL, 1, MPI_INT, &message, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && message == MPI_MESSAGE_NULL);
    OK(MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status));
    OK(MPI_Imrecv(NULL, 1, MPI_INT, &message, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

static void without_a_result(void)
{
    int *counts = calloc(size, sizeof *counts), *data = calloc(size, sizeof *data), sum = -1;

    OK(MPI_Exscan(&rank, rank == 0 ? NULL : &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == (rank == 0 ? -1 : rank * (rank - 1) / 2));
    /* The last rank gets all. */
    counts[size - 1] = 1;
    data[0] = rank;
    OK(MPI_Reduce_scatter(data, rank == size - 1 ? &sum : NULL, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(rank != size - 1 || sum == size * (size - 1) / 2);
    free(counts);
    free(data);
}

static void without_neighbours(void)
{
    MPI_Comm alone;
    int sent = 1, no_rank = 0;

    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &no_rank, MPI_UNWEIGHTED, 0, &no_rank, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &alone));
    OK(MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN));
    OK(MPI_Neighbor_allgather(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone));
    OK(MPI_Neighbor_allgather(&sent, 1, MPI_INT, NULL, 1, MPI_INT, alone));
    OK(MPI_Neighbor_allgatherv(NULL, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, alone));
    OK(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone));
    FAILS(MPI_Neighbor_alltoall(NULL, -1, MPI_INT, NULL, 1, MPI_INT, alone), MPI_ERR_COUNT);
    OK(MPI_Comm_free(&alone));
}

/* More bytes than there are addresses: an error, and nothing is touched. */
static void too_much(void)
{
    MPI_Count huge = (MPI_Count)1 << 61, *counts = malloc(size * sizeof *counts);
    MPI_Aint *none = calloc(size, sizeof *none);
    MPI_Datatype *types = malloc(size * sizeof *types);
    int data[4] = {0};

    for (int at = 0; at < size; at++) {
        counts[at] = huge;
        types[at] = MPI_INT64_T;
    }
    FAILS(MPI_Alltoallw_c(data, counts, none, types, data + 2, counts, none, types, MPI_COMM_WORLD), MPI_ERR_COUNT);
    if (size == 5)
        FAILS(MPI_Allgather_c(data, 0, MPI_BYTE, data, huge, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    for (int at = 0; at < size; at++)
        counts[at] = LLONG_MAX;
    if (size == 5)
        FAILS(MPI_Reduce_scatter_c(data, data + 2, counts, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD), MPI_ERR_COUNT);
    free(counts);
    free(none);
    free(types);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    to_and_from_nobody();
    without_a_result();
    without_neighbours();
    too_much();
    OK(MPI_Finalize());
    return 0;
}
