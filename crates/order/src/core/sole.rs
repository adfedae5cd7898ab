//! The sole group: a group on the board of one host while no barrier of another group is open. Its
//! barriers need no question about containment, deferral and other groups.
//!
//! Keeps rules BAR-1 to BAR-4, CLK-1 to CLK-4 and CON-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A [`NotedSole`] has the [version](Order::version) of the order core that its group was found at,
//! and shows the group as long as that is the same. Entering a barrier of the group itself changes
//! the version, and renews what was noted with it. So no caller can hold on to a group that is no
//! longer sole.

use super::board::{Publication, Word};
use super::{Carried, Order};
use crate::barrier::Words;
use crate::clocks::{Seq, Slot};
use crate::{Epoch, GroupId, ProtocolError, Ticket};

/// A group that publishes, beside which no barrier is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoleGroup {
    group: GroupId,
    slot: Slot,
    place: usize,
    pair: bool,
}

impl SoleGroup {
    /// The place at which its members publish.
    #[inline]
    pub fn place(self) -> usize {
        self.place
    }

    /// Whether it has two members. Then only the other learns anything from this rank's look.
    #[inline]
    pub fn is_pair(self) -> bool {
        self.pair
    }

    /// The group.
    #[inline]
    pub fn group(self) -> GroupId {
        self.group
    }
}

/// The group that was found to be sole last, and at which version.
///
/// The version changes with each barrier, and so is no part of the group, which is copied as a
/// whole. A processor copies slowly what it has just written in part: it waits until all its
/// earlier stores have arrived. The word that it published is still on its way then.
#[derive(Clone, Debug, Default)]
pub struct NotedSole {
    group: Option<SoleGroup>,
    version: u64,
}

impl Order {
    /// The group, if its members publish on one host, this rank has nothing to publish, and no
    /// other group has an open barrier.
    pub fn sole_group(&self, group: GroupId) -> Option<SoleGroup> {
        let slot = self.slot_of(group)?;
        let state = self.group(slot);
        let Carried::Board(place) = state.carried else { return None };
        let alone = self.clocks.open_count(slot) == self.clocks.open_in_all();
        // Nothing is deferred then: that would be for an open barrier of another.
        let barrier = &state.barrier;
        let plain = !state.dropped && !barrier.has_news() && !barrier.spans_hosts();
        let pair = barrier.near_count() == 2;
        (alone && plain).then_some(SoleGroup { group, slot, place, pair })
    }

    /// The same, for the calls that follow.
    pub fn note_sole_group(&self, group: GroupId) -> NotedSole {
        NotedSole { group: self.sole_group(group), version: self.version() }
    }

    /// The group that was noted, if [`sole_group`](Order::sole_group) would find the same now.
    #[inline(always)]
    pub fn noted_sole_group(&self, noted: &NotedSole) -> Option<SoleGroup> {
        if noted.version == self.version() { noted.group } else { None }
    }

    /// The word that entering the next barrier publishes. None where as many barriers are open as
    /// may be, or epochs have run out.
    #[inline(always)]
    pub fn entering_sole(&self, sole: SoleGroup) -> Option<Publication> {
        debug_assert_eq!(self.sole_group(sole.group), Some(sole));
        self.entering_at(sole.slot)
    }

    /// As [`handle_initiate`](Order::handle_initiate), where
    /// [`entering_sole`](Order::entering_sole) has said what to publish. That was done just before:
    /// others wait for it, and for nothing that is done here. Where the group was noted, it stays
    /// so.
    #[inline(always)]
    pub fn handle_enter_sole(&mut self, sole: SoleGroup, noted: &mut NotedSole) -> Ticket {
        debug_assert_eq!(self.noted_sole_group(noted), Some(sole));
        let ticket = self.handle_enter_at(sole.slot);
        noted.version = self.version();
        ticket
    }

    /// As the complete epoch of [`progress_of`](Order::progress_of).
    #[inline(always)]
    pub fn sole_complete(&self, sole: SoleGroup) -> Epoch {
        self.group(sole.slot).barrier.complete()
    }

    /// As [`is_complete_through`](Order::is_complete_through).
    #[inline(always)]
    pub fn is_sole_complete_through(&self, sole: SoleGroup, seq: Seq) -> bool {
        debug_assert_eq!(self.sole_group(sole.group), Some(sole));
        self.clocks.open_span(sole.slot).is_none_or(|(oldest, _)| oldest > seq)
    }

    /// As [`is_board_quiet`](Order::is_board_quiet).
    #[inline(always)]
    pub fn is_sole_quiet(&self, sole: SoleGroup, words: &impl Words<Word>) -> bool {
        debug_assert_eq!(self.sole_group(sole.group), Some(sole));
        self.is_one_quiet((sole.slot, sole.place), words)
    }

    /// As [`look`](Order::look).
    ///
    /// # Errors
    ///
    /// As by [`look`](Order::look).
    #[inline(always)]
    pub fn look_at_sole(
        &mut self,
        sole: SoleGroup,
        words: &impl Words<Word>,
    ) -> Result<bool, ProtocolError> {
        debug_assert_eq!(self.sole_group(sole.group), Some(sole));
        self.look_at_one((sole.slot, sole.place), words)
    }
}
