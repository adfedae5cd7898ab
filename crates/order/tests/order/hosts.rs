//! Barriers among hosts, which tell each other what all of their members have entered: every number
//! of hosts, round by round; every interleaving of few members that enter, look, tell, and stop in
//! between; and every one of members that only enter, and compute.

use std::collections::VecDeque;
use std::rc::Rc;

use runahead_order::barrier::{Barrier, MemberWord};
use runahead_order::hosts::{ALL_TO_ALL, Cell, Target, Topology, Write, ports, rounds};
use runahead_order::{Epoch, Rank};

use crate::effort::bound;
use crate::search::Seen;

fn on_hosts(own: Rank, host_of: &[u32], ports: usize, first: Epoch) -> Barrier {
    Barrier::on_hosts(own, Topology::new(own, host_of, ports), first)
}

/// The round and the epoch of what a member is to write to other hosts. (On its own host it says
/// what is complete: nobody here looks at that.)
fn poll_round(barrier: &Barrier) -> Option<(usize, Epoch)> {
    let Write { to: Target::Round(round), epoch } = barrier.poll_write()? else { return None };
    Some((round, epoch))
}

fn handle_told(barrier: &mut Barrier, (round, epoch): (usize, Epoch)) {
    barrier.handle_written(Write { to: Target::Round(round), epoch });
}

/// Hosts with one member each, before anybody has entered.
struct Alone {
    topologies: Vec<Topology>,
    barriers: Vec<Barrier>,
    rounds: usize,
}

impl Alone {
    fn new(hosts: usize, ports: usize) -> Alone {
        let host_of: Vec<u32> = (0..hosts as u32).collect();
        let topology = |own| Topology::new(own, &host_of, ports);
        let topologies: Vec<Topology> = (0..hosts).map(topology).collect();
        let barrier =
            |(own, topology): (Rank, &Topology)| Barrier::on_hosts(own, topology.clone(), 0);
        let barriers = topologies.iter().enumerate().map(barrier).collect();
        Alone { topologies, barriers, rounds: rounds(hosts, ports) }
    }

    /// What each host has reached after each round, if `entered` says what all of its members have:
    /// as all tell in step.
    fn reached(
        &self,
        entered: &[Epoch],
        mut drops: impl FnMut(usize, usize) -> bool,
    ) -> Vec<Epoch> {
        let hosts = entered.len();
        let mut barriers = self.barriers.clone();
        for (own, barrier) in barriers.iter_mut().enumerate() {
            (0..entered[own]).for_each(|_| barrier.handle_enter());
        }
        let mut cells = vec![0; self.rounds * hosts * hosts];
        let cell = |to, from, round| (to * hosts + from) * self.rounds + round;
        loop {
            let mut idle = true;
            for (own, barrier) in barriers.iter_mut().enumerate() {
                let load = |(member, said, _): MemberWord| {
                    Some(match said {
                        Cell::Entered => entered[member],
                        Cell::Told { round } => cells[cell(own, member, round)],
                        Cell::HasTold { .. } | Cell::Complete => 0,
                    })
                };
                barrier.look(100, &load).unwrap();
                while let Some((round, epoch)) = poll_round(barrier) {
                    idle = false;
                    for &to in self.topologies[own].targets(round) {
                        assert_ne!(to, own);
                        if !drops(own, to) {
                            cells[cell(to, own, round)] = epoch;
                        }
                    }
                    handle_told(barrier, (round, epoch));
                }
            }
            if idle {
                return barriers.iter().map(Barrier::complete).collect();
            }
        }
    }
}

/// With any number of hosts everyone hears of all, in as few rounds as n-way dissemination takes,
/// and nobody completes what one host has not entered, whichever (hoefler-2005 §2.2.6.1). (Mutants:
/// a round less; steps of `n` instead of `n + 1`; a last port that is left out; and, below, a word
/// that is not told.) SEMANTICS: BAR-1, BAR-4
#[test]
fn every_number_of_hosts_hears_of_all() {
    for hosts in 1..=70_usize {
        for ports in [1, 2, 3, ports(hosts)] {
            assert!((ports + 1).pow(rounds(hosts, ports) as u32) >= hosts);
            assert!(
                rounds(hosts, ports) == 0
                    || (ports + 1).pow(rounds(hosts, ports) as u32 - 1) < hosts
            );
            let all = Alone::new(hosts, ports);
            assert_eq!(all.reached(&vec![7; hosts], |_, _| false), vec![7; hosts]);
            for late in 0..hosts {
                let mut entered = vec![7; hosts];
                entered[late] = 4;
                assert_eq!(all.reached(&entered, |_, _| false), vec![4; hosts], "{late}");
            }
        }
    }
    let most = ALL_TO_ALL;
    let rounds_of = |hosts| rounds(hosts, ports(hosts));
    assert_eq!([1, 2, most, most + 1, 256].map(rounds_of), [0, 1, 1, 2, 2]);
}

/// Each word that is told is needed: without those of one host to another somebody does not
/// complete. SEMANTICS: BAR-4
#[test]
fn no_word_is_told_in_vain() {
    for (hosts, ports) in [2, 3, 4, 5, 9, 16, 17, 30]
        .map(|hosts| [(hosts, 3), (hosts, ports(hosts))])
        .into_iter()
        .flatten()
    {
        let all = Alone::new(hosts, ports);
        for (from, topology) in all.topologies.iter().enumerate() {
            for &to in (0..topology.rounds()).flat_map(|round| topology.targets(round)) {
                let complete =
                    all.reached(&vec![7; hosts], |one, other| (one, other) == (from, to));
                assert!(complete.contains(&0), "{from} to {to} of {hosts}");
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plant {
    Nothing,
    /// A round is has_told on though not all of the own host have entered.
    WithoutOwn,
    /// Who has told says so before it does, and one may stop in between.
    SaysFirst,
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
    write: (usize, Epoch),
    /// What is yet to be done: the hosts to be told, and last the word that says so.
    left: VecDeque<Option<usize>>,
}

/// Most steps change one barrier: the others are shared by the states before and after.
#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    barriers: Vec<Rc<Barrier>>,
    entered: Vec<Epoch>,
    telling: Vec<Option<Telling>>,
    /// What each member shows its own host, in each round.
    has_told: Vec<Epoch>,
    /// In the copy of each host, the cells of each member.
    cells: Vec<Epoch>,
    /// What is on its way from each member to each host: for which round, and what it says.
    lines: Vec<VecDeque<(usize, Epoch)>>,
}

struct Job<'j> {
    topologies: Vec<Topology>,
    host_of: &'j [u32],
    hosts: usize,
    ports: usize,
    rounds: usize,
    last: Epoch,
    /// Who may stop for good while it tells.
    stops: Option<Rank>,
    plant: Plant,
}

impl Job<'_> {
    fn new(
        (host_of, ports, last, stops): (&[u32], usize, Epoch, Option<Rank>),
        plant: Plant,
    ) -> Job<'_> {
        let hosts = *host_of.iter().max().unwrap() as usize + 1;
        let topology = |own| Topology::new(own, host_of, ports);
        let topologies = (0..host_of.len()).map(topology).collect();
        let rounds = rounds(hosts, ports);
        Job { topologies, host_of, hosts, ports, rounds, last, stops, plant }
    }

    fn start(&self) -> World {
        let (size, rounds) = (self.host_of.len(), self.rounds);
        let old = if self.plant == Plant::OldCell { self.last } else { 0 };
        // Of four there are too many interleavings else.
        let entered: Vec<_> =
            self.host_of.iter().map(|&host| u64::from(size == 4 && host == 1)).collect();
        World {
            barriers: self.barriers(&entered),
            entered,
            telling: vec![None; size],
            has_told: vec![0; size * rounds],
            cells: vec![old; self.hosts * size * rounds],
            lines: vec![VecDeque::new(); size * self.hosts],
        }
    }

    fn barriers(&self, entered: &[Epoch]) -> Vec<Rc<Barrier>> {
        let barrier = |(own, &entered): (Rank, &Epoch)| {
            let mut barrier = on_hosts(own, self.host_of, self.ports, 0);
            (0..entered).for_each(|_| barrier.handle_enter());
            Rc::new(barrier)
        };
        entered.iter().enumerate().map(barrier).collect()
    }

    /// Enters, and shows it.
    fn enter(&self, world: &mut World, rank: Rank) {
        Rc::make_mut(&mut world.barriers[rank]).handle_enter();
        world.entered[rank] += 1;
    }

    /// The place of a member's cell of a round in the copy of a host.
    fn cell(&self, host: usize, member: Rank, round: usize) -> usize {
        (host * self.host_of.len() + member) * self.rounds + round
    }

    fn host(&self, rank: Rank) -> usize {
        self.host_of[rank] as usize
    }

    fn look(&self, world: &mut World, rank: Rank) {
        let World { barriers, entered, has_told, cells, .. } = world;
        let load = |(member, said, _): MemberWord| {
            let own = self.host(rank);
            Some(match said {
                Cell::Entered if self.plant == Plant::WithoutOwn => {
                    entered[rank].max(entered[member])
                }
                Cell::Entered => entered[member],
                Cell::Told { round } if self.plant == Plant::OneOfHost => {
                    cells[self.cell(own, member, round)].max(entered[member].min(1))
                }
                Cell::Told { round } => cells[self.cell(own, member, round)],
                Cell::HasTold { round } => has_told[member * self.rounds + round],
                Cell::Complete => 0,
            })
        };
        Rc::make_mut(&mut barriers[rank]).look(self.last, &load).unwrap();
    }

    /// One step of a member that tells.
    fn tell(&self, world: &mut World, rank: Rank) {
        let telling = world.telling[rank].as_mut().expect("it tells");
        let write = telling.write;
        match telling.left.pop_front() {
            Some(Some(to)) => {
                let (round, epoch) = write;
                let lost = self.plant == Plant::LostCell && (round, rank) == (1, 0);
                let line = &mut world.lines[rank * self.hosts + to];
                line.extend((!lost).then_some((round, epoch)));
            }
            Some(None) => world.has_told[rank * self.rounds + write.0] = write.1,
            None => {}
        }
        if telling.left.is_empty() {
            handle_told(Rc::make_mut(&mut world.barriers[rank]), write);
            world.telling[rank] = None;
        }
    }

    /// The oldest word of a line arrives. False if there is none.
    fn deliver(&self, world: &mut World, line: usize) -> bool {
        let Some((round, epoch)) = world.lines[line].pop_front() else { return false };
        world.cells[self.cell(line % self.hosts, line / self.hosts, round)] = epoch;
        true
    }

    /// All words that are under way arrive.
    fn deliver_all(&self, world: &mut World) {
        (0..world.lines.len()).for_each(|line| while self.deliver(world, line) {});
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
            if let Some(write) = poll_round(&world.barriers[rank]) {
                let targets = self.topologies[rank].targets(write.0);
                let mut left: VecDeque<_> = targets.iter().copied().map(Some).collect();
                match self.plant {
                    Plant::SaysFirst => left.push_front(None),
                    _ => left.push_back(None),
                }
                after(&|next| next.telling[rank] = Some(Telling { write, left: left.clone() }));
            }
            if world.entered[rank] < self.last {
                after(&|next| self.enter(next, rank));
            }
        }
        for line in (0..world.lines.len()).filter(|&line| !world.lines[line].is_empty()) {
            after(&|next| _ = self.deliver(next, line));
        }
        moves
    }

    /// The number of states, or what is wrong in one.
    fn explore(&self) -> Result<usize, String> {
        let start = Rc::new(self.start());
        let (mut seen, mut open) = (Seen::from_iter([start.clone()]), vec![start]);
        while let Some(world) = open.pop() {
            let entered = *world.entered.iter().min().unwrap();
            for (rank, barrier) in world.barriers.iter().enumerate() {
                if barrier.complete() > entered {
                    return Err(format!("rank {rank} has completed what a member has not entered"));
                }
                // Who leaves with all complete owes nothing: its host has told all, and the words
                // of who has told it are under way.
                self.check_told(&world, rank)?;
            }
            let moves = self.moves(&world);
            if self.is_stuck(&world, &moves) {
                return Err("nobody goes on, and a barrier is open".to_owned());
            }
            let new = moves.into_iter().map(Rc::new).filter(|next| seen.insert(next.clone()));
            open.extend(new);
        }
        Ok(seen.len())
    }

    /// What a member has completed, others have told, or it itself has: some word of each round is
    /// under way or there.
    fn check_told(&self, world: &World, rank: Rank) -> Result<(), String> {
        let (barrier, near) =
            (&world.barriers[rank], |&member: &Rank| self.host(member) == self.host(rank));
        for round in 0..self.rounds {
            for &host in self.topologies[rank].targets(round) {
                let told = (0..self.host_of.len()).filter(near).any(|member| {
                    let line = &world.lines[member * self.hosts + host];
                    world.cells[self.cell(host, member, round)] >= barrier.complete()
                        || line.iter().any(|&word| word.0 == round && word.1 >= barrier.complete())
                });
                if !told {
                    return Err(format!("rank {rank} has completed what its host has not told"));
                }
            }
        }
        Ok(())
    }

    /// Whether nothing can happen any more but by the one that may stop, and a barrier is open at
    /// another. All who do not stop look, tell and hear until nothing changes.
    fn is_stuck(&self, world: &World, moves: &[World]) -> bool {
        let Some(stopped) = self.stops.filter(|&rank| world.telling[rank].is_some()) else {
            return moves.is_empty()
                && world.barriers.iter().any(|barrier| barrier.complete() < self.last);
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
                if let Some(write) = poll_round(&world.barriers[rank]) {
                    let targets = self.topologies[rank].targets(write.0).iter().copied();
                    let left = targets.map(Some).chain([None]).collect();
                    world.telling[rank] = Some(Telling { write, left });
                }
            }
            self.deliver_all(&mut world);
            if world == before {
                let others = (0..self.host_of.len()).filter(|&rank| rank != stopped);
                return others.into_iter().any(|rank| world.barriers[rank].complete() < self.last);
            }
        }
    }
}

/// The jobs that are small enough: which member is on which host, how many hosts each tells in a
/// round (with one, three hosts take two rounds; with two, one), how many barriers there are, and
/// which member may stop for good while it tells, if another is on its host.
type Small = (&'static [u32], usize, Epoch, Option<Rank>);
const JOBS: [Small; 5] = [
    (&[0, 1, 2], 1, 1, None),
    (&[0, 1], 1, 2, None),
    (&[0, 0, 1], 1, 1, Some(0)),
    (&[0, 0, 1, 2], 1, 1, Some(0)),
    (&[0, 0, 1, 2], 2, 1, Some(0)),
];

fn explore(job: Small, plant: Plant) -> Result<usize, String> {
    Job::new(job, plant).explore()
}

/// SEMANTICS: BAR-1, BAR-3, BAR-4, END-1
#[test]
fn a_barrier_completes_on_all_hosts_when_all_have_entered() {
    // The last has most of the states. Quick tests look for planted faults in it alone.
    for job in bound([&JOBS[..4], &JOBS, &JOBS]).iter().copied() {
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
        (Plant::WithoutOwn, &JOBS[3..5]),
        (Plant::SaysFirst, &JOBS[3..5]),
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
    let mut barrier = on_hosts(0, &[0, 1, 1], ports(2), 5);
    barrier.handle_enter();
    let said = |epochs: [Epoch; 3]| move |(member, _, _): MemberWord| Some(epochs[member]);
    let wrong = barrier.look(9, &said([6, 0, 10])).unwrap_err();
    assert_eq!((wrong.member, wrong.epoch), (2, 10));
    let mut random = fastrand::Rng::with_seed(3);
    let (mut quiet, mut found) = (0, 0);
    for _ in 0..300 {
        let mut barrier = on_hosts(0, &[0, 0, 1, 1, 2, 3, 4], 1, 0);
        let mut words = [0; 7];
        for _ in 0..40 {
            let member = random.usize(..7);
            let more = random.u64(..2);
            words[member] += more;
            if (member, more) == (0, 1) {
                barrier.handle_enter();
            }
            let load = |(member, said, _): MemberWord| match said {
                Cell::HasTold { .. } | Cell::Complete => Some(0),
                _ => Some(words[member]),
            };
            let (is_quiet, before) = (barrier.is_quiet(&load), barrier.clone());
            barrier.look(100, &load).unwrap();
            let news = barrier != before || poll_round(&barrier).is_some();
            assert!(
                !is_quiet
                    || barrier.complete() == before.complete() && poll_round(&barrier).is_none()
            );
            quiet += u32::from(is_quiet);
            found += u32::from(news);
            while let Some(write) = poll_round(&barrier) {
                handle_told(&mut barrier, write);
                barrier.look(100, &load).unwrap();
            }
        }
    }
    assert!(quiet > 1000 && found > 300, "{quiet} {found}");
}

/// Members that enter and then compute: each stores its word, looks, tells what is due, word by
/// word, and does nothing else. Nobody looks a second time for one barrier.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Computing {
    world: World,
    /// Which of them have stored and not looked yet.
    is_in_call: Vec<bool>,
}

impl Job<'_> {
    /// What can come next of members that only enter. `looks_first` plants a look before the store.
    fn calls(&self, state: &Computing, looks_first: bool) -> Vec<Computing> {
        let mut next = Vec::new();
        for rank in 0..self.host_of.len() {
            let mut after = state.clone();
            let world = &mut after.world;
            if world.telling[rank].is_some() {
                self.tell(world, rank);
            } else if state.is_in_call[rank] {
                after.is_in_call[rank] = false;
                match looks_first {
                    true => world.entered[rank] += 1,
                    false => self.look_and_tell(world, rank),
                }
            } else if world.entered[rank] < self.last {
                after.is_in_call[rank] = true;
                match looks_first {
                    true => {
                        Rc::make_mut(&mut world.barriers[rank]).handle_enter();
                        self.look_and_tell(world, rank);
                    }
                    false => self.enter(world, rank),
                }
            } else {
                continue;
            }
            next.push(after);
        }
        next
    }

    fn look_and_tell(&self, world: &mut World, rank: Rank) {
        self.look(world, rank);
        if let Some(write) = poll_round(&world.barriers[rank]) {
            let targets = self.topologies[rank].targets(write.0).iter().copied();
            let left = targets.map(Some).chain([None]).collect();
            world.telling[rank] = Some(Telling { write, left });
        }
    }

    /// The number of ends, or what is wrong at one. The words between hosts have all come there:
    /// when they do is no matter, since nobody looks at them before.
    fn explore_computing(&self, looks_first: bool) -> Result<usize, String> {
        let (world, size) = (self.start(), self.host_of.len());
        let entered = vec![0; size];
        let world = World { barriers: self.barriers(&entered), entered, ..world };
        let start = Computing { world, is_in_call: vec![false; size] };
        let (mut seen, mut open, mut ends) = (Seen::default(), vec![start], 0);
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let next = self.calls(&state, looks_first);
            if next.is_empty() {
                ends += 1;
                let mut world = state.world;
                self.deliver_all(&mut world);
                for rank in 0..self.host_of.len() {
                    self.look(&mut world, rank);
                    if world.barriers[rank].complete() < self.last {
                        return Err(format!("rank {rank} waits for calls of others"));
                    }
                }
            }
            open.extend(next);
        }
        Ok(ends)
    }
}

/// On up to [`ALL_TO_ALL`] hosts a barrier completes though every member computes after it has
/// entered: the last to enter on each host is inside a call, and tells all. By dissemination it
/// does not, which the last case shows. SEMANTICS: BAR-4
#[test]
fn a_barrier_completes_though_all_compute() {
    let explore = |host_of: &[u32], ports, last, looks_first| {
        let job = Job::new((host_of, ports, last, None), Plant::Nothing);
        job.explore_computing(looks_first)
    };
    for (host_of, last) in [
        (&[0, 1][..], 3),
        (&[0, 0, 1], 2),
        (&[0, 0, 1, 1], 1),
        (&[0, 0, 0, 1], 1),
        (&[0, 0, 1, 2], 1),
    ] {
        let hosts = *host_of.iter().max().unwrap() as usize + 1;
        let ends = explore(host_of, ports(hosts), last, false);
        let ends = ends.unwrap_or_else(|error| panic!("{host_of:?}: {error}"));
        assert!(ends > 0, "{host_of:?}");
    }
    assert!(explore(&[0, 0, 1], 1, 1, true).is_err(), "two that look before they store");
    assert!(explore(&[0, 1, 2], 1, 1, false).is_err(), "hosts that pass on what they have heard");
}
