//! For which deposits a rank sleeps, and which ranks a deposit wakes. [`super`] says why no wake-up is
//! lost.
//!
//! Keeps rules COL-9 and SAFE-1 of SEMANTICS.md.

use smallvec::SmallVec;

use super::{Deposits, MOST_MEMBERS, MemberSet};
use crate::order::Rank;
use crate::verbs::SharedWords;

/// The deposits that a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Awaited {
    pub(in crate::message) place: usize,
    pub(in crate::message) index: u64,
    /// The member whose deposit ends the wait; any of those in `all` if that is None.
    pub(in crate::message) first: Option<Rank>,
    /// The members of which the call needs something still, by a deposit or by a message.
    pub(in crate::message) all: MemberSet,
}

/// What a rank sleeps for: all deposits of these members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Want {
    place: usize,
    index: u64,
    of: MemberSet,
}

impl Want {
    pub(in crate::message) const NOTHING: Want = Want { place: 0, index: 0, of: MemberSet::NONE };

    #[cfg(all(test, not(loom)))]
    pub(super) fn of(place: usize, index: u64, of: MemberSet) -> Want {
        Want { place, index, of }
    }

    pub(in crate::message) fn is_nothing(self) -> bool {
        self.of.is_empty()
    }

    /// As a word: not 0 unless it is nothing.
    fn encode(self) -> u64 {
        let Want { place, index, of } = self;
        if of.is_empty() { 0 } else { index << 32 | u64::from(of.bits()) << 8 | place as u64 }
    }

    /// The members of whom deposits of this call are wanted.
    fn decode(wants: u64, place: usize, index: u64) -> MemberSet {
        let is_this = wants >> 32 == index & 0xffff_ffff && wants & 0xff == place as u64;
        if is_this { MemberSet::of_bits((wants >> 8) as u16) } else { MemberSet::NONE }
    }
}

/// Waiting for deposits.
impl Deposits {
    /// The call that is made waits for these deposits too.
    pub(in crate::message) fn begin_wait(&mut self, awaited: Awaited) {
        self.awaited = Some(awaited);
    }

    /// The deposits that the call waits for.
    pub(in crate::message) fn awaited(&self) -> Option<Awaited> {
        self.awaited
    }

    /// The member of a group that has this rank in the world.
    pub(in crate::message) fn member(&self, place: usize, rank: Rank) -> Option<Rank> {
        self.at(place).members.iter().position(|&it| it == rank)
    }

    /// The wait is over.
    pub(in crate::message) fn end_wait(&mut self) {
        self.awaited = None;
    }

    /// What this rank wants before it sleeps, and whether a deposit that it waits for is held, as
    /// `is_held` says of members whose deposits lie there. It wants nothing of ranks that `cannot`
    /// deposit any more, or have sent a message instead.
    ///
    /// What came since it last looked it wants too, and has it.
    pub(in crate::message) fn want<S: SharedWords + ?Sized>(
        &self,
        words: &S,
        cannot: impl Fn(Rank) -> bool,
        is_held: impl Fn(Rank) -> bool,
    ) -> (Want, bool) {
        let Some(Awaited { place, index, first, all }) = self.awaited else {
            return (Want::NOTHING, false);
        };
        let load = |word| words.load(word);
        let is_there = |&member: &Rank| self.is_there(&load, place, (member, index));
        let there = all.iter().filter(is_there).fold(MemberSet::NONE, MemberSet::with);
        // What ends the wait.
        let ends = first.map_or(there, |first| there.and(MemberSet::only(first)));
        if let Some(member) = ends.iter().find(|&member| !is_held(member)) {
            return (Want { place, index, of: MemberSet::only(member) }, false);
        }
        let is_held = !ends.is_empty();
        if is_held && first.is_some() {
            return (Want::NOTHING, true);
        }
        let is_missing = |&member: &Rank| !cannot(self.world_rank(place, member));
        let of =
            all.without(there).iter().filter(is_missing).fold(MemberSet::NONE, MemberSet::with);
        (Want { place, index, of }, is_held)
    }

    /// Says for which deposits this rank is about to sleep.
    pub(in crate::message) fn tell_want<S: SharedWords + ?Sized>(&mut self, words: &S, want: Want) {
        let wants = want.encode();
        if self.wants != wants {
            self.wants = wants;
            words.store(self.layout.wants(self.rank), wants);
        }
    }

    /// Whether all lies there that this rank wants, by these words.
    pub(in crate::message) fn has_wanted(&self, load: impl Fn(usize) -> u64, want: Want) -> bool {
        let Want { place, index, of } = want;
        !of.is_empty() && of.iter().all(|member| self.is_there(&load, place, (member, index)))
    }

    /// Those of the `readers` that sleep for deposits of a call which all lie there now, by their
    /// ranks in the world.
    pub(in crate::message) fn wanting<S: SharedWords + ?Sized>(
        &self,
        words: &S,
        place: usize,
        (index, readers): (u64, MemberSet),
    ) -> SmallVec<[Rank; MOST_MEMBERS]> {
        let joined = self.at(place);
        let mut there = None;
        let wanting = readers.iter().filter(|&member| {
            let wants = self.layout.wants(joined.members[member]);
            let wanted = Want::decode(words.load(wants), place, index);
            !wanted.is_empty() && {
                let load = |word| words.load(word);
                let there = *there.get_or_insert_with(|| self.those_there(load, place, index));
                wanted.without(there).is_empty()
            }
        });
        wanting.map(|member| joined.members[member]).collect()
    }

    /// The members whose deposits of a call lie there, whoever reads them.
    fn those_there(&self, load: impl Fn(usize) -> u64, place: usize, index: u64) -> MemberSet {
        let members = MemberSet::below(self.at(place).members.len());
        let is_there = |&member: &Rank| self.readers(&load, place, (member, index)).is_some();
        members.iter().filter(is_there).fold(MemberSet::NONE, MemberSet::with)
    }
}
