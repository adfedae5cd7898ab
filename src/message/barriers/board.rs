//! The flat board. Where all ranks see the same memory, each publishes the latest epoch that it has
//! entered, and all look at it. Entering is a store, and no rank forwards. It replaces the central
//! counter of hoefler-2005 §2.2.1.1.
//!
//! Here are the layout of the shared words, the tags of places and the wake-ups, over anything that
//! can load and store words. [`super::places`] says which group has which place. The meaning of an
//! epoch is [`crate::order`]'s, sleeping the provider's.
//!
//! # Layout
//!
//! The board has a number of *places*, each for one group at a time; the first is the world's.
//! Groups that share no rank may be at the same place, since every word belongs to one rank of the
//! world:
//!
//! - for each place and rank a *tag*: the group for which the epoch beside it counts, and whether
//!   that rank is done with it. Ids of groups are never used again, so no tag is;
//! - for each place and rank an *epoch*: the latest that it has entered;
//! - for each place and rank a *completed epoch*: if that rank is the first member of a group
//!   there, an epoch that all members have entered. The last rank to enter says so there, and the
//!   others need not look at all epochs. It counts under the same tag as the epoch of that rank;
//! - for each rank its *wants*: the epoch for which it sleeps, on a line of its own.
//!
//! A rank that joins stores first the epoch and the completed epoch, and then the tag. A reader
//! that finds the tag of another group takes it that the rank has entered nothing. A place is free
//! at a rank only if each member of the last group is done with it too, or has gone on to another.
//! So no rank writes over words that others may still have to read. A rank that has a completed
//! epoch to write for a group is not done with it. The words of a rank that has died stay. Two
//! completed epochs may be stored in the wrong order: the older one is as true, and no rank waits
//! for either.
//!
//! # No wake-up is lost
//!
//! A rank that enters (1) stores its epoch, (2) passes a fence, and (3) looks at the epochs of all.
//! If all have entered what it had not entered before, it (4) wakes the members whose wants name
//! that epoch. A rank that is to sleep (1) stores what it wants, (2) passes a fence, (3) looks at
//! the epochs of all, and sleeps if some are missing. Fences have one order. Of the members that
//! enter an epoch, take the one whose fence comes last. It sees the epochs of all others, so it
//! looks at the wants of all. If the fence of a sleeper comes before that one, the sleeper's wants
//! are seen there and it is woken. If it comes after, the sleeper sees the epochs of all and does
//! not sleep. A wake-up that comes between the look and the sleep is the provider's care
//! ([`Nic::wait_unless`]). So the last rank to enter wakes all that sleep for it, and no other rank
//! wakes any. The models below check it.
//!
//! As long as no rank sleeps or is about to, a provider may leave the fences out
//! ([`SharedWords::store`]). Then several ranks may enter at the same time, and none sees that all
//! have. There is no (4) and no completed epoch, and each rank finds it when it looks again. A rank
//! that goes to sleep later passes a fence, and finds it in (3).
//!
//! # Several hosts
//!
//! Where the ranks are on several hosts, each host has such words of its own. All that is said
//! above holds within a host. The last member of a host to enter writes to other hosts what all
//! members of its own have entered. It is inside a call then, and up to 64 hosts no rank forwards
//! that. The order core says what is to be written ([`crate::order::hosts`]), [`hosts`] writes it,
//! and [`paths`] says by which way. A rank writes its tags there as well, after all that they say
//! something of, so what this text says of places rests on tags alone.
//!
//! The last word to come to a host may find no member inside a call there. So a rank that sleeps
//! for a barrier of a group on several hosts looks again after the time that the provider states, a
//! millisecond at most. A rank that then finds that a barrier is complete stores that where the
//! others of its host see it, and wakes those that want it. It passes a fence in between, as they
//! do between their wants and their look, so no wake-up is lost within a host.
//!
//! Keeps rules BAR-1, BAR-4 and SAFE-1 of SEMANTICS.md.

mod hosts;
mod layout;
mod paths;

use hosts::{Hosts, Placed, Ways};
pub(in crate::message) use layout::Layout;

use super::places::{PLACES, PlaceTable};
use crate::order::core::board::{Awaited, Word};
use crate::order::hosts::Cell;
use crate::order::{Epoch, GroupId, Rank};
use crate::verbs::{Nic, SharedWords, Written};

/// Words that all ranks can load, as [`SharedWords::load`] does.
pub(super) trait Load {
    fn load(&self, word: usize) -> u64;
}

/// Those that they can also store, as [`SharedWords::store`] does.
pub(super) trait Words: Load {
    /// Stores the word and passes a fence, where anybody may sleep.
    fn store(&self, word: usize, value: u64);
    /// As `store`. False if it is sure that nobody sleeps without seeing the word.
    fn publish(&self, word: usize, value: u64) -> bool {
        self.store(word, value);
        true
    }
    /// As [`SharedWords::write_at`].
    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool;
    /// As [`SharedWords::written_at`].
    fn written_at(&self, peer: Rank) -> Written;
}

/// The words of all groups on a board, as the order core looks at them.
pub(super) struct Shown<'b, L> {
    pub(super) board: &'b Board,
    pub(super) words: &'b L,
}

impl<L: Load> crate::order::barrier::Words<Word> for Shown<'_, L> {
    #[inline(always)]
    fn load(&self, word: Word) -> Option<Epoch> {
        self.board.read(self.words, word)
    }
}

/// The same for a rank that has just entered a barrier: no other can have said that all have.
pub(super) struct Entered<'b, L>(pub(super) Shown<'b, L>);

impl<L: Load> crate::order::barrier::Words<Word> for Entered<'_, L> {
    #[inline(always)]
    fn load(&self, word: Word) -> Option<Epoch> {
        if word.cell == Cell::Complete { None } else { self.0.load(word) }
    }
}

/// The words of a network that has a board.
#[inline(always)]
fn shared<N: Nic>(nic: &N) -> &N::SharedWords {
    nic.shared_words().expect("there is a board only where ranks share words")
}

impl<N: Nic> Load for N {
    fn load(&self, word: usize) -> u64 {
        shared(self).load(word)
    }
}

/// The words as a provider shows them while it decides whether a sleep may begin
/// ([`Nic::wait_unless`]).
impl Load for &dyn Fn(usize) -> u64 {
    fn load(&self, word: usize) -> u64 {
        self(word)
    }
}

impl<N: Nic> Words for N {
    fn store(&self, word: usize, value: u64) {
        shared(self).store(word, value);
    }

    #[inline(always)]
    fn publish(&self, word: usize, value: u64) -> bool {
        shared(self).publish(word, value)
    }

    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        shared(self).write_at(peer, word, value)
    }

    fn written_at(&self, peer: Rank) -> Written {
        shared(self).written_at(peer)
    }
}

/// The barriers for which a rank sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum Want {
    /// No barrier of the board.
    Nothing,
    /// That this epoch is complete at this place.
    Epoch { place: usize, epoch: Epoch },
    /// Any barrier that completes.
    Any,
}

impl Want {
    fn encode(self) -> u64 {
        match self {
            Want::Nothing => 0,
            Want::Epoch { place, epoch } if epoch < 1 << 56 => epoch << 8 | place as u64,
            Want::Epoch { .. } | Want::Any => u64::MAX,
        }
    }
}

/// Whether a rank whose wants say `wants` is to be woken when `epoch` has completed at `place`.
const fn is_wanted(wants: u64, place: usize, epoch: Epoch) -> bool {
    wants == u64::MAX || wants != 0 && wants & 0xff == place as u64 && wants >> 8 <= epoch
}

const fn tag_of(group: GroupId) -> u64 {
    // Words that were never stored are 0.
    (group.0 as u64 + 1) << 1
}

const DONE: u64 = 1;

/// The board as one rank sees it.
#[derive(Debug)]
pub(super) struct Board {
    layout: Layout,
    rank: Rank,
    places: PlaceTable,
    /// Where they are several.
    hosts: Option<Hosts>,
    /// The ways to other hosts, for each place of a group on several hosts.
    ways: Vec<Option<Box<Ways>>>,
    /// The places of groups on several hosts, one bit for each.
    spanning: u64,
    /// The wants of this rank, as its own word has them.
    wants: u64,
}

impl Board {
    pub(super) fn new(rank: Rank, size: usize) -> Board {
        Board {
            layout: Layout::new(size),
            hosts: None,
            ways: vec![None; PLACES],
            spanning: 0,
            rank,
            places: PlaceTable::new(PLACES),
            wants: 0,
        }
    }

    /// Takes a place for a group that starts after `first`. All members agree that it is free.
    pub(super) fn join(
        &mut self,
        words: &impl Words,
        place: usize,
        group: GroupId,
        members: &[Rank],
        first: Epoch,
    ) {
        let ways = self.ways(members);
        self.places.join(place, group, members);
        // A rank that sees the tag must not see what was published for the group before.
        words.publish(self.layout.epoch(place, self.rank), first);
        words.publish(self.layout.completed(place, self.rank), first);
        for round in 0..ways.as_ref().map_or(0, |ways| ways.topology.rounds()) {
            words.publish(self.layout.has_told(place, round, self.rank), first);
        }
        words.store(self.layout.tag(place, self.rank), tag_of(group));
        if ways.is_some() {
            self.ways[place] = ways;
            self.join_on_hosts(words, place);
        }
    }

    /// The program has dropped a group.
    pub(super) fn handle_drop(&mut self, group: GroupId) {
        self.places.handle_drop(group);
    }

    /// Whether dropped groups may have become complete.
    #[inline]
    pub(super) fn has_dropped(&self) -> bool {
        self.places.has_dropped()
    }

    /// Says of each dropped group that `is_done` that this rank is done with it.
    pub(super) fn retire(&mut self, words: &impl Words, is_done: impl Fn(GroupId) -> bool) {
        let Board { layout, rank, places, ways, spanning, .. } = self;
        let (layout, rank) = (*layout, *rank);
        places.retire(is_done, |at, place, is_first| {
            let of = Placed { layout, rank, at, place };
            if is_first {
                words.store(layout.tag(at, rank), of.tag());
            }
            let Some(way) = &mut ways[at] else { return true };
            if is_first {
                way.tell_tag(words, of);
            }
            let is_settled = way.is_settled(words, of);
            if is_settled {
                ways[at] = None;
                *spanning &= !(1 << at);
            }
            is_settled
        });
    }

    /// The places that are free at this rank, one bit for each. Those of others may be fewer.
    ///
    /// If another member had not made the last group yet when this rank dropped it, the place may
    /// be free at first and then not. That member has missed nothing: no barrier of the group was called
    /// here, and nothing deposited for a member that had not made it.
    pub(super) fn free(&self, words: &impl Load) -> u64 {
        self.places.free(|at, place| {
            let Some(group) = place.group() else { return true };
            let in_use = |&rank: &Rank| {
                let tag = words.load(self.layout.tag(at, rank));
                // That of a rank on another host may not have come yet, though it has entered
                // barriers.
                tag == tag_of(group) || tag < tag_of(group) && self.is_far(rank)
            };
            !place.members().iter().any(in_use)
        })
    }

    /// Whether this rank is done with the last group of a place, or has had none there.
    pub(super) fn may_join(&self, at: usize) -> bool {
        self.places.may_join(at)
    }

    /// Publishes that this rank has entered `epoch`. False if it is sure that nobody sleeps without
    /// seeing it.
    #[inline]
    pub(super) fn publish(&self, words: &impl Words, place: usize, epoch: Epoch) -> bool {
        if self.spanning != 0 && self.spans_hosts(place) {
            return self.publish_on_hosts(words, place, epoch);
        }
        words.publish(self.layout.epoch(place, self.rank), epoch)
    }

    /// Says to the members of the group at a place that all have entered `epoch`, if they are more
    /// than two. Of a group on several hosts, it says so to the members on this host.
    pub(super) fn publish_completed(&self, words: &impl Words, place: usize, epoch: Epoch) {
        // Of two, the other has just seen all that there is.
        if self.places.at(place).members().len() > 2
            && let Some(first) = self.first_near(place)
        {
            words.store(self.layout.completed(place, first), epoch);
        }
    }

    /// The epoch in a word of a rank's place; None if that does not count for the group.
    #[inline(always)]
    pub(super) fn read(&self, words: &impl Load, word: Word) -> Option<Epoch> {
        let Word { place, group, rank, cell, known } = word;
        // Its words stay the group's until this rank is done with it.
        let is_its = known || words.load(self.layout.tag(place, rank)) & !DONE == tag_of(group);
        is_its.then(|| words.load(self.layout.of(place, rank, cell)))
    }

    /// Whether all members have entered `epoch` of the group at a place.
    pub(super) fn has_reached(&self, words: &impl Load, place: usize, epoch: Epoch) -> bool {
        let of = self.places.at(place);
        let Some(group) = of.group() else { return false };
        let says = |rank, cell| {
            let word = Word { place, group, rank, cell, known: false };
            self.read(words, word).is_some_and(|said| said >= epoch)
        };
        if self.spans_hosts(place) {
            return self.first_near(place).is_some_and(|first| says(first, Cell::Complete));
        }
        of.members().iter().all(|&rank| says(rank, Cell::Entered))
    }

    /// Says for which barriers this rank is about to sleep.
    pub(super) fn want(&mut self, words: &impl Words, want: Want) {
        let wants = want.encode();
        if self.wants != wants {
            self.wants = wants;
            words.store(self.layout.wants(self.rank), wants);
        }
    }

    /// Whether the barrier that this rank wants is complete already.
    pub(super) fn has_wanted(
        &self,
        words: &impl Load,
        want: Want,
        mut awaited: impl Iterator<Item = Awaited>,
    ) -> bool {
        match want {
            Want::Nothing => false,
            Want::Epoch { place, epoch } => self.has_reached(words, place, epoch),
            Want::Any => {
                awaited.any(|group| self.has_reached(words, group.place, group.complete + 1))
            }
        }
    }

    /// The members that want to be woken when `epoch` has completed at `place`.
    pub(super) fn wanting<W: Load>(
        &self,
        words: &W,
        place: usize,
        epoch: Epoch,
    ) -> impl Iterator<Item = Rank> {
        let Board { layout, rank: own, .. } = *self;
        let members = self.places.at(place).members().iter().copied();
        members.filter(move |&rank| {
            rank != own && is_wanted(words.load(layout.wants(rank)), place, epoch)
        })
    }
}

// They use more places than a model has.
#[cfg(all(test, not(loom)))]
mod spanning;
#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod models;
