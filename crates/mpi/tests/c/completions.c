/* How operations are completed: errors of one of several, messages that are too long, requests that are freed or
 * cancelled. Source: MPI 5.0, sections on communication and multiple completions, and on cancelling. */
#include "check.h"

static int rank, size;

static int done, freed;

static void begin_three(MPI_Request *requests, int *room, MPI_Status *statuses)
{
    static int data[2] = {5, 6};

    for (int at = 0; at < 3; at++) {
        OK(MPI_Send(data, at == 1 ? 2 : 1, MPI_INT, 0, 10 + at, MPI_COMM_SELF));
        OK(MPI_Irecv(&room[at], 1, MPI_INT, 0, 10 + at, MPI_COMM_SELF, &requests[at]));
        statuses[at].MPI_ERROR = 77;
    }
}

static void check_three(const MPI_Status *statuses)
{
    for (int at = 0; at < 3; at++) {
        CHECK(statuses[at].MPI_ERROR == (at == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
        CHECK(statuses[at].MPI_SOURCE == 0 && statuses[at].MPI_TAG == 10 + at);
    }
}

static void with_an_error_of_one(void)
{
    MPI_Request requests[3];
    MPI_Status statuses[3], status;
    int room[3], indices[3], count = -9, index, flag, got;

    for (int way = 0; way < 4; way++) {
        begin_three(requests, room, statuses);
        for (int at = 0; at < 3; at++)
            indices[at] = -9;
        count = -9;
        if (way == 0)
            FAILS(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
        else if (way == 1)
            FAILS(MPI_Waitsome(3, requests, &count, indices, statuses), MPI_ERR_IN_STATUS);
        else if (way == 2)
            FAILS(MPI_Testsome(3, requests, &count, indices, statuses), MPI_ERR_IN_STATUS);
        else
            FAILS(MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE), MPI_ERR_TRUNCATE);
        if (way > 0)
            CHECK(count == 3 && indices[0] == 0 && indices[1] == 1 && indices[2] == 2);
        if (way < 3)
            check_three(statuses);
        CHECK(room[0] == 5 && room[1] == 5 && room[2] == 5 && requests[1] == MPI_REQUEST_NULL);
    }

    begin_three(requests, room, statuses);
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    status.MPI_SOURCE = status.MPI_TAG = -9;
    FAILS(MPI_Waitany(3, requests, &index, &status), MPI_ERR_TRUNCATE);
    CHECK(index == 1 && status.MPI_SOURCE == 0 && status.MPI_TAG == 11);
    OK(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));

    OK(MPI_Send(room, 3, MPI_INT, 0, 4, MPI_COMM_SELF));
    FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status), MPI_ERR_TRUNCATE);
    CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 4);
    OK(MPI_Send(room, 3, MPI_INT, 0, 5, MPI_COMM_SELF));
    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &requests[0]));
    FAILS(MPI_Test(&requests[0], &flag, &status), MPI_ERR_TRUNCATE);
    CHECK(status.MPI_TAG == 5);
}

static void cancelled_too_late(void)
{
    MPI_Request first, second;
    MPI_Status status;
    int sent = 3, got = -1, other = -1, flag;

    OK(MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &first));
    OK(MPI_Irecv(&other, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &second));
    OK(MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    OK(MPI_Cancel(&first));
    OK(MPI_Wait(&first, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(!flag && got == 3);
    OK(MPI_Cancel(&second));
    OK(MPI_Wait(&second, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag && other == -1);
}

/* A receive that was freed is in its memory after the barrier that its sender has entered behind the message. */
static void freed_before_it_came(void)
{
    MPI_Request request;
    int got = -1;

    if (size < 2)
        return;
    if (rank == 1) {
        OK(MPI_Irecv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request));
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
    } else if (rank == 0) {
        got = 8;
        OK(MPI_Send(&got, 1, MPI_INT, 1, 2, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1)
        CHECK(*(volatile int *)&got == 8);
}

/* The answer to a synchronous send that was freed goes to no later one. */
static void freed_before_it_was_met(void)
{
    MPI_Request request;
    int sent = 4, got = -1, flag;

    for (int at = 0; at < 3; at++) {
        OK(MPI_Issend(&sent, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request));
        OK(MPI_Request_free(&request));
    }
    OK(MPI_Issend(&sent, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request));
    for (int at = 0; at < 3; at++)
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag && got == 4);
    OK(MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    OK(MPI_Status_set_elements(status, MPI_BYTE, 0));
    return MPI_SUCCESS;
}

static int release(void *state)
{
    CHECK(state == &done);
    freed++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void freed_before_the_program_completes_it(void)
{
    MPI_Request request, handle;

    OK(MPI_Grequest_start(query, release, cancel, &done, &request));
    handle = request;
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL && freed == 0);
    OK(MPI_Grequest_complete(handle));
    CHECK(freed == 1);
    FAILS(MPI_Grequest_complete(handle), MPI_ERR_REQUEST);
    OK(MPI_Grequest_start(query, release, cancel, &done, &request));
    OK(MPI_Grequest_complete(request));
    OK(MPI_Request_free(&request));
    CHECK(freed == 2);
}

static int called;

static void add_pairs(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    int bytes = 0, *from = in, *to = inout;

    OK(MPI_Type_size(*datatype, &bytes));
    CHECK(bytes == 2 * (int)sizeof(int));
    for (int at = 0; at < 2 * *count; at++)
        to[at] += from[at];
    called = 1;
}

/* A function of the program is told a datatype that it may ask, though the program has freed its own handle. */
static void with_a_freed_datatype(void)
{
    MPI_Datatype pair;
    MPI_Op op;
    MPI_Request request;
    int own[2] = {1, rank}, sum[2];

    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Op_create(add_pairs, 1, &op));
    OK(MPI_Iallreduce(own, sum, 1, pair, op, MPI_COMM_WORLD, &request));
    OK(MPI_Type_free(&pair));
    OK(MPI_Op_free(&op));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(sum[0] == size && sum[1] == size * (size - 1) / 2 && called == (size > 1));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    with_an_error_of_one();
    cancelled_too_late();
    freed_before_it_came();
    freed_before_it_was_met();
    freed_before_the_program_completes_it();
    with_a_freed_datatype();
    OK(MPI_Finalize());
    return 0;
}
