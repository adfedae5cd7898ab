//! The places of one rank: rows of words that a group has for itself, on the board or in cells.
//!
//! There is one protocol of joining, dropping and retiring a place, whichever way words travel.
//! Keeps rules BAR-1 and GRP-3 of SEMANTICS.md.
//!
//! | state | how a rank comes to it |
//! |---|---|
//! | done | it has never used the place, or has left it |
//! | used | all members have agreed on the place, and this rank joins it |
//! | dropped | the program drops the group; its barriers may be open |
//! | leaving | this rank is done with the group, and its own words may be under way |
//!
//! The first place is the world's and is never given to another group.
//!
//! # Correctness
//!
//! A group gets a place only if each of its members says that the place is free there. So a member
//! that is not done with its last group keeps the place from the next one. What this table cannot
//! see is whether *others* still read the words of this rank; the carrier adds that to
//! [`PlaceTable::free`].

use crate::order::{GroupId, Rank};

/// The most places. In a model few, since loom keeps books of every word.
pub(in crate::message) const PLACES: usize = if cfg!(loom) { 3 } else { 64 };

/// The place of the world, also where that has found another algorithm.
pub(super) const WORLD_PLACE: usize = 0;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    Used,
    Dropped,
    Leaving,
    #[default]
    Done,
}

/// What a rank knows of one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    group: Option<GroupId>,
    members: Vec<Rank>,
    state: State,
}

impl Place {
    /// The group that has the place, or had it last.
    pub(super) fn group(&self) -> Option<GroupId> {
        self.group
    }

    /// The members of that group, in its order.
    pub(super) fn members(&self) -> &[Rank] {
        &self.members
    }

    /// Whether this rank needs nothing of that group any more.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Leaving | State::Done)
    }
}

/// The places as one rank sees them.
#[derive(Debug)]
pub(super) struct PlaceTable {
    places: Vec<Place>,
    /// How many are dropped or being left.
    dropped: usize,
}

impl PlaceTable {
    /// So many places, none in use.
    pub(super) fn new(count: usize) -> PlaceTable {
        PlaceTable { places: vec![Place::default(); count], dropped: 0 }
    }

    /// One of the places.
    ///
    /// # Panics
    ///
    /// If there is none at `at`.
    #[inline]
    pub(super) fn at(&self, at: usize) -> &Place {
        &self.places[at]
    }

    /// Takes a place for a group. All members agree that it is free.
    ///
    /// # Panics
    ///
    /// If there is none at `at`.
    pub(super) fn join(&mut self, at: usize, group: GroupId, members: &[Rank]) {
        let place = &mut self.places[at];
        place.members.clear();
        place.members.extend_from_slice(members);
        (place.group, place.state) = (Some(group), State::Used);
    }

    /// The program has dropped a group. Unknown groups are ignored, and those dropped already.
    pub(super) fn handle_drop(&mut self, group: GroupId) {
        let is_used = |place: &&mut Place| place.group == Some(group) && place.state == State::Used;
        if let Some(place) = self.places.iter_mut().find(is_used) {
            place.state = State::Dropped;
            self.dropped += 1;
        }
    }

    /// Whether [`retire`](PlaceTable::retire) has something to do.
    #[inline]
    pub(super) fn has_dropped(&self) -> bool {
        self.dropped > 0
    }

    /// Leaves the places of those dropped groups that this rank `is_done` with. `leave` gets a
    /// place, and whether this is the first call for it. It returns whether all words that this
    /// rank wrote for the group have arrived, and is called again later if not.
    pub(super) fn retire(
        &mut self,
        is_done: impl Fn(GroupId) -> bool,
        mut leave: impl FnMut(usize, &Place, bool) -> bool,
    ) {
        for (at, place) in self.places.iter_mut().enumerate() {
            let is_first = place.state == State::Dropped && place.group.is_some_and(&is_done);
            if is_first {
                place.state = State::Leaving;
            }
            if place.state == State::Leaving && leave(at, place, is_first) {
                place.state = State::Done;
                self.dropped -= 1;
            }
        }
    }

    /// Whether this rank could join a place: it is done with the last group there, or has had none.
    pub(super) fn may_join(&self, at: usize) -> bool {
        at != WORLD_PLACE && self.places.get(at).is_some_and(|place| place.state == State::Done)
    }

    /// The places that this rank could join and that others have `left` too, one bit for each.
    pub(super) fn free(&self, left: impl Fn(usize, &Place) -> bool) -> u64 {
        let places = self.places.iter().enumerate();
        let free = places.filter(|&(at, place)| self.may_join(at) && left(at, place));
        free.fold(0, |free, (at, _)| free | 1 << at)
    }

    /// The place that a group has. None if it has none, or this rank has left it.
    #[inline]
    pub(super) fn place_of(&self, group: GroupId) -> Option<usize> {
        let has = |place: &Place| place.group == Some(group) && place.state != State::Done;
        self.places.iter().position(has)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const FIRST: GroupId = GroupId(3);
    const SECOND: GroupId = GroupId(4);
    const AT: usize = 2;

    fn free(places: &PlaceTable) -> u64 {
        places.free(|_, _| true)
    }

    /// Mutant: a place counts as done while its words are under way.
    // SEMANTICS: BAR-1, GRP-3
    #[test]
    fn a_place_goes_through_all_states_in_order() {
        let mut places = PlaceTable::new(4);
        assert_eq!((free(&places), places.place_of(FIRST)), (0b1110, None));
        places.join(AT, FIRST, &[2, 0]);
        assert_eq!(places.at(AT).group(), Some(FIRST));
        assert_eq!(places.at(AT).members(), [2, 0]);
        assert!(!places.at(AT).is_done() && !places.may_join(AT));
        assert_eq!((free(&places), places.place_of(FIRST)), (0b1010, Some(AT)));
        // A group that is not dropped is never retired.
        places.retire(|_| true, |_, _, _| panic!("no group was dropped"));

        places.handle_drop(FIRST);
        places.handle_drop(FIRST);
        places.handle_drop(SECOND);
        places.retire(|_| false, |_, _, _| panic!("this rank is not done"));
        assert!(places.has_dropped() && !places.at(AT).is_done());
        assert_eq!(places.place_of(FIRST), Some(AT));

        let mut calls = Vec::new();
        for has_arrived in [false, false, true] {
            places.retire(
                |group| group == FIRST,
                |at, place, is_first| {
                    assert!(place.is_done() && place.group() == Some(FIRST));
                    calls.push((at, is_first));
                    has_arrived
                },
            );
            // Words under way keep the next group out.
            assert_eq!((places.has_dropped(), places.may_join(AT)), (!has_arrived, has_arrived));
            assert_eq!(places.place_of(FIRST), (!has_arrived).then_some(AT));
        }
        assert_eq!(calls, [(AT, true), (AT, false), (AT, false)]);
        places.retire(|_| true, |_, _, _| panic!("this rank has left"));

        // The last group stays known, for those that ask whether its members have left.
        assert_eq!(places.at(AT).group(), Some(FIRST));
        places.join(AT, SECOND, &[0]);
        assert_eq!((places.place_of(FIRST), places.place_of(SECOND)), (None, Some(AT)));
        assert_eq!(places.at(AT).members(), [0]);
    }

    // SEMANTICS: GRP-3
    #[test]
    fn the_place_of_the_world_is_never_given_away() {
        let mut places = PlaceTable::new(2);
        for _ in 0..2 {
            assert!(!places.may_join(WORLD_PLACE) && places.may_join(1) && !places.may_join(2));
            assert_eq!(free(&places), 0b10);
            places.join(WORLD_PLACE, GroupId::WORLD, &[0, 1]);
            places.handle_drop(GroupId::WORLD);
            places.retire(|_| true, |_, _, _| true);
        }
    }

    /// Several places at once, and a carrier that knows that others still read the words of one.
    // SEMANTICS: BAR-1, GRP-3
    #[test]
    fn a_place_is_free_only_if_others_have_left_it_too() {
        let mut places = PlaceTable::new(4);
        places.join(1, FIRST, &[0, 1]);
        places.join(AT, SECOND, &[0, 2]);
        places.handle_drop(SECOND);
        places.handle_drop(FIRST);
        places.retire(|_| true, |_, place, _| place.group() == Some(FIRST));
        assert!(places.has_dropped());
        assert_eq!(free(&places), 0b1010);
        places.retire(|_| true, |_, _, _| true);
        assert_eq!((free(&places), places.has_dropped()), (0b1110, false));
        let left = |_: usize, place: &Place| place.group() != Some(FIRST);
        assert_eq!(places.free(left), 0b1100);
    }
}
