/* Ranks that call different collectives, or one with different lengths: each rank that gets something of another is told,
 * and none hangs.
 * Source: MPI 5.0, chapter Collective Communication, which leaves open what comes of such programs. SEMANTICS.md: COL-4. */
#include "check.h"

#define MANY 20000

static long given[8 * MANY], got[8 * MANY];
static int rank, size;

/* Completes a call. Whoever hears of another rank is told that the two differ. */
static void differs(MPI_Request request, int hears)
{
    if (hears)
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_NOT_SAME);
    else
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request == MPI_REQUEST_NULL);
}

/* Rank 0 calls something else than the others, or gives one element more. */
static void nonblocking(MPI_Comm comm, int which, int count)
{
    MPI_Request request;
    int other = rank == 0, each = count + other;

    switch (which) {
    case 0:
        if (other)
            OK(MPI_Iallgather(given, count, MPI_LONG, got, count, MPI_LONG, comm, &request));
        else
            OK(MPI_Iallreduce(given, got, count, MPI_LONG, MPI_SUM, comm, &request));
        return differs(request, 1);
    case 1:
        OK(MPI_Iallreduce(given, got, each, MPI_LONG, MPI_BXOR, comm, &request));
        return differs(request, 1);
    case 2:
        OK(MPI_Ibcast(given, each, MPI_LONG, 0, comm, &request));
        return differs(request, rank != 0);
    case 3:
        OK(MPI_Igather(given, count, MPI_LONG, got, each, MPI_LONG, 0, comm, &request));
        return differs(request, rank == 0);
    case 4:
        OK(MPI_Iscatter(given, each, MPI_LONG, got, count, MPI_LONG, 0, comm, &request));
        return differs(request, rank != 0);
    case 5:
        OK(MPI_Ireduce(given, got, each, MPI_LONG, MPI_SUM, 0, comm, &request));
        return differs(request, rank == 0);
    case 6:
        OK(MPI_Iscan(given, got, each, MPI_LONG, MPI_SUM, comm, &request));
        return differs(request, rank != 0);
    case 7:
        OK(MPI_Ialltoall(given, each, MPI_LONG, got, each, MPI_LONG, comm, &request));
        return differs(request, 1);
    case 8:
        /* Large data say of which collective they are, and not of which operator. */
        if (count > 1000)
            return;
        OK(MPI_Iallreduce(given, got, count, MPI_LONG, other ? MPI_SUM : MPI_MAX, comm, &request));
        return differs(request, 1);
    default:
        if (other)
            OK(MPI_Ibarrier(comm, &request));
        else
            OK(MPI_Iallgather(given, count, MPI_LONG, got, count, MPI_LONG, comm, &request));
        return differs(request, 1);
    }
}

/* The same of calls that wait, which the runtime has or has not. */
static void blocking(MPI_Comm comm, int which, int count)
{
    int each = count + (rank == 0);

    switch (which) {
    case 0:
        FAILS(MPI_Allreduce(given, got, each, MPI_LONG, MPI_BXOR, comm), MPI_ERR_NOT_SAME);
        return;
    case 1:
        /* Of much data a rank may give nothing before it has something of the other, which waits in vain then. */
        if (count > 1000)
            return;
        FAILS(MPI_Allreduce(given, got, count, MPI_LONG, rank == 0 ? MPI_SUM : MPI_BXOR, comm), MPI_ERR_NOT_SAME);
        return;
    case 2:
        if (rank == 0)
            FAILS(MPI_Gather(given, each, MPI_LONG, got, each, MPI_LONG, 0, comm), MPI_ERR_NOT_SAME);
        else
            OK(MPI_Gather(given, count, MPI_LONG, got, each, MPI_LONG, 0, comm));
        return;
    default:
        FAILS(MPI_Reduce_scatter_block(given, got, each, MPI_LONG, MPI_SUM, comm), MPI_ERR_NOT_SAME);
    }
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 200, 2000, MANY - 1};
    MPI_Comm comm;

    begin(&argc, &argv, &rank, &size);
    for (int count = 0; count < 4 && size > 1; count++) {
        for (int which = 0; which < 10; which++) {
            OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
            nonblocking(comm, which, counts[count]);
            OK(MPI_Comm_free(&comm));
        }
        for (int which = 0; which < 4; which++) {
            OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
            blocking(comm, which, counts[count]);
            OK(MPI_Comm_free(&comm));
        }
    }
    /* What was called wrongly in others does not touch this one. */
    for (int round = 0; round < 100; round++) {
        MPI_Request request;
        long sum, own = round + rank;

        OK(MPI_Iallreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(sum == size * (long)round + size * (size - 1L) / 2);
    }
    OK(MPI_Finalize());
    return 0;
}
