//! The example programs, run as a user runs them: as processes, on real files.
//!
//! `cargo test` builds the examples before it runs this; with `cargo test --test commands` alone,
//! build them first: `cargo build --examples`.

mod barrier;
mod check;
mod files;
mod first;
#[path = "../../../../../examples/prefix_scan/naive.rs"]
#[allow(dead_code, reason = "the rest is tested as a part of the program")]
mod naive;
mod refusals;
mod stencil;
mod stencil_pgm;
mod variants;

use std::path::Path;
use std::process::{Command, Stdio};

use runahead_testkit::effort::bound;
use runahead_testkit::programs::example;

/// The numbers of ranks with which the programs run.
fn sizes() -> &'static [usize] {
    bound([&[1, 3, 8], &[1, 2, 3, 5, 8, 13], &[1, 2, 3, 5, 8, 13]])
}

/// How a program ended.
#[derive(Debug)]
struct Outcome {
    code: Option<i32>,
    out: String,
    err: String,
}

/// An example program with its arguments, separated by spaces.
fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let name = words.next().expect("the name of an example");
    let mut command = Command::new(example(name));
    command.args(words).stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Outcome {
    let output = command.output().expect("the example can be started");
    Outcome {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs a program that must succeed, and returns its standard output.
fn succeed(command: &mut Command) -> String {
    let outcome = run(command);
    assert_eq!((outcome.code, &outcome.err[..]), (Some(0), ""), "{command:?}: {outcome:?}");
    outcome.out
}

/// Runs a program that must fail, and returns its error without the newline at its end.
fn fail(command: &mut Command) -> String {
    let outcome = run(command);
    assert_eq!((outcome.code, &outcome.out[..]), (Some(1), ""), "{command:?}: {outcome:?}");
    outcome.err.strip_suffix('\n').expect("a whole line").to_owned()
}

/// Runs a program whose arguments must be refused, and returns the first line of its error.
fn refuse(command: &mut Command) -> String {
    let outcome = run(command);
    assert_eq!((outcome.code, &outcome.out[..]), (Some(2), ""), "{command:?}: {outcome:?}");
    outcome.err.lines().next().expect("a line").to_owned()
}

/// The files of a directory, sorted.
fn listing(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}
