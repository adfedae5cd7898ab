//! What nonblocking collectives wait for: messages of posted receives, and deposits.
//!
//! Keeps rules FLOW-5, COL-4, COL-8 and COL-9 of SEMANTICS.md.
//!
//! A collective's message is copied out of its descriptor as soon as it arrives, and its sender has
//! the credit back. So a program may wait for nonblocking collectives in any order, and receive
//! other messages before.
//!
//! A later message, or a later deposit, of a sender shows that the awaited one never comes. What it had deposited
//! before lies there then. So a deposit is looked for last.

use crate::message::deposits::{Awaited, MemberSet};
use crate::message::engine::Engine;
use crate::message::engine::deposits::Contribution;
use crate::message::error::MessageError;
use crate::message::inbound::{Body, Info};
use crate::message::matching::{Context, Pattern, RecvId, Source, Tag};
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::verbs::Nic;

/// The outcome of waiting for what members give in a nonblocking call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// The message of the first receive is complete.
    Whole,
    /// The first member has deposited, and that may be read.
    Deposited,
    /// A later message of a sender has arrived, so that the awaited one never will.
    Overtaken {
        /// The sender.
        from: Rank,
        /// The tag of the later message.
        tag: u32,
    },
    /// A member has deposited for a later call. If what is awaited of it has not come with the next
    /// [poll](Engine::progress), it never will.
    Later,
}

/// What a posted receive has got.
#[derive(Clone, Copy, Debug)]
pub enum Received<'p> {
    /// This, where it lies.
    Here(&'p [u8]),
    /// So many bytes, which are in the memory of the receive.
    InRoom(usize),
}

impl<N: Nic> Engine<N> {
    /// Waits until the first of these members has given what it owes, or until it is known of one that it never
    /// will. They are those of one call, in one context. `overtakes` returns whether a message with this tag
    /// belongs after the awaited ones.
    ///
    /// # Errors
    ///
    /// [`MessageError::PeerEnded`] or [`MessageError::PeerLost`] if one of them never can;
    /// others as by [`Engine::progress`].
    pub fn wait_given(
        &mut self,
        context: Context,
        all: &[Contribution],
        overtakes: impl Fn(u32) -> bool,
    ) -> Result<Came, MessageError> {
        let Some(&first) = all.first() else { return Ok(Came::Whole) };
        if let Some(place) = self.deposits.place_of(first.group) {
            // Those that send a message instead are left out before this rank sleeps.
            let members = all.iter().map(|given| given.member);
            let (index, all) = (first.index, members.fold(MemberSet::NONE, MemberSet::with));
            self.deposits.begin_wait(Awaited { place, index, first: Some(first.member), all });
        }
        let mut outcome = None;
        let waited = self.wait_until(
            WaitsFor::Posted { id: first.id, source: Source::Rank(first.from) },
            |engine| match engine.is_received(first.id)? {
                true => Ok(Some(Came::Whole)),
                false => Ok(engine.has_awaited_deposit().then_some(Came::Deposited)),
            },
            |engine| {
                outcome = engine.never_given(context, all, &overtakes, true);
                match outcome {
                    Some(_) => Err(MessageError::NothingCanArrive),
                    None => all.iter().try_for_each(|&given| engine.check_comes(given)),
                }
            },
        );
        self.deposits.end_wait();
        outcome.map_or(waited, Ok)
    }

    /// As [`wait_given`](Engine::wait_given), without waiting: None if there is no outcome yet.
    ///
    /// # Errors
    ///
    /// As by [`wait_given`](Engine::wait_given).
    pub fn test_given(
        &mut self,
        context: Context,
        all: &[Contribution],
        overtakes: impl Fn(u32) -> bool,
    ) -> Result<Option<Came>, MessageError> {
        self.progress()?;
        let Some(&first) = all.first() else { return Ok(Some(Came::Whole)) };
        if self.is_received(first.id)? {
            return Ok(Some(Came::Whole));
        }
        if self.is_given_here(first) {
            return Ok(Some(Came::Deposited));
        }
        let never = self.never_given(context, all, &overtakes, false);
        if never.is_some() {
            return Ok(never);
        }
        // Only waiting calls check for lost peers otherwise.
        for given in all {
            self.note_loss(given.from);
        }
        all.iter().try_for_each(|&given| {
            // A later call of this rank may enter the barrier that a held message waits for.
            match self.has_come(given.id) || !self.matching.holds_of(given.from) {
                true => self.check_comes_to_poll(given),
                false => Ok(()),
            }
        })?;
        Ok(None)
    }

    /// Whether something shows that one of these members will never give what it owes; see
    /// [`wait_given`](Engine::wait_given). What a deposit shows must be looked at again after a poll.
    pub fn is_any_never_given(
        &self,
        context: Context,
        all: &[Contribution],
        overtakes: impl Fn(u32) -> bool,
        waits: bool,
    ) -> Option<Came> {
        self.never_given(context, all, &overtakes, waits)
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

    /// The first message that matches and that no receive has taken, without making progress.
    pub fn kept(&self, context: Context, pattern: Pattern) -> Option<Info> {
        self.peek(context, pattern)
    }

    /// The tag of the first message of `from` that no receive has taken.
    pub fn first_kept(&self, context: Context, from: Rank) -> Option<u32> {
        let any = Pattern { source: Source::Rank(from), tag: Tag::Any };
        self.matching.peek(context, any).map(|(_, tag, _)| tag)
    }

    /// Hands the element byte and the payload of a posted receive's message to `read`, if it is complete. The posted receive ends
    /// then.
    pub fn read_posted<R>(
        &mut self,
        id: RecvId,
        read: impl FnOnce(u8, Received<'_>) -> R,
    ) -> Option<R> {
        if !self.is_whole(id) {
            return None;
        }
        let matched = self.matching.take_matched(&mut self.obstacles, id)?;
        if let Body::Gathering { slot } = matched.message.body
            && self.gathering.is_in_pieces(slot)
        {
            self.gathering.free(&mut self.obstacles, slot);
            let message = matched.message;
            return Some(read(message.element, Received::InRoom(message.len)));
        }
        let read = |info: &Info, payload: &[u8]| read(info.element, Received::Here(payload));
        // What cannot be read fails in the call that waits for it.
        self.hand_over_taken(matched, read).ok()
    }

    /// The first sender, if any, a later message or deposit of which shows that it never gives what is awaited.
    fn never_given(
        &self,
        context: Context,
        all: &[Contribution],
        overtakes: &impl Fn(u32) -> bool,
        waits: bool,
    ) -> Option<Came> {
        let mut missing = all.iter().copied().filter(|given| !self.has_come(given.id));
        missing.find_map(|given| {
            let from = given.from;
            let matched =
                self.matching.all_matched().map(|(_, other)| other).filter(|it| it.source == from);
            let mut tags = matched
                .filter(|other| other.message.context == context)
                .map(|other| other.tag)
                .chain(self.first_kept(context, from));
            let overtaken = tags.find(|&tag| overtakes(tag));
            let never = match overtaken {
                Some(tag) => Some(Came::Overtaken { from, tag }),
                None => self.later_given(given, waits).map(|_| Came::Later),
            };
            never.filter(|_| !self.is_given(given))
        })
    }

    /// Fails if what a member gives can never become complete, as far as a call that waits can tell.
    fn check_comes(&mut self, given: Contribution) -> Result<(), MessageError> {
        match self.has_come(given.id) && self.is_received(given.id)? {
            true => Ok(()),
            false => self.check_can_be_given(given),
        }
    }

    /// As [`check_comes`](Engine::check_comes), for a call that does not wait.
    fn check_comes_to_poll(&mut self, given: Contribution) -> Result<(), MessageError> {
        if self.has_come(given.id) && self.is_received(given.id)? {
            return Ok(());
        }
        let by_message = self.links.check_not_exhausted(given.from);
        // Looked at last: what a rank that has gone had deposited lies there since before.
        if by_message.is_err() && self.is_given(given) { Ok(()) } else { by_message }
    }
}
