//! Waiting for the first of several things that the program has begun: sends, receives, barriers.
//!
//! The caller says what completes the wait, so that what consists of several such things, as a
//! collective does, can be one of those that it waits for.
//!
//! Keeps rules FLOW-3, HOLD-3, END-2 and END-3 of SEMANTICS.md.

use smallvec::SmallVec;

use super::Engine;
use super::deposits::Contribution;
use super::send::SendId;
use crate::message::error::MessageError;
use crate::message::matching::{RecvId, Source};
use crate::message::waiting::WaitsFor;
use crate::order::{Rank, Ticket};
use crate::verbs::Nic;

/// What a program has begun and may wait for.
#[derive(Clone, Copy, Debug)]
pub enum Begun {
    /// A message that was posted.
    Send(SendId),
    /// A receive that was posted for this source.
    Recv(RecvId, Source),
    /// What a member gives in a nonblocking collective.
    Contribution(Contribution),
    /// A barrier, and every barrier before it.
    Barrier(Ticket),
}

impl<N: Nic> Engine<N> {
    /// Whether it is complete, so that a call that waits for it returns at once.
    pub fn is_done(&mut self, begun: Begun) -> bool {
        match begun {
            Begun::Send(id) => self.is_sent(id),
            Begun::Recv(id, _) => self.is_whole(id),
            Begun::Contribution(given) => self.is_whole(given.id) || self.is_given_here(given),
            Begun::Barrier(ticket) => self.order().is_complete_through(ticket.seq),
        }
    }

    /// As [`is_done`](Engine::is_done), also if it can never be complete, as far as a call that
    /// does not wait can tell.
    pub fn is_done_or_failed(&mut self, begun: Begun) -> bool {
        match begun {
            Begun::Send(id) => self.look_at_sent(id),
            Begun::Recv(id, source) => self.look_at_recv(id, source).unwrap_or(true),
            // What lies there is held: a later call of this rank may enter its barrier.
            Begun::Contribution(given) => {
                self.is_done(begun)
                    || !self.is_given(given)
                        && self.look_at_recv(given.id, Source::Rank(given.from)).unwrap_or(true)
            }
            Begun::Barrier(ticket) => {
                self.is_done(begun)
                    // Where a loss was found, what came before it is looked at in a later call.
                    || !self.note_losses()
                        && self.check_open_barriers(ticket.seq, &|_| true).is_err()
            }
        }
    }

    /// Whether it is known that it can never be complete. Asked by a rank that is about to sleep.
    pub fn has_failed(&mut self, begun: Begun) -> bool {
        let outlook = match begun {
            _ if self.is_done(begun) => Ok(()),
            Begun::Send(id) => self.check_can_leave(id),
            Begun::Recv(id, source) => self.check_can_be_received(id, source),
            Begun::Contribution(given) => self.check_can_be_given(given),
            Begun::Barrier(ticket) => self.check_open_barriers(ticket.seq, &|_| true),
        };
        outlook.is_err()
    }

    /// Fails if a member can never give what this rank waits for.
    pub(super) fn check_can_be_given(&self, given: Contribution) -> Result<(), MessageError> {
        let by_message = self.check_can_be_received(given.id, Source::Rank(given.from));
        // Looked at last: what a rank that has gone had deposited lies there since before.
        match self.is_given_here(given) {
            true => Ok(()),
            false if self.is_given(given) => self.check_held_given(given),
            false => by_message,
        }
    }

    /// Waits until `ready` returns something, which depends on `begun` alone, or `failed` does,
    /// which is asked before this rank sleeps.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn wait_for_any<R>(
        &mut self,
        begun: &[Begun],
        mut ready: impl FnMut(&mut Engine<N>) -> Option<R>,
        mut failed: impl FnMut(&mut Engine<N>) -> Option<R>,
    ) -> Result<R, MessageError> {
        let room_at: SmallVec<[Rank; 8]> = begun
            .iter()
            .filter_map(|begun| match begun {
                Begun::Send(id) => Some(id.peer()),
                _ => None,
            })
            .collect();
        // Any message wakes a rank that has posted receives besides the one that it tells of.
        self.waiting.begin_several(false, &room_at);
        let given = begun.iter().filter_map(|begun| match *begun {
            Begun::Contribution(given) => Some(given),
            _ => None,
        });
        self.begin_wait_for_several(given);
        let mut found = None;
        let waited = self.wait_until(
            what_is_told(begun),
            |engine| {
                engine.look_at_several();
                Ok(ready(engine))
            },
            |engine| {
                found = failed(engine);
                // It ends the wait, and is not told.
                if found.is_some() { Err(MessageError::NothingCanArrive) } else { Ok(()) }
            },
        );
        self.waiting.end_several();
        self.deposits.end_wait_for_several();
        found.map_or(waited, Ok)
    }
}

/// What a rank that waits for any of these tells others that ask. A barrier comes first: it says
/// which completions wake the rank.
fn what_is_told(begun: &[Begun]) -> WaitsFor {
    let seqs = begun.iter().filter_map(|begun| match begun {
        Begun::Barrier(ticket) => Some(ticket.seq),
        _ => None,
    });
    if let Some(seq) = seqs.min() {
        return WaitsFor::Barriers { through: Some(seq) };
    }
    let recv = begun.iter().find_map(|begun| match *begun {
        Begun::Recv(id, source) => Some(WaitsFor::Posted { id, source }),
        Begun::Contribution(Contribution { id, from, .. }) => {
            Some(WaitsFor::Posted { id, source: Source::Rank(from) })
        }
        _ => None,
    });
    let send = begun.iter().find_map(|begun| match begun {
        Begun::Send(id) => Some(WaitsFor::Send { to: id.peer(), context: None }),
        _ => None,
    });
    recv.or(send).unwrap_or(WaitsFor::HandOver)
}
