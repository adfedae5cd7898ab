//! The claim that one epoch is enough, tested: ranks run ahead of one another by several epochs
//! over monotone cells, and signals are coalesced, repeated and overtaken. See [`check`].
//!
//! [`check`]: crate::schedule::check

use std::collections::HashMap;

use proptest::prelude::*;

use super::variants;
use crate::schedule::{Algorithm, Arrival, Schedule, StepIndex};
use crate::{Epoch, Rank};

struct Member {
    schedule: Schedule,
    entered: Epoch,
    /// The highest epoch signalled by each signal that this rank waits for.
    cells: HashMap<Arrival, Epoch>,
    /// For each step the highest epoch that it has been signalled for.
    signalled: Vec<Epoch>,
}

impl Member {
    /// The highest epoch for which step `step`, and all before it, have fired.
    fn fired(&self, step: usize) -> Epoch {
        let arrivals = self.schedule.steps()[..=step].iter().flat_map(|step| &step.recv_from);
        let cells = arrivals.map(|arrival| self.cells.get(arrival).copied().unwrap_or(0));
        cells.chain([self.entered]).min().unwrap()
    }

    fn complete(&self) -> Epoch {
        match self.schedule.steps().len() {
            0 => self.entered,
            steps => self.fired(steps - 1),
        }
    }

    /// Sends the news of one step, whatever epochs it has passed over since the last time.
    fn signal(&mut self, step: usize, flying: &mut Vec<(Rank, Arrival, Epoch)>) {
        let epoch = self.fired(step);
        if epoch > self.signalled[step] {
            self.signalled[step] = epoch;
            let signal = Arrival { rank: self.schedule.rank(), step: step as StepIndex };
            let targets = &self.schedule.steps()[step].send_to;
            flying.extend(targets.iter().map(|&to| (to, signal, epoch)));
        }
    }
}

const LAST: Epoch = 12;

/// Runs `LAST` barriers, of which at most `window` are open at a rank, and returns how far any
/// rank's entering got ahead of another's completion.
fn run(schedules: Vec<Schedule>, window: Epoch, rng: &mut fastrand::Rng) -> Epoch {
    let mut members: Vec<Member> = schedules
        .into_iter()
        .map(|schedule| Member {
            entered: 0,
            cells: HashMap::new(),
            signalled: vec![0; schedule.steps().len()],
            schedule,
        })
        .collect();
    let mut flying: Vec<(Rank, Arrival, Epoch)> = Vec::new();
    let mut ahead = 0;
    while members.iter().any(|member| member.complete() < LAST) {
        let rank = rng.usize(..members.len());
        let member = &mut members[rank];
        match rng.u8(..4) {
            0 if member.entered < LAST && member.entered < member.complete() + window => {
                member.entered += 1;
            }
            1 if !member.signalled.is_empty() => {
                member.signal(rng.usize(..member.signalled.len()), &mut flying);
            }
            _ if !flying.is_empty() => {
                let at = rng.usize(..flying.len());
                // One in eight is repeated: it arrives now and again later.
                let (to, signal, epoch) =
                    if rng.u8(..8) == 0 { flying[at] } else { flying.swap_remove(at) };
                let cell = members[to].cells.entry(signal).or_default();
                *cell = epoch.max(*cell);
            }
            _ => {}
        }
        let all_entered = members.iter().map(|member| member.entered).min().unwrap();
        for member in &members {
            assert!(member.complete() <= all_entered, "complete before all have entered");
            ahead = ahead.max(member.entered - all_entered);
        }
    }
    ahead
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn ranks_that_run_ahead_are_still_ordered(
        algorithm in prop::sample::select(variants()),
        size in 1..=7_usize,
        window in 1..=5_u64,
        seed: u64,
    ) {
        let mut rng = fastrand::Rng::with_seed(seed);
        // The run ends only when everyone has completed everything, and asserts on its way.
        run(Schedule::all(algorithm, size), window, &mut rng);
    }
}

/// Were nobody ever several epochs ahead, the property above would say nothing.
#[test]
fn ranks_do_run_ahead() {
    let mut rng = fastrand::Rng::with_seed(3);
    for algorithm in Algorithm::ALL {
        let ahead = (0..20).map(|_| run(Schedule::all(algorithm, 5), 4, &mut rng)).max();
        assert!(ahead >= Some(3), "{algorithm}: {ahead:?}");
    }
}

/// The property bites: without its last round a dissemination lets a rank complete too early.
#[test]
#[should_panic(expected = "complete before all have entered")]
fn a_round_too_few_is_noticed() {
    let mut schedules = Schedule::all(Algorithm::Dissemination, 5);
    for schedule in &mut schedules {
        let mut steps = schedule.steps()[..3].to_vec();
        steps[2].send_to.clear();
        *schedule = Schedule::from_steps(schedule.rank(), 5, steps);
    }
    let mut rng = fastrand::Rng::with_seed(4);
    for _ in 0..100 {
        run(schedules.clone(), 4, &mut rng);
    }
}
