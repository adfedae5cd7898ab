/* Sends that cannot leave, since their receiver makes no calls: their memory is lent and not copied, they can be taken
 * back, and a flush does not wait for them. Source: MPI 5.0, sections on nonblocking communication, on cancelling and on
 * buffers. */
#include "check.h"
#include <sched.h>

enum { MANY = 5000, LARGE = 1 << 21 };

static int rank, size;
static volatile int *shared;
static MPI_Win window;

/* The receiver waits so, without a call, until the sender says that it may go on. */
static void wait_outside(int until)
{
    while (*shared < until)
        sched_yield();
}

static void allow(int until) { *shared = until; }

static void taken_back(void)
{
    static int numbers[MANY];
    static MPI_Request requests[MANY];
    MPI_Request last, synchronous;
    MPI_Status status;
    int got, flag, count = 0;

    if (rank == 0) {
        for (int at = 0; at < MANY; at++) {
            numbers[at] = at;
            OK(MPI_Isend(&numbers[at], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[at]));
        }
        got = -1;
        OK(MPI_Isend(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &last));
        OK(MPI_Issend(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &synchronous));
        OK(MPI_Cancel(&last));
        OK(MPI_Cancel(&synchronous));
        /* It returns, whatever the receiver does. */
        OK(MPI_Wait(&last, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK(flag && last == MPI_REQUEST_NULL);
        OK(MPI_Wait(&synchronous, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK(flag);
        OK(MPI_Testall(MANY, requests, &flag, MPI_STATUSES_IGNORE));
        CHECK(!flag);
        allow(1);
        OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
        /* What has left is not cancelled. */
        OK(MPI_Isend(&got, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &last));
        OK(MPI_Wait(&last, &status));
    } else if (rank == 1) {
        wait_outside(1);
        for (; count < MANY; count++) {
            OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(got == count);
        }
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void flushed(void)
{
    char *room = malloc(MANY * (sizeof(int) + MPI_BSEND_OVERHEAD));
    int got, flag, bytes;
    void *detached;
    MPI_Request request;

    if (rank == 0) {
        OK(MPI_Buffer_attach(room, MANY * (int)(sizeof(int) + MPI_BSEND_OVERHEAD)));
        for (int at = 0; at < MANY; at++)
            OK(MPI_Bsend(&at, 1, MPI_INT, 1, 3, MPI_COMM_WORLD));
        OK(MPI_Buffer_iflush(&request));
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        allow(2);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Buffer_detach(&detached, &bytes));
        CHECK(detached == room);
    } else if (rank == 1) {
        wait_outside(2);
        for (int at = 0; at < MANY; at++) {
            OK(MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(got == at);
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(room);
}

/* Many at once, above and below the eager limit, more than there is memory to copy them to; with gaps and without. */
static void lent(void)
{
    enum { COUNT = 80 };
    char *out = malloc(LARGE), *in = malloc(LARGE);
    int *columns = malloc(LARGE), got[64];
    MPI_Request requests[COUNT];
    MPI_Datatype column;

    OK(MPI_Type_vector(64, 1, LARGE / 64 / sizeof(int), MPI_INT, &column));
    OK(MPI_Type_commit(&column));
    if (rank == 0) {
        memset(out, 5, LARGE);
        for (int at = 0; at < 64; at++)
            columns[at * (LARGE / 64 / sizeof(int))] = at;
        for (int at = 0; at < COUNT; at++)
            if (at % 4 == 3)
                OK(MPI_Isend(columns, 1, column, 1, 4, MPI_COMM_WORLD, &requests[at]));
            else if (at % 4 == 2)
                OK(MPI_Issend(out, LARGE, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[at]));
            else
                OK(MPI_Isend(out, at % 2 ? 100 : LARGE, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[at]));
        allow(3);
        OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
        memset(out, 6, LARGE);
    } else if (rank == 1) {
        wait_outside(3);
        for (int at = 0; at < COUNT; at++) {
            MPI_Status status;
            int bytes;
            if (at % 4 == 3) {
                OK(MPI_Recv(got, 64, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                for (int place = 0; place < 64; place++)
                    CHECK(got[place] == place);
                continue;
            }
            OK(MPI_Recv(in, LARGE, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, MPI_CHAR, &bytes));
            CHECK(bytes == (at % 4 == 1 ? 100 : LARGE) && in[0] == 5 && in[bytes - 1] == 5);
        }
    }
    OK(MPI_Type_free(&column));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
    free(columns);
}

/* A cancelled message of which something has left goes on as a copy: the program has its memory back, and what it
 * writes there reaches nobody. (Planted: a cancel that leaves the memory lent.) */
static void taken_back_in_part(void)
{
    enum { COUNT = 40, BYTES = LARGE / 2 };
    char *out = malloc(COUNT * BYTES), *in = malloc(BYTES);
    MPI_Request requests[COUNT];
    MPI_Status status;
    int cancelled[COUNT];

    if (rank == 0) {
        for (int at = 0; at < COUNT; at++) {
            memset(out + at * BYTES, at + 1, BYTES);
            OK(MPI_Isend(out + at * BYTES, BYTES, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &requests[at]));
        }
        for (int at = COUNT - 1; at >= 0; at--) {
            OK(MPI_Cancel(&requests[at]));
            OK(MPI_Wait(&requests[at], &status));
            OK(MPI_Test_cancelled(&status, &cancelled[at]));
        }
        memset(out, 99, COUNT * BYTES);
        allow(4);
        OK(MPI_Send(cancelled, COUNT, MPI_INT, 1, 6, MPI_COMM_WORLD));
    } else if (rank == 1) {
        wait_outside(4);
        OK(MPI_Recv(cancelled, COUNT, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int at = 0; at < COUNT; at++) {
            if (cancelled[at])
                continue;
            OK(MPI_Recv(in, BYTES, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int place = 0; place < BYTES; place++)
                CHECK(in[place] == at + 1);
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
}

/* Synchronous sends of which something has left, and which no receive has met: a wait for one returns once it is cancelled,
 * whatever the receiver does. The message comes, with what it had at the time; and a later send is confirmed by its own
 * receive, not by theirs. (Planted: a cancel that changes nothing; one that drops the receive of the answer; one that
 * leaves the memory lent.) */
static void left_unmet(void)
{
    enum { SMALL = 100, FEW = 3, COUNT = 40, BYTES = LARGE / 2 };
    char *out = malloc(COUNT * BYTES), *in = malloc(BYTES), last[SMALL] = { 0 };
    MPI_Request requests[COUNT], synchronous;
    MPI_Status status;
    int cancelled[COUNT], flag, index;

    if (rank == 0) {
        /* The receiver has made room for these, with its answer. */
        OK(MPI_Ssend(NULL, 0, MPI_CHAR, 1, 6, MPI_COMM_WORLD));
        memset(out, 7, COUNT * BYTES);
        OK(MPI_Ssend_init(out, SMALL, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Start(&requests[0]));
        for (int at = 1; at < COUNT; at++)
            OK(MPI_Issend(out + at * BYTES, at < FEW ? SMALL : BYTES, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &requests[at]));
        OK(MPI_Testany(COUNT, requests, &index, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        for (int at = COUNT - 1; at >= 0; at--) {
            OK(MPI_Cancel(&requests[at]));
            OK(MPI_Wait(&requests[at], &status));
            OK(MPI_Test_cancelled(&status, &cancelled[at]));
            CHECK(!cancelled[at] || at >= FEW);
        }
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
        OK(MPI_Request_free(&requests[0]));
        memset(out, 8, COUNT * BYTES);
        OK(MPI_Issend(last, SMALL, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &synchronous));
        allow(5);
        OK(MPI_Send(cancelled, COUNT, MPI_INT, 1, 6, MPI_COMM_WORLD));
        OK(MPI_Recv(NULL, 0, MPI_CHAR, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Test(&synchronous, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        allow(6);
        OK(MPI_Wait(&synchronous, MPI_STATUS_IGNORE));
    } else if (rank == 1) {
        OK(MPI_Recv(NULL, 0, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        wait_outside(5);
        OK(MPI_Recv(cancelled, COUNT, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int at = 0; at < COUNT; at++) {
            int bytes;
            if (cancelled[at])
                continue;
            OK(MPI_Recv(in, BYTES, MPI_CHAR, 0, 7, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, MPI_CHAR, &bytes));
            CHECK(bytes == (at < FEW ? SMALL : BYTES));
            for (int place = 0; place < bytes; place++)
                CHECK(in[place] == 7);
        }
        OK(MPI_Send(NULL, 0, MPI_CHAR, 0, 8, MPI_COMM_WORLD));
        wait_outside(6);
        OK(MPI_Recv(in, BYTES, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    void *address;
    MPI_Aint bytes;
    int unit;

    begin(&argc, &argv, &rank, &size);
    OK(MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &address, &window));
    OK(MPI_Win_shared_query(window, 0, &bytes, &unit, &address));
    shared = address;
    if (rank == 0)
        *shared = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (size > 1) {
        taken_back();
        flushed();
        lent();
        taken_back_in_part();
        left_unmet();
    }
    OK(MPI_Win_free(&window));
    OK(MPI_Finalize());
    return 0;
}
