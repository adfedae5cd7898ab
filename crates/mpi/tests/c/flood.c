/* Every rank sends to every other before it receives: more messages than a window holds, empty ones and short ones. No send
 * waits for room that a rank makes which sends itself; and all come, each sender's in its order. */
#include "check.h"

enum { EACH = 3000 };

static const int LENGTHS[] = {0, 8, 600};

int main(int argc, char **argv)
{
    int rank, size;

    begin(&argc, &argv, &rank, &size);
    for (int nth = 0; nth < 3; nth++) {
        int bytes = LENGTHS[nth], given[150], got[150], *came = calloc(size, sizeof *came);

        CHECK(came != NULL);
        for (int at = 0; at < EACH; at++)
            for (int to = 0; to < size; to++) {
                if (to == rank)
                    continue;
                for (int word = 0; word < bytes / 4; word++)
                    given[word] = at + word;
                /* What an empty one says is its tag. */
                OK(MPI_Send(given, bytes, MPI_BYTE, to, at % 1000, MPI_COMM_WORLD));
            }
        for (int left = EACH * (size - 1); left > 0; left--) {
            MPI_Status status;
            int count, from, at;

            OK(MPI_Recv(got, sizeof got, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            from = status.MPI_SOURCE;
            at = came[from]++;
            CHECK(count == bytes && status.MPI_TAG == at % 1000);
            for (int word = 0; word < bytes / 4; word++)
                CHECK(got[word] == at + word);
        }
        for (int from = 0; from < size; from++)
            CHECK(came[from] == (from == rank ? 0 : EACH));
        free(came);
        /* Nothing of the next length overtakes what others have yet to receive of this one from anybody. */
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Finalize());
    return 0;
}
