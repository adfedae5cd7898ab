//! Ends the tests when one hangs, saying which, and where each of its ranks stands. It asserts
//! nothing about time: its limit is far beyond what any test takes.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(120);

type Steps = Arc<Vec<Mutex<String>>>;

static WATCHED: LazyLock<Mutex<Table>> = LazyLock::new(|| {
    std::thread::spawn(watch_all);
    Mutex::default()
});

#[derive(Default)]
struct Table {
    next: u64,
    running: BTreeMap<u64, (&'static str, Instant, Steps)>,
}

/// A world that is watched until this is dropped.
pub struct Watched {
    id: u64,
    steps: Steps,
}

/// Where one rank notes what it does next.
pub struct Step {
    steps: Steps,
    rank: usize,
}

pub fn watch(name: &'static str, size: usize) -> Watched {
    let steps: Steps = Arc::new((0..size).map(|_| Mutex::new("starting".to_owned())).collect());
    let mut table = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    let id = table.next;
    table.next += 1;
    table.running.insert(id, (name, Instant::now(), Arc::clone(&steps)));
    Watched { id, steps }
}

impl Watched {
    pub fn step(&self, rank: usize) -> Step {
        Step { steps: Arc::clone(&self.steps), rank }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).running.remove(&self.id);
    }
}

impl Step {
    /// This rank goes on to `what`.
    pub fn to(&self, what: impl Into<String>) {
        *self.steps[self.rank].lock().unwrap_or_else(PoisonError::into_inner) = what.into();
    }
}

fn watch_all() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let table = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, since, steps) in table.running.values() {
            if since.elapsed() > LIMIT {
                let mut report = format!("{name} hangs, with {} ranks:\n", steps.len());
                for (rank, step) in steps.iter().enumerate() {
                    let step = step.lock().unwrap_or_else(PoisonError::into_inner);
                    report += &format!("  rank {rank}: {step}\n");
                }
                // Not by `eprintln`, which the test harness would capture.
                let _ = std::io::stderr().write_all(report.as_bytes());
                std::process::abort();
            }
        }
    }
}
