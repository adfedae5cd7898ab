//! The fence: after `wait`, a poll sees what was sent before the barrier.
//!
//! Without a wait it need not, and with a provider that is not causal neither.

use super::corpus::setting;
use super::machine::Setting;
use super::program::*;
use super::protocol::{Real, Rules, shapes};
use super::refine::{Report, check};

fn causal(program: &Program) -> Vec<Report> {
    let run = |shape| {
        let rules = Rules { shape, ..Rules::default() };
        let setting = Setting { rules, causal: true, reduced: false, ..setting() };
        check::<Real>(program, &setting).unwrap_or_else(|wrong| panic!("{wrong}"))
    };
    shapes().map(run).collect()
}

/// SEMANTICS: FEN-1, BAR-8
#[test]
fn after_wait_a_poll_sees_what_was_sent_before_the_barrier() {
    let program = |fence: &[Op]| {
        let polls = [&[barrier(0)], fence, &[poll(0), poll(1)]].concat();
        Program::new(&[&[0, 1, 2]], &[&[send(2), barrier(0)], &[send(2), barrier(0)], &polls])
    };
    for report in causal(&program(&[wait()])) {
        assert_eq!(report.finals.iter().next().unwrap()[2], [11, 21]);
        assert_eq!(report.finals.len(), 1);
    }
    for report in causal(&program(&[])) {
        assert!(report.finals.iter().any(|run| run[2] == [NOTHING, NOTHING]), "no wait, no fence");
    }
}

/// The message was held at first: it was sent behind an earlier barrier.
///
/// SEMANTICS: FEN-1, BAR-8
#[test]
fn a_fence_covers_held_messages_and_overlapping_groups() {
    let program = Program::new(
        &[&[0, 1, 2], &[1, 2]],
        &[
            &[barrier(0), send(2), barrier(0)],
            &[barrier(0), barrier(1), send(2), barrier(0)],
            &[barrier(0), barrier(1), barrier(0), wait(), poll_any(), poll_any(), poll_any()],
        ],
    );
    for report in causal(&program) {
        let mut runs: Vec<_> = report.finals.iter().map(|run| run[2].clone()).collect();
        runs.sort();
        assert!(runs.iter().all(|run| run[2] == NOTHING && run[..2].contains(&11)), "{runs:?}");
        assert!(runs.iter().all(|run| run[..2].contains(&21)), "{runs:?}");
    }
}
