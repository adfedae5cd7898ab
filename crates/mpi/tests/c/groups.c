/* Groups: their algebra, ranges, comparisons, and the errors of bad ranks. Any number of ranks. */
#include "check.h"

static int size_of(MPI_Group group)
{
    int size;
    OK(MPI_Group_size(group, &size));
    return size;
}

static int compared(MPI_Group one, MPI_Group other)
{
    int result;
    OK(MPI_Group_compare(one, other, &result));
    return result;
}

int main(int argc, char **argv)
{
    int rank, size;
    begin(&argc, &argv, &rank, &size);
    MPI_Group world, own, rest, both, reversed;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_group(MPI_COMM_SELF, &own));
    CHECK(size_of(world) == size && size_of(own) == 1);

    int found, zero = 0;
    OK(MPI_Group_rank(world, &found));
    CHECK(found == rank);
    OK(MPI_Group_translate_ranks(own, 1, &zero, world, &found));
    CHECK(found == rank);

    OK(MPI_Group_difference(world, own, &rest));
    CHECK(size_of(rest) == size - 1 && (size > 1 || rest == MPI_GROUP_EMPTY));
    OK(MPI_Group_rank(rest, &found));
    CHECK(found == MPI_UNDEFINED);
    OK(MPI_Group_union(own, rest, &both));
    CHECK(compared(both, world) == (rank == 0 ? MPI_IDENT : MPI_SIMILAR));
    OK(MPI_Group_intersection(rest, own, &reversed));
    CHECK(reversed == MPI_GROUP_EMPTY && compared(reversed, world) == MPI_UNEQUAL);

    int backwards[1][3] = {{size - 1, 0, -1}}, first = size - 1;
    OK(MPI_Group_range_incl(world, 1, backwards, &reversed));
    CHECK(compared(reversed, world) == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    OK(MPI_Group_translate_ranks(reversed, 1, &zero, world, &found));
    CHECK(found == first);
    int null = MPI_PROC_NULL;
    OK(MPI_Group_translate_ranks(reversed, 1, &null, world, &found));
    CHECK(found == MPI_PROC_NULL);
    MPI_Group none;
    OK(MPI_Group_range_excl(world, 1, backwards, &none));
    CHECK(none == MPI_GROUP_EMPTY);

    int twice[] = {0, 0}, endless[1][3] = {{0, 1, 0}};
    FAILS(MPI_Group_incl(world, 1, &size, &none), MPI_ERR_RANK);
    FAILS(MPI_Group_excl(world, 2, twice, &none), MPI_ERR_RANK);
    FAILS(MPI_Group_incl(world, -1, twice, &none), MPI_ERR_ARG);
    FAILS(MPI_Group_range_incl(world, 1, endless, &none), MPI_ERR_ARG);
    FAILS(MPI_Group_size(MPI_GROUP_NULL, &found), MPI_ERR_GROUP);
    FAILS(MPI_Group_size((MPI_Group)MPI_COMM_WORLD, &found), MPI_ERR_GROUP);

    MPI_Group freed = both;
    OK(MPI_Group_free(&both));
    CHECK(both == MPI_GROUP_NULL);
    FAILS(MPI_Group_free(&freed), MPI_ERR_GROUP);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&own));
    OK(MPI_Group_free(&reversed));
    OK(MPI_Group_free(&rest));
    OK(MPI_Finalize());
    return 0;
}
