/* The radix sort of `runahead bench app --app radix-sort` on MPI: algorithm 5.6 of pakin-2001 with 1-bit
 * digits and the same keys, scans for clusters, MPI_Reduce, MPI_Bcast, and an exchange in which each
 * rank is told how much to expect.
 * Arguments: barrier or ibarrier, the number of keys a rank. */
#include "common.h"
#include "cluster_scan.h"

typedef struct { uint32_t offset, key; } move_t;
enum { TAG_MOVES = 17 };

/* What one sort needs, so that a pass allocates nothing. */
static uint64_t *enumerated, *place, *counts, *totals;
static uint32_t *sorted;
static move_t *moves, *came;
static int *starts, *next;
static MPI_Request *requests;

static void make_room(size_t n) {
    size_t ranks = (size_t)size;
    enumerated = room(n, sizeof *enumerated), place = room(n, sizeof *place);
    sorted = room(n, sizeof *sorted), moves = room(n, sizeof *moves), came = room(n, sizeof *came);
    starts = room(ranks + 1, sizeof *starts), next = room(ranks + 1, sizeof *next);
    counts = room(ranks, sizeof *counts), totals = room(ranks, sizeof *totals);
    requests = room(ranks, sizeof *requests);
}

/* The how-many-th of all keys with its bit each key is, counted from 1; returns how many are even. */
static uint64_t enumerate(const uint32_t *x, int n, int shift) {
    uint64_t even = 0, all_even = 0;
    for (uint32_t value = 0; value < 2; value++) {
        uint64_t sum = 0;
        for (int i = 0; i < n; i++) sum += enumerated[i] = (x[i] >> shift & 1) == value;
        if (value == 0) even = sum;
        cluster_scan(enumerated, (size_t)n);
        for (int i = 0; i < n; i++)
            place[i] = (x[i] >> shift & 1) == value ? enumerated[i] : place[i];
    }
    MPI_Reduce(&even, &all_even, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(&all_even, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return all_even;
}

/* The moves of all keys, counting-sorted by the rank that they go to. */
static void by_target(const uint32_t *x, int n, int shift, uint64_t all_even) {
#define INDEX(i) ((x[i] >> shift & 1 ? all_even : 0) + place[i] - 1)
    memset(starts, 0, ((size_t)size + 1) * sizeof *starts);
    /* Keys with the same bit have indices that ascend. */
    int to[2] = {0, 0};
    for (int i = 0; i < n; i++) {
        int *t = &to[x[i] >> shift & 1];
        while (INDEX(i) >= (uint64_t)(*t + 1) * (uint64_t)n) ++*t;
        starts[*t + 1]++;
    }
    for (int r = 0; r < size; r++) starts[r + 1] += starts[r];
    memcpy(next, starts, ((size_t)size + 1) * sizeof *next);
    to[0] = to[1] = 0;
    for (int i = 0; i < n; i++) {
        int *t = &to[x[i] >> shift & 1];
        uint64_t index = INDEX(i);
        while (index >= (uint64_t)(*t + 1) * (uint64_t)n) ++*t;
        moves[next[*t]++] = (move_t){(uint32_t)(index - (uint64_t)*t * (uint64_t)n), x[i]};
    }
}

static void exchange(int n) {
    /* How much to expect, then whoever has something sends it. */
    for (int r = 0; r < size; r++) counts[r] = r == rank ? 0 : (uint64_t)(starts[r + 1] - starts[r]);
    MPI_Reduce(counts, totals, size, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(totals, size, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    int sends = 0;
    for (int k = 1; k < size; k++) {
        int to = (rank + k) % size;
        if (counts[to])
            MPI_Isend(moves + starts[to], (int)counts[to] * 2, MPI_UINT32_T, to, TAG_MOVES,
                      MPI_COMM_WORLD, &requests[sends++]);
    }
    for (int i = starts[rank]; i < starts[rank + 1]; i++) sorted[moves[i].offset] = moves[i].key;
    complete_barriers();
    for (uint64_t expected = totals[rank]; expected > 0;) {
        MPI_Status status;
        int words;
        MPI_Recv(came, n * 2, MPI_UINT32_T, MPI_ANY_SOURCE, TAG_MOVES, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_UINT32_T, &words);
        for (int i = 0; i < words / 2; i++) sorted[came[i].offset] = came[i].key;
        expected -= (uint64_t)words / 2;
    }
    MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
}

static void radix_sort(uint32_t *x, int n) {
    make_room((size_t)n);
    for (int shift = 0; shift < 32; shift++) {
        by_target(x, n, shift, enumerate(x, n, shift));
        exchange(n);
        memcpy(x, sorted, (size_t)n * sizeof *x);
        barrier();
    }
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int n = (int)argument(argc, argv, 2, "the keys a rank");
    uint32_t *x = room((size_t)n, sizeof *x);
    uint64_t random = (uint64_t)rank + 1, digest = (uint64_t)rank;
    for (int i = 0; i < n; i++) x[i] = (uint32_t)next_random(&random);
    start_clock();
    radix_sort(x, n);
    stop_clock();
    for (int i = 1; i < n; i++)
        if (x[i - 1] > x[i]) fail("the keys are out of order");
    for (int i = 0; i < n; i++) digest = digest_of(digest, x[i]);
    print_sample("radix-sort", digest);
    MPI_Finalize();
    return 0;
}
