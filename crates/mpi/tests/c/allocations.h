/* Counts all calls of malloc and its like in the process, for each kind of call by itself.
 * The library has its memory from malloc, as the program has; so this program's own malloc is called for both.
 * A program lists kinds of calls, and `count_all` runs each of them in a steady loop. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

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

/* A kind of call, which two ranks make or all. How many allocations it may make in each round: for each other rank, and
 * besides. */
struct kind {
    const char *name;
    void (*run)(void);
    int in_pairs;
    int for_each_other;
    int besides;
};

#define PAIRS(name) {#name, name, 1, 0, 0}
#define ALL(name) {#name, name, 0, 0, 0}
/* What is left, with its bound: a copy of what a posted receive of a collective has met, for each message; or so many. */
#define MESSAGES(name) {#name, name, 0, 1, 0}
#define SOME(name, besides) {#name, name, 0, 0, besides}

/* So much may queues grow after the warm-up, in all. */
#define GROWTH 9

#ifndef WARM_UP
#define WARM_UP 300
#define COUNTED 200
#endif

/* Ranks stay together: what a rank has yet to receive would be copied elsewhere when its sender runs short of room. */
static void run_together(const struct kind *kind)
{
    kind->run();
    if (!kind->in_pairs)
        OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Runs all kinds that this rank has part in. */
static void count_all(const struct kind *kinds, size_t number, int rank, int size)
{
    int failed = 0;
    long before;

    for (const struct kind *kind = kinds; kind < kinds + number; kind++) {
        if (kind->in_pairs && (rank ^ 1) >= size)
            continue;
        for (int round = 0; round < WARM_UP; round++)
            run_together(kind);
        before = allocations;
        for (int round = 0; round < COUNTED; round++)
            run_together(kind);
        long counted = allocations - before;
        /* Where several send to one, queues for what came early may grow still: that is not one in each call, nor in
         * each second. */
        long most = COUNTED * (kind->for_each_other * (size - 1L) + kind->besides);
        if (counted > most + (kind->in_pairs ? 0 : GROWTH)) {
            fprintf(stderr, "rank %d: %s: %ld allocations in %d rounds\n", rank, kind->name, counted, COUNTED);
            failed = 1;
        }
    }
    CHECK(!failed);
    /* An allocation would be seen. */
    before = allocations;
    void *volatile seen = malloc(8);
    CHECK(allocations == before + 1);
    free(seen);
}

#endif
