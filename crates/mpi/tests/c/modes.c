/* Ready and buffered sends in each form, an exchange in place that does not wait, and requests that are started again. */
#include "check.h"

static int rank, size, right, left;

/* The receiver has posted its receive, and says so. */
static void ready(void)
{
    int value = 10 + rank, got[3] = { -1, -1, -1 }, i;
    MPI_Request receives[3], sends[2];
    for (i = 0; i < 3; i++)
        OK(MPI_Irecv(&got[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Rsend(&value, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
    OK(MPI_Irsend(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &sends[0]));
    OK(MPI_Rsend_init(&value, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &sends[1]));
    OK(MPI_Start(&sends[1]));
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(3, receives, MPI_STATUSES_IGNORE));
    for (i = 0; i < 3; i++)
        CHECK(got[i] == 10 + left);
    OK(MPI_Request_free(&sends[1]));
}

/* A buffered send is complete whoever receives: the program writes over its data. */
static void buffered(void)
{
    static char room[8 * (sizeof(int) + MPI_BSEND_OVERHEAD)];
    int value = 20 + rank, got = -1, i;
    void *found;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Buffer_attach(room, sizeof room));
    OK(MPI_Ibsend(&value, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    value = -1;
    OK(MPI_Recv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &status));
    CHECK(got == 20 + left && status.MPI_SOURCE == left && status.MPI_TAG == 4);
    OK(MPI_Bsend_init(&value, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &request));
    for (i = 0; i < 3; i++) {
        value = 100 * i + rank;
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&request));
    for (i = 0; i < 3; i++) {
        OK(MPI_Recv(&got, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got == 100 * i + left);
    }
    OK(MPI_Buffer_detach(&found, &i));
    CHECK(found == room && i == sizeof room);
}

/* In place, of each length that goes another way. */
static void exchanged(void)
{
    static const int counts[] = { 1, 300, 100000 };
    static int block[100000];
    MPI_Request request;
    MPI_Status status;
    int count;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < counts[k]; i++)
            block[i] = rank + i;
        OK(MPI_Isendrecv_replace(block, counts[k], MPI_INT, right, 6, left, 6, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, &status));
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == counts[k] && status.MPI_SOURCE == left);
        for (int i = 0; i < counts[k]; i++)
            CHECK(block[i] == left + i);
    }
}

/* Counts in a status that a program has made. */
static void elements(void)
{
    MPI_Datatype pair;
    MPI_Status status;
    MPI_Count many = -1;
    int count = -1;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    memset(&status, 0, sizeof status);
    OK(MPI_Status_set_elements_x(&status, MPI_INT, 7));
    OK(MPI_Get_elements_x(&status, pair, &many));
    CHECK(many == 7);
    OK(MPI_Get_count(&status, pair, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Status_set_elements_x(&status, pair, (MPI_Count)1 << 33));
    OK(MPI_Get_elements_x(&status, pair, &many));
    CHECK(many == (MPI_Count)1 << 33);
    OK(MPI_Type_free(&pair));
}

/* A type of Fortran's complex numbers, by how many digits it has. */
static void complex_of_digits(void)
{
    MPI_Datatype type, again;
    int bytes = 0;
    OK(MPI_Type_create_f90_complex(12, 30, &type));
    OK(MPI_Type_size(type, &bytes));
    CHECK(bytes == 16);
    OK(MPI_Type_create_f90_complex(12, 30, &again));
    CHECK(again == type);
    FAILS(MPI_Type_create_f90_complex(1000, MPI_UNDEFINED, &again), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    ready();
    buffered();
    exchanged();
    elements();
    complex_of_digits();
    OK(MPI_Finalize());
    return 0;
}
