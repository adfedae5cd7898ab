//! Deposits: a collective's short message that lies where all members of a group see it.
//!
//! Keeps rules CLK-1, HOLD-1, CON-1, COL-9 and SAFE-1 of SEMANTICS.md.
//!
//! The part `deposits` has the words. Here it is decided whether a rank may deposit, and whether a
//! reader may read. `recv/deposited` receives; `pending` has the deposits of nonblocking calls.
//!
//! # Correctness
//!
//! A deposit is stamped as a message that is posted now, and made only where such a message might
//! leave at once for all that read it. So it is not seen where no message would have come. A reader
//! takes it only when its receive clock has come to the stamp.
//!
//! It is made only where no message to its readers waits to leave, and on causal networks alone. So
//! whoever has read it finds with the next poll all messages that its sender had posted before.

mod areas;
mod pending;

pub use areas::BeforeRoom;
pub use pending::Contribution;

use std::time::Duration;

use super::Engine;
use crate::message::config::CONTROL;
use crate::message::deposits::{Awaited, Body, Contents, MemberSet, NewDeposit, Readers, Want};
use crate::message::error::MessageError;
use crate::message::header::unwrap_stamp;
use crate::message::matching::{Context, Pattern, Source, Tag};
use crate::message::obstacles::Obstacles;
use crate::message::waiting::WaitsFor;
use crate::order::{Clock, GroupId, Rank};
use crate::sys::thread;
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// A rank that finds no room for a deposit lets others run no more once so much time has passed.
const LONGEST_SEARCH: Duration = Duration::from_millis(2);

impl<N: Nic> Engine<N> {
    /// Whether the members of a group deposit short messages of collectives. All say the same.
    #[inline]
    pub fn deposits_in(&self, group: GroupId) -> bool {
        self.deposits.place_of(group).is_some()
    }

    /// A group was made: it deposits if it has a place on the board, is small and on one host.
    pub(super) fn join_deposits(&mut self, group: GroupId) {
        let Some(words) = self.nic.shared_words().filter(|_| self.nic.attributes().causal) else {
            return;
        };
        let order = self.barriers.order();
        if let (Some(place), Some(members)) = (order.place_of(group), order.members(group)) {
            self.deposits.join(words, place, group, members);
        }
    }

    /// Deposits the contents for these readers of a call. False, and nothing has been done, if that
    /// cannot be now: then each reader gets its message as such.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn deposit(
        &mut self,
        group: GroupId,
        (index, readers): (u64, Readers),
        contents: Contents<'_>,
    ) -> Result<bool, MessageError> {
        let Some(place) = self.deposits.place_of(group) else { return Ok(false) };
        if let Body::Same(body) = contents.body
            && self.deposit_short(place, (index, readers), (contents.head, body))
        {
            return Ok(true);
        }
        self.settle_dropped();
        if !self.has_room_soon(place, (index, readers), self.bytes_in_slot(place, &contents)) {
            return Ok(false);
        }
        self.deposit_in(place, (index, readers), contents)
    }

    /// Deposits a message for these readers, if it is short, and nothing is in its way or due. Else false, and
    /// nothing has been done.
    #[inline(always)]
    fn deposit_short(
        &mut self,
        place: usize,
        of: (u64, Readers),
        message: (&[u64], &[u8]),
    ) -> bool {
        let (head, body) = message;
        let may = self.dropped.is_empty()
            && self.deposits.is_short(place, of, 8 * head.len() + body.len())
            && self.may_serve_itself();
        let (true, Some(stamp)) = (may, self.order().stamp_for_all()) else { return false };
        let Some(words) = self.nic.shared_words() else { return false };
        if self.deposits.deposit_short(words, place, of, stamp, message) {
            self.wake_for_deposit(place, of);
        }
        true
    }

    /// Wakes those that sleep for a deposit, and lack no other.
    #[inline(never)]
    fn wake_for_deposit(&mut self, place: usize, of: (u64, Readers)) {
        let Some(words) = self.nic.shared_words() else { return };
        let wanting = self.deposits.wanting(words, place, of);
        if !wanting.is_empty() {
            self.nic.wake_many(wanting.into_iter());
        }
    }

    /// Deposits the contents, for which there is room. False if that cannot be now.
    #[inline]
    fn deposit_in(
        &mut self,
        place: usize,
        (index, readers): (u64, Readers),
        contents: Contents<'_>,
    ) -> Result<bool, MessageError> {
        let Some(stamp) = self.stamp_of_deposit(place, readers)? else { return Ok(false) };
        if self.is_for_area(place, &contents) {
            return Ok(self.deposit_elsewhere(place, (index, readers), stamp, &contents));
        }
        let Some(words) = self.nic.shared_words() else { return Ok(false) };
        let outgoing = NewDeposit { index, stamp, readers, contents };
        if self.deposits.deposit(words, place, outgoing) {
            self.wake_for_deposit(place, (index, readers));
        }
        Ok(true)
    }

    /// The stamp of a deposit for these readers, if it may be made now.
    #[inline]
    fn stamp_of_deposit(
        &mut self,
        place: usize,
        readers: Readers,
    ) -> Result<Option<Clock>, MessageError> {
        if !self.may_serve_itself() {
            self.progress_urgent()?;
            // A sender to one that has gone is told so.
            if !self.is_plain() {
                return Ok(None);
            }
        }
        if self.obstacles.has_any(Obstacles::SENDING) && self.has_queued(place, readers.set()) {
            return Ok(None);
        }
        Ok(self.stamp_toward(place, readers.set()))
    }

    /// Whether there is room for a deposit of so many `bytes`, or is in a moment: a rank that is ahead of
    /// those that read looks for a microsecond, or lets others run until 2 ms have passed. Where that did not
    /// help it does so no more until there was room again, as they may compute.
    #[inline]
    fn has_room_soon(&mut self, place: usize, of: (u64, Readers), bytes: usize) -> bool {
        self.has_room(place, of, bytes)
            || !self.deposits.is_full(place) && self.has_room_in_a_moment(place, of, bytes)
    }

    #[inline]
    fn has_room(&mut self, place: usize, of: (u64, Readers), bytes: usize) -> bool {
        let words = self.nic.shared_words();
        words.is_some_and(|words| self.deposits.is_free(words, place, of, bytes))
    }

    #[cold]
    fn has_room_in_a_moment(&mut self, place: usize, of: (u64, Readers), bytes: usize) -> bool {
        let (turns, begin) = (self.waiting.turns_for_all_others(), Instant::now());
        for turn in 0..turns {
            let goes_on = self.let_others_run(turn == 0);
            if self.has_room(place, of, bytes) {
                return true;
            }
            if !goes_on || Instant::now().saturating_since(begin) >= LONGEST_SEARCH {
                break;
            }
        }
        let looks = if turns > 0 { 0 } else { self.waiting.looks() };
        for _ in 0..looks {
            thread::one_at_a_time();
            if self.has_room(place, of, bytes) {
                return true;
            }
        }
        self.deposits.handle_full(place);
        false
    }

    /// Whether this rank may do without a look at what others want of it.
    #[inline(always)]
    pub(super) fn may_serve_itself(&mut self) -> bool {
        self.is_plain()
            && self.has_nothing_due()
            && self.nic.is_empty(CONTROL)
            && self.hears_no_signals()
    }

    /// Whether a message to one of these members waits, which the deposit must not overtake.
    #[cold]
    fn has_queued(&self, place: usize, members: MemberSet) -> bool {
        let mut ranks = members.iter().map(|member| self.deposits.world_rank(place, member));
        ranks.any(|rank| !self.links.queued(rank).is_empty())
    }

    /// The stamp of a message that is posted now, if it is the same toward all these members, and
    /// the message may leave for each of them.
    #[inline]
    fn stamp_toward(&self, place: usize, members: MemberSet) -> Option<Clock> {
        let order = self.order();
        let contains_none = order.holds_all_in_open_barriers();
        let ranks = self.deposits.members(place);
        let mut stamp = None;
        for member in members.iter() {
            let rank = ranks[member];
            let posted = order.post(rank);
            if *stamp.get_or_insert(posted.stamp) != posted.stamp
                || !contains_none && !order.may_leave(rank, posted)
            {
                return None;
            }
        }
        stamp
    }

    /// The first of these members whose deposit for a call may be read now.
    pub fn first_deposit(
        &self,
        group: GroupId,
        (index, lacking): (u64, MemberSet),
    ) -> Option<Rank> {
        let place = self.deposits.place_of(group)?;
        lacking.iter().find(|&member| self.is_deposited(place, (member, index)))
    }

    /// Whether a member has deposited in a call, held or not.
    pub fn has_deposited(&self, group: GroupId, (index, member): (u64, Rank)) -> bool {
        let place = self.deposits.place_of(group);
        place.is_some_and(|place| self.lies_there(place, (member, index)))
    }

    /// This rank has read all that it needs of the calls up to this one.
    pub fn finish_deposits(&mut self, group: GroupId, index: u64) {
        if let (Some(place), Some(words)) = (self.deposits.place_of(group), self.nic.shared_words())
        {
            self.deposits.handle_finished(words, place, index);
        }
        self.settle_dropped();
    }

    /// The next wait for one of several things is also for a deposit of one of these members.
    pub fn begin_deposit_wait(&mut self, group: GroupId, (index, all): (u64, MemberSet)) {
        if let Some(place) = self.deposits.place_of(group).filter(|_| !all.is_empty()) {
            self.deposits.begin_wait(Awaited { place, index, first: None, all });
        }
    }

    /// That wait is over.
    pub fn end_deposit_wait(&mut self) {
        self.deposits.end_wait();
    }

    /// Whether one of the deposits that this rank waits for may be read.
    pub(super) fn has_awaited_deposit(&self) -> bool {
        let Some(Awaited { place, index, first, all }) = self.deposits.awaited() else {
            return false;
        };
        let mut ending = first.map_or(all, MemberSet::only).iter();
        ending.any(|member| self.is_deposited(place, (member, index)))
    }

    /// Whether a deposit of a rank lies there that this call waits for and that is held. Then, fails
    /// if it will not be released.
    pub(super) fn check_held_deposit(&self, rank: Rank) -> Result<bool, MessageError> {
        let Some(Awaited { place, index, .. }) = self.deposits.awaited() else { return Ok(false) };
        let member = self.deposits.member(place, rank);
        if !member.is_some_and(|member| self.may_be_released(place, (member, index))) {
            return Ok(false);
        }
        self.check_open_barriers(u64::MAX, &|members| members.contains(&rank)).map(|()| true)
    }

    /// What this rank wants of deposits before it sleeps, and whether one that it waits for is held.
    #[inline]
    pub(super) fn wanted_deposits(&self) -> (Want, bool) {
        let Some(words) = self.nic.shared_words() else { return (Want::Nothing, false) };
        let is_held = |place, of| !self.is_deposited(place, of);
        let Some(Awaited { index, .. }) = self.deposits.awaited() else {
            return self.deposits.want(words, |_| false, is_held);
        };
        let Some(context) = self.waits_in() else { return (Want::Nothing, false) };
        let cannot = |rank| {
            let of_it = Pattern { source: Source::Rank(rank), tag: Tag::Any };
            // One that has gone deposits no more: else the others of them would wake nobody.
            let has_gone = !self.links.peer(rank).presence().is_present();
            has_gone
                || self.matching.peek(context, of_it).is_some()
                || self.matching.has_matched(context, (rank, index as u32))
        };
        self.deposits.want(words, cannot, is_held)
    }

    /// The context in which this rank waits to receive.
    fn waits_in(&self) -> Option<Context> {
        match self.waiting.waits_for() {
            Some(WaitsFor::Receive { context, .. }) => Some(context),
            Some(WaitsFor::Posted { id, .. }) => Some(self.matching.context_of(id)),
            _ => None,
        }
    }

    /// Whether a member's deposit lies there, and may be read.
    #[inline]
    pub(super) fn is_deposited(&self, place: usize, of: (Rank, u64)) -> bool {
        let Some(words) = self.nic.shared_words() else { return false };
        let Some(stamp) = self.deposits.stamp(words, place, of) else { return false };
        let recv_clock = self.barriers.order().recv_clock(self.deposits.world_rank(place, of.0));
        unwrap_stamp(stamp, recv_clock) <= recv_clock
    }

    /// As [`Deposits::left_over`](crate::message::deposits::Deposits::left_over).
    #[inline]
    pub(super) fn left_over(&self, place: usize, of: (Rank, u64)) -> Option<u64> {
        self.nic.shared_words().and_then(|words| self.deposits.left_over(words, place, of))
    }

    /// Copies what a member's deposit, which lies there, says to this rank.
    pub(super) fn read_deposit(
        &mut self,
        place: usize,
        (member, index): (Rank, u64),
    ) -> Result<&[u8], MessageError> {
        let Some(words) = self.nic.shared_words() else {
            return Err(MessageError::NothingCanArrive);
        };
        match self.deposits.read(words, place, (member, index)) {
            Ok(len) => {
                if self.deposited.is_some() {
                    self.forget_deposited();
                }
                Ok(self.deposits.bytes(len))
            }
            Err(not_copied) => {
                let found = self.find_deposited((place, member), not_copied);
                let len = self.remember(found)?;
                Ok(self.deposited(len))
            }
        }
    }

    /// Whether a member's deposit lies there, held or not.
    pub(super) fn lies_there(&self, place: usize, of: (Rank, u64)) -> bool {
        let words = self.nic.shared_words();
        words.is_some_and(|words| self.deposits.stamp(words, place, of).is_some())
    }

    /// Whether a member's deposit lies there, and may be read once barriers that this rank has
    /// initiated are complete.
    pub(super) fn may_be_released(&self, place: usize, of: (Rank, u64)) -> bool {
        let from = self.deposits.world_rank(place, of.0);
        let send_clock = self.order().send_clock(from);
        let words = self.nic.shared_words();
        let stamp = words.and_then(|words| self.deposits.stamp(words, place, of));
        stamp.is_some_and(|stamp| unwrap_stamp(stamp, send_clock) <= send_clock)
    }
}
