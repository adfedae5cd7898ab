//! Procedure 5.1 of pakin-2001: barrier, compute, repeat.

use runahead::{Comm, Error, Result};

use super::{RankReport, timed};
use crate::harness::variant::Techniques;
use crate::harness::work::Work;

/// One sample at this rank.
pub(super) fn run(world: &Comm, how: &Techniques, steps: u32, rounds: u64) -> Result<RankReport> {
    let work = Work::of_rounds(rounds);
    let told = timed(world, || {
        for step in 0..steps {
            let barrier = world.barrier()?;
            if how.barriers.wait() {
                barrier.wait()?;
            }
            work.compute(world.rank(), step);
        }
        Ok(())
    })?;
    // One barrier before the timed ones, and one after them.
    let last = world.barrier()?;
    let epoch = last.epoch();
    last.wait()?;
    match epoch == u64::from(steps) + 2 {
        true => Ok(told),
        false => Err(Error::other(format!("{steps} steps ended with barrier {epoch}"))),
    }
}
