/* What the test programs share: a check that names its line, and the error code of a call that must fail.
 * A program that ends with status 0 has checked what it says. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the job with a message unless the condition holds. */
#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

/* The call succeeds. */
#define OK(call) CHECK((call) == MPI_SUCCESS)

/* The call fails with an error of this class. */
#define FAILS(call, expected)                                                   \
    do {                                                                        \
        int code_ = (call), class_ = -1;                                        \
        MPI_Error_class(code_, &class_);                                        \
        if (class_ != (expected)) {                                             \
            fprintf(stderr, "%s:%d: class %d, not %s: %s\n", __FILE__, __LINE__, class_, #expected, #call); \
            exit(1);                                                            \
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
