//! Work and a reduction to all, in turn, as in the loop of a conjugate gradient or of a training. Each step
//! needs the result of the one before. The same as benches/peers/all_reduce_loop.c.

use runahead::{Comm, Result, ops};

use super::late::Works;
use super::{RankReport, digest_of, timed};
use crate::harness::work::Work;

/// Of a sum, what goes into the next one: however many steps there are, no sum overflows.
const KEPT: u64 = u32::MAX as u64;

/// One sample at this rank.
pub(super) fn run(world: &Comm, bytes: u32, steps: u32, rounds: u64) -> Result<RankReport> {
    let work = Work::of_rounds(rounds);
    let rank = world.rank() as u64;
    let mut mine = given(rank, bytes);
    let n = mine.len();
    let mut sums = vec![0; n];
    let mut works = Works::with_capacity(steps);
    let mut told = timed(world, || {
        for step in 0..steps {
            works.timed(|| work.compute(world.rank(), step));
            world.all_reduce_into(&mine, &mut sums, ops::sum)?;
            go_on(&mut mine, rank, step, sums[step as usize % n]);
        }
        Ok(())
    })?;
    let digest = digest_of(rank, sums.iter().copied());
    told.least_ns = works.least_ns(world, |_| 0..world.size())?;
    told.digest = world.reduce(0, &[digest], ops::sum)?.map(|sum| sum[0]);
    Ok(told)
}

/// What a rank gives in the first step.
fn given(rank: u64, bytes: u32) -> Vec<u64> {
    let n = u64::from(bytes) / 8;
    (0..n).map(|i| i + rank * n).collect()
}

/// From a step to the next: one element changes by the sum of one.
fn go_on(mine: &mut [u64], rank: u64, step: u32, sum: u64) {
    let next = (step as usize + 1) % mine.len();
    mine[next] = ((mine[next] + rank) ^ sum) & KEPT;
}

/// The digest of a sequential program's result.
pub(crate) fn right_digest(ranks: usize, bytes: u32, steps: u32) -> u64 {
    let ranks = ranks as u64;
    let mut all: Vec<Vec<u64>> = (0..ranks).map(|rank| given(rank, bytes)).collect();
    let sum = |all: &[Vec<u64>], at: usize| all.iter().map(|given| given[at]).sum::<u64>();
    let n = all[0].len();
    let mut sums: Vec<u64> = (0..n).map(|at| sum(&all, at)).collect();
    for step in 0..steps {
        let at = step as usize % n;
        // Only that element has changed since it was summed up last.
        sums[at] = sum(&all, at);
        all.iter_mut().zip(0..).for_each(|(mine, rank)| go_on(mine, rank, step, sums[at]));
    }
    (0..ranks).map(|rank| digest_of(rank, sums.iter().copied())).fold(0, u64::wrapping_add)
}
