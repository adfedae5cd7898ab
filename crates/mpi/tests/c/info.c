/* Info objects: keys in order, limits, the environment; also before the library is initialised. One rank. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Info info, copy;
    char value[MPI_MAX_INFO_VAL], key[MPI_MAX_INFO_KEY], long_key[257];
    int flag, number, length;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "first", "1"));
    OK(MPI_Info_set(info, "second", "two"));
    OK(MPI_Info_set(info, "first", "one"));

    int rank, size;
    begin(&argc, &argv, &rank, &size);
    OK(MPI_Info_get_nkeys(info, &number));
    CHECK(number == 2);
    OK(MPI_Info_get_nthkey(info, 0, key));
    CHECK(strcmp(key, "first") == 0);
    OK(MPI_Info_get(info, "first", MPI_MAX_INFO_VAL - 1, value, &flag));
    CHECK(flag && strcmp(value, "one") == 0);
    OK(MPI_Info_get(info, "second", 2, value, &flag));
    CHECK(flag && strcmp(value, "tw") == 0);
    OK(MPI_Info_get_valuelen(info, "second", &length, &flag));
    CHECK(flag && length == 3);
    length = 0;
    OK(MPI_Info_get_string(info, "second", &length, NULL, &flag));
    CHECK(flag && length == 4);
    OK(MPI_Info_get_string(info, "second", &length, value, &flag));
    CHECK(flag && length == 4 && strcmp(value, "two") == 0);
    length = 2;
    OK(MPI_Info_get_string(info, "second", &length, value, &flag));
    CHECK(flag && length == 4 && strcmp(value, "t") == 0);
    OK(MPI_Info_get(info, "third", 4, value, &flag));
    CHECK(!flag);

    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_delete(info, "first"));
    OK(MPI_Info_get_nkeys(copy, &number));
    CHECK(number == 2);
    FAILS(MPI_Info_delete(info, "first"), MPI_ERR_INFO_NOKEY);
    FAILS(MPI_Info_get_nthkey(info, 1, key), MPI_ERR_ARG);
    /* The longest key has 255 characters; some libraries' constant counts the null, and some does not. */
    memset(long_key, 'k', 256);
    long_key[256] = 0;
    FAILS(MPI_Info_set(info, long_key, "value"), MPI_ERR_INFO_KEY);
    FAILS(MPI_Info_set(info, NULL, "value"), MPI_ERR_ARG);
    FAILS(MPI_Info_get_nkeys(MPI_INFO_NULL, &number), MPI_ERR_INFO);
    FAILS(MPI_Info_set(MPI_INFO_ENV, "key", "value"), MPI_ERR_INFO);
    OK(MPI_Info_get(MPI_INFO_ENV, "command", MPI_MAX_INFO_VAL - 1, value, &flag));
    CHECK(flag && strcmp(value, argv[0]) == 0);
    OK(MPI_Info_get(MPI_INFO_ENV, "maxprocs", MPI_MAX_INFO_VAL - 1, value, &flag));
    CHECK(flag && atoi(value) == size);

    OK(MPI_Info_free(&copy));
    CHECK(copy == MPI_INFO_NULL);
    copy = info;
    OK(MPI_Info_free(&info));
    if (!goes_on())
        FAILS(MPI_Info_free(&copy), MPI_ERR_INFO);
    OK(MPI_Finalize());
    OK(MPI_Info_create(&info));
    OK(MPI_Info_free(&info));
    return 0;
}
