/* A steady loop of messages allocates nothing: all calls of malloc and its like in the process are counted.
 * The library has its memory from malloc, as the program has; so this program's own malloc is called for both. */
#include "check.h"

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

/* Volatile, as the compiler knows that the malloc of C changes no variable of a program. */
static volatile long allocations;

void *malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    allocations++;
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    allocations++;
    return __libc_realloc(old, bytes);
}

int posix_memalign(void **made, size_t alignment, size_t bytes)
{
    allocations++;
    *made = __libc_memalign(alignment, bytes);
    return *made == NULL;
}

static int rank, size;
static MPI_Datatype every_second;

/* One message each way, blocking and then nonblocking; of ranks in pairs. */
static void exchange(int peer, int is_first)
{
    double out[4] = {1, 2, 3, rank}, in[4], gaps[8] = {0};
    MPI_Request requests[2];

    if (is_first) {
        OK(MPI_Send(out, 4, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD));
        OK(MPI_Recv(in, 4, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Recv(in, 4, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Send(out, 4, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD));
    }
    CHECK(in[3] == peer);
    OK(MPI_Irecv(in, 4, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(out, 4, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(in[3] == peer);
    /* With gaps, on either side. */
    OK(MPI_Sendrecv(out, 4, MPI_DOUBLE, peer, 3, gaps, 1, every_second, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(gaps[6] == peer && gaps[5] == 0);
    gaps[6] = rank;
    OK(MPI_Irecv(in, 4, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Send(gaps, 1, every_second, peer, 4, MPI_COMM_WORLD));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(in[3] == peer);
}

int main(int argc, char **argv)
{
    enum { WARM_UP = 2000, COUNTED = 2000 };
    int peer;
    long before;

    begin(&argc, &argv, &rank, &size);
    OK(MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &every_second));
    OK(MPI_Type_commit(&every_second));
    peer = rank ^ 1;
    if (peer < size) {
        for (int round = 0; round < WARM_UP; round++)
            exchange(peer, rank < peer);
        before = allocations;
        for (int round = 0; round < COUNTED; round++)
            exchange(peer, rank < peer);
        if (allocations != before)
            fprintf(stderr, "rank %d: %ld allocations in %d rounds\n", rank, allocations - before, COUNTED);
        CHECK(allocations == before);
    }
    /* An allocation would be seen. */
    before = allocations;
    void *volatile seen = malloc(8);
    CHECK(allocations == before + 1);
    free(seen);
    OK(MPI_Type_free(&every_second));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
