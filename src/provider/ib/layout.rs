//! Where things lie in the two pieces of memory that a rank's peers can reach by themselves.
//!
//! What is *shown* they may read: how many receives this rank has posted again, and where its regions are. What is
//! *reached* they may write, too: that they have left, and words of regions. So nobody can disturb the counts by
//! which others send.

use crate::order::Rank;
use crate::verbs::RegionKey;

/// The most regions of a rank.
pub(super) const MAX_REGIONS: usize = 16;

/// All regions of a rank together, in words.
pub(super) const REGION_WORDS: usize = 1 << 15;

/// The words of a table of regions: first word and number of words, for each.
pub(super) const TABLE_WORDS: usize = 2 * MAX_REGIONS;

/// A region: where it starts among the words of all regions, and how many it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) first: usize,
    pub(super) words: usize,
}

/// The lanes are the completion queues, and behind them the control lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryLayout {
    pub(super) size: usize,
    pub(super) lanes: usize,
}

impl MemoryLayout {
    pub(super) fn shown_words(self) -> usize {
        TABLE_WORDS + self.lanes * self.size
    }

    pub(super) fn reached_words(self) -> usize {
        self.size + REGION_WORDS
    }

    /// Room for what is read of all peers: counts as they are shown, one table, and a word that was fetched of each.
    pub(super) fn landing_words(self) -> usize {
        self.fetched(self.size)
    }

    /// Where, in the landing, a word lies that was fetched of `peer`.
    pub(super) fn fetched(self, peer: Rank) -> usize {
        self.shown_words() + peer
    }

    /// Where the count of receives lies that were posted again to `peer`; or, in the landing, the one that was
    /// read of it.
    pub(super) fn count(self, lane: usize, peer: Rank) -> usize {
        TABLE_WORDS + lane * self.size + peer
    }

    /// Where `peer` writes that it has left.
    pub(super) fn farewell(self, peer: Rank) -> usize {
        peer
    }

    /// Where a word of a region lies, if it has that.
    pub(super) fn word(self, region: Region, word: usize) -> Option<usize> {
        (word < region.words).then(|| self.size + region.first + word)
    }
}

/// The region of this key in a table, which its owner may have filled with anything: None if there is none.
pub(super) fn region_in(table: &[u64; TABLE_WORDS], key: RegionKey) -> Option<Region> {
    let at = usize::try_from(key.0).ok()?.checked_mul(2)?;
    let (&first, &words) = (table.get(at)?, table.get(at + 1)?);
    let (first, words) = (usize::try_from(first).ok()?, usize::try_from(words).ok()?);
    let end = first.checked_add(words)?;
    (words > 0 && end <= REGION_WORDS).then_some(Region { first, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_do_not_overlap() {
        let layout = MemoryLayout { size: 5, lanes: 3 };
        let counts = (0..3).flat_map(|lane| (0..5).map(move |peer| layout.count(lane, peer)));
        let mut shown: Vec<_> = (0..TABLE_WORDS).chain(counts).collect();
        shown.sort_unstable();
        assert!(shown.iter().copied().eq(0..layout.shown_words()));
        let farewells = (0..5).map(|peer| layout.farewell(peer));
        let all = Region { first: 0, words: REGION_WORDS };
        let words = (0..REGION_WORDS).map(|word| layout.word(all, word).unwrap());
        assert!(farewells.chain(words).eq(0..layout.reached_words()));
        assert_eq!(layout.word(all, REGION_WORDS), None);
    }

    /// SEMANTICS: SAFE-1
    #[test]
    fn a_table_is_not_believed() {
        let mut table = [0; TABLE_WORDS];
        assert_eq!(region_in(&table, RegionKey(0)), None);
        (table[2], table[3]) = (7, 9);
        assert_eq!(region_in(&table, RegionKey(1)), Some(Region { first: 7, words: 9 }));
        for (first, words) in [(u64::MAX, 1), (1, u64::MAX), (REGION_WORDS as u64, 1), (0, 1 << 16)]
        {
            (table[4], table[5]) = (first, words);
            assert_eq!(region_in(&table, RegionKey(2)), None);
        }
        for key in [MAX_REGIONS as u32, 1 << 31, u32::MAX] {
            assert_eq!(region_in(&table, RegionKey(key)), None);
        }
    }
}
