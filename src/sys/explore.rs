//! Explores a model: sets the bounds, and reports the number of executions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use loom::thread::{Builder, JoinHandle};

#[cfg(target_os = "linux")]
use super::beats;

/// The most branches of one execution: some thousand steps of up to three ranks. Loom reports a
/// model that takes more as one that does not end.
const BRANCHES: usize = 20_000;

/// The stack size in words. Loom's default of 32 KiB is too small for the frames of the message
/// layer. A thread that overflows its stack mostly hangs, since it is reported with the memory's lock held.
const STACK: usize = 1 << 15;

/// Explores all schedules of `model` with up to `preemptions` preemptions, or as many as
/// `LOOM_MAX_PREEMPTIONS` says. Prints the number of executions.
pub(crate) fn explore(name: &str, preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let executions = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&executions);
    let mut builder = loom::model::Builder::new();
    builder.max_branches = BRANCHES;
    builder.preemption_bound.get_or_insert(preemptions);
    let start = Instant::now();
    let model = Arc::new(model);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let model = Arc::clone(&model);
        // The first thread of a model has loom's default stack, and waits.
        spawn(move || model()).join().expect("loom tells itself of a model that fails");
    });
    let (executions, seconds) = (executions.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
    println!("{name}: {executions} executions, {seconds:.1} s");
}

/// Like [`explore`], for a model that [begins](beats::begin) with time. The run with most beats
/// must have `most` of them.
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

/// Starts a thread of a model, in which a rank runs.
pub(crate) fn spawn<T: Send + 'static>(rank: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().stack_size(STACK).spawn(rank).expect("a thread of a model")
}

/// A value that the threads of a model access in single steps.
pub(crate) struct Stepwise<T> {
    /// The word that loom sees: every step changes it, in one order.
    steps: loom::sync::atomic::AtomicU64,
    /// One thread runs at a time, and none is interrupted within a step, so no thread ever waits
    /// for the lock.
    value: Mutex<T>,
}

impl<T> Stepwise<T> {
    pub(crate) fn new(value: T) -> Stepwise<T> {
        Stepwise { steps: loom::sync::atomic::AtomicU64::new(0), value: Mutex::new(value) }
    }

    /// Does a step. It must do nothing that loom sees.
    pub(crate) fn step<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        self.steps.fetch_add(1, Ordering::AcqRel);
        // A failing model leaves the value as it is.
        step(&mut self.value.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}
