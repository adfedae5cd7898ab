//! How long the ranks took, and how much of it was waiting.

use std::time::Instant;

use runahead::{Comm, Result};
use serde::{Deserialize, Serialize};

/// One run, as rank 0 knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// How many ranks there were: a launcher may have started others than were asked for here.
    pub ranks: usize,
    /// The time of the slowest rank.
    pub time_ns: u64,
    /// The time that a rank spent waiting inside calls: the mean over the ranks.
    pub wait_ns: u64,
}

/// Does `work` between two barriers that wait, and returns at rank 0 how long that took.
///
/// A clock is a channel that the runtime cannot see: hence barriers that wait, in every variant.
///
/// # Errors
///
/// Those of `work` and of the calls to measure it.
pub fn measure<R>(world: &Comm, work: impl FnOnce() -> Result<R>) -> Result<(R, Option<Sample>)> {
    world.barrier()?.wait()?;
    let (begin, waited_before) = (Instant::now(), world.stats()?.wait_ns);
    let result = work()?;
    world.barrier()?.wait()?;
    let time_ns = begin.elapsed().as_nanos() as u64;
    let wait_ns = world.stats()?.wait_ns - waited_before;

    let slowest = world.reduce(0, &[time_ns], u64::max)?;
    let waited = world.reduce(0, &[wait_ns], |a, b| a + b)?;
    let sample = slowest.zip(waited).map(|(slowest, waited)| Sample {
        ranks: world.size(),
        time_ns: slowest[0],
        wait_ns: waited[0] / world.size() as u64,
    });
    Ok((result, sample))
}

/// The sample with the median time; of two in the middle, the shorter one. None if there are none.
pub fn median(samples: &[Sample]) -> Option<Sample> {
    let mut samples = samples.to_vec();
    samples.sort_by_key(|sample| sample.time_ns);
    samples.get(samples.len().saturating_sub(1) / 2).copied()
}
