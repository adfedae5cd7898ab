//! The way of a large payload within a host: lent, which its receiver copies once, or copied into shared memory at once
//! and then out of it. It counts and compares; whoever calls brings the time.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md: each way does, so a wrong choice costs time alone.
//!
//! One copy is less work, but it is the receiver's alone, and begins with a system call. Between cores that are near it is
//! the slower at many lengths; between far ones it takes less than half of the time (docs/EXPERIMENTS.md, *One copy of a
//! single message*). A rank cannot know where the other runs, and that changes. So each sender goes by the time that both ways
//! have taken, for each receiver and length, as it does for the stores of a copy. (In an exchange both ranks read at once, and these
//! times say little: a collective lends as long as its readers come in time.)

use std::time::Duration;

/// Lengths are told apart by their powers of two, from this one on.
const LEAST_BITS: u32 = 13;
/// Those beyond are one.
const CLASSES: usize = 10;
/// Of so many payloads of a class ...
const TRY_EVERY: u32 = 64;
/// ... this one goes the other way, ...
const TRY_AT: u32 = 16;
/// ... and some behind it: the memory for the first copies was never used.
const TRIES: u32 = 3;
/// A payload that is copied is copied twice. The sender's copy alone is known here, and the receiver's takes less: it fetches what was
/// just written, and writes into memory of its own. (2.0 held on to lending at 512 KiB between near cores: 50 us instead of 42; and
/// at 256 KiB it took both ways in turn, which is slower than either.)
const COPIES: f32 = 1.5;
/// The same where the receiver follows the sender's copy. Behind that comes the receiver's last piece, and what it has fallen back.
const FOLLOWED: f32 = 1.25;

/// What is known of one class of lengths.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    /// What a KiB takes, in nanoseconds, from the offer to the end of the receiver's copy; 0 as long as nothing is known.
    lent: f32,
    /// What a KiB takes by way of shared memory: both copies.
    copied: f32,
    payloads: u32,
}

/// After so many payloads in a row that were lent in vain ...
const MOST_IN_VAIN: u32 = 4;
/// ... one of so many is.
const HOPE_EVERY: u32 = 16;

/// What a sender knows of the ways to one receiver.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    classes: [Class; CLASSES],
    /// How many payloads in a row were lent in vain, and how many have come since there were too many.
    in_vain: u32,
    copied_since: u32,
}

fn class_of(len: usize) -> usize {
    let bits = len.checked_ilog2().unwrap_or(0).saturating_sub(LEAST_BITS);
    (bits as usize).min(CLASSES - 1)
}

/// What a KiB takes, in nanoseconds, where so many bytes take so long.
fn pace_of(len: usize, took: Duration) -> f32 {
    took.as_nanos() as f32 * 1024.0 / len as f32
}

/// One sample more. Those that were interrupted tell little.
fn note(pace: &mut f32, sample: f32) {
    *pace = match *pace {
        before if before == 0.0 || sample < before => sample,
        before => before + (sample.min(2.0 * before) - before) / 8.0,
    };
}

impl Ways {
    /// Whether the next payload of so many bytes is better lent than copied; for a trial it is the other way round.
    pub(super) fn next_is_lent(&mut self, len: usize) -> bool {
        let Class { lent, copied, payloads } = &mut self.classes[class_of(len)];
        let is_trial = (TRY_AT..TRY_AT + TRIES).contains(&(*payloads % TRY_EVERY));
        // The first are, and all as long as one way is unknown.
        let is_unknown = *payloads < TRY_AT || *lent == 0.0 || *copied == 0.0;
        *payloads = payloads.wrapping_add(1);
        (is_unknown || *lent <= *copied) != is_trial
    }

    /// Whether the next payload is lent, where that is the better way if its receiver comes in time: it has, or this is a trial.
    pub(super) fn next_is_hopeful(&mut self) -> bool {
        if self.in_vain < MOST_IN_VAIN {
            return true;
        }
        self.copied_since += 1;
        self.copied_since.is_multiple_of(HOPE_EVERY)
    }

    /// A payload that was lent has been taken, or its sender has copied it in the end.
    pub(super) fn handle_ended(&mut self, is_copied: bool) {
        match is_copied {
            true => self.in_vain = self.in_vain.saturating_add(1),
            false => (self.in_vain, self.copied_since) = (0, 0),
        }
    }

    /// A payload of so many bytes was lent for so long.
    pub(super) fn handle_lent(&mut self, len: usize, took: Duration) {
        note(&mut self.classes[class_of(len)].lent, pace_of(len, took));
    }

    /// A payload of so many bytes was lent for so long in vain, and is copied now. (Without this a sender that sleeps before
    /// its patience ends knew nothing of lending, and lent all: 4 MiB took 660 us, and 220 by way of shared memory.)
    pub(super) fn handle_lent_in_vain(&mut self, len: usize, waited: Duration) {
        let Class { lent, copied, .. } = &mut self.classes[class_of(len)];
        // Else there is nothing to compare with.
        if *copied > 0.0 {
            note(lent, pace_of(len, waited) + *copied);
        }
    }

    /// The sender's copy of a payload of so many bytes took so long, and the receiver followed it, or could not.
    pub(super) fn handle_copied(&mut self, len: usize, took: Duration, is_followed: bool) {
        let copies = if is_followed { FOLLOWED } else { COPIES };
        note(&mut self.classes[class_of(len)].copied, copies * pace_of(len, took));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 64 << 10;

    /// So many payloads, where these are the times of both ways in nanoseconds; how many were lent.
    fn send(ways: &mut Ways, payloads: u32, len: usize, [lent_ns, copied_ns]: [u64; 2]) -> u32 {
        (0..payloads)
            .filter(|_| {
                let is_lent = ways.next_is_lent(len);
                match is_lent {
                    true => ways.handle_lent(len, Duration::from_nanos(lent_ns)),
                    false => ways.handle_copied(len, Duration::from_nanos(copied_ns), false),
                }
                is_lent
            })
            .count() as u32
    }

    /// (Planted: the sender's copy alone counts; lent payloads always are the better; no trial.)
    #[test]
    fn the_way_that_takes_less_is_taken() {
        let few = TRIES * 4;
        let [less, more] = [[5_500, 4_000], [6_500, 4_000]];
        for (times, changed, is_lent) in [(less, more, true), (more, less, false)] {
            let mut ways = Ways::default();
            assert_eq!(send(&mut ways, TRY_AT, LEN, times), TRY_AT, "nothing is known of copies");
            send(&mut ways, TRY_EVERY, LEN, times);
            let lent = send(&mut ways, 4 * TRY_EVERY, LEN, times);
            assert_eq!(lent, if is_lent { 4 * TRY_EVERY - few } else { few }, "{times:?}");
            // What is near may be far later, and the other way round.
            send(&mut ways, 40 * TRY_EVERY, LEN, changed);
            let lent = send(&mut ways, 4 * TRY_EVERY, LEN, changed);
            assert_eq!(lent, if is_lent { few } else { 4 * TRY_EVERY - few }, "{changed:?}");
        }
    }

    /// Copies that are made at the same time take less. (Planted: both count alike.)
    #[test]
    fn a_copy_that_is_followed_counts_less() {
        let [lent, copied] = [5_500, 4_000].map(Duration::from_nanos);
        for is_followed in [false, true] {
            let mut ways = Ways::default();
            for _ in 0..TRY_EVERY {
                match ways.next_is_lent(LEN) {
                    true => ways.handle_lent(LEN, lent),
                    false => ways.handle_copied(LEN, copied, is_followed),
                }
            }
            assert_eq!(ways.next_is_lent(LEN), !is_followed);
        }
    }

    /// What nobody takes in time is lent in vain: that takes longer than to copy at once, however short the wait was.
    /// (Planted: the wait alone counts; nothing is noted.)
    #[test]
    fn what_is_lent_in_vain_is_copied_at_once_later() {
        let [waited, copied] = [100, 4_000].map(Duration::from_nanos);
        let mut ways = Ways::default();
        let lent = |ways: &mut Ways, payloads: u32| {
            let is_lent = |ways: &mut Ways| {
                let is_lent = ways.next_is_lent(LEN);
                match is_lent {
                    true => ways.handle_lent_in_vain(LEN, waited),
                    false => ways.handle_copied(LEN, copied, true),
                }
                is_lent
            };
            (0..payloads).filter(|_| is_lent(ways)).count() as u32
        };
        assert_eq!(lent(&mut ways, TRY_AT), TRY_AT, "nothing is known of copies");
        lent(&mut ways, TRY_EVERY - TRY_AT);
        assert_eq!(lent(&mut ways, TRY_EVERY), TRIES);
    }

    /// A receiver that comes in time again is lent all again. (Planted: it never is; one that comes late is lent all.)
    #[test]
    fn who_does_not_come_in_time_is_lent_little() {
        let mut ways = Ways::default();
        let lent = |ways: &mut Ways, payloads: u32, comes: bool| {
            let is_lent = |ways: &mut Ways| {
                let is_lent = ways.next_is_hopeful();
                if is_lent {
                    ways.handle_ended(!comes);
                }
                is_lent
            };
            (0..payloads).filter(|_| is_lent(ways)).count() as u32
        };
        assert_eq!(lent(&mut ways, 100, true), 100);
        for _ in 0..3 {
            assert_eq!(lent(&mut ways, MOST_IN_VAIN, false), MOST_IN_VAIN);
            assert_eq!(lent(&mut ways, 10 * HOPE_EVERY, false), 10);
            assert_eq!(lent(&mut ways, HOPE_EVERY, true), 1, "a trial");
            assert_eq!(lent(&mut ways, 100, true), 100);
        }
    }

    /// (Planted: one class.)
    #[test]
    fn lengths_are_told_apart() {
        let mut ways = Ways::default();
        for _ in 0..4 {
            send(&mut ways, TRY_EVERY, 16 << 10, [7_000, 1_000]);
            send(&mut ways, TRY_EVERY, LEN, [4_000, 4_000]);
        }
        assert_eq!(send(&mut ways, TRY_EVERY, 16 << 10, [7_000, 1_000]), TRIES);
        assert_eq!(send(&mut ways, TRY_EVERY, LEN, [4_000, 4_000]), TRY_EVERY - TRIES);
        for len in [0, 1, usize::MAX] {
            ways.next_is_lent(len);
            ways.handle_lent(len.max(1), Duration::MAX);
        }
    }

    /// One that is interrupted now and then changes nothing.
    #[test]
    fn a_way_that_was_interrupted_is_not_given_up() {
        let mut ways = Ways::default();
        send(&mut ways, 4 * TRY_EVERY, LEN, [3_000, 4_000]);
        for _ in 0..8 {
            ways.handle_lent(LEN, Duration::from_millis(4));
            assert!(send(&mut ways, TRY_EVERY, LEN, [3_000, 4_000]) >= TRY_EVERY - TRIES);
        }
    }
}
