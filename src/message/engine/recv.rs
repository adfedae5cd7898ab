//! Receiving: blocking, polling and posted receives, and probes.
//!
//! Keeps rules ORD-2, HOLD-1, HOLD-3, END-2 and END-3 of SEMANTICS.md.
//!
//! A receive never sees a held message. A message keeps its place in the queue until its payload is
//! complete and the caller has accepted its type and size.

mod deposited;
mod destination;
mod outlook;
mod posted;
mod room;
mod run;
mod several;

pub use deposited::{FromMember, Soon};
pub use destination::{Destination, Memory};
pub use run::PostedRun;
pub use several::{Came, Received};

use super::Engine;
use super::Envelope;
use super::fast_path::{AskedBy, Attempt, Looks};
use super::reads::exposure_of;
use crate::message::error::MessageError;
use crate::message::header::Header;
use crate::message::inbound::{Asked, Body, Inbound, Info};
use crate::message::matching::{Context, Deliverable, Pattern, Source, Tag};
use crate::message::obstacles::Obstacles;
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// Waits for a message that matches, lets `accept` check it, and hands its payload to `read`.
    /// If `accept` fails, the message keeps its place and can still be received.
    ///
    /// # Errors
    ///
    /// The error of `accept`; [`MessageError::PeerEnded`], [`MessageError::PeerLost`] or
    /// [`MessageError::NothingCanArrive`] if no such message can arrive any more; the first two
    /// also if a receive from any source would have to wait while a member of the group has failed
    /// or is lost; others as by [`Engine::progress`].
    #[inline]
    pub fn recv<R, E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        accept: impl Fn(&Info) -> Result<(), E>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, E> {
        let takes = |info: &Info| accept(info).is_ok();
        let attempt = match self.template_from(context, pattern) {
            // Written twice: a function of its own returned the attempt through memory, and
            // receiving took 13 % more instructions.
            Some(expected) => {
                self.recv_by_template((pattern.tag, Looks::ForAWhile), expected, &takes, read)
            }
            None => self.recv_asking((context, pattern), AskedBy::Call, &takes, read)?,
        };
        match attempt {
            Attempt::Done(result) => Ok(result),
            Attempt::Not(read) => self.recv_generally(context, pattern, accept, read),
        }
    }

    /// As [`recv`](Engine::recv), for a message that did not come by the fast path.
    fn recv_generally<R, E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        accept: impl Fn(&Info) -> Result<(), E>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, E> {
        let info = self.wait_for_match(context, pattern)?;
        accept(&info)?;
        if let Some(taken) = self.take_whole(context, pattern) {
            return Ok(self.consume(taken, read)?);
        }
        self.confirm_first(context, pattern);
        self.wait_for_payload(context, pattern, info.source)?;
        let taken = self.take_present(context, pattern);
        Ok(self.consume(taken, read)?)
    }

    /// Waits until the payload of the matching message, which a rank has sent, is complete.
    pub(super) fn wait_for_payload(
        &mut self,
        context: Context,
        pattern: Pattern,
        peer: Rank,
    ) -> Result<(), MessageError> {
        let whole = self.wait_until(
            WaitsFor::Payload { peer, context },
            |engine| Ok(engine.prepare(context, pattern)?.then_some(())),
            |engine| engine.links.check_not_exhausted(peer),
        );
        whole.inspect_err(|_| self.drop_unfinished(context, pattern))
    }

    /// As [`recv`](Engine::recv), but hands the payload to `into` in pieces, in order, each with its
    /// offset. A large payload is so copied once: its pieces are handed over as they arrive, or it is
    /// read straight into the memory that the destination has. If an
    /// error ends the call then, some pieces have been handed over and the message is lost. A
    /// message that the call does not `take` is refused with the error of `refuse`. Returns the
    /// result of `tell`.
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
        mut into: impl Destination,
    ) -> Result<R, E> {
        let read = |info: &Info, payload: &[u8]| {
            into.put(0, payload);
            tell(info)
        };
        let attempt = match self.template_from(context, pattern) {
            Some(expected) => {
                self.recv_by_template((pattern.tag, Looks::ForAWhile), expected, &takes, read)
            }
            None => self.recv_asking((context, pattern), AskedBy::Call, &takes, read)?,
        };
        if let Attempt::Done(told) = attempt {
            return Ok(told);
        }
        let accept = |info: &Info| if takes(info) { Ok(()) } else { Err(refuse(info)) };
        self.recv_pieces_generally(context, pattern, accept, into).map(|info| tell(&info))
    }

    /// As [`recv_pieces`](Engine::recv_pieces), for a message that did not come by the fast path.
    fn recv_pieces_generally<E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        accept: impl Fn(&Info) -> Result<(), E>,
        mut into: impl Destination,
    ) -> Result<Info, E> {
        let info = self.wait_for_match(context, pattern)?;
        accept(&info)?;
        if let Some(taken) = self.take_whole(context, pattern) {
            self.consume(taken, |_, payload| into.put(0, payload))?;
            return Ok(info);
        }
        self.confirm_first(context, pattern);
        let mut done = 0;
        let whole = self.wait_until(
            WaitsFor::Payload { peer: info.source, context },
            |engine| {
                if let Some((from, slot)) = engine.gathered_in(context, pattern) {
                    engine.take_pieces(from, slot, &mut done, &mut |at, piece| into.put(at, piece));
                }
                Ok(engine.prepare_in_pieces(context, pattern)?.then_some(()))
            },
            |engine| engine.links.check_not_exhausted(info.source),
        );
        if let Err(error) = whole {
            if let Some((from, slot)) = self.gathered_in(context, pattern)
                && self.gathering.takes_pieces(slot)
            {
                self.matching.take(context, pattern);
                self.drop_pieces(from, slot);
            } else {
                self.drop_unfinished(context, pattern);
            }
            return Err(error.into());
        }
        let taken = self.take_present(context, pattern);
        if !self.is_brought(&taken, &mut into)? {
            self.consume(taken, |_, payload| into.put(0, payload))?;
        }
        Ok(info)
    }

    /// Whether the payload of a message that a call has taken is where the program wants it: it came in pieces
    /// that were put there, or is read into that memory now. Its slot is free then.
    fn is_brought(
        &mut self,
        taken: &Deliverable<Inbound<N::Frame>>,
        into: &mut impl Destination,
    ) -> Result<bool, MessageError> {
        let Body::Gathering { slot } = taken.message.body else { return Ok(false) };
        if let Err(error) = self.fetch(slot, into.whole()) {
            self.discard_gathered(slot);
            return Err(error);
        }
        let is_brought = self.gathering.is_in_pieces(slot);
        if is_brought {
            self.gathering.free(&mut self.obstacles, slot);
        }
        Ok(is_brought)
    }

    /// Takes the matching message if it arrived whole, as short ones do.
    #[inline]
    fn take_whole(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Option<Deliverable<Inbound<N::Frame>>> {
        self.matching.take_if(context, pattern, Inbound::is_here)
    }

    /// Takes the matching message, which is known to exist.
    pub(super) fn take_present(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Deliverable<Inbound<N::Frame>> {
        let taken = self.matching.take(context, pattern);
        taken.expect("a message stays where it is until it is taken")
    }

    /// The sender and the slot of the matching message, if its payload is being gathered.
    fn gathered_in(&self, context: Context, pattern: Pattern) -> Option<(Rank, usize)> {
        match self.matching.peek(context, pattern)? {
            (from, _, Inbound { body: Body::Gathering { slot }, .. }) => Some((from, *slot)),
            _ => None,
        }
    }

    /// Waits for a message that matches, on behalf of a call that will take it.
    #[inline]
    pub(super) fn wait_for_match(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Result<Info, MessageError> {
        self.wait_until(
            WaitsFor::Receive { context, pattern },
            |engine| Ok(engine.peek(context, pattern)),
            |engine| {
                engine.check_receivable(context, pattern.source)?;
                engine.check_is_heard(context, pattern.source)
            },
        )
    }

    /// As [`recv`](Engine::recv), without waiting: None if there is no such message yet, or if its
    /// payload is not complete.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`], except that the call returns None if no message can arrive any more.
    pub fn try_recv<R, E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        accept: impl FnOnce(&Info) -> Result<(), E>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<Option<R>, E> {
        self.progress()?;
        let Some(info) = self.peek(context, pattern) else { return Ok(None) };
        accept(&info)?;
        if !self.prepare(context, pattern)? {
            // Only waiting calls check for lost peers otherwise.
            self.note_loss(info.source);
            if let Err(error) = self.links.check_not_exhausted(info.source) {
                self.drop_unfinished(context, pattern);
                return Err(error.into());
            }
            return Ok(None);
        }
        let taken = self.matching.take(context, pattern);
        Ok(taken.map(|taken| self.consume(taken, read)).transpose()?)
    }

    /// Makes progress and returns the message that matches, if any, without taking it.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn try_probe(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Result<Option<Info>, MessageError> {
        self.progress()?;
        Ok(self.peek(context, pattern))
    }

    /// Waits for a message that matches, without taking it.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    pub fn probe(&mut self, context: Context, pattern: Pattern) -> Result<Info, MessageError> {
        self.wait_until(
            WaitsFor::Receive { context, pattern },
            |engine| Ok(engine.peek(context, pattern)),
            |engine| engine.check_receivable(context, pattern.source),
        )
    }

    pub(super) fn peek(&self, context: Context, pattern: Pattern) -> Option<Info> {
        let (source, tag, message) = self.matching.peek(context, pattern)?;
        Some(Info { source, tag, element: message.element, len: message.len })
    }

    /// Whether the matching message is complete. Starts its transfer if need be.
    pub(super) fn prepare(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Result<bool, MessageError> {
        if let Some((_, slot)) = self.gathered_in(context, pattern) {
            self.look_at_filling(slot);
        }
        self.prepare_in_pieces(context, pattern)
    }

    /// As [`prepare`](Engine::prepare), for a call that takes the payload [in pieces](Engine::take_pieces).
    fn prepare_in_pieces(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Result<bool, MessageError> {
        let Some((from, _, message)) = self.matching.peek(context, pattern) else {
            return Ok(false);
        };
        let len = message.len;
        let asked = match &message.body {
            Body::Frame(_) | Body::Owned(_) => return Ok(true),
            Body::Gathering { slot } if self.gathering.is_whole(*slot) => return Ok(true),
            Body::Gathering { .. } => return self.start_next(from).map(|()| false),
            body => self.asked_by(body),
        };
        let Some(Asked { transfer, exposure }) = asked else { return Ok(false) };
        let slot = self.start_transfer(from, transfer, len, exposure)?;
        if let Some(message) = self.matching.peek_mut(context, pattern) {
            let gathering = Body::Gathering { slot };
            if let Body::Request { frame, .. } = std::mem::replace(&mut message.body, gathering) {
                self.release(from, frame);
            }
        }
        self.flush()?;
        // Read in place, it is.
        Ok(self.gathering.is_whole(slot))
    }

    /// What the body of a request says of the payload.
    fn asked_by(&self, body: &Body<N::Frame>) -> Option<Asked> {
        match body {
            Body::Request { frame, transfer, exposure } => {
                let exposure = exposure.and_then(|number| exposure_of(&self.nic, frame, number));
                Some(Asked { transfer: *transfer, exposure })
            }
            Body::Asked(asked) => Some(**asked),
            _ => None,
        }
    }

    /// Hands over a message that this call takes.
    pub(super) fn consume<R>(
        &mut self,
        taken: Deliverable<Inbound<N::Frame>>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, MessageError> {
        if taken.message.element == Envelope::CONFIRMED {
            self.confirm(taken.source, (taken.message.context, taken.tag), self.initiated());
            self.tell_at_once();
        }
        self.hand_over_taken(taken, read)
    }

    fn hand_over_taken<R>(
        &mut self,
        taken: Deliverable<Inbound<N::Frame>>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, MessageError> {
        let info = taken.info();
        Ok(match taken.message.body {
            Body::Frame(frame) | Body::Request { frame, .. } => self.read_frame(&info, frame, read),
            Body::Owned(payload) => read(&info, &payload),
            Body::Asked(_) => read(&info, &[]),
            Body::Gathering { slot, .. } => {
                return self.read_gathered(slot, |payload| read(&info, payload));
            }
        })
    }

    /// Hands over the payload of a message in its descriptor, and reposts the descriptor.
    #[inline(always)]
    pub(super) fn read_frame<R>(
        &mut self,
        info: &Info,
        frame: N::Frame,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> R {
        let result = read(info, &self.nic.bytes(&frame)[Header::BYTES..]);
        self.release(info.source, frame);
        self.tell_at_once();
        result
    }

    /// Sends the control frames that are due: the program may not call again for long. The next
    /// progress repeats what fails, and reports the error.
    #[inline]
    pub(super) fn tell_at_once(&mut self) {
        if self.obstacles.has_any(Obstacles::CONTROL_DUE) {
            let _ = self.flush_control();
        }
    }
}

impl<F> Inbound<F> {
    /// Whether the message arrived whole, not as a request.
    #[inline]
    pub(super) fn is_here(&self) -> bool {
        matches!(self.body, Body::Frame(_) | Body::Owned(_))
    }

    pub(super) fn is_request(&self) -> bool {
        matches!(self.body, Body::Request { .. } | Body::Asked(_))
    }
}

impl<F> Deliverable<Inbound<F>> {
    fn info(&self) -> Info {
        let (source, tag) = (self.source, self.tag);
        Info { source, tag, element: self.message.element, len: self.message.len }
    }

    /// The pattern of this message's sender and tag.
    fn pattern(&self) -> Pattern {
        Pattern { source: Source::Rank(self.source), tag: Tag::Exactly(self.tag) }
    }
}
