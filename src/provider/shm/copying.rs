//! By which way a long message is copied into its buffer: through the caches or past them. It counts and compares, and
//! copies nothing.
//!
//! A buffer was last read by the receiver, so its lines are in that one's cache. Where both cores share a cache, or the lines
//! have gone there since, the ordinary copy is by far the faster. Where they do not, it waits for each line to come over, and
//! the receiver waits for it to come back; then it is better to write into the memory, from which the receiver reads it
//! ([`past_caches`](crate::sys::copy::past_caches)). Where a rank runs is nothing that it could know, and it changes; so
//! each sender goes by the time that its copies take, for each receiver.

use std::time::Duration;

use crate::sys::copy::CAN_PASS_CACHES;
use crate::sys::time::Instant;

/// From which length on a copy is long enough to go past the caches: shorter messages are read at once.
pub(super) const LONG_BYTES: usize = 16 << 10;
/// One of so many goes by the other way, to see whether that has become the better.
const TRY_EVERY: u32 = 128;
/// Which of them. The first copies go into memory that was never used, which takes longer by any way.
const TRY_AT: u32 = 8;
/// What is read from the memory costs its reader about as much again as it costs to be written there. A reader that
/// finds it in a cache waits for less.
const READING: f32 = 2.0;

/// A way of copying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The ordinary one.
    Through,
    /// Past the caches.
    Past,
}

impl Way {
    fn other(self) -> Way {
        match self {
            Way::Through => Way::Past,
            Way::Past => Way::Through,
        }
    }
}

/// What is known of both ways to one receiver.
#[derive(Debug)]
pub(super) struct Copying {
    better: Way,
    /// What a KiB takes by each, in nanoseconds; 0 as long as nothing is known.
    ns_per_kib: [f32; 2],
    copies: u32,
}

impl Copying {
    pub(super) fn new() -> Copying {
        Copying { better: Way::Through, ns_per_kib: [0.0; 2], copies: 0 }
    }

    /// Does the copy of so many bytes by the better way, or to try by the other.
    pub(super) fn time(&mut self, bytes: usize, copy: impl FnOnce(Way)) {
        let (way, begin) = (self.next(), Instant::now());
        copy(way);
        self.handle_copied(way, bytes, Instant::now().saturating_since(begin));
    }

    /// The way for the next copy.
    fn next(&mut self) -> Way {
        if !CAN_PASS_CACHES {
            return Way::Through;
        }
        self.copies = self.copies.wrapping_add(1);
        if self.copies % TRY_EVERY == TRY_AT { self.better.other() } else { self.better }
    }

    /// The copy of so many bytes took so long.
    fn handle_copied(&mut self, way: Way, bytes: usize, took: Duration) {
        let sample = took.as_nanos() as f32 * 1024.0 / bytes as f32;
        let pace = &mut self.ns_per_kib[way as usize];
        *pace = match *pace {
            0.0 => sample,
            before if sample < before => before.midpoint(sample),
            // One that was interrupted tells little.
            before => before + (sample.min(2.0 * before) - before) / 8.0,
        };
        let [through, past] = self.ns_per_kib;
        if through > 0.0 && past > 0.0 {
            self.better = if through > READING * past { Way::Past } else { Way::Through };
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const BYTES: usize = 64 << 10;

    /// So many copies, where a KiB takes so many nanoseconds by each way; how many went past the caches.
    fn copy(copying: &mut Copying, times: usize, ns_per_kib: [u64; 2]) -> usize {
        let mut past = 0;
        for _ in 0..times {
            let way = copying.next();
            past += usize::from(way == Way::Past);
            let took = ns_per_kib[way as usize] * BYTES as u64 / 1024;
            copying.handle_copied(way, BYTES, Duration::from_nanos(took));
        }
        past
    }

    #[test]
    fn copies_go_by_the_way_that_is_better_for_both_ends() {
        if !CAN_PASS_CACHES {
            return;
        }
        // The ordinary copy is slower, but its reader finds all in a cache.
        let mut near = Copying::new();
        assert_eq!(copy(&mut near, 128 * 10, [60, 40]), 10);
        // Both wait for lines to come and go.
        let mut far = Copying::new();
        let past = copy(&mut far, 128 * 10, [240, 40]);
        assert_eq!(128 * 10 - past, 7 + 9, "but for the first and those that are tries");
    }

    #[test]
    fn a_change_of_the_distance_is_noticed() {
        if !CAN_PASS_CACHES {
            return;
        }
        let mut copying = Copying::new();
        copy(&mut copying, 128 * 10, [30, 40]);
        copy(&mut copying, 128, [300, 40]);
        assert_eq!(copy(&mut copying, 128, [300, 40]), 127, "far");
        copy(&mut copying, 128 * 4, [30, 40]);
        assert_eq!(copy(&mut copying, 128, [30, 40]), 1, "near again");
    }

    /// A copy in which the rank lost its core for 10 ms.
    #[test]
    fn a_copy_that_was_interrupted_changes_nothing() {
        let mut copying = Copying::new();
        copy(&mut copying, 128 * 10, [30, 40]);
        copying.handle_copied(Way::Through, BYTES, Duration::from_millis(10));
        assert_eq!(copying.better, Way::Through);
    }
}
