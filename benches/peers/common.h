/* What the MPI programs of `runahead bench peers` share: the clock, the data, the two kinds of barrier,
 * and the line that tells a sample. The programs are those of `runahead bench app`, and it starts them.
 *
 * By hand, for the 8 ranks of one sample:
 *   mpicc -O3 -o target/radix_sort benches/peers/radix_sort.c
 *   mpirun --oversubscribe --bind-to none -n 8 target/radix_sort barrier 262144 */
#define _GNU_SOURCE
#include <mpi.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

/* Says what is wrong, and ends all ranks. */
__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    /* A launcher that ends ranks may drop what it has not passed on yet; and MPI_Abort may return. */
    usleep(200000);
    MPI_Abort(MPI_COMM_WORLD, 3);
    for (;;) pause();
}

static void *room(size_t count, size_t bytes) {
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) fail("there is not enough memory");
    return memory;
}

/* ---- Barriers: MPI_Barrier, or MPI_Ibarrier placed by hand. ----
 *
 * With the latter nobody waits at `barrier`. A program calls `complete_barriers` where it is right only
 * when those before have completed: before it receives from any source. Receives that name their sender
 * need no barrier, since one sender's messages come in order. As many barriers may be open as in
 * runahead by default. */
enum { MOST_OPEN = 64 };
static bool runs_ahead;
static MPI_Request opened[MOST_OPEN];
static unsigned first_open, open_count;

static void complete_oldest(void) {
    MPI_Wait(&opened[first_open++ % MOST_OPEN], MPI_STATUS_IGNORE);
    open_count--;
}

static void complete_barriers(void) {
    while (open_count > 0) complete_oldest();
}

static void barrier(void) {
    if (!runs_ahead) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    /* Those that have completed, without waiting; this lets MPI go on with the others, too. */
    for (int done = 1; open_count > 0 && done;) {
        MPI_Test(&opened[first_open % MOST_OPEN], &done, MPI_STATUS_IGNORE);
        if (done) first_open++, open_count--;
    }
    if (open_count == MOST_OPEN) complete_oldest();
    MPI_Ibarrier(MPI_COMM_WORLD, &opened[(first_open + open_count++) % MOST_OPEN]);
}

/* ---- The clock: that of runahead, which all processes of a host share. ---- */
static uint64_t start_ns, end_ns;

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void start_clock(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    start_ns = now_ns();
}

static void stop_clock(void) {
    end_ns = now_ns();
    complete_barriers();
}

/* ---- The data: the generator that runahead's programs use (wyrand), seeded by the rank. ---- */
static uint64_t next_random(uint64_t *state) {
    *state += 0x2d358dccaa6c78a5u;
    unsigned __int128 product = (unsigned __int128)*state * (*state ^ 0x8bb84b93962eacc9u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Takes one number more into what a result is recognised by. */
static uint64_t digest_of(uint64_t digest, uint64_t number) {
    return ((digest << 5 | digest >> 59) ^ number) * 0x9e3779b97f4a7c15u;
}

/* Work that takes `count` rounds on a core: the loop that runahead calibrates (crates/harness/src/work.rs). No compiler can
 * make several rounds one. */
__attribute__((noinline)) static void compute(uint64_t count) {
    uint64_t value = 1;
    __asm__ volatile("" : "+r"(value));
    for (; count > 0; count--) {
        value ^= value >> 32;
        value = value * 6364136223846793005u + 1442695040888963407u;
    }
    __asm__ volatile("" : : "r"(value));
}

/* How long a round takes, in nanoseconds: the fastest of some trials, which had its core for itself. */
static double round_ns(void) {
    enum { ROUNDS = 1 << 15, TRIALS = 20 };
    uint64_t fastest = UINT64_MAX;
    for (int trial = 0; trial < TRIALS; trial++) {
        uint64_t begin = now_ns();
        compute(ROUNDS);
        uint64_t took = now_ns() - begin;
        if (took < fastest) fastest = took;
    }
    return (double)fastest / ROUNDS;
}

/* ---- Beginning, telling, ending. ---- */
static uint64_t argument(int argc, char **argv, int at, const char *name) {
    char *end = NULL;
    uint64_t number = argc > at ? strtoull(argv[at], &end, 10) : 0;
    if (!end || end == argv[at] || *end) {
        if (rank == 0) fprintf(stderr, "argument %d must be a number: %s\n", at, name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return number;
}

/* The first argument of all programs is the kind of barrier. */
static void begin(int argc, char **argv) {
    /* Nobody outlives who started it, nor by much the time limit. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *limit_s = getenv("RUNAHEAD_PEERS_LIMIT_S");
    if (limit_s) alarm((unsigned)atoi(limit_s));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *kind = argc > 1 ? argv[1] : "";
    runs_ahead = strcmp(kind, "ibarrier") == 0;
    if (!runs_ahead && strcmp(kind, "barrier") != 0) {
        if (rank == 0) fprintf(stderr, "the first argument must be barrier or ibarrier\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static void print_all(const char *key, uint64_t mine) {
    uint64_t *all = room((size_t)size, sizeof *all);
    MPI_Gather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf(", \"%s\": [", key);
        for (int r = 0; r < size; r++) printf("%s%" PRIu64, r ? ", " : "", all[r]);
        printf("]");
    }
    free(all);
}

/* The library that this runs on, without what a string in a line could not hold. */
static const char *library(void) {
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    for (char *at = version; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\') *at = ' ';
    if (strlen(version) > 80) version[80] = 0;
    return version;
}

/* The beginning of a sample's line. How many cores each rank may use shows that all contestants have
 * the same, and how long a round takes, that they do the same work. */
static void print_head(const char *program) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    if (rank == 0)
        printf("{\"program\": \"%s\", \"barrier\": \"%s\", \"library\": \"%s\", \"ranks\": %d, \"round_ns\": %f",
               program, runs_ahead ? "ibarrier" : "barrier", library(), size, round_ns());
    print_all("cores", (uint64_t)CPU_COUNT(&cores));
}

/* A sample: when each rank began and ended, and the sum of what their results are recognised by. */
static void print_sample(const char *program, uint64_t digest) {
    uint64_t sum = 0;
    print_head(program);
    print_all("start_ns", start_ns);
    print_all("end_ns", end_ns);
    MPI_Reduce(&digest, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf(", \"digest\": %" PRIu64 "}\n", sum);
    fflush(stdout);
}
