//! The data that a rank gets from several others, in one allocation.

use std::fmt;
use std::ops::Index;

use crate::comm::Element;
use crate::order::Rank;

/// One part for each rank, of any length, concatenated in rank order.
///
/// ```
/// runahead::launch(3, |world| {
///     let own = vec![world.rank() as u32; world.rank()];
///     let parts = world.all_gather(&own)?;
///     assert_eq!(parts[2], [2, 2]);
///     assert_eq!(parts.iter().map(<[u32]>::len).collect::<Vec<_>>(), [0, 1, 2]);
///     assert_eq!(parts.into_data(), [1, 2, 2]);
///     Ok(())
/// }).unwrap();
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Parts<T> {
    data: Vec<T>,
    /// Where each part ends.
    ends: Vec<usize>,
}

impl<T> Parts<T> {
    /// The number of parts: one for each rank.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The parts, in the order of ranks.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|rank| &self[rank])
    }

    /// All elements, the parts concatenated.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// Like [`data`](Parts::data), by value and without a copy.
    pub fn into_data(self) -> Vec<T> {
        self.data
    }

    fn start(&self, rank: Rank) -> usize {
        if rank == 0 { 0 } else { self.ends[rank - 1] }
    }

    pub(super) fn part_mut(&mut self, rank: Rank) -> &mut [T] {
        let start = self.start(rank);
        &mut self.data[start..self.ends[rank]]
    }

    /// No parts yet, with room for those of `size` ranks, and for `count` elements in all.
    pub(super) fn with_capacity(size: usize, count: usize) -> Parts<T> {
        Parts { data: Vec::with_capacity(count), ends: Vec::with_capacity(size) }
    }

    /// Adds the part that `fill` appends.
    pub(super) fn push_with<E>(
        &mut self,
        fill: impl FnOnce(&mut Vec<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        fill(&mut self.data)?;
        self.ends.push(self.data.len());
        Ok(())
    }
}

impl<T: Element> Parts<T> {
    /// Parts with these numbers of elements, all zero.
    pub(super) fn zeroed(counts: &[usize]) -> Parts<T> {
        let mut end = 0;
        let ends: Vec<usize> = counts
            .iter()
            .map(|count| {
                end += count;
                end
            })
            .collect();
        Parts { data: vec![T::new_zeroed(); end], ends }
    }
}

impl<T> FromIterator<Vec<T>> for Parts<T> {
    fn from_iter<I: IntoIterator<Item = Vec<T>>>(parts: I) -> Parts<T> {
        let mut all = Parts::with_capacity(0, 0);
        for mut part in parts {
            all.data.append(&mut part);
            all.ends.push(all.data.len());
        }
        all
    }
}

/// The part of a rank.
///
/// # Panics
///
/// If there is no such rank.
impl<T> Index<Rank> for Parts<T> {
    type Output = [T];

    fn index(&self, rank: Rank) -> &[T] {
        &self.data[self.start(rank)..self.ends[rank]]
    }
}

impl<T: fmt::Debug> fmt::Debug for Parts<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn parts_stand_one_behind_the_other() {
        let parts: Parts<u8> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
        assert_eq!((parts.len(), parts.is_empty()), (3, false));
        assert_eq!((&parts[0], &parts[1], &parts[2]), (&[1, 2][..], &[][..], &[3][..]));
        assert_eq!(format!("{parts:?}"), "[[1, 2], [], [3]]");
        assert_eq!(parts.data(), [1, 2, 3]);
        let mut zeroed = Parts::<u8>::zeroed(&[2, 0, 1]);
        zeroed.part_mut(2)[0] = 7;
        assert_eq!(zeroed.iter().collect::<Vec<_>>(), [&[0, 0][..], &[], &[7]]);
    }
}
