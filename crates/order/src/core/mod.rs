//! [`Order`]: everything that one rank must know to order its barriers and messages.
//!
//! It joins the epochs of each group with the clocks over all groups and with containment. It
//! keeps no message and sends nothing.
//!
//! Keeps rules ORD-3, BAR-1 to BAR-7, CLK-1 to CLK-4 and CON-1 to CON-3 of SEMANTICS.md.

pub mod board;
mod reschedule;
pub mod sole;
mod view;
pub mod words;

use std::collections::BTreeMap;

use super::barrier::Barrier;
use super::carrier::Carrier;
use super::clocks::{Clocks, Seq, Slot};
use super::contain::{OpenGroup, Ordering};
use super::early::{self, EarlySignals};
use super::epochs::{DueSignal, Unexpected};
use super::members::Members;
use super::schedule::Schedule;
use super::scratch::Version;
use super::signal::{Posted, Signal, SignalKind, Ticket};
use super::{Clock, Epoch, GroupId, InvalidGroup, ProtocolError, Rank, Refused, UNSTAMPED};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Group {
    id: GroupId,
    members: Members,
    barrier: Barrier,
    carried: Carried,
    /// For each slot, whether this group is a subset of that slot's group.
    within: Vec<bool>,
    dropped: bool,
}

/// The carrier of a group, and the place that it has there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Carried {
    Frames,
    Cells(Box<words::Cells>),
    Board(usize),
}

/// The ordering state of one rank.
///
/// # Driving it
///
/// After each `handle_*`, call [`poll_signals`](Order::poll_signals) and send the signals. When
/// [`completions`](Order::completions) has grown, receive clocks may have moved: look at the hold
/// queue ([`super::hold::Hold::poll_deliverable`]) and at messages that were kept back
/// ([`may_leave`](Order::may_leave)). Where groups are on a board, call
/// [`poll_published`](Order::poll_published) as well, and from time to time
/// [`look`](Order::look), while barriers are open; on several hosts then
/// [`poll_writes`](Order::poll_writes), until it offers nothing more. Where signals are words, call
/// [`look_at_cells`](Order::look_at_cells).
/// [`poll_fault`](Order::poll_fault) tells of disagreements.
/// Where signals may be lost, call [`poll_asks`](Order::poll_asks) from time to time while
/// barriers are open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    rank: Rank,
    size: usize,
    ordering: Ordering,
    open_limit: usize,
    clocks: Clocks,
    groups: Vec<Option<Group>>,
    slots: BTreeMap<GroupId, Slot>,
    /// Signals of groups that do not exist here.
    early: EarlySignals,
    completions: u64,
    /// Open barriers of groups that do not hold every rank of the job.
    partial_open: usize,
    /// Barriers initiated and not entered.
    deferred: usize,
    /// How many groups signal, and how many were dropped. They follow from the groups.
    signalled: usize,
    dropped: usize,
    fault: Option<ProtocolError>,
    /// See [`Order::version`]. It is no part of the state.
    version: Version,
}

impl Order {
    /// The most steps of unknown groups whose signals are kept, for each sender.
    pub const EARLY_LIMIT: usize = early::EARLY_LIMIT;

    /// The state of `rank` in a job of `size`, with no group yet. At most `open_limit` barriers of
    /// a group may be open at once; all ranks must agree on it.
    ///
    /// # Panics
    ///
    /// If `rank >= size` or `open_limit == 0`.
    pub fn new(rank: Rank, size: usize, ordering: Ordering, open_limit: usize) -> Order {
        assert!(rank < size, "rank {rank} is not in a job of {size}");
        assert!(open_limit > 0, "no barrier could ever be open");
        Order {
            rank,
            size,
            ordering,
            open_limit,
            clocks: Clocks::new(size),
            groups: Vec::new(),
            slots: BTreeMap::new(),
            early: EarlySignals::new(size),
            completions: 0,
            partial_open: 0,
            deferred: 0,
            signalled: 0,
            dropped: 0,
            fault: None,
            version: Version::default(),
        }
    }

    /// The same as if every two ranks had `clock` barriers behind them already; before any group is
    /// made, and alike at all ranks. Lets tests reach clocks that no test can count up to.
    ///
    /// # Panics
    ///
    /// If there is a group already.
    pub fn with_clocks_at(mut self, clock: Clock) -> Order {
        assert!(self.groups.is_empty(), "clocks are set before the first group is made");
        self.clocks = Clocks::starting_at(self.size, clock);
        self
    }

    /// Adds the group of `members`, in their order, whose barriers go by this carrier. Their epochs
    /// start after `first` (mostly 0). The members must agree on all of it. The id of a dropped
    /// group may be used again when all members are done with it; `first` must then be the last
    /// epoch of the old group or more, so that late signals of the old group say nothing about the
    /// new one.
    ///
    /// # Errors
    ///
    /// [`InvalidGroup`] if the list or the id will not do. Signals that came before are applied. A
    /// signal that does not fit the group is reported by [`poll_fault`](Order::poll_fault).
    pub fn add_group<'s>(
        &mut self,
        id: GroupId,
        members: &[Rank],
        carrier: impl Into<Carrier<'s>>,
        first: Epoch,
    ) -> Result<(), InvalidGroup> {
        let members = Members::new(members, self.rank, self.size)?;
        let (own, size) = (members.own_position(), members.ranks().len());
        let by = |algorithm| Barrier::among_ranks(&Schedule::new(algorithm, own, size), first);
        let (barrier, carried) = match carrier.into() {
            Carrier::Frames(algorithm) => (by(algorithm), Carried::Frames),
            Carrier::Schedule(schedule) => (Barrier::among_ranks(schedule, first), Carried::Frames),
            Carrier::Cells { algorithm, place } => {
                let barrier = by(algorithm);
                let cells = words::Cells::new(id, place, &barrier, first);
                (barrier, cells.map_or(Carried::Frames, |cells| Carried::Cells(Box::new(cells))))
            }
            Carrier::Board { place, hosts: None } => {
                (Barrier::on_board(own, size, first), Carried::Board(place))
            }
            Carrier::Board { place, hosts: Some(hosts) } => {
                (Barrier::on_hosts(own, hosts, first), Carried::Board(place))
            }
        };
        self.add_with(id, members, (barrier, carried), first)
    }

    fn add_with(
        &mut self,
        id: GroupId,
        members: Members,
        (barrier, carried): (Barrier, Carried),
        first: Epoch,
    ) -> Result<(), InvalidGroup> {
        if self.slots.contains_key(&id) {
            return Err(InvalidGroup::InUse(id));
        }
        let slot = self.clocks.add_group(members.counted(), first);
        if self.groups.len() <= slot {
            self.groups.resize(slot + 1, None);
        }
        for other in self.groups.iter_mut().flatten() {
            if other.within.len() <= slot {
                other.within.resize(slot + 1, false);
            }
            other.within[slot] = other.members.is_subset(&members);
        }
        let inside = |group: &Option<Group>| {
            group.as_ref().is_some_and(|group| members.is_subset(&group.members))
        };
        let mut within: Vec<bool> = self.groups.iter().map(inside).collect();
        within[slot] = true;
        let dropped = false;
        self.groups[slot] = Some(Group { id, members, barrier, carried, within, dropped });
        self.slots.insert(id, slot);
        self.count_groups();
        self.note_change();
        for (from, signal) in self.early.take_early(id) {
            if let Err(fault) = self.handle_signal(from, signal) {
                self.fault.get_or_insert(fault);
            }
        }
        Ok(())
    }

    /// The program has dropped the group here; its open barriers go on. Unknown groups are ignored.
    pub fn handle_drop(&mut self, group: GroupId) {
        if let Some(&slot) = self.slots.get(&group) {
            self.group_mut(slot).dropped = true;
            self.note_change();
            self.forget_dropped();
        }
    }

    /// A group has come or gone, or has become another.
    fn count_groups(&mut self) {
        let groups = || self.groups.iter().flatten();
        let signals = |group: &&Group| !matches!(group.carried, Carried::Board(_));
        let (signalled, dropped) =
            (groups().filter(signals).count(), groups().filter(|group| group.dropped).count());
        (self.signalled, self.dropped) = (signalled, dropped);
    }

    /// An answer that [`version`](Order::version) is about may have changed.
    #[inline(always)]
    fn note_change(&mut self) {
        self.version.0 += 1;
    }

    /// No group with an id below `floor` will be made from now on: then dropped groups leave
    /// nothing behind.
    pub fn handle_ids_used(&mut self, floor: GroupId) {
        self.early.handle_ids_used(floor);
    }

    /// No other group with the id of `group` will be made: once it is dropped, it leaves nothing
    /// behind but its id, until the floor has passed that.
    pub fn handle_id_used(&mut self, group: GroupId) {
        self.early.handle_id_used(group);
    }

    /// Whether a barrier of the group can be initiated now.
    ///
    /// # Errors
    ///
    /// [`Refused`] saying why not.
    #[inline]
    pub fn may_initiate(&self, group: GroupId) -> Result<(), Refused> {
        self.slot_to_initiate(group).map(drop)
    }

    #[inline]
    fn slot_to_initiate(&self, group: GroupId) -> Result<Slot, Refused> {
        let Some(slot) = self.slot_of(group) else { return Err(Refused::NoSuchGroup(group)) };
        if self.group(slot).dropped {
            return Err(Refused::NoSuchGroup(group));
        }
        if self.clocks.open_count(slot) >= self.open_limit {
            return Err(Refused::OpenLimit { group, limit: self.open_limit });
        }
        if self.clocks.initiated(slot) >= Epoch::MAX - 1 {
            return Err(Refused::EpochsExhausted(group));
        }
        Ok(slot)
    }

    /// Whether a barrier of the group, initiated now, would be entered at once. If not, a blocking
    /// `barrier()` first waits for the earlier ones, as a traditional barrier would have.
    #[inline]
    pub fn would_enter(&self, group: GroupId) -> bool {
        let Some(slot) = self.slot_of(group) else { return true };
        self.group(slot).barrier.entered() == self.clocks.initiated(slot)
            && !self.keeps_back(self.clocks.seq(), |other| self.group(slot).within[other])
    }

    /// The program calls `barrier()`: counts it, and enters it unless it must be deferred.
    ///
    /// # Errors
    ///
    /// [`Refused`] as by [`may_initiate`](Order::may_initiate); nothing has changed then.
    #[inline]
    pub fn handle_initiate(&mut self, group: GroupId) -> Result<Ticket, Refused> {
        let slot = self.slot_to_initiate(group)?;
        self.note_change();
        let (epoch, seq) = self.clocks.handle_initiate(slot);
        if !self.group(slot).members.is_whole() {
            self.partial_open += 1;
        }
        self.deferred += 1;
        self.check_claims(slot, epoch);
        self.enter_deferred();
        Ok(Ticket { group, epoch, seq })
    }

    /// A signal has come from `from`.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if no correct peer would have sent it, or if the two ranks turn out to
    /// have called their common barriers in different orders. The signal is not applied then.
    pub fn handle_signal(&mut self, from: Rank, signal: Signal) -> Result<(), ProtocolError> {
        let Signal { kind, group, step, epoch, clock } = signal;
        self.note_change();
        let Some(slot) = self.slot_of(group) else {
            let complete = if from < self.size { self.clocks.recv_clock(from) } else { 0 };
            return self.early.handle_signal(from, signal, complete);
        };
        let state = self.group(slot);
        let sender =
            state.members.position(from).ok_or(ProtocolError::NotAMember { from, group })?;
        let unexpected = |_| ProtocolError::UnexpectedStep { from, group, step };
        let entered = state.barrier.entered();
        if let Carried::Board(_) = state.carried {
            return Err(unexpected(Unexpected));
        }
        if kind == SignalKind::Ask {
            let barrier = &mut self.group_mut(slot).barrier;
            return barrier.handle_ask(sender, step, epoch).map_err(unexpected);
        }
        let limit = self.limit_after(entered);
        if epoch > limit || epoch == 0 {
            return Err(ProtocolError::ImpossibleEpoch { from, group, epoch, limit });
        }
        if let Some(ours) = self.clocks.clock_of(slot, epoch, from)
            && clock != 0
            && ours != clock
        {
            return Err(ProtocolError::OrderMismatch { from, group, epoch, theirs: clock, ours });
        }
        let barrier = &mut self.group_mut(slot).barrier;
        if barrier.handle_signal(sender, step, epoch, clock).map_err(unexpected)? {
            self.settle(slot);
        }
        Ok(())
    }

    /// Offers each signal that is due, with its receiver, to `emit`, which returns whether it took
    /// it. A signal that is not taken (no credit) is offered again later, then for the newer epoch.
    #[inline]
    pub fn poll_signals(&mut self, mut emit: impl FnMut(Rank, Signal) -> bool) {
        self.early.poll_answers(&mut emit);
        let mut owed_nothing_more = false;
        for slot in 0..self.groups.len() {
            let Some(group) = &mut self.groups[slot] else { continue };
            if let Carried::Board(_) = group.carried {
                continue;
            }
            let barrier = &mut group.barrier;
            if !barrier.owes() {
                continue;
            }
            let (id, members, clocks) = (group.id, &group.members, &self.clocks);
            barrier.poll_signals(|DueSignal { to, step, epoch }| {
                let to = members.rank_at(to);
                // What is signalled is open here or the latest complete epoch.
                let clock = clocks.clock_of(slot, epoch, to).unwrap_or(0);
                let kind = SignalKind::Reached;
                emit(to, Signal { kind, group: id, step, epoch, clock })
            });
            owed_nothing_more |= group.dropped && !barrier.owes();
        }
        if owed_nothing_more {
            self.forget_dropped();
        }
    }

    /// For each signal that an entered barrier lacks, offers the question for it to `emit`. What an
    /// entered barrier lacks may simply not be due yet: such questions get no answer.
    ///
    /// In each `turn` another group comes first: where a peer has room for few questions at a time,
    /// those about one group must not crowd out the others' for ever.
    pub fn poll_asks(&self, turn: u64, mut emit: impl FnMut(Rank, Signal)) {
        let count = self.groups.len();
        for at in 0..count {
            let slot = (at + (turn % count as u64) as usize) % count;
            let Some(group) = &self.groups[slot] else { continue };
            let Some(epochs) = group.barrier.signals() else { continue };
            let entered = epochs.entered();
            if epochs.complete() < entered {
                // Each question is for the oldest epoch that is missing: the sender may have
                // entered no later one.
                for (from, step, epoch) in epochs.lacking(entered) {
                    let kind = SignalKind::Ask;
                    let to = group.members.rank_at(from);
                    let clock = self.clocks.clock_of(slot, epoch, to).unwrap_or(0);
                    emit(to, Signal { kind, group: group.id, step, epoch, clock });
                }
            }
        }
    }

    /// The place of the latest barrier that this rank has initiated, in its own order; 0 before the first.
    #[inline(always)]
    pub fn latest(&self) -> Seq {
        if UNSTAMPED { 0 } else { self.clocks.seq() }
    }

    /// The stamp of a message to `peer` that the program posts now, and the barriers that contain
    /// it.
    ///
    /// # Panics
    ///
    /// If the job has no rank `peer`; in a release build only where groups differ in their members.
    #[inline(always)]
    pub fn post(&self, peer: Rank) -> Posted {
        if UNSTAMPED {
            return Posted { stamp: 0, after: 0 };
        }
        Posted { stamp: self.clocks.send_clock(peer), after: self.clocks.seq() }
    }

    /// Whether a posted message may leave for `peer`: no barrier that was open when it was posted,
    /// and whose group does not hold the peer, is open still.
    #[inline(always)]
    pub fn may_leave(&self, peer: Rank, posted: Posted) -> bool {
        UNSTAMPED
            || self.partial_open == 0
            || !self.keeps_back(posted.after, |slot| self.group(slot).members.contains(peer))
    }

    /// A disagreement that came to light when this rank initiated a barrier or made a group: the
    /// first one since the last call. Unlike one that [`handle_signal`](Order::handle_signal)
    /// reports, its signal has been applied already.
    #[inline]
    pub fn poll_fault(&mut self) -> Option<ProtocolError> {
        self.fault.take()
    }

    /// The latest epoch that a peer can have entered if this rank has entered `entered`. A peer
    /// completes only what this rank has entered, and has at most so many more open.
    #[inline]
    fn limit_after(&self, entered: Epoch) -> Epoch {
        entered.saturating_add(self.open_limit as Epoch)
    }

    #[inline]
    fn slot_of(&self, group: GroupId) -> Option<Slot> {
        // The world mostly comes first; it is worth a look before the search.
        match self.groups.first() {
            Some(Some(first)) if first.id == group => Some(0),
            _ => self.slots.get(&group).copied(),
        }
    }

    #[inline]
    fn group(&self, slot: Slot) -> &Group {
        self.groups[slot].as_ref().expect("a slot is used only while its group exists")
    }

    #[inline]
    fn group_mut(&mut self, slot: Slot) -> &mut Group {
        self.groups[slot].as_mut().expect("a slot is used only while its group exists")
    }

    /// The groups with open barriers, as containment sees them.
    fn open_groups(&self, holds: impl Fn(Slot) -> bool) -> impl Iterator<Item = OpenGroup> {
        self.groups.iter().enumerate().filter_map(move |(slot, group)| {
            let group = group.as_ref()?;
            let (oldest, newest) = self.clocks.open_span(slot)?;
            let entered = group.barrier.entered() > group.barrier.complete();
            Some(OpenGroup { oldest, newest, entered, holds: holds(slot) })
        })
    }

    #[inline]
    fn keeps_back(&self, through: Seq, holds: impl Fn(Slot) -> bool) -> bool {
        self.partial_open > 0 && self.ordering.keeps_back(through, self.open_groups(holds))
    }

    /// Compares the counts that others have sent for this barrier with this rank's own.
    #[inline]
    fn check_claims(&mut self, slot: Slot, epoch: Epoch) {
        let group = self.group(slot);
        let wrong = group.barrier.claims(epoch).find_map(|(from, theirs)| {
            let from = group.members.rank_at(from);
            let ours = self.clocks.clock_of(slot, epoch, from)?;
            let group = group.id;
            (theirs != 0 && theirs != ours).then_some(ProtocolError::OrderMismatch {
                from,
                group,
                epoch,
                theirs,
                ours,
            })
        });
        if let Some(fault) = wrong {
            self.fault.get_or_insert(fault);
        }
    }

    /// Enters the barriers that need not be deferred, until nothing changes: entering may
    /// complete a barrier, and that may release another.
    #[inline]
    fn enter_deferred(&mut self) {
        let mut changed = true;
        while changed && self.deferred > 0 {
            changed = false;
            for slot in 0..self.groups.len() {
                while self.may_enter_next(slot) {
                    self.group_mut(slot).barrier.handle_enter();
                    self.deferred -= 1;
                    self.note_change();
                    changed = true;
                    self.complete_reached(slot);
                }
            }
        }
    }

    #[inline]
    fn may_enter_next(&self, slot: Slot) -> bool {
        let Some(group) = &self.groups[slot] else { return false };
        let entered = group.barrier.entered();
        if entered >= self.clocks.initiated(slot) {
            return false;
        }
        let seq = self.clocks.seq_of(slot, entered + 1).expect("an epoch is open until entered");
        !self.keeps_back(seq - 1, |other| group.within[other])
    }

    /// Takes note of barriers that the epochs of a group say are complete, and of all that follows.
    fn settle(&mut self, slot: Slot) {
        if self.complete_reached(slot) {
            if self.deferred > 0 {
                self.enter_deferred();
            }
            if self.dropped > 0 {
                self.forget_dropped();
            }
        }
    }

    #[inline(always)]
    fn complete_reached(&mut self, slot: Slot) -> bool {
        let group = self.group(slot);
        let (complete, partial) = (group.barrier.complete(), !group.members.is_whole());
        let done = self.clocks.handle_complete_through(slot, complete);
        self.completions += done as u64;
        if partial {
            self.partial_open -= done;
        }
        done > 0
    }

    fn forget_dropped(&mut self) {
        for slot in 0..self.groups.len() {
            let Some(group) = &self.groups[slot] else { continue };
            let owes = group.barrier.owes() || group.barrier.has_found();
            let owes_nothing = group.dropped && !owes;
            let last = group.barrier.complete();
            if owes_nothing && self.clocks.fold_group(slot, group.members.counted()) {
                self.slots.remove(&group.id);
                self.early.retire(group.id, last);
                self.groups[slot] = None;
            }
        }
        self.count_groups();
    }
}
