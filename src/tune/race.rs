//! Chooses an algorithm from times. Pure: the same times give the same laps and the same choice.
//!
//! A *round* runs a batch of barriers of each candidate in turn, so that a drift affects all alike.
//! The candidates are compared round by round. A *lap* is the number of rounds that all ranks run
//! before they report their times. The first lap is the warm-up: it only shows how long a round
//! takes. A later lap starts only if the times so far say that it ends within the budget. A rank
//! that loses its core can therefore make a race longer than the budget by one lap.
//!
//! A candidate drops out when it is *clearly slower* than the one with the least median. That means
//! by a margin in the median, and in so many rounds that chance is unlikely (a sign test). The
//! default wins unless it has dropped out: ties and noise favour it.

use std::time::Duration;

use crate::order::Algorithm;

/// The most barriers in a batch. The candidate before still affects the first barrier, so larger
/// batches are better. But enough rounds to decide must fit into the budget.
pub const MOST_IN_BATCH: u32 = 8;

/// How many rounds should fit after a batch is enlarged: twice as many as can show a difference.
const ROUNDS_WANTED: u128 = 16;

/// The most rounds in a lap, and in a race without the warm-up.
pub const MOST_ROUNDS: u32 = 512;

/// The most rounds in one lap.
const MOST_IN_LAP: u32 = 16;

/// A clearly slower candidate is slower by this part of the median, ...
const MARGIN: f64 = 0.05;

/// ... with at most this probability if both were equally fast. That takes at least 8 rounds.
const CHANCE: f64 = 0.005;

/// The rounds that all ranks run before they report their times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lap {
    /// The number of rounds.
    pub rounds: u32,
    /// The number of barriers in a batch.
    pub batch: u32,
    /// The indices of the candidates that run, in order.
    pub runs: Vec<usize>,
}

/// A candidate and its result.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Row {
    /// The candidate.
    pub algorithm: Algorithm,
    /// The number of rounds in which it ran.
    pub rounds: u32,
    /// The median over its rounds of the slowest rank's time for one barrier, in nanoseconds; 0
    /// without rounds.
    pub median_ns: u64,
}

/// The result of a race.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Measurement {
    /// The algorithm to use.
    pub chosen: Algorithm,
    /// Whether there were enough rounds to decide. If not, the default was chosen, and the result
    /// should not be stored.
    pub sound: bool,
    /// The candidates, the default first. Empty if nothing was measured.
    pub rows: Vec<Row>,
}

impl Measurement {
    /// A known choice, without a race.
    pub fn known(chosen: Algorithm) -> Measurement {
        Measurement { chosen, sound: true, rows: Vec::new() }
    }
}

/// A race of some candidates, the first of which is the default.
#[derive(Clone, Debug)]
pub struct Race {
    candidates: Vec<Algorithm>,
    budget: Duration,
    /// Whether clearly slower candidates stay to the end, so that all are measured alike.
    keeps_all: bool,
    /// For each candidate, the slowest rank's time of its batch in each round, in nanoseconds.
    times: Vec<Vec<u64>>,
    /// The candidates that have not dropped out.
    running: Vec<usize>,
    /// The number of barriers in a batch; fixed after the warm-up.
    batch: u32,
    /// The time of a barrier including all overhead, as in the last lap.
    barrier: Option<Duration>,
    spent: Duration,
}

impl Race {
    /// A race that may take as long as `budget`. If it `keeps_all`, no candidate drops out before
    /// the end.
    ///
    /// # Panics
    ///
    /// Without candidates.
    pub fn new(candidates: Vec<Algorithm>, budget: Duration, keeps_all: bool) -> Race {
        assert!(!candidates.is_empty(), "the default is a candidate");
        Race {
            budget,
            keeps_all,
            times: vec![Vec::new(); candidates.len()],
            running: (0..candidates.len()).collect(),
            batch: 1,
            barrier: None,
            spent: Duration::ZERO,
            candidates,
        }
    }

    /// The candidates.
    pub fn candidates(&self) -> &[Algorithm] {
        &self.candidates
    }

    /// The next lap when `spent` has passed since the start. None if the race is over: one
    /// candidate is left, or no further round fits into the budget.
    pub fn next_lap(&mut self, spent: Duration) -> Option<Lap> {
        self.spent = spent;
        let runs = self.running.clone();
        let Some(barrier) = self.barrier else {
            return Some(Lap { rounds: 1, batch: 1, runs });
        };
        if runs.len() < 2 {
            return None;
        }
        let left = self.budget.saturating_sub(spent);
        let one_each = (barrier * runs.len() as u32).max(Duration::from_nanos(1));
        if self.rounds() == 0 {
            let fit = left.as_nanos() / one_each.as_nanos() / ROUNDS_WANTED;
            self.batch = fit.clamp(1, MOST_IN_BATCH.into()) as u32;
        }
        let round = one_each * self.batch;
        let fit = (left.as_nanos() / round.as_nanos()).min(MOST_ROUNDS.into()) as u32;
        if fit == 0 {
            return None;
        }
        // Half of what fits: the results of this lap decide about the rest.
        let most = MOST_IN_LAP.min(MOST_ROUNDS.saturating_sub(self.rounds()));
        let rounds = fit.div_ceil(2).min(most);
        (rounds > 0).then_some(Lap { rounds, batch: self.batch, runs })
    }

    /// Takes the times of a lap that ended when `spent` had passed since the start. Each rank gives
    /// its times round by round, one for each candidate that ran, in nanoseconds for a batch.
    ///
    /// # Panics
    ///
    /// If a rank gives fewer times than the lap has.
    pub fn handle_lap(&mut self, lap: &Lap, ranks: &[Vec<u64>], spent: Duration) {
        let batches = lap.rounds * lap.runs.len() as u32;
        let warm_up = self.barrier.is_none();
        self.barrier = Some(spent.saturating_sub(self.spent) / (batches * lap.batch).max(1));
        if warm_up {
            return;
        }
        for at in 0..batches as usize {
            let slowest = ranks.iter().map(|times| times[at]).max().unwrap_or(0);
            self.times[lap.runs[at % lap.runs.len()]].push(slowest);
        }
        if !self.keeps_all {
            self.running = self.still_running();
        }
    }

    /// The result so far.
    pub fn measurement(&self) -> Measurement {
        let running = self.still_running();
        let chosen = if running.contains(&0) { 0 } else { self.fastest(&running) };
        let row = |(algorithm, times): (&Algorithm, &Vec<u64>)| Row {
            algorithm: *algorithm,
            rounds: times.len() as u32,
            median_ns: median(times) / u64::from(self.batch),
        };
        Measurement {
            chosen: self.candidates[chosen],
            sound: by_chance(self.rounds(), self.rounds()) <= CHANCE,
            rows: self.candidates.iter().zip(&self.times).map(row).collect(),
        }
    }

    fn rounds(&self) -> u32 {
        self.times.iter().map(Vec::len).max().unwrap_or(0) as u32
    }

    /// The candidate with the least median; of equal ones the first.
    fn fastest(&self, among: &[usize]) -> usize {
        let fastest = among.iter().copied().min_by_key(|&candidate| median(&self.times[candidate]));
        fastest.unwrap_or(0)
    }

    fn still_running(&self) -> Vec<usize> {
        let fastest = self.fastest(&self.running);
        let slow =
            |candidate: usize| is_clearly_slower(&self.times[candidate], &self.times[fastest]);
        self.running.iter().copied().filter(|&candidate| !slow(candidate)).collect()
    }
}

/// The median of some times; 0 for none. For an even number, the lower of the two in the middle.
pub fn median(times: &[u64]) -> u64 {
    let mut times = times.to_vec();
    if times.is_empty() {
        return 0;
    }
    let middle = (times.len() - 1) / 2;
    *times.select_nth_unstable(middle).1
}

/// Whether `times` are clearly slower than `others`, both from the same rounds.
pub fn is_clearly_slower(times: &[u64], others: &[u64]) -> bool {
    let rounds = times.len().min(others.len());
    let slower = times.iter().zip(others).filter(|(time, other)| time > other).count();
    let apart = median(times) as f64 >= median(others) as f64 * (1.0 + MARGIN);
    rounds > 0 && apart && by_chance(slower as u32, rounds as u32) <= CHANCE
}

/// The probability that a coin thrown `throws` times shows heads at least `heads` times.
fn by_chance(heads: u32, throws: u32) -> f64 {
    let mut exactly = 0.5f64.powi(throws as i32);
    let mut sum = exactly; // all heads
    for tails in 1..=throws - heads {
        exactly *= f64::from(throws - tails + 1) / f64::from(tails);
        sum += exactly;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests;
