/* One-sided communication: epochs of fences, locks and post-start-complete-wait.
 * Rules: no two operations of an epoch touch the same memory, but for accumulates by one operator. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH, SWAP };
enum { FENCE, LOCK, LOCK_ALL, POST };
enum { CREATED, ALLOCATED, SHARED };

typedef struct {
    int kind, target, type, count, place, target_type, target_count, op, requested;
    Area area, result;
} Operation;

static Operation operation(void)
{
    Operation read = {.kind = integer()};
    read.target = integer();
    read.type = integer();
    read.count = integer();
    read.place = integer();
    read.target_type = integer();
    read.target_count = integer();
    read.op = integer();
    read.requested = integer();
    read.area = area();
    read.result = area();
    return read;
}

static void issue(Operation *o, MPI_Win win, int large)
{
    MPI_Datatype type = types[o->type], there = types[o->target_type];
    MPI_Op op = o->op < 0 ? MPI_REPLACE : o->op == 99 ? MPI_NO_OP : operators[o->op];
    void *at = start(&o->area), *result = start(&o->result);
    MPI_Request request = MPI_REQUEST_NULL;
    switch (o->kind) {
    case PUT:
        if (o->requested)
            MUST(MPI_Rput(at, o->count, type, o->target, o->place, o->target_count, there, win, &request));
        else
            MUST(large ? MPI_Put_c(at, o->count, type, o->target, o->place, o->target_count, there, win)
                       : MPI_Put(at, o->count, type, o->target, o->place, o->target_count, there, win));
        break;
    case GET:
        if (o->requested)
            MUST(MPI_Rget(at, o->count, type, o->target, o->place, o->target_count, there, win, &request));
        else
            MUST(large ? MPI_Get_c(at, o->count, type, o->target, o->place, o->target_count, there, win)
                       : MPI_Get(at, o->count, type, o->target, o->place, o->target_count, there, win));
        break;
    case ACCUMULATE:
        if (o->requested)
            MUST(MPI_Raccumulate(at, o->count, type, o->target, o->place, o->target_count, there, op, win, &request));
        else
            MUST(large ? MPI_Accumulate_c(at, o->count, type, o->target, o->place, o->target_count, there, op, win)
                       : MPI_Accumulate(at, o->count, type, o->target, o->place, o->target_count, there, op, win));
        break;
    case GET_ACCUMULATE:
        MUST(MPI_Get_accumulate(at, o->count, type, result, o->count, type, o->target, o->place, o->target_count, there, op,
                                win));
        break;
    case FETCH: MUST(MPI_Fetch_and_op(at, result, type, o->target, o->place, op, win)); break;
    default: {
        /* The compared value lies behind the new one. */
        int size;
        MUST(MPI_Type_size(type, &size));
        MUST(MPI_Compare_and_swap(at, (char *)at + size, result, type, o->target, o->place, win));
    }
    }
    if (request != MPI_REQUEST_NULL)
        MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* window COMM FLAVOUR UNIT EPOCH MEMORY OPERATIONS: every member of COMM has such memory, in units of so many bytes. */
void step_window(void)
{
    enum { MOST = 100 };
    static Operation mine[MOST];
    MPI_Comm comm = comms[integer()];
    int flavour = integer(), unit = integer(), epoch = integer(), large = integer(), n = 0;
    Area memory = area();
    for (int all = integer(), i = 0; i < all; i++) {
        int rank = integer();
        mine[n] = operation();
        n += rank == world_rank;
    }
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Win win;
    char *base;
    fill(&memory, 0);
    if (flavour == CREATED) {
        base = memory.bytes;
        MUST(large ? MPI_Win_create_c(base, (MPI_Aint)memory.size, unit, MPI_INFO_NULL, comm, &win)
                   : MPI_Win_create(base, (MPI_Aint)memory.size, unit, MPI_INFO_NULL, comm, &win));
    } else if (flavour == ALLOCATED) {
        MUST(MPI_Win_allocate((MPI_Aint)memory.size, unit, MPI_INFO_NULL, comm, &base, &win));
    } else {
        MUST(MPI_Win_allocate_shared((MPI_Aint)memory.size, unit, MPI_INFO_NULL, comm, &base, &win));
    }
    MUST(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    MUST(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    MUST(MPI_Win_unlock(0, win));
    int rank, size;
    MUST(MPI_Comm_rank(comm, &rank));
    MUST(MPI_Comm_size(comm, &size));
    if (flavour != CREATED) {
        MUST(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
        memcpy(base, memory.bytes, memory.size);
        MUST(MPI_Win_unlock(rank, win));
    }
    MUST(MPI_Barrier(comm));
    for (int i = 0; i < n; i++) {
        fill(&mine[i].area, 0);
        fill(&mine[i].result, 0);
    }
    MPI_Group group;
    MUST(MPI_Win_get_group(win, &group));
    if (epoch == FENCE) {
        MUST(MPI_Win_fence(0, win));
    } else if (epoch == LOCK_ALL) {
        MUST(MPI_Win_lock_all(0, win));
    } else if (epoch == POST) {
        MUST(MPI_Win_post(group, 0, win));
        MUST(MPI_Win_start(group, 0, win));
    }
    for (int i = 0; i < n; i++) {
        if (epoch == LOCK)
            MUST(MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, mine[i].target, 0, win));
        issue(&mine[i], win, large);
        if (epoch == LOCK)
            MUST(MPI_Win_unlock(mine[i].target, win));
        else if (epoch == LOCK_ALL)
            MUST(MPI_Win_flush(mine[i].target, win));
    }
    if (epoch == FENCE) {
        MUST(MPI_Win_fence(0, win));
    } else if (epoch == LOCK_ALL) {
        MUST(MPI_Win_unlock_all(win));
    } else if (epoch == POST) {
        MUST(MPI_Win_complete(win));
        MUST(MPI_Win_wait(win));
    }
    MUST(MPI_Group_free(&group));
    MUST(MPI_Barrier(comm));
    MUST(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    if (flavour != CREATED)
        memcpy(memory.bytes, base, memory.size);
    MUST(MPI_Win_unlock(rank, win));
    say("window %016llx", (unsigned long long)digest(&memory));
    for (int i = 0; i < n; i++) {
        say("window operation %d %016llx %016llx", i, (unsigned long long)digest(&mine[i].area),
            (unsigned long long)digest(&mine[i].result));
        release(&mine[i].area);
        release(&mine[i].result);
    }
    MUST(MPI_Barrier(comm));
    MUST(MPI_Win_free(&win));
    release(&memory);
}
