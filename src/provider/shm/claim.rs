//! What is claimed in shared memory with one step on one word: a rank, the layout of the segment, and the
//! place of memory that a rank registers.
//!
//! Here are only these steps, over words that may be loom's; where the words lie is `layout`'s, and what
//! becomes of a claim that fails, `segment`'s and `nic`'s.

use std::ops::Deref;

use super::parker::{NO, YES};
use super::tell::is_gone;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::futex::Futex;
use crate::verbs::RegionKey;

/// Takes a rank, if nobody has and it has not left. Of several who try, one has it.
pub(super) fn take<F: Futex>(taken: &F, gone: &F) -> bool {
    // Pairs with itself.
    !is_gone(gone) && taken.swap(YES, Ordering::AcqRel) == NO
}

/// Chooses a layout, unless another was chosen before; false if that is a different one.
pub(super) fn choose<A: Atomic<Value = u64>>(chosen: &A, hash: u64) -> bool {
    // Nothing else is published by it: the areas are all zero, whoever makes them first.
    match chosen.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(other) => other == hash,
    }
}

/// The memory that a rank registers: peers look up in its table where a region lies.
pub(super) struct Registry<W> {
    /// Where each region starts, above how many words it has. Written by the rank alone.
    pub(super) table: W,
    pub(super) words: W,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> Registry<W> {
    /// Publishes where a region lies. Only the rank itself calls it.
    pub(super) fn publish(&self, key: RegionKey, start: usize, words: usize) {
        let entry = (start as u64) << 32 | words as u64;
        // Pairs with the load in `word`.
        self.table[key.0 as usize].store(entry, Ordering::Release);
    }

    /// A word, if it exists; what the table says is not trusted.
    pub(super) fn word(&self, key: RegionKey, word: usize) -> Option<&A> {
        // Pairs with the store in `publish`.
        let entry = self.table.get(key.0 as usize)?.load(Ordering::Acquire);
        let (start, words) = ((entry >> 32) as usize, entry as u32 as usize);
        if word < words { self.words.get(start.checked_add(word)?) } else { None }
    }
}

#[cfg(all(test, loom))]
mod models;
