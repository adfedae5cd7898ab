//! `runahead run`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::harness::{
    PART, SIGINT, SIGKILL, SIGTERM, SIGUSR1, Test, ended, is_gone, part, run, run_part, start,
    succeed, this_program, until,
};

pub const TESTS: &[Test] = tests![
    "": [
        any_command_can_be_a_job,
        the_exit_code_tells_how_a_rank_ended,
        the_command_decides_the_number_of_ranks,
        only_rank_0_continues_after_the_launch,
        a_job_has_one_rank_for_each_core_by_default,
        a_job_may_have_more_ranks_than_the_soft_limit_of_files,
        verbose_prints_the_process_and_core_of_each_rank,
        wrong_command_lines_are_refused,
        a_missing_network_is_an_error,
        a_job_within_a_job_is_refused,
        the_output_of_a_killed_rank_is_complete,
        output_is_passed_on_byte_by_byte,
        standard_input_may_be_long_or_unread_or_closed,
        a_hangup_stays_ignored,
        lines_stay_whole,
        ranks_meet_though_nobody_reads_their_output,
        standard_input_goes_to_rank_0,
        signals_are_passed_on,
        a_second_signal_kills_the_ranks,
        a_job_has_a_time_limit,
        a_dead_rank_ends_the_job,
        a_rank_that_exits_early_ends_the_job,
        hosts_that_do_not_fit_the_job_are_refused,
        bound_ranks_have_one_core_each,
        ranks_end_with_the_command,
    ],
];

fn any_command_can_be_a_job() {
    let ended = succeed(&mut run("-n 3 echo a --tag-output"));
    assert_eq!(ended.out, "a --tag-output\n".repeat(3));
}

/// Without the feature `ib` the program reports it, with it the command, once.
fn a_missing_network_is_an_error() {
    let message = if cfg!(feature = "ib") {
        "runahead: the ranks cannot be connected by RDMA: "
    } else {
        "Error: rank 0: a network of RDMA was asked for, and this program was built without it"
    };
    let ended = ended(&mut run_part("-n 1 --fabric ib --device none7 --gid-index 3", "ring 1"));
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.err.starts_with(message), "{ended:?}");
    let shared = succeed(&mut run_part("-n 2 --fabric shm", "ring 2"));
    assert_eq!(shared.err, "");
}

/// The hosts are checked before any rank is started. If all ranks are on one host, the job needs no
/// device, only a program built with the network.
fn hosts_that_do_not_fit_the_job_are_refused() {
    for (line, message) in [
        (
            "-n 4 --fabric mixed --hosts 2x4",
            "runahead: the ranks cannot be connected: the hosts \"2x4\" are those of 8 ranks, and the job has 4",
        ),
        (
            "-n 4 --fabric mixed --hosts a,a,b",
            "runahead: the ranks cannot be connected: the hosts \"a,a,b\" are those of 3 ranks, and the job has 4",
        ),
        (
            "-n 4 --fabric mixed --hosts two",
            "runahead: the ranks cannot be connected: \"two\" names no hosts: it must be hosts times ranks on \
             each, as 2x4, or a name for each rank, as a,a,b,b",
        ),
        (
            "-n 4 --fabric shm --hosts 2x2",
            "runahead: hosts were named, which only the network mixed tells apart: `--fabric mixed`",
        ),
    ] {
        let ended = ended(&mut run_part(line, "ring 4"));
        assert_eq!(ended.failed(1), message, "{ended:?}");
    }
    if !cfg!(feature = "ib") {
        let ended = ended(&mut run_part("-n 2 --fabric mixed --hosts 1x2", "ring 2"));
        assert!(ended.err.contains("a network of RDMA was asked for"), "{ended:?}");
    }
}

fn the_exit_code_tells_how_a_rank_ended() {
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
    // A program is searched for in the PATH only, as a shell does.
    let mut command = run("-n 2");
    let program = this_program();
    command.arg(program.file_name().unwrap()).current_dir(program.parent().unwrap());
    let said = ended(&mut command);
    assert!(said.failed(127).starts_with("runahead: did you mean ./test-program-"));
    for (part, code, message) in [
        ("bad error", 1, "runahead: rank 1: its own"),
        ("bad panic", 101, "runahead: rank 1 panicked: its own"),
        ("bad exit", 3, "runahead: rank 1 ended by itself, with exit code 3"),
        ("bad kill", 137, "runahead: rank 1 was killed by signal 9 (SIGKILL)"),
    ] {
        let ended = ended(&mut run_part("-n 3", part));
        assert_eq!(ended.failed(code), message, "{ended:?}");
    }
    // Two ranks say in which of their calls they needed it. The lowest is told after it.
    let ended = ended(&mut run_part("-n 3", "bad kill-in-call"));
    let told = "runahead: rank 1 was killed by signal 9 (SIGKILL)\nrunahead: rank 0: a call: ";
    let (_, called) = ended.err.split_once(told).unwrap_or_else(|| panic!("{ended:?}"));
    assert!(called.starts_with("rank 1 ") && called.lines().count() == 1, "{ended:?}");
    assert_eq!(ended.status.code(), Some(137), "{ended:?}");
}

fn the_command_decides_the_number_of_ranks() {
    for size in [1, 2, 5, 64] {
        succeed(&mut run_part(&format!("-n {size}"), "ring 3"));
    }
    let ended = succeed(&mut run_part("-n 3", "own-threads"));
    assert_eq!(ended.sorted(), ["0 of 3", "1 of 3", "2 of 3"]);
}

fn only_rank_0_continues_after_the_launch() {
    let ended = ended(&mut run_part("-n 4", "returns"));
    assert_eq!(ended.out, "[(0, 4), (1, 4), (2, 4), (3, 4)]\n");
    let message = "Error: a second launch in a job of `runahead run`, or of ranks that meet, which is for \
                   one: start the program by itself, or do in one launch what both do\n\
                   runahead: rank 0 ended by itself, with exit code 1\n";
    assert_eq!((ended.status.code(), ended.err.as_str()), (Some(1), message));
    // A program that starts itself may launch twice.
    let ended = succeed(&mut part("returns"));
    assert_eq!(ended.out, "[(0, 2), (1, 2)]\n[(0, 2), (1, 2), (2, 2)]\n");
}

/// The number of cores that this process may use, and the first of them.
fn own_cores() -> (usize, String) {
    // CORES: any number; the test expects what it finds.
    let count = std::thread::available_parallelism().unwrap().get();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    let first = list.trim().split([',', '-']).next().unwrap();
    (count, first.to_owned())
}

fn a_job_has_one_rank_for_each_core_by_default() {
    let (count, first) = own_cores();
    let ended = succeed(&mut run("echo a"));
    assert_eq!(ended.out, "a\n".repeat(count.min(256)));
    // CORES: one, whichever is the first.
    let mut one = Command::new("taskset");
    one.args(["-c", &first, env!("CARGO_BIN_EXE_runahead"), "run", "echo", "a"]);
    assert_eq!(succeed(&mut one).out, "a\n");
}

/// The command raises its own soft limit of open files, and not that of the programs it starts.
fn a_job_may_have_more_ranks_than_the_soft_limit_of_files() {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 60; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_runahead")]);
    let ended = succeed(command.args(["run", "-n", "40", "sh", "-c", "ulimit -n"]));
    assert_eq!(ended.out, "60\n".repeat(40));
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 60; exec \"$@\"", "sh"]).arg(this_program());
    succeed(command.args([PART, "ring", "40"]).stdin(Stdio::null()));
}

fn verbose_prints_the_process_and_core_of_each_rank() {
    let (_, first) = own_cores();
    // CORES: one, whichever is the first.
    let mut one = Command::new("taskset");
    one.args(["-c", &first, env!("CARGO_BIN_EXE_runahead"), "run", "--verbose", "-n", "3"]);
    let ended = ended(one.args(["--bind", "cores", "sh", "-c", "echo $$"]));
    let mut said = ended.err.lines();
    let head = "runahead: 3 ranks, several to a core, on 1 cores; the network takes up to ";
    assert!(said.next().unwrap().starts_with(head), "{ended:?}");
    for (rank, said) in said.enumerate() {
        let pid = said.strip_prefix(&format!("runahead: rank {rank}: process ")).unwrap();
        let pid = pid.strip_suffix(&format!(", core {first}")).unwrap();
        assert!(ended.out.lines().any(|line| line == pid), "{ended:?}");
    }
    assert_eq!(ended.err.lines().count(), 4);
}

fn wrong_command_lines_are_refused() {
    for (line, what) in [
        ("-np 2 true", "use -n instead of -np"),
        ("-n 0 true", "a job has 1 to 256 ranks"),
        ("-n 257 true", "a job has 1 to 256 ranks"),
        ("-n two true", "expected an integer from 1 to 256"),
        ("--tagoutput true", "unexpected argument '--tagoutput'"),
        ("--bind sockets true", "possible values: cores, none"),
        ("--timeout 0 true", "expected a positive time limit, found 0 s"),
        ("--timeout soon true", "expected a number of seconds, found \"soon\""),
        ("-n 2", "required"),
    ] {
        let ended = ended(&mut run(line));
        assert_eq!(ended.status.code(), Some(2), "{line}: {ended:?}");
        assert!(ended.err.contains(what) && ended.out.is_empty(), "{line}: {ended:?}");
    }
    // Options after the program belong to the program.
    assert_eq!(succeed(&mut run("-n 1 echo -n 3 --bind")).out, "3 --bind");
}

fn a_job_within_a_job_is_refused() {
    let mut nested = run("-n 2");
    nested.args([env!("CARGO_BIN_EXE_runahead"), "run", "-n", "2", "echo", "a"]);
    let ended = ended(&mut nested);
    ended.failed(1);
    assert!(ended.err.starts_with("runahead: already inside a job of `runahead run`"), "{ended:?}");
    assert_eq!(ended.out, "");
    let mut meant = run("-n 2 env -u RUNAHEAD_JOB");
    meant.args([env!("CARGO_BIN_EXE_runahead"), "run", "-n", "3", "echo", "a"]);
    assert_eq!(succeed(&mut meant).out, "a\n".repeat(6));
}

fn the_output_of_a_killed_rank_is_complete() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done; printf end; kill -9 $$";
    let mut command = run("-n 3 --tag-output");
    let ended = ended(command.args(["sh", "-c", script]));
    ended.failed(137);
    for rank in 0..3 {
        let tag = format!("[{rank}] ");
        let lines = ended.out.lines().filter_map(|line| line.strip_prefix(&tag));
        let expected = (0..3000).map(|number| number.to_string()).chain(["end".to_owned()]);
        assert!(lines.eq(expected), "rank {rank}");
    }
}

fn output_is_passed_on_byte_by_byte() {
    // Longer than the buffer of a line, and without a newline.
    let ended = succeed(&mut run("-n 1 head -c 3000000 /dev/zero"));
    assert!(ended.out.len() == 3_000_000 && ended.out.bytes().all(|byte| byte == 0));
}

fn standard_input_may_be_long_or_unread_or_closed() {
    for (rank_0, read) in [("cat", 1 << 20), ("true", 0)] {
        let mut command = run("-n 2");
        command.args(["sh", "-c", &format!("{rank_0} | wc -c")]).stdin(Stdio::piped());
        let mut running = start(&mut command);
        let mut stdin = running.child.stdin.take().unwrap();
        // More than a pipe holds: the write fails if no rank reads.
        let written = std::thread::spawn(move || stdin.write_all(&vec![b'x'; 1 << 20]).is_ok());
        let ended = running.end();
        assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
        let mut counts: Vec<usize> =
            ended.out.lines().map(|line| line.trim().parse().unwrap()).collect();
        counts.sort_unstable();
        assert_eq!(counts, [0, read]);
        assert_eq!(written.join().unwrap(), read > 0);
    }
    // Closed.
    let mut closed = Command::new("sh");
    closed.args(["-c", "exec \"$@\" <&-", "sh", env!("CARGO_BIN_EXE_runahead"), "run", "-n", "2"]);
    assert_eq!(succeed(closed.args(["wc", "-c"])).out, "0\n0\n");
}

/// If the command ignores SIGHUP, as under `nohup`, its ranks do so too. Without the trap they
/// inherit the state of this test, which may itself run under `nohup`.
fn a_hangup_stays_ignored() {
    let ignores = |status: &str| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).unwrap();
        u64::from_str_radix(mask, 16).unwrap() & 1
    };
    let own = ignores(&std::fs::read_to_string("/proc/self/status").unwrap());
    for (trap, ignored) in [("trap '' HUP; ", 1), ("", own)] {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{trap}exec \"$@\""), "sh", env!("CARGO_BIN_EXE_runahead")]);
        let ended =
            succeed(command.args(["run", "-n", "1", "grep", "SigIgn", "/proc/self/status"]));
        assert_eq!(ignores(&ended.out), ignored);
    }
}

/// They meet at the hub of the launcher, which passes their output on. (Planted: a launcher that
/// writes it by itself.)
fn ranks_meet_though_nobody_reads_their_output() {
    let mut running = start(&mut run_part("-n 2 --tag-output", "pours 2"));
    let errors = BufReader::new(running.child.stderr.take().unwrap());
    let met = std::thread::spawn(|| errors.lines().take(2).map(Result::unwrap).collect());
    until(|| met.is_finished());
    let mut met: Vec<String> = met.join().unwrap();
    met.sort_unstable();
    assert_eq!(met, ["[0] met", "[1] met"]);
    // Now the reader goes: nobody waits for it any more.
    drop(running.out);
    assert!(running.child.wait().unwrap().success());
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
    // Lines without a newline are separated from those of other ranks; the last gets no newline.
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

fn a_second_signal_kills_the_ranks() {
    let mut command = run("-n 2");
    command.args(["sh", "-c", "trap '' TERM INT; echo ready; while :; do sleep 1; done"]);
    let mut running = start(&mut command);
    (0..2).for_each(|_| assert_eq!(running.line(), "ready"));
    running.signal(SIGTERM);
    // A signal that came sooner would count as part of the first request.
    std::thread::sleep(Duration::from_millis(400));
    running.signal(SIGINT);
    let ended = running.end();
    let message = "runahead: the job was interrupted by signal 15 (SIGTERM)";
    assert_eq!(ended.failed(137), message);
}

fn a_job_has_a_time_limit() {
    let ended = ended(&mut run_part("-n 3 --timeout 0.2", "wait 2"));
    assert_eq!(ended.failed(124), "runahead: the job was killed after 0.2 s");
}

/// Ranks 0 and 2 run for ever, and do not need the dead rank.
fn a_dead_rank_ends_the_job() {
    let mut command = run("-n 3");
    let script = "case $RUNAHEAD_JOB in *:0:1:*) exit 7;; *) exec sleep 1000;; esac";
    command.args(["sh", "-c", script]);
    let ended = ended(&mut command);
    assert_eq!(ended.failed(7), "runahead: 2 other ranks were terminated 2 s later");
    assert!(ended.err.starts_with("runahead: rank 1 ended by itself, with exit code 7\n"));
}

/// The other ranks wait for each other for ever.
fn a_rank_that_exits_early_ends_the_job() {
    let ended = ended(&mut run_part("-n 3", "bad leave"));
    assert_eq!(ended.failed(1), "runahead: 2 other ranks were terminated 2 s later");
    assert!(ended.err.starts_with("runahead: rank 1 ended by itself, with exit code 0\n"));
}

fn bound_ranks_have_one_core_each() {
    let mut command = run("-n 4 --bind cores --tag-output");
    command.args(["grep", "Cpus_allowed_list", "/proc/self/status"]);
    let ended = succeed(&mut command);
    // CORES: any number; the test expects what it finds.
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
    until(|| pids.iter().all(is_gone));
}
