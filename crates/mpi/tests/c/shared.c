/* Nonblocking reductions and scans of large data, in which ranks of a host combine for each other: predefined operators, in
 * place, persistent, of the program, and of data with gaps, several at once and completed in another order. */
#include "check.h"

static int rank, size;

/* What a rank gives in a place. Products of few of them are exact. */
static double given(int of, int at, int call) { return 1 + (of * 7 + at * 3 + call) % 5; }

static double combined(MPI_Op op, double lower, double higher)
{
    if (op == MPI_SUM)
        return lower + higher;
    if (op == MPI_PROD)
        return lower * higher;
    return lower > higher ? lower : higher;
}

/* The function below on doubles: f(lower, higher) is neither commutative nor idempotent. */
static double mixed(double lower, double higher) { return (double)(((long)lower * 31 + (long)higher) % 10007); }

static void mix(void *in, void *inout, int *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_DOUBLE);
    for (int at = 0; at < *count; at++)
        ((double *)inout)[at] = mixed(((double *)in)[at], ((double *)inout)[at]);
}

/* What ranks below this one give, combined in their order. */
static double expected(MPI_Op op, int ranks, int at, int call)
{
    double total = given(0, at, call);
    for (int of = 1; of < ranks; of++)
        total = op == MPI_OP_NULL ? mixed(total, given(of, at, call)) : combined(op, total, given(of, at, call));
    return total;
}

static void check_all(const double *result, MPI_Op op, int ranks, int count, int call)
{
    for (int at = 0; at < count; at++)
        CHECK(result[at] == expected(op, ranks, at, call));
}

static void fill(double *data, int count, int call)
{
    for (int at = 0; at < count; at++)
        data[at] = given(rank, at, call);
}

/* All three calls at once, of one operator; the last that was begun is completed first. */
static void call_all(MPI_Op op, MPI_Op known_as, int count, int in_place)
{
    double *data[3], *result[3];
    MPI_Request requests[3];

    for (int call = 0; call < 3; call++) {
        data[call] = malloc(count * sizeof(double));
        result[call] = malloc(count * sizeof(double));
        fill(in_place ? result[call] : data[call], count, call);
    }
    OK(MPI_Iallreduce(in_place ? MPI_IN_PLACE : data[0], result[0], count, MPI_DOUBLE, op, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Iscan(in_place ? MPI_IN_PLACE : data[1], result[1], count, MPI_DOUBLE, op, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Iexscan(in_place ? MPI_IN_PLACE : data[2], result[2], count, MPI_DOUBLE, op, MPI_COMM_WORLD, &requests[2]));
    for (int call = 2; call >= 0; call--)
        OK(MPI_Wait(&requests[call], MPI_STATUS_IGNORE));
    check_all(result[0], known_as, size, count, 0);
    check_all(result[1], known_as, rank + 1, count, 1);
    if (rank > 0)
        check_all(result[2], known_as, rank, count, 2);
    for (int call = 0; call < 3; call++) {
        free(data[call]);
        free(result[call]);
    }
}

/* Pairs of a double and an int have a gap behind each. */
static void call_with_gaps(int count)
{
    struct pair { double value; int index; } *data = calloc(count, sizeof *data), *result = calloc(count, sizeof *result);
    MPI_Request request;

    for (int at = 0; at < count; at++) {
        data[at].value = given(rank, at, 0);
        data[at].index = rank;
    }
    OK(MPI_Iallreduce(data, result, count, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int at = 0; at < count; at++) {
        int first = 0;
        while (given(first, at, 0) != expected(MPI_MAX, size, at, 0))
            first++;
        CHECK(result[at].value == expected(MPI_MAX, size, at, 0) && result[at].index == first);
    }
    free(data);
    free(result);
}

/* The same memory in each round, with another content. */
static void call_persistent(int count)
{
    double *data = malloc(count * sizeof(double)), *result = malloc(count * sizeof(double));
    MPI_Request request;

    OK(MPI_Allreduce_init(data, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int round = 0; round < 5; round++) {
        int flag = 0;
        fill(data, count, round);
        OK(MPI_Start(&request));
        while (round % 2 == 1 && !flag)
            OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check_all(result, MPI_SUM, size, count, round);
    }
    OK(MPI_Request_free(&request));
    free(data);
    free(result);
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 100, 1500, 20001, 150000};
    MPI_Op mixing;

    begin(&argc, &argv, &rank, &size);
    OK(MPI_Op_create(mix, 0, &mixing));
    for (int which = 0; which < 5; which++)
        for (int in_place = 0; in_place < 2; in_place++) {
            call_all(MPI_SUM, MPI_SUM, counts[which], in_place);
            call_all(MPI_MAX, MPI_MAX, counts[which], in_place);
            call_all(MPI_PROD, MPI_PROD, counts[which], in_place);
            call_all(mixing, MPI_OP_NULL, counts[which], in_place);
        }
    call_with_gaps(2000);
    call_persistent(9000);
    OK(MPI_Op_free(&mixing));
    OK(MPI_Finalize());
    return 0;
}
