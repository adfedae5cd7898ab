/* An exchange of halos with two neighbours, and work, in turn, on MPI. The ranks stand in a ring. The same as
 * crates/cli/src/bench/apps/halo_loop.rs.
 * Arguments: barrier or ibarrier (there is none in the loop), the bytes of a halo, the number of steps, the rounds of work
 * in each. */
#include "common.h"

enum { LEFTWARDS = 1, RIGHTWARDS = 2 };

static uint64_t rotate_left(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

int main(int argc, char **argv) {
    begin(argc, argv);
    uint64_t n = argument(argc, argv, 2, "the bytes of a halo") / 8;
    uint64_t steps = argument(argc, argv, 3, "the steps"), rounds = argument(argc, argv, 4, "the rounds of a step");
    if (n < 1 || n > INT32_MAX) fail("there must be elements, and fewer than 2^31");
    uint64_t *left = room(n, sizeof *left), *right = room(n, sizeof *right), digest = (uint64_t)rank;
    uint64_t *from_left = room(n, sizeof *from_left), *from_right = room(n, sizeof *from_right);
    int count = (int)n, at_left = (rank + size - 1) % size, at_right = (rank + 1) % size;
    for (uint64_t i = 0; i < n; i++) left[i] = i + 2 * (uint64_t)rank * n, right[i] = left[i] + n;
    start_clock();
    for (uint64_t step = 0; step < steps; step++) {
        MPI_Request all[4];
        MPI_Irecv(from_left, count, MPI_UINT64_T, at_left, RIGHTWARDS, MPI_COMM_WORLD, &all[0]);
        MPI_Irecv(from_right, count, MPI_UINT64_T, at_right, LEFTWARDS, MPI_COMM_WORLD, &all[1]);
        MPI_Isend(left, count, MPI_UINT64_T, at_left, LEFTWARDS, MPI_COMM_WORLD, &all[2]);
        MPI_Isend(right, count, MPI_UINT64_T, at_right, RIGHTWARDS, MPI_COMM_WORLD, &all[3]);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        compute(rounds);
        uint64_t at = step % n, next = (step + 1) % n;
        left[next] += rotate_left(from_right[at], 1);
        right[next] ^= rotate_left(from_left[at], 3);
    }
    stop_clock();
    for (uint64_t i = 0; i < n; i++) digest = digest_of(digest, from_left[i]);
    for (uint64_t i = 0; i < n; i++) digest = digest_of(digest, from_right[i]);
    print_sample("halo-loop", digest);
    MPI_Finalize();
    return 0;
}
