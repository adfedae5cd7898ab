//! What is claimed in shared memory with one step on one word: a rank, and the layout of the
//! segment.
//!
//! Here are only these steps, over words that may be loom's; where the words lie is `layout`'s, and
//! what becomes of a claim that fails, `segment`'s and `nic`'s.

use super::parker::{NO, YES};
use super::tell::is_gone;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::futex::Futex;

/// Takes a rank, if it is free and has not left. Of several processes that try, one has it.
pub(super) fn take<F: Futex>(taken: &F, gone: &F) -> bool {
    // Pairs with itself.
    !is_gone(gone) && taken.swap(YES, Ordering::AcqRel) == NO
}

/// Chooses a layout, unless another was chosen before; false if that is a different one.
pub(super) fn choose<A: Atomic<Value = u64>>(chosen: &A, hash: u64) -> bool {
    // Nothing else is published by it: the areas are all zero, whichever rank makes them first.
    match chosen.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(other) => other == hash,
    }
}

#[cfg(all(test, loom))]
mod models;
