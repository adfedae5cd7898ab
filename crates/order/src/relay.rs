//! Barriers of a group whose members are on many hosts: those of one host see what each of them has entered, and the
//! hosts tell each other, by dissemination with several peers in each round (hoefler-2005 §2.2.6.1, listing 2.8; §4.1.3).
//!
//! Hosts are numbered in the order of their first members. With `n` ports and `b = n + 1`, host `i` tells in round `r`, for
//! each `k` from 1 to `n`, host `i + k * b^r`, modulo the number of hosts, what it has *reached* there; a port whose
//! step leads once around or further is left out, as what it would tell is told in other ways. Reached is
//!
//! - in round 0 what all members of the host have entered, the least of it;
//! - in round `r + 1` the least of what was reached and told in round `r` and of what was heard there from each port.
//!
//! What was reached after the last round, all members of the group have entered. All of this is the least and the most of
//! words that only grow and are true whenever they are seen, so old words, and words that come twice or late, do no harm.
//!
//! **Nobody speaks for a host.** Each member computes the same from the same words, and whichever looks first and finds
//! that something was reached tells it: in words of its own, so each has one writer, and who hears takes the highest of
//! the words of that host's members. Then it says *nearby* that it has told it, in a word of its own as well, which saves
//! the others doing it again. It says so after it has told it and never before: one that is descheduled in between
//! delays nobody, as the next to look tells it once more. Nothing counts as reached in a round before it was told in the
//! round before it: so a barrier is complete at no member before its host has told what others need for it.
//!
//! This does not know where words lie, nor who is a member when. Ranks here are positions in the group.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4 and END-1 of SEMANTICS.md.

use std::sync::Arc;

use super::published::Impossible;
use super::scratch::Scratch;
use super::{Epoch, Rank};

/// How many hosts a host tells in one round. The words of a round are written one after the other without waiting, and
/// each round waits for the network, and for a member of the host told that looks. With 3 the 17 to 64 hosts that are
/// too many for everyone to tell everyone take 3 rounds and 9 words; with 1 it would be 6 rounds, with 7 14 words.
pub const PORTS: usize = 3;

/// How many rounds it takes until every one of `hosts` has heard of all.
pub const fn rounds(hosts: usize, ports: usize) -> usize {
    let (mut rounds, mut known) = (0, 1_usize);
    while known < hosts {
        known = known.saturating_mul(ports + 1);
        rounds += 1;
    }
    rounds
}

/// How many hosts further the one is that is told in this round by this port, which is one of `1..=ports`; None if that is
/// once around.
fn step(hosts: usize, ports: usize, round: usize, port: usize) -> Option<usize> {
    let step = (ports + 1).checked_pow(round as u32)?.checked_mul(port)?;
    (step < hosts).then_some(step)
}

/// A word of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Said {
    /// What it has entered; of members of the own host.
    Entered,
    /// What its host has reached in this round, as it told this one by this port.
    Told {
        /// The round.
        round: usize,
        /// The port, from 1 on.
        port: usize,
    },
    /// What it has told in this round on all ports, of members of the own host.
    Passed {
        /// The round.
        round: usize,
    },
}

/// What is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Due {
    /// In this round.
    pub round: usize,
    /// What was reached there.
    pub epoch: Epoch,
}

/// What one member knows of what its host has reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relay {
    own: Rank,
    first: Epoch,
    ports: usize,
    /// The members of each host.
    hosts: Arc<[Vec<Rank>]>,
    /// The number of this member's host.
    host: usize,
    /// What was reached in each round, and last after all of them.
    reached: Vec<Epoch>,
    /// What was told in each round, by this member or by another of its host.
    told: Vec<Epoch>,
    /// The members of which a word has counted that says more than `first`: their words stay the group's.
    known: Vec<bool>,
    /// Where the next look begins: in round 0 the member, later the port that was lacking last.
    lacking: Scratch<Vec<usize>>,
}

impl Relay {
    /// No barrier has been entered beyond `first`. `host_of` says for each member on which host it is, by any number, `own` is
    /// the place of this rank among them.
    pub fn new(own: Rank, host_of: &[u32], ports: usize, first: Epoch) -> Relay {
        let (mut numbers, mut hosts): (Vec<u32>, Vec<Vec<Rank>>) = (Vec::new(), Vec::new());
        for (member, number) in host_of.iter().enumerate() {
            let at = numbers.iter().position(|known| known == number).unwrap_or_else(|| {
                numbers.push(*number);
                hosts.push(Vec::new());
                numbers.len() - 1
            });
            hosts[at].push(member);
        }
        let host = numbers.iter().position(|&number| number == host_of[own]).unwrap_or(0);
        let rounds = rounds(hosts.len(), ports);
        Relay {
            own,
            first,
            ports,
            host,
            reached: vec![first; rounds + 1],
            told: vec![first; rounds],
            known: vec![false; host_of.len()],
            lacking: Scratch(vec![0; rounds + 1]),
            hosts: hosts.into(),
        }
    }

    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        self.told.len()
    }

    /// All members have entered this epoch and those before.
    #[inline]
    pub fn complete(&self) -> Epoch {
        self.reached[self.told.len()]
    }

    /// The others can do without this host in this epoch and those before, as far as this member knows.
    pub fn passed_on(&self) -> Epoch {
        self.told.iter().copied().fold(self.reached[0], Epoch::min)
    }

    /// Whether this member is the first of its host: by it the others know whether the host still passes on what it must.
    pub fn answers(&self) -> bool {
        self.hosts[self.host].first() == Some(&self.own)
    }

    /// Whether `member` is on another host.
    pub fn is_far(&self, member: Rank) -> bool {
        !self.hosts[self.host].contains(&member)
    }

    /// The members of the own host.
    pub fn near(&self) -> &[Rank] {
        &self.hosts[self.host]
    }

    /// One member of each other host.
    pub fn others(&self) -> impl Iterator<Item = Rank> + '_ {
        let own = self.host;
        self.hosts.iter().enumerate().filter(move |&(at, _)| at != own).map(|(_, all)| all[0])
    }

    /// The ports of a round, and of the host that each tells, one member.
    pub fn targets(&self, round: usize) -> impl Iterator<Item = (usize, Rank)> + '_ {
        let hosts = self.hosts.len();
        (1..=self.ports).filter_map(move |port| {
            let step = step(hosts, self.ports, round, port)?;
            Some((port, self.hosts[(self.host + step) % hosts][0]))
        })
    }

    /// The members of the host that is heard in this round by this port.
    fn heard(&self, round: usize, port: usize) -> Option<&[Rank]> {
        let hosts = self.hosts.len();
        let step = step(hosts, self.ports, round, port)?;
        Some(&self.hosts[(self.host + hosts - step) % hosts])
    }

    /// Looks at what members have said, as far as it takes to say what was reached. `load` reads a word of a member, and gets
    /// whether that member is known to have said something for this group; None if it has not. Returns whether a barrier
    /// has completed. What is due then is to be told, and told of, before the next look goes further.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if a member has said an epoch above `limit`.
    pub fn look(
        &mut self,
        limit: Epoch,
        mut load: impl FnMut(Rank, Said, bool) -> Option<Epoch>,
    ) -> Result<bool, Impossible> {
        let before = self.complete();
        self.look_at_own(limit, &mut load)?;
        for round in 0..self.told.len() {
            if self.told[round] < self.reached[round] {
                for at in 0..self.near().len() {
                    let member = self.near()[at];
                    let said = self.say(member, Said::Passed { round }, limit, &mut load)?;
                    self.told[round] = self.told[round].max(said);
                }
            }
            self.look_at_round(round, limit, &mut load)?;
        }
        Ok(self.complete() > before)
    }

    fn look_at_own(
        &mut self,
        limit: Epoch,
        load: &mut impl FnMut(Rank, Said, bool) -> Option<Epoch>,
    ) -> Result<(), Impossible> {
        let (count, from) = (self.near().len(), self.lacking.0.first().copied().unwrap_or(0));
        let (mut floor, mut lacking) = (Epoch::MAX, from);
        for at in (0..count).map(|nth| (from + nth) % count) {
            let said = self.say(self.near()[at], Said::Entered, limit, load)?;
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
        round: usize,
        limit: Epoch,
        load: &mut impl FnMut(Rank, Said, bool) -> Option<Epoch>,
    ) -> Result<(), Impossible> {
        let (now, below) = (self.reached[round + 1], self.reached[round].min(self.told[round]));
        if below <= now {
            return Ok(());
        }
        let from = self.lacking.0.get(round + 1).copied().unwrap_or(0);
        let (mut floor, mut lacking) = (below, from);
        let ports = self.ports;
        for port in (0..ports).map(|nth| (from + nth) % ports) {
            let count = self.heard(round, port + 1).map_or(0, <[Rank]>::len);
            if count == 0 {
                continue;
            }
            let mut most = self.first;
            for at in 0..count {
                let Some(member) = self.heard(round, port + 1).map(|heard| heard[at]) else {
                    break;
                };
                let told = Said::Told { round, port: port + 1 };
                most = most.max(self.say(member, told, limit, load)?);
            }
            if most < floor {
                (floor, lacking) = (most, port);
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

    fn say(
        &mut self,
        member: Rank,
        said: Said,
        limit: Epoch,
        load: &mut impl FnMut(Rank, Said, bool) -> Option<Epoch>,
    ) -> Result<Epoch, Impossible> {
        let epoch = load(member, said, self.known[member]).unwrap_or(self.first);
        if epoch > limit {
            return Err(Impossible { member, epoch });
        }
        self.known[member] |= epoch > self.first;
        Ok(epoch)
    }

    /// Whether [`look`](Relay::look) would find nothing, and nothing is due: by the words that were lacking last. False does
    /// not mean that it would find something.
    pub fn is_quiet(&self, load: impl Fn(Rank, Said, bool) -> Option<Epoch>) -> bool {
        let said =
            |member: Rank, said| load(member, said, self.known[member]).unwrap_or(self.first);
        let lacking = |round: usize| self.lacking.0.get(round).copied().unwrap_or(0);
        let own = self.near().get(lacking(0));
        own.is_some_and(|&member| said(member, Said::Entered) <= self.reached[0])
            && (0..self.told.len()).all(|round| {
                let (now, below) = (self.reached[round + 1], self.reached[round]);
                let port = lacking(round + 1) + 1;
                let told = |&member: &Rank| said(member, Said::Told { round, port });
                let heard = self.heard(round, port).unwrap_or(&[]);
                self.told[round] >= below
                    && (below <= now || heard.iter().all(|member| told(member) <= now))
            })
    }

    /// What is to be told now, of the lowest round first: to all [`targets`](Relay::targets) of that round, and nearby after
    /// that.
    pub fn poll_due(&self) -> Option<Due> {
        let round = (0..self.told.len()).find(|&round| self.told[round] < self.reached[round])?;
        Some(Due { round, epoch: self.reached[round] })
    }

    /// This member has told what was due.
    pub fn handle_told(&mut self, due: Due) {
        self.told[due.round] = self.told[due.round].max(due.epoch);
    }
}
