//! Impossible requests are refused before anything is measured, with an error that says what is
//! wrong.

use super::{command, fail};

#[test]
fn wrong_arguments_are_refused() {
    for (line, error) in [
        ("app", "error: the following required arguments were not provided:"),
        ("app --app sort", "error: invalid value 'sort' for '--app <APP>'"),
        (
            "app --app barrier --ranks 0",
            "error: invalid value '0' for '--ranks <RANKS>': 0 is not in 1..=256",
        ),
        ("app --app barrier --runs 0", "error: invalid value '0' for '--runs <RUNS>'"),
        ("app --app barrier --load two", "error: invalid value 'two' for '--load <LOAD>'"),
        (
            "app --app barrier --variants base,fast",
            "error: invalid value 'fast' for '--variants <NAMES>'",
        ),
        ("app --app barrier --notify sleep", "error: invalid value 'sleep' for '--notify <NAMES>'"),
        ("app --app stencil --order both", "error: invalid value 'both' for '--order <ORDER>'"),
        ("micro --ranks 1", "error: invalid value '1' for '--ranks <RANKS>': 1 is not in 2..=256"),
        ("matrix --runs 1", "error: invalid value '1' for '--runs <RUNS>'"),
        ("slowdown --apps none", "error: invalid value 'none' for '--apps <NAMES>'"),
        ("peers --ranks 1", "error: invalid value '1' for '--ranks <RANKS>': 1 is not in 2..=256"),
        ("peers --what tea", "error: invalid value 'tea' for '--what <NAMES>'"),
        (
            "peers --bytes 8,12",
            "error: invalid value '12' for '--bytes <BYTES>': expected a multiple of 8, from 8 to 67108864",
        ),
        ("peers --bytes 0", "error: invalid value '0' for '--bytes <BYTES>': expected a multiple"),
        ("peers --bits 17", "error: invalid value '17' for '--bits <BITS>': 17 is not in 1..=16"),
        ("peers --contestants lam", "error: invalid value 'lam' for '--contestants <NAMES>'"),
        (
            "peers --quick --runs 3",
            "error: the argument '--quick' cannot be used with '--runs <RUNS>'",
        ),
    ] {
        let (code, told) = fail(&mut command(line));
        assert_eq!(code, 2, "{line}");
        assert!(told.starts_with(error), "{line}: {told}");
    }
}

#[test]
fn an_order_is_refused_for_a_program_with_one_order() {
    let told = fail(&mut command("app --app barrier --order fence"));
    let error = "error: --order is for the stencil; barrier has one order";
    assert_eq!(told, (1, error.to_owned()));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("file");
    for line in [
        "app --app barrier --json",
        "app --app barrier --plot",
        "micro --json",
        "matrix --json",
        "slowdown --json",
    ] {
        let (code, told) = fail(command(line).arg(&path));
        assert_eq!(code, 1, "{line}");
        let named = format!("error: cannot write {}: ", path.display());
        assert!(told.starts_with(&named), "{line}: {told}");
    }
}

/// A rank or a load that no bench has started ends at once.
#[test]
fn hidden_subcommands_refuse_to_run_without_their_parent() {
    let load = ["bench-load", "--core", "0", "--pattern", "spin", "--parent", "1"];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_runahead"));
    let told = fail(command.args(load).stdin(std::process::Stdio::null()));
    assert_eq!(told, (1, "error: its parent has ended".to_owned()));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_runahead"));
    let (code, told) = fail(command.args(["bench-rank", "{}"]));
    assert!(code == 1 && told.starts_with("error: missing field"), "{told}");
}
