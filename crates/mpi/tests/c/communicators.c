/* Communicators made out of others, their names and error handlers.
 * Source: MPI 5.0, chapter on groups, contexts and communicators. */
#include "check.h"

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm != MPI_COMM_NULL && *code == MPI_ERR_TAG);
    handled++;
}

static void split(int rank, int size)
{
    MPI_Comm half, none, dup, node;
    int other, result, members;

    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    OK(MPI_Comm_size(half, &members));
    CHECK(members == (size + 1 - rank % 2) / 2);
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, size - rank, &none));
    CHECK((none == MPI_COMM_NULL) == (rank == 0));
    if (rank != 0) {
        OK(MPI_Comm_rank(none, &other));
        CHECK(other == size - 1 - rank);
        OK(MPI_Comm_free(&none));
    }
    OK(MPI_Comm_dup(half, &dup));
    OK(MPI_Comm_compare(half, dup, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(half, half, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Comm_compare(half, MPI_COMM_WORLD, &result));
    CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&half));
    CHECK(half == MPI_COMM_NULL);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_size(node, &members));
    CHECK(members == size);
    OK(MPI_Comm_free(&node));
}

static void of_groups(int rank, int size)
{
    MPI_Group all, even;
    MPI_Comm made;
    int ranks[64], count = 0, sum = 0;

    for (int at = 0; at < size; at += 2)
        ranks[count++] = at;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, count, ranks, &even));
    OK(MPI_Comm_create(MPI_COMM_WORLD, even, &made));
    CHECK((made == MPI_COMM_NULL) == (rank % 2 == 1));
    if (made != MPI_COMM_NULL) {
        OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made));
        CHECK(sum == count * (count - 1));
        OK(MPI_Comm_free(&made));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &made));
        OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made));
        CHECK(sum == count * (count - 1));
        OK(MPI_Comm_free(&made));
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&even));
}

/* Messages of one communicator are not met by receives of another. */
static void apart(int rank)
{
    MPI_Comm other;
    int one = 1, two = 2, got, flag;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    OK(MPI_Send(&one, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Send(&two, 1, MPI_INT, rank, 0, other));
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE));
    CHECK(got == 2);
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got == 1);
    OK(MPI_Comm_free(&other));
}

static void named_and_handled(void)
{
    MPI_Comm dup, freed;
    MPI_Errhandler made, got;
    char name[MPI_MAX_OBJECT_NAME];
    int length, zero = 0;

    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_set_name(dup, "of mine"));
    OK(MPI_Comm_get_name(dup, name, &length));
    CHECK(strcmp(name, "of mine") == 0);

    OK(MPI_Comm_create_errhandler(handler, &made));
    OK(MPI_Comm_set_errhandler(dup, made));
    OK(MPI_Errhandler_free(&made));
    FAILS(MPI_Send(&zero, 1, MPI_INT, 0, -7, dup), MPI_ERR_TAG);
    CHECK(handled == 1);
    OK(MPI_Comm_call_errhandler(dup, MPI_ERR_TAG));
    CHECK(handled == 2);
    OK(MPI_Comm_get_errhandler(dup, &got));
    CHECK(got != MPI_ERRORS_RETURN && got != MPI_ERRORS_ARE_FATAL);
    OK(MPI_Errhandler_free(&got));

    freed = dup;
    OK(MPI_Comm_free(&dup));
    FAILS(MPI_Send(&zero, 1, MPI_INT, 0, 0, freed), MPI_ERR_COMM);
    FAILS(MPI_Send(&zero, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
}

static int refuse(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)state;
    return MPI_ERR_TAG;
}

/* A communicator that cannot be freed has its own handler told; assertions among hints are kept, and others ignored. */
static void freed_and_hinted(void)
{
    MPI_Comm dup, hinted;
    MPI_Errhandler made;
    MPI_Info info, used;
    MPI_Request request;
    int keyval, before, flag;
    char value[8];

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, NULL));
    OK(MPI_Comm_set_attr(dup, keyval, NULL));
    OK(MPI_Comm_create_errhandler(handler, &made));
    OK(MPI_Comm_set_errhandler(dup, made));
    OK(MPI_Errhandler_free(&made));
    before = handled;
    CHECK(MPI_Comm_free(&dup) != MPI_SUCCESS);
    CHECK(handled == before + 1);
    CHECK(MPI_Comm_disconnect(&dup) != MPI_SUCCESS);
    CHECK(handled == before + 2);

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "hint", "given"));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    for (int way = 0; way < 2; way++) {
        if (way == 0) {
            OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &hinted));
        } else {
            OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &hinted, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        OK(MPI_Comm_get_info(hinted, &used));
        OK(MPI_Info_get(used, "hint", 7, value, &flag));
        CHECK(!flag);
        OK(MPI_Info_get(used, "mpi_assert_no_any_tag", 7, value, &flag));
        CHECK(flag && strcmp(value, "true") == 0);
        /* What is set changes no other hint. */
        OK(MPI_Info_delete(used, "mpi_assert_no_any_tag"));
        OK(MPI_Info_set(used, "mpi_assert_exact_length", "true"));
        OK(MPI_Comm_set_info(hinted, used));
        OK(MPI_Info_free(&used));
        OK(MPI_Comm_get_info(hinted, &used));
        OK(MPI_Info_get(used, "mpi_assert_no_any_tag", 7, value, &flag));
        CHECK(flag);
        OK(MPI_Info_get(used, "mpi_assert_exact_length", 7, value, &flag));
        CHECK(flag);
        OK(MPI_Info_free(&used));
        OK(MPI_Comm_free(&hinted));
    }
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    int rank, size;

    begin(&argc, &argv, &rank, &size);
    split(rank, size);
    of_groups(rank, size);
    apart(rank);
    named_and_handled();
    freed_and_hinted();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
