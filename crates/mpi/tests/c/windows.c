/* One-sided communication: each way to make a window, to synchronise, and to move data; errors. */
#define _POSIX_C_SOURCE 199309L
#include "check.h"
#include <time.h>

static int rank, size;

/* Fences around puts and gets of a neighbour, on memory of the program and of the library. */
static void fences(MPI_Win win, int *memory, int count)
{
    int right = (rank + 1) % size, i, got[4] = { -1, -1, -1, -1 };
    for (i = 0; i < count; i++)
        memory[i] = -rank;
    OK(MPI_Win_fence(0, win));
    for (i = 0; i < count; i++) {
        int value = 100 * rank + i;
        OK(MPI_Put(&value, 1, MPI_INT, right, i, 1, MPI_INT, win));
    }
    OK(MPI_Win_fence(0, win));
    for (i = 0; i < count; i++)
        CHECK(memory[i] == 100 * ((rank + size - 1) % size) + i);
    OK(MPI_Get(got, 4, MPI_INT, right, 2, 4, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (i = 0; i < 4; i++)
        CHECK(got[i] == 100 * rank + 2 + i);
    FAILS(MPI_Put(got, 1, MPI_INT, right, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock(right, win), MPI_ERR_RMA_SYNC);
}

/* Sums by all in one word, with the operator at the target and with locks around a get and a put. */
static void sums(MPI_Win win, int *memory)
{
    int i, old = -1, one = 1, result = 0, seen = 0, expected, none = MPI_UNDEFINED;
    double value = 0.5;
    MPI_Request request;
    OK(MPI_Win_fence(0, win));
    memset(memory, 0, 64);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (i = 0; i < 50; i++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 1, MPI_SUM, win));
        OK(MPI_Win_unlock(0, win));
        CHECK(old >= i && old < 50 * size);
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Get(&seen, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        seen++;
        OK(MPI_Put(&seen, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Raccumulate(&value, 1, MPI_DOUBLE, 0, 4, 1, MPI_DOUBLE, MPI_SUM, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    /* The ranks replace 0 by 7 once, and the others find 7. */
    expected = 0;
    none = 7;
    OK(MPI_Compare_and_swap(&none, &expected, &result, MPI_INT, 0, 3, win));
    OK(MPI_Win_flush_all(win));
    CHECK(result == 0 || result == 7);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win));
    OK(MPI_Win_flush(0, win));
    CHECK(result == 50 * size);
    OK(MPI_Get(&result, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
    OK(MPI_Win_flush(0, win));
    CHECK(result == 50 * size);
    OK(MPI_Get(&result, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
    OK(MPI_Win_flush(0, win));
    CHECK(result == 50 * size);
    OK(MPI_Get(&result, 1, MPI_INT, 0, 3, 1, MPI_INT, win));
    OK(MPI_Win_flush(0, win));
    CHECK(result == 7);
    OK(MPI_Get(&value, 1, MPI_DOUBLE, 0, 4, 1, MPI_DOUBLE, win));
    OK(MPI_Win_flush(0, win));
    CHECK(value == 0.5 * size);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Elements with gaps: what lies between them stays. */
static void gaps(MPI_Win win, int *memory)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, values[3], got[3] = { 0, 0, 0 }, i;
    MPI_Datatype column;
    OK(MPI_Type_vector(3, 1, 2, MPI_INT, &column));
    OK(MPI_Type_commit(&column));
    for (i = 0; i < 3; i++)
        values[i] = 10 * rank + i;
    for (i = 0; i < 8; i++)
        memory[i] = 1000 + i;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(values, 3, MPI_INT, right, 1, 1, column, win));
    OK(MPI_Win_fence(0, win));
    for (i = 0; i < 8; i++)
        CHECK(memory[i] == (i % 2 == 1 && i < 6 ? 10 * left + i / 2 : 1000 + i));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(got, 3, MPI_INT, right, 1, 1, column, win));
    OK(MPI_Accumulate(values, 3, MPI_INT, right, 1, 1, column, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    for (i = 0; i < 3; i++)
        CHECK(memory[1 + 2 * i] == 2 * (10 * left + i));
    CHECK(got[0] == 10 * rank || got[0] == 20 * rank);
    FAILS(MPI_Put(values, 2, MPI_INT, right, 0, 1, column, win), MPI_ERR_ARG);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Type_free(&column));
}

/* Each rank opens its memory to its left neighbour alone. */
static void named(MPI_Win win, int *memory)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, flag = 0, value = rank + 5;
    MPI_Group all, origins, targets;
    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Group_incl(all, 1, &left, &origins));
    OK(MPI_Group_incl(all, 1, &right, &targets));
    memory[0] = -1;
    OK(MPI_Win_post(origins, 0, win));
    OK(MPI_Win_start(targets, 0, win));
    OK(MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win));
    if (size > 2)
        FAILS(MPI_Put(&value, 1, MPI_INT, left, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_complete(win));
    if (rank % 2 == 0) {
        OK(MPI_Win_wait(win));
    } else {
        while (!flag)
            OK(MPI_Win_test(win, &flag));
    }
    CHECK(memory[0] == left + 5);
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&origins));
    OK(MPI_Group_free(&targets));
}

static int noted;

static void note(MPI_Win *win, int *code, ...)
{
    int class = -1;
    MPI_Error_class(*code, &class);
    if (*win != MPI_WIN_NULL && class == MPI_ERR_RMA_RANGE)
        noted++;
}

static int deleted;

static int delete_attribute(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

/* What a window says of itself, and errors. */
static void inquiries(MPI_Win win, void *memory, MPI_Aint bytes, int flavor)
{
    int flag = 0, length = 0, value = 3, key = MPI_KEYVAL_INVALID;
    char name[MPI_MAX_OBJECT_NAME];
    void *found = NULL;
    MPI_Errhandler handler, before;
    MPI_Info info;
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &found, &flag));
    CHECK(flag && found == memory);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &found, &flag));
    CHECK(flag && *(MPI_Aint *)found == bytes);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &found, &flag));
    CHECK(flag && *(int *)found == (int)sizeof(int));
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &found, &flag));
    CHECK(flag && *(int *)found == flavor);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &found, &flag));
    CHECK(flag && *(int *)found == MPI_WIN_UNIFIED);
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_attribute, &key, NULL));
    OK(MPI_Win_set_attr(win, key, &value));
    OK(MPI_Win_get_attr(win, key, &found, &flag));
    CHECK(flag && found == &value);
    OK(MPI_Win_delete_attr(win, key));
    CHECK(deleted == 3);
    deleted = 0;
    OK(MPI_Win_free_keyval(&key));
    OK(MPI_Win_set_name(win, "opened"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(strcmp(name, "opened") == 0 && length == 6);
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Info_free(&info));

    OK(MPI_Win_get_errhandler(win, &before));
    CHECK(before == MPI_ERRORS_RETURN);
    OK(MPI_Win_create_errhandler(note, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Win_fence(0, win));
    FAILS(MPI_Put(&value, 1, MPI_INT, rank, (int)(bytes / sizeof(int)), 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(&value, 1, MPI_INT, rank, -1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK(noted == 2);
    noted = 0;
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    FAILS(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    FAILS(MPI_Put(&value, -1, MPI_INT, rank, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    FAILS(MPI_Put(&value, 1, MPI_DATATYPE_NULL, rank, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    OK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    FAILS(MPI_Win_lock(77, rank, 0, win), MPI_ERR_LOCKTYPE);
    FAILS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
}

static void all(MPI_Win win, int *memory, MPI_Aint bytes, int flavor)
{
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    fences(win, memory, (int)(bytes / sizeof(int)));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    sums(win, memory);
    gaps(win, memory);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    named(win, memory);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    inquiries(win, memory, bytes, flavor);
}

static void made_of_memory(void)
{
    int memory[16];
    MPI_Win win = MPI_WIN_NULL;
    OK(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    all(win, memory, sizeof memory, MPI_WIN_FLAVOR_CREATE);
    OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
    FAILS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
    FAILS(MPI_Win_create(memory, 8, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
    FAILS(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
}

static void allocated(void)
{
    int *memory = NULL;
    MPI_Win win = MPI_WIN_NULL;
    OK(MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    all(win, memory, 16 * sizeof(int), MPI_WIN_FLAVOR_ALLOCATE);
    OK(MPI_Win_free(&win));
}

/* Loads and stores in the memory of others; parts of different sizes lie one behind the other. */
static void shared(void)
{
    int *memory = NULL, *others = NULL, unit = 0, i, j;
    MPI_Aint bytes = 0;
    MPI_Win win = MPI_WIN_NULL;
    OK(MPI_Win_allocate_shared(rank * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (i = 0; i < rank; i++)
        memory[i] = 10 * rank + i;
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    for (j = 0; j < size; j++) {
        OK(MPI_Win_shared_query(win, j, &bytes, &unit, &others));
        CHECK(bytes == (MPI_Aint)(j * sizeof(int)) && unit == (int)sizeof(int));
        CHECK(rank == 0 || j == 0 || others + rank * (rank - 1) / 2 == memory + j * (j - 1) / 2);
        for (i = 0; i < j; i++)
            CHECK(others[i] == 10 * j + i);
    }
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &others));
    CHECK(size == 1 || (bytes == sizeof(int) && others[0] == 10));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* Displacements are addresses. */
static void dynamic(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, memory = -1, other = -1;
    MPI_Aint own, there;
    MPI_Win win = MPI_WIN_NULL;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_attach(win, &memory, sizeof memory));
    OK(MPI_Get_address(&memory, &own));
    OK(MPI_Sendrecv(&own, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&rank, 1, MPI_INT, right, there, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK(memory == left);
    OK(MPI_Get(&other, 1, MPI_INT, right, there, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK(other == rank);
    OK(MPI_Win_detach(win, &memory));
    OK(MPI_Win_free(&win));
}

/* A value and its index are one element, also within datatypes and with padding: of all ranks the greatest value
   wins, and of equal ones the least index. */
static void located(void)
{
    struct { double value; int index; } mine[2], *pairs, got[4];
    struct { int value; int index; } small, *least;
    MPI_Datatype every_second;
    MPI_Win win;
    int i, best = (size - 1) / 2;
    OK(MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_Win_allocate(sizeof got, sizeof got[0], MPI_INFO_NULL, MPI_COMM_WORLD, &pairs, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_fence(0, win));
    for (i = 0; i < 4; i++) {
        pairs[i].value = -1 - i;
        pairs[i].index = 1000 + i;
    }
    for (i = 0; i < 2; i++) {
        mine[i].value = rank / 2 + 10 * i;
        mine[i].index = 100 - rank;
    }
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(mine, 2, MPI_DOUBLE_INT, 0, 0, 1, every_second, MPI_MAXLOC, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(got, 4, MPI_DOUBLE_INT, 0, 0, 4, MPI_DOUBLE_INT, win));
    OK(MPI_Win_fence(0, win));
    for (i = 0; i < 4; i++) {
        CHECK(got[i].value == (i % 2 == 0 ? best + 5 * i : -1 - i));
        CHECK(got[i].index == (i % 2 == 0 ? 100 - (size - 1) : 1000 + i));
    }
    FAILS(MPI_Accumulate(mine, 2, MPI_DOUBLE_INT, 0, 0, 1, every_second, MPI_SUM, win), MPI_ERR_OP);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&every_second));

    OK(MPI_Win_allocate(sizeof small, sizeof small, MPI_INFO_NULL, MPI_COMM_WORLD, &least, &win));
    OK(MPI_Win_fence(0, win));
    least->value = least->index = 1000;
    small.value = -(rank / 2);
    small.index = 100 - rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(&small, 1, MPI_2INT, size - 1, 0, 1, MPI_2INT, MPI_MINLOC, win));
    OK(MPI_Win_fence(0, win));
    CHECK(rank != size - 1 || (least->value == -best && least->index == 100 - (size - 1)));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
}

/* What was written before a barrier is read after it, whatever barriers do: no message tells of it. */
static void before_a_barrier(void)
{
    struct timespec late = {0, 100 * 1000000L};
    int got = 0, sent = 9, *memory;
    MPI_Win win;
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_lock_all(0, win));
    *memory = 0;
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == size - 1) {
        nanosleep(&late, NULL);
        OK(MPI_Put(&sent, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    OK(MPI_Win_flush(0, win));
    CHECK(got == 9);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* Operations with requests, what is complete at the origin, and the forms with large counts. */
static void with_requests(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, values[3], got[3] = { -1, -1, -1 }, old[3], i;
    int *memory, *mine, unit;
    MPI_Aint bytes;
    MPI_Request requests[3];
    MPI_Win win, large, shared_win;
    OK(MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (i = 0; i < 3; i++)
        values[i] = 10 * rank + i;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput(values, 3, MPI_INT, right, 0, 3, MPI_INT, win, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Win_flush_local(right, win));
    OK(MPI_Win_flush(right, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Rget(got, 3, MPI_INT, right, 0, 3, MPI_INT, win, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    for (i = 0; i < 3; i++)
        CHECK(got[i] == 10 * rank + i);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Rget_accumulate(values, 3, MPI_INT, old, 3, MPI_INT, right, 0, 3, MPI_INT, MPI_SUM, win, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Win_flush_local_all(win));
    for (i = 0; i < 3; i++)
        CHECK(old[i] == 10 * rank + i);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    for (i = 0; i < 3; i++)
        CHECK(memory[i] == 2 * (10 * left + i));
    OK(MPI_Win_unlock_all(win));
    FAILS(MPI_Win_flush_local(right, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Rput(values, 3, MPI_INT, right, 0, 3, MPI_INT, win, &requests[0]), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_free(&win));

    OK(MPI_Win_create_c(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &large));
    OK(MPI_Win_fence(0, large));
    OK(MPI_Get_c(got, 1, MPI_INT, right, 2, 1, MPI_INT, large));
    OK(MPI_Win_fence(0, large));
    CHECK(got[0] == 10 * right + 2);
    OK(MPI_Win_free(&large));
    OK(MPI_Win_allocate_c(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &large));
    memory[15] = rank;
    OK(MPI_Win_fence(0, large));
    OK(MPI_Get(got, 1, MPI_INT, right, 60, 1, MPI_INT, large));
    OK(MPI_Win_fence(0, large));
    CHECK(got[0] == right);
    OK(MPI_Win_free(&large));
    OK(MPI_Win_allocate_shared_c(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &shared_win));
    mine[1] = 30 + rank;
    OK(MPI_Win_fence(0, shared_win));
    OK(MPI_Win_shared_query(shared_win, right, &bytes, &unit, &memory));
    CHECK(bytes == 2 * sizeof(int) && unit == sizeof(int) && memory[1] == 30 + right);
    MPI_Aint wide;
    OK(MPI_Win_shared_query_c(shared_win, right, &bytes, &wide, &memory));
    CHECK(bytes == 2 * sizeof(int) && wide == sizeof(int) && memory[1] == 30 + right);
    OK(MPI_Win_fence(0, shared_win));
    OK(MPI_Win_free(&shared_win));
}

static int told_of;

static void tell(MPI_Win *win, int *code, ...)
{
    told_of = *win == MPI_WIN_NULL ? -1 : *code;
}

/* A program may call the handler that a window has. */
static void handled(void)
{
    int value, code;
    MPI_Win win;
    MPI_Errhandler handler, found;
    OK(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create_errhandler(tell, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Win_call_errhandler(win, MPI_ERR_RMA_RANGE));
    CHECK(told_of == MPI_ERR_RMA_RANGE);
    code = MPI_Win_unlock(0, win);
    CHECK(code != MPI_SUCCESS && told_of == code);
    OK(MPI_Win_get_errhandler(win, &found));
    CHECK(found == handler);
    OK(MPI_Errhandler_free(&found));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    made_of_memory();
    allocated();
    shared();
    dynamic();
    located();
    before_a_barrier();
    with_requests();
    handled();
    OK(MPI_Finalize());
    return 0;
}
