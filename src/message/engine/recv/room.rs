//! Room for messages that receives were posted for: a message that has met its receive leaves its
//! descriptor where others of its sender could need that.
//!
//! The program may take such messages in any order, and as late as it likes, and has said that it wants
//! the next ones too: these must not wait for it. While there is plenty of room a message stays where
//! it lies until the program takes it, and is copied once less. What is copied is bounded by what the
//! program has posted.
//!
//! Keeps rules FLOW-1 and FLOW-5 of SEMANTICS.md.

use crate::message::engine::Engine;
use crate::message::header::Header;
use crate::message::inbound::Body;
use crate::message::matching::RecvId;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// A posted receive has matched a message. Where that lies in a descriptor, it is copied out of it
    /// if it is of a collective, or if its sender has little room left.
    pub(super) fn settle_room(&mut self, id: RecvId) {
        let Some(matched) = self.matching.matched(id) else { return };
        let Body::Frame(_) = &matched.message.body else { return };
        let peer = &mut self.peers[matched.source];
        if matched.message.context.is_of_collectives() || peer.eager_returns.is_crowded() {
            self.copy_out(id);
        } else {
            peer.fills_matched = true;
            peer.forget_received_header();
        }
    }

    /// Copies all messages of `from` that posted receives have matched out of their descriptors: no
    /// other of its messages shall wait for their room. While there is plenty, they stay until the
    /// program takes them, and are copied once less.
    pub(in crate::message) fn make_room(&mut self, from: Rank) {
        self.peers[from].fills_matched = false;
        let of_it = self.matching.all_matched().filter(|(_, matched)| matched.source == from);
        let of_it: Vec<RecvId> = of_it.map(|(id, _)| id).collect();
        of_it.into_iter().for_each(|id| self.copy_out(id));
    }

    /// Copies a matched message that lies in a descriptor out of it.
    pub(super) fn copy_out(&mut self, id: RecvId) {
        let Some(matched) = self.matching.matched_mut(id) else { return };
        let Body::Frame(frame) = &matched.message.body else { return };
        let copy = Body::Owned(self.nic.bytes(frame)[Header::BYTES..].to_vec());
        let from = matched.source;
        if let Body::Frame(frame) = std::mem::replace(&mut matched.message.body, copy) {
            self.release(from, frame);
        }
    }
}
