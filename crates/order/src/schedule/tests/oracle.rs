//! Runs schedules signal by signal, in a random order. It knows the rule for a step and nothing of
//! graphs, so it can judge the graph check.

use std::collections::{HashMap, HashSet};

use crate::Rank;
use crate::schedule::{Arrival, Schedule, StepIndex};

/// Which ranks complete when all but `withheld` enter and every signal arrives. The signals go in
/// an order that `rng` draws.
pub(super) fn run(
    schedules: &[Schedule],
    withheld: Option<Rank>,
    rng: &mut fastrand::Rng,
) -> Vec<bool> {
    chains(schedules, withheld, rng).iter().map(Option::is_some).collect()
}

/// The same, with the longest chain of signals that led to each completion: every signal carries
/// the length of the longest that ends with it.
pub(super) fn chains(
    schedules: &[Schedule],
    withheld: Option<Rank>,
    rng: &mut fastrand::Rng,
) -> Vec<Option<usize>> {
    let mut ranks: Vec<_> = schedules.iter().map(Run::new).collect();
    let mut flying: Vec<(Rank, Arrival, usize)> = Vec::new();
    let mut entering: Vec<Rank> =
        (0..schedules.len()).filter(|&rank| Some(rank) != withheld).collect();
    rng.shuffle(&mut entering);
    loop {
        // Either somebody enters or a signal arrives, as chance has it.
        let next = rng.usize(..entering.len() + flying.len() + 1);
        if let Some(rank) = if next < entering.len() { entering.pop() } else { None } {
            ranks[rank].entered = true;
            ranks[rank].advance(&mut flying);
        } else if !flying.is_empty() {
            let (to, signal, chain) = flying.swap_remove(rng.usize(..flying.len()));
            ranks[to].arrived.insert(signal, chain);
            ranks[to].advance(&mut flying);
        } else if entering.is_empty() {
            return ranks.iter().map(Run::completed_after).collect();
        }
    }
}

/// Whether schedules are a barrier, by brute force: every signal matches one arrival and every
/// arrival one signal, nobody completes without any one rank, and everybody completes with all.
pub(super) fn is_barrier(schedules: &[Schedule], rng: &mut fastrand::Rng) -> bool {
    let mut sent = Vec::new();
    let mut expected = Vec::new();
    for schedule in schedules {
        for (index, step) in (0..).zip(schedule.steps()) {
            let from = Arrival { rank: schedule.rank(), step: index };
            sent.extend(step.send_to.iter().map(|&to| (from, to)));
            expected.extend(step.recv_from.iter().map(|&from| (from, schedule.rank())));
        }
    }
    let distinct: HashSet<_> = sent.iter().collect();
    let matched = distinct.len() == sent.len()
        && expected.len() == sent.len()
        && expected.iter().collect::<HashSet<_>>() == distinct
        && sent.iter().all(|&(from, to)| to < schedules.len() && from.rank != to);
    matched
        && (0..schedules.len()).all(|rank| !run(schedules, Some(rank), rng).contains(&true))
        && !run(schedules, None, rng).contains(&false)
}

/// One rank in one barrier.
struct Run<'a> {
    schedule: &'a Schedule,
    entered: bool,
    /// What has arrived, and the chain that ended with it.
    arrived: HashMap<Arrival, usize>,
    /// The longest chain among those that were waited for.
    chain: usize,
    /// The first step that has not been signalled, and how many of its arrivals are there for
    /// sure.
    step: usize,
    there: usize,
}

impl<'a> Run<'a> {
    fn new(schedule: &'a Schedule) -> Run<'a> {
        Run { schedule, entered: false, arrived: HashMap::new(), chain: 0, step: 0, there: 0 }
    }

    /// Signals what may be signalled.
    fn advance(&mut self, flying: &mut Vec<(Rank, Arrival, usize)>) {
        if !self.entered {
            return;
        }
        while let Some(step) = self.schedule.steps().get(self.step) {
            let waits_for = |there: usize| step.recv_from.get(there);
            while let Some(&chain) = waits_for(self.there).and_then(|next| self.arrived.get(next)) {
                self.chain = self.chain.max(chain);
                self.there += 1;
            }
            if self.there < step.recv_from.len() {
                return;
            }
            let signal = Arrival { rank: self.schedule.rank(), step: self.step as StepIndex };
            flying.extend(step.send_to.iter().map(|&to| (to, signal, self.chain + 1)));
            (self.step, self.there) = (self.step + 1, 0);
        }
    }

    fn completed_after(&self) -> Option<usize> {
        (self.entered && self.step == self.schedule.steps().len()).then_some(self.chain)
    }
}
