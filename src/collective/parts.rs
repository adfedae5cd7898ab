//! What a rank gets from several others, in one piece of memory.

use std::fmt;
use std::ops::Index;

use crate::order::Rank;

/// One part for each rank, of any length, one behind the other.
///
/// ```
/// runahead::launch(3, |world| {
///     let own = vec![world.rank() as u32; world.rank()];
///     let parts = world.iall_gather(&own)?.wait()?;
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
    /// How many parts there are: one for each rank.
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

    /// All elements, one part behind the other.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// As [`data`](Parts::data), without a copy.
    pub fn into_data(self) -> Vec<T> {
        self.data
    }

    fn start(&self, rank: Rank) -> usize {
        if rank == 0 { 0 } else { self.ends[rank - 1] }
    }

    /// No parts, with room for those of so many ranks.
    pub(super) fn with_capacity(size: usize) -> Parts<T> {
        Parts { data: Vec::new(), ends: Vec::with_capacity(size) }
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
        let mut parts: Parts<u8> = Parts::with_capacity(3);
        for part in [vec![1, 2], vec![], vec![3]] {
            let pushed: Result<(), ()> = parts.push_with(|all| {
                all.extend(part);
                Ok(())
            });
            pushed.unwrap();
        }
        assert_eq!((parts.len(), parts.is_empty()), (3, false));
        assert_eq!((&parts[0], &parts[1], &parts[2]), (&[1, 2][..], &[][..], &[3][..]));
        assert_eq!(format!("{parts:?}"), "[[1, 2], [], [3]]");
        assert_eq!(parts.data(), [1, 2, 3]);
    }
}
