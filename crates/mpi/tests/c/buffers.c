/* Memory of the library, buffers of communicators and sessions, and what is asked of the machine. */
#include "check.h"

static int rank, size;

static void memory(void)
{
    int *block = NULL, i;
    OK(MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &block));
    CHECK(block != NULL && (size_t)block % sizeof(long long) == 0);
    for (i = 0; i < 1000; i++)
        block[i] = rank + i;
    OK(MPI_Sendrecv_replace(block, 1000, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    CHECK(block[999] == (rank + size - 1) % size + 999);
    OK(MPI_Free_mem(block));
    FAILS(MPI_Alloc_mem(-1, MPI_INFO_NULL, &block), MPI_ERR_ARG);
}

/* A communicator's buffer is for its sends alone: others have none, or that of the session. */
static void buffer_of_communicator(void)
{
    static char room[4 * (100 + MPI_BSEND_OVERHEAD)];
    int value = rank, got = -1, bytes = -1, others = (rank + 1) % size, before = (rank + size - 1) % size;
    void *found = NULL;
    MPI_Comm twin;
    MPI_Request request;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
    OK(MPI_Comm_attach_buffer(twin, room, sizeof room));
    FAILS(MPI_Comm_attach_buffer(twin, room, sizeof room), MPI_ERR_BUFFER);
    OK(MPI_Bsend(&value, 1, MPI_INT, others, 1, twin));
    value = -2;
    OK(MPI_Recv(&got, 1, MPI_INT, before, 1, twin, MPI_STATUS_IGNORE));
    CHECK(got == before);
    OK(MPI_Comm_flush_buffer(twin));
    OK(MPI_Comm_iflush_buffer(twin, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_detach_buffer(twin, &found, &bytes));
    CHECK(found == room && bytes == sizeof room);
    FAILS(MPI_Comm_detach_buffer(twin, NULL, NULL), MPI_ERR_ARG);
    OK(MPI_Comm_free(&twin));
}

static void buffer_of_session(void)
{
    static char room[4 * (100 + MPI_BSEND_OVERHEAD)];
    int value = 7, got = -1, bytes = -1, ranks = 0, place = -1;
    void *found = NULL;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Request request;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Session_attach_buffer(session, room, sizeof room));
    FAILS(MPI_Session_attach_buffer(session, room, sizeof room), MPI_ERR_BUFFER);
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_size(comm, &ranks));
    OK(MPI_Comm_rank(comm, &place));
    OK(MPI_Bsend(&value, 1, MPI_INT, (place + 1) % ranks, 1, comm));
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE));
    CHECK(got == 7);
    OK(MPI_Session_flush_buffer(session));
    OK(MPI_Session_iflush_buffer(session, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Session_detach_buffer(session, &found, &bytes));
    CHECK(found == room && bytes == sizeof room);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
}

static void machine(void)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = -1, keys = -1;
    double tick = MPI_Wtick(), first = MPI_Wtime(), now = first;
    MPI_Info info;
    OK(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME && (int)strlen(name) == length);
    CHECK(tick > 0 && tick <= 1e-3);
    while (now == first)
        now = MPI_Wtime();
    /* As fine as it says, or as a call takes. */
    CHECK(now > first && now - first < 1);
    OK(MPI_Get_hw_resource_info(&info));
    OK(MPI_Info_get_nkeys(info, &keys));
    CHECK(keys > 0);
    OK(MPI_Info_free(&info));
}

static void parents(void)
{
    MPI_Comm parent;
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    memory();
    buffer_of_communicator();
    buffer_of_session();
    machine();
    parents();
    OK(MPI_Finalize());
    return 0;
}
