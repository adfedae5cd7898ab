//! Each clause of the check bites alone: for each a fault that the others pass over.
//!
//! The clauses are those of [`super::refine`]: final observations, deadlocks, partial observations.

use runahead::internals::order::Ordering;

use super::corpus::{figure_4_8, setting};
use super::literal::{Literal, Reading};
use super::machine::{Setting, UNLIMITED};
use super::program::*;
use super::protocol::{Protocol, Real, Rules};
use super::reference;
use super::refine::{Counterexample, Wrong, check, check_for};

/// What is found wrong with a fault, and by one clause only; and nothing is without the fault.
fn caught_by_one<P: Protocol>(
    program: &Program,
    faulty: Setting<P::Rules>,
    sound: P::Rules,
    clause: fn(&Wrong) -> bool,
) -> Counterexample {
    let sound = Setting { rules: sound, ..faulty.clone() };
    check::<P>(program, &sound).unwrap_or_else(|wrong| panic!("without a fault\n{wrong}"));
    let others = check_for::<P>(program, &faulty, |wrong| !clause(wrong));
    others.unwrap_or_else(|wrong| panic!("another clause finds it, too\n{wrong}"));
    let wrong = *check::<P>(program, &faulty).expect_err("a planted fault went unnoticed");
    assert!(clause(&wrong.wrong), "{wrong}");
    println!("{wrong}");
    wrong
}

fn pakin(window: usize) -> Setting<Rules> {
    let rules = Rules { ordering: Ordering::Pakin, ..Rules::default() };
    Setting { rules, window, reduced: false, checked: false, ..setting() }
}

/// Nobody gets stuck, with the fault or without.
///
/// SEMANTICS: ORD-3
#[test]
fn some_faults_show_only_in_final_observations() {
    let clause = |wrong: &Wrong| matches!(wrong, Wrong::Final(_));
    caught_by_one::<Real>(&figure_4_8(), pakin(UNLIMITED), Rules::default(), clause);
}

/// Without containment rank 2 can see that rank 0 is past its barrier with rank 1. Afterwards rank 0
/// and rank 1 get stuck, in every run and with blocking barriers just as well, since with a window of
/// one neither can send twice. So there are no final observations, and that they are stuck is in
/// order; what rank 2 has seen is not.
///
/// SEMANTICS: ORD-3, CON-1
#[test]
fn some_faults_show_only_in_partial_observations() {
    let cross = |other| [send(other), send(other), recv(other), recv(other)];
    let program = Program::from_lists(
        vec![vec![0, 1]],
        vec![
            [&[barrier(0), send(2)], &cross(1)[..]].concat(),
            [&[recv(2), barrier(0)], &cross(0)[..]].concat(),
            vec![poll(0), send(1)],
        ],
    );
    let expected = reference::run(&program, 1);
    assert!(expected.finals.is_empty() && !expected.deadlocks.is_empty());
    assert!(reference::run(&program, UNLIMITED).deadlocks.is_empty());
    let clause = |wrong: &Wrong| matches!(wrong, Wrong::Partial(..));
    let wrong = caught_by_one::<Real>(&program, pakin(1), Rules::default(), clause);
    assert_eq!(wrong.wrong, Wrong::Partial(2, vec![11]));
}

/// Blocking barriers get stuck on this program with a window of one, too, but later: when rank 2 has
/// had its message. With one queue for all senders it never gets it (erratum 4).
///
/// SEMANTICS: ORD-3, HOLD-2
#[test]
fn some_faults_show_only_in_an_early_deadlock() {
    let cross = |other| [send(other), send(other), recv(other), recv(other)];
    let program = Program::from_lists(
        vec![vec![0, 1, 2]],
        vec![
            [&[barrier(0), send(2)], &cross(1)[..]].concat(),
            [&[send(2), barrier(0)], &cross(0)[..]].concat(),
            vec![recv(1), barrier(0), recv(0)],
        ],
    );
    let expected = reference::run(&program, 1);
    assert!(expected.finals.is_empty());
    assert!(expected.deadlocks.iter().all(|stuck| !stuck[2].is_empty()));
    let rules = Reading { one_queue: true, ..Reading::default() };
    let faulty = Setting {
        rules,
        window: 1,
        reduced: false,
        repeated: false,
        causal: false,
        tardy: false,
        losses: 0,
        checked: false,
    };
    let clause = |wrong: &Wrong| matches!(wrong, Wrong::Deadlock(_));
    let wrong = caught_by_one::<Literal>(&program, faulty, Reading::default(), clause);
    assert_eq!(wrong.wrong, Wrong::Deadlock(vec![vec![]; 3]));
}
