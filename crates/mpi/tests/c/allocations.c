/* A steady loop of messages or of blocking collectives allocates nothing: all calls of malloc and its like in the process
 * are counted, for each kind of call by itself.
 * Other collectives are those of allocations_collectives.c. */
#include "allocations.h"

static int rank, size, peer;
static MPI_Datatype every_second;

/* Above the eager limit, and what fits a message. */
enum { LONG = 8192, SHORT = 4, MOST_RANKS = 8 };
static double out[LONG], in[LONG], whole[MOST_RANKS * SHORT], others[MOST_RANKS * SHORT];

static void check(void)
{
    CHECK(in[SHORT - 1] == peer);
    in[SHORT - 1] = -1;
}

/* One message each way. The lower rank sends first. */
#define EACH_WAY(send, recv)                                                    \
    do {                                                                        \
        if (rank < peer)                                                        \
            OK(send);                                                           \
        OK(recv);                                                               \
        if (rank > peer)                                                        \
            OK(send);                                                           \
        check();                                                                \
    } while (0)

#define RECV(count) MPI_Recv(in, count, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

static void blocking(void) { EACH_WAY(MPI_Send(out, SHORT, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD), RECV(SHORT)); }
static void synchronous(void) { EACH_WAY(MPI_Ssend(out, SHORT, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD), RECV(SHORT)); }
static void buffered(void) { EACH_WAY(MPI_Bsend(out, SHORT, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD), RECV(SHORT)); }
static void blocking_long(void) { EACH_WAY(MPI_Send(out, LONG, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD), RECV(LONG)); }
static void synchronous_long(void) { EACH_WAY(MPI_Ssend(out, LONG, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD), RECV(LONG)); }

static void posted(int count)
{
    MPI_Request requests[2];

    OK(MPI_Irecv(in, count, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(out, count, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    check();
}

static void nonblocking(void) { posted(SHORT); }
static void nonblocking_long(void) { posted(LONG); }

static void nonblocking_synchronous(void)
{
    MPI_Request requests[2];
    int index, flag = 0;

    OK(MPI_Irecv(in, SHORT, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Issend(out, SHORT, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    while (!flag)
        OK(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));
    check();
}

static void both_ways(void)
{
    OK(MPI_Sendrecv(out, SHORT, MPI_DOUBLE, peer, 3, in, SHORT, MPI_DOUBLE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check();
    memcpy(in, out, SHORT * sizeof *in);
    OK(MPI_Sendrecv_replace(in, SHORT, MPI_DOUBLE, peer, 3, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check();
}

static void both_ways_long(void)
{
    OK(MPI_Sendrecv(out, LONG, MPI_DOUBLE, peer, 3, in, LONG, MPI_DOUBLE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check();
}

/* On either side. */
static void with_gaps(void)
{
    double gaps[2 * SHORT] = {0};
    MPI_Request request;

    OK(MPI_Sendrecv(out, SHORT, MPI_DOUBLE, peer, 3, gaps, 1, every_second, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(gaps[6] == peer && gaps[5] == 0);
    gaps[6] = rank;
    OK(MPI_Irecv(in, SHORT, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD, &request));
    OK(MPI_Send(gaps, 1, every_second, peer, 4, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check();
}

static void probed(void)
{
    MPI_Status status;
    MPI_Request request;
    int count;

    OK(MPI_Isend(out, SHORT, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD, &request));
    OK(MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
    OK(MPI_Recv(in, count, MPI_DOUBLE, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check();
}

static void matched_by_a_probe(void)
{
    MPI_Message message;
    MPI_Request requests[2];
    int flag = 0;

    OK(MPI_Isend(out, SHORT, MPI_DOUBLE, peer, 6, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Mprobe(peer, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(in, SHORT, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
    check();
    OK(MPI_Isend(out, SHORT, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, &requests[1]));
    while (!flag)
        OK(MPI_Improbe(peer, 7, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(in, SHORT, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    check();
}

/* Made in main. */
static MPI_Request prepared[3][2];

static void persistent(int kind)
{
    OK(MPI_Startall(2, prepared[kind]));
    OK(MPI_Waitall(2, prepared[kind], MPI_STATUSES_IGNORE));
    check();
}

static void persistent_short(void) { persistent(0); }
static void persistent_synchronous(void) { persistent(1); }
static void persistent_long(void) { persistent(2); }

static void of_all(void)
{
    CHECK(in[0] == size && in[SHORT - 1] == size * (size - 1) / 2.0);
    in[0] = in[SHORT - 1] = -1;
}

static void barrier(void) { OK(MPI_Barrier(MPI_COMM_WORLD)); }

static void broadcast(void)
{
    double data[SHORT] = {0};
    if (rank == size - 1)
        memcpy(data, out, sizeof data);
    OK(MPI_Bcast(data, SHORT, MPI_DOUBLE, size - 1, MPI_COMM_WORLD));
    CHECK(data[SHORT - 1] == size - 1);
}

static void broadcast_long(void)
{
    memcpy(in, out, SHORT * sizeof *in);
    OK(MPI_Bcast(in, LONG, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    CHECK(in[SHORT - 1] == 0);
}

static void reduction(void)
{
    OK(MPI_Reduce(out, in, SHORT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    if (rank == 0)
        of_all();
}

static void reduction_for_all(void)
{
    OK(MPI_Allreduce(out, in, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    of_all();
    memcpy(in, out, SHORT * sizeof *in);
    OK(MPI_Allreduce(MPI_IN_PLACE, in, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    of_all();
}

static void reduction_for_all_long(void)
{
    OK(MPI_Allreduce(out, in, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    of_all();
}

static void scan(void)
{
    OK(MPI_Scan(out, in, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK(in[0] == rank + 1);
}

static void all_gather(void)
{
    OK(MPI_Allgather(out, SHORT, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD));
    CHECK(others[size * SHORT - 1] == size - 1);
}

static void all_to_all(void)
{
    OK(MPI_Alltoall(whole, SHORT, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD));
    CHECK(others[size * SHORT - 1] == size - 1);
}

static const struct kind kinds[] = {
    PAIRS(blocking), PAIRS(synchronous), PAIRS(buffered), PAIRS(blocking_long), PAIRS(synchronous_long),
    PAIRS(nonblocking), PAIRS(nonblocking_long), PAIRS(nonblocking_synchronous), PAIRS(both_ways), PAIRS(both_ways_long),
    PAIRS(with_gaps), PAIRS(probed), PAIRS(matched_by_a_probe), PAIRS(persistent_short), PAIRS(persistent_synchronous),
    PAIRS(persistent_long),
    ALL(barrier), ALL(broadcast), ALL(broadcast_long), ALL(reduction), ALL(reduction_for_all), ALL(reduction_for_all_long),
    ALL(scan), ALL(all_gather), ALL(all_to_all),
};

int main(int argc, char **argv)
{
    static char room[1 << 16];

    begin(&argc, &argv, &rank, &size);
    CHECK(size <= MOST_RANKS);
    OK(MPI_Type_vector(SHORT, 1, 2, MPI_DOUBLE, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_Buffer_attach(room, sizeof room));
    out[0] = 1, out[SHORT - 1] = rank;
    for (int at = 0; at < size; at++)
        memcpy(&whole[at * SHORT], out, SHORT * sizeof *out);
    peer = rank ^ 1;
    for (int kind = 0; kind < 3 && peer < size; kind++) {
        int count = kind == 2 ? LONG : SHORT;
        OK(MPI_Recv_init(in, count, MPI_DOUBLE, peer, 8 + kind, MPI_COMM_WORLD, &prepared[kind][0]));
        if (kind == 1)
            OK(MPI_Ssend_init(out, count, MPI_DOUBLE, peer, 8 + kind, MPI_COMM_WORLD, &prepared[kind][1]));
        else
            OK(MPI_Send_init(out, count, MPI_DOUBLE, peer, 8 + kind, MPI_COMM_WORLD, &prepared[kind][1]));
    }
    count_all(kinds, sizeof kinds / sizeof *kinds, rank, size);
    for (int kind = 0; kind < 3 && peer < size; kind++)
        for (int way = 0; way < 2; way++)
            OK(MPI_Request_free(&prepared[kind][way]));
    int bytes;
    void *detached;
    OK(MPI_Buffer_detach(&detached, &bytes));
    OK(MPI_Type_free(&every_second));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
