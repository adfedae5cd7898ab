//! Deposits for other calls than the one that a rank is in: what it has left unread, and what comes later. By these it finds
//! that two members have not called the same.
//!
//! Keeps rules COL-4 and SAFE-1 of SEMANTICS.md.

use super::layout::SLOTS;
use super::{Deposits, is_for};
use crate::order::Rank;
use crate::verbs::SharedWords;

/// So many calls back a rank looks for deposits that it has not read.
const LOOKS_BACK: u64 = 3;

/// So many calls ahead a rank that polls looks for deposits of a member that has left one out.
const LOOKS_AHEAD: u64 = 3;
/// And one that is to sleep, so many: all that may lie there.
pub(super) const LOOKS_AT_ALL: u64 = SLOTS as u64 - 1;

/// Deposits for other calls.
impl Deposits {
    /// The call before this one, if any, for which a member has deposited something for this rank
    /// that lies there unread: the two have not called the same.
    #[inline]
    pub(in crate::message) fn left_over<S: SharedWords + ?Sized>(
        &self,
        words: &S,
        place: usize,
        (member, index): (Rank, u64),
    ) -> Option<u64> {
        let joined = self.at(place);
        let (rank, read) = (joined.members[member], joined.read[member]);
        // Mostly the calls before were read.
        if read.has_each_before(index, LOOKS_BACK) {
            return None;
        }
        // Those further back cost more looks than they are worth.
        let first = index.saturating_sub(LOOKS_BACK);
        (first..index).find(|&before| {
            !read.has(before) && {
                let word = words.load(self.layout.index(place, rank, before));
                is_for(word, before, joined.own)
            }
        })
    }

    /// The first call after this one for which a member has deposited something for this rank, among all whose
    /// deposits may lie there or among the next few.
    pub(in crate::message) fn later<S: SharedWords + ?Sized>(
        &self,
        words: &S,
        place: usize,
        (member, index): (Rank, u64),
        all: bool,
    ) -> Option<u64> {
        let looks = if all { LOOKS_AT_ALL } else { LOOKS_AHEAD };
        self.later_within(&|word| words.load(word), place, (member, index), looks)
    }

    /// As [`later`](Deposits::later), among so many calls.
    pub(super) fn later_within(
        &self,
        load: &impl Fn(usize) -> u64,
        place: usize,
        (member, index): (Rank, u64),
        looks: u64,
    ) -> Option<u64> {
        (index + 1..=index + looks).find(|&later| self.is_there(load, place, (member, later)))
    }
}
