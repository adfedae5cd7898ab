//! Waiting for one of several things: a message, or room to send. Collectives wait so, for whichever comes first.
//!
//! Keeps rules FLOW-1, END-2 and COL-8 of SEMANTICS.md.

use super::SendId;
use crate::message::engine::Engine;
use crate::message::error::MessageError;
use crate::message::matching::{Context, Pattern, Source, Tag};
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::verbs::Nic;

/// What is known of a rank from which something must come; see [`Engine::wait_any`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It has something to send that has not come.
    FromThis,
    /// Something comes from one of all those of which this is said, and perhaps from this one. One
    /// that has failed or is lost counts as one that had something, since nobody can tell; one that
    /// has ended in good order counts as one that had nothing, as long as another is left.
    FromSome,
}

impl<N: Nic> Engine<N> {
    /// Waits until a message of `pattern` is there, or one of `to` can be sent to. With `any_tag` it
    /// waits no longer than until any message of the context has begun to come. `lacking` are the
    /// ranks from which something must come still.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`] and [`Engine::recv`], if neither can ever be; or if something that is
    /// lacking cannot come, since then the rest is in vain.
    pub fn wait_any(
        &mut self,
        context: Context,
        pattern: Option<Pattern>,
        any_tag: bool,
        to: &[Rank],
        lacking: impl Iterator<Item = (Rank, Lack)> + Clone,
    ) -> Result<(), MessageError> {
        let any = Pattern { source: Source::Any, tag: Tag::Any };
        let waits_for = match (pattern, to.first()) {
            (None, Some(&to)) => WaitsFor::Send { to, context: Some(context) },
            (pattern, _) => WaitsFor::Receive { context, pattern: pattern.unwrap_or(any) },
        };
        // It may be more than the pattern that ends the wait.
        self.waiting.begin_several(pattern.is_some() || any_tag, to);
        let result = self.wait_until(
            waits_for,
            |engine| {
                let mut came = match pattern {
                    Some(pattern) => engine.prepare(context, pattern)?,
                    None => false,
                };
                came |= engine.has_awaited_deposit();
                // Only a look: to wait here for the rest of another call's would delay this one.
                came |= any_tag && engine.peek(context, any).is_some();
                let free = |&to: &Rank| {
                    // A sender to one that has gone is told so, or excused.
                    let gone = !engine.links.peer(to).presence().is_present();
                    to == engine.rank() || engine.is_ready(to) || gone
                };
                Ok((came || to.iter().any(free)).then_some(()))
            },
            |engine| {
                to.iter().try_for_each(|&to| engine.check_may_be_sent_to(to))?;
                let Some(pattern) = pattern else { return Ok(()) };
                if let Some(info) = engine.peek(context, pattern) {
                    // It is here in part, and is taken before any other.
                    engine.links.check_not_exhausted(info.source)?;
                }
                engine.check_lacking(context, pattern.tag, lacking.clone())?;
                engine.check_can_come(context, pattern.source)
            },
        );
        self.waiting.end_several();
        result
    }

    /// Fails if something that must come cannot. What has come is not taken out of its turn: it may lie
    /// behind the part of another's message, and its sender may have ended since.
    fn check_lacking(
        &self,
        context: Context,
        tag: Tag,
        lacking: impl Iterator<Item = (Rank, Lack)>,
    ) -> Result<(), MessageError> {
        // One that was lost tells more than one that ended, and that more than one that failed:
        // that may follow from the others.
        let telling = |error: &MessageError| match error {
            MessageError::PeerEnded { failed, .. } => u8::from(!failed),
            _ => 2,
        };
        let (mut sure, mut ended, mut possible) = (None, None, false);
        for (rank, lack) in lacking {
            let of_it = Pattern { source: Source::Rank(rank), tag };
            let found = match self.check_held_deposit(rank) {
                Ok(false) if !self.may_all_become_whole(context, of_it) => self.check_source(rank),
                held => held.map(drop),
            };
            match (found, lack) {
                (Ok(()), lack) => possible |= lack == Lack::FromSome,
                // It may well have had nothing to send.
                (Err(error @ MessageError::PeerEnded { failed: false, .. }), Lack::FromSome) => {
                    ended = Some(error);
                }
                (Err(error), _) => {
                    if sure.as_ref().is_none_or(|sure| telling(sure) < telling(&error)) {
                        sure = Some(error);
                    }
                }
            }
        }
        sure.or(ended.filter(|_| !possible)).map_or(Ok(()), Err)
    }

    /// Fails if a posted message can never leave.
    pub(in crate::message::engine) fn check_can_leave(
        &self,
        id: SendId,
    ) -> Result<(), MessageError> {
        self.check_containing(id.peer, id.posted)
    }

    /// As [`test_sent`](Engine::test_sent), without making progress before.
    pub(in crate::message::engine) fn look_at_sent(&mut self, id: SendId) -> bool {
        if !self.is_sent(id) {
            self.note_loss(id.peer);
            self.wake_about_news(id.peer);
        }
        self.is_sent(id)
    }
}

impl SendId {
    /// The receiver.
    pub(in crate::message::engine) fn peer(&self) -> Rank {
        self.peer
    }
}
