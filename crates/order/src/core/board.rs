//! Groups whose members publish what they have entered instead of signalling it.
//!
//! The words themselves are the driver's: it is told what to publish and what to write to other
//! hosts, and asked what others have. It carries words, and knows nothing of what they mean.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4 and SAFE-1 of SEMANTICS.md.

use super::{Group, Order};
use crate::barriers::Barriers;
use crate::clocks::Slot;
use crate::hosts::{Cell, Write};
use crate::published::{Impossible, Published};
use crate::{Epoch, GroupId, ProtocolError, Rank, Ticket};

/// What a rank publishes for a group.
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

/// A word that one rank publishes for a group.
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
    /// Whether that rank is known to have published something for this group.
    pub known: bool,
}

/// What this rank is to write for its host to other hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostWrite {
    /// The group's place.
    pub place: usize,
    /// The group.
    pub group: GroupId,
    /// To which hosts, and what.
    pub write: Write,
}

/// How far a published group is, for a rank that is to sleep.
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

impl Order {
    /// Offers what is to be published to `emit`: for each group the newest epoch only. All of it
    /// must be published before this rank looks again.
    #[inline]
    pub fn poll_published(&mut self, mut emit: impl FnMut(Publication)) {
        let mut owed_nothing_more = false;
        for group in self.groups.iter_mut().flatten() {
            let Barriers::Published(place, published) = &mut group.barriers else { continue };
            if let Some((before, epoch)) = published.poll_published() {
                emit(Publication { place: *place, group: group.id, before, epoch });
                owed_nothing_more |= group.dropped;
            }
        }
        if owed_nothing_more {
            self.forget_dropped();
        }
    }

    /// As [`handle_initiate`](Order::handle_initiate), for a group that publishes and a barrier
    /// that nothing keeps back; what it returns must be published before this rank looks again.
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

    /// What a rank publishes that enters the next barrier now, where nothing is contained or
    /// deferred. None where it may not.
    #[inline(always)]
    pub(super) fn entering_at(&self, slot: Slot) -> Option<Publication> {
        let state = self.groups[slot].as_ref()?;
        let Barriers::Published(place, published) = &state.barriers else { return None };
        // What was initiated was entered, so this says what `slot_to_initiate` does.
        let (before, complete) = (published.entered(), published.complete());
        let open = (before - complete) as usize;
        debug_assert_eq!(open, self.clocks.open_count(slot));
        let refused = state.dropped || open >= self.open_limit || before >= Epoch::MAX - 1;
        // Not before: behind the last epoch there is no next one.
        let publication =
            || Publication { place: *place, group: state.id, before, epoch: before + 1 };
        (!refused && !published.has_news()).then(publication)
    }

    /// Enters the next barrier, as [`entering_at`](Order::entering_at) has said that it may; that
    /// is published now, or was just before.
    #[inline(always)]
    pub(super) fn handle_enter_at(&mut self, slot: Slot) -> Ticket {
        self.note_change();
        let state = self.groups[slot].as_mut().expect("a group that is entered exists");
        if let Barriers::Published(_, published) = &mut state.barriers {
            published.handle_enter();
            published.poll_published();
        }
        let group = state.id;
        self.partial_open += usize::from(!state.members.is_whole());
        let (epoch, seq) = self.clocks.handle_initiate(slot);
        // Most often somebody is known to lack it.
        if self.group(slot).barriers.complete() == epoch {
            self.complete_reached(slot);
        }
        Ticket { group, epoch, seq }
    }

    /// Offers what this rank is to write for its host to `emit`, which returns whether it was
    /// written to all the hosts of that round. What was not is offered again next time. Returns how
    /// many were written: then a look may find more.
    pub fn poll_host_writes(&mut self, mut emit: impl FnMut(HostWrite) -> bool) -> u64 {
        let mut written = 0;
        for group in self.groups.iter_mut().flatten() {
            let Barriers::Published(place, published) = &mut group.barriers else { continue };
            if let Some(write) = published.poll_write()
                && emit(HostWrite { place: *place, group: group.id, write })
            {
                published.handle_written(write);
                written += 1;
            }
        }
        written
    }

    /// Offers each completed epoch of a group on several hosts that this rank has found, and that
    /// nobody on its host has said: the group's place, and the epoch. It is to be said there.
    pub fn poll_found(&mut self, mut emit: impl FnMut(usize, Epoch)) {
        let mut owed_nothing_more = false;
        for group in self.groups.iter_mut().flatten() {
            let Barriers::Published(place, published) = &mut group.barriers else { continue };
            if let Some(epoch) = published.poll_found() {
                emit(*place, epoch);
                owed_nothing_more |= group.dropped;
            }
        }
        if owed_nothing_more {
            self.forget_dropped();
        }
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
        let limit = self.limit_after(self.group(slot).barriers.entered());
        let state = self.group_mut(slot);
        let Some(member) = state.members.position(from) else { return Err(outsider) };
        let published = match &mut state.barriers {
            Barriers::Published(_, published) if !published.spans_hosts() => published,
            _ => return Err(ProtocolError::UnexpectedStep { from, group, step: 0 }),
        };
        if epoch > limit {
            return Err(ProtocolError::ImpossibleEpoch { from, group, epoch, limit });
        }
        if published.handle_published(member, epoch) {
            self.settle(slot);
        }
        Ok(())
    }

    /// As [`look_with_completed`](Order::look_with_completed), where nobody says what is complete.
    ///
    /// # Errors
    ///
    /// As by [`look_with_completed`](Order::look_with_completed).
    pub fn look(&mut self, load: impl Fn(Word) -> Option<Epoch>) -> Result<bool, ProtocolError> {
        self.look_with_completed(|_| None, load)
    }

    /// Looks at what others have published for the groups on this host with entered barriers, as
    /// far as it takes to say whether one has completed: mostly at two words. `load` reads a word;
    /// None says that its rank has published nothing for this group. `completed` reads the word in
    /// which a member says to all what is complete. Returns whether a barrier has completed.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::ImpossibleEpoch`] naming the rank that has published an epoch that it
    /// cannot have entered.
    #[inline]
    pub fn look_with_completed(
        &mut self,
        completed: impl Fn(Word) -> Option<Epoch>,
        load: impl Fn(Word) -> Option<Epoch>,
    ) -> Result<bool, ProtocolError> {
        let mut news = false;
        for slot in 0..self.groups.len() {
            news |= self.look_at(slot, &completed, &load)?;
        }
        Ok(news)
    }

    #[inline]
    pub(super) fn look_at(
        &mut self,
        slot: Slot,
        completed: impl Fn(Word) -> Option<Epoch>,
        load: impl Fn(Word) -> Option<Epoch>,
    ) -> Result<bool, ProtocolError> {
        let Some(group) = &mut self.groups[slot] else { return Ok(false) };
        let Barriers::Published(place, published) = &mut group.barriers else { return Ok(false) };
        if published.complete() == published.entered() || published.spans_hosts() {
            return Ok(false);
        }
        let (place, id, members) = (*place, group.id, &group.members);
        let (first, known) = (members.rank_at(0), published.has_come(0));
        // Of two members, the one that this rank lacks says all that the completed epoch could.
        let said = members.ranks().len() > 2
            && completed(Word { place, group: id, rank: first, cell: Cell::Complete, known })
                .is_some_and(|epoch| published.handle_complete_near(epoch));
        let limit = published.entered().saturating_add(self.open_limit as Epoch);
        let found = look_at(published, limit, |member, known| {
            let rank = members.rank_at(member);
            load(Word { place, group: id, rank, cell: Cell::Entered, known })
        });
        let news = said | found.map_err(|wrong| impossible(group, wrong, limit))?;
        if news {
            self.settle(slot);
        }
        Ok(news)
    }

    /// As [`look_with_completed`](Order::look_with_completed), for groups on several hosts. What is
    /// to be written then ([`poll_host_writes`](Order::poll_host_writes)) must be, before a look
    /// goes further.
    ///
    /// # Errors
    ///
    /// As by [`look_with_completed`](Order::look_with_completed).
    pub fn look_on_hosts(
        &mut self,
        load: impl Fn(Word) -> Option<Epoch>,
    ) -> Result<bool, ProtocolError> {
        let mut news = false;
        for slot in 0..self.groups.len() {
            let Some(group) = &mut self.groups[slot] else { continue };
            let Barriers::Published(place, published) = &mut group.barriers else { continue };
            let (place, id, members) = (*place, group.id, &group.members);
            let limit = published.entered().saturating_add(self.open_limit as Epoch);
            let found = published.look_on_hosts(limit, |member, cell, known| {
                load(Word { place, group: id, rank: members.rank_at(member), cell, known })
            });
            if found.map_err(|wrong| impossible(group, wrong, limit))? {
                news = true;
                self.settle(slot);
            }
        }
        Ok(news)
    }

    /// Whether [`look_on_hosts`](Order::look_on_hosts) would find nothing, and nothing is to be
    /// written to other hosts. False does not mean that it would find something.
    pub fn are_hosts_quiet(&self, load: impl Fn(Word) -> Option<Epoch>) -> bool {
        self.groups.iter().flatten().all(|group| {
            let Barriers::Published(place, published) = &group.barriers else { return true };
            published.is_quiet_on_hosts(|member, cell, known| {
                let rank = group.members.rank_at(member);
                load(Word { place: *place, group: group.id, rank, cell, known })
            })
        })
    }

    /// Whether [`look`](Order::look) would find nothing, as far as one word of each group says.
    /// False does not mean that it would find something.
    #[inline]
    pub fn is_board_quiet(&self, load: impl Fn(Word) -> Option<Epoch>) -> bool {
        self.groups.iter().flatten().all(|group| is_quiet(group, &load))
    }

    /// The published groups with barriers that this rank has entered and that are not complete.
    #[inline]
    pub fn awaited(&self) -> impl Iterator<Item = Awaited> + '_ {
        self.groups.iter().flatten().filter_map(|group| {
            let Barriers::Published(place, published) = &group.barriers else { return None };
            let (complete, entered) = (published.complete(), published.entered());
            let awaited = Awaited { place: *place, group: group.id, complete, entered };
            (complete < entered).then_some(awaited)
        })
    }

    /// The place at which the members of a group publish, if they do.
    pub fn place_of(&self, group: GroupId) -> Option<usize> {
        match self.group(self.slot_of(group)?).barriers {
            Barriers::Published(place, _) => Some(place),
            Barriers::Signalled(_) => None,
        }
    }

    /// Whether a barrier has been initiated and not entered.
    #[inline]
    pub fn has_deferred(&self) -> bool {
        self.deferred > 0
    }
}

/// Whether a look at this group would find nothing, as far as one word says.
#[inline(always)]
pub(super) fn is_quiet(group: &Group, load: impl Fn(Word) -> Option<Epoch>) -> bool {
    let Barriers::Published(place, published) = &group.barriers else { return true };
    published.is_quiet(|member, seen| {
        let (rank, known) = (group.members.rank_at(member), seen > published.first());
        let word = Word { place: *place, group: group.id, rank, cell: Cell::Entered, known };
        load(word).unwrap_or(published.first())
    })
}

#[inline]
fn look_at(
    published: &mut Published,
    limit: Epoch,
    load: impl Fn(Rank, bool) -> Option<Epoch>,
) -> Result<bool, Impossible> {
    let first = published.first();
    published.look(limit, |member, seen| load(member, seen > first).unwrap_or(first))
}

#[cold]
fn impossible(group: &Group, wrong: Impossible, limit: Epoch) -> ProtocolError {
    let (from, epoch) = (group.members.rank_at(wrong.member), wrong.epoch);
    ProtocolError::ImpossibleEpoch { from, group: group.id, epoch, limit }
}
