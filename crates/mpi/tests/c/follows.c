/* Rank 1 ends the job, and rank 0 ends by itself when it hears of that: the job fails since rank 1 has ended it. */
#include "check.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, number;

    begin(&argc, &argv, &rank, &size);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    CHECK(MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    exit(3);
}
