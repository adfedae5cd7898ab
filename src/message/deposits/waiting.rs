//! For which deposits a rank sleeps, and which ranks a deposit wakes. [`super`] says why no wake-up is
//! lost.
//!
//! Keeps rules COL-9 and SAFE-1 of SEMANTICS.md.
//!
//! A rank that waits for one of several requests sleeps for any deposit. It notes which ones lay there *before* it
//! looked whether a request is complete. One that it did not note then keeps it awake, so that it looks again.
//!
//! So it does with deposits for later calls of members that have yet to give what it waits for: it notes who is *late*, and
//! looks whether that one never gives it, or has sent it. A blocking call is not told of that, so there all count as late.

use smallvec::SmallVec;

use super::layout::PLACES;
use super::looks::LOOKS_AT_ALL;
use super::{Deposits, MOST_MEMBERS, MemberSet, Readers, index_of};
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
    /// All deposits of these members for a call. Of those that are `late` no deposit for a later call is looked for.
    All {
        place: usize,
        index: u64,
        of: MemberSet,
        late: MemberSet,
    },
    /// Any deposit for this rank, of several calls that it waits for.
    Any,
}

/// The place stands below the index of the call, in so many bits.
const PLACE_BITS: u32 = 8;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;
/// Of an index so many bits count.
const INDEX_MASK: u64 = u64::MAX >> PLACE_BITS;

/// [`Want::Any`] as a word: no group has this place.
const ANY: u64 = PLACE_MASK;

const _: () = assert!(PLACES < ANY as usize);

impl Want {
    /// All deposits of these members for a call.
    pub(super) fn of(place: usize, index: u64, of: MemberSet) -> Want {
        let late = MemberSet::NONE;
        if of.is_empty() { Want::Nothing } else { Want::All { place, index, of, late } }
    }

    /// The same, and these are late.
    fn but_late(self, late: MemberSet) -> Want {
        match self {
            Want::All { place, index, of, .. } => Want::All { place, index, of, late },
            other => other,
        }
    }

    /// As words.
    pub(super) fn encode(self) -> Wants {
        match self {
            Want::Nothing => Wants::NOTHING,
            Want::Any => Wants { call: ANY, of: 0 },
            // A call has an index above 0, so the word is not that of nothing.
            Want::All { place, index, of, .. } => {
                Wants { call: index << PLACE_BITS | place as u64, of: of.bits() }
            }
        }
    }
}

/// What a rank wants, as the words say that others see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wants {
    /// The call, by its index and the place of its group; or [`ANY`].
    pub(super) call: u64,
    /// The members whose deposits are wanted, as bits.
    pub(super) of: u64,
}

impl Wants {
    pub(super) const NOTHING: Wants = Wants { call: 0, of: 0 };

    /// Those of a rank, whose first word is this one.
    #[inline]
    fn load<S: SharedWords + ?Sized>(words: &S, first: usize) -> Wants {
        let call = words.load(first);
        let of = if call == 0 { 0 } else { words.load(first + 1) };
        Wants { call, of }
    }

    /// Stores them, in any order: the rank passes its fence behind both.
    fn store<S: SharedWords + ?Sized>(self, words: &S, first: usize) {
        words.fill(first + 1, &[self.of]);
        words.store(first, self.call);
    }

    fn index(self) -> u64 {
        self.call >> PLACE_BITS
    }

    fn is_at(self, place: usize) -> bool {
        self.call & PLACE_MASK == place as u64
    }

    /// The members whose deposits for this call a rank wants, if it wants that of `sender`. If it wants any, that one alone.
    pub(super) fn of(self, place: usize, index: u64, sender: Rank) -> MemberSet {
        if self.call == ANY {
            return MemberSet::only(sender);
        }
        let is_this = self.index() == index & INDEX_MASK && self.is_at(place);
        if is_this { MemberSet::of_bits(self.of) } else { MemberSet::NONE }
    }

    /// How many calls before this one that is whose deposit of `sender` a rank wants, if it is an earlier one.
    pub(super) fn calls_back(self, place: usize, index: u64, sender: Rank) -> Option<u64> {
        let is_of = MemberSet::of_bits(self.of).contains(sender);
        let is_here = self.call != ANY && self.is_at(place);
        let back = index.wrapping_sub(self.index()) & INDEX_MASK;
        let is_before = (1..=INDEX_MASK / 2).contains(&back) && back < index;
        (self.call != 0 && is_of && is_here && is_before).then_some(back)
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
    /// Whether one of its sender for a later call did.
    is_late: bool,
}

/// Waiting for deposits.
impl Deposits {
    /// The call that is made waits for these deposits too.
    pub(in crate::message) fn begin_wait(&mut self, awaited: Awaited) {
        (self.awaited, self.late) = (Some(awaited), MemberSet::NONE);
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
        self.parts.extend(parts.map(|(place, of)| Part {
            place,
            of,
            was_there: false,
            is_late: false,
        }));
    }

    /// Looks which of them lie there. The caller looks then which requests are complete.
    pub(in crate::message) fn look_at_several<S: SharedWords + ?Sized>(&mut self, words: &S) {
        let mut parts = std::mem::take(&mut self.parts);
        for part in parts.iter_mut().filter(|part| !part.was_there) {
            part.was_there = self.is_there(&|word| words.load(word), part.place, part.of);
        }
        self.parts = parts;
    }

    /// Looks who has deposited for later calls. The caller looks then whether that one never gives what this rank waits
    /// for.
    pub(in crate::message) fn look_for_late<S: SharedWords + ?Sized>(&mut self, words: &S) {
        let is_late = |own: &Deposits, place, of| {
            !own.is_there(&|word| words.load(word), place, of)
                && own.later(words, place, of, true).is_some()
        };
        if let Some(Awaited { place, index, first: Some(_), all }) = self.awaited {
            let late = all.iter().filter(|&member| is_late(self, place, (member, index)));
            self.late = late.fold(MemberSet::NONE, MemberSet::with);
        }
        let mut parts = std::mem::take(&mut self.parts);
        for part in parts.iter_mut().filter(|part| !part.was_there && !part.is_late) {
            part.is_late = is_late(self, part.place, part.of);
        }
        self.parts = parts;
    }

    /// The wait for several requests is over.
    pub(in crate::message) fn end_wait_for_several(&mut self) {
        self.parts.clear();
    }

    /// Those of the deposits that lay there at the last look, by their places, senders and calls.
    #[cfg(all(test, not(loom)))]
    pub(super) fn seen_of_several(&self) -> impl Iterator<Item = (usize, (Rank, u64))> {
        self.parts.iter().filter(|part| part.was_there).map(|part| (part.place, part.of))
    }

    /// What this rank wants before it sleeps, and whether a deposit that it waits for may be held, as
    /// `is_held` says of deposits that lie there, by their place, sender and call. It wants nothing of ranks that
    /// `cannot` deposit any more, or have sent a message instead.
    ///
    /// What came since it last looked it wants too, and has it.
    pub(in crate::message) fn want<S: SharedWords + ?Sized>(
        &self,
        words: &S,
        cannot: impl Fn(Rank) -> bool,
        is_held: impl Fn(usize, (Rank, u64)) -> bool,
    ) -> (Want, bool) {
        let Some(Awaited { place, index, first, all }) = self.awaited else {
            let may_be_held =
                |part: &Part| part.is_late || part.was_there && is_held(part.place, part.of);
            let is_any = self.parts.iter().any(|part| !part.was_there);
            let want = if is_any { Want::Any } else { Want::Nothing };
            return (want, self.parts.iter().any(may_be_held));
        };
        let load = |word| words.load(word);
        let is_there = |&member: &Rank| self.is_there(&load, place, (member, index));
        let there = all.iter().filter(is_there).fold(MemberSet::NONE, MemberSet::with);
        // What ends the wait.
        let ends = first.map_or(there, |first| there.and(MemberSet::only(first)));
        if let Some(member) = ends.iter().find(|&member| !is_held(place, (member, index))) {
            return (Want::of(place, index, MemberSet::only(member)), false);
        }
        let is_held = !ends.is_empty();
        if is_held && first.is_some() {
            return (Want::Nothing, true);
        }
        let is_missing = |&member: &Rank| !cannot(self.world_rank(place, member));
        let of =
            all.without(there).iter().filter(is_missing).fold(MemberSet::NONE, MemberSet::with);
        let late = if first.is_some() { of.and(self.late) } else { of };
        let is_late_held = first.is_some() && !late.is_empty();
        (Want::of(place, index, of).but_late(late), is_held || is_late_held)
    }

    /// Says for which deposits this rank is about to sleep.
    pub(in crate::message) fn tell_want<S: SharedWords + ?Sized>(&mut self, words: &S, want: Want) {
        let wants = want.encode();
        if self.wants != wants {
            self.wants = wants;
            wants.store(words, self.layout.wants(self.rank));
        }
    }

    /// Whether all lies there that this rank wants, by these words, or any that did not at its last look. So does one for a
    /// later call, of a sender of which there was none.
    pub(in crate::message) fn has_wanted(&self, load: impl Fn(usize) -> u64, want: Want) -> bool {
        let is_later = |place, of| self.later_within(&load, place, of, LOOKS_AT_ALL).is_some();
        match want {
            Want::Nothing => false,
            Want::All { place, index, of, late } => {
                let is_there = |member| self.is_there(&load, place, (member, index));
                let missing = || of.without(late).iter().filter(|&member| !is_there(member));
                of.iter().all(is_there) || missing().any(|member| is_later(place, (member, index)))
            }
            Want::Any => self.parts.iter().filter(|part| !part.was_there).any(|part| {
                self.is_there(&load, part.place, part.of)
                    || !part.is_late && is_later(part.place, part.of)
            }),
        }
    }

    /// Those of the `readers` of this rank's deposit for a call that sleep for deposits of that call which all lie there
    /// now, or for one of this rank for an earlier call that it has not made; by their ranks in the world.
    pub(in crate::message) fn wanting<S: SharedWords + ?Sized>(
        &self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
    ) -> SmallVec<[Rank; MOST_MEMBERS]> {
        let joined = self.at(place);
        let mut there = None;
        let readers = readers.set();
        let wanting = readers.iter().filter(|&member| {
            let wants = Wants::load(words, self.layout.wants(joined.members[member]));
            let wanted = wants.of(place, index, joined.own);
            if wanted.is_empty() {
                let back = wants.calls_back(place, index, joined.own);
                return back.is_some_and(|back| {
                    let earlier = self.layout.index(place, self.rank, index - back);
                    index_of(words.load(earlier)) != index - back
                });
            }
            let load = |word| words.load(word);
            let there = *there.get_or_insert_with(|| self.those_there(load, place, index));
            wanted.without(there).is_empty()
        });
        wanting.map(|member| joined.members[member]).collect()
    }

    /// The members whose deposits of a call lie there, whoever reads them.
    fn those_there(&self, load: impl Fn(usize) -> u64, place: usize, index: u64) -> MemberSet {
        let members = MemberSet::below(self.at(place).members.len());
        let is_there = |&member: &Rank| {
            let word = self.slot_word(&load, place, (member, index));
            word.is_some_and(|word| index_of(word) == index)
        };
        members.iter().filter(is_there).fold(MemberSet::NONE, MemberSet::with)
    }
}
