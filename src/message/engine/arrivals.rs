//! The way inwards: takes what the network has received, checks it, and hands on what may be
//! delivered.
//!
//! The path of a message is `poll_network` → hold queue → `deliver` → match queue or posted
//! receive. Bytes are believed only after they were checked; what no correct peer sends is a
//! violation that names its sender.
//!
//! Keeps rules ORD-1, HOLD-1, BAR-9, FEN-1 and SAFE-1 of SEMANTICS.md.

use super::{Engine, Envelope};
use crate::message::config::{BULK, CONTROL, EAGER, SIGNAL};
use crate::message::control::{Control, decode_signal};
use crate::message::error::{MessageError, Violation};
use crate::message::header::{Header, Kind, unwrap_stamp};
use crate::message::inbound::{Body, Inbound};
use crate::message::links::{Answer, Closing};
use crate::order::{Clock, Rank};
use crate::sys::time::Instant;
use crate::verbs::{Completion, Nic, Vi};

impl<N: Nic> Engine<N> {
    /// Takes in all that has arrived; returns whether anything had.
    pub(super) fn poll_network(&mut self) -> Result<bool, MessageError> {
        // Signals come first, and data after them: when a barrier completes, what its members sent
        // before it has then been looked for later than their signals (rule FEN-1).
        let mut news = self.poll_urgent()?;
        news |= self.poll_bulk()?;
        news |= self.poll_reads()?;
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(EAGER)? {
            news = true;
            self.handle_message(peer, frame)?;
        }
        self.settle_matches()?;
        Ok(news)
    }

    /// Takes in segments, and words about payloads that were read; returns whether there were any.
    #[inline(always)]
    pub(super) fn poll_bulk(&mut self) -> Result<bool, MessageError> {
        let mut news = false;
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(BULK)? {
            news = true;
            self.handle_bulk(peer, frame)?;
        }
        Ok(news)
    }

    /// Takes in signals and control frames, and delivers what they release.
    pub(super) fn poll_urgent(&mut self) -> Result<bool, MessageError> {
        let mut news = self.barriers.poll_board(&self.nic)?;
        let is_waiting = self.waiting.waits_for().is_some();
        news |= self.barriers.poll_cells(&mut self.nic, is_waiting, Instant::now)?;
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(SIGNAL)? {
            news = true;
            let decoded = decode_signal(self.nic.bytes(&frame));
            self.nic.post_recv(Vi { peer, cq: SIGNAL }, frame);
            let signal = decoded.map_err(|malformed| MessageError::protocol(peer, malformed))?;
            self.links.handle_received_and_consumed(&mut self.obstacles, peer, SIGNAL);
            self.barriers.handle_signal(peer, signal)?;
        }
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(CONTROL)? {
            news = true;
            let decoded = Control::decode(self.nic.bytes(&frame));
            self.nic.post_recv(Vi { peer, cq: CONTROL }, frame);
            let (control, returned) =
                decoded.map_err(|malformed| MessageError::protocol(peer, malformed))?;
            self.links
                .handle_returned(peer, returned)
                .map_err(|violation| MessageError::protocol(peer, violation))?;
            self.handle_control(peer, control)?;
        }
        self.handle_completions();
        Ok(news)
    }

    fn handle_message(&mut self, from: Rank, frame: N::Frame) -> Result<(), MessageError> {
        let admitted = self.admit(from, &frame)?;
        self.take_in(from, frame, admitted);
        Ok(())
    }

    /// Checks a message that has come, and counts it. (What the fast path takes it has checked alike: see
    /// `recv_directly`.)
    fn admit(&mut self, from: Rank, frame: &N::Frame) -> Result<Admitted, MessageError> {
        let violation = |violation| Err(MessageError::protocol(from, violation));
        let header = match Header::decode(self.nic.bytes(frame)) {
            Ok((header, _)) => header,
            Err(malformed) => return violation(malformed.into()),
        };
        if let Kind::Segment | Kind::Reads | Kind::Confirmed = header.kind {
            return violation(Violation::UnknownTransfer(header.transfer));
        }
        let outsider = self.order().is_member(header.context.group(), from) == Some(false);
        if outsider || header.context.lane().is_none() {
            return violation(Violation::UnknownContext(header.context));
        }
        let (len, limit) = (header.len as usize, self.config.message_bytes);
        if len > limit {
            return violation(Violation::TooLarge { len, limit });
        }
        let exposure = match header.kind {
            Kind::Exposed => match self.admit_exposure(from, frame) {
                Ok(number) => Some(number),
                Err(wrong) => return violation(wrong),
            },
            _ => None,
        };
        if let Err(wrong) = self.links.handle_received(&mut self.obstacles, from, EAGER) {
            return violation(wrong);
        }
        if self.links.poll_room(from) {
            self.make_room(from);
        }
        self.stats.messages_received += 1;
        let recv_clock = self.order().recv_clock(from);
        let stamp = unwrap_stamp(header.stamp, recv_clock);
        let judged = self.matching.handle_stamp(from, stamp, recv_clock);
        let deliverable = judged.map_err(|fault| MessageError::protocol(from, fault))?;
        Ok(Admitted { header, stamp, exposure, deliverable })
    }

    /// Puts a message where it waits: for its barrier, or for a receive.
    #[inline]
    fn take_in(&mut self, from: Rank, frame: N::Frame, admitted: Admitted) {
        let Admitted { header, stamp, exposure, deliverable } = admitted;
        // Made where it goes: it is larger than all that is done with it.
        let body = match header.kind {
            Kind::Request | Kind::Exposed => {
                Body::Request { frame, transfer: header.transfer, exposure }
            }
            _ => Body::Frame(frame),
        };
        let Header { element, context, tag, len, .. } = header;
        let element = if self.keeps_unexpected { element } else { Envelope::stated(element) };
        let message = Inbound { context, tag, element, len: len as usize, body };
        self.keep(from, stamp, message, deliverable);
        self.make_room_of_unexpected(from);
    }

    fn keep(&mut self, from: Rank, stamp: Clock, message: Inbound<N::Frame>, deliverable: bool) {
        if deliverable {
            self.matching.deliver(&mut self.obstacles, from, message);
        } else {
            self.stats.messages_held += 1;
            self.matching.hold(from, stamp, message);
        }
    }

    /// A message of this rank to itself.
    pub(super) fn arrive_from_self(
        &mut self,
        message: Inbound<N::Frame>,
    ) -> Result<(), MessageError> {
        let (own, order) = (self.rank(), self.order());
        let (stamp, recv_clock) = (order.send_clock(own), order.recv_clock(own));
        let judged = self.matching.handle_stamp(own, stamp, recv_clock);
        let deliverable = judged.map_err(|fault| MessageError::protocol(own, fault))?;
        self.keep(own, stamp, message, deliverable);
        Ok(())
    }

    /// Where barriers have completed since last time, looks at what was held.
    pub(super) fn handle_completions(&mut self) {
        if self.barriers.poll_completed() {
            let (order, held) = (self.barriers.order(), self.matching.holds_any());
            self.matching.release_held(&mut self.obstacles, |from| order.recv_clock(from));
            if held {
                self.make_room_of_all_unexpected();
            }
            self.confirm_completed();
        }
    }

    fn handle_control(&mut self, from: Rank, control: Control) -> Result<(), MessageError> {
        let broken = |violation| MessageError::protocol(from, violation);
        match control {
            Control::Credit => {}
            Control::ClearToSend { transfer } => return self.handle_clear_to_send(from, transfer),
            Control::Query { group, epoch, clock } => {
                let entered = self.barriers.answer(from, (group, epoch, clock));
                let activity = self.activity();
                let answer = Control::Answer { group, entered, activity };
                self.links.tell(&mut self.obstacles, from, answer);
            }
            Control::Answer { group, entered, activity } => {
                let answer = Answer { group, entered, activity };
                self.links.handle_answer(&mut self.obstacles, from, answer);
            }
            Control::Closing { clock, failed, cause, reads } => {
                let closing = Closing { clock, failed, cause };
                self.links.handle_closing(&mut self.obstacles, from, closing).map_err(broken)?;
                self.cut(from);
                self.handle_reads(from, reads)?;
                // It has let all that it read come to its end.
                self.revoke_all(from);
            }
            Control::Ended { eager, segments } => {
                self.links.handle_ended(from, eager, segments).map_err(broken)?;
            }
        }
        Ok(())
    }

    /// One more eager message of `from` has been consumed: its descriptor is free.
    #[inline(always)]
    pub(super) fn release(&mut self, from: Rank, frame: N::Frame) {
        self.nic.post_recv(Vi { peer: from, cq: EAGER }, frame);
        self.links.handle_consumed(&mut self.obstacles, from, EAGER);
    }
}

/// A message that was checked and counted.
struct Admitted {
    header: Header,
    stamp: Clock,
    /// The number under which its payload is exposed.
    exposure: Option<u8>,
    /// Whether it may be delivered now, or must be held.
    deliverable: bool,
}
