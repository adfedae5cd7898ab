//! Groups on the board: their members publish the epochs that they have entered, and read each
//! other's words.
//!
//! The words themselves are the driver's. This module gives it the words to publish and to write to
//! other hosts, and asks it for the words of others. The driver knows nothing of their meaning.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4 and SAFE-1 of SEMANTICS.md.

use super::{Carried, Group, Order};
use crate::barrier::{Impossible, MemberWord, Words};
use crate::clocks::Slot;
use crate::hosts::{Cell, Target, Write};
use crate::members::Members;
use crate::{Epoch, GroupId, ProtocolError, Rank, Ticket};

/// The word that a rank publishes for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Publication {
    /// The group's place.
    pub place: usize,
    /// The group.
    pub group: GroupId,
    /// The epoch that was published before.
    pub before: Epoch,
    /// The latest epoch that this rank has entered.
    pub epoch: Epoch,
}

/// A word that one rank writes for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// The group's place.
    pub place: usize,
    /// The group.
    pub group: GroupId,
    /// The rank of the job whose word it is.
    pub rank: Rank,
    /// Which of its words.
    pub cell: Cell,
    /// Whether that rank is known to have said something for this group.
    pub known: bool,
}

/// A write that is due for this rank's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostWrite {
    /// The group's place.
    pub place: usize,
    /// The group.
    pub group: GroupId,
    /// Where, and which epoch.
    pub write: Write,
}

/// How far a group on the board is, for a rank that is to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The group's place.
    pub place: usize,
    /// The group.
    pub group: GroupId,
    /// The latest complete epoch.
    pub complete: Epoch,
    /// The latest epoch that this rank has entered.
    pub entered: Epoch,
}

/// The words of one group among those of all.
struct OfGroup<'g, L> {
    place: usize,
    id: GroupId,
    members: &'g Members,
    words: &'g L,
}

impl<L: Words<Word>> Words<MemberWord> for OfGroup<'_, L> {
    #[inline(always)]
    fn load(&self, (member, cell, known): MemberWord) -> Option<Epoch> {
        let OfGroup { place, id: group, members, words } = *self;
        words.load(Word { place, group, rank: members.rank_at(member), cell, known })
    }
}

impl Order {
    /// Offers the words that are to be published to `emit`: for each group the newest epoch only.
    /// All must be published before this rank looks again.
    #[inline]
    pub fn poll_published(&mut self, mut emit: impl FnMut(Publication)) {
        let mut owed_nothing_more = false;
        for group in self.groups.iter_mut().flatten() {
            let Carried::Board(place) = group.carried else { continue };
            if let Some((before, epoch)) = group.barrier.poll_published() {
                emit(Publication { place, group: group.id, before, epoch });
                owed_nothing_more |= group.dropped;
            }
        }
        if owed_nothing_more {
            self.forget_dropped();
        }
    }

    /// As [`handle_initiate`](Order::handle_initiate), for a group that publishes and a barrier
    /// that nothing keeps back. The word that it returns must be published before this rank looks
    /// again.
    /// None, and nothing has changed, where that has to decide.
    #[inline]
    pub fn handle_initiate_published(&mut self, group: GroupId) -> Option<(Ticket, Publication)> {
        if self.partial_open + self.deferred > 0 {
            return None;
        }
        let slot = self.slot_of(group)?;
        let entering = self.entering_at(slot)?;
        Some((self.handle_enter_at(slot), entering))
    }

    /// The word of a rank that enters the next barrier now, where nothing is contained or
    /// deferred. None where it may not.
    #[inline(always)]
    pub(super) fn entering_at(&self, slot: Slot) -> Option<Publication> {
        let state = self.groups[slot].as_ref()?;
        let Carried::Board(place) = state.carried else { return None };
        // All that was initiated was entered, so this agrees with `slot_to_initiate`.
        let (before, complete) = (state.barrier.entered(), state.barrier.complete());
        let open = (before - complete) as usize;
        debug_assert_eq!(open, self.clocks.open_count(slot));
        let refused = state.dropped || open >= self.open_limit || before >= Epoch::MAX - 1;
        // Not before: behind the last epoch there is no next one.
        let publication = || Publication { place, group: state.id, before, epoch: before + 1 };
        (!refused && !state.barrier.has_news()).then(publication)
    }

    /// Enters the next barrier, as [`entering_at`](Order::entering_at) has said that it may; that
    /// is published now, or was just before.
    #[inline(always)]
    pub(super) fn handle_enter_at(&mut self, slot: Slot) -> Ticket {
        self.note_change();
        let state = self.groups[slot].as_mut().expect("a group that is entered exists");
        state.barrier.handle_enter();
        state.barrier.poll_published();
        let group = state.id;
        self.partial_open += usize::from(!state.members.is_whole());
        let (epoch, seq) = self.clocks.handle_initiate(slot);
        // Mostly a member is known to lack it.
        if self.group(slot).barrier.complete() == epoch {
            self.complete_reached(slot);
        }
        Ticket { group, epoch, seq }
    }

    /// Offers the writes that are due for this rank's host to `emit`, which returns whether one was
    /// written everywhere. A write that was not is offered again next time. Returns how many were
    /// written: then a look may find more.
    pub fn poll_writes(&mut self, mut emit: impl FnMut(HostWrite) -> bool) -> u64 {
        let (mut written, mut owed_nothing_more) = (0, false);
        for group in self.groups.iter_mut().flatten() {
            let Carried::Board(place) = group.carried else { continue };
            if let Some(write) = group.barrier.poll_write()
                && emit(HostWrite { place, group: group.id, write })
            {
                group.barrier.handle_written(write);
                owed_nothing_more |= group.dropped && write.to == Target::OwnHost;
                written += 1;
            }
        }
        if owed_nothing_more {
            self.forget_dropped();
        }
        written
    }

    /// `from` has published that it has entered `epoch` of `group`.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if that cannot be, or if its members do not publish where all see it.
    pub fn handle_published(
        &mut self,
        from: Rank,
        group: GroupId,
        epoch: Epoch,
    ) -> Result<(), ProtocolError> {
        let outsider = ProtocolError::NotAMember { from, group };
        let Some(slot) = self.slot_of(group) else { return Err(outsider) };
        let limit = self.limit_after(self.group(slot).barrier.entered());
        let state = self.group_mut(slot);
        let Some(member) = state.members.position(from) else { return Err(outsider) };
        if !matches!(state.carried, Carried::Board(_)) || state.barrier.spans_hosts() {
            return Err(ProtocolError::UnexpectedStep { from, group, step: 0 });
        }
        if epoch > limit {
            return Err(ProtocolError::ImpossibleEpoch { from, group, epoch, limit });
        }
        if state.barrier.handle_published(member, epoch) {
            self.settle(slot);
        }
        Ok(())
    }

    /// Looks at the words of others for the groups with open barriers, until it is clear whether
    /// one has completed: mostly at two words. Returns whether a barrier has completed. Of a group
    /// on several hosts, what is to be written then ([`poll_writes`](Order::poll_writes)) must be,
    /// before a look goes further.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::ImpossibleEpoch`] naming the rank that has said an epoch that it cannot
    /// have entered.
    #[inline]
    pub fn look(&mut self, words: &impl Words<Word>) -> Result<bool, ProtocolError> {
        let mut news = false;
        for slot in 0..self.groups.len() {
            news |= self.look_at(slot, words)?;
        }
        Ok(news)
    }

    #[inline]
    fn look_at(&mut self, slot: Slot, words: &impl Words<Word>) -> Result<bool, ProtocolError> {
        let Some(group) = &mut self.groups[slot] else { return Ok(false) };
        let Carried::Board(place) = group.carried else { return Ok(false) };
        let Group { id, members, barrier, .. } = group;
        let limit = barrier.entered().saturating_add(self.open_limit as Epoch);
        let found = barrier.look(limit, &OfGroup { place, id: *id, members, words });
        let news = found.map_err(|wrong| impossible(group, wrong, limit))?;
        if news {
            self.settle(slot);
        }
        Ok(news)
    }

    /// The same of a group on one host, at this place.
    #[inline(always)]
    pub(super) fn look_at_one(
        &mut self,
        (slot, place): (Slot, usize),
        words: &impl Words<Word>,
    ) -> Result<bool, ProtocolError> {
        let group = self.groups[slot].as_mut().expect("a group that is looked at exists");
        let Group { id, members, barrier, .. } = group;
        if barrier.complete() == barrier.entered() {
            return Ok(false);
        }
        let limit = barrier.entered().saturating_add(self.open_limit as Epoch);
        let found = barrier.look_at_one(limit, &OfGroup { place, id: *id, members, words });
        let news = found.map_err(|wrong| impossible(group, wrong, limit))?;
        if news {
            self.settle(slot);
        }
        Ok(news)
    }

    /// Whether that would find nothing.
    #[inline(always)]
    pub(super) fn is_one_quiet(
        &self,
        (slot, place): (Slot, usize),
        words: &impl Words<Word>,
    ) -> bool {
        let Group { id, members, barrier, .. } = self.group(slot);
        barrier.is_one_quiet(&OfGroup { place, id: *id, members, words })
    }

    /// Whether [`look`](Order::look) would find nothing in groups on several hosts, and nothing is
    /// to be written for this host. False does not mean that it would find something.
    pub fn are_hosts_quiet(&self, words: &impl Words<Word>) -> bool {
        let mut groups = self.groups.iter().flatten();
        groups.all(|group| !group.barrier.spans_hosts() || is_quiet(group, words))
    }

    /// The same in all groups on the board, as far as few words of each say.
    #[inline]
    pub fn is_board_quiet(&self, words: &impl Words<Word>) -> bool {
        self.groups.iter().flatten().all(|group| is_quiet(group, words))
    }

    /// The groups on the board with barriers that this rank has entered and that are not complete.
    #[inline]
    pub fn awaited(&self) -> impl Iterator<Item = Awaited> + '_ {
        self.groups.iter().flatten().filter_map(|group| {
            let Carried::Board(place) = group.carried else { return None };
            let (complete, entered) = (group.barrier.complete(), group.barrier.entered());
            let awaited = Awaited { place, group: group.id, complete, entered };
            (complete < entered).then_some(awaited)
        })
    }

    /// The place of a group on the board, if it is there.
    pub fn place_of(&self, group: GroupId) -> Option<usize> {
        match self.group(self.slot_of(group)?).carried {
            Carried::Board(place) => Some(place),
            _ => None,
        }
    }

    /// Whether a barrier has been initiated and not entered.
    #[inline]
    pub fn has_deferred(&self) -> bool {
        self.deferred > 0
    }
}

/// Whether a look at this group would find nothing, as far as few words say.
#[inline]
fn is_quiet(group: &Group, words: &impl Words<Word>) -> bool {
    let Carried::Board(place) = group.carried else { return true };
    let Group { id, members, barrier, .. } = group;
    barrier.is_quiet(&OfGroup { place, id: *id, members, words })
}

#[cold]
fn impossible(group: &Group, wrong: Impossible, limit: Epoch) -> ProtocolError {
    let (from, epoch) = (group.members.rank_at(wrong.member), wrong.epoch);
    ProtocolError::ImpossibleEpoch { from, group: group.id, epoch, limit }
}
