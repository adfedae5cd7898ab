//! The errors of starting ranks.

use std::io;
use std::time::Duration;

use crate::order::Rank;
use crate::provider::host::InvalidHosts;
use crate::verbs::VerbsError;

/// The ranks of a job could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A job of no ranks.
    #[error("a job needs at least one rank; 0 were asked for")]
    NoRanks,
    /// The network cannot be made.
    #[error("the ranks cannot be connected: {0}")]
    Network(#[source] VerbsError),
    /// The network is to be RDMA, and the program was built without it.
    #[error(
        "a network of RDMA was asked for, and this program was built without it: runahead has a feature `ib`"
    )]
    NotBuilt,
    /// The ranks cannot be connected by RDMA.
    #[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
    #[error("the ranks cannot be connected by RDMA: {0}")]
    Ib(#[source] crate::provider::ib::IbError),
    /// Ranks that meet are on several hosts, or in several containers, and their network is the
    /// memory of one.
    #[error(
        "rank {other} is on another host than rank {rank}, or in another container, and the network shm is for one: \
         set RUNAHEAD_FABRIC=mixed, or ib"
    )]
    OtherHost {
        /// The rank that noticed it.
        rank: Rank,
        /// The first that is elsewhere.
        other: Rank,
    },
    /// Ranks that meet are on one host by the user's word, and cannot share memory.
    #[error(
        "rank {rank} and rank {other} are to share memory, and cannot: {message}; with RUNAHEAD_FABRIC=ib they need not"
    )]
    NotShared {
        /// The rank that noticed it.
        rank: Rank,
        /// The other.
        other: Rank,
        /// Why not.
        message: String,
    },
    /// Ranks that another launcher has started cannot meet.
    #[error("rank {rank} cannot meet the others at {address}: {message}")]
    Meeting {
        /// The rank.
        rank: Rank,
        /// Where.
        address: String,
        /// The system's reason.
        message: String,
    },
    /// The hosts that the user named do not fit the ranks.
    #[error("the ranks cannot be connected: {0}")]
    Hosts(#[source] InvalidHosts),
    /// The user named hosts, and the network is one for all.
    #[error("hosts were named, which only the network mixed tells apart: `--fabric mixed`")]
    HostsUnused,
    /// The process was started as a rank and does not have what ranks inherit.
    #[error("rank {rank} has not inherited what its job shares: was it closed before the launch?")]
    NotInherited {
        /// The rank.
        rank: Rank,
    },
    /// A process came to a second launch after it was a rank of a job that a command has started,
    /// or of ranks that meet. Such a job is for one launch, as `MPI_Init` is called once.
    #[error(
        "a second launch in a job of `runahead run`, or of ranks that meet, which is for one: start the program by \
         itself, or do in one launch what both do"
    )]
    SecondLaunch,
    /// A process came to a launch as a rank of a job that a command has started, and another
    /// process was that rank before: a script runs several programs.
    #[error(
        "rank {rank} of this job of `runahead run` was another process before: a script that it starts \
         may run one program that comes to a launch"
    )]
    RankTaken {
        /// The rank.
        rank: Rank,
    },
    /// Ranks are to be processes, and are not started by the main thread, outside of all ranks.
    #[error("only the main thread can start ranks as processes, and no rank can")]
    NotTheMainThread,
    /// Ranks are to be processes, and the system is none on which they can be.
    #[error("ranks can be processes on Linux only")]
    Unsupported,
    /// The operating system has no room for what a job shares.
    #[error("the job cannot be started: {message}")]
    Resources {
        /// The system's reason.
        message: String,
    },
    /// The process of a rank cannot be started.
    #[error("rank {rank} cannot be started: {program}: {message}")]
    Process {
        /// The rank.
        rank: Rank,
        /// The program.
        program: String,
        /// Why, for programs.
        kind: io::ErrorKind,
        /// The system's reason.
        message: String,
    },
    /// The process of a rank ended before it came to the launch that it was started for. Processes
    /// that run the same program must come to the same launches.
    #[error("rank {rank} ended with exit code {code} before it came to its launch")]
    NeverCame {
        /// The rank.
        rank: Rank,
        /// Its exit code.
        code: i32,
    },
    /// The process of a rank came to another launch than the one that it was started for. Processes
    /// that run the same program must come to the same launches.
    #[error("rank {rank} came to another launch than it was started for: one of {size} ranks")]
    Elsewhere {
        /// The rank.
        rank: Rank,
        /// The size of the job that it came to.
        size: usize,
    },
    /// A rank process has no value of an earlier launch, or one of another type. It came to
    /// launches to which the first process did not come.
    #[error("an earlier launch of this program is not known to this rank")]
    Diverged,
    /// What a closure returned cannot be turned into bytes, or back.
    #[error("what the ranks return cannot be passed on: {message}")]
    Value {
        /// Why.
        message: String,
    },
    /// The operating system gives no thread for a rank.
    #[error("rank {rank} cannot be started: {message}")]
    Thread {
        /// The rank.
        rank: Rank,
        /// The system's reason.
        message: String,
    },
    /// The operating system gives no time slices of the length that was asked for.
    #[error("cannot set the scheduler time slice to {} us: {message}", .time_slice.as_micros())]
    Slice {
        /// The length.
        time_slice: Duration,
        /// The system's reason.
        message: String,
    },
}
