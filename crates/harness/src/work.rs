//! Work that takes a given time on a core of its own: a number of rounds, not an amount of time, so
//! that it takes longer where cores are shared.

use std::hint::black_box;
use std::time::{Duration, Instant};

use runahead::{Error, Launch, Rank, Result};

/// The work of a step.
#[derive(Clone, Debug)]
pub struct Work {
    rounds: u64,
    /// In percent.
    imbalance: u8,
}

impl Work {
    /// Finds out how many rounds take `work_us` microseconds here.
    pub fn calibrated(work_us: u32, imbalance: u8) -> Work {
        const TRIAL: u64 = 1 << 20;
        // The fastest of some: the one that had its core for itself.
        let trials = (0..9).map(|_| {
            let begin = Instant::now();
            rounds(TRIAL);
            begin.elapsed()
        });
        let fastest = trials.min().unwrap_or_default().max(Duration::from_nanos(1));
        let per_us = TRIAL as f64 / (fastest.as_nanos() as f64 / 1e3);
        Work { rounds: (per_us * f64::from(work_us)) as u64, imbalance }
    }

    /// As [`calibrated`](Work::calibrated), once, in a job of its own, of one rank: its result is told to
    /// the processes of all later jobs of this program, which so do the same work.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn agreed(work_us: u32, imbalance: u8) -> Result<Work> {
        let rounds = Launch::new(1).collect(|_| Ok(Work::calibrated(work_us, imbalance).rounds))?;
        match rounds[..] {
            [rounds] => Ok(Work { rounds, imbalance }),
            // The job of a launcher has as many ranks as that says, and is for one launch.
            _ => Err(Error::other(
                "this program has several launches: start it by itself, not by `runahead run`",
            )),
        }
    }

    /// Work that somebody has calibrated: so many rounds a step, equally many at all ranks.
    pub fn of_rounds(rounds: u64) -> Work {
        Work { rounds, imbalance: 0 }
    }

    /// How many rounds a step has.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Computes. How much differs by rank and step, and is the same in every run.
    pub fn compute(&self, rank: Rank, step: u32) {
        let mut random = fastrand::Rng::with_seed((rank as u64) << 32 | u64::from(step));
        let off = (2.0 * random.f64() - 1.0) * f64::from(self.imbalance) / 100.0;
        rounds((self.rounds as f64 * (1.0 + off)) as u64);
    }
}

/// Never inlined: where the count is known, a compiler finds what takes fewer rounds, and what was
/// calibrated would not be what is done. Nor can two rounds be made one, as compilers do with a product
/// and a sum alone: one made eight into one, and another did not, so that programs on MPI had eight times
/// the work. The same as in benches/peers/common.h.
#[inline(never)]
fn rounds(count: u64) {
    let mut value = black_box(1u64);
    for _ in 0..count {
        value ^= value >> 32;
        value = value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    }
    black_box(value);
}
