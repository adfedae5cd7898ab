//! Signals that are lost: whoever lacks one asks for it, and nothing else changes.
//!
//! The machine loses any signals it likes, up to a number, and lets the ranks ask only where
//! nothing else can happen, as time limits would. Messages are not lost: that is the business of
//! the layer that carries them.

use fastrand::Rng;
use runahead::internals::order::Algorithm;

use super::corpus::setting;
use super::generated::{Tally, how_many, require};
use super::machine::Setting;
use super::program::*;
use super::protocol::{Real, Rules, Shape, shapes};
use super::random::random;
use super::refine::check;

/// What is published is not lost.
const PUBLISHED: Shape = Shape::Builtin(Algorithm::Board);

/// Under every schedule, with up to two signals lost, the outcomes are those without loss.
fn survives(program: &Program) {
    for shape in shapes().filter(|&shape| shape != PUBLISHED) {
        let setting = Setting { rules: Rules { shape, ..Rules::default() }, ..setting() };
        let plain = require(check::<Real>(program, &setting));
        assert!(!plain.finals.is_empty() && plain.deadlocks.is_empty());
        for losses in [1, 2] {
            let lossy = Setting { losses, reduced: false, ..setting };
            let lossy = require(check::<Real>(program, &lossy));
            assert_eq!((&plain.finals, &plain.deadlocks), (&lossy.finals, &lossy.deadlocks));
        }
    }
}

/// Rank 0 has entered its second barrier when the first signal of rank 1 is lost; rank 1 cannot
/// have got as far as the second.
///
/// SEMANTICS: BAR-3, BAR-4
#[test]
fn a_rank_that_ran_ahead_asks_for_the_older_barrier() {
    survives(&Program::new(
        &[&[0, 1]],
        &[&[barrier(0), send(1), barrier(0)], &[barrier(0), recv(0), barrier(0)]],
    ));
}

/// Rank 1 has dropped the group when rank 0 finds that its last signal was lost.
///
/// SEMANTICS: BAR-4, CLK-4
#[test]
fn a_dropped_group_still_answers_for_what_it_signalled() {
    survives(&Program::new(
        &[&[0, 1]],
        &[&[barrier(0), barrier(0), wait()], &[barrier(0), barrier(0), drop_group(0)]],
    ));
    survives(&Program::new(
        &[&[0, 1, 2]],
        &[&[barrier(0), drop_group(0)], &[barrier(0), drop_group(0)], &[barrier(0), wait()]],
    ));
}

/// Two lost signals, whichever they are, are asked for and change no outcome.
///
/// SEMANTICS: BAR-3, BAR-4
#[test]
fn lost_signals_change_no_outcome() {
    let mut tally = Tally::default();
    let shapes: Vec<_> = shapes().filter(|&shape| shape != PUBLISHED).collect();
    for seed in 0..how_many(600) as u64 / 4 {
        let program = random(&mut Rng::with_seed(seed), 3, 3);
        if program.ranks.iter().map(Vec::len).sum::<usize>() > 7 {
            continue;
        }
        tally.programs += 1;
        let rules = Rules { shape: shapes[seed as usize % shapes.len()], ..Rules::default() };
        let run = |setting| require(check::<Real>(&program, &setting));
        let setting = Setting { rules, ..setting() };
        let plain = run(setting);
        let lossy = run(Setting { losses: 2, reduced: false, ..setting });
        assert_eq!((&plain.finals, &plain.deadlocks), (&lossy.finals, &lossy.deadlocks));
        tally.add(&lossy);
    }
    println!("two signals lost: {tally}");
}
