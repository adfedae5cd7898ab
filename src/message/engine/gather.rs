//! Large payloads at their receiver: it makes room, clears the sender to send, and gathers the
//! segments. Payloads that it reads by itself are in [`reads`](super::reads).
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! When a receive has matched a request, the receiver makes room for the whole payload and sends a
//! clear-to-send; the sender then streams segments. One transfer of an ordered pair is under way at a
//! time, in the order in which the receiver matched them.

use super::Engine;
use crate::message::config::BULK;
use crate::message::control::Control;
use crate::message::error::{MessageError, Violation};
use crate::message::header::{Header, Kind};
use crate::message::transfers::exposures::Exposure;
use crate::message::transfers::gathering::{Added, Payload, Start};
use crate::order::Rank;
use crate::verbs::{Nic, Vi};

impl<N: Nic> Engine<N> {
    /// Makes room for the payload of a matched request and queues its transfer; returns the slot
    /// in which it will be gathered.
    pub(super) fn start_transfer(
        &mut self,
        from: Rank,
        transfer: u32,
        len: usize,
        exposure: Option<Exposure>,
    ) -> Result<usize, MessageError> {
        let room = match exposure {
            None => Some(self.room_for(from, len)?),
            Some(_) => None,
        };
        let (transfer, how) = ((transfer, len), (room, exposure));
        let slot = self.gathering.add(&mut self.obstacles, from, transfer, how);
        // If there is no room, the call that waits for it is told.
        let _ = self.start_next(from);
        Ok(slot)
    }

    /// As `start_transfer`, for a payload that nobody will receive: its sender waits for room all the
    /// same.
    pub(super) fn start_unwanted_transfer(&mut self, from: Rank, transfer: u32, len: usize) {
        self.gathering.add_unwanted(&mut self.obstacles, from, (transfer, len));
        let _ = self.start_next(from);
    }

    /// Memory for a payload that comes in segments.
    fn room_for(&mut self, from: Rank, len: usize) -> Result<Vec<u8>, MessageError> {
        self.gathering.room_for(len).map_err(|_| MessageError::OutOfMemory { from, len })
    }

    /// Starts the first transfer of `from`, if it has not started: its sender is cleared to send, or
    /// the network reads it.
    ///
    /// # Errors
    ///
    /// [`MessageError::OutOfMemory`] if there is no room for it; it is tried again for a call that
    /// waits for it.
    pub(super) fn start_next(&mut self, from: Rank) -> Result<(), MessageError> {
        if !self.is_open() {
            return Ok(());
        }
        while let Some(start) = self.gathering.poll_start(&mut self.obstacles, from) {
            match start {
                Start::Clear(transfer) => {
                    self.gathering.handle_cleared(from);
                    let clear = Control::ClearToSend { transfer };
                    self.links.tell(&mut self.obstacles, from, clear);
                }
                Start::Read(buffer, len) if self.post_read(from, buffer, len) => {
                    self.gathering.handle_read_begun(from);
                    if self.transfers.copies(from) {
                        // It is done.
                        self.settle_reads(from);
                    }
                }
                Start::Read(_, len) => {
                    let room = self.room_for(from, len)?;
                    self.gathering.gather_instead(from, room);
                }
                Start::Skipped => self.tell_reads(from),
            }
        }
        Ok(())
    }

    /// As [`start_next`](Engine::start_next), where no call waits for it: the next that does is told.
    pub(super) fn start_next_again(&mut self, from: Rank) -> Result<(), MessageError> {
        match self.start_next(from) {
            Err(MessageError::OutOfMemory { .. }) => Ok(()),
            result => result,
        }
    }

    /// Nobody will receive what is gathered in `slot`; the rest of it may still come.
    pub(super) fn discard_gathered(&mut self, slot: usize) {
        if let Some(read) = self.gathering.discard(&mut self.obstacles, slot) {
            self.release_read(read);
        }
    }

    /// Hands the payload gathered in `slot`, which is whole, to `read`; frees the slot.
    ///
    /// # Errors
    ///
    /// As by [`fetch`](Engine::fetch); the payload is gone then.
    pub(super) fn read_gathered<R>(
        &mut self,
        slot: usize,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, MessageError> {
        if let Err(error) = self.fetch(slot, None) {
            self.discard_gathered(slot);
            return Err(error);
        }
        Ok(match self.gathering.take(&mut self.obstacles, slot) {
            Some(Payload::Read(found)) => {
                let result = read(found.payload.as_ref());
                self.release_read(found);
                self.tell_at_once();
                result
            }
            Some(Payload::Gathered(payload)) => {
                let result = read(&payload);
                self.gathering.keep_room(payload);
                result
            }
            None => read(&[]),
        })
    }

    /// Hands to `put` what has come for `slot` from `from` since last time, with its place in the payload,
    /// out of the descriptors where it lies; `done` is how much it was before.
    pub(super) fn take_pieces(
        &mut self,
        from: Rank,
        slot: usize,
        done: &mut usize,
        put: &mut impl FnMut(usize, &[u8]),
    ) {
        self.take_filled(slot, done, put);
        if let Some(came) = self.gathering.begin_pieces(slot) {
            put(0, &came);
            *done = came.len();
            self.gathering.keep_room(came);
        }
        while let Some(frame) = self.gathering.next_piece() {
            let piece = &self.nic.bytes(&frame)[Header::BYTES..];
            put(*done, piece);
            *done += piece.len();
            self.release_segment(from, frame);
        }
        // The sender may wait for it.
        self.tell_at_once();
    }

    /// The descriptor of a segment is free.
    fn release_segment(&mut self, from: Rank, frame: N::Frame) {
        self.nic.post_recv(Vi { peer: from, cq: BULK }, frame);
        self.links.handle_consumed(&mut self.obstacles, from, BULK);
    }

    /// The call that took pieces of what is gathered in `slot` takes no more.
    pub(super) fn drop_pieces(&mut self, from: Rank, slot: usize) {
        while let Some(frame) = self.gathering.next_piece() {
            self.release_segment(from, frame);
        }
        if self.gathering.takes_pieces(slot) {
            self.discard_gathered(slot);
        }
    }

    /// Gives up what is being gathered in `slot`: its sender has gone.
    pub(super) fn forget_transfer(&mut self, from: Rank, slot: usize) {
        if let Some(read) = self.gathering.forget(&mut self.obstacles, from, slot) {
            self.release_read(read);
        }
    }

    /// Takes in what has come on the BULK queue.
    pub(super) fn handle_bulk(&mut self, from: Rank, frame: N::Frame) -> Result<(), MessageError> {
        let broken = |violation| MessageError::protocol(from, violation);
        self.links.handle_received(&mut self.obstacles, from, BULK).map_err(broken)?;
        // Which payloads were read takes a descriptor like a segment, and is charged like one; so is a
        // confirmation.
        match Header::decode(self.nic.bytes(&frame)) {
            Ok((Header { kind: Kind::Reads, transfer: word, .. }, _)) => {
                self.release_segment(from, frame);
                // What it said when it closed is newer.
                return match self.links.peer(from).presence().closing() {
                    Some(_) => Ok(()),
                    None => self.handle_reads(from, word),
                };
            }
            Ok((Header { kind: Kind::Confirmed, context, tag, transfer: count, .. }, _)) => {
                self.release_segment(from, frame);
                self.handle_confirmed(from, (context, tag), count);
                return Ok(());
            }
            _ => {}
        }
        let result = self.gather(from, &frame);
        match &result {
            Ok(Added { is_kept: true, .. }) => self.gathering.add_piece(frame),
            _ => self.release_segment(from, frame),
        }
        let Added { whole, tells, .. } = result.map_err(broken)?;
        if tells {
            self.tell_reads(from);
        }
        if whole { self.start_next_again(from) } else { Ok(()) }
    }

    /// Adds a segment to what it belongs to.
    fn gather(&mut self, from: Rank, frame: &N::Frame) -> Result<Added, Violation> {
        let (header, payload) = Header::decode(self.nic.bytes(frame))?;
        if header.kind != Kind::Segment {
            return Err(Violation::UnknownTransfer(header.transfer));
        }
        self.gathering.handle_segment(&mut self.obstacles, from, header.transfer, payload)
    }
}
