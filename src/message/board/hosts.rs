//! The board where the ranks are on more hosts than each should tell whenever it enters.
//!
//! There epochs and sums go to the hosts of the group's members alone. A group on few hosts is as everywhere. One on many,
//! a *spread* group, has at its place a [`Relay`] at each member: epochs stay on their host, and whoever of its members
//! looks tells other hosts what all of them have entered. What it tells stands in *cells*: words in the copy of the host
//! told, one for each writer, round and port. What it has told stands besides in words that its own host sees.
//!
//! Which group is spread all members know alike, from their hosts and from the number that the network states
//! ([`crate::verbs::Nic::most_copies`]). Only the first places have cells.
//!
//! A cell counts under the tag of its writer, as an epoch does: the writer stores what it starts from into each of its
//! cells that anybody will read for the group, and then the tag; both come to a host in this order. So who sees the tag
//! sees nothing of a group before. Nobody reads a cell for a group before any more when it is stored anew: its writer has seen
//! by then that all members of that group are done, and who is done reads and tells nothing of it. (That all that its host
//! owed was told before it was done, see [`Relay`].) Cells that the new group does not read keep what they say
//! until a group reads them, which begins as this one did.
//!
//! Keeps rules BAR-1, BAR-4, END-1 and SAFE-1 of SEMANTICS.md.

use super::layout::CELL_PLACES;
use super::{Board, DONE, Layout, Load, Words, tag_of};
use crate::order::relay::{PORTS, Relay, Said};
use crate::order::{Epoch, GroupId, Rank};

/// On which host each rank is, and on how many hosts a group may be without being spread.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    host_of: Vec<u32>,
    most: usize,
}

/// What is particular to a place.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// A rank on each other host of the group.
    others: Vec<Rank>,
    /// If the group is spread.
    relay: Option<Relay>,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Relayed {
    /// How often other hosts were told something.
    pub(in crate::message) told: u64,
    /// An epoch that all members have entered, if that is news here and nobody nearby has said so.
    pub(in crate::message) complete: Option<Epoch>,
    /// What was passed on, where this rank answers for its host.
    pub(in crate::message) passed_on: Option<Epoch>,
}

impl Hosts {
    /// The relay of these members at one of them.
    fn relay(&self, members: &[Rank], own: Rank, first: Epoch) -> Relay {
        let host_of: Vec<u32> = members.iter().map(|&rank| self.host_of[rank]).collect();
        let own = members.iter().position(|&rank| rank == own).unwrap_or(0);
        Relay::new(own, &host_of, PORTS, first)
    }
}

impl Board {
    /// The board where `host_of` is the host of each rank, these are more than `most`, and groups on more than `most` are
    /// spread.
    pub(in crate::message) fn on_hosts(rank: Rank, host_of: Vec<u32>, most: usize) -> Board {
        let (size, hosts) = (host_of.len(), count(&host_of));
        let hosted = Hosts { host_of, most };
        let layout = Layout::with_cells(size, hosts);
        Board { layout, hosts: Some(hosted), ..Board::new(rank, size) }
    }

    /// Of the `free` places those that a group of these members should take, one bit for each. All members find the same.
    pub(in crate::message) fn preferred(&self, members: &[Rank], free: u64) -> u64 {
        let without = free & !((1 << CELL_PLACES) - 1);
        // Those with cells are few, and others need them.
        if self.hosts.is_some() && !self.is_spread(members) && without != 0 {
            without
        } else {
            free
        }
    }

    /// Whether a group of these members can have this place.
    pub(in crate::message) fn fits(&self, members: &[Rank], place: usize) -> bool {
        place < CELL_PLACES || !self.is_spread(members)
    }

    fn is_spread(&self, members: &[Rank]) -> bool {
        self.hosts.as_ref().is_some_and(|hosts| {
            // Who does not exist is for others to refuse.
            let host_of = |&rank: &Rank| hosts.host_of.get(rank).copied();
            let mut of: Vec<u32> = members.iter().filter_map(host_of).collect();
            of.sort_unstable();
            of.dedup();
            of.len() > hosts.most
        })
    }

    /// As the end of [`join`](Board::join), where hosts are many.
    pub(super) fn join_on_hosts(
        &mut self,
        words: &impl Words,
        (place, group, first): (usize, GroupId, Epoch),
    ) {
        let Some(hosts) = &self.hosts else { return };
        let (layout, rank, members) = (self.layout, self.rank, &self.places[place].members);
        let relay = hosts.relay(members, rank, first);
        let others: Vec<Rank> = relay.others().map(|at| members[at]).collect();
        let spread = self.is_spread(members) && place < CELL_PLACES;
        words.store_nearby(layout.epoch(place, rank), first);
        if spread {
            for round in 0..relay.rounds() {
                words.store_nearby(layout.passed(place, round, rank), first);
                for (port, at) in relay.targets(round) {
                    words.store_at(members[at], layout.cell(place, round, port, rank), first);
                }
            }
        } else {
            for &other in &others {
                words.store_at(other, layout.epoch(place, rank), first);
            }
        }
        if members.first() == Some(&rank) {
            words.store_nearby(layout.sum(place, rank), first);
            for &other in &others {
                words.store_at(other, layout.sum(place, rank), first);
            }
        }
        // After all of it, in each copy.
        words.store(layout.tag(place, rank), tag_of(group));
        self.relayed |= u64::from(spread) << place;
        let relay = spread.then_some(relay);
        self.places[place].ways = Some(Box::new(Ways { others, relay }));
    }

    /// As [`publish`](Board::publish), where hosts are many.
    #[cold]
    pub(super) fn publish_on_hosts(&self, words: &impl Words, place: usize, epoch: Epoch) -> bool {
        let word = self.layout.epoch(place, self.rank);
        // With a fence: of those of one host that enter at the same time, one must see the others.
        words.store_nearby(word, epoch);
        if let Some(Ways { others, relay: None }) = self.places[place].ways.as_deref() {
            for &other in others {
                words.store_at(other, word, epoch);
            }
        }
        true
    }

    /// The relay at a place, if the group there is spread.
    #[inline]
    pub(super) fn relay_at(&self, place: usize) -> Option<&Relay> {
        if self.relayed == 0 {
            return None;
        }
        self.places.get(place)?.ways.as_ref()?.relay.as_ref()
    }

    /// This rank is done with the group at a place.
    pub(super) fn end_relay(&mut self, place: usize) {
        self.relayed &= !(1 << place);
        self.places[place].ways = None;
    }

    /// Whether there is a spread group at this place.
    #[inline]
    pub(in crate::message) fn relays_at(&self, place: usize) -> bool {
        self.relayed >> place & 1 == 1
    }

    /// The spread groups, and their places.
    #[inline]
    pub(in crate::message) fn relayed(&self) -> impl Iterator<Item = (usize, GroupId)> {
        let relayed = self.relayed;
        let places = (0..CELL_PLACES).filter(move |place| relayed >> place & 1 == 1);
        places.filter_map(|place| Some((place, self.places[place].last?)))
    }

    /// Whether there are any.
    #[inline(always)]
    pub(in crate::message) fn has_relayed(&self) -> bool {
        self.relayed != 0
    }

    /// Whether a member of the group at a place is on another host, and the group is spread: nothing is seen of it here.
    pub(in crate::message) fn is_out_of_sight(&self, place: usize, rank: Rank) -> bool {
        self.relay_at(place).is_some() && self.is_far(rank)
    }

    pub(super) fn is_far(&self, rank: Rank) -> bool {
        let host = |of: &Hosts, rank: Rank| of.host_of.get(rank).copied();
        self.hosts.as_ref().is_some_and(|hosts| host(hosts, rank) != host(hosts, self.rank))
    }

    /// Looks what the members of the spread group at a place have said, and tells other hosts what they lack.
    ///
    /// # Errors
    ///
    /// Who has said more than `limit`, and what.
    pub(in crate::message) fn relay(
        &mut self,
        words: &impl Words,
        place: usize,
        limit: Epoch,
    ) -> Result<Option<Relayed>, (Rank, Epoch)> {
        let (layout, own) = (self.layout, self.rank);
        let taken = &mut self.places[place];
        let (members, Some(group)) = (&taken.members, taken.last) else { return Ok(None) };
        let Some(relay) = taken.ways.as_mut().and_then(|ways| ways.relay.as_mut()) else {
            return Ok(None);
        };
        let load =
            |at: Rank, said, known| read(words, layout, (place, group), members[at], said, known);
        let (before, mut told) = (relay.complete(), 0);
        loop {
            if let Err(wrong) = relay.look(limit, load) {
                return Err((members[wrong.member], wrong.epoch));
            }
            let Some(due) = relay.poll_due() else { break };
            let mut are_on_their_way = true;
            for (port, at) in relay.targets(due.round) {
                let cell = layout.cell(place, due.round, port, own);
                are_on_their_way &= words.store_at(members[at], cell, due.epoch);
            }
            told += 1;
            relay.handle_told(due);
            // Else others tell it too: this rank's words may be late.
            if are_on_their_way {
                words.store_nearby(layout.passed(place, due.round, own), due.epoch);
            }
        }
        let (complete, passed_on) = (relay.complete(), relay.answers().then(|| relay.passed_on()));
        let is_said = || {
            members.first().is_some_and(|&first| words.load(layout.sum(place, first)) >= complete)
        };
        let complete = (complete > before && !is_said()).then_some(complete);
        Ok(Some(Relayed { told, complete, passed_on }))
    }

    /// Whether [`relay`](Board::relay) would find nothing at a place.
    pub(in crate::message) fn is_relay_quiet(&self, words: &impl Load, place: usize) -> bool {
        let taken = &self.places[place];
        let (Some(relay), Some(group)) = (self.relay_at(place), taken.last) else { return true };
        relay.is_quiet(|at, said, known| {
            read(words, self.layout, (place, group), taken.members[at], said, known)
        })
    }
}

/// How many hosts these are, which are counted from 0 on.
fn count(host_of: &[u32]) -> usize {
    host_of.iter().max().map_or(0, |&last| last as usize + 1)
}

/// A word of a member, if it counts for the group.
fn read(
    words: &impl Load,
    layout: Layout,
    (place, group): (usize, GroupId),
    rank: Rank,
    said: Said,
    known: bool,
) -> Option<Epoch> {
    let is_its = known || words.load(layout.tag(place, rank)) & !DONE == tag_of(group);
    is_its.then(|| {
        words.load(match said {
            Said::Entered => layout.epoch(place, rank),
            Said::Told { round, port } => layout.cell(place, round, port, rank),
            Said::Passed { round } => layout.passed(place, round, rank),
        })
    })
}
