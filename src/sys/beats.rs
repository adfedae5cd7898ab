//! Time in a model. It passes only in *beats*.
//!
//! In a model, a sleep with a time limit lasts until another thread wakes the sleeper. A model that
//! [counts](begin) its threads lets time pass when nothing else can happen. When all threads sleep
//! or have ended, the sleeps with a limit end. That is a *beat*. A model says how many beats one
//! run may have. A missing wake-up is therefore noticed even if a beat would hide it.
//!
//! A limit that expires while other threads can run is not modelled. Such a thread would wake
//! without a reason, look, and sleep again; other runs contain the look and the sleep.
//!
//! All threads that ever slept have changed one word in turn. What was done before a beat is
//! therefore visible after it, as all stores of a millisecond ago are.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};

use super::atomic::{AtomicU64, Ordering};
use super::futex::Lying;

thread_local! {
    /// The beats of the running model: loom runs all threads of a model in one thread of the
    /// system.
    static BEATS: RefCell<Option<Arc<Beats>>> = const { RefCell::new(None) };
    /// The number of beats in the run that had most.
    static PASSED: Cell<usize> = const { Cell::new(0) };
}

/// The beats of one run.
struct Beats {
    /// The word that loom sees.
    steps: AtomicU64,
    /// One thread of a model runs at a time, so no thread ever waits for the lock.
    state: Mutex<State>,
}

struct State {
    /// The number of threads that neither sleep nor have ended.
    awake: usize,
    /// The number of beats so far, and the most that there may be.
    passed: usize,
    most: usize,
    /// The sleeping threads, and whether each has a time limit.
    asleep: Vec<(Arc<Lying>, bool)>,
}

/// Begins a run of `threads` threads, each [counted], with at most `most` beats.
pub(crate) fn begin(threads: usize, most: usize) {
    let state = State { awake: threads, passed: 0, most, asleep: Vec::new() };
    let beats = Beats { steps: AtomicU64::new(0), state: Mutex::new(state) };
    BEATS.set(Some(Arc::new(beats)));
}

/// Ends the time of models in this thread of the system. Returns the number of beats in the earlier
/// run that had most.
pub(crate) fn forget() -> usize {
    BEATS.set(None);
    PASSED.take()
}

/// Does a step. If a beat passes then, the threads whose sleep has ended wake behind it.
fn with(step: impl FnOnce(&mut State)) {
    let Some(beats) = BEATS.with_borrow(Option::clone) else { return };
    beats.steps.fetch_add(1, Ordering::AcqRel);
    let over = {
        // A failing model leaves the state as it is.
        let mut state = beats.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        step(&mut state);
        state.pass()
    };
    over.iter().for_each(|lying| lying.rise());
}

/// Wraps a thread of a model, so that its end is counted.
pub(crate) fn counted<T>(thread: impl FnOnce() -> T) -> impl FnOnce() -> T {
    move || {
        let done = thread();
        with(|state| state.awake -= 1);
        done
    }
}

/// Notes that a thread falls asleep, so that a waker can find it. If it was woken before, it does
/// not sleep.
pub(super) fn fall_asleep(lying: &Arc<Lying>, is_limited: bool) {
    with(|state| {
        if !lying.is_called() {
            state.asleep.push((Arc::clone(lying), is_limited));
            state.awake -= 1;
        }
    });
}

/// A thread that is awake wakes this one.
pub(super) fn wake(lying: &Arc<Lying>) {
    with(|state| state.wake(lying));
}

impl State {
    /// If no thread is awake and some have a time limit, lets a beat pass. Returns the threads to
    /// wake.
    fn pass(&mut self) -> Vec<Arc<Lying>> {
        let limited = self.asleep.iter().filter(|(_, is_limited)| *is_limited);
        let over: Vec<_> = limited.map(|(lying, _)| Arc::clone(lying)).collect();
        if self.awake > 0 || over.is_empty() {
            return Vec::new();
        }
        assert!(self.passed < self.most, "a wake-up is owed: only time would end a sleep");
        self.passed += 1;
        PASSED.set(PASSED.get().max(self.passed));
        over.iter().for_each(|lying| self.wake(lying));
        over
    }

    /// Counts a thread as awake from now on.
    fn wake(&mut self, lying: &Arc<Lying>) {
        lying.call();
        let before = self.asleep.len();
        self.asleep.retain(|(other, _)| !Arc::ptr_eq(other, lying));
        self.awake += before - self.asleep.len();
    }
}
