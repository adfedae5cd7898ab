//! What a nonblocking collective gathers: data of several ranks, one behind the other. Pure.
//!
//! Keeps rules COL-3 and COL-4 of SEMANTICS.md.

use std::mem::replace;

use zerocopy::IntoBytes;

use super::assembly::Assembly;
use super::own::Own;
use crate::collective::Parts;
use crate::comm::Element;
use crate::order::Rank;
use crate::sys::copy::append_elements;

/// How many elements each rank must have.
pub(super) enum Counts {
    /// Only the senders know.
    Unknown,
    /// The same number each.
    Equal(usize),
    /// These numbers, by rank.
    Listed(Vec<usize>),
}

/// The data of several ranks, concatenated.
pub struct Gathered<T> {
    /// What this rank gives, until it is its turn.
    own: Own<T>,
    counts: Counts,
    parts: Parts<T>,
    /// For so many elements there is place at the first that come.
    together: usize,
}

impl Counts {
    /// How many elements the ranks before this one have, if each has as many as this one where only the senders know.
    pub(super) fn before(&self, rank: Rank, own: usize) -> usize {
        match self {
            Counts::Listed(counts) => {
                counts[..rank].iter().fold(0_usize, |sum, &count| sum.saturating_add(count))
            }
            _ => self.together(own, rank),
        }
    }

    /// How many elements so many ranks have together, if each has as many as this one where only the senders know.
    pub(super) fn together(&self, own: usize, ranks: usize) -> usize {
        match self {
            Counts::Unknown => own.saturating_mul(ranks),
            Counts::Equal(count) => count.saturating_mul(ranks),
            Counts::Listed(counts) => {
                counts.iter().fold(0_usize, |sum, &count| sum.saturating_add(count))
            }
        }
    }
}

impl<T: Element> Gathered<T> {
    /// Nothing yet of so many ranks, which have so many elements together, if all goes as it mostly does.
    pub(super) fn new(own: Own<T>, counts: Counts, (ranks, together): (usize, usize)) -> Self {
        Gathered { own, counts, parts: Parts::with_capacity(ranks), together }
    }

    fn push(&mut self, part: &[u8]) {
        if let Own::Ahead(ahead) = &mut self.own {
            if ahead.append(part) {
                return self.parts.push_end(ahead.front_len());
            }
            self.set_aside();
        }
        let together = self.together;
        self.parts.push(|all| {
            // Others may have less than this rank, which may have no memory for all of them.
            let _ = all.try_reserve_exact(together.saturating_sub(all.len()));
            append_elements(part, all);
        });
    }
}

impl<T: Element> Gathered<T> {
    /// More has come before this rank's own data than was expected: these wait apart from now on.
    fn set_aside(&mut self) {
        if let Own::Ahead(ahead) = replace(&mut self.own, Own::NONE) {
            self.own = Own::Apart(ahead.elements().to_vec());
            self.parts.set_data(ahead.into_front());
        }
    }
}

impl<T: Element> Assembly for Gathered<T> {
    type Output = Parts<T>;

    fn expected_bytes(&self, from: Rank) -> Option<usize> {
        let count = match &self.counts {
            Counts::Unknown => return None,
            Counts::Equal(count) => *count,
            Counts::Listed(counts) => counts[from],
        };
        Some(count.saturating_mul(size_of::<T>()))
    }

    fn take_own(&mut self) {
        match replace(&mut self.own, Own::NONE) {
            Own::Ahead(ahead) => self.parts.push(|all| *all = ahead.join()),
            own if self.parts.is_empty() => self.parts.push(|all| *all = own.into_vec()),
            own => self.push(own.elements().as_bytes()),
        }
    }

    fn take(&mut self, payload: &[u8]) {
        self.push(payload);
    }

    fn finish(self) -> Parts<T> {
        self.parts
    }
}

/// Like [`Gathered`], without the boundaries between ranks.
pub struct Joined<T>(pub(super) Gathered<T>);

impl<T: Element> Assembly for Joined<T> {
    type Output = Vec<T>;

    fn expected_bytes(&self, from: Rank) -> Option<usize> {
        self.0.expected_bytes(from)
    }

    fn take_own(&mut self) {
        self.0.take_own();
    }

    fn take(&mut self, payload: &[u8]) {
        self.0.take(payload);
    }

    fn finish(self) -> Vec<T> {
        self.0.finish().into_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::ahead::Ahead;

    /// Of three ranks, of which this one has an element. It stands ahead, or apart if there was no memory for that.
    fn parts_of(counts: Counts, rank: Rank, is_ahead: bool) -> Gathered<u16> {
        let (before, together) = (counts.before(rank, 1), counts.together(1, 3));
        let own = match Ahead::new(&[1], before, together).filter(|_| is_ahead) {
            Some(ahead) => Own::Ahead(ahead),
            None => Own::first(&[1], 1),
        };
        Gathered::new(own, counts, (3, together))
    }

    #[test]
    fn parts_stand_in_the_order_in_which_they_are_taken() {
        for is_ahead in [true, false] {
            let mut parts = parts_of(Counts::Listed(vec![2, 1, 0]), 1, is_ahead);
            assert_eq!((parts.expected_bytes(0), parts.expected_bytes(2)), (Some(4), Some(0)));
            parts.take(&[5, 0, 6, 0]);
            parts.take_own();
            parts.take(&[]);
            assert_eq!(Joined(parts).finish(), [5, 6, 1]);
        }
    }

    /// As many come as this rank has, more, so that there is no place for them in front of it, or fewer.
    #[test]
    fn what_stands_ahead_is_in_its_place_whatever_comes_before_it() {
        for (parts, expected) in [
            (&[&[5u16][..], &[6]][..], &[5, 6, 1][..]),
            (&[&[5, 6, 7], &[8]], &[5, 6, 7, 8, 1]),
            (&[&[5], &[6, 7]], &[5, 6, 7, 1]),
            (&[&[], &[5]], &[5, 1]),
            (&[&[], &[]], &[1]),
        ] {
            for is_ahead in [true, false] {
                let mut all = parts_of(Counts::Unknown, 2, is_ahead);
                parts.iter().for_each(|part| all.take(part.as_bytes()));
                all.take_own();
                let all = all.finish();
                assert_eq!(all.data(), expected);
                let lengths: Vec<_> = parts.iter().map(|part| part.len()).chain([1]).collect();
                assert_eq!(all.iter().map(<[u16]>::len).collect::<Vec<_>>(), lengths);
            }
        }
    }

    #[test]
    fn there_is_place_for_all_at_the_first_whoever_has_it() {
        for (counts, is_first, is_ahead) in [
            (Counts::Unknown, true, true),
            (Counts::Equal(1), false, true),
            (Counts::Equal(1), false, false),
            (Counts::Listed(vec![1; 3]), false, true),
        ] {
            let mut parts = parts_of(counts, Rank::from(!is_first), is_ahead);
            if !is_first {
                parts.take(&[0, 0]);
            }
            parts.take_own();
            (0..if is_first { 2 } else { 1 }).for_each(|_| parts.take(&[2, 0]));
            let all = Joined(parts).finish();
            assert_eq!((all.len(), all.capacity()), (3, 3));
        }
    }

    #[test]
    fn others_may_have_more_than_there_is_place_for_or_less() {
        let mut parts = parts_of(Counts::Unknown, 0, true);
        parts.take_own();
        parts.take(&[]);
        parts.take(&[2, 0, 3, 0, 4, 0]);
        assert_eq!(Joined(parts).finish(), [1, 2, 3, 4]);
        let mut parts = parts_of(Counts::Equal(usize::MAX / 2), 1, true);
        parts.take(&[0, 0]);
        assert_eq!(parts.finish().data(), [0], "no memory for so many is no error here");
    }
}
