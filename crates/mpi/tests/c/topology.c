/* Topologies and neighbourhood collectives: grids, graphs, distributed graphs. Any number of ranks. */
#include "check.h"

enum { MOST = 64 };

/* In a grid, what a rank gives to one side comes in at its neighbour from the other. */
static void exchange(MPI_Comm comm, int ndims)
{
    int rank, sent[2 * MOST], received[2 * MOST], again[2 * MOST];
    OK(MPI_Comm_rank(comm, &rank));
    for (int block = 0; block < 2 * ndims; block++) {
        sent[block] = 1000 * rank + block;
        received[block] = again[block] = -1;
    }
    OK(MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm));
    MPI_Request request;
    OK(MPI_Ineighbor_alltoall(sent, 1, MPI_INT, again, 1, MPI_INT, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int direction = 0; direction < ndims; direction++) {
        int ends[2];
        OK(MPI_Cart_shift(comm, direction, 1, &ends[0], &ends[1]));
        for (int side = 0; side < 2; side++) {
            int block = 2 * direction + side;
            int expected = ends[side] == MPI_PROC_NULL ? -1 : 1000 * ends[side] + (block ^ 1);
            CHECK(received[block] == expected && again[block] == expected);
        }
    }
}

static void grids(int rank, int size)
{
    int dims[2] = {0, 0}, bad[2] = {-1, 0}, periods[2] = {1, 0}, found, coords[2], shape[2], wraps[2];
    OK(MPI_Dims_create(size, 2, dims));
    CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
    FAILS(MPI_Dims_create(size, 2, bad), MPI_ERR_DIMS);
    MPI_Comm grid, row, dup, small;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    OK(MPI_Topo_test(grid, &found));
    CHECK(found == MPI_CART);
    OK(MPI_Cart_get(grid, 2, shape, wraps, coords));
    CHECK(shape[0] == dims[0] && shape[1] == dims[1] && wraps[0] == 1 && wraps[1] == 0);
    CHECK(coords[0] * dims[1] + coords[1] == rank);
    coords[0] += dims[0];
    OK(MPI_Cart_rank(grid, coords, &found));
    CHECK(found == rank);
    coords[1] = dims[1];
    FAILS(MPI_Cart_rank(grid, coords, &found), MPI_ERR_ARG);
    FAILS(MPI_Cart_coords(grid, size, 2, coords), MPI_ERR_RANK);
    FAILS(MPI_Cart_coords(grid, 0, 1, coords), MPI_ERR_ARG);
    FAILS(MPI_Cart_shift(grid, 2, 1, &found, &found), MPI_ERR_ARG);
    FAILS(MPI_Cartdim_get(MPI_COMM_WORLD, &found), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Neighbor_alltoall(dims, 1, MPI_INT, shape, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
    exchange(grid, 2);

    OK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &found));
    CHECK(found == rank);
    int one = 1;
    OK(MPI_Cart_map(MPI_COMM_WORLD, 1, &one, periods, &found));
    CHECK(found == (rank == 0 ? 0 : MPI_UNDEFINED));

    int remain[2] = {0, 1};
    OK(MPI_Cart_sub(grid, remain, &row));
    OK(MPI_Cartdim_get(row, &found));
    CHECK(found == 1);
    OK(MPI_Comm_size(row, &found));
    CHECK(found == dims[1]);
    exchange(row, 1);
    OK(MPI_Comm_dup(grid, &dup));
    exchange(dup, 2);

    /* A ring of two, whose ends are the same rank on both sides; the others have no place. */
    int two = size < 2 ? size : 2, around = 1, large = size + 1;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &around, 1, &small));
    CHECK((small == MPI_COMM_NULL) == (rank >= two));
    if (small != MPI_COMM_NULL) {
        exchange(small, 1);
        OK(MPI_Comm_free(&small));
    }
    FAILS(MPI_Cart_create(MPI_COMM_WORLD, 1, &large, &around, 0, &small), MPI_ERR_ARG);
    OK(MPI_Comm_free(&grid));
    OK(MPI_Comm_free(&row));
    OK(MPI_Comm_free(&dup));
}

/* A star: the first rank is the neighbour of all others, and they are its. */
static void graphs(int rank, int size)
{
    int index[MOST], edges[2 * MOST], count = 0, nodes, found;
    for (int other = 1; other < size; other++)
        edges[count++] = other;
    index[0] = count;
    for (int other = 1; other < size; other++) {
        edges[count++] = 0;
        index[other] = count;
    }
    MPI_Comm star;
    OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &star));
    OK(MPI_Comm_set_errhandler(star, MPI_ERRORS_RETURN));
    OK(MPI_Graphdims_get(star, &nodes, &found));
    CHECK(nodes == size && found == count);
    OK(MPI_Graph_neighbors_count(star, rank, &found));
    CHECK(found == (rank == 0 ? size - 1 : 1 - (size == 1)));
    int values[MOST];
    OK(MPI_Graph_neighbors(star, 0, MOST, values));
    for (int other = 1; other < size; other++)
        CHECK(values[other - 1] == other);
    memset(values, 0, sizeof values);
    OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, values, 1, MPI_INT, star));
    for (int other = 1; other < size; other++)
        CHECK(rank == 0 ? values[other - 1] == other : values[0] == 0);
    FAILS(MPI_Graph_neighbors(star, size, MOST, values), MPI_ERR_RANK);
    int told[MOST], ends[2 * MOST];
    OK(MPI_Graph_get(star, MOST, 2 * MOST, told, ends));
    CHECK(memcmp(told, index, size * sizeof(int)) == 0 && memcmp(ends, edges, count * sizeof(int)) == 0);
    OK(MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &found));
    CHECK(found == rank);
    int alone = 0;
    OK(MPI_Graph_map(MPI_COMM_WORLD, 1, &alone, edges, &found));
    CHECK(found == (rank == 0 ? 0 : MPI_UNDEFINED));
    edges[0] = size;
    if (size > 1)
        FAILS(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &star), MPI_ERR_ARG);
    else
        OK(MPI_Comm_free(&star));
}

/* A ring that the last rank alone describes, with two edges from each rank to the next. */
static void distributed(int rank, int size)
{
    int sources[MOST], degrees[MOST], destinations[2 * MOST], weights[2 * MOST];
    for (int node = 0; node < size; node++) {
        sources[node] = node;
        degrees[node] = 2;
        destinations[2 * node] = destinations[2 * node + 1] = (node + 1) % size;
        weights[2 * node] = 10 * node + 1;
        weights[2 * node + 1] = 10 * node + 2;
    }
    MPI_Comm ring, same;
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, rank == size - 1 ? size : 0, sources, degrees, destinations,
                             rank == size - 1 ? weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &ring));
    int in, out, weighted, from[2], to[2], in_weights[2], out_weights[2];
    int before = (rank + size - 1) % size, after = (rank + 1) % size;
    OK(MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted));
    CHECK(in == 2 && out == 2 && weighted);
    OK(MPI_Dist_graph_neighbors(ring, 2, from, in_weights, 2, to, out_weights));
    CHECK(from[0] == before && from[1] == before && to[0] == after && to[1] == after);
    CHECK(in_weights[0] == 10 * before + 1 && in_weights[1] == 10 * before + 2);
    CHECK(out_weights[0] == 10 * rank + 1 && out_weights[1] == 10 * rank + 2);

    /* Blocks of two edges of one pair keep their order, and their counts. */
    int sent[3] = {100 * rank, 100 * rank + 1, 100 * rank + 2}, received[3] = {-1, -1, -1};
    int counts[2] = {1, 2}, places[2] = {0, 1};
    OK(MPI_Neighbor_alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, ring));
    for (int at = 0; at < 3; at++)
        CHECK(received[at] == 100 * before + at);
    MPI_Aint bytes[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    memset(received, 0, sizeof received);
    OK(MPI_Neighbor_alltoallw(sent, counts, bytes, types, received, counts, bytes, types, ring));
    CHECK(received[0] == 100 * before && received[2] == 100 * before + 2);

    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &same));
    OK(MPI_Dist_graph_neighbors_count(same, &in, &out, &weighted));
    CHECK(in == 1 && out == 1 && !weighted);
    MPI_Request request;
    OK(MPI_Neighbor_allgather_init(&rank, 1, MPI_INT, received, 1, MPI_INT, same, MPI_INFO_NULL, &request));
    for (int round = 0; round < 3; round++) {
        received[0] = -1;
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(received[0] == before);
    }
    OK(MPI_Request_free(&request));
    OK(MPI_Comm_free(&ring));
    OK(MPI_Comm_free(&same));
}

int main(int argc, char **argv)
{
    int rank, size;
    begin(&argc, &argv, &rank, &size);
    grids(rank, size);
    graphs(rank, size);
    distributed(rank, size);
    OK(MPI_Finalize());
    return 0;
}
