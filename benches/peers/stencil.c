/* The stencil of `runahead bench app --app stencil` on MPI: Jacobi's method on the same field, its rows
 * divided among the ranks, with halo exchange and a barrier in each step.
 * Arguments: barrier or ibarrier, overlap or fence, the steps, the columns, the rows a rank. */
#include "common.h"

enum { TAG_HALO = 1, TAG_DIGEST = 2 };
static size_t width, rows;
static double *now, *next, *halo;
static int above, below;

/* A cell's sum has the order that it has in examples/stencil/field.rs: the same bits come out. */
static void relax(size_t first, size_t end) {
    for (size_t row = first; row < end; row++) {
        const double *restrict here = now + row * width, *restrict up = here - width;
        const double *restrict down = here + width;
        double *restrict to = next + row * width;
        for (size_t i = 1; i + 1 < width; i++)
            to[i] = 0.25 * ((up[i] + down[i]) + (here[i - 1] + here[i + 1]));
    }
}

static void swap(void) {
    double *old = now;
    now = next;
    next = old;
}

/* The rows go out while others are computed: `requests` says when they have. */
static int send_rim(MPI_Request requests[2]) {
    int sends = 0;
    if (above >= 0)
        MPI_Isend(now + width, (int)width, MPI_DOUBLE, above, TAG_HALO, MPI_COMM_WORLD,
                  &requests[sends++]);
    if (below >= 0)
        MPI_Isend(now + rows * width, (int)width, MPI_DOUBLE, below, TAG_HALO, MPI_COMM_WORLD,
                  &requests[sends++]);
    return sends;
}

/* Receives one halo, puts it into its place, and says whose it was. */
static int receive(int from) {
    MPI_Status status;
    MPI_Recv(halo, (int)width, MPI_DOUBLE, from, TAG_HALO, MPI_COMM_WORLD, &status);
    size_t row = status.MPI_SOURCE == above ? 0 : rows + 1;
    memcpy(now + row * width, halo, width * sizeof *halo);
    return status.MPI_SOURCE;
}

static void receive_from_any(void) {
    if (above >= 0 && below >= 0) {
        if (receive(MPI_ANY_SOURCE) == receive(MPI_ANY_SOURCE)) fail("a halo is not of its step");
    } else if (above >= 0 || below >= 0) {
        receive(MPI_ANY_SOURCE);
    }
}

/* Barrier, send, compute the interior, receive, compute the rim. */
static void overlapped_step(void) {
    MPI_Request requests[2];
    barrier();
    int sends = send_rim(requests);
    relax(2, rows);
    complete_barriers();
    receive_from_any();
    relax(1, 2);
    if (rows > 1) relax(rows, rows + 1);
    MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
    swap();
}

/* Compute, send, barrier, receive at once. */
static void fenced_step(void) {
    MPI_Request requests[2];
    relax(1, rows + 1);
    swap();
    int sends = send_rim(requests);
    barrier();
    if (above >= 0) receive(above);
    if (below >= 0) receive(below);
    MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
}

/* From 0 to 1, without 1. */
static double next_fraction(uint64_t *random) {
    double fraction;
    do fraction = (double)(next_random(random) >> 1) * 0x1p-63;
    while (fraction >= 1.0);
    return fraction;
}

/* Each rank makes the whole field, and keeps its rows of it, with one more on either side. */
static void make_field(void) {
    uint64_t random = 1;
    size_t first = (size_t)rank * rows * width, mine = (rows + 2) * width;
    size_t all = ((size_t)size * rows + 2) * width;
    for (size_t at = 0; at < all; at++) {
        double cell = 1.0 + 254.0 * next_fraction(&random);
        if (at >= first && at < first + mine) now[at - first] = cell;
    }
    memcpy(next, now, mine * sizeof *now);
}

/* The whole field is digested cell by cell: each rank goes on where the one above ended. */
static uint64_t digest_field(void) {
    uint64_t digest = width;
    size_t first = rank == 0 ? 0 : width, end = (rows + (rank + 1 == size ? 2 : 1)) * width;
    if (rank > 0)
        MPI_Recv(&digest, 1, MPI_UINT64_T, rank - 1, TAG_DIGEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (size_t at = first; at < end; at++) {
        uint64_t bits;
        memcpy(&bits, &now[at], sizeof bits);
        digest = digest_of(digest, bits);
    }
    if (rank + 1 < size) MPI_Send(&digest, 1, MPI_UINT64_T, rank + 1, TAG_DIGEST, MPI_COMM_WORLD);
    return rank + 1 < size ? 0 : digest;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    bool overlap = argc > 2 && strcmp(argv[2], "overlap") == 0;
    if (!overlap && (argc < 3 || strcmp(argv[2], "fence") != 0))
        fail("the second argument must be overlap or fence");
    uint64_t steps = argument(argc, argv, 3, "the steps");
    width = argument(argc, argv, 4, "the columns"), rows = argument(argc, argv, 5, "the rows a rank");
    if (width == 0 || rows == 0) fail("there must be a row and a column");
    above = rank - 1, below = rank + 1 < size ? rank + 1 : -1;
    now = room((rows + 2) * width, sizeof *now), next = room((rows + 2) * width, sizeof *next);
    halo = room(width, sizeof *halo);
    make_field();
    start_clock();
    for (uint64_t step = 0; step < steps; step++) overlap ? overlapped_step() : fenced_step();
    stop_clock();
    print_sample(overlap ? "stencil-overlap" : "stencil-fence", digest_field());
    MPI_Finalize();
    return 0;
}
