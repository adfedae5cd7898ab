//! The fast path: a message that nothing stands before goes straight between the program and the
//! network.
//!
//! Keeps rules ORD-2, HOLD-1, CON-1, FLOW-1 and SAFE-1 of SEMANTICS.md.
//!
//! Most messages are short, find room at the receiver, and are received by a call that names their
//! sender and finds them next in its ring. The general path would find empty queues for them,
//! nothing held and nothing due. The fast path asks for all that at once, and leaves the steps in
//! between out.
//!
//! # Correctness
//!
//! The fast path may leave a message to the general path at any point. A message stays in its ring
//! until all is known of it. One that is not as expected is judged by `admit`, and nowhere else.
//!
//! The fast path serves no other rank, and others may wait for this one to act on their signals,
//! control frames and payloads. So it first asks whether any has come, and again whenever it has let
//! others run. After some calls in a row that wait, or some time in which others ran, one call takes
//! the general path, which looks for everything.

use super::Engine;
use super::send::Envelope;
use crate::message::config::{BULK, CONTROL, EAGER, SIGNAL};
use crate::message::error::MessageError;
use crate::message::header::{Header, Kind, unwrap_stamp};
use crate::message::inbound::Info;
use crate::message::matching::{Context, Pattern, RecvId, Source};
use crate::message::obstacles::Obstacles;
use crate::order::clocks::Seq;
use crate::order::{GroupId, Rank, Ticket};
use crate::sys::thread;
use crate::verbs::{Nic, Vi};

/// What asks for the next message of a sender.
#[derive(Clone, Copy, Debug)]
pub(super) enum AskedBy {
    /// A call, of all that no posted receive takes.
    Call,
    /// A call that waits for this posted receive.
    Posted(RecvId),
}

/// How long a receive on the fast path looks for its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// For as long as one that is under way takes.
    ForAWhile,
    /// Once.
    Once,
}

/// What became of a receive on the fast path.
pub(super) enum Attempt<R, F> {
    /// It is done, with this result.
    Done(R),
    /// It is for the general path, and has its closure back.
    Not(F),
}

impl<N: Nic> Engine<N> {
    /// Sends a message at once, if nothing is in its way and nothing else is due. Returns whether it
    /// did.
    #[inline(always)]
    pub(super) fn send_directly(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<bool, MessageError> {
        let free = to != self.rank()
            && payload.len() <= self.short_bytes
            && self.is_plain()
            && self.links.peer(to).has_credit(EAGER)
            // No outbox has messages, either.
            && self.has_nothing_due()
            // Then no barrier contains the message, and none that was called has yet to be entered.
            && self.order().holds_all_in_open_barriers()
            // Before and not after: it may be the word that the receiver has ended (rule END-2).
            && self.nic.is_empty(CONTROL)
            && self.hears_no_signals();
        if !free {
            return Ok(false);
        }
        let posted = self.order().post(to);
        let header = self.eager_header(envelope, posted.stamp, payload.len());
        let sent = self.post_data(to, header, payload)?;
        if sent {
            self.waiting.renew_send_turns();
            self.links.note_sent(to, self.version_to_note(), posted.stamp);
        }
        Ok(sent)
    }

    /// Receives the message that a call asks for, where no template was expected, if it is the next of
    /// its sender and may be delivered.
    #[inline(never)]
    pub(super) fn recv_asking<R, F: FnOnce(&Info, &[u8]) -> R>(
        &mut self,
        (context, pattern): (Context, Pattern),
        by: AskedBy,
        takes: &impl Fn(&Info) -> bool,
        read: F,
    ) -> Result<Attempt<R, F>, MessageError> {
        let found = self.look_for(context, pattern, by)?;
        let Some(info) = found else { return Ok(Attempt::Not(read)) };
        Ok(self.recv_next(
            (info.source, Looks::ForAWhile),
            |bytes| {
                // Whoever shares the memory may have written to it since.
                let payload = bytes.get(Header::BYTES..)?;
                Some((Info { len: payload.len(), ..info }, payload))
            },
            takes,
            read,
        ))
    }

    /// Looks whether the next message of the sender that a receive asks for lies there or comes soon,
    /// is plain, is asked for and may be delivered. Notes what the one after it will be like.
    #[inline(never)]
    fn look_for(
        &mut self,
        context: Context,
        pattern: Pattern,
        by: AskedBy,
    ) -> Result<Option<Info>, MessageError> {
        let Source::Rank(from) = pattern.source else { return Ok(None) };
        if !self.may_look_for(context, from, by)? {
            return Ok(None);
        }
        debug_assert_ne!(self.order().is_member(context.group(), from), Some(false));
        let vi = Vi { peer: from, cq: EAGER };
        let lies_there = self.nic.peek_recv(vi).is_some() || self.comes_soon(vi);
        if self.links.peer(from).fills_matched() && !self.matching.has_any_matched() {
            self.links.handle_none_kept(from);
        }
        if self.links.peer(from).fills_matched() || !lies_there {
            return Ok(None);
        }
        let recv_clock = self.order().recv_clock(from);
        let Some(bytes) = self.nic.peek_recv(vi) else { return Ok(None) };
        // One that is not plain stays where it is: the general path finds and judges it.
        let Ok((header, _)) = Header::decode(bytes) else { return Ok(None) };
        let stamp = unwrap_stamp(header.stamp, recv_clock);
        // Asked once more, on the general path, it says the same.
        let is_plain = self.matching.handle_stamp_to_deliver(from, stamp, recv_clock)
            && header.kind == Kind::Eager
            && header.element != Envelope::CONFIRMED
            && header.context == context
            && pattern.takes(from, header.tag);
        if !is_plain {
            return Ok(None);
        }
        // If the call does not take it, it comes by the general path, and this is forgotten.
        let version = self.version_to_note();
        self.links.note_received(from, version, (context, header.template()));
        let Header { tag, element, len, .. } = header;
        Ok(Some(Info { source: from, tag, element, len: len as usize }))
    }

    /// Receives the next message of a sender, if it has come or comes while this looks for it, and `judge` finds that
    /// it is plain and may be delivered.
    #[inline(always)]
    pub(super) fn recv_next<R, F: FnOnce(&Info, &[u8]) -> R>(
        &mut self,
        (from, looks): (Rank, Looks),
        judge: impl for<'b> FnOnce(&'b [u8]) -> Option<(Info, &'b [u8])>,
        takes: &impl Fn(&Info) -> bool,
        read: F,
    ) -> Attempt<R, F> {
        let vi = Vi { peer: from, cq: EAGER };
        let mut looked = looks == Looks::Once;
        let bytes = loop {
            if let Some(bytes) = self.nic.peek_recv(vi) {
                break bytes;
            }
            if looked || !self.comes_soon(vi) {
                return Attempt::Not(read);
            }
            looked = true;
        };
        // A message that is not plain stays where it is: the general path finds and judges it.
        let Some((info, payload)) = judge(bytes) else { return Attempt::Not(read) };
        if info.len > self.config.message_bytes || !takes(&info) {
            return Attempt::Not(read);
        }
        let result = read(&info, payload);
        self.nic.take_peeked(vi);
        self.waiting.handle_taken();
        self.stats.messages_received += 1;
        if self.links.handle_received_and_consumed(&mut self.obstacles, from, EAGER) {
            self.tell_at_once();
        }
        Attempt::Done(result)
    }

    /// Whether the next message of a sender is the one to be received, and nothing comes before it.
    #[inline(always)]
    fn may_look_for(
        &mut self,
        context: Context,
        from: Rank,
        by: AskedBy,
    ) -> Result<bool, MessageError> {
        if !self.is_plain() {
            return Ok(false);
        }
        if self.order().awaited().next().is_some() {
            // What has completed releases what comes next, or what has come and is held.
            self.look_at_board()?;
        }
        Ok(self.waiting.has_turn()
            && from != self.rank()
            && self.is_first_for(context, from, by)
            && self.nobody_waits())
    }

    /// Whether nothing of a sender comes before its next message, and no other receive could take that.
    #[inline(always)]
    pub(super) fn is_first_for(&self, context: Context, from: Rank, by: AskedBy) -> bool {
        match by {
            AskedBy::Call => {
                self.matching.is_clear_of(context, from)
                    // What comes for a posted receive may be a request for room.
                    && !self.obstacles.has_any(Obstacles::POSTED)
            }
            AskedBy::Posted(id) => self.matching.next_of(id, from).is_some(),
        }
    }

    /// Enters a barrier of a group on the board, if nothing keeps it back and nothing else is due.
    #[inline(always)]
    pub(super) fn enter_directly(
        &mut self,
        group: GroupId,
    ) -> Result<Option<Ticket>, MessageError> {
        let free = self.barriers.has_board()
            && self.is_plain()
            && self.has_nothing_due()
            && self.nic.is_empty(CONTROL)
            && self.hears_no_signals();
        if !free {
            return Ok(None);
        }
        self.barriers.note_sole(group);
        self.waiting.renew_enter_turns();
        if let Some(sole) = self.barriers.sole_group(group) {
            return self.enter_sole(sole).transpose();
        }
        let entered = self.barriers.enter_published(&self.nic, group);
        let entered = self.remember(entered)?;
        // Mostly it has completed nothing.
        if entered.is_some() && self.barriers.has_completed() {
            self.handle_released()?;
        }
        Ok(entered)
    }

    /// Looks at the board alone, for a while. Returns whether all barriers up to `seq` are complete.
    ///
    /// Messages from before the barrier have not been looked for then: every poll does that itself
    /// (rule FEN-1).
    #[inline(always)]
    pub(super) fn completes_directly(&mut self, seq: Seq) -> Result<bool, MessageError> {
        let plain = self.barriers.has_board()
            && self.is_plain()
            && self.waiting.has_turn()
            && !self.obstacles.has_any(Obstacles::POSTED)
            && self.nobody_waits()
            // Else nothing on the board is waited for.
            && (self.order().awaited().next().is_some() || self.order().is_complete_through(seq));
        if !plain {
            return Ok(false);
        }
        self.waiting.handle_turn();
        for _ in 0..self.waiting.looks() {
            if self.order().is_complete_through(seq) {
                return Ok(true);
            }
            self.look_at_board()?;
        }
        Ok(self.order().is_complete_through(seq))
    }

    /// Takes in what others have published, and what follows if a barrier has completed.
    #[inline(always)]
    pub(super) fn look_at_board(&mut self) -> Result<(), MessageError> {
        let found = self.barriers.poll_board(&self.nic);
        if self.remember(found)? { self.handle_released() } else { Ok(()) }
    }

    /// Barriers have completed: looks at what was held, and sends on what was kept back for them.
    pub(super) fn handle_released(&mut self) -> Result<(), MessageError> {
        self.handle_completions();
        if self.matching.is_settled() && self.has_nothing_due() {
            return Ok(());
        }
        let result = self.settle_matches().and_then(|()| self.flush());
        self.remember(result)
    }

    /// Whether nothing has come that others may need this rank to act on, and nothing is due.
    #[inline(always)]
    pub(super) fn nobody_waits(&mut self) -> bool {
        self.has_nothing_due()
            && !self.obstacles.has_any(Obstacles::UNSETTLED)
            && (self.gathering.is_empty() || self.nic.is_empty(BULK))
            && self.nic.is_empty(CONTROL)
            && self.hears_no_signals()
    }

    /// Whether a call that posts a receive may leave what has come where it lies: others need nothing of this rank, and
    /// it has not posted as many receives as a window has messages since it last took one in. (What lies there may keep
    /// others from sending, once it fills the window.) Nor may a large payload wait for this rank: the sender copies it.
    #[inline(always)]
    pub(super) fn may_leave_what_came(&mut self, source: Source) -> bool {
        source.rank().is_some_and(|from| self.copies_payloads_to(from))
            && !self.obstacles.has_any(Obstacles::TO_ENTER)
            && self.has_nothing_due()
            && self.waiting.has_post_turn(self.config.window_messages)
            && (!self.waiting.is_post_to_look()
                || self.nic.is_empty(CONTROL) && self.hears_no_signals())
    }

    /// Looks for a while whether anything comes on `vi`. In a crowd it lets others run meanwhile.
    #[inline(never)]
    fn comes_soon(&mut self, vi: Vi) -> bool {
        // A network that shows nothing where it lies cannot say.
        if !self.nic.has_nothing_from(vi) {
            return true;
        }
        let (looks, turns) = (self.waiting.looks(), self.waiting.turns_for_others());
        for look in 1..looks + turns {
            if look < looks {
                thread::one_at_a_time();
            } else if !self.let_others_run(look == looks) {
                return false;
            }
            if !self.nic.has_nothing_from(vi) {
                return true;
            }
        }
        false
    }

    /// Whether no signals have come that others may need this rank to act on, and no word of another
    /// host.
    #[inline(always)]
    pub(super) fn hears_no_signals(&mut self) -> bool {
        (!self.order().expects_signals()
            || self.nic.is_empty(SIGNAL) && self.barriers.are_cells_quiet(&self.nic))
            && self.barriers.are_hosts_quiet(&self.nic)
    }

    /// Whether the world goes on and nobody is about to leave it.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.check_obstacles();
        !self.obstacles.has_any(Obstacles::UNUSUAL)
    }
}
