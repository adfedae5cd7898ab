//! Loads run while samples are taken, and none outlives the bench, however it ends.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::yield_now;

use rustix::process::{Pid, Signal, kill_process};

use super::command;

/// The processes that `parent` has started with this subcommand.
fn started_by(parent: u32, subcommand: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("processes");
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|&id| parent_of(id) == Some(parent) && is(id, subcommand)).collect()
}

fn parent_of(id: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}

/// Whether the process runs this subcommand. One that has ended has no command line any more.
fn is(id: u32, subcommand: &str) -> bool {
    let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    line.split(|&byte| byte == 0).any(|word| word == subcommand.as_bytes())
}

/// Starts a bench that would run for hours. Returns it with its loads and the processes of its
/// ranks.
fn start(load: &str, more: &str) -> (Child, Vec<u32>) {
    let line = format!(
        "app --app barrier --ranks 2 --load {load} --variants best --notify block --runs 60000 {more}"
    );
    // A background job of a script ignores SIGINT. If this test does, the bench would inherit that.
    let bench = command(&line);
    let mut child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(bench.get_program())
        .args(bench.get_args())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built with this test");
    let expected = if load == "one" { 1 } else { 2.min(cores()) };
    loop {
        let loads = started_by(child.id(), "bench-load");
        let ranks = started_by(child.id(), "bench-rank");
        let expected_ranks = if more == "--threads" { 1 } else { 2 };
        if loads.len() == expected && ranks.len() == expected_ranks {
            return (child, [loads, ranks].concat());
        }
        let ended = child.try_wait().expect("a child");
        assert!(ended.is_none(), "it has ended: {ended:?}");
        yield_now();
    }
}

fn cores() -> usize {
    // CORES: with one there is one competitor, with more there are two.
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Ends the bench with `signal`, and waits until all processes that hold its standard error have
/// ended: the bench, its loads, and its ranks.
fn end(mut child: Child, signal: Signal) {
    kill_process(Pid::from_child(&child), signal).expect("it runs");
    let mut told = String::new();
    let mut from = child.stderr.take().expect("a pipe");
    from.read_to_string(&mut told).expect("UTF-8");
    assert_eq!(told, "");
    child.wait().expect("a child");
}

#[test]
fn no_load_or_rank_outlives_an_interrupted_bench() {
    for (load, signal) in [
        ("competitors", Signal::INT),
        ("competitors", Signal::KILL),
        ("burst", Signal::INT),
        ("burst", Signal::KILL),
        ("one", Signal::TERM),
    ] {
        let (child, started) = start(load, "");
        let bench = child.id();
        end(child, signal);
        // Ranks of later samples held the pipe too, and have ended with it.
        let runs = |&id: &u32| is(id, "bench-load") || is(id, "bench-rank");
        let left: Vec<_> = started.into_iter().filter(runs).collect();
        assert!(left.is_empty(), "{load}, {signal:?}: {left:?} of {bench}");
    }
}

#[test]
fn no_load_outlives_a_killed_bench_whose_ranks_are_threads() {
    let (child, started) = start("competitors", "--threads");
    end(child, Signal::KILL);
    let left: Vec<_> = started.into_iter().filter(|&id| is(id, "bench-load")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A load ends when its parent dies or when its pipe is closed. Here the parent lives on.
#[test]
fn a_load_ends_when_its_pipe_is_closed() {
    let arguments = ["--core", "0", "--pattern", "spin", "--parent"];
    let mut load = Command::new(env!("CARGO_BIN_EXE_runahead"))
        .arg("bench-load")
        .args(arguments)
        .arg(std::process::id().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut running = [0];
    load.stdout.as_mut().unwrap().read_exact(&mut running).unwrap();
    assert!(load.try_wait().unwrap().is_none());
    drop(load.stdin.take());
    assert!(load.wait().unwrap().success());
}
