/* The interface of tools, what the binary interface says of itself, conversions, and functions that refuse. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static void tools(void)
{
    int provided = -1, count = -1, index = -1;
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL, copy;
    CHECK(MPI_T_cvar_get_num(&count) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS && provided >= MPI_THREAD_SINGLE);
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_get_num(&count) == MPI_SUCCESS && count == 0);
    count = -1;
    CHECK(PMPI_T_pvar_get_num(&count) == MPI_SUCCESS && count == 0);
    CHECK(MPI_T_cvar_get_num(NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_get_index("no_such_variable", &index) == MPI_T_ERR_INVALID_NAME && index == -1);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS && session != MPI_T_PVAR_SESSION_NULL);
    copy = session;
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_HANDLE_NULL) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
    CHECK(MPI_T_pvar_start(copy, MPI_T_PVAR_ALL_HANDLES) == MPI_T_ERR_INVALID_SESSION);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    CHECK(MPI_T_cvar_get_num(&count) == MPI_SUCCESS);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    CHECK(MPI_T_cvar_get_num(&count) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_Pcontrol(1, "more", 3) == MPI_SUCCESS);
}

static int value_is(MPI_Info info, const char *key, const char *expected)
{
    char value[64] = "";
    int length = sizeof value, flag = 0;
    return MPI_Info_get_string(info, key, &length, value, &flag) == MPI_SUCCESS && flag
        && strcmp(value, expected) == 0;
}

static void sizes(void)
{
    int major = -1, minor = -1, is_set = 0, yes = -1, no = -1, wrong = 7;
    MPI_Info info = MPI_INFO_NULL;
    CHECK(MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS && major == 1 && minor == 0);
    CHECK(MPI_Abi_get_info(&info) == MPI_SUCCESS);
    CHECK(value_is(info, "mpi_aint_size", "8") && value_is(info, "mpi_offset_size", "8"));
    CHECK(!value_is(info, "mpi_count_size", "4"));
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
    CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS);
    CHECK(value_is(info, "mpi_integer_size", "4") && value_is(info, "mpi_double_complex_supported", "true"));
    CHECK(MPI_Abi_set_fortran_info(info) == MPI_SUCCESS);
    CHECK(MPI_Info_set(info, "mpi_integer_size", "8") == MPI_SUCCESS);
    CHECK(MPI_Abi_set_fortran_info(info) == MPI_ERR_ABI);
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
    CHECK(MPI_Abi_get_fortran_booleans(sizeof yes, &yes, &no, &is_set) == MPI_SUCCESS);
    CHECK(is_set && yes == 1 && no == 0);
    CHECK(MPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no) == MPI_SUCCESS);
    CHECK(MPI_Abi_set_fortran_booleans(sizeof yes, &wrong, &no) == MPI_ERR_ABI);
    CHECK(MPI_Abi_get_fortran_booleans(3, &yes, &no, &is_set) == MPI_ERR_ARG);
}

static void conversions(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(comm)) == comm);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    CHECK(MPI_Type_toint(MPI_DOUBLE) == 0x214 && MPI_Op_fromint(0x21) == MPI_SUM);
    CHECK(MPI_Aint_diff(MPI_Aint_add(100, -40), 100) == -40);
}

static int noted;

static void note(MPI_File *file, int *code, ...)
{
    if (*file == MPI_FILE_NULL && *code == MPI_ERR_UNSUPPORTED_OPERATION)
        noted++;
}

/* Each error reaches the caller, with a class that says what is wrong, and the others' calls go on. */
static void refusals(void)
{
    MPI_File file = MPI_FILE_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    char text[MPI_MAX_ERROR_STRING];
    int class = -1, length = 0, rank = -1;
    int code;
    /* Errors of files return, whatever their communicator's handler is. */
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL) == MPI_SUCCESS);
    code = MPI_File_open(MPI_COMM_SELF, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(MPI_File_get_errhandler(MPI_FILE_NULL, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_RETURN);
    CHECK(MPI_File_create_errhandler(note, &handler) == MPI_SUCCESS);
    CHECK(MPI_File_set_errhandler(MPI_FILE_NULL, handler) == MPI_SUCCESS);
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
    CHECK(MPI_File_delete("none", MPI_INFO_NULL) == MPI_ERR_UNSUPPORTED_OPERATION && noted == 1);
    CHECK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    code = MPI_Comm_spawn("none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS && length > 0);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank >= 0);
}

int main(int argc, char **argv)
{
    int rank = -1;
    tools();
    CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    sizes();
    conversions();
    refusals();
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    if (rank == 0)
        printf("passed\n");
    return 0;
}
