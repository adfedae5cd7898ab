//! How a rank waits: it looks a few times, then lets others run, then sleeps until the network has
//! something for it. Whatever it waits for, its barriers keep progressing.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

use std::time::Duration;

use super::engine::Engine;
use super::error::MessageError;
use crate::order::Rank;
use crate::sys::thread;
use crate::sys::time::Instant;
use crate::verbs::{Nic, PeerState};

/// How long a rank waits for a signal that may be lost before it asks for it.
const ASK_AFTER: Duration = Duration::from_millis(1);

/// How many looks without news there are between two looks at the clock.
const LOOKS_PER_CLOCK: u32 = 64;

impl<N: Nic> Engine<N> {
    /// Makes progress until `ready` returns something. Before it sleeps, `hopeless` may say that
    /// this can never be.
    pub(super) fn wait_until<R>(
        &mut self,
        ready: impl FnMut(&mut Engine<N>) -> Result<Option<R>, MessageError>,
        hopeless: impl FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<R, MessageError> {
        let found = self.wait_deadline(None, ready, hopeless)?;
        Ok(found.expect("without a deadline a wait ends only with a result"))
    }

    /// As `wait_until`; None when the deadline has passed.
    pub(super) fn wait_deadline<R>(
        &mut self,
        deadline: Option<Instant>,
        mut ready: impl FnMut(&mut Engine<N>) -> Result<Option<R>, MessageError>,
        mut hopeless: impl FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<Option<R>, MessageError> {
        if let Some(found) = ready(self)? {
            return Ok(Some(found));
        }
        let mut news = self.progress()?;
        if let Some(found) = ready(self)? {
            return Ok(Some(found));
        }
        let start = Instant::now();
        let patience = self.config.patience;
        let mut looks = 0;
        let result = loop {
            looks = if news { 0 } else { looks + 1 };
            if looks > patience.polls + patience.yields {
                // Before it sleeps it looks at what those who have gone had sent: nothing else
                // might ever wake it.
                if !self.find_suspects() {
                    if let Err(error) = hopeless(self) {
                        break Err(error);
                    }
                    let left = deadline.map(|deadline| deadline.saturating_since(Instant::now()));
                    if left.is_some_and(|left| left.is_zero()) {
                        break Ok(None);
                    }
                    let longest = self.lossy.then_some(ASK_AFTER);
                    self.stats.sleeps += 1;
                    self.nic.wait(left.into_iter().chain(longest).min());
                }
            } else if looks > patience.polls {
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

    /// Looks for peers whose interface is closed. Returns whether there is a new one: what it had
    /// sent must be looked at before it is judged.
    fn find_suspects(&mut self) -> bool {
        let before = self.suspects.len();
        for peer in 0..self.size() {
            if peer != self.rank() && self.nic.peer_state(peer) == PeerState::Gone {
                self.suspect(peer);
            }
        }
        self.suspects.len() > before
    }

    /// The interface of `peer` is closed. The next look at the network finds all that it had sent;
    /// then it is judged.
    pub(super) fn suspect(&mut self, peer: Rank) {
        if !std::mem::replace(&mut self.peers[peer].gone_seen, true) {
            self.suspects.push(peer);
        }
    }

    /// The network has been looked at since the first `suspected` were suspected: those who have
    /// not said that they ended, or whose messages have not all come, are lost.
    pub(super) fn judge_suspects(&mut self, suspected: usize) {
        for at in 0..suspected {
            let rank = self.suspects[at];
            let peer = &mut self.peers[rank];
            peer.silent = true;
            if !peer.is_exhausted() {
                peer.leaving.lost = true;
                self.drop_undeliverable(rank);
                self.leaving += 1;
            }
        }
        self.suspects.drain(..suspected);
    }

    /// Where signals may be lost, asks for those that are missing, from time to time.
    pub(super) fn ask_when_due(&mut self, news: bool) -> Result<(), MessageError> {
        if !self.lossy {
            return Ok(());
        }
        if self.order.open_barriers().next().is_none() {
            self.next_ask = None;
            return Ok(());
        }
        self.idle_looks = if news { 0 } else { self.idle_looks.wrapping_add(1) };
        if !self.idle_looks.is_multiple_of(LOOKS_PER_CLOCK) && self.next_ask.is_some() {
            return Ok(());
        }
        let now = Instant::now();
        let due = *self.next_ask.get_or_insert_with(|| now.after(ASK_AFTER).unwrap_or(now));
        if now < due {
            return Ok(());
        }
        self.next_ask = now.after(ASK_AFTER);
        self.post_asks()
    }
}
