//! The predicted path: what was found of a message is not asked again for the next one.
//!
//! The [fast path](super::fast_path) asks a dozen questions before a message goes straight between the program
//! and the network, and from one message to the next the answers are the same. So it notes them: at a peer, that
//! all questions were answered, and which stamp the message had. As long as nothing happens but further such
//! messages, the next one to that peer leaves with the same stamp, and the next one from it is delivered if it has
//! the same. It is the header prediction of TCP (jacobson-1990),
//! with the state of the order core in place of the connection's.
//!
//! That nothing else has happened is no matter of care: whoever would change the engine borrows it mutably, and
//! [`Predicted`] counts that as a change. Only what this file and the fast path do themselves is not counted, and
//! what they may change besides they count (`Engine::changes`). So nothing is cached here that could be told
//! wrong later, and what is not as predicted is asked, or goes the general way.
//!
//! What is still asked of each send, since others change it: whether there is room, and whether the receiver has said
//! anything (it may have ended; rule END-2). Where others may wait for this rank to do its part, nothing is predicted:
//! while the payload of large messages is under way, and in groups that signal. For the rest of what others may want,
//! every so many messages all is asked.
//!
//! Keeps rules CLK-1, HOLD-1, CON-1, FLOW-1, END-2 and SAFE-1 of SEMANTICS.md.

pub(super) mod barriers;

use std::ops::{Deref, DerefMut};

use super::config::CONTROL;
use super::contexts::Context;
use super::engine::Engine;
use super::error::MessageError;
use super::fast_path::{Attempt, TURNS};
use super::header::{Alike, Header};
use super::matching::{Pattern, Source, Tag};
use super::peer::{NEVER, Received, Sent};
use super::recv::Info;
use super::rendezvous::Gathered;
use super::send::{Envelope, SendId};
use crate::order::Rank;
use crate::verbs::{Nic, ReadPayload, Vi};

/// An engine whose short messages and whose barriers go the predicted way where they can. All else is the
/// engine's, which is borrowed for it.
pub struct Predicted<N: Nic>(Engine<N>);

impl<N: Nic> Predicted<N> {
    /// With no prediction yet.
    pub fn new(engine: Engine<N>) -> Predicted<N> {
        Predicted(engine)
    }

    /// The engine, for good.
    pub fn into_engine(self) -> Engine<N> {
        self.0
    }

    /// As [`Engine::send`].
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    #[inline]
    pub fn send(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<(), MessageError> {
        if self.0.send_as_predicted(to, envelope, payload) {
            return Ok(());
        }
        self.send_asking(to, envelope, payload)
    }

    #[inline(never)]
    fn send_asking(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<(), MessageError> {
        let sent = self.0.send_directly(to, envelope, payload);
        if let Ok(true) = sent {
            return Ok(());
        }
        let engine = &mut **self;
        sent?;
        engine.send_generally(to, envelope, payload)
    }

    /// As [`Engine::post_send`].
    ///
    /// # Errors
    ///
    /// As by [`Engine::post_send`].
    #[inline]
    pub fn post_send(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<SendId, MessageError> {
        if self.0.send_as_predicted(to, envelope, payload) {
            return Ok(self.0.sent_at_once(to));
        }
        let sent = self.0.send_directly(to, envelope, payload);
        if let Ok(true) = sent {
            return Ok(self.0.sent_at_once(to));
        }
        let engine = &mut **self;
        sent?;
        engine.post_send_generally(to, envelope, payload)
    }

    /// As [`Engine::recv`].
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    #[inline]
    pub fn recv<R, E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        accept: impl Fn(&Info) -> Result<(), E>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, E> {
        let takes = |info: &Info| accept(info).is_ok();
        let attempt = match self.0.predicted_from(context, pattern) {
            Some((from, alike)) => self.0.recv_as_predicted(pattern, from, alike, &takes, read),
            None => self.recv_asking(context, pattern, &takes, read)?,
        };
        match attempt {
            Attempt::Done(result) => Ok(result),
            Attempt::Not(read) => (**self).recv_generally(context, pattern, accept, read),
        }
    }

    /// As [`Engine::recv_pieces`], of a message that it `takes`, or else fails as `refuse` says. Returns what is to be
    /// told of it.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    #[inline]
    pub fn recv_pieces<R, E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        takes: impl Fn(&Info) -> bool,
        refuse: impl Fn(&Info) -> E,
        tell: impl Fn(&Info) -> R,
        mut put: impl FnMut(usize, &[u8]),
    ) -> Result<R, E> {
        let read = |info: &Info, payload: &[u8]| {
            put(0, payload);
            tell(info)
        };
        let attempt = match self.0.predicted_from(context, pattern) {
            Some((from, alike)) => self.0.recv_as_predicted(pattern, from, alike, &takes, read),
            None => self.recv_asking(context, pattern, &takes, read)?,
        };
        if let Attempt::Done(told) = attempt {
            return Ok(told);
        }
        let accept = |info: &Info| if takes(info) { Ok(()) } else { Err(refuse(info)) };
        (**self).recv_pieces_generally(context, pattern, accept, put).map(|info| tell(&info))
    }

    #[inline(never)]
    fn recv_asking<R, F: FnOnce(&Info, &[u8]) -> R>(
        &mut self,
        context: Context,
        pattern: Pattern,
        takes: &impl Fn(&Info) -> bool,
        read: F,
    ) -> Result<Attempt<R, F>, MessageError> {
        self.0.recv_directly(context, pattern, takes, read)
    }
}

impl<N: Nic> Deref for Predicted<N> {
    type Target = Engine<N>;

    #[inline]
    fn deref(&self) -> &Engine<N> {
        &self.0
    }
}

impl<N: Nic> DerefMut for Predicted<N> {
    /// Whatever is done with it may make the predictions wrong.
    #[inline]
    fn deref_mut(&mut self) -> &mut Engine<N> {
        self.0.note_detour();
        &mut self.0
    }
}

impl<N: Nic> Engine<N> {
    /// What to note with what was found of a message: how much had changed by then, or that the next one is to be
    /// asked about. So it is while others may wait for this rank, for its part in moving a large payload or for
    /// signals.
    pub(super) fn foreseen(&self) -> u64 {
        let awaited = self.moves_payload() || self.order.expects_signals();
        if awaited { NEVER } else { self.changes }
    }

    /// Whether a large message is under way.
    fn moves_payload(&self) -> bool {
        let gathers = |gathered: &Gathered<ReadPayload<N>>| !matches!(gathered, Gathered::Free);
        self.open_transfers > 0 || self.gathered.iter().any(gathers)
    }

    /// Something was done, or is to be done, that predictions of messages and of barriers do not foresee.
    #[inline]
    pub(super) fn note_detour(&mut self) {
        self.changes += 1;
        self.detours += 1;
    }

    /// Sends a message at once, if nothing has changed since the last one to this peer was sent, and there is room.
    #[inline(always)]
    fn send_as_predicted(&mut self, to: Rank, envelope: Envelope, payload: &[u8]) -> bool {
        let Some(peer) = self.peers.get(to) else { return false };
        let Sent { at, stamp } = peer.last_sent;
        let predicted = at == self.changes
            && self.send_turns > 0
            && payload.len() <= self.short_bytes
            && peer.eager.is_open();
        // What comes on the control queue may be the word that the receiver has ended (rule END-2).
        if !predicted || !self.nic.has_nothing_from(Vi { peer: to, cq: CONTROL }) {
            return false;
        }
        self.send_turns -= 1;
        let header = self.eager_header(envelope, stamp, payload.len());
        // What keeps it from leaving is found once more, on the general way.
        matches!(self.post_data(to, header, payload), Ok(true))
    }

    /// The sender that a receive asks for and what the next message of it is expected to have in common with the last,
    /// if nothing has changed since that was received.
    #[inline(always)]
    fn predicted_from(&self, context: Context, pattern: Pattern) -> Option<(Rank, Alike)> {
        let Source::Rank(from) = pattern.source else { return None };
        let Received { at, context: found, alike } = self.peers.get(from)?.last_received;
        let predicted = at == self.changes && found == context && !self.turns.is_multiple_of(TURNS);
        predicted.then_some((from, alike))
    }

    /// Receives the message that a call asks for, if its header is as expected, but for tag and length. What was
    /// noted is true as before: that it may be delivered, and that it is for this context.
    #[inline(always)]
    fn recv_as_predicted<R, F: FnOnce(&Info, &[u8]) -> R>(
        &mut self,
        pattern: Pattern,
        from: Rank,
        alike: Alike,
        takes: &impl Fn(&Info) -> bool,
        read: F,
    ) -> Attempt<R, F> {
        self.recv_next(
            from,
            |_, bytes| {
                let (tag, payload) = Header::decode_alike(bytes, alike)?;
                let (element, len) = (alike.element(), payload.len());
                let asked_for = pattern.tag == Tag::Any || pattern.tag == Tag::Exactly(tag);
                asked_for.then_some((Info { source: from, tag, element, len }, payload))
            },
            takes,
            read,
        )
    }
}
