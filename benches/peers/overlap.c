/* Whether an MPI_Ibarrier completes while the ranks compute and do not call MPI: each posts it, computes,
 * and then looks once. Counted over all ranks and tries: those where all ranks had entered before the
 * look (`possible`), and those of them where it was complete. A barrier that is complete before all have
 * entered is an error.
 * Arguments: ibarrier, the tries, the rounds of work between the call and the look. */
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    if (!runs_ahead) fail("only MPI_Ibarrier leaves time to compute");
    uint64_t tries = argument(argc, argv, 2, "the tries"), rounds = argument(argc, argv, 3, "the rounds");
    uint64_t mine[3] = {tries, 0, 0}, all[3] = {0, 0, 0};
    for (uint64_t k = 0; k < tries; k++) {
        MPI_Request request;
        int complete;
        uint64_t entered_ns[2], last_ns[2];
        MPI_Barrier(MPI_COMM_WORLD);
        entered_ns[0] = now_ns();
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        entered_ns[1] = now_ns();
        compute(rounds);
        uint64_t before_ns = now_ns();
        MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
        uint64_t after_ns = now_ns();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(entered_ns, last_ns, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
        if (complete && after_ns < last_ns[0]) fail("a barrier was complete before all had entered");
        bool possible = last_ns[1] < before_ns;
        mine[1] += possible, mine[2] += possible && complete;
    }
    print_head("overlap");
    MPI_Reduce(mine, all, 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf(", \"tries\": %" PRIu64 ", \"possible\": %" PRIu64 ", \"complete\": %" PRIu64 "}\n",
               all[0], all[1], all[2]);
    MPI_Finalize();
    return 0;
}
