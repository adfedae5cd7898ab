//! What is seen here of one member of a group: by its words, by the signals that have come, and by
//! what its host has told.
//!
//! Keeps rules BAR-9 and END-2 of SEMANTICS.md.

use super::Barriers;
use crate::order::{Clock, Epoch, GroupId, Rank};
use crate::verbs::Nic;

impl Barriers {
    /// The open barrier that this rank initiated first.
    pub(in crate::message) fn oldest_open(&self) -> Option<(GroupId, Epoch)> {
        let seq = |&(group, oldest): &(_, _)| self.order.seq_of(group, oldest).unwrap_or(u64::MAX);
        self.order.open_barriers().map(|(group, oldest, _)| (group, oldest)).min_by_key(seq)
    }

    /// What this rank tells a peer that asks how far it has entered the barriers of a group. The
    /// peer has `epoch` open, the barrier `clock` of those that include both.
    pub(in crate::message) fn answer(
        &self,
        from: Rank,
        (group, epoch, clock): (GroupId, Epoch, Clock),
    ) -> Epoch {
        let is_past = self.order.has_completed_in_the_past(group, from, clock);
        let of_past = if is_past { epoch } else { 0 };
        self.order.progress_of(group).map_or(of_past, |(entered, ..)| entered)
    }

    /// Whether a member is seen to have entered.
    pub(in crate::message) fn has_entered<N: Nic>(
        &self,
        nic: &N,
        member: Rank,
        group: GroupId,
        epoch: Epoch,
    ) -> bool {
        self.order.has_heard(group, member, epoch)
            || self.has_published(nic, member, group, epoch)
            || self.has_written(nic, member, group, epoch)
    }

    /// Whether a member's own cell here says that it has entered, where signals are words.
    pub(in crate::message) fn has_written<N: Nic>(
        &self,
        nic: &N,
        member: Rank,
        group: GroupId,
        epoch: Epoch,
    ) -> bool {
        let (Some(cells), Some(place)) = (&self.cells, self.order.cells_of(group)) else {
            return false;
        };
        self.order.has_written(group, member, epoch, cells.read(nic, place, member))
    }

    /// Whether the board shows now that a member has entered, or its own cell where nothing else is
    /// needed of it. What a rank that has gone published stays valid.
    pub(in crate::message) fn has_published<N: Nic>(
        &self,
        nic: &N,
        member: Rank,
        group: GroupId,
        epoch: Epoch,
    ) -> bool {
        if self.order.hears_all_directly(group) {
            return self.has_written(nic, member, group, epoch);
        }
        let (Some(board), Some(place)) = (&self.board, self.order.place_of(group)) else {
            return false;
        };
        // Of a member on another host no more than that may be seen.
        self.order.has_heard(group, member, epoch)
            || board.has_entered(nic, (place, group), member, epoch)
    }

    /// Whether it is seen here at once what a member has entered, as it publishes it on this host.
    pub(in crate::message) fn sees(&self, member: Rank, group: GroupId) -> bool {
        self.is_far(member, group) == Some(false)
    }

    /// Whether nothing is seen here of a member itself, as it publishes on another host.
    pub(in crate::message) fn is_out_of_sight(&self, member: Rank, group: GroupId) -> bool {
        self.is_far(member, group) == Some(true)
    }

    /// Whether a member publishes on another host than this; None if it does not publish.
    fn is_far(&self, member: Rank, group: GroupId) -> Option<bool> {
        self.order.place_of(group)?;
        self.board.as_ref().map(|board| board.is_far(member))
    }
}
