//! Posted receives of nonblocking collectives, and waits for several of them.
//!
//! Keeps rules FLOW-5 and COL-8 of SEMANTICS.md.
//!
//! A collective's message is copied out of its descriptor as soon as it arrives, and its sender has
//! the credit back. So a program may wait for nonblocking collectives in any order, and receive
//! other messages before.

use crate::message::engine::Engine;
use crate::message::error::MessageError;
use crate::message::inbound::Body;
use crate::message::matching::{Context, Pattern, RecvId, Source, Tag};
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::verbs::Nic;

/// The outcome of waiting for posted receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// The message of the first receive is complete.
    Whole,
    /// A later message of a sender has arrived, so that the awaited one never will.
    Overtaken {
        /// The sender.
        from: Rank,
        /// The tag of the later message.
        tag: u32,
    },
    /// A member has deposited for this call instead of sending: it calls something else.
    Deposited,
}

impl<N: Nic> Engine<N> {
    /// Waits until the message of the first of these posted receives is complete, or until one of
    /// their messages is known never to arrive. Each receive is given with its sender. `overtakes`
    /// returns whether a message with this tag belongs after the awaited ones in this context.
    ///
    /// # Errors
    ///
    /// [`MessageError::PeerEnded`] or [`MessageError::PeerLost`] if one of the messages can never
    /// arrive; others as by [`Engine::progress`].
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
            |engine| match engine.is_received(first)? {
                true => Ok(Some(Came::Whole)),
                false => Ok(engine.has_awaited_deposit().then_some(Came::Deposited)),
            },
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

    /// As [`wait_posted`](Engine::wait_posted), without waiting: None if there is no outcome yet.
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
        // Only waiting calls check for lost peers otherwise.
        for &(_, from) in recvs {
            self.note_loss(from);
        }
        self.check_posted(recvs, |engine, from| {
            // A later call of this rank may enter the barrier that a held message waits for.
            match engine.matching.holds_of(from) {
                false => engine.links.check_not_exhausted(from),
                true => Ok(()),
            }
        })?;
        Ok(None)
    }

    /// Whether a later message shows that one of these messages will never arrive; see
    /// [`wait_posted`](Engine::wait_posted).
    pub fn is_any_overtaken(
        &self,
        context: Context,
        recvs: &[(RecvId, Rank)],
        overtakes: impl Fn(u32) -> bool,
    ) -> bool {
        self.overtaken(context, recvs, &overtakes).is_some()
    }

    /// Whether the message of a posted receive is complete.
    pub fn is_whole(&mut self, id: RecvId) -> bool {
        // An error occurs again in the call that waits.
        self.is_received(id).unwrap_or(false)
    }

    /// Whether a posted receive has matched a message, complete or not.
    pub fn has_come(&self, id: RecvId) -> bool {
        self.matching.matched(id).is_some()
    }

    /// The tag of the first message of `from` that no receive has taken.
    pub fn first_kept(&self, context: Context, from: Rank) -> Option<u32> {
        let any = Pattern { source: Source::Rank(from), tag: Tag::Any };
        self.matching.peek(context, any).map(|(_, tag, _)| tag)
    }

    /// The element byte and the payload of a posted receive's message, if it is complete. The
    /// posted receive ends then.
    pub fn take_posted(&mut self, id: RecvId) -> Option<(u8, Vec<u8>)> {
        if !self.is_whole(id) {
            return None;
        }
        self.copy_out(id);
        let matched = self.matching.take_matched(&mut self.obstacles, id)?;
        let payload = match matched.message.body {
            Body::Owned(payload) => payload,
            Body::Gathering { slot } => self.take_gathered(slot)?,
            Body::Frame(_) | Body::Request { .. } | Body::Asked(_) => return None,
        };
        Some((matched.message.element, payload))
    }

    /// The first sender, if any, a later message of which shows that the awaited one never arrives.
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

    /// Fails if one of the messages can never become complete. `can_come` checks the senders of
    /// those that have not begun to arrive.
    fn check_posted(
        &mut self,
        recvs: &[(RecvId, Rank)],
        can_come: impl Fn(&Engine<N>, Rank) -> Result<(), MessageError>,
    ) -> Result<(), MessageError> {
        recvs.iter().try_for_each(|&(id, from)| match self.has_come(id) {
            false => can_come(self, from),
            true if self.is_received(id)? => Ok(()),
            true => self.links.check_not_exhausted(from),
        })
    }
}
