//! Messages that were received and may not be delivered yet.
//!
//! One FIFO for each sender. Its head is deliverable when its stamp is at most the receive clock
//! for that sender; the stamps of one sender never decrease, so only heads need a look. (One FIFO
//! for all senders, as in pakin-2001 algorithm 4.2, deadlocks: an early message of a rank that ran
//! ahead blocks the late one that this rank needs before it can enter the barrier.)
//!
//! This is not the unexpected queue: what leaves here may be delivered, and is matched against
//! receives by the message layer.
//!
//! Keeps rules HOLD-1 to HOLD-4 of SEMANTICS.md.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::scratch::Scratch;
use super::{Clock, ProtocolError, Rank, UNSTAMPED};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Held<M> {
    stamp: Clock,
    /// The how-many-th arrival at this rank.
    arrival: u64,
    message: M,
}

/// The hold queue of one rank, over messages of any kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hold<M> {
    senders: Vec<Sender<M>>,
    /// The senders with something held, in no order.
    waiting: Vec<Rank>,
    arrivals: u64,
    /// Deliverable heads while they are being handed out, earliest arrival first.
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

    /// A message has been received. Returns it if it may be delivered at once, given the receive
    /// clock for its sender; keeps it otherwise. When receive clocks have moved,
    /// [`poll_deliverable`](Hold::poll_deliverable) comes first, or what arrived earlier from
    /// others would be noticed later.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::StampFell`] if its stamp is lower than the one before it. The message is
    /// lost then.
    ///
    /// # Panics
    ///
    /// If there is no sender `from`: whoever reads it from a peer's bytes must check it first.
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

    /// As [`handle_arrival`](Hold::handle_arrival), for a caller that has the message and moves it once:
    /// whether it may be delivered at once. If not, [`keep`](Hold::keep) comes next.
    ///
    /// # Errors
    ///
    /// As by [`handle_arrival`](Hold::handle_arrival).
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

    /// As [`handle_stamp`](Hold::handle_stamp), for a sender of which nothing is held, if the message may be
    /// delivered at once. Returns whether it may; if not, nothing has changed. Asked twice of one message it says
    /// the same.
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

    /// Keeps the message whose stamp [`handle_stamp`](Hold::handle_stamp) has just looked at.
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

    /// Receive clocks have moved: hands out what has become deliverable, in the order in which it
    /// arrived.
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
