//! The programs at one rank. Each makes the data, runs the example's code, or code of its own,
//! between two readings of the clock, and then checks the result.

pub(crate) mod all_reduce_loop;
mod barrier;
#[path = "../../../../../examples/prefix_scan/cluster.rs"]
mod cluster;
mod collectives;
pub(crate) mod halo_loop;
mod late;
mod messages;
mod natural_sort;
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

/// A rank's report of its part of a sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RankReport {
    /// When the rank left the barrier before its work, by a clock that all ranks share, in
    /// nanoseconds.
    pub(crate) start_ns: u64,
    /// When its work returned.
    pub(crate) end_ns: u64,
    /// How long it waited inside calls between the two.
    pub(crate) wait_ns: u64,
    /// The digest of the result at rank 0, for programs whose right result another process knows.
    pub(crate) digest: Option<u64>,
    /// How long a loop takes at least, given when its ranks had a core to work, at rank 0.
    pub(crate) least_ns: Option<u64>,
    /// The figures of single operations, at rank 0.
    pub(crate) figures: Vec<f64>,
}

/// Runs the task of a rank.
///
/// # Errors
///
/// Those of the program; and if its result is wrong.
pub(crate) fn run(world: &Comm, assignment: &Assignment) -> Result<RankReport> {
    let how = |app| techniques(app, assignment.way.variant);
    match assignment.task {
        Task::RadixSort { keys } => radix_sort::run(world, &how(App::RadixSort), keys),
        Task::NaturalSort { keys, bits } => {
            natural_sort::run(world, &how(App::NaturalSort), keys, bits)
        }
        Task::PrefixScan { scans, elements } => {
            prefix_scan::run(world, &how(App::PrefixScan), scans, elements)
        }
        Task::Barrier { steps, rounds } => barrier::run(world, &how(App::Barrier), steps, rounds),
        Task::AllReduceLoop { bytes, steps, rounds } => {
            all_reduce_loop::run(world, bytes, steps, rounds)
        }
        Task::HaloLoop { bytes, steps, rounds } => halo_loop::run(world, bytes, steps, rounds),
        Task::Stencil { steps, columns, rows, order } => {
            stencil::run(world, &how(App::Stencil), steps, columns, rows, order)
        }
        Task::Overlap { tries, rounds } => overlap::run(world, tries, rounds),
        Task::Micro { repetitions, calls, with_broadcasts } => {
            micro::run(world, repetitions, calls, with_broadcasts)
        }
        Task::Collectives { bytes, calls, together, with_barrier, nonblocking, figure_ms } => {
            let how = collectives::How { together, with_barrier, nonblocking };
            collectives::run(world, (bytes, calls), how, figure_ms)
        }
        Task::Messages { bytes, count, figure_ms } => {
            messages::run(world, (bytes, count), figure_ms)
        }
    }
}

/// Does so many of something until they are warm, and finds out how many there is time for, at most so many, as rank 0
/// sees it.
///
/// # Errors
///
/// Those of what is done, and of a broadcast.
fn warm_up(
    world: &Comm,
    most: u32,
    figure_ms: u32,
    mut timed: impl FnMut(u32) -> Result<f64>,
) -> Result<u32> {
    let mut count = 1;
    loop {
        let begin_ns = now_ns();
        timed(count)?;
        let next_ns = 4 * (now_ns() - begin_ns);
        let mut more = [u8::from(count < most && next_ns < u64::from(figure_ms) * 1_000_000)];
        world.broadcast(0, &mut more)?;
        if more == [0] {
            return Ok(count);
        }
        count = (count * 4).min(most);
    }
}

/// The digest of a result, number by number: another result with the same digest is very probably
/// equal. The same as in benches/peers/common.h.
fn digest_of(first: u64, numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(first, |digest, number| {
        (digest.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The sum of the digests of all ranks' shares.
fn digest_of_shares(ranks: usize, all: &[u64]) -> u64 {
    let shares = all.chunks((all.len() / ranks).max(1)).zip(0..);
    let digests = shares.map(|(share, rank)| digest_of(rank, share.iter().copied()));
    digests.fold(0, u64::wrapping_add)
}

/// Does `work` once all ranks are ready, and returns when this rank began and ended.
///
/// # Errors
///
/// Those of `work`.
fn timed(world: &Comm, work: impl FnOnce() -> Result<()>) -> Result<RankReport> {
    world.barrier()?.wait()?;
    let waited_before = world.stats()?.wait_ns;
    let start_ns = now_ns();
    work()?;
    let end_ns = now_ns();
    let wait_ns = world.stats()?.wait_ns - waited_before;
    Ok(RankReport { start_ns, end_ns, wait_ns, ..RankReport::default() })
}

#[cfg(test)]
mod tests {
    use super::{all_reduce_loop, halo_loop};

    #[test]
    fn the_digest_of_a_loop_depends_on_each_step_rank_and_element() {
        for digest in [all_reduce_loop::right_digest, halo_loop::right_digest] {
            let right = digest(3, 64, 20);
            for (ranks, bytes, steps) in [(2, 64, 20), (3, 72, 20), (3, 64, 21)] {
                assert_ne!(digest(ranks, bytes, steps), right);
            }
        }
    }
}
