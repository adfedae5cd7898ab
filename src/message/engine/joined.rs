//! Payloads that go behind a head: both are copied at once to where their receivers read them.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! A payload is a single slice everywhere else. Where all receivers read copies, the copy is made first, of the two parts, and
//! lies together then. Elsewhere, or where there is no memory for that, the two are copied into memory of the rank before they are
//! sent.

use super::send::SendId;
use super::transfers::CopyingOnce;
use super::{Engine, Envelope};
use crate::message::error::MessageError;
use crate::order::Rank;
use crate::verbs::{Nic, ReadPayload, RemoteBuffer, RemoteRead};

impl<N: Nic> Engine<N> {
    /// As [`post_send_to_each`](Engine::post_send_to_each), of a message above the eager limit that consists of these parts.
    ///
    /// # Errors
    ///
    /// As by [`post_send_to_each`](Engine::post_send_to_each).
    pub fn post_joined_to_each<K, E>(
        &mut self,
        mut receivers: impl Iterator<Item = (K, Rank)> + Clone,
        envelope: Envelope,
        parts: [&[u8]; 2],
        mut handle_posted: impl FnMut(K, Result<Option<SendId>, MessageError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let are_near = receivers.clone().all(|(_, to)| self.transfers.copies(to));
        let copied = if are_near { self.copy_joined(parts) } else { None };
        let Some((buffer, message)) = copied else {
            let message = self.copy_behind(parts[0], parts[1]);
            return self.post_send_to_each(receivers, envelope, message.as_ref(), handle_posted);
        };
        let copying = CopyingOnce::begin_given(self, buffer);
        let engine = &mut *copying.engine;
        let posted = receivers.try_for_each(|(name, to)| {
            let posted = engine.post_send(to, envelope, message.as_ref());
            handle_posted(name, posted.map(|id| (!engine.is_sent(id)).then_some(id)))
        });
        drop(copying);
        if let Some(network) = self.nic.remote_read() {
            network.release(message);
            network.close_area(buffer);
        }
        posted
    }

    /// Copies these parts to where receivers read them, and this rank too.
    fn copy_joined(&mut self, parts: [&[u8]; 2]) -> Option<(RemoteBuffer, ReadPayload<N>)> {
        // What was read makes room, and its memory is warm. What fails here fails in the next call.
        let _ = self.poll_copies();
        let ([head, payload], own) = (parts, self.rank());
        let len = head.len() + payload.len();
        let network = self.nic.remote_read()?;
        let buffer = network.open_area(len)?;
        network.write_area(buffer, 0, head);
        network.write_area(buffer, head.len(), payload);
        let message = network.find_in_area(own, buffer.address, len);
        if message.is_none() {
            network.close_area(buffer);
        }
        message.map(|message| (buffer, message))
    }
}
