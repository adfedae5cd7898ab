//! Says which test takes long, and where each of its ranks stands, so that nothing hangs silently.
//! It ends nothing, since whoever runs the tests decides how long they may take; except worlds of
//! which it was told that they must end, which have taken many times as long as any takes.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a world runs before it is reported, and then before each further report.
const PERIOD: Duration = Duration::from_secs(60);

/// How many reports there are of a world that must end before the process is ended.
const REPORTS: u32 = 3;

type Steps = Arc<Vec<Mutex<String>>>;

static WATCHED: LazyLock<Mutex<Table>> = LazyLock::new(|| {
    std::thread::spawn(watch_all);
    Mutex::default()
});

#[derive(Default)]
struct Table {
    next: u64,
    running: BTreeMap<u64, Running>,
}

struct Running {
    name: &'static str,
    since: Instant,
    reports: u32,
    must_end: bool,
    steps: Steps,
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
    let (since, steps_here) = (Instant::now(), Arc::clone(&steps));
    let running = Running { name, since, reports: 0, must_end: false, steps: steps_here };
    table.running.insert(id, running);
    Watched { id, steps }
}

impl Watched {
    /// The same; that it goes on for ever is what its test is there to find.
    pub fn must_end(self) -> Watched {
        let mut table = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = table.running.get_mut(&self.id) {
            running.must_end = true;
        }
        drop(table);
        self
    }

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

impl Table {
    /// What is to be said at the time `now`: one paragraph for each world whose report is due.
    fn report(&mut self, now: Instant) -> String {
        let mut report = String::new();
        for Running { name, since, reports, steps, .. } in self.running.values_mut() {
            let taken = now.saturating_duration_since(*since);
            if taken < PERIOD * (*reports + 1) {
                continue;
            }
            *reports = (taken.as_secs() / PERIOD.as_secs()) as u32;
            report += &format!("{name}, {} ranks, runs for {} s:\n", steps.len(), taken.as_secs());
            for (rank, step) in steps.iter().enumerate() {
                let step = step.lock().unwrap_or_else(PoisonError::into_inner);
                report += &format!("  rank {rank}: {step}\n");
            }
        }
        report
    }

    /// Whether a world that must end was reported so often that it does not.
    fn hangs(&self) -> bool {
        self.running.values().any(|running| running.must_end && running.reports >= REPORTS)
    }
}

fn watch_all() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let mut table = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let report = table.report(Instant::now());
        // Not by `eprintln`, which the test harness would capture.
        let _ = std::io::stderr().write_all(report.as_bytes());
        if table.hangs() {
            // No thread can be made to return from a wait; this fails the tests at least.
            std::process::abort();
        }
    }
}

/// The watchdog itself, with times that are not waited for.
#[test]
fn a_test_that_hangs_is_named_again_and_again() {
    let since = Instant::now();
    let steps: Steps = Arc::new(["sending", "receiving"].map(|s| Mutex::new(s.into())).into());
    let running = Running { name: "slow", since, reports: 0, must_end: false, steps };
    let mut table = Table { next: 1, running: BTreeMap::from([(0, running)]) };
    let mut at = |seconds| table.report(since + Duration::from_secs(seconds));
    assert_eq!(at(59), "");
    assert_eq!(at(60), "slow, 2 ranks, runs for 60 s:\n  rank 0: sending\n  rank 1: receiving\n");
    assert_eq!(at(119), "");
    assert!(at(250).starts_with("slow, 2 ranks, runs for 250 s"));
    assert_eq!(at(299), "");
    assert!(at(300).starts_with("slow"));
}

#[test]
fn only_a_world_that_must_end_ends_the_process() {
    let since = Instant::now();
    for must_end in [false, true] {
        let running = Running { name: "stuck", since, reports: 0, must_end, steps: Arc::default() };
        let mut table = Table { next: 1, running: BTreeMap::from([(0, running)]) };
        table.report(since + PERIOD * REPORTS - Duration::from_secs(1));
        assert!(!table.hangs());
        table.report(since + PERIOD * REPORTS);
        assert_eq!(table.hangs(), must_end);
    }
}
