//! The end of a world for one rank.
//!
//! A rank first says that its program has returned, so that nobody keeps messages for it any more
//! and those who wait for a barrier that it will never call learn of it. Then it completes what is
//! open and hands over what it owes, says that it goes, and, where signals may be lost, stays to
//! answer questions until all others have come as far.
//!
//! Keeps rules END-1 and END-2 of SEMANTICS.md.

use super::control::Control;
use super::engine::Engine;
use super::error::MessageError;
use super::peer::Peer;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// Ends the world for this rank. `failed` says that its program returned an error: then it
    /// waits for nobody, and what it owes may be lost.
    ///
    /// # Errors
    ///
    /// [`MessageError::EndedBeforeBarrier`] or [`MessageError::PeerLost`] if a barrier that is open
    /// here can never complete; others as by [`Engine::progress`]. The rank has ended all the same.
    pub fn end(&mut self, failed: bool) -> Result<(), MessageError> {
        let others: Vec<Rank> = (0..self.size()).filter(|&peer| peer != self.rank()).collect();
        for &peer in &others {
            let clock = self.order.send_clock(peer);
            self.control_due(peer).closing = Some(Control::Closing { clock, failed });
        }
        let result = match failed {
            true => self.progress().map(|_| ()),
            false => self.hand_over(),
        };
        let failed = failed || result.is_err();
        for &peer in &others {
            let (eager, segments) = (self.peers[peer].eager.sent(), self.peers[peer].bulk.sent());
            self.control_due(peer).ended = Some(Control::Ended { eager, segments, failed });
        }
        self.flush()?;
        result?;
        if !failed {
            self.wait_until(|engine| Ok(engine.has_said_all().then_some(())), |_| Ok(()))?;
        }
        if self.lossy && !failed {
            self.linger(&others)?;
        }
        Ok(())
    }

    /// Waits until all barriers are complete and all that was posted has left.
    fn hand_over(&mut self) -> Result<(), MessageError> {
        self.flush()?;
        self.wait_until(
            |engine| {
                let complete = engine.order.is_complete_through(u64::MAX);
                let served = complete && engine.peers.iter().all(Peer::is_served);
                let done = served && engine.has_said_all() && !engine.order.has_signals();
                Ok(done.then_some(()))
            },
            |engine| engine.check_open_barriers(u64::MAX),
        )
    }

    /// Nobody who is there still has a control frame to get.
    fn has_said_all(&self) -> bool {
        self.peers.iter().all(|peer| !peer.due.listed || peer.is_gone())
    }

    /// Stays to repeat signals until nobody can lack one.
    fn linger(&mut self, others: &[Rank]) -> Result<(), MessageError> {
        self.wait_until(
            |engine| Ok(others.iter().all(|&peer| engine.peers[peer].is_gone()).then_some(())),
            |_| Ok(()),
        )
    }
}
