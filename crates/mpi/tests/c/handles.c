/* Handles that name nothing: null ones, those of other kinds, freed ones, any number. Each call refuses with the class
 * of the object, and none follows the handle. Any number of ranks. */
#include "check.h"
#include <stdint.h>

/* A number that tells bad handles apart. */
static uint64_t next(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void refused(uintptr_t handle, int is_comm, int is_group, int is_info, int is_op, int is_type)
{
    int found, flag;
    MPI_Comm made;
    if (!is_comm) {
        FAILS(MPI_Comm_size((MPI_Comm)handle, &found), MPI_ERR_COMM);
        FAILS(MPI_Comm_get_attr((MPI_Comm)handle, MPI_TAG_UB, &found, &flag), MPI_ERR_COMM);
        FAILS(MPI_Cartdim_get((MPI_Comm)handle, &found), MPI_ERR_COMM);
        FAILS(MPI_Comm_dup((MPI_Comm)handle, &made), MPI_ERR_COMM);
        FAILS(MPI_Send(&found, 1, MPI_INT, 0, 0, (MPI_Comm)handle), MPI_ERR_COMM);
    }
    if (!is_group) {
        FAILS(MPI_Group_size((MPI_Group)handle, &found), MPI_ERR_GROUP);
        FAILS(MPI_Group_compare(MPI_GROUP_EMPTY, (MPI_Group)handle, &found), MPI_ERR_GROUP);
    }
    if (!is_info)
        FAILS(MPI_Info_get_nkeys((MPI_Info)handle, &found), MPI_ERR_INFO);
    if (!is_op)
        FAILS(MPI_Op_commutative((MPI_Op)handle, &found), MPI_ERR_OP);
    if (!is_type)
        FAILS(MPI_Type_size((MPI_Datatype)handle, &found), MPI_ERR_TYPE);
}

int main(int argc, char **argv)
{
    int rank, size;
    begin(&argc, &argv, &rank, &size);
    /* All that the standard reserves for predefined handles, and some behind it. */
    for (uintptr_t handle = 0; handle < 5000; handle++) {
        int is_comm = handle == (uintptr_t)MPI_COMM_WORLD || handle == (uintptr_t)MPI_COMM_SELF;
        int is_op = handle > (uintptr_t)MPI_OP_NULL && handle <= (uintptr_t)MPI_NO_OP;
        int is_type = handle > (uintptr_t)MPI_DATATYPE_NULL && handle <= (uintptr_t)MPI_COMPLEX32;
        int is_group = handle == (uintptr_t)MPI_GROUP_EMPTY, is_info = handle == (uintptr_t)MPI_INFO_ENV;
        refused(handle, is_comm, is_group, is_info, is_op, is_type);
    }
    for (int turn = 0; turn < 5000; turn++)
        refused((uintptr_t)(next() >> turn % 40) | 8192, 0, 0, 0, 0, 0);

    /* What was freed names nothing, though another object has its place. */
    MPI_Group world, first, second;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_union(world, world, &first));
    MPI_Group freed = first;
    OK(MPI_Group_free(&first));
    OK(MPI_Group_union(world, world, &second));
    int found;
    FAILS(MPI_Group_size(freed, &found), MPI_ERR_GROUP);
    OK(MPI_Group_size(second, &found));
    CHECK(found == size);
    /* One of another kind that has a value of this kind's. */
    MPI_Info info;
    OK(MPI_Info_create(&info));
    FAILS(MPI_Op_commutative((MPI_Op)info, &found), MPI_ERR_OP);
    OK(MPI_Info_free(&info));
    OK(MPI_Group_free(&second));
    OK(MPI_Group_free(&world));
    OK(MPI_Finalize());
    return 0;
}
