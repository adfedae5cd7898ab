//! Rooms in the heaps of ranks: words and bytes behind a payload, which its owner fills after the payload was exposed.
//!
//! Keeps rules COL-11 and SAFE-1 of SEMANTICS.md.
//!
//! # Which rank may touch a room
//!
//! Its owner alone writes. A reader copies bytes out once a word has said that they are there, and the owner does
//! not write them again. The block is in use as long as its owner has the room, or a peer may read the payload: so
//! a reader has the room while it has the payload.
//!
//! A room of a process that is not correct may have any words and bytes, and they may change: its reader gets copies,
//! and nothing outside of that one's heap.

use std::fmt;
use std::sync::Arc;

use super::heap::Block;
use super::payloads::{Payload, Payloads};
use crate::order::Rank;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::memory::{AtomicU64, Mapped, MappedBytes};
use crate::verbs::{self, ROOM_WORDS, RemoteBuffer};

/// The words lie behind the payload, in a cache line of their own; the bytes in those behind it.
const LINE_BYTES: usize = 64;

const _: () = assert!(ROOM_WORDS * size_of::<u64>() <= LINE_BYTES);

/// A room in the heap of a rank: the rank's own, or a peer's.
pub struct Room {
    heap: Arc<MappedBytes>,
    words: Mapped<AtomicU64>,
    /// Where its bytes begin in the heap, and how many there are.
    at: usize,
    len: usize,
}

/// What the owner of a room tells by a word.
#[inline]
fn told<A: Atomic<Value = u64>>(word: &A) -> u64 {
    // Pairs with the store of `tell`.
    word.load(Ordering::Acquire)
}

/// The owner of a room tells something by a word.
#[inline]
fn tell<A: Atomic<Value = u64>>(word: &A, value: u64) {
    // Pairs with the load of `told`: what was written before is there then.
    word.store(value, Ordering::Release);
}

/// Where the words begin behind a payload of so many bytes that begins there; None if nothing can be so long.
fn words_behind(at: usize, payload_len: usize) -> Option<usize> {
    at.checked_add(payload_len)?.checked_next_multiple_of(LINE_BYTES)
}

impl Room {
    /// The room of `len` bytes behind a payload of `payload_len` at `at`; the caller knows that both are within the heap.
    fn new(heap: &Arc<MappedBytes>, at: usize, (payload_len, len): (usize, usize)) -> Room {
        let words_at = words_behind(at, payload_len).expect("it lies within the heap");
        // SAFETY: no payload is read or written there while this block is in use: a payload ends before, and bytes
        // of a room begin behind. A peer that is not correct may have them used otherwise: any bits are words.
        let words = unsafe { heap.words(words_at, ROOM_WORDS) };
        Room { heap: Arc::clone(heap), words, at: words_at + LINE_BYTES, len }
    }

    /// Checks that so many bytes from `at` on are within the room. Returns where they begin in the heap.
    fn place(&self, at: usize, len: usize) -> usize {
        let is_within = at.checked_add(len).is_some_and(|end| end <= self.len);
        assert!(is_within, "{len} bytes at {at} of a room of {}", self.len);
        self.at + at
    }
}

impl verbs::Room for Room {
    #[inline]
    fn load(&self, word: usize) -> u64 {
        told(&self.words[word])
    }

    #[inline]
    fn store(&mut self, word: usize, value: u64) {
        tell(&self.words[word], value);
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        let place = self.place(at, bytes.len());
        // SAFETY: they lie within the room, whose owner writes alone, once, before a word says that they are there:
        // so nobody reads them, and no reference to them exists.
        unsafe { self.heap.write(place, &[], bytes, false) };
    }

    fn read(&self, at: usize, into: &mut [u8]) {
        let place = self.place(at, into.len());
        // SAFETY: they lie within the room, and its owner has said by a word that it has written them, and does
        // not again. For one that does, see the module's last paragraph.
        unsafe { self.heap.copy_out(place, into) };
    }
}

impl fmt::Debug for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a room of {} bytes at {} of a heap", self.len, self.at)
    }
}

impl Payloads {
    /// Copies a payload for `peer` and others into a block of the heap of `own`, with a room of so many bytes
    /// behind it.
    pub(super) fn open_room(
        &mut self,
        own: Rank,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(Block, Room)> {
        let behind = bytes.checked_add(LINE_BYTES)?;
        // A block begins with a line.
        let needed = words_behind(0, payload.len())?.checked_add(behind)?;
        let block = self.copy(own, peer, payload, needed)?;
        let mut room = Room::new(self.heap_of(own)?, block.at, (payload.len(), bytes));
        // Before any peer is told of the payload, by a message that publishes this.
        (0..ROOM_WORDS).for_each(|word| verbs::Room::store(&mut room, word, 0));
        Some((block, room))
    }

    /// The room of so many bytes behind a payload of `peer`, if there can be one.
    pub(super) fn room_behind(&self, peer: Rank, payload: &Payload, bytes: usize) -> Option<Room> {
        let (at, len) = payload.place()?;
        let end = words_behind(at, len)?.checked_add(LINE_BYTES)?.checked_add(bytes)?;
        let heap = self.heap_of(peer).filter(|_| end <= self.heap_bytes())?;
        Some(Room::new(heap, at, (len, bytes)))
    }

    /// The owner of a room gives it back.
    pub(super) fn close_room(&mut self, buffer: RemoteBuffer, room: Room) {
        drop(room);
        self.give_back(buffer);
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
