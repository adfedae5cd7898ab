//! The way outwards: signals first, then control frames, then messages that waited, then payload.
//!
//! Whatever cannot leave now stays listed, and is tried again with the next progress, also after an error.
//!
//! Keeps rule FLOW-2 of SEMANTICS.md.

use super::Engine;
use super::confirm::post_confirmed;
use super::reads::post_reads;
use crate::message::config::CONTROL;
use crate::message::error::MessageError;
use crate::message::header::Kind;
use crate::message::links::DueFrame;
use crate::message::obstacles::Obstacles;
use crate::order::Rank;
use crate::verbs::{Nic, Vi};

impl<N: Nic> Engine<N> {
    /// Sends all that is due and may leave.
    #[inline]
    pub(super) fn flush(&mut self) -> Result<(), MessageError> {
        if self.has_nothing_due() { Ok(()) } else { self.flush_due() }
    }

    /// Whether a flush would do nothing, as after most messages that come in.
    #[inline(always)]
    pub(super) fn has_nothing_due(&self) -> bool {
        !self.obstacles.has_any(Obstacles::DUE) && self.barriers.owes_nothing()
    }

    fn flush_due(&mut self) -> Result<(), MessageError> {
        self.barriers.poll_signals(&mut self.nic, &mut self.links)?;
        // What has completed by that may have released what was deferred or held.
        while self.barriers.poll_published(&self.nic)? {
            self.handle_completions();
            self.settle_matches()?;
            self.barriers.poll_signals(&mut self.nic, &mut self.links)?;
        }
        if self.links.has_due() {
            self.flush_control()?;
        }
        // What the network refuses of one keeps nobody else's.
        let mut result = Ok(());
        if !self.links.sending().is_empty() {
            result = self.flush_outboxes();
        }
        if !self.transfers.streaming().is_empty() {
            result = result.and(self.flush_streams());
        }
        result
    }

    /// Sends the control frames that are due, and says which payloads were read.
    pub(super) fn flush_control(&mut self) -> Result<(), MessageError> {
        let (nic, gathering) = (&mut self.nic, &self.gathering);
        let posted = self.links.poll_due(&mut self.obstacles, |to, due| match due {
            DueFrame::Control(frame) => nic.post_send(Vi { peer: to, cq: CONTROL }, &frame, &[]),
            DueFrame::Reads => post_reads(nic, to, gathering.reads_word(to)),
            DueFrame::Confirmed(confirmed) => post_confirmed(nic, to, confirmed),
        });
        Ok(posted?)
    }

    /// Sends what waits in the outboxes and may leave now. All peers have their turn; the first error is returned.
    fn flush_outboxes(&mut self) -> Result<(), MessageError> {
        let sending = self.links.sending().len();
        let mut result = Ok(());
        for at in 0..sending {
            let to = self.links.sending()[at];
            result = result.and(self.flush_outbox(to));
        }
        self.links.settle_sending(&mut self.obstacles);
        result
    }

    fn flush_outbox(&mut self, to: Rank) -> Result<(), MessageError> {
        while let Some(first) =
            self.links.poll_message(to, |posted| self.barriers.order().may_leave(to, posted))
        {
            let posted = match first.header.kind {
                _ if first.is_cancelled => Ok(true),
                Kind::Request => self.post_request(to, first.header, None),
                _ => self.post_data(to, first.header, first.payload.bytes()),
            };
            if posted != Ok(true) {
                self.links.put_back(to, first);
                return posted.map(drop);
            }
            self.links.handle_left(to);
        }
        Ok(())
    }
}
