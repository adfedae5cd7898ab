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

/// Whether the calling thread is on its way out because of a panic.
pub(crate) fn is_panicking() -> bool {
    std::thread::panicking()
}

#[cfg(loom)]
pub(crate) use loom::thread::yield_now;
#[cfg(not(loom))]
pub(crate) use std::{hint::spin_loop, thread::yield_now};

/// Nothing: whoever looks once more may do so at once. (Loom's own hint lets others run first, and the
/// schedules in which they do not would be left out.) Who looks until something changes lets others run.
#[cfg(loom)]
pub(crate) fn spin_loop() {}

/// Comes between two looks at a word that another core is about to write, where the next look is to be the next
/// thing that the processor does. Without it some ten looks are under way at a time, and when the word changes all but
/// the first were in vain and are taken back, which takes longer than the word needs to come. A pause of the
/// processor ([`spin_loop`]) would be as long.
#[inline(always)]
pub(crate) fn one_at_a_time() {
    #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
    // SAFETY: every processor of this kind has SSE2, and nothing is done to memory.
    unsafe {
        std::arch::x86_64::_mm_lfence()
    };
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

/// What became of a thread: what it returned, or what it said when it panicked.
pub(crate) type Outcome<T> = Result<T, String>;

/// Runs all `jobs` at once, each in a thread of the given name, and returns when all have ended. If
/// the operating system refuses a thread, those that run are waited for and the number of the first
/// that does not is returned with the reason; the jobs after it are dropped. No model starts its
/// threads with it.
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

/// Begins `job` in a thread of its own, which ends with the process if not before.
#[cfg(target_os = "linux")]
pub(crate) fn begin(name: &str, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(job).map(drop)
}

/// Runs `job` here, as [`run_all`] would in a thread of its own.
pub(crate) fn run_here<T>(job: impl FnOnce() -> T) -> Outcome<T> {
    // Whatever a panic leaves half done is not looked at again: the caller ends.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).map_err(said)
}

/// What was said in a panic.
fn said(panic: Box<dyn std::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(said) => *said,
        Err(panic) => panic.downcast_ref::<&str>().copied().unwrap_or("no message").to_owned(),
    }
}
