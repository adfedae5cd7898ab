/* Duplicates whose call does not wait: what others need in order to call may come after it, several are under way beside
 * other communicators, and their handles are known at once. Source: MPI 5.0, section on communicator constructors. */
#include "check.h"

enum { MANY = 4 };

static int rank, size, left, right, copied;

/* All ranks of a communicator add up in it. */
static void use(MPI_Comm comm, int expected)
{
    int one = 1, sum, token = 0, here, ranks;

    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == expected);
    OK(MPI_Comm_rank(comm, &here));
    OK(MPI_Comm_size(comm, &ranks));
    OK(MPI_Sendrecv(&here, 1, MPI_INT, (here + 1) % ranks, 3, &token, 1, MPI_INT, (here + ranks - 1) % ranks, 3, comm,
                    MPI_STATUS_IGNORE));
    CHECK(token == (here + ranks - 1) % ranks);
    OK(MPI_Barrier(comm));
}

/* The others call when they have heard of rank 0, which has called before, or has its duplicate by then. */
static void in_turn(void)
{
    MPI_Comm made;
    MPI_Request request;
    int token = 7;

    for (int way = 0; way < 2; way++) {
        if (rank == 0) {
            OK(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request));
            if (way == 1)
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            for (int to = 1; to < size; to++)
                OK(MPI_Send(&token, 1, MPI_INT, to, way, MPI_COMM_WORLD));
        } else {
            if (way == 1)
                OK(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request));
            OK(MPI_Recv(&token, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            if (way == 0)
                OK(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request));
        }
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(request == MPI_REQUEST_NULL);
        use(made, size);
        OK(MPI_Comm_free(&made));
        CHECK(made == MPI_COMM_NULL);
    }
}

/* Around a ring of pairs no call is the first; beside it others are made, in another order at each rank. */
static void in_any_order(void)
{
    MPI_Comm pairs[2], twins[2], worlds[MANY], group, other;
    MPI_Group all;
    MPI_Request requests[MANY + 2];
    int index, flag, pair[2];

    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    for (int first = 0; first < size; first++) {
        MPI_Group members;
        pair[0] = first, pair[1] = (first + 1) % size;
        if (pair[0] != rank && pair[1] != rank)
            continue;
        OK(MPI_Group_incl(all, size > 1 ? 2 : 1, pair, &members));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &pairs[first != rank]));
        OK(MPI_Group_free(&members));
    }
    if (size == 1)
        OK(MPI_Comm_dup(pairs[0], &pairs[1]));
    for (int round = 0; round < 3; round++) {
        OK(MPI_Comm_idup(pairs[0], &twins[0], &requests[MANY]));
        for (int at = 0; at < MANY; at++) {
            if (at == (rank + round) % MANY)
                OK(MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &group));
            OK(MPI_Comm_idup(MPI_COMM_WORLD, &worlds[at], &requests[at]));
        }
        OK(MPI_Comm_idup(pairs[1], &twins[1], &requests[MANY + 1]));
        OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &other));
        use(group, size);
        use(other, rank % 2 == 0 ? (size + 1) / 2 : size / 2);
        if (round == 0) {
            OK(MPI_Waitall(MANY + 2, requests, MPI_STATUSES_IGNORE));
        } else if (round == 1) {
            for (int at = 0; at < MANY + 2; at++)
                OK(MPI_Waitany(MANY + 2, requests, &index, MPI_STATUS_IGNORE));
            OK(MPI_Testall(MANY + 2, requests, &flag, MPI_STATUSES_IGNORE));
            CHECK(flag);
        } else {
            do
                OK(MPI_Testall(MANY + 2, requests, &flag, MPI_STATUSES_IGNORE));
            while (!flag);
        }
        for (int at = 0; at < MANY; at++) {
            use(worlds[at], size);
            OK(MPI_Comm_free(&worlds[at]));
        }
        for (int at = 0; at < 2; at++)
            OK(MPI_Ibarrier(twins[at], &requests[at]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        OK(MPI_Comm_free(&twins[0]));
        OK(MPI_Comm_free(&twins[1]));
        OK(MPI_Comm_free(&group));
        OK(MPI_Comm_free(&other));
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Comm_free(&pairs[0]));
    OK(MPI_Comm_free(&pairs[1]));
}

static int copy(MPI_Comm comm, int keyval, void *state, void *from, void *to, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)state;
    copied++;
    *(void **)to = (char *)from + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int keyval, void *state, void *from, void *to, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)state;
    (void)from;
    (void)to;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static MPI_Comm heard_of;

static void heard(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    heard_of = *comm;
}

/* The handle can be copied at once, and names a communicator once the request is complete. What it has is as at the call. */
static void as_at_the_call(void)
{
    static char values[4];
    MPI_Comm parent, made, same;
    MPI_Request request;
    int keyval, flag, ranks, dims[1], periods[1], coords[1], topology, token = 1;
    void *value;

    dims[0] = size, periods[0] = 1;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &parent));
    OK(MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    OK(MPI_Comm_set_attr(parent, keyval, values));
    OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
    OK(MPI_Comm_idup(parent, &made, &request));
    CHECK(copied == 1 && made != MPI_COMM_NULL && made != parent);
    same = made;
    FAILS(MPI_Comm_size(made, &ranks), MPI_ERR_COMM);
    FAILS(MPI_Send(&token, 1, MPI_INT, 0, 0, made), MPI_ERR_COMM);
    FAILS(MPI_Comm_free(&made), MPI_ERR_COMM);
    OK(MPI_Comm_set_attr(parent, keyval, values + 2));
    OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Comm_free(&parent));
    /* Some programs give it an error handler at once. */
    MPI_Errhandler handler;
    OK(MPI_Comm_get_errhandler(made, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    OK(MPI_Comm_create_errhandler(heard, &handler));
    OK(MPI_Comm_set_errhandler(made, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(made == same && copied == 1);
    CHECK(MPI_Send(&token, 1, MPI_INT, size, 0, made) != MPI_SUCCESS && heard_of == made);
    OK(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN));
    OK(MPI_Comm_get_attr(made, keyval, &value, &flag));
    CHECK(flag && value == values + 1);
    OK(MPI_Topo_test(made, &topology));
    CHECK(topology == MPI_CART);
    OK(MPI_Cart_get(made, 1, dims, periods, coords));
    CHECK(dims[0] == size && coords[0] == rank);
    FAILS(MPI_Send(&token, 1, MPI_INT, size, 0, made), MPI_ERR_RANK);
    use(made, size);
    OK(MPI_Comm_free_keyval(&keyval));
    OK(MPI_Comm_free(&made));

    /* Where one rank cannot copy, the others have the communicator. */
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
    OK(MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    if (rank == size - 1) {
        OK(MPI_Comm_set_attr(parent, keyval, values));
        CHECK(MPI_Comm_idup(parent, &made, &request) != MPI_SUCCESS);
        CHECK(made == MPI_COMM_NULL);
    } else {
        OK(MPI_Comm_idup(parent, &made, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Comm_size(made, &ranks));
        CHECK(ranks == size);
        OK(MPI_Comm_free(&made));
    }
    OK(MPI_Comm_free_keyval(&keyval));
    OK(MPI_Comm_free(&parent));
}

/* A freed request goes on: the handle names a communicator some time after all have called. */
static void freed(void)
{
    MPI_Comm made;
    MPI_Request request;
    int ranks;

    OK(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    /* All have called then, and their messages have come. */
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &ranks, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int flag; MPI_Comm_size(made, &ranks) != MPI_SUCCESS;)
        OK(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
    use(made, size);
    OK(MPI_Comm_free(&made));
}

/* Both groups of an inter-communicator call. */
static void between_groups(void)
{
    MPI_Comm part, inter, made;
    MPI_Request request;
    int flag, remote, token = rank;

    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &part));
    OK(MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
    OK(MPI_Comm_idup(inter, &made, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_test_inter(made, &flag));
    OK(MPI_Comm_remote_size(made, &remote));
    CHECK(flag && remote == (rank % 2 == 0 ? size / 2 : (size + 1) / 2));
    if (rank < 2) {
        OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, 0, 1, 0, 1, made, MPI_STATUS_IGNORE));
        CHECK(token == 1 - rank);
    }
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&part));
}

int main(int argc, char **argv)
{
    MPI_Comm own;
    MPI_Request request;
    int flag;

    begin(&argc, &argv, &rank, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    in_turn();
    in_any_order();
    as_at_the_call();
    freed();
    if (size > 1)
        between_groups();
    OK(MPI_Comm_idup(MPI_COMM_SELF, &own, &request));
    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(flag);
    use(own, 1);
    OK(MPI_Comm_free(&own));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
