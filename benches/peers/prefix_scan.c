/* The prefix scan of `runahead bench app --app prefix-scan` on MPI: scans of the same random elements,
 * each of what the one before left.
 * Arguments: barrier or ibarrier, the number of scans, the number of elements a rank. */
#include "common.h"
#include "cluster_scan.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    uint64_t scans = argument(argc, argv, 2, "the scans");
    size_t n = argument(argc, argv, 3, "the elements a rank");
    uint64_t *x = room(n, sizeof *x), random = (uint64_t)rank + 1;
    for (size_t i = 0; i < n; i++) x[i] = next_random(&random);
    start_clock();
    for (uint64_t scan = 0; scan < scans; scan++) cluster_scan(x, n);
    stop_clock();
    uint64_t digest = (uint64_t)rank;
    for (size_t i = 0; i < n; i++) digest = digest_of(digest, x[i]);
    print_sample("prefix-scan", digest);
    MPI_Finalize();
    return 0;
}
