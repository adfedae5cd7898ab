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
    flag = -9;
    FAILS(MPI_Testall(3, requests, &flag, statuses), MPI_ERR_IN_STATUS);
    CHECK(flag == 1);
    check_three(statuses);

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

/* A look at an operation that has failed leaves it, and it tells so again. */
static void looked_at_after_it_failed(void)
{
    MPI_Request request;
    MPI_Status status;
    int sent[2] = {5, 6}, got, flag, index;

    OK(MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    OK(MPI_Send(sent, 2, MPI_INT, 0, 1, MPI_COMM_SELF));
    for (int at = 0; at < 2; at++) {
        flag = status.MPI_TAG = -9;
        FAILS(MPI_Request_get_status(request, &flag, &status), MPI_ERR_TRUNCATE);
        CHECK(flag == 1 && status.MPI_TAG == 1);
        flag = index = -9;
        FAILS(MPI_Request_get_status_any(1, &request, &index, &flag, &status), MPI_ERR_TRUNCATE);
        CHECK(flag == 1 && index == 0 && request != MPI_REQUEST_NULL);
        flag = index = status.MPI_TAG = -9;
        FAILS(MPI_Request_get_status_all(1, &request, &flag, &status), MPI_ERR_IN_STATUS);
        CHECK(flag == 1 && status.MPI_TAG == 1);
        flag = status.MPI_TAG = -9;
        FAILS(MPI_Request_get_status_some(1, &request, &flag, &index, &status), MPI_ERR_IN_STATUS);
        CHECK(flag == 1 && index == 0 && status.MPI_TAG == 1);
    }
    status.MPI_TAG = -9;
    FAILS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    CHECK(status.MPI_TAG == 1 && got == 5 && request == MPI_REQUEST_NULL);
}

/* What a call cannot tell, since one of the handles names nothing, it does not complete. */
static void beside_a_handle_that_names_nothing(void)
{
    MPI_Request requests[2], freed;
    MPI_Status statuses[2];
    int sent = 5, got, count, indices[2], flag;

    OK(MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &freed));
    requests[1] = freed;
    OK(MPI_Cancel(&freed));
    OK(MPI_Wait(&freed, MPI_STATUS_IGNORE));
    for (int way = 0; way < 4; way++) {
        got = -1;
        OK(MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]));
        OK(MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
        if (way == 0)
            FAILS(MPI_Waitall(2, requests, statuses), MPI_ERR_REQUEST);
        else if (way == 1)
            FAILS(MPI_Waitsome(2, requests, &count, indices, statuses), MPI_ERR_REQUEST);
        else if (way == 2)
            FAILS(MPI_Testsome(2, requests, &count, indices, statuses), MPI_ERR_REQUEST);
        else
            FAILS(MPI_Testall(2, requests, &flag, statuses), MPI_ERR_REQUEST);
        CHECK(requests[0] != MPI_REQUEST_NULL);
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        CHECK(got == 5);
    }
}

static int heard, class_heard;
static MPI_Comm comm_heard;

static void hear(MPI_Comm *comm, int *code, ...)
{
    heard++;
    comm_heard = *comm;
    MPI_Error_class(*code, &class_heard);
}

/* What a request that was freed comes to, its communicator's handler hears, and no call on another operation. */
static void freed_before_it_failed(void)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Request request, requests[2];
    MPI_Status status;
    int sent[2] = {5, 6}, lost, got, flag;

    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_create_errhandler(hear, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Errhandler_free(&handler));
    for (int way = 0; way < 4; way++) {
        heard = 0;
        OK(MPI_Irecv(&lost, 1, MPI_INT, 0, 1, comm, &request));
        OK(MPI_Request_free(&request));
        OK(MPI_Send(sent, 2, MPI_INT, 0, 1, comm));
        OK(MPI_Irecv(&got, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]));
        OK(MPI_Irecv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[1]));
        flag = status.MPI_TAG = -9;
        if (way == 0) {
            OK(MPI_Test(&requests[0], &flag, &status));
            CHECK(flag == 0 && requests[0] != MPI_REQUEST_NULL && heard == 1);
        }
        OK(MPI_Send(sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF));
        OK(MPI_Send(sent, 1, MPI_INT, 0, 3, MPI_COMM_SELF));
        if (way == 3) {
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        } else {
            if (way == 2)
                OK(MPI_Test(&requests[0], &flag, &status));
            else
                OK(MPI_Wait(&requests[0], &status));
            CHECK(status.MPI_TAG == 2 && status.MPI_SOURCE == 0);
            OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        }
        CHECK(heard == 1 && class_heard == MPI_ERR_TRUNCATE && comm_heard == comm && got == 5 && lost == 5);
    }
    OK(MPI_Comm_free(&comm));
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
    looked_at_after_it_failed();
    beside_a_handle_that_names_nothing();
    freed_before_it_failed();
    cancelled_too_late();
    freed_before_it_came();
    freed_before_it_was_met();
    freed_before_the_program_completes_it();
    with_a_freed_datatype();
    OK(MPI_Finalize());
    return 0;
}
