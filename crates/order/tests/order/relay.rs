//! Barriers among many hosts, which tell each other what all of their members have entered: every number of hosts, round
//! by round, and every interleaving of few members that enter, look, tell, and stop in between.

use std::collections::{HashSet, VecDeque};

use runahead_order::relay::{Due, PORTS, Relay, Said, rounds};
use runahead_order::{Epoch, Rank};

/// What each host has reached after each round, if `entered` says what all of its members have: as all tell in step.
fn reached(
    entered: &[Epoch],
    ports: usize,
    mut drops: impl FnMut(usize, usize) -> bool,
) -> Vec<Epoch> {
    let hosts = entered.len();
    let host_of: Vec<u32> = (0..hosts as u32).collect();
    let mut relays: Vec<Relay> =
        (0..hosts).map(|own| Relay::new(own, &host_of, ports, 0)).collect();
    let mut cells = vec![vec![0; rounds(hosts, ports) * ports]; hosts * hosts];
    loop {
        let mut idle = true;
        for (own, relay) in relays.iter_mut().enumerate() {
            let load = |member: Rank, said, _| {
                Some(match said {
                    Said::Entered => entered[member],
                    Said::Told { round, port } => {
                        cells[own * hosts + member][round * ports + port - 1]
                    }
                    Said::Passed { .. } => 0,
                })
            };
            relay.look(100, load).unwrap();
            while let Some(due) = relay.poll_due() {
                idle = false;
                for (port, to) in relay.targets(due.round) {
                    assert_ne!(to, own);
                    if !drops(own, to) {
                        cells[to * hosts + own][due.round * ports + port - 1] = due.epoch;
                    }
                }
                relay.handle_told(due);
            }
        }
        if idle {
            return relays.iter().map(Relay::complete).collect();
        }
    }
}

/// With any number of hosts everyone hears of all, in as few rounds as n-way dissemination takes, and nobody completes
/// what one host has not entered, whichever (hoefler-2005 §2.2.6.1). (Planted: a round less; steps of `n` instead of `n + 1`;
/// a last port that is left out; and, below, a word that is not told.)
/// SEMANTICS: BAR-1, BAR-4
#[test]
fn every_number_of_hosts_hears_of_all() {
    for hosts in 1..=70_usize {
        for ports in [1, 2, PORTS] {
            assert!((ports + 1).pow(rounds(hosts, ports) as u32) >= hosts);
            assert!(
                rounds(hosts, ports) == 0
                    || (ports + 1).pow(rounds(hosts, ports) as u32 - 1) < hosts
            );
            assert_eq!(reached(&vec![7; hosts], ports, |_, _| false), vec![7; hosts]);
            for late in 0..hosts {
                let mut entered = vec![7; hosts];
                entered[late] = 4;
                assert_eq!(reached(&entered, ports, |_, _| false), vec![4; hosts], "{late}");
            }
        }
    }
    assert_eq!([16, 17, 64, 65].map(|hosts| rounds(hosts, PORTS)), [2, 3, 3, 4]);
}

/// Each word that is told is needed: without those of one host to another somebody does not complete.
/// SEMANTICS: BAR-4
#[test]
fn no_word_is_told_in_vain() {
    for hosts in [2, 3, 4, 5, 9, 16, 17, 30] {
        let relay = |own| Relay::new(own, &(0..hosts as u32).collect::<Vec<_>>(), PORTS, 0);
        for from in 0..hosts {
            let relay = relay(from);
            for (_, to) in (0..relay.rounds()).flat_map(|round| relay.targets(round)) {
                let complete =
                    reached(&vec![7; hosts], PORTS, |one, other| (one, other) == (from, to));
                assert!(complete.contains(&0), "{from} to {to} of {hosts}");
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plant {
    Nothing,
    /// A round is passed on though not all of the own host have entered.
    WithoutOwn,
    /// Who has told says so before it does, and one may stop in between.
    PassedFirst,
    /// Words of one round to one host are lost.
    LostCell,
    /// A member of another host counts for all of its host.
    OneOfHost,
    /// What was told for a group before is heard as if it were for this one.
    OldCell,
}

/// A member that tells stops after each word.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Telling {
    due: Due,
    /// What is yet to be done: cells to be written, by port and receiver, and last the word that says so.
    left: VecDeque<Option<(usize, Rank)>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    relays: Vec<Relay>,
    entered: Vec<Epoch>,
    telling: Vec<Option<Telling>>,
    /// What each member shows its own host, in each round.
    passed: Vec<Vec<Epoch>>,
    /// In the copy of each host, the cells of each member.
    cells: Vec<Vec<Epoch>>,
    /// What is on its way from each member to each host: which cell, and what it says.
    lines: Vec<VecDeque<(usize, Epoch)>>,
}

struct Job<'j> {
    host_of: &'j [u32],
    hosts: usize,
    last: Epoch,
    /// Who may stop for good while it tells.
    stops: Option<Rank>,
    plant: Plant,
}

const ONE: usize = 1;

impl Job<'_> {
    fn start(&self) -> World {
        let size = self.host_of.len();
        let rounds = rounds(self.hosts, ONE);
        let old = if self.plant == Plant::OldCell { self.last } else { 0 };
        World {
            relays: (0..size).map(|own| Relay::new(own, self.host_of, ONE, 0)).collect(),
            // Of four there are too many interleavings else.
            entered: self.host_of.iter().map(|&host| u64::from(size == 4 && host == 1)).collect(),
            telling: vec![None; size],
            passed: vec![vec![0; rounds]; size],
            cells: (0..self.hosts).map(|_| vec![old; size * rounds]).collect(),
            lines: vec![VecDeque::new(); size * self.hosts],
        }
    }

    fn host(&self, rank: Rank) -> usize {
        self.host_of[rank] as usize
    }

    fn look(&self, world: &mut World, rank: Rank) {
        let World { relays, entered, passed, cells, .. } = world;
        let rounds = rounds(self.hosts, ONE);
        let load = |member: Rank, said, _| {
            let own = self.host(rank);
            Some(match said {
                Said::Entered if self.plant == Plant::WithoutOwn => {
                    entered[rank].max(entered[member])
                }
                Said::Entered => entered[member],
                Said::Told { round, .. } if self.plant == Plant::OneOfHost => {
                    cells[own][member * rounds + round].max(entered[member].min(1))
                }
                Said::Told { round, .. } => cells[own][member * rounds + round],
                Said::Passed { round } => passed[member][round],
            })
        };
        relays[rank].look(self.last, load).unwrap();
    }

    /// One step of a member that tells.
    fn tell(&self, world: &mut World, rank: Rank) {
        let rounds = rounds(self.hosts, ONE);
        let telling = world.telling[rank].as_mut().expect("it tells");
        let due = telling.due;
        match telling.left.pop_front() {
            Some(Some((_, to))) => {
                let lost = self.plant == Plant::LostCell && (due.round, rank) == (1, 0);
                let line = &mut world.lines[rank * self.hosts + self.host(to)];
                line.extend((!lost).then_some((rank * rounds + due.round, due.epoch)));
            }
            Some(None) => world.passed[rank][due.round] = due.epoch,
            None => {}
        }
        if telling.left.is_empty() {
            world.relays[rank].handle_told(due);
            world.telling[rank] = None;
        }
    }

    /// All that can come next.
    fn moves(&self, world: &World) -> Vec<World> {
        let mut moves = Vec::new();
        let mut after = |change: &dyn Fn(&mut World)| {
            let mut next = world.clone();
            change(&mut next);
            if next != *world {
                moves.push(next);
            }
        };
        for rank in 0..self.host_of.len() {
            if world.telling[rank].is_some() {
                after(&|next| self.tell(next, rank));
                continue;
            }
            after(&|next| self.look(next, rank));
            if let Some(due) = world.relays[rank].poll_due() {
                let targets = world.relays[rank].targets(due.round);
                let mut left: VecDeque<_> = targets.map(Some).collect();
                match self.plant {
                    Plant::PassedFirst => left.push_front(None),
                    _ => left.push_back(None),
                }
                after(&|next| next.telling[rank] = Some(Telling { due, left: left.clone() }));
            }
            if world.entered[rank] < self.last {
                after(&|next| next.entered[rank] += 1);
            }
        }
        for line in 0..world.lines.len() {
            after(&|next| {
                if let Some((cell, epoch)) = next.lines[line].pop_front() {
                    next.cells[line % self.hosts][cell] = epoch;
                }
            });
        }
        moves
    }

    /// The number of states, or what is wrong in one.
    fn explore(&self) -> Result<usize, String> {
        let (mut seen, mut open) = (HashSet::new(), vec![self.start()]);
        while let Some(world) = open.pop() {
            if !seen.insert(world.clone()) {
                continue;
            }
            let entered = *world.entered.iter().min().unwrap();
            for (rank, relay) in world.relays.iter().enumerate() {
                if relay.complete() > entered {
                    return Err(format!("rank {rank} has completed what a member has not entered"));
                }
                // Who leaves with all complete owes nothing: its host has told all, and the words of who has told it are
                // under way.
                self.check_told(&world, rank)?;
            }
            let moves = self.moves(&world);
            if self.is_stuck(&world, &moves) {
                return Err("nobody goes on, and a barrier is open".to_owned());
            }
            open.extend(moves);
        }
        Ok(seen.len())
    }

    /// What a member has completed, others have told, or it itself has: some word of each round is under way or there.
    fn check_told(&self, world: &World, rank: Rank) -> Result<(), String> {
        let rounds = rounds(self.hosts, ONE);
        let (relay, near) =
            (&world.relays[rank], |&member: &Rank| self.host(member) == self.host(rank));
        for round in 0..rounds {
            for (_, to) in relay.targets(round) {
                let host = self.host(to);
                let told = (0..self.host_of.len()).filter(near).any(|member| {
                    let cell = member * rounds + round;
                    let line = &world.lines[member * self.hosts + host];
                    world.cells[host][cell] >= relay.complete()
                        || line.iter().any(|&word| word.0 == cell && word.1 >= relay.complete())
                });
                if !told {
                    return Err(format!("rank {rank} has completed what its host has not told"));
                }
            }
        }
        Ok(())
    }

    /// Whether nothing can happen any more but by the one that may stop, and a barrier is open at another. All who do not
    /// stop look, tell and hear until nothing changes.
    fn is_stuck(&self, world: &World, moves: &[World]) -> bool {
        let Some(stopped) = self.stops.filter(|&rank| world.telling[rank].is_some()) else {
            return moves.is_empty()
                && world.relays.iter().any(|relay| relay.complete() < self.last);
        };
        if world.entered.iter().any(|&entered| entered < self.last) {
            return false;
        }
        let mut world = world.clone();
        loop {
            let before = world.clone();
            for rank in (0..self.host_of.len()).filter(|&rank| rank != stopped) {
                while world.telling[rank].is_some() {
                    self.tell(&mut world, rank);
                }
                self.look(&mut world, rank);
                if let Some(due) = world.relays[rank].poll_due() {
                    let targets: Vec<_> = world.relays[rank].targets(due.round).collect();
                    let left = targets.into_iter().map(Some).chain([None]).collect();
                    world.telling[rank] = Some(Telling { due, left });
                }
            }
            for (at, line) in world.lines.iter_mut().enumerate() {
                while let Some((cell, epoch)) = line.pop_front() {
                    world.cells[at % self.hosts][cell] = epoch;
                }
            }
            if world == before {
                let others = (0..self.host_of.len()).filter(|&rank| rank != stopped);
                return others.into_iter().any(|rank| world.relays[rank].complete() < self.last);
            }
        }
    }
}

/// The jobs that are small enough, all with one port, so that three hosts take two rounds: which member is on which host,
/// how many barriers there are, and who may stop for good while it tells, if another is on its host.
const JOBS: [(&[u32], Epoch, Option<Rank>); 4] = [
    (&[0, 1, 2], 1, None),
    (&[0, 1], 2, None),
    (&[0, 0, 1], 1, Some(0)),
    (&[0, 0, 1, 2], 1, Some(0)),
];

fn explore(
    (host_of, last, stops): (&[u32], Epoch, Option<Rank>),
    plant: Plant,
) -> Result<usize, String> {
    let hosts = *host_of.iter().max().unwrap() as usize + 1;
    Job { host_of, hosts, last, stops, plant }.explore()
}

/// SEMANTICS: BAR-1, BAR-3, BAR-4, END-1
#[test]
fn a_barrier_completes_on_all_hosts_when_all_have_entered() {
    for job in JOBS {
        let states =
            explore(job, Plant::Nothing).unwrap_or_else(|error| panic!("{job:?}: {error}"));
        println!("{job:?}: {states} states");
        assert!(states > 100, "{job:?}: {states}");
    }
}

/// SEMANTICS: BAR-1, BAR-4, END-1
#[test]
fn what_is_wrong_is_noticed() {
    for (plant, jobs) in [
        (Plant::WithoutOwn, &JOBS[3..]),
        (Plant::PassedFirst, &JOBS[3..]),
        (Plant::LostCell, &JOBS[..1]),
        (Plant::OneOfHost, &JOBS[2..3]),
        (Plant::OldCell, &JOBS[..]),
    ] {
        for &job in jobs {
            assert!(explore(job, plant).is_err(), "{plant:?} of {job:?}");
        }
    }
}

/// What cannot be is named, and where it is quiet a look finds nothing.
/// SEMANTICS: SAFE-1, BAR-4
#[test]
fn an_impossible_epoch_is_named_and_it_is_quiet_only_if_nothing_is_found() {
    let mut relay = Relay::new(0, &[0, 1, 1], PORTS, 5);
    let said = |epochs: [Epoch; 3]| move |member: Rank, _, _| Some(epochs[member]);
    let wrong = relay.look(9, said([6, 0, 10])).unwrap_err();
    assert_eq!((wrong.member, wrong.epoch), (2, 10));
    let mut random = fastrand::Rng::with_seed(3);
    let (mut quiet, mut found) = (0, 0);
    for _ in 0..300 {
        let mut relay = Relay::new(0, &[0, 0, 1, 1, 2, 3, 4], 1, 0);
        let mut words = [0; 7];
        for _ in 0..40 {
            words[random.usize(..7)] += random.u64(..2);
            let load = |member: Rank, said, _| match said {
                Said::Passed { .. } => Some(0),
                _ => Some(words[member]),
            };
            let (is_quiet, before) = (relay.is_quiet(load), relay.clone());
            relay.look(100, load).unwrap();
            let news = relay != before || relay.poll_due().is_some();
            assert!(
                !is_quiet || relay.complete() == before.complete() && relay.poll_due().is_none()
            );
            quiet += u32::from(is_quiet);
            found += u32::from(news);
            while let Some(due) = relay.poll_due() {
                relay.handle_told(due);
                relay.look(100, load).unwrap();
            }
        }
    }
    assert!(quiet > 1000 && found > 300, "{quiet} {found}");
}
