/* Sessions before, beside and after MPI_Init; communicators of process sets; errors. */
#include "check.h"

static int noted;

static void note(MPI_Session *session, int *code, ...)
{
    int class = -1;
    MPI_Error_class(*code, &class);
    if (*session != MPI_SESSION_NULL && class == MPI_ERR_ARG)
        noted++;
}

/* A communicator of all, with which all count themselves. */
static int count_ranks(MPI_Session session, const char *set)
{
    int one = 1, ranks = 0, size = 0;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    OK(MPI_Group_from_session_pset(session, set, &group));
    OK(MPI_Comm_create_from_group(group, "counting", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_size(group, &size));
    OK(MPI_Group_free(&group));
    OK(MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, comm));
    CHECK(ranks == size);
    FAILS(MPI_Send(&one, 1, MPI_INT, size, 0, comm), MPI_ERR_RANK);
    OK(MPI_Comm_free(&comm));
    return ranks;
}

static void names(MPI_Session session)
{
    int sets = 0, length = 0, flag = 0;
    char name[MPI_MAX_PSET_NAME_LEN] = "", value[16] = "";
    MPI_Info info;
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets));
    CHECK(sets >= 2);
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL));
    CHECK(length == (int)strlen("mpi://WORLD") + 1);
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
    CHECK(strcmp(name, "mpi://WORLD") == 0);
    FAILS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, sets, &length, name), MPI_ERR_ARG);
    OK(MPI_Session_get_pset_info(session, "mpi://SELF", &info));
    length = sizeof value;
    OK(MPI_Info_get_string(info, "mpi_size", &length, value, &flag));
    CHECK(flag && strcmp(value, "1") == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &info));
    OK(MPI_Info_get_string(info, "thread_level", &length, value, &flag));
    CHECK(flag);
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    MPI_Session first = MPI_SESSION_NULL, second = MPI_SESSION_NULL, freed;
    MPI_Errhandler handler;
    MPI_Group group;
    int flag = -1, rank, size, ranks;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first));
    OK(MPI_Initialized(&flag));
    CHECK(!flag);
    ranks = count_ranks(first, "mpi://WORLD");
    CHECK(count_ranks(first, "mpi://SELF") == 1);
    names(first);
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second));
    CHECK(first != second);
    freed = first;
    OK(MPI_Session_finalize(&first));
    CHECK(first == MPI_SESSION_NULL);
    CHECK(count_ranks(second, "mpi://WORLD") == ranks);
    CHECK(count_ranks(second, "MPI://world") == ranks);

    OK(MPI_Session_create_errhandler(note, &handler));
    OK(MPI_Session_set_errhandler(second, handler));
    OK(MPI_Errhandler_free(&handler));
    FAILS(MPI_Group_from_session_pset(second, "mpi://NONE", &group), MPI_ERR_ARG);
    CHECK(noted == 1);
    OK(MPI_Session_call_errhandler(second, MPI_ERR_ARG));
    CHECK(noted == 2);
    OK(MPI_Session_get_errhandler(second, &handler));
    CHECK(handler != MPI_ERRORS_RETURN && handler != MPI_ERRHANDLER_NULL);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Session_set_errhandler(second, MPI_ERRORS_RETURN));

    begin(&argc, &argv, &rank, &size);
    CHECK(size == ranks);
    OK(MPI_Initialized(&flag));
    CHECK(flag);
    FAILS(MPI_Session_get_num_psets(freed, MPI_INFO_NULL, &flag), MPI_ERR_SESSION);
    FAILS(MPI_Init(&argc, &argv), MPI_ERR_OTHER);
    OK(MPI_Finalize());
    OK(MPI_Finalized(&flag));
    CHECK(flag);
    CHECK(count_ranks(second, "mpi://WORLD") == ranks);
    OK(MPI_Session_finalize(&second));
    return 0;
}
