//! Jobs of any command: the machinery behind [`Launch`](super::Launch) and `runahead run`. (Linux.)
//!
//! A [`Job`] starts the same command once for each rank. Each process that uses this library joins
//! the job at its first [`launch`](super::launch()), whatever size it names there. Rank 0 returns
//! from it, with what all ranks returned, when all have; the other ranks end there. A later launch
//! in rank 0 is an error ([`LaunchError::SecondLaunch`]). Programs that do not use this library may
//! be started as well; they do not join.
//!
//! The command may be a script that starts the program. The first process below it that comes to a
//! launch is the rank; a later one gets an error ([`LaunchError::RankTaken`]). Processes that a
//! rank starts itself take no notice of the job. Signals go to all of them. No rank outlives the
//! process that runs the job, though processes that a rank has left in the background may. The exit
//! code is the script's.
//!
//! When a rank has failed - its exit code is not 0, or it was killed - the others have [`GRACE`] to
//! end by themselves. Then they are asked to (SIGTERM), and after as long again they are killed.
//! All are killed when the process that runs the job ends, however it does.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::bootstrap::Outcome;
use super::lines::Lines;
use super::place::values_of;
use super::processes::{Command, Plan, ProcessGroup, core_of};
use super::root_cause::{Failure, Listed, Nearness, root, root_cause, witness_of};
use super::watch::{NOTED, Orders, Seen, SeenRank, watch};
use super::{LaunchError, environment, shape_rules};
use crate::error::{Error, Result};
use crate::order::Rank;
use crate::sys::fd::{OwnedFd, pipe, write_some};
use crate::sys::process::{End, SIGINT, SIGKILL, SIGTERM, Streams, allowed_cores};

pub use super::lines::LINE_BYTES;
pub use super::watch::GRACE;

/// Which cores ranks may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bind {
    /// All that this process may use.
    #[default]
    None,
    /// One each: of those that this process may use, in turn.
    Cores,
}

/// Where the output of the ranks goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output {
    /// To the output of this process.
    #[default]
    Inherit,
    /// Through this process, which passes on whole lines ([`LINE_BYTES`] at most). A last line
    /// without a newline is kept, and gets one only if another line follows. It reads each rank by
    /// itself: the order of lines of different ranks, or of the two outputs of one, may be another
    /// than that in which they were written.
    ///
    /// While the reader of this process's output does not read, ranks that go on writing wait, once
    /// their pipes are full. The others go on, and so do limits of time and signals.
    Lines {
        /// Whether each line begins with its rank, as `[3] `.
        tag: bool,
    },
}

/// How a rank's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RankReport {
    /// How its process ended.
    pub exit: Exit,
    /// Whether the job ended it, because another rank had failed or the time was up.
    pub ended_by_job: bool,
}

/// How a job ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Of its ranks, in their order.
    pub ranks: Vec<RankReport>,
    /// Whether it was ended because its time was up.
    pub timed_out: bool,
    /// The root cause: the rank and its error; [`Error::Interrupted`] if signals for all ranks
    /// ended the job.
    pub failure: Option<(Rank, Error)>,
    /// Where a rank died: the lowest rank that needed it and has said in which of its calls, with
    /// its error. Only libraries say that, such as that for programs of MPI.
    pub witness: Option<(Rank, Error)>,
}

impl Report {
    /// The exit code for a command that stands for the job: 0; 124 if its time was up; else the
    /// exit code of the first rank that failed, or 128 and the signal that killed it.
    pub fn code(&self) -> i32 {
        match &self.failure {
            _ if self.timed_out => 124,
            None => 0,
            &Some((rank, _)) => match self.ranks[rank].exit {
                // It handed a failure over and then ended well.
                Exit::Code(0) => 1,
                Exit::Code(code) => code,
                Exit::Signal(signal) => 128 + signal,
            },
        }
    }
}

/// The ranks of a job, when all have been started.
#[derive(Debug)]
#[non_exhaustive]
pub struct Started {
    /// The processes.
    pub pids: Vec<u32>,
    /// The core of each, if it is bound to one.
    pub cores: Vec<Option<usize>>,
}

/// Sends signals to the ranks of a job that runs, from another thread.
#[derive(Clone, Debug)]
pub struct JobSignals(Arc<OwnedFd>);

impl JobSignals {
    /// Sends a signal, 1 to 31, to all ranks. Nothing happens if the job has ended.
    pub fn signal(&self, signal: i32) {
        if let Ok(signal @ 1..=31) = u8::try_from(signal) {
            // It fails if the job has ended.
            let _ = write_some(&*self.0, &[signal]);
        }
    }

    /// Notes a signal, 1 to 31, that the ranks have got already, as those of a terminal: it is not
    /// sent again.
    pub fn note(&self, signal: i32) {
        if let Ok(signal @ 1..=31) = u8::try_from(signal) {
            let _ = write_some(&*self.0, &[signal | NOTED]);
        }
    }
}

type OnStart = Arc<dyn Fn(&Started) + Send + Sync>;

/// A job of some command.
///
/// ```
/// # fn main() -> runahead::Result<()> {
/// use runahead::launch::job::Job;
/// let report = Job::new(3, "true").run()?;
/// assert_eq!((report.ranks.len(), report.code()), (3, 0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Job {
    size: usize,
    command: Command,
    bind: Bind,
    limit: Option<Duration>,
    output: Output,
    on_start: Option<OnStart>,
    signals: Option<(Arc<OwnedFd>, JobSignals)>,
}

impl Job {
    /// A job of `size` ranks, each of which runs `program`: a path, or a name that is looked for
    /// where the user's commands are.
    pub fn new(size: usize, program: impl Into<OsString>) -> Job {
        let program = program.into();
        let command = Command { program, arg0: None, args: Vec::new(), env: Vec::new() };
        Job {
            size,
            command,
            bind: Bind::None,
            limit: None,
            output: Output::Inherit,
            on_start: None,
            signals: None,
        }
    }

    /// Arguments of the program, after those that were given before.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Job {
        self.command.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// A variable that the ranks have in their environment, beside this process's.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Job {
        self.command.env.push((name.into(), value.into()));
        self
    }

    /// Which cores the ranks may use.
    pub fn bind(mut self, bind: Bind) -> Job {
        self.bind = bind;
        self
    }

    /// All ranks are killed when it has passed.
    pub fn timeout(mut self, limit: Duration) -> Job {
        self.limit = Some(limit);
        self
    }

    /// Where the output of the ranks goes.
    pub fn output(mut self, output: Output) -> Job {
        self.output = output;
        self
    }

    /// Calls `handler` when all ranks have been started.
    pub fn on_start(mut self, handler: impl Fn(&Started) + Send + Sync + 'static) -> Job {
        self.on_start = Some(Arc::new(handler));
        self
    }

    /// Sends signals to the ranks while the job runs.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] if the system has no room for a pipe.
    pub fn signals(&mut self) -> Result<JobSignals> {
        if self.signals.is_none() {
            let (from, to) = pipe().map_err(resources)?;
            self.signals = Some((Arc::new(from), JobSignals(Arc::new(to))));
        }
        let signals = self.signals.as_ref().map(|(_, signals)| signals.clone());
        signals.ok_or_else(|| resources(io::ErrorKind::Other.into()))
    }

    /// Runs the job, and returns when all ranks have ended. Rank 0 reads this process's standard
    /// input; the others find the end there.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] if not all ranks can be started; those that could are killed. A failure of
    /// a rank is no error here: see [`Report::failure`].
    pub fn run(&self) -> Result<Report> {
        Ok(report(self.watched()?))
    }

    /// Runs the job, and returns what the closure returned at each rank, in its first launch.
    ///
    /// # Errors
    ///
    /// As by [`run`](Job::run), and that of the first rank that failed, or did not come to a
    /// launch.
    pub fn collect<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let seen = self.watched()?;
        let outcomes: Vec<_> = seen.ranks.iter().cloned().map(SeenRank::came_to).collect();
        if let Some((_, error)) = report(seen).failure {
            return Err(error);
        }
        // What is left are ranks that ended well and handed nothing over.
        values_of(root_cause(outcomes)?)
    }

    fn watched(&self) -> Result<Seen> {
        let cores = match self.bind {
            Bind::None => Vec::new(),
            Bind::Cores => allowed_cores().map_err(resources)?,
        };
        let (streams, tag) = match self.output {
            Output::Inherit => (Streams::Inherited, None),
            Output::Lines { tag } => (Streams::Piped, Some(tag)),
        };
        // As the ranks have it: `env` goes before the environment.
        let own = |name: &str| self.command.env.iter().rev().find(|(known, _)| known == name);
        let variable = |name: &str| {
            own(name).map(|(_, value)| value.clone()).or_else(|| std::env::var_os(name))
        };
        let shape_rules = shape_rules::text(&environment::tune_cache_of(variable));
        let (size, command, cores) = (self.size, &self.command, &cores[..]);
        let plan = Plan { size, command, own: None, cores, streams, shape_rules };
        let mut group = ProcessGroup::start(plan)?;
        if let Some(handler) = &self.on_start {
            let pids = group.children.iter().map(|child| child.pid()).collect();
            let cores = (0..self.size).map(|rank| core_of(rank, cores)).collect();
            handler(&Started { pids, cores });
        }
        let lines = tag.map(|tag| Lines::of(&mut group.children, tag)).transpose();
        let signals = self.signals.as_ref().map(|(from, _)| &**from);
        let grace = Some(GRACE);
        let orders = Orders { limit: self.limit, grace, commands: true, signals };
        watch(&mut group, &orders, lines.map_err(resources)?).map_err(resources)
    }
}

// Not derived: its handlers are functions.
impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job of {} ranks of {:?}", self.size, self.command)
    }
}

fn resources(error: io::Error) -> Error {
    LaunchError::Resources { message: error.to_string() }.into()
}

fn report(seen: Seen) -> Report {
    // In the order in which the job has heard of them.
    let mut ended: Vec<_> = seen.ranks.iter().enumerate().collect();
    ended.sort_by_key(|(_, rank)| rank.place);
    let failures = ended.into_iter().filter_map(|(rank, seen)| failure_of(rank, seen));
    let mut failures: Vec<_> = failures.collect();
    let (mut failure, mut witness) = (None, None);
    if let Some(Failure { rank, nearness, error }) = root(&mut failures, Listed::InTime) {
        match error {
            // The first rank to be killed is no cause.
            Error::Killed { signal, .. } if seen.signals.contains(&signal) => {
                let signal = request_behind(signal, &seen.signals);
                failure = Some((rank, Error::Interrupted { signal }));
            }
            error => {
                let root = Failure { rank, nearness, error };
                witness = witness_of(&root, failures).map(|other| (other.rank, other.error));
                failure = Some((root.rank, root.error));
            }
        }
    }
    let ranks = seen.ranks.iter().map(|rank| {
        let exit = match rank.end {
            End::Exited(code) => Exit::Code(code),
            End::Killed(signal) => Exit::Signal(signal),
        };
        RankReport { exit, ended_by_job: rank.ended_here }
    });
    Report { ranks: ranks.collect(), timed_out: seen.timed_out, failure, witness }
}

/// The signal by which the user asked the job to end, where `signal` has killed a rank: a second
/// request kills, whatever it is.
fn request_behind(signal: i32, heard: &[i32]) -> i32 {
    let request = heard.iter().copied().find(|heard| [SIGINT, SIGTERM].contains(heard));
    if signal == SIGKILL { request.unwrap_or(signal) } else { signal }
}

/// The failure of a rank, if it has failed. A command that joins no job and ends well has not.
fn failure_of(rank: Rank, seen: &SeenRank) -> Option<Failure> {
    let returned = |error: Error| {
        let nearness = if seen.ended_here { Nearness::Ended } else { Nearness::Returned };
        Some(Failure { rank, nearness, error })
    };
    match (&seen.outcome, seen.end) {
        (Outcome::Ended { joined: false, .. } | Outcome::Value(_), End::Exited(0)) => None,
        (Outcome::Ended { joined: false, .. }, End::Exited(code)) => {
            Some(Failure { rank, nearness: Nearness::Exited, error: Error::Exited { rank, code } })
        }
        (Outcome::Value(_), End::Exited(code)) => returned(Error::Exited { rank, code }),
        (Outcome::Value(_), End::Killed(signal)) => returned(Error::Killed { rank, signal }),
        (outcome, _) => Failure::of(rank, outcome, seen.ended_here),
    }
}
