//! How a rank leaves: it waits until all that it has sent lies with its receivers, and says
//! farewell.
//!
//! It does not decide when; that is the world's (`message/engine/end.rs`), which drops the
//! interface last.

use std::time::Duration;

use super::IbNic;
use crate::order::Rank;
use crate::provider::ib::backoff::Backoff;
use crate::sys::ibverbs::Target;
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// How long a rank that leaves waits for what it has sent, at most. A device gives a peer up before
/// that.
const LINGER: Duration = Duration::from_secs(20);

impl Drop for IbNic {
    fn drop(&mut self) {
        let now = Instant::now();
        let until = now.after(LINGER).unwrap_or(now);
        self.linger(until);
        self.say_farewell(until);
    }
}

impl IbNic {
    /// Waits until all that was sent lies with its receivers, as far as they are there.
    fn linger(&mut self, until: Instant) {
        let size = self.layout.size;
        // A request that says when all before it is done.
        let mut marked = vec![false; self.ends.len()];
        let mut backoff = Backoff::default();
        loop {
            self.reap();
            self.look_around();
            let mut is_done = true;
            for (index, marked) in marked.iter_mut().enumerate() {
                let peer = index % size;
                if self.is_gone(peer) {
                    continue;
                }
                let Some(Some(end)) = self.ends.get_mut(index) else { continue };
                // What is not reliable says of itself only that it has gone.
                if !self.is_reliable || end.pair.is_idle() || end.pair.is_broken() {
                    continue;
                }
                is_done = false;
                if !*marked {
                    let target = Target::Memory(end.counted.address, end.counted.key);
                    *marked = end.pair.post(target, &[], &[], true).is_ok();
                }
            }
            if is_done || Instant::now() >= until {
                break;
            }
            backoff.pause();
        }
    }

    /// Tells all peers that this rank leaves, and waits until they know.
    fn say_farewell(&mut self, until: Instant) {
        let peers: Vec<Rank> = (0..self.layout.size).filter(|&peer| peer != self.rank()).collect();
        for &peer in &peers {
            if !self.is_gone(peer) {
                let control = self.control.get_mut();
                // One that cannot be told is lost.
                let _ = control.say_farewell(peer, &self.losses);
            }
        }
        let mut backoff = Backoff::default();
        while Instant::now() < until {
            self.control.get_mut().reap(&self.losses);
            self.look_around();
            // Peers that leave at the same time answer no more.
            let control = self.control.borrow();
            if peers.iter().all(|&peer| self.is_gone(peer) || control.is_idle(peer)) {
                return;
            }
            drop(control);
            backoff.pause();
        }
    }
}
