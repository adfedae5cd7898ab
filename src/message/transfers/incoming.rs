//! The large payloads of one peer that receives have matched, in the order in which they have: which
//! comes next, how, and which of those that the peer exposed were read.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.

use std::collections::VecDeque;

use super::exposures::{Exposure, RemoteReads};
use crate::verbs::RemoteBuffer;

/// A payload that is to come, or comes.
#[derive(Debug)]
pub(super) struct Incoming {
    /// Its transfer, by the sender's number.
    pub(super) transfer: u32,
    /// Its length in bytes.
    pub(super) len: usize,
    /// Where it is gathered.
    pub(super) slot: usize,
    /// The number under which it is exposed, if it is.
    pub(super) number: Option<u8>,
    pub(super) stage: RecvStage,
}

/// How far it has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecvStage {
    /// Its sender is to be cleared to send.
    ToClear,
    /// It is to be read from there.
    ToRead(RemoteBuffer),
    /// Its sender was cleared to send.
    Cleared,
    /// The network reads it.
    Read,
    /// The network could not read it: its sender has gone. It stays, so no other is tried.
    Unreadable,
}

impl Incoming {
    /// One that has not begun.
    pub(super) fn new(
        transfer: u32,
        len: usize,
        slot: usize,
        exposure: Option<Exposure>,
    ) -> Incoming {
        let stage =
            exposure.map_or(RecvStage::ToClear, |exposure| RecvStage::ToRead(exposure.buffer));
        Incoming { transfer, len, slot, number: exposure.map(|exposure| exposure.number), stage }
    }
}

/// What comes from one peer.
#[derive(Debug, Default)]
pub(super) struct FromPeer {
    /// Only the first has begun.
    pub(super) queue: VecDeque<Incoming>,
    pub(super) reads: RemoteReads,
}

impl FromPeer {
    /// The first was read in place. Returns its number, under which the sender keeps it until
    /// [it was released](RemoteReads::handle_read).
    pub(super) fn take_first(&mut self) -> Option<u8> {
        self.queue.pop_front().and_then(|read| read.number)
    }

    /// The first is done. Returns whether it was exposed: the peer is to be told that it was read.
    pub(super) fn finish_first(&mut self) -> bool {
        let number = self.queue.pop_front().and_then(|done| done.number);
        if let Some(number) = number {
            self.reads.handle_read(number);
        }
        number.is_some()
    }
}
