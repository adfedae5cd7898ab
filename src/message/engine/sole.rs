//! Barriers of the sole group on the board: what was asked before a rank entered its last barrier
//! is not asked again for the next.
//!
//! Keeps rules BAR-1, BAR-4, CLK-1, FEN-1 and SAFE-1 of SEMANTICS.md.
//!
//! What is left of a barrier is: count it, publish it, and look at the one word that says whether
//! others lack. A wait is looks at that word. Messages change nothing of what a barrier asks for.
//! So a program that computes, sends, receives and calls a barrier, again and again, is asked once.
//! Every 64 calls all is asked, so a rank that does nothing but call barriers looks for what
//! others want of it.
//!
//! # Correctness
//!
//! The order core says whether a [`SoleGroup`] is still one, and the
//! [obstacles](crate::message::obstacles) whether anything else is due or expected. A posted
//! receive is no obstacle to a call, which waits for nothing. A wait serves the sender that may ask
//! for room.

use super::Engine;
use super::flush::tell_who_waits;
use crate::message::board::{Entered, Shown};
use crate::message::error::MessageError;
use crate::message::obstacles::Obstacles;
use crate::order::clocks::Seq;
use crate::order::core::board::Publication;
use crate::order::core::sole::SoleGroup;
use crate::order::{Epoch, GroupId, Order, ProtocolError, Ticket};
use crate::sys::thread;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// Enters a barrier as [`Engine::barrier`] does, if its group is the sole one and nothing is in
    /// the way; else None. So also if a peer turns out to have broken the protocol: whoever then
    /// asks the engine is told.
    #[inline(always)]
    pub fn enter_at_once(&mut self, group: GroupId) -> Option<Ticket> {
        if !self.waiting.has_enter_turn() || self.obstacles.has_any(Obstacles::TO_ENTER) {
            return None;
        }
        let sole = self.sole_group(group)?;
        self.check_obstacles();
        debug_assert!(self.has_nothing_due());
        self.enter_sole(sole)?.ok()
    }

    /// Waits a moment for a barrier, as [`Engine::wait_barrier`] does, if its group is the sole one
    /// and nothing is in the way. Returns whether it has completed, with those before it; if not,
    /// whoever then asks the engine is told why. Where a receive is posted, this takes in what
    /// others have published, and leaves the rest to the caller.
    #[inline(always)]
    pub fn completes_soon(&mut self, group: GroupId, seq: Seq) -> bool {
        if !self.waiting.has_short_turn() || self.obstacles.has_any(Obstacles::TO_ENTER) {
            return false;
        }
        let Some(sole) = self.sole_group(group) else { return false };
        self.check_obstacles();
        debug_assert!(self.has_nothing_due());
        self.sole_completes(sole, seq).unwrap_or(false)
    }

    /// A barrier of this group is about to be entered and nothing is in its way: notes the group if
    /// it is the sole one.
    pub(super) fn note_sole(&mut self, group: GroupId) {
        self.sole = self.order.note_sole_group(group);
        self.waiting.renew_enter_turns();
    }

    /// The group, if it is still the sole one.
    #[inline(always)]
    pub(super) fn sole_group(&self, group: GroupId) -> Option<SoleGroup> {
        self.order.noted_sole_group(&self.sole).filter(|sole| sole.group() == group)
    }

    /// Enters the next barrier of the sole group. None, and nothing has changed, if it must wait
    /// for others.
    #[inline(always)]
    pub(super) fn enter_sole(&mut self, sole: SoleGroup) -> Option<Result<Ticket, MessageError>> {
        let (Some(board), nic) = (&self.board, &self.nic) else { return None };
        let Publication { place, before, epoch, .. } = self.order.entering_sole(sole)?;
        let may_sleep = board.publish(nic, place, epoch);
        let ticket = self.order.handle_enter_sole(sole, &mut self.sole);
        self.stats.publications += 1;
        self.waiting.handle_enter_turn();
        // Of two, the other has to be told only if it sleeps, and what this rank could find it
        // finds when it asks. (The other's word may have been written just now; to look at it takes
        // longer than all the rest.) What is held is released at once: its sender may wait for
        // room.
        let settled = self.order.completions() == self.seen_completions;
        if !may_sleep && sole.is_pair() && settled && !self.matching.holds_any() {
            return Some(Ok(ticket));
        }
        let quiet = self.order.is_sole_quiet(sole, &Shown { board, words: nic });
        if quiet && settled {
            return Some(Ok(ticket));
        }
        Some(self.look_as_last(sole, before).map(|()| ticket))
    }

    /// This rank has entered a barrier, and may be the last.
    #[inline(never)]
    fn look_as_last(&mut self, sole: SoleGroup, before: Epoch) -> Result<(), MessageError> {
        // Nobody can have said that all have entered: this rank had not.
        self.look_at_sole(|order, words| order.look_at_sole(sole, &Entered(words)))?;
        let complete = self.order.sole_complete(sole);
        if complete > before
            && let Some(board) = &self.board
        {
            self.stats.ranks_woken += tell_who_waits(board, &self.nic, sole.place(), complete);
        }
        Ok(())
    }

    /// Looks, for a while, whether a barrier and those before it are complete.
    #[inline(always)]
    fn sole_completes(&mut self, sole: SoleGroup, seq: Seq) -> Result<bool, MessageError> {
        self.waiting.handle_turn();
        let is_posted = self.obstacles.has_any(Obstacles::POSTED);
        let looks = if is_posted { 1 } else { self.waiting.looks() };
        for _ in 0..looks {
            if self.order.is_sole_complete_through(sole, seq) {
                return Ok(!is_posted);
            }
            let (Some(board), nic) = (&self.board, &self.nic) else { return Ok(false) };
            if !self.order.is_sole_quiet(sole, &Shown { board, words: nic }) {
                self.look_at_sole(|order, words| order.look_at_sole(sole, &words))?;
            } else {
                thread::one_at_a_time();
            }
        }
        Ok(!is_posted && self.order.is_sole_complete_through(sole, seq))
    }

    /// Takes in what others have published, and what follows if a barrier has completed.
    #[inline(always)]
    fn look_at_sole(
        &mut self,
        look: impl FnOnce(&mut Order, Shown<'_, N>) -> Result<bool, ProtocolError>,
    ) -> Result<(), MessageError> {
        let (Some(board), nic) = (&self.board, &self.nic) else { return Ok(()) };
        if let Err(fault) = look(&mut self.order, Shown { board, words: nic }) {
            return self.break_with(MessageError::protocol(fault.from(), fault));
        }
        if self.order.completions() == self.seen_completions {
            return Ok(());
        }
        // Templates still fit: what may be delivered now, later messages among it, has another
        // stamp.
        if !self.matching.holds_any() {
            self.seen_completions = self.order.completions();
            return Ok(());
        }
        self.handle_released()
    }
}
