/* What MPICH's interface writes otherwise than the standard's: handles, statuses, callbacks, attributes, contents.
 * Built with MPICH's own header. */
#include "check.h"

static int of_kind(unsigned handle, unsigned kind)
{
    return handle >> 30 == 2 && (handle >> 26 & 15) == kind;
}

/* Handles of objects carry their kind, and one of another kind is refused. */
static void handles(void)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype datatype;
    MPI_Info info;
    int size;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Type_contiguous(3, MPI_INT, &datatype));
    OK(MPI_Info_create(&info));
    CHECK(of_kind((unsigned)comm, 1) && of_kind((unsigned)group, 2));
    CHECK(of_kind((unsigned)datatype, 3) && of_kind((unsigned)info, 7));
    FAILS(MPI_Comm_size((MPI_Comm)group, &size), MPI_ERR_COMM);
    FAILS(MPI_Comm_size((MPI_Comm)datatype, &size), MPI_ERR_COMM);
    FAILS(MPI_Type_size((MPI_Datatype)comm, &size), MPI_ERR_TYPE);
    /* The number that the library has for the world, as a handle that nobody gave out. */
    FAILS(MPI_Comm_size((MPI_Comm)0x84000101, &size), MPI_ERR_COMM);
    FAILS(MPI_Comm_size((MPI_Comm)0x101, &size), MPI_ERR_COMM);
    FAILS(MPI_Type_size((MPI_Datatype)0x8c000209, &size), MPI_ERR_TYPE);
    FAILS(MPI_Type_size((MPI_Datatype)0x4c000705, &size), MPI_ERR_TYPE);
    FAILS(MPI_Comm_size(MPI_COMM_NULL, &size), MPI_ERR_COMM);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm);
    OK(MPI_Type_size(MPI_DOUBLE_INT, &size));
    CHECK(size == 12);
    OK(MPI_Type_free(&datatype));
    CHECK(datatype == MPI_DATATYPE_NULL);
    FAILS(MPI_Type_free(&datatype), MPI_ERR_TYPE);
    OK(MPI_Group_free(&group));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_free(&comm));
    CHECK(group == MPI_GROUP_NULL && info == MPI_INFO_NULL && comm == MPI_COMM_NULL);
}

/* Whatever number stands for a handle, nobody follows it. */
static void anything(void)
{
    unsigned number = 1;
    int result, flag;
    MPI_Group group;
    for (int turn = 0; turn < 5000; turn++) {
        number = number * 1664525u + 1013904223u;
        /* Half of them have the bits of a handle that a program made. */
        unsigned handle = turn & 1 ? number : (number & 0xfff) | 0x80000000u | (number >> 28) << 26;
        MPI_Request request = (MPI_Request)handle;
        CHECK(MPI_Comm_size((MPI_Comm)handle, &result) != MPI_SUCCESS);
        CHECK(MPI_Op_commutative((MPI_Op)handle, &result) != MPI_SUCCESS);
        CHECK(MPI_Group_size((MPI_Group)handle, &result) != MPI_SUCCESS);
        CHECK(MPI_Info_get_nkeys((MPI_Info)handle, &result) != MPI_SUCCESS);
        CHECK(MPI_Win_get_group((MPI_Win)handle, &group) != MPI_SUCCESS);
        CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, (MPI_Errhandler)handle) != MPI_SUCCESS);
        CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS && request == (MPI_Request)handle);
        /* Some are MPICH's pairs of datatypes. */
        CHECK((handle & ~7u) == 0x8c000000u || MPI_Type_size((MPI_Datatype)handle, &result) != MPI_SUCCESS);
    }
}

/* A status has its words in MPICH's order, and what nobody wrote stays. */
static void statuses(int rank, int size)
{
    MPI_Request requests[4];
    MPI_Status status, statuses[4];
    int from = (rank + size - 1) % size, to = (rank + 1) % size, got[3] = {0}, count, indx, flag;
    memset(&status, 0x5a, sizeof status);
    OK(MPI_Irecv(got, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]));
    CHECK(of_kind((unsigned)requests[0], 11));
    OK(MPI_Send(&rank, 1, MPI_INT, to, 7, MPI_COMM_WORLD));
    OK(MPI_Wait(&requests[0], &status));
    CHECK(requests[0] == MPI_REQUEST_NULL && status.MPI_SOURCE == from && status.MPI_TAG == 7);
    CHECK(status.count_lo == 4 && status.count_hi_and_cancelled == 0 && got[0] == from);
    CHECK(status.MPI_ERROR == 0x5a5a5a5a);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 1);
    OK(MPI_Recv(got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    CHECK(MPI_PROC_NULL == -1 && MPI_ANY_TAG == -1);
    OK(MPI_Wait(&requests[0], &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_ERROR == MPI_SUCCESS);
    /* Several at once, with a null one and one that is to be cancelled. */
    OK(MPI_Irecv(got, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &requests[0]));
    requests[1] = MPI_REQUEST_NULL;
    OK(MPI_Irecv(got + 1, 1, MPI_INT, from, 99, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Isend(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[3]));
    OK(MPI_Cancel(&requests[2]));
    OK(MPI_Waitall(4, requests, statuses));
    for (int at = 0; at < 4; at++)
        CHECK(requests[at] == MPI_REQUEST_NULL);
    OK(MPI_Test_cancelled(&statuses[2], &flag));
    CHECK(flag && (statuses[2].count_hi_and_cancelled & 1) && statuses[0].MPI_SOURCE == from);
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Waitany(4, requests, &indx, MPI_STATUS_IGNORE));
    CHECK(indx == MPI_UNDEFINED);
    /* One of several that fails tells its class where the program looks. */
    OK(MPI_Irecv(got, 1, MPI_CHAR, from, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Send(&rank, 1, MPI_INT, to, 2, MPI_COMM_WORLD));
    requests[1] = MPI_REQUEST_NULL;
    FAILS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_ERR_TRUNCATE && MPI_ERR_TRUNCATE == 14);
    OK(MPI_Status_set_elements(&status, MPI_INT, 5));
    OK(MPI_Status_set_cancelled(&status, 1));
    CHECK(status.count_lo == 20 && status.count_hi_and_cancelled == 1);
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    /* The error is the program's until a call says otherwise, and has its number here. */
    int error;
    status.MPI_ERROR = MPI_ERR_TRUNCATE;
    OK(MPI_Status_set_tag(&status, 3));
    CHECK(status.MPI_TAG == 3 && status.MPI_ERROR == MPI_ERR_TRUNCATE);
    OK(MPI_Status_get_error(&status, &error));
    CHECK(error == MPI_ERR_TRUNCATE);
    OK(MPI_Status_set_error(&status, MPI_ERR_OTHER));
    CHECK(status.MPI_ERROR == MPI_ERR_OTHER && MPI_ERR_OTHER == 15 && status.MPI_TAG == 3);
}

static MPI_Datatype seen_type;
static void add(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    seen_type = *datatype;
    for (int at = 0; at < *count; at++)
        ((int *)inout)[at] += ((int *)in)[at];
}

static MPI_Comm seen_comm;
static int seen_code, seen_keyval;
static void handle(MPI_Comm *comm, int *code, ...)
{
    seen_comm = *comm;
    seen_code = *code;
}

static int copy(MPI_Comm comm, int keyval, void *state, void *value, void *copied, int *flag)
{
    seen_comm = comm;
    seen_keyval = keyval;
    *(char **)copied = (char *)value + *(int *)state;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    return MPI_ERR_NO_MEM;
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 6);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_PROC_NULL;
    status->MPI_TAG = 3;
    return MPI_SUCCESS;
}
static int freed;
static int release(void *state) { freed++; (void)state; return MPI_SUCCESS; }
static int cancel(void *state, int complete) { (void)state, (void)complete; return MPI_SUCCESS; }

/* The program's own functions get MPICH's handles and codes, and return them. */
static void callbacks(int rank, int size)
{
    MPI_Op op;
    MPI_Datatype triple;
    MPI_Errhandler handler, set;
    MPI_Comm comm, twin;
    MPI_Request request;
    MPI_Status status;
    int sum, keyval, step = 2, flag, count, three[3] = {rank, 1, 2}, sums[3];
    char place[4], *value;
    OK(MPI_Op_create(add, 1, &op));
    CHECK(of_kind((unsigned)op, 6));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD));
    CHECK(sum == size * (size - 1) / 2 && (size == 1 || seen_type == MPI_INT));
    OK(MPI_Type_contiguous(3, MPI_INT, &triple));
    OK(MPI_Type_commit(&triple));
    seen_type = MPI_DATATYPE_NULL;
    OK(MPI_Reduce_local(three, memset(sums, 0, sizeof sums), 1, triple, op));
    CHECK(seen_type == triple && sums[0] == rank);
    OK(MPI_Type_free(&triple));
    OK(MPI_Op_free(&op));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(handle, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Comm_get_errhandler(comm, &set));
    CHECK(set == handler && of_kind((unsigned)handler, 5));
    CHECK(MPI_Send(&rank, -1, MPI_INT, 0, 0, comm) == MPI_ERR_COUNT);
    CHECK(seen_comm == comm && seen_code == MPI_ERR_COUNT && MPI_ERR_COUNT == 2);
    CHECK(MPI_Send(&rank, 1, MPI_INT, size, 0, comm) == MPI_ERR_RANK);
    CHECK(seen_code == MPI_ERR_RANK && MPI_ERR_RANK == 6);
    OK(MPI_Comm_call_errhandler(comm, MPI_ERR_TOPOLOGY));
    CHECK(seen_code == MPI_ERR_TOPOLOGY);
    OK(MPI_Errhandler_free(&set));
    OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval, &step));
    OK(MPI_Comm_set_attr(comm, keyval, place));
    OK(MPI_Comm_dup(comm, &twin));
    CHECK(seen_comm == comm && seen_keyval == keyval);
    OK(MPI_Comm_get_attr(twin, keyval, &value, &flag));
    CHECK(flag && value == place + 2);
    OK(MPI_Comm_free_keyval(&keyval));
    CHECK(keyval == MPI_KEYVAL_INVALID);
    FAILS(MPI_Comm_free_keyval(&keyval), MPI_ERR_KEYVAL);
    OK(MPI_Comm_free(&twin));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, drop, &keyval, NULL));
    OK(MPI_Comm_set_attr(comm, keyval, place));
    FAILS(MPI_Comm_delete_attr(comm, keyval), MPI_ERR_NO_MEM);
    OK(MPI_Comm_dup(comm, &twin));
    OK(MPI_Comm_get_attr(twin, keyval, &value, &flag));
    CHECK(flag && value == place);
    OK(MPI_Grequest_start(query, release, cancel, NULL, &request));
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 6 && status.MPI_TAG == 3 && status.MPI_SOURCE == MPI_PROC_NULL && freed == 1);
}

/* What stands for something has MPICH's number. */
static void numbers(int rank, int size)
{
    int *value, flag, result, dims[1] = {0}, periods[1] = {0}, before, behind, status, class, code, level;
    int ranks[3] = {0, MPI_PROC_NULL, 0}, found[3], sum = rank;
    MPI_Comm grid;
    MPI_Group world, own;
    char name[MPI_MAX_PROCESSOR_NAME], version[MPI_MAX_LIBRARY_VERSION_STRING];
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
    CHECK(flag && *value == MPI_ANY_SOURCE);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK(flag && *value >= 32767);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK(flag && *value >= MPI_ERR_LASTCODE);
    FAILS(MPI_Comm_get_attr(MPI_COMM_WORLD, 501, &value, &flag), MPI_ERR_KEYVAL);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
    CHECK(result == MPI_IDENT && MPI_IDENT == 0);
    OK(MPI_Dims_create(size, 1, dims));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid));
    OK(MPI_Topo_test(grid, &status));
    CHECK(status == MPI_CART && MPI_CART == 2);
    OK(MPI_Topo_test(MPI_COMM_WORLD, &status));
    CHECK(status == MPI_UNDEFINED);
    OK(MPI_Cart_shift(grid, 0, 1, &before, &behind));
    CHECK(before == (rank > 0 ? rank - 1 : MPI_PROC_NULL));
    CHECK(behind == (rank < size - 1 ? rank + 1 : MPI_PROC_NULL));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, behind, 5, &result, 1, MPI_INT, before, 5, grid, MPI_STATUS_IGNORE));
    CHECK(rank == 0 || result == rank - 1);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_group(MPI_COMM_SELF, &own));
    OK(MPI_Group_translate_ranks(own, 2, ranks, world, found));
    CHECK(found[0] == rank && found[1] == MPI_PROC_NULL);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&own));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK(sum == size - 1);
    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    CHECK(class > MPI_ERR_LASTCODE && code > class);
    OK(MPI_Error_class(code, &result));
    CHECK(result == class);
    OK(MPI_Query_thread(&level));
    CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
    OK(MPI_Get_processor_name(name, &result));
    CHECK(result < MPI_MAX_PROCESSOR_NAME && name[result] == '\0');
    OK(MPI_Get_library_version(version, &result));
    CHECK(strstr(version, "runahead"));
    /* Numbers of the standard's interface mean nothing here. */
    FAILS(MPI_Send(&rank, 1, MPI_INT, -4, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(MPI_Send(&rank, 1, MPI_INT, 0, -2, MPI_COMM_WORLD), MPI_ERR_TAG);
}

/* A datatype tells how it was made. */
static void contents(void)
{
    int sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 1}, integers[16], combiner, count[3];
    int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {1, 1};
    int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
    MPI_Aint addresses[1];
    MPI_Datatype part, types[1], spread;
    OK(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &part));
    OK(MPI_Type_get_envelope(part, &count[0], &count[1], &count[2], &combiner));
    CHECK(combiner == MPI_COMBINER_SUBARRAY && count[0] == 8 && count[2] == 1);
    OK(MPI_Type_get_contents(part, 8, 0, 1, integers, addresses, types));
    CHECK(integers[0] == 2 && integers[1] == 4 && integers[7] == MPI_ORDER_FORTRAN && types[0] == MPI_DOUBLE);
    OK(MPI_Type_free(&part));
    OK(MPI_Type_create_darray(1, 0, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &spread));
    OK(MPI_Type_get_envelope(spread, &count[0], &count[1], &count[2], &combiner));
    CHECK(combiner == MPI_COMBINER_DARRAY && count[0] == 12);
    OK(MPI_Type_get_contents(spread, 12, 0, 1, integers, addresses, types));
    CHECK(integers[2] == 2 && integers[4] == 6 && integers[5] == MPI_DISTRIBUTE_BLOCK);
    CHECK(integers[6] == MPI_DISTRIBUTE_CYCLIC && integers[7] == MPI_DISTRIBUTE_DFLT_DARG && integers[8] == 2);
    CHECK(integers[11] == MPI_ORDER_C && types[0] == MPI_INT);
    OK(MPI_Type_free(&spread));
    /* The standard has no other number for the default than 19. */
    dargs[0] = 19;
    FAILS(MPI_Type_create_darray(1, 0, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &spread), MPI_ERR_ARG);
}

/* A window tells what it is. */
static void windows(void)
{
    MPI_Win win;
    int *base, *value, flag;
    OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK(of_kind((unsigned)win, 8));
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag && *value == MPI_WIN_FLAVOR_ALLOCATE && MPI_WIN_FLAVOR_ALLOCATE == 2);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag));
    CHECK(flag && *value == MPI_WIN_UNIFIED);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win));
    OK(MPI_Win_unlock(0, win));
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
}

/* More requests than lie in room of any fixed size. */
static void many(int rank)
{
    enum { MANY = 3000 };
    static MPI_Request requests[2 * MANY];
    static MPI_Status statuses[2 * MANY];
    static int in[MANY], out[MANY];
    for (int at = 0; at < MANY; at++) {
        out[at] = at + rank;
        OK(MPI_Irecv(&in[at], 1, MPI_INT, rank, at, MPI_COMM_WORLD, &requests[at]));
    }
    for (int at = 0; at < MANY; at++)
        OK(MPI_Isend(&out[at], 1, MPI_INT, rank, at, MPI_COMM_WORLD, &requests[MANY + at]));
    OK(MPI_Waitall(2 * MANY, requests, statuses));
    for (int at = 0; at < MANY; at++)
        CHECK(in[at] == at + rank && statuses[at].MPI_TAG == at && requests[MANY + at] == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
    int rank, size;
    begin(&argc, &argv, &rank, &size);
    handles();
    anything();
    statuses(rank, size);
    callbacks(rank, size);
    numbers(rank, size);
    contents();
    windows();
    many(rank);
    OK(MPI_Finalize());
    return 0;
}
