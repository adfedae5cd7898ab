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
    /// Whether this rank waits as one that has a core to itself: as it was told to, or as no rank of the job is known to want it.
    pub fn has_core(&self) -> bool {
        self.waiting.has_core()
    }

    /// Offers a payload to a peer, if the network can and a message to that one need not wait. `tell` sends
    /// the message that says where the payload lies, and returns whether it did: else nothing is offered. The
    /// caller withdraws the offer before the payload changes.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`], and those of `tell`.
    pub fn try_offer<E: From<MessageError>>(
        &mut self,
        to: Rank,
        payload: &[u8],
        tell: impl FnOnce(&mut Engine<N>, RemoteBuffer) -> Result<bool, E>,
    ) -> Result<Option<OfferOf<N>>, E> {
        if self.nic.remote_read().is_none() {
            return Ok(None);
        }
        self.progress_urgent()?;
        if !self.may_be_tried(to, self.order().post(to)) {
            return Ok(None);
        }
        let offer = self.nic.remote_read().and_then(|network| network.offer(to, payload));
        let Some(offer) = offer else { return Ok(None) };
        let is_told = tell(self, offer.buffer())?;
        self.stats.offers += u64::from(is_told);
        Ok(is_told.then_some(offer))
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
