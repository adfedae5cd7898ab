//! Outboxes: messages that were posted and may not leave yet, of each peer in their order. One of the
//! parts of the engine.
//!
//! Keeps rules ORD-1, FLOW-1 and FLOW-2 of SEMANTICS.md.
//!
//! Each message has an index, from 1, among those that have left the outbox of its peer and those
//! that wait there. So that it has left is told by how many have.

use std::collections::VecDeque;

use super::header::Header;
use super::obstacles::{Obstacles, Watched};
use crate::order::{Posted, Rank};

/// A message that was posted and may not leave yet: its barrier is open, it has no credit, or
/// others to the same peer wait before it.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) header: Header,
    pub(super) posted: Posted,
    /// Empty for a request; its payload waits in its transfer.
    pub(super) payload: Vec<u8>,
}

/// The outbox of one peer.
#[derive(Debug, Default)]
struct Outbox {
    messages: VecDeque<Outgoing>,
    /// How many messages have left it, ever.
    left: u64,
    /// Its peer stands in the list of those with messages.
    is_listed: bool,
}

/// The outboxes of all peers.
#[derive(Debug)]
pub(super) struct Outboxes {
    peers: Vec<Outbox>,
    /// Peers with messages that wait.
    waiting: Watched<Vec<Rank>>,
}

impl Outboxes {
    /// Empty ones, for `size` peers.
    pub(super) fn new(size: usize) -> Outboxes {
        Outboxes {
            peers: (0..size).map(|_| Outbox::default()).collect(),
            waiting: Watched::new(Obstacles::SENDING, Vec::with_capacity(size)),
        }
    }

    /// Puts a message behind the others to its peer. Returns its index.
    pub(super) fn push(&mut self, obstacles: &mut Obstacles, to: Rank, message: Outgoing) -> u64 {
        let outbox = &mut self.peers[to];
        outbox.messages.push_back(message);
        if !std::mem::replace(&mut outbox.is_listed, true) {
            self.waiting.change(obstacles, |waiting| waiting.push(to));
        }
        outbox.left + outbox.messages.len() as u64
    }

    /// Takes the first message to a peer, for the engine to post. It has left once that is
    /// [told](Outboxes::handle_left), or is [put back](Outboxes::put_back).
    pub(super) fn poll(
        &mut self,
        to: Rank,
        may_leave: impl FnOnce(Posted) -> bool,
    ) -> Option<Outgoing> {
        let messages = &mut self.peers[to].messages;
        if may_leave(messages.front()?.posted) { messages.pop_front() } else { None }
    }

    /// The first message to a peer could not leave.
    pub(super) fn put_back(&mut self, to: Rank, message: Outgoing) {
        self.peers[to].messages.push_front(message);
    }

    /// The message to a peer that was taken last has left.
    pub(super) fn handle_left(&mut self, to: Rank) {
        self.peers[to].left += 1;
    }

    /// Whether the message with this index has left.
    pub(super) fn has_left(&self, to: Rank, index: u64) -> bool {
        self.peers[to].left >= index
    }

    /// The messages that wait for a peer, in their order.
    pub(super) fn to(&self, to: Rank) -> &VecDeque<Outgoing> {
        &self.peers[to].messages
    }

    /// Drops all that waits for a peer, which receives nothing more.
    pub(super) fn cut(&mut self, to: Rank) {
        self.peers[to].messages.clear();
    }

    /// Peers with messages that wait.
    pub(super) fn waiting(&self) -> &[Rank] {
        &self.waiting
    }

    /// Forgets the peers of [`waiting`](Outboxes::waiting) for which nothing waits any more.
    pub(super) fn settle(&mut self, obstacles: &mut Obstacles) {
        let peers = &mut self.peers;
        self.waiting.change(obstacles, |waiting| {
            waiting.retain(|&to| {
                let outbox = &mut peers[to];
                outbox.is_listed = !outbox.messages.is_empty();
                outbox.is_listed
            });
        });
    }

    /// The obstacle that it is now, counted anew.
    pub(super) fn recount(&self) -> Obstacles {
        self.waiting.recount()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::header::Kind;
    use crate::message::matching::Context;
    use crate::order::Order;

    fn message(tag: u32, posted: Posted) -> Outgoing {
        let (kind, context) = (Kind::Eager, Context::WORLD);
        let header = Header { kind, element: 0, context, tag, stamp: 0, len: 0, transfer: 0 };
        Outgoing { header, posted, payload: Vec::new() }
    }

    // SEMANTICS: ORD-1
    #[test]
    fn messages_leave_in_their_order_and_one_that_was_put_back_comes_first() {
        let order = Order::new(0, 2, crate::order::Ordering::Contained, 1);
        let (posted, mut obstacles) = (order.post(1), Obstacles::NONE);
        let mut outboxes = Outboxes::new(2);
        for index in 1..=3 {
            let message = message(index as u32, posted);
            assert_eq!(outboxes.push(&mut obstacles, 1, message), index);
        }
        assert_eq!((outboxes.waiting(), obstacles), (&[1][..], Obstacles::SENDING));
        assert!(outboxes.poll(1, |_| false).is_none());
        let first = outboxes.poll(1, |_| true).unwrap();
        outboxes.put_back(1, first);
        for index in 1..=2 {
            assert!(!outboxes.has_left(1, index));
            assert_eq!(outboxes.poll(1, |_| true).unwrap().header.tag, index as u32);
            outboxes.handle_left(1);
            assert!(outboxes.has_left(1, index));
            outboxes.settle(&mut obstacles);
            assert_eq!((obstacles, outboxes.recount()), (Obstacles::SENDING, Obstacles::SENDING));
        }
        // What was dropped has not left.
        outboxes.cut(1);
        outboxes.settle(&mut obstacles);
        assert_eq!((outboxes.waiting(), obstacles), (&[][..], Obstacles::NONE));
        assert!(!outboxes.has_left(1, 3));
    }
}
