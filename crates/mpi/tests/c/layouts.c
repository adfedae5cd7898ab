/* Derived datatypes in messages and collectives: gaps stay as they were, short receives, long messages. Any number
 * of ranks: each sends to the next. */
#include "check.h"

enum { ROWS = 300, COLUMNS = 400 };

static int rank, size, next, previous;

/* A column of a matrix goes into a row of another. */
static void column_to_row(void)
{
    static int matrix[ROWS][COLUMNS], row[ROWS];
    MPI_Datatype column;
    MPI_Request request;
    MPI_Status status;
    int count;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = 1000000 * rank + COLUMNS * i + j;
    OK(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column));
    FAILS(MPI_Send(matrix, 1, column, next, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    OK(MPI_Type_commit(&column));
    OK(MPI_Isend(&matrix[0][7], 1, column, next, 1, MPI_COMM_WORLD, &request));
    /* It is used until the request is complete, whether it was freed or not. */
    OK(MPI_Type_free(&column));
    OK(MPI_Recv(row, ROWS, MPI_INT, previous, 1, MPI_COMM_WORLD, &status));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == ROWS);
    for (int i = 0; i < ROWS; i++)
        CHECK(row[i] == 1000000 * previous + COLUMNS * i + 7);
}

/* A long message goes into every second element, and leaves the others alone. */
static void long_and_strided(void)
{
    enum { LENGTH = 1 << 18 };
    double *from = malloc(LENGTH * sizeof(double)), *to = malloc(2 * LENGTH * sizeof(double));
    MPI_Datatype second;
    MPI_Request requests[2];
    CHECK(from && to);
    OK(MPI_Type_vector(LENGTH, 1, 2, MPI_DOUBLE, &second));
    OK(MPI_Type_commit(&second));
    for (int repeat = 0; repeat < 2; repeat++) {
        for (int i = 0; i < LENGTH; i++)
            from[i] = rank + i * 0.5, to[2 * i] = -1, to[2 * i + 1] = -2;
        OK(MPI_Irecv(to, 1, second, previous, 2, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Isend(from, LENGTH, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < LENGTH; i++)
            CHECK(to[2 * i] == previous + i * 0.5 && to[2 * i + 1] == -2);
        /* And back out of every second element. */
        OK(MPI_Sendrecv(to, 1, second, next, 3, from, LENGTH, MPI_DOUBLE, previous, 3, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        for (int i = 0; i < LENGTH; i++)
            CHECK(from[i] == (previous + size - 1) % size + i * 0.5);
    }
    OK(MPI_Type_free(&second));
    free(from);
    free(to);
}

/* Less arrives than there is room for, and the last datatype is not whole. */
static void short_receive(void)
{
    struct { double value; int index; } pairs[4], three[2] = {{1.5, 1}, {2.5, 2}};
    const int lengths[3] = {1, 1, 1};
    const MPI_Aint places[3] = {0, 8, 16};
    const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE};
    MPI_Datatype partial;
    MPI_Status status;
    int count;
    OK(MPI_Type_create_struct(3, lengths, places, types, &partial));
    OK(MPI_Type_commit(&partial));
    memset(pairs, 0x55, sizeof pairs);
    OK(MPI_Sendrecv(three, 1, partial, next, 4, pairs, 4, MPI_DOUBLE_INT, previous, 4, MPI_COMM_WORLD, &status));
    CHECK(pairs[0].value == 1.5 && pairs[0].index == 1 && pairs[1].value == 2.5 && pairs[1].index == 0x55555555);
    OK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count));
    CHECK(count == 3);
    OK(MPI_Type_free(&partial));
    /* More arrives than there is room for. */
    OK(MPI_Type_create_indexed_block(2, 1, (const int[]){0, 2}, MPI_INT, &partial));
    OK(MPI_Type_commit(&partial));
    int numbers[4] = {1, 2, 3, 4}, room[4] = {-1, -1, -1, -1};
    FAILS(MPI_Sendrecv(numbers, 4, MPI_INT, next, 5, room, 1, partial, previous, 5, MPI_COMM_WORLD, &status),
          MPI_ERR_TRUNCATE);
    CHECK(room[1] == -1 && room[3] == -1);
    OK(MPI_Type_free(&partial));
}

/* Absolute addresses: variables anywhere, sent from MPI_BOTTOM. */
static void from_bottom(void)
{
    int number = 40 + rank, got = 0;
    double real = rank / 4.0, other = 0;
    MPI_Aint sent[2], received[2];
    const int lengths[2] = {1, 1};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype from, to;
    OK(MPI_Get_address(&number, &sent[0]));
    OK(MPI_Get_address(&real, &sent[1]));
    OK(MPI_Get_address(&got, &received[0]));
    OK(MPI_Get_address(&other, &received[1]));
    OK(MPI_Type_create_struct(2, lengths, sent, types, &from));
    OK(MPI_Type_create_struct(2, lengths, received, types, &to));
    OK(MPI_Type_commit(&from));
    OK(MPI_Type_commit(&to));
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, from, next, 6, MPI_BOTTOM, 1, to, previous, 6, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK(got == 40 + previous && other == previous / 4.0);
    OK(MPI_Type_free(&from));
    OK(MPI_Type_free(&to));
}

/* Collectives: each rank's column is gathered into a matrix, by a datatype that is one element wide. */
static void collectives(void)
{
    int column[6], *matrix = malloc(6 * size * sizeof(int)), *copy = malloc(6 * size * sizeof(int));
    MPI_Datatype wide, narrow;
    CHECK(matrix && copy);
    for (int i = 0; i < 6; i++)
        column[i] = 10 * rank + i;
    memset(matrix, 0xff, 6 * size * sizeof(int));
    OK(MPI_Type_vector(6, 1, size, MPI_INT, &wide));
    OK(MPI_Type_create_resized(wide, 0, sizeof(int), &narrow));
    OK(MPI_Type_commit(&narrow));
    OK(MPI_Allgather(column, 6, MPI_INT, matrix, 1, narrow, MPI_COMM_WORLD));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < size; j++)
            CHECK(matrix[i * size + j] == 10 * j + i);
    memset(copy, 0xff, 6 * size * sizeof(int));
    if (rank == size - 1)
        memcpy(copy, matrix, 6 * size * sizeof(int));
    OK(MPI_Bcast(copy, size, narrow, size - 1, MPI_COMM_WORLD));
    CHECK(!memcmp(copy, matrix, 6 * size * sizeof(int)));
    memset(column, 0, sizeof column);
    OK(MPI_Scatter(matrix, 1, narrow, column, 6, MPI_INT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 6; i++)
        CHECK(column[i] == 10 * rank + i);
    memset(copy, 0xff, 6 * size * sizeof(int));
    OK(MPI_Alltoall(matrix, 1, narrow, copy, 6, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < size; j++)
            CHECK(copy[j * 6 + i] == 10 * rank + i);
    OK(MPI_Type_free(&wide));
    OK(MPI_Type_free(&narrow));
    free(matrix);
    free(copy);
}

/* Nothing is sent, by datatypes that have no data. */
static void empty(void)
{
    MPI_Datatype type;
    MPI_Status status;
    int count = -1;
    OK(MPI_Type_contiguous(0, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Sendrecv(NULL, 3, type, next, 7, NULL, 0, MPI_INT, previous, 7, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 0);
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == 0);
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    column_to_row();
    long_and_strided();
    short_receive();
    from_bottom();
    collectives();
    empty();
    OK(MPI_Finalize());
    return 0;
}
