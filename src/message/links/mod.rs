//! Links: what a rank knows of each peer and owes it: credit, outboxes, control frames, and how far
//! the peer has got with leaving. One of the parts of the engine.
//!
//! | file | holds |
//! |---|---|
//! | `peer` | one peer, and the headers noted for it on the fast path |
//! | `due` | control frames that peers are to get; questions and answers |
//! | `credit` | windows and their return |
//! | `outbox` | messages that may not leave yet |
//! | `presence` | how far a peer has got with leaving |
//! | `signals` | barrier signals as frames |
//!
//! Keeps rules FLOW-1, FLOW-2, END-1, END-2, HANG-1 and SAFE-1 of SEMANTICS.md.
//!
//! The engine tells what has come from a peer (`handle_*`), and asks for what is to be sent
//! (`poll_*`). Nothing here posts but `signals`, on the network that it is handed.

mod credit;
mod due;
mod outbox;
mod peer;
mod presence;
mod signals;
#[cfg(test)]
mod tests;

pub(super) use credit::Window;
pub(super) use due::{Answer, Confirmed, DueFrame};
pub(super) use outbox::QueuedMessage;
pub(super) use peer::{NEVER, Peer};
pub(super) use presence::Closing;

use std::collections::VecDeque;

use super::config::{BULK, Config, EAGER, SIGNAL};
use super::control::{Cause, Returned};
use super::error::{MessageError, Violation};
use super::header::{Kind, Template};
use super::matching::Context;
use super::obstacles::{Obstacles, Watched};
use crate::order::{Clock, Posted, Rank};
use crate::verbs::Cq;
use peer::{ReceivedHeader, SentHeader};
use presence::Traffic;

/// What a rank knows of each peer, and owes it.
#[derive(Debug)]
pub(super) struct Links {
    own: Rank,
    peers: Vec<Peer>,
    /// Peers with frames due.
    due: Watched<Vec<Rank>>,
    /// Peers with messages in their outboxes.
    sending: Watched<Vec<Rank>>,
}

/// # What is known
impl Links {
    /// Those of rank `own`; `lossy` says whether signals may be lost.
    pub(super) fn new(own: Rank, size: usize, config: &Config, lossy: bool) -> Links {
        Links {
            own,
            peers: (0..size).map(|_| Peer::new(config, lossy)).collect(),
            due: Watched::new(Obstacles::CONTROL_DUE, Vec::with_capacity(size)),
            sending: Watched::new(Obstacles::SENDING, Vec::with_capacity(size)),
        }
    }

    /// What is known of one peer.
    #[inline(always)]
    pub(super) fn peer(&self, peer: Rank) -> &Peer {
        &self.peers[peer]
    }

    /// The obstacles that they are now, counted anew.
    pub(super) fn recount(&self) -> Obstacles {
        let is_leaving = |peer: &Peer| !peer.presence.is_present();
        Obstacles::LEAVING
            .when(self.peers.iter().any(is_leaving))
            .and(self.due.recount())
            .and(self.sending.recount())
    }

    /// Whether every peer that has not gone has been told all.
    pub(super) fn has_said_all(&self) -> bool {
        self.peers.iter().all(|peer| !peer.due.is_listed || peer.presence.is_gone())
    }

    /// A rank that is lost, by what this one has seen itself; else by what one that has ended had
    /// seen.
    pub(super) fn known_loss(&self) -> Option<Rank> {
        let own = self.peers.iter().position(|peer| peer.presence.is_lost());
        let told = |closing: Closing| match closing.cause? {
            Cause::Lost(rank) => Some(rank),
            Cause::Ended { .. } => None,
        };
        own.or_else(|| self.peers.iter().find_map(|peer| told(peer.presence.closing()?)))
    }

    /// What `rank` lacked itself, by its own word, if it goes back to one of these, and nothing is
    /// known here of how that one has gone. Where the network is not causal, the word of the rank that
    /// missed it may come first.
    pub(super) fn told_cause(&self, rank: Rank, members: &[Rank]) -> Option<Cause> {
        let cause = self.peers[rank].presence.closing()?.cause?;
        let is_news = self.peers[cause.rank()].presence.is_present();
        (is_news && members.contains(&cause.rank())).then_some(cause)
    }

    /// Fails if `to` receives nothing more.
    pub(super) fn check_hears(&self, to: Rank) -> Result<(), MessageError> {
        let presence = &self.peers[to].presence;
        match presence.closing() {
            Some(Closing { failed, .. }) => Err(MessageError::PeerEnded { rank: to, failed }),
            None if presence.is_lost() => Err(MessageError::PeerLost { rank: to }),
            None => Ok(()),
        }
    }

    /// Fails if `rank` has gone, and all that it had sent is here.
    pub(super) fn check_not_exhausted(&self, rank: Rank) -> Result<(), MessageError> {
        let peer = &self.peers[rank];
        if !peer.is_exhausted() {
            return Ok(());
        }
        let failed = peer.presence.closing().is_some_and(|closing| closing.failed);
        match peer.presence.is_lost() {
            true => Err(MessageError::PeerLost { rank }),
            false => Err(MessageError::PeerEnded { rank, failed }),
        }
    }

    /// A rank that ran ahead may end while this one is still in a superstep before its last. Under
    /// blocking barriers it would be there yet, and would never receive what this rank posts now:
    /// such a message is dropped, and `sent` says what to tell the program instead of an error.
    pub(super) fn excuse<T>(
        &self,
        to: Rank,
        stamp: Clock,
        result: Result<T, MessageError>,
        sent: T,
    ) -> Result<T, MessageError> {
        match (&result, self.peers[to].presence.closing()) {
            (
                Err(MessageError::PeerEnded { rank, failed: false }),
                Some(Closing { clock, failed: false, .. }),
            ) if *rank == to && stamp < clock => Ok(sent),
            _ => result,
        }
    }
}

/// # The fast path
impl Links {
    /// The stamp of the next message to a peer, if it is that of the last one on the fast path, in
    /// the same version of the order core, and there is credit for it.
    #[inline(always)]
    pub(super) fn noted_stamp(&self, to: Rank, version: u64) -> Option<Clock> {
        let peer = self.peers.get(to)?;
        let is_noted = peer.last_sent.version == version && peer.eager.window.is_open();
        is_noted.then_some(peer.last_sent.stamp)
    }

    /// The template that the next message from a peer is expected to fit, if the last one was
    /// received on the fast path, in the same version of the order core and for the same context.
    #[inline(always)]
    pub(super) fn noted_template(
        &self,
        from: Rank,
        version: u64,
        context: Context,
    ) -> Option<Template> {
        let last = &self.peers.get(from)?.last_received;
        (last.version == version && last.context == context).then_some(last.template)
    }

    /// Notes a message that was sent on the fast path.
    #[inline(always)]
    pub(super) fn note_sent(&mut self, to: Rank, version: u64, stamp: Clock) {
        self.peers[to].last_sent = SentHeader { version, stamp };
    }

    /// Notes a message that was received on the fast path.
    #[inline(always)]
    pub(super) fn note_received(
        &mut self,
        from: Rank,
        version: u64,
        (context, template): (Context, Template),
    ) {
        self.peers[from].last_received = ReceivedHeader { version, context, template };
    }

    /// What the next message of a peer will be like is not known from the last one on the fast path:
    /// another has come since, or stands before it.
    #[inline]
    pub(super) fn forget_received(&mut self, from: Rank) {
        self.peers[from].last_received.version = NEVER;
    }
}

/// # Credit
impl Links {
    /// A frame has been sent that takes credit.
    #[inline(always)]
    pub(super) fn handle_sent(&mut self, to: Rank, cq: Cq) {
        self.peers[to].credit_mut(cq).window.handle_sent();
    }

    /// A frame has come, which takes credit until it is [consumed](Links::handle_consumed).
    ///
    /// # Errors
    ///
    /// [`Violation::AfterEnd`] if it is more than the peer had sent by its last word.
    #[inline(always)]
    pub(super) fn handle_received(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        cq: Cq,
    ) -> Result<(), Violation> {
        if cq == EAGER {
            self.forget_received(from);
        }
        if self.peers[from].credit_mut(cq).returns.handle_received() {
            self.tell_credit(obstacles, from);
        }
        let peer = &self.peers[from];
        if peer.presence.is_exceeded(peer.received()) { Err(Violation::AfterEnd) } else { Ok(()) }
    }

    /// A frame that had come has been consumed: its descriptor is free.
    #[inline(always)]
    pub(super) fn handle_consumed(&mut self, obstacles: &mut Obstacles, from: Rank, cq: Cq) {
        if self.peers[from].credit_mut(cq).returns.handle_consumed() {
            self.tell_credit(obstacles, from);
        }
    }

    /// A frame has come and been consumed at once. Returns whether its sender is to be told.
    #[inline(always)]
    pub(super) fn handle_received_and_consumed(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        cq: Cq,
    ) -> bool {
        let due = self.peers[from].credit_mut(cq).returns.handle_received_and_consumed();
        if due {
            self.tell_credit(obstacles, from);
        }
        due
    }

    /// A peer says what it has consumed.
    ///
    /// # Errors
    ///
    /// [`Violation::FalseCredit`] if that is more than it was sent.
    pub(super) fn handle_returned(
        &mut self,
        from: Rank,
        returned: Returned,
    ) -> Result<(), Violation> {
        let Returned { eager, signal, bulk } = returned;
        for (cq, count, what) in
            [(EAGER, eager, "messages"), (BULK, bulk, "segments"), (SIGNAL, signal, "signals")]
        {
            if !self.peers[from].credit_mut(cq).window.handle_returned(count) {
                return Err(Violation::FalseCredit(what));
            }
        }
        Ok(())
    }

    /// No message of a peer stays in its descriptor for a posted receive any more.
    pub(super) fn handle_none_kept(&mut self, from: Rank) {
        self.peers[from].fills_matched = false;
    }

    /// A message of a peer stays in its descriptor for the posted receive that it has matched.
    pub(super) fn handle_kept(&mut self, from: Rank) {
        self.peers[from].fills_matched = true;
        self.forget_received(from);
    }

    /// Whether such messages must leave their descriptors now, since the peer may need these. All of
    /// them do then.
    pub(super) fn poll_room(&mut self, from: Rank) -> bool {
        let peer = &mut self.peers[from];
        peer.fills_matched && peer.is_crowded() && std::mem::take(&mut peer.fills_matched)
    }

    /// Whether something was sent to a peer since it was last woken, which now counts as done.
    pub(super) fn poll_wake(&mut self, to: Rank) -> bool {
        self.peers[to].poll_wake()
    }

    /// The same for all peers whose outboxes have messages; calls `wake` for each.
    pub(super) fn poll_wakes(&mut self, wake: impl FnMut(Rank)) {
        let peers = &mut self.peers;
        self.sending.iter().copied().filter(|&to| peers[to].poll_wake()).for_each(wake);
    }
}

/// # Outboxes
impl Links {
    /// Puts a message behind the others to its peer. Returns its index in the outbox.
    pub(super) fn queue(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        message: QueuedMessage,
    ) -> u64 {
        let outbox = &mut self.peers[to].outbox;
        if !std::mem::replace(&mut outbox.is_listed, true) {
            self.sending.change(obstacles, |sending| sending.push(to));
        }
        outbox.push(message)
    }

    /// Peers with messages in their outboxes.
    pub(super) fn sending(&self) -> &[Rank] {
        &self.sending
    }

    /// The messages that wait for a peer, in their order.
    pub(super) fn queued(&self, to: Rank) -> &VecDeque<QueuedMessage> {
        self.peers[to].outbox.messages()
    }

    /// The message to a peer with this index in the outbox, if it waits.
    pub(super) fn waiting_mut(&mut self, to: Rank, index: u64) -> Option<&mut QueuedMessage> {
        self.peers[to].outbox.waiting_mut(index)
    }

    /// The program takes back what it has lent of the messages that wait for a peer.
    pub(super) fn reclaim_waiting(&mut self, to: Rank) {
        self.peers[to].outbox.reclaim();
    }

    /// Whether the request of a transfer waits for a peer.
    pub(super) fn has_request(&self, to: Rank, transfer: u32) -> bool {
        let is_it = |message: &QueuedMessage| {
            message.header.kind == Kind::Request && message.header.transfer == transfer
        };
        self.queued(to).iter().any(is_it)
    }

    /// Whether the message to a peer with this index in the outbox has left.
    pub(super) fn has_left(&self, to: Rank, index: u64) -> bool {
        self.peers[to].outbox.has_left(index)
    }

    /// Takes the first message to a peer, if there is credit for it and it may leave. It has left once
    /// that is [told](Links::handle_left), or is [put back](Links::put_back).
    pub(super) fn poll_message(
        &mut self,
        to: Rank,
        may_leave: impl FnOnce(Posted) -> bool,
    ) -> Option<QueuedMessage> {
        let peer = &mut self.peers[to];
        if peer.has_credit(EAGER) { peer.outbox.poll(may_leave) } else { None }
    }

    /// The message to a peer that was taken last could not leave. It stands first again, unless the
    /// outbox was cut.
    pub(super) fn put_back(&mut self, to: Rank, message: QueuedMessage) {
        self.peers[to].outbox.put_back(message);
    }

    /// The message to a peer that was taken last has left.
    pub(super) fn handle_left(&mut self, to: Rank) {
        self.peers[to].outbox.handle_left();
    }

    /// Drops all that waits for a peer: nothing more leaves.
    pub(super) fn cut(&mut self, to: Rank) {
        self.peers[to].outbox.cut();
        self.forget_confirmed(to);
    }

    /// Whether nothing more leaves to a peer: it receives nothing more, or this rank has failed.
    pub(super) fn is_cut(&self, to: Rank) -> bool {
        self.peers[to].outbox.is_cut()
    }

    /// Forgets the peers of [`sending`](Links::sending) for which nothing waits any more.
    pub(super) fn settle_sending(&mut self, obstacles: &mut Obstacles) {
        let peers = &mut self.peers;
        self.sending.change(obstacles, |sending| {
            sending.retain(|&to| {
                let outbox = &mut peers[to].outbox;
                outbox.is_listed = !outbox.messages().is_empty();
                outbox.is_listed
            });
        });
    }
}

/// # Leaving
impl Links {
    /// A peer says that its program has returned: it receives nothing more.
    ///
    /// # Errors
    ///
    /// A violation, if it may not say that, or names a cause of its end which cannot be.
    pub(super) fn handle_closing(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        closing: Closing,
    ) -> Result<(), Violation> {
        let size = self.peers.len();
        let named = closing.cause.map(Cause::rank);
        if let Some(named) = named.filter(|&named| named >= size || named == from) {
            return Err(Violation::UnknownCause(named));
        }
        // This rank may be lost to it, and knows better.
        let cause = closing.cause.filter(|cause| cause.rank() != self.own);
        self.peers[from].presence.handle_closing(Closing { cause, ..closing })?;
        obstacles.raise(Obstacles::LEAVING);
        Ok(())
    }

    /// A peer says its last word: how many messages and segments it has sent.
    ///
    /// # Errors
    ///
    /// A violation, if it may not say that, or if more has come.
    pub(super) fn handle_ended(
        &mut self,
        from: Rank,
        eager: u64,
        segments: u64,
    ) -> Result<(), Violation> {
        let peer = &mut self.peers[from];
        let received = peer.received();
        peer.presence.handle_ended(Traffic { eager, bulk: segments }, received)
    }

    /// A post to a peer, or a read from it, has failed. Whether it has ended or is lost can be said
    /// after a look at what it sent.
    pub(super) fn handle_failure(&mut self, peer: Rank) {
        self.peers[peer].presence.handle_failure();
    }

    /// A peer's interface is closed. Returns whether that was seen before, and the inbox looked at
    /// since.
    pub(super) fn handle_seen_closed(&mut self, peer: Rank) -> bool {
        self.peers[peer].presence.handle_seen_closed()
    }

    /// A peer's interface is closed, and all that it sent was looked at. Returns whether it is lost by
    /// that, which it was not before: it has not said that it ended, or not all is here.
    pub(super) fn handle_gone(&mut self, obstacles: &mut Obstacles, peer: Rank) -> bool {
        let peer = &mut self.peers[peer];
        let received = peer.received();
        let is_lost = peer.presence.handle_gone(received);
        if is_lost {
            obstacles.raise(Obstacles::LEAVING);
        }
        is_lost
    }
}
