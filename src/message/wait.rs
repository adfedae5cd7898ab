//! How a rank waits: it looks a few times, then lets others run, then sleeps until the network has
//! something for it. Whatever it waits for, its barriers keep progressing.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

use std::time::Duration;

use super::activity::Waiting;
use super::board::Want;
use super::engine::Engine;
use super::error::MessageError;
use crate::order::Rank;
use crate::order::clocks::Seq;
use crate::order::core::board::Awaited;
use crate::sys::thread;
use crate::sys::time::Instant;
use crate::verbs::{Nic, PeerState};

/// How many looks there are between two looks at the clock.
const LOOKS_PER_CLOCK: u32 = 64;

impl<N: Nic> Engine<N> {
    /// Makes progress until `ready` returns something. Before it sleeps, `hopeless` may say that
    /// this can never be. `waiting` is what others are told who ask.
    pub(super) fn wait_until<R>(
        &mut self,
        waiting: Waiting,
        ready: impl FnMut(&mut Engine<N>) -> Result<Option<R>, MessageError>,
        hopeless: impl FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<R, MessageError> {
        let found = self.wait_deadline(waiting, None, ready, hopeless)?;
        Ok(found.expect("without a deadline a wait ends only with a result"))
    }

    /// As `wait_until`; None when the deadline has passed.
    pub(super) fn wait_deadline<R>(
        &mut self,
        waiting: Waiting,
        deadline: Option<Instant>,
        mut ready: impl FnMut(&mut Engine<N>) -> Result<Option<R>, MessageError>,
        hopeless: impl FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<Option<R>, MessageError> {
        self.check_broken()?;
        if let Some(found) = ready(self)? {
            return Ok(Some(found));
        }
        // What comes first may be a question.
        self.stall.waiting = Some(waiting);
        let result = self.wait_on(deadline, ready, hopeless);
        self.stall.waiting = None;
        result
    }

    fn wait_on<R>(
        &mut self,
        deadline: Option<Instant>,
        mut ready: impl FnMut(&mut Engine<N>) -> Result<Option<R>, MessageError>,
        mut hopeless: impl FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<Option<R>, MessageError> {
        let mut news = self.progress()?;
        if let Some(found) = ready(self)? {
            return Ok(Some(found));
        }
        let start = Instant::now();
        let patience = self.config.patience;
        let mut stalling = self.begin_stalling(start, deadline.is_some());
        let (mut idle, mut looks) = (0, 0);
        let result = loop {
            idle = if news { 0 } else { u32::saturating_add(idle, 1) };
            looks = if looks < LOOKS_PER_CLOCK { looks + 1 } else { 0 };
            // News of others put nothing off.
            if looks == LOOKS_PER_CLOCK {
                let now = Instant::now();
                if deadline.is_some_and(|end| end <= now) {
                    break Ok(None);
                }
                if let Err(error) = self.look_for_stall(&mut stalling, start, now) {
                    break Err(error);
                }
            }
            if idle > patience.polls.saturating_add(patience.yields) {
                // Where a loss was found, what came before it is looked at once more.
                if !self.note_losses() {
                    if let Err(error) = hopeless(self) {
                        break Err(error);
                    }
                    let now = Instant::now();
                    let left = deadline.map(|deadline| deadline.saturating_since(now));
                    if left.is_some_and(|left| left.is_zero()) {
                        break Ok(None);
                    }
                    match self.look_for_stall(&mut stalling, start, now) {
                        Ok(stall) => self.sleep(left.into_iter().chain(stall).min()),
                        Err(error) => break Err(error),
                    }
                }
            } else if idle > patience.polls {
                thread::yield_now();
            } else {
                thread::spin_loop();
            }
            news = match self.progress() {
                Ok(news) => news,
                Err(error) => break Err(error),
            };
            match ready(self) {
                Ok(None) => {}
                done => break done,
            }
        };
        self.stats.wait_ns += Instant::now().saturating_since(start).as_nanos() as u64;
        result
    }

    fn sleep(&mut self, longest: Option<Duration>) {
        let asks = self.lossy && self.order.open_barriers().next().is_some();
        let resend = asks.then(|| self.resend_after());
        let longest = longest.into_iter().chain(resend).min();
        let want = self.want();
        self.stats.sleeps += 1;
        match &mut self.board {
            Some(board) => {
                board.want(&self.nic, want);
                let (board, order) = (&*board, &self.order);
                let ready = |nic: &N| board.has_wanted(nic, want, order.awaited());
                self.nic.wait_unless(ready, longest);
            }
            None => self.nic.wait(longest),
        }
        // Time has passed.
        self.looks = LOOKS_PER_CLOCK;
    }

    /// What completes on the board while this rank sleeps, and must wake it.
    fn want(&self) -> Want {
        let mut awaited = self.order.awaited();
        let Some(first) = awaited.next() else { return Want::Nothing };
        // A completion may also release what is held, contained or deferred.
        let kept = !self.hold.is_empty() || !self.sending.is_empty() || self.order.has_deferred();
        let through = match self.stall.waiting {
            Some(Waiting::Barriers { through }) => through,
            Some(Waiting::HandOver) => Some(Seq::MAX),
            Some(Waiting::Send { .. }) => None,
            _ if kept => None,
            _ => return Want::Nothing,
        };
        if awaited.next().is_some() {
            return Want::Any;
        }
        let Awaited { place, group, complete, entered } = first;
        let through = through.filter(|_| !kept).unwrap_or(0);
        let is_meant = |epoch| self.order.seq_of(group, epoch).is_some_and(|seq| seq <= through);
        let newest = (complete + 1..=entered).rev().find(|&epoch| is_meant(epoch));
        Want::Epoch { place, epoch: newest.unwrap_or(complete + 1) }
    }

    /// Looks for peers that have gone without a word. Returns whether one was found: what it had
    /// sent may have come just before.
    pub(super) fn note_losses(&mut self) -> bool {
        let mut found = false;
        for peer in 0..self.size() {
            found |= peer != self.rank() && self.note_loss(peer);
        }
        found
    }

    /// As `note_losses`, for one peer.
    pub(super) fn note_loss(&mut self, peer: Rank) -> bool {
        if self.peers[peer].is_exhausted() || self.nic.peer_state(peer) == PeerState::Connected {
            return false;
        }
        if std::mem::replace(&mut self.peers[peer].gone_seen, true) {
            self.note_gone(peer);
        }
        // Else its last words may lie in the inbox still: they are looked at before judging.
        true
    }

    /// The peer's interface is closed and all that it sent was looked at. Unless it said that it
    /// ended, and all that it had sent is here, it is lost.
    pub(super) fn note_gone(&mut self, peer: Rank) {
        let peer = &mut self.peers[peer];
        if !peer.is_exhausted() {
            peer.leaving.lost = true;
            peer.cut();
            self.leaving = true;
        }
    }

    /// Where signals may be lost, asks for those that are missing, from time to time. News do not
    /// put it off: they may be of others.
    pub(super) fn ask_when_due(&mut self) -> Result<(), MessageError> {
        if !self.lossy {
            return Ok(());
        }
        if self.order.open_barriers().next().is_none() {
            self.next_ask = None;
            return Ok(());
        }
        self.looks = self.looks.saturating_add(1);
        if self.looks < LOOKS_PER_CLOCK && self.next_ask.is_some() {
            return Ok(());
        }
        self.looks = 0;
        let now = Instant::now();
        let next = now.after(self.resend_after());
        let due = *self.next_ask.get_or_insert(next.unwrap_or(now));
        if now < due {
            return Ok(());
        }
        self.next_ask = next;
        self.post_asks()
    }

    fn resend_after(&self) -> Duration {
        Duration::from_micros(u64::from(self.config.resend_after_us))
    }
}
