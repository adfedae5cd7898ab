//! Jobs of `runahead run` whose ranks are started by scripts, and what is left of them.

use std::process::Command;

use super::harness::{PART, Test, ended, kill, run, start, state, succeed, this_program, until};

pub const TESTS: &[Test] = &[
    ("a_script_may_start_the_rank", a_script_may_start_the_rank),
    ("a_script_runs_one_program", a_script_runs_one_program),
    ("what_a_script_has_closed_is_missed", what_a_script_has_closed_is_missed),
    ("what_a_rank_starts_is_no_rank", what_a_rank_starts_is_no_rank),
    ("a_signal_reaches_the_program_below", a_signal_reaches_the_program_below),
    ("what_is_below_ends_with_the_command", what_is_below_ends_with_the_command),
    ("what_is_below_ends_with_the_job", what_is_below_ends_with_the_job),
    ("what_others_have_started_goes_on", what_others_have_started_goes_on),
    ("who_goes_on_writing_is_not_waited_for", who_goes_on_writing_is_not_waited_for),
];

/// A job of a script, which has the command that plays a part as its arguments.
fn run_script(options: &str, script: &str, line: &str) -> Command {
    let mut command = run(options);
    command.args(["sh", "-c", script, "sh"]).arg(this_program()).arg(PART);
    command.args(line.split_whitespace());
    command
}

fn a_script_may_start_the_rank() {
    for script in ["\"$@\"; echo done", "sh -c '\"$@\"; true' sh \"$@\"; exec echo done"] {
        let ended = succeed(&mut run_script("-n 3", script, "own-threads"));
        let expected = ["0 of 3", "1 of 3", "2 of 3", "done", "done", "done"];
        assert_eq!(ended.sorted(), expected, "{script}");
    }
    // It hides that its program has failed, and the job has failed all the same.
    let ended = ended(&mut run_script("-n 3", "\"$@\"; true", "bad error"));
    assert_eq!(ended.failed(1), "runahead: rank 1: its own", "{ended:?}");
}

fn a_script_runs_one_program() {
    let ended = ended(&mut run_script("-n 3", "\"$@\" && \"$@\"", "own-threads"));
    assert_eq!(ended.sorted(), ["0 of 3", "1 of 3", "2 of 3"], "{ended:?}");
    ended.failed(1);
    let says = |rank: usize| {
        let message = format!(
            "Error: rank {rank} of this job of `runahead run` was another process before: a script that \
             it starts may run one program that comes to a launch\n"
        );
        ended.err.contains(&message)
    };
    // The others are ended some time after the first, and on a slow machine may not have come so far.
    let first = (0..3).find(|rank| ended.err.contains(&format!("\nrunahead: rank {rank} ended ")));
    assert!(first.is_some_and(says), "{ended:?}");
    let said = (0..3).filter(|&rank| says(rank)).count();
    assert_eq!(ended.err.matches("Error: ").count(), said, "nothing else went wrong: {ended:?}");
}

fn what_a_script_has_closed_is_missed() {
    let handle = "RUNAHEAD_JOB=$(echo $RUNAHEAD_JOB | sed 's/:[0-9]*:\\([0-9]*\\)$/:9:\\1/')";
    for script in [
        // It names a number under which there is nothing, and one that stands for something else.
        format!("{handle}; \"$@\"; exit 7"),
        format!("{handle}; exec 9</dev/null; \"$@\"; exit 7"),
    ] {
        let ended = ended(&mut run_script("-n 1", &script, "own-threads"));
        let message = "Error: rank 0 has not inherited what its job shares: was it closed before \
                       the launch?\n";
        assert_eq!(ended.failed(7), "runahead: rank 0 ended by itself, with exit code 7");
        assert!(ended.err.starts_with(message) && ended.out.is_empty(), "{ended:?}");
    }
}

fn what_a_rank_starts_is_no_rank() {
    for script in ["exec \"$@\"", "\"$@\"; true"] {
        let ended = succeed(&mut run_script("-n 3", script, "starts-others"));
        assert_eq!(ended.out, "after\n");
    }
}

const SIGKILL: i32 = 9;
const SIGUSR1: i32 = 10;
const SIGTERM: i32 = 15;

fn a_signal_reaches_the_program_below() {
    // The script takes notice of it when its program has ended.
    let mut running = start(&mut run_script("-n 3", "trap : USR1; \"$@\"; true", "signals 2"));
    (0..3).for_each(|_| assert_eq!(running.line(), "ready"));
    running.signal(SIGUSR1);
    let ended = running.end();
    assert_eq!((ended.status.code(), ended.out.as_str()), (Some(0), "came\ncame\ncame\n"));
}

fn is_gone(pid: &u32) -> bool {
    matches!(state(*pid), None | Some('Z' | 'X'))
}

/// The scripts are killed by the system. Nobody but themselves is left to end their programs.
fn what_is_below_ends_with_the_command() {
    let script = "sh -c '\"$@\"; true' sh \"$@\"; true";
    let mut command = run_script("-n 3", script, "wait 2");
    // A report that nobody reads would end them.
    let mut running = start(command.env("RUNAHEAD_STALL_S", "0"));
    let pids: Vec<u32> = (0..3).map(|_| running.line().parse().unwrap()).collect();
    assert!(!pids.iter().any(is_gone));
    running.signal(SIGKILL);
    running.end();
    until(|| pids.iter().all(is_gone));
}

fn what_is_below_ends_with_the_job() {
    for (options, signal, code) in [("-n 3", Some(SIGTERM), 143), ("-n 3 --timeout 5", None, 124)] {
        let mut running = start(&mut run_script(options, "\"$@\"; true", "wait 2"));
        let pids: Vec<u32> = (0..3).map(|_| running.line().parse().unwrap()).collect();
        signal.into_iter().for_each(|signal| running.signal(signal));
        running.end().failed(code);
        // Not a moment later.
        assert!(pids.iter().all(is_gone), "{options}");
    }
}

/// What a script had started before it became the command is none of its business, and what a rank has
/// left running may be meant to.
fn what_others_have_started_goes_on() {
    let command = env!("CARGO_BIN_EXE_runahead");
    let sleep = "sleep 1000 >/dev/null 2>&1 & echo $!";
    for script in [
        format!("{sleep}; exec {command} run -n 1 true"),
        format!("{sleep}; exec {command} run -n 1 no-such-program"),
        format!("exec {command} run -n 1 sh -c '{sleep}'"),
    ] {
        let ended = ended(Command::new("sh").args(["-c", &script]));
        let pid = ended.out.trim().parse().unwrap();
        assert!(!is_gone(&pid), "{script}: {ended:?}");
        kill(pid, SIGKILL);
    }
}

fn who_goes_on_writing_is_not_waited_for() {
    let ended = succeed(run("-n 1").args(["sh", "-c", "yes & sleep 0.1; echo end; exit 0"]));
    let after = ended.out.len() - ended.out.find("end").unwrap();
    // What was in the pipe, and some more; a reader without a limit goes on for as long as it writes.
    assert!(after < 32 << 20, "{after} bytes after the end");
}
