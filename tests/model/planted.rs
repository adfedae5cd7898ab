//! The check must bite: planted faults, and how they are found.
//!
//! The check against the program's own word is off here: refinement has to find them alone.

use runahead::order::{Misreading, Ordering};

use super::corpus::{chain, figure_4_8, setting};
use super::generated::{count_from_environment, random_programs};
use super::machine::{Setting, UNLIMITED};
use super::program::*;
use super::protocol::{Real, Rules, Shape};
use super::refine::{Counterexample, Wrong, check};

fn planted(ordering: Ordering) -> Rules {
    Rules { ordering, ..Rules::default() }
}

/// The shortest run that goes wrong; the same program must hold with the fault taken out.
fn caught(program: &Program, rules: Rules) -> Counterexample {
    let setting = Setting { rules, reduced: false, checked: false, ..setting() };
    let sound = Setting { rules: Rules::default(), ..setting };
    check::<Real>(program, &sound).unwrap_or_else(|wrong| panic!("without a fault\n{wrong}"));
    let found = check::<Real>(program, &setting);
    let wrong = *found.expect_err("a planted fault went unnoticed");
    println!("{rules:?}\n{wrong}");
    wrong
}

/// How many of half the random programs find it.
fn caught_at_random(rules: Rules) -> usize {
    let mut caught = 0;
    for program in random_programs(count_from_environment(600) / 2) {
        let window = UNLIMITED;
        let setting = Setting { rules, window, checked: false, ..setting() };
        if let Err(wrong) = check::<Real>(&program, &setting) {
            caught += 1;
            if caught == 1 {
                println!("{rules:?}, the first:\n{wrong}");
            }
        }
    }
    println!("{rules:?}: caught by {caught} random programs");
    caught
}

/// The thesis's rules on its own prohibited pattern: a phase-2 message is seen in phase 1.
///
/// SEMANTICS: CON-1
#[test]
fn the_thesis_fails_on_figure_4_8() {
    let wrong = caught(&figure_4_8(), planted(Ordering::Pakin));
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[1], [51, 41], "a1 must see b2's message before that of b1");
}

/// SEMANTICS: CON-2
#[test]
fn the_thesis_fails_on_a_chain_of_barriers() {
    let wrong = caught(&chain(), planted(Ordering::Pakin));
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[0][0], 31, "rank 0 must see what was sent after it had entered");
}

/// SEMANTICS: CON-1, CON-2, ORD-3
#[test]
fn random_programs_find_the_thesis_wrong() {
    assert!(caught_at_random(planted(Ordering::Pakin)) >= 5);
}

/// Rank 0's second barrier is deferred; its message lies within the first group only.
fn deferred_second() -> Program {
    Program::new(
        &[&[0, 1], &[0, 2]],
        &[
            &[barrier(0), try_barrier(1), isend(1)],
            &[barrier(0), poll(0), send(2)],
            &[recv(1), barrier(1)],
        ],
    )
}

/// SEMANTICS: CON-1
#[test]
fn a_deferred_barrier_must_contain_too() {
    let wrong = caught(&deferred_second(), planted(Ordering::Planted(Misreading::EnteredOnly)));
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[1], [11]);
}

/// SEMANTICS: CON-1
#[test]
fn lying_within_one_of_several_open_groups_is_not_enough() {
    let wrong = caught(&deferred_second(), planted(Ordering::Planted(Misreading::SubsetOfAny)));
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[1], [11]);
}

/// Rank 0's third barrier, of the group of the first, must wait for the second.
///
/// SEMANTICS: CON-2
#[test]
fn the_last_open_barrier_is_not_the_only_one_that_defers() {
    let (second, first) = (0, 1);
    let program = Program::new(
        &[&[0, 2], &[0, 1]],
        &[
            &[try_barrier(first), try_barrier(second), try_barrier(first)],
            &[barrier(first), barrier(first), wait(), send(2)],
            &[poll(1), barrier(second), poll(1)],
        ],
    );
    let wrong = caught(&program, planted(Ordering::Planted(Misreading::LastOnly)));
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[2], [21, 0]);
}

/// A schedule in which position 0 does not wait for the last rank.
///
/// SEMANTICS: BAR-1
#[test]
fn a_schedule_that_completes_early_is_caught() {
    let program = Program::new(
        &[&[0, 1, 2]],
        &[&[barrier(0), recv(1)], &[barrier(0), send(0)], &[poll(0), barrier(0)]],
    );
    let rules = Rules { shape: Shape::DeafToLast, ..Rules::default() };
    assert!(check::<Real>(&program, &Setting { rules, checked: false, ..setting() }).is_ok());
    let found = check::<Real>(&program, &Setting { rules, ..setting() });
    let wrong = found.expect_err("an early completion went unnoticed");
    println!("{wrong}");
    assert_eq!(wrong.wrong, Wrong::Incomplete { group: 0, epoch: 1, at: 0, without: 2 });
    assert!(caught_at_random(rules) >= 1);
}
