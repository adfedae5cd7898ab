//! Words that lie in shared memory for each ordered pair of ranks, as one rank sees them. One rank of a pair is the sender of a
//! payload, and the other the receiver. What the words say, and who writes them, their users know.
//!
//! Keeps rule SAFE-1 of SEMANTICS.md.

use std::sync::Arc;

use crate::order::Rank;
use crate::sys::memory::{AtomicU64, Mapped, Mapping};

/// The words of all pairs with one rank, by the other. None where there are no queues: then no VI is open either, and
/// nobody sends.
pub(super) struct PairWords {
    /// Of the pairs in which this rank is the sender.
    pub(super) outgoing: Vec<Mapped<AtomicU64>>,
    /// Of those in which it is the receiver.
    pub(super) incoming: Vec<Mapped<AtomicU64>>,
}

impl PairWords {
    /// So many words of each pair, which lie where `place` says for a receiver and a sender.
    pub(super) fn new(
        own: Rank,
        (mapping, rank_count): (&Arc<Mapping>, usize),
        words: usize,
        place: impl Fn(Rank, Rank) -> Option<usize>,
    ) -> PairWords {
        let pair = |receiver, sender| place(receiver, sender).map(|at| mapping.words(at, words));
        PairWords {
            outgoing: (0..rank_count).filter_map(|peer| pair(peer, own)).collect(),
            incoming: (0..rank_count).filter_map(|peer| pair(own, peer)).collect(),
        }
    }
}
