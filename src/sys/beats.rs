//! Time in a model: none passes, but for beats.
//!
//! A sleep whose time is limited lasts, in a model, until somebody wakes who sleeps. A model that [counts](begin) its
//! threads lets time pass where nothing else can happen: when all of them sleep or have ended, the sleeps with a limit are
//! over. That is a *beat*. A model says how many there may be in one run, so a wake-up that is owed, and that only a beat
//! brings, is noticed as well as one that nothing brings.
//!
//! Not modelled: a time that is up while others could go on. Who wakes by that is one who wakes without a reason, looks,
//! and sleeps again; the looks and the sleep are there in other runs.
//!
//! All who ever slept have changed one word in turn: so what was done before a beat is seen after it, as what was done a
//! millisecond ago is.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};

use super::atomic::{AtomicU64, Ordering};
use super::futex::Lying;

thread_local! {
    /// That of the model which runs: loom runs all threads of a model in one of the system's.
    static BEATS: RefCell<Option<Arc<Beats>>> = const { RefCell::new(None) };
    /// How many there were in the run that had most.
    static PASSED: Cell<usize> = const { Cell::new(0) };
}

/// The beats of one run.
struct Beats {
    /// What loom sees of it.
    steps: AtomicU64,
    /// One thread of a model runs at a time: the lock is never waited for.
    state: Mutex<State>,
}

struct State {
    /// How many threads neither sleep nor have ended.
    awake: usize,
    /// How many beats there were, and how many there may be.
    passed: usize,
    most: usize,
    /// Who sleeps, and whether that has a limit.
    asleep: Vec<(Arc<Lying>, bool)>,
}

/// A run begins, of so many threads, each [counted]. There may be so many beats in it.
pub(crate) fn begin(threads: usize, most: usize) {
    let state = State { awake: threads, passed: 0, most, asleep: Vec::new() };
    let beats = Beats { steps: AtomicU64::new(0), state: Mutex::new(state) };
    BEATS.set(Some(Arc::new(beats)));
}

/// From now on there is no time in models of this thread of the system. Returns how many beats there were, in the run of
/// those before that had most.
pub(crate) fn forget() -> usize {
    BEATS.set(None);
    PASSED.take()
}

/// Does a step. It may let a beat pass: then those whose sleep is over rise behind it.
fn with(step: impl FnOnce(&mut State)) {
    let Some(beats) = BEATS.with_borrow(Option::clone) else { return };
    beats.steps.fetch_add(1, Ordering::AcqRel);
    let over = {
        // A model that fails leaves it as it is.
        let mut state = beats.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        step(&mut state);
        state.pass()
    };
    over.iter().for_each(|lying| lying.rise());
}

/// The thread that does this in a model ends behind it.
pub(crate) fn counted<T>(thread: impl FnOnce() -> T) -> impl FnOnce() -> T {
    move || {
        let done = thread();
        with(|state| state.awake -= 1);
        done
    }
}

/// A thread falls asleep: whoever wakes it can find it. If it was woken before, it does not.
pub(super) fn fall_asleep(lying: &Arc<Lying>, is_limited: bool) {
    with(|state| {
        if !lying.is_called() {
            state.asleep.push((Arc::clone(lying), is_limited));
            state.awake -= 1;
        }
    });
}

/// Somebody who is awake wakes it.
pub(super) fn wake(lying: &Arc<Lying>) {
    with(|state| state.wake(lying));
}

impl State {
    /// If nobody is awake, and time would wake somebody, that is over. Returns who is to rise.
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

    /// From now on it counts as awake.
    fn wake(&mut self, lying: &Arc<Lying>) {
        lying.call();
        let before = self.asleep.len();
        self.asleep.retain(|(other, _)| !Arc::ptr_eq(other, lying));
        self.awake += before - self.asleep.len();
    }
}
