//! Which processes descend from which, as the system's table says it: signalling a process and all
//! below it. (Linux.)
//!
//! It does not decide who is to end. The table is a picture of one moment: a process that is started
//! after it was taken is in the next one.

use std::fs;
use std::io;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal,
};

use super::fd::{AsFd, OwnedFd, ready};

/// A process and its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    pid: u32,
    parent: u32,
}

/// All processes at one moment.
#[derive(Debug)]
pub(crate) struct Family(Vec<Entry>);

impl Family {
    /// How they are now. Where the system shows no table, there is nobody.
    pub(crate) fn now() -> Family {
        let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
        Family(pids.filter_map(|pid| Some(Entry { pid, parent: parent_of(pid)? })).collect())
    }

    /// Who descends from `pid`: parents before their children.
    fn below(&self, pid: u32) -> Vec<Entry> {
        let mut found: Vec<Entry> = Vec::new();
        let mut parents = vec![pid];
        while let Some(parent) = parents.pop() {
            for entry in self.0.iter().filter(|entry| entry.parent == parent) {
                // In a table that changes while it is read there may be rings.
                if entry.pid != pid && !found.contains(entry) {
                    found.push(*entry);
                    parents.push(entry.pid);
                }
            }
        }
        found
    }

    /// Takes hold of all below `pid`, in that order.
    pub(crate) fn hold_below(&self, pid: u32) -> Held {
        Held(self.below(pid).iter().filter_map(Entry::hold).collect())
    }
}

impl Entry {
    /// Takes hold of it, if it is still who it was: its number may have gone to another process since.
    fn hold(&self) -> Option<OwnedFd> {
        let held = pidfd_open(id(self.pid)?, PidfdFlags::empty()).ok()?;
        (parent_of(self.pid) == Some(self.parent)).then_some(held)
    }
}

/// Processes that cannot be mistaken for others any more, whatever becomes of them and their parents.
#[derive(Debug)]
pub(crate) struct Held(Vec<OwnedFd>);

impl Held {
    /// Sends them a signal, parents first: else a script would go on with its next line. Nothing
    /// happens to those that have ended, or if there is no such signal.
    pub(crate) fn signal(&self, signal: i32) {
        for held in &self.0 {
            if let Some(signal) = Signal::from_named_raw(signal) {
                let _ = pidfd_send_signal(held, signal);
            }
        }
    }
}

fn id(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// The parent of a process that is there.
pub(crate) fn parent_of(pid: u32) -> Option<u32> {
    parent_in(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// `PID (NAME) STATE PARENT ...`, where the name may hold anything.
fn parent_in(stat: &str) -> Option<u32> {
    after_name(stat, 1)?.parse().ok()
}

/// One of the words after the name; the state is 0.
fn after_name(stat: &str, word: usize) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(word)
}

/// When a process that is there began, in ticks since the system did: that and its number tell it from all others of
/// the host.
pub(crate) fn began(pid: u32) -> Option<u64> {
    // The 22nd of all, of which the name is the 2nd.
    after_name(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?, 19)?.parse().ok()
}

/// Takes hold of the process of that number that began then: what is returned can be read when it has ended. None if it
/// has ended already.
///
/// # Errors
///
/// If the system refuses.
pub(crate) fn hold(pid: u32, start: u64) -> io::Result<Option<OwnedFd>> {
    let Some(pid_of_it) = id(pid) else { return Ok(None) };
    match pidfd_open(pid_of_it, PidfdFlags::empty()) {
        // Asked when it is held: its number may have gone to another process since.
        Ok(held) => Ok((began(pid) == Some(start)).then_some(held)),
        Err(Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The processes from which this one descends, its parent first.
fn ancestors() -> impl Iterator<Item = u32> {
    let parent = |pid: &u32| parent_of(*pid).filter(|parent| *parent > 0);
    // No line of descent is that long; a ring would be.
    std::iter::successors(parent(&std::process::id()), parent).take(1000)
}

/// Whether this process descends from that one, which is still there.
pub(crate) fn descends_from(ancestor: u32) -> bool {
    ancestors().any(|pid| pid == ancestor)
}

/// Whether a process between this one and that ancestor has a descriptor of that number for itself alone: it is closed
/// in what that process starts.
pub(crate) fn is_kept_above(number: i32, ancestor: u32) -> bool {
    let keeps = |pid: u32| {
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & OFlags::CLOEXEC.bits() != 0)
    };
    ancestors().take_while(|pid| *pid != ancestor).any(keeps)
}

/// From now on this process is killed when that one ends, from which it descends; it may have ended
/// already.
///
/// # Errors
///
/// If the system has no thread for that.
pub(crate) fn end_with(ancestor: u32) -> io::Result<()> {
    let watched = match id(ancestor).map(|pid| pidfd_open(pid, PidfdFlags::empty())) {
        Some(Ok(watched)) => Some(watched),
        None | Some(Err(Errno::SRCH)) => None,
        Some(Err(error)) => return Err(error.into()),
    };
    let wait = move || {
        if let Some(watched) = watched {
            // A wait that fails is no reason to end.
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
    fn a_parent_is_read_whatever_the_name() {
        assert_eq!(parent_in("12 (sh) S 7 12 12"), Some(7));
        assert_eq!(parent_in("12 (a) S 3 (b) R 8 1"), Some(8));
        assert_eq!(parent_in("12 (sh"), None);
        assert_eq!(parent_in("12 (sh) S x"), None);
    }

    #[test]
    fn a_process_is_held_by_number_and_beginning() {
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
    fn who_is_below_comes_after_its_parent() {
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
