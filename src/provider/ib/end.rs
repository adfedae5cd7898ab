//! One end of a connection: the queue pair of one completion queue to one peer.

use std::fmt;

use super::address::RemoteAddress;
use super::descriptors::Descriptors;
use crate::order::Rank;
use crate::sys::ibverbs::{Pair, Slot};
use crate::verbs::ViSpec;

/// A filled receive descriptor. It keeps the memory in which the message lies.
pub struct Frame {
    /// Below the number of ranks.
    peer: u32,
    /// At most what a slot holds.
    len: u32,
    slot: Slot,
}

impl Frame {
    pub(super) fn new(peer: Rank, len: usize, slot: Slot) -> Frame {
        Frame { peer: peer as u32, len: len as u32, slot }
    }

    pub(super) fn peer(&self) -> Rank {
        self.peer as Rank
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.slot.bytes(self.len as usize)
    }

    pub(super) fn into_slot(self) -> Slot {
        self.slot
    }
}

impl AsRef<[u8]> for Frame {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

// Not derived: a slot says where the message lies, and not what it is.
impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes from rank {}", self.len, self.peer)
    }
}

/// One end.
pub(super) struct End {
    pub(super) pair: Pair,
    /// What it was opened with; nothing yet.
    pub(super) spec: Option<ViSpec>,
    /// The receives of the peer.
    pub(super) descriptors: Descriptors,
    /// Where the peer shows how many receives it has posted again, and under which key.
    pub(super) counted: RemoteAddress,
    /// A question for that number that is under way.
    pub(super) asked: Option<u32>,
    /// Receives that were posted again here.
    pub(super) reposted: u64,
    /// The number of the peer's queue pair.
    pub(super) remote: u32,
}

impl End {
    pub(super) fn new(pair: Pair, counted: RemoteAddress, remote: u32) -> End {
        let descriptors = Descriptors::default();
        End { pair, spec: None, descriptors, counted, asked: None, reposted: 0, remote }
    }
}
