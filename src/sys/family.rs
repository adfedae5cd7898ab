//! The tree of processes, read from /proc, to signal a process and all its descendants. (Linux.)
//!
//! It does not decide which processes end. The tree is a snapshot: a process that starts later is
//! in the next one.

use std::fs;
use std::io;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal,
};

use super::fd::{AsFd, OwnedFd, ready};
use super::time::Instant;

/// A process and its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    pid: u32,
    parent: u32,
}

/// A snapshot of all processes.
#[derive(Debug)]
pub(crate) struct Family(Vec<Entry>);

impl Family {
    /// The current processes; none if the system shows no table.
    pub(crate) fn now() -> Family {
        let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
        Family(pids.filter_map(|pid| Some(Entry { pid, parent: parent_of(pid)? })).collect())
    }

    /// The descendants of `pid`: parents before their children.
    fn below(&self, pid: u32) -> Vec<Entry> {
        let mut found: Vec<Entry> = Vec::new();
        let mut parents = vec![pid];
        while let Some(parent) = parents.pop() {
            for entry in self.0.iter().filter(|entry| entry.parent == parent) {
                // A table that changes while it is read may contain cycles.
                if entry.pid != pid && !found.contains(entry) {
                    found.push(*entry);
                    parents.push(entry.pid);
                }
            }
        }
        found
    }

    /// Opens all descendants of `pid`, in that order.
    pub(crate) fn hold_below(&self, pid: u32) -> Held {
        Held(self.below(pid).iter().filter_map(Entry::hold).collect())
    }
}

impl Entry {
    /// Opens the process, if it is still the same: another process may have got its number since.
    fn hold(&self) -> Option<OwnedFd> {
        let held = pidfd_open(id(self.pid)?, PidfdFlags::empty()).ok()?;
        (parent_of(self.pid) == Some(self.parent)).then_some(held)
    }
}

/// Open processes. Their numbers cannot come to mean other processes, even after they have ended.
#[derive(Debug, Default)]
pub(crate) struct Held(Vec<OwnedFd>);

impl Held {
    /// Sends them a signal, parents first: otherwise a script would go on with its next line.
    /// Nothing happens to processes that have ended, or if there is no such signal.
    pub(crate) fn signal(&self, signal: i32) {
        for held in &self.0 {
            if let Some(signal) = Signal::from_named_raw(signal) {
                let _ = pidfd_send_signal(held, signal);
            }
        }
    }

    /// Waits until all of them have ended, at most so long.
    ///
    /// # Errors
    ///
    /// If the system cannot tell.
    pub(crate) fn wait(mut self, limit: Duration) -> io::Result<()> {
        let begin = Instant::now();
        while !self.0.is_empty() {
            let left = limit.saturating_sub(Instant::now().saturating_since(begin));
            let fds: Vec<_> = self.0.iter().map(AsFd::as_fd).collect();
            let has_ended = ready(&fds, Some(left))?;
            if left.is_zero() {
                return Ok(());
            }
            let mut has_ended = has_ended.into_iter();
            self.0.retain(|_| has_ended.next() != Some(true));
        }
        Ok(())
    }

    /// All of these.
    pub(crate) fn all(parts: impl Iterator<Item = Held>) -> Held {
        Held(parts.flat_map(|part| part.0).collect())
    }
}

fn id(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// The parent of an existing process.
pub(crate) fn parent_of(pid: u32) -> Option<u32> {
    parent_in(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses `PID (NAME) STATE PARENT ...`, where the name may contain anything.
fn parent_in(stat: &str) -> Option<u32> {
    after_name(stat, 1)?.parse().ok()
}

/// The word at this index after the name; the state has index 0.
fn after_name(stat: &str, word: usize) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(word)
}

/// When an existing process started, in ticks since the boot. With its number, this identifies it
/// among all processes of the host.
pub(crate) fn began(pid: u32) -> Option<u64> {
    // Field 22; the name is field 2.
    after_name(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?, 19)?.parse().ok()
}

/// Opens the process with this number and start time. The descriptor becomes readable when the
/// process has ended. None if it has ended already.
///
/// # Errors
///
/// If the system refuses.
pub(crate) fn hold(pid: u32, start: u64) -> io::Result<Option<OwnedFd>> {
    let Some(pid_of_it) = id(pid) else { return Ok(None) };
    match pidfd_open(pid_of_it, PidfdFlags::empty()) {
        // Compared after opening: another process may have got its number before.
        Ok(held) => Ok((began(pid) == Some(start)).then_some(held)),
        Err(Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The ancestors of this process, its parent first.
fn ancestors() -> impl Iterator<Item = u32> {
    let parent = |pid: &u32| parent_of(*pid).filter(|parent| *parent > 0);
    // No line of ancestors is that long, except in a cycle.
    std::iter::successors(parent(&std::process::id()), parent).take(1000)
}

/// Whether this process descends from `ancestor`, which still exists.
pub(crate) fn descends_from(ancestor: u32) -> bool {
    ancestors().any(|pid| pid == ancestor)
}

/// Whether a process between this one and that ancestor has a descriptor of that number for itself
/// alone: it is closed in what that process starts.
pub(crate) fn is_kept_above(number: i32, ancestor: u32) -> bool {
    let keeps = |pid: u32| {
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & OFlags::CLOEXEC.bits() != 0)
    };
    ancestors().take_while(|pid| *pid != ancestor).any(keeps)
}

/// From now on this process is killed when `ancestor` ends, from which it descends and which may
/// have ended already.
///
/// # Errors
///
/// If the system cannot create a thread.
pub(crate) fn end_with(ancestor: u32) -> io::Result<()> {
    let watched = match id(ancestor).map(|pid| pidfd_open(pid, PidfdFlags::empty())) {
        Some(Ok(watched)) => Some(watched),
        None | Some(Err(Errno::SRCH)) => None,
        Some(Err(error)) => return Err(error.into()),
    };
    let wait = move || {
        if let Some(watched) = watched {
            // A failed wait is not a reason to end.
            while !matches!(ready(&[watched.as_fd()], None), Ok(ended) if ended[0]) {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        let _ = kill_process(getpid(), Signal::KILL);
    };
    std::thread::Builder::new().name("end with job".to_owned()).spawn(wait).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_parsed_whatever_the_process_name() {
        assert_eq!(parent_in("12 (sh) S 7 12 12"), Some(7));
        assert_eq!(parent_in("12 (a) S 3 (b) R 8 1"), Some(8));
        assert_eq!(parent_in("12 (sh"), None);
        assert_eq!(parent_in("12 (sh) S x"), None);
    }

    #[test]
    fn a_process_is_identified_by_its_number_and_start_time() {
        let pid = std::process::id();
        let start = began(pid).unwrap();
        let held = hold(pid, start).unwrap().expect("it is there");
        let is_over = ready(&[held.as_fd()], Some(Duration::ZERO)).unwrap();
        assert_eq!(is_over, [false]);
        assert!(hold(pid, start + 1).unwrap().is_none(), "another had that number");
        assert!(hold(0, start).unwrap().is_none());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let (pid, start) = (child.id(), began(child.id()).unwrap());
        let held = hold(pid, start).unwrap().expect("it was not waited for");
        while !ready(&[held.as_fd()], None).unwrap()[0] {}
        child.wait().unwrap();
        assert!(hold(pid, start).unwrap().is_none(), "it is gone");
    }

    #[test]
    fn a_descendant_comes_after_its_parent() {
        let entry = |pid, parent| Entry { pid, parent };
        let family = Family(vec![
            entry(9, 5),
            entry(5, 2),
            entry(4, 3),
            entry(2, 1),
            entry(3, 2),
            entry(6, 7),
            // A ring.
            entry(7, 6),
        ]);
        let below = family.below(2);
        assert_eq!(below.len(), 4);
        let at = |pid| below.iter().position(|entry| entry.pid == pid).unwrap();
        assert!(at(5) < at(9) && at(3) < at(4));
        assert_eq!(family.below(6), [entry(7, 6)]);
        assert_eq!(family.below(9), []);
    }

    #[test]
    fn this_process_descends_from_its_parents() {
        let parent = parent_of(std::process::id()).unwrap();
        assert!(descends_from(parent));
        assert!(!descends_from(std::process::id()));
        assert_eq!(ancestors().next(), Some(parent));
    }
}
