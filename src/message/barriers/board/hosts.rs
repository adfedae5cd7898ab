//! The board of a group whose members are on several hosts: what a rank writes for its host, where,
//! and what it reads of others.
//!
//! Keeps rules BAR-1, BAR-4, END-1 and SAFE-1 of SEMANTICS.md.
//!
//! Ranks of one host share words, and a host's ranks see none of another's. A member stores its
//! epoch and what else concerns its host there, as everywhere. When all members of a host have
//! entered, one of them writes that into the words of other hosts; [`crate::order::hosts`] says
//! when, and to which. It writes where its own epoch would stand if it were on that host. So a word
//! has one writer on each host. A barrier over hosts that tell each other in several rounds has one
//! more row of words for each further round.
//!
//! # Correctness
//!
//! A word counts under the tag of its writer, as an epoch does. A member that joins writes what it
//! starts from and then its tag to each other host of the group, in this order ([`super::paths`]).
//! So a reader that sees the tag sees nothing of a group before. No reader still needs those words
//! for a group before. A place is free at a rank only if it has seen that each member of the last
//! group is done, and if all that the rank itself wrote for that group has come.
//!
//! A far member's tag may come after a barrier that it has entered, since another member of its
//! host has told that. So a far member counts as done only if its tag says so, or is of a later
//! group: ids only grow.
//!
//! Of members of one host that enter at the same time, one must see all words. Otherwise no member
//! would tell the other hosts while all compute. So each passes a full fence between its store and
//! its look (store buffering; the litmus test is in `models`). A group on one host does without it.

use std::iter;

use super::paths::Path;
use super::{Board, DONE, Layout, Load, Words, tag_of};
use crate::message::barriers::places::Place;
use crate::order::core::board::Word;
use crate::order::hosts::{Cell, Topology};
use crate::order::{Epoch, GroupId, Rank};
use crate::sys::atomic::{Ordering, fence};

/// On which host each rank is, and how many hosts a host tells in a round where they are so many.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    pub(super) host_of: Vec<u32>,
    pub(super) ports: fn(usize) -> usize,
}

/// What is particular to the place of a group on several hosts.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    pub(super) topology: Topology,
    /// To each host of the group; None to the own.
    paths: Vec<Option<Path>>,
}

/// A place, and where this rank's words of it lie.
#[derive(Clone, Copy)]
pub(super) struct Placed<'b> {
    pub(super) layout: Layout,
    pub(super) rank: Rank,
    pub(super) at: usize,
    pub(super) place: &'b Place,
}

impl Placed<'_> {
    /// What this rank's tag there says.
    pub(super) fn tag(self) -> u64 {
        let done = if self.place.is_done() { DONE } else { 0 };
        self.place.group().map_or(0, tag_of) | done
    }
}

/// What a rank has written for a group to one other host.
struct Stored<'b, W> {
    words: &'b W,
    of: Placed<'b>,
    topology: &'b Topology,
    host: usize,
    /// The round and the epoch that it is about to write.
    write: Option<(usize, Epoch)>,
}

impl<W: Load> Stored<'_, W> {
    /// All of it, the tag last. A host has told what its members say that they have told.
    fn all(&self) -> impl Iterator<Item = (usize, u64)> {
        let Stored { of, topology, host, write, .. } = *self;
        let Placed { layout, rank, at, .. } = of;
        let is_told = move |&round: &usize| topology.targets(round).contains(&host);
        let cells = (0..topology.rounds()).filter(is_told).map(move |round| {
            let new = write.filter(|write| write.0 == round).map_or(0, |write| write.1);
            (layout.cell(at, round, rank), self.told(round).max(new))
        });
        cells.chain(iter::once((layout.tag(at, rank), of.tag())))
    }

    fn told(&self, round: usize) -> Epoch {
        let Stored { words, of, topology, .. } = *self;
        let Placed { layout, at, place, .. } = of;
        let near = topology.near().iter().map(|&member| place.members()[member]);
        let is_its = |&rank: &Rank| words.load(layout.tag(at, rank)) & !DONE == of.tag() & !DONE;
        let told = near.filter(is_its).map(|rank| words.load(layout.has_told(at, round, rank)));
        told.max().unwrap_or(0)
    }
}

impl Ways {
    /// Calls `act` with each path, and with what this rank has written by it.
    fn each<W: Words>(
        &mut self,
        words: &W,
        of: Placed<'_>,
        mut act: impl FnMut(&mut Path, &Stored<'_, W>),
    ) {
        let Ways { topology, paths } = self;
        for (host, path) in paths.iter_mut().enumerate() {
            if let Some(path) = path {
                act(path, &Stored { words, of, topology, host, write: None });
            }
        }
    }

    /// Writes this rank's tag to the other hosts of the group.
    pub(super) fn tell_tag(&mut self, words: &impl Words, of: Placed<'_>) {
        let tag = (of.layout.tag(of.at, of.rank), of.tag());
        self.each(words, of, |path, stored| {
            path.write(words, tag, || stored.all());
        });
    }

    /// Whether all that this rank has written to other hosts has come. What is lost is written
    /// again.
    pub(super) fn is_settled(&mut self, words: &impl Words, of: Placed<'_>) -> bool {
        let mut is_settled = true;
        self.each(words, of, |path, stored| {
            is_settled &= path.is_settled(words, || stored.all());
        });
        is_settled
    }
}

impl Board {
    /// The board where `host_of` is the host of each rank. In a group on `hosts` hosts each tells
    /// `ports(hosts)` in a round.
    pub(in crate::message::barriers) fn on_hosts(
        rank: Rank,
        host_of: Vec<u32>,
        ports: fn(usize) -> usize,
    ) -> Board {
        let (size, count) = (host_of.len(), count(&host_of));
        let layout = Layout::on_hosts(size, count, ports(count));
        Board { layout, hosts: Some(Hosts { host_of, ports }), ..Board::new(rank, size) }
    }

    /// On which hosts the members of a group are, if these are several.
    pub(in crate::message::barriers) fn topology(&self, members: &[Rank]) -> Option<Topology> {
        let hosts = self.hosts.as_ref()?;
        let host_of: Vec<u32> = members.iter().map(|&rank| hosts.host_of[rank]).collect();
        let mut distinct = host_of.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let own = members.iter().position(|&rank| rank == self.rank).unwrap_or(0);
        let ports = (hosts.ports)(distinct.len());
        (distinct.len() > 1).then(|| Topology::new(own, &host_of, ports))
    }

    /// What a group of these members has at its place, if they are on several hosts.
    pub(super) fn ways(&self, members: &[Rank]) -> Option<Box<Ways>> {
        let topology = self.topology(members)?;
        let path = |(host, all): (usize, &Vec<Rank>)| {
            let ranks = all.iter().map(|&at| members[at]).collect();
            (host != topology.own()).then(|| Path::new(self.rank, ranks))
        };
        let paths = topology.hosts().iter().enumerate().map(path).collect();
        Some(Box::new(Ways { topology, paths }))
    }

    /// Writes what this rank starts from at a place, and its tag, to the other hosts of the group.
    pub(super) fn join_on_hosts(&mut self, words: &impl Words, place: usize) {
        self.spanning |= u64::from(self.ways[place].is_some()) << place;
        self.each_path(words, place, |path, stored| {
            for word in stored.all() {
                path.write(words, word, || stored.all());
            }
        });
    }

    /// Calls `act` with each path of the group at a place, if that is on several hosts, and with
    /// what this rank has written by it.
    fn each_path<W: Words>(
        &mut self,
        words: &W,
        at: usize,
        act: impl FnMut(&mut Path, &Stored<'_, W>),
    ) {
        let Board { layout, rank, places, ways, .. } = self;
        if let Some(ways) = &mut ways[at] {
            let of = Placed { layout: *layout, rank: *rank, at, place: places.at(at) };
            ways.each(words, of, act);
        }
    }

    /// As [`publish`](Board::publish), of a group on several hosts.
    #[cold]
    pub(super) fn publish_on_hosts(&self, words: &impl Words, place: usize, epoch: Epoch) -> bool {
        let may_sleep = words.publish(self.layout.epoch(place, self.rank), epoch);
        // Pairs with itself at another member of this host: of two that enter, one sees the other's
        // word.
        fence(Ordering::SeqCst);
        may_sleep
    }

    /// The member in whose word those of this host say what is complete.
    pub(super) fn first_near(&self, place: usize) -> Option<Rank> {
        let members = self.places.at(place).members();
        match &self.ways[place] {
            Some(ways) => ways.topology.near().first().map(|&at| members[at]),
            None => members.first().copied(),
        }
    }

    /// Whether there is a group on several hosts at this place.
    #[inline]
    pub(in crate::message::barriers) fn spans_hosts(&self, place: usize) -> bool {
        self.spanning >> place & 1 == 1
    }

    /// The places of groups on several hosts, one bit for each.
    #[inline(always)]
    pub(in crate::message::barriers) fn spanning(&self) -> u64 {
        self.spanning
    }

    /// Whether a rank is on another host.
    pub(in crate::message::barriers) fn is_far(&self, rank: Rank) -> bool {
        let host = |of: &Hosts, rank: Rank| of.host_of.get(rank).copied();
        self.hosts.as_ref().is_some_and(|hosts| host(hosts, rank) != host(hosts, self.rank))
    }

    /// Whether a word here says that a member of the group at a place has entered `epoch`: its own,
    /// or what its host has told.
    pub(in crate::message::barriers) fn has_entered(
        &self,
        words: &impl Load,
        (place, group): (usize, GroupId),
        rank: Rank,
        epoch: Epoch,
    ) -> bool {
        let members = self.places.at(place).members();
        let says = |rank, cell| {
            let word = Word { place, group, rank, cell, known: false };
            self.read(words, word).is_some_and(|said| said >= epoch)
        };
        match &self.ways[place] {
            Some(ways) if self.is_far(rank) => {
                let at = members.iter().position(|&it| it == rank).unwrap_or(0);
                let mut mates = ways.topology.host_mates(at).iter();
                mates.any(|&at| says(members[at], Cell::Told { round: 0 }))
            }
            _ => says(rank, Cell::Entered),
        }
    }

    /// Writes to each host that a round names what this host has reached there, and says on this
    /// host that it was told. False if that is to be tried again: others tell it meanwhile, or this
    /// rank when it looks again.
    pub(in crate::message::barriers) fn tell_hosts(
        &mut self,
        words: &impl Words,
        place: usize,
        (round, epoch): (usize, Epoch),
    ) -> bool {
        let (layout, own) = (self.layout, self.rank);
        let cell = (layout.cell(place, round, own), epoch);
        let mut is_written = true;
        self.each_path(words, place, |path, stored| {
            if stored.topology.targets(round).contains(&stored.host) {
                let stored = Stored { write: Some((round, epoch)), ..*stored };
                is_written &= path.write(words, cell, || stored.all());
            }
        });
        if is_written {
            words.store(layout.has_told(place, round, own), epoch);
        }
        is_written
    }

    /// A rank is gone: what went by way of it goes by way of others.
    pub(in crate::message::barriers) fn handle_gone(&mut self, words: &impl Words, peer: Rank) {
        for place in ones(self.spanning) {
            self.each_path(words, place, |path, stored| {
                path.handle_gone(words, peer, || stored.all())
            });
        }
    }

    /// Writes what must be written again, where that can be done now.
    pub(in crate::message::barriers) fn catch_up(&mut self, words: &impl Words) {
        for place in ones(self.spanning) {
            self.each_path(words, place, |path, stored| {
                path.catch_up(words, || stored.all());
            });
        }
    }

    /// Whether all that this rank has written to other hosts has come. What is lost is written
    /// again.
    pub(in crate::message::barriers) fn is_settled(&mut self, words: &impl Words) -> bool {
        let mut is_settled = true;
        for place in ones(self.spanning) {
            self.each_path(words, place, |path, stored| {
                is_settled &= path.is_settled(words, || stored.all());
            });
        }
        is_settled
    }
}

/// The bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    iter::from_fn(move || {
        let at = bits.trailing_zeros() as usize;
        let has_one = bits != 0;
        bits &= bits.wrapping_sub(1);
        has_one.then_some(at)
    })
}

/// How many hosts these are, which are counted from 0 on.
fn count(host_of: &[u32]) -> usize {
    host_of.iter().max().map_or(0, |&last| last as usize + 1)
}
