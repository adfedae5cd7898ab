//! Finds and ends the processes that a process has started, if it does not end them itself.

use std::fs;

use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// A process, held so that its id cannot come to mean another.
#[derive(Debug)]
pub(crate) struct Process(OwnedFd);

impl Process {
    /// Kills it, if it has not ended.
    pub(crate) fn kill(&self) {
        // If it has ended, there is nothing to do.
        let _ = pidfd_send_signal(&self.0, Signal::KILL);
    }
}

/// Asks a child of this process to end. The child must not have been waited for.
pub(crate) fn ask_to_end(child: u32) {
    if let Some(pid) = Pid::from_raw(child as i32) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

/// The running descendants of a process.
pub(crate) fn descendants(of: u32) -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let pairs: Vec<(u32, u32)> = ids.filter_map(|id| Some((id, parent_of(id)?))).collect();
    let mut found = vec![of];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        found.extend(pairs.iter().filter(|pair| pair.1 == parent).map(|pair| pair.0));
        at += 1;
    }
    let open = |id: &u32| {
        let process = pidfd_open(Pid::from_raw(*id as i32)?, PidfdFlags::empty()).ok()?;
        // It may have ended before it was opened, and its id may be another's.
        let expected = pairs.iter().find(|pair| pair.0 == *id)?.1;
        (parent_of(*id) == Some(expected)).then_some(Process(process))
    };
    found[1..].iter().filter_map(open).collect()
}

fn parent_of(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name may contain anything, and ends with the last parenthesis.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
