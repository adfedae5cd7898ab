//! Where things lie in the two pieces of memory that a rank's peers can reach by themselves.
//!
//! What is *shown* they may read: how many receives this rank has posted again. What is *reached*
//! they may write, too: that they have left, and words of regions. So nobody can disturb the counts
//! by which others send.

use crate::order::Rank;

/// The most regions of a rank.
pub(super) const MAX_REGIONS: usize = 16;

/// All regions of a rank together, in words.
pub(super) const REGION_WORDS: usize = 1 << 15;

/// The lanes are the completion queues, and behind them the control lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryLayout {
    pub(super) size: usize,
    pub(super) lanes: usize,
}

impl MemoryLayout {
    pub(super) fn shown_words(self) -> usize {
        self.lanes * self.size
    }

    pub(super) fn reached_words(self) -> usize {
        self.size + REGION_WORDS
    }

    /// Room for words read of all peers: the counts that they show, and a word that was fetched of
    /// each.
    pub(super) fn landing_words(self) -> usize {
        self.fetched(self.size)
    }

    /// Where, in the landing, a word lies that was fetched of `peer`.
    pub(super) fn fetched(self, peer: Rank) -> usize {
        self.shown_words() + peer
    }

    /// Where the count of receives lies that were posted again to `peer`; or, in the landing, the
    /// one that was read of it.
    pub(super) fn count(self, lane: usize, peer: Rank) -> usize {
        lane * self.size + peer
    }

    /// Where `peer` writes that it has left.
    pub(super) fn farewell(self, peer: Rank) -> usize {
        peer
    }

    /// Where a word lies, of those of all regions.
    pub(super) fn word(self, index: usize) -> usize {
        self.size + index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_do_not_overlap() {
        let layout = MemoryLayout { size: 5, lanes: 3 };
        let counts = (0..3).flat_map(|lane| (0..5).map(move |peer| layout.count(lane, peer)));
        assert!(counts.eq(0..layout.shown_words()));
        let farewells = (0..5).map(|peer| layout.farewell(peer));
        let words = (0..REGION_WORDS).map(|word| layout.word(word));
        assert!(farewells.chain(words).eq(0..layout.reached_words()));
    }
}
