//! The flat board: where all ranks see the same memory, each publishes the latest epoch that it has
//! entered, and all look at it (hoefler-2005 §2.2.1.1 is the central counter that it replaces).
//! Entering is a store; nobody forwards anything.
//!
//! Here are the layout of the shared words, whose place is whose, and who wakes whom, over anything
//! that can load and store words. What an epoch means is [`crate::order`]'s, sleeping the provider's.
//!
//! # Layout
//!
//! The board has a number of *places*, each for one group at a time; the first is the world's. Groups
//! that share no rank may be at the same place, since every word belongs to one rank of the world:
//!
//! - for each place and rank a *tag*: the group for which the epoch beside it counts, and whether that
//!   rank is done with it. Ids of groups are never used again, so no tag is;
//! - for each place and rank an *epoch*: the latest that it has entered;
//! - for each place and rank a *sum*: if that rank is the first member of a group there, an epoch that
//!   all its members have entered. Whoever is the last to enter says so there, and the others need not
//!   look at all epochs. It counts under the same tag as the epoch of that rank;
//! - for each rank what it *wants*: what it sleeps for, on a line of its own.
//!
//! A rank stores first the epoch and the sum and then the tag when it joins, and whoever reads a tag that is not
//! its group's takes it that the rank has entered nothing. A place is free at a rank which has never
//! used it, or which is done with its last group there, if each member of that group is so too or has
//! gone on to another. So nobody writes what others may still have to read; and whoever has a sum to
//! write for a group is not done with it. What a rank that has died published stays. Sums of two epochs
//! may be stored in the wrong order: the older one is as true, and nobody waits for a sum.
//!
//! # No wake-up is lost
//!
//! Whoever enters (1) stores its epoch, (2) passes a fence, (3) looks at the epochs of all, and (4) if
//! all have entered what it had not entered before, rings those members whose wants name it. Whoever
//! is to sleep (1) stores what it wants, (2) passes a fence, (3) looks at the epochs of all, and sleeps
//! if some are missing. Fences have one order. Take the member whose fence comes last of those that
//! enter an epoch: it sees the epochs of all others, so it looks at the wants of all. If the fence of a
//! sleeper comes before that, its wants are seen there and it is rung; if after, the sleeper sees the
//! epochs of all and does not sleep. A ring that comes between the look and the sleep is the provider's
//! care ([`Nic::wait_unless`]). So the last to enter wakes all who sleep for it, and nobody else wakes
//! anybody. The models below check it.
//!
//! As long as nobody sleeps or is about to, a provider may leave the fences out ([`Nic::store_shared`]). Then it
//! may be that none of those that enter at the same time sees that all have: there is no (4) and no sum, and each
//! finds it when it looks again. Whoever goes to sleep later passes a fence, and finds it in (3).
//!
//! # Several hosts
//!
//! Where the ranks are on several hosts, each host has a copy of the board ([`Nic::shared_words`]). A rank stores its
//! tags and epochs into all copies, in the same order into each, so what is said above of who has entered, and of whose
//! place is free, holds in each copy, if later than at home. Nobody forwards: a barrier waits for no rank but those that
//! have not entered. What concerns one host alone stays in its copy: wants, and sums, which are true at once where they
//! are seen. A sum is written over by the first member when it joins the next group, and in each copy that comes after
//! all sums of the group before: whoever has stored one there has said, in all copies, that it is done, before the
//! first member could see it and join.
//!
//! The last to enter may then be another at each host, and there may be none: two that enter at the same time at
//! different hosts need not see each other. Then nobody is woken, and who sleeps looks again when its sleep is over,
//! within the time that the provider states.
//!
//! # Many hosts
//!
//! Where the ranks are on more hosts than each should store its words at, epochs and sums go to the hosts of the group's members
//! alone, and those of a group on as many stay at home: its hosts tell each other. [`hosts`] has words for that, and says why
//! places are used again no earlier there. Tags go to all copies as ever, each after all that it says something of; what this
//! text says of places and sums rests on tags alone.
//!
//! There a barrier waits for some member of each host that looks. Nobody who enters need be the one that finds a barrier
//! complete: whoever finds it first on its host stores the sum there, and wakes those who want it, as the last to enter does
//! elsewhere. It passes a fence in between, as they do between their wants and their look at the sum, so no wake-up is lost
//! within a host.
//!
//! Keeps rules BAR-1, BAR-4 and SAFE-1 of SEMANTICS.md.

mod hosts;
mod layout;

pub(super) use hosts::Relayed;
use hosts::{Hosts, Ways};
pub(super) use layout::{CELL_PLACES, Layout, PLACES};

use crate::order::core::board::{Awaited, Word};
use crate::order::{Epoch, GroupId, Rank};
use crate::verbs::Nic;

/// Words that all ranks can load, as [`Nic::load_shared`] does.
pub(super) trait Load {
    fn load(&self, word: usize) -> u64;
}

/// Those that they can also store, as [`Nic::store_shared`] does.
pub(super) trait Words: Load {
    /// Stores the word and passes a fence, where anybody may sleep.
    fn store(&self, word: usize, value: u64);
    /// As `store`, for a word that only ranks on this one's host need to see.
    fn store_nearby(&self, word: usize, value: u64) {
        self.store(word, value);
    }
    /// As `store_nearby`, for one that only ranks on the host of `peer` need to see. False if it comes there later than usual.
    fn store_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        let _ = peer;
        self.store(word, value);
        true
    }
    /// As `store`. False if it is sure that nobody sleeps without seeing the word.
    fn publish(&self, word: usize, value: u64) -> bool {
        self.store(word, value);
        true
    }
}

impl<N: Nic> Load for N {
    fn load(&self, word: usize) -> u64 {
        self.load_shared(word)
    }
}

/// What is shown of them to who asks whether a sleep may begin ([`Nic::wait_unless`]).
impl Load for &dyn Fn(usize) -> u64 {
    fn load(&self, word: usize) -> u64 {
        self(word)
    }
}

impl<N: Nic> Words for N {
    fn store(&self, word: usize, value: u64) {
        self.store_shared(word, value);
    }

    fn store_nearby(&self, word: usize, value: u64) {
        self.store_shared_nearby(word, value);
    }

    fn store_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        self.store_shared_at(peer, word, value)
    }

    fn publish(&self, word: usize, value: u64) -> bool {
        self.publish_shared(word, value)
    }
}

/// The place of the world, also where that has found another algorithm.
pub(super) const WORLD_PLACE: usize = 0;

/// What a rank sleeps for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
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

/// What a rank knows of one place.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The group that it was used for last, and its members.
    last: Option<GroupId>,
    members: Vec<Rank>,
    state: State,
    /// Where hosts are many.
    ways: Option<Box<Ways>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The group exists.
    Used,
    /// It was dropped, and barriers may be open.
    Dropped,
    /// This rank is done with it.
    #[default]
    Done,
}

/// The board as one rank sees it.
#[derive(Debug)]
pub(super) struct Board {
    layout: Layout,
    rank: Rank,
    places: Vec<Place>,
    /// Where they are many.
    hosts: Option<Hosts>,
    /// The places of spread groups, one bit for each.
    relayed: u64,
    /// How many places are those of dropped groups.
    dropped: usize,
    /// What the own word says that this rank wants.
    wants: u64,
}

impl Board {
    pub(super) fn new(rank: Rank, size: usize) -> Board {
        Board {
            layout: Layout::new(size),
            hosts: None,
            relayed: 0,
            rank,
            places: vec![Place::default(); PLACES],
            dropped: 0,
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
        let taken = &mut self.places[place];
        taken.last = Some(group);
        taken.members.clear();
        taken.members.extend_from_slice(members);
        taken.state = State::Used;
        if self.hosts.is_some() {
            self.join_on_hosts(words, (place, group, first));
            return;
        }
        // Whoever sees the tag must not see what was published for the group before, also where all words are written to
        // another host again: what is published goes before what is stored then.
        words.publish(self.layout.epoch(place, self.rank), first);
        words.publish(self.layout.sum(place, self.rank), first);
        words.store(self.layout.tag(place, self.rank), tag_of(group));
    }

    /// The program has dropped a group.
    pub(super) fn handle_drop(&mut self, group: GroupId) {
        let used = |place: &&mut Place| place.last == Some(group) && place.state == State::Used;
        if let Some(place) = self.places.iter_mut().find(used) {
            place.state = State::Dropped;
            self.dropped += 1;
        }
    }

    /// Whether dropped groups may have become complete.
    #[inline]
    pub(super) fn has_dropped(&self) -> bool {
        self.dropped > 0
    }

    /// Says of each dropped group that `is_done` that this rank is done with it.
    pub(super) fn retire(&mut self, words: &impl Words, is_done: impl Fn(GroupId) -> bool) {
        let mut ended = 0_u64;
        for (at, place) in self.places.iter_mut().enumerate() {
            if let (State::Dropped, Some(group)) = (place.state, place.last)
                && is_done(group)
            {
                place.state = State::Done;
                ended |= 1 << at;
                self.dropped -= 1;
                words.store(self.layout.tag(at, self.rank), tag_of(group) | DONE);
            }
        }
        if self.hosts.is_some() {
            (0..PLACES).filter(|at| ended >> at & 1 == 1).for_each(|at| self.end_relay(at));
        }
    }

    /// The places that are free at this rank, one bit for each. Those of others may be fewer.
    pub(super) fn free(&self, words: &impl Load) -> u64 {
        (0..PLACES).filter(|&at| self.is_free(words, at)).fold(0, |free, at| free | 1 << at)
    }

    /// Whether this place is free at this rank. If another member had not made the last group yet when
    /// this rank dropped it, it may be so at first and then not: that member has missed nothing, since
    /// no barrier of the group was called here.
    fn is_free(&self, words: &impl Load, at: usize) -> bool {
        let Some(group) = self.places[at].last else { return self.may_join(at) };
        let in_use = |&rank: &Rank| words.load(self.layout.tag(at, rank)) == tag_of(group);
        self.may_join(at) && !self.places[at].members.iter().any(in_use)
    }

    /// Whether this rank is done with the last group of a place, or has had none there.
    pub(super) fn may_join(&self, at: usize) -> bool {
        at != WORLD_PLACE && self.places.get(at).is_some_and(|place| place.state == State::Done)
    }

    /// Publishes that this rank has entered `epoch`. False if it is sure that nobody sleeps without seeing it.
    #[inline]
    pub(super) fn publish(&self, words: &impl Words, place: usize, epoch: Epoch) -> bool {
        if self.hosts.is_some() {
            return self.publish_on_hosts(words, place, epoch);
        }
        words.publish(self.layout.epoch(place, self.rank), epoch)
    }

    /// Says to all members of the group at a place, if they are more than two, that all have entered
    /// `epoch`.
    pub(super) fn publish_sum(&self, words: &impl Words, place: usize, epoch: Epoch) {
        // Of two, the other has just seen all that there is.
        if let [first, _, _, ..] = self.places[place].members[..] {
            words.store_nearby(self.layout.sum(place, first), epoch);
        }
    }

    /// What a rank has published for a group; None if nothing.
    #[inline]
    pub(super) fn read(&self, words: &impl Load, word: Word) -> Option<Epoch> {
        // Of who is out of sight it is known what all have entered.
        if let Some(relay) = self.relay_at(word.place)
            && self.is_far(word.rank)
        {
            return Some(relay.complete());
        }
        self.read_at(words, word, self.layout.epoch(word.place, word.rank))
    }

    /// What somebody has published for all members of a group, in the place of the first of them; None if
    /// nothing.
    #[inline]
    pub(super) fn read_sum(&self, words: &impl Load, first: Word) -> Option<Epoch> {
        let said = self.read_at(words, first, self.layout.sum(first.place, first.rank));
        match self.relay_at(first.place) {
            Some(relay) => said.max(Some(relay.complete())),
            None => said,
        }
    }

    /// Reads a word of a rank's place, if it counts for the group.
    #[inline]
    fn read_at(&self, words: &impl Load, word: Word, at: usize) -> Option<Epoch> {
        let Word { place, group, rank, known } = word;
        // Its word stays the group's until this rank is done with it.
        let is_its = known || words.load(self.layout.tag(place, rank)) & !DONE == tag_of(group);
        is_its.then(|| words.load(at))
    }

    /// Whether all members have entered `epoch` of the group at a place.
    pub(super) fn has_reached(&self, words: &impl Load, place: usize, epoch: Epoch) -> bool {
        let Place { last: Some(group), members, .. } = &self.places[place] else { return false };
        let word = |&rank| Word { place, group: *group, rank, known: false };
        if self.relays_at(place) {
            let said = members.first().and_then(|first| self.read_sum(words, word(first)));
            return said.is_some_and(|said| said >= epoch);
        }
        members.iter().all(|rank| self.read(words, word(rank)).is_some_and(|has| has >= epoch))
    }

    /// Says what this rank is about to sleep for.
    pub(super) fn want(&mut self, words: &impl Words, want: Want) {
        let wants = want.encode();
        if self.wants != wants {
            self.wants = wants;
            words.store_nearby(self.layout.wants(self.rank), wants);
        }
    }

    /// Whether what this rank wants is there already.
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
        let members = self.places[place].members.iter().copied();
        members.filter(move |&rank| {
            rank != self.rank && is_wanted(words.load(self.layout.wants(rank)), place, epoch)
        })
    }
}

// They use more places than a model has.
#[cfg(all(test, not(loom)))]
mod copies;
#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod models;
