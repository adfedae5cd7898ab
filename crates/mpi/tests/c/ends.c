/* What waits for open barriers when a program ends: rank 0 passes a barrier that rank 1 has not entered, and ends by what END
 * names. Both append what happens to the file EVENTS. Rank 1 gives rank 0 the time to go on too early, and looks at no clock
 * to judge: a library that is right writes the same events however fast either is.
 * Source: docs/MPI.md, on RUNAHEAD_MPI_BARRIER. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How often rank 1 looks whether rank 0 has gone on, a millisecond apart. */
enum { LOOKS = 500 };

static int events;

static void note(const char *event)
{
    CHECK(write(events, event, strlen(event)) == (ssize_t)strlen(event));
}

static void note_end(void) { note("0 ends\n"); }

static int note_deletion(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    note("0 deletes\n");
    return MPI_SUCCESS;
}

/* Whether there are more events than these, after so many looks. */
static int goes_on_after(off_t length, int looks)
{
    struct timespec pause = {0, 1000000};
    struct stat file;

    for (; looks != 0; looks -= looks > 0) {
        CHECK(fstat(events, &file) == 0);
        if (file.st_size > length)
            return 1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* The barrier of both is not the newest that is open. */
static void pass_barriers(MPI_Comm both)
{
    OK(MPI_Barrier(both));
    OK(MPI_Barrier(MPI_COMM_SELF));
}

/* Ends as the test says. */
static void go_first(const char *end)
{
    MPI_Session session;
    int keyval;

    if (strcmp(end, "abort") == 0) {
        CHECK(atexit(note_end) == 0);
        note("0 goes\n");
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (strcmp(end, "finalize") == 0) {
        /* The first that MPI_Finalize does. */
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &keyval, NULL));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL));
        note("0 goes\n");
        OK(MPI_Finalize());
        note_end();
    } else {
        CHECK(strcmp(end, "session") == 0);
        /* The library goes on after MPI_Finalize. */
        OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
        note("0 goes\n");
        OK(MPI_Finalize());
        note_end();
        OK(MPI_Session_finalize(&session));
    }
}

/* The job ends here, too, by an error that nobody handles. */
static void end_with_the_other(MPI_Comm both)
{
    int word;

    OK(MPI_Comm_set_errhandler(both, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Recv(&word, 1, MPI_INT, 0, 1, both, MPI_STATUS_IGNORE));
}

/* Enters the barrier when the other has had the time to end, or, where that waits for no barrier, never. */
static void follow(const char *end, const char *mode, MPI_Comm both)
{
    off_t gone = strlen("0 goes\n");
    int is_abort = strcmp(end, "abort") == 0;

    CHECK(goes_on_after(0, -1));
    if (is_abort && strcmp(mode, "runahead") == 0) {
        CHECK(goes_on_after(gone, -1));
    } else {
        (void)goes_on_after(gone, LOOKS);
        note("1 enters\n");
        pass_barriers(both);
    }
    if (is_abort)
        end_with_the_other(both);
    OK(MPI_Finalize());
}

int main(int argc, char **argv)
{
    const char *end = getenv("END"), *path = getenv("EVENTS"), *mode = getenv("RUNAHEAD_MPI_BARRIER");
    MPI_Comm both;
    int rank, size;

    CHECK(end != NULL && path != NULL && mode != NULL);
    events = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    CHECK(events >= 0);
    begin(&argc, &argv, &rank, &size);
    CHECK(size == 2);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &both));
    if (rank == 0) {
        pass_barriers(both);
        go_first(end);
    } else {
        follow(end, mode, both);
    }
    return 0;
}
