//! Time: a clock that never runs backwards.
//!
//! The order core has no time. The message layer reads the clock only when it waits.

use std::time::Duration;

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(std::time::Instant);

impl Instant {
    #[inline]
    pub(crate) fn now() -> Instant {
        #[cfg(not(loom))]
        let now = std::time::Instant::now();
        // A model has no time: it is always the same moment, so all executions are deterministic.
        #[cfg(loom)]
        let now = *MODEL.get_or_init(std::time::Instant::now);
        Instant(now)
    }

    /// The time since `earlier`, or zero if that is in the future.
    #[inline]
    pub(crate) fn saturating_since(self, earlier: Instant) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// The moment that much later. None if the clock cannot express it: then it is never reached.
    pub(crate) fn after(self, duration: Duration) -> Option<Instant> {
        self.0.checked_add(duration).map(Instant)
    }
}

/// The end of a time that something may take, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// So long from now; without a limit, never.
    pub(crate) fn after(limit: Option<Duration>) -> Deadline {
        Deadline(limit.and_then(|limit| Instant::now().after(limit)))
    }

    /// What is left until then; None for ever.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|until| until.saturating_since(Instant::now()))
    }

    pub(crate) fn is_past(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

/// The moment of all models.
#[cfg(loom)]
static MODEL: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
