/* A program that never calls MPI_Init: its sessions come and go, and it ends well. */
#include "check.h"

int main(void)
{
    int turn, flag = -1, rank, size, token = 0;
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
