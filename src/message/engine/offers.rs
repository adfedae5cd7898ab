//! Offers: large payloads of a call that stays until their receivers have read them where they lie, or it
//! withdraws them. What is told the receiver goes in a message of the call, so it is ordered as that is.
//!
//! Keeps rules COL-10 and FLOW-3 of SEMANTICS.md.

use std::time::Duration;

use super::Engine;
use crate::message::error::MessageError;
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::sys::time::Instant;
use crate::verbs::{Nic, Offer, OfferOf, RemoteBuffer, RemoteRead};

impl<N: Nic> Engine<N> {
    /// Offers a payload to a peer, if the network can. The caller withdraws it before the payload changes.
    pub fn offer(&mut self, to: Rank, payload: &[u8]) -> Option<OfferOf<N>> {
        let offer = self.nic.remote_read()?.offer(to, payload)?;
        self.stats.offers += 1;
        Some(offer)
    }

    /// Reads what a peer offers into `room`. False if it cannot, or the peer has withdrawn: then that one
    /// sends it otherwise.
    pub fn accept_offer(&mut self, from: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        let network = self.nic.remote_read();
        if !network.is_some_and(|network| network.accept(from, buffer, room)) {
            return false;
        }
        self.stats.offers_accepted += 1;
        // It may sleep for that. If it falls asleep just now, it does not sleep for long.
        self.nic.wake(from);
        true
    }

    /// Waits until the offers to these peers are accepted, for at most so long.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn wait_accepted<'o>(
        &mut self,
        offers: impl Iterator<Item = (Rank, &'o OfferOf<N>)> + Clone,
        longest: Duration,
    ) -> Result<(), MessageError>
    where
        OfferOf<N>: 'o,
    {
        let standing = offers.filter(|(_, offer)| !offer.is_accepted());
        let Some((to, _)) = standing.clone().next() else { return Ok(()) };
        let deadline = Instant::now().after(longest);
        self.wait_deadline(
            WaitsFor::Send { to, context: None },
            deadline,
            |_| Ok(standing.clone().next().is_none().then_some(())),
            |_| Ok(()),
        )
        .map(drop)
    }
}
