//! Groups: ordered lists of processes without repetition, each named by its rank in the world.
//! Rules: no call communicates; a group never changes; set operations take O(n log n) at most, and O(n) in
//! ascending groups, which most are (MPI 5.0, section 7.3, *Group Management*).

use std::ffi::c_int;
use std::sync::{Arc, OnceLock};

use runahead::Rank;

use super::Classified;
use crate::abi::{
    MPI_ERR_ARG, MPI_ERR_RANK, MPI_IDENT, MPI_PROC_NULL, MPI_SIMILAR, MPI_UNDEFINED, MPI_UNEQUAL,
};

mod ranges;
#[cfg(test)]
mod tests;

pub use ranges::Range;

/// What is wrong with the ranks that a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// A rank that the group does not have.
    #[error("rank {rank} is out of range: the group has {size} members")]
    RankOutOfRange {
        /// The rank.
        rank: i64,
        /// The size of the group.
        size: usize,
    },
    /// A rank that is listed twice.
    #[error("rank {rank} is listed twice")]
    Twice {
        /// The rank.
        rank: usize,
    },
    /// A range whose stride is 0, or leads away from its last rank.
    #[error("the range from {first} to {last} has a stride of {stride}, by which it cannot go on")]
    Stride {
        /// The first rank of the range.
        first: c_int,
        /// The last rank of the range.
        last: c_int,
        /// The stride.
        stride: c_int,
    },
}

impl Classified for GroupError {
    fn class(&self) -> c_int {
        match self {
            GroupError::RankOutOfRange { .. } | GroupError::Twice { .. } => MPI_ERR_RANK,
            GroupError::Stride { .. } => MPI_ERR_ARG,
        }
    }
}

/// How two groups compare, with the values that `MPI_Group_compare` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum Comparison {
    /// The same members in the same order.
    Ident = MPI_IDENT,
    /// The same members in another order.
    Similar = MPI_SIMILAR,
    /// Other members.
    Unequal = MPI_UNEQUAL,
}

/// A group. Copies share their list.
#[derive(Clone, Debug)]
pub struct Group {
    list: Arc<List>,
}

#[derive(Debug)]
struct List {
    members: Box<[Rank]>,
    /// How to find a member, made when somebody first asks.
    index: OnceLock<Index>,
}

/// How a member is found among the others.
#[derive(Debug)]
enum Index {
    /// The members are consecutive: a subtraction finds one.
    Consecutive,
    /// The members ascend: the list itself can be searched.
    Ascending,
    /// The ranks in the group, in the order of the members.
    Permutation(Box<[usize]>),
}

impl Group {
    /// The group that has no members, `MPI_GROUP_EMPTY`.
    pub fn empty() -> Group {
        Group::new(Vec::new())
    }

    /// The group of all `size` processes of a world.
    pub fn world(size: usize) -> Group {
        Group::new((0..size).collect())
    }

    /// The group of these processes, in this order.
    ///
    /// # Panics
    ///
    /// In debug builds, if a process is listed twice.
    pub fn new(members: Vec<Rank>) -> Group {
        debug_assert!(repeated(&members).is_none(), "a process is listed twice in {members:?}");
        Group { list: Arc::new(List { members: members.into(), index: OnceLock::new() }) }
    }

    /// The number of members.
    pub fn size(&self) -> usize {
        self.list.members.len()
    }

    /// The members by their rank in the world, in the order of their ranks in the group.
    pub fn members(&self) -> &[Rank] {
        &self.list.members
    }

    /// The rank in this group of a process, if it is a member.
    pub fn rank_of(&self, process: Rank) -> Option<usize> {
        let members = self.members();
        match self.list.index.get_or_init(|| Index::of(members)) {
            Index::Consecutive => {
                process.checked_sub(*members.first()?).filter(|rank| *rank < members.len())
            }
            Index::Ascending => members.binary_search(&process).ok(),
            Index::Permutation(order) => {
                let found = order.binary_search_by_key(&process, |rank| members[*rank]).ok()?;
                Some(order[found])
            }
        }
    }

    /// Whether a process is a member.
    pub fn contains(&self, process: Rank) -> bool {
        self.rank_of(process).is_some()
    }

    /// The rank in `other` of the process that has rank `rank` here: `MPI_UNDEFINED` if it is no member there, and
    /// `MPI_PROC_NULL` for `MPI_PROC_NULL` (`MPI_Group_translate_ranks`).
    ///
    /// # Errors
    ///
    /// If this group has no such rank.
    pub fn translate(&self, rank: c_int, other: &Group) -> Result<c_int, GroupError> {
        if rank == MPI_PROC_NULL {
            return Ok(MPI_PROC_NULL);
        }
        let process = self.members()[self.checked(i64::from(rank))?];
        Ok(other.rank_of(process).map_or(MPI_UNDEFINED, |rank| rank as c_int))
    }

    /// How this group compares with another (`MPI_Group_compare`).
    pub fn compare(&self, other: &Group) -> Comparison {
        if self.members() == other.members() {
            Comparison::Ident
        } else if self.size() == other.size()
            && self.members().iter().all(|process| other.contains(*process))
        {
            Comparison::Similar
        } else {
            Comparison::Unequal
        }
    }

    /// All members of this group, then those of `other` that are not in this one (`MPI_Group_union`).
    pub fn union(&self, other: &Group) -> Group {
        let further = other.members().iter().filter(|process| !self.contains(**process));
        Group::new(self.members().iter().chain(further).copied().collect())
    }

    /// The members of this group that are in `other` too, in the order of this one (`MPI_Group_intersection`).
    pub fn intersection(&self, other: &Group) -> Group {
        self.filtered(|_, process| other.contains(process))
    }

    /// The members of this group that are not in `other`, in the order of this one (`MPI_Group_difference`).
    pub fn difference(&self, other: &Group) -> Group {
        self.filtered(|_, process| !other.contains(process))
    }

    /// The members with these ranks, in this order (`MPI_Group_incl`).
    ///
    /// # Errors
    ///
    /// If this group has no such rank, or one is listed twice.
    pub fn include(&self, ranks: &[c_int]) -> Result<Group, GroupError> {
        let ranks = self.checked_all(ranks.iter().map(|rank| i64::from(*rank)))?;
        Ok(Group::new(ranks.into_iter().map(|rank| self.members()[rank]).collect()))
    }

    /// The members without those that have these ranks, in the order of this group (`MPI_Group_excl`).
    ///
    /// # Errors
    ///
    /// If this group has no such rank, or one is listed twice.
    pub fn exclude(&self, ranks: &[c_int]) -> Result<Group, GroupError> {
        let ranks = self.checked_all(ranks.iter().map(|rank| i64::from(*rank)))?;
        Ok(self.without(&ranks))
    }

    fn without(&self, ranks: &[usize]) -> Group {
        let mut left = vec![true; self.size()];
        for rank in ranks {
            left[*rank] = false;
        }
        self.filtered(|rank, _| left[rank])
    }

    fn filtered(&self, keep: impl Fn(usize, Rank) -> bool) -> Group {
        let kept =
            self.members().iter().enumerate().filter(|(rank, process)| keep(*rank, **process));
        Group::new(kept.map(|(_, process)| *process).collect())
    }

    /// The rank as an index, if this group has it.
    fn checked(&self, rank: i64) -> Result<usize, GroupError> {
        usize::try_from(rank)
            .ok()
            .filter(|index| *index < self.size())
            .ok_or(GroupError::RankOutOfRange { rank, size: self.size() })
    }

    /// The ranks as indices, if this group has each of them and none comes twice. It ends at the first fault, so it
    /// never takes more than `size + 1` of them.
    fn checked_all(&self, ranks: impl Iterator<Item = i64>) -> Result<Vec<usize>, GroupError> {
        let mut listed = vec![false; self.size()];
        ranks
            .map(|rank| {
                let rank = self.checked(rank)?;
                if std::mem::replace(&mut listed[rank], true) {
                    return Err(GroupError::Twice { rank });
                }
                Ok(rank)
            })
            .collect()
    }
}

impl Index {
    fn of(members: &[Rank]) -> Index {
        if members.windows(2).all(|pair| pair[0] + 1 == pair[1]) {
            Index::Consecutive
        } else if members.is_sorted() {
            Index::Ascending
        } else {
            let mut order: Box<[usize]> = (0..members.len()).collect();
            order.sort_unstable_by_key(|rank| members[*rank]);
            Index::Permutation(order)
        }
    }
}

/// A process that is listed twice.
fn repeated(members: &[Rank]) -> Option<Rank> {
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
