/* Collectives: blocking, nonblocking and persistent, in place, with counts of int and of MPI_Count.
 * Rules: what a collective does not write stays as it was, and so do all send buffers. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILLED, IN_PLACE, NOTHING };

/* One side of a rank's call. */
typedef struct {
    int given, count;
    MPI_Datatype type;
    Area area;
} Side;

typedef struct {
    MPI_Comm comm;
    int root, form;
    MPI_Op op;
    Side send, receive;
    List send_counts, send_places, send_types, receive_counts, receive_places, receive_types;
    MPI_Request request;
} Call;

static Side side(void)
{
    Side read = {.given = integer()};
    read.type = types[integer()];
    read.count = integer();
    read.area = area();
    return read;
}

static void *buffer(const Side *side)
{
    return side->given == IN_PLACE ? MPI_IN_PLACE : side->given == NOTHING ? NULL : start(&side->area);
}

#define LIST(...) __VA_ARGS__
/* One collective in its six forms: blocking, nonblocking, persistent, each with small and with large counts. */
#define FORMS(NAME, INAME, SMALL, LARGE)                                                    \
    switch (c->form) {                                                                      \
    case 0: return MPI_##NAME(LIST SMALL, c->comm);                                         \
    case 1: return MPI_##INAME(LIST SMALL, c->comm, &c->request);                           \
    case 2: return MPI_##NAME##_init(LIST SMALL, c->comm, MPI_INFO_NULL, &c->request);      \
    case 3: return MPI_##NAME##_c(LIST LARGE, c->comm);                                     \
    case 4: return MPI_##INAME##_c(LIST LARGE, c->comm, &c->request);                       \
    default: return MPI_##NAME##_init_c(LIST LARGE, c->comm, MPI_INFO_NULL, &c->request);   \
    }
#define FORM(NAME, INAME, ...) FORMS(NAME, INAME, (__VA_ARGS__), (__VA_ARGS__))

#define SENT s, c->send.count, c->send.type
#define RECEIVED r, c->receive.count, c->receive.type
#define SENT_V s, c->send_counts.small, c->send_places.small, c->send.type
#define SENT_V_C s, c->send_counts.large, c->send_places.address, c->send.type
#define RECEIVED_V r, c->receive_counts.small, c->receive_places.small, c->receive.type
#define RECEIVED_V_C r, c->receive_counts.large, c->receive_places.address, c->receive.type
#define REDUCED s, r, c->receive.count, c->receive.type, c->op

static int run(const char *name, Call *c)
{
    void *s = buffer(&c->send), *r = buffer(&c->receive);
    MPI_Datatype send_types[LONGEST], receive_types[LONGEST];
    for (int i = 0; i < c->send_types.n; i++)
        send_types[i] = types[c->send_types.small[i]];
    for (int i = 0; i < c->receive_types.n; i++)
        receive_types[i] = types[c->receive_types.small[i]];
#define IS(other) (strcmp(name, other) == 0)
    if (IS("barrier"))
        switch (c->form % 3) {
        case 0: return MPI_Barrier(c->comm);
        case 1: return MPI_Ibarrier(c->comm, &c->request);
        default: return MPI_Barrier_init(c->comm, MPI_INFO_NULL, &c->request);
        }
    if (IS("bcast"))
        FORM(Bcast, Ibcast, RECEIVED, c->root)
    if (IS("gather"))
        FORM(Gather, Igather, SENT, RECEIVED, c->root)
    if (IS("gatherv"))
        FORMS(Gatherv, Igatherv, (SENT, RECEIVED_V, c->root), (SENT, RECEIVED_V_C, c->root))
    if (IS("scatter"))
        FORM(Scatter, Iscatter, SENT, RECEIVED, c->root)
    if (IS("scatterv"))
        FORMS(Scatterv, Iscatterv, (SENT_V, RECEIVED, c->root), (SENT_V_C, RECEIVED, c->root))
    if (IS("allgather"))
        FORM(Allgather, Iallgather, SENT, RECEIVED)
    if (IS("allgatherv"))
        FORMS(Allgatherv, Iallgatherv, (SENT, RECEIVED_V), (SENT, RECEIVED_V_C))
    if (IS("alltoall"))
        FORM(Alltoall, Ialltoall, SENT, RECEIVED)
    if (IS("alltoallv"))
        FORMS(Alltoallv, Ialltoallv, (SENT_V, RECEIVED_V), (SENT_V_C, RECEIVED_V_C))
    if (IS("alltoallw"))
        FORMS(Alltoallw, Ialltoallw,
              (s, c->send_counts.small, c->send_places.small, send_types, r, c->receive_counts.small,
               c->receive_places.small, receive_types),
              (s, c->send_counts.large, c->send_places.address, send_types, r, c->receive_counts.large,
               c->receive_places.address, receive_types))
    if (IS("neighbor_allgather"))
        FORM(Neighbor_allgather, Ineighbor_allgather, SENT, RECEIVED)
    if (IS("neighbor_allgatherv"))
        FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, (SENT, RECEIVED_V), (SENT, RECEIVED_V_C))
    if (IS("neighbor_alltoall"))
        FORM(Neighbor_alltoall, Ineighbor_alltoall, SENT, RECEIVED)
    if (IS("neighbor_alltoallv"))
        FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, (SENT_V, RECEIVED_V), (SENT_V_C, RECEIVED_V_C))
    if (IS("neighbor_alltoallw"))
        FORMS(Neighbor_alltoallw, Ineighbor_alltoallw,
              (s, c->send_counts.small, c->send_places.address, send_types, r, c->receive_counts.small,
               c->receive_places.address, receive_types),
              (s, c->send_counts.large, c->send_places.address, send_types, r, c->receive_counts.large,
               c->receive_places.address, receive_types))
    if (IS("reduce"))
        FORM(Reduce, Ireduce, REDUCED, c->root)
    if (IS("allreduce"))
        FORM(Allreduce, Iallreduce, REDUCED)
    if (IS("scan"))
        FORM(Scan, Iscan, REDUCED)
    if (IS("exscan"))
        FORM(Exscan, Iexscan, REDUCED)
    if (IS("reduce_scatter_block"))
        FORM(Reduce_scatter_block, Ireduce_scatter_block, REDUCED)
    if (IS("reduce_scatter"))
        FORMS(Reduce_scatter, Ireduce_scatter, (s, r, c->receive_counts.small, c->receive.type, c->op),
              (s, r, c->receive_counts.large, c->receive.type, c->op))
    fprintf(stderr, "no such collective: %s\n", name);
    exit(2);
}

/* collective NAME FORM ROUNDS FINISH COMM OPERATOR ENTRIES: an entry is a rank, SHOWN, its root, both sides, and six lists of
 * counts, places and datatypes for those that have them. SHOWN is how many bytes it tells about, -1 for all. */
void step_collective(void)
{
    const char *name = word();
    Call call = {.form = integer()}, *c = &call;
    int rounds = integer(), way = integer(), shown = 0, mine = 0;
    call.comm = comms[integer()];
    call.op = operators[integer()];
    Call read = call;
    for (int n = integer(), i = 0; i < n; i++) {
        int rank = integer(), show = integer(), root = integer();
        read.root = root == -1 ? MPI_ROOT : root == -2 ? MPI_PROC_NULL : root;
        read.send = side();
        read.receive = side();
        read.send_counts = list();
        read.send_places = list();
        read.send_types = list();
        read.receive_counts = list();
        read.receive_places = list();
        read.receive_types = list();
        if (rank == world_rank) {
            call = read;
            mine = 1;
            shown = show;
        }
    }
    if (!mine)
        return;
    c->request = MPI_REQUEST_NULL;
    int persistent = c->form % 3 == 2;
    for (int round = 0; round < rounds; round++) {
        fill(&c->send.area, round);
        fill(&c->receive.area, round);
        if (round == 0 || !persistent)
            MUST(run(name, c));
        if (persistent)
            MUST(MPI_Start(&c->request));
        if (c->form % 3 != 0) {
            MPI_Request request = c->request;
            MPI_Status status;
            memset(&status, 0, sizeof status);
            finish(1, &request, &status, way);
            c->request = request;
            if (status.MPI_ERROR != MPI_SUCCESS)
                say("%s class %s", name, class_name(status.MPI_ERROR));
        }
        say("%s sent %016llx", name, (unsigned long long)digest(&c->send.area));
        Area received = c->receive.area;
        if (shown > 0)
            received.size = (size_t)shown;
        if (shown != 0)
            say("%s received %016llx", name, (unsigned long long)digest(&received));
    }
    if (persistent)
        MUST(MPI_Request_free(&c->request));
    release(&c->send.area);
    release(&c->receive.area);
}

/* local OPERATOR TYPE COUNT IN INOUT: combines two arrays without communication. */
void step_local(void)
{
    MPI_Op op = operators[integer()];
    MPI_Datatype type = types[integer()];
    int count = integer(), large = integer();
    Area in = area(), inout = area();
    fill(&in, 0);
    fill(&inout, 0);
    MUST(large ? MPI_Reduce_local_c(start(&in), start(&inout), count, type, op)
               : MPI_Reduce_local(start(&in), start(&inout), count, type, op));
    say("local %016llx %016llx", (unsigned long long)digest(&in), (unsigned long long)digest(&inout));
    release(&in);
    release(&inout);
}

/* Composes maps x -> a x + b modulo 2^32, given as pairs: associative, but not commutative. */
static void compose(char *in, char *inout, MPI_Count n, MPI_Datatype type)
{
    MPI_Count lb, extent;
    MUST(MPI_Type_get_extent_c(type, &lb, &extent));
    for (MPI_Count i = 0; i < n; i++, in += extent, inout += extent) {
        uint32_t left[2], right[2], both[2];
        memcpy(left, in, 8);
        memcpy(right, inout, 8);
        both[0] = left[0] * right[0];
        both[1] = left[1] * right[0] + right[1];
        memcpy(inout, both, 8);
    }
}

static void composition(void *in, void *inout, int *n, MPI_Datatype *type)
{
    compose(in, inout, *n, *type);
}

static void large_composition(void *in, void *inout, MPI_Count *n, MPI_Datatype *type)
{
    compose(in, inout, *n, *type);
}

/* Adds both numbers of each pair: commutative. */
static void addition(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Count lb, extent;
    MUST(MPI_Type_get_extent_c(*type, &lb, &extent));
    for (int i = 0; i < *n; i++) {
        uint32_t left[2], right[2];
        memcpy(left, (char *)in + i * extent, 8);
        memcpy(right, (char *)inout + i * extent, 8);
        right[0] += left[0];
        right[1] += left[1];
        memcpy((char *)inout + i * extent, right, 8);
    }
}

MPI_Op operators[OPERATORS];

void make_operators(void)
{
    static const MPI_Op known[] = {MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_BAND,   MPI_BOR,
                                   MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC};
    memcpy(operators, known, sizeof known);
    /* MPI_Op_create_c of one of them would do for both, but programs of today know the other. */
    MUST(MPI_Op_create(composition, 0, &operators[12]));
    MUST(MPI_Op_create(addition, 1, &operators[13]));
    MPI_Op third;
    MUST(MPI_Op_create_c(large_composition, 0, &third));
    uint32_t in[2] = {3, 5}, inout[2] = {7, 11};
    MPI_Datatype pair;
    MUST(MPI_Type_contiguous(2, MPI_UINT32_T, &pair));
    MUST(MPI_Type_commit(&pair));
    MUST(MPI_Reduce_local(in, inout, 1, pair, third));
    say("operators %u %u", (unsigned)inout[0], (unsigned)inout[1]);
    MUST(MPI_Type_free(&pair));
    MUST(MPI_Op_free(&third));
}

void free_operators(void)
{
    MUST(MPI_Op_free(&operators[12]));
    MUST(MPI_Op_free(&operators[13]));
}
