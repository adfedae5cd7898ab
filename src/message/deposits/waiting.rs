//! For which deposits a rank sleeps, and which ranks a deposit wakes. [`super`] says why no wake-up is
//! lost.
//!
//! Keeps rules COL-9 and SAFE-1 of SEMANTICS.md.
//!
//! A rank that waits for one of several requests sleeps for any deposit. It notes which ones lay there *before* it
//! looked whether a request is complete. One that it did not note then keeps it awake, so that it looks again.

use smallvec::SmallVec;

use super::layout::PLACES;
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

/// What a rank sleeps for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum Want {
    Nothing,
    /// All deposits of these members for a call.
    All {
        place: usize,
        index: u64,
        of: MemberSet,
    },
    /// Any deposit for this rank, of several calls that it waits for.
    Any,
}

/// [`Want::Any`] as a word: no group has this place.
const ANY: u64 = 0xff;

const _: () = assert!(PLACES < ANY as usize);

impl Want {
    /// All deposits of these members for a call.
    pub(super) fn of(place: usize, index: u64, of: MemberSet) -> Want {
        if of.is_empty() { Want::Nothing } else { Want::All { place, index, of } }
    }

    /// As a word: not 0 unless it is nothing.
    fn encode(self) -> u64 {
        match self {
            Want::Nothing => 0,
            Want::Any => ANY,
            Want::All { place, index, of } => {
                index << 32 | u64::from(of.bits()) << 8 | place as u64
            }
        }
    }

    /// The members whose deposits for this call a rank wants, if it wants that of `sender`, by its word. If it
    /// wants any, that one alone.
    fn decode(wants: u64, place: usize, index: u64, sender: Rank) -> MemberSet {
        if wants == ANY {
            return MemberSet::only(sender);
        }
        let is_this = wants >> 32 == index & 0xffff_ffff && wants & 0xff == place as u64;
        if is_this { MemberSet::of_bits((wants >> 8) as u16) } else { MemberSet::NONE }
    }
}

/// A deposit that one of several requests waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    place: usize,
    /// Its sender, and the call.
    of: (Rank, u64),
    /// Whether it lay there at the last look.
    was_there: bool,
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

    /// A wait for several requests begins. Each of these deposits may complete one, by its place, its sender and
    /// its call.
    pub(in crate::message) fn begin_wait_for_several(
        &mut self,
        parts: impl Iterator<Item = (usize, (Rank, u64))>,
    ) {
        self.parts.clear();
        self.parts.extend(parts.map(|(place, of)| Part { place, of, was_there: false }));
    }

    /// Looks which of them lie there. The caller looks then which requests are complete.
    pub(in crate::message) fn look_at_several<S: SharedWords + ?Sized>(&mut self, words: &S) {
        let mut parts = std::mem::take(&mut self.parts);
        for part in parts.iter_mut().filter(|part| !part.was_there) {
            part.was_there = self.is_there(&|word| words.load(word), part.place, part.of);
        }
        self.parts = parts;
    }

    /// The wait for several requests is over.
    pub(in crate::message) fn end_wait_for_several(&mut self) {
        self.parts.clear();
    }

    /// Those of the deposits that lay there at the last look, by their places, senders and calls.
    pub(in crate::message) fn seen_of_several(&self) -> impl Iterator<Item = (usize, (Rank, u64))> {
        self.parts.iter().filter(|part| part.was_there).map(|part| (part.place, part.of))
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
            let is_any = self.parts.iter().any(|part| !part.was_there);
            return (if is_any { Want::Any } else { Want::Nothing }, false);
        };
        let load = |word| words.load(word);
        let is_there = |&member: &Rank| self.is_there(&load, place, (member, index));
        let there = all.iter().filter(is_there).fold(MemberSet::NONE, MemberSet::with);
        // What ends the wait.
        let ends = first.map_or(there, |first| there.and(MemberSet::only(first)));
        if let Some(member) = ends.iter().find(|&member| !is_held(member)) {
            return (Want::of(place, index, MemberSet::only(member)), false);
        }
        let is_held = !ends.is_empty();
        if is_held && first.is_some() {
            return (Want::Nothing, true);
        }
        let is_missing = |&member: &Rank| !cannot(self.world_rank(place, member));
        let of =
            all.without(there).iter().filter(is_missing).fold(MemberSet::NONE, MemberSet::with);
        (Want::of(place, index, of), is_held)
    }

    /// Says for which deposits this rank is about to sleep.
    pub(in crate::message) fn tell_want<S: SharedWords + ?Sized>(&mut self, words: &S, want: Want) {
        let wants = want.encode();
        if self.wants != wants {
            self.wants = wants;
            words.store(self.layout.wants(self.rank), wants);
        }
    }

    /// Whether all lies there that this rank wants, by these words, or any that did not at its last look.
    pub(in crate::message) fn has_wanted(&self, load: impl Fn(usize) -> u64, want: Want) -> bool {
        match want {
            Want::Nothing => false,
            Want::All { place, index, of } => {
                of.iter().all(|member| self.is_there(&load, place, (member, index)))
            }
            Want::Any => {
                let mut missing = self.parts.iter().filter(|part| !part.was_there);
                missing.any(|part| self.is_there(&load, part.place, part.of))
            }
        }
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
            let wanted = Want::decode(words.load(wants), place, index, joined.own);
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
