//! Sleeping on a word until another thread or process wakes whoever sleeps on it.
//!
//! It does not decide *whether* to sleep or to wake; see the doorbells of the providers for that.

use std::time::Duration;

use rustix::thread::futex::{Flags, Timespec};

use super::atomic::Atomic;
use super::atomic::plain::AtomicU32;

/// A word to sleep on.
pub(crate) trait Futex: Atomic<Value = u32> {
    /// Sleeps until woken, or until the time is up; not at all unless the word is `expected`. The
    /// look and the falling asleep are one step for whoever wakes. May return early without a
    /// reason.
    fn wait(&self, expected: u32, timeout: Option<Duration>);

    /// Wakes one who sleeps on the word.
    fn wake(&self);
}

/// Works between processes too, if the word lies in memory that they share.
impl Futex for AtomicU32 {
    fn wait(&self, expected: u32, timeout: Option<Duration>) {
        // A time that the system cannot say never comes.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        // Whatever the reason why it returns: the caller looks again.
        let _ = rustix::thread::futex::wait(self, Flags::empty(), expected, timeout.as_ref());
    }

    fn wake(&self) {
        // It fails only for addresses that are none.
        let _ = rustix::thread::futex::wake(self, Flags::empty(), 1);
    }
}

/// A futex for models. A model has no time: a wake-up that only a timeout would mend is a deadlock.
#[cfg(all(test, loom))]
pub(crate) struct ModelFutex {
    word: loom::sync::atomic::AtomicU32,
    /// Held by who looks and falls asleep, and by who wakes: as the system's own lock.
    bucket: loom::sync::Mutex<()>,
    sleepers: loom::sync::Condvar,
}

#[cfg(all(test, loom))]
impl ModelFutex {
    pub(crate) fn new() -> Self {
        Self {
            word: loom::sync::atomic::AtomicU32::new(0),
            bucket: loom::sync::Mutex::new(()),
            sleepers: loom::sync::Condvar::new(),
        }
    }
}

#[cfg(all(test, loom))]
impl Atomic for ModelFutex {
    type Value = u32;
    fn load(&self, order: super::atomic::Ordering) -> u32 {
        self.word.load(order)
    }
    fn store(&self, value: u32, order: super::atomic::Ordering) {
        self.word.store(value, order);
    }
    fn swap(&self, value: u32, order: super::atomic::Ordering) -> u32 {
        self.word.swap(value, order)
    }
    fn fetch_or(&self, value: u32, order: super::atomic::Ordering) -> u32 {
        self.word.fetch_or(value, order)
    }
    fn fetch_and(&self, value: u32, order: super::atomic::Ordering) -> u32 {
        self.word.fetch_and(value, order)
    }
}

#[cfg(all(test, loom))]
impl Futex for ModelFutex {
    fn wait(&self, expected: u32, _timeout: Option<Duration>) {
        let guard = self.bucket.lock().unwrap();
        if self.word.load(super::atomic::Ordering::Relaxed) == expected {
            drop(self.sleepers.wait(guard).unwrap());
        }
    }

    fn wake(&self) {
        drop(self.bucket.lock().unwrap());
        self.sleepers.notify_one();
    }
}
