//! Sleeping on a word until another thread or process wakes the sleeper.
//!
//! It does not decide *whether* to sleep or to wake; see the parkers of the providers for that.

#[cfg(loom)]
use std::sync::Arc;
use std::time::Duration;

use rustix::thread::futex::{Flags, Timespec, Wait, WaitFlags, WaitPtr, WaitvFlags, waitv};
use rustix::time::{ClockId, clock_gettime};

use super::atomic::Atomic;
use super::atomic::plain::AtomicU32;

/// A word to sleep on.
pub(crate) trait Futex: Atomic<Value = u32> {
    /// Sleeps until woken, or until the time limit; not at all unless the word is `expected`. The
    /// check and falling asleep are one step for a waker. May return early without a reason.
    fn wait(&self, expected: u32, timeout: Option<Duration>);

    /// Like [`wait`](Self::wait), on two words at once: not at all unless both are as expected.
    /// Call it only if [`has_wait_either`] returns true.
    fn wait_either(
        &self,
        expected: u32,
        other: &Self,
        other_expected: u32,
        timeout: Option<Duration>,
    );

    /// Wakes one sleeper of the word.
    fn wake(&self);

    /// Wakes all sleepers of the word. None of them replaces the caller on its core before all are
    /// awake.
    fn wake_all(&self);
}

/// Whether the system can put a thread to sleep on two words at once: Linux 5.16 and later.
pub(crate) fn has_wait_either() -> bool {
    if cfg!(loom) {
        return true;
    }
    let nothing = waitv(&[], WaitvFlags::empty(), None, ClockId::Monotonic);
    nothing != Err(rustix::io::Errno::NOSYS) && nothing != Err(rustix::io::Errno::PERM)
}

/// Works also between processes, if the word is in memory that they share.
impl Futex for AtomicU32 {
    fn wait(&self, expected: u32, timeout: Option<Duration>) {
        // A limit that the system cannot express is never reached.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        // Whatever the reason why it returns: the caller looks again.
        let _ = rustix::thread::futex::wait(self, Flags::empty(), expected, timeout.as_ref());
    }

    fn wait_either(
        &self,
        expected: u32,
        other: &Self,
        other_expected: u32,
        timeout: Option<Duration>,
    ) {
        let word = |word: &Self, expected: u32| {
            let mut wait = Wait::new();
            wait.val = expected.into();
            wait.uaddr = WaitPtr::new(std::ptr::from_ref(word).cast_mut().cast());
            wait.flags = WaitFlags::SIZE_U32;
            wait
        };
        // It takes an absolute time. A limit that the system cannot express is never reached.
        let until = timeout.and_then(|timeout| {
            let now = clock_gettime(ClockId::Monotonic);
            now.checked_add(Timespec::try_from(timeout).ok()?)
        });
        let words = [word(self, expected), word(other, other_expected)];
        // Whatever the reason why it returns: the caller looks again.
        let _ = waitv(&words, WaitvFlags::empty(), until.as_ref(), ClockId::Monotonic);
    }

    fn wake(&self) {
        // It fails only for invalid addresses.
        let _ = rustix::thread::futex::wake(self, Flags::empty(), 1);
    }

    fn wake_all(&self) {
        // As above.
        let _ = rustix::thread::futex::wake(self, Flags::empty(), i32::MAX as u32);
    }
}

/// A futex for models. A model has no time, unless it has [beats](super::beats): if only a timeout
/// would repair a missing wake-up, loom reports a deadlock.
#[cfg(loom)]
pub(crate) struct ModelFutex {
    word: loom::sync::atomic::AtomicU32,
    /// The sleepers of the word. A thread that checks and falls asleep locks this, and so does a
    /// waker: it stands for the kernel's bucket lock.
    bucket: loom::sync::Mutex<Vec<Arc<Lying>>>,
}

/// A thread that sleeps, or is about to. It may be waiting for a bucket when it is woken, and loom
/// forgets the wake-up of a thread that waits for a lock. The mark records the wake-up.
#[cfg(loom)]
pub(super) struct Lying {
    thread: loom::thread::Thread,
    woken: loom::sync::atomic::AtomicBool,
    /// The mark as [`super::beats`] sees it, in the order of its own steps; loom does not see it.
    is_called: std::sync::atomic::AtomicBool,
}

#[cfg(loom)]
impl Lying {
    fn new() -> Arc<Lying> {
        let woken = loom::sync::atomic::AtomicBool::new(false);
        let is_called = std::sync::atomic::AtomicBool::new(false);
        Arc::new(Lying { thread: loom::thread::current(), woken, is_called })
    }

    pub(super) fn is_called(&self) -> bool {
        self.is_called.load(super::atomic::Ordering::Relaxed)
    }

    pub(super) fn call(&self) {
        self.is_called.store(true, super::atomic::Ordering::Relaxed);
    }

    fn sleep(&self) {
        while !self.woken.load(super::atomic::Ordering::Acquire) {
            loom::thread::park();
        }
    }

    fn wake(self: &Arc<Self>) {
        super::beats::wake(self);
        self.rise();
    }

    pub(super) fn rise(&self) {
        self.woken.store(true, super::atomic::Ordering::Release);
        self.thread.unpark();
    }
}

#[cfg(loom)]
impl ModelFutex {
    pub(crate) fn new() -> Self {
        Self {
            word: loom::sync::atomic::AtomicU32::new(0),
            bucket: loom::sync::Mutex::new(Vec::new()),
        }
    }

    /// Returns whether the word was as expected; if so, the thread is now in the bucket.
    fn lie_down(&self, expected: u32, lying: &Arc<Lying>) -> bool {
        self.lie_down_and(expected, lying, || {})
    }

    /// Like `lie_down`; the thread also does this before a waker can find it there.
    fn lie_down_and(&self, expected: u32, lying: &Arc<Lying>, then: impl FnOnce()) -> bool {
        let mut bucket = self.bucket.lock().unwrap();
        let asleep = self.word.load(super::atomic::Ordering::Relaxed) == expected;
        if asleep {
            bucket.push(Arc::clone(lying));
            then();
        }
        asleep
    }

    fn get_up(&self, lying: &Arc<Lying>) {
        self.bucket.lock().unwrap().retain(|other| !Arc::ptr_eq(other, lying));
    }
}

#[cfg(loom)]
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
    fn fetch_add(&self, value: u32, order: super::atomic::Ordering) -> u32 {
        self.word.fetch_add(value, order)
    }
    fn compare_exchange(
        &self,
        current: u32,
        new: u32,
        success: super::atomic::Ordering,
        failure: super::atomic::Ordering,
    ) -> Result<u32, u32> {
        self.word.compare_exchange(current, new, success, failure)
    }
}

#[cfg(loom)]
impl Futex for ModelFutex {
    fn wait(&self, expected: u32, timeout: Option<Duration>) {
        let lying = Lying::new();
        let fall_asleep = || super::beats::fall_asleep(&lying, timeout.is_some());
        if self.lie_down_and(expected, &lying, fall_asleep) {
            lying.sleep();
            // If only time has woken it.
            if timeout.is_some() {
                self.get_up(&lying);
            }
        }
    }

    fn wait_either(
        &self,
        expected: u32,
        other: &Self,
        other_expected: u32,
        timeout: Option<Duration>,
    ) {
        // One after the other, as the kernel does.
        let lying = Lying::new();
        let fall_asleep = || super::beats::fall_asleep(&lying, timeout.is_some());
        if self.lie_down(expected, &lying) {
            if other.lie_down_and(other_expected, &lying, fall_asleep) {
                lying.sleep();
                other.get_up(&lying);
            }
            self.get_up(&lying);
        }
    }

    fn wake(&self) {
        let one = self.bucket.lock().unwrap().pop();
        if let Some(lying) = one {
            lying.wake();
        }
    }

    fn wake_all(&self) {
        let all = std::mem::take(&mut *self.bucket.lock().unwrap());
        all.into_iter().for_each(|lying| lying.wake());
    }
}
