/* Plays programs that are texts: each rank reads the same file, and writes what it sees into a file of its own.
 * A text is a list of steps, each a word and numbers; what a step means stands where it is played.
 * Rules: what is written is the same for every library that keeps the standard. */
#ifndef PLAYER_H
#define PLAYER_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that a call reads or writes, filled before it and digested after it, with all gaps. */
typedef struct {
    char *bytes;
    size_t size;
    ptrdiff_t origin;
    uint64_t seed;
    int fill;
} Area;

/* A list of numbers, in the types that the constructors and the collectives want. */
enum { LONGEST = 64 };
typedef struct {
    int n;
    int small[LONGEST];
    MPI_Count large[LONGEST];
    MPI_Aint address[LONGEST];
} List;

enum { MOST_TYPES = 400, MOST_COMMS = 60, BASICS = 15, OPERATORS = 14 };
extern int world_rank, world_size;
extern MPI_Datatype types[MOST_TYPES];
extern MPI_Comm comms[MOST_COMMS];
extern MPI_Op operators[OPERATORS];
extern int type_count, comm_count;

/* Reading. */
const char *word(void);
long long number(void);
int integer(void);
List list(void);
Area area(void);

/* Memory. */
void fill(Area *area, int round);
uint64_t digest(const Area *area);
void *start(const Area *area);
void release(Area *area);

/* Writing. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
int class_of(int code);
/* A class that programs cause, by a name: its number differs with the interface. */
const char *class_name(int class);
void must(int code, const char *call, int line);
#define MUST(call) must((call), #call, __LINE__)

/* Completes all requests, by one of FINISHES ways; the classes of their errors stand in the statuses. */
enum { FINISHES = 9 };
void finish(int n, MPI_Request *requests, MPI_Status *statuses, int way);
void say_status(const char *what, int index, MPI_Status *status, MPI_Datatype type, int large);

/* The steps. */
void step_type(void);
void step_pack(void);
void step_exchange(void);
void step_chain(void);
void step_shift(void);
void step_collective(void);
void step_local(void);
void step_communicator(void);
void step_group(void);
void step_window(void);
void make_operators(void);
void free_operators(void);

#endif
