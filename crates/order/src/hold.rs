//! The hold queue: messages that were received and may not be delivered yet.
//!
//! There is one FIFO for each sender. Its head is deliverable when its stamp is at most the receive
//! clock for that sender. The stamps of one sender never decrease, so only heads need a look. (One
//! FIFO for all senders, as in pakin-2001 algorithm 4.2, deadlocks. There, an early message of a
//! rank that ran ahead blocks the late one that this rank needs before it can enter the barrier.)
//!
//! This is not the unexpected queue: messages that leave here may be delivered, and the message
//! layer matches them against receives.
//!
//! Keeps rules HOLD-1 to HOLD-4 of SEMANTICS.md.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::scratch::Scratch;
use super::{Clock, ProtocolError, Rank, UNSTAMPED};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Held<M> {
    stamp: Clock,
    /// The arrival index at this rank, from 1.
    arrival: u64,
    message: M,
}

/// The hold queue of one rank, over messages of any kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hold<M> {
    senders: Vec<Sender<M>>,
    /// The senders with held messages, in no order.
    waiting: Vec<Rank>,
    arrivals: u64,
    /// Deliverable heads while they are being delivered, earliest arrival first.
    ready: Scratch<BinaryHeap<Reverse<(u64, Rank)>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sender<M> {
    held: VecDeque<Held<M>>,
    last_stamp: Clock,
}

impl<M> Hold<M> {
    /// An empty queue for messages from `size` senders.
    pub fn new(size: usize) -> Hold<M> {
        let sender = || Sender { held: VecDeque::new(), last_stamp: 0 };
        Hold {
            senders: (0..size).map(|_| sender()).collect(),
            waiting: Vec::new(),
            arrivals: 0,
            ready: Scratch::default(),
        }
    }

    /// Handles a received message. Returns it if it may be delivered at once, given the receive
    /// clock for its sender; otherwise keeps it. When receive clocks have moved, call
    /// [`poll_deliverable`](Hold::poll_deliverable) first. Otherwise earlier arrivals from other
    /// senders would count as noticed later.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::StampFell`] if its stamp is lower than the one before it. The message is
    /// then lost.
    ///
    /// # Panics
    ///
    /// If there is no sender `from`: a caller that reads it from a peer's bytes must check it
    /// first.
    pub fn handle_arrival(
        &mut self,
        from: Rank,
        stamp: Clock,
        recv_clock: Clock,
        message: M,
    ) -> Result<Option<M>, ProtocolError> {
        if self.handle_stamp(from, stamp, recv_clock)? {
            return Ok(Some(message));
        }
        self.keep(from, stamp, message);
        Ok(None)
    }

    /// Like [`handle_arrival`](Hold::handle_arrival), for a caller that keeps the message. Returns
    /// whether it may be delivered at once. If not, [`keep`](Hold::keep) comes next.
    ///
    /// # Errors
    ///
    /// As for [`handle_arrival`](Hold::handle_arrival).
    ///
    /// # Panics
    ///
    /// As [`handle_arrival`](Hold::handle_arrival) does.
    #[inline(always)]
    pub fn handle_stamp(
        &mut self,
        from: Rank,
        stamp: Clock,
        recv_clock: Clock,
    ) -> Result<bool, ProtocolError> {
        if UNSTAMPED {
            return Ok(true);
        }
        let sender = &mut self.senders[from];
        if stamp < sender.last_stamp {
            return Err(ProtocolError::StampFell { from, stamp, before: sender.last_stamp });
        }
        sender.last_stamp = stamp;
        Ok(stamp <= recv_clock && sender.held.is_empty())
    }

    /// Like [`handle_stamp`](Hold::handle_stamp), for a sender from which nothing is held. Returns
    /// whether the message may be delivered at once; if not, nothing has changed. A second call for
    /// the same message returns the same.
    ///
    /// # Panics
    ///
    /// As [`handle_arrival`](Hold::handle_arrival) does.
    #[inline(always)]
    pub fn handle_stamp_to_deliver(&mut self, from: Rank, stamp: Clock, recv_clock: Clock) -> bool {
        if UNSTAMPED {
            return true;
        }
        let sender = &mut self.senders[from];
        debug_assert!(sender.held.is_empty(), "what came before goes first");
        let delivers = (sender.last_stamp..=recv_clock).contains(&stamp);
        if delivers {
            sender.last_stamp = stamp;
        }
        delivers
    }

    /// Keeps the message whose stamp [`handle_stamp`](Hold::handle_stamp) has just handled.
    ///
    /// # Panics
    ///
    /// If there is no sender `from`.
    #[inline(never)]
    pub fn keep(&mut self, from: Rank, stamp: Clock, message: M) {
        self.arrivals += 1;
        let sender = &mut self.senders[from];
        if sender.held.is_empty() {
            self.waiting.push(from);
        }
        sender.held.push_back(Held { stamp, arrival: self.arrivals, message });
    }

    /// Delivers the messages that have become deliverable, in order of arrival. Call it when
    /// receive clocks have moved.
    #[inline]
    pub fn poll_deliverable(
        &mut self,
        recv_clock: impl Fn(Rank) -> Clock,
        mut deliver: impl FnMut(Rank, M),
    ) {
        let ready = &mut self.ready.0;
        for &from in &self.waiting {
            let head = self.senders[from].held.front();
            let head = head.filter(|head| head.stamp <= recv_clock(from));
            ready.extend(head.map(|head| Reverse((head.arrival, from))));
        }
        if ready.is_empty() {
            return;
        }
        while let Some(Reverse((_, from))) = ready.pop() {
            let held = &mut self.senders[from].held;
            let Some(head) = held.pop_front() else { continue };
            let next = held.front().filter(|next| next.stamp <= recv_clock(from));
            ready.extend(next.map(|next| Reverse((next.arrival, from))));
            deliver(from, head.message);
        }
        let senders = &self.senders;
        self.waiting.retain(|&from| !senders[from].held.is_empty());
    }

    /// Whether anything is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The number of messages held from one sender.
    #[inline]
    pub fn held_from(&self, sender: Rank) -> usize {
        self.senders[sender].held.len()
    }

    /// The messages held from one sender, oldest first, with their stamps.
    pub fn iter_from(&self, sender: Rank) -> impl Iterator<Item = (Clock, &M)> {
        self.senders[sender].held.iter().map(|held| (held.stamp, &held.message))
    }
}
