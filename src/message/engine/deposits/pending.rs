//! Deposits of nonblocking collectives: made without a wait for room, and taken when the program waits.
//! What is given to a call whose request was dropped is discarded.
//!
//! Keeps rules COL-4, COL-8, COL-9 and FLOW-5 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A member gives what it has by a message or by a deposit, and decides that by itself. So this rank posts a
//! receive for the message, and cancels it when it takes the deposit. A deposit that a pending call has yet to
//! read keeps its place: this rank has not finished that call.
//!
//! A call whose request was dropped stays pending until each member has given what it owes. Then it is known of
//! each receive whether its message comes, and none stays posted for one that does not.

use super::Engine;
use crate::message::deposits::{Contents, MemberSet, Readers};
use crate::message::error::MessageError;
use crate::message::matching::{Context, Lane, Pattern, RecvId, Source, Tag};
use crate::order::{GroupId, Rank};
use crate::verbs::Nic;

/// What a member gives in a nonblocking collective: its deposit, or the message of a posted receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The group.
    pub group: GroupId,
    /// The index of the call, from 1 on.
    pub index: u64,
    /// The member, by its rank in the group.
    pub member: Rank,
    /// The same, by its rank in the world.
    pub from: Rank,
    /// The receive that is posted for its message, which has the index, modulo 2^32, as its tag.
    pub id: RecvId,
}

impl Contribution {
    /// The call and the member, as the part `deposits` names them.
    fn of(self) -> (Rank, u64) {
        (self.member, self.index)
    }

    /// The context of the message, and the pattern of the receive.
    fn pattern(self) -> (Context, Pattern) {
        let tag = Tag::Exactly(self.index as u32);
        let pattern = Pattern { source: Source::Rank(self.from), tag };
        (Context::new(self.group, Lane::Collective), pattern)
    }
}

impl<N: Nic> Engine<N> {
    /// As [`deposit`](Engine::deposit), without a wait for room.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn deposit_at_once(
        &mut self,
        group: GroupId,
        (index, readers): (u64, Readers),
        contents: Contents<'_>,
    ) -> Result<bool, MessageError> {
        let Some(place) = self.deposits.place_of(group) else { return Ok(false) };
        self.settle_dropped();
        let (of, bytes) = ((index, readers), self.bytes_in_slot(place, &contents));
        let Some(words) = self.nic.shared_words() else { return Ok(false) };
        if self.deposits.is_apart(words, place, of) {
            return Ok(false);
        }
        if !self.has_room(place, of, bytes) {
            self.deposits.handle_no_room(place, of, bytes);
            return Ok(false);
        }
        self.deposit_in(place, of, contents)
    }

    /// A nonblocking call is made, in which each of these members gives something to this rank.
    pub fn begin_pending(&mut self, group: GroupId, (index, of): (u64, MemberSet)) {
        self.settle_dropped();
        if let Some(place) = self.deposits.place_of(group).filter(|_| !of.is_empty()) {
            self.deposits.begin_pending(place, (index, of));
        }
    }

    /// All that was given in a nonblocking call has been taken or dropped.
    pub fn end_pending(&mut self, group: GroupId, index: u64) {
        // The call is over when the last of what was dropped has come.
        if !self.dropped.iter().any(|other| (other.group, other.index) == (group, index)) {
            self.finish_pending(group, index);
        }
        self.settle_dropped();
    }

    fn finish_pending(&mut self, group: GroupId, index: u64) {
        if let (Some(place), Some(words)) = (self.deposits.place_of(group), self.nic.shared_words())
        {
            self.deposits.end_pending(words, place, index);
        }
    }

    /// Whether a member has given by a deposit what may be read now.
    #[inline]
    pub fn is_given_here(&self, given: Contribution) -> bool {
        let place = self.deposits.place_of(given.group);
        place.is_some_and(|place| self.is_deposited(place, given.of()))
    }

    /// Whether a member has given something by a deposit, held or not.
    pub fn is_given(&self, given: Contribution) -> bool {
        let place = self.deposits.place_of(given.group);
        place.is_some_and(|place| self.lies_there(place, given.of()))
    }

    /// Takes what a member [has given](Engine::is_given_here) by a deposit, and hands it to `read`. The receive
    /// ends. `left_over` makes the error if a deposit of an earlier call, with this index, was never read here.
    ///
    /// # Errors
    ///
    /// That of `left_over`; [`MessageError::Protocol`] if the member has deposited what cannot be.
    pub fn take_given<R, E: From<MessageError>>(
        &mut self,
        given: Contribution,
        left_over: impl FnOnce(u64) -> E,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, E> {
        let Some(place) = self.deposits.place_of(given.group) else {
            return Err(MessageError::NothingCanArrive.into());
        };
        if let Some(before) = self.left_over(place, given.of()) {
            return Err(left_over(before));
        }
        let result = read(self.read_deposit(place, given.of())?);
        self.cancel_recv(given.id);
        Ok(result)
    }

    /// A later call for which a member has deposited something that may be read now. A rank that `waits` looks
    /// at all places, one that does not at the next few.
    pub fn later_given(&self, given: Contribution, waits: bool) -> Option<u64> {
        let (place, words) = (self.deposits.place_of(given.group)?, self.nic.shared_words()?);
        let later = self.deposits.later(words, place, given.of(), waits)?;
        self.is_deposited(place, (given.member, later)).then_some(later)
    }

    /// Fails if what a member has deposited, which is held, will not be released.
    pub(in crate::message::engine) fn check_held_given(
        &self,
        given: Contribution,
    ) -> Result<(), MessageError> {
        match self.deposits.place_of(given.group) {
            Some(place) if self.may_be_released(place, given.of()) => {
                self.check_open_barriers(u64::MAX, &|members| members.contains(&given.from))
            }
            _ => self.links.check_not_exhausted(given.from),
        }
    }

    /// Gives up what a member gives: nobody else shall receive that.
    pub fn drop_given(&mut self, given: Contribution) {
        if self.matching.matched(given.id).is_some() || !self.deposits_in(given.group) {
            return self.discard_recv(given.id);
        }
        if self.is_given(given) {
            return self.cancel_recv(given.id);
        }
        self.discard_recv(given.id);
        self.dropped.push(given);
    }

    /// Looks what has come of what was dropped before it came.
    pub(super) fn settle_dropped(&mut self) {
        if !self.dropped.is_empty() {
            self.look_at_dropped();
        }
    }

    #[cold]
    fn look_at_dropped(&mut self) {
        let mut dropped = std::mem::take(&mut self.dropped);
        let mut at = 0;
        while let Some(&given) = dropped.get(at) {
            let is_missing = self.matching.is_abandoned(given.id, given.pattern());
            if is_missing && !self.is_given(given) {
                at += 1;
                continue;
            }
            if is_missing {
                self.cancel_recv(given.id);
            }
            dropped.swap_remove(at);
            let (group, index) = (given.group, given.index);
            if !dropped.iter().any(|other| (other.group, other.index) == (group, index)) {
                self.finish_pending(group, index);
            }
        }
        self.dropped = dropped;
    }

    /// A group was dropped: nothing is read of it any more.
    pub(in crate::message::engine) fn forget_dropped(&mut self, group: GroupId) {
        self.dropped.retain(|given| given.group != group);
    }

    /// The places and calls of what several requests wait for, for the part `deposits`.
    pub(in crate::message::engine) fn begin_wait_for_several(
        &mut self,
        all: impl Iterator<Item = Contribution>,
    ) {
        let Engine { deposits, .. } = self;
        let places: smallvec::SmallVec<[_; 8]> =
            all.filter_map(|given| Some((deposits.place_of(given.group)?, given.of()))).collect();
        deposits.begin_wait_for_several(places.into_iter());
    }

    /// Looks which of these deposits lie there, before the caller looks what is complete.
    pub(in crate::message::engine) fn look_at_several(&mut self) {
        if let Some(words) = self.nic.shared_words() {
            self.deposits.look_at_several(words);
        }
    }

    /// Looks who has deposited for later calls than this rank waits for, before the caller looks whether that one never
    /// gives it.
    pub(in crate::message::engine) fn look_for_late(&mut self) {
        if let Some(words) = self.nic.shared_words() {
            self.deposits.look_for_late(words);
        }
    }
}
