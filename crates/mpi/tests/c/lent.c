/* Long data of nonblocking collectives, which another rank may read where they lie: they come as they were given, whoever is late,
 * and are the program's again when its call is complete.
 * Source: MPI 5.0, section Nonblocking Collective Operations. SEMANTICS.md: COL-8, FLOW-4. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

/* More than is lent, and not a whole number of pages. */
#define COUNT 60001
#define RANKS 8

static long given[RANKS * COUNT], got[RANKS * COUNT];
static int counts[RANKS], starts[RANKS];
static int rank, size, round_now;

static long element(int from, int to, int at)
{
    return (from * 100L + to) * 1000003L + at * 7L + round_now;
}

/* What this rank has for each, one behind the other. */
static void fill(long *data)
{
    for (int to = 0; to < size; to++)
        for (int at = 0; at < COUNT; at++)
            data[(long)to * COUNT + at] = element(rank, to, at);
}

static void fill_block(long *block, int from, int to)
{
    for (int at = 0; at < COUNT; at++)
        block[at] = element(from, to, at);
}

static void check_block(const long *block, int from, int to)
{
    for (int at = 0; at < COUNT; at++)
        CHECK(block[at] == element(from, to, at));
}

/* In turn, nobody comes late, or one rank does. */
static void come(void)
{
    if (round_now % (size + 1) == rank + 1)
        usleep(3000);
}

/* Completes a call, by looking or by waiting. */
static void complete(MPI_Request request)
{
    int done = 0;

    while (round_now % 2 == 0 && !done)
        OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (!done)
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request == MPI_REQUEST_NULL);
}

/* Writes over what was given, which others may have yet to take. */
static void spoil(long *data)
{
    memset(data, 0xee, sizeof(long) * size * COUNT);
}

static void broadcast(int root)
{
    MPI_Request request;

    fill_block(got, rank, root);
    come();
    OK(MPI_Ibcast(got, COUNT, MPI_LONG, root, MPI_COMM_WORLD, &request));
    complete(request);
    check_block(got, root, root);
    spoil(got);
}

static void gather(int root, int in_place)
{
    MPI_Request request;
    long *own = in_place && rank == root ? got + (long)root * COUNT : given;

    fill_block(own, rank, root);
    come();
    if (in_place && rank == root)
        OK(MPI_Igather(MPI_IN_PLACE, 0, MPI_LONG, got, COUNT, MPI_LONG, root, MPI_COMM_WORLD, &request));
    else
        OK(MPI_Igather(given, COUNT, MPI_LONG, got, COUNT, MPI_LONG, root, MPI_COMM_WORLD, &request));
    complete(request);
    spoil(given);
    for (int from = 0; rank == root && from < size; from++)
        check_block(got + (long)from * COUNT, from, root);
}

static void scatter(int root, int in_place)
{
    MPI_Request request;

    fill(given);
    come();
    if (in_place && rank == root)
        OK(MPI_Iscatter(given, COUNT, MPI_LONG, MPI_IN_PLACE, 0, MPI_LONG, root, MPI_COMM_WORLD, &request));
    else
        OK(MPI_Iscatter(given, COUNT, MPI_LONG, got, COUNT, MPI_LONG, root, MPI_COMM_WORLD, &request));
    complete(request);
    spoil(given);
    if (!(in_place && rank == root))
        check_block(got, root, rank);
}

static void gather_everywhere(int in_place)
{
    MPI_Request request;
    long *own = in_place ? got + (long)rank * COUNT : given;

    fill_block(own, rank, 0);
    come();
    if (in_place)
        OK(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_LONG, got, COUNT, MPI_LONG, MPI_COMM_WORLD, &request));
    else
        OK(MPI_Iallgather(given, COUNT, MPI_LONG, got, COUNT, MPI_LONG, MPI_COMM_WORLD, &request));
    complete(request);
    spoil(given);
    for (int from = 0; from < size; from++)
        check_block(got + (long)from * COUNT, from, 0);
}

/* In place, what comes takes the place of what is given. */
static void exchange(int in_place, int lists)
{
    MPI_Request request;
    const void *from = in_place ? MPI_IN_PLACE : given;

    fill(in_place ? got : given);
    come();
    if (lists)
        OK(MPI_Ialltoallv(from, counts, starts, MPI_LONG, got, counts, starts, MPI_LONG, MPI_COMM_WORLD, &request));
    else
        OK(MPI_Ialltoall(from, COUNT, MPI_LONG, got, COUNT, MPI_LONG, MPI_COMM_WORLD, &request));
    complete(request);
    spoil(given);
    for (int peer = 0; peer < size; peer++)
        check_block(got + (long)peer * COUNT, peer, rank);
}

/* Every other element: what has gaps is copied in the call, so that two such calls may be pending. */
static void with_gaps(void)
{
    static long other[2 * COUNT];
    long *both[] = {given, other};
    MPI_Request requests[2];
    MPI_Datatype sparse;

    OK(MPI_Type_vector(COUNT, 1, 2, MPI_LONG, &sparse));
    OK(MPI_Type_commit(&sparse));
    for (int call = 0; call < 2; call++)
        for (long at = 0; at < 2L * COUNT; at++)
            both[call][at] = rank == 0 ? element(call, 0, (int)(at / 2)) : -1;
    come();
    for (int call = 0; call < 2; call++)
        OK(MPI_Ibcast(both[call], 1, sparse, 0, MPI_COMM_WORLD, &requests[call]));
    for (int call = 0; call < 2; call++) {
        complete(requests[call]);
        for (long at = 0; at < 2L * COUNT - 1; at++)
            CHECK(both[call][at] == (at % 2 == 0 || rank == 0 ? element(call, 0, (int)(at / 2)) : -1));
    }
    spoil(given);
    OK(MPI_Type_free(&sparse));
}

/* Calls that are pending together, completed last first. */
static void together(void)
{
    MPI_Request requests[RANKS];

    fill(given);
    come();
    for (int root = 0; root < size; root++) {
        long *block = rank == root ? given + (long)root * COUNT : got + (long)root * COUNT;

        OK(MPI_Ibcast(block, COUNT, MPI_LONG, root, MPI_COMM_WORLD, &requests[root]));
    }
    for (int root = size - 1; root >= 0; root--) {
        complete(requests[root]);
        if (root == rank)
            spoil(given);
        else
            check_block(got + (long)root * COUNT, root, root);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    CHECK(size <= RANKS);
    for (int peer = 0; peer < size; peer++) {
        counts[peer] = COUNT;
        starts[peer] = peer * COUNT;
    }
    for (round_now = 0; round_now < 2 * (size + 1); round_now++) {
        int root = round_now % size;

        broadcast(root);
        for (int in_place = 0; in_place < 2; in_place++) {
            gather(root, in_place);
            scatter(root, in_place);
            gather_everywhere(in_place);
            exchange(in_place, 0);
            exchange(in_place, 1);
        }
        with_gaps();
        together();
    }
    OK(MPI_Finalize());
    return 0;
}
