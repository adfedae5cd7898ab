//! The one place of the command where it names threads, time, files and the operating system.
//!
//! It holds names and single calls, and no protocol. The library has one of its own.

mod interrupts;
pub(crate) mod signals;
mod tree;

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

pub(crate) use std::fs::{File, create_dir, write};
pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use std::sync::mpsc;
pub(crate) use std::thread::{scope, sleep};
pub(crate) use std::time::Instant;

pub(crate) use interrupts::Interrupts;
pub(crate) use tree::{ask_to_end, descendants};

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// The time of a clock that never runs backwards and that all processes of the host share, in
/// nanoseconds.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The cores that this thread may run on.
pub(crate) fn allowed_cores() -> Vec<usize> {
    match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect(),
        Err(_) => vec![0],
    }
}

/// Keeps this thread, and those that it starts from now on, on these cores.
///
/// # Errors
///
/// What the operating system says, if it may run on none of them.
pub(crate) fn stay_on(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &core in cores.iter().filter(|&&core| core < CpuSet::MAX_CPU) {
        set.set(core);
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// Becomes another program; returns only if it cannot, with the reason.
pub(crate) fn become_program(command: &mut Command) -> io::Error {
    command.exec()
}

/// From now on this process ends when its parent does. False if the parent, which must be `parent`,
/// has ended already.
pub(crate) fn end_with_parent(parent: u32) -> bool {
    ends_with_parent(parent, Signal::KILL)
}

/// As [`end_with_parent`], but it is asked to, so that it can put its things in order; what this process
/// becomes by `exec` is asked in its place.
pub(crate) fn asked_to_end_with_parent(parent: u32) -> bool {
    ends_with_parent(parent, Signal::TERM)
}

fn ends_with_parent(parent: u32, by: Signal) -> bool {
    let asked = set_parent_process_death_signal(Some(by));
    asked.is_ok() && getppid().is_some_and(|now| Some(now) == Pid::from_raw(parent as i32))
}

/// Calls `at_end` in a thread of its own when `from` has ended; it is the end of the process, so that
/// nobody waits for that thread.
///
/// # Errors
///
/// If the operating system gives no thread.
pub(crate) fn when_ended(
    mut from: impl io::Read + Send + 'static,
    at_end: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let watch = move || {
        // Whatever comes is no news; an error is an end, too.
        let _ = io::copy(&mut from, &mut io::sink());
        at_end();
    };
    std::thread::Builder::new().name("end of input".to_owned()).spawn(watch).map(drop)
}

/// The whole text of a file; None if there is no such file.
///
/// # Errors
///
/// If it cannot be read, or is no text.
pub(crate) fn text_of(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
