//! The error of every call that a program makes.

use std::fmt;

use crate::collective::CollectiveError;
use crate::comm::GroupError;
use crate::launch::LaunchError;
use crate::message::MessageError;
use crate::options::InvalidOption;
use crate::order::Rank;
#[cfg(target_os = "linux")]
use crate::sys::process::signal_name;

/// The result of every call that a program makes.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, and with whom.
///
/// `{:?}` prints the same message as `{}`, since that is what a program shows whose `main` returns
/// a [`Result`].
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank that the communicator does not have.
    #[error("rank {rank} is out of range: the communicator has {size} ranks, 0 to {}", .size - 1)]
    RankOutOfRange {
        /// The rank.
        rank: Rank,
        /// The number of ranks.
        size: usize,
    },
    /// A tag above the largest.
    #[error("tag {tag} is out of range: the largest is {}", crate::MAX_TAG)]
    TagOutOfRange {
        /// The tag.
        tag: u32,
    },
    /// A message of other elements than were asked for. It can still be received.
    #[error(
        "the message from rank {source_rank} with tag {tag} has {bytes} bytes{}; elements of \
         {asked} bytes were asked for", sent_as(.sent)
    )]
    ElementSize {
        /// The sender.
        source_rank: Rank,
        /// Its tag.
        tag: u32,
        /// Its length in bytes.
        bytes: usize,
        /// The size of its elements as the sender stated it; 0 if it did not.
        sent: usize,
        /// The size of the elements asked for.
        asked: usize,
    },
    /// A message that is longer than the room for it. It can still be received.
    #[error(
        "the message from rank {source_rank} with tag {tag} has {bytes} bytes, and there is room \
         for {room}"
    )]
    Truncated {
        /// The sender.
        source_rank: Rank,
        /// Its tag.
        tag: u32,
        /// Its length in bytes.
        bytes: usize,
        /// The room in bytes.
        room: usize,
    },
    /// The message layer: a peer has ended, is lost, or broke the protocol; a time limit has
    /// passed; the network failed.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// A group cannot be made.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// Two threads used communicators of one rank at the same time. A rank is one sequential
    /// program; nothing was done.
    #[error("another thread is in a call of this rank's; a rank makes one call at a time")]
    Busy,
    /// The world of this communicator has ended.
    #[error("the world of this communicator has ended")]
    Ended,
    /// Only the world can be ended; other communicators are dropped.
    #[error("only the world can be ended; other communicators are dropped")]
    NotTheWorld,
    /// A collective was called wrongly.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The ranks could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// An option has a value that cannot be used, by the program's choice or the environment's.
    #[error(transparent)]
    Option(#[from] InvalidOption),
    /// The program failed at one of its ranks.
    #[error("rank {rank}: {error}")]
    Rank {
        /// The rank.
        rank: Rank,
        /// Its error; see [`Error::cause`].
        #[source]
        error: Box<Error>,
    },
    /// A rank panicked.
    #[error("rank {rank} panicked: {message}")]
    Panicked {
        /// The rank.
        rank: Rank,
        /// The message of the panic.
        message: String,
    },
    /// The process of a rank was killed.
    #[error("rank {rank} was killed by {}", signal_name(*.signal))]
    Killed {
        /// The rank.
        rank: Rank,
        /// The signal.
        signal: i32,
    },
    /// The process of a rank ended before the program's closure had returned there.
    #[error("rank {rank} ended by itself, with exit code {code}")]
    Exited {
        /// The rank.
        rank: Rank,
        /// Its exit code.
        code: i32,
    },
    /// A rank is lost, and the network knows why. A launch returns it in the place of
    /// [`MessageError::PeerLost`], which the program got.
    #[error("rank {rank} is lost: {why}")]
    Unreachable {
        /// The rank. Its process may still run.
        rank: Rank,
        /// Which verb failed, why, and what helps.
        why: String,
    },
    /// The job was ended by a signal for all its ranks, such as that of Ctrl-C.
    #[error("the job was interrupted by {}", signal_name(*.signal))]
    Interrupted {
        /// The signal; of several, the first.
        signal: i32,
    },
    /// An error of another process, of which only the message has come; see
    /// [`launch`](crate::launch()).
    #[error("{message}")]
    Reported {
        /// The message.
        message: String,
        /// See [`Error::culprit`].
        culprit: Option<Rank>,
    },
    /// An error of the program's own; see [`Error::other`].
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::other(error)
    }
}

// Not derived: `main` prints the error that it returns by `Debug`, and a user reads that.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(not(target_os = "linux"))]
fn signal_name(signal: i32) -> String {
    format!("signal {signal}")
}

fn sent_as(sent: &usize) -> String {
    if *sent == 0 { String::new() } else { format!(" in elements of {sent}") }
}

impl Error {
    /// An error of the program's own, so that its closure can return it.
    ///
    /// ```
    /// fn read(path: &str) -> runahead::Result<String> {
    ///     std::fs::read_to_string(path).map_err(runahead::Error::other)
    /// }
    /// assert!(read("no such file").is_err());
    /// ```
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Other(error.into())
    }

    /// The error itself, without the rank at which it came up.
    pub fn cause(&self) -> &Error {
        match self {
            Error::Rank { error, .. } => error.cause(),
            error => error,
        }
    }

    /// The rank that is to blame, where there is one: the one that has ended, is lost, broke the
    /// protocol, or failed.
    pub fn culprit(&self) -> Option<Rank> {
        match self {
            Error::Rank { rank, error } => error.culprit().or(Some(*rank)),
            Error::Panicked { rank, .. }
            | Error::Killed { rank, .. }
            | Error::Exited { rank, .. }
            | Error::Unreachable { rank, .. } => Some(*rank),
            Error::Reported { culprit, .. } => *culprit,
            Error::Message(error) => match error {
                MessageError::Protocol { from, .. } => Some(*from),
                MessageError::PeerEnded { rank, .. }
                | MessageError::EndedBeforeBarrier { rank, .. }
                | MessageError::PeerLost { rank } => Some(*rank),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it came up here first, or may follow from another rank's failure.
    pub fn severity(&self) -> Severity {
        match self {
            Error::Message(
                MessageError::PeerEnded { failed: true, .. }
                | MessageError::PeerLost { .. }
                | MessageError::EndedBeforeBarrier { .. },
            ) => Severity::Consequence,
            _ => Severity::Cause,
        }
    }
}

/// What an error says of the failure of a job: one rank fails first, and others because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The failure came up at this rank, as far as this rank knows.
    Cause,
    /// Another rank has failed or is lost, and this rank needed it. [`Error::culprit`] names that
    /// rank.
    Consequence,
}
