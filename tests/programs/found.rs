//! Programs that have failed once, each with the network on which it did; and how one is printed.

use std::collections::HashSet;

use super::nets::{Net, Setup};
use super::program::{Group, Op::*, Program, Shape};
use super::{Test, report, require};

pub const TESTS: &[Test] = &[
    ("what_was_found_is_right_now", what_was_found_is_right_now),
    ("what_is_printed_compiles", what_is_printed_compiles),
];

/// Paste here what a test has printed. The first shows how that looks, and has an operation of each
/// kind.
#[rustfmt::skip]
fn found() -> Vec<(Net, Program)> {
    vec![
        include!("printed.rs"),
        // A rank ended right after an exchange; its piece lay behind another's, which was here in part.
        (Net::Threads, Program {
            seed: 31,
            shape: Shape {
                algorithm: "board".to_owned(),
                notify: "block".to_owned(),
                tree: "binary".to_owned(),
                window: 8,
                signal_window: 2,
                bulk_window: 1,
                eager_bytes: 48,
                open_barriers: 4,
                first_epoch: 281474976710652,
            },
            groups: vec![
                Group { members: vec![0, 1, 2, 3, 4, 5, 6], loose: false },
                Group { members: vec![1], loose: false },
            ],
            line: vec![
                Poll { rank: 2, group: 0, from: None, tag: Some(1), times: 20 },
                Scan { group: 1, count: 1 },
                Barrier { group: 0, tried: 132, awaited: 0 },
                Send { rank: 3, group: 0, to: 2, tag: 0, bytes: 0, queued: false },
                Multicast { group: 0, root: 4, bytes: 0 },
                Send { rank: 6, group: 0, to: 5, tag: 0, bytes: 4, queued: false },
                Barrier { group: 0, tried: 90, awaited: 6 },
                Barrier { group: 0, tried: 0, awaited: 16 },
                Post { rank: 6, group: 0, from: Some(4), tag: Some(0) },
                Barrier { group: 1, tried: 0, awaited: 0 },
                Post { rank: 0, group: 0, from: Some(6), tag: Some(0) },
                Exchange { group: 1, bytes: 20 },
                Poll { rank: 4, group: 0, from: Some(1), tag: None, times: 1 },
                Send { rank: 2, group: 0, to: 5, tag: 2, bytes: 48, queued: true },
                Send { rank: 5, group: 0, to: 0, tag: 0, bytes: 24, queued: false },
                Pause { rank: 2, us: 1000 },
                Exchange { group: 0, bytes: 300 },
                Probe { rank: 1, group: 0, from: Some(0), tag: None },
                Send { rank: 6, group: 0, to: 0, tag: 0, bytes: 8, queued: true },
                Recv { rank: 2, group: 0, from: Some(3), tag: Some(0) },
                Recv { rank: 5, group: 0, from: None, tag: Some(2) },
                Recv { rank: 5, group: 0, from: Some(6), tag: Some(0) },
                Send { rank: 4, group: 0, to: 6, tag: 0, bytes: 8, queued: true },
                Complete { rank: 0, nth: 0 },
                Complete { rank: 6, nth: 0 },
                Recv { rank: 0, group: 0, from: Some(5), tag: Some(0) },
            ],
        }),
    ]
}

// SEMANTICS: ORD-3
fn what_was_found_is_right_now() {
    for (net, program) in found() {
        (0..20).for_each(|_| require(Setup::on(net), &program));
    }
}

/// What is printed is Rust, and stands for what was printed: that prints the same again.
fn what_is_printed_compiles() {
    let (net, program) = include!("printed.rs");
    let text = report(Setup::on(net), &program, "what is wrong");
    let (_, text) = text.split_once("found.rs:\n").expect("where to paste it");
    assert_eq!(text.trim_end_matches(','), include_str!("printed.rs").trim_end());
    let kinds: HashSet<_> = program.line.iter().map(std::mem::discriminant).collect();
    assert_eq!(kinds.len(), 13);
}
