//! What nobody will ever receive: messages of a communicator that was dropped, or for a request that
//! was. Their senders must get their credit back, and one that waits for room for a large payload
//! must get rid of it.
//!
//! Keeps rule GRP-3 of SEMANTICS.md.

use super::Engine;
use crate::message::inbound::{Body, Inbound};
use crate::message::matching::RecvId;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// Gives up a posted receive and its message, which has come or will come: unlike
    /// [`cancel_recv`](Engine::cancel_recv), nobody else shall receive that.
    pub fn discard_recv(&mut self, id: RecvId) {
        if let Some(matched) = self.matching.abandon(&mut self.obstacles, id) {
            self.discard(matched.source, matched.message);
        }
    }

    /// Discards what was found to be for nobody.
    pub(super) fn discard_unwanted(&mut self) {
        while let Some((from, message)) = self.matching.next_unwanted() {
            self.discard(from, message);
        }
    }

    fn discard(&mut self, from: Rank, message: Inbound<N::Frame>) {
        match message.body {
            Body::Owned(_) => {}
            Body::Frame(frame) => self.release(from, frame),
            Body::Request { frame, transfer, exposure } => {
                match exposure {
                    // Nobody reads it.
                    Some(number) => {
                        self.gathering.skip_exposed(from, number);
                        self.tell_reads(from);
                    }
                    None => self.start_unwanted_transfer(from, transfer, message.len),
                }
                self.release(from, frame);
            }
            Body::Gathering { slot } => self.discard_gathered(slot),
        }
    }
}
