//! Programs made by hand, at least one for each rule about order.
//!
//! Each is checked under every schedule, with windows of one, two and no end, and with signals that
//! arrive again, or leave late, at any time. What the assertions add is that the telling outcome never occurs, or
//! that it does occur, so that the check does not pass for want of cases.

use runahead::internals::order::{Algorithm, Ordering};

use super::machine::{Setting, UNLIMITED};
use super::program::*;
use super::protocol::{Real, Rules, Shape, shapes};
use super::refine::{Report, Wrong, check};

pub fn setting() -> Setting<Rules> {
    Setting {
        rules: Rules::default(),
        window: UNLIMITED,
        reduced: true,
        repeated: false,
        causal: false,
        tardy: false,
        losses: 0,
        checked: true,
    }
}

fn require(program: &Program, setting: Setting<Rules>) -> Report {
    check::<Real>(program, &setting).unwrap_or_else(|wrong| panic!("{setting:?}\n{wrong}"))
}

/// Checks the program in all settings; returns what was found by the full search with all-to-all
/// signals and no window.
fn holds(program: &Program) -> Report {
    holds_under(program, shapes())
}

fn holds_under(program: &Program, shapes: impl Iterator<Item = Shape>) -> Report {
    for shape in shapes {
        for window in [1, 2, UNLIMITED] {
            let rules = Rules { shape, ..Rules::default() };
            let once = require(program, Setting { rules, window, ..setting() });
            let repeated = require(program, Setting { rules, window, repeated: true, ..setting() });
            let tardy = require(program, Setting { rules, window, tardy: true, ..setting() });
            assert_eq!(once.finals, tardy.finals, "{program}");
            assert_eq!(once.deadlocks, tardy.deadlocks, "{program}");
            // SEMANTICS: BAR-3
            assert_eq!(once.finals, repeated.finals, "{program}");
            assert_eq!(once.deadlocks, repeated.deadlocks, "{program}");
        }
    }
    let full = require(program, Setting { reduced: false, ..setting() });
    let reduced = require(program, setting());
    println!("{} states, {} reduced", full.states, reduced.states);
    assert_eq!((&full.finals, &full.deadlocks), (&reduced.finals, &reduced.deadlocks), "{program}");
    assert!(full.deadlocks.is_empty() || full.exempt, "{program}");
    full
}

/// In no run does the observation `at` of `rank` have this value.
fn never(report: &Report, rank: usize, at: usize, value: Value) {
    assert!(!report.finals.is_empty());
    assert!(report.finals.iter().all(|run| run[rank][at] != value), "{:?}", report.finals);
}

/// In some run it does.
fn sometimes(report: &Report, rank: usize, at: usize, value: Value) {
    assert!(report.finals.iter().any(|run| run[rank][at] == value), "{:?}", report.finals);
}

/// SEMANTICS: ORD-1, HOLD-1, CLK-1
#[test]
fn a_message_posted_after_a_barrier_is_not_seen_before_it() {
    let report = holds(&Program::new(
        &[&[0, 1]],
        &[&[send(1), barrier(0), send(1)], &[poll(0), poll(0), barrier(0), recv(0), poll(0)]],
    ));
    never(&report, 1, 1, 12);
    sometimes(&report, 1, 0, 11);
    sometimes(&report, 1, 3, 12);
}

/// SEMANTICS: ORD-2
#[test]
fn messages_of_one_sender_stay_in_order_across_barriers() {
    let report = holds(&Program::new(
        &[&[0, 1]],
        &[&[send(1), barrier(0), isend(1), send(1)], &[barrier(0), recv_any(), recv(0), recv(0)]],
    ));
    assert_eq!(report.finals.len(), 1);
    never(&report, 1, 0, 12);
}

/// SEMANTICS: ORD-3, HOLD-3
#[test]
fn a_receive_from_any_source_finds_either_sender_first() {
    let report = holds(&Program::new(
        &[&[0, 1, 2]],
        &[&[barrier(0), send(2)], &[barrier(0), send(2)], &[barrier(0), recv_any(), recv_any()]],
    ));
    assert_eq!(report.finals.len(), 2);
}

/// Each rank in turn stays away: nobody may get past `wait`. It comes: everybody does.
///
/// SEMANTICS: BAR-1, BAR-2, BAR-4, BAR-8
#[test]
fn no_rank_completes_a_barrier_before_all_have_entered() {
    for size in 2..=4 {
        let all: Vec<usize> = (0..size).collect();
        for absent in 0..size {
            let mut ranks = vec![vec![barrier(0), wait(), poll_any()]; size];
            ranks[absent].clear();
            let without = Program::from_lists(vec![all.clone()], ranks.clone());
            ranks[absent].push(barrier(0));
            let with = Program::from_lists(vec![all.clone()], ranks);
            for shape in shapes() {
                let rules = Rules { shape, ..Rules::default() };
                let report = require(&without, Setting { rules, ..setting() });
                assert!(report.finals.is_empty());
                assert_eq!(report.deadlocks.iter().flatten().flatten().count(), 0, "{without}");
                let report = require(&with, Setting { rules, ..setting() });
                assert!(report.deadlocks.is_empty());
                assert_eq!(report.finals.len(), 1);
            }
        }
    }
}

/// Signals of both barriers may have come before this rank initiates the first.
///
/// SEMANTICS: BAR-5, CLK-2
#[test]
fn a_barrier_that_others_finished_first_counts_once() {
    let report = holds(&Program::new(
        &[&[0, 1]],
        &[
            &[try_barrier(0), isend(1), try_barrier(0), isend(1)],
            &[poll(0), barrier(0), poll(0), poll(0), barrier(0), poll(0)],
        ],
    ));
    never(&report, 1, 0, 11);
    never(&report, 1, 1, 12);
    never(&report, 1, 2, 12);
    sometimes(&report, 1, 1, 11);
    sometimes(&report, 1, 3, 12);
}

/// SEMANTICS: BAR-6
#[test]
fn the_limit_of_open_barriers_makes_ranks_wait_and_nothing_else() {
    let ops = [barrier(0), send(1), barrier(0), try_barrier(0), send(1)];
    let polls = [barrier(0), poll(0), barrier(0), poll(0), barrier(0), recv(0), poll(0)];
    let program = Program::new(&[&[0, 1]], &[&ops, &polls]);
    let unhindered = holds(&program);
    for open_limit in [1, 2] {
        let rules = Rules { open_limit, ..Rules::default() };
        let report = require(&program, Setting { rules, reduced: false, ..setting() });
        assert_eq!(report.finals, unhindered.finals);
        assert!(report.deadlocks.is_empty());
    }
}

/// Two ranks call the barriers of their two groups in different orders.
///
/// SEMANTICS: BAR-7
#[test]
fn a_disagreement_about_the_order_of_barriers_is_reported() {
    let ops = |first, second| [try_barrier(first), try_barrier(second), wait()];
    let program = Program::new(&[&[0, 1], &[1, 0]], &[&ops(0, 1), &ops(1, 0)]);
    let published = Shape::Builtin(Algorithm::Board);
    let report = holds_under(&program, shapes().filter(|&shape| shape != published));
    assert!(report.exempt);
    assert!(report.finals.is_empty() && report.deadlocks.is_empty(), "it went unnoticed");
    // Words carry no clocks: there it goes unnoticed, and the program runs on.
    let rules = Rules { shape: published, ..Rules::default() };
    let unnoticed = *check::<Real>(&program, &Setting { rules, ..setting() }).unwrap_err();
    assert!(matches!(unnoticed.wrong, Wrong::Final(_)), "{unnoticed}");
    assert!(report.faults.iter().all(|fault| fault.contains("different orders")));
    assert!(report.faults.len() > 1, "either rank may notice: {:?}", report.faults);
}

/// The later barrier, of fewer ranks, may complete while the earlier is open.
///
/// SEMANTICS: CLK-2
#[test]
fn a_later_barrier_does_not_stand_for_an_earlier_one() {
    let ops = [try_barrier(0), try_barrier(1), isend(1)];
    let report = holds(&Program::new(
        &[&[0, 1, 2], &[0, 1]],
        &[
            &ops,
            &[poll(0), try_barrier(0), poll(0), try_barrier(1), poll(0), isend(2)],
            &[poll(1), barrier(0), recv(1)],
        ],
    ));
    never(&report, 1, 1, 11);
    sometimes(&report, 1, 2, 11);
    never(&report, 2, 0, 21);
}

/// Rank 2 needs the message of rank 1 before it can enter; that of rank 0 came first and is held.
///
/// SEMANTICS: HOLD-2, BAR-4
#[test]
fn a_held_message_does_not_stand_in_the_way_of_others() {
    let report = holds(&Program::new(
        &[&[0, 1, 2]],
        &[&[barrier(0), send(2)], &[send(2), barrier(0)], &[recv_any(), barrier(0), recv(0)]],
    ));
    assert_eq!(report.finals.len(), 1);
    never(&report, 2, 0, 11);
}

/// The thesis's prohibited pattern (pakin-2001 §4.4.4): masters A and B with slaves a1, b1, b2.
pub fn figure_4_8() -> Program {
    let (a, a1, b, b1, b2) = (0, 1, 2, 3, 4);
    Program::new(
        &[&[a, b]],
        &[
            &[recv(a1), barrier(0)],
            &[recv_any(), send(a), recv_any()],
            &[recv(b1), barrier(0), send(b2)],
            &[send(a1), send(b)],
            &[recv(b), send(a1)],
        ],
    )
}

/// SEMANTICS: CON-1, ORD-3
#[test]
fn figure_4_8_keeps_its_phases_apart() {
    let report = holds(&figure_4_8());
    assert_eq!(report.finals.len(), 1);
    never(&report, 1, 0, 51);
}

/// Rank 2 may leave its barrier with rank 1 only after rank 0 has entered its own.
pub fn chain() -> Program {
    let (first, second) = (0, 1);
    Program::new(
        &[&[0, 1], &[1, 2]],
        &[
            &[poll(2), barrier(first), poll(2)],
            &[try_barrier(first), try_barrier(second)],
            &[barrier(second), wait(), send(0)],
        ],
    )
}

/// SEMANTICS: CON-2
#[test]
fn a_chain_of_barriers_holds_together() {
    let report = holds(&chain());
    never(&report, 0, 0, 31);
    sometimes(&report, 0, 1, 31);
}

/// What one may do queued one may do blocking, with the same outcomes and no deadlock.
///
/// SEMANTICS: CON-3, CON-1
#[test]
fn queueing_and_waiting_have_the_same_outcomes() {
    let program = |send: Op, first: Op, second: Op| {
        let groups: &[&[usize]] = &[&[0, 1], &[0, 2]];
        Program::new(
            groups,
            &[
                &[first, send, second, send],
                &[poll(0), barrier(0), recv_any(), poll(2)],
                &[poll(0), isend(1), barrier(1), poll(0)],
            ],
        )
    };
    let queued = holds(&program(isend(2), try_barrier(0), try_barrier(1)));
    let waited = holds(&program(send(2), barrier(0), barrier(1)));
    assert!(queued.deadlocks.is_empty() && waited.deadlocks.is_empty());
    assert_eq!(queued.finals, waited.finals);
}

/// Where containment is off, an explicit wait in its place does as well, as the thesis says.
///
/// SEMANTICS: BAR-8
#[test]
fn a_wait_makes_up_for_containment() {
    let program = |between: &[Op]| {
        let ops = [&[barrier(0)], between, &[send(2)]].concat();
        Program::new(&[&[0, 1]], &[&ops, &[recv(2), barrier(0)], &[poll(0), send(1)]])
    };
    let rules = Rules { ordering: Ordering::Pakin, ..Rules::default() };
    let bare = Setting { rules, checked: false, ..setting() };
    assert!(check::<Real>(&program(&[]), &bare).is_err());
    never(&require(&program(&[wait()]), bare), 2, 0, 11);
    never(&holds(&program(&[])), 2, 0, 11);
}

/// SEMANTICS: CON-2, CLK-2, CON-1
#[test]
fn nested_and_disjoint_groups() {
    let nested = Program::new(
        &[&[0, 1, 2], &[2, 1]],
        &[
            &[poll_any(), barrier(0), poll_any()],
            &[barrier(0), barrier(1), send(0)],
            &[try_barrier(0), try_barrier(1), poll(1), isend(0)],
        ],
    );
    let report = holds(&nested);
    never(&report, 0, 0, 21);
    never(&report, 0, 0, 31);
    let disjoint = Program::new(
        &[&[0, 1], &[2, 3]],
        &[
            &[barrier(0), send(3)],
            &[recv_any(), barrier(0)],
            &[poll_any(), barrier(1)],
            &[barrier(1), isend(1), recv_any()],
        ],
    );
    let report = holds(&disjoint);
    assert!(report.deadlocks.is_empty());
}

/// One group comes and goes, and is forgotten, while barriers of another are open.
///
/// SEMANTICS: CLK-4, ORD-1
#[test]
fn dropping_a_group_changes_no_clock() {
    let report = holds(&Program::new(
        &[&[0, 1], &[1, 0]],
        &[
            &[try_barrier(1), try_barrier(0), drop_group(0), isend(1), try_barrier(1), isend(1)],
            &[barrier(1), barrier(0), poll(0), drop_group(0), barrier(1), poll(0)],
        ],
    ));
    never(&report, 1, 0, 12);
    sometimes(&report, 1, 0, 11);
    sometimes(&report, 1, 1, 12);
}

/// SEMANTICS: FLOW-1, END-1
#[test]
fn windows_block_only_ranks_that_block_without_barriers_too() {
    let ahead = Program::new(
        &[&[0, 1]],
        &[&[barrier(0), send(1), barrier(0), send(1)], &[barrier(0), recv(0), barrier(0), recv(0)]],
    );
    holds(&ahead);
    let narrow = require(&ahead, Setting { window: 1, ..setting() });
    assert!(narrow.deadlocks.is_empty() && !narrow.finals.is_empty());
    // Rank 1 runs past the barrier and makes room; with blocking barriers this gets stuck.
    let crossing = Program::new(
        &[&[0, 1]],
        &[&[send(1), send(1), barrier(0), recv(1)], &[send(0), barrier(0), recv(0), recv(0)]],
    );
    holds(&crossing);
    let narrow = require(&crossing, Setting { window: 1, ..setting() });
    assert!(narrow.deadlocks.is_empty() && !narrow.finals.is_empty());
    let stuck = Program::new(
        &[&[0, 1, 2]],
        &[
            &[barrier(0), send(1), send(1), send(2)],
            &[barrier(0), recv(2), recv(0), recv(0)],
            &[recv_any(), send(1), barrier(0)],
        ],
    );
    assert!(holds(&stuck).exempt, "rank 2 waits for what comes after the barrier");
    let stuck = Program::new(
        &[&[0, 1, 2]],
        &[
            &[barrier(0), send(1), send(1), send(2)],
            &[barrier(0), recv(2), recv(0), recv(0)],
            &[barrier(0), recv_any(), send(1)],
        ],
    );
    holds(&stuck);
    let narrow = require(&stuck, Setting { window: 1, ..setting() });
    assert!(narrow.finals.is_empty() && !narrow.deadlocks.is_empty());
}

/// SEMANTICS: ORD-1, CLK-1
#[test]
fn a_message_to_oneself_keeps_the_rules() {
    let report = holds(&Program::new(
        &[&[0, 1]],
        &[&[isend(0), try_barrier(0), isend(0), poll_any(), poll_any()], &[poll_any(), barrier(0)]],
    ));
    sometimes(&report, 0, 0, 11);
    sometimes(&report, 0, 1, 12);
}

/// Schedules in which ranks forward for others, at sizes that are no power of two.
///
/// SEMANTICS: BAR-4, CLK-1
#[test]
fn every_schedule_completes_at_every_size() {
    for size in 1..=7 {
        let all: Vec<usize> = (0..size).collect();
        let ops = |rank: usize| {
            let next = (rank + 1) % size;
            vec![barrier(0), send(next), barrier(0), recv((rank + size - 1) % size), wait()]
        };
        let program = Program::from_lists(vec![all], (0..size).map(ops).collect());
        for shape in shapes() {
            let report = require(
                &program,
                Setting { rules: Rules { shape, ..Rules::default() }, ..setting() },
            );
            assert_eq!((report.finals.len(), report.deadlocks.len()), (1, 0), "{shape:?} {size}");
        }
    }
    assert_eq!(Shape::Builtin(Algorithm::AllToAll), Rules::default().shape);
}
