//! The program of procedure 5.1: it runs at all sizes and prints what it ran.

use super::{command, refuse, sizes, succeed};

#[test]
fn the_barrier_program_runs_at_all_sizes_and_balances() {
    for &size in sizes() {
        for (options, balance) in
            [("", "balanced"), ("--balanced", "balanced"), ("--imbalance 50", "differing by 50 %")]
        {
            let line = format!("barrier --ranks {size} --steps 70 --work-us 1 --runs 2 {options}");
            let out = succeed(&mut command(&line));
            let what = format!(" 0 competitors: 70 steps of 1 us of work, {balance}\n");
            assert!(out.starts_with(&format!("{size} ranks, ")) && out.contains(&what), "{out}");
            // Each kind has a row in the table of times, and one in that of calls.
            for kind in ["| traditional |", "| nonblocking |"] {
                assert_eq!(out.matches(kind).count(), 2, "{out}");
            }
            let calls =
                out.split("\nHow long a call took, of all ranks and runs:\n").nth(1).unwrap();
            for row in calls.lines().skip(2) {
                let percents = row.split('|').filter_map(|cell| cell.trim().strip_suffix(" %"));
                let sum: f64 = percents.map(|percent| percent.parse::<f64>().unwrap()).sum();
                assert!((sum - 100.0).abs() < 0.1, "{row}");
            }
        }
    }
}

#[test]
fn every_algorithm_takes_more_barriers_than_may_be_open() {
    for algorithm in runahead::Algorithm::ALL {
        let line = format!(
            "barrier --ranks 5 --steps 200 --work-us 0 --runs 1 --barrier nonblocking \
             --competitors 1 --algorithm {algorithm}"
        );
        let out = succeed(&mut command(&line));
        assert!(out.contains(" 1 competitors: 200 steps of 0 us of work, balanced\n"), "{out}");
        assert!(!out.contains("| traditional "), "{out}");
    }
}

#[test]
fn the_plot_shows_both_kinds_of_barrier() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("times.svg");
    succeed(command("barrier --ranks 2 --steps 5 --work-us 1 --runs 2 --plot").arg(&picture));
    let drawn = std::fs::read_to_string(&picture).unwrap();
    for word in ["traditional", "nonblocking", "1.00", "5 steps of 1 us of work"] {
        assert!(drawn.contains(word), "{word} is missing in {drawn}");
    }
}

#[test]
fn bad_options_are_refused() {
    for (line, error) in [
        ("--ranks 0", "'0' for '--ranks <RANKS>': 0 is not in 1..=65535"),
        ("--steps 0", "'0' for '--steps <STEPS>': 0 is not in 1..=4294967295"),
        ("--imbalance 101", "'101' for '--imbalance <PERCENT>': 101 is not in 0..=100"),
        ("--competitors 1025", "'1025' for '--competitors <COUNT>': 1025 is not in 0..=1024"),
    ] {
        let told = refuse(&mut command(&format!("barrier {line}")));
        assert_eq!(told, format!("error: invalid value {error}"));
    }
    let told = refuse(&mut command("barrier --balanced --imbalance 5"));
    assert!(told.contains("cannot be used with"), "{told}");
}
