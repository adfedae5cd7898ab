//! Runs one job: starts it, makes the fault at its moment, and waits until no process of it is left
//! or the time limit has passed.

use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::set_parent_process_death_signal;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::case::Manner;
use crate::load;
use crate::traces::{self, Before, Process};
use crate::witness::now_ns;

/// The argument that makes this program play a part.
pub const PART: &str = "part";

/// The environment variable that identifies all processes of a job.
pub const MARK: &str = "RUNAHEAD_SOAK_JOB";

/// The time limits of a job. They are generous: nothing is measured by them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the kill of a rank to the end of the job.
    pub after_kill: Duration,
    /// From the end of another fault, or from the start without one, to the end of the job.
    pub after_all: Duration,
    /// From the end of the first process to that of all others.
    pub after_end: Duration,
}

pub const LIMITS: Limits = Limits {
    after_kill: Duration::from_secs(20),
    after_all: Duration::from_secs(120),
    after_end: Duration::from_secs(10),
};

/// The fault: its moment, the rank that it meets, and its details.
#[derive(Clone, Debug)]
pub struct Disturbance {
    pub at: Duration,
    pub victim: usize,
    pub manner: Manner,
}

/// A fault that has met a running rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hit {
    pub victim: usize,
    /// The moment, by the monotonic clock.
    pub at_ns: u64,
    /// After a kill, the time until each of the other ranks that ran then had ended.
    pub others_ended_after: Vec<Duration>,
}

/// The outcome of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The state of its processes when the time limit passed, if it did.
    pub hung: Option<String>,
    pub took: Duration,
    pub out: String,
    pub err: String,
    /// The content of its output file.
    pub written: Option<Vec<u8>>,
    pub hit: Option<Hit>,
    /// The processes and files that it has left behind.
    pub left: Vec<String>,
}

/// The directory of a job's files, which is removed with its content.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        for name in ["tmp", "cache"] {
            std::fs::create_dir(folder.path(name)).expect("a folder");
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs a job in `folder`, to its end or to its time limit.
pub fn run(
    mut command: Command,
    folder: &Folder,
    disturbance: Option<&Disturbance>,
    limits: Limits,
) -> Ran {
    static JOBS: AtomicU32 = AtomicU32::new(0);
    // Relaxed: the numbers only have to differ.
    let mark = format!("{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
    command.env(MARK, &mark).env("TMPDIR", folder.path("tmp"));
    command.env("XDG_CACHE_HOME", folder.path("cache")).current_dir(folder.0.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: between fork and exec this makes one system call, and allocates nothing.
    unsafe {
        // A soak that is interrupted leaves no job behind, in particular none with a stopped rank.
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    let before = Before::now();
    let begin = Instant::now();
    let mut child = command.spawn().expect("it can be started");
    let out = reader(child.stdout.take().expect("a pipe"));
    let err = reader(child.stderr.take().expect("a pipe"));
    let watched = Watched { pid: child.id(), fd: pidfd(child.id()).expect("a child of ours") };
    let mut met = disturbance.and_then(|what| watched.disturb(&mark, what, begin));
    let limit = match (disturbance.map(|what| &what.manner), &met) {
        (Some(Manner::Kill), Some(_)) => limits.after_kill,
        _ => limits.after_all,
    };
    let in_time = watched.wait(met.as_mut(), limit);
    let took = begin.elapsed();
    let hung = (!in_time).then(|| traces::where_they_are(&mark));
    if hung.is_some() {
        let _ = child.kill();
    }
    let status = child.wait().expect("it can be waited for");
    let victim = met.as_ref().map(|met| met.victim.pid);
    let known: Vec<Process> = met.iter().flat_map(|met| met.known.iter().copied()).collect();
    let left = traces::left(&mark, &known, &before, folder, victim, limits.after_end);
    traces::end(&mark);
    Ran {
        code: status.code(),
        signal: status.signal(),
        took,
        out: out.join().expect("a reader"),
        err: err.join().expect("a reader"),
        written: std::fs::read(folder.path("out.bin")).ok(),
        hit: met.map(|met| met.hit),
        // A job that hangs has left everything.
        left: if hung.is_some() { Vec::new() } else { left },
        hung,
    }
}

fn pidfd(pid: u32) -> Option<OwnedFd> {
    pidfd_open(Pid::from_raw(pid as i32)?, PidfdFlags::empty()).ok()
}

/// Waits until one of these processes has ended, or the time has passed. Returns which have ended.
fn ended(fds: &[&OwnedFd], limit: Duration) -> Vec<bool> {
    let mut polled: Vec<PollFd<'_>> = fds.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    let limit = rustix::time::Timespec {
        tv_sec: limit.as_secs() as i64,
        tv_nsec: i64::from(limit.subsec_nanos()),
    };
    // An interrupted call counts as one whose time has passed.
    let _ = poll(&mut polled, Some(&limit));
    polled.iter().map(|fd| !fd.revents().is_empty()).collect()
}

/// The rank that the fault has met, and the others that ran then.
struct Met {
    victim: Process,
    known: Vec<Process>,
    others: Vec<OwnedFd>,
    hit: Hit,
    /// Threads on the victim's core, until this is dropped.
    _hog: Option<load::Hog>,
}

/// A job's first process.
struct Watched {
    pid: u32,
    fd: OwnedFd,
}

impl Watched {
    fn has_ended(&self, within: Duration) -> bool {
        ended(&[&self.fd], within)[0]
    }

    /// Waits for the moment and for the victim to exist, and makes the fault. None if the job has
    /// ended before.
    fn disturb(&self, mark: &str, what: &Disturbance, begin: Instant) -> Option<Met> {
        let wait = what.at.saturating_sub(begin.elapsed());
        if self.has_ended(wait) {
            return None;
        }
        let look_again = Duration::from_micros(500);
        loop {
            let ranks = traces::ranks_of(self.pid, mark);
            let victim = ranks.iter().find(|(rank, _)| *rank == what.victim);
            if let Some(&(_, victim)) = victim
                && let Some(met) = self.meet(victim, &ranks, what)
            {
                return Some(met);
            }
            if self.has_ended(look_again) {
                return None;
            }
        }
    }

    fn meet(&self, victim: Process, ranks: &[(usize, Process)], what: &Disturbance) -> Option<Met> {
        let fd = pidfd(victim.pid)?;
        let others = ranks.iter().filter(|(_, process)| process.pid != victim.pid);
        let others = others.filter_map(|(_, process)| pidfd(process.pid)).collect();
        let known = ranks.iter().map(|(_, process)| *process).collect();
        // A zombie has ended before the fault.
        if !victim.is_running() {
            return None;
        }
        let hit = Hit { victim: what.victim, at_ns: now_ns(), others_ended_after: Vec::new() };
        let send = |signal| pidfd_send_signal(&fd, signal).is_ok();
        let mut hog = None;
        match what.manner {
            Manner::Kill => send(Signal::KILL).then_some(())?,
            Manner::Stop { lasting } => {
                send(Signal::STOP).then_some(())?;
                std::thread::sleep(lasting);
                send(Signal::CONT);
            }
            Manner::Turns { lasting, seed } => {
                let (mut source, begin) = (fastrand::Rng::with_seed(seed), Instant::now());
                while begin.elapsed() < lasting && send(Signal::STOP) {
                    std::thread::sleep(Duration::from_micros(source.u64(500..20_000)));
                    send(Signal::CONT);
                    if self.has_ended(Duration::from_micros(source.u64(200..10_000))) {
                        break;
                    }
                }
            }
            Manner::Hog { threads, lasting } => {
                hog = Some(load::Hog::beside(victim.pid, threads, lasting)?);
            }
        }
        Some(Met { victim, known, others, hit, _hog: hog })
    }

    /// Waits until the job has ended, and notes when the other ranks end. Returns whether all have
    /// ended in time.
    fn wait(&self, met: Option<&mut Met>, limit: Duration) -> bool {
        let begin = Instant::now();
        let rest = || limit.saturating_sub(begin.elapsed());
        if let Some(met) = met {
            while !met.others.is_empty() {
                if rest().is_zero() {
                    return false;
                }
                let has_ended = ended(&met.others.iter().collect::<Vec<_>>(), rest());
                let after = Duration::from_nanos(now_ns() - met.hit.at_ns);
                let mut has_ended = has_ended.into_iter();
                let count = met.others.len();
                met.others.retain(|_| has_ended.next() == Some(false));
                let gone = count - met.others.len();
                met.hit.others_ended_after.extend(std::iter::repeat_n(after, gone));
            }
        }
        while !self.has_ended(rest()) {
            if rest().is_zero() {
                return false;
            }
        }
        true
    }
}
