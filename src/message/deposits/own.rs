//! What a rank knows of its own words in a group: who reads what lies in each slot, and in each rest.
//!
//! Keeps rule COL-9 of SEMANTICS.md.

use super::layout::{RESTS, SHORT_WORDS, SLOTS, rest, slot};
use super::members::MemberSet;

/// What lies in some room: of which call, and which members read it.
pub(super) type Lies = (u64, MemberSet);

/// What lies in the words of a rank.
pub(super) struct Own {
    slots: [Lies; SLOTS],
    rests: [Lies; RESTS],
    /// Whether there has been no room, though the rank looked for a moment, since there was some.
    pub(super) is_full: bool,
}

/// Whether the message of a deposit of so many bytes has a rest.
#[inline]
pub(super) const fn has_rest(bytes: usize) -> bool {
    bytes > SHORT_WORDS * 8
}

impl Own {
    /// Nothing.
    pub(super) const NOTHING: Own = Own {
        slots: [(0, MemberSet::NONE); SLOTS],
        rests: [(0, MemberSet::NONE); RESTS],
        is_full: false,
    };

    /// What lies where a deposit of so many `bytes` for a call would: in its slot, and in the room for
    /// its rest.
    #[inline]
    pub(super) fn in_the_way(&self, index: u64, bytes: usize) -> [Lies; 2] {
        let at_rest = if has_rest(bytes) { self.rests[rest(index)] } else { (0, MemberSet::NONE) };
        [self.slots[slot(index)], at_rest]
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
