//! Questions to [`Order`] that change nothing.

use super::Order;
use crate::clocks::Seq;
use crate::{Clock, Epoch, GroupId, Rank, UNSTAMPED};

impl Order {
    /// A message from `peer` may be delivered if its stamp is at most this.
    ///
    /// # Panics
    ///
    /// If the job has no rank `peer`; in a release build only where groups differ in their members.
    #[inline(always)]
    pub fn recv_clock(&self, peer: Rank) -> Clock {
        if UNSTAMPED {
            return 0;
        }
        self.clocks.recv_clock(peer)
    }

    /// How many barriers that include `peer` this rank has initiated.
    ///
    /// # Panics
    ///
    /// If the job has no rank `peer`; in a release build only where groups differ in their members.
    pub fn send_clock(&self, peer: Rank) -> Clock {
        self.clocks.send_clock(peer)
    }

    /// How many of the barriers that include `peer`, in this rank's own order, can complete without
    /// this rank from now on. Every signal of its schedules for them has been taken. A lower bound
    /// where barriers have completed before their signals were taken.
    pub fn signalled_clock(&self, peer: Rank) -> Clock {
        let groups = self.groups.iter().enumerate();
        let lacking = groups.filter_map(|(slot, group)| {
            let group = group.as_ref().filter(|group| group.members.contains(peer))?;
            let signalled = group.barrier.signalled();
            (signalled < self.clocks.initiated(slot)).then(|| {
                let next = self.clocks.clock_of(slot, signalled + 1, peer);
                next.map_or(0, |clock| clock - 1)
            })
        });
        lacking.min().unwrap_or_else(|| self.send_clock(peer))
    }

    /// How many barriers have completed here, in all groups together.
    #[inline]
    pub fn completions(&self) -> u64 {
        self.completions
    }

    /// Whether every barrier up to this place in the own order has completed.
    #[inline]
    pub fn is_complete_through(&self, seq: Seq) -> bool {
        let open = self.open_groups(|_| true);
        open.into_iter().all(|group| group.oldest > seq)
    }

    /// The open barriers, one group at a time: the group and its oldest and newest open epoch.
    pub fn open_barriers(&self) -> impl Iterator<Item = (GroupId, Epoch, Epoch)> + '_ {
        self.groups.iter().enumerate().filter_map(|(slot, group)| {
            let id = group.as_ref()?.id;
            let newest = self.clocks.initiated(slot);
            let open = self.clocks.open_count(slot) as Epoch;
            (open > 0).then_some((id, newest - open + 1, newest))
        })
    }

    /// The latest epochs of a group: entered, complete, initiated. None for an unknown group.
    #[inline]
    pub fn progress_of(&self, group: GroupId) -> Option<(Epoch, Epoch, Epoch)> {
        let slot = self.slot_of(group)?;
        let barriers = &self.group(slot).barrier;
        Some((barriers.entered(), barriers.complete(), self.clocks.initiated(slot)))
    }

    /// The index, from 1, of the barrier `epoch` of `group` among those that include `peer`. It is
    /// known of open barriers, and mostly of the latest complete one; None for others.
    pub fn clock_of(&self, group: GroupId, epoch: Epoch, peer: Rank) -> Option<Clock> {
        self.clocks.clock_of(self.slot_of(group)?, epoch, peer)
    }

    /// The place in this rank's own order of an open barrier, or of the latest complete one.
    pub fn seq_of(&self, group: GroupId, epoch: Epoch) -> Option<Seq> {
        self.clocks.seq_of(self.slot_of(group)?, epoch)
    }

    /// Whether [`poll_signals`](Order::poll_signals) or [`poll_published`](Order::poll_published)
    /// would offer anything.
    #[inline(always)]
    pub fn has_signals(&self) -> bool {
        for group in &self.groups {
            if let Some(group) = group
                && group.barrier.owes()
            {
                return true;
            }
        }
        false
    }

    /// Whether every group that has an open barrier holds every rank of the job. Then nothing is
    /// contained, and nothing that was initiated has yet to be entered.
    #[inline]
    pub fn holds_all_in_open_barriers(&self) -> bool {
        self.partial_open == 0
    }

    /// The stamp of a message that is posted now, if it is the same toward all ranks of the job, and
    /// [may leave](Order::may_leave) for each of them.
    #[inline(always)]
    pub fn stamp_for_all(&self) -> Option<Clock> {
        if UNSTAMPED {
            return Some(0);
        }
        let stamp = self.clocks.send_clock_of_all();
        // Where all groups that have barriers hold all ranks, or this one alone, no barrier contains a message.
        debug_assert!(stamp.is_none() || self.partial_open == 0);
        stamp
    }

    /// Whether any group of this rank signals, so that signals may come that others wait for this
    /// rank to act on. Of groups that are yet to be made they are kept until then.
    #[inline]
    pub fn expects_signals(&self) -> bool {
        self.signalled > 0
    }

    /// Whether there is nothing to be sent or published: also no answer to a question about a group
    /// that is gone.
    #[inline(always)]
    pub fn owes_nothing(&self) -> bool {
        !self.early.has_answers() && !self.has_signals()
    }

    /// A number that changes with this rank's answers to [`post`](Order::post),
    /// [`expects_signals`](Order::expects_signals) and [`sole_group`](Order::sole_group). As long
    /// as it stays the same, [`owes_nothing`](Order::owes_nothing) and
    /// [`holds_all_in_open_barriers`](Order::holds_all_in_open_barriers) stay true where they are
    /// true, and receive clocks do not fall. That a barrier completes, or a dropped group is
    /// forgotten, does not change it.
    #[inline(always)]
    pub fn version(&self) -> u64 {
        self.version.0
    }

    /// Whether `group` is one of the past, of which nothing is known here any more, and the
    /// `clock`-th of the barriers that include `peer` has completed here. Where ids are used again
    /// ([`handle_ids_used`](Order::handle_ids_used) is not called), no group is of the past.
    ///
    /// # Panics
    ///
    /// If the job has no rank `peer`.
    pub fn has_completed_in_the_past(&self, group: GroupId, peer: Rank, clock: Clock) -> bool {
        let gone = self.slot_of(group).is_none() && self.early.is_past(group);
        gone && (1..=self.recv_clock(peer)).contains(&clock)
    }

    /// The members of a group, in its order.
    pub fn members(&self, group: GroupId) -> Option<&[Rank]> {
        self.slot_of(group).map(|slot| self.group(slot).members.ranks())
    }

    /// Whether a rank is a member of a group; None for an unknown group.
    #[inline]
    pub fn is_member(&self, group: GroupId, rank: Rank) -> Option<bool> {
        self.slot_of(group).map(|slot| self.group(slot).members.contains(rank))
    }

    /// Whether `member` is known to have entered an epoch from a signal of its own.
    pub fn has_heard(&self, group: GroupId, member: Rank, epoch: Epoch) -> bool {
        let Some(slot) = self.slot_of(group) else { return false };
        let group = self.group(slot);
        group.members.position(member).is_some_and(|at| group.barrier.has_heard(at, epoch))
    }

    /// Whether a signal of `member`, or its word, is missing for an epoch. Where others
    /// pass on that it has entered, nothing of its own is.
    pub fn lacks(&self, group: GroupId, member: Rank, epoch: Epoch) -> bool {
        let Some(slot) = self.slot_of(group) else { return false };
        let group = self.group(slot);
        group.members.position(member).is_some_and(|at| group.barrier.lacks(at, epoch))
    }

    /// The rank whose state this is.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The number of ranks in the job.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The most barriers of a group that may be open at once.
    pub fn open_limit(&self) -> usize {
        self.open_limit
    }
}
