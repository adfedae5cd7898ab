//! Barriers the predicted way: what was asked before a rank entered its last barrier is not asked again for the next.
//!
//! As with messages, this rests on what has been done since ([`Predicted`] counts it), but messages that went the
//! predicted way or straight to the network change nothing of what a barrier asks for. So a program that computes,
//! sends, receives and calls a barrier, again and again, is asked once.
//!
//! Left over of a barrier is: count it, publish it, and look at the one word that says whether others lack. A wait
//! is looks at that word. In groups that signal nothing is predicted; and every so many calls all is asked, as for
//! messages, so that a rank that does nothing but call barriers looks for what others want of it.
//!
//! Keeps rules BAR-1, BAR-4, CLK-1, FEN-1 and SAFE-1 of SEMANTICS.md.

use super::Predicted;
use crate::message::board::Board;
use crate::message::engine::Engine;
use crate::message::error::MessageError;
use crate::message::fast_path::{LOOKS, TURNS};
use crate::message::flush::tell_who_waits;
use crate::order::clocks::Seq;
use crate::order::core::board::{Publication, Word};
use crate::order::core::lone::Lone;
use crate::order::{Epoch, GroupId, Ticket};
use crate::sys::thread;
use crate::verbs::Nic;

/// What was found when a barrier was entered.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Entered {
    /// The engine's count of detours at that time.
    at: u64,
    lone: Lone,
}

impl<N: Nic> Predicted<N> {
    /// Enters a barrier as [`Engine::barrier`] does, if it is as the last one was; else None. So also if a peer
    /// turns out to have broken the protocol: whoever then asks the engine is told.
    #[inline(always)]
    pub fn enter_foreseen(&mut self, group: GroupId) -> Option<Ticket> {
        if self.0.enter_turns == 0 {
            return None;
        }
        let lone = self.0.foreseen_lone(group)?;
        self.0.enter_as_predicted(lone)?.ok()
    }

    /// Waits a moment for a barrier, as [`Engine::wait_barrier`] does, if that is as the last time. Returns whether
    /// it has completed, with those before it; if not, whoever then asks the engine is told why.
    #[inline(always)]
    pub fn completes_foreseen(&mut self, group: GroupId, seq: Seq) -> bool {
        if self.0.turns.is_multiple_of(TURNS) {
            return false;
        }
        let Some(lone) = self.0.foreseen_lone(group) else { return false };
        self.0.completes_as_predicted(lone, seq).unwrap_or(false)
    }
}

impl<N: Nic> Engine<N> {
    /// Notes what was found before a barrier of a group is entered, if that was all that a wait asks for, too.
    pub(in crate::message) fn note_entered(&mut self, group: GroupId) {
        let nobody_waits = self.unsettled.is_empty()
            && (self.recvs.is_empty() || !self.contexts.has_posted(None))
            && !self.moves_payload();
        let lone = if nobody_waits { self.order.lone(group) } else { None };
        // Of a group on several hosts more is to be asked.
        let spans =
            |lone: &Lone| self.board.as_ref().is_some_and(|it| it.spans_hosts(lone.place()));
        let lone = lone.filter(|lone| !spans(lone));
        self.enter_turns = TURNS;
        self.last_entered = lone.map(|lone| Entered { at: self.detours, lone });
    }

    /// The group, if a barrier of it is as the last one that was entered here.
    #[inline(always)]
    pub(in crate::message) fn foreseen_lone(&self, group: GroupId) -> Option<Lone> {
        let Entered { at, lone } = self.last_entered?;
        (at == self.detours && lone.group() == group).then_some(lone)
    }

    /// Enters the next barrier. None, and nothing has changed, if it must wait for others.
    #[inline(always)]
    pub(in crate::message) fn enter_as_predicted(
        &mut self,
        lone: Lone,
    ) -> Option<Result<Ticket, MessageError>> {
        let (Some(board), nic) = (&self.board, &self.nic) else { return None };
        let Publication { place, before, epoch, .. } = self.order.entering_lone(lone)?;
        let may_sleep = board.publish(nic, place, epoch);
        let ticket = self.order.handle_enter_lone(lone);
        self.stats.publications += 1;
        self.enter_turns -= 1;
        // The stamps of messages are others from now on.
        self.changes += 1;
        // Of two, the other has to be told only if it sleeps, and what this rank could find it finds when it asks.
        // (The other's word may have been written just now; to look at it takes longer than all the rest.)
        let settled = self.order.completions() == self.seen_completions;
        if !may_sleep && lone.is_pair() && settled {
            return Some(Ok(ticket));
        }
        let quiet = self.order.is_lone_quiet(lone, |word| board.read(nic, word));
        if quiet && settled {
            return Some(Ok(ticket));
        }
        Some(self.look_as_last(lone, before).map(|()| ticket))
    }

    /// This rank has entered a barrier, and may be the last.
    #[inline(never)]
    fn look_as_last(&mut self, lone: Lone, before: Epoch) -> Result<(), MessageError> {
        // Nobody can have said that all have entered: this rank had not.
        self.look_as_predicted(lone, |_, _, _| None)?;
        let complete = self.order.lone_complete(lone);
        if complete > before
            && let Some(board) = &self.board
        {
            self.stats.ranks_woken += tell_who_waits(board, &self.nic, lone.place(), complete);
        }
        Ok(())
    }

    /// Looks, for a while, whether a barrier and those before it are complete.
    #[inline(always)]
    fn completes_as_predicted(&mut self, lone: Lone, seq: Seq) -> Result<bool, MessageError> {
        self.turns -= 1;
        let looks = if self.waiter.spins() { LOOKS } else { 1 };
        for _ in 0..looks {
            if self.order.is_lone_complete_through(lone, seq) {
                return Ok(true);
            }
            let (Some(board), nic) = (&self.board, &self.nic) else { return Ok(false) };
            if !self.order.is_lone_quiet(lone, |word| board.read(nic, word)) {
                self.look_as_predicted(lone, Board::read_sum)?;
            } else {
                thread::one_at_a_time();
            }
        }
        Ok(self.order.is_lone_complete_through(lone, seq))
    }

    /// Takes in what others have published, and what follows if a barrier has completed.
    #[inline(always)]
    fn look_as_predicted(
        &mut self,
        lone: Lone,
        read_sum: impl Fn(&Board, &N, Word) -> Option<Epoch>,
    ) -> Result<(), MessageError> {
        let (Some(board), nic) = (&self.board, &self.nic) else { return Ok(()) };
        let sum = |word| read_sum(board, nic, word);
        if let Err(fault) = self.order.look_at_lone(lone, sum, |word| board.read(nic, word)) {
            return self.break_with(MessageError::protocol(fault.from(), fault));
        }
        if self.order.completions() == self.seen_completions {
            return Ok(());
        }
        // What was foreseen of messages stays so: what may be delivered now, later ones among them, has another stamp.
        if self.hold.is_empty() {
            self.seen_completions = self.order.completions();
            return Ok(());
        }
        self.handle_released()
    }
}
