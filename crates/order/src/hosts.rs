//! Hosts as the nodes of a group's schedule: a host tells other hosts, in one word, which epoch all
//! of its members have entered.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4 and END-1 of SEMANTICS.md.
//!
//! Hosts are numbered in the order of their first members. They follow n-way dissemination
//! (hoefler-2005 §2.2.6.1, listing 2.8; §4.1.3), with `n` *ports*: so many hosts are told in one
//! round. Up to [`ALL_TO_ALL`] hosts there are as many ports as other hosts. Then there is one
//! round: every host tells every other, and none forwards.
//!
//! The epoch cells of a host are those of any node ([`super::epochs`]). A host has entered the
//! least epoch of its members. A signal of its schedule is a word that one of its members writes.
//!
//! **The last member to enter tells.** It is inside a call when it does so, and all members of its
//! host see each other's words. So with one round a barrier completes though every member computes.
//! Each member tells in words of its own, and a reader takes the highest word of a host's members:
//! no word has two writers. A member that has told says so *nearby*, so the others need not do it
//! again. If the last member dies before it has told, the next member to look tells.
//!
//! # Correctness
//!
//! A member says that its host has told after it has told, and never before. A barrier counts as
//! complete only after the host has told in every round (`Hosts::complete`). So no member
//! completes a barrier before its host has told the epoch that others need for it, and a member
//! that leaves with all barriers complete owes nothing.
//!
//! Of several members that enter at the same time, one must see the words of all. That takes a full
//! fence between a member's own store and its look. The driver passes it.
//!
//! This module does not know where words lie, and knows no other group. Ranks here are positions in
//! the group.

use std::num::NonZero;
use std::sync::Arc;

use super::barrier::Impossible;
use super::epochs::Epochs;
use super::schedule::{Algorithm, Schedule, StepIndex};
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
    /// The latest epoch that it has entered; of members of the own host.
    Entered,
    /// The epoch that its host has reached in this round, as it told this host.
    Told {
        /// The round, from 0.
        round: usize,
    },
    /// The epoch that it has told other hosts in this round; of members of the own host.
    HasTold {
        /// The round, from 0.
        round: usize,
    },
    /// An epoch that all members of the group have entered, in the place of the first of the own
    /// host.
    Complete,
}

/// Where a member writes for its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// To each host that this round names ([`Topology::targets`]), and then into the word that says
    /// so on the own host.
    Round(usize),
    /// On the own host, where the others find which epoch is complete.
    OwnHost,
}

/// A write that is due for this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// Where.
    pub to: Target,
    /// The epoch that was reached there, or that is complete.
    pub epoch: Epoch,
}

/// The hosts of a group as one of its members sees them, and which of them a host tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Topology {
    /// The members of each host.
    hosts: Vec<Vec<Rank>>,
    /// Of the own host, among hosts.
    schedule: Schedule,
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
        let ways = u8::try_from(ports).ok().and_then(NonZero::new).unwrap_or(NonZero::<u8>::MAX);
        let algorithm = Algorithm::NWayDissemination { ways };
        let schedule = Schedule::new(algorithm, own, hosts.len());
        Topology { hosts, schedule }
    }

    /// The number of rounds in which hosts tell each other.
    pub fn rounds(&self) -> usize {
        self.schedule.steps().len().saturating_sub(1)
    }

    /// The members of each host, this one among them.
    pub fn hosts(&self) -> &[Vec<Rank>] {
        &self.hosts
    }

    /// The number of the own host.
    pub fn own(&self) -> usize {
        self.schedule.rank()
    }

    /// The members of the own host, in their order in the group.
    pub fn near(&self) -> &[Rank] {
        &self.hosts[self.own()]
    }

    /// The hosts that are told in this round.
    pub fn targets(&self, round: usize) -> &[usize] {
        &self.schedule.steps()[round].send_to
    }

    /// The members of the host of `member`.
    pub fn host_mates(&self, member: Rank) -> &[Rank] {
        self.hosts.iter().find(|all| all.contains(&member)).map_or(&[], |all| all)
    }
}

/// How far the own host is among hosts, as one of its members knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Hosts {
    topology: Arc<Topology>,
    /// A node is a host, and a signal one that was told.
    epochs: Epochs,
    /// The completed epoch that was said on this host, by this member or by another.
    said: Epoch,
}

impl Hosts {
    pub(super) fn new(topology: Topology, first: Epoch) -> Hosts {
        let epochs = Epochs::new(&topology.schedule, first);
        Hosts { topology: Arc::new(topology), epochs, said: first }
    }

    #[inline]
    pub(super) fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// All members of this host have entered this epoch.
    #[inline]
    pub(super) fn entered(&self) -> Epoch {
        self.epochs.entered()
    }

    pub(super) fn enter_through(&mut self, epoch: Epoch) {
        self.epochs.enter_through(epoch);
    }

    /// All members of the group have entered this epoch, and this host has told every round of it.
    pub(super) fn complete(&self) -> Epoch {
        self.epochs.complete().min(self.epochs.signalled())
    }

    /// The others can do without this host in this epoch and those before, as far as this member
    /// knows. With one round a host passes on nothing that it hears.
    pub(super) fn passed_on(&self) -> Epoch {
        self.epochs.signalled()
    }

    /// Whether this member is the first of its host, and hosts pass on what they hear. By the first
    /// member the others know whether its host has done so.
    pub(super) fn answers(&self, own: Rank) -> bool {
        self.topology.rounds() > 1 && self.topology.near().first() == Some(&own)
    }

    /// All members have entered `epoch`, as a member of this host has said. So this host has told
    /// every round of it.
    pub(super) fn handle_complete(&mut self, epoch: Epoch) {
        self.epochs.enter_through(epoch);
        self.epochs.handle_complete(epoch);
        for round in 0..self.topology.rounds() {
            self.epochs.handle_told(round as StepIndex, epoch);
        }
        self.said = self.said.max(epoch);
    }

    /// Looks at the words of mates and of other hosts, until one says nothing new.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if a member has said an epoch above `limit`.
    pub(super) fn look(
        &mut self,
        limit: Epoch,
        mut load: impl FnMut(Rank, Cell) -> Epoch,
    ) -> Result<(), Impossible> {
        let Hosts { topology, epochs, .. } = self;
        // The greatest word of these members.
        let mut most = |members: &[Rank], cell| {
            members.iter().try_fold(0, |most, &member| match load(member, cell) {
                epoch if epoch > limit => Err(Impossible { member, epoch }),
                epoch => Ok(epoch.max(most)),
            })
        };
        for round in 0..topology.rounds() {
            if epochs.is_due(round as StepIndex) {
                let told = most(topology.near(), Cell::HasTold { round })?;
                epochs.handle_told(round as StepIndex, told);
            }
        }
        while let Some((host, step, _)) = epochs.first_lacking() {
            let round = usize::from(step);
            let epoch = most(&topology.hosts[host], Cell::Told { round })?;
            // The schedule names it, so it is expected.
            if epochs.handle_signal(host, step, epoch, 0) != Ok(true) {
                break;
            }
        }
        epochs.note_lacking();
        Ok(())
    }

    /// Whether [`look`](Hosts::look) would find nothing, and nothing is to be written.
    pub(super) fn is_quiet(&self, load: impl Fn(Rank, Cell) -> Epoch) -> bool {
        let is_heard = |(host, step, known): (Rank, StepIndex, Epoch)| {
            let cell = Cell::Told { round: usize::from(step) };
            self.topology.hosts[host].iter().any(|&member| load(member, cell) > known)
        };
        !self.epochs.has_signals() && !self.epochs.first_lacking().is_some_and(is_heard)
    }

    /// Whether another host is known to have reached `epoch`.
    pub(super) fn has_heard_of(&self, epoch: Epoch) -> bool {
        self.epochs.has_heard_of(epoch)
    }

    /// Whether `complete` is to be said on this host: no member has said it, and it has other
    /// members.
    #[inline]
    pub(super) fn has_found(&self, complete: Epoch) -> bool {
        self.said < complete && self.topology.near().len() > 1
    }

    /// The write that is due, of the lowest round first.
    pub(super) fn poll_write(&self, complete: Epoch) -> Option<Write> {
        let told = |(step, epoch)| Write { to: Target::Round(usize::from(step)), epoch };
        let found = || Write { to: Target::OwnHost, epoch: complete };
        self.epochs.first_due().map(told).or_else(|| self.has_found(complete).then(found))
    }

    pub(super) fn handle_written(&mut self, Write { to, epoch }: Write) {
        match to {
            Target::Round(round) => self.epochs.handle_told(round as StepIndex, epoch),
            Target::OwnHost => self.said = self.said.max(epoch),
        }
    }
}
