//! Sending: at once where there is credit and nothing contains the message, else later. A blocking
//! send waits for that; of any other, a copy waits in the peer's outbox.
//!
//! The path of a message is `send_by_template` → `send_directly` → `send_generally` → `send_posted`,
//! as far as something stands in its way. The calls differ in what they do where it may not leave
//! now: see [`Blocking`]. Stamp and containment are fixed when the program posts the message.
//!
//! Keeps rules CLK-1, CON-1, CON-3, FLOW-1 and FLOW-4 of SEMANTICS.md.

mod any;
mod lent;

pub use any::Lack;

use super::Engine;
use super::transfers::{CopyingOnce, Giving, OpenTransfer};
use crate::message::config::EAGER;
use crate::message::error::MessageError;
use crate::message::header::{Header, Kind};
use crate::message::inbound::{Body, Inbound};
use crate::message::links::QueuedMessage;
use crate::message::matching::Context;
use crate::message::transfers::kept::{Kept, SharedPayload};
use crate::message::transfers::warm::Copied;
use crate::message::waiting::WaitsFor;
use crate::order::{Clock, Posted, Rank};
use crate::verbs::{Nic, PostError, Vi};

/// How many large payloads a collective keeps for one receiver before it waits.
const BUFFERED_PAYLOADS: usize = 4;

/// What the program says of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The context that it belongs to.
    pub context: Context,
    /// Its tag.
    pub tag: u32,
    /// The size of an element in bytes; 0 where it is above 254. [`Envelope::CONFIRMED`] asks the
    /// receiver to confirm that a receive has met the message.
    pub element: u8,
}

impl Envelope {
    /// The element of a message that is to be confirmed; see `engine/confirm.rs`.
    pub const CONFIRMED: u8 = u8::MAX;

    /// The size that an element has where nothing can be confirmed.
    pub(super) fn stated(element: u8) -> u8 {
        if element == Self::CONFIRMED { 0 } else { element }
    }
}

/// A message that was posted and may not have left yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendId {
    peer: Rank,
    /// It has left the outbox when so many have.
    after: u64,
    transfer: Option<u32>,
    posted: Posted,
}

impl SendId {
    /// Of a message that has left, or was dropped.
    fn done(peer: Rank, posted: Posted) -> SendId {
        SendId { peer, after: 0, transfer: None, posted }
    }
}

/// What a call does with a message that may not leave now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocking {
    /// It waits until the message has left; the payload stays with the caller.
    Wait,
    /// It keeps a copy, which leaves later.
    Queue,
    /// It refuses the message; but one that only a barrier keeps back is queued, as many as the
    /// window has messages.
    Try,
}

impl<N: Nic> Engine<N> {
    /// Sends and waits until the message has left; then the program may use `payload` again.
    ///
    /// # Errors
    ///
    /// [`MessageError::TooLarge`], [`MessageError::PeerEnded`] or [`MessageError::PeerLost`] if the
    /// message cannot be sent; nothing of it was. Others as by [`Engine::progress`].
    #[inline]
    pub fn send(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<(), MessageError> {
        if self.send_by_template(to, envelope, payload) {
            return Ok(());
        }
        self.send_asking(to, envelope, payload)
    }

    /// As [`send`](Engine::send), of a message that fits no template.
    #[inline(never)]
    fn send_asking(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<(), MessageError> {
        match self.send_directly(to, envelope, payload)? {
            true => Ok(()),
            false => self.send_generally(to, envelope, payload, Blocking::Wait).map(drop),
        }
    }

    /// As [`send`](Engine::send), but keeps a copy of a payload above the eager limit rather than
    /// wait for the receiver to make room, as long as it keeps few for that receiver.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    pub fn send_buffered(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<(), MessageError> {
        if self.is_large(payload) && self.transfers.open_to(to) < BUFFERED_PAYLOADS {
            return self.post_send(to, envelope, payload).map(drop);
        }
        self.send(to, envelope, payload)
    }

    /// Sends at once if that needs no waiting, else keeps a copy and sends it later, in order.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    #[inline]
    #[expect(clippy::missing_panics_doc, reason = "only a call that tries is refused a message")]
    pub fn post_send(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<SendId, MessageError> {
        let sent = self.send_or(Blocking::Queue, to, envelope, payload)?;
        Ok(sent.expect("only a call that tries is refused a message"))
    }

    /// A copy of these bytes behind `head`, in memory that this rank keeps from one to the next.
    pub fn copy_behind(&self, head: &[u8], bytes: &[u8]) -> Copied {
        self.transfers.copy_behind(head, bytes)
    }

    /// As [`post_send`](Engine::post_send), of a payload that others have too. If it is above the
    /// eager limit and no copy goes to its receiver, it is kept as it is. The last who has it drops it.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    #[inline(never)]
    pub fn post_send_shared(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: SharedPayload,
    ) -> Result<SendId, MessageError> {
        let giving = Giving::share(self, payload.clone());
        giving.engine.post_send(to, envelope, (*payload).as_ref())
    }

    /// As [`post_send`](Engine::post_send), of the same to each of `receivers`, which come with what the
    /// caller calls them. Hands that to `handle_posted`, and what became of the message: None if it has
    /// left. One copy of a large payload serves all.
    ///
    /// # Errors
    ///
    /// The first of `handle_posted`; the message was posted to no receiver after that one.
    pub fn post_send_to_each<K, E>(
        &mut self,
        mut receivers: impl Iterator<Item = (K, Rank)>,
        envelope: Envelope,
        payload: &[u8],
        mut handle_posted: impl FnMut(K, Result<Option<SendId>, MessageError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let copying = CopyingOnce::begin(self);
        let engine = &mut *copying.engine;
        receivers.try_for_each(|(name, to)| {
            let posted = engine.post_send(to, envelope, payload);
            handle_posted(name, posted.map(|id| (!engine.is_sent(id)).then_some(id)))
        })
    }

    /// Sends if that needs no waiting; returns whether it did. A message that only containment
    /// keeps back counts as sent: it is queued, as many as the window has messages.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    pub fn try_send(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<bool, MessageError> {
        self.progress()?;
        let sent = self.try_send_now(to, envelope, payload)?;
        if !sent {
            self.wake_about_news(to);
        }
        Ok(sent)
    }

    /// As [`try_send`](Engine::try_send), without taking in messages before.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    pub fn try_send_now(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<bool, MessageError> {
        Ok(self.send_or(Blocking::Try, to, envelope, payload)?.is_some())
    }

    /// Sends at once if nothing is in the way; what else, `blocking` says.
    #[inline(always)]
    fn send_or(
        &mut self,
        blocking: Blocking,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<Option<SendId>, MessageError> {
        if self.send_by_template(to, envelope, payload)
            || self.send_directly(to, envelope, payload)?
        {
            return Ok(Some(SendId::done(to, self.order().post(to))));
        }
        self.send_generally(to, envelope, payload, blocking)
    }

    /// Sends a message for which the fast path is not the way. None if it was refused.
    fn send_generally(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
        blocking: Blocking,
    ) -> Result<Option<SendId>, MessageError> {
        self.check_len(payload.len())?;
        if to == self.rank() {
            self.send_to_self(envelope, payload.to_vec())?;
            return Ok(Some(SendId::done(to, self.order().post(to))));
        }
        self.progress_urgent()?;
        // Mostly a frame had come, and nothing is in the way now.
        if self.send_directly(to, envelope, payload)? {
            return Ok(Some(SendId::done(to, self.order().post(to))));
        }
        if blocking == Blocking::Queue && self.fills_window(to, payload) {
            self.let_others_run(true);
            self.progress_urgent()?;
            if self.send_directly(to, envelope, payload)? {
                return Ok(Some(SendId::done(to, self.order().post(to))));
            }
        }
        let posted = self.order().post(to);
        let sent = self.send_posted(to, (envelope, posted), payload, blocking);
        self.links.excuse(to, posted.stamp, sent, Some(SendId::done(to, posted)))
    }

    /// Sends a message that was posted just now, once it may leave. None if it was refused.
    fn send_posted(
        &mut self,
        to: Rank,
        (envelope, posted): (Envelope, Posted),
        payload: &[u8],
        blocking: Blocking,
    ) -> Result<Option<SendId>, MessageError> {
        self.links.check_hears(to)?;
        match blocking {
            Blocking::Wait => {
                self.wait_until_free(to, (envelope, posted))?;
                self.send_free(to, (envelope, posted), payload)?;
                return Ok(Some(SendId::done(to, posted)));
            }
            Blocking::Try if !self.may_be_tried(to, posted) => {
                // Else nobody would look: this call does not wait.
                self.note_loss(to);
                return self.links.check_hears(to).map(|()| None);
            }
            Blocking::Try | Blocking::Queue => {}
        }
        if self.is_large(payload) {
            self.poll_copies()?;
            let header = self.open_request(to, (envelope, posted), payload.len());
            let shown = self.keep_payload(to, header.transfer, payload);
            let after = self.queue(to, header, posted, Kept::NONE);
            if let Some(shown) = shown {
                self.fill_copy(to, shown, payload);
            }
            return Ok(Some(SendId { peer: to, after, transfer: Some(header.transfer), posted }));
        }
        let header = self.eager_header(envelope, posted.stamp, payload.len());
        if self.is_free(to, posted) {
            if self.post_data(to, header, payload)? {
                return Ok(Some(SendId::done(to, posted)));
            }
            self.check_not_gone(to)?;
        }
        let kept = self.transfers.kept_short(payload);
        let after = self.queue(to, header, posted, kept);
        Ok(Some(SendId { peer: to, after, transfer: None, posted }))
    }

    /// Whether sending to a peer waits neither for credit nor for others that were posted before.
    fn is_ready(&self, to: Rank) -> bool {
        self.links.peer(to).has_credit(EAGER) && self.links.queued(to).is_empty()
    }

    /// Whether a message that this rank would keep is the first that finds the window of its receiver
    /// full, and ranks share this core: then the receiver may want it, and have room afterwards. To keep
    /// messages costs more than to let it run. The next are kept at once, as the receiver may compute.
    fn fills_window(&self, to: Rank, payload: &[u8]) -> bool {
        self.waiting.turns_for_others() > 0
            && !self.is_large(payload)
            && !self.links.peer(to).has_credit(EAGER)
            && self.links.queued(to).is_empty()
            // Else room would not help.
            && self.links.check_hears(to).is_ok()
            && self.order().may_leave(to, self.order().post(to))
    }

    /// Whether nothing keeps a message back: neither credit, nor others before it, nor a barrier.
    fn is_free(&self, to: Rank, posted: Posted) -> bool {
        self.is_ready(to) && self.order().may_leave(to, posted)
    }

    /// Whether a call that may not wait sends a message, or queues it.
    pub(super) fn may_be_tried(&self, to: Rank, posted: Posted) -> bool {
        let contained = !self.order().may_leave(to, posted);
        let queued = self.links.queued(to).len();
        self.is_free(to, posted) || contained && queued < self.config.window_messages as usize
    }

    fn wait_until_free(
        &mut self,
        to: Rank,
        (envelope, posted): (Envelope, Posted),
    ) -> Result<(), MessageError> {
        self.wait_until(
            WaitsFor::Send { to, context: Some(envelope.context) },
            |engine| {
                // The frame that opens the window may be the receiver's last.
                engine.links.check_hears(to)?;
                Ok(engine.is_free(to, posted).then_some(()))
            },
            |engine| engine.check_containing(to, posted),
        )
    }

    /// Sends a message that nothing keeps back but the network, and waits until it has left, with a
    /// payload that stays with the caller.
    fn send_free(
        &mut self,
        to: Rank,
        (envelope, posted): (Envelope, Posted),
        payload: &[u8],
    ) -> Result<(), MessageError> {
        let context = envelope.context;
        if !self.is_large(payload) {
            let header = self.eager_header(envelope, posted.stamp, payload.len());
            return self
                .post_until_taken(to, context, |engine| engine.post_data(to, header, payload));
        }
        self.poll_copies()?;
        let header = self.open_request(to, (envelope, posted), payload.len());
        let mut open = OpenTransfer { engine: self, to, id: header.transfer, is_requested: false };
        let engine = &mut *open.engine;
        engine.post_until_taken(to, context, |engine| {
            engine.post_request(to, header, Some(payload))
        })?;
        open.is_requested = true;
        let engine = &mut *open.engine;
        engine.stream_until_done(to, header.transfer, context, payload)
    }

    /// Whether this rank keeps a payload of so many bytes until its receiver has got it, so that a
    /// copy of it pays to be spared.
    pub fn keeps_payloads(&self, to: Rank, len: usize) -> bool {
        len > self.config.eager_bytes && to != self.rank() && !self.transfers.copies(to)
    }

    /// Whether a receiver may read a payload of so many bytes in the memory of this rank, though the network
    /// copies others for it.
    pub fn may_lend_payload(&self, to: Rank, len: usize) -> bool {
        len > self.config.eager_bytes && to != self.rank() && self.transfers.copies(to)
    }

    /// Whether a payload goes with a request for room before it.
    fn is_large(&self, payload: &[u8]) -> bool {
        payload.len() > self.config.eager_bytes
    }

    /// Whether the message has left, after making progress; see [`is_sent`](Engine::is_sent).
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn test_sent(&mut self, id: SendId) -> Result<bool, MessageError> {
        self.progress()?;
        if !self.is_sent(id) {
            self.note_loss(id.peer);
            self.wake_about_news(id.peer);
        }
        Ok(self.is_sent(id))
    }

    /// Whether the message has left, with all its payload; or never will, since its destination has
    /// ended.
    pub fn is_sent(&self, id: SendId) -> bool {
        self.links.is_cut(id.peer) || self.has_left(id)
    }

    fn has_left(&self, id: SendId) -> bool {
        let is_under_way = |transfer| self.transfers.is_owed(id.peer, transfer);
        self.links.has_left(id.peer, id.after) && !id.transfer.is_some_and(is_under_way)
    }

    /// Waits until the message has left.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    pub fn wait_sent(&mut self, id: SendId) -> Result<(), MessageError> {
        self.wait_until(
            WaitsFor::Send { to: id.peer, context: None },
            |engine| Ok(engine.is_sent(id).then_some(())),
            |engine| engine.check_containing(id.peer, id.posted),
        )?;
        let left = if self.has_left(id) { Ok(()) } else { self.check_not_gone(id.peer) };
        self.links.excuse(id.peer, id.posted.stamp, left, ())
    }

    /// Fails if nothing that is sent to `to` now can ever leave: it receives nothing more, or what
    /// waits for it already is contained by a barrier that can never complete.
    fn check_may_be_sent_to(&self, to: Rank) -> Result<(), MessageError> {
        self.links.check_hears(to)?;
        let first = self.links.queued(to).front();
        first.map_or(Ok(()), |first| self.check_containing(to, first.posted))
    }

    /// As `check_hears`, after a send to `to` has not gone through.
    pub(super) fn check_not_gone(&mut self, to: Rank) -> Result<(), MessageError> {
        if self.links.peer(to).presence().has_failed() {
            // Its last words may lie in the inbox still.
            self.progress()?;
            self.note_gone(to);
        }
        self.links.check_hears(to)
    }

    fn check_len(&self, len: usize) -> Result<(), MessageError> {
        let limit = self.config.message_bytes;
        if len > limit { Err(MessageError::TooLarge { len, limit }) } else { Ok(()) }
    }

    #[inline]
    pub(super) fn eager_header(&self, envelope: Envelope, stamp: Clock, len: usize) -> Header {
        let Envelope { context, tag, element } = envelope;
        // The short lengths of the fast path have no more bits than these.
        let len = u64::from(len as u32);
        Header { kind: Kind::Eager, element, context, tag, stamp, len, transfer: 0 }
    }

    /// Opens the transfer of a large payload; returns the header of its request.
    fn open_request(
        &mut self,
        to: Rank,
        (envelope, posted): (Envelope, Posted),
        len: usize,
    ) -> Header {
        let transfer = self.transfers.open(&mut self.obstacles, to, len);
        let header = self.eager_header(envelope, posted.stamp, len);
        Header { kind: Kind::Request, len: len as u64, transfer, ..header }
    }

    /// Puts a message into the outbox; returns how many have left it when this one has. It is posted then,
    /// whatever the flush meets: a caller that is told of an error takes its payload back.
    fn queue(&mut self, to: Rank, header: Header, posted: Posted, payload: Kept) -> u64 {
        let message = QueuedMessage { header, posted, payload, is_cancelled: false };
        let after = self.links.queue(&mut self.obstacles, to, message);
        if let Err(error) = self.flush() {
            // What the network has refused stays due, so the next call that makes progress fails by it. Else
            // this world has ended.
            self.note_failure(&error);
        }
        after
    }

    /// Posts a data frame for which there is credit; returns false if the network has no room for
    /// it, or if the peer has gone and is cut off.
    #[inline(always)]
    pub(super) fn post_data(
        &mut self,
        to: Rank,
        header: Header,
        payload: &[u8],
    ) -> Result<bool, MessageError> {
        match self.post_frame(to, header, payload) {
            Ok(()) => Ok(true),
            Err(refused) => self.handle_refused(to, refused),
        }
    }

    /// The same, and leaves it to the caller what becomes of a frame that was not taken.
    #[inline(always)]
    pub(super) fn post_frame(
        &mut self,
        to: Rank,
        header: Header,
        payload: &[u8],
    ) -> Result<(), PostError> {
        self.nic.post_send(Vi { peer: to, cq: EAGER }, &header.encode(), payload)?;
        self.links.handle_sent(to, EAGER);
        self.stats.messages_sent += 1;
        Ok(())
    }

    /// Posts by `post`, which says whether the network had room, until it had.
    pub(super) fn post_until_taken(
        &mut self,
        to: Rank,
        context: Context,
        post: impl Fn(&mut Self) -> Result<bool, MessageError>,
    ) -> Result<(), MessageError> {
        // Where the network itself is full, it tells when it has room again.
        self.wait_until(
            WaitsFor::Send { to, context: Some(context) },
            |engine| {
                if post(engine)? {
                    return Ok(Some(()));
                }
                engine.check_not_gone(to).map(|()| None)
            },
            |_| Ok(()),
        )
    }

    fn send_to_self(&mut self, envelope: Envelope, payload: Vec<u8>) -> Result<(), MessageError> {
        self.check_broken()?;
        let Envelope { context, tag, element } = envelope;
        let (len, body) = (payload.len(), Body::Owned(payload));
        self.arrive_from_self(Inbound { context, tag, element, len, body })
    }
}
