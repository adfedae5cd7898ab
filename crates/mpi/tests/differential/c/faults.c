/* Faults, planted between the player and the library: FAULT names the one that is on.
 * Each is a mistake that a library could make without any call failing; the comparison must find it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int on(const char *name)
{
    const char *fault = getenv("FAULT");
    return fault != NULL && strcmp(fault, name) == 0;
}

/* A receive takes the next message, whatever its tag. */
int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Irecv(buf, count, type, source, on("tag") ? MPI_ANY_TAG : tag, comm, request);
}

/* A gather of a vector's blocks goes on by one element too many. */
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *made)
{
    return PMPI_Type_vector(count, length, on("stride") ? stride + 1 : stride, old, made);
}

/* Of what is unpacked from behind other data, a bit is wrong. */
int MPI_Unpack(const void *in, int size, int *position, void *out, int count, MPI_Datatype type, MPI_Comm comm)
{
    int result = PMPI_Unpack(in, size, position, out, count, type, comm);
    if (on("unpack") && count > 0 && *position > 0)
        ((char *)out)[0] ^= 1;
    return result;
}

/* external32 with the bytes as they lie in memory. */
int MPI_Pack_external(const char rep[], const void *in, int count, MPI_Datatype type, void *out, MPI_Aint size,
                      MPI_Aint *position)
{
    if (!on("external"))
        return PMPI_Pack_external(rep, in, count, type, out, size, position);
    int at = (int)*position;
    int result = PMPI_Pack(in, count, type, out, (int)size, &at, MPI_COMM_SELF);
    *position = at;
    return result;
}

/* A status counts one element less. */
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    int result = PMPI_Get_count(status, type, count);
    if (on("count") && *count > 1)
        --*count;
    return result;
}

/* A status names the sender wrongly when it comes out of Waitall. */
int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    int result = PMPI_Waitall(n, requests, statuses);
    if (on("source") && n > 1)
        statuses[0].MPI_SOURCE = statuses[n - 1].MPI_SOURCE;
    return result;
}

static MPI_User_function *users[16];
static int user_count;

static void reversed(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Count lb, extent;
    PMPI_Type_get_extent_c(*type, &lb, &extent);
    size_t size = (size_t)(*n * extent);
    char *copy = malloc(size + 1), *result = malloc(size + 1);
    memcpy(copy, inout, size);
    memcpy(result, in, size);
    users[0](copy, result, n, type);
    memcpy(inout, result, size);
    free(copy);
    free(result);
}

/* An operator that does not commute gets its operands in the wrong order. */
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
    if (on("order") && !commutes) {
        users[user_count++] = function;
        function = reversed;
    }
    return PMPI_Op_create(function, commutes, op);
}

/* An exclusive scan that includes its own rank. */
int MPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return on("exscan") ? PMPI_Scan(in, out, count, type, op, comm) : PMPI_Exscan(in, out, count, type, op, comm);
}

/* The places of blocks do not count. */
int MPI_Gatherv(const void *in, int sent, MPI_Datatype from, void *out, const int counts[], const int places[],
                MPI_Datatype into, int root, MPI_Comm comm)
{
    int none[64] = {0};
    return PMPI_Gatherv(in, sent, from, out, counts, on("places") ? none : places, into, root, comm);
}

/* What was in place is sent by nobody. */
int MPI_Allgather(const void *in, int sent, MPI_Datatype from, void *out, int count, MPI_Datatype into, MPI_Comm comm)
{
    if (on("place") && in == MPI_IN_PLACE)
        return MPI_SUCCESS;
    return PMPI_Allgather(in, sent, from, out, count, into, comm);
}

/* The keys of a split do not count. */
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    return PMPI_Comm_split(comm, colour, on("key") ? 0 : key, made);
}

/* Source and destination of a shift change places. */
int MPI_Cart_shift(MPI_Comm comm, int dimension, int steps, int *source, int *destination)
{
    return PMPI_Cart_shift(comm, dimension, on("shift") ? -steps : steps, source, destination);
}

/* A put lands one unit further. */
int MPI_Put(const void *from, int count, MPI_Datatype type, int target, MPI_Aint place, int there, MPI_Datatype into,
            MPI_Win win)
{
    return PMPI_Put(from, count, type, target, on("put") ? place + 1 : place, there, into, win);
}

/* An accumulate replaces. */
int MPI_Accumulate(const void *from, int count, MPI_Datatype type, int target, MPI_Aint place, int there,
                   MPI_Datatype into, MPI_Op op, MPI_Win win)
{
    return PMPI_Accumulate(from, count, type, target, place, there, into, on("accumulate") ? MPI_REPLACE : op, win);
}

/* The lower bound of a resized datatype does not count. */
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *made)
{
    return PMPI_Type_create_resized(old, on("lb") ? 0 : lb, extent, made);
}

/* A receive writes one byte behind what it has received. */
int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Count lb, extent;
    int result = PMPI_Recv(buf, count, type, source, tag, comm, status);
    PMPI_Type_get_true_extent_c(type, &lb, &extent);
    if (on("behind") && count == 1)
        ((char *)buf)[lb + extent] ^= 1;
    return result;
}

/* The large form of a call sends one element less. */
int MPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request *request)
{
    return PMPI_Isend_c(buf, on("large") && count > 1 ? count - 1 : count, type, to, tag, comm, request);
}
