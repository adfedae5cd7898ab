//! Posted receives of collectives that return at once: how their messages get out of the way of
//! others, and how a rank waits for several of them.
//!
//! The call has asked for each of these messages, so each is received as soon as it has come: it is
//! copied out of its descriptor, and its sender has its credit back. Else a program could not wait
//! for such calls in any order, nor receive other messages before it waits.
//!
//! Keeps rules FLOW-5 and COL-8 of SEMANTICS.md.

use crate::message::engine::Engine;
use crate::message::error::MessageError;
use crate::message::inbound::Body;
use crate::message::matching::{Context, Pattern, RecvId, Source, Tag};
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::verbs::Nic;

/// What became of a posted receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// Its message is all here.
    Whole,
    /// Another message of that sender is here and shows that it will not come.
    Overtaken {
        /// The sender.
        from: Rank,
        /// The tag of the other message.
        tag: u32,
    },
}

impl<N: Nic> Engine<N> {
    /// Waits until the message of the first of these posted receives is all here, or it is known
    /// that one of theirs will never be. Each is given with its sender; `overtakes` says whether
    /// a message with this tag should have come later, in this context, from any of them.
    ///
    /// # Errors
    ///
    /// [`MessageError::PeerEnded`] or [`MessageError::PeerLost`] if one of the messages can never
    /// come; others as by [`Engine::progress`].
    pub fn wait_posted(
        &mut self,
        context: Context,
        recvs: &[(RecvId, Rank)],
        overtakes: impl Fn(u32) -> bool,
    ) -> Result<Came, MessageError> {
        let Some(&(first, from)) = recvs.first() else { return Ok(Came::Whole) };
        let mut overtaken = None;
        let waited = self.wait_until(
            WaitsFor::Posted { id: first, source: Source::Rank(from) },
            |engine| Ok(engine.is_received(first)?.then_some(Came::Whole)),
            |engine| {
                overtaken = engine.overtaken(context, recvs, &overtakes);
                match overtaken {
                    Some(_) => Err(MessageError::NothingCanArrive),
                    None => engine.check_posted(recvs, |engine, from| {
                        engine.check_can_come(context, Source::Rank(from))
                    }),
                }
            },
        );
        overtaken.map_or(waited, Ok)
    }

    /// As [`wait_posted`](Engine::wait_posted), without waiting: None if there is nothing to tell
    /// yet.
    ///
    /// # Errors
    ///
    /// As by [`wait_posted`](Engine::wait_posted).
    pub fn test_posted(
        &mut self,
        context: Context,
        recvs: &[(RecvId, Rank)],
        overtakes: impl Fn(u32) -> bool,
    ) -> Result<Option<Came>, MessageError> {
        self.progress()?;
        let Some(&(first, _)) = recvs.first() else { return Ok(Some(Came::Whole)) };
        if self.is_received(first)? {
            return Ok(Some(Came::Whole));
        }
        if let Some(overtaken) = self.overtaken(context, recvs, &overtakes) {
            return Ok(Some(overtaken));
        }
        // Else nobody would look: this call does not wait.
        for &(_, from) in recvs {
            self.note_loss(from);
        }
        self.check_posted(recvs, |engine, from| {
            // A later call may initiate what a held one waits for.
            match engine.matching.holds_of(from) {
                false => engine.check_not_exhausted(from),
                true => Ok(()),
            }
        })?;
        Ok(None)
    }

    /// Whether the message of a posted receive is all here.
    pub fn is_whole(&mut self, id: RecvId) -> bool {
        // What fails now fails again for whoever waits.
        self.is_received(id).unwrap_or(false)
    }

    /// Whether a posted receive has met its message, which may still be on its way.
    pub fn has_come(&self, id: RecvId) -> bool {
        self.matching.matched(id).is_some()
    }

    /// The tag of the first message of `from` that no receive has taken.
    pub fn first_kept(&self, context: Context, from: Rank) -> Option<u32> {
        let any = Pattern { source: Source::Rank(from), tag: Tag::Any };
        self.matching.peek(context, any).map(|(_, tag, _)| tag)
    }

    /// The message of a posted receive, if it is all here: its element byte and its payload. The
    /// posted receive is gone then.
    pub fn take_posted(&mut self, id: RecvId) -> Option<(u8, Vec<u8>)> {
        if !self.is_whole(id) {
            return None;
        }
        self.copy_out(id);
        let matched = self.matching.take_matched(&mut self.obstacles, id)?;
        let payload = match matched.message.body {
            Body::Owned(payload) => payload,
            Body::Gathering { slot } => self.take_gathered(slot)?,
            Body::Frame(_) | Body::Request { .. } => return None,
        };
        Some((matched.message.element, payload))
    }

    /// Whether a message of one of the senders shows that what was posted for it will not come.
    fn overtaken(
        &self,
        context: Context,
        recvs: &[(RecvId, Rank)],
        overtakes: &impl Fn(u32) -> bool,
    ) -> Option<Came> {
        let missing = recvs.iter().filter(|(id, _)| self.matching.matched(*id).is_none());
        missing.map(|&(_, from)| from).find_map(|from| {
            let matched =
                self.matching.all_matched().map(|(_, other)| other).filter(|it| it.source == from);
            let mut tags = matched
                .filter(|other| other.message.context == context)
                .map(|other| other.tag)
                .chain(self.first_kept(context, from));
            let tag = tags.find(|&tag| overtakes(tag))?;
            Some(Came::Overtaken { from, tag })
        })
    }

    /// Fails if one of the messages can never be all here; `can_come` judges those that have not
    /// begun.
    fn check_posted(
        &mut self,
        recvs: &[(RecvId, Rank)],
        can_come: impl Fn(&Engine<N>, Rank) -> Result<(), MessageError>,
    ) -> Result<(), MessageError> {
        recvs.iter().try_for_each(|&(id, from)| match self.has_come(id) {
            false => can_come(self, from),
            true if self.is_received(id)? => Ok(()),
            true => self.check_not_exhausted(from),
        })
    }
}
