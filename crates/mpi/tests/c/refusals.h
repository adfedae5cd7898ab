/* The head of the program of calls with handles that name nothing, which `refusals.rs` writes. It prints what was accepted,
 * and each message that does not begin with the function and the argument. */
#include "told.h"
#include <stdint.h>

static uint64_t state = 88172645463325252u;
static char room[1 << 16], room_for_results[1 << 16];
static uintptr_t handles[64];

/* What functions can use beside the handle that is wrong. */
static MPI_Comm a_grid;
static MPI_Win a_window;
static MPI_Session a_session;
static MPI_Group a_group;

/* Chooses what becomes of errors on these. */
static void handle_errors(MPI_Errhandler handler)
{
    OK(MPI_Comm_set_errhandler(a_grid, handler));
    OK(MPI_Win_set_errhandler(a_window, handler));
    OK(MPI_Session_set_errhandler(a_session, handler));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
}

static void prepare(void)
{
    static int memory[64];
    int one = 1;

    OK(MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &a_grid));
    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &a_window));
    OK(MPI_Comm_group(MPI_COMM_SELF, &a_group));
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &a_session));
    handle_errors(MPI_ERRORS_RETURN);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a_window));
}

static void finish(void)
{
    OK(MPI_Win_unlock(0, a_window));
    OK(MPI_Win_free(&a_window));
    OK(MPI_Comm_free(&a_grid));
    OK(MPI_Group_free(&a_group));
    OK(MPI_Session_finalize(&a_session));
    OK(MPI_Finalize());
}

/* As many of one handle as a call may read. */
static void *several(uintptr_t handle)
{
    for (int i = 0; i < 64; i++)
        handles[i] = handle;
    return handles;
}

/* A number that is no handle. */
static uintptr_t next(int turn)
{
    static const uintptr_t known[] = {0, 1, 4095, 5000, UINTPTR_MAX, UINTPTR_MAX / 2, (uintptr_t)room};

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return turn < 7 ? known[turn] : (uintptr_t)(state >> turn % 44) | 1 << 20;
}

static int is_refused(const char *name, const char *which, int code)
{
    int class = MPI_ERR_LASTCODE;

    if (code == MPI_SUCCESS)
        printf("%s %s\n", name, which);
    else
        CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class < MPI_ERR_LASTCODE);
    return code != MPI_SUCCESS;
}

static void is_named(const char *name, const char *which, const char *text)
{
    char start[200];

    snprintf(start, sizeof start, "runahead: rank 0: %s: %s is ", name, which);
    int is_right = strncmp(text, start, strlen(start)) == 0;
    /* Functions that do not work look at no argument. */
    snprintf(start, sizeof start, "runahead: rank 0: %s: this function is not supported ", name);
    if (!is_right && strncmp(text, start, strlen(start)) != 0)
        printf("%s %s: %s", name, which, text);
}

/* A call whose argument `which` is wrong. Its message is read where `names` says so: that takes a copy of the process. */
#define TRY(name, which, call)                                                  \
    do {                                                                        \
        pid_t child;                                                            \
        memset(room, 0, sizeof room);                                           \
        if (!is_refused(name, which, call) || !names)                           \
            break;                                                              \
        int from = told_begins(&child);                                         \
        if (from == 0) {                                                        \
            handle_errors(MPI_ERRORS_ARE_FATAL);                                \
            (void)(call);                                                       \
            _exit(0);                                                           \
        }                                                                       \
        CHECK(from > 0);                                                        \
        is_named(name, which, told_ends(from, child));                          \
    } while (0)
