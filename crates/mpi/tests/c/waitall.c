/* Receives from one rank that are waited for together: each gets its own message, wherever it stands among the others.
 * Source: MPI 5.0, sections on multiple completions, and on the order of messages. */
#include "check.h"

enum { COUNT = 40, ROUNDS = 8, KIND_ROUNDS = 4, ROOM = 12 };

static int rank, size, next, before;

/* What the message with this number has in this place. */
static int value(int round, int number, int place) { return 1000 * round + 20 * number + place; }

static int length(int number) { return number % (ROOM - 1); }

static void send_all(MPI_Request *requests, int (*data)[ROOM], int round)
{
    for (int number = 0; number < COUNT; number++) {
        for (int place = 0; place < ROOM; place++)
            data[number][place] = value(round, number, place);
        OK(MPI_Isend(data[number], length(number), MPI_INT, next, number, MPI_COMM_WORLD, &requests[number]));
    }
}

static void check_one(const int *room, int round, int number)
{
    for (int place = 0; place < ROOM; place++)
        CHECK(room[place] == (place < length(number) ? value(round, number, place) : -1));
}

static void check_status(const MPI_Status *status, int number)
{
    int count = -1;

    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK(status->MPI_SOURCE == before && status->MPI_TAG == number && count == length(number));
}

/* Posted in the order of sending, and in others. A call for several that succeeds leaves the errors as they are. */
static void in_order_and_out_of_order(void)
{
    static int data[COUNT][ROOM], room[COUNT][ROOM];
    MPI_Request sends[COUNT], receives[COUNT];
    MPI_Status statuses[COUNT];

    for (int round = 0; round < ROUNDS; round++) {
        const int step = round % 4 == 3 ? 7 : 1, ignore = round % 2;
        memset(room, -1, sizeof room);
        for (int at = 0; at < COUNT; at++) {
            const int number = round % 4 == 2 ? COUNT - 1 - at : at * step % COUNT;
            OK(MPI_Irecv(room[at], ROOM, MPI_INT, before, number, MPI_COMM_WORLD, &receives[at]));
            statuses[at].MPI_ERROR = 77;
        }
        send_all(sends, data, round);
        OK(MPI_Waitall(COUNT, receives, ignore ? MPI_STATUSES_IGNORE : statuses));
        for (int at = 0; at < COUNT; at++) {
            const int number = round % 4 == 2 ? COUNT - 1 - at : at * step % COUNT;
            check_one(room[at], round, number);
            CHECK(receives[at] == MPI_REQUEST_NULL);
            CHECK(statuses[at].MPI_ERROR == 77);
            if (!ignore)
                check_status(&statuses[at], number);
        }
        OK(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE));
    }
}

/* What every fifth receive is, or has behind it. */
enum { PLAIN, ANY_SOURCE, ANY_TAG, STRIDED, PERSISTENT, NOBODY, NOTHING, ITSELF, KINDS };

/* Among receives of any tag and from any rank, of strided data, persistent ones, and others that are no messages of that rank.
 * In each round these are of one kind. */
static void among_others(void)
{
    static int data[COUNT][ROOM], room[COUNT][2 * ROOM];
    MPI_Request sends[COUNT], all[3 * COUNT], again[COUNT / 5];
    MPI_Status statuses[3 * COUNT];
    MPI_Datatype strided;

    OK(MPI_Type_vector(ROOM, 1, 2, MPI_INT, &strided));
    OK(MPI_Type_commit(&strided));
    for (int number = 4; number < COUNT; number += 5)
        OK(MPI_Recv_init(room[number], ROOM, MPI_INT, before, number, MPI_COMM_WORLD, &again[number / 5]));
    for (int round = 0; round < KINDS * KIND_ROUNDS; round++) {
        int own = rank, got[COUNT], at = 0;
        memset(room, -1, sizeof room);
        for (int number = 0; number < COUNT; number++) {
            const int kind = number % 5 == 4 ? round % KINDS : PLAIN;
            const int from = kind == ANY_SOURCE ? MPI_ANY_SOURCE : before, tag = kind == ANY_TAG ? MPI_ANY_TAG : number;
            if (kind == PERSISTENT) {
                OK(MPI_Start(&again[number / 5]));
                all[at++] = again[number / 5];
            } else if (kind == STRIDED)
                OK(MPI_Irecv(room[number], 1, strided, from, tag, MPI_COMM_WORLD, &all[at++]));
            else
                OK(MPI_Irecv(room[number], ROOM, MPI_INT, from, tag, MPI_COMM_WORLD, &all[at++]));
            if (kind == NOBODY)
                OK(MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &all[at++]));
            if (kind == NOTHING)
                all[at++] = MPI_REQUEST_NULL;
            if (kind == ITSELF) {
                got[number] = -1;
                OK(MPI_Irecv(&got[number], 1, MPI_INT, 0, number, MPI_COMM_SELF, &all[at++]));
                OK(MPI_Isend(&own, 1, MPI_INT, 0, number, MPI_COMM_SELF, &all[at++]));
            }
        }
        send_all(sends, data, round);
        OK(MPI_Waitall(at, all, statuses));
        at = 0;
        for (int number = 0; number < COUNT; number++) {
            const int kind = number % 5 == 4 ? round % KINDS : PLAIN;
            if (kind == STRIDED)
                for (int place = 0; place < ROOM; place++) {
                    CHECK(room[number][2 * place] == (place < length(number) ? value(round, number, place) : -1));
                    CHECK(room[number][2 * place + 1] == -1);
                }
            else
                check_one(room[number], round, number);
            CHECK((all[at] == MPI_REQUEST_NULL) == (kind != PERSISTENT));
            check_status(&statuses[at++], number);
            if (kind == NOBODY)
                CHECK(statuses[at++].MPI_SOURCE == MPI_PROC_NULL);
            if (kind == NOTHING)
                CHECK(statuses[at++].MPI_SOURCE == MPI_ANY_SOURCE);
            if (kind == ITSELF) {
                CHECK(got[number] == rank && statuses[at].MPI_SOURCE == 0 && statuses[at].MPI_TAG == number);
                at += 2;
            }
        }
        OK(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE));
    }
    for (int number = 4; number < COUNT; number += 5)
        OK(MPI_Request_free(&again[number / 5]));
    OK(MPI_Type_free(&strided));
}

/* From several ranks in turn, and from each some together. */
static void from_several(void)
{
    enum { RANKS = 8, EACH = 12 };
    int data[RANKS][EACH], room[EACH * RANKS];
    MPI_Request sends[RANKS * EACH], receives[RANKS * EACH];
    MPI_Status statuses[RANKS * EACH];

    CHECK(size <= RANKS);
    for (int round = 0; round < ROUNDS; round++) {
        const int together = 1 + round % 4;
        int at = 0;
        for (int first = 0; first < EACH; first += together)
            for (int from = 0; from < size; from++)
                for (int number = first; from != rank && number < first + together && number < EACH; number++) {
                    OK(MPI_Irecv(&room[at], 1, MPI_INT, from, number % 2, MPI_COMM_WORLD, &receives[at]));
                    at++;
                }
        at = 0;
        for (int number = 0; number < EACH; number++)
            for (int to = 0; to < size; to++) {
                if (to == rank)
                    continue;
                data[to][number] = value(round, number, rank);
                OK(MPI_Isend(&data[to][number], 1, MPI_INT, to, number % 2, MPI_COMM_WORLD, &sends[at++]));
            }
        OK(MPI_Waitall(EACH * (size - 1), receives, statuses));
        at = 0;
        for (int first = 0; first < EACH; first += together)
            for (int from = 0; from < size; from++)
                for (int number = first; from != rank && number < first + together && number < EACH; number++) {
                    CHECK(room[at] == value(round, number, from) && statuses[at].MPI_SOURCE == from);
                    at++;
                }
        OK(MPI_Waitall(EACH * (size - 1), sends, MPI_STATUSES_IGNORE));
    }
}

/* One that is too long, among others: it alone fails, and says so in its status. What is pending then is waited for again. */
static void with_one_that_is_too_long(void)
{
    static int data[COUNT][ROOM], room[COUNT][ROOM];
    MPI_Request sends[COUNT], receives[COUNT];
    MPI_Status statuses[COUNT];

    for (int round = 0; round < ROUNDS; round++) {
        const int bad = 7 + round;
        memset(room, -1, sizeof room);
        for (int number = 0; number < COUNT; number++) {
            const int most = number == bad ? length(number) - 1 : ROOM;
            OK(MPI_Irecv(room[number], most < 0 ? ROOM : most, MPI_INT, before, number, MPI_COMM_WORLD, &receives[number]));
        }
        send_all(sends, data, round);
        if (length(bad) == 0)
            OK(MPI_Waitall(COUNT, receives, statuses));
        else {
            FAILS(MPI_Waitall(COUNT, receives, statuses), MPI_ERR_IN_STATUS);
            for (int number = 0; number < COUNT; number++) {
                int error = -1;
                OK(MPI_Error_class(statuses[number].MPI_ERROR, &error));
                if (number == bad) {
                    CHECK(error == MPI_ERR_TRUNCATE);
                    CHECK(receives[number] == MPI_REQUEST_NULL);
                } else
                    CHECK(error == MPI_SUCCESS || (number > bad && error == MPI_ERR_PENDING));
            }
            OK(MPI_Waitall(COUNT, receives, MPI_STATUSES_IGNORE));
        }
        for (int number = 0; number < COUNT; number++)
            if (number != bad)
                check_one(room[number], round, number);
        OK(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE));
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, &rank, &size);
    next = (rank + 1) % size, before = (rank + size - 1) % size;
    in_order_and_out_of_order();
    among_others();
    from_several();
    with_one_that_is_too_long();
    OK(MPI_Finalize());
    return 0;
}
