//! Ranks that fail, are killed, are stopped, or never join their launch.

use super::harness::{
    PART, SIGCONT, SIGKILL, SIGSTOP, Test, ended, is_gone, kill, part, run, run_part, start, state,
    succeed, this_program, until,
};

pub const TESTS: &[Test] = tests![
    "": [
        a_failed_rank_is_named_with_its_end,
        a_panicked_rank_is_named_with_its_message,
        a_rank_that_needs_a_killed_one_learns_of_its_loss,
        a_killed_rank_leaves_what_it_has_deposited,
        a_receive_from_any_source_learns_of_a_killed_rank,
        ranks_that_ignore_a_failure_are_ended_after_the_grace,
        a_rank_may_finish_its_work_within_the_grace,
        a_job_that_cannot_be_started_is_an_error,
        memory_that_cannot_be_had_is_an_error,
        a_closed_output_is_an_error_and_not_a_panic,
        a_rank_that_never_joins_its_launch_is_named,
        a_stopped_rank_delays_the_job,
        ranks_end_with_the_process_that_started_them,
        a_value_outlives_its_rank,
    ],
];

fn a_failed_rank_is_named_with_its_end() {
    for (how, message) in [
        ("error", "Error: rank 1: its own"),
        ("exit", "Error: rank 1 ended by itself, with exit code 3"),
        ("exit0", "Error: rank 1 ended by itself, with exit code 0"),
        ("abort", "Error: rank 1 was killed by signal 6 (SIGABRT)"),
        ("kill", "Error: rank 1 was killed by signal 9 (SIGKILL)"),
        ("early", "Error: rank 0: rank 1 has ended, and this call needs it"),
    ] {
        let ended = ended(&mut part(&format!("bad {how}")));
        assert_eq!((ended.failed(1), ended.err.lines().count()), (message, 1), "{how}: {ended:?}");
    }
}

fn a_panicked_rank_is_named_with_its_message() {
    let ended = ended(&mut part("bad panic"));
    assert_eq!(ended.failed(1), "Error: rank 1 panicked: its own");
    assert!(ended.err.contains("panicked at"), "{ended:?}");
}

fn a_rank_that_needs_a_killed_one_learns_of_its_loss() {
    for how in ["recv", "barrier", "send", "reduce"] {
        let ended = ended(&mut part(&format!("lost {how}")));
        assert_eq!(ended.failed(1), "Error: rank 1 was killed by signal 9 (SIGKILL)", "{how}");
        let mut lines = ended.sorted();
        if how == "reduce" {
            lines.retain(|line| !line.ends_with("has lost rank 1"));
            assert_eq!(lines, ["rank 3 went on"]);
        } else {
            let expected = ["rank 0 has lost rank 1", "rank 2 has lost rank 1", "rank 3 went on"];
            assert_eq!(lines, expected, "{how}");
        }
    }
}

/// SEMANTICS: COL-9, END-2
fn a_killed_rank_leaves_what_it_has_deposited() {
    let ended = ended(&mut part("lost-in-call"));
    assert_eq!(ended.failed(1), "Error: rank 1 was killed by signal 9 (SIGKILL)");
    // The first to fail has learned of the loss. The other may learn first that this one has ended.
    let lost = [
        "rank 0: rank 1 is lost: it went without ending its world",
        "rank 2: rank 1 is lost: it went without ending its world",
    ];
    let ended_first = [
        "rank 0: rank 2 has ended with an error, and this call needs it",
        "rank 2: rank 0 has ended with an error, and this call needs it",
    ];
    let lines = ended.sorted();
    assert!(
        lines == lost || lines == [lost[0], ended_first[1]] || lines == [ended_first[0], lost[1]],
        "{ended:?}"
    );
}

/// SEMANTICS: END-3
fn a_receive_from_any_source_learns_of_a_killed_rank() {
    for how in ["recv", "probe", "irecv"] {
        let mut running = start(&mut part(&format!("any 4 {how}")));
        let mut pids = [0; 4];
        for _ in 0..4 {
            let line = running.line();
            let (rank, pid) = line.split_once(' ').unwrap();
            pids[rank.parse::<usize>().unwrap()] = pid.parse().unwrap();
        }
        kill(pids[2], SIGKILL);
        let ended = running.end();
        assert_eq!(ended.failed(1), "Error: rank 2 was killed by signal 9 (SIGKILL)");
        assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
        let lines = ended.sorted();
        assert_eq!(lines.len(), 3, "{ended:?}");
        let lost =
            |line: &&str| line.ends_with(": rank 2 is lost: it went without ending its world");
        assert!(lines.iter().all(lost), "{ended:?}");
        until(|| pids.iter().all(is_gone));
    }
}

fn ranks_that_ignore_a_failure_are_ended_after_the_grace() {
    for (how, message) in [
        ("dies", "Error: rank 1 was killed by signal 9 (SIGKILL)"),
        ("fails", "Error: rank 1: its own"),
    ] {
        let ended = ended(part(&format!("deaf {how}")).env("RUNAHEAD_GRACE_S", "1"));
        assert_eq!(ended.failed(1), message);
        let lines: Vec<&str> = ended.err.lines().collect();
        let said = "runahead: 2 ranks ran on 1 s after a failure, and were ended";
        assert_eq!((lines.len(), lines[0], ended.out.as_str()), (2, said, ""));
    }
}

fn a_rank_may_finish_its_work_within_the_grace() {
    for grace in ["", "0"] {
        let ended = ended(part("deaf works").env("RUNAHEAD_GRACE_S", grace));
        assert_eq!(ended.failed(1), "Error: rank 1 was killed by signal 9 (SIGKILL)");
        let done = ["rank 0 has done its work", "rank 2 has done its work"];
        assert_eq!((ended.sorted(), ended.err.lines().count()), (done.to_vec(), 1));
    }
}

/// The limit is on the open files of the first process, which has one for each rank.
fn a_job_that_cannot_be_started_is_an_error() {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 20; exec \"$@\"", "sh"]).arg(this_program());
    let ended = ended(command.args([PART, "wait", "40"]).stdin(std::process::Stdio::null()));
    let message = ended.failed(1);
    assert!(
        message.starts_with("Error: rank ") && message.contains("cannot be started: "),
        "{message}"
    );
    assert!(message.ends_with("Too many open files (os error 24)"), "{message}");
    // The ranks that were started have ended: `ended` waits for all writers of its pipes.
    assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
}

/// The limits, of the address space in KiB and of the length of files, are enough for a program, and not for what its ranks
/// share. (Planted: no limit; a file that grows beyond the limit, by which the system ends the process.)
fn memory_that_cannot_be_had_is_an_error() {
    for (limit, why) in [
        ("-v 300000", "mmap: Cannot allocate memory (os error 12)"),
        ("-f 2000", "ftruncate: File too large (os error 27)"),
    ] {
        let shell = format!("ulimit {limit}; exec \"$@\"");
        let mut itself = std::process::Command::new("sh");
        itself.args(["-c", &shell, "sh"]).arg(this_program()).args([PART, "ring", "4"]);
        let told = format!("the ranks cannot be connected: {why}");
        let started = ended(itself.stdin(std::process::Stdio::null()));
        assert_eq!(started.failed(1), format!("Error: rank 0: {told}"));
        assert_eq!(started.err.lines().count(), 1, "{started:?}");
        let mut command = run("-n 4");
        command
            .args(["--", "sh", "-c", &shell, "sh"])
            .arg(this_program())
            .args([PART, "ring", "4"]);
        let started = ended(&mut command);
        assert_eq!(started.status.code(), Some(1), "{started:?}");
        assert!(!started.err.contains("panicked") && started.err.contains(&told), "{started:?}");
    }
}

/// The output of the ranks has no reader: their writes fail with an error.
fn a_closed_output_is_an_error_and_not_a_panic() {
    for command in [&mut part("writes-on 4"), &mut run_part("-n 4", "writes-on 4")] {
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("panicked"), "{err}");
        let last = err.lines().last().unwrap_or_default();
        assert!(last.contains(": Broken pipe (os error 32)"), "{err}");
    }
}

fn a_rank_that_never_joins_its_launch_is_named() {
    for (how, message) in [
        ("exit", "Error: rank 0 ended with exit code 5 before it came to its launch"),
        ("return", "Error: rank 0 ended with exit code 0 before it came to its launch"),
        ("size", "Error: rank 0 came to another launch than it was started for: one of 7 ranks"),
        ("kill", "Error: rank 0 was killed by signal 9 (SIGKILL)"),
    ] {
        assert_eq!(ended(&mut part(&format!("diverge {how}"))).failed(1), message, "{how}");
    }
}

fn a_stopped_rank_delays_the_job() {
    let mut command = part("stopped");
    command.stdin(std::process::Stdio::piped());
    let mut running = start(&mut command);
    let pid: u32 = running.line().parse().unwrap();
    kill(pid, SIGSTOP);
    until(|| state(pid) == Some('T'));
    running.say("go\n");
    // Long enough for the others to go to sleep at a barrier. The test holds if they do not.
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(state(pid), Some('T'));
    kill(pid, SIGCONT);
    let ended = running.end();
    assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
}

fn ranks_end_with_the_process_that_started_them() {
    let mut running = start(&mut part("wait 5"));
    let pids: Vec<u32> = (0..5).map(|_| running.line().parse().unwrap()).collect();
    running.signal(SIGKILL);
    // The ranks hold its standard output, which is closed by the last of them.
    let ended = running.end();
    assert_eq!(ended.status.code(), None, "{ended:?}");
    until(|| pids.iter().all(is_gone));
    // The next job is not affected.
    succeed(&mut part("ring 5"));
}

/// A rank may crash after it has handed its value over, in a destructor of some library. It has
/// done its part, and no other rank is ended for it.
fn a_value_outlives_its_rank() {
    let ended = succeed(part("crash-late").env("RUNAHEAD_GRACE_S", "1"));
    assert_eq!(ended.out, "[0, 1]\n", "{ended:?}");
}
