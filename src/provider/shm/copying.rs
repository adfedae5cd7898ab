//! 1 MiB between cores that share no cache takes 101 us where it took 186, by this and by buffers
//! that take turns (docs/EXPERIMENTS.md, *Large messages*). A sender chooses between ordinary
//! stores, which go through the caches, and non-temporal (*streaming*) ones, which go past them to
//! the memory. It counts and compares, and copies nothing.
//!
//! The receiver was the last to read a buffer, so the buffer's lines lie in the receiver's cache.
//! Where both cores share a cache, or the lines have gone there since, the ordinary copy is by far
//! the faster. Elsewhere the sender waits for each line to come over, and the receiver waits for it
//! to come back. Then the sender better writes into the memory, from which the receiver reads
//! ([`copy_streaming`](crate::sys::copy::copy_streaming)). A rank cannot know on which core it
//! runs, and that changes; so each sender goes by the time that its copies take, for each receiver.

use std::time::Duration;

use crate::sys::copy::CAN_STREAM;
use crate::sys::time::Instant;

/// From which length on a copy may stream: the receiver reads shorter messages at once.
pub(super) const LONG_BYTES: usize = 4 << 10;
/// One copy of so many uses the other stores, to see whether they have become the better.
const TRY_EVERY: u32 = 127;
/// Which of them. The first copies go into memory that was never used, which always takes longer.
const TRY_AT: u32 = 8;
/// Of the others one of so many is timed: to look at the clock twice takes a fifth of a short one. (Payloads
/// go in 8 pieces. It is not always the same of these.)
const TIME_EVERY: u32 = 7;
/// So many are, at first: one that was interrupted must not decide.
const TIME_FIRST: u32 = 2 * TRY_AT;
/// To read from the memory takes about as long again as to write there. A reader that finds the
/// bytes in a cache waits for less.
const READING: f32 = 2.0;

/// The stores of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stores {
    /// Ordinary ones.
    Cached,
    /// Non-temporal ones, past the caches.
    Streaming,
}

impl Stores {
    fn other(self) -> Stores {
        match self {
            Stores::Cached => Stores::Streaming,
            Stores::Streaming => Stores::Cached,
        }
    }
}

/// What is known of both kinds of copies to one receiver.
#[derive(Debug)]
pub(super) struct Copying {
    better: Stores,
    /// What a KiB takes by each kind, in nanoseconds; 0 as long as nothing is known.
    ns_per_kib: [f32; 2],
    copies: u32,
}

impl Copying {
    pub(super) fn new() -> Copying {
        Copying { better: Stores::Cached, ns_per_kib: [0.0; 2], copies: 0 }
    }

    /// Does the copy of so many bytes by the better stores, or for a trial by the others.
    #[inline]
    pub(super) fn time(&mut self, bytes: usize, copy: impl FnOnce(Stores)) {
        let stores = self.next();
        if !self.is_timed() {
            return copy(stores);
        }
        let begin = Instant::now();
        copy(stores);
        self.handle_copied(stores, bytes, Instant::now().saturating_since(begin));
    }

    /// Whether the copy that [comes next](Copying::next) is timed.
    fn is_timed(&self) -> bool {
        let Copying { copies, .. } = *self;
        CAN_STREAM && (copies.is_multiple_of(TIME_EVERY) || copies < TIME_FIRST || self.is_trial())
    }

    /// Whether it uses the other stores.
    fn is_trial(&self) -> bool {
        self.copies % TRY_EVERY == TRY_AT
    }

    /// The stores of the next copy.
    fn next(&mut self) -> Stores {
        if !CAN_STREAM {
            return Stores::Cached;
        }
        self.copies = self.copies.wrapping_add(1);
        if self.is_trial() { self.better.other() } else { self.better }
    }

    /// The copy of so many bytes took so long.
    fn handle_copied(&mut self, stores: Stores, bytes: usize, took: Duration) {
        let sample = took.as_nanos() as f32 * 1024.0 / bytes as f32;
        let pace = &mut self.ns_per_kib[stores as usize];
        *pace = match *pace {
            0.0 => sample,
            before if sample < before => before.midpoint(sample),
            // One that was interrupted tells little.
            before => before + (sample.min(2.0 * before) - before) / 8.0,
        };
        let [cached, streaming] = self.ns_per_kib;
        if cached > 0.0 && streaming > 0.0 {
            self.better =
                if cached > READING * streaming { Stores::Streaming } else { Stores::Cached };
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const BYTES: usize = 64 << 10;

    /// So many copies, where a KiB takes so many nanoseconds by each kind; how many streamed.
    fn copy(copying: &mut Copying, times: usize, ns_per_kib: [u64; 2]) -> usize {
        let mut streamed = 0;
        for _ in 0..times {
            let stores = copying.next();
            streamed += usize::from(stores == Stores::Streaming);
            let took = ns_per_kib[stores as usize] * BYTES as u64 / 1024;
            if copying.is_timed() {
                copying.handle_copied(stores, BYTES, Duration::from_nanos(took));
            }
        }
        streamed
    }

    const TURN: usize = TRY_EVERY as usize;

    #[test]
    fn the_stores_that_are_better_for_both_ends_are_chosen() {
        if !CAN_STREAM {
            return;
        }
        // The ordinary copy is slower, but its reader finds all in a cache.
        let mut near = Copying::new();
        assert_eq!(copy(&mut near, 10 * TURN, [60, 40]), 10);
        // Both wait for lines to come and go.
        let mut far = Copying::new();
        let streamed = copy(&mut far, 10 * TURN, [240, 40]);
        assert_eq!(10 * TURN - streamed, 7 + 9, "but for the first and those that are tries");
    }

    #[test]
    fn a_change_of_the_distance_is_noticed() {
        if !CAN_STREAM {
            return;
        }
        let mut copying = Copying::new();
        copy(&mut copying, 10 * TURN, [30, 40]);
        copy(&mut copying, TURN, [300, 40]);
        assert_eq!(copy(&mut copying, TURN, [300, 40]), TURN - 1, "far");
        copy(&mut copying, 4 * TURN, [30, 40]);
        assert_eq!(copy(&mut copying, TURN, [30, 40]), 1, "near again");
    }

    /// A copy in which the rank lost its core for 10 ms.
    #[test]
    fn a_copy_that_was_interrupted_changes_nothing() {
        let mut copying = Copying::new();
        copy(&mut copying, 10 * TURN, [30, 40]);
        copying.handle_copied(Stores::Cached, BYTES, Duration::from_millis(10));
        assert_eq!(copying.better, Stores::Cached);
    }
}
