/* Procedure 5.1 of pakin-2001 on MPI: barrier, compute, repeat. Its result is how many steps were made.
 * Arguments: barrier or ibarrier, the number of steps, the rounds of work in each. */
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    uint64_t steps = argument(argc, argv, 2, "the steps"), made = 0;
    uint64_t rounds = argument(argc, argv, 3, "the rounds of a step");
    start_clock();
    for (; made < steps; made++) {
        barrier();
        compute(rounds);
    }
    stop_clock();
    print_sample("barrier", made);
    MPI_Finalize();
    return 0;
}
