/* Datatypes: constructors, bounds, contents, packing, counts, errors. Any number of ranks, each by itself. */
#include "check.h"
#include <limits.h>
#include <stddef.h>

struct particle {
    char kind;
    double place[3];
    int id;
};

static void expect_bounds(MPI_Datatype type, int size, MPI_Aint lb, MPI_Aint extent, MPI_Aint true_lb,
                          MPI_Aint true_extent)
{
    int found;
    MPI_Count large;
    MPI_Aint a, b;
    MPI_Count c, d;
    OK(MPI_Type_size(type, &found));
    CHECK(found == size);
    OK(MPI_Type_size_c(type, &large));
    CHECK(large == size);
    OK(MPI_Type_size_x(type, &large));
    CHECK(large == size);
    OK(MPI_Type_get_extent(type, &a, &b));
    CHECK(a == lb && b == extent);
    OK(MPI_Type_get_extent_c(type, &c, &d));
    CHECK(c == lb && d == extent);
    OK(MPI_Type_get_extent_x(type, &c, &d));
    CHECK(c == lb && d == extent);
    OK(MPI_Type_get_true_extent(type, &a, &b));
    CHECK(a == true_lb && b == true_extent);
    OK(MPI_Type_get_true_extent_c(type, &c, &d));
    CHECK(c == true_lb && d == true_extent);
    OK(MPI_Type_get_true_extent_x(type, &c, &d));
    CHECK(c == true_lb && d == true_extent);
}

/* The datatype of struct particle, as its author would write it. */
static MPI_Datatype particles(void)
{
    static struct particle one;
    MPI_Aint base, places[3];
    const int lengths[3] = {1, 3, 1};
    const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Datatype type;
    OK(MPI_Get_address(&one, &base));
    OK(MPI_Get_address(&one.kind, &places[0]));
    OK(MPI_Get_address(&one.place, &places[1]));
    OK(MPI_Get_address(&one.id, &places[2]));
    for (int i = 0; i < 3; i++)
        places[i] = MPI_Aint_diff(places[i], base);
    CHECK(places[1] == (MPI_Aint)offsetof(struct particle, place));
    OK(MPI_Type_create_struct(3, lengths, places, types, &type));
    return type;
}

static void structures(void)
{
    MPI_Datatype type = particles(), pair;
    struct particle from[2] = {{'a', {1, 2, 3}, 4}, {'b', {5, 6, 7}, 8}}, to[2];
    char packed[200];
    int position = 0, room;
    expect_bounds(type, 29, 0, sizeof(struct particle), 0, offsetof(struct particle, id) + 4);
    FAILS(MPI_Pack(from, 2, type, packed, 200, &position, MPI_COMM_SELF), MPI_ERR_TYPE);
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack_size(2, type, MPI_COMM_SELF, &room));
    CHECK(room >= 58);
    OK(MPI_Pack(from, 2, type, packed, 200, &position, MPI_COMM_SELF));
    CHECK(position == 58 && packed[0] == 'a' && packed[29] == 'b');
    memset(to, 0, sizeof to);
    position = 0;
    OK(MPI_Unpack(packed, 58, &position, &to[0], 1, type, MPI_COMM_SELF));
    OK(MPI_Unpack(packed, 58, &position, &to[1], 1, type, MPI_COMM_SELF));
    CHECK(position == 58 && to[1].kind == 'b' && to[1].place[2] == 7 && to[0].id == 4 && to[1].id == 8);
    FAILS(MPI_Unpack(packed, 58, &position, &to[1], 1, type, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    position = 150;
    FAILS(MPI_Pack(from, 2, type, packed, 200, &position, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    CHECK(position == 150);
    /* What is freed lives on in what was made of it. */
    OK(MPI_Type_contiguous(2, type, &pair));
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    expect_bounds(pair, 58, 0, 2 * sizeof(struct particle), 0, sizeof(struct particle) + offsetof(struct particle, id) + 4);
    OK(MPI_Type_free(&pair));
}

static void vectors_and_lists(void)
{
    const int lengths[3] = {2, 0, 1}, places[3] = {4, 9, 0};
    const MPI_Aint bytes[3] = {20, 1, 0};
    MPI_Datatype type;
    OK(MPI_Type_vector(2, 3, -4, MPI_INT, &type));
    expect_bounds(type, 24, -16, 28, -16, 28);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hvector(2, 1, 5, MPI_INT, &type));
    expect_bounds(type, 8, 0, 12, 0, 9);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_indexed(3, lengths, places, MPI_SHORT, &type));
    expect_bounds(type, 6, 0, 12, 0, 12);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type));
    expect_bounds(type, 12, 0, 28, 0, 28);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_indexed_block(3, 2, places, MPI_CHAR, &type));
    expect_bounds(type, 6, 0, 11, 0, 11);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed_block(3, 1, bytes, MPI_DOUBLE, &type));
    expect_bounds(type, 24, 0, 32, 0, 28);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_resized(MPI_INT, -3, 9, &type));
    expect_bounds(type, 4, -3, 9, 0, 4);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous(0, MPI_INT, &type));
    expect_bounds(type, 0, 0, 0, 0, 0);
    OK(MPI_Type_free(&type));
}

static void arrays(void)
{
    const int sizes[2] = {4, 6}, subsizes[2] = {2, 3}, starts[2] = {1, 2};
    const int kinds[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int dargs[2] = {1, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 2};
    int matrix[24], part[6], owner[24] = {0}, position = 0;
    MPI_Datatype type;
    for (int i = 0; i < 24; i++)
        matrix[i] = i;
    OK(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    expect_bounds(type, 24, 0, 96, 32, 36);
    OK(MPI_Pack(matrix, 1, type, part, sizeof part, &position, MPI_COMM_SELF));
    CHECK(part[0] == 8 && part[2] == 10 && part[3] == 14 && part[5] == 16);
    OK(MPI_Type_free(&type));
    for (int rank = 0; rank < 4; rank++) {
        int mine[6];
        for (int i = 0; i < 6; i++)
            mine[i] = rank + 1;
        OK(MPI_Type_create_darray(4, rank, 2, sizes, kinds, dargs, grid, MPI_ORDER_C, MPI_INT, &type));
        OK(MPI_Type_commit(&type));
        position = 0;
        OK(MPI_Unpack(mine, sizeof mine, &position, owner, 1, type, MPI_COMM_SELF));
        CHECK(position == sizeof mine);
        OK(MPI_Type_free(&type));
    }
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 6; column++)
            CHECK(owner[6 * row + column] == row % 2 * 2 + column / 3 + 1);
    FAILS(MPI_Type_create_darray(4, 4, 2, sizes, kinds, dargs, grid, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
    FAILS(MPI_Type_create_subarray(2, sizes, subsizes, sizes, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
}

static void contents(void)
{
    const int lengths[2] = {3, 1}, places[2] = {7, 0};
    int integers, addresses, datatypes, combiner, list[5], three[3];
    MPI_Count large[4], counts[3];
    MPI_Datatype old, type, found;
    OK(MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &datatypes, &combiner));
    CHECK(!integers && !addresses && !datatypes && combiner == MPI_COMBINER_NAMED);
    FAILS(MPI_Type_get_contents(MPI_INT, 0, 0, 0, NULL, NULL, NULL), MPI_ERR_TYPE);
    OK(MPI_Type_vector(1, 2, 3, MPI_FLOAT, &old));
    OK(MPI_Type_indexed(2, lengths, places, old, &type));
    OK(MPI_Type_free(&old));
    OK(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner));
    CHECK(integers == 5 && !addresses && datatypes == 1 && combiner == MPI_COMBINER_INDEXED);
    OK(MPI_Type_get_contents(type, 5, 0, 1, list, NULL, &found));
    CHECK(list[0] == 2 && list[1] == 3 && list[2] == 1 && list[3] == 7 && list[4] == 0);
    FAILS(MPI_Type_get_contents(type, 4, 0, 1, list, NULL, &found), MPI_ERR_ARG);
    OK(MPI_Type_get_contents(found, 3, 0, 1, three, NULL, &old));
    CHECK(three[0] == 1 && three[1] == 2 && three[2] == 3 && old == MPI_FLOAT);
    OK(MPI_Type_free(&found));
    OK(MPI_Type_free(&type));
    /* Large counts are told as such. */
    OK(MPI_Type_vector_c(4, 5, 6, MPI_INT, &type));
    FAILS(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner), MPI_ERR_TYPE);
    OK(MPI_Type_get_envelope_c(type, &large[0], &large[1], &large[2], &large[3], &combiner));
    CHECK(large[0] == 0 && large[1] == 0 && large[2] == 3 && large[3] == 1 && combiner == MPI_COMBINER_VECTOR);
    OK(MPI_Type_get_contents_c(type, 0, 0, 3, 1, NULL, NULL, counts, &found));
    CHECK(counts[0] == 4 && counts[1] == 5 && counts[2] == 6 && found == MPI_INT);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_dup(MPI_DOUBLE, &type));
    OK(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner));
    CHECK(!integers && !addresses && datatypes == 1 && combiner == MPI_COMBINER_DUP);
    OK(MPI_Type_free(&type));
}

static void names_and_kinds(void)
{
    char name[MPI_MAX_OBJECT_NAME], longest[2 * MPI_MAX_OBJECT_NAME];
    int length, integers, addresses, datatypes, combiner, asked[2];
    MPI_Datatype type, same;
    OK(MPI_Type_get_name(MPI_DOUBLE_INT, name, &length));
    CHECK(length == 14 && !strcmp(name, "MPI_DOUBLE_INT"));
    OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK(!strcmp(name, "MPI_DATATYPE_NULL"));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(length == 0 && name[0] == 0);
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = 0;
    OK(MPI_Type_set_name(type, longest));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(length == MPI_MAX_OBJECT_NAME - 1 && (int)strlen(name) == length);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type));
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &same));
    CHECK(type == same);
    OK(MPI_Type_size(type, &length));
    CHECK(length == 8);
    OK(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner));
    CHECK(integers == 2 && !addresses && !datatypes && combiner == MPI_COMBINER_F90_REAL);
    OK(MPI_Type_get_contents(type, 2, 0, 0, asked, NULL, NULL));
    CHECK(asked[0] == 15 && asked[1] == MPI_UNDEFINED);
    double sum[2] = {0.5, 1}, more[2] = {1, 2};
    OK(MPI_Reduce_local(more, sum, 2, type, MPI_SUM));
    CHECK(sum[0] == 1.5 && sum[1] == 3);
    if (!goes_on())
        FAILS(MPI_Type_free(&same), MPI_ERR_TYPE);
    FAILS(MPI_Type_create_f90_integer(99, &type), MPI_ERR_ARG);
    OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type));
    CHECK(type == MPI_COMPLEX8);
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type));
    CHECK(type == MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &type));
    CHECK(type == MPI_DATATYPE_NULL);
}

static void counts(void)
{
    MPI_Status status;
    MPI_Datatype type, huge;
    MPI_Count large;
    int count;
    memset(&status, 0, sizeof status);
    OK(MPI_Type_contiguous(2, MPI_DOUBLE_INT, &type));
    OK(MPI_Status_set_elements(&status, MPI_BYTE, 20));
    OK(MPI_Get_elements(&status, type, &count));
    CHECK(count == 3);
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Status_set_elements(&status, type, 8));
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == 2);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == 48);
    OK(MPI_Get_elements_c(&status, type, &large));
    CHECK(large == 8);
    FAILS(MPI_Status_set_elements(&status, type, -1), MPI_ERR_COUNT);
    OK(MPI_Type_free(&type));
    /* What an int does not hold. */
    OK(MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &huge));
    OK(MPI_Type_size(huge, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Type_size_c(huge, &large));
    CHECK(large == 8 * (MPI_Count)INT_MAX);
    OK(MPI_Status_set_elements_c(&status, MPI_DOUBLE, INT_MAX));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Get_count_c(&status, MPI_BYTE, &large));
    CHECK(large == 8 * (MPI_Count)INT_MAX);
    OK(MPI_Get_count(&status, huge, &count));
    CHECK(count == 1);
    OK(MPI_Type_free(&huge));
}

static void external(void)
{
    const long from[2] = {-2, 258};
    const unsigned char expected[8] = {0xff, 0xff, 0xff, 0xfe, 0, 0, 1, 2};
    const long too_large = 1L << 40;
    unsigned char packed[16];
    MPI_Aint size, position = 0;
    long to[2];
    OK(MPI_Pack_external_size("external32", 2, MPI_LONG, &size));
    CHECK(size == 8);
    OK(MPI_Pack_external("external32", from, 2, MPI_LONG, packed, 16, &position));
    CHECK(position == 8 && !memcmp(packed, expected, 8));
    position = 0;
    OK(MPI_Unpack_external("external32", packed, 8, &position, to, 2, MPI_LONG));
    CHECK(position == 8 && to[0] == -2 && to[1] == 258);
    position = 0;
    FAILS(MPI_Pack_external("external32", &too_large, 1, MPI_LONG, packed, 16, &position), MPI_ERR_CONVERSION);
    FAILS(MPI_Pack_external("native", from, 1, MPI_LONG, packed, 16, &position), MPI_ERR_ARG);
}

static void errors(void)
{
    const int negative[1] = {-1}, zero[1] = {0};
    MPI_Datatype type, freed;
    int position = 0;
    char byte = 0;
    FAILS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
    FAILS(MPI_Type_vector(1, -1, 1, MPI_INT, &type), MPI_ERR_ARG);
    FAILS(MPI_Type_indexed(1, negative, zero, MPI_INT, &type), MPI_ERR_ARG);
    FAILS(MPI_Type_indexed(-1, zero, zero, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS(MPI_Type_indexed(1, NULL, zero, MPI_INT, &type), MPI_ERR_ARG);
    FAILS(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
    FAILS(MPI_Type_contiguous_c((MPI_Count)1 << 62, MPI_INT, &type), MPI_ERR_VALUE_TOO_LARGE);
    FAILS(MPI_Pack(&byte, -1, MPI_CHAR, &byte, 1, &position, MPI_COMM_SELF), MPI_ERR_COUNT);
    FAILS(MPI_Pack(&byte, 1, MPI_CHAR, &byte, 1, &position, MPI_COMM_NULL), MPI_ERR_COMM);
    if (goes_on())
        return;
    FAILS(MPI_Send_c(&byte, (MPI_Count)1 << 61, MPI_DOUBLE, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
    type = MPI_INT;
    FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
    CHECK(type == MPI_INT);
    OK(MPI_Type_contiguous(1, MPI_INT, &type));
    freed = type;
    OK(MPI_Type_free(&type));
    FAILS(MPI_Type_commit(&freed), MPI_ERR_TYPE);
    FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
}

int main(int argc, char **argv)
{
    int rank, size;
    begin(&argc, &argv, &rank, &size);
    structures();
    vectors_and_lists();
    arrays();
    contents();
    names_and_kinds();
    counts();
    external();
    errors();
    OK(MPI_Finalize());
    return 0;
}
