//! Exploring a model: how far, and how much of it there was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use loom::thread::{Builder, JoinHandle};

#[cfg(target_os = "linux")]
use super::beats;

/// Branches of one execution: some thousand steps of up to three ranks. A model that takes more does not
/// end; loom says so.
const BRANCHES: usize = 20_000;

/// In words. Loom's own 32 KiB are little for the frames of the message layer.
const STACK: usize = 1 << 15;

/// Explores all schedules of `model` with up to so many preemptions, or as many as `LOOM_MAX_PREEMPTIONS`
/// says. Tells how many executions that was.
pub(crate) fn explore(name: &str, preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let executions = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&executions);
    let mut builder = loom::model::Builder::new();
    builder.max_branches = BRANCHES;
    builder.preemption_bound.get_or_insert(preemptions);
    let start = Instant::now();
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let (executions, seconds) = (executions.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
    println!("{name}: {executions} executions, {seconds:.1} s");
}

/// As [`explore`], of a model that [begins](beats::begin) with time. There must be so many beats in the run that has most.
#[cfg(target_os = "linux")]
pub(crate) fn explore_beats(
    name: &str,
    preemptions: usize,
    most: usize,
    model: impl Fn() + Sync + Send + 'static,
) {
    explore(name, preemptions, model);
    assert_eq!(beats::forget(), most, "{name}: beats");
}

/// A thread of a model in which a rank runs.
pub(crate) fn spawn<T: Send + 'static>(rank: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().stack_size(STACK).spawn(rank).expect("a thread of a model")
}

/// Something that the threads of a model reach in single steps.
pub(crate) struct Stepwise<T> {
    /// What loom sees of it: every step is a change of this word, in one order.
    steps: loom::sync::atomic::AtomicU64,
    /// One thread runs at a time, and none is interrupted between two steps: the lock is never waited for.
    value: Mutex<T>,
}

impl<T> Stepwise<T> {
    pub(crate) fn new(value: T) -> Stepwise<T> {
        Stepwise { steps: loom::sync::atomic::AtomicU64::new(0), value: Mutex::new(value) }
    }

    /// A step. It does nothing that loom sees.
    pub(crate) fn step<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        self.steps.fetch_add(1, Ordering::AcqRel);
        // A model that fails leaves it as it is.
        step(&mut self.value.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}
