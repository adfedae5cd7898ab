//! The whole runtime below [`runahead::Comm`] in one thread: random programs, a seeded schedule, a
//! network that delays, and loses and repeats signals, checked against a reference interpreter.
//!
//! This is a model of these rules, for the message layer and the order core together:
//!
//! - messages arrive once, undamaged, in order, and not before their barrier (ORD-1, ORD-2, HOLD-1);
//! - barriers complete when all have entered, and not before (BAR-1, BAR-3, BAR-4, BAR-5, BAR-6);
//! - messages of different groups never mix, also those that come before their receiver has made the
//!   group; groups are dropped with barriers open and messages under way, and afterwards every window
//!   is as wide as before (GRP-1, GRP-3);
//! - whatever was withheld, everything comes to its end when all run again (HOLD-2, FLOW-1, FLOW-4);
//! - counters wrap around (CLK-3), and who ends waits for nobody when nothing is left (END-1).
//!
//! What blocks cannot be driven in one thread. [`turns`] and [`wired`] run ranks with all their
//! blocking calls in a thread each, of which one runs at a time, drawn from a seed, and tell where
//! nobody can go on. On them stand models of
//!
//! - [`flow`]: signals get through where no data does (FLOW-2, FLOW-3);
//! - [`room`]: who gets room for messages, and who is woken for it (FLOW-3, FLOW-5, GRP-3);
//! - [`ends`]: ranks that end early or are lost (END-2, END-3);
//! - [`answers`]: waits with a time limit (BAR-9);
//! - [`stalls`]: reports of waits that are too long (HANG-1);
//! - [`calls`]: collectives that are called differently (COL-4);
//! - [`direct`]: collectives in which everybody sends to everybody (COL-7);
//! - [`groups`]: communicators that are made and dropped, and ranks that want different ones (GRP-1 to
//!   GRP-5).
//!
//! And without ranks, two ends of the layer that makes reliable networks out of others:
//!
//! - [`lossy`]: a network that breaks and heals (NET-1, NET-2).
//!
//! `RUNAHEAD_TESTS` sets the number of programs, and `RUNAHEAD_SIMULATION_PROGRAMS` that of random ones alone.

mod answers;
mod calls;
mod deposits;
mod direct;
mod ends;
mod flow;
mod groups;
mod lossy;
#[path = "../../shared/planted.rs"]
mod planted;
mod program;
mod room;
mod run;
mod stalls;
mod turns;
mod wired;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use runahead_testkit::effort::{bound, number};

use planted::Mistake;
use program::{Barrier, Case, Make, Send};
use runahead::Algorithm;

/// Runs the case; a panic is a failure like any other.
fn check(case: &Case, mistake: Mistake, made: &Arc<AtomicBool>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| run::run(case, mistake, made))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(format!("panicked: {}", text.unwrap_or_default()))
    })
}

/// The smallest case that one can get to by leaving out operations and that fails still.
fn shrink(mut case: Case) -> Case {
    let fails = |case: &Case| check(case, Mistake::None, &Arc::default()).is_err();
    loop {
        let smaller = case.smaller().find(fails);
        match smaller {
            Some(smaller) => case = smaller,
            None => return case,
        }
    }
}

fn programs() -> u64 {
    number("RUNAHEAD_SIMULATION_PROGRAMS", [150, 1500, 20_000])
}

// SEMANTICS: ORD-1, ORD-2, BAR-1, BAR-3, BAR-4, BAR-5, BAR-6, CLK-3
// SEMANTICS: HOLD-1, HOLD-2, FLOW-1, FLOW-4, END-1, GRP-1, GRP-3
#[test]
fn random_programs_run_as_the_reference_allows() {
    for seed in 0..programs() {
        let case = Case::random(seed);
        if check(&case, Mistake::None, &Arc::default()).is_err() {
            let case = shrink(case);
            let fault = check(&case, Mistake::None, &Arc::default()).unwrap_err();
            panic!(
                "{fault}\nPaste into a test, with `use program::*; use runahead::Algorithm;`:\n\
                 run::run(&{case}, Mistake::None, &Arc::default()).unwrap();"
            );
        }
    }
}

// SEMANTICS: BAR-4
#[test]
fn a_lost_signal_is_asked_for_though_younger_barriers_are_open() {
    // Rank 0 is two barriers ahead; rank 1 can enter the second only when its message is taken,
    // which waits for the signal of the first.
    let ahead = vec![Barrier(0), Barrier(0)];
    let send = |tag| Send { group: 0, to: 0, tag, bytes: 30, queued: false };
    let behind = vec![Barrier(0), send(0), send(1), Barrier(0)];
    for seed in 0..40 {
        let case = Case {
            algorithm: Algorithm::Butterfly,
            window: 1,
            signal_window: 1,
            open_barriers: 4,
            first_epoch: 0,
            delay: 0,
            lossy: 300,
            groups: vec![vec![0, 1]],
            programs: vec![ahead.clone(), behind.clone()],
            ..Case::random(seed)
        };
        run::run(&case, Mistake::None, &Arc::default()).unwrap();
    }
}

// SEMANTICS: BAR-4
#[test]
fn questions_about_one_group_leave_room_for_those_about_another() {
    // Rank 0 lacks signals of both groups, and rank 1 has room for one question. It can enter the
    // barrier of the world only when its message is taken, which waits for the signal of the other.
    let ahead = vec![Make(1), Barrier(1), Barrier(0)];
    let send = |tag| Send { group: 0, to: 0, tag, bytes: 30, queued: false };
    let behind = vec![Make(1), Barrier(1), send(0), send(1), Barrier(0)];
    for seed in 0..40 {
        let case = Case {
            algorithm: Algorithm::Butterfly,
            window: 1,
            signal_window: 1,
            open_barriers: 4,
            first_epoch: 0,
            delay: 0,
            lossy: 300,
            groups: vec![vec![0, 1], vec![1, 0]],
            programs: vec![ahead.clone(), behind.clone()],
            ..Case::random(seed)
        };
        run::run(&case, Mistake::None, &Arc::default()).unwrap();
    }
}

/// Of 12 cases, or in the gate of 40; a quarter of them at least must have the mistake.
fn found(mistake: impl Fn(u64) -> Mistake) -> (u32, u32) {
    let seeds = bound([12, 40, 40]);
    let (made, found) = found_of(seeds, mistake);
    assert!(u64::from(made) > seeds / 4, "{made} of {seeds} cases have the mistake");
    (made, found)
}

/// Of the cases in which the mistake is made, how many there are and how many are found wrong.
fn found_of(seeds: u64, mistake: impl Fn(u64) -> Mistake) -> (u32, u32) {
    let (mut made, mut found) = (0, 0);
    for seed in 0..seeds {
        // A signal that is lost where signals may be lost is no mistake.
        let case = Case { lossy: 0, ..Case::random(seed) };
        let done = Arc::new(AtomicBool::new(false));
        let outcome = check(&case, mistake(1 + seed % 4), &done);
        if done.load(Ordering::Relaxed) {
            made += 1;
            found += u32::from(outcome.is_err());
        }
    }
    (made, found)
}

#[test]
fn a_lost_message_is_found() {
    let (made, found) = found(Mistake::LoseMessage);
    assert!(found == made, "{found} of {made}");
}

#[test]
fn a_repeated_message_is_found() {
    // By the reference, or as more than the window.
    let (made, found) = found(Mistake::RepeatMessage);
    assert!(found == made, "{found} of {made}");
}

#[test]
fn a_lost_signal_is_found() {
    // The next signal may stand for it; where none follows, nobody gets through.
    let (made, found) = found(Mistake::LoseSignal);
    assert!(found > made / 4, "{found} of {made}");
}

#[test]
fn swapped_messages_are_found() {
    // Those of different tags and one stamp may be swapped and nobody can tell.
    let (made, found) = found(Mistake::SwapMessages);
    assert!(found > made / 4, "{found} of {made}");
}

#[test]
fn a_signal_that_comes_too_early_is_found() {
    // Nobody can tell where the others had entered already.
    let (made, found) = found_of(40, Mistake::RushSignal);
    assert!(made > 12 && found > made / 4, "{found} of {made}");
}

#[test]
fn a_message_in_the_wrong_context_is_found() {
    // Of one for a group that its receiver drops, nobody can tell what became of it.
    for mistake in [Mistake::WrongGroup, Mistake::WrongLane] {
        let (made, found) = found_of(16, mistake);
        assert!(made > 10 && found > made * 3 / 4, "{found} of {made}");
    }
}

#[test]
fn credit_that_does_not_come_back_is_found() {
    // Unless the mistake is made at the end, when nothing is sent any more.
    let (made, found) = found(Mistake::KeepCredit);
    assert!(found > made * 4 / 5, "{found} of {made}");
}

#[test]
fn an_early_message_that_is_lost_is_found() {
    let seeds = bound([120, 300, 300]);
    let (made, found) = found_of(seeds, |_| Mistake::LoseEarly);
    assert!(u64::from(made) > seeds / 30 && found > made / 2, "{found} of {made}");
}

#[test]
fn an_id_that_is_used_twice_is_found() {
    let seeds = bound([150, 300, 300]);
    let (made, found) = found_of(seeds, |nth| Mistake::IdTwice(1 + nth));
    assert!(u64::from(made) > seeds / 60 && found == made, "{found} of {made}");
}

#[test]
fn a_case_is_printed_as_rust() {
    let text = Case::random(3).to_string();
    assert!(text.starts_with("Case { seed: 3, algorithm: Algorithm::"), "{text}");
    assert!(text.contains("programs: vec![vec!["), "{text}");
}
