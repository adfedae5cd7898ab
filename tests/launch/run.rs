//! `runahead run`.

use std::process::Stdio;

use super::harness::{Test, ended, run, run_part, start, succeed};

pub const TESTS: &[Test] = &[
    ("a_job_of_any_command", a_job_of_any_command),
    ("exit_codes", exit_codes),
    ("the_command_names_the_size", the_command_names_the_size),
    ("rank_0_goes_on", rank_0_goes_on),
    ("lines_stay_whole", lines_stay_whole),
    ("standard_input_goes_to_rank_0", standard_input_goes_to_rank_0),
    ("signals_are_passed_on", signals_are_passed_on),
    ("the_second_wish_is_a_command", the_second_wish_is_a_command),
    ("a_job_has_a_time_limit", a_job_has_a_time_limit),
    ("a_dead_rank_ends_the_job", a_dead_rank_ends_the_job),
    ("a_rank_that_leaves_ends_the_job", a_rank_that_leaves_ends_the_job),
    ("a_rank_has_a_core", a_rank_has_a_core),
    ("ranks_end_with_the_command", ranks_end_with_the_command),
];

fn a_job_of_any_command() {
    let ended = succeed(&mut run("-n 3 echo a --tag-output"));
    assert_eq!(ended.out, "a --tag-output\n".repeat(3));
}

fn exit_codes() {
    for (line, code, message) in [
        ("-n 2 sh -c exit${X}3", 3, "runahead: rank 0 ended by itself, with exit code 3"),
        ("-n 2 sh -c kill${X}-9${X}$$", 137, "runahead: rank 0 was killed by signal 9 (SIGKILL)"),
        (
            "-n 2 no-such-program",
            127,
            "runahead: rank 0 cannot be started: no-such-program: No such file or directory (os \
             error 2)",
        ),
        (
            "-n 2 /etc/passwd",
            126,
            "runahead: rank 0 cannot be started: /etc/passwd: Permission denied (os error 13)",
        ),
    ] {
        // The arguments are separated by spaces, which those of the shell have too.
        let mut command = run("");
        command.args(line.split(' ').map(|word| word.replace("${X}", " ")));
        let ended = ended(&mut command);
        let found = ended.failed(code).replace("rank 1", "rank 0");
        assert_eq!(found, message, "{ended:?}");
    }
    for (part, code, message) in [
        ("bad error", 1, "runahead: rank 1: its own"),
        ("bad panic", 101, "runahead: rank 1 panicked: its own"),
        ("bad exit", 3, "runahead: rank 1 ended by itself, with exit code 3"),
        ("bad kill", 137, "runahead: rank 1 was killed by signal 9 (SIGKILL)"),
    ] {
        let ended = ended(&mut run_part("-n 3", part));
        assert_eq!(ended.failed(code), message, "{ended:?}");
    }
}

fn the_command_names_the_size() {
    for size in [1, 2, 5, 64] {
        succeed(&mut run_part(&format!("-n {size}"), "ring 3"));
    }
    let ended = succeed(&mut run_part("-n 3", "own-threads"));
    assert_eq!(ended.sorted(), ["0 of 3", "1 of 3", "2 of 3"]);
}

fn rank_0_goes_on() {
    let ended = succeed(&mut run_part("-n 4", "returns"));
    assert_eq!(ended.out, "[(0, 4), (1, 4), (2, 4), (3, 4)]\n[(0, 4), (1, 4), (2, 4)]\n");
}

fn lines_stay_whole() {
    let expected = |tag: bool| {
        let mut lines = Vec::new();
        for rank in 0..8 {
            let tag = if tag { format!("[{rank}] ") } else { String::new() };
            lines.extend((0..50).map(|line| format!("{tag}line {line} of rank {rank}")));
        }
        lines.sort();
        lines
    };
    for (options, tag) in [("-n 8", false), ("-n 8 --tag-output", true)] {
        let ended = ended(&mut run_part(options, "lines 2"));
        assert_eq!(ended.sorted(), expected(tag));
        let mut errors: Vec<_> = ended.err.lines().collect();
        errors.sort_unstable();
        assert_eq!(errors, expected(tag));
    }
    // Each ends without a newline: they are kept apart, and the last is as it was.
    let ended = succeed(&mut run("-n 3 --tag-output printf x"));
    assert!(!ended.out.ends_with('\n'));
    assert_eq!(ended.sorted(), ["[0] x", "[1] x", "[2] x"]);
    assert_eq!(succeed(&mut run("-n 1 printf x")).out, "x");
}

fn standard_input_goes_to_rank_0() {
    let mut command = run_part("-n 3", "echo 2");
    command.stdin(Stdio::piped());
    let mut running = start(&mut command);
    running.say("one\ntwo");
    let ended = running.end();
    let lines = [r#"rank 0 read "one\ntwo""#, r#"rank 1 read """#, r#"rank 2 read """#];
    assert_eq!(ended.sorted(), lines, "{ended:?}");
}

const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;
const SIGUSR1: i32 = 10;
const SIGTERM: i32 = 15;

fn signals_are_passed_on() {
    let mut running = start(&mut run_part("-n 3", "signals 2"));
    (0..3).for_each(|_| assert_eq!(running.line(), "ready"));
    running.signal(SIGUSR1);
    let finished = running.end();
    assert_eq!((finished.status.code(), finished.out.as_str()), (Some(0), "came\ncame\ncame\n"));
    for (signal, code, name) in [(SIGINT, 130, "2 (SIGINT)"), (SIGTERM, 143, "15 (SIGTERM)")] {
        let mut running = start(&mut run_part("-n 3", "wait 2"));
        (0..3).for_each(|_| drop(running.line()));
        running.signal(signal);
        let ended = running.end();
        let message = format!("runahead: the job was interrupted by signal {name}");
        assert_eq!((ended.failed(code), ended.err.lines().count()), (message.as_str(), 1));
    }
}

fn the_second_wish_is_a_command() {
    let mut command = run("-n 2");
    command.args(["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"]);
    let mut running = start(&mut command);
    (0..2).for_each(|_| assert_eq!(running.line(), "ready"));
    running.signal(SIGTERM);
    running.signal(SIGINT);
    let ended = running.end();
    let message = ended.failed(137);
    // Of two signals at once, either may be heard first.
    let first = ["15 (SIGTERM)", "2 (SIGINT)"]
        .map(|name| format!("runahead: the job was interrupted by signal {name}"));
    assert!(first.iter().any(|first| first == message), "{message}");
}

fn a_job_has_a_time_limit() {
    let ended = ended(&mut run_part("-n 3 --timeout 0.2", "wait 2"));
    assert_eq!(ended.failed(124), "runahead: the job was killed after 0.2 s");
}

/// Ranks 0 and 2 wait for each other for ever, and need the dead one for nothing.
fn a_dead_rank_ends_the_job() {
    let mut command = run("-n 3");
    let script = "case $RUNAHEAD_JOB in 1:0:1:*) exit 7;; *) exec sleep 1000;; esac";
    command.args(["sh", "-c", script]);
    let ended = ended(&mut command);
    assert_eq!(ended.failed(7), "runahead: 2 other ranks were ended 2 s after that");
    assert!(ended.err.starts_with("runahead: rank 1 ended by itself, with exit code 7\n"));
}

/// The others wait for each other, for ever.
fn a_rank_that_leaves_ends_the_job() {
    let ended = ended(&mut run_part("-n 3", "bad leave"));
    assert_eq!(ended.failed(1), "runahead: 2 other ranks were ended 2 s after that");
    assert!(ended.err.starts_with("runahead: rank 1 ended by itself, with exit code 0\n"));
}

fn a_rank_has_a_core() {
    let mut command = run("-n 4 --bind cores --tag-output");
    command.args(["grep", "Cpus_allowed_list", "/proc/self/status"]);
    let ended = succeed(&mut command);
    let allowed = std::thread::available_parallelism().unwrap().get();
    let lines = ended.sorted();
    assert_eq!(lines.len(), 4);
    let cores: Vec<&str> = lines.iter().map(|line| line.rsplit('\t').next().unwrap()).collect();
    for (rank, core) in cores.iter().enumerate() {
        assert!(core.parse::<usize>().is_ok(), "rank {rank}: {core}");
        assert_eq!(*core, cores[rank % allowed.min(4)]);
    }
}

fn ranks_end_with_the_command() {
    let mut running = start(&mut run_part("-n 3", "wait 2"));
    let pids: Vec<u32> = (0..3).map(|_| running.line().parse().unwrap()).collect();
    running.signal(SIGKILL);
    running.end();
    let gone = |pid: &u32| matches!(super::harness::state(*pid), None | Some('Z' | 'X'));
    super::harness::until(|| pids.iter().all(gone));
}
