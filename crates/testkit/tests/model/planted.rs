//! The check must bite: planted faults, and how they are found.
//!
//! The check against the program's own word is off here: refinement has to find them alone.

use runahead::internals::order::Ordering;
use runahead_testkit::misreading::Misreading;

use super::corpus::{chain, figure_4_8, setting};
use super::exhaustive::{Scale, scale};
use super::generated::how_many;
use super::machine::Setting;
use super::parallel::spread;
use super::program::*;
use super::protocol::{Real, Rules, Shape};
use super::random::{of_four, of_three};
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

/// How many of the random programs find it, of three ranks and of four.
fn caught_at_random(rules: Rules) -> [usize; 2] {
    let setting = Setting { rules, checked: false, ..setting() };
    let count = |name: &str, count: usize, make: fn(usize) -> Program| {
        let look = |caught: &mut Vec<_>, seed| {
            let found = check::<Real>(&make(seed), &setting);
            caught.extend(found.err().map(|wrong| (seed, wrong)));
            Ok(())
        };
        let shares = spread(count, Vec::new, look, |caught| caught);
        let caught: Vec<_> = shares.into_iter().flatten().collect();
        println!(
            "{rules:?}: caught by {} of {count} random programs of {name} ranks",
            caught.len()
        );
        if let Some((seed, wrong)) = caught.iter().min_by_key(|(seed, _)| *seed) {
            println!("the first, number {seed}:\n{wrong}");
        }
        caught.len()
    };
    let programs = how_many(600);
    [count("three", programs, of_three), count("four", programs / 3, of_four)]
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
    assert!(caught_at_random(planted(Ordering::Pakin)).iter().sum::<usize>() >= 20);
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
    let wrong = caught(&deferred_second(), planted(Misreading::EnteredOnly.into()));
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[1], [11]);
}

/// SEMANTICS: CON-1
#[test]
fn lying_within_one_of_several_open_groups_is_not_enough() {
    let wrong = caught(&deferred_second(), planted(Misreading::SubsetOfAny.into()));
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
    let wrong = caught(&program, planted(Misreading::LastOnly.into()));
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[2], [21, 0]);
}

/// The misreadings, too, by programs that were not made for them, if there are enough of those: one of
/// some hundred or thousand finds them.
///
/// SEMANTICS: CON-1, CON-2, ORD-3
#[test]
fn random_programs_find_misreadings_of_containment() {
    for misreading in [Misreading::EnteredOnly, Misreading::LastOnly, Misreading::SubsetOfAny] {
        let caught = caught_at_random(planted(misreading.into()));
        assert!(scale() == Scale::Small || caught.iter().sum::<usize>() > 0, "{misreading:?}");
    }
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
    assert!(caught_at_random(rules).iter().sum::<usize>() >= 1);
}
