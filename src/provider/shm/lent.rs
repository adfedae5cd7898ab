//! Lent payloads: large ones that their receiver reads in the memory of their sender, in one copy. A sender that
//! wants its memory back before copies the payload into its heap, and the receiver reads it there.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! Each ordered pair of ranks has a few *places* in shared memory, each for one payload at a time. A place says
//! which payload that is, and whether it stands, was taken, or was copied, and where the copy lies. From *stands*
//! one of two steps goes, each a compare-and-swap: the receiver takes, once it has read all, or the sender says
//! that it has copied. So neither waits for the other.
//!
//! Nothing is lent to a rank that [cannot read](super::reading) it. [`offers`](super::offers) are alike, but for
//! what becomes of a payload that is not read: that is then up to the call.
//!
//! # Correctness
//!
//! Of both steps one succeeds. If the receiver's does, the payload stood until then, so it had not changed when
//! it was read. If the sender's does, the copy was written before, and the receiver does not use what it has read
//! elsewhere. A place is used again once the receiver has said that it is done with the payload, or has gone; a
//! receiver that comes too late finds another number.
//!
//! What a peer that is not correct writes here makes a rank believe that its payload was read, or read any bytes
//! of the peer's own memory or heap. Places in heaps are checked where they are used.

use std::sync::Arc;

use super::heap::Block;
use super::layout::SegmentLayout;
use super::pair_words::PairWords;
use super::reading::{ReadEnd, Reading};
use crate::order::Rank;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::memory::{AtomicU64, Mapping};
use crate::verbs::RemoteBuffer;

/// So many payloads of one rank may be lent to another at a time: they share a line with the rest of the pair. (The
/// engine lends one at a time.)
const PLACES: usize = 2;
/// The bits of a key that say at which place.
const PLACE_BITS: u32 = 1;

/// The words of a pair: for each place its state, and where the copy lies in the heap of the sender.
pub(super) const PAIR_WORDS: usize = 2 * PLACES;

/// Stands in the address of what is lent. No process has memory there, nor does any heap reach so far.
const LENT: u64 = 1 << 63;

const STANDS: u64 = 1;
const TAKEN: u64 = 2;
const COPIED: u64 = 3;
const ENDED: u64 = 4;
const MOVED: u64 = 5;

/// The state of the payload with this key.
const fn state(key: u32, of: u64) -> u64 {
    (key as u64) << 32 | of
}

/// What a receiver finds at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It can be read in the memory of the sender: where the message says, or there if it was moved.
    Lent(Option<u64>),
    /// It can be read in the heap of the sender, from there on.
    Copied(u64),
    /// It cannot be read any more.
    Nothing,
}

/// The sender lends the payload with this key.
pub(super) fn lend<A: Atomic<Value = u64>>(word: &A, key: u32) {
    // The message that tells the receiver of it publishes the payload and this.
    word.store(state(key, STANDS), Ordering::Relaxed);
}

/// Where the receiver finds the payload with this key.
pub(super) fn find<A: Atomic<Value = u64>>(word: &A, place: &A, key: u32) -> Found {
    // Pairs with `say_copied` and `say_moved`: the copy and its place were written before.
    match word.load(Ordering::Acquire) {
        now if now == state(key, STANDS) => Found::Lent(None),
        now if now == state(key, MOVED) => Found::Lent(Some(place.load(Ordering::Relaxed))),
        now if now == state(key, COPIED) => Found::Copied(place.load(Ordering::Relaxed)),
        _ => Found::Nothing,
    }
}

/// The receiver has read all, where it was moved or not. False if what it has read may not be used.
pub(super) fn take<A: Atomic<Value = u64>>(word: &A, key: u32, is_moved: bool) -> bool {
    let lent = state(key, if is_moved { MOVED } else { STANDS });
    // Pairs with the loads of `is_taken`, `say_copied` and `say_moved`: what was read was read before. Where it
    // fails, the receiver looks again.
    word.compare_exchange(lent, state(key, TAKEN), Ordering::Release, Ordering::Relaxed).is_ok()
}

/// Whether the receiver has taken the payload: it may change.
pub(super) fn is_taken<A: Atomic<Value = u64>>(word: &A, key: u32) -> bool {
    // Pairs with `take`.
    word.load(Ordering::Acquire) == state(key, TAKEN)
}

/// The sender has copied the payload to there. False if the receiver had taken it before. It may change.
pub(super) fn say_copied<A: Atomic<Value = u64>>(word: &A, place: &A, key: u32, at: u64) -> bool {
    place.store(at, Ordering::Relaxed);
    let (stands, copied) = (state(key, STANDS), state(key, COPIED));
    // Where it succeeds it pairs with `find`; where it fails, with `take`.
    word.compare_exchange(stands, copied, Ordering::Release, Ordering::Acquire).is_ok()
}

/// As [`say_copied`], to an address of the sender: it lends the copy, and the payload may change.
pub(super) fn say_moved<A: Atomic<Value = u64>>(word: &A, place: &A, key: u32, to: u64) -> bool {
    place.store(to, Ordering::Relaxed);
    let (stands, moved) = (state(key, STANDS), state(key, MOVED));
    // As in `say_copied`.
    word.compare_exchange(stands, moved, Ordering::Release, Ordering::Acquire).is_ok()
}

/// The payload is lent no more: it may change, and nobody that comes later reads it or its copy.
fn end<A: Atomic<Value = u64>>(word: &A, key: u32) {
    // A receiver that has read it finds that out when it takes. `Acquire` pairs with `take`.
    let ends = |from| {
        let (lent, ended) = (state(key, from), state(key, ENDED));
        word.compare_exchange(lent, ended, Ordering::Relaxed, Ordering::Acquire).is_ok()
    };
    // This rank alone makes one of these of another.
    let _ = ends(STANDS) || ends(MOVED) || ends(COPIED);
}

/// What a rank has lent at a place.
#[derive(Clone, Copy, Debug)]
struct Lending {
    key: u32,
    copy: Option<Block>,
}

/// What one rank has lent to all others, and they to it.
pub(super) struct Lent {
    pairs: PairWords,
    /// What is lent to each peer.
    lendings: Vec<[Option<Lending>; PLACES]>,
    last_number: u32,
}

/// The state of a place, and where its copy lies.
fn words(pair: &[AtomicU64], at: usize) -> (&AtomicU64, &AtomicU64) {
    (&pair[2 * at], &pair[2 * at + 1])
}

/// At which place a payload with this key is, if there is such a place.
fn place_of(key: u32) -> Option<usize> {
    let at = key as usize & ((1 << PLACE_BITS) - 1);
    (at < PLACES).then_some(at)
}

/// By what a peer that lies names something else than a copy in a heap.
pub(super) fn is_lent(buffer: RemoteBuffer) -> bool {
    buffer.address & LENT != 0
}

impl Lent {
    pub(super) fn new(
        own: Rank,
        layout: &SegmentLayout,
        mapping: &Arc<Mapping>,
        rank_count: usize,
    ) -> Lent {
        let place = |receiver, sender| layout.lent(receiver, sender);
        Lent {
            pairs: PairWords::new(own, (mapping, rank_count), PAIR_WORDS, place),
            lendings: vec![[None; PLACES]; rank_count],
            last_number: 0,
        }
    }

    /// Lends `payload` to `peer`, if that one can read it and a place is free.
    pub(super) fn lend(
        &mut self,
        reading: &mut Reading,
        peer: Rank,
        payload: &[u8],
    ) -> Option<RemoteBuffer> {
        let address = payload.as_ptr().expose_provenance() as u64;
        if !reading.is_read_by(peer) || address & LENT != 0 {
            return None;
        }
        let at = self.lendings[peer].iter().position(Option::is_none)?;
        self.last_number = self.last_number.wrapping_add(1);
        let key = self.last_number << PLACE_BITS | at as u32;
        lend(words(&self.pairs.outgoing[peer], at).0, key);
        self.lendings[peer][at] = Some(Lending { key, copy: None });
        Some(RemoteBuffer { address: address | LENT, key })
    }

    /// What is lent to `peer` by this name, with its words.
    fn lending(
        &mut self,
        peer: Rank,
        buffer: RemoteBuffer,
    ) -> Option<(&mut Option<Lending>, (&AtomicU64, &AtomicU64))> {
        let at = place_of(buffer.key).filter(|_| is_lent(buffer))?;
        let lending = &mut self.lendings[peer][at];
        lending.filter(|lending| lending.key == buffer.key)?;
        Some((lending, words(&self.pairs.outgoing[peer], at)))
    }

    /// Whether `peer` has taken what was lent to it. What is not lent is taken.
    pub(super) fn is_taken(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        self.lending(peer, buffer).is_none_or(|(_, (word, _))| is_taken(word, buffer.key))
    }

    /// A payload was copied for `peer`. Returns the copy if that one has taken the payload before.
    pub(super) fn handle_copied(
        &mut self,
        peer: Rank,
        buffer: RemoteBuffer,
        copy: Block,
    ) -> Option<Block> {
        let Some((Some(lending), (word, place))) = self.lending(peer, buffer) else {
            return Some(copy);
        };
        if lending.copy.is_some() || !say_copied(word, place, buffer.key, copy.at as u64) {
            return Some(copy);
        }
        lending.copy = Some(copy);
        None
    }

    /// What is lent to `peer` is this copy from now on. False if it had taken the payload before, or it lies
    /// elsewhere already.
    pub(super) fn handle_moved(&mut self, peer: Rank, buffer: RemoteBuffer, copy: &[u8]) -> bool {
        let Some((_, (word, place))) = self.lending(peer, buffer) else { return false };
        say_moved(word, place, buffer.key, copy.as_ptr().expose_provenance() as u64)
    }

    /// A payload is lent to `peer` no more. Returns its copy, if there is one.
    pub(super) fn end(&mut self, peer: Rank, buffer: RemoteBuffer) -> Option<Block> {
        let (lending, (word, _)) = self.lending(peer, buffer)?;
        end(word, buffer.key);
        lending.take()?.copy
    }

    /// Where what `peer` has lent to this rank is found.
    pub(super) fn find(&self, peer: Rank, buffer: RemoteBuffer) -> Found {
        let (Some(at), Some(pair)) = (place_of(buffer.key), self.pairs.incoming.get(peer)) else {
            return Found::Nothing;
        };
        let (word, place) = words(pair, at);
        find(word, place, buffer.key)
    }

    /// Reads what `peer` has lent to this rank into `room`, and takes it. Failed also if the peer has copied it
    /// meanwhile.
    pub(super) fn take(
        &self,
        reading: &mut Reading,
        peer: Rank,
        (buffer, moved_to): (RemoteBuffer, Option<u64>),
        room: &mut [u8],
    ) -> ReadEnd {
        let (Some(at), Some(pair)) = (place_of(buffer.key), self.pairs.incoming.get(peer)) else {
            return ReadEnd::Failed;
        };
        let address = moved_to.unwrap_or(buffer.address & !LENT);
        match reading.read(peer, address, room) {
            ReadEnd::Read if !take(words(pair, at).0, buffer.key, moved_to.is_some()) => {
                ReadEnd::Failed
            }
            end => end,
        }
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
