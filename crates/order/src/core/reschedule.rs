//! Another algorithm for a group that has had no barrier yet.
//!
//! The members of the world must talk before they can agree on its algorithm; other groups are made
//! when that is known. This module agrees on nothing: its caller sees to it that all members have
//! agreed before one of them calls a barrier of the group.

use super::{Carried, Order};
use crate::barrier::Barrier;
use crate::schedule::{Algorithm, Schedule};
use crate::{GroupId, InvalidGroup};

impl Order {
    /// From now on the barriers of the group, of which there was none yet, go by `algorithm`. All
    /// members must do this before any of them initiates a barrier of the group.
    ///
    /// # Errors
    ///
    /// [`InvalidGroup::InUse`] if a barrier of the group has been initiated here or signalled by
    /// another, or if it does not exist (any more); nothing has changed then.
    pub fn reschedule(&mut self, group: GroupId, algorithm: Algorithm) -> Result<(), InvalidGroup> {
        let slot = self.slot_of(group).ok_or(InvalidGroup::InUse(group))?;
        let (unused, first) = (self.clocks.is_unused(slot), self.clocks.initiated(slot));
        let state = self.group_mut(slot);
        if state.dropped || !unused || state.barrier.has_heard_of(first + 1) {
            return Err(InvalidGroup::InUse(group));
        }
        let (own, size) = (state.members.own_position(), state.members.ranks().len());
        state.barrier = Barrier::among_ranks(&Schedule::new(algorithm, own, size), first);
        match &mut state.carried {
            Carried::Cells(cells) => cells.begin(&state.barrier, first),
            carried => *carried = Carried::Frames,
        }
        self.count_groups();
        self.note_change();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Carrier, Ordering, Rank, Signal, SignalKind};

    fn world(rank: Rank, first: u64) -> Order {
        let mut order = Order::new(rank, 3, Ordering::default(), 4);
        order.add_group(GroupId::WORLD, &[0, 1, 2], Algorithm::Dissemination, first).unwrap();
        order
    }

    fn due(order: &mut Order) -> Vec<(Rank, Signal)> {
        let mut due = Vec::new();
        order.poll_signals(|to, signal| {
            due.push((to, signal));
            true
        });
        due
    }

    #[test]
    fn its_barriers_go_by_the_new_algorithm() {
        let mut ranks: Vec<Order> = (0..3).map(|rank| world(rank, 7)).collect();
        for order in &mut ranks {
            order.reschedule(GroupId::WORLD, Algorithm::FlatTree).unwrap();
            assert_eq!(order.handle_initiate(GroupId::WORLD).unwrap().epoch, 8);
        }
        for from in [1, 2, 0] {
            let sent = due(&mut ranks[from]);
            let to: Vec<Rank> = sent.iter().map(|&(to, _)| to).collect();
            assert_eq!(to, if from == 0 { vec![1, 2] } else { vec![0] });
            for (to, signal) in sent {
                ranks[to].handle_signal(from, signal).unwrap();
            }
        }
        assert!(ranks.iter().all(|order| order.completions() == 1));
    }

    #[test]
    fn a_group_that_is_in_use_is_left_alone() {
        let (mut here, mut there) = (world(0, 0), world(1, 0));
        there.handle_initiate(GroupId::WORLD).unwrap();
        let refused = Err(InvalidGroup::InUse(GroupId::WORLD));
        let untouched = there.clone();
        assert_eq!(there.reschedule(GroupId::WORLD, Algorithm::FlatTree), refused);
        assert_eq!(there, untouched);
        // Rank 2 waits for rank 1, and rank 0 for rank 2.
        let mut last = world(2, 0);
        last.handle_initiate(GroupId::WORLD).unwrap();
        let (to, signal) = due(&mut last)[0];
        assert_eq!(to, 0);
        here.handle_signal(2, signal).unwrap();
        assert_eq!(here.reschedule(GroupId::WORLD, Algorithm::FlatTree), refused);
        let other = GroupId(5);
        let unknown = here.reschedule(other, Algorithm::FlatTree);
        assert_eq!(unknown, Err(InvalidGroup::InUse(other)));
    }
    /// A group that publishes is in use as soon as anybody is known to have published.
    #[test]
    fn a_group_that_publishes_can_be_rescheduled_until_somebody_has() {
        for (heard, size) in [(0, 3), (1, 3), (2, 3), (1, 2), (3, 4)] {
            let mut order = Order::new(0, size, Ordering::default(), 4);
            let members: Vec<Rank> = (0..size).collect();
            order.add_group(GroupId::WORLD, &members, Carrier::board(0), 7).unwrap();
            for from in 1..=heard {
                order.handle_published(from, GroupId::WORLD, 8).unwrap();
            }
            let done = order.reschedule(GroupId::WORLD, Algorithm::FlatTree);
            assert_eq!(done.is_ok(), heard == 0, "{heard} of {size}");
            assert_eq!(order.place_of(GroupId::WORLD).is_none(), heard == 0);
        }
    }

    #[test]
    fn a_group_that_is_dropped_is_left_alone() {
        let mut here = world(0, 7);
        // What another asks for is still to be signalled, and keeps it.
        let kind = SignalKind::Ask;
        let ask = Signal { kind, group: GroupId::WORLD, step: 0, epoch: 7, clock: 0 };
        here.handle_signal(1, ask).unwrap();
        here.handle_drop(GroupId::WORLD);
        assert!(here.members(GroupId::WORLD).is_some());
        assert!(here.reschedule(GroupId::WORLD, Algorithm::FlatTree).is_err());
    }
}
