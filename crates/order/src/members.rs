//! The members of a group: an ordered set of ranks, as one of them sees it. It knows nothing of
//! barriers.

use bitvec::vec::BitVec;

use super::{InvalidGroup, Rank};

/// The members of a group, in the group's order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Members {
    ranks: Vec<Rank>,
    set: BitVec,
    /// `(rank, position)`, sorted; empty if each rank's position is its own number.
    positions: Vec<(Rank, usize)>,
    own_position: usize,
}

impl Members {
    /// Checks the list: it has ranks of a job of `size`, none twice, and contains `own`.
    pub(super) fn new(ranks: &[Rank], own: Rank, size: usize) -> Result<Members, InvalidGroup> {
        let mut set = BitVec::repeat(false, size);
        for &rank in ranks {
            if rank >= size {
                return Err(InvalidGroup::NoSuchRank { rank, size });
            }
            if set.replace(rank, true) {
                return Err(InvalidGroup::Twice(rank));
            }
        }
        let own_position = ranks.iter().position(|&rank| rank == own);
        let own_position = own_position.ok_or(InvalidGroup::WithoutCaller(own))?;
        let mut positions = Vec::new();
        if ranks.iter().enumerate().any(|(at, &rank)| at != rank) {
            positions.extend(ranks.iter().enumerate().map(|(at, &rank)| (rank, at)));
            positions.sort_unstable();
        }
        Ok(Members { ranks: ranks.to_vec(), set, positions, own_position })
    }

    pub(super) fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    pub(super) fn own_position(&self) -> usize {
        self.own_position
    }

    /// Whether the members are all ranks of the job.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        self.ranks.len() == self.set.len()
    }

    /// The members whose clocks count the barriers of the group. Those of a rank alone, beside others, count in none:
    /// each is complete when it is called, so no message can be early.
    pub(super) fn counted(&self) -> &[Rank] {
        if self.ranks.len() == 1 && !self.is_whole() { &[] } else { &self.ranks }
    }

    #[inline]
    pub(super) fn contains(&self, rank: Rank) -> bool {
        self.set.get(rank).is_some_and(|bit| *bit)
    }

    pub(super) fn is_subset(&self, other: &Members) -> bool {
        self.ranks.iter().all(|&rank| other.contains(rank))
    }

    /// The rank at a position in the group.
    #[inline]
    pub(super) fn rank_at(&self, position: usize) -> Rank {
        self.ranks[position]
    }

    /// The position of a rank in the group.
    #[inline]
    pub(super) fn position(&self, rank: Rank) -> Option<usize> {
        if self.positions.is_empty() {
            return (rank < self.ranks.len()).then_some(rank);
        }
        let at = self.positions.binary_search_by_key(&rank, |&(rank, _)| rank).ok()?;
        Some(self.positions[at].1)
    }
}
