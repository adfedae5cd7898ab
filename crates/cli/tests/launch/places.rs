//! Where ranks are processes and where they are threads, and how a process knows that it is a rank.

use std::process::Command;

use super::harness::{PART, Test, ended, part, succeed, this_program};

pub const TESTS: &[Test] = &[
    ("ranks_have_the_name_of_their_program", ranks_have_the_name_of_their_program),
    ("many_ranks", many_ranks),
    ("processes_by_default", processes_by_default),
    ("threads_in_a_harness", threads_in_a_harness),
    ("the_program_wins_over_the_environment", the_program_wins_over_the_environment),
    ("threads_off_the_main_thread", threads_off_the_main_thread),
    ("threads_within_a_rank", threads_within_a_rank),
    ("a_grandchild_is_no_rank", a_grandchild_is_no_rank),
    ("a_wrong_environment_is_refused", a_wrong_environment_is_refused),
];

fn processes_by_default() {
    for size in [1, 2, 8] {
        assert_eq!(succeed(&mut part(&format!("pids {size}"))).out, "processes\n");
    }
}

fn threads_in_a_harness() {
    // Under its own name.
    let harness = || Command::new(std::env::current_exe().unwrap());
    assert_eq!(succeed(harness().args([PART, "pids", "3"])).out, "threads\n");
    let forced = succeed(harness().args([PART, "pids-in-processes", "3"]));
    assert_eq!(forced.out, "processes\n");
    let forced = succeed(harness().args([PART, "pids", "3"]).env("RUNAHEAD_RANKS", "processes"));
    assert_eq!(forced.out, "processes\n");
}

fn the_program_wins_over_the_environment() {
    for (name, value, is) in [
        ("pids", "threads", "threads\n"),
        ("pids", "processes", "processes\n"),
        ("pids", "auto", "processes\n"),
        ("pids", "", "processes\n"),
        ("pids-in-threads", "processes", "threads\n"),
        ("pids-in-threads", "nonsense", "threads\n"),
        ("pids-in-processes", "threads", "processes\n"),
    ] {
        let ended = succeed(part(&format!("{name} 3")).env("RUNAHEAD_RANKS", value));
        assert_eq!(ended.out, is, "{name} {value}");
    }
}

fn threads_off_the_main_thread() {
    assert_eq!(succeed(&mut part("pids-elsewhere")).out, "threads\n");
    let message = "Error: only the main thread can start ranks as processes, and no rank can";
    assert_eq!(ended(&mut part("forced-elsewhere")).failed(1), message);
}

fn threads_within_a_rank() {
    assert_eq!(succeed(&mut part("nested")).sorted(), ["second 0", "second 1"]);
    let message =
        "Error: rank 0: said: only the main thread can start ranks as processes, and no rank can";
    for ranks in ["threads", "processes"] {
        let ended = ended(part("forced-nested").env("RUNAHEAD_RANKS", ranks));
        assert_eq!(ended.failed(1), message, "{ranks}");
    }
}

fn a_grandchild_is_no_rank() {
    succeed(&mut part("grandchild"));
}

fn a_wrong_environment_is_refused() {
    for (variable, value, message) in [
        (
            "RUNAHEAD_JOB",
            "nonsense",
            "Error: RUNAHEAD_JOB is \"nonsense\": expected only what a launcher sets, for the processes that \
             it starts",
        ),
        (
            "RUNAHEAD_RANKS",
            "fibres",
            "Error: RUNAHEAD_RANKS is \"fibres\": expected auto, threads or processes",
        ),
    ] {
        assert_eq!(ended(part("pids 2").env(variable, value)).failed(1), message);
    }
    // It names a thing that this process, which is the child of the one named, has not inherited.
    let own = std::process::id();
    let ended = ended(part("pids 2").env("RUNAHEAD_JOB", format!("2:1:0:2:90:{own}")));
    let message =
        "Error: rank 0 has not inherited what its job shares: was it closed before the launch?";
    assert_eq!(ended.failed(1), message);
    // It names another process: this one is no rank of its.
    succeed(part("pids 2").env("RUNAHEAD_JOB", "2:1:0:2:90:1"));
}

fn ranks_have_the_name_of_their_program() {
    let name = this_program().file_name().unwrap().to_str().unwrap();
    let ended = succeed(&mut part("names 3"));
    assert_eq!(ended.out, format!("{}\n", &name[..15]));
}

/// More than there are bits in a word.
fn many_ranks() {
    succeed(&mut part("ring 100"));
}
