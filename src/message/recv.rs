//! Receiving: blocking, polling and posted receives, and looking without taking.
//!
//! A receive never sees what the hold queue keeps. A message is taken only when its payload is all
//! there and the caller has accepted its type and size; until then it keeps its place.
//!
//! Keeps rules ORD-2, HOLD-1, HOLD-3, END-2 and END-3 of SEMANTICS.md.

mod posted;
mod room;

pub use posted::Came;

use super::activity::{Activity, Waiting};
use super::engine::Engine;
use super::error::MessageError;
use super::fast_path::Attempt;
use super::header::Header;
use super::matching::{Context, Deliverable, Lane, Pattern, RecvId, Source, Tag};
use super::obstacles::Obstacles;
use crate::order::Rank;
use crate::verbs::Nic;

/// A received message, before it is matched with a receive.
#[derive(Debug)]
pub struct Inbound<F> {
    pub(super) context: Context,
    pub(super) tag: u32,
    pub(super) element: u8,
    /// The length of the payload in bytes.
    pub(super) len: usize,
    pub(super) body: Body<F>,
}

/// Where the payload is.
#[derive(Debug)]
pub(super) enum Body<F> {
    /// In the receive descriptor, behind the header.
    Frame(F),
    /// With the sender, until it is cleared to send. The frame keeps the descriptor occupied, so
    /// that the message counts against the sender's window like any other.
    /// With the number of the loan where it may be read.
    Request { frame: F, transfer: u32, loan: Option<u8> },
    /// Under way, into this slot.
    Pulling { slot: usize },
    /// Here: it was sent by this rank itself, or copied to make room for others.
    Owned(Vec<u8>),
}

/// What can be known of a message before it is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// Who sent it.
    pub source: Rank,
    /// Its tag.
    pub tag: u32,
    /// The size of an element in bytes; 0 where it is above 255.
    pub element: u8,
    /// The length of its payload in bytes.
    pub len: usize,
}

impl<N: Nic> Engine<N> {
    /// Waits for a message that matches, lets `accept` look at it, and hands its payload to `read`.
    /// If `accept` refuses, the message stays as it was and can still be received.
    ///
    /// # Errors
    ///
    /// What `accept` returns; [`MessageError::PeerEnded`], [`MessageError::PeerLost`] or
    /// [`MessageError::NothingCanArrive`] if no such message can come any more; the first two also if a
    /// receive from any source would have to wait while a member of the group has failed or is lost;
    /// others as by [`Engine::progress`].
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
            Some(expected) => self.recv_by_template((context, pattern), expected, &takes, read),
            None => self.recv_asking(context, pattern, &takes, read)?,
        };
        match attempt {
            Attempt::Done(result) => Ok(result),
            Attempt::Not(read) => self.recv_generally(context, pattern, accept, read),
        }
    }

    /// Receives on the fast path, if that is the way, of a message that fits no template.
    #[inline(never)]
    fn recv_asking<R, F: FnOnce(&Info, &[u8]) -> R>(
        &mut self,
        context: Context,
        pattern: Pattern,
        takes: &impl Fn(&Info) -> bool,
        read: F,
    ) -> Result<Attempt<R, F>, MessageError> {
        self.recv_directly(context, pattern, takes, read)
    }

    /// As [`recv`](Engine::recv), of a message that did not come by the fast path.
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
            return Ok(self.consume(taken, read));
        }
        let whole = self.wait_until(
            Waiting::Payload { peer: info.source, context },
            |engine| Ok(engine.prepare(context, pattern)?.then_some(())),
            |engine| engine.check_not_exhausted(info.source),
        );
        if let Err(error) = whole {
            self.drop_unfinished(context, pattern);
            return Err(error.into());
        }
        let taken = self.matching.take(context, pattern);
        let taken = taken.expect("a message stays where it is until it is taken");
        Ok(self.consume(taken, read))
    }

    /// As [`recv`](Engine::recv), but hands the payload over in pieces, each with its place in the whole and
    /// in their order: those of a large one as they come, which so is never gathered in between. If
    /// an error ends the call after the message was taken, some of them may have been handed over; the
    /// message is lost then. The call `takes` the message, or fails as `refuse` says. Returns what it is
    /// to `tell`.
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
        let attempt = match self.template_from(context, pattern) {
            Some(expected) => self.recv_by_template((context, pattern), expected, &takes, read),
            None => self.recv_asking(context, pattern, &takes, read)?,
        };
        if let Attempt::Done(told) = attempt {
            return Ok(told);
        }
        let accept = |info: &Info| if takes(info) { Ok(()) } else { Err(refuse(info)) };
        self.recv_pieces_generally(context, pattern, accept, put).map(|info| tell(&info))
    }

    /// As [`recv_pieces`](Engine::recv_pieces), of a message that did not come by the fast path.
    fn recv_pieces_generally<E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        accept: impl Fn(&Info) -> Result<(), E>,
        mut put: impl FnMut(usize, &[u8]),
    ) -> Result<Info, E> {
        let info = self.wait_for_match(context, pattern)?;
        accept(&info)?;
        if let Some(taken) = self.take_whole(context, pattern) {
            self.consume(taken, |_, payload| put(0, payload));
            return Ok(info);
        }
        let mut done = 0;
        let whole = self.wait_until(
            Waiting::Payload { peer: info.source, context },
            |engine| {
                if let Some((from, slot)) = engine.pulling(context, pattern) {
                    engine.take_pieces(from, slot, &mut done, &mut put);
                }
                Ok(engine.prepare(context, pattern)?.then_some(()))
            },
            |engine| engine.check_not_exhausted(info.source),
        );
        if let Err(error) = whole {
            if let Some((from, slot)) = self.pulling(context, pattern)
                && self.takes_pieces(slot)
            {
                self.matching.take(context, pattern);
                self.drop_pieces(from, slot);
            } else {
                self.drop_unfinished(context, pattern);
            }
            return Err(error.into());
        }
        let taken = self.matching.take(context, pattern);
        let taken = taken.expect("a message stays where it is until it is taken");
        match taken.message.body {
            Body::Pulling { slot } if self.is_in_pieces(slot) => drop(self.free_gathered(slot)),
            _ => self.consume(taken, |_, payload| put(0, payload)),
        }
        Ok(info)
    }

    /// Takes the matching message if it came whole, as a short one does: there is nothing to wait for.
    #[inline]
    fn take_whole(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Option<Deliverable<Inbound<N::Frame>>> {
        self.matching.take_if(context, pattern, Inbound::is_here)
    }

    /// Where the payload of the matching message is gathered, if it is under way.
    fn pulling(&self, context: Context, pattern: Pattern) -> Option<(Rank, usize)> {
        match self.matching.peek(context, pattern)? {
            (from, _, Inbound { body: Body::Pulling { slot }, .. }) => Some((from, *slot)),
            _ => None,
        }
    }

    /// Waits for a message that matches, for a call that takes it.
    #[inline]
    fn wait_for_match(&mut self, context: Context, pattern: Pattern) -> Result<Info, MessageError> {
        self.wait_until(
            Waiting::Receive { context, pattern },
            |engine| Ok(engine.peek(context, pattern)),
            |engine| {
                engine.check_receivable(context, pattern.source)?;
                engine.check_is_heard(context, pattern.source)
            },
        )
    }

    /// As [`recv`](Engine::recv), without waiting: None if there is no such message yet, or if its
    /// payload is still under way.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`], except that a message that cannot come is None too.
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
            // Else nobody would look: this call does not wait.
            self.note_loss(info.source);
            if let Err(error) = self.check_not_exhausted(info.source) {
                self.drop_unfinished(context, pattern);
                return Err(error.into());
            }
            return Ok(None);
        }
        let taken = self.matching.take(context, pattern);
        Ok(taken.map(|taken| self.consume(taken, read)))
    }

    /// Looks for a message that matches, after making progress.
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

    /// Waits for a message that matches, and leaves it where it is.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    pub fn probe(&mut self, context: Context, pattern: Pattern) -> Result<Info, MessageError> {
        self.wait_until(
            Waiting::Receive { context, pattern },
            |engine| Ok(engine.peek(context, pattern)),
            |engine| engine.check_receivable(context, pattern.source),
        )
    }

    /// Posts a receive: the first message that matches and is not taken by an earlier one is kept
    /// for it.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn post_recv(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Result<RecvId, MessageError> {
        let id = self.matching.post(&mut self.obstacles, context, pattern);
        if let Err(error) = self.progress() {
            self.cancel_recv(id);
            return Err(error);
        }
        Ok(id)
    }

    /// Whether the message of a receive that was posted for `source` is all there.
    ///
    /// # Errors
    ///
    /// [`MessageError::PeerEnded`] or [`MessageError::PeerLost`] if it can never come; others as by
    /// [`Engine::progress`].
    pub fn test_recv(&mut self, id: RecvId, source: Source) -> Result<bool, MessageError> {
        self.progress()?;
        if self.is_received(id)? {
            return Ok(true);
        }
        let from = match (self.matching.matched(id), source) {
            (Some(matched), _) => matched.source,
            // A later call may send to this rank itself, or initiate what a held one waits for.
            (None, Source::Rank(rank)) if rank != self.rank() && !self.matching.holds_of(rank) => {
                rank
            }
            _ => return Ok(false),
        };
        self.note_loss(from);
        self.check_not_exhausted(from).map(|()| false)
    }

    /// Waits for the message of a posted receive and hands it over, as [`recv`](Engine::recv) does.
    /// Whatever the outcome, the posted receive is gone; a message that `accept` refused can still
    /// be received by others.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    pub fn finish_recv<R, E: From<MessageError>>(
        &mut self,
        id: RecvId,
        source: Source,
        accept: impl FnOnce(&Info) -> Result<(), E>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, E> {
        let waited = self.wait_until(
            Waiting::Posted { id, source },
            |engine| Ok(engine.is_received(id)?.then_some(())),
            |engine| match engine.matching.matched(id) {
                Some(matched) => engine.check_not_exhausted(matched.source),
                None => engine.check_receivable(engine.matching.context_of(id), source),
            },
        );
        let accepted = waited.map_err(E::from).and_then(|()| match self.matching.matched(id) {
            Some(matched) => accept(&matched.info()),
            None => Ok(()),
        });
        if let Err(error) = accepted {
            let from = self
                .matching
                .matched(id)
                .map(|matched| (matched.message.context, matched.pattern()));
            self.cancel_recv(id);
            if let Some((context, pattern)) = from {
                self.drop_unfinished(context, pattern);
            }
            return Err(error);
        }
        match self.matching.take_matched(&mut self.obstacles, id) {
            Some(matched) => Ok(self.consume(matched, read)),
            None => unreachable!("a received message is matched"),
        }
    }

    /// Gives up a posted receive. A message that was kept for it goes back to its place.
    pub fn cancel_recv(&mut self, id: RecvId) {
        if let Some(from) = self.matching.cancel(&mut self.obstacles, id) {
            self.peers[from].forget_received_header();
        }
    }

    /// What a rank is in that waits for a posted receive.
    pub(super) fn activity_of_posted(&self, id: RecvId, source: Source) -> Activity {
        if let Some(matched) = self.matching.matched(id) {
            return Activity::Rendezvous { peer: matched.source };
        }
        let (context, pattern) = (self.matching.context_of(id), self.matching.pattern_of(id));
        let tag = pattern.map_or(Tag::Any, |pattern| pattern.tag);
        Activity::Receive { source, tag, context }
    }

    fn is_received(&mut self, id: RecvId) -> Result<bool, MessageError> {
        if self.matching.matched(id).is_some_and(|matched| matched.message.is_request()) {
            self.pull_matched(id)?;
        }
        Ok(match self.matching.matched(id).map(|matched| &matched.message.body) {
            None => false,
            Some(Body::Pulling { slot, .. }) if self.is_gathered(*slot) => true,
            Some(Body::Pulling { .. }) => {
                if let Some(from) = self.matching.matched(id).map(|matched| matched.source) {
                    self.clear_next(from)?;
                }
                false
            }
            Some(_) => true,
        })
    }

    /// Starts the transfers of messages that posted receives have matched, makes room where these
    /// take it, and discards what nobody will receive.
    pub(super) fn settle_matches(&mut self) -> Result<(), MessageError> {
        self.discard_unwanted();
        while let Some(id) = self.matching.next_unsettled(&mut self.obstacles) {
            self.settle_room(id);
            match self.pull_matched(id) {
                // Whoever waits for it will be told.
                Ok(()) | Err(MessageError::OutOfMemory { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn pull_matched(&mut self, id: RecvId) -> Result<(), MessageError> {
        let Some(matched) = self.matching.matched(id) else { return Ok(()) };
        let Body::Request { frame, transfer, loan } = &matched.message.body else { return Ok(()) };
        let (from, len, transfer) = (matched.source, matched.message.len, *transfer);
        let loan = loan.and_then(|number| self.loan_of(frame, number));
        let slot = self.start_pull(from, transfer, len, loan)?;
        let Some(matched) = self.matching.matched_mut(id) else { return Ok(()) };
        let pulling = Body::Pulling { slot };
        if let Body::Request { frame, .. } = std::mem::replace(&mut matched.message.body, pulling) {
            self.release(from, frame);
        }
        self.flush()
    }

    pub(super) fn peek(&self, context: Context, pattern: Pattern) -> Option<Info> {
        let (source, tag, message) = self.matching.peek(context, pattern)?;
        Some(Info { source, tag, element: message.element, len: message.len })
    }

    /// Whether the matching message is all there; starts its transfer if need be.
    pub(super) fn prepare(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Result<bool, MessageError> {
        let Some((from, _, message)) = self.matching.peek(context, pattern) else {
            return Ok(false);
        };
        let len = message.len;
        let (transfer, loan) = match &message.body {
            Body::Frame(_) | Body::Owned(_) => return Ok(true),
            Body::Pulling { slot } if self.is_gathered(*slot) => return Ok(true),
            Body::Pulling { .. } => return self.clear_next(from).map(|()| false),
            Body::Request { frame, transfer, loan } => {
                (*transfer, loan.and_then(|number| self.loan_of(frame, number)))
            }
        };
        let slot = self.start_pull(from, transfer, len, loan)?;
        if let Some(message) = self.matching.peek_mut(context, pattern) {
            let pulling = Body::Pulling { slot };
            if let Body::Request { frame, .. } = std::mem::replace(&mut message.body, pulling) {
                self.release(from, frame);
            }
        }
        self.flush()?;
        Ok(false)
    }

    fn consume<R>(
        &mut self,
        taken: Deliverable<Inbound<N::Frame>>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> R {
        let info = taken.info();
        match taken.message.body {
            Body::Frame(frame) | Body::Request { frame, .. } => self.read_frame(&info, frame, read),
            Body::Owned(payload) => read(&info, &payload),
            Body::Pulling { slot, .. } => self.read_gathered(slot, |payload| read(&info, payload)),
        }
    }

    /// Hands over the payload of a message that lies in its descriptor, and posts that again.
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

    /// Sends the control frames that are due: the program may not call again for long. What fails now is tried
    /// again by the next progress, which tells of it.
    #[inline]
    pub(super) fn tell_at_once(&mut self) {
        if self.obstacles.has_any(Obstacles::CONTROL_DUE) {
            let _ = self.flush_control();
        }
    }

    /// Fails if nothing that is not here yet can come from `source`, in this context.
    pub(super) fn check_can_come(
        &self,
        context: Context,
        source: Source,
    ) -> Result<(), MessageError> {
        if let Source::Rank(rank) = source {
            return self.check_source(rank);
        }
        // If nobody is left, it names the other whose going is most to blame.
        let mut worst = (0, MessageError::NothingCanArrive);
        for &rank in self.order.members(context.group()).unwrap_or(&[]) {
            let Err(error) = self.check_source(rank) else { return Ok(()) };
            let blame = match error {
                MessageError::NothingCanArrive => 0,
                MessageError::PeerEnded { failed, .. } => 1 + u8::from(failed),
                _ => 3,
            };
            if blame > worst.0 {
                worst = (blame, error);
            }
        }
        Err(worst.1)
    }

    /// Fails if a receive from `source` would wait in vain, or might: nobody knows whether what it waits
    /// for was to come from a member that has failed or is lost. What is held and will be released is
    /// looked at first.
    fn check_receivable(&self, context: Context, source: Source) -> Result<(), MessageError> {
        self.check_can_come(context, source)?;
        let members = match source {
            Source::Any => self.order.members(context.group()).unwrap_or(&[]),
            Source::Rank(_) => &[],
        };
        let mut missing = None;
        for &rank in members {
            match self.check_not_exhausted(rank) {
                Err(error @ MessageError::PeerLost { .. }) => {
                    missing = Some(error);
                    break;
                }
                Err(error @ MessageError::PeerEnded { failed: true, .. }) => {
                    missing = match self.told_loss(rank, members) {
                        Some(rank) => Some(MessageError::PeerLost { rank }),
                        None => missing.or(Some(error)),
                    };
                }
                _ => {}
            }
        }
        let Some(missing) = missing else { return Ok(()) };
        let will_be_released = |&rank: &Rank| self.is_held(rank) && self.check_source(rank).is_ok();
        if members.iter().any(will_be_released) { Ok(()) } else { Err(missing) }
    }

    /// In a collective, and where groups are made, who is waited for waits for what was posted to it
    /// before: fails if a barrier that can never complete contains that.
    fn check_is_heard(&self, context: Context, source: Source) -> Result<(), MessageError> {
        let Source::Rank(rank) = source else { return Ok(()) };
        if context.lane() == Some(Lane::Program) {
            return Ok(());
        }
        let last = self.peers[rank].outbox.iter().rfind(|queued| queued.header.context == context);
        last.map_or(Ok(()), |last| self.check_containing(rank, last.posted))
    }

    /// Fails if nothing more can become deliverable from `rank` while this rank waits.
    pub(super) fn check_source(&self, rank: Rank) -> Result<(), MessageError> {
        if self.is_held(rank) {
            // It is deliverable as soon as its barrier, which is open here, completes, if it can.
            return self.check_open_barriers(u64::MAX, |members| members.contains(&rank));
        }
        if rank == self.rank() {
            return Err(MessageError::NothingCanArrive);
        }
        self.check_not_exhausted(rank)
    }

    /// Whether a message of `rank` is held until a barrier completes that this rank has called.
    fn is_held(&self, rank: Rank) -> bool {
        let held = self.matching.held_of(rank).next().map(|(stamp, _)| stamp);
        held.is_some_and(|stamp| stamp <= self.order.send_clock(rank))
    }

    /// Fails if `rank` has gone, and all that it had sent is here.
    pub(super) fn check_not_exhausted(&self, rank: Rank) -> Result<(), MessageError> {
        let peer = &self.peers[rank];
        if !peer.is_exhausted() {
            return Ok(());
        }
        let failed = peer.leaving.closing.is_some_and(|(_, failed)| failed);
        match peer.leaving.lost {
            true => Err(MessageError::PeerLost { rank }),
            false => Err(MessageError::PeerEnded { rank, failed }),
        }
    }

    /// Whether there is a matching message that is here, or of which what is missing can still come.
    fn may_become_whole(&self, context: Context, pattern: Pattern) -> bool {
        let first = self.matching.peek(context, pattern);
        first.is_some_and(|(from, _, message)| self.may_be_whole(from, message))
    }

    /// Whether there are matching messages, and all of them are here or can still come.
    pub(super) fn may_all_become_whole(&self, context: Context, pattern: Pattern) -> bool {
        let mut messages = self.matching.all(context, pattern).peekable();
        messages.peek().is_some()
            && messages.all(|(from, _, message)| self.may_be_whole(from, message))
    }

    fn may_be_whole(&self, from: Rank, message: &Inbound<N::Frame>) -> bool {
        let whole = match message.body {
            Body::Frame(_) | Body::Owned(_) => true,
            Body::Request { .. } => false,
            Body::Pulling { slot } => self.is_gathered(slot),
        };
        whole || !self.peers[from].is_exhausted()
    }

    /// Drops the matching message if the rest of it will never come, so that it keeps no other
    /// from those who receive from anyone.
    fn drop_unfinished(&mut self, context: Context, pattern: Pattern) {
        let Some(info) = self.peek(context, pattern) else { return };
        if self.may_become_whole(context, pattern) {
            return;
        }
        let from = info.source;
        match self.matching.take(context, pattern).map(|taken| taken.message.body) {
            Some(Body::Request { frame, .. }) => self.release(from, frame),
            Some(Body::Pulling { slot }) => self.forget_pull(from, slot),
            _ => {}
        }
    }
}

impl<F> Inbound<F> {
    /// Whether its payload is here, and not under way.
    #[inline]
    fn is_here(&self) -> bool {
        matches!(self.body, Body::Frame(_) | Body::Owned(_))
    }

    pub(super) fn is_request(&self) -> bool {
        matches!(self.body, Body::Request { .. })
    }
}

impl<F> Deliverable<Inbound<F>> {
    fn info(&self) -> Info {
        let (source, tag) = (self.source, self.tag);
        Info { source, tag, element: self.message.element, len: self.message.len }
    }

    /// What takes this message, and none before it of the same sender and tag.
    fn pattern(&self) -> Pattern {
        Pattern { source: Source::Rank(self.source), tag: Tag::Exactly(self.tag) }
    }
}
