//! The data that a rank gets from several others, in one allocation.

use std::fmt;
use std::ops::Index;

use zerocopy::IntoBytes;

use crate::comm::Element;
use crate::comm::element::copy;
use crate::order::Rank;
use crate::sys::copy::{append_elements, copy_bytes};

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

    /// No parts yet, of `size` ranks.
    pub(super) fn with_capacity(size: usize) -> Parts<T> {
        Parts { data: Vec::new(), ends: Vec::with_capacity(size) }
    }

    /// No parts yet, with room for those of `size` ranks, if each has `count` elements, and there is memory for so many.
    pub(super) fn guessed(size: usize, count: usize) -> Parts<T> {
        let mut parts = Parts::with_capacity(size);
        let _ = parts.data.try_reserve_exact(count.saturating_mul(size));
        parts
    }

    /// Adds the part that `fill` appends.
    pub(super) fn push_with<E>(
        &mut self,
        fill: impl FnOnce(&mut Vec<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        fill(&mut self.data)?;
        self.end_part();
        Ok(())
    }

    /// The same, where nothing can fail.
    pub(super) fn push(&mut self, fill: impl FnOnce(&mut Vec<T>)) {
        fill(&mut self.data);
        self.end_part();
    }

    /// Adds a part that ends at this place in data that come later.
    pub(super) fn push_end(&mut self, end: usize) {
        self.ends.push(end);
    }

    /// The data of the parts so far are these.
    pub(super) fn set_data(&mut self, data: Vec<T>) {
        self.data = data;
    }

    fn end_part(&mut self) {
        self.ends.push(self.data.len());
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
        let mut all = Parts::with_capacity(0);
        for mut part in parts {
            all.data.append(&mut part);
            all.ends.push(all.data.len());
        }
        all
    }
}

/// A rank is believed that so many bytes will come, and there is place for them before. For more there is as they come.
const BELIEVED_BYTES: u64 = 32 << 20;

/// Makes place for data of which another rank has announced so many bytes, if there is memory for them.
pub(super) fn reserve_announced<T: Element>(bytes: u64, data: &mut Vec<T>) {
    let believed = bytes.min(BELIEVED_BYTES) as usize;
    let _ = data.try_reserve(believed / size_of::<T>());
}

/// What an exchange does with the pieces that come.
pub(super) trait Sink<T> {
    /// Takes a piece of the part of `from`, before which `left` of its elements were missing. It must not
    /// call the runtime.
    fn put(&mut self, from: Rank, left: u64, bytes: &[u8]);

    /// The place of the whole part of `from`, if it has one.
    fn place(&mut self, from: Rank) -> Option<&mut [T]>;

    /// The whole part of `from` is in its place.
    fn handle_placed(&mut self, _from: Rank) {}
}

/// A sink that only takes pieces.
pub(super) struct Take<F>(pub(super) F);

impl<T, F: FnMut(Rank, u64, &[u8])> Sink<T> for Take<F> {
    fn put(&mut self, from: Rank, left: u64, bytes: &[u8]) {
        self.0(from, left, bytes);
    }

    fn place(&mut self, _: Rank) -> Option<&mut [T]> {
        None
    }
}

/// Places for parts whose lengths are known.
pub(super) trait Places<T> {
    /// The place of the part of `from`.
    fn place_of(&mut self, from: Rank) -> &mut [T];
}

/// A sink that puts every piece in its place.
pub(super) struct Put<'p, P>(pub(super) &'p mut P);

impl<T: Element, P: Places<T>> Sink<T> for Put<'_, P> {
    fn put(&mut self, from: Rank, left: u64, bytes: &[u8]) {
        let part = self.0.place_of(from);
        let at = part.len() - left as usize;
        place(part, at, bytes);
    }

    fn place(&mut self, from: Rank) -> Option<&mut [T]> {
        Some(self.0.place_of(from))
    }
}

impl<T: Element> Places<T> for Parts<T> {
    fn place_of(&mut self, from: Rank) -> &mut [T] {
        self.part_mut(from)
    }
}

/// Parts of which each comes in pieces, and only their senders know how long they are. It never takes
/// more memory than has come: but most parts are as long as this rank's own, and have their place
/// already.
pub(super) struct GuessedParts<T> {
    guessed: Parts<T>,
    /// How long each guessed part is.
    count: usize,
    /// How much of each has come.
    filled: Vec<usize>,
    /// The parts with another length.
    others: Vec<Option<Vec<T>>>,
}

impl<T: Element> GuessedParts<T> {
    /// Those of `size` ranks, of which `rank` has given `own`.
    pub(super) fn new(rank: Rank, size: usize, own: &[T]) -> GuessedParts<T> {
        let count = own.len();
        let mut guessed = Parts::zeroed(&vec![count; size]);
        copy(own, guessed.part_mut(rank));
        let mut filled = vec![0; size];
        filled[rank] = count;
        GuessedParts { guessed, count, filled, others: vec![None; size] }
    }

    /// All of them. A rank that has sent no piece has no data.
    pub(super) fn into_parts(self) -> Parts<T> {
        let GuessedParts { guessed, count, filled, others } = self;
        if filled.iter().all(|&filled| filled == count) && others.iter().all(Option::is_none) {
            return guessed;
        }
        let parts = others.into_iter().enumerate().map(|(from, part)| match part {
            Some(part) => part,
            None => guessed[from][..filled[from]].to_vec(),
        });
        parts.collect()
    }
}

/// Where the parts of all ranks are put as they come.
pub(super) trait PutParts<T> {
    /// Puts the next piece of the part of `from` in its place. Before it, `left` elements of that
    /// part were missing.
    fn put(&mut self, from: Rank, left: u64, bytes: &[u8]);

    /// What has come of the part of `from`, and perhaps more.
    fn part(&self, from: Rank) -> &[T];
}

impl<T: Element> PutParts<T> for GuessedParts<T> {
    fn put(&mut self, from: Rank, left: u64, bytes: &[u8]) {
        let first = self.filled[from] == 0 && self.others[from].is_none();
        if first && left != self.count as u64 {
            self.others[from] = Some(Vec::new());
        }
        match &mut self.others[from] {
            Some(part) => append_elements(bytes, part),
            None => place(self.guessed.part_mut(from), self.filled[from], bytes),
        }
        self.filled[from] += bytes.len() / size_of::<T>();
    }

    fn part(&self, from: Rank) -> &[T] {
        self.others[from].as_deref().unwrap_or(&self.guessed[from])
    }
}

impl<T: Element> Sink<T> for GuessedParts<T> {
    fn put(&mut self, from: Rank, left: u64, bytes: &[u8]) {
        PutParts::put(self, from, left, bytes);
    }

    fn place(&mut self, from: Rank) -> Option<&mut [T]> {
        Some(self.guessed.part_mut(from))
    }

    fn handle_placed(&mut self, from: Rank) {
        self.filled[from] = self.count;
    }
}

/// Parts that all have as many elements.
pub(super) struct EqualParts<'a, T> {
    /// One part after the other.
    pub(super) room: &'a mut [T],
    pub(super) count: usize,
}

impl<T: Element> PutParts<T> for EqualParts<'_, T> {
    fn put(&mut self, from: Rank, left: u64, bytes: &[u8]) {
        place(self.room, (from + 1) * self.count - left as usize, bytes);
    }

    fn part(&self, from: Rank) -> &[T] {
        &self.room[from * self.count..][..self.count]
    }
}

impl<T: Element> Places<T> for EqualParts<'_, T> {
    fn place_of(&mut self, from: Rank) -> &mut [T] {
        &mut self.room[from * self.count..][..self.count]
    }
}

/// Puts the elements with these bytes in their place, from element `at` on.
pub(super) fn place<T: Element>(room: &mut [T], at: usize, bytes: &[u8]) {
    copy_bytes(bytes, room[at..][..bytes.len() / size_of::<T>()].as_mut_bytes());
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
    use super::{BELIEVED_BYTES, Parts, reserve_announced};

    /// SEMANTICS: SAFE-1
    #[test]
    fn who_announces_more_than_there_is_takes_no_memory_for_it() {
        let mut data: Vec<u32> = Vec::new();
        reserve_announced(1000, &mut data);
        assert_eq!(data.capacity(), 250);
        for announced in [4 * BELIEVED_BYTES, u64::MAX] {
            reserve_announced(announced, &mut data);
            assert!(data.capacity() as u64 * 4 <= BELIEVED_BYTES);
        }
    }

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
