//! Words that ranks write into memory which others read: what was published before a word is seen by
//! who sees the word. One place for all providers whose ranks share memory, so that the models of one
//! are those of all (`provider/threads/models.rs`).
//!
//! Where the words lie, and who is woken, is each provider's.

use crate::sys::atomic::{Atomic, Ordering};

/// The value of a word that another rank may have written.
#[inline]
pub(super) fn read<A: Atomic<Value = u64>>(word: &A) -> u64 {
    // Pairs with the store in `write`.
    word.load(Ordering::Acquire)
}

/// Writes a word. Whoever has to tell of it passes a fence before it looks whom to tell.
#[inline]
pub(super) fn write<A: Atomic<Value = u64>>(word: &A, value: u64) {
    // Pairs with the load in `read`.
    word.store(value, Ordering::Release);
}

/// Writes a word of the board, and passes this fence. Returns what that does.
#[inline]
pub(super) fn publish<A: Atomic<Value = u64>, R>(
    word: &A,
    value: u64,
    fence: impl FnOnce() -> R,
) -> R {
    write(word, value);
    // Orders the store before the loads and looks that come later. Pairs with itself at the other
    // ranks, and with the fence in the sleep of the parker.
    fence()
}
