//! Payloads that ranks expose to each other in shared memory ([`RemoteRead`]): a sender copies one
//! into its own heap in the segment, and the receiver reads it there.
//!
//! # Which rank may touch a block
//!
//! A block of a heap belongs to the rank whose heap it is. From `expose` to `revoke` nobody writes
//! it, and the peer may read it. The sender writes the payload before it sends the message that
//! names the block, and the peer takes that message before it reads: the ring orders the two. So
//! there is no word for it in shared memory.
//!
//! # What is assumed of a peer that is not correct
//!
//! What it names is checked once, on copies that are its no more: a place outside of its heap
//! breaks the connection. Within its heap it may name anything, and change the bytes while they are
//! read. The reader then sees any bytes, as in [`super::message`], and nothing outside of the heap.
//!
//! Keeps rule SAFE-1 of SEMANTICS.md.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::ShmNic;
use super::copying::{Copying, LONG_BYTES, Stores};
use super::filling::begun;
use super::heap::{Block, Heap, UNIT_BYTES};
use super::layout::SegmentLayout;
use super::lent::{Found, is_lent};
use super::offers::Offer;
use super::reading::ReadEnd;
use super::rooms::Room;
use crate::order::Rank;
use crate::sys::memory::{MappedBytes, Mapping};
use crate::sys::time::Instant;
use crate::verbs::{Cq, LentEnd, PeerState, ReadCompletion, RemoteBuffer, RemoteRead, Revoke, Vi};

/// The heaps of all ranks, as one rank sees them.
pub(super) struct Payloads {
    /// Which blocks of its own heap are exposed.
    heap: Heap,
    /// The memory of each rank's heap.
    heaps: Vec<Arc<MappedBytes>>,
    heap_bytes: usize,
    /// How long payloads are copied for each peer.
    copying: Vec<Copying>,
    /// What was read and not polled yet.
    done: VecDeque<(Cq, ReadCompletion<Payload>)>,
}

/// A payload in the heap of its sender. It starts at an address divisible by 8.
///
/// As with a [`Frame`](super::Frame), a process that is not correct can change it while it is read:
/// read once what you rely on, and keep it. The length is kept here. Its bytes are those that are there: of a copy that
/// its sender still fills they are the first ones.
pub struct Payload {
    place: Place,
    len: usize,
}

/// Where a payload lies.
enum Place {
    /// In a heap, from there on.
    Heap(Arc<MappedBytes>, usize),
    /// The same, of a block with this key that its sender still fills. So many bytes are there.
    Filling { heap: Arc<MappedBytes>, at: usize, key: u32, here: usize },
    /// With its sender, which has lent it.
    Lent(RemoteBuffer),
}

impl Payloads {
    pub(super) fn new(layout: &SegmentLayout, mapping: &Arc<Mapping>, rank_count: usize) -> Self {
        let heap = |rank| Arc::new(mapping.bytes(layout.heap(rank), layout.heap_bytes));
        Payloads {
            heap: Heap::new(layout.heap_bytes),
            heaps: (0..rank_count).map(heap).collect(),
            heap_bytes: layout.heap_bytes,
            copying: (0..rank_count).map(|_| Copying::new()).collect(),
            done: VecDeque::new(),
        }
    }

    /// What memory goes back to the system, in bytes from the start of the heap.
    pub(super) fn poll_idle(&mut self) -> Option<Range<usize>> {
        self.heap.poll_idle(Instant::now)
    }

    /// Whether something was read that was not polled.
    pub(super) fn has_read(&self) -> bool {
        !self.done.is_empty()
    }

    /// Copies a payload into a block of so many bytes of the heap of `own`, for `peer`.
    pub(super) fn copy(
        &mut self,
        own: Rank,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<Block> {
        let block = self.heap.take(bytes)?;
        let heap = &self.heaps[own];
        let write = |stores| {
            // SAFETY: the block lies within the heap, and is not in use, as the books of this rank
            // say; they lie in its own memory. A correct peer that had read an earlier payload there
            // has released it before that was revoked, so no reference to it is left. `self` is
            // borrowed mutably: no other thread writes into this heap.
            unsafe { heap.write(block.at, &[], payload, stores == Stores::Streaming) };
        };
        match payload.len() {
            LONG_BYTES.. => self.copying[peer].time(payload.len(), write),
            _ => write(Stores::Cached),
        }
        Some(block)
    }

    /// A block of so many bytes, which is filled later.
    pub(super) fn take(&mut self, bytes: usize) -> Option<Block> {
        self.heap.take(bytes)
    }

    /// Fills the block of `own` that is found as `buffer` with a payload for `peer`. `fill` hands over the payload, which has so
    /// many bytes, piece by piece, each with its place in the block.
    pub(super) fn fill(
        &mut self,
        (own, peer): (Rank, Rank),
        buffer: RemoteBuffer,
        bytes: usize,
        fill: impl FnOnce(&mut dyn FnMut(usize, &[u8])),
    ) {
        let Some(at) = self.heap.place_of(buffer, bytes) else { return };
        let heap = &self.heaps[own];
        let write = |stores| {
            fill(&mut |offset, piece| {
                assert!(offset + piece.len() <= bytes, "a piece lies in its payload");
                // SAFETY: the piece lies within a block in use, as `place_of` says. The peer reads no byte of it before it is
                // told that it is there. For the rest see `copy`.
                unsafe { heap.write(at + offset, &[], piece, stores == Stores::Streaming) };
            });
        };
        self.copying[peer].time(bytes, write);
    }

    /// Writes bytes at a place of a block of `own` that nobody was told of yet.
    ///
    /// # Panics
    ///
    /// If it is no block in use, or the bytes are not within it.
    pub(super) fn write_area(&mut self, own: Rank, buffer: RemoteBuffer, at: usize, bytes: &[u8]) {
        let end = at.checked_add(bytes.len()).expect("bytes are within their area");
        let first = self.heap.place_of(buffer, end).expect("bytes are within an open area");
        let heap = &self.heaps[own];
        let write = |stores| {
            // SAFETY: they lie within a block in use, as `place_of` says, and nobody was told of it: see `copy`.
            unsafe { heap.write(first + at, &[], bytes, stores == Stores::Streaming) };
        };
        match bytes.len() {
            // All readers have one record, in the place of this rank itself.
            LONG_BYTES.. => self.copying[own].time(bytes.len(), write),
            _ => write(Stores::Cached),
        }
    }

    /// So many bytes of the heap of `peer` from this address on, if they can lie there, and elements too.
    pub(super) fn find_in_area(&self, peer: Rank, address: u64, len: usize) -> Option<Payload> {
        let at = usize::try_from(address).ok()?;
        let end = at.checked_add(len)?;
        let is_within = end <= self.heap_bytes && at.is_multiple_of(size_of::<u64>());
        let heap = self.heaps.get(peer).filter(|_| is_within)?;
        Some(Payload { place: Place::Heap(Arc::clone(heap), at), len })
    }

    /// The user of a block gives it back, if it is one.
    pub(super) fn give_back(&mut self, buffer: RemoteBuffer) {
        if let Ok(at) = usize::try_from(buffer.address) {
            self.heap.give_back(Block { at, key: buffer.key });
        }
    }

    /// The heap of a rank, if there is such a rank.
    pub(super) fn heap_of(&self, rank: Rank) -> Option<&Arc<MappedBytes>> {
        self.heaps.get(rank)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.heap_bytes
    }

    /// What `peer` has exposed there, if it can have.
    fn find(&self, peer: Rank, buffer: RemoteBuffer, len: usize) -> Option<Payload> {
        let at = usize::try_from(buffer.address).ok()?;
        let end = at.checked_add(len)?;
        let is_within = end <= self.heap_bytes && at.is_multiple_of(UNIT_BYTES);
        let heap = self.heaps.get(peer).filter(|_| is_within)?;
        Some(Payload { place: Place::Heap(Arc::clone(heap), at), len })
    }

    /// As [`find`](Payloads::find), also of a copy that is begun. None of its bytes are there as far as is known yet.
    fn find_begun(&self, peer: Rank, buffer: RemoteBuffer, len: usize) -> Option<Payload> {
        let Some(block) = begun(buffer) else { return self.find(peer, buffer, len) };
        let found = self.find(peer, block, len)?;
        let Place::Heap(heap, at) = found.place else { return Some(found) };
        Some(Payload { place: Place::Filling { heap, at, key: block.key, here: 0 }, len })
    }
}

impl Payload {
    /// Where it begins in the heap, if it lies there, and its length.
    pub(super) fn place(&self) -> Option<(usize, usize)> {
        match self.place {
            Place::Heap(_, at) => Some((at, self.len)),
            Place::Filling { .. } | Place::Lent(_) => None,
        }
    }
}

impl AsRef<[u8]> for Payload {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        match &self.place {
            // SAFETY: it lies within the heap of its sender, as `find` has checked. That rank does not
            // write it before it is told that it was read, which is after this was released. For one
            // that does, see the module's assumption.
            Place::Heap(heap, at) => unsafe { heap.read(*at, self.len) },
            // SAFETY: as above; so many bytes are there already.
            Place::Filling { heap, at, here, .. } => unsafe { heap.read(*at, *here) },
            Place::Lent(_) => panic!("a payload that was lent is fetched before it is used"),
        }
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Heap(_, at) => write!(f, "{} bytes at {at} of a heap", self.len),
            Place::Filling { at, here, .. } => {
                write!(f, "{here} of {} bytes at {at} of a heap", self.len)
            }
            Place::Lent(buffer) => write!(f, "{} bytes lent as {:#x}", self.len, buffer.key),
        }
    }
}

impl RemoteRead for ShmNic {
    type Payload = Payload;
    type Offer = Offer;
    type Room = Room;

    /// Any length: the sender has asked nobody for room then.
    fn least_bytes(&mut self, peer: Rank) -> Option<usize> {
        (self.payloads.heap_bytes > 0 && self.is_open_to(peer)).then_some(1)
    }

    fn copies(&mut self, _: Rank) -> bool {
        true
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        self.least_bytes(peer)?;
        let own = self.attributes.rank;
        let block = self.payloads.copy(own, peer, payload, payload.len())?;
        Some(block.buffer())
    }

    fn begin_copy(&mut self, peer: Rank, len: usize) -> Option<RemoteBuffer> {
        self.least_bytes(peer).filter(|_| self.filling.pays(peer, len))?;
        let block = self.payloads.take(len)?;
        Some(self.filling.begin(peer, block))
    }

    fn fill_copy(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) {
        let Some(block) = begun(buffer) else { return };
        let ranks = (self.attributes.rank, peer);
        self.payloads.fill(ranks, block, payload.len(), |write| {
            self.filling.fill(peer, block.key, payload, write);
        });
    }

    fn bytes_here(&mut self, peer: Rank, payload: &mut Payload) -> usize {
        let Place::Filling { heap, at, key, here } = &mut payload.place else {
            return payload.len;
        };
        *here = self.filling.filled_bytes(peer, *key, payload.len);
        let filled = *here;
        if filled == payload.len {
            payload.place = Place::Heap(Arc::clone(heap), *at);
        }
        filled
    }

    fn share(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        let at = usize::try_from(buffer.address).ok().filter(|_| self.is_open_to(peer));
        at.is_some_and(|at| self.payloads.heap.share(Block { at, key: buffer.key }))
    }

    /// Where the peer may be reading it, and has not gone, the block is never used again.
    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke) {
        use crate::verbs::Nic;
        let is_read = how == Revoke::AfterRead || self.peer_state(peer) == PeerState::Gone;
        let copy = match is_lent(buffer) {
            true => self.lent.end(peer, buffer).map(Block::buffer),
            false => begun(buffer).or(Some(buffer)),
        };
        if let Some(copy) = copy.filter(|_| is_read) {
            self.payloads.give_back(copy);
            self.give_back_idle_memory();
        }
    }

    /// At once, and from one that has gone as well: its heap lies in the segment.
    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        if !self.is_vi_open(vi) || self.payloads.heap_bytes == 0 {
            return false;
        }
        // So that the peer may lend.
        self.reading.try_reading(vi.peer);
        let payload = match self.is_broken(vi.peer) {
            true => None,
            false if is_lent(buffer) => Some(Payload { place: Place::Lent(buffer), len }),
            false => {
                let found = self.payloads.find_begun(vi.peer, buffer, len);
                if found.is_none() {
                    self.handle_impossible(vi.peer, "place of a payload");
                }
                found
            }
        };
        self.payloads.done.push_back((vi.cq, ReadCompletion { peer: vi.peer, payload }));
        self.note_news();
        true
    }

    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<Payload>> {
        let next = self.payloads.done.iter().position(|(of, _)| *of == cq)?;
        let (_, read) = self.payloads.done.remove(next)?;
        self.note_news();
        Some(read)
    }

    fn release(&mut self, payload: Payload) {
        drop(payload);
    }

    fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<Offer> {
        let is_there = self.is_open_to(peer) && !self.is_broken(peer);
        if is_there { self.offers.offer(&mut self.reading, peer, payload) } else { None }
    }

    fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        !self.is_broken(peer) && self.offers.accept(&mut self.reading, peer, buffer, room)
    }

    fn lend(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        self.least_bytes(peer).filter(|_| !self.is_broken(peer))?;
        // It may be copied at any time, also in a loop that allocates nothing.
        self.payloads.heap.prepare();
        self.lent.lend(&mut self.reading, peer, payload)
    }

    fn is_taken(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        self.lent.is_taken(peer, buffer)
    }

    fn copy_lent(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) -> bool {
        if self.lent.is_taken(peer, buffer) {
            return true;
        }
        let own = self.attributes.rank;
        let Some(copy) = self.payloads.copy(own, peer, payload, payload.len()) else {
            return false;
        };
        if let Some(unused) = self.lent.handle_copied(peer, buffer, copy) {
            self.payloads.give_back(unused.buffer());
        }
        true
    }

    fn move_lent(&mut self, peer: Rank, buffer: RemoteBuffer, copy: &[u8]) -> bool {
        self.lent.handle_moved(peer, buffer, copy)
    }

    fn is_lent(&mut self, payload: &Payload) -> bool {
        matches!(payload.place, Place::Lent(_))
    }

    fn take_lent(&mut self, peer: Rank, payload: &mut Payload, room: &mut [u8]) -> LentEnd {
        let Place::Lent(buffer) = payload.place else { return LentEnd::Copied };
        // Its sender may copy it meanwhile, once.
        for _ in 0..2 {
            match self.lent.find(peer, buffer) {
                Found::Lent(moved_to) => {
                    let lent = (buffer, moved_to);
                    match self.lent.take(&mut self.reading, peer, lent, room) {
                        ReadEnd::Read => return LentEnd::Taken,
                        // Of what was moved, or has no place in a heap, no copy is ever made there: it does not come.
                        ReadEnd::Refused
                            if moved_to.is_none() && payload.len <= self.payloads.heap_bytes =>
                        {
                            return LentEnd::Refused;
                        }
                        ReadEnd::Refused | ReadEnd::Failed => {}
                    }
                }
                Found::Copied(at) => {
                    let copy = RemoteBuffer { address: at, key: buffer.key };
                    let Some(found) = self.payloads.find(peer, copy, payload.len) else {
                        self.handle_impossible(peer, "place of a payload");
                        return LentEnd::Failed;
                    };
                    *payload = found;
                    return LentEnd::Copied;
                }
                Found::Nothing => return LentEnd::Failed,
            }
        }
        LentEnd::Failed
    }

    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer> {
        if self.payloads.heap_bytes == 0 {
            return None;
        }
        Some(self.payloads.take(len)?.buffer())
    }

    fn write_area(&mut self, buffer: RemoteBuffer, at: usize, bytes: &[u8]) {
        let own = self.attributes.rank;
        self.payloads.write_area(own, buffer, at, bytes);
    }

    fn find_in_area(&mut self, peer: Rank, address: u64, len: usize) -> Option<Payload> {
        let found = self.payloads.find_in_area(peer, address, len)?;
        // So that the peer may lend and offer.
        self.reading.try_reading(peer);
        Some(found)
    }

    fn close_area(&mut self, buffer: RemoteBuffer) {
        self.payloads.give_back(buffer);
        self.give_back_idle_memory();
    }

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, Room)> {
        self.least_bytes(peer)?;
        let own = self.attributes.rank;
        let (block, room) = self.payloads.open_room(own, peer, payload, bytes)?;
        Some((block.buffer(), room))
    }

    fn room_behind(&mut self, peer: Rank, payload: &Payload, bytes: usize) -> Option<Room> {
        let room = self.payloads.room_behind(peer, payload, bytes);
        if room.is_none() {
            self.handle_impossible(peer, "place of a room");
        }
        room
    }

    fn close_room(&mut self, buffer: RemoteBuffer, room: Room) {
        self.payloads.close_room(buffer, room);
        self.give_back_idle_memory();
    }
}
