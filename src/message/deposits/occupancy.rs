//! Which deposits of a rank occupy its slots in a group, and the room for rests, and who reads them.
//!
//! Keeps rule COL-9 of SEMANTICS.md.

use super::layout::{RESTS, SHORT_WORDS, SLOTS, rest, slot};
use super::members::MemberSet;

/// A deposit that occupies some room: of which call it is, and which members read it.
pub(super) type Occupant = (u64, MemberSet);

/// What occupies the words of a rank.
pub(super) struct Occupancy {
    slots: [Occupant; SLOTS],
    rests: [Occupant; RESTS],
    /// Whether there has been no room, though the rank looked for a moment, since there was some.
    pub(super) is_full: bool,
    /// The call in which this rank looks next whether readers have caught up, if nonblocking calls send messages until then. Else 0.
    pub(super) apart_until: u64,
    /// How often nonblocking calls have found no room since they deposit.
    pub(super) misses: u8,
}

/// Whether the message of a deposit of so many bytes has a rest.
#[inline]
pub(super) const fn has_rest(bytes: usize) -> bool {
    bytes > SHORT_WORDS * 8
}

impl Occupancy {
    /// Nothing.
    pub(super) const NOTHING: Occupancy = Occupancy {
        slots: [(0, MemberSet::NONE); SLOTS],
        rests: [(0, MemberSet::NONE); RESTS],
        is_full: false,
        apart_until: 0,
        misses: 0,
    };

    /// What occupies the place of a deposit of so many `bytes` for a call: its slot, and the room for its
    /// rest.
    #[inline]
    pub(super) fn occupants(&self, index: u64, bytes: usize) -> [Occupant; 2] {
        let at_rest = if has_rest(bytes) { self.rests[rest(index)] } else { (0, MemberSet::NONE) };
        [self.slots[slot(index)], at_rest]
    }

    /// Of which call the deposit is that occupies the slot of this one.
    #[inline]
    pub(super) fn in_slot(&self, index: u64) -> u64 {
        self.slots[slot(index)].0
    }

    /// A deposit of so many `bytes` lies there now.
    #[inline]
    pub(super) fn handle_deposit(&mut self, index: u64, readers: MemberSet, bytes: usize) {
        self.is_full = false;
        self.slots[slot(index)] = (index, readers);
        if has_rest(bytes) {
            self.rests[rest(index)] = (index, readers);
        }
    }
}
