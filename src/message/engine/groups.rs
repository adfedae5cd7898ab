//! Groups at one rank: made when their members have agreed on an id, dropped when the program drops
//! the communicator.
//!
//! How members agree is the business of [`crate::Comm`]. Dropping is local and waits for nobody:
//! open barriers of the group go on, and what its program and its peers had sent and nobody has
//! received is discarded, so that its senders get their credit back.
//!
//! Keeps rules GRP-1 and GRP-3 of SEMANTICS.md.

use super::Engine;
use crate::message::board::Board;
use crate::message::cells::{Cells, by_words};
use crate::message::error::{MessageError, Violation};
use crate::message::inbound::Inbound;
use crate::message::matching::Context;
use crate::order::{Algorithm, Carrier, Epoch, GroupId, InvalidGroup, Order, Rank};
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// The lowest id that a group may still get at this rank. Members agree on the highest of
    /// theirs.
    pub fn next_group(&self) -> GroupId {
        self.matching.next_group()
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
        let Engine { order, nic, board, cells, .. } = self;
        let (carrier, algorithm) = carrier(board.as_ref(), cells, (algorithm, place), members);
        let may_join = |place| match &carrier {
            Carrier::Board { .. } => board.as_ref().is_none_or(|board| board.may_join(place)),
            Carrier::Cells { .. } => cells.as_ref().is_none_or(|cells| cells.may_join(place)),
            _ => true,
        };
        if let Some(place) = place.filter(|&place| !may_join(place)) {
            return Err(InvalidGroup::PlaceInUse(place).into());
        }
        order.add_group(id, members, carrier, 0)?;
        join(order, nic, (board, cells), id, 0);
        self.choose_release(id, algorithm);
        self.open_group(id)?;
        Ok(algorithm)
    }

    /// Whether the ranks of a host share memory in which they publish what they enter.
    pub fn has_board(&self) -> bool {
        self.board.is_some()
    }

    /// The algorithm of a group of `size` that signals, with a place or without one, where
    /// `algorithm` is asked for.
    pub fn signalled_by(&self, algorithm: Algorithm, size: usize, has_place: bool) -> Algorithm {
        if has_place && self.cells.is_some() {
            by_words(algorithm, size)
        } else {
            algorithm.by_signals()
        }
    }

    /// The places of the board, or of cells, that are free at this rank for a new group, one bit
    /// for each; none where there are neither. A group may have a place that is free at all its
    /// members.
    pub fn free_places(&self) -> u64 {
        let board = self.board.as_ref().map(|board| board.free(&self.nic));
        let cells = self.cells.as_ref().map(Cells::free);
        match (board, cells) {
            (Some(board), Some(cells)) => board & cells,
            (board, cells) => board.or(cells).unwrap_or(0),
        }
    }

    /// Whether the members of a group publish what they have entered, instead of signalling it.
    pub fn publishes(&self, id: GroupId) -> bool {
        self.order.place_of(id).is_some()
    }

    fn check_id(&self, id: GroupId) -> Result<(), MessageError> {
        self.check_broken()?;
        if id < self.next_group() {
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
        self.order.reschedule(id, algorithm.by_signals())?;
        self.choose_release(id, algorithm);
        Ok(())
    }

    /// What came for the group before it was made here must be of its members; what comes from now
    /// on is looked at when it comes.
    fn check_early(
        &mut self,
        id: GroupId,
        early: &[(Rank, Inbound<N::Frame>)],
    ) -> Result<(), MessageError> {
        let is_outsider = |rank: Rank| self.order.is_member(id, rank) == Some(false);
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

    /// No group with an id below `next` will be made from now on.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn handle_ids_used(&mut self, next: GroupId) -> Result<(), MessageError> {
        self.order.handle_ids_used(next);
        self.matching.handle_ids_used(next);
        self.settle_matches()
    }

    /// Drops a group. Its open barriers go on; no more can be called, and messages for it are
    /// discarded. Unknown groups are ignored.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn drop_group(&mut self, id: GroupId) -> Result<(), MessageError> {
        if let Some(board) = &mut self.board {
            board.handle_drop(id);
        }
        if let Some(cells) = &mut self.cells {
            cells.handle_drop(id);
        }
        self.order.handle_drop(id);
        if !self.matching.close(&mut self.obstacles, id) {
            return Ok(());
        }
        self.settle_matches()?;
        self.flush()
    }
}

/// The carrier of a group of these members, with a place or without, and the algorithm by which it
/// then goes.
pub(super) fn carrier(
    board: Option<&Board>,
    cells: &Option<Cells>,
    (algorithm, place): (Algorithm, Option<usize>),
    members: &[Rank],
) -> (Carrier<'static>, Algorithm) {
    match (place, board, algorithm) {
        // Another algorithm that Auto finds replaces the board.
        (Some(place), Some(board), Algorithm::Board | Algorithm::Auto) => {
            (Carrier::Board { place, hosts: board.topology(members) }, algorithm)
        }
        (Some(place), ..) if cells.is_some() => {
            let algorithm = by_words(algorithm, members.len());
            (Carrier::Cells { algorithm, place }, algorithm)
        }
        _ => (Carrier::Frames(algorithm.by_signals()), algorithm.by_signals()),
    }
}

/// Takes the place that a new group has on the board or in cells, if any.
pub(super) fn join<N: Nic>(
    order: &Order,
    nic: &N,
    (board, cells): (&mut Option<Board>, &mut Option<Cells>),
    id: GroupId,
    first: Epoch,
) {
    let Some(members) = order.members(id) else { return };
    if let (Some(board), Some(place)) = (board, order.place_of(id)) {
        board.join(nic, place, id, members, first);
    }
    if let (Some(cells), Some(place)) = (cells, order.cells_of(id)) {
        cells.join(place, id, members);
    }
}
