//! Header templates. A short message goes straight between the program and the network if its
//! header is that of the last one to or from the same peer. Tag and length may differ.
//!
//! Keeps rules CLK-1, HOLD-1, CON-1, FLOW-1, END-2 and SAFE-1 of SEMANTICS.md.
//!
//! This is the header prediction of TCP (jacobson-1990), with the state of the order core in place
//! of the connection's. Before the first such message the [fast path](super::fast_path) asks all
//! that can be in the way, and notes the answer at the peer. The next message to that peer leaves
//! with the same stamp. The next one from it is delivered if it has the same stamp.
//!
//! # Correctness
//!
//! Three things say whether what was noted still holds, and none of them is kept by hand for it:
//!
//! - the [version](crate::order::Order::version) of the order core: stamps, what is contained, what
//!   is owed, and whether the group signals;
//! - the [obstacles](crate::message::obstacles): what else may be due to others or expected from them;
//! - a mark at the peer, that no message of it has come another way since: such a message may be
//!   kept, or held, or have a later stamp.
//!
//! A debug build asks again each time. All builds still ask two things, since other ranks change
//! them: whether there is room, and whether the receiver has said anything (it may have ended; rule
//! END-2). Other ranks may wait for more of this one, so every 64 messages the general path asks
//! all (`waiting/turns.rs`).

use super::Engine;
use super::fast_path::{AskedBy, Attempt, Looks};
use super::send::Envelope;
use crate::message::config::CONTROL;
use crate::message::header::{Header, Template};
use crate::message::inbound::Info;
use crate::message::links::NEVER;
use crate::message::matching::{Context, Pattern, RecvId, Source, Tag};
use crate::message::obstacles::Obstacles;
use crate::order::{Clock, Rank};
use crate::verbs::{Nic, Vi};

impl<N: Nic> Engine<N> {
    /// The version to note with a message on the fast path. It is none where groups signal: other
    /// ranks may wait for what this one passes on, so each call asks.
    #[inline]
    pub(super) fn version_to_note(&self) -> u64 {
        if self.order().expects_signals() { NEVER } else { self.order().version() }
    }

    /// Sends a message at once, if its header is like that of the last one to this peer, and there
    /// is room. Returns whether it has left.
    #[inline(always)]
    pub(super) fn send_by_template(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> bool {
        let Some(stamp) = self.links.noted_stamp(to, self.order().version()) else { return false };
        let is_like_it = !self.obstacles.has_any(Obstacles::TO_SEND)
            && self.waiting.has_send_turn()
            && payload.len() <= self.short_bytes;
        // What comes on the control queue may be the word that the receiver has ended (rule END-2).
        if !is_like_it || !self.nic.has_nothing_from(Vi { peer: to, cq: CONTROL }) {
            return false;
        }
        self.check_sent_header(to, stamp);
        self.waiting.handle_send_turn();
        let header = self.eager_header(envelope, stamp, payload.len());
        // What keeps it from leaving is found once more, on the general path.
        self.post_frame(to, header, payload).is_ok()
    }

    /// The sender that a receive asks for, and the template that its next message is expected to fit.
    #[inline(always)]
    pub(super) fn template_from(
        &self,
        context: Context,
        pattern: Pattern,
    ) -> Option<(Rank, Template)> {
        let Source::Rank(from) = pattern.source else { return None };
        self.expected_by(AskedBy::Call, Obstacles::TO_WAIT, context, from)
    }

    /// As [`template_from`](Engine::template_from), for a posted receive that is the next of a sender.
    #[inline(always)]
    pub(super) fn template_for_posted(
        &self,
        id: RecvId,
        context: Context,
        from: Rank,
    ) -> Option<(Rank, Template)> {
        self.expected_by(AskedBy::Posted(id), Obstacles::TO_ENTER, context, from)
    }

    #[inline(always)]
    fn expected_by(
        &self,
        by: AskedBy,
        none_of: Obstacles,
        context: Context,
        from: Rank,
    ) -> Option<(Rank, Template)> {
        let template = self.links.noted_template(from, self.order().version(), context)?;
        let fits = !self.obstacles.has_any(none_of) && self.waiting.has_short_turn();
        if fits {
            self.check_received_header(context, from, by);
        }
        fits.then_some((from, template))
    }

    /// Receives the message that a call asks for, if its header fits the template. What was noted
    /// of the last message holds for this one too: it may be delivered, and is for this context.
    #[inline(always)]
    pub(super) fn recv_by_template<R, F: FnOnce(&Info, &[u8]) -> R>(
        &mut self,
        (tag, looks): (Tag, Looks),
        (from, template): (Rank, Template),
        takes: &impl Fn(&Info) -> bool,
        read: F,
    ) -> Attempt<R, F> {
        self.recv_next(
            (from, looks),
            |bytes| {
                let (its_tag, payload) = Header::decode_like(bytes, template)?;
                let (element, len) = (template.element(), payload.len());
                let asked_for = tag == Tag::Any || tag == Tag::Exactly(its_tag);
                asked_for.then_some((Info { source: from, tag: its_tag, element, len }, payload))
            },
            takes,
            read,
        )
    }

    /// In debug builds: what was noted of the last message to a peer is what would be found now.
    #[inline(always)]
    fn check_sent_header(&self, to: Rank, stamp: Clock) {
        if cfg!(debug_assertions) {
            self.check_obstacles();
            assert!(self.has_nothing_due() && !self.order().expects_signals());
            assert_eq!(self.order().post(to).stamp, stamp);
            assert!(self.order().holds_all_in_open_barriers() && self.links.queued(to).is_empty());
        }
    }

    /// In debug builds: nothing of this sender comes before its next message.
    #[inline(always)]
    fn check_received_header(&self, context: Context, from: Rank, by: AskedBy) {
        if cfg!(debug_assertions) {
            self.check_obstacles();
            assert!(self.has_nothing_due() && !self.order().expects_signals());
            let fills_matched = self.links.peer(from).fills_matched();
            assert!(self.is_first_for(context, from, by) && !fills_matched);
        }
    }
}
