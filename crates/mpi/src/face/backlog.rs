//! Messages of blocking sends that have not left yet: the program went on, since a small send waits for nobody.
//! Source: MPI 5.0, section *Communication Modes*: a standard send may be buffered.
//! Rules: what is kept of blocking sends is bounded; a sender beyond the bound waits for its oldest message to leave.

use super::communicator::RankEngine;
use super::fault::Fault;
use runahead::internals::message::SendId;
use std::collections::VecDeque;

/// So many bytes are kept; then a sender waits. Programs that send so much to ranks that receive nothing need a
/// pause more than they need room.
const MOST_BYTES: usize = 256 << 20;

/// After so many messages that did not leave, a sender looks whether the receiver of its oldest is still there. Only
/// waiting shows that otherwise, and a rank that sends and does nothing else does not wait.
const LOOK_EVERY: usize = 1_024;

/// What a message takes beside its payload, roughly.
const OVERHEAD_BYTES: usize = 128;

/// The messages that have not left, oldest first.
#[derive(Debug)]
pub(crate) struct Backlog {
    messages: VecDeque<(SendId, usize)>,
    bytes: usize,
    /// How many were added since the sender last looked.
    unlooked: usize,
}

impl Backlog {
    /// An empty one.
    pub(crate) const fn new() -> Backlog {
        Backlog { messages: VecDeque::new(), bytes: 0, unlooked: 0 }
    }

    /// Adds a message that was posted and has not left.
    pub(crate) fn add(
        &mut self,
        engine: &mut RankEngine,
        id: SendId,
        bytes: usize,
    ) -> Result<(), Fault> {
        self.messages.push_back((id, bytes + OVERHEAD_BYTES));
        self.bytes += bytes + OVERHEAD_BYTES;
        self.unlooked += 1;
        if self.unlooked == LOOK_EVERY {
            self.unlooked = 0;
            if let Some(&(oldest, _)) = self.messages.front() {
                engine.test_sent(oldest)?;
            }
        }
        self.forget_sent(engine);
        Ok(())
    }

    /// The oldest message, if too much is kept.
    pub(crate) fn oldest_of_too_many(&mut self, engine: &RankEngine) -> Option<SendId> {
        self.forget_sent(engine);
        self.messages.front().filter(|_| self.bytes > MOST_BYTES).map(|&(oldest, _)| oldest)
    }

    /// Forgets the messages up to this one, whatever became of them.
    pub(crate) fn forget_through(&mut self, last: SendId) {
        let known = self.messages.iter().position(|&(id, _)| id == last);
        for (_, bytes) in self.messages.drain(..known.map_or(0, |at| at + 1)) {
            self.bytes -= bytes;
        }
    }

    /// How many bytes have not left.
    pub(crate) fn bytes(&mut self, engine: &RankEngine) -> usize {
        self.forget_sent(engine);
        self.bytes
    }

    /// The messages that have not left.
    pub(crate) fn left(&mut self, engine: &RankEngine) -> impl Iterator<Item = SendId> {
        self.forget_sent(engine);
        self.messages.iter().map(|&(id, _)| id)
    }

    fn forget_sent(&mut self, engine: &RankEngine) {
        while let Some(&(_, bytes)) = self.messages.front().filter(|(id, _)| engine.is_sent(*id)) {
            self.bytes -= bytes;
            self.messages.pop_front();
        }
    }
}
