//! Lending: the sender's side of a rendezvous whose payload the receiver reads by itself.
//!
//! Where the network can, and the payload is long enough, a request gives leave to read it where it lies. The sender
//! then has no part in its transfer: it only hears when the payload was read, and closes the transfer. It exposes when
//! the request leaves and not before, so what is exposed at a time is bounded; where it cannot, the payload goes in
//! segments (`rendezvous`), and so it does if the receiver asks for them.
//!
//! Whoever owns a payload gets it back only after the leave has ended. What the engine keeps lies in its
//! [`Transfer`](crate::message::peer::Transfer); what a blocking call keeps is under an [`OpenTransfer`], however that ends.
//!
//! Keeps rules FLOW-4, END-1 and SAFE-1 of SEMANTICS.md.

use super::Engine;
use crate::message::error::{MessageError, Violation};
use crate::message::exposures::Exposure;
use crate::message::header::{Header, Kind};
use crate::order::Rank;
use crate::verbs::{Nic, RemoteRead, Revoke};

/// A transfer whose payload belongs to the caller of a blocking send. It is closed when this is dropped: on return, on an
/// error, and when the stack is unwound, as where a handler of stalls panics. So no peer reads memory that the caller has
/// back.
pub(super) struct OpenTransfer<'e, N: Nic> {
    pub(super) engine: &'e mut Engine<N>,
    pub(super) to: Rank,
    pub(super) id: u32,
}

impl<N: Nic> Drop for OpenTransfer<'_, N> {
    fn drop(&mut self) {
        // If it is open still, nobody has said that it was read.
        self.engine.close_transfer(self.to, self.id, Revoke::AtOnce);
    }
}

impl<N: Nic> Engine<N> {
    /// Posts the request of a transfer whose payload is the engine's, for which there is credit; as
    /// [`post_data`](Engine::post_data).
    #[inline(never)]
    pub(super) fn post_own_request(
        &mut self,
        to: Rank,
        header: Header,
    ) -> Result<bool, MessageError> {
        let id = header.transfer;
        let mut transfers = self.peers[to].transfers.iter_mut();
        let payload = transfers.find(|t| t.id == id).and_then(|t| t.payload.take());
        let Some(payload) = payload else { return self.post_data(to, header, &[]) };
        let posted = self.post_request(to, header, &payload);
        if let Some(transfer) = self.peers[to].transfers.iter_mut().find(|t| t.id == id) {
            transfer.payload = Some(payload);
        }
        posted
    }

    /// The same, of a payload that stays with the caller.
    pub(super) fn post_request(
        &mut self,
        to: Rank,
        header: Header,
        payload: &[u8],
    ) -> Result<bool, MessageError> {
        match self.expose(to, header.transfer, payload) {
            Some(exposure) => {
                let header = Header { kind: Kind::Exposed, ..header };
                self.post_data(to, header, &exposure.encode())
            }
            None => self.post_data(to, header, &[]),
        }
    }

    /// Exposes the payload of a transfer, if that can be done. (If it was exposed before, the network had no room for the
    /// request then.)
    fn expose(&mut self, to: Rank, id: u32, payload: &[u8]) -> Option<Exposure> {
        let peer = &mut self.peers[to];
        if peer.pull_from.is_none_or(|least| payload.len() < least) || peer.cut {
            return None;
        }
        let transfer = peer.transfers.iter_mut().find(|t| t.id == id)?;
        if transfer.exposure.is_none() {
            let number = peer.exposures.free()?;
            let buffer = self.nic.remote_read()?.expose(to, payload)?;
            peer.exposures.handle_exposed(number);
            transfer.exposure = Some(Exposure { number, buffer });
            self.stats.payloads_exposed += 1;
        }
        transfer.exposure
    }

    /// The peer says which payloads it has read: their transfers are done.
    pub(super) fn handle_loans_back(&mut self, from: Rank, word: u32) -> Result<(), MessageError> {
        let back = self.peers[from].exposures.handle_word(word);
        let back = back.ok_or_else(|| MessageError::protocol(from, Violation::NotLent))?;
        for number in back {
            let mut transfers = self.peers[from].transfers.iter();
            // One of which it has asked for segments is not exposed any more.
            let of_it =
                transfers.find(|t| t.exposure.is_some_and(|exposure| exposure.number == number));
            if let Some(id) = of_it.map(|t| t.id) {
                self.close_transfer(from, id, Revoke::AfterRead);
            }
        }
        Ok(())
    }

    /// Revokes all that is exposed to a peer which reads no more: it has said so, or has gone.
    pub(super) fn take_all_back(&mut self, from: Rank) {
        for transfer in &mut self.peers[from].transfers {
            if let Some(exposure) = transfer.exposure.take() {
                if let Some(network) = self.nic.remote_read() {
                    network.revoke(from, exposure.buffer, Revoke::AtOnce);
                }
                transfer.payload = None;
            }
        }
    }
}
