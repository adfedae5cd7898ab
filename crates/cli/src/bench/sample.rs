//! One sample is a job of all ranks that runs the program once. Many samples are interleaved.

use runahead::{Error, Result};

use super::apps::{RankReport, all_reduce_loop, halo_loop, stencil};
use super::names::{App, Load, Order, Way};
use super::start;
use super::task::{Assignment, Task};
use crate::sys;

/// What is measured, without the way to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) app: App,
    /// Only for the stencil; other programs ignore it.
    pub(crate) order: Order,
    pub(crate) ranks: usize,
    pub(crate) load: Load,
}

/// One sample, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    pub(crate) time_s: f64,
    /// Time spent waiting inside calls, as a mean over the ranks.
    pub(crate) wait_s: f64,
    /// How many times as long it took as its ranks' work alone would have, of a loop.
    pub(crate) over_work: Option<f64>,
}

/// A cell that is ready to be measured.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    pub(crate) cell: Cell,
    pub(crate) task: Task,
    pub(crate) cores: Vec<usize>,
    pub(crate) threads: bool,
    pub(crate) right_digest: Option<u64>,
}

impl Bench {
    /// Prepares a cell. Computes the right result, if a sample cannot check its own.
    pub(crate) fn new(cell: Cell, task: Task, threads: bool) -> Bench {
        let right_digest = match task {
            Task::Stencil { steps, columns, rows, .. } => {
                Some(stencil::right_digest(steps, columns, rows, cell.ranks))
            }
            Task::AllReduceLoop { bytes, steps, .. } => {
                Some(all_reduce_loop::right_digest(cell.ranks, bytes, steps))
            }
            Task::HaloLoop { bytes, steps, .. } => {
                Some(halo_loop::right_digest(cell.ranks, bytes, steps))
            }
            _ => None,
        };
        Bench { cell, task, cores: cores_in_use(cell.ranks), threads, right_digest }
    }

    /// Takes a sample.
    ///
    /// # Errors
    ///
    /// If the ranks fail, or their result is wrong. The error names the way.
    pub(crate) fn sample(&self, way: Way) -> Result<Sample> {
        let named = |error| Error::other(format!("{} as {way}: {error}", self.cell.app));
        let assignment = Assignment {
            ranks: self.cell.ranks,
            task: self.task.clone(),
            way,
            cores: self.cores.clone(),
            threads: self.threads,
            parent: std::process::id(),
        };
        let told = start::run(&assignment).map_err(named)?;
        if told.iter().find_map(|told| told.digest) != self.right_digest {
            return Err(named(Error::other("the result is not that of a sequential program")));
        }
        Ok(sample_of(self.cell.app, &told))
    }
}

/// The cores that `ranks` ranks use: at most one for each, of those that this process may use.
pub(crate) fn cores_in_use(ranks: usize) -> Vec<usize> {
    let mut cores = sys::allowed_cores();
    cores.truncate(ranks.max(1));
    cores
}

/// The sample of a job. Its time is that of the slowest rank. For the scan, where ranks have
/// unequal work, it is the mean over the ranks (pakin-2001 figure 5.19). All times start when the
/// first rank leaves the barrier before the work.
pub(crate) fn sample_of(app: App, told: &[RankReport]) -> Sample {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let start_ns = told.iter().map(|told| told.start_ns).min().unwrap_or_default();
    let times = told.iter().map(|told| seconds(told.end_ns.saturating_sub(start_ns)));
    let mean = |sum: f64| sum / told.len().max(1) as f64;
    let time_s = match app {
        App::PrefixScan => mean(times.sum()),
        _ => times.fold(0.0, f64::max),
    };
    let wait_s = mean(told.iter().map(|told| seconds(told.wait_ns)).sum());
    let least_s = told.iter().find_map(|told| told.least_ns).map(seconds);
    Sample { time_s, wait_s, over_work: least_s.map(|least_s| time_s / least_s) }
}

/// Calls `take` with each way `rounds` times. Each round has all ways in a new random order, so
/// that a change of the machine's load affects all alike. The orders are the same in every run.
///
/// # Errors
///
/// The first error of `take`.
pub(crate) fn interleave<W: Copy>(
    ways: &[W],
    rounds: usize,
    mut take: impl FnMut(usize, W) -> Result<()>,
) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..rounds {
        let mut turn: Vec<(usize, W)> = ways.iter().copied().enumerate().collect();
        random.shuffle(&mut turn);
        turn.into_iter().try_for_each(|(at, way)| take(at, way))?;
    }
    Ok(())
}

/// The samples of one way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series(pub(crate) Vec<Sample>);

impl Series {
    pub(crate) fn times_s(&self) -> impl Iterator<Item = f64> + Clone {
        self.0.iter().map(|sample| sample.time_s)
    }

    pub(crate) fn median_s(&self) -> f64 {
        median(self.times_s())
    }

    pub(crate) fn min_s(&self) -> f64 {
        self.times_s().fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn max_s(&self) -> f64 {
        self.times_s().fold(0.0, f64::max)
    }

    /// The median of the waiting times.
    pub(crate) fn wait_s(&self) -> f64 {
        median(self.0.iter().map(|sample| sample.wait_s))
    }
}

/// The median; of two in the middle, their mean; of none, 0.
pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    match (numbers.len(), numbers.len() / 2) {
        (0, _) => 0.0,
        (count, half) if count % 2 == 0 => (numbers[half - 1] + numbers[half]) / 2.0,
        (_, half) => numbers[half],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(start_ns: u64, end_ns: u64, wait_ns: u64) -> RankReport {
        RankReport { start_ns, end_ns, wait_ns, ..RankReport::default() }
    }

    #[test]
    fn the_median_of_an_even_count_is_the_mean_of_the_middle_two() {
        let of = |numbers: &[f64]| median(numbers.iter().copied());
        assert_eq!(of(&[]), 0.0);
        assert_eq!(of(&[3.0]), 3.0);
        assert_eq!(of(&[3.0, 1.0]), 2.0);
        assert_eq!(of(&[3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_job_takes_as_long_as_its_slowest_rank_and_a_scan_as_the_mean_rank() {
        let second = 1_000_000_000;
        let ranks = [told(second, 4 * second, second), told(2 * second, 2 * second, 0)];
        let sort = sample_of(App::RadixSort, &ranks);
        assert_eq!(sort, Sample { time_s: 3.0, wait_s: 0.5, over_work: None });
        let scan = sample_of(App::PrefixScan, &ranks);
        assert_eq!(scan, Sample { time_s: 2.0, wait_s: 0.5, over_work: None });
    }

    #[test]
    fn a_loop_is_compared_with_its_work_alone() {
        let second = 1_000_000_000;
        let least_ns = Some(2 * second);
        let first = RankReport { least_ns, ..told(second, 4 * second, 0) };
        let sample = sample_of(App::HaloLoop, &[told(second, 2 * second, 0), first]);
        assert_eq!((sample.time_s, sample.over_work), (3.0, Some(1.5)));
    }

    #[test]
    fn each_round_takes_each_way_once_in_random_order() {
        let mut taken = Vec::new();
        let take = |at: usize, way: char| {
            taken.push((at, way));
            Ok(())
        };
        interleave(&['a', 'b', 'c'], 20, take).unwrap();
        let mut orders = std::collections::BTreeSet::new();
        for round in taken.chunks(3) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [(0, 'a'), (1, 'b'), (2, 'c')]);
            orders.insert(round.to_vec());
        }
        assert!(orders.len() > 1 && taken.len() == 60);
    }
}
