/* Communicators, groups and topologies: each step that makes a communicator tells who is in it, and where.
 * Rules: members are told by their ranks in MPI_COMM_WORLD. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tells the members of a group. */
static void say_group(const char *what, MPI_Group group)
{
    MPI_Group world;
    int size, rank, ranks[LONGEST], in_world[LONGEST], used = 0;
    char text[400];
    MUST(MPI_Group_size(group, &size));
    MUST(MPI_Group_rank(group, &rank));
    MUST(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    MUST(MPI_Group_translate_ranks(group, size, ranks, world, in_world));
    text[0] = 0;
    for (int i = 0; i < size; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", in_world[i]);
    say("%s rank %d members%s", what, rank == MPI_UNDEFINED ? -1 : rank, text);
    MUST(MPI_Group_free(&world));
}

static const char *compared(int result)
{
    return result == MPI_IDENT ? "ident" : result == MPI_CONGRUENT ? "congruent" : result == MPI_SIMILAR ? "similar" : "unequal";
}

static void say_list(const char *what, int n, const int *values)
{
    char text[600];
    int used = 0;
    text[0] = 0;
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", values[i] == MPI_PROC_NULL ? -1 : values[i]);
    say("%s%s", what, text);
}

static void say_topology(MPI_Comm comm)
{
    int kind, rank;
    MUST(MPI_Topo_test(comm, &kind));
    MUST(MPI_Comm_rank(comm, &rank));
    if (kind == MPI_CART) {
        int n, dims[8], periods[8], coords[8], back;
        MUST(MPI_Cartdim_get(comm, &n));
        MUST(MPI_Cart_get(comm, n, dims, periods, coords));
        say_list("cart dims", n, dims);
        say_list("cart periods", n, periods);
        say_list("cart coords", n, coords);
        MUST(MPI_Cart_rank(comm, coords, &back));
        say_list("cart rank", 1, &back);
        for (int i = 0; i < n; i++) {
            int shifts[4];
            MUST(MPI_Cart_shift(comm, i, 1, &shifts[0], &shifts[1]));
            MUST(MPI_Cart_shift(comm, i, -2, &shifts[2], &shifts[3]));
            say_list("cart shift", 4, shifts);
        }
    } else if (kind == MPI_GRAPH) {
        int nodes, edges, n, index[LONGEST], edge[400], neighbours[LONGEST];
        MUST(MPI_Graphdims_get(comm, &nodes, &edges));
        MUST(MPI_Graph_get(comm, nodes, edges, index, edge));
        say_list("graph index", nodes, index);
        say_list("graph edges", edges, edge);
        MUST(MPI_Graph_neighbors_count(comm, rank, &n));
        MUST(MPI_Graph_neighbors(comm, rank, n, neighbours));
        say_list("graph neighbours", n, neighbours);
    } else if (kind == MPI_DIST_GRAPH) {
        int in, out, weighted, sources[LONGEST], destinations[LONGEST], in_weights[LONGEST], out_weights[LONGEST];
        MUST(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
        MUST(MPI_Dist_graph_neighbors(comm, in, sources, in_weights, out, destinations, out_weights));
        say_list("graph weighted", 1, &weighted);
        say_list("graph sources", in, sources);
        say_list("graph destinations", out, destinations);
        if (weighted) {
            say_list("graph source weights", in, in_weights);
            say_list("graph destination weights", out, out_weights);
        }
    }
}

static MPI_Comm make(const char *how, MPI_Comm from)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    if (strcmp(how, "dup") == 0) {
        switch (integer()) {
        case 0: MUST(MPI_Comm_dup(from, &made)); break;
        case 1:
            MUST(MPI_Comm_idup(from, &made, &request));
            MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
            break;
        default: MUST(MPI_Comm_dup_with_info(from, MPI_INFO_NULL, &made));
        }
    } else if (strcmp(how, "split") == 0) {
        List colours = list(), keys = list();
        int colour = colours.small[world_rank];
        MUST(MPI_Comm_split(from, colour < 0 ? MPI_UNDEFINED : colour, keys.small[world_rank], &made));
    } else if (strcmp(how, "create") == 0 || strcmp(how, "create_group") == 0) {
        int tag = integer();
        List ranks = list();
        MPI_Group all, some;
        MUST(MPI_Comm_group(from, &all));
        MUST(MPI_Group_incl(all, ranks.n, ranks.small, &some));
        int mine;
        MUST(MPI_Group_rank(some, &mine));
        if (strcmp(how, "create") == 0)
            MUST(MPI_Comm_create(from, some, &made));
        else if (mine != MPI_UNDEFINED)
            MUST(MPI_Comm_create_group(from, some, tag, &made));
        MUST(MPI_Group_free(&all));
        MUST(MPI_Group_free(&some));
    } else if (strcmp(how, "cart") == 0) {
        List dims = list(), periods = list();
        MUST(MPI_Cart_create(from, dims.n, dims.small, periods.small, 0, &made));
    } else if (strcmp(how, "cart_sub") == 0) {
        List kept = list();
        MUST(MPI_Cart_sub(from, kept.small, &made));
    } else if (strcmp(how, "graph") == 0) {
        List index = list(), edges = list();
        MUST(MPI_Graph_create(from, index.n, index.small, edges.small, 0, &made));
    } else if (strcmp(how, "adjacent") == 0) {
        int weighted = integer();
        List sources, destinations, none = {0}, in = none, out = none;
        for (int n = integer(), i = 0; i < n; i++) {
            int rank = integer();
            sources = list();
            destinations = list();
            if (rank == world_rank)
                in = sources, out = destinations;
        }
        int in_weights[LONGEST], out_weights[LONGEST];
        for (int i = 0; i < LONGEST; i++)
            in_weights[i] = 10 + i, out_weights[i] = 50 + i;
        MUST(MPI_Dist_graph_create_adjacent(from, in.n, in.small, weighted ? in_weights : MPI_UNWEIGHTED, out.n, out.small,
                                            weighted ? out_weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    } else if (strcmp(how, "inter") == 0) {
        /* The first so many ranks, and the others; the leaders are the first of each. */
        int first = integer(), tag = integer(), rank;
        MPI_Comm half;
        MUST(MPI_Comm_rank(from, &rank));
        MUST(MPI_Comm_split(from, rank < first, rank, &half));
        MUST(MPI_Intercomm_create(half, 0, from, rank < first ? first : 0, tag, &made));
        MUST(MPI_Comm_free(&half));
    } else if (strcmp(how, "merge") == 0) {
        List high = list();
        MUST(MPI_Intercomm_merge(from, high.small[world_rank], &made));
    } else {
        fprintf(stderr, "no such communicator: %s\n", how);
        exit(2);
    }
    return made;
}

/* communicator FROM HOW ARGUMENTS: a new communicator. A rank that is not in FROM takes no part, and gets none. */
void step_communicator(void)
{
    MPI_Comm from = comms[integer()];
    int whole = integer();
    const char *how = word();
    if (from == MPI_COMM_NULL) {
        for (int i = 0; i < whole; i++)
            word();
        comms[comm_count++] = MPI_COMM_NULL;
        return;
    }
    MPI_Comm made = make(how, from);
    comms[comm_count++] = made;
    if (made == MPI_COMM_NULL) {
        say("no communicator");
        return;
    }
    MUST(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN));
    MPI_Group group;
    int inter, result;
    MUST(MPI_Comm_group(made, &group));
    say_group("communicator", group);
    MUST(MPI_Group_free(&group));
    MUST(MPI_Comm_test_inter(made, &inter));
    if (inter) {
        MUST(MPI_Comm_remote_group(made, &group));
        say_group("remote", group);
        MUST(MPI_Group_free(&group));
        return;
    }
    MUST(MPI_Comm_compare(MPI_COMM_WORLD, made, &result));
    say("compared %s", compared(result));
    say_topology(made);
}

/* group RANKS RANKS RANGES: the algebra of two groups of ranks of MPI_COMM_WORLD. */
void step_group(void)
{
    List left = list(), right = list(), range = list();
    MPI_Group world, a, b, made;
    int result;
    MUST(MPI_Comm_group(MPI_COMM_WORLD, &world));
    MUST(MPI_Group_incl(world, left.n, left.small, &a));
    MUST(MPI_Group_excl(world, right.n, right.small, &b));
    say_group("incl", a);
    say_group("excl", b);
    MUST(MPI_Group_union(a, b, &made));
    say_group("union", made);
    MUST(MPI_Group_free(&made));
    MUST(MPI_Group_intersection(a, b, &made));
    say_group("intersection", made);
    MUST(MPI_Group_free(&made));
    MUST(MPI_Group_difference(a, b, &made));
    say_group("difference", made);
    MUST(MPI_Group_compare(a, b, &result));
    say("compared %s", compared(result));
    MUST(MPI_Group_free(&made));
    int triplet[1][3] = {{range.small[0], range.small[1], range.small[2]}};
    MUST(MPI_Group_range_incl(world, 1, triplet, &made));
    say_group("range incl", made);
    MUST(MPI_Group_free(&made));
    MUST(MPI_Group_range_excl(world, 1, triplet, &made));
    say_group("range excl", made);
    MUST(MPI_Group_free(&made));
    MUST(MPI_Group_free(&a));
    MUST(MPI_Group_free(&b));
    MUST(MPI_Group_free(&world));
}
