//! How a rank looks around: when it is connected, whether each peer can be reached; later for peers
//! that have died, at its own device, and for what it can say of a peer that is lost.

use std::time::Duration;

use super::IbNic;
use crate::order::Rank;
use crate::provider::ib::backoff::Backoff;
use crate::provider::ib::device::LOOK_AROUND;
use crate::provider::ib::error::{IbError, unreached};
use crate::provider::ib::losses::LAUNCHER;
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// How long it waits between two requests that only ask a peer's device whether it is there.
const PROBE: Duration = Duration::from_secs(1);

impl IbNic {
    /// Asks the devices of all peers whether they are there.
    pub(in crate::provider::ib) fn ask_all(&self) {
        let mut control = self.control.borrow_mut();
        (0..self.layout.size)
            .filter(|&peer| peer != self.rank())
            .for_each(|peer| control.probe(peer));
    }

    /// Waits until each peer has answered that [`ask_all`](IbNic::ask_all) has asked. One that has
    /// left or ended meanwhile need not: whether that matters is seen when somebody needs it.
    ///
    /// # Errors
    ///
    /// [`IbError::Unreached`], once a peer is lost that has not ended.
    pub(in crate::provider::ib) fn await_answers(&self) -> Result<(), IbError> {
        let mut lacking: Vec<Rank> =
            (0..self.layout.size).filter(|&peer| peer != self.rank()).collect();
        let mut backoff = Backoff::default();
        loop {
            let mut control = self.control.borrow_mut();
            control.reap(&self.losses);
            lacking.retain(|&peer| control.is_probed(peer) && !self.is_gone(peer));
            drop(control);
            for peer in (0..self.layout.size).filter(|&peer| !self.has_left(peer)) {
                let loss = self.losses.of_peer(peer).filter(|loss| loss.verb != LAUNCHER);
                if let (Some(loss), Some(why)) = (loss, self.loss_in_words(peer)) {
                    return Err(unreached(peer, why, loss.is_silence()));
                }
            }
            if lacking.is_empty() {
                return Ok(());
            }
            self.look_around();
            backoff.pause();
        }
    }

    /// Looks for peers that have died, and whether the own device has, if that was not done just
    /// before. Returns whether one was found.
    pub(super) fn look_around(&self) -> bool {
        let now = Instant::now();
        if now.saturating_since(self.looked_at.get()) < LOOK_AROUND {
            return false;
        }
        self.looked_at.set(now);
        // The caller that uses it looks around later.
        let Ok(mut control) = self.control.try_borrow_mut() else { return false };
        let is_there = |peer: Rank| peer != self.rank() && !self.is_gone(peer);
        let before = (0..self.layout.size).filter(|&peer| is_there(peer)).count();
        if now.saturating_since(self.probed_at.get()) >= PROBE {
            self.probed_at.set(now);
            (0..self.layout.size)
                .filter(|&peer| is_there(peer))
                .for_each(|peer| control.probe(peer));
        }
        control.look(now, false, &self.losses);
        if let Some(bootstrap) = &self.bootstrap {
            bootstrap.for_each_ended(&mut |peer| {
                // If it ended in good order, its farewell has come by then.
                if is_there(peer) && !self.has_left(peer) {
                    self.losses.note(peer, LAUNCHER, "its process has ended");
                }
            });
        }
        (0..self.layout.size).filter(|&peer| is_there(peer)).count() < before
    }

    /// By what it was noticed that a peer is lost, for users.
    pub(super) fn loss_in_words(&self, peer: Rank) -> Option<String> {
        let (mut port, mut way) = (None, String::new());
        if let Ok(mut control) = self.control.try_borrow_mut() {
            // Why a queue pair has failed the device may have told.
            control.hear_device(&self.losses);
            port = control.device.port_in_words(Instant::now());
            way.clone_from(&control.device.route_text);
        }
        self.losses.of_peer(peer)?.in_words(port.as_deref(), &way)
    }
}
