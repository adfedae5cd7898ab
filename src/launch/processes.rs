//! The process group of a job: a launcher starts all of its processes, or none.
//!
//! [`watch`](super::watch) waits for their ends.

use std::ffi::OsString;
use std::io;

use std::sync::Arc;
use std::time::Duration;

use super::LaunchError;
use super::bootstrap::{Outcome, Server, ToRank, encode};
use super::job_handle::{JOB_VARIABLE, JobHandle};
use super::network::Network;
use crate::order::Rank;
use crate::sys::family::{Family, Held};
use crate::sys::fd::{AsRawFd, OwnedFd, high};
use crate::sys::process::{
    self, Child, End, FileLimit, SIGKILL, SIGTERM, Start, Streams, TERMINAL,
};
use crate::sys::stream::Door;

/// The command of each rank.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) program: OsString,
    pub(super) arg0: Option<OsString>,
    pub(super) args: Vec<OsString>,
    /// Variables beside the environment of this process.
    pub(super) env: Vec<(OsString, OsString)>,
}

/// How the processes of a job are started.
pub(super) struct Plan<'a> {
    pub(super) size: usize,
    pub(super) command: &'a Command,
    /// The launch of this program that they are started for; None for the first launch of any
    /// program.
    pub(super) own: Option<OwnLaunch>,
    /// The cores that the ranks are bound to, in turn; empty if they are not bound.
    pub(super) cores: &'a [usize],
    pub(super) streams: Streams,
    /// The shape rules, as text.
    pub(super) shape_rules: String,
}

/// A launch for which a program starts its own ranks.
pub(super) struct OwnLaunch {
    pub(super) number: u64,
    /// The results of earlier launches, as frames.
    pub(super) history: Vec<Arc<[u8]>>,
    pub(super) stdout: OwnedFd,
}

/// The processes of a job. Dropping it kills those that are left.
pub(super) struct ProcessGroup {
    pub(super) children: Vec<Child>,
    pub(super) server: Server,
    network: Network,
    files: FileLimit,
    /// What each rank had started when it was last asked to end.
    ending: Vec<Held>,
}

/// Whether ranks are asked to end by this signal, or killed.
fn is_end(signal: i32) -> bool {
    [SIGTERM, SIGKILL].contains(&signal) || TERMINAL.contains(&signal)
}

/// So long the job lasts for what ranks have started, at most, when they have ended.
const ENDING: Duration = Duration::from_secs(1);

/// The files that the launcher has open for each rank: its process, its stream, and what it writes.
const FILES_PER_RANK: usize = 4;

impl ProcessGroup {
    /// Starts them.
    ///
    /// # Errors
    ///
    /// If the first that cannot be started; those before it are killed.
    pub(super) fn start(plan: Plan<'_>) -> Result<ProcessGroup, LaunchError> {
        let resources = |error: io::Error| LaunchError::Resources { message: error.to_string() };
        let Plan { size, command, own, cores, streams, shape_rules } = plan;
        if size == 0 {
            return Err(LaunchError::NoRanks);
        }
        let files = FileLimit::allow(size * FILES_PER_RANK);
        let network = Network::create(size)?;
        let (door, outside) = Door::create().map_err(resources)?;
        let outside = Arc::new(high(outside).map_err(resources)?);
        let mut fds = vec![network.fd().try_clone_to_owned().map_err(resources)?];
        let launch = own.as_ref().map_or(0, |own| own.number);
        let shape_rules = encode(&ToRank::ShapeRules(shape_rules)).map_err(io::Error::other);
        let mut history = vec![shape_rules.map_err(resources)?.into()];
        if let Some(own) = own {
            fds.push(own.stdout);
            history.extend(own.history);
        }
        let server = Server::behind(door, size, fds, history);
        let ending = (0..size).map(|_| Held::default()).collect();
        let mut group = ProcessGroup { children: Vec::new(), server, network, files, ending };
        for rank in 0..size {
            let (door, launcher) = (outside.as_raw_fd(), process::own_pid());
            let handle = JobHandle { launch, rank, size, door, launcher };
            let Command { program, arg0, args, env } = command;
            let mut env = env.clone();
            env.push((JOB_VARIABLE.into(), handle.text().into()));
            let start = Start {
                program,
                arg0: arg0.as_deref(),
                args,
                env: &env,
                stdin: rank == 0,
                streams,
                inherit: Arc::clone(&outside),
                core: core_of(rank, cores),
                files: group.files.before(),
            };
            group.children.push(start.start().map_err(|error| {
                let (kind, message) = (error.kind(), error.to_string());
                LaunchError::Process { rank, program: command.shown(), kind, message }
            })?);
        }
        Ok(group)
    }

    /// Sends a signal to ranks, and to what they have started.
    pub(super) fn signal(&mut self, ranks: impl Iterator<Item = Rank>, signal: i32) {
        let family = Family::now();
        for rank in ranks {
            let child = &self.children[rank];
            // Before the signal: a process whose parent has ended is not found below it.
            let below = family.hold_below(child.pid());
            child.signal(signal);
            below.signal(signal);
            if is_end(signal) {
                self.ending[rank] = below;
            }
        }
    }

    /// Waits for a while until what ranks had started has ended as they have, if they were asked to
    /// end: it gets the signal as they do, and takes its own time.
    pub(super) fn wait_for_ending(&mut self) -> io::Result<()> {
        Held::all(self.ending.drain(..)).wait(ENDING)
    }

    /// The process of a rank has ended: reports it to the others. Returns its outcome, and how many were known
    /// before.
    pub(super) fn ended(&mut self, rank: Rank, end: End) -> (Outcome, usize) {
        self.server.drain(rank);
        let outcome = Outcome::Ended { end, joined: self.server.hub.has_joined(rank) };
        self.server.end(rank, &outcome);
        self.network.mark_gone(rank);
        let hub = &self.server.hub;
        (hub.outcome(rank).unwrap_or(outcome), hub.place(rank).unwrap_or(usize::MAX))
    }
}

/// The core that a rank is bound to.
pub(super) fn core_of(rank: Rank, cores: &[usize]) -> Option<usize> {
    (!cores.is_empty()).then(|| cores[rank % cores.len()])
}

impl Command {
    /// The program, for messages.
    fn shown(&self) -> String {
        self.arg0.as_ref().unwrap_or(&self.program).to_string_lossy().into_owned()
    }
}
