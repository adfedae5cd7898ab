//! Storage that is kept for reuse and is no part of a state: two states that differ only in it are
//! equal and hash alike, so that an explorer does not take them for two.

use std::hash::{Hash, Hasher};

/// Something empty or stale, worth keeping for its memory alone. A clone starts afresh.
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
