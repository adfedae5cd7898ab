//! The programs at one rank: make the data, run the example's code between two readings of the clock,
//! and check the result after the second.

mod barrier;
mod overlap;
pub(crate) mod prefix_scan;
pub(crate) mod radix_sort;
pub(crate) mod stencil;

use runahead::{Comm, Result};
use serde::{Deserialize, Serialize};

use super::micro::rank as micro;
use super::names::{App, techniques};
use super::task::{Assignment, Task};
use crate::sys::now_ns;

/// What a rank tells of its part of a sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    /// When it left the barrier before its work, by a clock that all ranks share, in nanoseconds.
    pub(crate) start_ns: u64,
    /// When its work returned.
    pub(crate) end_ns: u64,
    /// How long it waited between the two inside calls.
    pub(crate) wait_ns: u64,
    /// What the result is recognised by, where another process knows the right one; at rank 0.
    pub(crate) digest: Option<u64>,
    /// The figures of `runahead bench micro`, at rank 0.
    pub(crate) figures: Vec<f64>,
}

/// Does what a rank is told.
///
/// # Errors
///
/// Those of the program; and if its result is wrong.
pub(crate) fn run(world: &Comm, assignment: &Assignment) -> Result<Told> {
    let how = |app| techniques(app, assignment.way.variant);
    match assignment.task {
        Task::RadixSort { keys } => radix_sort::run(world, &how(App::RadixSort), keys),
        Task::PrefixScan { scans, elements } => {
            prefix_scan::run(world, &how(App::PrefixScan), scans, elements)
        }
        Task::Barrier { steps, rounds } => barrier::run(world, &how(App::Barrier), steps, rounds),
        Task::Stencil { steps, columns, rows, order } => {
            stencil::run(world, &how(App::Stencil), steps, columns, rows, order)
        }
        Task::Overlap { tries, rounds } => overlap::run(world, tries, rounds),
        Task::Micro { repetitions, calls } => micro::run(world, repetitions, calls),
    }
}

/// What a result is recognised by, number by number: another one with the same is the same, but for a
/// chance of one in very many. As in benches/peers/common.h.
fn digest_of(first: u64, numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(first, |digest, number| {
        (digest.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The sum of what the shares of equally many ranks are recognised by.
fn digest_of_shares(ranks: usize, all: &[u64]) -> u64 {
    let shares = all.chunks((all.len() / ranks).max(1)).zip(0..);
    let digests = shares.map(|(share, rank)| digest_of(rank, share.iter().copied()));
    digests.fold(0, u64::wrapping_add)
}

/// Does `work` when all ranks have come so far, and says when this rank began and ended.
///
/// # Errors
///
/// Those of `work`.
fn timed(world: &Comm, work: impl FnOnce() -> Result<()>) -> Result<Told> {
    world.barrier()?.wait()?;
    let waited_before = world.stats()?.wait_ns;
    let start_ns = now_ns();
    work()?;
    let end_ns = now_ns();
    let wait_ns = world.stats()?.wait_ns - waited_before;
    Ok(Told { start_ns, end_ns, wait_ns, ..Told::default() })
}
