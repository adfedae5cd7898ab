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
        let together = self.together;
        self.parts.push(|all| {
            // Others may have less than this rank, which may have no memory for all of them.
            let _ = all.try_reserve_exact(together.saturating_sub(all.len()));
            append_elements(part, all);
        });
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
        let own = replace(&mut self.own, Own::NONE);
        match self.parts.is_empty() {
            true => self.parts.push(|all| *all = own.into_vec()),
            false => self.push(own.elements().as_bytes()),
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

    /// Of three ranks, of which this one has an element.
    fn parts_of(counts: Counts) -> Gathered<u16> {
        let together = counts.together(1, 3);
        Gathered::new(Own::first(&[1], 1), counts, (3, together))
    }

    #[test]
    fn parts_stand_in_the_order_in_which_they_are_taken() {
        let mut parts = parts_of(Counts::Listed(vec![2, 1, 0]));
        assert_eq!((parts.expected_bytes(0), parts.expected_bytes(2)), (Some(4), Some(0)));
        parts.take(&[5, 0, 6, 0]);
        parts.take_own();
        parts.take(&[]);
        assert_eq!(Joined(parts).finish(), [5, 6, 1]);
    }

    #[test]
    fn there_is_place_for_all_at_the_first_whoever_has_it() {
        for (counts, is_first) in [
            (Counts::Unknown, true),
            (Counts::Equal(1), false),
            (Counts::Listed(vec![1; 3]), false),
        ] {
            let mut parts = parts_of(counts);
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
        let mut parts = parts_of(Counts::Unknown);
        parts.take_own();
        parts.take(&[]);
        parts.take(&[2, 0, 3, 0, 4, 0]);
        assert_eq!(Joined(parts).finish(), [1, 2, 3, 4]);
        let mut parts = parts_of(Counts::Equal(usize::MAX / 2));
        parts.take(&[0, 0]);
        assert_eq!(parts.finish().data(), [0], "no memory for so many is no error here");
    }
}
