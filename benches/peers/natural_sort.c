/* A radix sort as a program on MPI would have it, with the calls of the library alone: counts, MPI_Exscan and MPI_Allreduce,
 * a message to each rank that gets keys, and a barrier in each pass. The keys are those of `radix_sort.c`. Line by
 * line the same as crates/cli/src/bench/apps/natural_sort.rs.
 * Arguments: barrier or ibarrier, the number of keys a rank, the bits of a pass. */
#include "common.h"

typedef struct { uint32_t position, key; } move_t;
enum { TAG_MOVES = 18 };

static void natural_sort(uint32_t **keys, int n, int bits) {
    size_t ranks = (size_t)size, digits = (size_t)1 << bits, each = (size_t)n;
    uint64_t *counts = room(digits, sizeof *counts), *totals = room(digits, sizeof *totals);
    uint64_t *before = room(digits, sizeof *before), *next = room(digits, sizeof *next);
    uint32_t *x = *keys, *sorted = room(each, sizeof *sorted);
    move_t **moves = room(ranks, sizeof *moves), *came = room(each, sizeof *came);
    int *filled = room(ranks, sizeof *filled);
    MPI_Request *requests = room(ranks, sizeof *requests);
    for (int r = 0; r < size; r++) moves[r] = room(each, sizeof **moves);
    for (int shift = 0; shift < 32; shift += bits) {
#define DIGIT(key) ((size_t)((key) >> shift) & (digits - 1))
        /* How many keys have each digit: here, on all ranks before, on all ranks. */
        memset(counts, 0, digits * sizeof *counts);
        for (int i = 0; i < n; i++) counts[DIGIT(x[i])]++;
        MPI_Exscan(counts, before, (int)digits, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) memset(before, 0, digits * sizeof *before);
        MPI_Allreduce(counts, totals, (int)digits, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);

        /* The index among all keys of our next key with each digit. */
        uint64_t first = 0;
        for (size_t d = 0; d < digits; d++) next[d] = first + before[d], first += totals[d];

        /* Each key, with its position at the rank that it goes to. */
        memset(filled, 0, ranks * sizeof *filled);
        for (int i = 0; i < n; i++) {
            uint64_t index = next[DIGIT(x[i])]++;
            size_t to = index / each;
            moves[to][filled[to]++] = (move_t){(uint32_t)(index % each), x[i]};
        }

        /* A message to each rank that gets some; ours need none. */
        int sends = 0, placed = filled[rank];
        for (int k = 1; k < size; k++) {
            int to = (rank + k) % size;
            if (filled[to])
                MPI_Isend(moves[to], filled[to] * 2, MPI_UINT32_T, to, TAG_MOVES, MPI_COMM_WORLD,
                          &requests[sends++]);
        }
        for (int i = 0; i < placed; i++) sorted[moves[rank][i].position] = moves[rank][i].key;

        /* All ranks have as many keys after as before. MPI_Ibarrier need not complete here, though a message may come
         * from any rank: nobody sends those of the next pass before all have entered its MPI_Allreduce. */
        while (placed < n) {
            MPI_Status status;
            int words;
            MPI_Recv(came, n * 2, MPI_UINT32_T, MPI_ANY_SOURCE, TAG_MOVES, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_UINT32_T, &words);
            for (int i = 0; i < words / 2; i++) sorted[came[i].position] = came[i].key;
            placed += words / 2;
        }
        MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
        uint32_t *old = x;
        x = sorted, sorted = old;
        barrier();
    }
    *keys = x;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int n = (int)argument(argc, argv, 2, "the keys a rank");
    int bits = (int)argument(argc, argv, 3, "the bits of a pass");
    if (n < 1 || bits < 1 || bits > 16) fail("there must be keys, and 1 to 16 bits");
    uint32_t *x = room((size_t)n, sizeof *x);
    uint64_t random = (uint64_t)rank + 1, digest = (uint64_t)rank;
    for (int i = 0; i < n; i++) x[i] = (uint32_t)next_random(&random);
    start_clock();
    natural_sort(&x, n, bits);
    stop_clock();
    for (int i = 1; i < n; i++)
        if (x[i - 1] > x[i]) fail("the keys are out of order");
    for (int i = 0; i < n; i++) digest = digest_of(digest, x[i]);
    print_sample("natural-sort", digest);
    MPI_Finalize();
    return 0;
}
