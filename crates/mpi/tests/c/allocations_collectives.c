/* A steady loop of collectives allocates nothing, whatever their form: in place, with gaps, with any operator, blocks of
 * several sizes, nonblocking, persistent. What is left has its bound in the list at the end. */
#define WARM_UP 60
#define COUNTED 20
#include "allocations.h"

enum { SHORT = 4, MIDDLE = 1000, LONG = 3000, MOST_RANKS = 8, AT_ONCE = 5 };

static int rank, size;
static MPI_Datatype every_second;
static MPI_Op user;
static MPI_Comm ring;

static double own[LONG], result[LONG], blocks[MOST_RANKS * LONG], others[MOST_RANKS * LONG];
static int counts[MOST_RANKS], displacements[MOST_RANKS], bytes[MOST_RANKS];
static MPI_Datatype datatypes[MOST_RANKS];

static void add(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int at = 0; at < *count; at++)
        ((double *)inout)[at] += ((double *)in)[at];
}

static void fill(double *data, int count)
{
    for (int at = 0; at < count; at++)
        data[at] = rank + 1;
}

/* The sum of what the first ranks have. */
static double sum_of(int ranks) { return ranks * (ranks + 1) / 2.0; }

/* Some element of the data is this. */
static void expect(double *data, int count, double value)
{
    CHECK(data[0] == value && data[count - 1] == value);
    data[0] = data[count - 1] = -1;
}

/* The last element of the block of each rank is what it gave. */
static void expect_each(int count)
{
    for (int from = 0; from < size; from++) {
        CHECK(others[(from + 1) * count - 1] == from + 1);
        others[(from + 1) * count - 1] = -1;
    }
}

/* In place. */

static void reduce_in_place(void)
{
    if (rank == 0)
        OK(MPI_Reduce(MPI_IN_PLACE, result, SHORT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    else
        OK(MPI_Reduce(own, NULL, SHORT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    if (rank == 0) {
        expect(result, SHORT, sum_of(size));
        fill(result, SHORT);
    }
}

static void scan_in_place(void)
{
    fill(result, MIDDLE);
    OK(MPI_Scan(MPI_IN_PLACE, result, MIDDLE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    expect(result, MIDDLE, sum_of(rank + 1));
}

static void exscan_in_place(void)
{
    fill(result, SHORT);
    OK(MPI_Exscan(MPI_IN_PLACE, result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    expect(result, SHORT, rank == 0 ? 1 : sum_of(rank));
}

static void allgather_in_place(void)
{
    fill(others + rank * SHORT, SHORT);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD));
    expect_each(SHORT);
}

static void alltoall_in_place(void)
{
    fill(others, size * SHORT);
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD));
    expect_each(SHORT);
}

static void gather_and_scatter_in_place(void)
{
    fill(others, SHORT);
    if (rank == 0)
        OK(MPI_Gather(MPI_IN_PLACE, 0, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    else
        OK(MPI_Gather(own, SHORT, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    if (rank == 0)
        OK(MPI_Scatter(others, SHORT, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    else
        OK(MPI_Scatter(NULL, 0, MPI_DOUBLE, result, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    if (rank == 0)
        expect_each(SHORT);
    else
        expect(result, SHORT, rank + 1);
}

/* Of whatever operator. */

static void exscan(void)
{
    OK(MPI_Exscan(own, rank == 0 ? NULL : result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    if (rank > 0)
        expect(result, SHORT, sum_of(rank));
}

static void allreduce_by_bits(void)
{
    int bit = 1 << rank, all = 0;
    OK(MPI_Allreduce(&bit, &all, 1, MPI_INT, MPI_BXOR, MPI_COMM_WORLD));
    CHECK(all == (1 << size) - 1);
}

static void allreduce_of_pairs(void)
{
    struct { double value; int at; } pair = {-rank, rank}, least;
    OK(MPI_Allreduce(&pair, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
    CHECK(least.at == size - 1 && least.value == 1 - size);
}

static void allreduce_by_program(void)
{
    OK(MPI_Allreduce(own, result, MIDDLE, MPI_DOUBLE, user, MPI_COMM_WORLD));
    expect(result, MIDDLE, sum_of(size));
}

static void reduce_by_program(void)
{
    OK(MPI_Reduce(own, result, SHORT, MPI_DOUBLE, user, size - 1, MPI_COMM_WORLD));
    if (rank == size - 1)
        expect(result, SHORT, sum_of(size));
}

static void scan_by_program(void)
{
    OK(MPI_Scan(own, result, SHORT, MPI_DOUBLE, user, MPI_COMM_WORLD));
    expect(result, SHORT, sum_of(rank + 1));
}

static void reduce_scatter_block(void)
{
    OK(MPI_Reduce_scatter_block(blocks, result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    expect(result, SHORT, sum_of(size));
}

static void reduce_scatter(void)
{
    OK(MPI_Reduce_scatter(blocks, result, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    expect(result, counts[rank], sum_of(size));
}

/* With gaps. */

static void bcast_with_gaps(void)
{
    double gaps[2 * SHORT] = {0};
    gaps[6] = rank;
    OK(MPI_Bcast(gaps, 1, every_second, size - 1, MPI_COMM_WORLD));
    CHECK(gaps[6] == size - 1 && gaps[5] == 0);
}

static void gather_with_gaps(void)
{
    OK(MPI_Gather(own, 1, every_second, others, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    if (rank == 0)
        expect_each(SHORT);
}

static void alltoall_with_gaps(void)
{
    MPI_Request request;
    OK(MPI_Alltoall(blocks, 1, every_second, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD));
    expect_each(SHORT);
    OK(MPI_Ialltoall(blocks, 1, every_second, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_each(SHORT);
}

/* Blocks of several sizes: rank r has r + 1 elements. */

static void expect_listed(void)
{
    for (int from = 0; from < size; from++) {
        CHECK(others[displacements[from] + counts[from] - 1] == from + 1);
        others[displacements[from] + counts[from] - 1] = -1;
    }
}

static void gatherv(void)
{
    OK(MPI_Gatherv(own, rank + 1, MPI_DOUBLE, others, counts, displacements, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    if (rank == 0)
        expect_listed();
}

static void scatterv(void)
{
    OK(MPI_Scatterv(blocks, counts, displacements, MPI_DOUBLE, result, rank + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    expect(result, rank + 1, 1);
}

static void allgatherv(void)
{
    OK(MPI_Allgatherv(own, rank + 1, MPI_DOUBLE, others, counts, displacements, MPI_DOUBLE, MPI_COMM_WORLD));
    expect_listed();
}

/* All blocks have as many elements as the rank that gets them. */
static int all_alike[MOST_RANKS];

static void alltoallv(void)
{
    static int places[MOST_RANKS];
    for (int from = 0; from < size; from++)
        all_alike[from] = rank + 1, places[from] = from * (rank + 1);
    OK(MPI_Alltoallv(blocks, counts, displacements, MPI_DOUBLE, others, all_alike, places, MPI_DOUBLE, MPI_COMM_WORLD));
    expect_each(rank + 1);
}

static void alltoallw(void)
{
    static int ones[MOST_RANKS] = {1, 1, 1, 1, 1, 1, 1, 1};
    OK(MPI_Alltoallw(blocks, ones, bytes, datatypes, others, ones, bytes, datatypes, MPI_COMM_WORLD));
    expect_each(1);
}

/* Nonblocking. */

static MPI_Request request;
static void wait_for_it(void) { OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); }

static void ibarrier(void)
{
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    wait_for_it();
}

static void ibcast(void)
{
    result[0] = rank + 1;
    OK(MPI_Ibcast(result, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request));
    wait_for_it();
    CHECK(result[0] == 1);
}

static void ireduce(void)
{
    OK(MPI_Ireduce(own, result, SHORT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request));
    wait_for_it();
    if (rank == 0)
        expect(result, SHORT, sum_of(size));
}

static void iallreduce_of(int count, MPI_Op op)
{
    OK(MPI_Iallreduce(own, result, count, MPI_DOUBLE, op, MPI_COMM_WORLD, &request));
    wait_for_it();
    expect(result, count, sum_of(size));
}

static void iallreduce(void) { iallreduce_of(SHORT, MPI_SUM); }
static void iallreduce_middle(void) { iallreduce_of(MIDDLE, MPI_SUM); }
static void iallreduce_long(void) { iallreduce_of(LONG, MPI_SUM); }
static void iallreduce_by_program(void) { iallreduce_of(SHORT, user); }

static void iallreduce_tested(void)
{
    int flag = 0;
    OK(MPI_Iallreduce(own, result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
    while (!flag)
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    expect(result, SHORT, sum_of(size));
}

static void iallreduce_several(void)
{
    MPI_Request all[AT_ONCE];
    for (int at = 0; at < AT_ONCE; at++)
        OK(MPI_Iallreduce(own, others + at * LONG, 10 * SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &all[at]));
    OK(MPI_Waitall(AT_ONCE, all, MPI_STATUSES_IGNORE));
    for (int at = 0; at < AT_ONCE; at++)
        expect(others + at * LONG, 10 * SHORT, sum_of(size));
}

static void iscan(void)
{
    OK(MPI_Iscan(own, result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
    wait_for_it();
    expect(result, SHORT, sum_of(rank + 1));
    OK(MPI_Iexscan(own, result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
    wait_for_it();
    if (rank > 0)
        expect(result, SHORT, sum_of(rank));
}

static void igather_and_iscatter(void)
{
    OK(MPI_Igather(own, SHORT, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request));
    wait_for_it();
    if (rank == 0)
        expect_each(SHORT);
    OK(MPI_Iscatter(blocks, SHORT, MPI_DOUBLE, result, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request));
    wait_for_it();
    expect(result, SHORT, 1);
}

static void iallgather(void)
{
    OK(MPI_Iallgather(own, SHORT, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD, &request));
    wait_for_it();
    expect_each(SHORT);
}

static void ialltoall(void)
{
    OK(MPI_Ialltoall(blocks, SHORT, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD, &request));
    wait_for_it();
    expect_each(SHORT);
}

static void ialltoall_long(void)
{
    OK(MPI_Ialltoall(blocks, LONG, MPI_DOUBLE, others, LONG, MPI_DOUBLE, MPI_COMM_WORLD, &request));
    wait_for_it();
    expect_each(LONG);
}

static void ireduce_scatter_block(void)
{
    OK(MPI_Ireduce_scatter_block(blocks, result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
    wait_for_it();
    expect(result, SHORT, sum_of(size));
}

/* Persistent. Made in main. */
static MPI_Request prepared[3];

static void persistent(int kind)
{
    OK(MPI_Start(&prepared[kind]));
    OK(MPI_Wait(&prepared[kind], MPI_STATUS_IGNORE));
}

static void persistent_allreduce(void)
{
    persistent(0);
    expect(result, SHORT, sum_of(size));
}

static void persistent_allgatherv(void)
{
    persistent(1);
    expect_listed();
}

static void persistent_alltoall(void)
{
    persistent(2);
    expect_each(SHORT);
}

/* Of neighbours, in a ring. */
static void neighbours(void)
{
    OK(MPI_Neighbor_alltoall(own, SHORT, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, ring));
    CHECK(others[SHORT - 1] == (rank + size - 1) % size + 1 && others[2 * SHORT - 1] == (rank + 1) % size + 1);
}

static const struct kind kinds[] = {
    ALL(reduce_in_place), ALL(scan_in_place), ALL(exscan_in_place), ALL(allgather_in_place), ALL(alltoall_in_place),
    ALL(gather_and_scatter_in_place), ALL(exscan), ALL(allreduce_by_bits), ALL(allreduce_of_pairs),
    MESSAGES(allreduce_by_program), MESSAGES(reduce_by_program), ALL(scan_by_program), ALL(reduce_scatter_block),
    MESSAGES(reduce_scatter), ALL(bcast_with_gaps), ALL(gather_with_gaps), ALL(alltoall_with_gaps), MESSAGES(gatherv), MESSAGES(scatterv),
    ALL(allgatherv), MESSAGES(alltoallv), MESSAGES(alltoallw), ALL(ibarrier), MESSAGES(ibcast), MESSAGES(ireduce), ALL(iallreduce),
    MESSAGES(iallreduce_middle), ALL(iallreduce_long), ALL(iallreduce_by_program), ALL(iallreduce_tested),
    MESSAGES(iallreduce_several), ALL(iscan), MESSAGES(igather_and_iscatter), ALL(iallgather), ALL(ialltoall), ALL(ialltoall_long),
    ALL(ireduce_scatter_block), ALL(persistent_allreduce), ALL(persistent_allgatherv), ALL(persistent_alltoall),
    SOME(neighbours, 4),
};

int main(int argc, char **argv)
{
    int is_periodic = 1;

    begin(&argc, &argv, &rank, &size);
    CHECK(size <= MOST_RANKS);
    OK(MPI_Type_vector(SHORT, 1, 2, MPI_DOUBLE, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_Op_create(add, 1, &user));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &ring));
    fill(own, LONG);
    fill(result, LONG);
    fill(blocks, MOST_RANKS * LONG);
    for (int at = 0, place = 0; at < size; at++) {
        counts[at] = at + 1, displacements[at] = place, datatypes[at] = MPI_DOUBLE, bytes[at] = at * (int)sizeof *own;
        place += at + 1;
    }
    OK(MPI_Allreduce_init(own, result, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &prepared[0]));
    OK(MPI_Allgatherv_init(own, rank + 1, MPI_DOUBLE, others, counts, displacements, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL, &prepared[1]));
    OK(MPI_Alltoall_init(blocks, SHORT, MPI_DOUBLE, others, SHORT, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL, &prepared[2]));
    count_all(kinds, sizeof kinds / sizeof *kinds, rank, size);
    for (int kind = 0; kind < 3; kind++)
        OK(MPI_Request_free(&prepared[kind]));
    OK(MPI_Comm_free(&ring));
    OK(MPI_Op_free(&user));
    OK(MPI_Type_free(&every_second));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
