//! When a rank asks for barrier signals that may be lost: from time to time, while a barrier is
//! open. News do not put a question off, since they may be of others.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

use std::time::Duration;

use crate::sys::time::Instant;

/// How many looks there are between two looks at the clock.
const LOOKS_PER_CLOCK: u32 = 64;

/// When the next question is due.
#[derive(Debug, Default)]
pub(super) struct Asks {
    /// Looks since the last one at the clock.
    looks: u32,
    /// None if no barrier was open at the last look.
    due_at: Option<Instant>,
}

impl Asks {
    /// Nothing is to be asked; the first look after this begins anew.
    pub(super) fn stop(&mut self) {
        self.due_at = None;
    }

    /// The next look is one at the clock.
    pub(super) fn look_soon(&mut self) {
        self.looks = LOOKS_PER_CLOCK;
    }

    /// Whether a question is due at this look; the next one then is, `patience` later.
    pub(super) fn is_due(&mut self, patience: Duration, now: impl FnOnce() -> Instant) -> bool {
        self.looks = self.looks.saturating_add(1);
        if self.looks < LOOKS_PER_CLOCK && self.due_at.is_some() {
            return false;
        }
        self.looks = 0;
        let now = now();
        let next = now.after(patience);
        let due_at = *self.due_at.get_or_insert(next.unwrap_or(now));
        if now < due_at {
            return false;
        }
        self.due_at = next;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(10);

    /// SEMANTICS: FLOW-3
    #[test]
    fn a_question_is_due_after_each_period_of_patience() {
        let start = Instant::now();
        let at = |millis| start.after(Duration::from_millis(millis)).unwrap();
        let mut asks = Asks::default();
        assert!(!asks.is_due(PATIENCE, || start));
        // After so many looks the clock is asked, and not before.
        for _ in 1..LOOKS_PER_CLOCK {
            assert!(!asks.is_due(PATIENCE, || panic!("the clock was asked too soon")));
        }
        assert!(!asks.is_due(PATIENCE, || at(9)));
        // A rank that has slept looks at the clock at once.
        asks.look_soon();
        assert!(asks.is_due(PATIENCE, || at(10)));
        asks.look_soon();
        assert!(!asks.is_due(PATIENCE, || at(19)));
        asks.look_soon();
        assert!(asks.is_due(PATIENCE, || at(20)));
        // With no barrier open, it begins anew.
        asks.stop();
        assert!(!asks.is_due(PATIENCE, || at(99)));
    }
}
