/* A program that never calls MPI_Init: its sessions come and go, and it ends well. */
#include "check.h"

/* A session is given the thread support that it asks for, where a user allows it. */
static void asks_for_threads(void)
{
    MPI_Session session;
    MPI_Info info;
    char value[32] = "";
    int length = sizeof value, flag = 0;
    const char *allowed = getenv("RUNAHEAD_MPI_THREADS");
    int is_multiple = allowed != NULL && strcmp(allowed, "multiple") == 0;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE"));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &info));
    OK(MPI_Info_get_string(info, "thread_level", &length, value, &flag));
    CHECK(flag && strcmp(value, is_multiple ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED") == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_Session_finalize(&session));
}

int main(void)
{
    int turn, flag = -1, rank, size, token = 0;
    asks_for_threads();
    for (turn = 0; turn < 3; turn++) {
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
        OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
        OK(MPI_Comm_create_from_group(group, "turn", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        OK(MPI_Group_free(&group));
        OK(MPI_Comm_rank(comm, &rank));
        OK(MPI_Comm_size(comm, &size));
        token = rank == 0 ? turn : -1;
        OK(MPI_Bcast(&token, 1, MPI_INT, 0, comm));
        CHECK(token == turn);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Session_finalize(&session));
    }
    OK(MPI_Initialized(&flag));
    CHECK(!flag);
    return 0;
}
