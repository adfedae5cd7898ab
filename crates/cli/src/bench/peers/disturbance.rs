//! Detects foreign load beside a sample: the share of the cores' time that went to other processes,
//! and the time of a cache line from core to core before the sample.
//!
//! The system counts in ticks of 10 ms, and each number here may be wrong by some of them. A short
//! sample counts as disturbed only by more foreign ticks than that.

use std::path::Path;

use runahead::{Error, Result};
use serde::{Deserialize, Serialize};

use super::super::micro::floor;
use crate::sys;

/// A sample was disturbed if more than this share of the cores' time went to other processes, and
/// also more than [`FOREIGN_TICKS`].
const FOREIGN_SHARE: f64 = 0.05;
const FOREIGN_TICKS: u64 = 5;
/// A core is not always available if a cache line takes this many times the least time seen, and
/// also longer than [`FLOOR_NS`].
const FLOOR_FACTOR: f64 = 2.0;
const FLOOR_NS: f64 = 300.0;
const FLOOR_REPETITIONS: u32 = 7;
const FLOOR_ROUND_TRIPS: u32 = 200;

/// What ran beside a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Beside {
    /// None on one core.
    pub(crate) floor_ns: Option<f64>,
    /// The foreign share of the cores' time, from before the job started until it had ended.
    pub(crate) foreign_share: f64,
    pub(crate) disturbed: bool,
}

/// Watches samples.
#[derive(Debug)]
pub(crate) struct Watch {
    cores: Vec<usize>,
    least_floor_ns: f64,
}

/// The clocks before a sample.
#[derive(Debug)]
pub(crate) struct Begun {
    floor_ns: Option<f64>,
    before: Ticks,
}

impl Watch {
    pub(crate) fn new(cores: Vec<usize>) -> Watch {
        Watch { cores, least_floor_ns: f64::INFINITY }
    }

    /// Call this before the loads of a sample start.
    ///
    /// # Errors
    ///
    /// If /proc does not say how busy the cores are.
    pub(crate) fn begin(&mut self) -> Result<Begun> {
        let floor_ns = match self.cores[..] {
            [first, second, ..] => {
                let between = [first, second];
                Some(floor::cache_line_ns(between, FLOOR_REPETITIONS, FLOOR_ROUND_TRIPS)?)
            }
            _ => None,
        };
        self.least_floor_ns =
            floor_ns.map_or(self.least_floor_ns, |ns| ns.min(self.least_floor_ns));
        Ok(Begun { floor_ns, before: self.ticks()? })
    }

    /// Call this after the job and the loads have ended.
    ///
    /// # Errors
    ///
    /// If /proc does not say how busy the cores are.
    pub(crate) fn end(&self, begun: &Begun) -> Result<Beside> {
        Ok(beside(begun, self.ticks()?, self.least_floor_ns))
    }

    fn ticks(&self) -> Result<Ticks> {
        let read = |path: &str| sys::text_of(Path::new(path)).ok().flatten().unwrap_or_default();
        let cores = of_cores(&read("/proc/stat"), &self.cores);
        let ours = of_process(&read("/proc/self/stat"));
        let (Some((busy, all)), Some(ours)) = (cores, ours) else {
            return Err(Error::other("/proc does not say how busy the cores are"));
        };
        Ok(Ticks { busy, all, ours })
    }
}

/// Ticks since the system or the process started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    /// Ticks in which the cores in use were busy.
    busy: u64,
    all: u64,
    /// Ticks of this process, and of those that it has waited for.
    ours: u64,
}

fn beside(begun: &Begun, after: Ticks, least_floor_ns: f64) -> Beside {
    let since = |ticks: fn(&Ticks) -> u64| ticks(&after).saturating_sub(ticks(&begun.before));
    let foreign = since(|ticks| ticks.busy).saturating_sub(since(|ticks| ticks.ours));
    let foreign_share = foreign as f64 / since(|ticks| ticks.all).max(1) as f64;
    let slow = |ns: f64| ns > FLOOR_NS.max(FLOOR_FACTOR * least_floor_ns);
    let crowded = foreign_share > FOREIGN_SHARE && foreign > FOREIGN_TICKS;
    let disturbed = crowded || begun.floor_ns.is_some_and(slow);
    Beside { floor_ns: begun.floor_ns, foreign_share, disturbed }
}

/// The busy ticks and all ticks of these cores, from /proc/stat.
fn of_cores(text: &str, cores: &[usize]) -> Option<(u64, u64)> {
    let mut sum = (0, 0);
    for core in cores {
        let name = format!("cpu{core} ");
        let line = text.lines().find_map(|line| line.strip_prefix(&name))?;
        // user, nice, system, idle, iowait, irq, softirq, steal; the first two include the guest
        // times that follow.
        let numbers: Vec<u64> = line.split_whitespace().take(8).flat_map(str::parse).collect();
        let all: u64 = numbers.iter().sum();
        let idle = numbers.get(3)? + numbers.get(4)?;
        sum = (sum.0 + all - idle, sum.1 + all);
    }
    Some(sum)
}

/// The ticks of a process and of those that it has waited for, from /proc/self/stat.
fn of_process(text: &str) -> Option<u64> {
    // The name may contain anything, and ends with the last parenthesis.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 1 5 100 4 0 1 2 7 0\n\
                        cpu1 20 0 0 50 0 0 0 0 0 0\ncpu10 1 1 1 1 1 1 1 1 0 0\n";

    #[test]
    fn ticks_are_parsed_from_proc() {
        assert_eq!(of_cores(STAT, &[0]), Some((19, 123)));
        assert_eq!(of_cores(STAT, &[0, 1]), Some((39, 193)));
        assert_eq!(of_cores(STAT, &[2]), None);
        let own = "17 (a) b) c) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 20 0";
        assert_eq!(of_process(own), Some(127));
        assert_eq!(of_process("17 (x) S 1"), None);
    }

    #[test]
    fn foreign_time_or_a_slow_cache_line_marks_a_sample_as_disturbed() {
        let begun = |floor_ns| Begun { floor_ns, before: Ticks { busy: 0, all: 0, ours: 0 } };
        let of =
            |floor_ns, busy, ours| beside(&begun(floor_ns), Ticks { busy, all: 200, ours }, 100.0);
        assert!(!of(Some(100.0), 150, 145).disturbed);
        let crowded = of(Some(100.0), 150, 130);
        assert!(crowded.disturbed && (crowded.foreign_share - 0.1).abs() < 1e-12);
        // More own ticks than busy ones, by rounding, do not make the share negative.
        assert_eq!(of(None, 150, 155), Beside::default());
        assert!(!of(Some(290.0), 0, 0).disturbed && of(Some(310.0), 0, 0).disturbed);
    }
}
