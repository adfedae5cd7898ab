//! Gathering: where the payloads of large messages come together at their receiver. One of the parts
//! of the engine.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! Each payload has a slot from when its transfer is queued until it is received or no longer wanted.
//! It comes in segments, or the network reads it as a whole. One transfer of each peer is under way at
//! a time, in the order in which receives have matched them. One call at a time may take segments as
//! *pieces* out of their descriptors, so the payload is never gathered in between. The memory of the
//! payload gathered last is kept for the next one.

use std::collections::{TryReserveError, VecDeque};

use slab::Slab;

use super::exposures::Exposure;
use super::incoming::{FromPeer, Incoming, RecvStage};
use crate::message::error::Violation;
use crate::message::obstacles::{Obstacles, Watched};
use crate::order::Rank;
use crate::verbs::RemoteBuffer;

/// A payload that the network has read.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::message) struct Read<P> {
    pub(in crate::message) payload: P,
    /// Where it lies with its sender: that rank, and the number under which it is to be told once
    /// the payload was released.
    pub(in crate::message) untold: Option<(Rank, u8)>,
    /// Its length in bytes.
    pub(in crate::message) len: usize,
    /// While its sender still copies it: how much of it the posted receive has that has matched it.
    pub(in crate::message) taken: Option<usize>,
}

/// What has come of a payload.
#[derive(Debug)]
enum Gathered<P> {
    /// The network reads it, or is to.
    Coming,
    /// The network has read it.
    Read(Read<P>),
    /// So much has come.
    Partial(Vec<u8>),
    /// So many bytes have come, and were thrown away: nobody will receive it.
    Unwanted(usize),
    /// So many bytes have come, which the call that waits for them takes out of their descriptors:
    /// see [`Engine::recv_pieces`](crate::message::Engine::recv_pieces).
    Pieces(usize),
    /// All has come.
    Whole(Vec<u8>),
    /// All has come, and the last of it may have to be taken out of its descriptors.
    WholeInPieces,
}

/// A payload that is all here.
pub(in crate::message) enum Payload<P> {
    /// It came in segments.
    Gathered(Vec<u8>),
    /// The network has read it, and gets its room back.
    Read(Read<P>),
}

/// What became of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::message) struct Added {
    /// Nothing is missing any more.
    pub(in crate::message) whole: bool,
    /// It lies in its descriptor still, as a [piece](Gathering::add_piece).
    pub(in crate::message) is_kept: bool,
    /// The payload was exposed, and the peer is to be told that it is needed no more.
    pub(in crate::message) tells: bool,
}

/// How the next transfer of a peer begins.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::message) enum Start {
    /// The sender is cleared to send this transfer.
    Clear(u32),
    /// So many bytes are to be read.
    Read(RemoteBuffer, usize),
    /// Nobody will receive it, and it is not read: the peer is to be told that it is needed no more.
    Skipped,
}

/// What became of a read that has come to its end.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::message) enum ReadEnd<P> {
    /// The payload is in its slot.
    Done,
    /// The same, but nobody will receive it.
    Unwanted(Read<P>),
    /// The payload could not be read.
    Failed,
    /// None of that peer had begun.
    Unknown,
}

/// The payloads that this rank gathers: `P` is one that the network has read, `F` a segment in its
/// descriptor.
pub(in crate::message) struct Gathering<P, F> {
    peers: Vec<FromPeer>,
    slots: Watched<Slab<Gathered<P>>>,
    /// Segments that the call which waits for them has yet to take out of their descriptors.
    pieces: VecDeque<F>,
    spare: Vec<u8>,
    /// How many payloads the network reads.
    reads: usize,
}

impl<P, F> Gathering<P, F> {
    /// For segments of which `window` may be under way from each of `size` peers.
    pub(in crate::message) fn new(size: usize, window: usize) -> Gathering<P, F> {
        Gathering {
            peers: (0..size).map(|_| FromPeer::default()).collect(),
            slots: Watched::new(Obstacles::GATHERED, Slab::new()),
            pieces: VecDeque::with_capacity(window),
            spare: Vec::new(),
            reads: 0,
        }
    }

    /// Memory for a payload that comes in segments.
    pub(in crate::message) fn room_for(&mut self, len: usize) -> Result<Vec<u8>, TryReserveError> {
        let mut room = std::mem::take(&mut self.spare);
        room.clear();
        room.try_reserve_exact(len)?;
        Ok(room)
    }

    /// Takes the memory of a payload back that was handed over.
    pub(in crate::message) fn keep_room(&mut self, room: Vec<u8>) {
        self.spare = room;
    }

    /// A peer has exposed a payload under this number. Returns false if that stands for another
    /// already, which no correct peer does.
    #[must_use]
    pub(in crate::message) fn handle_exposed(&mut self, from: Rank, number: u8) -> bool {
        self.peers[from].reads.handle_exposed(number)
    }

    /// A payload that was exposed under this number will never be queued: nobody receives it.
    pub(in crate::message) fn skip_exposed(&mut self, from: Rank, number: u8) {
        self.peers[from].reads.handle_read(number);
    }

    /// A payload that was read in place was released: its sender is to be told.
    pub(in crate::message) fn handle_released(&mut self, from: Rank, number: u8) {
        self.peers[from].reads.handle_read(number);
    }

    /// The word by which a peer is told which of its exposed payloads were read.
    pub(in crate::message) fn reads_word(&self, from: Rank) -> u32 {
        self.peers[from].reads.word()
    }

    /// Queues the transfer of a payload, which comes in segments into `room`, or is exposed. Returns
    /// its slot.
    pub(in crate::message) fn add(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        (transfer, len): (u32, usize),
        (room, exposure): (Option<Vec<u8>>, Option<Exposure>),
    ) -> usize {
        let into = room.map_or(Gathered::Coming, Gathered::Partial);
        let slot = self.slots.change(obstacles, |slots| slots.insert(into));
        self.peers[from].queue.push_back(Incoming::new(transfer, len, slot, exposure));
        slot
    }

    /// Queues the transfer of a payload that nobody will receive.
    pub(in crate::message) fn add_unwanted(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        (transfer, len): (u32, usize),
    ) {
        let slot = self.slots.change(obstacles, |slots| slots.insert(Gathered::Unwanted(0)));
        self.peers[from].queue.push_back(Incoming::new(transfer, len, slot, None));
    }

    /// How the first transfer of a peer begins, if it has not begun. One that is skipped is gone.
    pub(in crate::message) fn poll_start(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
    ) -> Option<Start> {
        let &Incoming { transfer, len, slot, stage, .. } = self.peers[from].queue.front()?;
        match stage {
            RecvStage::ToClear => Some(Start::Clear(transfer)),
            RecvStage::ToRead(_) if self.is_unwanted(slot) => {
                self.free(obstacles, slot);
                self.peers[from].finish_first();
                Some(Start::Skipped)
            }
            RecvStage::ToRead(buffer) => Some(Start::Read(buffer, len)),
            RecvStage::Cleared | RecvStage::Read | RecvStage::Unreadable => None,
        }
    }

    /// The first transfer of a peer begins: its sender is cleared to send.
    pub(in crate::message) fn handle_cleared(&mut self, from: Rank) {
        if let Some(first) = self.peers[from].queue.front_mut() {
            first.stage = RecvStage::Cleared;
        }
    }

    /// The network has begun to read the first payload of a peer.
    pub(in crate::message) fn handle_read_begun(&mut self, from: Rank) {
        if let Some(first) = self.peers[from].queue.front_mut() {
            first.stage = RecvStage::Read;
            self.reads += 1;
        }
    }

    /// The first payload of a peer was to be read, and comes in segments instead, into `room`.
    pub(in crate::message) fn gather_instead(&mut self, from: Rank, room: Vec<u8>) {
        let Some(first) = self.peers[from].queue.front_mut() else { return };
        first.stage = RecvStage::ToClear;
        if let Some(gathered) = self.slots.unchanged().get_mut(first.slot) {
            *gathered = Gathered::Partial(room);
        }
    }

    /// A read from a peer has come to its end: it has brought the payload, of which so many bytes are there, or nothing. `in_place`
    /// says that the payload lies with the peer still, which is to be told once it was released;
    /// else it is to be told now.
    pub(in crate::message) fn handle_read(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        payload: Option<(P, usize)>,
        in_place: bool,
    ) -> ReadEnd<P> {
        let peer = &mut self.peers[from];
        // One that was begun stays the first until this.
        let Some(first) = peer.queue.front_mut().filter(|first| first.stage == RecvStage::Read)
        else {
            return ReadEnd::Unknown;
        };
        self.reads -= 1;
        let Some((payload, here)) = payload else {
            first.stage = RecvStage::Unreadable;
            return ReadEnd::Failed;
        };
        let (slot, len) = (first.slot, first.len);
        let untold = match in_place {
            true => peer.take_first().map(|number| (from, number)),
            false => {
                peer.finish_first();
                None
            }
        };
        let read = Read { payload, untold, len, taken: (here < len).then_some(0) };
        if self.is_unwanted(slot) {
            self.free(obstacles, slot);
            return ReadEnd::Unwanted(read);
        }
        if let Some(gathered) = self.slots.unchanged().get_mut(slot) {
            *gathered = Gathered::Read(read);
        }
        ReadEnd::Done
    }

    /// Whether any payload is still copied by its sender.
    pub(in crate::message) fn has_filling(&self) -> bool {
        let is_filling = |gathered: &Gathered<P>| matches!(gathered, Gathered::Read(read) if read.taken.is_some());
        self.slots.iter().any(|(_, gathered)| is_filling(gathered))
    }

    /// What the network has read for a slot, which may lie with its sender.
    pub(in crate::message) fn read_of(&mut self, slot: usize) -> Option<&mut Read<P>> {
        match self.slots.unchanged().get_mut(slot)? {
            Gathered::Read(read) => Some(read),
            _ => None,
        }
    }

    /// Memory of so many bytes into which a payload is read, without regard to what is there.
    pub(in crate::message) fn room_to_read(
        &mut self,
        len: usize,
    ) -> Result<Vec<u8>, TryReserveError> {
        let mut room = std::mem::take(&mut self.spare);
        room.try_reserve_exact(len.saturating_sub(room.len()))?;
        room.resize(len, 0);
        Ok(room)
    }

    /// The payload in a slot was fetched from its sender: into `own_room`, or to where the program wants it.
    /// Returns what stood for it.
    pub(in crate::message) fn handle_fetched(
        &mut self,
        slot: usize,
        own_room: Option<Vec<u8>>,
    ) -> Option<Read<P>> {
        let gathered = self.slots.unchanged().get_mut(slot)?;
        let fetched = own_room.map_or(Gathered::WholeInPieces, Gathered::Whole);
        match std::mem::replace(gathered, fetched) {
            Gathered::Read(read) => Some(read),
            other => {
                *gathered = other;
                None
            }
        }
    }

    /// A payload that was brought to where a program wanted it is kept here instead.
    pub(in crate::message) fn put_back(&mut self, slot: usize, payload: Vec<u8>) {
        if let Some(gathered @ Gathered::WholeInPieces) = self.slots.unchanged().get_mut(slot) {
            *gathered = Gathered::Whole(payload);
        }
    }

    /// Gives up what is gathered in a slot: its sender has gone. Returns what the network has read.
    pub(in crate::message) fn forget(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        slot: usize,
    ) -> Option<Read<P>> {
        let queue = &mut self.peers[from].queue;
        if queue.iter().any(|it| it.slot == slot && it.stage == RecvStage::Read) {
            // The network has it in hands.
            return self.discard(obstacles, slot);
        }
        queue.retain(|it| it.slot != slot);
        match self.slots.change(obstacles, |slots| slots.try_remove(slot)) {
            Some(Gathered::Read(read)) => Some(read),
            _ => None,
        }
    }

    /// Nothing is gathered in a slot any more.
    pub(in crate::message) fn free(&mut self, obstacles: &mut Obstacles, slot: usize) {
        self.slots.change(obstacles, |slots| drop(slots.try_remove(slot)));
    }

    /// Nobody will receive what is gathered in a slot; the rest of it may still come. Returns what the
    /// network has read.
    pub(in crate::message) fn discard(
        &mut self,
        obstacles: &mut Obstacles,
        slot: usize,
    ) -> Option<Read<P>> {
        let gathered = self.slots.unchanged().get_mut(slot)?;
        let came = match gathered {
            Gathered::Partial(room) => room.len(),
            Gathered::Unwanted(len) | Gathered::Pieces(len) => *len,
            Gathered::Coming => 0,
            Gathered::Read(_) | Gathered::Whole(_) | Gathered::WholeInPieces => {
                return match self.slots.change(obstacles, |slots| slots.remove(slot)) {
                    Gathered::Read(read) => Some(read),
                    _ => None,
                };
            }
        };
        *gathered = Gathered::Unwanted(came);
        None
    }

    /// The payload in a slot, once it is whole; the slot is free then.
    pub(in crate::message) fn take(
        &mut self,
        obstacles: &mut Obstacles,
        slot: usize,
    ) -> Option<Payload<P>> {
        if !self.is_whole(slot) || self.is_in_pieces(slot) {
            return None;
        }
        match self.slots.change(obstacles, |slots| slots.remove(slot)) {
            Gathered::Whole(payload) => Some(Payload::Gathered(payload)),
            Gathered::Read(read) => Some(Payload::Read(read)),
            _ => None,
        }
    }

    /// Whether the payload in a slot is whole.
    pub(in crate::message) fn is_whole(&self, slot: usize) -> bool {
        match self.slots.get(slot) {
            Some(Gathered::Whole(_) | Gathered::WholeInPieces) => true,
            Some(Gathered::Read(read)) => read.taken.is_none(),
            _ => false,
        }
    }

    /// Whether nobody will receive what is gathered in a slot.
    fn is_unwanted(&self, slot: usize) -> bool {
        matches!(self.slots.get(slot), Some(Gathered::Unwanted(_)))
    }

    /// Whether what comes for a slot is taken in pieces.
    pub(in crate::message) fn takes_pieces(&self, slot: usize) -> bool {
        matches!(self.slots.get(slot), Some(Gathered::Pieces(_) | Gathered::WholeInPieces))
    }

    /// Whether all has come for a slot, and was taken in pieces.
    pub(in crate::message) fn is_in_pieces(&self, slot: usize) -> bool {
        matches!(self.slots.get(slot), Some(Gathered::WholeInPieces))
    }

    /// From now on what comes for a slot is taken in pieces. Returns what has come before, if this is
    /// the first time.
    pub(in crate::message) fn begin_pieces(&mut self, slot: usize) -> Option<Vec<u8>> {
        let gathered = self.slots.unchanged().get_mut(slot)?;
        let Gathered::Partial(room) = gathered else { return None };
        let room = std::mem::take(room);
        *gathered = Gathered::Pieces(room.len());
        Some(room)
    }

    /// Keeps a segment in its descriptor until the call that waits takes it.
    pub(in crate::message) fn add_piece(&mut self, frame: F) {
        self.pieces.push_back(frame);
    }

    /// The next piece.
    pub(in crate::message) fn next_piece(&mut self) -> Option<F> {
        self.pieces.pop_front()
    }

    /// Adds a segment to the payload that a peer was cleared to send. With the last one its transfer is
    /// done.
    ///
    /// # Errors
    ///
    /// A violation, if none of this transfer was to come, or not so much.
    pub(in crate::message) fn handle_segment(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        transfer: u32,
        segment: &[u8],
    ) -> Result<Added, Violation> {
        let unknown = Violation::UnknownTransfer(transfer);
        let first = self.peers[from].queue.front();
        let first = first.filter(|it| it.transfer == transfer && it.stage == RecvStage::Cleared);
        let Some(&Incoming { slot, len, .. }) = first else { return Err(unknown) };
        let Some(gathered) = self.slots.unchanged().get_mut(slot) else { return Err(unknown) };
        let so_far = match gathered {
            Gathered::Partial(room) => room.len(),
            Gathered::Unwanted(len) | Gathered::Pieces(len) => *len,
            _ => return Err(unknown),
        };
        if segment.len() > len - so_far {
            return Err(Violation::TooMuchPayload { transfer });
        }
        let whole = so_far + segment.len() == len;
        let is_kept = matches!(gathered, Gathered::Pieces(_));
        match gathered {
            Gathered::Partial(room) => {
                room.extend_from_slice(segment);
                if whole {
                    *gathered = Gathered::Whole(std::mem::take(room));
                }
            }
            Gathered::Unwanted(_) if whole => self.free(obstacles, slot),
            Gathered::Pieces(_) if whole => *gathered = Gathered::WholeInPieces,
            Gathered::Unwanted(len) | Gathered::Pieces(len) => *len += segment.len(),
            _ => {}
        }
        let tells = whole && self.peers[from].finish_first();
        Ok(Added { whole, is_kept, tells })
    }

    /// Whether the network reads any.
    pub(in crate::message) fn is_reading(&self) -> bool {
        self.reads > 0
    }

    /// Whether nothing is gathered.
    #[inline(always)]
    pub(in crate::message) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The obstacle that it is now, counted anew.
    pub(in crate::message) fn recount(&self) -> Obstacles {
        self.slots.recount()
    }
}
