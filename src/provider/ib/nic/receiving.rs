//! What a completed receive is: a message of the peer, a part of one that an unreliable transport
//! has lost, or what no peer may send.

use super::IbNic;
use crate::order::Rank;
use crate::provider::ib::control;
use crate::provider::ib::end::{End, Frame};
use crate::sys::ibverbs::{Completion, Status};
use crate::verbs::VerbsError;

/// Whether a receive on an unreliable queue pair counts for nothing: a part of it was lost, another
/// than the peer has sent it, or nobody is there to take it yet.
fn is_lost(end: &End, completion: &Completion) -> bool {
    let is_foreign = end.pair.takes_datagrams() && completion.sender() != end.remote;
    match completion.status() {
        Status::Done => end.spec.is_none() || is_foreign,
        // The queue pair has failed.
        Status::Flushed => false,
        Status::Failed(_) => true,
    }
}

impl IbNic {
    /// The frame of a receive that has completed, if it is one.
    #[inline]
    pub(super) fn frame(&mut self, completion: &Completion) -> Option<(Rank, Frame)> {
        let index = completion.owner();
        let end = self.ends.get_mut(index)?.as_mut()?;
        let peer = index % self.layout.size;
        if !self.is_reliable && is_lost(end, completion) {
            // As if it had never come.
            if let Some((slot, _)) = end.pair.given_back(completion) {
                let _ = end.pair.post_receive(slot);
            }
            return None;
        }
        let Some((slot, len)) = end.pair.received(completion) else {
            control::fail(&mut end.pair, completion.status(), peer, &self.losses);
            // By what, stands there.
            self.reap();
            return None;
        };
        if end.spec.is_none_or(|spec| len > spec.descriptor_bytes) {
            end.pair.give_up();
            self.losses.note(peer, "ibv_poll_cq", "it has sent what is too long");
            let what = "length of a message";
            self.faults.push(VerbsError::Corrupted { peer, what });
            return None;
        }
        Some((peer, Frame::new(peer, len, slot)))
    }
}
