/* Collectives: blocking, nonblocking and persistent, in place and not, with operators that do not commute.
 * Source: MPI 5.0, chapter on collective communication. */
#include "check.h"

/* Products of matrices of 2 by 2: associative, and not commutative. */
static void product(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    long *a = in, *b = inout;

    (void)datatype;
    for (int at = 0; at < *count; at++, a += 4, b += 4) {
        long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                     a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
        for (int k = 0; k < 4; k++)
            b[k] = c[k] % 1000003;
    }
}

/* The matrix of a rank. Those of two ranks do not commute. */
static void matrix_of(int rank, long *matrix)
{
    long made[4] = {1, rank + 1, rank, 2};
    memcpy(matrix, made, sizeof made);
}

/* The product of the matrices of the ranks from `low` up to `high`, which is none of them. */
static void expect(long *result, int low, int high)
{
    int one = 1;

    result[0] = result[3] = 1;
    result[1] = result[2] = 0;
    for (int rank = high - 1; rank >= low; rank--) {
        long factor[4];
        matrix_of(rank, factor);
        product(factor, result, &one, NULL);
    }
}

static void from_and_to_a_root(MPI_Comm comm, int rank, int size)
{
    int *all = malloc(sizeof(int) * 2 * size);

    for (int root = 0; root < size; root++) {
        int told[3] = {rank == root ? root : -1, 5, 6}, mine[2] = {rank, rank * rank}, got[2];

        OK(MPI_Bcast(told, 3, MPI_INT, root, comm));
        CHECK(told[0] == root && told[2] == 6);
        OK(MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, root, comm));
        for (int at = 0; rank == root && at < size; at++)
            CHECK(all[2 * at] == at && all[2 * at + 1] == at * at);
        for (int at = 0; at < 2 * size; at++)
            all[at] = at + 1000;
        OK(MPI_Scatter(all, 2, MPI_INT, got, 2, MPI_INT, root, comm));
        CHECK(got[0] == 2 * rank + 1000 && got[1] == 2 * rank + 1001);
    }
    FAILS(MPI_Bcast(all, 1, MPI_INT, size, comm), MPI_ERR_ROOT);
    free(all);
}

static void from_all_to_all(MPI_Comm comm, int rank, int size)
{
    int *all = malloc(sizeof(int) * size), *other = malloc(sizeof(int) * size);

    OK(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm));
    for (int at = 0; at < size; at++)
        CHECK(all[at] == at);
    all[rank] = rank + 50;
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm));
    for (int at = 0; at < size; at++)
        CHECK(all[at] == at + 50);
    for (int at = 0; at < size; at++)
        all[at] = rank * 100 + at;
    OK(MPI_Alltoall(all, 1, MPI_INT, other, 1, MPI_INT, comm));
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm));
    for (int at = 0; at < size; at++)
        CHECK(all[at] == at * 100 + rank && other[at] == all[at]);
    free(all);
    free(other);
}

static void of_several_sizes(MPI_Comm comm, int rank, int size)
{
    int *counts = malloc(sizeof(int) * size), *displacements = malloc(sizeof(int) * size), total = 0;

    for (int at = 0; at < size; at++) {
        counts[at] = at + 1;
        displacements[at] = total;
        total += at + 1;
    }
    int *own = malloc(sizeof(int) * (rank + 1)), *all = malloc(sizeof(int) * total);
    for (int at = 0; at <= rank; at++)
        own[at] = rank * 10 + at;
    OK(MPI_Allgatherv(own, rank + 1, MPI_INT, all, counts, displacements, MPI_INT, comm));
    for (int from = 0; from < size; from++)
        for (int at = 0; at <= from; at++)
            CHECK(all[displacements[from] + at] == from * 10 + at);
    memset(all, 0, sizeof(int) * total);
    OK(MPI_Gatherv(own, rank + 1, MPI_INT, all, counts, displacements, MPI_INT, size - 1, comm));
    for (int from = 0; rank == size - 1 && from < size; from++)
        CHECK(all[displacements[from] + from] == from * 11);
    memset(own, 0, sizeof(int) * (rank + 1));
    OK(MPI_Scatterv(all, counts, displacements, MPI_INT, own, rank + 1, MPI_INT, size - 1, comm));
    CHECK(own[rank] == rank * 11);
    free(counts);
    free(displacements);
    free(own);
    free(all);
}

static void combined(MPI_Comm comm, int rank, int size)
{
    double data[4] = {rank, 1, -rank, 0.5}, sums[4];
    struct { double value; int at; } mine = {-(rank % 3), rank}, least;
    unsigned char bit = (unsigned char)(1u << (rank % 8)), bits;
    int total = size * (size - 1) / 2;

    OK(MPI_Allreduce(data, sums, 4, MPI_DOUBLE, MPI_SUM, comm));
    CHECK(sums[0] == total && sums[1] == size && sums[3] == size * 0.5);
    OK(MPI_Allreduce(MPI_IN_PLACE, data, 4, MPI_DOUBLE, MPI_MAX, comm));
    CHECK(data[0] == size - 1 && data[2] == 0);
    OK(MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
    CHECK(least.at == (size > 2 ? 2 : size - 1) && least.value == -least.at);
    OK(MPI_Allreduce(&bit, &bits, 1, MPI_UNSIGNED_CHAR, MPI_BOR, comm));
    CHECK(bits == (size >= 8 ? 255 : (1 << size) - 1));
    for (int root = 0; root < size; root++) {
        int sum = -1, largest = rank;

        OK(MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, comm));
        CHECK(sum == (rank == root ? total : -1));
        if (rank == root)
            OK(MPI_Reduce(MPI_IN_PLACE, &largest, 1, MPI_INT, MPI_MAX, root, comm));
        else
            OK(MPI_Reduce(&largest, NULL, 1, MPI_INT, MPI_MAX, root, comm));
        CHECK(largest == (rank == root ? size - 1 : rank));
    }
    FAILS(MPI_Allreduce(data, sums, 1, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP);
}

/* Whether what stands in `result`, which is cleared, is this product. */
static int is_product(long *result, int low, int high)
{
    long expected[4];
    int same;

    expect(expected, low, high);
    same = memcmp(result, expected, sizeof expected) == 0;
    memset(result, 0, sizeof expected);
    return same;
}

static void in_the_order_of_ranks(MPI_Comm comm, int rank, int size)
{
    long matrix[4], result[4], *all = malloc(sizeof matrix * size);
    MPI_Datatype matrices;
    MPI_Request request;
    MPI_Op op;

    if (size > 1) {
        long there[4], back[4], one[4];
        int single = 1;
        matrix_of(0, there), matrix_of(1, one);
        product(one, there, &single, NULL);
        matrix_of(0, one), matrix_of(1, back);
        product(one, back, &single, NULL);
        CHECK(memcmp(there, back, sizeof there) != 0);
    }
    matrix_of(rank, matrix);
    for (int at = 0; at < size; at++)
        memcpy(all + 4 * at, matrix, sizeof matrix);
    OK(MPI_Op_create(product, 0, &op));
    OK(MPI_Type_contiguous(4, MPI_LONG, &matrices));
    OK(MPI_Type_commit(&matrices));
    OK(MPI_Allreduce(matrix, result, 1, matrices, op, comm));
    CHECK(is_product(result, 0, size));
    OK(MPI_Iallreduce(matrix, result, 1, matrices, op, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(is_product(result, 0, size));
    OK(MPI_Allreduce_init(matrix, result, 1, matrices, op, comm, MPI_INFO_NULL, &request));
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    CHECK(is_product(result, 0, size));
    for (int root = 0; root < size; root++) {
        OK(MPI_Reduce(matrix, result, 1, matrices, op, root, comm));
        CHECK(rank != root || is_product(result, 0, size));
    }
    OK(MPI_Reduce_scatter_block(all, result, 1, matrices, op, comm));
    CHECK(is_product(result, 0, size));
    OK(MPI_Scan(matrix, result, 1, matrices, op, comm));
    CHECK(is_product(result, 0, rank + 1));
    OK(MPI_Exscan(matrix, result, 1, matrices, op, comm));
    CHECK(rank == 0 || is_product(result, 0, rank));
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&matrices));
    free(all);
}

/* Scans by predefined operators, of few and many elements, in place and not, aligned and not. */
static void scanned(MPI_Comm comm, int rank, int size)
{
    const int counts[] = {0, 1, 5, 50000};
    const int below = rank * (rank - 1) / 2;

    for (int which = 0; which < 4; which++) {
        const int n = counts[which];
        int *own = malloc(sizeof(int) * (n + 1)), *got = malloc(sizeof(int) * (n + 1));
        char *room = malloc(8 * (n + 1) + 1);
        for (int way = 0; way < 2; way++) {
            for (int at = 0; at < n; at++)
                own[at] = rank + at;
            for (int at = 0; at <= n; at++)
                got[at] = way ? rank + at : -7;
            OK(MPI_Scan(way ? MPI_IN_PLACE : own, got, n, MPI_INT, MPI_SUM, comm));
            for (int at = 0; at < n; at++)
                CHECK(got[at] == below + rank + (rank + 1) * at);
            for (int at = 0; at <= n; at++)
                got[at] = way ? rank + at : -7;
            OK(MPI_Exscan(way ? MPI_IN_PLACE : own, got, n, MPI_INT, MPI_SUM, comm));
            for (int at = 0; at < n; at++)
                CHECK(got[at] == (rank ? below + rank * at : way ? at : -7));
            CHECK(got[n] == (way ? rank + n : -7));
        }
        for (int at = 0; at < n; at++) {
            const double value = (rank * 7) % 5 + at;
            memcpy(room + 1 + 8 * at, &value, 8);
        }
        OK(MPI_Scan(MPI_IN_PLACE, room + 1, n, MPI_DOUBLE, MPI_MAX, comm));
        for (int at = 0; at < n; at++) {
            double most = 0, value;
            for (int other = 0; other <= rank; other++)
                most = (other * 7) % 5 > most ? (other * 7) % 5 : most;
            memcpy(&value, room + 1 + 8 * at, 8);
            CHECK(value == most + at);
        }
        free(own), free(got), free(room);
    }
    (void)size;
}

static void combined_and_scattered(MPI_Comm comm, int rank, int size)
{
    int *data = malloc(sizeof(int) * 2 * size), *counts = malloc(sizeof(int) * size), got[2];
    int total = size * (size - 1) / 2;

    for (int at = 0; at < 2 * size; at++)
        data[at] = at + rank;
    for (int at = 0; at < size; at++)
        counts[at] = 2;
    OK(MPI_Reduce_scatter_block(data, got, 2, MPI_INT, MPI_SUM, comm));
    CHECK(got[0] == 2 * rank * size + total && got[1] == (2 * rank + 1) * size + total);
    OK(MPI_Reduce_scatter(MPI_IN_PLACE, data, counts, MPI_INT, MPI_SUM, comm));
    CHECK(data[0] == got[0] && data[1] == got[1]);
    free(data);
    free(counts);
}

static void begun(MPI_Comm comm, int rank, int size)
{
    MPI_Request requests[5], barrier, persistent;
    int told = rank == 0 ? 77 : 0, sum, got, flag = 0, largest, *all = malloc(sizeof(int) * size);
    double own = rank, scanned;

    OK(MPI_Ibcast(&told, 1, MPI_INT, 0, comm, &requests[0]));
    OK(MPI_Ibarrier(comm, &requests[1]));
    OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]));
    OK(MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm, &requests[3]));
    OK(MPI_Iscan(&own, &scanned, 1, MPI_DOUBLE, MPI_SUM, comm, &requests[4]));
    OK(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
    CHECK(told == 77 && sum == size * (size - 1) / 2 && all[size - 1] == size - 1);
    CHECK(scanned == rank * (rank + 1) / 2.0);

    /* Between a nonblocking barrier and its completion messages go on. */
    OK(MPI_Ibarrier(comm, &barrier));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
                    MPI_STATUS_IGNORE));
    CHECK(got == (rank + size - 1) % size);
    while (!flag)
        OK(MPI_Test(&barrier, &flag, MPI_STATUS_IGNORE));

    OK(MPI_Allreduce_init(&told, &largest, 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &persistent));
    for (int round = 0; round < 3; round++) {
        told = round + rank;
        OK(MPI_Start(&persistent));
        OK(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
        CHECK(largest == round + size - 1);
    }
    OK(MPI_Request_free(&persistent));
    free(all);
}

static void all_in(MPI_Comm comm)
{
    int rank, size;

    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    from_and_to_a_root(comm, rank, size);
    from_all_to_all(comm, rank, size);
    of_several_sizes(comm, rank, size);
    combined(comm, rank, size);
    in_the_order_of_ranks(comm, rank, size);
    scanned(comm, rank, size);
    combined_and_scattered(comm, rank, size);
    begun(comm, rank, size);
    OK(MPI_Barrier(comm));
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    int rank, size;

    begin(&argc, &argv, &rank, &size);
    all_in(MPI_COMM_WORLD);
    all_in(MPI_COMM_SELF);
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    all_in(half);
    OK(MPI_Comm_free(&half));
    OK(MPI_Finalize());
    return 0;
}
