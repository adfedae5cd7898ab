//! Rendezvous: the payload of a large message, which travels when the receiver has made room.
//!
//! The request takes its place in the FIFO of ordinary messages, stamped like them. When a receive
//! has matched it, the receiver makes room for the whole payload and sends a clear-to-send; the
//! sender then streams segments, which have a window and descriptors of their own. One transfer
//! of an ordered pair is under way at a time, in the order in which the receiver matched them.
//!
//! Where the network lets a receiver read a payload by itself, a request may be for that instead: what its sender does
//! then stands in `lending`, and what its receiver does in `pulls`.
//!
//! None of this is stamped anew, held or contained: it belongs to a message already posted.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.

use super::Engine;
use crate::message::activity::Waiting;
use crate::message::config::BULK;
use crate::message::error::{MessageError, Violation};
use crate::message::exposures::Exposure;
use crate::message::gathering::{Added, Payload};
use crate::message::header::{Header, Kind};
use crate::message::matching::Context;
use crate::message::peer::{Pull, Transfer};
use crate::order::Rank;
use crate::verbs::{Nic, PostError, RemoteRead, Revoke, Vi};

impl<N: Nic> Engine<N> {
    /// Makes room for the payload of a matched request and queues its transfer; returns the slot
    /// in which it will be gathered.
    pub(super) fn start_pull(
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
        let slot = self.gathering.add(&mut self.obstacles, room);
        self.queue_pull(Pull { slot, ..Pull::new(transfer, len, exposure) }, from);
        Ok(slot)
    }

    /// As `start_pull`, for a payload that nobody will receive: its sender waits for room all the
    /// same.
    pub(super) fn start_unwanted_pull(&mut self, from: Rank, transfer: u32, len: usize) {
        let slot = self.gathering.add_unwanted(&mut self.obstacles);
        self.queue_pull(Pull { slot, ..Pull::new(transfer, len, None) }, from);
    }

    /// Memory for a payload that comes in segments.
    pub(super) fn room_for(&mut self, from: Rank, len: usize) -> Result<Vec<u8>, MessageError> {
        self.gathering.room_for(len).map_err(|_| MessageError::OutOfMemory { from, len })
    }

    fn queue_pull(&mut self, pull: Pull, from: Rank) {
        self.peers[from].pulls.push_back(pull);
        // If there is no room, the call that waits for it is told.
        let _ = self.clear_next(from);
    }

    /// Nobody will receive what is gathered in `slot`; the rest of it may still come.
    pub(super) fn discard_gathered(&mut self, slot: usize) {
        if let Some(payload) = self.gathering.discard(&mut self.obstacles, slot) {
            self.release_read(payload);
        }
    }

    /// The payload gathered in `slot`, once it is whole; frees the slot then.
    pub(super) fn take_gathered(&mut self, slot: usize) -> Option<Vec<u8>> {
        match self.gathering.take(&mut self.obstacles, slot)? {
            Payload::Gathered(payload) => Some(payload),
            Payload::Read(payload) => {
                let bytes = payload.as_ref().to_vec();
                self.release_read(payload);
                Some(bytes)
            }
        }
    }

    /// Hands the payload gathered in `slot`, which is whole, to `read`; frees the slot.
    pub(super) fn read_gathered<R>(&mut self, slot: usize, read: impl FnOnce(&[u8]) -> R) -> R {
        match self.gathering.take(&mut self.obstacles, slot) {
            Some(Payload::Read(payload)) => {
                let result = read(payload.as_ref());
                self.release_read(payload);
                result
            }
            Some(Payload::Gathered(payload)) => {
                let result = read(&payload);
                self.gathering.keep_room(payload);
                result
            }
            None => read(&[]),
        }
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
        if self.peers[from].bulk_returns.handle_consumed() {
            self.control_due(from).credit = true;
        }
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
    pub(super) fn forget_pull(&mut self, from: Rank, slot: usize) {
        if self.peers[from].pulls.iter().any(|pull| pull.slot == slot && pull.is_read) {
            // The network has it in hands.
            return self.discard_gathered(slot);
        }
        self.peers[from].pulls.retain(|pull| pull.slot != slot);
        self.gathering.free(&mut self.obstacles, slot);
    }

    pub(super) fn handle_segment(
        &mut self,
        from: Rank,
        frame: N::Frame,
    ) -> Result<(), MessageError> {
        if let Ok((Header { kind: Kind::Pulled, transfer: word, .. }, _)) =
            Header::decode(self.nic.bytes(&frame))
        {
            return self.handle_loans_word(from, frame, word);
        }
        let result = self.gather(from, &frame);
        let peer = &mut self.peers[from];
        peer.bulk_returns.handle_received();
        let late = peer.is_exceeded();
        match &result {
            Ok(Added { is_kept: true, .. }) if !late => self.gathering.add_piece(frame),
            _ => self.release_segment(from, frame),
        }
        if late {
            return Err(MessageError::protocol(from, Violation::AfterEnd));
        }
        let Added { whole, .. } =
            result.map_err(|violation| MessageError::protocol(from, violation))?;
        if whole {
            let done = self.peers[from].pulls.pop_front();
            if let Some(exposure) = done.and_then(|done| done.exposure) {
                self.handle_read(from, exposure.number);
            }
            return self.clear_first_again(from);
        }
        Ok(())
    }

    /// What a peer says of exposed payloads takes a descriptor like a segment, and is charged like one.
    fn handle_loans_word(
        &mut self,
        from: Rank,
        frame: N::Frame,
        word: u32,
    ) -> Result<(), MessageError> {
        let peer = &mut self.peers[from];
        peer.bulk_returns.handle_received();
        let late = peer.is_exceeded();
        // What it said when it closed is newer.
        let is_old = peer.presence.closing().is_some();
        self.release_segment(from, frame);
        if late {
            return Err(MessageError::protocol(from, Violation::AfterEnd));
        }
        if is_old { Ok(()) } else { self.handle_loans_back(from, word) }
    }

    /// Sends as much of the owned payloads to `to` as its window takes.
    pub(super) fn flush_stream(&mut self, to: Rank) -> Result<(), MessageError> {
        loop {
            let mut transfers = self.peers[to].transfers.iter_mut();
            let Some(next) = transfers.find(|t| t.clear && t.payload.is_some()) else {
                return Ok(());
            };
            let (id, sent) = (next.id, next.sent_bytes);
            let Some(payload) = next.payload.take() else { return Ok(()) };
            let result = self.stream(to, id, &payload, sent);
            let whole = payload.len();
            let mut transfers = self.peers[to].transfers.iter_mut();
            if let Some(transfer) = transfers.find(|t| t.id == id) {
                transfer.payload = Some(payload);
            }
            match result {
                // What is streamed is not exposed any more.
                Ok(sent) if sent == whole => self.close_transfer(to, id, Revoke::AtOnce),
                Ok(_) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Streams a payload that stays with the caller, and waits until all of it has left; or until the receiver has read
    /// it.
    pub(super) fn stream_until_done(
        &mut self,
        to: Rank,
        id: u32,
        context: Context,
        payload: &[u8],
    ) -> Result<(), MessageError> {
        let mut sent = 0;
        self.wait_until(
            Waiting::Payload { peer: to, context },
            |engine| {
                let Some(transfer) = engine.peers[to].transfers.iter().find(|t| t.id == id) else {
                    // The receiver has read it.
                    return Ok(Some(()));
                };
                if transfer.clear {
                    sent = engine.stream(to, id, payload, sent)?;
                }
                Ok((sent == payload.len()).then_some(()))
            },
            |engine| engine.check_hears(to),
        )
    }

    pub(super) fn open_transfer(&mut self, to: Rank, id: u32, payload: Option<Vec<u8>>) {
        let transfer = Transfer { id, payload, clear: false, sent_bytes: 0, exposure: None };
        self.peers[to].transfers.push_back(transfer);
        self.open_transfers.change(&mut self.obstacles, |open| *open += 1);
    }

    /// Ends a transfer, and revokes its payload, if that is exposed still.
    pub(super) fn close_transfer(&mut self, to: Rank, id: u32, how: Revoke) {
        let transfers = &mut self.peers[to].transfers;
        let Some(at) = transfers.iter().position(|t| t.id == id) else { return };
        let closed = transfers.remove(at);
        self.open_transfers.change(&mut self.obstacles, |open| *open -= 1);
        // The payload, if it is the engine's, is freed after that.
        if let Some(exposure) = closed.as_ref().and_then(|closed| closed.exposure)
            && let Some(network) = self.nic.remote_read()
        {
            network.revoke(to, exposure.buffer, how);
        }
    }

    /// Sends segments of `payload` from `sent` on while the window is open; returns how far it got.
    fn stream(
        &mut self,
        to: Rank,
        id: u32,
        payload: &[u8],
        mut sent: usize,
    ) -> Result<usize, MessageError> {
        let peer = &mut self.peers[to];
        while sent < payload.len() && peer.bulk.is_open() {
            let end = payload.len().min(sent + self.config.segment_bytes);
            let header = Header {
                kind: Kind::Segment,
                element: 0,
                context: Context::WORLD,
                tag: 0,
                stamp: 0,
                len: (end - sent) as u32,
                transfer: id,
            };
            let vi = Vi { peer: to, cq: BULK };
            match self.nic.post_send(vi, &header.encode(), &payload[sent..end]) {
                Ok(()) => peer.bulk.handle_sent(),
                Err(PostError::QueueFull(_)) => break,
                Err(PostError::PeerGone(_)) => {
                    peer.handle_closed();
                    break;
                }
                Err(error) => return Err(error.into()),
            }
            sent = end;
        }
        if let Some(transfer) = peer.transfers.iter_mut().find(|t| t.id == id) {
            transfer.sent_bytes = sent;
        }
        Ok(sent)
    }
}

impl<N: Nic> Engine<N> {
    /// Adds a segment to what it belongs to.
    fn gather(&mut self, from: Rank, frame: &N::Frame) -> Result<Added, Violation> {
        let (header, payload) = Header::decode(self.nic.bytes(frame))?;
        let unknown = Violation::UnknownTransfer(header.transfer);
        let Some(pull) = self.peers[from].pulls.front() else { return Err(unknown) };
        if header.kind != Kind::Segment || pull.transfer != header.transfer || !pull.cleared {
            return Err(unknown);
        }
        let (slot, of) = (pull.slot, (header.transfer, pull.len));
        self.gathering.add_segment(&mut self.obstacles, slot, of, payload)
    }
}
