//! Tables of objects that programs know by handles.
//! A handle is an index and the number of times that its place was used: a freed one names nothing until 1,024 others have
//! had its place.
//! Rules: a handle lies above the predefined ones and fits a Fortran INTEGER; a freed place allocates nothing.

use crate::abi::LAST_PREDEFINED_HANDLE;
use slab::Slab;

/// The low bits of a handle, which count how often its place was used.
const USE_BITS: u32 = 10;

/// The first index: handles lie above the predefined ones.
const FIRST: usize = (LAST_PREDEFINED_HANDLE + 1) >> USE_BITS;

/// The handle of the first object that a table gets.
pub(crate) const FIRST_HANDLE: usize = FIRST << USE_BITS;

/// Handles fit 31 bits.
const MOST: usize = (1 << (31 - USE_BITS)) - FIRST;

/// Objects by handle.
#[derive(Debug)]
pub(crate) struct Table<T> {
    objects: Slab<T>,
    uses: Vec<u16>,
}

impl<T> Table<T> {
    /// An empty table.
    pub(crate) const fn new() -> Table<T> {
        Table { objects: Slab::new(), uses: Vec::new() }
    }

    /// Keeps an object. Returns its handle; None if there are too many, and the object is dropped.
    #[inline]
    pub(crate) fn insert(&mut self, object: T) -> Option<usize> {
        if self.objects.len() >= MOST {
            return None;
        }
        let at = self.objects.insert(object);
        if at == self.uses.len() {
            self.uses.push(0);
        }
        Some((at + FIRST) << USE_BITS | usize::from(self.uses[at]))
    }

    /// The place of a handle, if it names an object.
    #[inline]
    fn place(&self, handle: usize) -> Option<usize> {
        let at = (handle >> USE_BITS).checked_sub(FIRST)?;
        let uses = *self.uses.get(at)?;
        (usize::from(uses) == handle & ((1 << USE_BITS) - 1)).then_some(at)
    }

    /// The object of a handle.
    #[inline]
    pub(crate) fn get(&self, handle: usize) -> Option<&T> {
        self.objects.get(self.place(handle)?)
    }

    /// As [`get`](Table::get), to change it.
    #[inline]
    pub(crate) fn get_mut(&mut self, handle: usize) -> Option<&mut T> {
        let at = self.place(handle)?;
        self.objects.get_mut(at)
    }

    /// Takes an object out; its handle names nothing from now on.
    #[inline]
    pub(crate) fn remove(&mut self, handle: usize) -> Option<T> {
        let at = self.place(handle)?;
        let object = self.objects.try_remove(at)?;
        self.uses[at] = (self.uses[at] + 1) & ((1 << USE_BITS) - 1);
        Some(object)
    }

    /// The handle of the first object that `matches`.
    pub(crate) fn handle_of(&self, matches: impl Fn(&T) -> bool) -> Option<usize> {
        let mut objects = self.objects.iter();
        let (at, _) = objects.find(|(_, object)| matches(object))?;
        Some((at + FIRST) << USE_BITS | usize::from(self.uses[at]))
    }
}

impl<T> Table<T> {
    /// Whether there are no objects.
    pub(crate) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_handle_names_nothing() {
        let mut table = Table::new();
        let first = table.insert('a').unwrap();
        assert!(first > LAST_PREDEFINED_HANDLE && i32::try_from(first).is_ok());
        assert_eq!(table.remove(first), Some('a'));
        let second = table.insert('b').unwrap();
        assert_ne!(first, second);
        assert_eq!(table.get(first), None);
        assert_eq!(table.remove(first), None);
        assert_eq!(table.get(second), Some(&'b'));
    }

    #[test]
    fn any_number_is_looked_up_without_harm() {
        let mut table = Table::new();
        let handles: Vec<_> = (0..9).map(|object| table.insert(object).unwrap()).collect();
        for number in (0..1 << 16).chain([usize::MAX, usize::MAX - 1, 1 << 31, 1 << 63]) {
            let expected = handles.iter().position(|&handle| handle == number);
            assert_eq!(table.get(number).copied(), expected);
        }
    }
}
