/* A tool that stands between a program and the library: it counts the sends that the program makes, and says how many. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Finalize(void)
{
    printf("sends: %d\n", sends);
    fflush(stdout);
    return PMPI_Finalize();
}
