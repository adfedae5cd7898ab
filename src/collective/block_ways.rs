//! The way of blocks of an exchange that would go at once: offered, or copied into shared memory. It counts and compares;
//! whoever calls brings the time.
//!
//! Keeps rule COL-10 of SEMANTICS.md: each way does, so a wrong choice costs time alone.
//!
//! Which way takes less depends on whether the cores of the ranks are near each other, and that changes (docs/EXPERIMENTS.md,
//! *Exchanges: one copy or two*). So each rank goes by the time that its calls have taken by each way. A call takes as long as
//! its slowest rank, whose way counts too. So all try the same way in the same calls: they count alike, since all make the same
//! calls on blocks of one length. (A sender that lends has to agree with nobody: `message/transfers/ways.rs`.)

use std::time::Duration;

/// Lengths are told apart by their powers of two, from this one on.
const LEAST_BITS: u32 = 15;
/// Those beyond are one.
const CLASSES: usize = 8;

/// Of so many calls of a class ...
const TRY_EVERY: u32 = 64;
/// ... these try to offer, ...
const OFFERED_AT: u32 = 8;
/// ... so many, and as many behind them copy. (Memory that was never used makes the first copy slow.)
const TRIES: u32 = 3;

/// Blocks of up to so many bytes are offered as long as nothing is known. Two ranks on an AMD EPYC took for 64, 128 and 256 KiB
/// 0.7, 0.5 and 0.8 of the time so between farther cores, and 1.0 to 1.17, 0.9 to 1.03 and 0.8 to 1.0 between near ones. With 512
/// KiB to 4 MiB it was 0.8 and 1.2 to 1.3.
const OFFERED_FIRST_BYTES: usize = 256 << 10;

/// A call that tries a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    class: usize,
    offers: bool,
    /// Whether what was known of the way is old.
    is_first: bool,
}

/// What is known of one class of lengths: the least time of the last calls that have tried each way.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    offered: Option<Duration>,
    copied: Option<Duration>,
    calls: u32,
}

/// What a rank knows of both ways in one group.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockWays([Class; CLASSES]);

fn class_of(bytes: usize) -> usize {
    let bits = bytes.checked_ilog2().unwrap_or(0).saturating_sub(LEAST_BITS);
    (bits as usize).min(CLASSES - 1)
}

impl BlockWays {
    /// Whether blocks of so many bytes are to be offered in a call that begins, and what it tries, if anything.
    pub(super) fn begin_call(&mut self, bytes: usize) -> (bool, Option<Trial>) {
        let class = class_of(bytes);
        let Class { offered, copied, calls } = &mut self.0[class];
        let nth = *calls;
        *calls = (nth + 1) % TRY_EVERY;
        let tried = nth.checked_sub(OFFERED_AT).filter(|&tried| tried < 2 * TRIES);
        if let Some(tried) = tried {
            let offers = tried < TRIES;
            return (offers, Some(Trial { class, offers, is_first: tried % TRIES == 0 }));
        }
        let is_better = match (*offered, *copied) {
            (Some(offered), Some(copied)) => offered < copied,
            _ => bytes <= OFFERED_FIRST_BYTES,
        };
        (is_better, None)
    }

    /// A call that tried a way took so long.
    pub(super) fn handle_tried(&mut self, trial: Trial, took: Duration) {
        let Class { offered, copied, .. } = &mut self.0[trial.class];
        let known = if trial.offers { offered } else { copied };
        *known = match *known {
            Some(before) if !trial.is_first => Some(before.min(took)),
            _ => Some(took),
        };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Makes calls that take so many us, offered and copied, and returns in how many the blocks were offered.
    fn calls(
        ways: &mut BlockWays,
        bytes: usize,
        count: u32,
        took: impl Fn(u32, bool) -> u64,
    ) -> u32 {
        (0..count)
            .map(|call| {
                let (offers, trial) = ways.begin_call(bytes);
                if let Some(trial) = trial {
                    assert_eq!(trial.offers, offers);
                    ways.handle_tried(trial, Duration::from_micros(took(call, offers)));
                }
                u32::from(offers)
            })
            .sum()
    }

    /// In a round of calls some try both ways, the same in each rank. (Planted: one that tries the other of what it holds for
    /// better; one that tries one way alone.)
    // SEMANTICS: COL-10
    #[test]
    fn the_way_that_took_less_is_gone() {
        for (bytes, first) in [(64 << 10, true), (256 << 10, true), ((256 << 10) + 1, false)] {
            for is_offering_better in [true, false] {
                let took = |_, offers| if offers == is_offering_better { 10 } else { 20 };
                let mut ways = BlockWays::default();
                let before = OFFERED_AT + 2 * TRIES;
                let offered = calls(&mut ways, bytes, before, took);
                assert_eq!(offered, TRIES + if first { OFFERED_AT } else { 0 });
                let offered = calls(&mut ways, bytes, TRY_EVERY - before, took);
                assert_eq!(offered, if is_offering_better { TRY_EVERY - before } else { 0 });
                let offered = calls(&mut ways, bytes, TRY_EVERY, took);
                let tried = 2 * TRIES;
                let expected = if is_offering_better { TRY_EVERY - tried } else { 0 };
                assert_eq!(offered, expected + TRIES);
            }
        }
    }

    /// One call in which others were late decides nothing, and what was known long ago counts no more. Other lengths are told
    /// apart. (Planted: the last time counts; the least of all times does.)
    // SEMANTICS: COL-10
    #[test]
    fn the_least_of_the_last_tries_counts() {
        let mut ways = BlockWays::default();
        // The first that copies takes long.
        calls(&mut ways, 1 << 20, TRY_EVERY, |call, offers| match offers {
            true => 15,
            false if call == OFFERED_AT + TRIES => 900,
            false => 10,
        });
        assert_eq!(ways.begin_call(1 << 20), (false, None));
        assert_eq!(calls(&mut BlockWays::default(), 1 << 20, OFFERED_AT, |_, _| 1), 0);
        // The last that offers takes long, from then on copies take longer.
        calls(&mut ways, 1 << 20, TRY_EVERY, |call, offers| match offers {
            true if call + 2 == OFFERED_AT + TRIES => 900,
            true => 15,
            false => 30,
        });
        assert_eq!(ways.begin_call(1 << 20), (true, None));
        assert_eq!(ways.begin_call(128 << 10), (true, None));
        assert_eq!(ways.begin_call(usize::MAX), (false, None));
    }
}
