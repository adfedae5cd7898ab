//! What nobody will ever receive: messages of a communicator that was dropped, or for a request that
//! was. Their senders must get their credit back, and one that waits for room for a large payload
//! must get rid of it. One that waits for a confirmation gets that, too.
//!
//! Keeps rule GRP-3 of SEMANTICS.md.

use super::{Engine, Envelope};
use crate::message::inbound::{Body, Inbound};
use crate::message::matching::RecvId;
use crate::order::Rank;
use crate::order::clocks::Seq;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// Gives up a posted receive and its message, which has come or will come: unlike
    /// [`cancel_recv`](Engine::cancel_recv), nobody else shall receive that.
    pub fn discard_recv(&mut self, id: RecvId) {
        let after = self.matching.after_of(id);
        if let Some(matched) = self.matching.abandon(&mut self.obstacles, id) {
            self.discard(matched.source, matched.message, after);
        }
    }

    /// Discards what was found to be for nobody.
    pub(super) fn discard_unwanted(&mut self) {
        while let Some((from, message, after)) = self.matching.next_unwanted() {
            self.discard(from, message, after);
        }
    }

    /// Discards a message that a receive posted after the barriers up to `after` has met, or none.
    fn discard(&mut self, from: Rank, message: Inbound<N::Frame>, after: Option<Seq>) {
        if message.element == Envelope::CONFIRMED {
            let after = after.unwrap_or_else(|| self.initiated());
            self.confirm(from, (message.context, message.tag), after);
        }
        match message.body {
            Body::Owned(_) => {}
            Body::Frame(frame) => self.release(from, frame),
            Body::Request { frame, transfer, exposure } => {
                self.discard_asked(from, (transfer, message.len), exposure);
                self.release(from, frame);
            }
            Body::Asked(asked) => {
                let number = asked.exposure.map(|exposure| exposure.number);
                self.discard_asked(from, (asked.transfer, message.len), number);
            }
            Body::Gathering { slot } => self.discard_gathered(slot),
        }
    }

    fn discard_asked(&mut self, from: Rank, (transfer, len): (u32, usize), exposure: Option<u8>) {
        match exposure {
            // Nobody reads it.
            Some(number) => {
                self.gathering.skip_exposed(from, number);
                self.tell_reads(from);
            }
            None => self.start_unwanted_transfer(from, transfer, len),
        }
    }
}
