/* A rank that is killed: who waits for a message from anybody gets an error, for one request and for one of several.
 * The rank that remains says so in the file that TOLD names, since the job itself fails. */
#define _POSIX_C_SOURCE 199309L
#include "check.h"
#include <signal.h>

int main(int argc, char **argv)
{
    int rank, size, got[2], index = -9, count = -9, indices[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    FILE *told;

    begin(&argc, &argv, &rank, &size);
    if (rank == 1)
        raise(SIGKILL);
    told = fopen(getenv("TOLD"), "w");
    for (int at = 0; at < 2; at++)
        OK(MPI_Irecv(&got[at], 1, MPI_INT, MPI_ANY_SOURCE, at, MPI_COMM_WORLD, &requests[at]));
    FAILS(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE), MPI_ERR_PROC_ABORTED);
    CHECK(index == 0 && requests[0] == MPI_REQUEST_NULL);
    FAILS(MPI_Waitsome(2, requests, &count, indices, statuses), MPI_ERR_IN_STATUS);
    CHECK(count == 1 && indices[0] == 1 && statuses[0].MPI_ERROR == MPI_ERR_PROC_ABORTED);
    fputs("lost", told);
    fclose(told);
    return 0;
}
