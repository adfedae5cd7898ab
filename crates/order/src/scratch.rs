//! Storage that is kept for reuse and is not part of a state. Two states that differ only in it are
//! equal and have equal hashes, so that a state search does not count them twice.

use std::hash::{Hash, Hasher};

/// An empty or stale value, kept only for its memory. A clone starts empty.
#[derive(Debug, Default)]
pub(super) struct Scratch<T>(pub(super) T);

impl<T: Default> Clone for Scratch<T> {
    fn clone(&self) -> Scratch<T> {
        Scratch(T::default())
    }
}

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Scratch<T>) -> bool {
        true
    }
}

impl<T> Eq for Scratch<T> {}

impl<T> Hash for Scratch<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A count of changes, by which others notice that a state is another. A clone goes on counting.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Version(pub(super) u64);

impl PartialEq for Version {
    fn eq(&self, _: &Version) -> bool {
        true
    }
}

impl Eq for Version {}

impl Hash for Version {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
