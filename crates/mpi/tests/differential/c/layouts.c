/* Datatypes: every constructor in both forms, made again from their contents, packed and unpacked.
 * Rules: a datatype that is made again from its contents is the same. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls a constructor in its form for int or for MPI_Count. */
#define MAKE(NAME, SMALL, LARGE) MUST(large ? MPI_Type_##NAME##_c LARGE : MPI_Type_##NAME SMALL)

static MPI_Datatype make(const char *form, int large)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
#define IS(name) (strcmp(form, name) == 0)
    if (IS("contiguous")) {
        long long n = number();
        MPI_Datatype old = types[integer()];
        MAKE(contiguous, ((int)n, old, &made), (n, old, &made));
    } else if (IS("vector") || IS("hvector")) {
        long long n = number(), length = number(), stride = number();
        MPI_Datatype old = types[integer()];
        if (IS("vector"))
            MAKE(vector, ((int)n, (int)length, (int)stride, old, &made), (n, length, stride, old, &made));
        else
            MAKE(create_hvector, ((int)n, (int)length, stride, old, &made), (n, length, stride, old, &made));
    } else if (IS("indexed") || IS("hindexed")) {
        List lengths = list(), places = list();
        MPI_Datatype old = types[integer()];
        if (IS("indexed"))
            MAKE(indexed, (lengths.n, lengths.small, places.small, old, &made),
                 (lengths.n, lengths.large, places.large, old, &made));
        else
            MAKE(create_hindexed, (lengths.n, lengths.small, places.address, old, &made),
                 (lengths.n, lengths.large, places.large, old, &made));
    } else if (IS("indexed_block") || IS("hindexed_block")) {
        long long length = number();
        List places = list();
        MPI_Datatype old = types[integer()];
        if (IS("indexed_block"))
            MAKE(create_indexed_block, (places.n, (int)length, places.small, old, &made),
                 (places.n, length, places.large, old, &made));
        else
            MAKE(create_hindexed_block, (places.n, (int)length, places.address, old, &made),
                 (places.n, length, places.large, old, &made));
    } else if (IS("struct")) {
        List lengths = list(), places = list(), indices = list();
        MPI_Datatype old[LONGEST];
        for (int i = 0; i < indices.n; i++)
            old[i] = types[indices.small[i]];
        MAKE(create_struct, (lengths.n, lengths.small, places.address, old, &made),
             (lengths.n, lengths.large, places.large, old, &made));
    } else if (IS("subarray")) {
        List sizes = list(), parts = list(), starts = list();
        int order = integer() ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
        MPI_Datatype old = types[integer()];
        MAKE(create_subarray, (sizes.n, sizes.small, parts.small, starts.small, order, old, &made),
             (sizes.n, sizes.large, parts.large, starts.large, order, old, &made));
    } else if (IS("darray")) {
        int size = integer(), rank = integer();
        List sizes = list(), ways = list(), blocks = list(), grid = list();
        int order = integer() ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
        MPI_Datatype old = types[integer()];
        static const int known[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
        for (int i = 0; i < sizes.n; i++) {
            ways.small[i] = known[ways.small[i]];
            if (blocks.small[i] == 0)
                blocks.small[i] = MPI_DISTRIBUTE_DFLT_DARG;
        }
        MAKE(create_darray,
             (size, rank, sizes.n, sizes.small, ways.small, blocks.small, grid.small, order, old, &made),
             (size, rank, sizes.n, sizes.large, ways.small, blocks.small, grid.small, order, old, &made));
    } else if (IS("resized")) {
        long long lb = number(), extent = number();
        MPI_Datatype old = types[integer()];
        MAKE(create_resized, (old, lb, extent, &made), (old, lb, extent, &made));
    } else if (IS("dup")) {
        MUST(MPI_Type_dup(types[integer()], &made));
    } else {
        fprintf(stderr, "no such datatype: %s\n", form);
        exit(2);
    }
    return made;
}

/* Makes a datatype anew from what the library says it was made of. */
static MPI_Datatype again(MPI_Datatype type)
{
    int ni, na, nd, combiner, i[300];
    MPI_Aint a[100];
    MPI_Datatype d[100], made;
    MUST(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
    MUST(MPI_Type_get_contents(type, 300, 100, 100, i, a, d));
    int n = ni > 0 ? i[0] : 0;
    switch (combiner) {
    case MPI_COMBINER_CONTIGUOUS: MUST(MPI_Type_contiguous(n, d[0], &made)); break;
    case MPI_COMBINER_VECTOR: MUST(MPI_Type_vector(n, i[1], i[2], d[0], &made)); break;
    case MPI_COMBINER_HVECTOR: MUST(MPI_Type_create_hvector(n, i[1], a[0], d[0], &made)); break;
    case MPI_COMBINER_INDEXED: MUST(MPI_Type_indexed(n, i + 1, i + 1 + n, d[0], &made)); break;
    case MPI_COMBINER_HINDEXED: MUST(MPI_Type_create_hindexed(n, i + 1, a, d[0], &made)); break;
    case MPI_COMBINER_INDEXED_BLOCK: MUST(MPI_Type_create_indexed_block(n, i[1], i + 2, d[0], &made)); break;
    case MPI_COMBINER_HINDEXED_BLOCK: MUST(MPI_Type_create_hindexed_block(n, i[1], a, d[0], &made)); break;
    case MPI_COMBINER_STRUCT: MUST(MPI_Type_create_struct(n, i + 1, a, d, &made)); break;
    case MPI_COMBINER_SUBARRAY:
        MUST(MPI_Type_create_subarray(n, i + 1, i + 1 + n, i + 1 + 2 * n, i[1 + 3 * n], d[0], &made));
        break;
    case MPI_COMBINER_DARRAY:
        n = i[2];
        MUST(MPI_Type_create_darray(i[0], i[1], n, i + 3, i + 3 + n, i + 3 + 2 * n, i + 3 + 3 * n, i[3 + 4 * n], d[0],
                                    &made));
        break;
    case MPI_COMBINER_RESIZED: MUST(MPI_Type_create_resized(d[0], a[0], a[1], &made)); break;
    default: MUST(MPI_Type_dup(d[0], &made));
    }
    for (int k = 0; k < nd; k++) {
        int named;
        MPI_Count unused;
        /* Also of one that was made with large counts. */
        MUST(MPI_Type_get_envelope_c(d[k], &unused, &unused, &unused, &unused, &named));
        if (named != MPI_COMBINER_NAMED)
            MUST(MPI_Type_free(&d[k]));
    }
    MUST(MPI_Type_free(&type));
    return made;
}

/* type LARGE AGAIN SHOWN FORM ARGUMENTS: a new datatype; SHOWN says whether its bounds are told. */
void step_type(void)
{
    int large = integer(), anew = integer(), shown = integer();
    MPI_Datatype made = make(word(), large);
    if (anew)
        made = again(made);
    MUST(MPI_Type_commit(&made));
    types[type_count++] = made;
    MPI_Count size, lb, extent, true_lb, true_extent;
    MUST(MPI_Type_size_c(made, &size));
    MUST(MPI_Type_get_extent_c(made, &lb, &extent));
    MUST(MPI_Type_get_true_extent_c(made, &true_lb, &true_extent));
    if (!shown) {
        say("type size %lld", (long long)size);
        return;
    }
    say("type size %lld lb %lld extent %lld true %lld %lld", (long long)size, (long long)lb, (long long)extent,
        (long long)true_lb, (long long)true_extent);
    int small;
    MPI_Aint small_lb, small_extent;
    MUST(MPI_Type_size(made, &small));
    MUST(MPI_Type_get_extent(made, &small_lb, &small_extent));
    if (small != size || small_lb != lb || small_extent != extent)
        say("the small forms differ");
}

/* pack TYPE COUNT FROM PARTS EXTERNAL INTO: packs COUNT elements in parts, and unpacks them in one. */
void step_pack(void)
{
    MPI_Datatype type = types[integer()];
    int count = integer();
    Area from = area();
    List parts = list();
    int external = integer();
    Area into = area(), packed = {.seed = 5};
    MPI_Aint extent, lb, room;
    MUST(MPI_Type_get_extent(type, &lb, &extent));
    int small_room = 0;
    if (external)
        MUST(MPI_Pack_external_size("external32", count, type, &room));
    else {
        MUST(MPI_Pack_size(count, type, MPI_COMM_WORLD, &small_room));
        room = small_room;
    }
    fill(&from, 0);
    fill(&into, 0);
    packed.size = (size_t)room;
    fill(&packed, 0);
    MPI_Aint position = 0;
    int small_position = 0, first = 0;
    for (int i = 0; i < parts.n; first += parts.small[i++]) {
        char *at = (char *)start(&from) + first * extent;
        if (external)
            MUST(MPI_Pack_external("external32", at, parts.small[i], type, packed.bytes, room, &position));
        else
            MUST(MPI_Pack(at, parts.small[i], type, packed.bytes, small_room, &small_position, MPI_COMM_WORLD));
    }
    long long used = external ? position : small_position;
    packed.size = (size_t)used;
    say("packed %lld %016llx", used, (unsigned long long)digest(&packed));
    position = 0;
    small_position = 0;
    if (external)
        MUST(MPI_Unpack_external("external32", packed.bytes, used, &position, start(&into), count, type));
    else
        MUST(MPI_Unpack(packed.bytes, (int)used, &small_position, start(&into), count, type, MPI_COMM_WORLD));
    say("unpacked %lld %016llx", external ? (long long)position : small_position, (unsigned long long)digest(&into));
    release(&from);
    release(&into);
    release(&packed);
}
