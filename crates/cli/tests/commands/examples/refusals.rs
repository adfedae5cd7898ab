//! Errors of the programs say what is wrong and where, and leave no incomplete file behind.

use std::fs;
use std::path::Path;

use super::{command, fail, listing, refuse};

/// Runs the program on a file with this content and with an output file that exists already.
/// Returns the error after the name of the file.
fn error_for(program: &str, ending: &str, content: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).with_extension(ending);
    fs::write(at("in"), content).unwrap();
    fs::write(at("out"), "as it was").unwrap();
    let mut command = command(program);
    let error = fail(command.arg("--input").arg(at("in")).arg("--output").arg(at("out")));
    assert_eq!(fs::read(at("out")).unwrap(), b"as it was");
    assert_eq!(listing(directory.path()), [format!("in.{ending}"), format!("out.{ending}")]);
    let begin = format!("error: {}: ", at("in").display());
    error.strip_prefix(&begin).unwrap_or_else(|| panic!("{error}")).to_owned()
}

#[test]
fn malformed_text_is_an_error_with_its_line() {
    let radix_sort = |content: &[u8]| error_for("radix_sort --ranks 3", "txt", content);
    for (content, error) in [
        ("1\n2\nthree\n", "line 3: \"three\" is not an unsigned number"),
        ("-5\n", "line 1: \"-5\" is negative"),
        ("7\n4294967296\n", "line 2: \"4294967296\" is too large: the largest is 4294967295"),
        ("1\n\n2\n", "line 2: the line is empty; a number was expected"),
        ("1\n\n", "line 2: the line is empty; a number was expected"),
        ("\r\n", "line 1: the line is empty; a number was expected"),
        ("1 2\n", "line 1: \"1 2\" is not an unsigned number"),
        ("1.5", "line 1: \"1.5\" is not an unsigned number"),
        ("+5", "line 1: \"+5\" is not an unsigned number"),
        ("-", "line 1: \"-\" is not an unsigned number"),
        ("0x10", "line 1: \"0x10\" is not an unsigned number"),
        ("\"", "line 1: \"\\\"\" is not an unsigned number"),
    ] {
        assert_eq!(radix_sort(content.as_bytes()), error);
    }
    let not_text = "line 2: \"\\xff\\x00\" is not an unsigned number";
    assert_eq!(radix_sort(b"1\n\xff\x00\n"), not_text);
    let long = "9".repeat(41);
    let shown = "9".repeat(40);
    assert_eq!(
        radix_sort(long.as_bytes()),
        format!("line 1: \"{shown}...\" is too large: the largest is 4294967295")
    );
    assert_eq!(
        error_for("prefix_scan --ranks 3", "txt", b"18446744073709551616"),
        "line 1: \"18446744073709551616\" is too large: the largest is 18446744073709551615"
    );
}

#[test]
fn a_truncated_raw_file_is_an_error_with_its_byte() {
    assert_eq!(
        error_for("radix_sort", "u32", &[0; 11]),
        "byte 8: the file ends within a number: it has 11 bytes, and a number has 4"
    );
    assert_eq!(
        error_for("prefix_scan", "u64", &[0; 7]),
        "byte 0: the file ends within a number: it has 7 bytes, and a number has 8"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.txt");
    for path in [&missing, directory.path()] as [&Path; 2] {
        let why = fs::read(path).unwrap_err();
        for program in ["radix_sort --format text", "prefix_scan --format text"] {
            let error = fail(command(program).arg("--input").arg(path));
            assert_eq!(error, format!("error: cannot read {}: {why}", path.display()));
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("in.txt");
    fs::write(&input, "1\n").unwrap();
    let nowhere = directory.path().join("no such directory").join("out.txt");
    for path in [&nowhere, directory.path()] as [&Path; 2] {
        let why = fs::File::options().write(true).create(true).truncate(false).open(path);
        let why = why.unwrap_err();
        for program in ["radix_sort", "prefix_scan"] {
            let mut command = command(program);
            let error = fail(command.arg("--input").arg(&input).arg("--output").arg(path));
            assert_eq!(error, format!("error: cannot write {}: {why}", path.display()));
        }
    }
    assert_eq!(listing(directory.path()), ["in.txt"]);
}

/// On a device that is always full, writing fails only after the work is done.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("in.txt");
    fs::write(&input, "1\n").unwrap();
    let full = "No space left on device (os error 28)";
    let mut to_device = command("radix_sort --output /dev/full --input");
    assert_eq!(fail(to_device.arg(&input)), format!("error: cannot write /dev/full: {full}"));

    let device = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut to_terminal = command("radix_sort --ranks 2 --input");
    let output = to_terminal.arg(&input).stdout(device).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, format!("error: cannot write to standard output: {full}\n"));
}

#[test]
fn unknown_or_contradicting_file_extensions_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let input = at("in.csv");
    assert_eq!(
        fail(command("radix_sort --input").arg(&input)),
        format!(
            "error: the ending of {} does not tell its format: it must be .txt or .u32, or give \
             --format text or --format u32le",
            input.display()
        )
    );
    let (input, output) = (at("in.txt"), at("out.u64"));
    assert_eq!(
        fail(command("prefix_scan --input").arg(&input).arg("--output").arg(&output)),
        format!(
            "error: {} is named like a u64le file, but the output is written in the format of the \
             input, text; give --format text if that is what you want",
            output.display()
        )
    );
}

#[test]
fn impossible_options_are_refused() {
    let several = "--input some.txt --only base,best";
    for program in ["radix_sort", "prefix_scan"] {
        assert_eq!(
            fail(&mut command(&format!("{program} {several}"))),
            "error: a file is worked on once: --only must name one variant"
        );
        assert_eq!(
            fail(&mut command(&format!("{program} --ranks 300 --runs 1"))),
            format!(
                "error: the ranks cannot be connected: the {} network allows a number of ranks of \
                 at most 256; 300 was asked for",
                if cfg!(target_os = "linux") { "shm" } else { "threads" }
            )
        );
    }
}

#[test]
fn wrong_arguments_are_refused_with_the_valid_ones() {
    for (line, error) in [
        (
            "--tree star",
            "'star' for '--tree <SHAPE>': unknown tree \"star\": expected auto, flat, binary, binomial or chain",
        ),
        (
            "--exchange odd",
            "'odd' for '--exchange <KIND>': unknown exchange \"odd\": expected pairwise or first-arrived",
        ),
        (
            "--algorithm magic",
            "'magic' for '--algorithm <NAME>': unknown barrier algorithm \"magic\": expected one of board, \
             butterfly, pairwise-exchange, dissemination, all-to-all, flat-tree, binary-tree, \
             n-way-dissemination, n-wise-exchange, gather-multicast, mcs-tree, binomial-tree, \
             central-counter, combining-tree, tournament, f-way-tournament, auto",
        ),
        (
            "--only fast",
            "'fast' for '--only <NAMES>': unknown variant \"fast\": expected one of base, flat, \
             nonblocking, smart, best",
        ),
        ("--barrier none", "'none' for '--barrier <KIND>'"),
        ("--ranks 0", "'0' for '--ranks <RANKS>': at least 1 is needed"),
        ("--ranks -1", ""),
        ("--runs 0", "'0' for '--runs <RUNS>': at least 1 is needed"),
        ("--window 0", "'0' for '--window <MESSAGES>': 0 is not in 1..=16384"),
    ] {
        for program in ["radix_sort", "prefix_scan"] {
            let told = refuse(&mut command(&format!("{program} {line}")));
            let right = format!("error: invalid value {error}");
            assert!(told == right || error.is_empty(), "{told}");
        }
    }
    let told = refuse(&mut command("radix_sort --digit-bits 9"));
    assert_eq!(told, "error: invalid value '9' for '--digit-bits <BITS>': 9 is not in 1..=8");
    let told = refuse(&mut command("radix_sort --input x --format u64le"));
    let known = "unknown format \"u64le\": expected text or u32le";
    assert_eq!(told, format!("error: invalid value 'u64le' for '--format <FORMAT>': {known}"));
    let told = refuse(&mut command("prefix_scan --op times"));
    assert_eq!(told, "error: invalid value 'times' for '--op <OPERATOR>'");
}

#[test]
fn contradicting_arguments_are_refused() {
    for line in [
        "radix_sort --output out.txt",
        "radix_sort --format text",
        "radix_sort --input in.txt --keys 5",
        "radix_sort --input in.txt --runs 5",
        "radix_sort --input in.txt --seed 5",
        "radix_sort --only base --tree flat",
        "radix_sort --only base --algorithm butterfly",
        "prefix_scan --output out.txt",
        "prefix_scan --input in.txt --elements 5",
    ] {
        let told = refuse(&mut command(line));
        let together = told.contains("cannot be used with")
            || told == "error: the following required arguments were not provided:";
        assert!(together, "{line}: {told}");
    }
}
