//! Errors of the order core: calls that it refuses, and protocol errors of peers.

use super::{Clock, Epoch, GroupId, Rank};

/// A peer has sent something that no correct peer sends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A signal for a step that this rank does not expect from that sender.
    #[error("rank {from} signalled step {step} of {group}, which its schedule does not contain")]
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
        "rank {from} signalled epoch {epoch} of {group}: expected 1 to {limit}, which it can have \
         entered"
    )]
    ImpossibleEpoch {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The epoch signalled.
        epoch: Epoch,
        /// The highest possible epoch.
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
    /// A cell, which only grows, has a lower epoch than before.
    #[error("rank {from}'s epoch of {group} went backwards: {before} -> {epoch}")]
    EpochFell {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The epoch in the cell now; 0 if it has none any more.
        epoch: Epoch,
        /// The epoch that the cell had before.
        before: Epoch,
    },
    /// A cell of one group contains a word of another.
    #[error("rank {from} wrote {word:#018x} into its cell of {group}: a word of another group")]
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
        "rank {from} signalled {group}, which is unknown here, after {limit} other early signals, \
         which is the limit"
    )]
    TooManyEarlySignals {
        /// The sender.
        from: Rank,
        /// The group.
        group: GroupId,
        /// The limit.
        limit: usize,
    },
    /// A message whose stamp is lower than that of an earlier one of the same sender.
    #[error("rank {from}'s stamps went backwards: {before} -> {stamp}")]
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
    /// The rank that is at fault, or that disagrees with this one.
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
    /// The limit of open barriers of the group is reached.
    #[error("{limit} barriers of {group} are open, which is the limit")]
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

/// A group that cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidGroup {
    /// A rank is listed twice.
    #[error("rank {0} is listed twice as a member")]
    Twice(Rank),
    /// The caller is not in the list.
    #[error("this rank ({0}) is not in the list of members")]
    WithoutCaller(Rank),
    /// A listed rank is not in the job.
    #[error("rank {rank} does not exist: the job has {size} ranks")]
    NoSuchRank {
        /// The rank.
        rank: Rank,
        /// The size of the job.
        size: usize,
    },
    /// The id is in use, or was used before.
    #[error("{0} exists already, or has existed")]
    InUse(GroupId),
    /// A place of the board that the group was to have, and that is not free here.
    #[error("place {0} of the board is not free at this rank")]
    PlaceInUse(usize),
    /// Every id has been used.
    #[error("no more groups can be made in this world: their ids are used up")]
    NoIdsLeft,
}
