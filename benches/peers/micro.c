/* Single operations on MPI, those of `runahead bench micro`, in nanoseconds each: with MPI_Barrier the
 * messages and the barrier, with MPI_Ibarrier that and its wait, and its call alone. Rank 0 prints
 * the medians, and how many calls each repetition timed: fewer where one takes long, as with more ranks
 * that poll than cores.
 * Arguments: barrier or ibarrier, the repetitions, the most calls in each, the milliseconds that a figure
 * may take, about. */
#include "common.h"

enum { TAG_PING = 1, TAG_STREAM = 2, TAG_BULK = 3, TAG_DONE = 4, BULK_BYTES = 1 << 20 };
static char *bulk;

static void send_8(int to, int tag) {
    uint64_t number = 0;
    MPI_Send(&number, 1, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
}

static void receive_8(int from, int tag) {
    uint64_t number;
    MPI_Recv(&number, 1, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each times so many calls, all together, in nanoseconds. Ranks that a message does not concern go on to
 * the next barrier. */
static double ping_pong(int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t begin_ns = now_ns();
    for (int i = 0; i < calls && rank < 2; i++) {
        if (rank == 0) send_8(1, TAG_PING);
        receive_8(1 - rank, TAG_PING);
        if (rank == 1) send_8(0, TAG_PING);
    }
    return (double)(now_ns() - begin_ns) / 2;
}

static double stream(int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t begin_ns = now_ns();
    for (int i = 0; i < calls && rank < 2; i++) rank == 0 ? send_8(1, TAG_STREAM) : receive_8(0, TAG_STREAM);
    if (rank == 0) receive_8(1, TAG_DONE);
    if (rank == 1) send_8(0, TAG_DONE);
    return (double)(now_ns() - begin_ns);
}

static double bulks(int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t begin_ns = now_ns();
    for (int i = 0; i < calls && rank < 2; i++) {
        if (rank == 0) MPI_Send(bulk, BULK_BYTES, MPI_BYTE, 1, TAG_BULK, MPI_COMM_WORLD);
        else MPI_Recv(bulk, BULK_BYTES, MPI_BYTE, 0, TAG_BULK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) receive_8(1, TAG_DONE);
    if (rank == 1) send_8(0, TAG_DONE);
    return (double)(now_ns() - begin_ns);
}

static double barriers(int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t begin_ns = now_ns();
    for (int i = 0; i < calls; i++) {
        barrier();
        complete_barriers();
    }
    return (double)(now_ns() - begin_ns);
}

/* No more at a time than may be open, so that none of them waits; only they are timed. */
static double barrier_calls(int calls) {
    MPI_Request requests[MOST_OPEN];
    uint64_t spent_ns = 0;
    for (int left = calls; left > 0; left -= MOST_OPEN) {
        int now = left < MOST_OPEN ? left : MOST_OPEN;
        MPI_Barrier(MPI_COMM_WORLD);
        uint64_t begin_ns = now_ns();
        for (int i = 0; i < now; i++) MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]);
        spent_ns += now_ns() - begin_ns;
        MPI_Waitall(now, requests, MPI_STATUSES_IGNORE);
    }
    return (double)spent_ns;
}

static int ascending(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static uint64_t repetitions, most_calls, figure_ms;
/* The figures so far, as text, and their calls. */
static char figures[1024], called[1024];

static void measure(const char *name, double (*timed)(int), uint64_t most) {
    /* These make warm, and find out how many there is time for, as rank 0 sees it. */
    int calls = 1;
    for (int more = 1; more;) {
        uint64_t begin_ns = now_ns();
        timed(calls);
        uint64_t next_ns = 4 * (now_ns() - begin_ns);
        more = (uint64_t)calls < most && next_ns < figure_ms * 1000000 / repetitions;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (more) calls = (uint64_t)calls * 4 < most ? calls * 4 : (int)most;
    }
    double *each = room(repetitions, sizeof *each);
    for (uint64_t i = 0; i < repetitions; i++) each[i] = timed(calls) / calls;
    qsort(each, repetitions, sizeof *each, ascending);
    double median = (each[repetitions / 2] + each[(repetitions - 1) / 2]) / 2;
    free(each);
    size_t at = strlen(figures), then = strlen(called);
    const char *comma = at ? ", " : "";
    snprintf(figures + at, sizeof figures - at, "%s\"%s\": %.1f", comma, name, median);
    snprintf(called + then, sizeof called - then, "%s\"%s\": %d", comma, name, calls);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    repetitions = argument(argc, argv, 2, "the repetitions");
    most_calls = argument(argc, argv, 3, "the most calls");
    figure_ms = argument(argc, argv, 4, "the milliseconds a figure");
    if (size < 2 || repetitions == 0 || most_calls == 0) fail("there must be two ranks and a call");
    bulk = room(BULK_BYTES, 1);
    /* On pages of its own, which reading alone would not give it. */
    memset(bulk, 1, BULK_BYTES);
    if (!runs_ahead) {
        measure("ping_pong_ns", ping_pong, most_calls);
        measure("stream_ns", stream, most_calls);
        measure("bulk_ns", bulks, most_calls / 40 < 2 ? 2 : most_calls / 40);
        measure("barrier_ns", barriers, most_calls);
    } else {
        measure("barrier_ns", barriers, most_calls);
        measure("barrier_call_ns", barrier_calls, most_calls);
    }
    print_head("micro");
    if (rank == 0) printf(", \"figures\": {%s}, \"calls\": {%s}}\n", figures, called);
    MPI_Finalize();
    return 0;
}
