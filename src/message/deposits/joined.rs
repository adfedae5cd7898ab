//! What a rank knows of a group whose members deposit.
//!
//! Keeps rules COL-5 and COL-9 of SEMANTICS.md.

use smallvec::SmallVec;

use super::members::{MOST_MEMBERS, MemberSet};
use super::occupancy::Occupancy;
use super::reading::{Finished, Known};
use crate::order::{GroupId, Rank};

/// What this rank knows of a group.
pub(super) struct Joined {
    pub(super) group: GroupId,
    /// By their ranks in the group.
    pub(super) members: SmallVec<[Rank; MOST_MEMBERS]>,
    /// This rank, in the group.
    pub(super) own: Rank,
    /// Those whose tags have been seen to be the group's. They stay so until this rank is done.
    pub(super) known: MemberSet,
    /// What occupies this rank's words.
    pub(super) occupancy: Occupancy,
    /// The call to whose rest this rank has brought the room to its core; 0 if to none.
    pub(super) prepared: u64,
    /// What each member is known to have finished.
    pub(super) finished: [u64; MOST_MEMBERS],
    /// What all are known to have finished: at most the least of these.
    pub(super) all_finished: u64,
    /// The calls of which each member's deposit has been read here, or will be.
    pub(super) read: [Known; MOST_MEMBERS],
    /// What this rank has finished.
    pub(super) own_finished: Finished,
}

impl Joined {
    /// Of a group that joins a place, whose `members` are these by their ranks in it; this rank is `own`.
    pub(super) fn new(group: GroupId, members: &[Rank], own: Rank) -> Joined {
        Joined {
            group,
            members: members.into(),
            own,
            known: MemberSet::NONE,
            occupancy: Occupancy::NOTHING,
            prepared: 0,
            finished: [0; MOST_MEMBERS],
            all_finished: 0,
            read: [Known::NOTHING; MOST_MEMBERS],
            own_finished: Finished::default(),
        }
    }

    /// Finds what all have finished, by what is known of each.
    #[inline]
    pub(super) fn look_at_finished(&mut self) {
        let (before, after) = self.finished[..self.members.len()].split_at(self.own);
        let others = before.iter().chain(&after[1..]);
        self.all_finished = others.copied().min().unwrap_or(0);
    }
}
