//! Threads: how one sleeps and how another wakes it.
//!
//! It does not decide *whether* to sleep or to wake; see the parkers of the providers for that.

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

/// The handle of the thread to wake. A lock guards it, which is taken only to sleep and to wake.
pub(crate) struct Sleeper(Mutex<Option<Thread>>);

impl Sleeper {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Makes [`wake`](Self::wake) wake the calling thread from now on.
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

/// Whether the calling thread is unwinding from a panic.
pub(crate) fn is_panicking() -> bool {
    std::thread::panicking()
}

#[cfg(loom)]
pub(crate) use loom::thread::yield_now;
#[cfg(not(loom))]
pub(crate) use std::{hint::spin_loop, thread::yield_now};

/// Has the system put the thread on any other core, if it may run on others, and then lets it run where it
/// might before. If the cores that it may use change meanwhile, it may use all of the new ones.
pub(crate) fn change_core() {
    #[cfg(all(target_os = "linux", not(loom)))]
    if let Some(allowed) = leave_core()
        && rustix::thread::sched_setaffinity(None, &allowed).is_err()
    {
        let mut all = rustix::thread::CpuSet::new();
        (0..rustix::thread::CpuSet::MAX_CPU).for_each(|core| all.set(core));
        let _ = rustix::thread::sched_setaffinity(None, &all);
    }
}

/// The first half: the thread may run on all cores but this one. Returns where it might before; None if
/// nothing was done.
#[cfg(all(target_os = "linux", not(loom)))]
fn leave_core() -> Option<rustix::thread::CpuSet> {
    use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};
    let allowed = sched_getaffinity(None).ok()?;
    let mut others = allowed;
    others.unset(sched_getcpu());
    (others.count() > 0 && sched_setaffinity(None, &others).is_ok()).then_some(allowed)
}

/// Does nothing in a model: a thread that polls once more may do so at once. (Loom's own hint lets
/// others run first, which would leave out the schedules in which they do not.) A loop that polls
/// until something changes must yield instead.
#[cfg(loom)]
pub(crate) fn spin_loop() {}

/// Separates two loads of a word that another core is about to write, so that one load is in flight
/// at a time. Without it, some ten loads are in flight. When the word changes, the processor
/// cancels all but the first, which takes longer than the word takes to arrive. A `pause`
/// ([`spin_loop`]) would cost as much.
#[inline(always)]
pub(crate) fn one_at_a_time() {
    #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
    // SAFETY: every x86-64 processor has SSE2, and the fence does not change memory.
    unsafe {
        std::arch::x86_64::_mm_lfence()
    };
}

/// Sleeps until woken, or until the time limit. May return early without a reason.
#[cfg(not(loom))]
pub(crate) fn park(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => std::thread::park_timeout(timeout),
        None => std::thread::park(),
    }
}

/// Sleeps until woken. A model has no time: if only a timeout would repair a missing wake-up, loom
/// reports a deadlock.
#[cfg(loom)]
pub(crate) fn park(_timeout: Option<Duration>) {
    loom::thread::park();
}

/// The result of a thread: its return value, or its panic message.
pub(crate) type Outcome<T> = Result<T, String>;

/// Runs all `jobs` at once, each in a thread of the given name, and returns when all have ended. If
/// the operating system refuses a thread, this waits for the running ones. It then returns the
/// index of the first job without a thread, with the reason, and drops the jobs after it. Models do
/// not use it.
pub(crate) fn run_all<T: Send, F: FnOnce() -> T + Send>(
    jobs: impl Iterator<Item = (String, F)>,
) -> Result<Vec<Outcome<T>>, (usize, std::io::Error)> {
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, (name, job)) in jobs.enumerate() {
            match std::thread::Builder::new().name(name).spawn_scoped(scope, job) {
                Ok(thread) => threads.push(thread),
                Err(error) => return Err((number, error)),
            }
        }
        Ok(threads.into_iter().map(|thread| thread.join().map_err(said)).collect())
    })
}

/// Starts `job` in a new thread, which ends with the process if not before.
#[cfg(target_os = "linux")]
pub(crate) fn begin(name: &str, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(job).map(drop)
}

/// Runs `job` in this thread, with the same result as in [`run_all`].
pub(crate) fn run_here<T>(job: impl FnOnce() -> T) -> Outcome<T> {
    // State that a panic leaves inconsistent is not used again: the caller ends.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).map_err(said)
}

/// The message of a panic.
fn said(panic: Box<dyn std::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(said) => *said,
        Err(panic) => panic.downcast_ref::<&str>().copied().unwrap_or("no message").to_owned(),
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    use super::*;

    /// (Planted: it stays bound to the others; and nothing is done.)
    #[test]
    fn a_thread_that_changes_its_core_may_run_where_it_might_before() {
        let allowed = sched_getaffinity(None).unwrap();
        change_core();
        assert_eq!(sched_getaffinity(None).unwrap(), allowed);
        if allowed.count() > 1 {
            // It may be moved before the first half begins, but not behind it.
            assert_eq!(leave_core(), Some(allowed));
            let others = sched_getaffinity(None).unwrap();
            assert_eq!(others.count(), allowed.count() - 1);
            assert!(others.is_set(sched_getcpu()));
        }
        let mut one = CpuSet::new();
        one.set((0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core)).unwrap());
        sched_setaffinity(None, &one).unwrap();
        change_core();
        assert_eq!((leave_core(), sched_getaffinity(None).unwrap()), (None, one));
        sched_setaffinity(None, &allowed).unwrap();
    }
}
