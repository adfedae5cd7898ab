/* Operators on elements of this process: predefined, of the program, undefined. One rank. */
#include "check.h"
#include <complex.h>
#include <stdbool.h>

static void subtract(void *in, void *inout, int *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int at = 0; at < *count; at++)
        ((int *)inout)[at] = ((int *)in)[at] - ((int *)inout)[at];
}

static void subtract_large(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (MPI_Count at = 0; at < *count; at++)
        ((int *)inout)[at] = ((int *)in)[at] - ((int *)inout)[at];
}

#define REDUCED(type, handle, op, one, other, expected)                         \
    do {                                                                        \
        type in_[] = {one, one}, out_[] = {other, other}, result_ = expected;   \
        OK(MPI_Reduce_local(in_, out_, 2, handle, op));                         \
        CHECK(out_[0] == result_ && out_[1] == result_);                        \
    } while (0)

int main(int argc, char **argv)
{
    int rank, size, flag;
    begin(&argc, &argv, &rank, &size);
    REDUCED(int, MPI_INT, MPI_SUM, 3, -5, -2);
    REDUCED(unsigned char, MPI_UNSIGNED_CHAR, MPI_MAX, 200, 100, 200);
    REDUCED(signed char, MPI_SIGNED_CHAR, MPI_MAX, (signed char)200, 100, 100);
    REDUCED(char, MPI_CHAR, MPI_BOR, 1, 2, 3);
    REDUCED(short, MPI_SHORT, MPI_LAND, 7, 8, 1);
    REDUCED(long, MPI_LONG, MPI_BXOR, 12, 10, 6);
    REDUCED(bool, MPI_C_BOOL, MPI_LXOR, true, true, false);
    REDUCED(float, MPI_FLOAT, MPI_PROD, 1.5f, 4.0f, 6.0f);
    REDUCED(double, MPI_DOUBLE, MPI_MIN, 1.5, -4.0, -4.0);
    REDUCED(double complex, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 1 + 2 * I, 3 - I, 5 + 5 * I);
    REDUCED(long double, MPI_LONG_DOUBLE, MPI_SUM, 0x1p-63L, 1.0L, 1.0L + 0x1p-63L);
    REDUCED(long double, MPI_LONG_DOUBLE, MPI_PROD, -3.0L, 1.0L / 3, -3.0L * (1.0L / 3));
    REDUCED(long double, MPI_LONG_DOUBLE, MPI_MIN, -3.0L, 1.0L, -3.0L);
    REDUCED(long double complex, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD, 1 + 2 * I, 3 - I, 5 + 5 * I);
#if defined(__x86_64__) && defined(__GNUC__)
    REDUCED(__float128, MPI_REAL16, MPI_SUM, (__float128)1 / ((__int128)1 << 100), 1, 1 + (__float128)1 / ((__int128)1 << 100));
    REDUCED(__float128, MPI_REAL16, MPI_PROD, -3, (__float128)1 / 3, -3 * ((__float128)1 / 3));
    REDUCED(__float128, MPI_REAL16, MPI_MIN, -3, 1, -3);
#endif
    REDUCED(MPI_Aint, MPI_AINT, MPI_SUM, (MPI_Aint)1 << 40, 1, ((MPI_Aint)1 << 40) + 1);

    struct { double value; int index; } near = {1.0, 5}, far[2] = {{1.0, 3}, {0.5, 9}};
    OK(MPI_Reduce_local(&near, far, 1, MPI_DOUBLE_INT, MPI_MINLOC));
    CHECK(far[0].value == 1.0 && far[0].index == 3 && far[1].index == 9);
    OK(MPI_Reduce_local(&near, far + 1, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
    CHECK(far[1].value == 1.0 && far[1].index == 5);
    struct { long double value; int index; } long_near = {1.0L, 5}, long_far = {1.5L, 3};
    OK(MPI_Reduce_local(&long_near, &long_far, 1, MPI_LONG_DOUBLE_INT, MPI_MINLOC));
    CHECK(long_far.value == 1.0L && long_far.index == 5);

    MPI_Op op, large;
    int in[] = {10, 20}, inout[] = {1, 2};
    OK(MPI_Op_create(subtract, 0, &op));
    OK(MPI_Op_create_c(subtract_large, 1, &large));
    OK(MPI_Reduce_local(in, inout, 2, MPI_INT, op));
    CHECK(inout[0] == 9 && inout[1] == 18);
    OK(MPI_Reduce_local_c(in, inout, 2, MPI_INT, large));
    CHECK(inout[0] == 1 && inout[1] == 2);
    OK(MPI_Op_commutative(op, &flag));
    CHECK(!flag);
    OK(MPI_Op_commutative(large, &flag));
    CHECK(flag);
    OK(MPI_Op_commutative(MPI_SUM, &flag));
    CHECK(flag);

    FAILS(MPI_Reduce_local(in, inout, 2, MPI_FLOAT, MPI_BAND), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(in, inout, 2, MPI_INT, MPI_MINLOC), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(in, inout, 2, MPI_BYTE, MPI_SUM), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(in, inout, 2, MPI_INT, MPI_REPLACE), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(in, inout, 2, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(in, inout, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    FAILS(MPI_Reduce_local(in, inout, 2, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
    CHECK(inout[0] == 1 && inout[1] == 2);

    MPI_Op predefined = MPI_SUM, freed = op;
    FAILS(MPI_Op_free(&predefined), MPI_ERR_OP);
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    FAILS(MPI_Op_free(&freed), MPI_ERR_OP);
    OK(MPI_Op_free(&large));
    OK(MPI_Finalize());
    return 0;
}
