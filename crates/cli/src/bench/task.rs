//! The task of the ranks of one sample: a program with its sizes, the same for all ways to run it.
//!
//! Sizes are fixed so that figures compare. Where a time is fixed, this process measures once how
//! much work a core does alone in that time, and all samples do that amount.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::apps::stencil;
use super::names::{App, Order, Way};
use crate::harness::work::Work;

/// A program and its sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// One sort.
    RadixSort { keys: u32 },
    /// One sort, by `bits` in each pass.
    NaturalSort { keys: u32, bits: u32 },
    /// Scans, one after the other.
    PrefixScan { scans: u32, elements: u32 },
    /// Procedure 5.1; `rounds` of a loop are one step's work.
    Barrier { steps: u32, rounds: u64 },
    /// Steps of `rounds` of a loop and a reduction of `bytes` of each rank to all.
    AllReduceLoop { bytes: u32, steps: u32, rounds: u64 },
    /// Steps of an exchange of `bytes` with each neighbour and `rounds` of a loop.
    HaloLoop { bytes: u32, steps: u32, rounds: u64 },
    /// A field of `columns`, and of `rows` for each rank.
    Stencil { steps: u32, columns: u32, rows: u32, order: Order },
    /// Barriers, each with `rounds` of a loop between its call and one poll.
    Overlap { tries: u32, rounds: u64 },
    /// The single measurements of `runahead bench micro`, its broadcasts among them or not.
    Micro { repetitions: u32, calls: u32, with_broadcasts: bool },
    /// Each collective on `bytes` of each rank, in at most `calls`, so many of them `together` after
    /// each barrier, in about `figure_ms` each. The barrier is timed as well or not. Each is one call, or a
    /// nonblocking one and a wait.
    Collectives {
        bytes: u32,
        calls: u32,
        together: u32,
        with_barrier: bool,
        nonblocking: bool,
        figure_ms: u32,
    },
    /// Messages of `bytes` between pairs of ranks, at most `count` in each way, in about `figure_ms` each.
    Messages { bytes: u32, count: u32, figure_ms: u32 },
}

/// Everything that the ranks of a sample need to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Assignment {
    pub(crate) ranks: usize,
    pub(crate) task: Task,
    pub(crate) way: Way,
    /// The cores that all ranks share.
    pub(crate) cores: Vec<usize>,
    /// Whether the ranks are threads of one process.
    pub(crate) threads: bool,
    /// The process that takes the sample.
    pub(crate) parent: u32,
}

/// The time of a step in microseconds, for programs in which it is fixed.
const STEP_US: u32 = 200;
const COLUMNS: u32 = 1000;
const LOOP_STEPS: u32 = 500;
/// Below this the check of the scan would need more than a neighbour's elements.
const LEAST_ELEMENTS: u32 = 64;

impl Task {
    /// A program with the fixed sizes, divided by `scale`.
    pub(crate) fn of(app: App, order: Order, scale: u32) -> Task {
        let scale = scale.max(1);
        let scaled = |size: u32, least: u32| (size / scale).max(least);
        match app {
            App::RadixSort => Task::RadixSort { keys: scaled(1 << 18, 16) },
            App::NaturalSort => Task::NaturalSort { keys: scaled(1 << 18, 16), bits: 1 },
            App::PrefixScan => {
                Task::PrefixScan { scans: 50, elements: scaled(1 << 18, LEAST_ELEMENTS) }
            }
            App::Barrier => {
                let rounds = Work::calibrated(STEP_US, 0).rounds();
                Task::Barrier { steps: scaled(2000, 4), rounds }
            }
            App::AllReduceLoop => {
                let rounds = Work::calibrated(STEP_US, 0).rounds();
                Task::AllReduceLoop { bytes: 8, steps: scaled(LOOP_STEPS, 4), rounds }
            }
            App::HaloLoop => {
                let rounds = Work::calibrated(STEP_US, 0).rounds();
                Task::HaloLoop { bytes: 64 << 10, steps: scaled(LOOP_STEPS, 4), rounds }
            }
            App::Stencil => {
                let rows = stencil::rows_of(STEP_US, COLUMNS);
                Task::Stencil { steps: scaled(1000, 4), columns: COLUMNS, rows, order }
            }
        }
    }
}

impl Task {
    /// The sizes of `small`, with this one's calibration: both then do the same work in a step.
    pub(crate) fn scaled(self, small: Task) -> Task {
        match (self, small) {
            (Task::Barrier { rounds, .. }, Task::Barrier { steps, .. }) => {
                Task::Barrier { steps, rounds }
            }
            (Task::AllReduceLoop { bytes, rounds, .. }, Task::AllReduceLoop { steps, .. }) => {
                Task::AllReduceLoop { bytes, steps, rounds }
            }
            (Task::HaloLoop { bytes, rounds, .. }, Task::HaloLoop { steps, .. }) => {
                Task::HaloLoop { bytes, steps, rounds }
            }
            (Task::Stencil { columns, rows, order, .. }, Task::Stencil { steps, .. }) => {
                Task::Stencil { steps, columns, rows, order }
            }
            (_, small) => small,
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::RadixSort { keys } => write!(f, "{keys} keys a rank, 1 bit at a time"),
            Task::NaturalSort { keys, bits } => {
                write!(
                    f,
                    "{keys} keys a rank, in passes of {bits} bit{}",
                    if *bits == 1 { "" } else { "s" }
                )
            }
            Task::PrefixScan { scans, elements } => {
                write!(f, "{scans} scans of {elements} elements a rank")
            }
            Task::Barrier { steps, rounds } => write!(
                f,
                "{steps} steps of {rounds} rounds of a loop, which take {STEP_US} us on a core here"
            ),
            Task::AllReduceLoop { bytes, steps, rounds } => write!(
                f,
                "{steps} steps of {rounds} rounds of a loop, which take {STEP_US} us on a core here, and a \
                 reduction of {bytes} bytes"
            ),
            Task::HaloLoop { bytes, steps, rounds } => write!(
                f,
                "{steps} steps of an exchange of {bytes} bytes with each of two neighbours, and {rounds} rounds \
                 of a loop, which take {STEP_US} us on a core here"
            ),
            Task::Stencil { steps, columns, rows, order } => write!(
                f,
                "{steps} steps in order {order} on {columns} x {rows} cells a rank, which take about \
                 {STEP_US} us on a core here"
            ),
            Task::Overlap { tries, rounds } => {
                write!(f, "{tries} barriers, and {rounds} rounds of a loop before the look at each")
            }
            Task::Micro { repetitions, .. } => write!(f, "medians of {repetitions} repetitions"),
            Task::Collectives { bytes, calls, .. } => {
                write!(f, "{bytes} bytes a rank, at most {calls} calls of each")
            }
            Task::Messages { bytes, count, .. } => {
                write!(f, "messages of {bytes} bytes, at most {count} in each way")
            }
        }
    }
}
