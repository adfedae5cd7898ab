//! The outbox of a peer: messages that were posted and may not leave yet, in their order.
//!
//! Keeps rules ORD-1 and FLOW-1 of SEMANTICS.md.
//!
//! Each message has an index, from 1, among those that have left the outbox and those that wait
//! there. So that it has left is told by how many have.

use std::collections::VecDeque;

use crate::message::header::Header;
use crate::message::transfers::kept::Kept;
use crate::order::Posted;

/// A message that was posted and may not leave yet: its barrier is open, it has no credit, or
/// others to the same peer wait before it.
#[derive(Debug)]
pub(in crate::message) struct QueuedMessage {
    pub(in crate::message) header: Header,
    pub(in crate::message) posted: Posted,
    /// Empty for a request; its payload waits in its transfer.
    pub(in crate::message) payload: Kept,
    /// The program has taken it back. It leaves nothing but its place.
    pub(in crate::message) is_cancelled: bool,
}

/// The outbox of one peer.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    messages: VecDeque<QueuedMessage>,
    /// How many messages have left it, ever.
    left: u64,
    /// Its peer stands in the list of those with messages.
    pub(super) is_listed: bool,
    /// Nothing more leaves it: its peer receives nothing more, or this rank has failed.
    is_cut: bool,
}

impl Outbox {
    /// Puts a message behind the others. Returns its index.
    pub(super) fn push(&mut self, message: QueuedMessage) -> u64 {
        self.messages.push_back(message);
        self.left + self.messages.len() as u64
    }

    /// Takes the first message, if it may leave.
    pub(super) fn poll(&mut self, may_leave: impl FnOnce(Posted) -> bool) -> Option<QueuedMessage> {
        if may_leave(self.messages.front()?.posted) { self.messages.pop_front() } else { None }
    }

    /// The message that was taken last could not leave, and stands first again.
    pub(super) fn put_back(&mut self, message: QueuedMessage) {
        if !self.is_cut {
            self.messages.push_front(message);
        }
    }

    /// The message that was taken last has left.
    pub(super) fn handle_left(&mut self) {
        self.left += 1;
    }

    /// Drops all that waits, and lets nothing leave any more.
    pub(super) fn cut(&mut self) {
        self.is_cut = true;
        self.messages.clear();
    }

    /// Whether nothing more leaves it.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether the message with this index has left.
    pub(super) fn has_left(&self, index: u64) -> bool {
        self.left >= index
    }

    /// The message with this index, if it waits.
    pub(super) fn waiting_mut(&mut self, index: u64) -> Option<&mut QueuedMessage> {
        let at = index.checked_sub(self.left + 1)?;
        self.messages.get_mut(usize::try_from(at).ok()?)
    }

    /// The program takes back what it has lent of those that wait.
    pub(super) fn reclaim(&mut self) {
        self.messages.iter_mut().for_each(|message| message.payload.reclaim());
    }

    /// The messages that wait, in their order.
    pub(super) fn messages(&self) -> &VecDeque<QueuedMessage> {
        &self.messages
    }
}
