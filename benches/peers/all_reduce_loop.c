/* Work and a reduction to all, in turn, on MPI. The same as crates/cli/src/bench/apps/all_reduce_loop.rs.
 * Arguments: barrier or ibarrier (there is none in the loop), the bytes a rank gives, the number of steps, the rounds of
 * work in each. */
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    uint64_t n = argument(argc, argv, 2, "the bytes a rank") / 8;
    uint64_t steps = argument(argc, argv, 3, "the steps"), rounds = argument(argc, argv, 4, "the rounds of a step");
    if (n < 1 || n > INT32_MAX) fail("there must be elements, and fewer than 2^31");
    uint64_t *mine = room(n, sizeof *mine), *sums = room(n, sizeof *sums), me = (uint64_t)rank, digest = me;
    for (uint64_t i = 0; i < n; i++) mine[i] = i + me * n;
    start_clock();
    for (uint64_t step = 0; step < steps; step++) {
        compute(rounds);
        MPI_Allreduce(mine, sums, (int)n, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        uint64_t next = (step + 1) % n;
        mine[next] = ((mine[next] + me) ^ sums[step % n]) & UINT32_MAX;
    }
    stop_clock();
    for (uint64_t i = 0; i < n; i++) digest = digest_of(digest, sums[i]);
    print_sample("all-reduce-loop", digest);
    MPI_Finalize();
    return 0;
}
