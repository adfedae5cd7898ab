//! Groups: which carrier a new group gets, its place on the board or in cells, and how this rank
//! leaves that place.
//!
//! Keeps rules BAR-1 and GRP-3 of SEMANTICS.md.

use super::Barriers;
use super::cells::{Cells, by_words};
use crate::order::{Algorithm, Carrier, Epoch, GroupId, InvalidGroup, Rank};
use crate::verbs::Nic;

impl Barriers {
    /// Makes a group. Returns the algorithm by which it goes.
    ///
    /// # Errors
    ///
    /// [`InvalidGroup`] if the list will not do, or the place is not free here.
    pub(in crate::message) fn add_group<N: Nic>(
        &mut self,
        nic: &mut N,
        id: GroupId,
        members: &[Rank],
        asked: (Algorithm, Option<usize>),
    ) -> Result<Algorithm, InvalidGroup> {
        let (carrier, algorithm) = self.carrier(asked, members);
        if let (_, Some(place)) = asked
            && !self.may_join(&carrier, place)
        {
            return Err(InvalidGroup::PlaceInUse(place));
        }
        self.order.add_group(id, members, carrier, 0)?;
        self.join(nic, id, 0);
        self.choose_release(nic, id, algorithm);
        Ok(algorithm)
    }

    /// Gives a group that has had no barrier yet another algorithm.
    ///
    /// # Errors
    ///
    /// [`InvalidGroup`] if the group has had a barrier, or does not exist.
    pub(in crate::message) fn reschedule<N: Nic>(
        &mut self,
        nic: &mut N,
        id: GroupId,
        algorithm: Algorithm,
    ) -> Result<(), InvalidGroup> {
        self.order.reschedule(id, algorithm.by_signals())?;
        self.choose_release(nic, id, algorithm);
        Ok(())
    }

    /// No group with an id below `next` will be made from now on.
    pub(in crate::message) fn handle_ids_used(&mut self, next: GroupId) {
        self.order.handle_ids_used(next);
    }

    /// No other group with the id of `group` will be made.
    pub(in crate::message) fn handle_id_used(&mut self, group: GroupId) {
        self.order.handle_id_used(group);
    }

    /// The program has dropped a group. Its open barriers go on, and then this rank leaves the
    /// group's place.
    pub(in crate::message) fn handle_drop(&mut self, id: GroupId) {
        if let Some(board) = &mut self.board {
            board.handle_drop(id);
        }
        if let Some(cells) = &mut self.cells {
            cells.handle_drop(id);
        }
        self.order.handle_drop(id);
    }

    /// Whether the ranks of a host share memory in which they publish what they enter.
    #[inline(always)]
    pub(in crate::message) fn has_board(&self) -> bool {
        self.board.is_some()
    }

    /// The algorithm of a group of `size` that signals, with a place or without one, where
    /// `algorithm` is asked for.
    pub(in crate::message) fn signalled_by(
        &self,
        algorithm: Algorithm,
        size: usize,
        has_place: bool,
    ) -> Algorithm {
        if has_place && self.cells.is_some() {
            by_words(algorithm, size)
        } else {
            algorithm.by_signals()
        }
    }

    /// The places of the board, or of cells, that are free at this rank, one bit for each.
    pub(in crate::message) fn free_places<N: Nic>(&self, nic: &N) -> u64 {
        let board = self.board.as_ref().map(|board| board.free(nic));
        let cells = self.cells.as_ref().map(Cells::free);
        match (board, cells) {
            (Some(board), Some(cells)) => board & cells,
            (board, cells) => board.or(cells).unwrap_or(0),
        }
    }

    /// The carrier of a group of these members, for which an algorithm and perhaps a place are
    /// asked; and the algorithm by which it then goes.
    pub(super) fn carrier(
        &self,
        (algorithm, place): (Algorithm, Option<usize>),
        members: &[Rank],
    ) -> (Carrier<'static>, Algorithm) {
        let has_place = place.is_some();
        match (place, &self.board, algorithm) {
            // Another algorithm that Auto finds replaces the board.
            (Some(place), Some(board), Algorithm::Board | Algorithm::Auto) => {
                (Carrier::Board { place, hosts: board.topology(members) }, algorithm)
            }
            _ => {
                let algorithm = self.signalled_by(algorithm, members.len(), has_place);
                let cells = place.filter(|_| self.cells.is_some());
                let by_cells = cells.map(|place| Carrier::Cells { algorithm, place });
                (by_cells.unwrap_or(Carrier::Frames(algorithm)), algorithm)
            }
        }
    }

    fn may_join(&self, carrier: &Carrier<'_>, place: usize) -> bool {
        match carrier {
            Carrier::Board { .. } => self.board.as_ref().is_none_or(|it| it.may_join(place)),
            Carrier::Cells { .. } => self.cells.as_ref().is_none_or(|it| it.may_join(place)),
            _ => true,
        }
    }

    /// Takes the place that a new group has on the board or in cells, if any.
    pub(super) fn join<N: Nic>(&mut self, nic: &N, id: GroupId, first: Epoch) {
        let Some(members) = self.order.members(id) else { return };
        if let (Some(board), Some(place)) = (&mut self.board, self.order.place_of(id)) {
            board.join(nic, place, id, members, first);
        }
        if let (Some(cells), Some(place)) = (&mut self.cells, self.order.cells_of(id)) {
            cells.join(place, id, members);
        }
    }
}
