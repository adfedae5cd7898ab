/* Threads that call at once: a call that waits keeps no other thread of its rank from its calls.
 * Source: MPI 5.0, section on threads. Without RUNAHEAD_MPI_THREADS=multiple no such level is given. */
#include "check.h"
#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 200, LARGE = 100000 };

static int rank, size;
static MPI_Comm comms[THREADS];

static int next(void) { return (rank + 1) % size; }
static int before(void) { return (rank + size - 1) % size; }

static void start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    CHECK(pthread_create(thread, NULL, run, argument) == 0);
}

static void join(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

/* Each waits in another call for what the other thread of this rank sends only then. */
static void *wait_for_own(void *argument)
{
    int way = *(int *)argument, got = -1, index;
    char *large = malloc(LARGE);
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Comm self = MPI_COMM_SELF;

    switch (way) {
    case 0:
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE));
        break;
    case 1:
        OK(MPI_Probe(MPI_ANY_SOURCE, 1, self, MPI_STATUS_IGNORE));
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE));
        break;
    case 2:
        OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, self, &requests[0]));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        break;
    case 3:
        OK(MPI_Irecv(large, LARGE, MPI_CHAR, 0, 9, self, &requests[0]));
        OK(MPI_Irecv(&got, 1, MPI_INT, 0, 1, self, &requests[1]));
        OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
        CHECK(index == 1);
        OK(MPI_Cancel(&requests[0]));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        break;
    default:
        OK(MPI_Mprobe(0, 1, self, &message, MPI_STATUS_IGNORE));
        OK(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    }
    CHECK(got == way);
    /* Nobody has met it yet. */
    OK(MPI_Ssend(&got, 1, MPI_INT, 0, 2, self));
    free(large);
    return NULL;
}

static void waits_for_its_own_rank(void)
{
    pthread_t thread;
    int got;

    for (int way = 0; way < 5; way++) {
        start(&thread, wait_for_own, &way);
        /* Mostly it waits by then. */
        for (int at = 0; at < 100; at++)
            sched_yield();
        OK(MPI_Send(&way, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        CHECK(got == way);
        join(thread);
    }
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    OK(MPI_Status_set_elements(status, MPI_BYTE, 0));
    OK(MPI_Status_set_cancelled(status, 0));
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *wait_for_it(void *argument)
{
    MPI_Request request = *(MPI_Request *)argument;
    MPI_Status status;
    int flag;

    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    return flag ? argument : NULL;
}

/* A thread completes, or cancels, what another waits for: the request is known meanwhile. */
static void ends_what_another_waits_for(void)
{
    pthread_t thread;
    MPI_Request request;
    void *cancelled;
    int got;

    for (int way = 0; way < 2; way++) {
        if (way == 0)
            OK(MPI_Grequest_start(query, release, cancel, NULL, &request));
        else
            OK(MPI_Irecv(&got, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request));
        start(&thread, wait_for_it, &request);
        for (int at = 0; at < 1000; at++)
            sched_yield();
        if (way == 0)
            OK(MPI_Grequest_complete(request));
        else
            OK(MPI_Cancel(&request));
        CHECK(pthread_join(thread, &cancelled) == 0 && (cancelled != NULL) == way);
    }
}

static volatile int *shared;

/* They have not left, since the receiver makes no calls until another thread of this rank has it do so. */
static void *flush(void *argument)
{
    (void)argument;
    OK(MPI_Buffer_flush());
    return NULL;
}

static void flushing_waits_for_others(void)
{
    enum { MANY = 5000 };
    pthread_t thread;
    MPI_Win window;
    MPI_Aint bytes;
    void *address;
    int got, flag, unit;
    char *room = malloc(MANY * (sizeof(int) + MPI_BSEND_OVERHEAD));

    OK(MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &address, &window));
    OK(MPI_Win_shared_query(window, 0, &bytes, &unit, &address));
    shared = address;
    if (rank == 0)
        *shared = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        OK(MPI_Buffer_attach(room, MANY * (int)(sizeof(int) + MPI_BSEND_OVERHEAD)));
        for (int at = 0; at < MANY; at++)
            OK(MPI_Bsend(&at, 1, MPI_INT, size - 1, 6, MPI_COMM_WORLD));
        start(&thread, flush, NULL);
        for (int at = 0; at < 1000; at++)
            sched_yield();
        OK(MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        *shared = 1;
        if (size > 1)
            join(thread);
    }
    if (rank == size - 1) {
        while (*shared == 0)
            sched_yield();
        for (int at = 0; at < MANY; at++) {
            OK(MPI_Recv(&got, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(got == at);
        }
    }
    if (rank == 0) {
        if (size == 1)
            join(thread);
        OK(MPI_Buffer_detach(&address, &unit));
        CHECK(address == room);
    }
    OK(MPI_Win_free(&window));
    free(room);
}

/* The others come to the collective only when another thread of this rank has told them to. */
static void *collect(void *argument)
{
    int way = *(int *)argument, sum = 0;

    if (rank != 0)
        OK(MPI_Recv(&sum, 1, MPI_INT, 0, 3, comms[1], MPI_STATUS_IGNORE));
    switch (way) {
    case 0:
        OK(MPI_Barrier(comms[0]));
        break;
    case 1:
        OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[0]));
        CHECK(sum == size * (size - 1) / 2);
        break;
    default:
        sum = size - 1 - rank;
        OK(MPI_Bcast(&sum, 1, MPI_INT, size - 1, comms[0]));
        CHECK(sum == 0);
    }
    return NULL;
}

static void collectives_wait_for_others(void)
{
    pthread_t thread;

    for (int way = 0; way < 3; way++) {
        start(&thread, collect, &way);
        for (int at = 0; at < 100; at++)
            sched_yield();
        for (int peer = 1; rank == 0 && peer < size; peer++)
            OK(MPI_Send(&way, 1, MPI_INT, peer, 3, comms[1]));
        join(thread);
    }
}

/* All at once, each thread in a communicator of its own and with messages of many lengths. */
static void *exchange(void *argument)
{
    int own = *(int *)argument, sum, number, got;
    MPI_Comm comm = comms[own];
    char *out = malloc(LARGE), *in = malloc(LARGE);
    MPI_Request requests[2];

    for (int round = 0; round < ROUNDS; round++) {
        int bytes = round % 20 == 0 ? LARGE : round * own;
        memset(out, own + rank + round, bytes);
        OK(MPI_Sendrecv(out, bytes, MPI_CHAR, next(), own, in, LARGE, MPI_CHAR, before(), own, comm, MPI_STATUS_IGNORE));
        CHECK(bytes == 0 || in[bytes - 1] == (char)(own + before() + round));
        OK(MPI_Irecv(in, LARGE, MPI_CHAR, before(), own, comm, &requests[0]));
        OK(MPI_Isend(out, bytes, MPI_CHAR, next(), own, comm, &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK(bytes == 0 || in[0] == (char)(own + before() + round));
        number = rank + own;
        OK(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK(sum == size * (size - 1) / 2 + size * own);
        /* Some thread of the neighbour takes it: all receive alike. */
        OK(MPI_Send(&round, 1, MPI_INT, next(), 77, MPI_COMM_WORLD));
        OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got >= 0 && got < ROUNDS);
    }
    OK(MPI_Barrier(comm));
    free(out);
    free(in);
    return NULL;
}

static void all_at_once(void)
{
    pthread_t threads[THREADS];
    int own[THREADS];

    for (int at = 0; at < THREADS; at++) {
        own[at] = at;
        start(&threads[at], exchange, &own[at]);
    }
    for (int at = 0; at < THREADS; at++)
        join(threads[at]);
}

int main(int argc, char **argv)
{
    int provided, queried;
    const char *level = getenv("RUNAHEAD_MPI_THREADS");
    int is_multiple = level != NULL && strcmp(level, "multiple") == 0;

    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_Query_thread(&queried));
    CHECK(provided == (is_multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED) && queried == provided);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (int at = 0; at < THREADS; at++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[at]));
    if (is_multiple) {
        waits_for_its_own_rank();
        ends_what_another_waits_for();
        flushing_waits_for_others();
        collectives_wait_for_others();
        all_at_once();
    }
    for (int at = 0; at < THREADS; at++)
        OK(MPI_Comm_free(&comms[at]));
    OK(MPI_Finalize());
    return 0;
}
