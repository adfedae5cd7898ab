/* The radix sort of examples/radix_sort in its variant `base`, on MPI: algorithm 5.6 of pakin-2001
 * with 1-bit digits, point-to-point scans for clusters, MPI_Reduce, MPI_Bcast and MPI_Barrier. It is
 * the opponent that shows whether `base` is an honest one. It prints one time a sort: the slowest
 * rank's, in seconds. See docs/BENCH.md for the command. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint32_t offset, key; } move_t;
enum { TAG_SCAN = 16, TAG_MOVES = 17 };
static int rank, size;

static uint64_t recv_one(int from) {
    uint64_t v;
    MPI_Recv(&v, 1, MPI_UINT64_T, from, TAG_SCAN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return v;
}

static void send_one(int to, uint64_t v) {
    MPI_Send(&v, 1, MPI_UINT64_T, to, TAG_SCAN, MPI_COMM_WORLD);
}

static void add(uint64_t *x, int n, uint64_t before) {
    for (int i = 0; i < n; i++) x[i] += before;
}

/* Algorithm 5.4. */
static void cluster_scan(uint64_t *x, int n) {
    int power = 1, rounds = 0;
    while (power < size) power *= 2, rounds++;
    for (int j = 1; j < n; j++) x[j] += x[j - 1];
    uint64_t last = n ? x[n - 1] : 0;
    if (rank + 1 < size) send_one(rank + 1, last);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int j = 1; j < rounds; j++) {
        int from = rank - (1 << (j - 1));
        uint64_t before = 0;
        if (from >= 0) before = recv_one(from), last += before;
        if (rank + (1 << j) < size) send_one(rank + (1 << j), last);
        MPI_Barrier(MPI_COMM_WORLD);
        if (from >= 0) add(x, n, before);
    }
    if (size > 1 && rank - power / 2 >= 0) add(x, n, recv_one(rank - power / 2));
}

static void radix_sort(uint32_t *x, int n) {
    uint64_t *enumerated = malloc(n * sizeof *enumerated), *place = malloc(n * sizeof *place);
    uint32_t *sorted = malloc(n * sizeof *sorted);
    move_t *moves = malloc(n * sizeof *moves), *came = malloc(n * sizeof *came);
    int *starts = malloc((size + 1) * sizeof *starts), *next = malloc((size + 1) * sizeof *next);
    uint64_t *counts = malloc(size * sizeof *counts), *totals = malloc(size * sizeof *totals);
    MPI_Request *requests = malloc(size * sizeof *requests);
    for (int shift = 0; shift < 32; shift++) {
        uint64_t even = 0, all_even = 0;
        for (uint32_t value = 0; value < 2; value++) {
            uint64_t sum = 0;
            for (int i = 0; i < n; i++) sum += enumerated[i] = (x[i] >> shift & 1) == value;
            if (value == 0) even = sum;
            cluster_scan(enumerated, n);
            for (int i = 0; i < n; i++)
                place[i] = (x[i] >> shift & 1) == value ? enumerated[i] : place[i];
        }
        MPI_Reduce(&even, &all_even, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(&all_even, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        /* The moves of all keys, counting-sorted by the rank that they go to. */
        memset(starts, 0, (size + 1) * sizeof *starts);
#define INDEX(i) ((x[i] >> shift & 1 ? all_even : 0) + place[i] - 1)
        int to[2] = {0, 0};
        for (int i = 0; i < n; i++) {
            int *t = &to[x[i] >> shift & 1];
            while (INDEX(i) >= (uint64_t)(*t + 1) * n) ++*t;
            starts[*t + 1]++;
        }
        for (int r = 0; r < size; r++) starts[r + 1] += starts[r];
        memcpy(next, starts, (size + 1) * sizeof *next);
        to[0] = to[1] = 0;
        for (int i = 0; i < n; i++) {
            int *t = &to[x[i] >> shift & 1];
            uint64_t index = INDEX(i);
            while (index >= (uint64_t)(*t + 1) * n) ++*t;
            moves[next[*t]++] = (move_t){(uint32_t)(index - (uint64_t)*t * n), x[i]};
        }
        /* How much to expect, then whoever has something sends it. */
        for (int r = 0; r < size; r++) counts[r] = r == rank ? 0 : starts[r + 1] - starts[r];
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
        for (uint64_t expected = totals[rank]; expected > 0;) {
            MPI_Status status;
            int words;
            MPI_Recv(came, n * 2, MPI_UINT32_T, MPI_ANY_SOURCE, TAG_MOVES, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_UINT32_T, &words);
            for (int i = 0; i < words / 2; i++) sorted[came[i].offset] = came[i].key;
            expected -= (uint64_t)words / 2;
        }
        MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
        memcpy(x, sorted, n * sizeof *x);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(enumerated), free(place), free(sorted), free(moves), free(came);
    free(starts), free(next), free(counts), free(totals), free(requests);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int runs = argc > 1 ? atoi(argv[1]) : 1, n = 1 << 18;
    uint32_t *x = malloc(n * sizeof *x);
    for (int run = 0; run < runs; run++) {
        uint64_t seed = 88172645463325252ull + (uint64_t)(rank + size * run) * 7919;
        for (int i = 0; i < n; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            x[i] = (uint32_t)(seed >> 16);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        radix_sort(x, n);
        double mine = MPI_Wtime() - begin, slowest;
        for (int i = 1; i < n; i++)
            if (x[i - 1] > x[i]) MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%.6f\n", slowest);
    }
    MPI_Finalize();
    return 0;
}
