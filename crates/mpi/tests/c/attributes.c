/* Attributes: order of callbacks, their errors, freed keyvals, callbacks that call the library. Any number of ranks. */
#include "check.h"

static int calls, last_deleted[8], refuse, key_seen;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    int size;
    OK(MPI_Comm_size(comm, &size));
    CHECK(keyval == key_seen || !extra);
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return refuse ? 77 : MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    void *found;
    int flag;
    (void)extra;
    /* What is being deleted can still be read. */
    OK(MPI_Comm_get_attr(comm, keyval, &found, &flag));
    CHECK(flag && found == value);
    if (refuse)
        return 78;
    last_deleted[calls++ % 8] = (int)(size_t)value;
    return MPI_SUCCESS;
}

static int delete_type(MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type, (void)keyval, (void)value;
    ++*(int *)extra;
    return MPI_SUCCESS;
}

static int at_end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval, (void)value, (void)extra;
    int finalized;
    OK(MPI_Finalized(&finalized));
    CHECK(comm == MPI_COMM_SELF && !finalized);
    calls = 1000;
    return MPI_SUCCESS;
}

/* The first names of attributes of communicators, which are of the same keyvals. */
static void by_their_old_names(void)
{
    int keyval, flag = -1, before = calls;
    void *value = NULL;
    MPI_Comm comm, dup;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Keyval_create(MPI_DUP_FN, delete, &keyval, NULL));
    OK(MPI_Attr_get(comm, keyval, &value, &flag));
    CHECK(!flag);
    OK(MPI_Attr_put(comm, keyval, (void *)40));
    OK(MPI_Attr_get(comm, keyval, &value, &flag));
    CHECK(flag && value == (void *)40);
    OK(MPI_Comm_get_attr(comm, keyval, &value, &flag));
    CHECK(flag && value == (void *)40);
    OK(MPI_Comm_dup(comm, &dup));
    OK(MPI_Attr_delete(comm, keyval));
    CHECK(calls == before + 1);
    OK(MPI_Attr_get(comm, keyval, &value, &flag));
    CHECK(!flag);
    OK(MPI_Attr_get(dup, keyval, &value, &flag));
    CHECK(flag && value == (void *)40);
    OK(MPI_Comm_free(&dup));
    CHECK(calls == before + 2);
    OK(MPI_Keyval_free(&keyval));
    CHECK(keyval == MPI_KEYVAL_INVALID);
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    int rank, size, first, second, third, flag, *number;
    void *value;
    begin(&argc, &argv, &rank, &size);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &flag));
    CHECK(flag && *number >= 32767);
    OK(MPI_Comm_get_attr(MPI_COMM_SELF, MPI_UNIVERSE_SIZE, &number, &flag));
    CHECK(flag && *number == size);
    FAILS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, number), MPI_ERR_KEYVAL);

    OK(MPI_Comm_create_keyval(copy, delete, &first, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete, &second, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &third, NULL));
    key_seen = first;
    MPI_Comm comm, dup;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_get_attr(comm, first, &value, &flag));
    CHECK(!flag);
    OK(MPI_Comm_set_attr(comm, first, (void *)10));
    OK(MPI_Comm_set_attr(comm, second, (void *)20));
    OK(MPI_Comm_set_attr(comm, third, (void *)30));
    OK(MPI_Comm_set_attr(comm, second, (void *)21));
    CHECK(calls == 1 && last_deleted[0] == 20);

    OK(MPI_Comm_dup(comm, &dup));
    OK(MPI_Comm_get_attr(dup, first, &value, &flag));
    CHECK(flag && value == (void *)11);
    OK(MPI_Comm_get_attr(dup, second, &value, &flag));
    CHECK(flag && value == (void *)21);
    OK(MPI_Comm_get_attr(dup, third, &value, &flag));
    CHECK(!flag);
    int freed = second;
    OK(MPI_Comm_free_keyval(&second));
    CHECK(second == MPI_KEYVAL_INVALID);
    FAILS(MPI_Comm_set_attr(dup, freed, NULL), MPI_ERR_KEYVAL);

    refuse = 1;
    CHECK(MPI_Comm_free(&dup) == 78 && dup != MPI_COMM_NULL);
    MPI_Comm none = MPI_COMM_WORLD;
    CHECK(MPI_Comm_dup(comm, &none) != MPI_SUCCESS && none == MPI_COMM_NULL);
    refuse = 0;
    calls = 0;
    OK(MPI_Comm_free(&dup));
    CHECK(calls == 2 && last_deleted[0] == 21 && last_deleted[1] == 11);
    OK(MPI_Comm_delete_attr(comm, first));
    CHECK(calls == 3 && last_deleted[2] == 10);
    OK(MPI_Comm_free(&comm));
    CHECK(calls == 4 && last_deleted[3] == 21);
    FAILS(MPI_Comm_free_keyval(&freed), MPI_ERR_KEYVAL);

    int deleted = 0, of_type;
    MPI_Datatype type;
    OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, delete_type, &of_type, &deleted));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_set_attr(type, of_type, &deleted));
    FAILS(MPI_Comm_set_attr(MPI_COMM_WORLD, of_type, NULL), MPI_ERR_KEYVAL);
    MPI_Datatype same;
    OK(MPI_Type_dup(type, &same));
    OK(MPI_Type_get_attr(same, of_type, &value, &flag));
    CHECK(flag && value == &deleted);
    OK(MPI_Type_free(&type));
    CHECK(deleted == 1);
    OK(MPI_Type_free(&same));
    CHECK(deleted == 2);
    OK(MPI_Type_free_keyval(&of_type));

    OK(MPI_Type_dup(MPI_INT, &type));
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_type, &of_type, &deleted));
    OK(MPI_Type_set_attr(type, of_type, &deleted));
    OK(MPI_Type_delete_attr(type, of_type));
    CHECK(deleted == 3);
    OK(MPI_Type_get_attr(type, of_type, &value, &flag));
    CHECK(!flag);
    OK(MPI_Type_free(&type));
    CHECK(deleted == 3);
    OK(MPI_Type_free_keyval(&of_type));

    by_their_old_names();

    int end;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &end, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, end, NULL));
    OK(MPI_Finalize());
    CHECK(calls == 1000);
    return 0;
}
