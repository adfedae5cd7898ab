/* The messages of `runahead bench peers --what messages` on MPI, in nanoseconds each. Ranks 0 and 1, 2 and 3 and so on are
 * pairs, all at once; a last rank without another only takes part in the barriers. All ranks wait at a barrier before each
 * round, only what follows is timed, and the figure is the largest of the ranks' means. What was received is checked,
 * outside the timed part. Rank 0 prints the figures, and how many messages each timed. The same as
 * crates/cli/src/bench/apps/messages.rs.
 * Arguments: barrier, the bytes of a message, the most messages of a figure, the milliseconds that one may take, about. */
#include "common.h"

/* As many messages follow one another in a window of OSU's, and in a round here; fewer where they are long. */
enum { WINDOW = 64, TAG = 1, TAG_BACK = 2 };
#define MOST_BYTES ((size_t)64 << 20)

static size_t n;
static int window, other;
static uint64_t number;
/* The words of the messages of a window, one behind the other. */
static uint64_t *given, *got;

static uint64_t word(size_t message, size_t i) { return number + message + i; }

/* What is sent next: all words of so many messages, or the first of one alone, where its memory is to stay in caches. */
static void write_all(void) {
    for (size_t m = 0; m < (size_t)window; m++)
        for (size_t i = 0; i < n; i++) given[m * n + i] = word(m, i);
}
static void write_first(void) {
    if (number == 1)
        for (size_t i = 1; i < n; i++) given[i] = i;
    given[0] = number;
}
static void check_all(void) {
    for (size_t m = 0; m < (size_t)window; m++)
        for (size_t i = 0; i < n; i++)
            if (got[m * n + i] != word(m, i)) fail("a message is wrong");
}
static void check_first(void) {
    if (got[0] != number) fail("a message is wrong");
    for (size_t i = 1; i < n; i++)
        if (got[i] != i) fail("a message is wrong");
}

static void send_to(uint64_t *from, int tag) { MPI_Send(from, (int)n, MPI_UINT64_T, other, tag, MPI_COMM_WORLD); }
static void receive_in(uint64_t *to, int tag) {
    MPI_Recv(to, (int)n, MPI_UINT64_T, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void answer(void) {
    uint64_t none = 0;
    if (rank % 2) MPI_Send(&none, 1, MPI_UINT64_T, other, TAG_BACK, MPI_COMM_WORLD);
    else MPI_Recv(&none, 1, MPI_UINT64_T, other, TAG_BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- Each way: a round of as many messages as a window has. ---- */
static void there_and_back(void) {
    for (int k = 0; k < window; k++) {
        if (rank % 2 == 0) send_to(given, TAG);
        receive_in(got, TAG);
        if (rank % 2) send_to(given, TAG);
    }
}
static void exchange(void) {
    for (int k = 0; k < window; k++)
        MPI_Sendrecv(given + (size_t)k * n, (int)n, MPI_UINT64_T, other, TAG, got + (size_t)k * n, (int)n, MPI_UINT64_T, other,
                     TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void send_one_by_one(void) {
    for (int k = 0; k < window; k++) rank % 2 ? receive_in(got + (size_t)k * n, TAG) : send_to(given + (size_t)k * n, TAG);
    answer();
}
static void post(size_t step) {
    MPI_Request requests[WINDOW];
    for (int k = 0; k < window; k++)
        if (rank % 2) MPI_Irecv(got + (size_t)k * step, (int)n, MPI_UINT64_T, other, TAG, MPI_COMM_WORLD, &requests[k]);
        else MPI_Isend(given + (size_t)k * step, (int)n, MPI_UINT64_T, other, TAG, MPI_COMM_WORLD, &requests[k]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    answer();
}
static void post_each(void) { post(n); }
static void post_same(void) { post(0); }

typedef struct {
    const char *name;
    void (*round)(void), (*write)(void), (*check)(void);
    /* Whether both ranks of a pair receive; by how much a message's time is to be divided. */
    bool both;
    int halves;
} way_t;

static const way_t ALL[] = {
    {"half_trip_ns", there_and_back, write_first, check_first, true, 2},
    {"exchange_ns", exchange, write_all, check_all, true, 1},
    {"sends_ns", send_one_by_one, write_all, check_all, false, 1},
    {"window_ns", post_each, write_all, check_all, false, 1},
    {"same_window_ns", post_same, write_first, check_first, false, 1},
};

/* The mean time of a message at this rank, in so many rounds. */
static double mean_ns(const way_t *way, int rounds) {
    uint64_t spent_ns = 0;
    for (int i = 0; i < rounds; i++) {
        number++;
        if (way->both || rank % 2 == 0) way->write();
        MPI_Barrier(MPI_COMM_WORLD);
        if (other >= size) continue;
        uint64_t begin_ns = now_ns();
        way->round();
        spent_ns += now_ns() - begin_ns;
        if (way->both || rank % 2) way->check();
    }
    return (double)spent_ns / ((double)rounds * window * way->halves);
}

/* These make warm, and find out how many rounds there is time for, as rank 0 sees it. */
static int warm_up(const way_t *way, int most_rounds, uint64_t figure_ms) {
    int rounds = 1;
    for (int more = 1; more;) {
        uint64_t begin_ns = now_ns();
        mean_ns(way, rounds);
        uint64_t next_ns = 4 * (now_ns() - begin_ns);
        more = rounds < most_rounds && next_ns < figure_ms * 1000000;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (more) rounds = rounds * 4 < most_rounds ? rounds * 4 : most_rounds;
    }
    return rounds;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    size_t bytes = argument(argc, argv, 2, "the bytes");
    uint64_t most = argument(argc, argv, 3, "the most messages");
    uint64_t figure_ms = argument(argc, argv, 4, "the milliseconds a figure");
    n = bytes / sizeof *given;
    if (runs_ahead || n == 0 || most == 0) fail("there must be blocking barriers, an element and a message");
    window = MOST_BYTES / bytes < WINDOW ? (int)(MOST_BYTES / bytes) : WINDOW;
    if (window < 1) window = 1;
    int most_rounds = (int)((most + (uint64_t)window - 1) / (uint64_t)window);
    other = rank ^ 1;
    enum { COUNT = sizeof ALL / sizeof *ALL };
    double figures[COUNT];
    int rounds[COUNT];
    for (int k = 0; k < COUNT; k++) {
        /* As much as a program would have. */
        number = 0;
        given = room((size_t)window * n, sizeof *given), got = room((size_t)window * n, sizeof *got);
        rounds[k] = warm_up(&ALL[k], most_rounds, figure_ms);
        double mine = mean_ns(&ALL[k], rounds[k]);
        MPI_Reduce(&mine, &figures[k], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        free(given), free(got);
    }
    print_head("messages");
    if (rank == 0) {
        for (int k = 0; k < COUNT; k++)
            printf("%s\"%s\": %.1f", k ? ", " : ", \"figures\": {", ALL[k].name, figures[k]);
        for (int k = 0; k < COUNT; k++)
            printf("%s\"%s\": %d", k ? ", " : "}, \"calls\": {", ALL[k].name, rounds[k] * window);
        printf("}}\n");
    }
    MPI_Finalize();
    return 0;
}
