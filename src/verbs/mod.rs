//! The verbs: what the message layer asks of a network, in the words of the Virtual Interface
//! Architecture (VIA; pakin-2001 §2.2.2 and table 5.7). A provider implements [`Nic`]; it moves
//! bytes and knows no barriers, clocks, tags or credits. The trait is used by static dispatch only.
//!
//! A [`Nic`] holds one endpoint, a [`Vi`], for each peer and completion queue. The receiver posts
//! its receive descriptors ahead. A message that meets none is an error on a reliable VI, and lost
//! on an unreliable one. [`Nic::post_send`] copies the message, so a send needs no completion. A
//! receive completes on the completion queue of its VI and is read in place.
//!
//! # What a provider promises
//!
//! - **Order**: on one reliable VI, messages complete in the order in which they were posted. There
//!   is no order between VIs.
//! - **Causality**, where [`NicAttributes::causal`] says so: a message whose `post_send` returned
//!   is found by every poll that happens after, also when the poller learnt of it over a third
//!   rank. `wait` on a barrier then implies that a poll sees all messages from before the barrier.
//! - **No invention**: bytes arrive as sent. The layer above still trusts none of them.
//! - **Wake-ups**: [`Nic::wait`] returns soon after anything arrives for this rank (a message, or a
//!   word that was put [with an immediate](PutMode::Immediate)), after a send queue that was full
//!   has room again, and after any peer has gone; also when that happened just before the call.
//!   Words, remote reads, room and departures end one `wait`, not every later one: after a `wait`
//!   the caller looks at all that it waits for.
//!
//! # Capabilities
//!
//! What only some networks have is a trait of its own. The layer above asks the network for it, and
//! all ranks get the same answer. A network that lacks one says [`Absent`].
//!
//! | trait | what it offers |
//! |---|---|
//! | [`SharedWords`] | words that the ranks of a host load and store in place |
//! | [`RemoteWords`] | words that peers write into this rank's memory by RDMA |
//! | [`RemoteRead`] | payloads that a receiver reads where they lie |
//! | [`Multicast`] | two words to all other ranks by one request |

mod error;
mod multicast;
mod nic;
mod remote_read;
mod remote_words;
mod room;
mod shared_words;

pub use error::{PostError, VerbsError};
pub use multicast::{Multicast, NoMulticast};
pub use nic::Nic;
pub use remote_read::{LentEnd, Offer, ReadCompletion, RemoteBuffer, RemoteRead, Revoke};
pub use remote_words::{Fetched, PutMode, RegionKey, RemoteWords};
pub use room::{ROOM_WORDS, Room};
pub use shared_words::{SharedWords, Written};

use crate::order::Rank;

/// The number of a completion queue of a [`Nic`]. Each VI belongs to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cq(pub u8);

/// One end of a connection to `peer`: the VI whose receives complete on `cq`, at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vi {
    /// The rank at the other end.
    pub peer: Rank,
    /// The completion queue of its receives.
    pub cq: Cq,
}

/// VIA's levels of reliability, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reliability {
    /// Messages may be lost, delayed and duplicated; never damaged.
    Unreliable,
    /// Arrives exactly once and in order, or the connection is broken.
    ReliableDelivery,
    /// As reliable delivery; besides, `post_send` returns only when it lies in the peer's memory.
    ReliableReception,
}

/// The parameters with which a VI is opened. Both ends must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViSpec {
    /// The number of receive descriptors, posted at opening and reposted one by one.
    pub recv_descriptors: u32,
    /// The longest message that a descriptor can take, header included, in bytes.
    pub descriptor_bytes: usize,
    /// The weakest level of reliability that will do.
    pub reliability: Reliability,
}

/// Which rank an interface belongs to, and its limits, as `VipQueryNic` states them (pakin-2001
/// table 5.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NicAttributes {
    /// The provider's name.
    pub provider: &'static str,
    /// The rank whose interface this is.
    pub rank: Rank,
    /// The number of ranks that it connects, this one included.
    pub size: usize,
    /// The most ranks a job may have on it.
    pub max_ranks: usize,
    /// The longest message, header included, in bytes.
    pub max_message_bytes: usize,
    /// The most receive descriptors pending on one VI.
    pub max_descriptors_per_vi: u32,
    /// The number of completion queues; [`Cq`] numbers are below it.
    pub completion_queues: u8,
    /// The most memory that one rank may register for [`RemoteWords`], in bytes.
    pub max_registered_bytes: usize,
    /// The most regions that one rank may register.
    pub max_regions: usize,
    /// Messages up to this length travel without a buffer of their own, in bytes.
    pub inline_bytes: usize,
    /// Whether arrival respects causality across VIs (see the module's promises).
    pub causal: bool,
}

/// The stand-in for a capability that a network lacks. It has no value, so every call on one
/// compiles to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {}

/// A receive that has completed. The frame occupies its descriptor until it is reposted.
#[derive(Debug)]
pub struct Completion<F> {
    /// The sender.
    pub peer: Rank,
    /// The filled descriptor; [`Nic::bytes`] reads it.
    pub frame: F,
}

/// Which messages end a sleep; words with an immediate, room, departures and [`Nic::wake`] always
/// do. A provider may take it as [`WakeOn::ANYTHING`]: to wake too often is no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeOn {
    /// The completion queues on which a message of any peer does: the lowest bit is for
    /// [`Cq`]`(0)`.
    pub queues: u16,
    /// The peer whose messages do on every queue.
    pub peer: Option<Rank>,
    /// Whether this rank may be woken together with all others that say so, by a peer that
    /// [wakes several](Nic::wake_many) of them.
    pub together: bool,
}

impl WakeOn {
    /// Every message.
    pub const ANYTHING: WakeOn = WakeOn { queues: u16::MAX, peer: None, together: false };

    /// Whether a message of `peer` on `cq` ends the sleep.
    pub fn includes(self, peer: Rank, cq: Cq) -> bool {
        self.queues.checked_shr(cq.0.into()).is_some_and(|queues| queues & 1 == 1)
            || self.peer == Some(peer)
    }
}

/// A payload that network `N` has read at a peer.
pub type ReadPayload<N> = <<N as Nic>::RemoteRead as RemoteRead>::Payload;

/// A payload that is offered by network `N`.
pub type OfferOf<N> = <<N as Nic>::RemoteRead as RemoteRead>::Offer;

/// Memory behind a payload on network `N`.
pub type RoomOf<N> = <<N as Nic>::RemoteRead as RemoteRead>::Room;

/// Whether a peer is there, as far as the network can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerState {
    /// Nothing is known against it.
    Connected,
    /// Its network interface is closed: it has ended, orderly or not. All it sent can be polled.
    Gone,
}
