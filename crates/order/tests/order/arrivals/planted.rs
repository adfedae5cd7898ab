//! Faults that must be found: in schedules, where the graph check of `order::schedule` says what is
//! wrong with each, and in cores that do not do what they should with a signal.

use std::collections::BTreeMap;
use std::sync::Arc;

use runahead_order::schedule::check::{self, check};
use runahead_order::schedule::{Arrival, Step, StepIndex};
use runahead_order::{Algorithm, Epoch, Order, Rank, Schedule, Signal, SignalKind};

use super::bounds::schedules;
use super::boxes::{Report, Search};
use super::cores::{Core, Progress, Setup, Signalled};
use super::full::{Verdict, compare};
use super::locals::Wrong;

/// What is wrong with a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: the faults are not found where there is none.
    None,
    /// This rank does not signal that one in this step, unless it is asked to.
    NotSent(Rank, StepIndex, Rank),
    /// This rank does not answer that one's questions for this step.
    NotAnswered(Rank, StepIndex, Rank),
    /// Both.
    Mute(Rank, StepIndex, Rank),
    /// What comes is counted: a signal that comes twice stands for two barriers.
    CountsArrivals,
    /// The latest signal to come counts, not the highest.
    TakesLower,
    /// The same, unless it would be noticed at once.
    TakesLowerUnseen,
    /// A rank signals its first step before it has entered the barrier.
    SignalsEarly(Rank),
    /// Of those that publish: what is read in this rank's word is one more than it says.
    ReadsAhead(Rank),
    /// This rank does not publish this epoch.
    NotPublished(Rank, Epoch),
}

/// A real core, with a fault between it and the network.
#[derive(Clone, Debug)]
pub struct Faulty {
    inner: Signalled,
    setup: Arc<Setup>,
    position: Rank,
    /// What came, for those cores that go by it.
    came: BTreeMap<(Rank, StepIndex), Epoch>,
    /// Who has asked for what is not sent.
    asked: bool,
}

impl Faulty {
    fn fault(&self) -> Fault {
        self.setup.fault.unwrap_or(Fault::None)
    }

    /// A core that has entered what this one has, and got what came last.
    fn again(&self) -> Result<Signalled, String> {
        let mut again = Signalled::new(&self.setup, self.position);
        for _ in 0..self.inner.progress().initiated {
            again.enter()?;
        }
        for (&(from, step), &epoch) in &self.came {
            again.handle(from, reached(step, epoch))?;
        }
        Ok(again)
    }
}

fn reached(step: StepIndex, epoch: Epoch) -> Signal {
    let (kind, group) = (SignalKind::Reached, runahead_order::GroupId::WORLD);
    Signal { kind, group, step, epoch, clock: 0 }
}

impl Core for Faulty {
    type Key = (Order, BTreeMap<(Rank, StepIndex), Epoch>, bool);

    fn new(setup: &Arc<Setup>, position: Rank) -> Faulty {
        let inner = Signalled::new(setup, position);
        let (setup, came) = (setup.clone(), BTreeMap::new());
        Faulty { inner, setup, position, came, asked: false }
    }

    fn key(&self) -> Self::Key {
        (self.inner.key(), self.came.clone(), self.asked)
    }

    fn progress(&self) -> Progress {
        self.inner.progress()
    }

    fn may_enter(&self) -> bool {
        self.inner.may_enter()
    }

    fn enter(&mut self) -> Result<(), String> {
        self.inner.enter()
    }

    fn handle(&mut self, from: Rank, signal: Signal) -> Result<(), String> {
        let Signal { kind, step, epoch, .. } = signal;
        if kind == SignalKind::Ask {
            match self.fault() {
                Fault::NotAnswered(own, silent, to) | Fault::Mute(own, silent, to)
                    if (own, silent, to) == (self.position, step, from) =>
                {
                    return Ok(());
                }
                Fault::NotSent(own, silent, to)
                    if (own, silent, to) == (self.position, step, from) =>
                {
                    self.asked = true;
                }
                _ => {}
            }
            return self.inner.handle(from, signal);
        }
        match self.fault() {
            Fault::CountsArrivals => {
                let most = self.progress().entered + self.setup.open_limit as Epoch;
                let count = self.came.entry((from, step)).or_insert(0);
                if *count < most.min(self.setup.epochs) {
                    *count += 1;
                    return self.inner.handle(from, reached(step, *count));
                }
                Ok(())
            }
            Fault::TakesLower => {
                self.came.insert((from, step), epoch);
                self.inner = self.again()?;
                Ok(())
            }
            Fault::TakesLowerUnseen => {
                let before = self.came.insert((from, step), epoch);
                let again = self.again()?;
                let (old, new) = (self.progress(), again.progress());
                if new.complete >= old.complete {
                    self.inner = again;
                } else if let Some(before) = before {
                    self.came.insert((from, step), before);
                }
                Ok(())
            }
            _ => self.inner.handle(from, signal),
        }
    }

    fn due(&self) -> Vec<Rank> {
        self.inner.due()
    }

    fn take(&mut self, only: Option<Rank>, emit: &mut dyn FnMut(Rank, Signal)) {
        let (fault, position, asked) = (self.fault(), self.position, self.asked);
        self.inner.take(only, &mut |to, signal| {
            let withheld = match fault {
                Fault::NotSent(own, step, other) => {
                    !asked && (own, step, other) == (position, signal.step, to)
                }
                Fault::Mute(own, step, other) => (own, step, other) == (position, signal.step, to),
                _ => false,
            };
            if !withheld {
                emit(to, signal);
            }
        });
        if fault == Fault::SignalsEarly(position) {
            let epoch = self.setup.epochs.min(self.progress().entered + 1);
            for &to in &self.setup.schedules[position].steps()[0].send_to {
                emit(to, Signal { clock: epoch, ..reached(0, epoch) });
            }
        }
    }

    fn asks(&self) -> Vec<(Rank, Signal)> {
        self.inner.asks()
    }

    fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        self.inner.has_heard(member, epoch)
    }

    fn check(&self) -> Result<(), String> {
        self.inner.check()
    }
}

fn found_in(algorithm: Algorithm, size: usize, fault: Fault) -> Report {
    let setup = Setup { fault: Some(fault), ..Setup::of(Schedule::all(algorithm, size)) };
    Search::<Faulty>::new(setup).run().0
}

/// That the first thing found wrong is of a kind. The fault may concern the first signal of rank 1.
fn catches(fault: impl Fn(Rank, StepIndex, Rank) -> Fault, is: impl Fn(&Wrong) -> bool) {
    for algorithm in [Algorithm::AllToAll, Algorithm::Dissemination, Algorithm::BinaryTree] {
        for size in [2, 3] {
            found_in(algorithm, size, Fault::None).require(&format!("{algorithm}, no fault"));
            let schedule = Schedule::new(algorithm, 1, size);
            let first = schedule.steps().iter().position(|step| !step.send_to.is_empty());
            let step = first.expect("rank 1 has something to say");
            let fault = fault(1, step as StepIndex, schedule.steps()[step].send_to[0]);
            let report = found_in(algorithm, size, fault);
            let what = format!("{fault:?} of {algorithm} at {size}");
            let (wrong, trace) =
                report.wrong.first().unwrap_or_else(|| panic!("{what}: unnoticed"));
            assert!(is(wrong), "{what}: {wrong:?} after {trace:#?}");
            println!("{what}: {wrong:?} after {trace:?}");
        }
    }
}

/// SEMANTICS: BAR-4
#[test]
fn a_signal_that_is_never_sent_is_missed() {
    catches(Fault::NotSent, |wrong| matches!(wrong, Wrong::Stuck(_)));
    catches(Fault::Mute, |wrong| matches!(wrong, Wrong::Stuck(_)));
    for size in [2, 3] {
        let report = found_in(Algorithm::AllToAll, size, Fault::NotSent(1, 0, 0));
        assert!(!report.has(|wrong| matches!(wrong, Wrong::Unrepaired(_))), "it is asked for");
        assert!(report.has(|wrong| matches!(wrong, Wrong::NewAnswer(_))), "{:?}", report.wrong);
        let report = found_in(Algorithm::AllToAll, size, Fault::Mute(1, 0, 0));
        assert!(report.has(|wrong| matches!(wrong, Wrong::Unrepaired(_))), "{:?}", report.wrong);
    }
}

/// SEMANTICS: BAR-4
#[test]
fn a_question_that_is_never_answered_is_missed() {
    catches(Fault::NotAnswered, |wrong| matches!(wrong, Wrong::Unrepaired(_)));
    let report = found_in(Algorithm::AllToAll, 3, Fault::NotAnswered(1, 0, 0));
    assert!(!report.has(|wrong| matches!(wrong, Wrong::Stuck(_))), "nothing need be lost");
}

/// SEMANTICS: BAR-1, BAR-3
#[test]
fn a_core_that_counts_what_comes_is_caught() {
    catches(
        |_, _, _| Fault::CountsArrivals,
        |wrong| matches!(wrong, Wrong::Early { .. } | Wrong::Imagined { .. }),
    );
    let report = found_in(Algorithm::AllToAll, 3, Fault::CountsArrivals);
    let early = report.has(|wrong| matches!(wrong, Wrong::Early { epoch: 2, .. }));
    assert!(early, "a barrier completes that some have not entered: {:?}", report.wrong);
}

/// SEMANTICS: BAR-3
#[test]
fn a_core_that_takes_a_lower_epoch_after_a_higher_is_caught() {
    catches(|_, _, _| Fault::TakesLower, |wrong| matches!(wrong, Wrong::FellBack { .. }));
    catches(
        |_, _, _| Fault::TakesLowerUnseen,
        |wrong| matches!(wrong, Wrong::TakenAgain(_) | Wrong::Circle(_)),
    );
}

/// SEMANTICS: BAR-2
#[test]
fn a_rank_that_signals_before_it_has_entered_is_caught() {
    catches(
        |rank, _, _| Fault::SignalsEarly(rank),
        |wrong| matches!(wrong, Wrong::Early { .. } | Wrong::Imagined { .. }),
    );
}

/// The schedules with one arrival changed by `change`, which gets all steps, who waits, in which step and
/// for what.
fn changed(
    schedules: &[Schedule],
    change: impl Fn(&mut [Vec<Step>], Rank, usize, Arrival),
) -> Vec<Vec<Schedule>> {
    let size = schedules.len();
    let mut found = Vec::new();
    for schedule in schedules {
        for (index, step) in schedule.steps().iter().enumerate() {
            for &arrival in &step.recv_from {
                let mut steps: Vec<_> = schedules.iter().map(|s| s.steps().to_vec()).collect();
                change(&mut steps, schedule.rank(), index, arrival);
                let all = steps.into_iter().enumerate();
                let all = all.map(|(rank, steps)| Schedule::from_steps(rank, size, steps));
                found.push(all.collect());
            }
        }
    }
    found
}

/// What the graph check says must be what the searches find. Returns whether anything is wrong.
fn agrees(schedules: Vec<Schedule>, plain: bool) -> bool {
    let judged = check(&schedules);
    let what = format!("{judged:?}: {schedules:?}");
    let is_safe = !matches!(judged, Err(check::Fault::NotImplied { .. }));
    let is_live = !matches!(judged, Err(check::Fault::Stuck { .. }));
    assert!(judged.is_ok() || !is_safe || !is_live, "{what}");
    let setup = Setup::of(schedules);
    let report = Search::<Signalled>::new(setup.clone()).run().0;
    let early = report.has(|wrong| matches!(wrong, Wrong::Early { .. }));
    let stuck = report.has(|wrong| matches!(wrong, Wrong::Stuck(_)));
    let unrepaired = report.has(|wrong| matches!(wrong, Wrong::Unrepaired(_)));
    // The graph check looks for circles first: then it says nothing of safety.
    assert!(early != is_safe || !is_live, "{what}: {:?}", report.wrong);
    assert_eq!((stuck, unrepaired), (!is_live, !is_live), "{what}: {:?}", report.wrong);
    assert_eq!(report.wrong.is_empty(), judged.is_ok(), "{what}: {:?}", report.wrong);
    if plain {
        // Where a rank ends too early, its next signals may be refused as impossible.
        if let (Ok(verdict), _) = compare::<Signalled>(&setup, &what) {
            let Verdict { is_safe: safe, is_live: live, is_repaired } = verdict;
            assert_eq!((live, is_repaired), (is_live, is_live), "{what}");
            assert!(safe == is_safe || !is_live, "{what}");
        }
    }
    judged.is_err()
}

/// In each schedule and for each arrival: the same without that signal, which nobody sends or waits for.
///
/// SEMANTICS: BAR-1
#[test]
fn a_rank_that_does_not_wait_for_one_arrival_is_caught() {
    let (mut caught, mut needless) = (0, 0);
    for size in 2..=4 {
        for (names, schedules) in schedules(size) {
            let without = changed(&schedules, |steps, rank, index, arrival| {
                steps[rank][index].recv_from.retain(|&other| other != arrival);
                let sent = &mut steps[arrival.rank][usize::from(arrival.step)];
                sent.send_to.retain(|&to| to != rank);
            });
            let before = caught;
            for schedules in without {
                if agrees(schedules, size < 4) { caught += 1 } else { needless += 1 }
            }
            assert!(caught > before, "{names:?} at {size}: every single signal is needless");
        }
    }
    println!("{caught} unsafe schedules were caught; in {needless} the signal was not needed");
    assert!(caught > 100 && needless > 0);
}

/// In each schedule and for each arrival: the same, but the rank waits for it before it says anything.
///
/// SEMANTICS: BAR-4
#[test]
fn ranks_that_wait_for_each_other_are_caught() {
    let (mut caught, mut slower) = (0, 0);
    for size in 2..=4 {
        for (_, schedules) in schedules(size) {
            let sooner = changed(&schedules, |steps, rank, index, arrival| {
                steps[rank][index].recv_from.retain(|&other| other != arrival);
                steps[rank][0].recv_from.push(arrival);
            });
            for schedules in sooner {
                if agrees(schedules, size < 4) { caught += 1 } else { slower += 1 }
            }
        }
    }
    println!("{caught} that never end were caught; {slower} end all the same");
    assert!(caught > 20 && slower > 0);
}
