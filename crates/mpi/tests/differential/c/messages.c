/* Point-to-point communication: exchanges that are posted ahead, chains one after the other, and shifts.
 * Rules: which receive a message meets is determined by the program, whatever the timing. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a request is made: bits of `style`. */
enum { PERSISTENT = 1, BLOCKING = 2, FREED_TYPE = 4, LARGE = 8, CANCELLED = 16 };
enum { STANDARD, SYNCHRONOUS, BUFFERED, READY };
enum { MOST_OPERATIONS = 200 };

typedef struct {
    int index, peer, tag, count, mode, style;
    MPI_Datatype type;
    Area area;
} Operation;

static int peer_of(int given)
{
    return given == -1 ? MPI_PROC_NULL : given == -2 ? MPI_ANY_SOURCE : given;
}

static int tag_of(int given)
{
    return given == -1 ? MPI_ANY_TAG : given;
}

/* Sets the class of the error in a status that no call has set it in. */
static void set_class(MPI_Status *status, int code)
{
    status->MPI_ERROR = class_of(code);
}

static void finish_several(int n, MPI_Request *requests, MPI_Status *statuses, int waits)
{
    int left = 0, indices[MOST_OPERATIONS];
    MPI_Status several[MOST_OPERATIONS];
    for (int i = 0; i < n; i++)
        left += requests[i] != MPI_REQUEST_NULL;
    while (left > 0) {
        int outcount = 0;
        int code = waits ? MPI_Waitsome(n, requests, &outcount, indices, several)
                         : MPI_Testsome(n, requests, &outcount, indices, several);
        if (outcount == MPI_UNDEFINED) {
            say("%d requests were never completed", left);
            return;
        }
        for (int i = 0; i < outcount; i++) {
            statuses[indices[i]] = several[i];
            set_class(&statuses[indices[i]], class_of(code) == MPI_ERR_IN_STATUS ? several[i].MPI_ERROR : MPI_SUCCESS);
        }
        left -= outcount;
    }
}

static void finish_any(int n, MPI_Request *requests, MPI_Status *statuses, int waits)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += requests[i] != MPI_REQUEST_NULL;
    while (left > 0) {
        int index = MPI_UNDEFINED, flag = 1;
        MPI_Status status;
        int code = waits ? MPI_Waitany(n, requests, &index, &status) : MPI_Testany(n, requests, &index, &flag, &status);
        if (!flag)
            continue;
        if (index == MPI_UNDEFINED) {
            say("%d requests were never completed", left);
            return;
        }
        statuses[index] = status;
        set_class(&statuses[index], code);
        left--;
    }
}

void finish(int n, MPI_Request *requests, MPI_Status *statuses, int way)
{
    int flag = 0, code = MPI_SUCCESS;
    switch (way) {
    case 1: finish_any(n, requests, statuses, 1); return;
    case 2: finish_several(n, requests, statuses, 1); return;
    case 4: finish_any(n, requests, statuses, 0); return;
    case 5: finish_several(n, requests, statuses, 0); return;
    case 0:
    case 3:
        if (way == 0)
            code = MPI_Waitall(n, requests, statuses);
        while (way == 3 && !flag)
            code = MPI_Testall(n, requests, &flag, statuses);
        for (int i = 0; i < n; i++)
            set_class(&statuses[i], class_of(code) == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : MPI_SUCCESS);
        return;
    default:
        for (int i = n - 1; i >= 0; i--) {
            if (way == 8)
                for (flag = 0; !flag;)
                    MUST(MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE));
            if (way == 7)
                for (flag = 0; !flag;)
                    code = MPI_Test(&requests[i], &flag, &statuses[i]);
            else
                code = MPI_Wait(&requests[i], &statuses[i]);
            set_class(&statuses[i], code);
        }
    }
}

void say_status(const char *what, int index, MPI_Status *status, MPI_Datatype type, int large)
{
    MPI_Count count = 0, elements = 0;
    int small;
    if (large) {
        MUST(MPI_Get_count_c(status, type, &count));
        MUST(MPI_Get_elements_c(status, type, &elements));
    } else {
        MUST(MPI_Get_count(status, type, &small));
        count = small;
        MUST(MPI_Get_elements(status, type, &small));
        elements = small;
    }
    char source[20], tag[20], whole[30];
    snprintf(source, sizeof source, "%d", status->MPI_SOURCE);
    snprintf(tag, sizeof tag, "%d", status->MPI_TAG);
    snprintf(whole, sizeof whole, "%lld", (long long)count);
    say("%s %d source %s tag %s count %s elements %lld", what, index,
        status->MPI_SOURCE == MPI_PROC_NULL ? "null" : source, status->MPI_TAG == MPI_ANY_TAG ? "any" : tag,
        count == MPI_UNDEFINED ? "undefined" : whole, (long long)elements);
}

static Operation operation(int index)
{
    Operation read = {.index = index};
    read.peer = peer_of(integer());
    read.tag = tag_of(integer());
    read.type = types[integer()];
    read.count = integer();
    read.area = area();
    read.mode = integer();
    read.style = integer();
    return read;
}

static void start_receive(Operation *o, MPI_Comm comm, MPI_Request *request)
{
    void *at = start(&o->area);
    MPI_Datatype type = o->type;
    if (o->style & FREED_TYPE)
        MUST(MPI_Type_dup(o->type, &type));
    if (o->style & PERSISTENT)
        MUST(o->style & LARGE ? MPI_Recv_init_c(at, o->count, type, o->peer, o->tag, comm, request)
                              : MPI_Recv_init(at, o->count, type, o->peer, o->tag, comm, request));
    else
        MUST(o->style & LARGE ? MPI_Irecv_c(at, o->count, type, o->peer, o->tag, comm, request)
                              : MPI_Irecv(at, o->count, type, o->peer, o->tag, comm, request));
    if (o->style & FREED_TYPE)
        MUST(MPI_Type_free(&type));
}

static int send_blocking(Operation *o, void *at, MPI_Datatype type, MPI_Comm comm)
{
    int large = o->style & LARGE;
    switch (o->mode) {
    case STANDARD:
        return large ? MPI_Send_c(at, o->count, type, o->peer, o->tag, comm)
                     : MPI_Send(at, o->count, type, o->peer, o->tag, comm);
    case SYNCHRONOUS:
        return large ? MPI_Ssend_c(at, o->count, type, o->peer, o->tag, comm)
                     : MPI_Ssend(at, o->count, type, o->peer, o->tag, comm);
    case BUFFERED:
        return large ? MPI_Bsend_c(at, o->count, type, o->peer, o->tag, comm)
                     : MPI_Bsend(at, o->count, type, o->peer, o->tag, comm);
    default:
        return large ? MPI_Rsend_c(at, o->count, type, o->peer, o->tag, comm)
                     : MPI_Rsend(at, o->count, type, o->peer, o->tag, comm);
    }
}

#define SENDER(NAME)                                                                                            \
    (large ? MPI_##NAME##_c(at, o->count, type, o->peer, o->tag, comm, request)                                 \
           : MPI_##NAME(at, o->count, type, o->peer, o->tag, comm, request))

static int send_later(Operation *o, void *at, MPI_Datatype type, MPI_Comm comm, MPI_Request *request)
{
    int large = o->style & LARGE;
    switch (o->mode + 4 * (o->style & PERSISTENT)) {
    case STANDARD: return SENDER(Isend);
    case SYNCHRONOUS: return SENDER(Issend);
    case BUFFERED: return SENDER(Ibsend);
    case READY: return SENDER(Irsend);
    case 4 + STANDARD: return SENDER(Send_init);
    case 4 + SYNCHRONOUS: return SENDER(Ssend_init);
    case 4 + BUFFERED: return SENDER(Bsend_init);
    default: return SENDER(Rsend_init);
    }
}

static void start_send(Operation *o, MPI_Comm comm, MPI_Request *request)
{
    MPI_Datatype type = o->type;
    if (o->style & FREED_TYPE)
        MUST(MPI_Type_dup(o->type, &type));
    if (o->style & BLOCKING)
        MUST(send_blocking(o, start(&o->area), type, comm));
    else
        MUST(send_later(o, start(&o->area), type, comm, request));
    if (o->style & FREED_TYPE)
        MUST(MPI_Type_free(&type));
}

static void say_receive(Operation *o, MPI_Status *status)
{
    int cancelled = 0;
    if (o->style & CANCELLED) {
        MUST(MPI_Test_cancelled(status, &cancelled));
        say("receive %d cancelled %d %016llx", o->index, cancelled, (unsigned long long)digest(&o->area));
    } else if (status->MPI_ERROR != MPI_SUCCESS) {
        say("receive %d class %s", o->index, class_name(status->MPI_ERROR));
    } else {
        say_status("receive", o->index, status, o->type, o->style & LARGE);
        say("receive %d %016llx", o->index, (unsigned long long)digest(&o->area));
    }
}

/* exchange COMM ROUNDS READY LAST FINISH RECEIVES SENDS: all receives are posted before any rank sends. READY says that a
 * barrier comes between, LAST that one follows. */
void step_exchange(void)
{
    static Operation receives[MOST_OPERATIONS], sends[MOST_OPERATIONS];
    MPI_Request requests[MOST_OPERATIONS];
    MPI_Status statuses[MOST_OPERATIONS];
    int index = integer(), rounds = integer(), ready = integer(), last = integer(), way = integer();
    int receive_count = 0, send_count = 0;
    MPI_Comm comm = comms[index];
    for (int n = integer(), i = 0; i < n; i++) {
        int mine = integer() == world_rank;
        receives[receive_count] = operation(i);
        receive_count += mine;
    }
    for (int n = integer(), i = 0; i < n; i++) {
        int mine = integer() == world_rank;
        sends[send_count] = operation(i);
        send_count += mine;
    }
    int n = receive_count + send_count;
    for (int i = 0; i < n; i++)
        requests[i] = MPI_REQUEST_NULL;
    for (int round = 0; round < rounds && comm != MPI_COMM_NULL; round++) {
        memset(statuses, 0, sizeof statuses);
        for (int i = 0; i < receive_count; i++) {
            fill(&receives[i].area, round);
            if (requests[i] == MPI_REQUEST_NULL)
                start_receive(&receives[i], comm, &requests[i]);
            if (receives[i].style & PERSISTENT)
                MUST(MPI_Start(&requests[i]));
        }
        if (ready)
            MUST(MPI_Barrier(comm));
        for (int i = 0; i < send_count; i++) {
            fill(&sends[i].area, round);
            MPI_Request *request = &requests[receive_count + i];
            if (*request == MPI_REQUEST_NULL)
                start_send(&sends[i], comm, request);
            if (sends[i].style & PERSISTENT)
                MUST(MPI_Startall(1, request));
        }
        for (int i = 0; i < receive_count; i++)
            if (receives[i].style & CANCELLED)
                MUST(MPI_Cancel(&requests[i]));
        /* Inactive persistent requests would never be reported, and there are none. */
        MPI_Request copies[MOST_OPERATIONS];
        memcpy(copies, requests, sizeof copies);
        finish(n, copies, statuses, way);
        for (int i = 0; i < n; i++)
            requests[i] = copies[i];
        for (int i = 0; i < receive_count; i++)
            say_receive(&receives[i], &statuses[i]);
        for (int i = 0; i < send_count; i++) {
            if (statuses[receive_count + i].MPI_ERROR != MPI_SUCCESS)
                say("send %d class %s", sends[i].index, class_name(statuses[receive_count + i].MPI_ERROR));
            say("send %d %016llx", sends[i].index, (unsigned long long)digest(&sends[i].area));
        }
        if (last)
            MUST(MPI_Barrier(comm));
    }
    for (int i = 0; i < n; i++) {
        if (requests[i] != MPI_REQUEST_NULL)
            MUST(MPI_Request_free(&requests[i]));
        release(i < receive_count ? &receives[i].area : &sends[i - receive_count].area);
    }
}

/* Receives one message, by one of five ways. */
static void receive(Operation *o, int way, MPI_Comm comm)
{
    MPI_Status probed, status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0, large = o->style & LARGE;
    void *at = start(&o->area);
    switch (way) {
    case 1: MUST(MPI_Probe(o->peer, o->tag, comm, &probed)); break;
    case 2: MUST(MPI_Mprobe(o->peer, o->tag, comm, &message, &probed)); break;
    case 3:
        while (!flag)
            MUST(MPI_Iprobe(o->peer, o->tag, comm, &flag, &probed));
        break;
    case 4:
        while (!flag)
            MUST(MPI_Improbe(o->peer, o->tag, comm, &flag, &message, &probed));
        break;
    }
    if (way != 0)
        say_status("probe", o->index, &probed, o->type, large);
    switch (way) {
    case 2:
        MUST(large ? MPI_Mrecv_c(at, o->count, o->type, &message, &status)
                   : MPI_Mrecv(at, o->count, o->type, &message, &status));
        break;
    case 4:
        MUST(large ? MPI_Imrecv_c(at, o->count, o->type, &message, &request)
                   : MPI_Imrecv(at, o->count, o->type, &message, &request));
        MUST(MPI_Wait(&request, &status));
        break;
    default:
        MUST(large ? MPI_Recv_c(at, o->count, o->type, o->peer, o->tag, comm, &status)
                   : MPI_Recv(at, o->count, o->type, o->peer, o->tag, comm, &status));
    }
    say_status("receive", o->index, &status, o->type, large);
    say("receive %d %016llx", o->index, (unsigned long long)digest(&o->area));
}

/* chain COMM MESSAGES: one message after the other, each sent and received by blocking calls; the mode of its receive is the
 * way. */
void step_chain(void)
{
    MPI_Comm comm = comms[integer()];
    for (int n = integer(), i = 0; i < n; i++) {
        int sender = integer();
        Operation send = operation(i);
        int receiver = integer();
        Operation receives = operation(i);
        if (sender == world_rank) {
            fill(&send.area, 0);
            MUST(send_blocking(&send, start(&send.area), send.type, comm));
            release(&send.area);
        }
        if (receiver == world_rank) {
            fill(&receives.area, 0);
            receive(&receives, receives.mode, comm);
            release(&receives.area);
        }
    }
}

/* shift COMM WAY ENTRIES: every rank sends to one and receives from one; an entry is a rank and its two operations. */
void step_shift(void)
{
    MPI_Comm comm = comms[integer()];
    int way = integer();
    for (int n = integer(), i = 0; i < n; i++) {
        int mine = integer() == world_rank;
        Operation s = operation(i), r = operation(i);
        if (!mine)
            continue;
        MPI_Status status;
        MPI_Request request;
        fill(&s.area, 0);
        fill(&r.area, 0);
        void *from = start(&s.area), *into = start(&r.area);
        int large = s.style & LARGE;
        switch (way) {
        case 0:
            MUST(large ? MPI_Sendrecv_c(from, s.count, s.type, s.peer, s.tag, into, r.count, r.type, r.peer, r.tag, comm,
                                        &status)
                       : MPI_Sendrecv(from, s.count, s.type, s.peer, s.tag, into, r.count, r.type, r.peer, r.tag, comm,
                                      &status));
            break;
        case 1:
            MUST(large ? MPI_Isendrecv_c(from, s.count, s.type, s.peer, s.tag, into, r.count, r.type, r.peer, r.tag, comm,
                                         &request)
                       : MPI_Isendrecv(from, s.count, s.type, s.peer, s.tag, into, r.count, r.type, r.peer, r.tag, comm,
                                       &request));
            break;
        case 2:
            MUST(large ? MPI_Sendrecv_replace_c(into, r.count, r.type, s.peer, s.tag, r.peer, r.tag, comm, &status)
                       : MPI_Sendrecv_replace(into, r.count, r.type, s.peer, s.tag, r.peer, r.tag, comm, &status));
            break;
        default:
            MUST(large ? MPI_Isendrecv_replace_c(into, r.count, r.type, s.peer, s.tag, r.peer, r.tag, comm, &request)
                       : MPI_Isendrecv_replace(into, r.count, r.type, s.peer, s.tag, r.peer, r.tag, comm, &request));
        }
        if (way == 1 || way == 3)
            MUST(MPI_Wait(&request, &status));
        say_status("shift", i, &status, r.type, large);
        say("shift %d %016llx %016llx", i, (unsigned long long)digest(&s.area), (unsigned long long)digest(&r.area));
        release(&s.area);
        release(&r.area);
    }
}
