//! Words that one rank writes into memory and others read: a reader of the word sees all that was
//! written before it. One place for all providers whose ranks share memory, so that the models of
//! one are those of all (`provider/threads/models.rs`).
//!
//! Where the words lie, and which rank is woken, is each provider's; where regions lie, is here.

use crate::provider::limits::within;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::words::Words;
use crate::verbs::{NicAttributes, RegionKey, VerbsError};

/// The regions that a rank has registered ([`RemoteWords`](crate::verbs::RemoteWords)), one behind
/// the other in its memory. As all ranks register alike, they lie so at each peer.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions(Vec<Region>);

#[derive(Clone, Copy, Debug)]
struct Region {
    first: usize,
    words: usize,
}

impl Regions {
    /// Registers one more, within the limits of `attributes`.
    pub(super) fn register(
        &mut self,
        attributes: &NicAttributes,
        words: usize,
    ) -> Result<RegionKey, VerbsError> {
        let within = within(attributes.provider);
        within("number of regions", self.0.len() + 1, attributes.max_regions)?;
        let first = self.0.last().map_or(0, |region| region.first + region.words);
        let bytes = words.saturating_add(first).saturating_mul(8);
        within("registered memory in bytes", bytes, attributes.max_registered_bytes)?;
        self.0.push(Region { first, words });
        Ok(RegionKey(self.0.len() as u32 - 1))
    }

    /// Where a word lies among those of all regions, if there is one.
    #[inline]
    pub(super) fn index(&self, key: RegionKey, word: usize) -> Option<usize> {
        let region = self.0.get(key.0 as usize)?;
        (word < region.words).then(|| region.first + word)
    }

    /// The number of words in a region.
    pub(super) fn words(&self, key: RegionKey) -> Option<usize> {
        self.0.get(key.0 as usize).map(|region| region.words)
    }
}

/// The value of a word that another rank may have written.
#[inline]
pub(super) fn read<A: Atomic<Value = u64>>(word: &A) -> u64 {
    // Pairs with the store in `write`.
    word.load(Ordering::Acquire)
}

/// Writes a word. A writer that has to tell of it passes a fence before it looks which rank to
/// tell.
#[inline]
pub(super) fn write<A: Atomic<Value = u64>>(word: &A, value: u64) {
    // Pairs with the load in `read`.
    word.store(value, Ordering::Release);
}

/// Writes bytes to words one behind the other, before one that tells of them.
#[inline(always)]
pub(super) fn fill_bytes<A: Words>(words: &[A], bytes: &[u8]) {
    // Pairs with the loads in `copy_into`, by that word.
    A::store_bytes(words, bytes);
}

/// The values of words that were written before one that this rank has [read].
#[inline(always)]
pub(super) fn copy_into<A: Words>(words: &[A], values: &mut [u64]) {
    // Ordered by the load in `read`, which came before.
    A::load_words(words, values);
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
