//! The group that has its barriers for itself: nothing of another group is open, contained or deferred, so what
//! is asked before each barrier otherwise need not be asked of it again.
//!
//! Whoever drives the order core finds such a group, keeps what [`lone`](Order::lone) gave, and comes with it again as
//! long as it has called nothing in between but what is here, and what changes no group.
//!
//! It decides nothing otherwise than the rest of the core does: it leaves questions out whose answers are known.
//!
//! Keeps rules BAR-1 to BAR-4, CLK-1 to CLK-4 and CON-1 of SEMANTICS.md.

use super::Order;
use super::board::{Publication, Word, is_quiet};
use crate::barriers::Barriers;
use crate::clocks::{Seq, Slot};
use crate::{Epoch, GroupId, ProtocolError, Ticket};

/// A group that publishes, beside which no barrier is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lone {
    group: GroupId,
    slot: Slot,
    place: usize,
    pair: bool,
}

impl Lone {
    /// The place at which its members publish.
    #[inline]
    pub fn place(self) -> usize {
        self.place
    }

    /// Whether it has two members: then nobody but the other learns anything from this rank's look.
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

impl Order {
    /// The group, if it publishes and has been published of, and no other group has an open barrier. It stays so
    /// until a barrier of another group is initiated, or a group comes, goes or changes.
    pub fn lone(&self, group: GroupId) -> Option<Lone> {
        let slot = self.slot_of(group)?;
        let Barriers::Published(place, published) = &self.group(slot).barriers else { return None };
        let alone = self.clocks.open_count(slot) == self.clocks.open_in_all();
        // Nothing is deferred then: that would be for an open barrier of another.
        let plain = !self.group(slot).dropped && !published.has_news();
        let pair = published.size() == 2;
        (alone && plain).then_some(Lone { group, slot, place: *place, pair })
    }

    /// What entering the next barrier is to publish. None where as many barriers are open as may be, or epochs
    /// have run out.
    #[inline(always)]
    pub fn entering_lone(&self, lone: Lone) -> Option<Publication> {
        debug_assert_eq!(self.lone(lone.group), Some(lone));
        self.entering_at(lone.slot)
    }

    /// As [`handle_initiate`](Order::handle_initiate), where [`entering_lone`](Order::entering_lone) has said what
    /// to publish. That was done just before: others wait for it, and for nothing that is done here.
    #[inline(always)]
    pub fn handle_enter_lone(&mut self, lone: Lone) -> Ticket {
        self.handle_enter_at(lone.slot)
    }

    /// As the complete epoch of [`progress_of`](Order::progress_of).
    #[inline(always)]
    pub fn lone_complete(&self, lone: Lone) -> Epoch {
        self.group(lone.slot).barriers.complete()
    }

    /// As [`is_complete_through`](Order::is_complete_through).
    #[inline(always)]
    pub fn is_lone_complete_through(&self, lone: Lone, seq: Seq) -> bool {
        debug_assert_eq!(self.lone(lone.group), Some(lone));
        self.clocks.open_span(lone.slot).is_none_or(|(oldest, _)| oldest > seq)
    }

    /// As [`is_board_quiet`](Order::is_board_quiet).
    #[inline(always)]
    pub fn is_lone_quiet(&self, lone: Lone, load: impl Fn(Word) -> Option<Epoch>) -> bool {
        debug_assert_eq!(self.lone(lone.group), Some(lone));
        is_quiet(self.group(lone.slot), load)
    }

    /// As [`look_with_sums`](Order::look_with_sums).
    ///
    /// # Errors
    ///
    /// As by [`look_with_sums`](Order::look_with_sums).
    #[inline(always)]
    pub fn look_at_lone(
        &mut self,
        lone: Lone,
        sum: impl Fn(Word) -> Option<Epoch>,
        load: impl Fn(Word) -> Option<Epoch>,
    ) -> Result<bool, ProtocolError> {
        debug_assert_eq!(self.lone(lone.group), Some(lone));
        self.look_at(lone.slot, sum, load)
    }
}
