/* Inter-communicators: even ranks on one side, odd ones on the other; messages, collectives, merging, splitting.
 * Any number of ranks; with one there is no other side. */
#include "check.h"

enum { MOST = 64 };

static int here, there, me, is_even;

/* The rank in the world of a rank of the other side. */
static int other(int rank)
{
    return 2 * rank + is_even;
}

static void messages(MPI_Comm inter, int world)
{
    MPI_Status status;
    int value = -1;
    if (me < there)
        OK(MPI_Sendrecv(&world, 1, MPI_INT, me, 5, &value, 1, MPI_INT, me, 5, inter, &status));
    if (me < there)
        CHECK(value == other(me) && status.MPI_SOURCE == me);
    FAILS(MPI_Send(&world, 1, MPI_INT, there, 5, inter), MPI_ERR_RANK);
}

static void collectives(MPI_Comm inter, int world)
{
    int values[2 * MOST], sum, expected = 0, root = is_even ? (me == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    for (int rank = 0; rank < there; rank++)
        expected += other(rank);
    sum = world;
    OK(MPI_Bcast(&sum, 1, MPI_INT, root, inter));
    CHECK(sum == (is_even ? world : 0));
    sum = -1;
    OK(MPI_Allreduce(&world, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK(sum == expected);
    sum = -1;
    OK(MPI_Reduce(&world, &sum, 1, MPI_INT, MPI_SUM, root, inter));
    CHECK(sum == (root == MPI_ROOT ? expected : -1));
    OK(MPI_Allgather(&world, 1, MPI_INT, values, 1, MPI_INT, inter));
    for (int rank = 0; rank < there; rank++)
        CHECK(values[rank] == other(rank));
    memset(values, 0, sizeof values);
    OK(MPI_Gather(&world, 1, MPI_INT, values, 1, MPI_INT, root, inter));
    if (root == MPI_ROOT)
        for (int rank = 0; rank < there; rank++)
            CHECK(values[rank] == other(rank));
    sum = -1;
    for (int rank = 0; rank < there; rank++)
        values[rank] = 10 * rank;
    OK(MPI_Scatter(values, 1, MPI_INT, &sum, 1, MPI_INT, root, inter));
    CHECK(sum == (is_even ? -1 : 10 * me));

    int sent[MOST], received[MOST], counts[MOST];
    for (int rank = 0; rank < there; rank++)
        sent[rank] = 100 * world + rank;
    OK(MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, inter));
    for (int rank = 0; rank < there; rank++)
        CHECK(received[rank] == 100 * other(rank) + me);

    /* As many elements on both sides, shared as each side likes. */
    int total = here * there;
    for (int at = 0; at < total; at++)
        values[at % MOST] = at + world;
    for (int rank = 0; rank < here; rank++)
        counts[rank] = there;
    if (total <= MOST) {
        OK(MPI_Reduce_scatter(values, received, counts, MPI_INT, MPI_SUM, inter));
        for (int at = 0; at < there; at++)
            CHECK(received[at] == there * (me * there + at) + expected);
    }
    OK(MPI_Barrier(inter));
    MPI_Request request;
    OK(MPI_Ibarrier(inter, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    FAILS(MPI_Scan(&world, &sum, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
    FAILS(MPI_Bcast(&sum, 1, MPI_INT, there, inter), MPI_ERR_ROOT);
}

/* The first two ranks, each a group of its own. */
static void groups_of_one(int rank)
{
    MPI_Group world, own, remote;
    MPI_Comm pair;
    int partner = 1 - rank, got = -1;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &rank, &own));
    OK(MPI_Group_incl(world, 1, &partner, &remote));
    OK(MPI_Intercomm_create_from_groups(own, 0, remote, 0, "pair", MPI_INFO_NULL, MPI_ERRORS_RETURN, &pair));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, pair, MPI_STATUS_IGNORE));
    CHECK(got == partner);
    FAILS(MPI_Send(&rank, 1, MPI_INT, 1, 1, pair), MPI_ERR_RANK);
    OK(MPI_Comm_free(&pair));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&own));
    OK(MPI_Group_free(&remote));
}

int main(int argc, char **argv)
{
    int rank, size, flag, found;
    begin(&argc, &argv, &rank, &size);
    is_even = rank % 2 == 0;
    MPI_Comm side, inter, dup, merged, part;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &side));
    OK(MPI_Comm_set_errhandler(side, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(side, &me));
    OK(MPI_Comm_size(side, &here));
    there = size - here;
    FAILS(MPI_Comm_remote_size(side, &found), MPI_ERR_COMM);
    if (size > 1) {
        OK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, is_even, 7, &inter));
        OK(MPI_Comm_test_inter(inter, &flag));
        OK(MPI_Comm_remote_size(inter, &found));
        CHECK(flag && found == there);
        OK(MPI_Comm_size(inter, &found));
        CHECK(found == here);
        OK(MPI_Comm_rank(inter, &found));
        CHECK(found == me);
        MPI_Group remote, world;
        OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
        OK(MPI_Comm_remote_group(inter, &remote));
        int last = there - 1;
        OK(MPI_Group_translate_ranks(remote, 1, &last, world, &found));
        CHECK(found == other(last));
        OK(MPI_Group_free(&remote));
        OK(MPI_Group_free(&world));

        messages(inter, rank);
        collectives(inter, rank);
        OK(MPI_Comm_dup(inter, &dup));
        OK(MPI_Comm_compare(inter, dup, &found));
        CHECK(found == MPI_CONGRUENT);
        OK(MPI_Comm_compare(inter, side, &found));
        CHECK(found == MPI_UNEQUAL);
        messages(dup, rank);
        collectives(dup, rank);

        int none = 0;
        FAILS(MPI_Dist_graph_create(inter, 0, &none, &none, &none, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &part), MPI_ERR_COMM);

        /* Odd ranks first. */
        OK(MPI_Intercomm_merge(inter, is_even, &merged));
        OK(MPI_Comm_rank(merged, &found));
        CHECK(found == (is_even ? there + me : me));
        if (!goes_on())
            FAILS(MPI_Intercomm_merge(merged, 0, &part), MPI_ERR_COMM);

        /* The first ranks of both sides alone, and all others, of which there may be some on one side only. */
        OK(MPI_Comm_split(inter, me == 0, 0, &part));
        int has_others = me == 0 || there > 1;
        CHECK((part != MPI_COMM_NULL) == has_others);
        if (part != MPI_COMM_NULL) {
            OK(MPI_Comm_remote_size(part, &found));
            CHECK(found == (me == 0 ? 1 : there - 1));
            OK(MPI_Comm_free(&part));
        }
        if (rank < 2)
            groups_of_one(rank);
        OK(MPI_Comm_free(&merged));
        OK(MPI_Comm_free(&dup));
        OK(MPI_Comm_free(&inter));
    }
    OK(MPI_Comm_free(&side));
    OK(MPI_Finalize());
    return 0;
}
