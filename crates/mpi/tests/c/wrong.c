/* Wrong arguments: each call gives the class of its error, and its message begins with the function and the argument.
 * Source: MPI 5.0, section on error handling, and those of the calls. */
#include "told.h"

static int a[8], b[8], flag, number;
static MPI_Request request;
static MPI_Message message;
static MPI_Status status;

#define W MPI_COMM_WORLD
#define NONE MPI_STATUS_IGNORE

static void ranks_and_tags(int rank, int size)
{
    MPI_Group all, some;
    int wrong[1] = {size};

    TELLS(MPI_Send(a, 1, MPI_INT, size, 0, W), MPI_ERR_RANK, "MPI_Send: dest");
    TELLS(MPI_Send(a, 1, MPI_INT, -9, 0, W), MPI_ERR_RANK, "MPI_Send: dest");
    TELLS(MPI_Isend(a, 1, MPI_INT, size, 0, W, &request), MPI_ERR_RANK, "MPI_Isend: dest");
    TELLS(MPI_Ssend(a, 1, MPI_INT, size, 0, W), MPI_ERR_RANK, "MPI_Ssend: dest");
    TELLS(MPI_Send_init(a, 1, MPI_INT, size, 0, W, &request), MPI_ERR_RANK, "MPI_Send_init: dest");
    TELLS(MPI_Recv(a, 1, MPI_INT, size, 0, W, NONE), MPI_ERR_RANK, "MPI_Recv: source");
    TELLS(MPI_Irecv(a, 1, MPI_INT, size, 0, W, &request), MPI_ERR_RANK, "MPI_Irecv: source");
    TELLS(MPI_Probe(size, 0, W, NONE), MPI_ERR_RANK, "MPI_Probe: source");
    TELLS(MPI_Iprobe(size, 0, W, &flag, NONE), MPI_ERR_RANK, "MPI_Iprobe: source");
    TELLS(MPI_Mprobe(size, 0, W, &message, NONE), MPI_ERR_RANK, "MPI_Mprobe: source");
    TELLS(MPI_Sendrecv(a, 1, MPI_INT, size, 0, b, 1, MPI_INT, rank, 0, W, NONE), MPI_ERR_RANK, "MPI_Sendrecv: dest");
    TELLS(MPI_Sendrecv(a, 1, MPI_INT, rank, 0, b, 1, MPI_INT, size, 0, W, NONE), MPI_ERR_RANK, "MPI_Sendrecv: source");
    TELLS(MPI_Bcast(a, 1, MPI_INT, size, W), MPI_ERR_ROOT, "MPI_Bcast: root");
    TELLS(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, -1, W), MPI_ERR_ROOT, "MPI_Reduce: root");
    TELLS(MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, size, W), MPI_ERR_ROOT, "MPI_Gather: root");
    TELLS(MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, size, W), MPI_ERR_ROOT, "MPI_Scatter: root");
    OK(MPI_Comm_group(W, &all));
    TELLS(MPI_Group_incl(all, 1, wrong, &some), MPI_ERR_RANK, "MPI_Group_incl: rank");
    OK(MPI_Group_free(&all));
    TELLS(MPI_Send(a, 1, MPI_INT, rank, -1, W), MPI_ERR_TAG, "MPI_Send: tag");
    TELLS(MPI_Isend(a, 1, MPI_INT, rank, MPI_ANY_TAG, W, &request), MPI_ERR_TAG, "MPI_Isend: tag");
    TELLS(MPI_Recv(a, 1, MPI_INT, rank, -9, W, NONE), MPI_ERR_TAG, "MPI_Recv: tag");
    TELLS(MPI_Probe(rank, -9, W, NONE), MPI_ERR_TAG, "MPI_Probe: tag");
    TELLS(MPI_Sendrecv(a, 1, MPI_INT, rank, -9, b, 1, MPI_INT, rank, 0, W, NONE), MPI_ERR_TAG, "MPI_Sendrecv: sendtag");
    TELLS(MPI_Sendrecv(a, 1, MPI_INT, rank, 0, b, 1, MPI_INT, rank, -9, W, NONE), MPI_ERR_TAG, "MPI_Sendrecv: recvtag");
}

static void counts(int rank)
{
    MPI_Datatype made;

    TELLS(MPI_Send(a, -1, MPI_INT, rank, 0, W), MPI_ERR_COUNT, "MPI_Send: count");
    TELLS(MPI_Recv(a, -1, MPI_INT, rank, 0, W, NONE), MPI_ERR_COUNT, "MPI_Recv: count");
    TELLS(MPI_Isend(a, -1, MPI_INT, rank, 0, W, &request), MPI_ERR_COUNT, "MPI_Isend: count");
    TELLS(MPI_Irecv(a, -1, MPI_INT, rank, 0, W, &request), MPI_ERR_COUNT, "MPI_Irecv: count");
    TELLS(MPI_Sendrecv(a, 1, MPI_INT, rank, 0, b, -1, MPI_INT, rank, 0, W, NONE), MPI_ERR_COUNT, "MPI_Sendrecv: recvcount");
    TELLS(MPI_Bcast(a, -1, MPI_INT, 0, W), MPI_ERR_COUNT, "MPI_Bcast: count");
    TELLS(MPI_Allreduce(a, b, -1, MPI_INT, MPI_SUM, W), MPI_ERR_COUNT, "MPI_Allreduce: count");
    TELLS(MPI_Allgather(a, -1, MPI_INT, b, 1, MPI_INT, W), MPI_ERR_COUNT, "MPI_Allgather: sendcount");
    TELLS(MPI_Alltoall(a, 1, MPI_INT, b, -1, MPI_INT, W), MPI_ERR_COUNT, "MPI_Alltoall: recvcount");
    TELLS(MPI_Type_contiguous(-1, MPI_INT, &made), MPI_ERR_COUNT, "MPI_Type_contiguous: count");
    TELLS(MPI_Pack_size(-1, MPI_INT, W, &number), MPI_ERR_COUNT, "MPI_Pack_size: incount");
    TELLS(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, "MPI_Waitall: count");
}

/* A datatype that nobody has committed, and then one that is gone. */
static void datatypes(int rank)
{
    MPI_Datatype made, gone;
    int position = 0;

    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &made));
    TELLS(MPI_Send(a, 1, made, rank, 0, W), MPI_ERR_TYPE, "MPI_Send: datatype");
    TELLS(MPI_Recv(a, 1, made, rank, 0, W, NONE), MPI_ERR_TYPE, "MPI_Recv: datatype");
    TELLS(MPI_Bcast(a, 1, made, 0, W), MPI_ERR_TYPE, "MPI_Bcast: datatype");
    TELLS(MPI_Sendrecv(a, 1, MPI_INT, rank, 0, b, 1, made, rank, 0, W, NONE), MPI_ERR_TYPE, "MPI_Sendrecv: recvtype");
    TELLS(MPI_Gather(a, 1, made, b, 1, MPI_INT, rank, W), MPI_ERR_TYPE, "MPI_Gather: sendtype");
    TELLS(MPI_Pack(a, 1, made, b, sizeof b, &position, W), MPI_ERR_TYPE, "MPI_Pack: datatype");
    gone = made;
    OK(MPI_Type_free(&made));
    TELLS(MPI_Send(a, 1, gone, rank, 0, W), MPI_ERR_TYPE, "MPI_Send: datatype");
    TELLS(MPI_Allgather(a, 1, MPI_INT, b, 1, gone, W), MPI_ERR_TYPE, "MPI_Allgather: recvtype");
    TELLS(MPI_Type_size(gone, &number), MPI_ERR_TYPE, "MPI_Type_size: datatype");
    TELLS(MPI_Type_contiguous(1, gone, &made), MPI_ERR_TYPE, "MPI_Type_contiguous: oldtype");
    TELLS(MPI_Type_free(&gone), MPI_ERR_TYPE, "MPI_Type_free: datatype");
}

static void nothing(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)count, (void)datatype;
}

static void no_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

/* Handles that were freed. */
static void freed(int rank)
{
    MPI_Comm comm, gone_comm;
    MPI_Group group, gone_group;
    MPI_Op op, gone_op;
    MPI_Info info, gone_info;
    MPI_Win win, gone_win;
    MPI_Request gone_request;
    MPI_Errhandler handler, gone_handler;
    void *base;

    OK(MPI_Comm_dup(W, &comm));
    gone_comm = comm;
    OK(MPI_Comm_free(&comm));
    TELLS(MPI_Send(a, 1, MPI_INT, rank, 0, gone_comm), MPI_ERR_COMM, "MPI_Send: comm");
    TELLS(MPI_Barrier(gone_comm), MPI_ERR_COMM, "MPI_Barrier: comm");
    TELLS(MPI_Comm_rank(gone_comm, &number), MPI_ERR_COMM, "MPI_Comm_rank: comm");
    TELLS(MPI_Comm_dup(gone_comm, &comm), MPI_ERR_COMM, "MPI_Comm_dup: comm");
    OK(MPI_Comm_group(W, &group));
    gone_group = group;
    OK(MPI_Group_free(&group));
    TELLS(MPI_Group_size(gone_group, &number), MPI_ERR_GROUP, "MPI_Group_size: group");
    TELLS(MPI_Group_union(MPI_GROUP_EMPTY, gone_group, &group), MPI_ERR_GROUP, "MPI_Group_union: group2");
    OK(MPI_Op_create(nothing, 1, &op));
    gone_op = op;
    OK(MPI_Op_free(&op));
    TELLS(MPI_Allreduce(a, b, 1, MPI_INT, gone_op, W), MPI_ERR_OP, "MPI_Allreduce: op");
    OK(MPI_Info_create(&info));
    gone_info = info;
    OK(MPI_Info_free(&info));
    TELLS(MPI_Info_get_nkeys(gone_info, &number), MPI_ERR_INFO, "MPI_Info_get_nkeys: info");
    TELLS(MPI_Comm_dup_with_info(W, gone_info, &comm), MPI_ERR_INFO, "MPI_Comm_dup_with_info: info");
    OK(MPI_Comm_create_errhandler(no_handler, &handler));
    gone_handler = handler;
    OK(MPI_Errhandler_free(&handler));
#ifdef MPICH_NUMVERSION
    /* MPICH 4 lacks the class. */
    (void)gone_handler;
#else
    TELLS(MPI_Comm_set_errhandler(W, gone_handler), MPI_ERR_ERRHANDLER, "MPI_Comm_set_errhandler: errhandler");
#endif
    OK(MPI_Recv_init(a, 1, MPI_INT, rank, 0, W, &request));
    gone_request = request;
    OK(MPI_Request_free(&request));
    TELLS(MPI_Wait(&gone_request, &status), MPI_ERR_REQUEST, "MPI_Wait: request");
    TELLS(MPI_Test(&gone_request, &flag, &status), MPI_ERR_REQUEST, "MPI_Test: request");
    TELLS(MPI_Start(&gone_request), MPI_ERR_REQUEST, "MPI_Start: request");
    OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, W, &base, &win));
    gone_win = win;
    OK(MPI_Win_free(&win));
    TELLS(MPI_Put(a, 1, MPI_INT, rank, 0, 1, MPI_INT, gone_win), MPI_ERR_WIN, "MPI_Put: win");
    TELLS(MPI_Win_fence(0, gone_win), MPI_ERR_WIN, "MPI_Win_fence: win");
}

int main(int argc, char **argv)
{
    int rank, size;

    begin(&argc, &argv, &rank, &size);
    ranks_and_tags(rank, size);
    counts(rank);
    datatypes(rank);
    freed(rank);
    if (told_messages > 0)
        printf("%d messages\n", told_messages);
    OK(MPI_Finalize());
    return 0;
}
