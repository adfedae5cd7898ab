//! The barriers of a group whose members are on several hosts. The hosts are the nodes of a
//! schedule: a host tells other hosts, in one word, what all of its members have entered.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4 and END-1 of SEMANTICS.md.
//!
//! Hosts are numbered in the order of their first members. With `n` ports and `b = n + 1`, host `i`
//! tells host `i + k * b^r`, modulo the number of hosts, in round `r` and for each `k` from 1 to
//! `n`. A step that leads once around or further is omitted, since its word is told in other ways
//! (n-way dissemination, hoefler-2005 §2.2.6.1, listing 2.8; §4.1.3). Up to [`ALL_TO_ALL`] hosts
//! there are as many ports as other hosts. Then there is one round: every host tells every other,
//! and nobody forwards.
//!
//! A host tells in each round what it has *reached*:
//!
//! - in round 0 it has reached the least of what its members have entered;
//! - in round `r + 1` it has reached the least of what it reached and told in round `r`, and of
//!   what it heard there from each port.
//!
//! All members of the group have entered what a host has reached after the last round.
//!
//! **The last member to enter tells.** It is inside a call when it does so, and all members of its
//! host see what each of them has entered. So with one round a barrier completes though every
//! member computes. Each member tells in words of its own, and a reader takes the highest word of a
//! host's members: no word has two writers. A member that has told says so *nearby*, so the others
//! need not do it again. If the last member dies before it has told, the next member to look tells.
//!
//! # Correctness
//!
//! The state is least and greatest of numbers that only grow and that are true whenever they are
//! seen. So old, repeated and late words do no harm. A member says that it has told after it has
//! told, and never before. Nothing counts as reached in a round before it was told in the round
//! before: no member completes a barrier before its host has told what others need for it. So a
//! member that leaves with all barriers complete owes nothing.
//!
//! Of several members that enter at the same time, one must see the words of all. That takes a full
//! fence between a member's own store and its look. The driver passes it.
//!
//! This module knows neither where words lie, nor other groups. Ranks here are positions in the
//! group.

use std::sync::Arc;

use super::published::Impossible;
use super::scratch::Scratch;
use super::{Epoch, Rank};

/// Up to so many hosts each tells each. A barrier takes one hop, and the last member of a host to
/// enter makes up to 63 small writes.
pub const ALL_TO_ALL: usize = 64;

/// How many hosts a host tells in one round where there are more. With 15 ports 65 to 256 hosts
/// take two rounds; each further round waits until some member of the host that was told looks.
pub const PORTS: usize = 15;

/// How many hosts each of `hosts` tells in one round.
pub const fn ports(hosts: usize) -> usize {
    match hosts {
        0..=1 => 1,
        2..=ALL_TO_ALL => hosts - 1,
        _ => PORTS,
    }
}

/// How many rounds it takes until every one of `hosts` has heard of all.
pub const fn rounds(hosts: usize, ports: usize) -> usize {
    let (mut rounds, mut known) = (0, 1_usize);
    while known < hosts {
        known = known.saturating_mul(ports + 1);
        rounds += 1;
    }
    rounds
}

/// A word of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// What it has entered; of members of the own host.
    Entered,
    /// What its host has reached in this round, as it told this one.
    Told {
        /// The round, from 0.
        round: usize,
    },
    /// What it has told other hosts in this round; of members of the own host.
    HasTold {
        /// The round, from 0.
        round: usize,
    },
    /// An epoch that all members of the group have entered, in the place of the first of the own
    /// host.
    Complete,
}

/// What is to be written for this host now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// To the hosts of this round.
    pub round: usize,
    /// What was reached there.
    pub epoch: Epoch,
}

/// The hosts of a group as one of its members sees them, and which of them a host tells and hears.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Topology {
    /// The members of each host.
    hosts: Vec<Vec<Rank>>,
    /// The number of the own host.
    own: usize,
    /// For each round, the hosts that are told and those that are heard.
    told: Vec<Vec<usize>>,
    heard: Vec<Vec<usize>>,
}

impl Topology {
    /// `host_of` says for each member on which host it is, by any number; `own` is the position of
    /// this rank among them. `ports` is the same at all members.
    pub fn new(own: Rank, host_of: &[u32], ports: usize) -> Topology {
        let (mut numbers, mut hosts): (Vec<u32>, Vec<Vec<Rank>>) = (Vec::new(), Vec::new());
        for (member, number) in host_of.iter().enumerate() {
            let at = numbers.iter().position(|known| known == number).unwrap_or_else(|| {
                numbers.push(*number);
                hosts.push(Vec::new());
                numbers.len() - 1
            });
            hosts[at].push(member);
        }
        let own = numbers.iter().position(|&number| number == host_of[own]).unwrap_or(0);
        let (count, rounds) = (hosts.len(), rounds(hosts.len(), ports));
        let steps = |round: usize| {
            let unit = (ports + 1).checked_pow(round as u32).unwrap_or(count);
            (1..=ports).map_while(move |port| unit.checked_mul(port).filter(|&step| step < count))
        };
        let told = |round| steps(round).map(|step| (own + step) % count).collect();
        let heard = |round| steps(round).map(|step| (own + count - step) % count).collect();
        let (told, heard) = ((0..rounds).map(told).collect(), (0..rounds).map(heard).collect());
        Topology { hosts, own, told, heard }
    }

    /// The number of rounds in which hosts tell each other.
    pub fn rounds(&self) -> usize {
        self.told.len()
    }

    /// The members of each host, this one among them.
    pub fn hosts(&self) -> &[Vec<Rank>] {
        &self.hosts
    }

    /// The number of the own host.
    pub fn own(&self) -> usize {
        self.own
    }

    /// The members of the own host, in their order in the group.
    pub fn near(&self) -> &[Rank] {
        &self.hosts[self.own]
    }

    /// The hosts that are told in this round.
    pub fn targets(&self, round: usize) -> &[usize] {
        &self.told[round]
    }

    /// The members of the host of `member`.
    pub fn host_mates(&self, member: Rank) -> &[Rank] {
        self.hosts.iter().find(|all| all.contains(&member)).map_or(&[], |all| all)
    }
}

/// What one member knows of what its host has reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostBarrier {
    first: Epoch,
    topology: Arc<Topology>,
    /// What was reached in each round, and last after all of them.
    reached: Vec<Epoch>,
    /// What was told in each round, by this member or by another of its host.
    told: Vec<Epoch>,
    /// The members of which a word has counted that says more than `first`: their words stay the
    /// group's.
    known: Vec<bool>,
    /// Where the next look begins: in round 0 at the member, later at the host that was lacking
    /// last.
    lacking: Scratch<Vec<usize>>,
}

impl HostBarrier {
    /// No barrier has been entered beyond `first`.
    pub fn new(topology: Topology, first: Epoch) -> HostBarrier {
        let (rounds, members) = (topology.rounds(), topology.hosts.iter().map(Vec::len).sum());
        HostBarrier {
            first,
            reached: vec![first; rounds + 1],
            told: vec![first; rounds],
            known: vec![false; members],
            lacking: Scratch(vec![0; rounds + 1]),
            topology: topology.into(),
        }
    }

    /// Which host tells which.
    #[inline]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// All members have entered this epoch and those before.
    #[inline]
    pub fn complete(&self) -> Epoch {
        self.reached[self.told.len()]
    }

    /// The others can do without this host in this epoch and those before, as far as this member
    /// knows. Only with more than one round must a host pass on what it hears.
    pub fn passed_on(&self) -> Epoch {
        self.told.iter().copied().fold(self.reached[0], Epoch::min)
    }

    /// Whether this member is the first of its host: by it the others know whether the host still
    /// passes on what it must.
    pub fn answers(&self, own: Rank) -> bool {
        self.told.len() > 1 && self.topology.near().first() == Some(&own)
    }

    /// All members have entered `epoch`, as somebody on this host has said. Then this host has told
    /// what others need for it.
    pub fn handle_complete(&mut self, epoch: Epoch) {
        self.reached.iter_mut().for_each(|reached| *reached = (*reached).max(epoch));
        self.told.iter_mut().for_each(|told| *told = (*told).max(epoch));
    }

    /// Looks at what members have said, as far as it takes to say what was reached. `load` reads a
    /// word of a member, and gets whether that member is known to have said something for this
    /// group; None if it has not. Returns whether a barrier has completed. What is then to be
    /// written ([`poll_write`](HostBarrier::poll_write)) must be, before the next look goes
    /// further.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if a member has said an epoch above `limit`.
    pub fn look(
        &mut self,
        limit: Epoch,
        mut load: impl FnMut(Rank, Cell, bool) -> Option<Epoch>,
    ) -> Result<bool, Impossible> {
        let before = self.complete();
        let topology = Arc::clone(&self.topology);
        self.look_at_own(&topology, limit, &mut load)?;
        for round in 0..self.told.len() {
            if self.told[round] < self.reached[round] {
                for &member in topology.near() {
                    let said = self.read(member, Cell::HasTold { round }, limit, &mut load)?;
                    self.told[round] = self.told[round].max(said);
                }
            }
            self.look_at_round(&topology, round, limit, &mut load)?;
        }
        Ok(self.complete() > before)
    }

    fn look_at_own(
        &mut self,
        topology: &Topology,
        limit: Epoch,
        load: &mut impl FnMut(Rank, Cell, bool) -> Option<Epoch>,
    ) -> Result<(), Impossible> {
        let near = topology.near();
        let (count, from) = (near.len(), self.lacking.0.first().copied().unwrap_or(0));
        let (mut floor, mut lacking) = (Epoch::MAX, from);
        for at in (0..count).map(|index| (from + index) % count) {
            let said = self.read(near[at], Cell::Entered, limit, load)?;
            if said < floor {
                (floor, lacking) = (said, at);
            }
            if floor <= self.reached[0] {
                break;
            }
        }
        self.note(0, floor, lacking);
        Ok(())
    }

    /// What is reached after a round, by what was heard in it.
    fn look_at_round(
        &mut self,
        topology: &Topology,
        round: usize,
        limit: Epoch,
        load: &mut impl FnMut(Rank, Cell, bool) -> Option<Epoch>,
    ) -> Result<(), Impossible> {
        let (now, below) = (self.reached[round + 1], self.reached[round].min(self.told[round]));
        if below <= now {
            return Ok(());
        }
        let heard = &topology.heard[round];
        let from = self.lacking.0.get(round + 1).copied().unwrap_or(0);
        let (mut floor, mut lacking) = (below, from);
        for at in (0..heard.len()).map(|index| (from + index) % heard.len()) {
            let mut most = self.first;
            for &member in &topology.hosts[heard[at]] {
                most = most.max(self.read(member, Cell::Told { round }, limit, load)?);
            }
            if most < floor {
                (floor, lacking) = (most, at);
            }
            if floor <= now {
                break;
            }
        }
        self.note(round + 1, floor, lacking);
        Ok(())
    }

    fn note(&mut self, round: usize, floor: Epoch, lacking: usize) {
        self.reached[round] = self.reached[round].max(floor);
        // A clone has none.
        self.lacking.0.resize(self.reached.len(), 0);
        self.lacking.0[round] = lacking;
    }

    fn read(
        &mut self,
        member: Rank,
        cell: Cell,
        limit: Epoch,
        load: &mut impl FnMut(Rank, Cell, bool) -> Option<Epoch>,
    ) -> Result<Epoch, Impossible> {
        let epoch = load(member, cell, self.known[member]).unwrap_or(self.first);
        if epoch > limit {
            return Err(Impossible { member, epoch });
        }
        self.known[member] |= epoch > self.first;
        Ok(epoch)
    }

    /// Whether [`look`](HostBarrier::look) would find nothing, and nothing is to be written: by the
    /// words that were lacking last. False does not mean that it would find something.
    pub fn is_quiet(&self, load: impl Fn(Rank, Cell, bool) -> Option<Epoch>) -> bool {
        let said =
            |member: Rank, cell| load(member, cell, self.known[member]).unwrap_or(self.first);
        let lacking = |round: usize| self.lacking.0.get(round).copied().unwrap_or(0);
        let own = self.topology.near().get(lacking(0));
        own.is_some_and(|&member| said(member, Cell::Entered) <= self.reached[0])
            && (0..self.told.len()).all(|round| {
                let (now, below) = (self.reached[round + 1], self.reached[round]);
                let told = |&member: &Rank| said(member, Cell::Told { round });
                let heard = self.topology.heard[round].get(lacking(round + 1));
                let heard = heard.map_or(&[][..], |&host| &self.topology.hosts[host]);
                self.told[round] >= below
                    && (below <= now || heard.iter().all(|member| told(member) <= now))
            })
    }

    /// Whether any word has counted that says more than `first`.
    pub fn has_heard(&self) -> bool {
        self.known.contains(&true)
    }

    /// What is to be written now, of the lowest round first: to all [`targets`](Topology::targets)
    /// of that round, and then into the word that says so on this host.
    pub fn poll_write(&self) -> Option<Write> {
        let round = (0..self.told.len()).find(|&round| self.told[round] < self.reached[round])?;
        Some(Write { round, epoch: self.reached[round] })
    }

    /// This member has written that.
    pub fn handle_written(&mut self, write: Write) {
        self.told[write.round] = self.told[write.round].max(write.epoch);
    }
}
