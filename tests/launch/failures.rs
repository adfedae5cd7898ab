//! Ranks that fail, die, stop, or never come.

use super::harness::{Test, ended, kill, part, start, state, succeed, until};

pub const TESTS: &[Test] = &[
    ("a_failure_is_told", a_failure_is_told),
    ("a_panic_is_told", a_panic_is_told),
    ("who_needs_a_killed_rank_learns_of_it", who_needs_a_killed_rank_learns_of_it),
    ("a_rank_that_never_comes", a_rank_that_never_comes),
    ("a_stopped_rank_delays_the_job", a_stopped_rank_delays_the_job),
    ("ranks_end_with_their_starter", ranks_end_with_their_starter),
];

const SIGKILL: i32 = 9;
const SIGSTOP: i32 = 19;
const SIGCONT: i32 = 18;

fn a_failure_is_told() {
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

fn a_panic_is_told() {
    let ended = ended(&mut part("bad panic"));
    assert_eq!(ended.failed(1), "Error: rank 1 panicked: its own");
    assert!(ended.err.contains("panicked at"), "{ended:?}");
}

fn who_needs_a_killed_rank_learns_of_it() {
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

fn a_rank_that_never_comes() {
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
    // The others go to sleep at a barrier, or have not come there yet: neither does any harm.
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(state(pid), Some('T'));
    kill(pid, SIGCONT);
    let ended = running.end();
    assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
}

fn ranks_end_with_their_starter() {
    let mut running = start(&mut part("wait 5"));
    let pids: Vec<u32> = (0..5).map(|_| running.line().parse().unwrap()).collect();
    running.signal(SIGKILL);
    // The ranks hold its standard output: that ends with the last of them.
    let ended = running.end();
    assert_eq!(ended.status.code(), None, "{ended:?}");
    until(|| pids.iter().all(|&pid| matches!(state(pid), None | Some('Z' | 'X'))));
    // The next job does not notice.
    succeed(&mut part("ring 5"));
}
