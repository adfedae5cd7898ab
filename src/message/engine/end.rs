//! The end of a world for one rank.
//!
//! A rank first says that its program has returned, so that nobody keeps messages for it any more
//! and those who wait for a barrier that it will never call learn of it. Then it completes what is
//! open and hands over what it owes, says that it goes, and, where signals may be lost, stays to
//! answer questions until all others have come as far.
//!
//! Keeps rules END-1 and END-2 of SEMANTICS.md.

use std::time::Duration;

use super::Engine;
use crate::message::control::{Cause, Control};
use crate::message::error::MessageError;
use crate::message::links::QueuedMessage;
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::sys::thread;
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// How long a rank stays for words that do not come to another host, whose ranks may have died.
const LINGER: Duration = Duration::from_secs(20);
/// How often it looks meanwhile.
const LOOK: Duration = Duration::from_micros(50);

impl<N: Nic> Engine<N> {
    /// Ends the world for this rank. `failed` says that its program returned an error: then what it
    /// owes may be lost, and it waits for nobody; except where signals may be lost, since others
    /// may have to ask for those that it has sent.
    ///
    /// # Errors
    ///
    /// [`MessageError::EndedBeforeBarrier`] or [`MessageError::PeerLost`] if a barrier that is open
    /// here can never complete; others as by [`Engine::progress`]. The rank has ended all the same.
    pub fn end(&mut self, failed: bool) -> Result<(), MessageError> {
        let others: Vec<Rank> = (0..self.size()).filter(|&peer| peer != self.rank()).collect();
        // What is being read must not be taken away meanwhile. What fails here fails again below.
        let _ = self.finish_reads();
        let result = match failed {
            // What can leave, leaves: others may count on that.
            true => {
                self.progress().and_then(|_| Ok(self.barriers.seal_all(&mut self.nic)?)).map(drop)
            }
            false => {
                self.say_closing(&others, false);
                self.hand_over()
            }
        };
        let failed = failed || result.is_err();
        if failed {
            self.say_closing(&others, true);
        }
        for &peer in &others {
            if failed {
                // What has not left never does: it would come after the end that is told now.
                self.cut(peer);
            }
            self.links.tell_ended(&mut self.obstacles, peer);
        }
        self.flush()?;
        if !failed {
            self.wait_until(
                WaitsFor::Leaving,
                |engine| Ok(engine.links.has_said_all().then_some(())),
                |_| Ok(()),
            )?;
        }
        // Others may have to ask even one that failed for what it had signalled.
        let lingered = if self.barriers.is_lossy() { self.linger(&others) } else { Ok(()) };
        self.settle_words();
        result.and(lingered)
    }

    /// Stays until what this rank has written to other hosts has come: nobody else writes it again, and those who
    /// see that it has left need not wait for it.
    fn settle_words(&mut self) {
        let until = Instant::now().after(LINGER);
        let is_late = || until.is_some_and(|until| Instant::now() >= until);
        while !self.barriers.is_settled(&self.nic) && !is_late() {
            thread::park(Some(LOOK));
        }
    }

    /// Tells how many barriers it has called; or, if it failed, how many of them can complete
    /// without it. And what it lacked itself: what it did not do may have followed from that, of which
    /// others may hear later than of this, where the network is not causal.
    fn say_closing(&mut self, others: &[Rank], failed: bool) {
        let cause = self.links.known_loss().map(Cause::Lost).or_else(|| self.missed_entry());
        for &peer in others {
            let clock = match failed {
                true => self.order().signalled_clock(peer),
                false => self.order().send_clock(peer),
            };
            let reads = self.gathering.reads_word(peer);
            let closing = Control::Closing { clock, failed, cause, reads };
            self.links.tell(&mut self.obstacles, peer, closing);
        }
    }

    /// Which rank has ended without entering a barrier that is open here.
    fn missed_entry(&self) -> Option<Cause> {
        match self.check_open_barriers(u64::MAX, &|_| true) {
            Err(MessageError::EndedBeforeBarrier { rank, group, epoch }) => {
                Some(Cause::Ended { rank, group, epoch: epoch as u32 })
            }
            _ => None,
        }
    }

    /// Waits until all barriers are complete and all that was posted has left. If a barrier can
    /// never complete, what it does not contain leaves all the same.
    fn hand_over(&mut self) -> Result<(), MessageError> {
        self.flush()?;
        let complete = self.wait_until(
            WaitsFor::HandOver,
            |engine| Ok(engine.order().is_complete_through(u64::MAX).then_some(())),
            |engine| engine.check_open_barriers(u64::MAX, &|_| true),
        );
        let hopeless = complete.is_err();
        let handed_over = self.wait_until(
            WaitsFor::HandOver,
            |engine| {
                let served = |to: Rank| {
                    let queued = engine.links.queued(to);
                    let contained =
                        |first: &QueuedMessage| !engine.order().may_leave(to, first.posted);
                    engine.links.is_cut(to)
                        || queued.is_empty() && !engine.transfers.owes(to)
                        || hopeless && queued.front().is_some_and(contained)
                };
                let served = (0..engine.size()).all(served);
                let done = served && engine.links.has_said_all() && !engine.order().has_signals();
                Ok((done && engine.barriers.seal_all(&mut engine.nic)?).then_some(()))
            },
            |_| Ok(()),
        );
        complete.and(handed_over)
    }

    /// Stays to repeat signals until nobody can lack one.
    fn linger(&mut self, others: &[Rank]) -> Result<(), MessageError> {
        self.wait_until(
            WaitsFor::Leaving,
            |engine| {
                let is_gone = |&peer: &Rank| engine.links.peer(peer).presence().is_gone();
                Ok(others.iter().all(is_gone).then_some(()))
            },
            |_| Ok(()),
        )
    }
}
