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

use super::activity::Waiting;
use super::config::BULK;
use super::engine::Engine;
use super::error::{MessageError, Violation};
use super::header::{Header, Kind};
use super::loans::Loan;
use super::matching::Context;
use super::peer::{Pull, Transfer};
use crate::order::Rank;
use crate::verbs::{Nic, PostError, ReadPayload, RemoteRead, Revoke, Vi};

/// Where the payload of a transfer is gathered.
#[derive(Debug)]
pub(super) enum Gathered<P> {
    /// The network reads it, or is to.
    Coming,
    /// The network has read it.
    Pulled(P),
    /// So much has come.
    Partial(Vec<u8>),
    /// So many bytes have come, and were thrown away: nobody will receive it.
    Unwanted(usize),
    /// So many bytes have come, which the call that waits for them takes out of their descriptors: see
    /// [`Engine::recv_pieces`].
    Pieces(usize),
    /// All has come.
    Whole(Vec<u8>),
    /// All has come, and the last of it may have to be taken out of its descriptors.
    WholeInPieces,
}

impl<N: Nic> Engine<N> {
    /// Makes room for the payload of a matched request and queues its transfer; returns the slot
    /// in which it will be gathered.
    pub(super) fn start_pull(
        &mut self,
        from: Rank,
        transfer: u32,
        len: usize,
        loan: Option<Loan>,
    ) -> Result<usize, MessageError> {
        let into = match loan {
            None => Gathered::Partial(self.room_for(from, len)?),
            Some(_) => Gathered::Coming,
        };
        Ok(self.queue_pull(Pull::new(transfer, len, loan), from, into))
    }

    /// As `start_pull`, for a payload that nobody will receive: its sender waits for room all the
    /// same.
    pub(super) fn start_unwanted_pull(&mut self, from: Rank, transfer: u32, len: usize) {
        self.queue_pull(Pull::new(transfer, len, None), from, Gathered::Unwanted(0));
    }

    /// Memory for a payload that comes in segments.
    pub(super) fn room_for(&mut self, from: Rank, len: usize) -> Result<Vec<u8>, MessageError> {
        let mut room = std::mem::take(&mut self.spare_room);
        room.clear();
        room.try_reserve_exact(len).map_err(|_| MessageError::OutOfMemory { from, len })?;
        Ok(room)
    }

    fn queue_pull(&mut self, pull: Pull, from: Rank, into: Gathered<ReadPayload<N>>) -> usize {
        let slot = self.gathered.change(&mut self.obstacles, |gathered| gathered.insert(into));
        self.peers[from].pulls.push_back(Pull { slot, ..pull });
        // If there is no room, whoever waits for it is told.
        let _ = self.clear_next(from);
        slot
    }

    /// Nobody will receive what is gathered in `slot`; the rest of it may still come.
    pub(super) fn discard_gathered(&mut self, slot: usize) {
        let Some(gathered) = self.gathered.unchanged().get_mut(slot) else { return };
        let came = match gathered {
            Gathered::Partial(room) => room.len(),
            Gathered::Unwanted(len) | Gathered::Pieces(len) => *len,
            Gathered::Coming => 0,
            Gathered::Pulled(_) | Gathered::Whole(_) | Gathered::WholeInPieces => {
                if let Some(Gathered::Pulled(payload)) = self.free_gathered(slot) {
                    self.release_read(payload);
                }
                return;
            }
        };
        *gathered = Gathered::Unwanted(came);
    }

    /// The payload gathered in `slot`, once it is whole; frees the slot then.
    pub(super) fn take_gathered(&mut self, slot: usize) -> Option<Vec<u8>> {
        if !matches!(self.gathered.get(slot)?, Gathered::Whole(_) | Gathered::Pulled(_)) {
            return None;
        }
        match self.free_gathered(slot)? {
            Gathered::Whole(payload) => Some(payload),
            Gathered::Pulled(payload) => {
                let bytes = payload.as_ref().to_vec();
                self.release_read(payload);
                Some(bytes)
            }
            _ => None,
        }
    }

    /// Whether the payload gathered in `slot` is whole.
    pub(super) fn is_gathered(&self, slot: usize) -> bool {
        matches!(
            self.gathered.get(slot),
            Some(Gathered::Whole(_) | Gathered::WholeInPieces | Gathered::Pulled(_))
        )
    }

    /// Hands the payload gathered in `slot`, which is whole, to `read`; frees the slot.
    pub(super) fn read_gathered<R>(&mut self, slot: usize, read: impl FnOnce(&[u8]) -> R) -> R {
        if let Some(Gathered::Pulled(payload)) = self.gathered.get(slot) {
            let result = read(payload.as_ref());
            self.discard_gathered(slot);
            return result;
        }
        let payload = self.take_gathered(slot).unwrap_or_default();
        let result = read(&payload);
        self.spare_room = payload;
        result
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
        if let Some(gathered) = self.gathered.unchanged().get_mut(slot)
            && let Gathered::Partial(room) = gathered
        {
            let room = std::mem::take(room);
            put(0, &room);
            *done = room.len();
            *gathered = Gathered::Pieces(*done);
            self.spare_room = room;
        }
        while let Some(frame) = self.pieces.pop_front() {
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

    /// Whether what comes for `slot` is taken in pieces.
    pub(super) fn takes_pieces(&self, slot: usize) -> bool {
        let gathered = self.gathered.get(slot);
        matches!(gathered, Some(Gathered::Pieces(_) | Gathered::WholeInPieces))
    }

    /// Whether all has come for `slot`, and was taken in pieces.
    pub(super) fn is_in_pieces(&self, slot: usize) -> bool {
        matches!(self.gathered.get(slot), Some(Gathered::WholeInPieces))
    }

    /// Nothing is gathered in `slot` any more; returns what was.
    pub(super) fn free_gathered(&mut self, slot: usize) -> Option<Gathered<ReadPayload<N>>> {
        self.gathered.change(&mut self.obstacles, |gathered| gathered.try_remove(slot))
    }

    /// Who took pieces of what is gathered in `slot` takes no more.
    pub(super) fn drop_pieces(&mut self, from: Rank, slot: usize) {
        while let Some(frame) = self.pieces.pop_front() {
            self.release_segment(from, frame);
        }
        if self.takes_pieces(slot) {
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
        self.free_gathered(slot);
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
        let ended = peer.leaving.ended;
        let late = ended.is_some_and(|(_, all)| peer.bulk_returns.received() > all);
        match &result {
            Ok(Added { is_kept: true, .. }) if !late => self.pieces.push_back(frame),
            _ => self.release_segment(from, frame),
        }
        if late {
            return Err(MessageError::protocol(from, Violation::AfterEnd));
        }
        let Added { whole, .. } =
            result.map_err(|violation| MessageError::protocol(from, violation))?;
        if whole {
            let done = self.peers[from].pulls.pop_front();
            if let Some(loan) = done.and_then(|done| done.loan) {
                self.give_back(from, loan.number);
            }
            return self.clear_first_again(from);
        }
        Ok(())
    }

    /// What a peer says of loans takes a descriptor like a segment, and is charged like one.
    fn handle_loans_word(
        &mut self,
        from: Rank,
        frame: N::Frame,
        word: u32,
    ) -> Result<(), MessageError> {
        let peer = &mut self.peers[from];
        peer.bulk_returns.handle_received();
        let ended = peer.leaving.ended;
        let late = ended.is_some_and(|(_, all)| peer.bulk_returns.received() > all);
        // What it said when it closed is newer.
        let is_old = peer.leaving.closing.is_some();
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
                // What is streamed is not lent any more.
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
        let transfer = Transfer { id, payload, clear: false, sent_bytes: 0, loan: None };
        self.peers[to].transfers.push_back(transfer);
        self.open_transfers.change(&mut self.obstacles, |open| *open += 1);
    }

    /// Ends a transfer, and with it the loan of its payload, if it is lent still.
    pub(super) fn close_transfer(&mut self, to: Rank, id: u32, how: Revoke) {
        let transfers = &mut self.peers[to].transfers;
        let Some(at) = transfers.iter().position(|t| t.id == id) else { return };
        let closed = transfers.remove(at);
        self.open_transfers.change(&mut self.obstacles, |open| *open -= 1);
        // The payload, if it is the engine's, is freed after that.
        if let Some(loan) = closed.as_ref().and_then(|closed| closed.loan)
            && let Some(network) = self.nic.remote_read()
        {
            network.revoke(to, loan.lent, how);
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

/// What became of a segment.
struct Added {
    /// Nothing is missing any more.
    whole: bool,
    /// It lies in its descriptor still, for [`Engine::take_pieces`].
    is_kept: bool,
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
        let (slot, len) = (pull.slot, pull.len);
        let Some(gathered) = self.gathered.unchanged().get_mut(slot) else { return Err(unknown) };
        let so_far = match gathered {
            Gathered::Partial(room) => room.len(),
            Gathered::Unwanted(len) | Gathered::Pieces(len) => *len,
            _ => return Err(unknown),
        };
        if payload.len() > len - so_far {
            return Err(Violation::TooMuchPayload { transfer: header.transfer });
        }
        let whole = so_far + payload.len() == len;
        let is_kept = matches!(gathered, Gathered::Pieces(_));
        match gathered {
            Gathered::Partial(room) => {
                room.extend_from_slice(payload);
                if whole {
                    *gathered = Gathered::Whole(std::mem::take(room));
                }
            }
            Gathered::Unwanted(_) if whole => drop(self.free_gathered(slot)),
            Gathered::Pieces(_) if whole => *gathered = Gathered::WholeInPieces,
            Gathered::Unwanted(len) | Gathered::Pieces(len) => *len += payload.len(),
            _ => {}
        }
        Ok(Added { whole, is_kept })
    }
}
