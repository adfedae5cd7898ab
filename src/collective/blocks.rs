//! How the data of a call are divided among the ranks: what each rank has for each other. Pure.

use std::ops::Range;

use crate::order::Rank;

/// The elements of one rank's block where `size` ranks share `count` of them. If the division
/// leaves a remainder, the first ranks have one element more.
pub(super) fn share(count: usize, size: usize, rank: Rank) -> Range<usize> {
    let (each, more) = (count / size, count % size);
    let start = |rank: usize| rank * each + rank.min(more);
    start(rank)..start(rank + 1)
}

/// What a rank has for each rank, itself included.
#[derive(Debug)]
pub(super) enum SendBlocks<'a, T> {
    /// The same for all.
    Same(&'a [T]),
    /// The [share] of each in these.
    Shares(&'a [T]),
    /// A slice for each.
    Listed(&'a [&'a [T]]),
}

impl<T> Copy for SendBlocks<'_, T> {}

impl<T> Clone for SendBlocks<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, T> SendBlocks<'a, T> {
    /// The part for rank `to`, of `size`.
    #[inline]
    pub(super) fn part(self, to: Rank, size: usize) -> &'a [T] {
        match self {
            SendBlocks::Same(data) => data,
            SendBlocks::Shares(data) => &data[share(data.len(), size, to)],
            SendBlocks::Listed(parts) => parts[to],
        }
    }
}

/// How many elements each rank must have for this one.
#[derive(Clone, Copy, Debug)]
pub(super) enum RecvBlocks<'a> {
    /// Only the senders know.
    Unknown,
    /// The same number each.
    Equal(usize),
    /// Its share of so many, among so many ranks.
    Shares(usize, usize),
    /// These numbers, by rank.
    Listed(&'a [usize]),
}

impl RecvBlocks<'_> {
    /// The number of elements from this rank, if known.
    #[inline]
    pub(super) fn of(self, from: Rank) -> Option<usize> {
        match self {
            RecvBlocks::Unknown => None,
            RecvBlocks::Equal(count) => Some(count),
            RecvBlocks::Shares(count, size) => Some(share(count, size, from).len()),
            RecvBlocks::Listed(counts) => Some(counts[from]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_in_the_order_of_ranks_and_differ_by_one_at_most() {
        for count in 0..20 {
            for size in 1..6 {
                let shares: Vec<_> = (0..size).map(|rank| share(count, size, rank)).collect();
                assert!(shares.iter().cloned().flatten().eq(0..count), "{shares:?}");
                let counts = shares.iter().map(Range::len);
                let (least, most) = (counts.clone().min(), counts.max());
                assert!(most.unwrap() - least.unwrap() <= 1, "{shares:?}");
                let known = RecvBlocks::Shares(count, size);
                assert!((0..size).all(|rank| known.of(rank) == Some(shares[rank].len())));
            }
        }
    }

    #[test]
    fn each_rank_has_its_part() {
        assert_eq!(SendBlocks::Same(&[1, 2]).part(3, 5), [1, 2]);
        assert_eq!(SendBlocks::Shares(&[1, 2, 3]).part(1, 2), [3]);
        assert_eq!(SendBlocks::Listed(&[&[1], &[]]).part(1, 2), []);
        assert_eq!(RecvBlocks::Listed(&[4, 0]).of(0), Some(4));
        assert_eq!(RecvBlocks::Unknown.of(0), None);
    }
}
