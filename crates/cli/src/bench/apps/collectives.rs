//! The collectives, each in a loop of its own, in the manner of the micro-benchmarks of OSU: all
//! ranks wait at a barrier before each call, or each few, and only calls are timed. Results are
//! checked. A nonblocking form is waited for at once. The same as benches/peers/collectives.c.

use runahead::{Comm, Error, Result, ops};

use super::{RankReport, warm_up};
use crate::sys::now_ns;

/// No power of two, so that blocks that are interchanged differ.
const PERIOD: u64 = 1009;

/// The collectives, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Collective {
    Broadcast,
    Reduce,
    AllReduce,
    AllGather,
    AllToAll,
    ExclusiveScan,
}

impl Collective {
    const ALL: [Collective; 6] = [
        Collective::Broadcast,
        Collective::Reduce,
        Collective::AllReduce,
        Collective::AllGather,
        Collective::AllToAll,
        Collective::ExclusiveScan,
    ];
}

/// How collectives are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// So many calls follow each barrier.
    pub(super) together: u32,
    /// Whether that is timed, too.
    pub(super) with_barrier: bool,
    /// Whether each is a call that returns at once, and a wait.
    pub(super) nonblocking: bool,
}

/// The figures at rank 0: for each collective the largest of the ranks' mean times of a call, in
/// nanoseconds; then for each how many calls that timed. There are fewer where one takes long.
///
/// # Errors
///
/// Those of the calls; and if a result is wrong.
pub(super) fn run(
    world: &Comm,
    (bytes, most_calls): (u32, u32),
    how: How,
    figure_ms: u32,
) -> Result<RankReport> {
    let n = bytes as usize / size_of::<f64>();
    let (mut figures, mut counts) = (Vec::new(), Vec::new());
    for collective in Collective::ALL {
        let (number, given, got) = (0, Vec::new(), Vec::new());
        let mut loops = Loop { world, collective, n, how, number, given, got };
        let calls = warm_up(world, most_calls, figure_ms, |calls| loops.mean_ns(calls))?;
        let mine = loops.mean_ns(calls)?;
        figures.extend(world.reduce(0, &[mine], f64::max)?.into_iter().flatten());
        counts.push(f64::from(calls));
    }
    if world.rank() == 0 {
        figures.append(&mut counts);
    }
    Ok(RankReport { figures, ..RankReport::default() })
}

/// Calls of one collective, one after the other.
struct Loop<'w> {
    world: &'w Comm,
    collective: Collective,
    /// How many elements a rank gives; to each rank, where it gives each something else.
    n: usize,
    how: How,
    /// The number of the barrier. Data differ after each, so that an old result is a wrong one.
    number: u64,
    given: Vec<f64>,
    got: Vec<f64>,
}

impl Loop<'_> {
    /// The mean time of a call at this rank.
    fn mean_ns(&mut self, calls: u32) -> Result<f64> {
        let (rank, size) = (self.world.rank(), self.world.size());
        let giving = if self.collective == Collective::AllToAll { self.n * size } else { self.n };
        let together = self.how.together.clamp(1, calls);
        let barriers = calls.div_ceil(together);
        let mut spent_ns = 0;
        self.given.resize(giving, 0.0);
        self.got.resize(self.getting(), 0.0);
        for _ in 0..barriers {
            self.number += 1;
            for (at, given) in self.given.iter_mut().enumerate() {
                *given = weight(rank) * element(self.number, at);
            }
            let before_ns = now_ns();
            self.world.barrier()?.wait()?;
            let begin_ns = if self.how.with_barrier { before_ns } else { now_ns() };
            for _ in 0..together {
                match self.how.nonblocking {
                    true => self.call_and_wait()?,
                    false => self.call()?,
                }
            }
            spent_ns += now_ns() - begin_ns;
            let result = match self.collective {
                Collective::Broadcast => &self.given,
                _ => &self.got,
            };
            check(self.collective, (rank, size), (self.n, self.number), result)?;
        }
        Ok(spent_ns as f64 / f64::from(barriers * together))
    }

    /// How many elements a rank gets in memory other than that of what it gives.
    fn getting(&self) -> usize {
        match (self.collective, self.world.rank()) {
            (Collective::Broadcast, _) => 0,
            (Collective::Reduce, rank) if rank > 0 => 0,
            (Collective::Reduce | Collective::AllReduce | Collective::ExclusiveScan, _) => self.n,
            (Collective::AllGather | Collective::AllToAll, _) => self.n * self.world.size(),
        }
    }

    /// A call that returns at once, and a wait.
    fn call_and_wait(&mut self) -> Result<()> {
        let (world, given, got) = (self.world, &mut self.given[..], &mut self.got);
        match self.collective {
            Collective::Broadcast => return world.ibroadcast(0, given)?.wait(),
            Collective::Reduce => {
                let total = world.ireduce(0, given, ops::sum)?.wait()?;
                total.into_iter().for_each(|total| *got = total);
            }
            Collective::AllReduce => *got = world.iall_reduce(given, ops::sum)?.wait()?,
            Collective::AllGather => *got = world.iall_gather(given)?.wait()?.into_data(),
            Collective::AllToAll => *got = world.iall_to_all(given)?.wait()?,
            Collective::ExclusiveScan => {
                let sums = world.iexclusive_scan(given, ops::sum)?.wait()?;
                sums.into_iter().for_each(|sums| *got = sums);
            }
        }
        Ok(())
    }

    /// One call, which writes into the same memory each time, as on MPI.
    fn call(&mut self) -> Result<()> {
        let (world, given, got) = (self.world, &mut self.given[..], &mut self.got[..]);
        match self.collective {
            Collective::Broadcast => world.broadcast(0, given),
            Collective::Reduce => world.reduce_into(0, given, got, ops::sum),
            Collective::AllReduce => world.all_reduce_into(given, got, ops::sum),
            Collective::AllGather => world.all_gather_into(given, got),
            Collective::AllToAll => world.all_to_all_into(given, got),
            Collective::ExclusiveScan => world.exclusive_scan_into(given, got, ops::sum),
        }
    }
}

/// Element `at` of what a rank gives after the barrier of this number is its weight times this: a whole
/// number, so that sums are exact in any order.
fn element(number: u64, at: usize) -> f64 {
    ((at as u64 + number) % PERIOD + 1) as f64
}

fn weight(rank: usize) -> f64 {
    (rank + 1) as f64
}

fn weights_below(rank: usize) -> f64 {
    (rank * (rank + 1)) as f64 / 2.0
}

/// Checks what a rank got in a call: blocks of `n` elements, each of some ranks' weight, from some
/// element on.
///
/// # Errors
///
/// If it is wrong.
fn check(
    collective: Collective,
    (rank, size): (usize, usize),
    (n, number): (usize, u64),
    result: &[f64],
) -> Result<()> {
    let blocks: Vec<(f64, usize)> = match collective {
        Collective::Broadcast => vec![(weight(0), 0)],
        Collective::Reduce if rank > 0 => Vec::new(),
        Collective::Reduce | Collective::AllReduce => vec![(weights_below(size), 0)],
        Collective::AllGather => (0..size).map(|from| (weight(from), 0)).collect(),
        Collective::AllToAll => (0..size).map(|from| (weight(from), rank * n)).collect(),
        // Whatever it has: nobody gives it anything.
        Collective::ExclusiveScan if rank == 0 => return Ok(()),
        Collective::ExclusiveScan => vec![(weights_below(rank), 0)],
    };
    let right = |(block, &(weight, first)): (&[f64], &(f64, usize))| {
        block.iter().enumerate().all(|(at, &x)| x == weight * element(number, first + at))
    };
    match result.len() == n * blocks.len() && result.chunks(n).zip(&blocks).all(right) {
        true => Ok(()),
        false => Err(Error::other(format!("{collective:?} has a wrong result"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_collective_has_a_figure_and_its_calls() {
        let launch = runahead::Launch::new(3).threads();
        for nonblocking in [false, true] {
            let how = How { together: 2, with_barrier: nonblocking, nonblocking };
            let told = launch.clone().collect(move |world| run(world, (16, 5), how, 1000)).unwrap();
            assert_eq!(told[0].figures.len(), 12);
            assert!(told[0].figures[..6].iter().all(|&ns| ns > 0.0));
            assert!(told[0].figures[6..].iter().all(|&calls| (1.0..=5.0).contains(&calls)));
            assert!(told[1].figures.is_empty());
        }
    }

    /// (Planted: an element of another call, blocks that are interchanged, and none at all.)
    #[test]
    fn a_wrong_result_is_an_error() {
        let (place, n, number) = ((1, 2), 3, 7);
        let block = |from, first| (0..n).map(move |at| weight(from) * element(number, first + at));
        let right =
            |collective, result: &[f64]| check(collective, place, (n, number), result).is_ok();
        let mine: Vec<f64> = block(0, n).chain(block(1, n)).collect();
        assert!(right(Collective::AllToAll, &mine));
        let others: Vec<f64> = block(0, 0).chain(block(1, 0)).collect();
        assert!(!right(Collective::AllToAll, &others));
        assert!(right(Collective::AllGather, &others));
        let swapped: Vec<f64> = block(1, 0).chain(block(0, 0)).collect();
        assert!(!right(Collective::AllGather, &swapped));
        let mut sums: Vec<f64> = (0..n).map(|at| 3.0 * element(number, at)).collect();
        assert!(right(Collective::AllReduce, &sums));
        sums[2] = 3.0 * element(number - 1, 2);
        assert!(!right(Collective::AllReduce, &sums));
        assert!(!right(Collective::AllReduce, &[]) && right(Collective::Reduce, &[]));
        let below: Vec<f64> = block(0, 0).collect();
        assert!(right(Collective::ExclusiveScan, &below) && right(Collective::Broadcast, &below));
    }
}
