//! Messages of blocking sends that have not left yet: the program went on, since a small send waits for nobody.
//! Source: MPI 5.0, section *Communication Modes*: a standard send may be buffered.
//! Rules: what is kept is bounded; a sender beyond the bound waits for its oldest message to leave.

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

    /// Adds a message that was posted and has not left. Waits where too much is kept.
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
        while let Some(&(oldest, bytes)) = self.messages.front() {
            if !engine.is_sent(oldest) {
                if self.bytes <= MOST_BYTES {
                    break;
                }
                engine.wait_sent(oldest)?;
            }
            self.bytes -= bytes;
            self.messages.pop_front();
        }
        Ok(())
    }

    /// Waits until all have left.
    pub(crate) fn wait(&mut self, engine: &mut RankEngine) -> Result<(), Fault> {
        while let Some((id, bytes)) = self.messages.pop_front() {
            self.bytes -= bytes;
            engine.wait_sent(id)?;
        }
        Ok(())
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
