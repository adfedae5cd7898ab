//! The pace of one wait that goes on for longer than a few looks: when it looks at the clock, when
//! it asks whether what it waits for can still be, and when it reports a stall.
//!
//! Keeps rules FLOW-3 and HANG-1 of SEMANTICS.md.

use std::time::Duration;

use super::notify::WaitStep;
use super::stall::{StallStep, Stalling};
use crate::sys::time::Instant;

/// How many looks there are at most between two looks at the clock.
const LOOKS_PER_CLOCK: u32 = 64;
/// The same where the way of waiting goes by the time.
const LOOKS_PER_TIME: u32 = 8;
/// So many looks without a pause come before the first at the clock, which takes longer than they
/// do.
pub(in crate::message) const LOOKS_BEFORE_CLOCK: u32 = 32;
/// How often a rank that does not sleep looks whether what it waits for can still be.
const HOPE: Duration = Duration::from_millis(1);

/// The pace of one wait.
pub(in crate::message) struct Pace {
    start: Instant,
    /// Whether the way of waiting goes by the time.
    is_timed: bool,
    /// Looks since the last one at the clock.
    looks: u32,
    /// Whether the last look found news.
    news: bool,
    /// When the clock was looked at.
    now: Instant,
    /// When there were news.
    news_at: Instant,
    /// When hope was last asked for.
    hoped_at: Instant,
    stalling: Stalling,
}

impl Pace {
    /// Of a wait that reports a stall after `stall_after`, or never.
    pub(super) fn new(start: Instant, is_timed: bool, stall_after: Option<Duration>) -> Pace {
        let (looks, news, now, news_at, hoped_at) = (0, false, start, start, start);
        let stalling = Stalling::new(start, stall_after);
        Pace { start, is_timed, looks, news, now, news_at, hoped_at, stalling }
    }

    /// A look found `news`, or none.
    #[inline]
    pub(in crate::message) fn handle_look(&mut self, news: bool) {
        self.news = news;
        if news {
            self.news_at = self.now;
        }
    }

    /// Whether the last look found news.
    #[inline]
    pub(super) fn has_news(&self) -> bool {
        self.news
    }

    /// How long ago there were news, as of the last look at the clock.
    #[inline]
    pub(super) fn idle_for(&self) -> Duration {
        self.now.saturating_since(self.news_at)
    }

    /// Whether the rank looks at the clock after this step.
    #[inline]
    pub(in crate::message) fn is_for_clock(&mut self, step: WaitStep) -> bool {
        self.looks += 1;
        let is_for_clock = step != WaitStep::Spin
            || self.is_timed && self.looks.is_multiple_of(LOOKS_PER_TIME)
            || self.looks >= LOOKS_PER_CLOCK;
        if is_for_clock {
            self.looks = 0;
        }
        is_for_clock
    }

    /// The rank has looked at the clock. Returns how long ago it had before.
    #[inline]
    pub(in crate::message) fn handle_time(&mut self, now: Instant) -> Duration {
        now.saturating_since(std::mem::replace(&mut self.now, now))
    }

    /// Whether to look now whether what the rank waits for can still be: before each `sleep`, and
    /// else from time to time.
    pub(in crate::message) fn asks_for_hope(&mut self, sleep: bool) -> bool {
        let asks = sleep || self.now.saturating_since(self.hoped_at) >= HOPE;
        if asks {
            self.hoped_at = self.now;
        }
        asks
    }

    /// What is left until `deadline`.
    pub(in crate::message) fn left_until(&self, deadline: Instant) -> Duration {
        deadline.saturating_since(self.now)
    }

    /// How long the wait has lasted.
    pub(in crate::message) fn waited(&self) -> Duration {
        self.now.saturating_since(self.start)
    }

    /// What is to be done now about a stall; `all_answered` if all ranks have.
    pub(in crate::message) fn poll_stall(
        &mut self,
        all_answered: impl FnOnce() -> bool,
    ) -> StallStep {
        self.stalling.poll(self.now, self.waited(), all_answered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SEMANTICS: FLOW-3
    #[test]
    fn the_clock_is_read_after_each_pause_and_every_few_polls() {
        let start = Instant::now();
        for (is_timed, looks) in [(false, LOOKS_PER_CLOCK), (true, LOOKS_PER_TIME)] {
            let mut pace = Pace::new(start, is_timed, None);
            for _ in 0..2 {
                for _ in 1..looks {
                    assert!(!pace.is_for_clock(WaitStep::Spin));
                }
                assert!(pace.is_for_clock(WaitStep::Spin));
                assert!(pace.is_for_clock(WaitStep::Yield) && pace.is_for_clock(WaitStep::Sleep));
            }
        }
    }

    #[test]
    fn idleness_and_absence_are_measured_between_clock_reads() {
        let start = Instant::now();
        let after = |millis| start.after(Duration::from_millis(millis)).unwrap();
        let mut pace = Pace::new(start, true, None);
        pace.handle_look(false);
        assert_eq!(pace.handle_time(after(3)), Duration::from_millis(3));
        assert_eq!((pace.idle_for(), pace.has_news()), (Duration::from_millis(3), false));
        pace.handle_look(true);
        assert_eq!((pace.idle_for(), pace.has_news()), (Duration::ZERO, true));
        assert_eq!(pace.handle_time(after(5)), Duration::from_millis(2));
        assert_eq!(pace.idle_for(), Duration::from_millis(2));
        assert_eq!(pace.waited(), Duration::from_millis(5));
        assert_eq!(pace.left_until(after(9)), Duration::from_millis(4));
        assert_eq!(pace.left_until(start), Duration::ZERO);
    }

    /// SEMANTICS: FLOW-3
    #[test]
    fn a_wait_checks_for_hope_before_each_sleep_and_periodically() {
        let start = Instant::now();
        let mut pace = Pace::new(start, true, None);
        assert!(!pace.asks_for_hope(false) && pace.asks_for_hope(true) && pace.asks_for_hope(true));
        pace.handle_time(start.after(HOPE).unwrap());
        assert!(pace.asks_for_hope(false) && !pace.asks_for_hope(false));
    }
}
