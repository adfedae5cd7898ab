//! The only module of the command that uses threads, time, files and the operating system.
//!
//! It contains names and single calls, and no protocol. The library has its own `sys`.

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

/// The time of the monotonic clock that all processes of the host share, in nanoseconds.
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

/// Binds this thread, and those that it starts from now on, to these cores.
///
/// # Errors
///
/// The operating system's error, if the thread may run on none of them.
pub(crate) fn stay_on(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &core in cores.iter().filter(|&&core| core < CpuSet::MAX_CPU) {
        set.set(core);
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// Becomes another program. Returns only if that fails, with the error.
pub(crate) fn become_program(command: &mut Command) -> io::Error {
    command.exec()
}

/// From now on the system kills this process when its parent ends. Returns false if `parent` has
/// ended already.
pub(crate) fn end_with_parent(parent: u32) -> bool {
    ends_with_parent(parent, Signal::KILL)
}

/// Like [`end_with_parent`], but with SIGTERM, so that the process can clean up. The setting
/// survives `exec`.
pub(crate) fn asked_to_end_with_parent(parent: u32) -> bool {
    ends_with_parent(parent, Signal::TERM)
}

fn ends_with_parent(parent: u32, by: Signal) -> bool {
    let asked = set_parent_process_death_signal(Some(by));
    asked.is_ok() && getppid().is_some_and(|now| Some(now) == Pid::from_raw(parent as i32))
}

/// Calls `at_end` in a new thread when `from` reaches its end. `at_end` must end the process, since
/// nobody joins that thread.
///
/// # Errors
///
/// If the operating system cannot create a thread.
pub(crate) fn when_ended(
    mut from: impl io::Read + Send + 'static,
    at_end: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let watch = move || {
        // Input is ignored; an error counts as the end.
        let _ = io::copy(&mut from, &mut io::sink());
        at_end();
    };
    std::thread::Builder::new().name("end of input".to_owned()).spawn(watch).map(drop)
}

/// The whole text of a file; None if there is no such file.
///
/// # Errors
///
/// If it cannot be read, or is not valid UTF-8.
pub(crate) fn text_of(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
