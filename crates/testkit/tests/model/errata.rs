//! The thesis's algorithms, taken literally, are wrong in six ways. Each is found here by itself:
//! the same model with that one fault mended passes on the same program. The shortest run that shows
//! each stands in `errata.txt`.

use super::corpus::{chain, figure_4_8};
use super::generated::how_many;
use super::literal::{Literal, Reading};
use super::machine::{Setting, UNLIMITED};
use super::program::*;
use super::protocol::Protocol;
use super::random::of_three;
use super::refine::{Counterexample, Wrong, check, check_for, fewest_steps_to_wrong};

fn setting(rules: Reading) -> Setting<Reading> {
    Setting {
        rules,
        window: UNLIMITED,
        reduced: false,
        repeated: false,
        causal: false,
        tardy: false,
        losses: 0,
        checked: false,
    }
}

/// The shortest run that goes wrong in the sought way with the fault, after making sure that
/// nothing goes wrong without it.
fn found(
    (erratum, steps): (&str, usize),
    program: &Program,
    faulty: Reading,
    mended: Reading,
    sought: impl Fn(&Wrong) -> bool,
) -> Counterexample {
    check::<Literal>(program, &setting(mended)).unwrap_or_else(|wrong| panic!("mended:\n{wrong}"));
    shortest((erratum, steps), program, &setting(faulty), sought)
}

/// The shortest run that goes wrong in the sought way. It takes so many steps, is the one that stands
/// in the file, and a search of another kind finds none that is shorter.
fn shortest(
    (erratum, steps): (&str, usize),
    program: &Program,
    setting: &Setting<Reading>,
    sought: impl Fn(&Wrong) -> bool,
) -> Counterexample {
    let wrong = check_for::<Literal>(program, setting, &sought);
    let wrong = *wrong.expect_err("the erratum went unnoticed");
    let told = format!("{erratum}\n{wrong}");
    println!("{told}");
    assert_eq!(wrong.trace.len(), steps, "{erratum}");
    let fewest = fewest_steps_to_wrong::<Literal>(program, setting, sought);
    assert_eq!(fewest, Some(steps), "{erratum}: there is a shorter way");
    let known = include_str!("errata.txt").replace("\r\n", "\n");
    assert!(known.split("\n\n").any(|one| one.trim() == told.trim()), "{erratum}: not in the file");
    wrong
}

const MENDED: Reading = Reading {
    forwards_unentered: false,
    printed_test: false,
    partner_by_xor: false,
    one_queue: false,
    counts: false,
    uncontained: false,
};

fn lines(wrong: &Counterexample, with: &str) -> usize {
    wrong.trace.iter().filter(|line| line.contains(with)).count()
}

/// Erratum 1: rank 0 alone enters, rank 1 forwards, and the barrier has finished at rank 3.
///
/// SEMANTICS: BAR-1, BAR-2
#[test]
fn erratum_1_a_barrier_finishes_when_one_rank_alone_has_entered() {
    let faulty = Reading { forwards_unentered: true, ..MENDED };
    let program = Program::new(&[&[0, 1, 2, 3]], &[&[barrier(0)][..]; 4]);
    let checked = Setting { checked: true, ..setting(faulty) };
    let wrong = shortest(("erratum 1", 3), &program, &checked, |_| true);
    let Wrong::Incomplete { group: 0, epoch: 1, at, .. } = wrong.wrong else { panic!("{wrong}") };
    // Partners are one and two further on here.
    assert_eq!(at, 3);
    assert_eq!(lines(&wrong, "barrier [0, 1, 2, 3]"), 1, "one rank alone");
    assert_eq!(wrong.trace.len(), 3);
    assert!(check::<Literal>(&program, &Setting { checked: true, ..setting(MENDED) }).is_ok());
}

/// It can be seen, too: rank 1 learns from outside that rank 3 is past the barrier.
///
/// SEMANTICS: BAR-1, ORD-3
#[test]
fn erratum_1_can_be_observed() {
    let program = Program::new(
        &[&[0, 1, 2, 3]],
        &[
            &[barrier(0)],
            &[poll(4), barrier(0)],
            &[barrier(0)],
            &[barrier(0), send(4)],
            &[recv(3), send(1)],
        ],
    );
    let faulty = Reading { forwards_unentered: true, ..MENDED };
    let wrong = found(("erratum 1, observed", 18), &program, faulty, MENDED, |_| true);
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[1], [51]);
}

/// Erratum 2: rank 0's signals come before rank 1 starts its second barrier, which counts at once;
/// a message of the next superstep is delivered in this one. When it is started it counts again.
///
/// SEMANTICS: BAR-5
#[test]
fn erratum_2_a_barrier_finished_before_it_is_started_counts_twice() {
    let program = Program::new(
        &[&[0, 1]],
        &[&[barrier(0), barrier(0), send(1)], &[barrier(0), poll(0), barrier(0), poll(0)]],
    );
    // Of two ranks nobody forwards, so only the order of start and finish is open.
    let mended = Reading { forwards_unentered: true, counts: true, ..MENDED };
    let faulty = Reading { printed_test: true, ..mended };
    let early = |wrong: &Wrong| matches!(wrong, Wrong::Final(observed) if observed[1][0] == 11);
    let wrong = found(("erratum 2, counted twice", 12), &program, faulty, mended, early);
    let at = |text: &str| wrong.trace.iter().position(|line| line.starts_with(text));
    let second = wrong.trace.iter().rposition(|line| line.starts_with("rank 1: barrier"));
    assert!(at("rank 1 gets from 0: stage 0 of barrier 2 of group 0").is_some());
    assert!(at("rank 1 gets from 0: stage 0 of barrier 2 of group 0") < second);
    assert!(at("rank 1: poll from 0 -> 11") < second);
    for (reading, clock) in [(mended, 1), (faulty, 2)] {
        let mut ahead = Literal::new(0, &program, &reading);
        let mut late = Literal::new(1, &program, &reading);
        ahead.initiate(0).unwrap();
        for (_, signal) in ahead.poll_signals(None) {
            late.handle_signal(0, &signal).unwrap();
        }
        late.initiate(0).unwrap();
        assert_eq!(late.clock(0), clock, "after one barrier");
    }
}

/// Erratum 2, the other half: of two open barriers the first is not counted when it finishes.
///
/// SEMANTICS: CLK-2
#[test]
fn erratum_2_with_two_barriers_open_the_clock_falls_behind_for_good() {
    let program = Program::new(
        &[&[0, 1]],
        &[&[barrier(0), barrier(0), recv(1)], &[barrier(0), barrier(0), send(0)]],
    );
    let mended = Reading { counts: true, ..MENDED };
    let faulty = Reading { printed_test: true, ..mended };
    let wrong = found(("erratum 2, behind for good", 10), &program, faulty, mended, |_| true);
    assert_eq!(wrong.wrong, Wrong::Deadlock(vec![vec![], vec![]]));
    assert_eq!(lines(&wrong, "rank 0: recv"), 0, "rank 0 waits for a message that lies there");
    assert_eq!(lines(&wrong, "rank 0 receives 21, stamped 2"), 1);
    assert_eq!(lines(&wrong, "gets from"), 4, "all signals have come");
}

/// Erratum 3: of three ranks, rank 2 has no partner in stage 0 and drops out silently. Rank 0
/// waits for ever, and what rank 2 sends after the barrier is seen before it.
///
/// SEMANTICS: BAR-4
#[test]
fn erratum_3_a_rank_drops_out_where_the_size_is_no_power_of_two() {
    let program = Program::new(
        &[&[0, 1, 2]],
        &[&[poll(2), barrier(0), poll(2)], &[barrier(0)], &[barrier(0), send(0)]],
    );
    let faulty = Reading { partner_by_xor: true, ..MENDED };
    let stuck = |wrong: &Wrong| matches!(wrong, Wrong::Deadlock(_));
    let wrong = found(("erratum 3, never complete", 10), &program, faulty, MENDED, stuck);
    assert_eq!(lines(&wrong, "barrier [0, 1, 2]"), 3, "all have called it");
    assert_eq!(lines(&wrong, "gets from 2"), 0, "rank 2 has said nothing");
    let seen = |wrong: &Wrong| matches!(wrong, Wrong::Partial(0, seen) if seen[0] == 31);
    let wrong = found(("erratum 3, seen too early", 10), &program, faulty, MENDED, seen);
    assert_eq!(lines(&wrong, "receives 31, stamped 0"), 1, "rank 2 has not counted the barrier");
    // At a power of two it is right.
    let four = Program::new(&[&[0, 1, 2, 3]], &[&[barrier(0)][..]; 4]);
    assert!(check::<Literal>(&four, &setting(faulty)).is_ok());
}

/// Erratum 4: the early message of rank 0 stands before that of rank 1, which rank 2 needs.
///
/// SEMANTICS: HOLD-2
#[test]
fn erratum_4_one_queue_for_all_senders_deadlocks() {
    let program = Program::new(
        &[&[0, 1, 2]],
        &[&[barrier(0), send(2)], &[send(2), barrier(0)], &[recv(1), barrier(0), recv(0)]],
    );
    let faulty = Reading { one_queue: true, ..MENDED };
    let wrong = found(("erratum 4", 9), &program, faulty, MENDED, |_| true);
    assert_eq!(wrong.wrong, Wrong::Deadlock(vec![vec![]; 3]));
    let at = |text: &str| wrong.trace.iter().position(|line| line.contains(text));
    assert!(at("rank 2 receives 11, stamped 1") < at("rank 2 receives 21, stamped 0"));
    assert!(at("rank 2 receives 11").is_some());
}

/// Erratum 5: the second barrier, of ranks 0 and 1, completes while the first is open, and counts
/// for it; rank 1 delivers a message that the first one should hold. Containment would hide what
/// follows, so it is off, in the mended one too.
///
/// SEMANTICS: CLK-2
#[test]
fn erratum_5_a_later_barrier_stands_for_an_earlier_one_that_is_open() {
    let (wide, narrow) = (0, 1);
    let program = Program::new(
        &[&[0, 1, 2], &[0, 1]],
        &[
            &[barrier(wide), send(1), barrier(narrow)],
            &[barrier(wide), barrier(narrow), recv(0), send(3)],
            &[poll(3), barrier(wide)],
            &[recv(1), send(2)],
        ],
    );
    let mended = Reading { uncontained: true, ..MENDED };
    let faulty = Reading { counts: true, ..mended };
    let wrong = found(("erratum 5", 22), &program, faulty, mended, |_| true);
    let Wrong::Final(observed) = &wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[2], [41], "rank 2 sees, before it enters, that rank 1 is past the barrier");
    let at = |text: &str| wrong.trace.iter().position(|line| line.starts_with(text));
    assert!(at("rank 1: recv from 0 -> 11") < at("rank 2: barrier [0, 1, 2]"));
}

/// Erratum 6: restriction 2 of the thesis, on its own figure and on a chain of barriers.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn erratum_6_a_rank_that_ran_ahead_is_noticed_through_others() {
    let faulty = Reading { uncontained: true, ..MENDED };
    let wrong = found(("erratum 6, figure 4.8", 19), &figure_4_8(), faulty, MENDED, |_| true);
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[1], [51, 41]);
    let wrong = found(("erratum 6, chain of barriers", 13), &chain(), faulty, MENDED, |_| true);
    let Wrong::Final(observed) = wrong.wrong else { panic!("{wrong}") };
    assert_eq!(observed[0][0], 31);
}

/// The list in SEMANTICS.md, checked off: each erratum that stands there has a test here that is named
/// after it, and what the thesis leaves out has rules. Each fault has a switch of its own.
#[test]
fn every_erratum_of_the_list_has_its_test() {
    let semantics = include_str!("../../../../SEMANTICS.md");
    let (_, list) = semantics.split_once("\n## 5. What the source gets wrong").expect("section 5");
    let (list, _) = list.split_once("\n## 6.").expect("section 6");
    let mut found = Vec::new();
    for line in list.lines() {
        if let Some((number, text)) = line.split_once(". **")
            && let Ok(number) = number.parse::<usize>()
        {
            found.push((number, text));
        }
    }
    let numbers: Vec<usize> = found.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7], "the list has changed: these tests must follow");
    let tests = include_str!("errata.rs");
    for &(number, text) in &found[..6] {
        let test = format!("#[test]\nfn erratum_{number}_");
        assert!(tests.contains(&test), "no test of erratum {number}: {text}");
    }
    assert!(found[6].1.starts_with("Left out**"), "of number 7 there is nothing to transcribe");
    let Reading {
        forwards_unentered: _,
        printed_test: _,
        partner_by_xor: _,
        one_queue: _,
        counts: _,
        uncontained: _,
    } = Reading::AS_PRINTED;
}

/// As printed it fails on many programs; with all six mended on none of them.
///
/// SEMANTICS: ORD-3
#[test]
fn random_programs_find_the_listing_wrong_and_the_mended_one_right() {
    let (mut wrong, mut programs) = (0, 0);
    for program in (0..how_many(600) / 4).map(of_three) {
        let reduced = |rules| Setting { reduced: true, ..setting(rules) };
        let mended = check::<Literal>(&program, &reduced(MENDED));
        mended.unwrap_or_else(|wrong| panic!("mended:\n{wrong}"));
        let printed = check::<Literal>(&program, &reduced(Reading::AS_PRINTED));
        wrong += usize::from(printed.is_err());
        programs += 1;
    }
    println!("as printed, {wrong} of {programs} random programs go wrong");
    assert!(wrong > programs / 10);
    assert_eq!(MENDED, Reading::default());
}
