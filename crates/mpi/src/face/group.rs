//! Groups by their handles.
//! Source: MPI 5.0, section *Group Management*.
//! Rules: no call communicates; a group without members is `MPI_GROUP_EMPTY`.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::objects::length;
use crate::abi::*;
use crate::objects::group::{Group, Range};
use std::ffi::c_int;

impl Library {
    fn group_of_two(
        &self,
        (group1, group2): (MPI_Group, MPI_Group),
        make: impl FnOnce(&Group, &Group) -> Group,
        newgroup: Out<MPI_Group>,
    ) -> Result<(), Fault> {
        let made =
            make(&self.group_called("group1", group1)?, &self.group_called("group2", group2)?);
        newgroup.set("newgroup", self.keep_group(made)?)
    }
}

export! {
    /// The number of members.
    fn MPI_Group_size(library; group: MPI_Group, size: Out<c_int>) {
        size.set("size", library.group(group)?.size() as c_int)
    }

    /// This process's rank in a group.
    fn MPI_Group_rank(library; group: MPI_Group, rank: Out<c_int>) {
        let group = library.group(group)?;
        let found = library.world().and_then(|world| group.rank_of(world.to_world(world.rank)));
        rank.set("rank", found.map_or(MPI_UNDEFINED, |rank| rank as c_int))
    }

    /// The ranks in one group of processes by their ranks in another.
    fn MPI_Group_translate_ranks(library; group1: MPI_Group, n: c_int, ranks1: In<c_int>, group2: MPI_Group, ranks2: Out<c_int>) {
        let (from, to) = (library.group_called("group1", group1)?, library.group_called("group2", group2)?);
        let ranks = ranks1.slice("ranks1", length("n", n)?)?;
        for (at, &rank) in ranks.iter().enumerate() {
            ranks2.set_at("ranks2", at, from.translate(rank, &to)?)?;
        }
        Ok(())
    }

    /// How two groups compare.
    fn MPI_Group_compare(library; group1: MPI_Group, group2: MPI_Group, result: Out<c_int>) {
        let compared = library.group_called("group1", group1)?.compare(&library.group_called("group2", group2)?);
        result.set("result", compared as c_int)
    }

    /// All members of two groups.
    fn MPI_Group_union(library; group1: MPI_Group, group2: MPI_Group, newgroup: Out<MPI_Group>) {
        library.group_of_two((group1, group2), Group::union, newgroup)
    }

    /// The members that two groups share.
    fn MPI_Group_intersection(library; group1: MPI_Group, group2: MPI_Group, newgroup: Out<MPI_Group>) {
        library.group_of_two((group1, group2), Group::intersection, newgroup)
    }

    /// The members of one group that are not in another.
    fn MPI_Group_difference(library; group1: MPI_Group, group2: MPI_Group, newgroup: Out<MPI_Group>) {
        library.group_of_two((group1, group2), Group::difference, newgroup)
    }

    /// The members with some ranks.
    fn MPI_Group_incl(library; group: MPI_Group, n: c_int, ranks: In<c_int>, newgroup: Out<MPI_Group>) {
        let made = library.group(group)?.include(ranks.slice("ranks", length("n", n)?)?)?;
        newgroup.set("newgroup", library.keep_group(made)?)
    }

    /// The members without some ranks.
    fn MPI_Group_excl(library; group: MPI_Group, n: c_int, ranks: In<c_int>, newgroup: Out<MPI_Group>) {
        let made = library.group(group)?.exclude(ranks.slice("ranks", length("n", n)?)?)?;
        newgroup.set("newgroup", library.keep_group(made)?)
    }

    /// The members with the ranks of some ranges.
    fn MPI_Group_range_incl(library; group: MPI_Group, n: c_int, ranges: In<Range>, newgroup: Out<MPI_Group>) {
        let made = library.group(group)?.include_ranges(ranges.slice("ranges", length("n", n)?)?)?;
        newgroup.set("newgroup", library.keep_group(made)?)
    }

    /// The members without the ranks of some ranges.
    fn MPI_Group_range_excl(library; group: MPI_Group, n: c_int, ranges: In<Range>, newgroup: Out<MPI_Group>) {
        let made = library.group(group)?.exclude_ranges(ranges.slice("ranges", length("n", n)?)?)?;
        newgroup.set("newgroup", library.keep_group(made)?)
    }

    /// Frees a handle of a group.
    fn MPI_Group_free(library; group: Out<MPI_Group>) {
        let handle = group.value("group")?;
        if library.groups.borrow_mut().remove(handle.0).is_none() && handle != MPI_GROUP_EMPTY {
            return Err(Fault::handle(MPI_ERR_GROUP, "group", handle.0));
        }
        group.set("group", MPI_GROUP_NULL)
    }
}
