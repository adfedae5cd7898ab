/* What the test programs share: a check that names its line, and the error code of a call that must fail.
 * A program that ends with status 0 has checked what it says. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says what does not hold, and ends the job. With GO_ON, a file, it is a line there without its number, and the program goes
 * on: so a run on another library shows all that is otherwise there. */
static inline void check_failed(const char *file, int line, const char *kind, const char *what)
{
    const char *path = getenv("GO_ON"), *name = strrchr(file, '/');
    FILE *lines = path == NULL ? NULL : fopen(path, "a");

    if (lines == NULL) {
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, kind, what);
        exit(1);
    }
    /* In one piece, since other ranks write, too. */
    fprintf(lines, "%s: %s: %s\n", name == NULL ? file : name + 1, kind, what);
    fclose(lines);
}

/* Whether the program is on a library of which some calls with wrong arguments neither fail nor return. */
static inline int goes_on(void) { return getenv("GO_ON") != NULL; }

/* The condition holds. */
#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition))                                                       \
            check_failed(__FILE__, __LINE__, "not so", #condition);             \
    } while (0)

/* The call succeeds. */
#define OK(call)                                                                \
    do {                                                                        \
        if ((call) != MPI_SUCCESS)                                              \
            check_failed(__FILE__, __LINE__, "fails", #call);                   \
    } while (0)

/* The call fails with an error of this class. */
#define FAILS(call, expected) FAILS_AS(call, expected, #call)

/* As it stands in the source, where that is not what this macro sees. */
#define FAILS_AS(call, expected, text)                                          \
    do {                                                                        \
        int code_ = (call), class_ = -1;                                        \
        char kind_[99];                                                         \
        MPI_Error_class(code_, &class_);                                        \
        if (class_ != (expected)) {                                             \
            snprintf(kind_, sizeof kind_, "class %d, not %s", class_, #expected); \
            check_failed(__FILE__, __LINE__, kind_, text);                      \
        }                                                                       \
    } while (0)

/* Begins a program whose calls return their errors. */
static inline void begin(int *argc, char ***argv, int *rank, int *size)
{
    int provided;

    if (getenv("MULTIPLE") != NULL) {
        OK(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided));
        CHECK(provided == MPI_THREAD_MULTIPLE);
    } else
        OK(MPI_Init(argc, argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, size));
}

#endif
