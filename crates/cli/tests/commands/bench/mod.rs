//! `runahead bench`, as a user calls it: its output, its refusals, and the processes that it
//! leaves. No test here judges a time.

mod loads;
mod long;
mod output;
mod peers;
mod refusals;

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The command with its arguments, separated by spaces.
fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runahead"));
    command.arg("bench").args(line.split_whitespace()).stdin(Stdio::null());
    command
}

/// Runs a command that must succeed, and returns its standard output.
fn succeed(command: &mut Command) -> String {
    let output = command.output().expect("the command was built with this test");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &err[..]), (Some(0), ""), "{command:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs a command, and returns its exit code and the first line of its errors.
fn fail(command: &mut Command) -> (i32, String) {
    let output = command.output().expect("the command was built with this test");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    let line = err.lines().next().unwrap_or_default().to_owned();
    (output.status.code().expect("no signal"), line)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// The keys of an object, sorted.
fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().expect("an object").keys().map(|k| &**k).collect();
    keys.sort_unstable();
    keys
}

/// A time or a rate: a number above 0.
fn positive(number: &Value) -> f64 {
    let number = number.as_f64().expect("a number");
    assert!(number > 0.0 && number.is_finite(), "{number}");
    number
}
