//! Barriers of the sole group: the one group with open barriers, on the board of one host.
//!
//! Keeps rules BAR-1, BAR-4, CLK-1 and SAFE-1 of SEMANTICS.md.
//!
//! What is left of a barrier is: count it, publish it, and look at the one word that says whether
//! others lack.
//!
//! # Correctness
//!
//! The order core says whether a [`SoleGroup`] is still one. Entering its barriers keeps it so.

use super::Barriers;
use super::board::{Entered, Shown};
use super::published::tell_who_waits;
use crate::order::core::board::Publication;
use crate::order::core::sole::SoleGroup;
use crate::order::{Epoch, GroupId, ProtocolError, Ticket};
use crate::verbs::Nic;

/// What is left to do after a barrier of the sole group was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum Next {
    /// Nothing: others are known to lack it, or find it by themselves.
    Nothing,
    /// [`Barriers::look_as_last`], with the epoch that was entered before.
    Look { before: Epoch },
}

impl Barriers {
    /// A barrier of this group is about to be entered and nothing is in its way: notes the group if
    /// it is the sole one.
    pub(in crate::message) fn note_sole(&mut self, group: GroupId) {
        self.sole = self.order.note_sole_group(group);
    }

    /// The group, if it is still the sole one.
    #[inline(always)]
    pub(in crate::message) fn sole_group(&self, group: GroupId) -> Option<SoleGroup> {
        self.order.noted_sole_group(&self.sole).filter(|sole| sole.group() == group)
    }

    /// Enters the next barrier of the sole group, where `holds_any` says whether messages are held.
    /// None, and nothing has changed, if it must wait for others.
    #[inline(always)]
    pub(in crate::message) fn enter_sole<N: Nic>(
        &mut self,
        nic: &N,
        sole: SoleGroup,
        holds_any: impl FnOnce() -> bool,
    ) -> Option<(Ticket, Next)> {
        let board = self.board.as_ref()?;
        let Publication { place, before, epoch, .. } = self.order.entering_sole(sole)?;
        let may_sleep = board.publish(nic, place, epoch);
        let ticket = self.order.handle_enter_sole(sole, &mut self.sole);
        self.stats.publications += 1;
        // Of two, the other has to be told only if it sleeps, and what this rank could find it
        // finds when it asks. (The other's word may have been written just now; to look at it takes
        // longer than all the rest.) What is held is released at once: its sender may wait for
        // room.
        let settled = self.order.completions() == self.seen_completions;
        if !may_sleep && sole.is_pair() && settled && !holds_any() {
            return Some((ticket, Next::Nothing));
        }
        let quiet = self.order.is_sole_quiet(sole, &Shown { board, words: nic });
        if quiet && settled {
            return Some((ticket, Next::Nothing));
        }
        Some((ticket, Next::Look { before }))
    }

    /// This rank has entered a barrier of the sole group, and may be the last: looks, and wakes the
    /// ranks that sleep for what has completed.
    ///
    /// # Errors
    ///
    /// As by [`look_at_sole`](Barriers::look_at_sole).
    #[inline(always)]
    pub(in crate::message) fn look_as_last<N: Nic>(
        &mut self,
        nic: &N,
        sole: SoleGroup,
        before: Epoch,
    ) -> Result<(), ProtocolError> {
        let Some(board) = &self.board else { return Ok(()) };
        // Nobody can have said that all have entered: this rank had not.
        self.order.look_at_sole(sole, &Entered(Shown { board, words: nic }))?;
        let complete = self.order.sole_complete(sole);
        if complete > before {
            self.stats.ranks_woken += tell_who_waits(board, nic, sole.place(), complete);
        }
        Ok(())
    }

    /// Whether [`look_at_sole`](Barriers::look_at_sole) would find nothing.
    #[inline(always)]
    pub(in crate::message) fn is_sole_quiet<N: Nic>(&self, nic: &N, sole: SoleGroup) -> bool {
        let Some(board) = &self.board else { return true };
        self.order.is_sole_quiet(sole, &Shown { board, words: nic })
    }

    /// Takes in what others have published for the sole group.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if a member has published what cannot be.
    #[inline(always)]
    pub(in crate::message) fn look_at_sole<N: Nic>(
        &mut self,
        nic: &N,
        sole: SoleGroup,
    ) -> Result<(), ProtocolError> {
        let Some(board) = &self.board else { return Ok(()) };
        self.order.look_at_sole(sole, &Shown { board, words: nic }).map(drop)
    }
}
