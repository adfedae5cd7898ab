//! The ids that new groups may get at one rank, and the places that it has offered them. Pure.
//!
//! Keeps rules GRP-2 and GRP-5 of SEMANTICS.md.
//!
//! There are two ways to agree on an id. A making that *waits in its call* takes the greatest of the
//! lowest ids that its members can still use; these ids are odd. For a *posted* making each member
//! proposes an even id when it calls, and the group gets the greatest proposal (Skeen's algorithm
//! for a total order, with ids in place of times).
//!
//! # Correctness
//!
//! *No two groups that share a member get one id.* An odd id is none that the shared member has seen,
//! and that member makes such groups one after the other. Of even ids above 0, the half modulo the
//! number of ranks names the rank that may propose it, and a rank proposes none twice. So two groups
//! have the same greatest proposal only if one rank has proposed it to both, which none does.
//!
//! *An early message is told from a late one.* A group gets no lower id than this rank has proposed
//! for it. So the *floor* is the least pending proposal, or else the lowest unused id. Below it,
//! no group will come. From the floor on, ids of groups that this rank has dropped are listed. The
//! list ends with the proposals: what is pending for ever keeps an id for each group made since.
//!
//! *The ids of the groups at one place only grow*, at each rank, as the board and cells need it. What
//! is offered for a pending proposal is not free for another group here. So the last group at that
//! place has a lower id than the proposal.

use std::collections::{BTreeMap, BTreeSet};

use crate::order::{GroupId, Rank};

/// What a rank can give a group whose making it posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The group gets this id or a greater one.
    pub id: GroupId,
    /// The places that it may get, one bit for each.
    pub places: u64,
}

/// The ids that may still be used at one rank.
#[derive(Clone, Debug)]
pub struct Ids {
    /// Above all ids that were used or proposed here.
    next: GroupId,
    /// The pending proposals, with the places that are offered for each.
    proposed: BTreeMap<GroupId, u64>,
    /// Ids of dropped groups, from the floor on.
    past: BTreeSet<GroupId>,
}

impl Default for Ids {
    /// The world alone has an id.
    fn default() -> Ids {
        let (proposed, past) = (BTreeMap::new(), BTreeSet::new());
        Ids { next: GroupId(GroupId::WORLD.0 + 1), proposed, past }
    }
}

impl Ids {
    /// The lowest id that a group can get which is made in a call that waits.
    pub fn next(&self) -> GroupId {
        GroupId(self.next.0 | 1)
    }

    /// The id so many groups after `base`, of a call that makes several.
    pub fn nth(base: GroupId, nth: usize) -> GroupId {
        let ids = u32::try_from(nth).unwrap_or(u32::MAX).saturating_mul(2);
        GroupId(base.0.saturating_add(ids))
    }

    /// Proposes an id, of a world of `size` ranks where this is `rank`, and some of the places that
    /// are `free` here. None if there is no such id below `end`.
    pub fn propose(
        &mut self,
        rank: Rank,
        size: usize,
        free: u64,
        end: GroupId,
    ) -> Option<Proposal> {
        let half = u64::from(self.next.0.div_ceil(2));
        let (rank, size) = (rank as u64, size as u64);
        let own = half + (rank + size - half % size) % size;
        let id = GroupId(u32::try_from(own * 2).ok()?);
        if id >= end {
            return None;
        }
        let places = self.to_offer(free);
        self.proposed.insert(id, places);
        self.next = GroupId(id.0 + 1);
        Some(Proposal { id, places })
    }

    /// Whether `rank` may have proposed this id.
    pub fn may_propose(rank: Rank, size: usize, id: GroupId) -> bool {
        id > GroupId::WORLD && id.0.is_multiple_of(2) && id.0 as usize / 2 % size == rank
    }

    /// A half of the places for one proposal, a quarter for one beside it, and so on. Which half it
    /// is does not depend on what is free, so members whose free places differ have some in common.
    fn to_offer(&self, free: u64) -> u64 {
        let offered = self.offered();
        let parts = (0..6).map(|ones| {
            let has_part = |place: &u32| (*place).trailing_ones() == ones;
            (0..u64::BITS).filter(has_part).fold(0, |part, place| part | 1 << place)
        });
        parts.into_iter().find(|part| part & offered == 0).map_or(0, |part| part & free)
    }

    fn offered(&self) -> u64 {
        self.proposed.values().fold(0, |all, places| all | places)
    }

    /// Of the places that are `free`, those that are not offered.
    pub fn unoffered(&self, free: u64) -> u64 {
        free & !self.offered()
    }

    /// A proposal is no longer pending: its group was made, or will not be made here.
    pub fn handle_settled(&mut self, proposal: GroupId) {
        self.proposed.remove(&proposal);
        self.prune();
    }

    /// No group with an id below `next` will be made from now on, but for pending proposals.
    pub fn handle_used(&mut self, next: GroupId) {
        self.next = self.next.max(next);
        self.prune();
    }

    /// The group with this id was dropped.
    pub fn handle_dropped(&mut self, id: GroupId) {
        if id >= self.floor() {
            self.past.insert(id);
        }
    }

    /// No group with a lower id will be made.
    pub fn floor(&self) -> GroupId {
        self.proposed.first_key_value().map_or(self.next, |(&least, _)| least.min(self.next))
    }

    /// Whether a group with this id, which does not exist here, may still be made.
    pub fn is_to_come(&self, id: GroupId) -> bool {
        id >= self.floor() && !self.past.contains(&id)
    }

    fn prune(&mut self) {
        if !self.past.is_empty() {
            self.past = self.past.split_off(&self.floor());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: GroupId = GroupId(1000);

    #[test]
    fn each_rank_proposes_ids_of_its_own() {
        let mut seen = BTreeSet::new();
        for rank in 0..3 {
            let mut ids = Ids::default();
            while let Some(Proposal { id, .. }) = ids.propose(rank, 3, 0, END) {
                assert!(seen.insert(id), "{id:?}");
                let may_propose = |by: &usize| Ids::may_propose(*by, 3, id);
                assert_eq!((0..3).filter(may_propose).collect::<Vec<_>>(), [rank]);
                // Those of calls that wait are nobody's proposals.
                for nth in 0..3 {
                    let other = Ids::nth(ids.next(), nth);
                    assert!(other > id && !(0..3).any(|by| Ids::may_propose(by, 3, other)));
                }
            }
        }
        assert_eq!(seen.len(), 499);
        assert!(!Ids::may_propose(0, 3, GroupId::WORLD));
    }

    #[test]
    fn ids_end_without_overflow() {
        let mut ids = Ids::default();
        ids.handle_used(GroupId(u32::MAX));
        assert_eq!(ids.propose(2, 3, 0, GroupId(u32::MAX)), None);
        assert_eq!(Ids::nth(ids.next(), usize::MAX), GroupId(u32::MAX));
    }

    /// The floor stays below a pending proposal, and what was dropped above it is of the past.
    // SEMANTICS: GRP-3, GRP-5
    #[test]
    fn a_group_dropped_beside_a_pending_proposal_does_not_come_again() {
        let mut ids = Ids::default();
        let Proposal { id, .. } = ids.propose(0, 1, 0, END).unwrap();
        let made = ids.next();
        ids.handle_used(GroupId(made.0 + 1));
        ids.handle_dropped(made);
        assert!(!Ids::may_propose(0, 1, ids.next()), "{:?}", ids.next());
        assert_eq!(ids.floor(), id);
        assert!(ids.is_to_come(id) && !ids.is_to_come(made) && ids.is_to_come(ids.next()));
        ids.handle_settled(id);
        assert_eq!((ids.floor(), ids.past.len()), (GroupId(made.0 + 1), 0));
        assert!(!ids.is_to_come(id) && !ids.is_to_come(made));
    }

    #[test]
    fn what_is_offered_for_one_is_offered_for_no_other() {
        let mut ids = Ids::default();
        let (mut all, free) = (0, u64::MAX - 1);
        for pending in 0..9 {
            let Proposal { places, .. } = ids.propose(0, 2, free, END).unwrap();
            assert_eq!((places & all, places != 0), (0, pending < 6), "{pending}");
            all |= places;
            assert_eq!(ids.unoffered(free), free & !all);
        }
        assert_eq!(ids.unoffered(free), 1 << 63);
    }
}
