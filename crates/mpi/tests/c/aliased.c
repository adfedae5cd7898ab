/* One memory for two arguments of a call: refused where the data would overlap, and nowhere else.
 * Source: MPI 5.0, section on procedure specification, and those of the calls. */
#include "told.h"

#define SAME "recvbuf is the memory of sendbuf"
#define GIVEN "sendbuf is this rank's block of recvbuf"
#define GOT "recvbuf is this rank's block of sendbuf"

enum { MOST = 64 };

static int rank, size, a[MOST], ones[MOST], places[MOST], bytes[MOST];
static MPI_Datatype types[MOST];
static MPI_Request request;

/* All ranks fail alike, and before they send anything. */
static void reductions(MPI_Comm comm)
{
    MPI_Op ops[2] = {MPI_SUM, MPI_BXOR};

    for (int at = 0; at < 2; at++) {
        TELLS(MPI_Allreduce(a, a, 1, MPI_INT, ops[at], comm), MPI_ERR_BUFFER, "MPI_Allreduce: " SAME);
        TELLS(MPI_Reduce(a, a, 1, MPI_INT, ops[at], rank, comm), MPI_ERR_BUFFER, "MPI_Reduce: " SAME);
        TELLS(MPI_Scan(a, a, 1, MPI_INT, ops[at], comm), MPI_ERR_BUFFER, "MPI_Scan: " SAME);
        /* The first rank gets nothing, and refuses what the others do: else it would be a call ahead. */
        TELLS(MPI_Exscan(a, a, 1, MPI_INT, ops[at], comm), MPI_ERR_BUFFER, "MPI_Exscan: " SAME);
        FAILS(MPI_Iexscan(a, a, 1, MPI_INT, ops[at], comm, &request), MPI_ERR_BUFFER);
    }
    TELLS(MPI_Reduce_scatter(a, a, ones, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "MPI_Reduce_scatter: " SAME);
    TELLS(MPI_Reduce_scatter_block(a, a, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "MPI_Reduce_scatter_block: " SAME);
    TELLS(MPI_Reduce_local(a, a, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER, "MPI_Reduce_local: inoutbuf is the memory of inbuf");
    TELLS(MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, comm, &request), MPI_ERR_BUFFER, "MPI_Iallreduce: " SAME);
    TELLS(MPI_Ireduce(a, a, 1, MPI_INT, MPI_SUM, rank, comm, &request), MPI_ERR_BUFFER, "MPI_Ireduce: " SAME);
    TELLS(MPI_Iscan(a, a, 1, MPI_INT, MPI_SUM, comm, &request), MPI_ERR_BUFFER, "MPI_Iscan: " SAME);
    TELLS(MPI_Allreduce_init(a, a, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request), MPI_ERR_BUFFER,
          "MPI_Allreduce_init: " SAME);
}

static void movements(MPI_Comm comm)
{
    int *own = a + rank;

    TELLS(MPI_Gather(own, 1, MPI_INT, a, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER, "MPI_Gather: " GIVEN);
    TELLS(MPI_Gatherv(own, 1, MPI_INT, a, ones, places, MPI_INT, rank, comm), MPI_ERR_BUFFER, "MPI_Gatherv: " GIVEN);
    TELLS(MPI_Scatter(a, 1, MPI_INT, own, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER, "MPI_Scatter: " GOT);
    TELLS(MPI_Scatterv(a, ones, places, MPI_INT, own, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER, "MPI_Scatterv: " GOT);
    TELLS(MPI_Allgather(own, 1, MPI_INT, a, 1, MPI_INT, comm), MPI_ERR_BUFFER, "MPI_Allgather: " GIVEN);
    TELLS(MPI_Allgatherv(own, 1, MPI_INT, a, ones, places, MPI_INT, comm), MPI_ERR_BUFFER, "MPI_Allgatherv: " GIVEN);
    TELLS(MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, comm), MPI_ERR_BUFFER, "MPI_Alltoall: " SAME);
    TELLS(MPI_Alltoallv(a, ones, places, MPI_INT, a, ones, places, MPI_INT, comm), MPI_ERR_BUFFER, "MPI_Alltoallv: " SAME);
    TELLS(MPI_Alltoallw(a, ones, bytes, types, a, ones, bytes, types, comm), MPI_ERR_BUFFER, "MPI_Alltoallw: " SAME);
    TELLS(MPI_Igather(own, 1, MPI_INT, a, 1, MPI_INT, rank, comm, &request), MPI_ERR_BUFFER, "MPI_Igather: " GIVEN);
    TELLS(MPI_Iallgather(own, 1, MPI_INT, a, 1, MPI_INT, comm, &request), MPI_ERR_BUFFER, "MPI_Iallgather: " GIVEN);
    TELLS(MPI_Ialltoall(a, 1, MPI_INT, a, 1, MPI_INT, comm, &request), MPI_ERR_BUFFER, "MPI_Ialltoall: " SAME);
    TELLS(MPI_Alltoall_init(a, 1, MPI_INT, a, 1, MPI_INT, comm, MPI_INFO_NULL, &request), MPI_ERR_BUFFER,
          "MPI_Alltoall_init: " SAME);
}

static void of_neighbours(void)
{
    int dims[1] = {size}, periods[1] = {1};
    MPI_Aint far[MOST];

    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &told_on));
    for (int at = 0; at < MOST; at++)
        far[at] = bytes[at];
    TELLS(MPI_Neighbor_allgather(a, 1, MPI_INT, a, 1, MPI_INT, told_on), MPI_ERR_BUFFER, "MPI_Neighbor_allgather: " SAME);
    TELLS(MPI_Neighbor_allgatherv(a, 1, MPI_INT, a, ones, places, MPI_INT, told_on), MPI_ERR_BUFFER,
          "MPI_Neighbor_allgatherv: " SAME);
    TELLS(MPI_Neighbor_alltoall(a, 1, MPI_INT, a, 1, MPI_INT, told_on), MPI_ERR_BUFFER, "MPI_Neighbor_alltoall: " SAME);
    TELLS(MPI_Neighbor_alltoallv(a, ones, places, MPI_INT, a, ones, places, MPI_INT, told_on), MPI_ERR_BUFFER,
          "MPI_Neighbor_alltoallv: " SAME);
    TELLS(MPI_Neighbor_alltoallw(a, ones, far, types, a, ones, far, types, told_on), MPI_ERR_BUFFER,
          "MPI_Neighbor_alltoallw: " SAME);
    OK(MPI_Comm_free(&told_on));
}

static void exchanges(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype second;
    int one = 1, place = 1;

    /* Other libraries let this pass, so programs do it: what was there is sent. */
    a[0] = rank;
    OK(MPI_Sendrecv(a, 1, MPI_INT, right, 0, a, 1, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE));
    CHECK(a[0] == left);
    a[0] = rank;
    OK(MPI_Isendrecv(a, 1, MPI_INT, right, 0, a, 1, MPI_INT, left, 0, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(a[0] == left);
    /* The same address, and other data: the second element, none, or what nobody sends. */
    OK(MPI_Type_indexed(1, &one, &place, MPI_INT, &second));
    OK(MPI_Type_commit(&second));
    a[0] = rank;
    OK(MPI_Sendrecv(a, 1, MPI_INT, right, 0, a, 1, second, left, 0, comm, MPI_STATUS_IGNORE));
    CHECK(a[0] == rank && a[1] == left);
    OK(MPI_Sendrecv(a, 0, MPI_INT, right, 0, a, 1, second, left, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv_replace(a, 1, MPI_INT, right, 0, left, 0, comm, MPI_STATUS_IGNORE));
    CHECK(a[0] == left);
    /* From one base that all count from. */
    MPI_Aint bases[2];
    MPI_Datatype absolute[2];
    for (int at = 0; at < 2; at++) {
        OK(MPI_Get_address(a + at, &bases[at]));
        OK(MPI_Type_create_hindexed(1, &one, &bases[at], MPI_INT, &absolute[at]));
        OK(MPI_Type_commit(&absolute[at]));
    }
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, absolute[0], right, 0, MPI_BOTTOM, 1, absolute[1], left, 0, comm, MPI_STATUS_IGNORE));
    for (int at = 0; at < 2; at++)
        OK(MPI_Type_free(&absolute[at]));
    OK(MPI_Type_free(&second));
}

/* Calls in which all ranks have part are right. */
static void go_on(MPI_Comm comm)
{
    int own = rank + 1, sum = 0, all[MOST] = {0};

    OK(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size + 1) / 2);
    OK(MPI_Iallgather(&own, 1, MPI_INT, all, 1, MPI_INT, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int at = 0; at < size; at++)
        CHECK(all[at] == at + 1);
}

/* A call that a rank has refused is none of its calls: what comes after belongs together, and it may call again. */
static void refused(MPI_Comm comm)
{
    int own = rank + 1, all[MOST] = {0}, got = 0;

    go_on(comm);
    /* The root alone calls. */
    if (rank == 0) {
        FAILS(MPI_Gather(a, 1, MPI_INT, a, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
        FAILS(MPI_Iscatter(a, 1, MPI_INT, a, 1, MPI_INT, 0, comm, &request), MPI_ERR_BUFFER);
        FAILS(MPI_Reduce(a, a, 1, MPI_INT, MPI_SUM, 0, comm), MPI_ERR_BUFFER);
    }
    go_on(comm);
    /* All call, the root twice. */
    if (rank == 0)
        FAILS(MPI_Gather(all, 1, MPI_INT, all, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    OK(MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, comm));
    for (int at = 0; at < size && rank == 0; at++)
        CHECK(all[at] == at + 1);
    if (rank == 0)
        FAILS(MPI_Iscatter(all, 1, MPI_INT, all, 1, MPI_INT, 0, comm, &request), MPI_ERR_BUFFER);
    OK(MPI_Iscatter(all, 1, MPI_INT, &got, 1, MPI_INT, 0, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(got == own);
    go_on(comm);
    /* The root refuses and goes on to another call: it hears what the others gave in the first. */
    if (size > 1) {
        if (rank == 0)
            FAILS(MPI_Gather(all, 1, MPI_INT, all, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
        else
            OK(MPI_Gather(&own, 1, MPI_INT, NULL, 0, MPI_INT, 0, comm));
        if (rank == 0)
            FAILS(MPI_Allreduce(&own, &got, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_NOT_SAME);
    }
}

/* What may be one memory. */
static void allowed(MPI_Comm comm)
{
    int behind[MOST];

    OK(MPI_Allreduce(a, a, 0, MPI_INT, MPI_SUM, comm));
    OK(MPI_Allgather(a, 0, MPI_INT, a, 0, MPI_INT, comm));
    OK(MPI_Alltoall(a, 0, MPI_INT, a, 0, MPI_INT, comm));
    OK(MPI_Reduce_local(a, a, 0, MPI_INT, MPI_SUM));
    OK(MPI_Reduce(a, rank == 0 ? a + 1 : a, 1, MPI_INT, MPI_SUM, 0, comm));
    OK(MPI_Gather(rank == 0 ? a + MOST - 1 : a, 1, MPI_INT, a, 1, MPI_INT, 0, comm));
    OK(MPI_Exscan(a, rank == 0 ? NULL : a + 1, 1, MPI_INT, MPI_SUM, comm));
    OK(MPI_Exscan(a, a, 0, MPI_INT, MPI_SUM, comm));
    for (int at = 0; at < MOST; at++) {
        behind[at] = size * (int)sizeof(int) + bytes[at];
        a[at] = rank;
    }
    OK(MPI_Alltoallw(a, ones, bytes, types, a, ones, behind, types, comm));
    for (int at = 0; at < size; at++)
        CHECK(a[at] == rank && a[size + at] == at);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    for (int at = 0; at < MOST; at++) {
        ones[at] = 1;
        places[at] = at;
        bytes[at] = at * (int)sizeof(int);
        types[at] = MPI_INT;
    }
    reductions(MPI_COMM_WORLD);
    movements(MPI_COMM_WORLD);
    of_neighbours();
    exchanges();
    allowed(MPI_COMM_WORLD);
    refused(MPI_COMM_WORLD);
    if (told_messages > 0)
        printf("%d messages\n", told_messages);
    OK(MPI_Finalize());
    return 0;
}
