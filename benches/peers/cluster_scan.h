/* Algorithm 5.4 of pakin-2001, the prefix scan made for clusters, as in examples/shared/cluster_scan.rs. */
enum { TAG_SCAN = 16 };

static uint64_t receive_one(int from) {
    uint64_t number;
    MPI_Recv(&number, 1, MPI_UINT64_T, from, TAG_SCAN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return number;
}

static void send_one(int to, uint64_t number) {
    MPI_Send(&number, 1, MPI_UINT64_T, to, TAG_SCAN, MPI_COMM_WORLD);
}

static void add(uint64_t *x, size_t n, uint64_t before) {
    for (size_t i = 0; i < n; i++) x[i] += before;
}

static void cluster_scan(uint64_t *x, size_t n) {
    int power = 1, rounds = 0;
    while (power < size) power *= 2, rounds++;
    for (size_t j = 1; j < n; j++) x[j] += x[j - 1];
    uint64_t last = n ? x[n - 1] : 0;
    if (rank + 1 < size) send_one(rank + 1, last);
    barrier();
    for (int j = 1; j < rounds; j++) {
        int from = rank - (1 << (j - 1));
        uint64_t before = 0;
        if (from >= 0) before = receive_one(from), last += before;
        /* Others wait for it: it goes before the work on our own elements. */
        if (rank + (1 << j) < size) send_one(rank + (1 << j), last);
        barrier();
        if (from >= 0) add(x, n, before);
    }
    if (size > 1 && rank - power / 2 >= 0) add(x, n, receive_one(rank - power / 2));
}
