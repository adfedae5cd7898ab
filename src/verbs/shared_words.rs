//! Shared words: memory that the ranks of one host load and store in place. The board is made of
//! them. What a word means is the caller's to say.
//!
//! Nobody is told of a store, unless by [`Nic::wake`]. A rank that is to sleep until a shared word
//! changes asks for it in [`Nic::wait_unless`], so no wake-up is lost.
//!
//! [`Nic::wake`]: crate::verbs::Nic::wake
//! [`Nic::wait_unless`]: crate::verbs::Nic::wait_unless

use crate::order::Rank;
use crate::verbs::Absent;

/// What has become of words that were written into the memory of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Some are under way.
    UnderWay,
    /// All lie there.
    Arrived,
    /// The way is closed: some may not have come, and these never will.
    Lost,
}

/// What a network offers whose ranks see the same memory, all of them or those of each host: see
/// [`Nic::shared_words`](crate::verbs::Nic::shared_words).
///
/// All but [`count`](Self::count) and [`host_of`](Self::host_of) panic if there is no such word.
pub trait SharedWords {
    /// The number of 8-byte words that the ranks of each host share, zero at first. All ranks say
    /// the same.
    fn count(&self) -> usize;

    /// Reads a word. The reader sees what happened before it was stored. The value is as little to
    /// be trusted as a message.
    fn load(&self, word: usize) -> u64;

    /// Stores a word. It is seen whole. Each word has one writer, and all see the words of one rank
    /// in the order in which it has stored them.
    ///
    /// Ranks that each store a word and then load those of the others are sure to see them only
    /// where a rank sleeps, or is about to ([`wait_unless`](crate::verbs::Nic::wait_unless)). Then
    /// either `ready` finds all words there, or one of those that store finds all words, and that
    /// the other sleeps. (If no rank sleeps, perhaps none has seen them all. A rank that looks
    /// again later finds them.)
    fn store(&self, word: usize, value: u64);

    /// As [`store`](Self::store). False if it is sure that no rank sleeps, or is about to, without
    /// seeing the word: then nobody need be looked for that would have to be woken for it.
    #[inline]
    fn publish(&self, word: usize, value: u64) -> bool {
        self.store(word, value);
        true
    }

    /// Stores words one behind the other, in their order, for which nobody sleeps: as
    /// [`store`](Self::store), but no fence is passed.
    #[inline]
    fn fill(&self, first: usize, values: &[u64]) {
        (first..).zip(values).for_each(|(word, &value)| self.store(word, value));
    }

    /// As [`fill`](Self::fill), with bytes. What is left of the last word is 0.
    #[inline]
    fn fill_bytes(&self, first: usize, bytes: &[u8]) {
        let (whole, rest) = bytes.as_chunks();
        for (word, bytes) in (first..).zip(whole) {
            self.fill(word, &[u64::from_ne_bytes(*bytes)]);
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.fill(first + whole.len(), &[u64::from_ne_bytes(last)]);
        }
    }

    /// This rank will store so many words from `first` on soon, as far as they exist: where their memory can be
    /// brought to its core meanwhile, it is. Nothing else changes.
    #[inline]
    fn prepare_to_fill(&self, first: usize, words: usize) {
        let _ = (first, words);
    }

    /// Reads words one behind the other, which were stored before one that this rank has loaded.
    #[inline]
    fn copy_into(&self, first: usize, values: &mut [u64]) {
        (first..).zip(values).for_each(|(word, value)| *value = self.load(word));
    }

    /// The host of `peer`, by a number from 0: two ranks share words if theirs is the same. All
    /// ranks say the same of one peer. Where there is only one host, and of ranks that do not
    /// exist, it is 0.
    fn host_of(&self, peer: Rank) -> usize {
        let _ = peer;
        0
    }

    /// Writes a word of another host, by way of `peer`, which is there. It comes there a little
    /// later; the words that one rank writes by way of one peer come in order. Nobody is woken.
    /// False if `peer` is gone, or has no such word; words under way to it then may come, late, or
    /// be lost ([`written_at`](Self::written_at)).
    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        let _ = (peer, word, value);
        false
    }

    /// What has become of all that was written by way of `peer`, also if it is gone.
    fn written_at(&self, peer: Rank) -> Written {
        let _ = peer;
        Written::Arrived
    }
}

impl SharedWords for Absent {
    fn count(&self) -> usize {
        match *self {}
    }

    fn load(&self, _: usize) -> u64 {
        match *self {}
    }

    fn store(&self, _: usize, _: u64) {
        match *self {}
    }
}
