//! Groups at one rank: made when their members have agreed on an id, dropped when the program drops
//! the communicator.
//!
//! How members agree is the business of [`crate::Comm`]. Dropping is local and waits for nobody:
//! open barriers of the group go on, and what its program and its peers had sent and nobody has
//! received is discarded, so that its senders get their credit back.
//!
//! Keeps rules GRP-1 and GRP-3 of SEMANTICS.md.

use super::Engine;
use crate::message::error::{MessageError, Violation};
use crate::message::inbound::Inbound;
use crate::message::matching::{Context, Proposal};
use crate::order::{Algorithm, GroupId, InvalidGroup, Rank};
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// The lowest id that a group can get at this rank which is made in a call that waits. Members
    /// agree on the highest of theirs.
    pub fn next_group(&self) -> GroupId {
        self.matching.ids().next()
    }

    /// Proposes an id for a group that its members agree on while they go on: it gets the greatest
    /// proposal. Until [`settle_group`](Engine::settle_group) the proposal is pending.
    ///
    /// # Errors
    ///
    /// [`MessageError::Group`] if no id is left.
    pub fn propose_group(&mut self) -> Result<Proposal, MessageError> {
        self.check_broken()?;
        let (rank, free) = (self.rank(), self.free_places());
        let proposed = self.matching.propose(rank, free);
        proposed.ok_or_else(|| InvalidGroup::NoIdsLeft.into())
    }

    /// A proposal is no longer pending: its group was made here, or will not be. Unknown ones are
    /// ignored.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn settle_group(&mut self, proposal: GroupId) -> Result<(), MessageError> {
        self.matching.handle_settled(proposal);
        self.barriers.handle_ids_used(self.matching.ids().floor());
        self.settle_matches()
    }

    /// Makes a group whose barriers this rank can call. With a place that is free at each member
    /// ([`free_places`](Engine::free_places)) it goes by the board or by words, as the algorithm and
    /// the network permit; else by frames. Returns the algorithm by which it goes.
    ///
    /// All members must call it with the same id, which none of them has used or seen used, with the
    /// same list in the same order, and with the same place. Messages and signals that come earlier
    /// are kept until then.
    ///
    /// # Errors
    ///
    /// [`MessageError::Group`] if the list or the id will not do, or the place is not free here;
    /// [`MessageError::Protocol`] if a member has signalled something that does not fit the group.
    pub fn add_group(
        &mut self,
        id: GroupId,
        members: &[Rank],
        algorithm: Algorithm,
        place: Option<usize>,
    ) -> Result<Algorithm, MessageError> {
        self.check_id(id)?;
        let asked = (algorithm, place);
        let algorithm = self.barriers.add_group(&mut self.nic, id, members, asked)?;
        self.join_deposits(id);
        self.open_group(id)?;
        Ok(algorithm)
    }

    /// Whether the ranks of a host share memory in which they publish what they enter.
    pub fn has_board(&self) -> bool {
        self.barriers.has_board()
    }

    /// The algorithm of a group of `size` that signals, with a place or without one, where
    /// `algorithm` is asked for.
    pub fn signalled_by(&self, algorithm: Algorithm, size: usize, has_place: bool) -> Algorithm {
        self.barriers.signalled_by(algorithm, size, has_place)
    }

    /// The places of the board, or of cells, that are free at this rank for a new group, one bit
    /// for each; none where there are neither. A group may have a place that is free at all its
    /// members. What is offered for a pending proposal is not free.
    pub fn free_places(&self) -> u64 {
        self.matching.ids().unoffered(self.barriers.free_places(&self.nic))
    }

    /// Whether the members of a group publish what they have entered, instead of signalling it.
    pub fn publishes(&self, id: GroupId) -> bool {
        self.order().place_of(id).is_some()
    }

    fn check_id(&self, id: GroupId) -> Result<(), MessageError> {
        self.check_broken()?;
        if !self.matching.may_open(id) {
            return Err(InvalidGroup::InUse(id).into());
        }
        if id.0 >= Context::GROUPS {
            return Err(InvalidGroup::NoIdsLeft.into());
        }
        Ok(())
    }

    fn open_group(&mut self, id: GroupId) -> Result<(), MessageError> {
        let early = self.matching.open(id);
        self.check_early(id, &early)?;
        for (from, message) in early {
            self.matching.deliver(&mut self.obstacles, from, message);
        }
        self.make_room_of_all_unexpected();
        self.handle_ids_used(GroupId(id.0 + 1))?;
        self.check_fault()
    }

    /// Gives a group that has had no barrier yet another algorithm. All members must do this before
    /// any of them calls a barrier of the group.
    ///
    /// # Errors
    ///
    /// [`MessageError::Group`] if the group has had a barrier, or does not exist.
    pub fn reschedule(&mut self, id: GroupId, algorithm: Algorithm) -> Result<(), MessageError> {
        self.check_broken()?;
        Ok(self.barriers.reschedule(&mut self.nic, id, algorithm)?)
    }

    /// What came for the group before it was made here must be of its members; what comes from now
    /// on is looked at when it comes.
    fn check_early(
        &mut self,
        id: GroupId,
        early: &[(Rank, Inbound<N::Frame>)],
    ) -> Result<(), MessageError> {
        let is_outsider = |rank: Rank| self.order().is_member(id, rank) == Some(false);
        let deliverable = early.iter().map(|(from, message)| (*from, message));
        let held = (0..self.size())
            .filter(|&rank| is_outsider(rank))
            .flat_map(|rank| self.matching.held_of(rank).map(move |(_, message)| (rank, message)));
        let is_wrong =
            |&(from, m): &(Rank, &Inbound<N::Frame>)| m.context.group() == id && is_outsider(from);
        let wrong = deliverable.chain(held).find(is_wrong).map(|(from, m)| (from, m.context));
        wrong.map_or(Ok(()), |(from, context)| {
            let violation = Violation::UnknownContext(context);
            self.break_with(MessageError::protocol(from, violation))
        })
    }

    /// No group with an id below `next` will be made from now on, but for pending proposals.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn handle_ids_used(&mut self, next: GroupId) -> Result<(), MessageError> {
        self.matching.handle_ids_used(next);
        self.barriers.handle_ids_used(self.matching.ids().floor());
        self.settle_matches()
    }

    /// Drops a group. Its open barriers go on; no more can be called, and messages for it are
    /// discarded. Unknown groups are ignored.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn drop_group(&mut self, id: GroupId) -> Result<(), MessageError> {
        self.barriers.handle_drop(id);
        if let Some(words) = self.nic.shared_words() {
            self.deposits.handle_drop(words, id);
        }
        self.forget_dropped(id);
        self.forget_given_up(id);
        if !self.matching.close(&mut self.obstacles, id) {
            return Ok(());
        }
        self.barriers.handle_id_used(id);
        self.settle_matches()?;
        self.flush()
    }
}
