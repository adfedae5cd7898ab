//! What can go wrong in the message layer.

use super::Context;
use crate::order::{Epoch, GroupId, InvalidGroup, ProtocolError, Rank, Refused};
use crate::verbs::{PostError, VerbsError};

/// A frame that no correct peer sends, seen from its bytes alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Too short to hold what every frame holds.
    #[error("a frame of {len} bytes is too short: {needed} are needed")]
    Short {
        /// Its length.
        len: usize,
        /// The least length.
        needed: usize,
    },
    /// Of no known kind.
    #[error("a frame of unknown kind {0}")]
    Kind(u8),
    /// Its sender says that it is in something unknown.
    #[error("an answer of unknown code {0}")]
    Activity(u8),
    /// Longer or shorter than it must be.
    #[error("a frame that must hold {stated} bytes holds {found}")]
    Length {
        /// What it must hold.
        stated: usize,
        /// What it holds.
        found: usize,
    },
}

/// What a peer has done that no correct peer does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// It sent a frame that cannot be read.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// It broke the order of barriers or stamps.
    #[error(transparent)]
    Order(#[from] ProtocolError),
    /// It sent to a communicator to which it does not belong, or in a lane that there is not.
    #[error("a message in {0:?}, in which it has no part")]
    UnknownContext(Context),
    /// It returned credit for more messages than were sent.
    #[error("credit for more {0} than were sent")]
    FalseCredit(&'static str),
    /// It spoke of a rendezvous that does not exist.
    #[error("rendezvous {0} does not exist")]
    UnknownTransfer(u32),
    /// It exposed a payload where that was not agreed for payloads of this length.
    #[error("rendezvous {transfer}, of {len} bytes, was exposed, which was not agreed")]
    ExposedUnasked {
        /// The rendezvous.
        transfer: u32,
        /// Its length.
        len: usize,
    },
    /// It exposed a payload under a number that does not exist, or that stands for another.
    #[error("exposure {0} does not exist, or was not revoked yet")]
    FalseExposure(u32),
    /// It said that it has read a payload which was not exposed.
    #[error("it acknowledged a remote read that was never offered")]
    NotExposed,
    /// It sent more payload than it had announced.
    #[error("rendezvous {transfer} was announced with fewer bytes than have come")]
    TooMuchPayload {
        /// The rendezvous.
        transfer: u32,
    },
    /// It announced a message above the limit.
    #[error("a message of {len} bytes is above the limit of {limit}")]
    TooLarge {
        /// Its length.
        len: usize,
        /// The limit.
        limit: usize,
    },
    /// It deposited a message longer than there is room for.
    #[error("a deposit of {len} bytes, for which there is no room")]
    FalseDeposit {
        /// Its length.
        len: usize,
    },
    /// It went on after it had ended.
    #[error("a message after its end")]
    AfterEnd,
    /// It said that a rank was lost to it which is itself, or none of the job.
    #[error("it says that rank {0} was lost to it, which cannot be")]
    UnknownCause(Rank),
    /// It said that it ends twice, or without saying first that its program has returned.
    #[error("its end came twice, or unannounced")]
    EndOutOfOrder,
}

/// A call of the message layer failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// A peer broke the protocol; the world cannot go on.
    #[error("rank {from} broke the protocol: {violation}")]
    Protocol {
        /// The peer.
        from: Rank,
        /// What it did.
        #[source]
        violation: Violation,
    },
    /// The network failed.
    #[error(transparent)]
    Verbs(#[from] VerbsError),
    /// A message could not be posted.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The peer's program has returned, so that what this call waits for cannot come.
    #[error(
        "rank {rank} has ended{}, and this call needs it", if *.failed { " with an error" } else { "" }
    )]
    PeerEnded {
        /// The peer.
        rank: Rank,
        /// Whether its program returned an error.
        failed: bool,
    },
    /// A member has ended without entering a barrier that this rank waits for, or has gone before
    /// it had passed on what others need for it.
    #[error("barrier {epoch} of {group} cannot complete: rank {rank} finished without entering it")]
    EndedBeforeBarrier {
        /// The member.
        rank: Rank,
        /// The group.
        group: GroupId,
        /// The barrier.
        epoch: Epoch,
    },
    /// The peer has died.
    #[error("rank {rank} is lost: it went without ending its world")]
    PeerLost {
        /// The peer.
        rank: Rank,
    },
    /// A receive from this rank itself, or in a world of one, that nothing can satisfy.
    #[error("the receive can never be satisfied: this rank has sent itself no such message")]
    NothingCanArrive,
    /// The barrier was refused.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The group cannot be made.
    #[error(transparent)]
    Group(#[from] InvalidGroup),
    /// A message above the limit; nothing was sent.
    #[error("a message of {len} bytes is above the limit of {limit}")]
    TooLarge {
        /// Its length.
        len: usize,
        /// The limit.
        limit: usize,
    },
    /// There is no memory for a message that has been announced; it can still be received.
    #[error("no memory for a message of {len} bytes from rank {from}")]
    OutOfMemory {
        /// The sender.
        from: Rank,
        /// Its length.
        len: usize,
    },
    /// The barrier was not complete in time.
    #[error(
        "barrier {epoch} of {group} is not complete{}{}",
        listed("not entered by", .not_entered),
        listed("no answer from", .no_answer)
    )]
    BarrierTimeout {
        /// The group of the oldest barrier that is open.
        group: GroupId,
        /// Its epoch.
        epoch: Epoch,
        /// The members that say that they have not entered it.
        not_entered: Vec<Rank>,
        /// The members that have not said anything in time; they may be computing.
        no_answer: Vec<Rank>,
    },
}

impl From<ProtocolError> for MessageError {
    fn from(fault: ProtocolError) -> MessageError {
        MessageError::protocol(fault.from(), fault)
    }
}

/// One of the lists of a report, unless it is empty.
pub(super) fn listed(what: &str, ranks: &[Rank]) -> String {
    if ranks.is_empty() { String::new() } else { format!("; {what} {ranks:?}") }
}

impl MessageError {
    pub(crate) fn protocol(from: Rank, violation: impl Into<Violation>) -> MessageError {
        MessageError::Protocol { from, violation: violation.into() }
    }
}
