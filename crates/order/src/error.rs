//! What the order core refuses, and what it finds wrong with others.

use super::{Clock, Epoch, GroupId, Rank};

/// A peer has said something that no correct peer says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A signal for a step that this rank does not expect from that sender.
    #[error("rank {from} signalled step {step} of {group}, which its schedule does not hold")]
    UnexpectedStep {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The sender's step.
        step: u16,
    },
    /// A signal from a rank outside the group.
    #[error("rank {from} signalled a barrier of {group}, to which it does not belong")]
    NotAMember {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
    },
    /// A signal for an epoch that cannot have been entered yet, or for epoch 0.
    #[error(
        "rank {from} signalled epoch {epoch} of {group}, which lies beyond the {limit} that it \
         can have entered"
    )]
    ImpossibleEpoch {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The epoch signalled.
        epoch: Epoch,
        /// The highest that is possible.
        limit: Epoch,
    },
    /// The two ranks called the barriers that they share in different orders.
    #[error(
        "rank {from} called barrier {epoch} of {group} as number {theirs} of the barriers that it \
         shares with this rank; here it was number {ours}: the ranks called them in different \
         orders"
    )]
    OrderMismatch {
        /// The other rank.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The epoch.
        epoch: Epoch,
        /// The other rank's count.
        theirs: Clock,
        /// This rank's count.
        ours: Clock,
    },
    /// A cell, which only grows, says less than it did.
    #[error(
        "rank {from} has signalled epoch {epoch} of {group} after {before}, by a word that only grows"
    )]
    EpochFell {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The epoch that the cell says now; 0 where it says nothing any more.
        epoch: Epoch,
        /// The epoch that it had said.
        before: Epoch,
    },
    /// A cell of one group holds a word of another.
    #[error(
        "rank {from} has written {word:#018x} into its cell of {group}, which is of another group"
    )]
    ForeignWord {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The word.
        word: u64,
    },
    /// Signals for more unknown groups than may be kept.
    #[error(
        "rank {from} signalled {group}, which is unknown here, and {limit} such are kept already"
    )]
    TooManyEarlySignals {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The number that may be kept.
        limit: usize,
    },
    /// A message whose stamp is lower than that of an earlier one of the same sender.
    #[error("rank {from} stamped a message {stamp} after one that it stamped {before}")]
    StampFell {
        /// The sender.
        from: Rank,
        /// The stamp.
        stamp: Clock,
        /// The stamp before it.
        before: Clock,
    },
}

impl ProtocolError {
    /// The rank that it speaks of.
    pub fn from(&self) -> Rank {
        match *self {
            ProtocolError::UnexpectedStep { from, .. }
            | ProtocolError::NotAMember { from, .. }
            | ProtocolError::ImpossibleEpoch { from, .. }
            | ProtocolError::OrderMismatch { from, .. }
            | ProtocolError::EpochFell { from, .. }
            | ProtocolError::ForeignWord { from, .. }
            | ProtocolError::TooManyEarlySignals { from, .. }
            | ProtocolError::StampFell { from, .. } => from,
        }
    }
}

/// A barrier that cannot be initiated now. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// As many barriers of the group are open as may be.
    #[error("{limit} barriers of {group} are open, and no more may be")]
    OpenLimit {
        /// The group.
        group: GroupId,
        /// The limit.
        limit: usize,
    },
    /// There is no such group here, or it was dropped.
    #[error("{0} does not exist here")]
    NoSuchGroup(GroupId),
    /// The epochs of the group are used up.
    #[error("the epochs of {0} are used up")]
    EpochsExhausted(GroupId),
}

/// A group that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidGroup {
    /// A rank stands twice in the list.
    #[error("rank {0} stands twice in the list of members")]
    Twice(Rank),
    /// The caller is not in the list.
    #[error("this rank ({0}) is not in the list of members")]
    WithoutCaller(Rank),
    /// A rank that the job does not have.
    #[error("rank {rank} does not exist: the job has {size} ranks")]
    NoSuchRank {
        /// The rank.
        rank: Rank,
        /// The size of the job.
        size: usize,
    },
    /// The id is in use, or was.
    #[error("{0} exists already, or has existed")]
    InUse(GroupId),
    /// A place of the board that the group was to have, and that is not free here.
    #[error("place {0} of the board is not free at this rank")]
    PlaceInUse(usize),
    /// Every id has been used.
    #[error("no more groups can be made in this world: their ids are used up")]
    NoIdsLeft,
}
