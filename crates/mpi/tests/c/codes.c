/* Error classes and codes: what the standard has, and what a program adds and removes. One rank. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size, class, code, found, length, flag, *last;
    char text[MPI_MAX_ERROR_STRING];
    begin(&argc, &argv, &rank, &size);
    OK(MPI_Error_class(MPI_ERR_TRUNCATE, &found));
    CHECK(found == MPI_ERR_TRUNCATE);
    OK(MPI_Error_string(MPI_ERR_TRUNCATE, text, &length));
    CHECK((size_t)length == strlen(text) && strstr(text, "MPI_ERR_TRUNCATE"));
    FAILS(MPI_Error_class(MPI_ERR_LASTCODE + 1, &found), MPI_ERR_ARG);
    /* Where the handler of MPI_COMM_SELF is left fatal, that of MPI_COMM_WORLD hears of such errors. */
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    FAILS(MPI_Error_class(MPI_ERR_LASTCODE + 1, &found), MPI_ERR_ARG);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));

    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    CHECK(flag && *last == MPI_ERR_LASTCODE);
    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    CHECK(class > MPI_ERR_LASTCODE && *last == code);
    OK(MPI_Error_string(code, text, &length));
    CHECK(length == 0 && text[0] == 0);
    OK(MPI_Add_error_string(code, "a code of the program's"));
    OK(MPI_Error_string(code, text, &length));
    CHECK(strcmp(text, "a code of the program's") == 0);
    OK(MPI_Error_class(code, &found));
    CHECK(found == class);
    FAILS(MPI_Add_error_string(MPI_ERR_TAG, "another text"), MPI_ERR_ARG);
    FAILS(MPI_Remove_error_class(class), MPI_ERR_ARG);
    FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG);
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(class));
    FAILS(MPI_Error_class(class, &found), MPI_ERR_ARG);
    OK(MPI_Finalize());
    return 0;
}
