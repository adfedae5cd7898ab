/* The message of a call that must fail, besides its class: a copy of this process makes the call where errors are fatal, and
 * what it writes must begin so. A rank of a job tells its launcher instead, so only a program that was started alone is asked,
 * and none that goes on where a check fails. It stands before every other header. */
#ifndef TOLD_H
#define TOLD_H

#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

/* A communicator beside the predefined ones whose errors are fatal in the copy. */
static MPI_Comm told_on = MPI_COMM_NULL;

/* How many messages were compared. */
static int told_messages;

/* Begins a copy that writes into a pipe. Returns 0 there, and else what it is to be read from, or -1 within a job. */
static inline int told_begins(pid_t *child)
{
    int ends[2];

    if (getenv("RUNAHEAD_JOB") != NULL || goes_on())
        return -1;
    fflush(NULL);
    CHECK(pipe(ends) == 0);
    *child = fork();
    CHECK(*child >= 0);
    if (*child > 0) {
        close(ends[1]);
        return ends[0];
    }
    CHECK(dup2(ends[1], 2) == 2);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    if (told_on != MPI_COMM_NULL)
        OK(MPI_Comm_set_errhandler(told_on, MPI_ERRORS_ARE_FATAL));
    return 0;
}

/* What the copy has written, which is nothing where the call has returned. */
static inline const char *told_ends(int from, pid_t child)
{
    static char text[4096];
    size_t length = 0;
    ssize_t count;
    int status;

    while ((count = read(from, text + length, sizeof text - 1 - length)) > 0)
        length += count;
    text[length] = 0;
    close(from);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == 0)
        return "it returned\n";
    told_messages++;
    return text;
}

/* The call fails with an error of this class, and the message begins so behind the rank. */
#define TELLS(call, expected, beginning)                                        \
    do {                                                                        \
        pid_t child_;                                                           \
        FAILS_AS(call, expected, #call);                                                \
        int from_ = told_begins(&child_);                                       \
        if (from_ == 0) {                                                       \
            (void)(call);                                                       \
            _exit(0);                                                           \
        }                                                                       \
        if (from_ > 0) {                                                        \
            const char *text_ = told_ends(from_, child_), *start_ = "runahead: rank 0: " beginning; \
            if (strncmp(text_, start_, strlen(start_)) != 0) {                  \
                fprintf(stderr, "%s:%d: %s said: %s", __FILE__, __LINE__, #call, text_); \
                exit(1);                                                        \
            }                                                                   \
        }                                                                       \
    } while (0)

#endif
