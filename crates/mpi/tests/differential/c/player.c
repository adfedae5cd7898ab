/* The player's frame: reading the text, memory, what is written, and the loop over steps.
 * Rules: a program ends with all its communicators and datatypes freed. */
#include "player.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int world_rank, world_size;
MPI_Datatype types[MOST_TYPES];
MPI_Comm comms[MOST_COMMS];
int type_count, comm_count;

static char *text, *place;
static FILE *out;
static int program, step;

const char *word(void)
{
    while (*place == ' ' || *place == '\n')
        place++;
    char *begin = place;
    while (*place != ' ' && *place != '\n' && *place != 0)
        place++;
    if (*place != 0)
        *place++ = 0;
    return begin;
}

long long number(void)
{
    const char *digits = word();
    char *end;
    long long value = strtoll(digits, &end, 10);
    if (*digits == 0 || *end != 0) {
        fprintf(stderr, "program %d, step %d: not a number: \"%s\"\n", program, step, digits);
        exit(2);
    }
    return value;
}

int integer(void)
{
    return (int)number();
}

List list(void)
{
    List read = {.n = integer()};
    for (int i = 0; i < read.n; i++) {
        long long value = number();
        read.small[i] = (int)value;
        read.large[i] = value;
        read.address[i] = value;
    }
    return read;
}

Area area(void)
{
    Area read = {.size = (size_t)number()};
    read.origin = number();
    read.seed = (uint64_t)number();
    read.fill = integer();
    return read;
}

static uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t x = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) + index * UINT64_C(0xD1B54A32D192ED03);
    x ^= x >> 29;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 32;
}

/* Writes one element: small enough that sums and products of them are exact. `way` says for which operators. */
static void write_element(char *at, int basic, int way, uint64_t random)
{
    long long value = way == 1 ? (long long)(random % 7) - 3 : way == 2 ? (long long)(random % 3) : (long long)random;
    if (way == 1 && basic >= 5 && basic <= 8)
        value = (long long)(random % 7);
    float f = (float)value;
    double d = (double)value;
    int i = (int)value, second = (int)(random >> 8 & 3);
    _Bool b = value != 0;
    switch (basic) {
    case 9: memcpy(at, &f, 4); break;
    case 10: memcpy(at, &d, 8); break;
    case 11: memcpy(at, &b, 1); break;
    case 12: memcpy(at, &i, 4); memcpy(at + 4, &second, 4); break;
    case 13: memcpy(at, &f, 4); memcpy(at + 4, &second, 4); break;
    case 14: {
        float g = (float)second;
        memcpy(at, &f, 4);
        memcpy(at + 4, &g, 4);
        break;
    }
    default: {
        static const int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8};
        memcpy(at, &value, (size_t)sizes[basic]);
    }
    }
}

void fill(Area *area, int round)
{
    uint64_t seed = area->seed + 1000 * (uint64_t)world_rank + 100000 * (uint64_t)round;
    if (area->bytes == NULL)
        area->bytes = malloc(area->size + 1);
    if (area->fill == 0) {
        uint64_t word = 0;
        for (size_t i = 0; i < area->size; i++)
            area->bytes[i] = (char)(i % 8 == 0 ? (word = hash(seed, i / 8)) : (word >>= 8));
        return;
    }
    static const size_t sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 8, 8, 8};
    int basic = area->fill / 10, way = area->fill % 10;
    for (size_t i = 0; (i + 1) * sizes[basic] <= area->size; i++)
        write_element(area->bytes + i * sizes[basic], basic, way, hash(seed, i));
}

uint64_t digest(const Area *area)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < area->size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, area->bytes + i, area->size - i < 8 ? area->size - i : 8);
        sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 32;
    }
    return sum;
}

void *start(const Area *area)
{
    return area->bytes + area->origin;
}

void release(Area *area)
{
    free(area->bytes);
    area->bytes = NULL;
}

void say(const char *format, ...)
{
    va_list arguments;
    fprintf(out, "%d.%d ", program, step);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

const char *class_name(int class)
{
    static char number[16];
    if (class == MPI_ERR_TRUNCATE)
        return "truncated";
    snprintf(number, sizeof number, "%d", class);
    return number;
}

void must(int code, const char *call, int line)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "rank %d, program %d, step %d, line %d: %s: %s\n", world_rank, program, step, line, call, text);
    fclose(out);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void begin_program(void)
{
    static const MPI_Datatype basics[BASICS] = {
        MPI_BYTE,    MPI_INT8_T,  MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T,       MPI_UINT32_T,
        MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE,  MPI_C_BOOL,  MPI_2INT,    MPI_FLOAT_INT, MPI_C_FLOAT_COMPLEX};
    memcpy(types, basics, sizeof basics);
    type_count = BASICS;
    comms[0] = MPI_COMM_WORLD;
    comm_count = 1;
    program = integer();
    step = 0;
}

static void end_program(void)
{
    for (int i = comm_count - 1; i > 0; i--)
        if (comms[i] != MPI_COMM_NULL)
            MUST(MPI_Comm_free(&comms[i]));
    for (int i = BASICS; i < type_count; i++)
        MUST(MPI_Type_free(&types[i]));
    say("end");
    fflush(out);
}

static int play(void)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } steps[] = {
        {"program", begin_program},   {"end", end_program},   {"type", step_type},
        {"pack", step_pack},          {"exchange", step_exchange}, {"chain", step_chain},
        {"shift", step_shift},        {"collective", step_collective}, {"local", step_local},
        {"communicator", step_communicator}, {"group", step_group}, {"window", step_window},
    };
    const char *name = word();
    if (*name == 0)
        return 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(name, steps[i].name) == 0) {
            step++;
            steps[i].play();
            return 1;
        }
    fprintf(stderr, "program %d: no such step: \"%s\"\n", program, name);
    exit(2);
}

int main(int argc, char **argv)
{
    enum { ATTACHED = 1 << 25 };
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", argv[2], world_rank);
    FILE *in = fopen(argv[1], "r");
    out = fopen(path, "w");
    if (in == NULL || out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fseek(in, 0, SEEK_END);
    long length = ftell(in);
    rewind(in);
    place = text = calloc(1, (size_t)length + 1);
    if (fread(text, 1, (size_t)length, in) != (size_t)length)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fclose(in);
    void *attached = malloc(ATTACHED);
    MUST(MPI_Buffer_attach(attached, ATTACHED));
    make_operators();
    while (play())
        ;
    free_operators();
    int size;
    MUST(MPI_Buffer_detach(&attached, &size));
    free(attached);
    free(text);
    fclose(out);
    MPI_Finalize();
    return 0;
}
