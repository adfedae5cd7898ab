/* The collectives of `runahead bench peers --what collectives` on MPI, in nanoseconds each. As in the micro-benchmarks of
 * OSU, all ranks wait at a barrier before each call, or each few, only calls are timed, and the figure is the largest
 * of the ranks' means. Results are checked, outside the timed part. Rank 0 prints the figures, and how many calls each
 * timed: fewer where one takes long, as with more ranks that poll than cores.
 * Arguments: barrier, the bytes that a rank gives (to each, where it gives each something else), the most calls, how
 * many of them follow each barrier, the milliseconds that a figure may take, about, whether the barrier is timed, too,
 * and whether each is a nonblocking call and a wait (1 or 0). */
#include "common.h"

/* No power of two, so that blocks that are interchanged differ. */
enum { PERIOD = 1009 };
static size_t n;
static uint64_t number, most_together, with_barrier, nonblocking;
static MPI_Request pending;
static double *given, *got;

/* Element `i` of what a rank gives after the barrier of this number is its weight times this: a whole number, so that sums are
 * exact in any order. */
static double element(size_t i) { return (double)((i + number) % PERIOD + 1); }
static double weight(int of) { return of + 1; }
static double weights_below(int of) { return of * (of + 1) / 2.0; }

static void expect(const double *block, double weight, size_t first) {
    for (size_t i = 0; i < n; i++)
        if (block[i] != weight * element(first + i)) fail("a collective has a wrong result");
}

/* ---- Each collective: the call, and the check of its result. ---- */
static void broadcast(void) {
    if (nonblocking)
        MPI_Ibcast(given, (int)n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &pending);
    else
        MPI_Bcast(given, (int)n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void check_broadcast(void) { expect(given, weight(0), 0); }

static void reduce(void) {
    if (nonblocking)
        MPI_Ireduce(given, got, (int)n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &pending);
    else
        MPI_Reduce(given, got, (int)n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void check_reduce(void) {
    if (rank == 0) expect(got, weights_below(size), 0);
}

static void all_reduce(void) {
    if (nonblocking)
        MPI_Iallreduce(given, got, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &pending);
    else
        MPI_Allreduce(given, got, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void check_all_reduce(void) { expect(got, weights_below(size), 0); }

static void all_gather(void) {
    if (nonblocking)
        MPI_Iallgather(given, (int)n, MPI_DOUBLE, got, (int)n, MPI_DOUBLE, MPI_COMM_WORLD, &pending);
    else
        MPI_Allgather(given, (int)n, MPI_DOUBLE, got, (int)n, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void check_all_gather(void) {
    for (int r = 0; r < size; r++) expect(got + (size_t)r * n, weight(r), 0);
}

static void all_to_all(void) {
    if (nonblocking)
        MPI_Ialltoall(given, (int)n, MPI_DOUBLE, got, (int)n, MPI_DOUBLE, MPI_COMM_WORLD, &pending);
    else
        MPI_Alltoall(given, (int)n, MPI_DOUBLE, got, (int)n, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void check_all_to_all(void) {
    for (int r = 0; r < size; r++) expect(got + (size_t)r * n, weight(r), (size_t)rank * n);
}

static void exclusive_scan(void) {
    if (nonblocking)
        MPI_Iexscan(given, got, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &pending);
    else
        MPI_Exscan(given, got, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void check_exclusive_scan(void) {
    if (rank > 0) expect(got, weights_below(rank), 0);
}

typedef struct {
    const char *name;
    void (*call)(void), (*check)(void);
    /* Whether a rank gives each rank something else. */
    bool to_each;
} collective_t;

static const collective_t ALL[] = {
    {"broadcast_ns", broadcast, check_broadcast, false},
    {"reduce_ns", reduce, check_reduce, false},
    {"all_reduce_ns", all_reduce, check_all_reduce, false},
    {"all_gather_ns", all_gather, check_all_gather, false},
    {"all_to_all_ns", all_to_all, check_all_to_all, true},
    {"exclusive_scan_ns", exclusive_scan, check_exclusive_scan, false},
};

/* The mean time of a call at this rank. */
static double mean_ns(const collective_t *one, int calls) {
    int together = (uint64_t)calls < most_together ? calls : (int)most_together;
    int barriers = (calls + together - 1) / together;
    uint64_t spent_ns = 0;
    size_t giving = one->to_each ? n * (size_t)size : n;
    for (int i = 0; i < barriers; i++) {
        number++;
        for (size_t at = 0; at < giving; at++) given[at] = weight(rank) * element(at);
        uint64_t before_ns = now_ns();
        MPI_Barrier(MPI_COMM_WORLD);
        uint64_t begin_ns = with_barrier ? before_ns : now_ns();
        for (int k = 0; k < together; k++) {
            one->call();
            if (nonblocking) MPI_Wait(&pending, MPI_STATUS_IGNORE);
        }
        spent_ns += now_ns() - begin_ns;
        one->check();
    }
    return (double)spent_ns / ((double)barriers * together);
}

/* These calls make warm, and find out how many there is time for, as rank 0 sees it. */
static int warm_up(const collective_t *one, uint64_t most_calls, uint64_t figure_ms) {
    uint64_t calls = 1;
    for (int more = 1; more;) {
        uint64_t begin_ns = now_ns();
        mean_ns(one, (int)calls);
        uint64_t next_ns = 4 * (now_ns() - begin_ns);
        more = calls < most_calls && next_ns < figure_ms * 1000000;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (more) calls = calls * 4 < most_calls ? calls * 4 : most_calls;
    }
    return (int)calls;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    n = argument(argc, argv, 2, "the bytes") / sizeof *given;
    uint64_t most_calls = argument(argc, argv, 3, "the most calls");
    most_together = argument(argc, argv, 4, "the calls after each barrier");
    uint64_t figure_ms = argument(argc, argv, 5, "the milliseconds a figure");
    with_barrier = argument(argc, argv, 6, "whether the barrier is timed");
    nonblocking = argument(argc, argv, 7, "whether calls are nonblocking");
    if (runs_ahead || n == 0 || most_calls == 0 || most_together == 0)
        fail("there must be blocking barriers, an element and a call");
    given = room(n * (size_t)size, sizeof *given), got = room(n * (size_t)size, sizeof *got);
    enum { COUNT = sizeof ALL / sizeof *ALL };
    double figures[COUNT];
    int calls[COUNT];
    for (int k = 0; k < COUNT; k++) {
        calls[k] = warm_up(&ALL[k], most_calls, figure_ms);
        double mine = mean_ns(&ALL[k], calls[k]);
        MPI_Reduce(&mine, &figures[k], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    print_head(nonblocking ? "nonblocking-collectives" : "collectives");
    if (rank == 0) {
        for (int k = 0; k < COUNT; k++)
            printf("%s\"%s\": %.1f", k ? ", " : ", \"figures\": {", ALL[k].name, figures[k]);
        for (int k = 0; k < COUNT; k++)
            printf("%s\"%s\": %d", k ? ", " : "}, \"calls\": {", ALL[k].name, calls[k]);
        printf("}}\n");
    }
    MPI_Finalize();
    return 0;
}
