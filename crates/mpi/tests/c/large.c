/* Messages of BYTES bytes, of 4 GiB and more where the test asks for it: blocking, nonblocking, and of a broadcast.
 * Source: MPI 5.0, section on large counts. */
#include "check.h"

/* A page of each so many bytes has something in it; the sender's others are never written. */
enum { EVERY = 1 << 20 };

static int rank, size;

static char mark(MPI_Count at) { return (char)(at / EVERY % 101 + 1); }

static char *filled(MPI_Count bytes)
{
    char *data = calloc(bytes, 1);

    CHECK(data != NULL);
    for (MPI_Count at = 0; at < bytes; at += EVERY)
        data[at] = mark(at);
    data[bytes - 1] = 99;
    return data;
}

static void check(const char *data, MPI_Count bytes)
{
    for (MPI_Count at = 0; at < bytes - 1; at += EVERY)
        CHECK(data[at] == mark(at) && (at == 0 || data[at - 1] == 0));
    CHECK(data[bytes - 1] == 99);
}

int main(int argc, char **argv)
{
    MPI_Count bytes = atoll(getenv("BYTES")), count;
    MPI_Status status;
    MPI_Request request;
    char *data;

    begin(&argc, &argv, &rank, &size);
    for (int way = 0; way < 3; way++) {
        data = rank == 0 ? filled(bytes) : malloc(bytes);
        CHECK(data != NULL);
        if (way == 2) {
            OK(MPI_Bcast_c(data, bytes, MPI_CHAR, 0, MPI_COMM_WORLD));
        } else if (rank == 0 && size > 1) {
            if (way == 0)
                OK(MPI_Send_c(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
            else {
                OK(MPI_Isend_c(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            }
        } else if (rank == 1) {
            if (way == 0)
                OK(MPI_Recv_c(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status));
            else {
                OK(MPI_Irecv_c(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request));
                OK(MPI_Wait(&request, &status));
            }
            OK(MPI_Get_count_c(&status, MPI_CHAR, &count));
            CHECK(count == bytes);
        }
        if (rank == 1 || way == 2)
            check(data, bytes);
        free(data);
    }
    OK(MPI_Finalize());
    return 0;
}
