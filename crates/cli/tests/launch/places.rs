//! Whether ranks are processes or threads, and how a process knows that it is a rank.

use std::process::Command;

use super::harness::{PART, Test, ended, part, succeed, this_program};

pub const TESTS: &[Test] = tests![
    "": [
        ranks_have_the_process_name_of_their_program,
        a_job_may_have_many_ranks,
        ranks_are_processes_by_default,
        ranks_are_threads_in_a_test_harness,
        the_program_overrides_the_environment,
        ranks_are_threads_off_the_main_thread,
        ranks_are_threads_within_a_rank,
        a_program_started_by_a_rank_is_no_rank_of_its_job,
        a_wrong_environment_is_refused,
    ],
];

fn ranks_are_processes_by_default() {
    for size in [1, 2, 8] {
        assert_eq!(succeed(&mut part(&format!("pids {size}"))).out, "processes\n");
    }
}

fn ranks_are_threads_in_a_test_harness() {
    // Under its own name, this program is a test harness.
    let harness = || Command::new(std::env::current_exe().unwrap());
    assert_eq!(succeed(harness().args([PART, "pids", "3"])).out, "threads\n");
    let forced = succeed(harness().args([PART, "pids-in-processes", "3"]));
    assert_eq!(forced.out, "processes\n");
    let forced = succeed(harness().args([PART, "pids", "3"]).env("RUNAHEAD_RANKS", "processes"));
    assert_eq!(forced.out, "processes\n");
}

fn the_program_overrides_the_environment() {
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

fn ranks_are_threads_off_the_main_thread() {
    assert_eq!(succeed(&mut part("pids-elsewhere")).out, "threads\n");
    let message = "Error: only the main thread can start ranks as processes, and no rank can";
    assert_eq!(ended(&mut part("forced-elsewhere")).failed(1), message);
}

fn ranks_are_threads_within_a_rank() {
    assert_eq!(succeed(&mut part("nested")).sorted(), ["second 0", "second 1"]);
    let message =
        "Error: rank 0: said: only the main thread can start ranks as processes, and no rank can";
    for ranks in ["threads", "processes"] {
        let ended = ended(part("forced-nested").env("RUNAHEAD_RANKS", ranks));
        assert_eq!(ended.failed(1), message, "{ranks}");
    }
}

fn a_program_started_by_a_rank_is_no_rank_of_its_job() {
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
    // The handle names the parent of this process, but a file that the process has not inherited.
    let own = std::process::id();
    let ended = ended(part("pids 2").env("RUNAHEAD_JOB", format!("2:1:0:2:90:{own}")));
    let message =
        "Error: rank 0 has not inherited what its job shares: was it closed before the launch?";
    assert_eq!(ended.failed(1), message);
    // The handle names a process that is no parent of this one, which is therefore no rank.
    succeed(part("pids 2").env("RUNAHEAD_JOB", "2:1:0:2:90:1"));
}

fn ranks_have_the_process_name_of_their_program() {
    let name = this_program().file_name().unwrap().to_str().unwrap();
    let ended = succeed(&mut part("names 3"));
    assert_eq!(ended.out, format!("{}\n", &name[..15]));
}

/// More ranks than a word has bits.
fn a_job_may_have_many_ranks() {
    succeed(&mut part("ring 100"));
}
