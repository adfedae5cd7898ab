//! Whether a barrier completes while the ranks compute and do not call the library. Each rank calls
//! the barrier, computes, and then polls once. The same as benches/peers/overlap.c.

use runahead::{Comm, Error, Result};

use super::RankReport;
use crate::harness::work::Work;
use crate::sys::now_ns;

/// Rank 0 returns the counts over all ranks: tries; tries in which all ranks had entered before the
/// poll; those of them in which the barrier was complete.
///
/// # Errors
///
/// Those of the calls; and if a barrier was complete before all had entered.
pub(super) fn run(world: &Comm, tries: u32, rounds: u64) -> Result<RankReport> {
    let work = Work::of_rounds(rounds);
    let mut counts = [u64::from(tries), 0, 0];
    for step in 0..tries {
        world.barrier()?.wait()?;
        let calls_ns = now_ns();
        let barrier = world.barrier()?;
        let entered_ns = now_ns();
        work.compute(world.rank(), step);
        let before_ns = now_ns();
        let complete = barrier.test()?;
        let after_ns = now_ns();
        barrier.wait()?;
        let last_ns = world.all_reduce(&[calls_ns, entered_ns], u64::max)?;
        if complete && after_ns < last_ns[0] {
            return Err(Error::other("a barrier was complete before all had entered"));
        }
        let possible = last_ns[1] < before_ns;
        counts[1] += u64::from(possible);
        counts[2] += u64::from(possible && complete);
    }
    let all = world.reduce(0, &counts, |a, b| a + b)?;
    let figures = all.map_or(Vec::new(), |all| all.iter().map(|&count| count as f64).collect());
    Ok(RankReport { figures, ..RankReport::default() })
}
