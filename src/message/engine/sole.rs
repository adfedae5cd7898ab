//! Barriers of the sole group on the board: what was asked before a rank entered its last barrier
//! is not asked again for the next.
//!
//! Keeps rules BAR-1, BAR-4, CLK-1, FEN-1 and SAFE-1 of SEMANTICS.md.
//!
//! Messages change nothing of what a barrier asks for. So a program that computes, sends, receives
//! and calls a barrier, again and again, is asked once. Every 64 calls all is asked, so a rank that
//! does nothing but call barriers looks for what others want of it.
//!
//! # Correctness
//!
//! The part `barriers` says whether a [`SoleGroup`] is still one, and the
//! [obstacles](crate::message::obstacles) whether anything else is due or expected. A posted
//! receive is no obstacle to a call, which waits for nothing. A wait serves the sender that may ask
//! for room.

use super::Engine;
use crate::message::barriers::Next;
use crate::message::error::MessageError;
use crate::message::obstacles::Obstacles;
use crate::order::clocks::Seq;
use crate::order::core::sole::SoleGroup;
use crate::order::{Epoch, GroupId, ProtocolError, Ticket};
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
        let sole = self.barriers.sole_group(group)?;
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
        let Some(sole) = self.barriers.sole_group(group) else { return false };
        self.check_obstacles();
        debug_assert!(self.has_nothing_due());
        self.sole_completes(sole, seq).unwrap_or(false)
    }

    /// Enters the next barrier of the sole group. None, and nothing has changed, if it must wait
    /// for others.
    #[inline(always)]
    pub(super) fn enter_sole(&mut self, sole: SoleGroup) -> Option<Result<Ticket, MessageError>> {
        let (matching, obstacles) = (&self.matching, self.obstacles);
        let holds_any = || matching.holds_any() || obstacles.has_any(Obstacles::CONFIRMING);
        let (ticket, next) = self.barriers.enter_sole(&self.nic, sole, holds_any)?;
        self.waiting.handle_enter_turn();
        match next {
            Next::Nothing => Some(Ok(ticket)),
            Next::Look { before } => Some(self.look_as_last(sole, before).map(|()| ticket)),
        }
    }

    /// This rank has entered a barrier, and may be the last.
    #[inline(never)]
    fn look_as_last(&mut self, sole: SoleGroup, before: Epoch) -> Result<(), MessageError> {
        let looked = self.barriers.look_as_last(&self.nic, sole, before);
        self.handle_looked(looked)
    }

    /// Looks, for a while, whether a barrier and those before it are complete.
    #[inline(always)]
    fn sole_completes(&mut self, sole: SoleGroup, seq: Seq) -> Result<bool, MessageError> {
        self.waiting.handle_turn();
        let is_posted = self.obstacles.has_any(Obstacles::POSTED);
        let (looks, turns) = match is_posted {
            true => (1, 0),
            false => (self.waiting.looks(), self.waiting.turns_for_others()),
        };
        for look in 0..looks + turns {
            if self.order().is_sole_complete_through(sole, seq) {
                return Ok(!is_posted);
            }
            if look >= looks && !self.let_others_run(look == looks) {
                break;
            }
            if self.barriers.is_sole_quiet(&self.nic, sole) {
                thread::one_at_a_time();
            } else {
                let looked = self.barriers.look_at_sole(&self.nic, sole);
                self.handle_looked(looked)?;
            }
        }
        Ok(!is_posted && self.order().is_sole_complete_through(sole, seq))
    }

    /// Does what follows if a barrier of the sole group has completed.
    #[inline(always)]
    fn handle_looked(&mut self, looked: Result<(), ProtocolError>) -> Result<(), MessageError> {
        if let Err(fault) = looked {
            return self.break_with(fault.into());
        }
        if !self.barriers.has_completed() {
            return Ok(());
        }
        // Templates still fit: what may be delivered now, later messages among it, has another
        // stamp.
        if !self.keeps_for_barriers() {
            self.barriers.poll_completed();
            return Ok(());
        }
        self.handle_released()
    }
}
