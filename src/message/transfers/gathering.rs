//! Gathering: where the payloads of large messages come together at their receiver. One of the parts of the engine.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! Each payload has a slot from when its transfer is queued until it is received or no longer wanted. It comes in
//! segments, or the network reads it as a whole. One call at a time may take segments as *pieces* out of their
//! descriptors, so the payload is never gathered in between. The memory of the payload gathered last is kept for the
//! next one.

use std::collections::{TryReserveError, VecDeque};

use slab::Slab;

use crate::message::error::Violation;
use crate::message::obstacles::{Obstacles, Watched};

/// What has come of a payload.
#[derive(Debug)]
enum Gathered<P> {
    /// The network reads it, or is to.
    Coming,
    /// The network has read it.
    Read(P),
    /// So much has come.
    Partial(Vec<u8>),
    /// So many bytes have come, and were thrown away: nobody will receive it.
    Unwanted(usize),
    /// So many bytes have come, which the call that waits for them takes out of their descriptors: see
    /// [`Engine::recv_pieces`](crate::message::Engine::recv_pieces).
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
    Read(P),
}

/// What became of a segment.
pub(in crate::message) struct Added {
    /// Nothing is missing any more.
    pub(in crate::message) whole: bool,
    /// It lies in its descriptor still, as a [piece](Gathering::add_piece).
    pub(in crate::message) is_kept: bool,
}

/// The payloads that this rank gathers: `P` is one that the network has read, `F` a segment in its descriptor.
pub(in crate::message) struct Gathering<P, F> {
    slots: Watched<Slab<Gathered<P>>>,
    /// Segments that the call which waits for them has yet to take out of their descriptors.
    pieces: VecDeque<F>,
    spare: Vec<u8>,
    /// How many payloads the network reads.
    reads: usize,
}

impl<P, F> Gathering<P, F> {
    /// For segments of which `window` may be under way from a peer.
    pub(in crate::message) fn new(window: usize) -> Gathering<P, F> {
        Gathering {
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

    /// A slot for a payload that comes in segments, into this memory; or else is to be read.
    pub(in crate::message) fn add(
        &mut self,
        obstacles: &mut Obstacles,
        room: Option<Vec<u8>>,
    ) -> usize {
        let into = room.map_or(Gathered::Coming, Gathered::Partial);
        self.slots.change(obstacles, |slots| slots.insert(into))
    }

    /// A slot for a payload that nobody will receive.
    pub(in crate::message) fn add_unwanted(&mut self, obstacles: &mut Obstacles) -> usize {
        self.slots.change(obstacles, |slots| slots.insert(Gathered::Unwanted(0)))
    }

    /// A payload that was to be read comes in segments.
    pub(in crate::message) fn gather_instead(&mut self, slot: usize, room: Vec<u8>) {
        if let Some(gathered) = self.slots.unchanged().get_mut(slot) {
            *gathered = Gathered::Partial(room);
        }
    }

    /// Nothing is gathered in a slot any more.
    pub(in crate::message) fn free(&mut self, obstacles: &mut Obstacles, slot: usize) {
        self.slots.change(obstacles, |slots| drop(slots.try_remove(slot)));
    }

    /// Nobody will receive what is gathered in a slot; the rest of it may still come. Returns what the network has read.
    pub(in crate::message) fn discard(
        &mut self,
        obstacles: &mut Obstacles,
        slot: usize,
    ) -> Option<P> {
        let gathered = self.slots.unchanged().get_mut(slot)?;
        let came = match gathered {
            Gathered::Partial(room) => room.len(),
            Gathered::Unwanted(len) | Gathered::Pieces(len) => *len,
            Gathered::Coming => 0,
            Gathered::Read(_) | Gathered::Whole(_) | Gathered::WholeInPieces => {
                return match self.slots.change(obstacles, |slots| slots.remove(slot)) {
                    Gathered::Read(payload) => Some(payload),
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
        if !matches!(self.slots.get(slot)?, Gathered::Whole(_) | Gathered::Read(_)) {
            return None;
        }
        match self.slots.change(obstacles, |slots| slots.remove(slot)) {
            Gathered::Whole(payload) => Some(Payload::Gathered(payload)),
            Gathered::Read(payload) => Some(Payload::Read(payload)),
            _ => None,
        }
    }

    /// Whether the payload in a slot is whole.
    pub(in crate::message) fn is_whole(&self, slot: usize) -> bool {
        matches!(
            self.slots.get(slot),
            Some(Gathered::Whole(_) | Gathered::WholeInPieces | Gathered::Read(_))
        )
    }

    /// Whether nobody will receive what is gathered in a slot.
    pub(in crate::message) fn is_unwanted(&self, slot: usize) -> bool {
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

    /// From now on what comes for a slot is taken in pieces. Returns what has come before, if this is the first time.
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

    /// Adds a segment of `transfer` to a payload of `len` bytes.
    ///
    /// # Errors
    ///
    /// A violation, if none of it was to come, or not so much.
    pub(in crate::message) fn add_segment(
        &mut self,
        obstacles: &mut Obstacles,
        slot: usize,
        (transfer, len): (u32, usize),
        segment: &[u8],
    ) -> Result<Added, Violation> {
        let unknown = Violation::UnknownTransfer(transfer);
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
        Ok(Added { whole, is_kept })
    }

    /// The network has begun to read a payload.
    pub(in crate::message) fn note_read_begun(&mut self) {
        self.reads += 1;
    }

    /// The network reads one payload less.
    pub(in crate::message) fn note_read_ended(&mut self) {
        self.reads -= 1;
    }

    /// Whether the network reads any.
    pub(in crate::message) fn is_reading(&self) -> bool {
        self.reads > 0
    }

    /// The network has read the payload of a slot. Gives it back if nobody will receive it.
    pub(in crate::message) fn handle_read(
        &mut self,
        obstacles: &mut Obstacles,
        slot: usize,
        payload: P,
    ) -> Option<P> {
        if self.is_unwanted(slot) {
            self.free(obstacles, slot);
            return Some(payload);
        }
        if let Some(gathered) = self.slots.unchanged().get_mut(slot) {
            *gathered = Gathered::Read(payload);
        }
        None
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
