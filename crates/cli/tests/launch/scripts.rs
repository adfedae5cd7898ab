//! Jobs of `runahead run` whose ranks are started by scripts, and the processes that remain after
//! them.

use std::process::Command;

use super::harness::{
    PART, SIGKILL, SIGTERM, SIGUSR1, Test, ended, is_gone, kill, run, start, succeed, this_program,
    until,
};

pub const TESTS: &[Test] = tests![
    "": [
        a_script_may_start_the_rank,
        a_script_runs_one_program,
        a_script_that_closed_the_job_s_files_is_an_error,
        a_program_started_by_a_rank_is_no_rank,
        a_signal_reaches_the_program_of_a_script,
        programs_of_scripts_end_with_the_command,
        programs_of_scripts_end_with_the_job,
        processes_that_are_no_ranks_outlive_the_job,
        the_job_does_not_wait_for_a_process_that_writes_on,
    ],
];

/// A job of a script whose arguments are the command that plays a part.
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
    // The script hides that its program has failed, but the job fails all the same.
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
    // The other ranks are ended some time after the first: on a slow machine, before their message.
    let first = (0..3).find(|rank| ended.err.contains(&format!("\nrunahead: rank {rank} ended ")));
    assert!(first.is_some_and(says), "{ended:?}");
    let said = (0..3).filter(|&rank| says(rank)).count();
    assert_eq!(ended.err.matches("Error: ").count(), said, "nothing else went wrong: {ended:?}");
}

fn a_script_that_closed_the_job_s_files_is_an_error() {
    let handle = "RUNAHEAD_JOB=$(echo $RUNAHEAD_JOB | sed 's/:[0-9]*:\\([0-9]*\\)$/:9:\\1/')";
    for script in [
        // The handle names a file descriptor that is closed, and one that is another file's.
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

fn a_program_started_by_a_rank_is_no_rank() {
    for script in ["exec \"$@\"", "\"$@\"; true"] {
        let ended = succeed(&mut run_script("-n 3", script, "starts-others"));
        assert_eq!(ended.out, "after\n");
    }
}

fn a_signal_reaches_the_program_of_a_script() {
    // The script handles the signal once its program has ended.
    let mut running = start(&mut run_script("-n 3", "trap : USR1; \"$@\"; true", "signals 2"));
    (0..3).for_each(|_| assert_eq!(running.line(), "ready"));
    running.signal(SIGUSR1);
    let ended = running.end();
    assert_eq!((ended.status.code(), ended.out.as_str()), (Some(0), "came\ncame\ncame\n"));
}

/// The system kills the scripts. Their programs must end by themselves.
fn programs_of_scripts_end_with_the_command() {
    let script = "sh -c '\"$@\"; true' sh \"$@\"; true";
    let mut command = run_script("-n 3", script, "wait 2");
    // A stall report into a closed pipe would end the ranks, so there are none.
    let mut running = start(command.env("RUNAHEAD_STALL_S", "0"));
    let pids: Vec<u32> = (0..3).map(|_| running.line().parse().unwrap()).collect();
    assert!(!pids.iter().any(is_gone));
    running.signal(SIGKILL);
    running.end();
    until(|| pids.iter().all(is_gone));
}

fn programs_of_scripts_end_with_the_job() {
    for (options, signal, code) in [("-n 3", Some(SIGTERM), 143), ("-n 3 --timeout 5", None, 124)] {
        let mut running = start(&mut run_script(options, "\"$@\"; true", "wait 2"));
        let pids: Vec<u32> = (0..3).map(|_| running.line().parse().unwrap()).collect();
        signal.into_iter().for_each(|signal| running.signal(signal));
        running.end().failed(code);
        // At once, without a wait.
        assert!(pids.iter().all(is_gone), "{options}");
    }
    // One that takes its time ends before the command returns as well.
    let slow =
        "sh -c 'trap \"sleep 0.3; exit\" TERM; echo $$; while :; do sleep 0.01; done' & wait";
    let mut running = start(run("-n 2").args(["sh", "-c", slow]));
    let pids = [running.line(), running.line()].map(|line| line.parse::<u32>().unwrap());
    running.signal(SIGTERM);
    running.end().failed(143);
    assert!(pids.iter().all(is_gone));
}

/// Processes that a script started before it became the command are no part of the job. Processes
/// that a rank leaves running may be meant to run on.
fn processes_that_are_no_ranks_outlive_the_job() {
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

fn the_job_does_not_wait_for_a_process_that_writes_on() {
    let ended = succeed(run("-n 1").args(["sh", "-c", "yes & sleep 0.1; echo end; exit 0"]));
    let after = ended.out.len() - ended.out.find("end").unwrap();
    // The command passes on the content of the pipe and a little more, not all that `yes` writes.
    assert!(after < 32 << 20, "{after} bytes after the end");
}
