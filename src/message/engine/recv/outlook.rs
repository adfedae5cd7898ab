//! Outlook: checks whether the message that a receive waits for can still arrive, and drops a
//! message whose rest never will.
//!
//! Keeps rules HOLD-3, END-2 and END-3 of SEMANTICS.md.

use crate::message::control::Cause;
use crate::message::engine::Engine;
use crate::message::error::MessageError;
use crate::message::inbound::{Body, Inbound};
use crate::message::matching::{Context, Lane, Pattern, Source};
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// Fails if no further message can arrive from `source` in this context.
    pub(in crate::message) fn check_can_come(
        &self,
        context: Context,
        source: Source,
    ) -> Result<(), MessageError> {
        if let Source::Rank(rank) = source {
            return self.check_source(rank);
        }
        // If no source is left, the error names a lost member, else a failed one, else an ended
        // one.
        let mut worst = (0, MessageError::NothingCanArrive);
        for &rank in self.order().members(context.group()).unwrap_or(&[]) {
            let Err(error) = self.check_source(rank) else { return Ok(()) };
            let blame = match error {
                MessageError::NothingCanArrive => 0,
                MessageError::PeerEnded { failed, .. } => 1 + u8::from(failed),
                _ => 3,
            };
            if blame > worst.0 {
                worst = (blame, error);
            }
        }
        Err(worst.1)
    }

    /// Fails if a receive from `source` would wait in vain, or might. It might if the source is any
    /// and a member has failed or is lost, since the message may have been that member's to send.
    /// Held messages that will be released are received first.
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`].
    pub fn check_receivable(&self, context: Context, source: Source) -> Result<(), MessageError> {
        self.check_can_come(context, source)?;
        let members = match source {
            Source::Any => self.order().members(context.group()).unwrap_or(&[]),
            Source::Rank(_) => &[],
        };
        let mut missing = None;
        for &rank in members {
            match self.links.check_not_exhausted(rank) {
                Err(error @ MessageError::PeerLost { .. }) => {
                    missing = Some(error);
                    break;
                }
                Err(error @ MessageError::PeerEnded { failed: true, .. }) => {
                    missing = match self.links.told_cause(rank, members) {
                        Some(Cause::Lost(rank)) => Some(MessageError::PeerLost { rank }),
                        _ => missing.or(Some(error)),
                    };
                }
                _ => {}
            }
        }
        let Some(missing) = missing else { return Ok(()) };
        let will_be_released = |&rank: &Rank| self.is_held(rank) && self.check_source(rank).is_ok();
        if members.iter().any(will_be_released) { Ok(()) } else { Err(missing) }
    }

    /// In a collective, and while groups are made, the awaited sender waits for earlier messages of
    /// this rank. Fails if those messages wait for a barrier that can never complete.
    pub(super) fn check_is_heard(
        &self,
        context: Context,
        source: Source,
    ) -> Result<(), MessageError> {
        let Source::Rank(rank) = source else { return Ok(()) };
        if context.lane() == Some(Lane::Program) {
            return Ok(());
        }
        let last = self.links.queued(rank).iter().rfind(|queued| queued.header.context == context);
        last.map_or(Ok(()), |last| self.check_containing(rank, last.posted))
    }

    /// Fails if nothing more can become deliverable from `rank` while this rank waits.
    pub(in crate::message) fn check_source(&self, rank: Rank) -> Result<(), MessageError> {
        if self.is_held(rank) {
            // Deliverable once its barrier completes, which is open here, if it still can.
            return self.check_open_barriers(u64::MAX, &|members| members.contains(&rank));
        }
        if rank == self.rank() {
            return Err(MessageError::NothingCanArrive);
        }
        self.links.check_not_exhausted(rank)
    }

    /// Whether a message of `rank` is held until a barrier that this rank has entered completes.
    fn is_held(&self, rank: Rank) -> bool {
        let held = self.matching.held_of(rank).next().map(|(stamp, _)| stamp);
        held.is_some_and(|stamp| stamp <= self.order().send_clock(rank))
    }

    /// Whether there is a matching message that is complete or can still become so.
    fn may_become_whole(&self, context: Context, pattern: Pattern) -> bool {
        let first = self.matching.peek(context, pattern);
        first.is_some_and(|(from, _, message)| self.may_be_whole(from, message))
    }

    /// Whether there are matching messages, and all of them are complete or can still become so.
    pub(in crate::message) fn may_all_become_whole(
        &self,
        context: Context,
        pattern: Pattern,
    ) -> bool {
        let mut messages = self.matching.all(context, pattern).peekable();
        messages.peek().is_some()
            && messages.all(|(from, _, message)| self.may_be_whole(from, message))
    }

    fn may_be_whole(&self, from: Rank, message: &Inbound<N::Frame>) -> bool {
        let whole = match message.body {
            Body::Frame(_) | Body::Owned(_) => true,
            // A copy of its payload can be read when its sender has gone.
            Body::Request { exposure, .. } => exposure.is_some() && self.transfers.copies(from),
            Body::Asked(ref asked) => asked.exposure.is_some() && self.transfers.copies(from),
            Body::Gathering { slot } => self.gathering.is_whole(slot),
        };
        whole || !self.links.peer(from).is_exhausted()
    }

    /// Drops the matching message if its rest will never arrive. A receive from any source would
    /// otherwise find it before the messages of other senders.
    pub(super) fn drop_unfinished(&mut self, context: Context, pattern: Pattern) {
        let Some(info) = self.peek(context, pattern) else { return };
        if self.may_become_whole(context, pattern) {
            return;
        }
        let from = info.source;
        match self.matching.take(context, pattern).map(|taken| taken.message.body) {
            Some(Body::Request { frame, .. }) => self.release(from, frame),
            Some(Body::Gathering { slot }) => self.forget_transfer(from, slot),
            _ => {}
        }
    }
}
