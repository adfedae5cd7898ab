/* Messages between two ranks: all modes, wildcards, probes, truncation, persistent requests, cancelled receives.
 * Source: MPI 5.0, chapter on point-to-point communication. */
#include "check.h"

static int rank, size;

static int next(void) { return (rank + 1) % size; }
static int before(void) { return (rank + size - 1) % size; }

static void in_a_ring(void)
{
    MPI_Status status;
    int got = -1, count;
    double replaced[3] = {rank, rank, rank};

    OK(MPI_Sendrecv(&rank, 1, MPI_INT, next(), 5, &got, 1, MPI_INT, before(), 5, MPI_COMM_WORLD, &status));
    CHECK(got == before() && status.MPI_SOURCE == before() && status.MPI_TAG == 5);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 1);
    OK(MPI_Sendrecv_replace(replaced, 3, MPI_DOUBLE, next(), 1, before(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(replaced[0] == before() && replaced[2] == before());
}

static void from_all_to_all(size_t bytes)
{
    MPI_Request requests[16];
    MPI_Status statuses[16];
    char *in = malloc(bytes * size + 1), *out = malloc(bytes + 1);
    int count = 0;

    memset(out, rank + 1, bytes);
    for (int peer = 0; peer < size; peer++)
        OK(MPI_Irecv(in + bytes * peer, (int)bytes, MPI_CHAR, peer, 9, MPI_COMM_WORLD, &requests[count++]));
    for (int peer = 0; peer < size; peer++)
        OK(MPI_Isend(out, (int)bytes, MPI_CHAR, peer, 9, MPI_COMM_WORLD, &requests[count++]));
    OK(MPI_Waitall(count, requests, statuses));
    for (int peer = 0; peer < size; peer++) {
        CHECK(statuses[peer].MPI_SOURCE == peer);
        CHECK(bytes == 0 || (in[bytes * peer] == peer + 1 && in[bytes * (peer + 1) - 1] == peer + 1));
    }
    for (int at = 0; at < count; at++)
        CHECK(requests[at] == MPI_REQUEST_NULL);
    free(in);
    free(out);
}

static void in_all_modes(void)
{
    int sent = rank * 7, got, flag, bytes;
    char room[4096];
    void *detached;
    MPI_Request request, receive;

    /* A synchronous send is not complete before its receive is posted. */
    OK(MPI_Issend(&sent, 1, MPI_INT, next(), 2, MPI_COMM_WORLD, &request));
    if (size > 1) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Recv(&got, 1, MPI_INT, before(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got == before() * 7);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

    /* It is complete though nobody waits for the receive. */
    OK(MPI_Irecv(&got, 1, MPI_INT, before(), 3, MPI_COMM_WORLD, &receive));
    OK(MPI_Ssend(&sent, 1, MPI_INT, next(), 3, MPI_COMM_WORLD));
    OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CHECK(got == before() * 7);

    OK(MPI_Buffer_attach(room, sizeof room));
    OK(MPI_Bsend(&sent, 1, MPI_INT, next(), 4, MPI_COMM_WORLD));
    OK(MPI_Recv(&got, 1, MPI_INT, before(), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got == before() * 7);
    OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == room && bytes == (int)sizeof room);
    FAILS(MPI_Bsend(&sent, 1, MPI_INT, next(), 4, MPI_COMM_WORLD), MPI_ERR_BUFFER);
}

static void with_wildcards(void)
{
    MPI_Status status;
    int pair[2], count, flag, sum = 0;

    if (rank == 0) {
        for (int peer = 1; peer < size; peer++) {
            OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, MPI_INT, &count));
            CHECK(count == 2);
            OK(MPI_Recv(pair, 2, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(pair[0] == status.MPI_SOURCE && pair[1] == status.MPI_TAG);
            sum += pair[0];
        }
        CHECK(sum == size * (size - 1) / 2);
        OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
        CHECK(!flag);
    } else {
        pair[0] = rank;
        pair[1] = 100 + rank;
        OK(MPI_Send(pair, 2, MPI_INT, 0, 100 + rank, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Recv(pair, 2, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    /* What comes from nobody needs no buffer and no datatype. */
    OK(MPI_Recv(NULL, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    OK(MPI_Send(NULL, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
}

static void taken_by_a_probe(void)
{
    MPI_Status status;
    MPI_Message message;
    int value = 42, flag = 0;

    if (size < 2)
        return;
    if (rank == 0) {
        OK(MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
    } else if (rank == 1) {
        value = 0;
        OK(MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
        CHECK(status.MPI_TAG == 0);
        while (!flag)
            OK(MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
        CHECK(status.MPI_TAG == 1);
        OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
        CHECK(value == 42 && status.MPI_TAG == 0 && message == MPI_MESSAGE_NULL);
        OK(MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status));
    }
}

static void that_are_wrong(void)
{
    int data[4] = {1, 2, 3, 4}, got[4] = {0};
    MPI_Request none = MPI_REQUEST_NULL;

    /* What is too long is received in part, and gone. */
    OK(MPI_Send(data, 4, MPI_INT, rank, 0, MPI_COMM_WORLD));
    OK(MPI_Send(data, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    FAILS(MPI_Recv(got, 2, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK(got[1] == 2 && got[2] == 0);
    OK(MPI_Recv(got, 2, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got[0] == 1 && got[1] == 2);

    FAILS(MPI_Send(data, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(MPI_Send(data, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
    FAILS(MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    FAILS(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    FAILS(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Start(&none), MPI_ERR_REQUEST);
}

/* However many messages lie before it, one that has a receive comes. */
static void last_of_many(void)
{
    enum { MANY = 3000 };
    static int data[MANY];
    static MPI_Request requests[MANY];
    MPI_Request last_request;
    int last = 7;

    if (size < 2)
        return;
    if (rank == 0) {
        for (int at = 0; at < MANY; at++) {
            data[at] = at;
            OK(MPI_Isend(&data[at], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[at]));
        }
        OK(MPI_Isend(&last, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &last_request));
        OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
        OK(MPI_Wait(&last_request, MPI_STATUS_IGNORE));
    } else if (rank == 1) {
        last = 0;
        OK(MPI_Recv(&last, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(last == 7);
        for (int at = 0; at < MANY; at++) {
            OK(MPI_Recv(&data[at], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(data[at] == at);
        }
    }
}

/* Small sends wait for nobody, though all ranks send before they receive. */
static void all_at_once(void)
{
    enum { MANY = 400 };
    int got;

    for (int at = 0; at < MANY; at++)
        OK(MPI_Send(&at, 1, MPI_INT, next(), 8, MPI_COMM_WORLD));
    for (int at = 0; at < MANY; at++) {
        OK(MPI_Recv(&got, 1, MPI_INT, before(), 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got == at);
    }
}

static void by_persistent_requests(void)
{
    MPI_Request requests[2];
    int sent, got;

    OK(MPI_Send_init(&sent, 1, MPI_INT, next(), 6, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Recv_init(&got, 1, MPI_INT, before(), 6, MPI_COMM_WORLD, &requests[1]));
    for (int round = 0; round < 10; round++) {
        sent = rank + round * 10;
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK(got == before() + round * 10);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

static void in_any_order(void)
{
    MPI_Request requests[4];
    MPI_Status status;
    int got[4], index, flag;

    for (int at = 0; at < 4; at++)
        OK(MPI_Irecv(&got[at], 1, MPI_INT, before(), 20 + at, MPI_COMM_WORLD, &requests[at]));
    for (int at = 3; at >= 0; at--)
        OK(MPI_Send(&at, 1, MPI_INT, next(), 20 + at, MPI_COMM_WORLD));
    for (int done = 0; done < 4; done++) {
        OK(MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE));
        CHECK(index != MPI_UNDEFINED && got[index] == index);
    }
    OK(MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index == MPI_UNDEFINED);

    OK(MPI_Irecv(&got[0], 1, MPI_INT, before(), 30, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Cancel(&requests[0]));
    OK(MPI_Wait(&requests[0], &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    in_a_ring();
    from_all_to_all(0);
    from_all_to_all(8);
    from_all_to_all(5000);
    from_all_to_all(1 << 20);
    in_all_modes();
    with_wildcards();
    taken_by_a_probe();
    that_are_wrong();
    last_of_many();
    all_at_once();
    by_persistent_requests();
    in_any_order();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
