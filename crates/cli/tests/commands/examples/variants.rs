//! All variants and options, on random numbers. The programs check their results themselves.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

use super::{command, fail, sizes, succeed};
#[cfg(target_os = "linux")]
use runahead_testkit::effort::bound;
use runahead_testkit::programs::example;

/// The programs with few numbers, so that debug builds are quick.
const PROGRAMS: [&str; 3] = [
    "radix_sort --keys 40",
    "prefix_scan --variant naive --elements 40",
    "prefix_scan --variant cluster --elements 40",
];

/// The first column of the table, and the last line, which says what was checked.
fn rows_and_verdict(out: &str) -> (Vec<&str>, &str) {
    let rows = out.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let rows = rows.map(str::trim).skip(1).collect();
    (rows, out.lines().last().expect("a line"))
}

#[test]
fn all_variants_are_right_at_all_sizes_and_windows() {
    for program in PROGRAMS {
        let sequential = if program.starts_with("radix") { "sort" } else { "scan" };
        for &size in sizes() {
            for window in [1, 4] {
                let line = format!("{program} --ranks {size} --window {window} --runs 1");
                let out = succeed(&mut command(&line));
                let begin = format!("40 {} on each of {size} ranks, ", items(program));
                assert!(out.starts_with(&begin), "{out}");
                assert!(out.contains(&format!(", window {window}, seed 1\n")));
                let (rows, verdict) = rows_and_verdict(&out);
                assert_eq!(rows, ["base", "flat", "nonblocking", "smart", "best"], "{out}");
                assert_eq!(
                    verdict,
                    format!(
                        "Checked: in all 5 runs the result was that of a sequential {sequential}."
                    )
                );
            }
        }
    }
}

/// Under a launcher that starts another number of ranks than the program would, the program reports
/// the actual number. (Planted: the program uses its own option in its output, or for the amount of
/// data.)
#[cfg(target_os = "linux")]
#[test]
fn the_launcher_decides_the_number_of_ranks() {
    for (program, begin) in [
        ("radix_sort --keys 41 --only best", "41 keys on each of 3 ranks, "),
        ("prefix_scan --elements 41 --only best", "41 elements on each of 3 ranks, "),
        ("stencil --size 20 --steps 3 --barrier nonblocking", "3 ranks, "),
    ] {
        let mut words = program.split_whitespace();
        let mut command = Command::new(env!("CARGO_BIN_EXE_runahead"));
        command.args(["run", "-n", "3"]).arg(example(words.next().unwrap()));
        let out = succeed(command.args(words).args(["--runs", "1"]).stdin(Stdio::null()));
        // Each rank's lines begin with its number.
        let line = out.lines().find(|line| line.contains(begin));
        assert!(line.is_some() && !out.contains("8 ranks"), "{program}: {out}");
        assert_eq!(out.matches(" ranks, ").count(), 1, "{program}: {out}");
    }
}

fn items(program: &str) -> &str {
    if program.starts_with("radix") { "keys" } else { "elements" }
}

#[test]
fn programs_run_with_few_numbers_or_none() {
    for &size in sizes() {
        for each in [0, 1, 2] {
            for program in [
                format!("radix_sort --keys {each}"),
                format!("prefix_scan --variant naive --elements {each}"),
                format!("prefix_scan --variant cluster --elements {each}"),
            ] {
                let line = format!("{program} --ranks {size} --runs 1 --only base,best");
                let out = succeed(&mut command(&line));
                assert_eq!(rows_and_verdict(&out).0, ["base", "best"]);
            }
        }
    }
}

#[test]
fn chosen_variants_are_run_as_often_as_asked() {
    for program in PROGRAMS {
        let line = format!("{program} --ranks 3 --runs 3 --only smart,base --seed 9");
        let out = succeed(&mut command(&line));
        let (rows, verdict) = rows_and_verdict(&out);
        assert_eq!(rows, ["smart", "base"]);
        assert!(verdict.starts_with("Checked: in all 6 runs "), "{verdict}");
        assert!(out.contains(" seed 9\n"), "{out}");
        assert!(out.contains(" |   1.00 | "), "base is as fast as base: {out}");
    }
}

#[test]
fn programs_run_beside_competitors_and_plot_their_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("times.svg");
    for program in PROGRAMS {
        let line = format!("{program} --ranks 3 --runs 2 --competitors 2 --plot");
        let out = succeed(command(&line).arg(&picture));
        assert!(out.contains(", seed 1, 2 competitors\n"), "{out}");
        let drawn = std::fs::read_to_string(&picture).expect("a picture");
        for name in ["base", "flat", "nonblocking", "smart", "best", "1.00"] {
            assert!(drawn.contains(name), "{name} is missing in {drawn}");
        }
    }
    let nowhere = picture.join("times.svg"); // a file is no folder
    let told = fail(command("radix_sort --ranks 2 --runs 1 --plot").arg(&nowhere));
    let begin = format!("error: {}: the picture cannot be written: ", nowhere.display());
    assert!(told.starts_with(&begin), "{told}");
}

#[test]
fn each_option_selects_its_combination_of_techniques() {
    for (option, shown) in [
        ("--barrier traditional", ["auto", "traditional", "first-arrived", "board"]),
        ("--barrier nonblocking", ["auto", "nonblocking", "first-arrived", "board"]),
        ("--tree binary", ["binary", "nonblocking", "first-arrived", "board"]),
        ("--exchange pairwise", ["auto", "nonblocking", "pairwise", "board"]),
        ("--algorithm all-to-all", ["auto", "nonblocking", "first-arrived", "all-to-all"]),
        (
            "--barrier traditional --tree binary --exchange pairwise --algorithm butterfly",
            ["binary", "traditional", "pairwise", "butterfly"],
        ),
    ] {
        for program in PROGRAMS {
            let line = format!("{program} --ranks 5 --runs 1 {option}");
            let out = succeed(&mut command(&line));
            let row = out.lines().find(|line| line.starts_with("| as asked")).expect("a row");
            let columns: Vec<&str> = row.split('|').skip(2).take(4).map(str::trim).collect();
            assert_eq!(columns, shown);
            assert!(row.split('|').any(|column| column.trim() == "-"), "no base: {row}");
        }
    }
}

#[test]
fn programs_run_with_every_barrier_algorithm() {
    for algorithm in runahead::Algorithm::ALL {
        for (nth, program) in PROGRAMS.into_iter().enumerate() {
            let few: &[usize] = if nth % 2 == 0 { &[3] } else { &[8] };
            for size in bound([few, &[3, 8], &[3, 8]]) {
                let line = format!("{program} --ranks {size} --runs 1 --algorithm {algorithm}");
                let out = succeed(&mut command(&line));
                assert!(out.contains(&format!("| {algorithm} ")), "{out}");
            }
        }
    }
}

#[test]
fn programs_run_with_every_digit_size_and_operator() {
    for bits in 1..=8 {
        let line =
            format!("radix_sort --keys 50 --ranks 3 --runs 1 --only best --digit-bits {bits}");
        let out = succeed(&mut command(&line));
        let s = if bits == 1 { "" } else { "s" };
        assert!(out.contains(&format!(", {bits} bit{s} at a time, ")), "{out}");
    }
    for kind in ["naive", "cluster"] {
        for op in ["sum", "max", "min", "xor"] {
            let line =
                format!("prefix_scan --elements 30 --ranks 5 --runs 1 --only best --op {op}");
            let out = succeed(command(&line).args(["--variant", kind]));
            assert!(out.contains(&format!(", {kind} scan with {op}, ")), "{out}");
        }
    }
}
