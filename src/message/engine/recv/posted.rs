//! Posted receives: a program posts one, goes on, and later tests or waits for its message.
//!
//! Keeps rules ORD-2, HOLD-3, END-2, FLOW-4 and FLOW-5 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A message that has come meets its receive when this rank takes it in. A post need not do that: what lies in the ring
//! meets the receives in the order in which these were posted, whenever it is taken in. The call that waits for a posted receive
//! may take the next message of its sender out of the ring itself, past the general way, if that way would have given
//! it to this receive: no message of the sender waits already, and no receive that was posted before names this sender
//! or anybody. What was noted of the last message (`templates`) then holds for a posted receive as for a call.

use super::Destination;
use crate::message::engine::Engine;
use crate::message::engine::fast_path::{AskedBy, Attempt, Looks};
use crate::message::error::MessageError;
use crate::message::inbound::{Asked, Body, Inbound, Info};
use crate::message::matching::{
    Context, Deliverable, Lane, Pattern, RecvId, RecvRoom, Source, Tag,
};
use crate::message::obstacles::Obstacles;
use crate::message::waiting::{Activity, WaitsFor};
use crate::order::Rank;
use crate::verbs::Nic;

/// While it is there, a call waits for a receive that may have the call's memory. It has it no more when this is
/// dropped, also when the stack is unwound, as where a handler of stalls panics: then the receive is posted still.
struct LendingRoom<'e, N: Nic> {
    engine: &'e mut Engine<N>,
    id: RecvId,
}

impl<N: Nic> Drop for LendingRoom<'_, N> {
    fn drop(&mut self) {
        self.engine.take_out_of_room(self.id);
        self.engine.matching.take_room_back(self.id);
    }
}

impl<N: Nic> Engine<N> {
    /// Posts a receive: it gets the first matching message that no earlier receive takes.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn post_recv(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Result<RecvId, MessageError> {
        let id = self.add_recv(context, pattern);
        if self.may_leave_what_came(pattern.source) {
            return Ok(id);
        }
        if let Err(error) = self.progress() {
            self.cancel_recv(id);
            return Err(error);
        }
        Ok(id)
    }

    /// As [`post_recv`](Engine::post_recv), with the memory where the payload goes: it may be there before the
    /// receive is [finished](Engine::finish_recv_into), into the same memory.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    ///
    /// # Safety
    ///
    /// `room` can be written, and nobody else reads or writes it, until the receive has ended: it was finished,
    /// [cancelled](Engine::cancel_recv) or [discarded](Engine::discard_recv), or the engine was dropped.
    pub unsafe fn post_recv_into(
        &mut self,
        context: Context,
        pattern: Pattern,
        room: *mut [u8],
    ) -> Result<RecvId, MessageError> {
        // SAFETY: the caller promises it.
        let id = unsafe { self.add_recv_into(context, pattern, room) };
        // Where the stack is unwound, the receive has the memory no more.
        let lending = LendingRoom { engine: self, id };
        if let Err(error) = lending.engine.progress() {
            lending.engine.cancel_recv(id);
            return Err(error);
        }
        std::mem::forget(lending);
        Ok(id)
    }

    /// As [`post_recv`](Engine::post_recv), for a caller that makes [progress](Engine::progress) after several.
    pub fn add_recv(&mut self, context: Context, pattern: Pattern) -> RecvId {
        let after = self.initiated();
        self.matching.post(&mut self.obstacles, context, pattern, after)
    }

    /// As [`add_recv`](Engine::add_recv), with the memory where the payload goes, as for
    /// [`post_recv_into`](Engine::post_recv_into).
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn add_recv_into(
        &mut self,
        context: Context,
        pattern: Pattern,
        room: *mut [u8],
    ) -> RecvId {
        let id = self.add_recv(context, pattern);
        // SAFETY: the caller promises it.
        self.matching.lend_room(id, unsafe { RecvRoom::new(room) });
        id
    }

    /// Whether the message of a receive that was posted for `source` is complete.
    ///
    /// # Errors
    ///
    /// [`MessageError::PeerEnded`] or [`MessageError::PeerLost`] if it can never arrive; others as
    /// by [`Engine::progress`].
    pub fn test_recv(&mut self, id: RecvId, source: Source) -> Result<bool, MessageError> {
        self.progress()?;
        self.look_at_recv(id, source)
    }

    /// As [`test_recv`](Engine::test_recv), without making progress before.
    pub(in crate::message::engine) fn look_at_recv(
        &mut self,
        id: RecvId,
        source: Source,
    ) -> Result<bool, MessageError> {
        if self.is_received(id)? {
            return Ok(true);
        }
        let from = match (self.matching.matched(id), source) {
            (Some(matched), _) => matched.source,
            // A later call of this rank may send to itself, or enter the barrier that a held
            // message waits for.
            (None, Source::Rank(rank)) if rank != self.rank() && !self.matching.holds_of(rank) => {
                rank
            }
            _ => return Ok(false),
        };
        self.note_loss(from);
        self.links.check_not_exhausted(from).map(|()| false)
    }

    /// Waits for the message of a posted receive and hands it over, as [`recv`](Engine::recv) does.
    /// The posted receive ends in any case. A message that `accept` refuses can still be received
    /// otherwise.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    pub fn finish_recv<R, E: From<MessageError>>(
        &mut self,
        id: RecvId,
        source: Source,
        accept: impl Fn(&Info) -> Result<(), E>,
        read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, E> {
        match self.finish_directly(id, source, &accept, read)? {
            Attempt::Done(result) => Ok(result),
            Attempt::Not(read) => {
                let matched = self.wait_for_posted(id, source, accept)?;
                Ok(self.hand_over_taken(matched, read)?)
            }
        }
    }

    /// Finishes a posted receive on the fast path, if its message is the next of its sender.
    #[inline]
    fn finish_directly<R, E: From<MessageError>, F: FnOnce(&Info, &[u8]) -> R>(
        &mut self,
        id: RecvId,
        source: Source,
        accept: &impl Fn(&Info) -> Result<(), E>,
        read: F,
    ) -> Result<Attempt<R, F>, MessageError> {
        let Source::Rank(from) = source else { return Ok(Attempt::Not(read)) };
        let Some((context, pattern)) = self.next_directly(id, from) else {
            return Ok(Attempt::Not(read));
        };
        let takes = |info: &Info| accept(info).is_ok();
        let attempt = match self.template_for_posted(id, context, from) {
            Some(expected) => {
                self.recv_by_template((pattern.tag, Looks::ForAWhile), expected, &takes, read)
            }
            // The receive ends in any case.
            None => self
                .recv_asking((context, pattern), AskedBy::Posted(id), &takes, read)
                .inspect_err(|_| self.cancel_recv(id))?,
        };
        if let Attempt::Done(_) = attempt {
            self.matching.handle_received(&mut self.obstacles, id, context);
        }
        Ok(attempt)
    }

    /// The context and the pattern of a posted receive that the next message of this sender may finish on the fast path.
    #[inline(always)]
    pub(super) fn next_directly(&self, id: RecvId, from: Rank) -> Option<(Context, Pattern)> {
        let (context, pattern) = self.matching.next_of(id, from)?;
        // What a library awaits may come another way, as confirmations do. And who waits for one sender alone must look
        // for others now and then, if it has posted for them: their messages may fill a window, or ask for room.
        let is_turn_of_others =
            || !self.waiting.has_short_turn() && self.matching.has_posted_for_others(from);
        let is_direct = context.lane() != Some(Lane::Library) && !is_turn_of_others();
        is_direct.then_some((context, pattern))
    }

    /// As [`finish_recv`](Engine::finish_recv), but puts the payload to where `into` wants it.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    pub fn finish_recv_into<E: From<MessageError>>(
        &mut self,
        id: RecvId,
        source: Source,
        accept: impl Fn(&Info) -> Result<(), E>,
        mut into: impl Destination,
    ) -> Result<Info, E> {
        let read = |info: &Info, payload: &[u8]| {
            into.put(0, payload);
            *info
        };
        if let Attempt::Done(info) = self.finish_directly(id, source, &accept, read)? {
            return Ok(info);
        }
        if self.matching.room_of(id).is_none()
            && let Some(room) = into.whole().filter(|room| room.len() > self.config.eager_bytes)
        {
            // SAFETY: the room is the receive's until `lending` is dropped, and `into` is used after that.
            self.matching.lend_room(id, unsafe { RecvRoom::new(room) });
        }
        let lending = LendingRoom { engine: self, id };
        let matched = lending.engine.wait_for_posted(id, source, accept)?;
        drop(lending);
        let info = matched.info();
        if !self.is_brought(&matched, &mut into)? {
            self.hand_over_taken(matched, |_, payload| into.put(0, payload))?;
        }
        Ok(info)
    }

    /// Waits for the message of a posted receive and takes it, if the call accepts it. The receive ends in any case.
    fn wait_for_posted<E: From<MessageError>>(
        &mut self,
        id: RecvId,
        source: Source,
        accept: impl FnOnce(&Info) -> Result<(), E>,
    ) -> Result<Deliverable<Inbound<N::Frame>>, E> {
        let waited = self.wait_until(
            WaitsFor::Posted { id, source },
            |engine| Ok(engine.is_received(id)?.then_some(())),
            |engine| engine.check_can_be_received(id, source),
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
        if self.obstacles.has_any(Obstacles::UNSETTLED) {
            self.confirm_matched(id);
            self.tell_at_once();
        }
        match self.matching.take_matched(&mut self.obstacles, id) {
            Some(matched) => Ok(matched),
            None => unreachable!("a received message is matched"),
        }
    }

    /// Fails if the message of a receive that was posted for `source` can never be complete, or might
    /// never be; see [`check_receivable`](Engine::check_receivable).
    pub(in crate::message::engine) fn check_can_be_received(
        &self,
        id: RecvId,
        source: Source,
    ) -> Result<(), MessageError> {
        match self.matching.matched(id) {
            Some(matched) => self.links.check_not_exhausted(matched.source),
            None => self.check_receivable(self.matching.context_of(id), source),
        }
    }

    /// Cancels a posted receive. A message that it has matched returns to its place in the queue.
    pub fn cancel_recv(&mut self, id: RecvId) {
        if self.keeps_unexpected {
            // Those around its place may have left their descriptors; see `make_room_of_unexpected`.
            self.copy_out(id);
        }
        self.take_out_of_room(id);
        if let Some(from) = self.matching.cancel(&mut self.obstacles, id) {
            self.links.forget_received(from);
        }
    }

    /// The activity, for stall reports, of a rank that waits for a posted receive.
    pub(in crate::message) fn activity_of_posted(&self, id: RecvId, source: Source) -> Activity {
        if let Some(matched) = self.matching.matched(id) {
            return Activity::Rendezvous { peer: matched.source };
        }
        let (context, pattern) = (self.matching.context_of(id), self.matching.pattern_of(id));
        let tag = pattern.map_or(Tag::Any, |pattern| pattern.tag);
        Activity::Receive { source, tag, context }
    }

    pub(super) fn is_received(&mut self, id: RecvId) -> Result<bool, MessageError> {
        if self.matching.matched(id).is_some_and(|matched| matched.message.is_request()) {
            self.start_matched(id)?;
        }
        if let Some((slot, _)) = self.matching.gathered_by(id) {
            self.take_filled_posted(id, slot);
        }
        Ok(match self.matching.matched(id).map(|matched| &matched.message.body) {
            None => false,
            Some(Body::Gathering { slot, .. }) if self.gathering.is_whole(*slot) => true,
            Some(Body::Gathering { .. }) => {
                if let Some(from) = self.matching.matched(id).map(|matched| matched.source) {
                    self.start_next(from)?;
                }
                false
            }
            Some(_) => true,
        })
    }

    /// Discards unwanted messages, and settles the receives that have matched: copies messages out
    /// of scarce descriptors and starts transfers.
    pub(in crate::message) fn settle_matches(&mut self) -> Result<(), MessageError> {
        self.discard_unwanted();
        while let Some(id) = self.matching.next_unsettled(&mut self.obstacles) {
            self.confirm_matched(id);
            self.settle_room(id);
            match self.start_matched(id) {
                // The call that waits for the message reports it.
                Ok(()) | Err(MessageError::OutOfMemory { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn start_matched(&mut self, id: RecvId) -> Result<(), MessageError> {
        let Some(matched) = self.matching.matched(id) else { return Ok(()) };
        let Some(Asked { transfer, exposure }) = self.asked_by(&matched.message.body) else {
            return Ok(());
        };
        let (from, len) = (matched.source, matched.message.len);
        let slot = self.start_transfer(from, transfer, len, exposure)?;
        let Some(matched) = self.matching.matched_mut(id) else { return Ok(()) };
        let gathering = Body::Gathering { slot };
        if let Body::Request { frame, .. } = std::mem::replace(&mut matched.message.body, gathering)
        {
            self.release(from, frame);
        }
        self.fetch_posted(id, slot);
        self.flush()
    }
}
