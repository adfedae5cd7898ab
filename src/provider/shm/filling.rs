//! Copies that their reader follows: a sender tells of the copy of a payload before it makes it. The receiver takes
//! piece by piece what is there, while the sender copies the rest. So both copies are made at the same time.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! Each ordered pair of ranks has one word in shared memory, which the sender alone writes. It says which block of its
//! heap it fills, by the block's key, and how many pieces are there.
//!
//! # Correctness
//!
//! The sender writes a piece, then the word; the receiver reads the word, then the piece. The message that tells of a
//! copy publishes that it was begun, so the receiver never finds what stood there before. A sender fills each copy
//! to its end before it begins the next for the same peer. So a word of another block says that all of this one is
//! there. Nobody writes a block that the receiver may read: it is given back once that one has said so, as every block is.
//!
//! What a peer that is not correct writes here makes its receiver read any bytes of the peer's own heap, or wait as for
//! a peer that sends nothing.

use std::sync::Arc;

use super::heap::Block;
use super::layout::SegmentLayout;
use super::lent::is_lent;
use super::pair_words::PairWords;
use crate::order::Rank;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::memory::Mapping;
use crate::verbs::RemoteBuffer;

/// The word of a pair: which block, and how many pieces are there.
pub(super) const PAIR_WORDS: usize = 1;

/// So much is copied before the receiver is told. (Measured: docs/EXPERIMENTS.md, *A copy that its receiver follows*.)
pub(super) const PIECE_BYTES: usize = 16 << 10;
/// What is shorter is there as soon as its receiver looks.
const LEAST_BYTES: usize = 2 * PIECE_BYTES;

/// Stands in the address of a copy that is begun. No heap reaches so far.
const BEGUN: u64 = 1 << 62;

/// So many pieces of the block with this key are there.
const fn state(key: u32, pieces: u32) -> u64 {
    (key as u64) << 32 | pieces as u64
}

/// The sender begins to fill the block with this key.
pub(super) fn begin<A: Atomic<Value = u64>>(word: &A, key: u32) {
    // The message that tells the receiver of it publishes this. And it pairs with `filled` of the block before, all of
    // which was written before.
    word.store(state(key, 0), Ordering::Release);
}

/// So many pieces of the block with this key are there now.
pub(super) fn say_filled<A: Atomic<Value = u64>>(word: &A, key: u32, pieces: u32) {
    // Pairs with `filled`: they were written before.
    word.store(state(key, pieces), Ordering::Release);
}

/// How many pieces of the block with this key are there. None if it is another's turn since: then all are.
pub(super) fn filled<A: Atomic<Value = u64>>(word: &A, key: u32) -> Option<u32> {
    // Pairs with `say_filled`, or with `begin` of a later block.
    let now = word.load(Ordering::Acquire);
    ((now >> 32) as u32 == key).then_some(now as u32)
}

/// How a peer finds a block that is being filled.
pub(super) fn buffer_of(block: Block) -> RemoteBuffer {
    let RemoteBuffer { address, key } = block.buffer();
    RemoteBuffer { address: address | BEGUN, key }
}

/// What a buffer is, if it names a block that is being filled: the same as of one that is filled.
pub(super) fn begun(buffer: RemoteBuffer) -> Option<RemoteBuffer> {
    let is_begun = buffer.address & BEGUN != 0 && !is_lent(buffer);
    is_begun.then_some(RemoteBuffer { address: buffer.address & !BEGUN, ..buffer })
}

/// How far the copies are that one rank fills for all others, and they for it.
pub(super) struct Filling {
    pairs: PairWords,
}

impl Filling {
    pub(super) fn new(
        own: Rank,
        layout: &SegmentLayout,
        mapping: &Arc<Mapping>,
        rank_count: usize,
    ) -> Filling {
        let place = |receiver, sender| layout.filled(receiver, sender);
        Filling { pairs: PairWords::new(own, (mapping, rank_count), PAIR_WORDS, place) }
    }

    /// Whether a copy of so many bytes for `peer` may be begun.
    pub(super) fn pays(&self, peer: Rank, bytes: usize) -> bool {
        bytes >= LEAST_BYTES && self.pairs.outgoing.len() > peer
    }

    /// This rank begins to fill a block for `peer`.
    pub(super) fn begin(&self, peer: Rank, block: Block) -> RemoteBuffer {
        begin(&self.pairs.outgoing[peer][0], block.key);
        buffer_of(block)
    }

    /// Has `copy` fill a block for `peer` with a payload, piece by piece, each with its place in the block.
    pub(super) fn fill(
        &self,
        peer: Rank,
        key: u32,
        payload: &[u8],
        mut copy: impl FnMut(usize, &[u8]),
    ) {
        let word = &self.pairs.outgoing[peer][0];
        for (pieces, piece) in payload.chunks(PIECE_BYTES).enumerate() {
            copy(pieces * PIECE_BYTES, piece);
            say_filled(word, key, pieces as u32 + 1);
        }
    }

    /// How many bytes of a copy of `len` bytes are there, which `peer` fills in the block with this key.
    pub(super) fn filled_bytes(&self, peer: Rank, key: u32, len: usize) -> usize {
        let pieces = self.pairs.incoming.get(peer).and_then(|pair| filled(&pair[0], key));
        pieces.map_or(len, |pieces| len.min((pieces as usize).saturating_mul(PIECE_BYTES)))
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
