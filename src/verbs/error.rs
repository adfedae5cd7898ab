//! What can go wrong at the verbs.

use super::{Cq, RegionKey, Vi};
use crate::order::Rank;

/// A verb failed for a reason that waiting does not mend.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum VerbsError {
    /// A limit of [`super::NicAttributes`] would be exceeded.
    #[error("the {provider} network allows a {what} of at most {limit}; {asked} was asked for")]
    AboveLimit {
        /// The provider's name.
        provider: &'static str,
        /// What was asked for.
        what: &'static str,
        /// How much of it.
        asked: usize,
        /// How much there may be.
        limit: usize,
    },
    /// There is no such peer.
    #[error("rank {peer} does not exist: the job has {size} ranks")]
    NoSuchPeer {
        /// The peer asked for.
        peer: Rank,
        /// The size of the job.
        size: usize,
    },
    /// A rank has no VI to itself.
    #[error("rank {rank} has no VI to itself")]
    OwnRank {
        /// The rank whose interface was asked.
        rank: Rank,
    },
    /// The VI was opened before.
    #[error("the VI to rank {} on queue {} is already open", .vi.peer, .vi.cq.0)]
    AlreadyOpen {
        /// Which one.
        vi: Vi,
    },
    /// There is no such completion queue.
    #[error("completion queue {} does not exist: there are {limit}", .cq.0)]
    NoSuchQueue {
        /// The queue asked for.
        cq: Cq,
        /// The number of queues.
        limit: u8,
    },
    /// What must not be lost could be lost on this queue.
    #[error("{provider}: queue {} may lose messages, and its messages must not be lost", .cq.0)]
    TooUnreliable {
        /// The provider's name.
        provider: &'static str,
        /// The queue.
        cq: Cq,
    },
    /// There is no such registered region, or it is shorter.
    #[error("rank {peer} has no word {word} in region {}", .key.0)]
    NoSuchWord {
        /// Whose region.
        peer: Rank,
        /// Which region.
        key: RegionKey,
        /// Which word of it.
        word: usize,
    },
    /// What a peer wrote is impossible. It counts as gone from now on.
    #[error("rank {peer} has written an impossible {what}")]
    Corrupted {
        /// The rank that wrote it, or was to have written it.
        peer: Rank,
        /// What it is.
        what: &'static str,
    },
    /// The rank has an interface, or had one.
    #[error("rank {rank} has its interface already, or has left")]
    RankTaken {
        /// Which rank.
        rank: Rank,
    },
    /// Another rank has laid out the network by another specification.
    #[error("the ranks of the job disagree about the layout of their network")]
    OtherLayout,
    /// What was to be joined is not the network of this job.
    #[error("this is no segment of a job of {size} ranks: {what}")]
    NotASegment {
        /// The number of ranks that it should be for.
        size: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The operating system refused what the network needs.
    #[error("{call}: {}", std::io::Error::from_raw_os_error(*.code))]
    System {
        /// The call.
        call: &'static str,
        /// Its error number.
        code: i32,
    },
}

/// A message could not be posted. Nothing of it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum PostError {
    /// The send queue is full for now: ordinary back-pressure.
    #[error("the send queue to rank {} is full", .0.peer)]
    QueueFull(Vi),
    /// The peer has posted no receive descriptor: on a reliable VI the sender broke its credits.
    #[error("rank {} has no receive descriptor posted on queue {}", .0.peer, .0.cq.0)]
    NoDescriptor(Vi),
    /// The message does not fit a descriptor of this VI.
    #[error("a message of {len} bytes to rank {} is above the {limit} of its VI", .vi.peer)]
    TooLong {
        /// Where it was to go.
        vi: Vi,
        /// Its length, header included.
        len: usize,
        /// The longest that would do.
        limit: usize,
    },
    /// The VI was not opened.
    #[error("the VI to rank {} on queue {} is not open", .0.peer, .0.cq.0)]
    NotOpen(Vi),
    /// The peer's interface is closed.
    #[error("rank {} is gone", .0.peer)]
    PeerGone(Vi),
}
