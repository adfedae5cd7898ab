/* A rank that is killed while the others are in a call of each kind: CALL names it. With RETURNED set, errors are
 * returned, and each of the others writes the class into the file that this names, with its rank behind. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <signal.h>

enum { VICTIM = 1, LARGE = 1 << 20 };

static int rank, size, numbers[64], others[64];
static char *block, *second;
static MPI_Comm world, grid, inter;
static MPI_Win win;
static MPI_Request persistent;
static MPI_Request requests[2];

static int call_send(void) { return MPI_Send(block, LARGE, MPI_BYTE, VICTIM, 1, world); }
static int call_small_send(void) { return MPI_Send(block, 8, MPI_BYTE, VICTIM, 1, world); }
static int call_ssend(void) { return MPI_Ssend(numbers, 1, MPI_INT, VICTIM, 1, world); }
static int call_recv(void) { return MPI_Recv(numbers, 1, MPI_INT, VICTIM, 1, world, MPI_STATUS_IGNORE); }
static int call_probe(void) { return MPI_Probe(VICTIM, 1, world, MPI_STATUS_IGNORE); }

static int call_mprobe(void)
{
    MPI_Message message;
    return MPI_Mprobe(VICTIM, 1, world, &message, MPI_STATUS_IGNORE);
}

static int call_sendrecv(void)
{
    return MPI_Sendrecv(numbers, 1, MPI_INT, VICTIM, 1, others, 1, MPI_INT, VICTIM, 1, world, MPI_STATUS_IGNORE);
}

static int begin_two(void)
{
    OK(MPI_Irecv(numbers, 1, MPI_INT, VICTIM, 1, world, &requests[0]));
    OK(MPI_Irecv(others, 1, MPI_INT, VICTIM, 2, world, &requests[1]));
    return 0;
}

static int call_wait(void)
{
    begin_two();
    return MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static int call_test(void)
{
    int flag = 0, code = MPI_SUCCESS;
    begin_two();
    while (!flag && code == MPI_SUCCESS)
        code = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    return code;
}

/* The class stands in the status. */
static int call_waitall(void)
{
    MPI_Status statuses[2];
    begin_two();
    int class, code = MPI_Waitall(2, requests, statuses);
    OK(MPI_Error_class(code, &class));
    return class == MPI_ERR_IN_STATUS ? statuses[0].MPI_ERROR : code;
}

static int call_waitany_of_any(void)
{
    int index;
    OK(MPI_Irecv(numbers, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, &requests[0]));
    OK(MPI_Irecv(others, 1, MPI_INT, MPI_ANY_SOURCE, 2, world, &requests[1]));
    return MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static int call_recv_of_any(void)
{
    return MPI_Recv(numbers, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
}

static int call_probe_of_any(void) { return MPI_Probe(MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE); }

static int call_waitany(void)
{
    int index;
    begin_two();
    return MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static int complete(int code)
{
    return code == MPI_SUCCESS ? MPI_Wait(&requests[0], MPI_STATUS_IGNORE) : code;
}

static int call_barrier(void) { return MPI_Barrier(world); }
static int call_ibarrier(void) { return complete(MPI_Ibarrier(world, &requests[0])); }
static int call_bcast(void) { return MPI_Bcast(numbers, 8, MPI_INT, VICTIM, world); }
static int call_large_bcast(void) { return MPI_Bcast(block, LARGE, MPI_BYTE, VICTIM, world); }
static int call_gather(void) { return MPI_Gather(numbers, 1, MPI_INT, others, 1, MPI_INT, 0, world); }
static int call_scatter(void) { return MPI_Scatter(others, 1, MPI_INT, numbers, 1, MPI_INT, VICTIM, world); }
/* The root knows that one rank is lost: the other gets its block all the same, and says so. */
static int call_scatter_by_living(void)
{
    int code, got = -1;

    if (rank != 0) {
        OK(MPI_Scatter(NULL, 1, MPI_INT, &got, 1, MPI_INT, 0, world));
        CHECK(got == 7);
        OK(MPI_Send(&got, 1, MPI_INT, 0, 3, world));
        return call_recv();
    }
    CHECK(call_recv() != MPI_SUCCESS);
    others[size - 1] = 7;
    code = MPI_Scatter(others, 1, MPI_INT, &got, 1, MPI_INT, 0, world);
    OK(MPI_Recv(&got, 1, MPI_INT, size - 1, 3, world, MPI_STATUS_IGNORE));
    return code;
}

static int call_allgather(void) { return MPI_Allgather(numbers, 1, MPI_INT, others, 1, MPI_INT, world); }
static int call_alltoall(void) { return MPI_Alltoall(numbers, 1, MPI_INT, others, 1, MPI_INT, world); }

static int call_large_alltoall(void)
{
    return MPI_Alltoall(block, LARGE / size, MPI_BYTE, second, LARGE / size, MPI_BYTE, world);
}

static int call_reduce(void) { return MPI_Reduce(numbers, others, 8, MPI_INT, MPI_SUM, 0, world); }
static int call_allreduce(void) { return MPI_Allreduce(numbers, others, 8, MPI_INT, MPI_SUM, world); }

static int call_large_allreduce(void)
{
    return MPI_Allreduce(block, second, LARGE / 8, MPI_INT64_T, MPI_BXOR, world);
}

static int call_iallreduce(void)
{
    return complete(MPI_Iallreduce(numbers, others, 8, MPI_INT, MPI_SUM, world, &requests[0]));
}

static int call_persistent(void)
{
    int code = MPI_Start(&persistent);
    return code == MPI_SUCCESS ? MPI_Wait(&persistent, MPI_STATUS_IGNORE) : code;
}

static int call_scan(void) { return MPI_Scan(numbers, others, 8, MPI_INT, MPI_SUM, world); }
static int call_exscan(void) { return MPI_Exscan(numbers, others, 8, MPI_INT, MPI_SUM, world); }

static int call_reduce_scatter(void)
{
    return MPI_Reduce_scatter_block(numbers, others, 4, MPI_INT, MPI_SUM, world);
}

static int call_neighbours(void) { return MPI_Neighbor_alltoall(numbers, 1, MPI_INT, others, 1, MPI_INT, grid); }
static int call_inter(void) { return MPI_Allgather(numbers, 1, MPI_INT, others, 1, MPI_INT, inter); }

static int call_dup(void)
{
    MPI_Comm made;
    return MPI_Comm_dup(world, &made);
}

static int call_split(void)
{
    MPI_Comm made;
    return MPI_Comm_split(world, 0, rank, &made);
}

static int call_window(void)
{
    MPI_Win made;
    void *base;
    return MPI_Win_allocate(64, 1, MPI_INFO_NULL, world, &base, &made);
}

static int call_fence(void) { return MPI_Win_fence(0, win); }

/* Locked by the rank that is killed, before. */
static int lock_first(void) { return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); }
static int share_first(void) { return MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); }
static int call_lock(void) { return MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); }
static int call_lock_alone(void) { return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); }
static int call_lock_all(void) { return MPI_Win_lock_all(0, win); }

static int call_put(void)
{
    static int locked;
    if (!locked++)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, VICTIM, 0, win));
    return MPI_Put(others, 1, MPI_INT, VICTIM, 0, 1, MPI_INT, win);
}

static int call_get(void)
{
    static int locked;
    if (!locked++)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, VICTIM, 0, win));
    return MPI_Get(others, 1, MPI_INT, VICTIM, 0, 1, MPI_INT, win);
}

static MPI_Group victims(void)
{
    static const int ranks[] = {VICTIM};
    MPI_Group all, victim;
    OK(MPI_Comm_group(world, &all));
    OK(MPI_Group_incl(all, 1, ranks, &victim));
    OK(MPI_Group_free(&all));
    return victim;
}

static int call_start(void) { return MPI_Win_start(victims(), 0, win); }

static int call_post(void)
{
    int code = MPI_Win_post(victims(), 0, win);
    return code == MPI_SUCCESS ? MPI_Win_wait(win) : code;
}

static int call_alltoallv(void)
{
    static int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return MPI_Alltoallv(numbers, ones, places, MPI_INT, others, ones, places, MPI_INT, world);
}

static int call_create(void)
{
    MPI_Group all;
    MPI_Comm made;
    OK(MPI_Comm_group(world, &all));
    return MPI_Comm_create(world, all, &made);
}

static int call_cart(void)
{
    int periods = 1;
    MPI_Comm made;
    return MPI_Cart_create(world, 1, &size, &periods, 0, &made);
}

/* What the rank that is killed does before, while all live. */
static const struct {
    const char *name;
    int (*first)(void);
} firsts[] = {
    {"lock", lock_first}, {"lock_alone", lock_first}, {"lock_of_shared", share_first}, {"lock_all", lock_first},
};

/* The second word is the function that fails, or those of which one does. */
static const struct {
    const char *name, *functions;
    int (*call)(void);
} calls[] = {
    {"send", "MPI_Send", call_send}, {"small_send", "MPI_Send", call_small_send}, {"ssend", "MPI_Ssend", call_ssend},
    {"recv", "MPI_Recv", call_recv}, {"probe", "MPI_Probe", call_probe}, {"mprobe", "MPI_Mprobe", call_mprobe},
    {"sendrecv", "MPI_Sendrecv", call_sendrecv}, {"wait", "MPI_Wait", call_wait}, {"test", "MPI_Test", call_test},
    {"waitall", "MPI_Waitall", call_waitall}, {"waitany", "MPI_Waitany", call_waitany},
    {"barrier", "MPI_Barrier", call_barrier}, {"waitany_of_any", "MPI_Waitany", call_waitany_of_any},
    {"recv_of_any", "MPI_Recv", call_recv_of_any}, {"probe_of_any", "MPI_Probe", call_probe_of_any},
    {"ibarrier", "MPI_Ibarrier MPI_Wait", call_ibarrier}, {"bcast", "MPI_Bcast", call_bcast},
    {"large_bcast", "MPI_Bcast", call_large_bcast}, {"gather", "MPI_Gather", call_gather},
    {"scatter", "MPI_Scatter", call_scatter}, {"scatter_by_living", "MPI_Recv", call_scatter_by_living},
    {"allgather", "MPI_Allgather", call_allgather}, {"alltoall", "MPI_Alltoall", call_alltoall},
    {"large_alltoall", "MPI_Alltoall", call_large_alltoall}, {"reduce", "MPI_Reduce", call_reduce},
    {"allreduce", "MPI_Allreduce", call_allreduce}, {"large_allreduce", "MPI_Allreduce", call_large_allreduce},
    {"iallreduce", "MPI_Iallreduce MPI_Wait", call_iallreduce}, {"persistent", "MPI_Start MPI_Wait", call_persistent},
    {"scan", "MPI_Scan", call_scan}, {"exscan", "MPI_Exscan", call_exscan},
    {"reduce_scatter", "MPI_Reduce_scatter_block", call_reduce_scatter},
    {"neighbours", "MPI_Neighbor_alltoall", call_neighbours}, {"inter", "MPI_Allgather", call_inter},
    {"dup", "MPI_Comm_dup", call_dup}, {"split", "MPI_Comm_split", call_split},
    {"window", "MPI_Win_allocate", call_window}, {"fence", "MPI_Win_fence", call_fence},
    {"lock", "MPI_Win_lock", call_lock}, {"lock_alone", "MPI_Win_lock", call_lock_alone},
    {"lock_of_shared", "MPI_Win_lock", call_lock_alone},
    {"lock_all", "MPI_Win_lock_all", call_lock_all}, {"put", "MPI_Put", call_put}, {"get", "MPI_Get", call_get},
    {"start", "MPI_Win_start", call_start}, {"post", "MPI_Win_post MPI_Win_wait", call_post},
    {"alltoallv", "MPI_Alltoallv", call_alltoallv}, {"create", "MPI_Comm_create", call_create},
    {"cart", "MPI_Cart_create", call_cart},
};

/* What the calls use, made while all live. */
static void prepare(void)
{
    int periods = 1;
    MPI_Comm half;
    block = calloc(LARGE, 1);
    second = calloc(LARGE, 1);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    OK(MPI_Cart_create(world, 1, &size, &periods, 0, &grid));
    OK(MPI_Comm_split(world, rank == VICTIM, rank, &half));
    OK(MPI_Intercomm_create(half, 0, world, rank == VICTIM ? 0 : VICTIM, 7, &inter));
    OK(MPI_Allreduce_init(numbers, others, 8, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &persistent));
    OK(MPI_Win_create(numbers, sizeof numbers, 1, MPI_INFO_NULL, world, &win));
    OK(MPI_Barrier(world));
}

int main(int argc, char **argv)
{
    const char *name = getenv("CALL"), *returned = getenv("RETURNED");
    begin(&argc, &argv, &rank, &size);
    if (returned == NULL) {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    }
    prepare();
    if (returned != NULL) {
        OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
        OK(MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN));
        OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
        OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].name, name) != 0)
            continue;
        int code, class;
        for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++)
            if (rank == VICTIM && strcmp(firsts[k].name, name) == 0)
                OK(firsts[k].first());
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == VICTIM)
            raise(SIGKILL);
        do
            code = calls[i].call();
        while (code == MPI_SUCCESS);
        OK(MPI_Error_class(code, &class));
        char path[4096];
        snprintf(path, sizeof path, "%s.%d", returned, rank);
        FILE *file = fopen(path, "w");
        CHECK(file != NULL && fprintf(file, "%s", class == MPI_ERR_PROC_ABORTED ? "lost" : "another error") > 0);
        CHECK(fclose(file) == 0);
        return 0;
    }
    fprintf(stderr, "no such call: %s\n", name);
    return 2;
}
