//! Planted faults, each of which the graph check must name.

use super::{ceil_lg, oracle, variants};
use crate::Rank;
use crate::schedule::check::{Fault, check};
use crate::schedule::{Algorithm, Arrival, Schedule, Step, StepIndex, rounds};

pub(super) fn wait(rank: Rank, step: StepIndex) -> Arrival {
    Arrival { rank, step }
}

pub(super) fn step(recv_from: &[Arrival], send_to: &[Rank]) -> Step {
    Step { recv_from: recv_from.to_vec(), send_to: send_to.to_vec() }
}

/// Schedules from the steps of each rank.
pub(super) fn group(steps: Vec<Vec<Step>>) -> Vec<Schedule> {
    let size = steps.len();
    let ranks = steps.into_iter().enumerate();
    ranks.map(|(rank, steps)| Schedule::from_steps(rank, size, steps)).collect()
}

/// Right schedules with one rank's steps changed.
pub(super) fn changed(
    algorithm: Algorithm,
    size: usize,
    rank: Rank,
    change: impl FnOnce(&mut Vec<Step>),
) -> Vec<Schedule> {
    let mut schedules = Schedule::all(algorithm, size);
    let mut steps = schedules[rank].steps().to_vec();
    change(&mut steps);
    schedules[rank] = Schedule::from_steps(rank, size, steps);
    schedules
}

/// That `fault` says what a run shows: a rank that completes without another, or never.
pub(super) fn confirm(schedules: &[Schedule], fault: &Fault) {
    let mut rng = fastrand::Rng::with_seed(2);
    match *fault {
        Fault::NotImplied { complete, missing } => {
            assert!(oracle::run(schedules, Some(missing), &mut rng)[complete], "{fault}");
        }
        Fault::Stuck { rank, .. } => {
            assert!(!oracle::run(schedules, None, &mut rng)[rank], "{fault}");
        }
        _ => panic!("no run can show this: {fault}"),
    }
}

#[test]
fn a_dropped_arrival_is_found() {
    for algorithm in variants() {
        for size in 2..=9 {
            for schedule in Schedule::all(algorithm, size) {
                let rank = schedule.rank();
                for (index, step) in schedule.steps().iter().enumerate() {
                    for (place, &arrival) in step.recv_from.iter().enumerate() {
                        let schedules = changed(algorithm, size, rank, |steps| {
                            steps[index].recv_from.remove(place);
                        });
                        let Arrival { rank: from, step } = arrival;
                        let expected = Fault::NotExpected { from, step, to: rank };
                        assert_eq!(check(&schedules), Err(expected), "{algorithm} at {size}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_dropped_signal_is_found() {
    for algorithm in variants() {
        for size in 2..=9 {
            for schedule in Schedule::all(algorithm, size) {
                let from = schedule.rank();
                for (index, step) in schedule.steps().iter().enumerate() {
                    for (place, &to) in step.send_to.iter().enumerate() {
                        let schedules = changed(algorithm, size, from, |steps| {
                            steps[index].send_to.remove(place);
                        });
                        let dropped = wait(from, index as StepIndex);
                        match check(&schedules) {
                            Err(Fault::NeverSent { rank, arrival, .. }) => {
                                assert_eq!((rank, arrival), (to, dropped), "{algorithm} at {size}");
                            }
                            other => panic!("{algorithm} at {size}: {other:?}"),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_not_well_formed_is_named() {
    let exchange = |change: fn(&mut Vec<Step>)| {
        check(&changed(Algorithm::AllToAll, 2, 1, change)).unwrap_err()
    };
    assert_eq!(check(&[]), Err(Fault::NoRanks));
    assert_eq!(
        exchange(|steps| steps[0].send_to.push(2)),
        Fault::NoSuchRank { rank: 1, step: 0, other: 2 }
    );
    assert_eq!(
        exchange(|steps| steps[1].recv_from.push(wait(9, 0))),
        Fault::NoSuchRank { rank: 1, step: 1, other: 9 }
    );
    assert_eq!(exchange(|steps| steps[1].send_to.push(1)), Fault::OwnRank { rank: 1, step: 1 });
    assert_eq!(
        exchange(|steps| steps[0].recv_from.push(wait(1, 0))),
        Fault::OwnRank { rank: 1, step: 0 }
    );
    assert_eq!(
        exchange(|steps| steps[0].send_to.push(0)),
        Fault::SignalsTwice { from: 1, step: 0, to: 0 }
    );
    assert_eq!(
        exchange(|steps| steps[0].recv_from.push(wait(0, 0))),
        Fault::WaitsTwice { rank: 1, arrival: wait(0, 0) }
    );
    // The right rank, and a step of its that signals nobody, or that it does not have.
    assert_eq!(
        exchange(|steps| steps[1].recv_from[0].step = 1),
        Fault::NeverSent { rank: 1, step: 1, arrival: wait(0, 1) }
    );
    assert_eq!(
        exchange(|steps| steps[1].recv_from.push(wait(0, 7))),
        Fault::NeverSent { rank: 1, step: 1, arrival: wait(0, 7) }
    );
    assert_eq!(
        exchange(|steps| steps[1].send_to.push(0)),
        Fault::NotExpected { from: 1, step: 1, to: 0 }
    );
    assert_eq!(
        exchange(|steps| steps.resize(65_537, Step::default())),
        Fault::TooManySteps { rank: 1, steps: 65_537 }
    );
    // As many as have numbers.
    let most = |steps: &mut Vec<Step>| steps.resize(65_536, Step::default());
    assert!(check(&changed(Algorithm::AllToAll, 2, 1, most)).is_ok());
}

#[test]
fn the_schedules_of_another_group_are_named() {
    let mut schedules = Schedule::all(Algorithm::Dissemination, 3);
    schedules.swap(1, 2);
    let found = Fault::WrongGroup { position: 1, count: 3, rank: 2, size: 3 };
    assert_eq!(check(&schedules), Err(found));
    schedules.swap(1, 2);
    schedules.pop();
    let found = Fault::WrongGroup { position: 0, count: 2, rank: 0, size: 3 };
    assert_eq!(check(&schedules), Err(found));
}

/// pakin-2001 §4.1 as printed, p. 26: "exchanges a message with process p xor 2^s", where those
/// outside the group are left out.
fn thesis_butterfly(size: usize) -> Vec<Schedule> {
    let steps = |rank: Rank| {
        let partner = |stage: StepIndex| {
            let partner = rank ^ (1 << stage);
            if partner < size { vec![partner] } else { Vec::new() }
        };
        rounds(ceil_lg(size) as u32, partner, partner)
    };
    group((0..size).map(steps).collect())
}

#[test]
fn the_butterfly_of_the_thesis_is_unsafe_unless_the_size_is_a_power_of_two() {
    for size in 2..=128_usize {
        let schedules = thesis_butterfly(size);
        if size.is_power_of_two() {
            assert_eq!(schedules, Schedule::all(Algorithm::Butterfly, size));
            continue;
        }
        let fault = check(&schedules).expect_err("a butterfly with holes");
        assert!(matches!(fault, Fault::NotImplied { .. }), "at {size}: {fault}");
        confirm(&schedules, &fault);
    }
    // Rank 1 of 3 has no partner in stage 1, and completes when rank 0 alone has signalled it.
    let found = Fault::NotImplied { complete: 1, missing: 2 };
    assert_eq!(check(&thesis_butterfly(3)), Err(found));
}

#[test]
fn a_tree_that_releases_before_it_has_gathered_is_unsafe() {
    for algorithm in [Algorithm::FlatTree, Algorithm::BinaryTree] {
        for size in 3..=40 {
            let schedules = changed(algorithm, size, 0, |steps| {
                let children = std::mem::take(&mut steps[0].recv_from);
                steps.push(step(&children, &[]));
            });
            let fault = check(&schedules).expect_err("a release too early");
            // The root itself still waits for all. The others complete without one another.
            assert!(matches!(fault, Fault::NotImplied { complete: 1.., .. }), "{fault}");
            confirm(&schedules, &fault);
        }
    }
}

#[test]
fn a_dissemination_with_too_few_rounds_is_unsafe() {
    for size in 2..=64 {
        let kept = ceil_lg(size) - 1;
        let fewer = |schedule: &Schedule| {
            let mut steps = schedule.steps()[..=kept].to_vec();
            steps[kept].send_to.clear();
            steps
        };
        let full = Schedule::all(Algorithm::Dissemination, size);
        let schedules = group(full.iter().map(fewer).collect());
        // Rank 0 knows of those up to `2^kept - 1` before it; the next lowest is rank 1.
        let fault = Fault::NotImplied { complete: 0, missing: 1 };
        assert_eq!(check(&schedules), Err(fault.clone()), "at {size}");
        confirm(&schedules, &fault);
    }
}

#[test]
fn two_ranks_that_wait_for_each_other_are_stuck() {
    let schedules = group(vec![vec![step(&[wait(1, 0)], &[1])], vec![step(&[wait(0, 0)], &[0])]]);
    let fault = check(&schedules).unwrap_err();
    assert!(matches!(fault, Fault::Stuck { step: 0, arrival: Arrival { step: 0, .. }, .. }));
    confirm(&schedules, &fault);
}

#[test]
fn a_circle_is_named_by_a_rank_that_lies_on_it() {
    // 2, 3 and 4 wait for each other in a circle; 0 waits for 1, which waits for the circle.
    let schedules = group(vec![
        vec![step(&[wait(1, 0)], &[])],
        vec![step(&[wait(2, 1)], &[0])],
        vec![step(&[], &[]), step(&[wait(3, 0)], &[1, 4])],
        vec![step(&[wait(4, 0)], &[2])],
        vec![step(&[wait(2, 1)], &[3])],
    ]);
    let fault = check(&schedules).unwrap_err();
    let Fault::Stuck { rank, step, arrival } = fault else { panic!("{fault}") };
    let circle = [(2, 1, wait(3, 0)), (3, 0, wait(4, 0)), (4, 0, wait(2, 1))];
    assert!(circle.contains(&(rank, step, arrival)), "{fault}");
    confirm(&schedules, &fault);
}

#[test]
fn ranks_without_steps_synchronise_with_nobody() {
    let schedules = group(vec![Vec::new(), Vec::new()]);
    let fault = Fault::NotImplied { complete: 0, missing: 1 };
    assert_eq!(check(&schedules), Err(fault.clone()));
    confirm(&schedules, &fault);
}

#[test]
fn faults_name_ranks_and_steps() {
    let fault = Fault::NeverSent { rank: 1, step: 2, arrival: wait(3, 4) };
    assert_eq!(
        fault.to_string(),
        "step 2 of rank 1 waits for step 4 of rank 3, which does not signal it"
    );
    let fault = Fault::NotImplied { complete: 5, missing: 6 };
    assert_eq!(fault.to_string(), "rank 5 can complete before rank 6 has entered");
}
