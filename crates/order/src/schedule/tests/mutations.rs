//! Random changes to right schedules: the graph check and the brute-force oracle must agree on
//! every result, and the fault must be one that a run shows.

use proptest::prelude::*;

use super::{oracle, variants};
use crate::Rank;
use crate::schedule::check::{Fault, check};
use crate::schedule::{Algorithm, Arrival, Schedule, Step, StepIndex};

/// A change; the numbers are taken modulo what there is. Most keep signals and arrivals matched,
/// since a change that does not is rejected before the graph is looked at.
#[derive(Clone, Debug)]
enum Mutation {
    /// A signal and its arrival disappear.
    Remove(usize),
    /// An arrival moves to another step of its rank.
    MoveArrival(usize, usize),
    /// A signal moves to another step of its sender, and the arrival names that step.
    MoveSignal(usize, usize),
    /// A signal goes to another rank, where it arrives in some step.
    Redirect(usize, usize, usize),
    /// A new signal from any step to any step.
    Add(usize, usize, usize, usize),
    /// An arrival disappears, its signal stays.
    DropArrival(usize),
    /// A signal disappears, its arrival stays.
    DropSignal(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    use Mutation::*;
    let any = any::<usize>;
    prop_oneof![
        3 => any().prop_map(Remove),
        6 => (any(), any()).prop_map(|(signal, step)| MoveArrival(signal, step)),
        6 => (any(), any()).prop_map(|(signal, step)| MoveSignal(signal, step)),
        3 => (any(), any(), any()).prop_map(|(signal, to, step)| Redirect(signal, to, step)),
        6 => (any(), any(), any(), any()).prop_map(|(a, b, c, d)| Add(a, b, c, d)),
        1 => any().prop_map(DropArrival),
        1 => any().prop_map(DropSignal),
    ]
}

/// A signal: sender and its step, target and the step in which it waits for it.
type Signal = (Rank, usize, Rank, usize);

/// The signals of a family of schedules and the number of steps of each rank.
struct Family {
    signals: Vec<Signal>,
    /// Signals without arrival, and arrivals without signal.
    unexpected: Vec<Signal>,
    unsent: Vec<Signal>,
    steps: Vec<usize>,
}

impl Family {
    fn of(schedules: &[Schedule]) -> Family {
        let mut signals = Vec::new();
        for schedule in schedules {
            for (index, step) in schedule.steps().iter().enumerate() {
                let arrivals = step.recv_from.iter();
                signals.extend(
                    arrivals.map(|a| (a.rank, usize::from(a.step), schedule.rank(), index)),
                );
            }
        }
        let steps = schedules.iter().map(|schedule| schedule.steps().len()).collect();
        Family { signals, unexpected: Vec::new(), unsent: Vec::new(), steps }
    }

    fn apply(&mut self, mutation: &Mutation) {
        let signals = self.signals.len();
        let step_of = |rank: Rank, draw: usize| draw % self.steps[rank];
        match *mutation {
            Mutation::Add(from, step, distance, at) => {
                let size = self.steps.len();
                let from = from % size;
                let to = (from + 1 + distance % (size - 1)) % size;
                self.signals.push((from, step_of(from, step), to, step_of(to, at)));
            }
            _ if signals == 0 => {}
            Mutation::Remove(which) => {
                self.signals.swap_remove(which % signals);
            }
            Mutation::MoveArrival(which, at) => {
                let rank = self.signals[which % signals].2;
                self.signals[which % signals].3 = step_of(rank, at);
            }
            Mutation::MoveSignal(which, step) => {
                let rank = self.signals[which % signals].0;
                self.signals[which % signals].1 = step_of(rank, step);
            }
            Mutation::Redirect(which, to, at) => {
                // To its own sender too: that must be found.
                let to = to % self.steps.len();
                let at = step_of(to, at);
                let signal = &mut self.signals[which % signals];
                (signal.2, signal.3) = (to, at);
            }
            Mutation::DropArrival(which) => {
                self.unexpected.push(self.signals.swap_remove(which % signals));
            }
            Mutation::DropSignal(which) => {
                self.unsent.push(self.signals.swap_remove(which % signals));
            }
        }
    }

    fn schedules(&self) -> Vec<Schedule> {
        let mut steps: Vec<Vec<Step>> =
            self.steps.iter().map(|&count| vec![Step::default(); count]).collect();
        for &(from, step, to, _) in self.signals.iter().chain(&self.unexpected) {
            steps[from][step].send_to.push(to);
        }
        for &(rank, step, to, at) in self.signals.iter().chain(&self.unsent) {
            steps[to][at].recv_from.push(Arrival { rank, step: step as StepIndex });
        }
        let size = steps.len();
        let ranks = steps.into_iter().enumerate();
        ranks.map(|(rank, steps)| Schedule::from_steps(rank, size, steps)).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn check_agrees_with_brute_force(
        algorithm in prop::sample::select(variants()),
        size in 2..=9_usize,
        mutations in prop::collection::vec(mutation(), 0..=3),
        seed: u64,
    ) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut family = Family::of(&Schedule::all(algorithm, size));
        mutations.iter().for_each(|mutation| family.apply(mutation));
        let schedules = family.schedules();
        let found = check(&schedules);
        prop_assert_eq!(found.is_ok(), oracle::is_barrier(&schedules, &mut rng), "{:?}", found);
        match found {
            Err(Fault::NotImplied { complete, missing }) => {
                prop_assert!(oracle::run(&schedules, Some(missing), &mut rng)[complete]);
            }
            Err(Fault::Stuck { rank, arrival, .. }) => {
                let complete = oracle::run(&schedules, None, &mut rng);
                prop_assert!(!complete[rank] && !complete[arrival.rank]);
            }
            Ok(shape) => {
                // A dropped arrival and a dropped signal may be halves of two equal signals, which
                // then make one.
                let sent = family.signals.len() + family.unexpected.len();
                prop_assert_eq!(shape.signals, sent);
                let chains = oracle::chains(&schedules, None, &mut rng);
                prop_assert_eq!(Some(shape.hops), chains.into_iter().max().flatten());
            }
            Err(_) => {}
        }
    }
}

/// The mutations must reach every kind of verdict, or the property above says little.
#[test]
fn mutations_reach_every_verdict() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut right, mut stuck, mut unsafe_, mut malformed) = (0, 0, 0, 0);
    let mutations = prop::collection::vec(mutation(), 1..=3);
    for case in 0..600 {
        let algorithm = Algorithm::ALL[case % Algorithm::ALL.len()];
        let mut family = Family::of(&Schedule::all(algorithm, 2 + case % 8));
        let drawn = mutations.new_tree(&mut runner).unwrap().current();
        drawn.iter().for_each(|mutation| family.apply(mutation));
        match check(&family.schedules()) {
            Ok(_) => right += 1,
            Err(Fault::Stuck { .. }) => stuck += 1,
            Err(Fault::NotImplied { .. }) => unsafe_ += 1,
            Err(_) => malformed += 1,
        }
    }
    let least = right.min(stuck).min(unsafe_).min(malformed);
    assert!(least >= 20, "{right} right, {stuck} stuck, {unsafe_} unsafe, {malformed} malformed");
}
