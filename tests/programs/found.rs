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
