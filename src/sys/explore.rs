//! Exploring a model: how far, and how much of it there was.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use loom::thread::{Builder, JoinHandle};

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

/// A thread of a model in which a rank runs.
pub(crate) fn spawn<T: Send + 'static>(rank: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().stack_size(STACK).spawn(rank).expect("a thread of a model")
}
