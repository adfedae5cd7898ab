//! Threads: how one sleeps and how another wakes it.
//!
//! It does not decide *whether* to sleep or to wake; see the doorbells of the providers for that.

use std::time::Duration;

#[cfg(loom)]
use loom::{
    sync::Mutex,
    thread::{Thread, current},
};
#[cfg(not(loom))]
use std::{
    sync::Mutex,
    thread::{Thread, current},
};

/// Names the thread that is to be woken. A lock guards the name, taken only to sleep and to wake.
pub(crate) struct Sleeper(Mutex<Option<Thread>>);

impl Sleeper {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// From now on [`wake`](Self::wake) wakes the calling thread.
    pub(crate) fn enlist(&self) {
        *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(current());
    }

    /// Ends the [`park`] of the enlisted thread, or its next one if it is awake.
    pub(crate) fn wake(&self) {
        // Woken outside the lock: the sleeper may want it at once.
        let thread = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        if let Some(thread) = thread {
            thread.unpark();
        }
    }
}

/// Sleeps until woken, or until the time is up. May return early without a reason.
#[cfg(not(loom))]
pub(crate) fn park(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => std::thread::park_timeout(timeout),
        None => std::thread::park(),
    }
}

/// Sleeps until woken. A model has no time: a wake-up that only a timeout would mend is a deadlock.
#[cfg(loom)]
pub(crate) fn park(_timeout: Option<Duration>) {
    loom::thread::park();
}
