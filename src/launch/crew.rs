//! The processes of a job, as their starter sees them: starting them all, or none.
//!
//! What becomes of them is seen in [`watch`](super::watch).

use std::ffi::OsString;
use std::io;

use super::LaunchError;
use super::ledger::{Ledger, Outcome};
use super::network::Network;
use super::ticket::{Fds, JOB_VARIABLE, Own, Ticket};
use crate::order::Rank;
use crate::sys::family::Family;
use crate::sys::fd::{AsFd, AsRawFd, Bell, BorrowedFd, OwnedFd, high};
use crate::sys::process::{self, Child, End, Start, Streams};

/// What each rank runs.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) program: OsString,
    pub(super) arg0: Option<OsString>,
    pub(super) args: Vec<OsString>,
    /// Beside the environment of this process.
    pub(super) env: Vec<(OsString, OsString)>,
}

/// How the processes of a job are started.
pub(super) struct Plan<'a> {
    pub(super) size: usize,
    pub(super) command: &'a Command,
    /// For which launch, and with what only a program's own ranks get; None for the first launch of
    /// any program.
    pub(super) own: Option<OwnLaunch<'a>>,
    /// The cores that the ranks are bound to, in turn; empty if they are not bound.
    pub(super) cores: &'a [usize],
    pub(super) streams: Streams,
}

/// What only the ranks get that a program starts from itself.
#[derive(Clone, Copy)]
pub(super) struct OwnLaunch<'a> {
    pub(super) number: u64,
    pub(super) history: BorrowedFd<'a>,
    pub(super) stdout: BorrowedFd<'a>,
}

/// The processes of a job. Dropping it kills those that are left.
pub(super) struct Crew {
    pub(super) children: Vec<Child>,
    pub(super) ledger: Ledger,
    bell: Bell,
    network: Network,
    /// Other names of what all ranks inherit.
    inherited: [OwnedFd; 3],
}

impl Crew {
    /// Starts them.
    ///
    /// # Errors
    ///
    /// If the first that cannot be started; those before it are killed.
    pub(super) fn start(plan: &Plan<'_>) -> Result<Crew, LaunchError> {
        let resources = |error: io::Error| LaunchError::Resources { message: error.to_string() };
        if plan.size == 0 {
            return Err(LaunchError::NoRanks);
        }
        let network = Network::create(plan.size)?;
        let ledger = Ledger::create().map_err(resources)?;
        let bell = Bell::create().map_err(resources)?;
        let names =
            [network.fd(), ledger.as_fd(), bell.as_fd()].map(|fd| high(fd).map_err(resources));
        let [segment, book, call] = names;
        let inherited = [segment?, book?, call?];
        let mut crew = Crew { children: Vec::new(), ledger, bell, network, inherited };
        for rank in 0..plan.size {
            let child = crew.start_one(plan, rank).map_err(|error| {
                let (kind, message) = (error.kind(), error.to_string());
                let program = plan.command.shown();
                LaunchError::Process { rank, program, kind, message }
            })?;
            crew.children.push(child);
        }
        Ok(crew)
    }

    fn start_one(&self, plan: &Plan<'_>, rank: Rank) -> io::Result<Child> {
        let mut inherit: Vec<BorrowedFd<'_>> = self.inherited.iter().map(AsFd::as_fd).collect();
        inherit.extend(plan.own.iter().flat_map(|own| [own.history, own.stdout]));
        let numbers: Vec<i32> = inherit.iter().map(AsRawFd::as_raw_fd).collect();
        let own = plan.own.map(|_| Own { history: numbers[3], stdout: numbers[4] });
        let [segment, ledger, bell] = [numbers[0], numbers[1], numbers[2]];
        let ticket = Ticket {
            launch: plan.own.map_or(0, |own| own.number),
            rank,
            size: plan.size,
            fds: Fds { segment, ledger, bell, own },
            starter: process::own_pid(),
        };
        let Command { program, arg0, args, env } = plan.command;
        let mut env = env.clone();
        env.push((JOB_VARIABLE.into(), ticket.text().into()));
        let start = Start {
            program,
            arg0: arg0.as_deref(),
            args,
            env: &env,
            stdin: rank == 0,
            streams: plan.streams,
            inherit: &inherit,
            core: core_of(rank, plan.cores),
        };
        start.start()
    }

    /// Sends a signal to ranks, and to what they have started.
    pub(super) fn signal(&self, ranks: impl Iterator<Item = Rank>, signal: i32) {
        let family = Family::now();
        for rank in ranks {
            let child = &self.children[rank];
            // Before the signal: those whose parent has ended are not found below it.
            let below = family.hold_below(child.pid());
            child.signal(signal);
            below.signal(signal);
        }
    }

    /// A rank has ended: tells the others. Returns what it came to.
    pub(super) fn ended(&self, rank: Rank, end: End) -> Outcome {
        if !self.ledger.is_complete(rank) {
            let outcome = Outcome::Ended { end, joined: self.ledger.has_joined(rank) };
            // If even this cannot be written, the outcome is still what is returned here.
            let _ = self.ledger.hand_over(rank, &outcome);
        }
        self.network.mark_gone(rank);
        self.bell.ring();
        self.ledger.outcome(rank)
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
