//! The board of groups on several hosts, under random schedules. What a rank writes comes to other
//! hosts later, the words of one rank in order and those of two in any. Groups follow one another
//! at one place; hosts tell each other at once, or in several rounds.

use std::cell::{self, RefCell};
use std::collections::VecDeque;

use runahead_testkit::effort::bound;

use super::*;
use crate::order::barrier::{Barrier, MemberWord};
use crate::order::hosts::{Target, Write, ports};

const PLACE: usize = 5;
const OPEN: Epoch = 3;
/// How many barriers each group has: an old completed epoch says more than a new group has entered,
/// for a long time.
const BARRIERS: [Epoch; 3] = [6, 8, 10];

/// Faults that the test must notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plant {
    Nothing,
    /// What one rank has stored last comes first.
    OutOfOrder,
    /// A member finds that its host has entered the last barrier of a group, and tells no other
    /// host.
    Lost,
    /// What hosts have told each other for the group before stays when a rank joins the next.
    CellsStay,
}

struct Copies {
    host_of: Vec<usize>,
    memory: Vec<Vec<cell::Cell<u64>>>,
    /// What is on its way from each rank, by way of each other.
    lines: RefCell<Vec<VecDeque<(usize, u64)>>>,
    ports: fn(usize) -> usize,
    plant: Plant,
}

impl Copies {
    fn new(host_of: &[usize], ports: fn(usize) -> usize, plant: Plant) -> Copies {
        let (size, hosts) = (host_of.len(), host_of.iter().max().map_or(0, |&last| last + 1));
        let words = vec![cell::Cell::new(0); Layout::on_hosts(size, hosts, ports(hosts)).words()];
        Copies {
            ports,
            host_of: host_of.to_vec(),
            memory: vec![words; hosts],
            lines: RefCell::new(vec![VecDeque::new(); size * size]),
            plant,
        }
    }

    /// Delivers something. False if there is nothing.
    fn deliver(&self, random: &mut fastrand::Rng) -> bool {
        let mut lines = self.lines.borrow_mut();
        let waiting: Vec<usize> = (0..lines.len()).filter(|&at| !lines[at].is_empty()).collect();
        let Some(&at) = waiting.get(random.usize(..waiting.len().max(1))) else { return false };
        let line = &mut lines[at];
        let next = if self.plant == Plant::OutOfOrder { line.pop_back() } else { line.pop_front() };
        if let Some((word, value)) = next {
            self.memory[self.host_of[at % self.host_of.len()]][word].set(value);
        }
        true
    }
}

struct View<'c> {
    copies: &'c Copies,
    rank: Rank,
}

impl View<'_> {
    fn stays(&self, word: usize, value: u64) -> bool {
        let (size, hosts) = (self.copies.host_of.len(), self.copies.memory.len());
        let layout = Layout::on_hosts(size, hosts, (self.copies.ports)(hosts));
        let is_tag = (layout.tag(0, 0)..layout.wants(0)).contains(&word);
        match self.copies.plant {
            Plant::CellsStay => !is_tag && value == 0,
            Plant::Lost => !is_tag && BARRIERS.contains(&value),
            _ => false,
        }
    }
}

impl Load for View<'_> {
    fn load(&self, word: usize) -> u64 {
        self.copies.memory[self.copies.host_of[self.rank]][word].get()
    }
}

impl Words for View<'_> {
    fn store(&self, word: usize, value: u64) {
        self.copies.memory[self.copies.host_of[self.rank]][word].set(value);
    }

    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        assert_ne!(self.copies.host_of[peer], self.copies.host_of[self.rank]);
        if !self.stays(word, value) {
            let at = self.rank * self.copies.host_of.len() + peer;
            self.copies.lines.borrow_mut()[at].push_back((word, value));
        }
        true
    }

    fn written_at(&self, peer: Rank) -> Written {
        let at = self.rank * self.copies.host_of.len() + peer;
        let has_come = self.copies.lines.borrow()[at].is_empty();
        if has_come { Written::Arrived } else { Written::UnderWay }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Agreeing,
    Agreed,
    Within,
}

/// A rank that is a member of one group after the other.
struct Member {
    board: Board,
    barriers: Barrier,
    nth: usize,
    phase: Phase,
}

struct Run {
    copies: Copies,
    members: Vec<Member>,
    /// How many have agreed to the place for each group.
    agreed: [usize; BARRIERS.len() + 1],
    completed_used: usize,
    /// How often hosts have told others something.
    told: u64,
}

const fn group(nth: usize) -> GroupId {
    GroupId(3 + nth as u32)
}

/// The members of the groups, one after the other: where they are enough not always the same, nor
/// always in the same order, so that hosts are not either.
fn members(size: usize, nth: usize) -> Vec<Rank> {
    let mut all: Vec<Rank> = (0..size).collect();
    all.rotate_left(nth / 2 % size);
    if size > 3 && nth == 1 {
        all.pop();
    }
    all
}

impl Run {
    fn new(host_of: &[usize], ports: fn(usize) -> usize, plant: Plant) -> Run {
        let size = host_of.len();
        let member = |rank| Member {
            board: Board::on_hosts(rank, host_of.iter().map(|&host| host as u32).collect(), ports),
            barriers: Barrier::on_board(rank, size, 0),
            nth: 0,
            phase: Phase::Agreeing,
        };
        Run {
            copies: Copies::new(host_of, ports, plant),
            members: (0..size).map(member).collect(),
            agreed: [0; BARRIERS.len() + 1],
            completed_used: 0,
            told: 0,
        }
    }

    /// One move of a rank. False if it can do nothing but wait.
    fn step(&mut self, rank: Rank, enters: bool) -> bool {
        let size = self.members.len();
        let Run { copies, members, agreed, completed_used, told } = self;
        let (view, member) = (View { copies, rank }, &mut members[rank]);
        let Some(&last) = BARRIERS.get(member.nth) else { return false };
        let everyone = self::members(size, member.nth);
        let Some(own) = everyone.iter().position(|&it| it == rank) else {
            member.nth += 1;
            return true;
        };
        match member.phase {
            Phase::Agreeing => {
                member.board.retire(&view, |_| true);
                if member.board.free(&view) >> PLACE & 1 == 0 {
                    return false;
                }
                agreed[member.nth] += 1;
                member.phase = Phase::Agreed;
                true
            }
            Phase::Agreed => {
                if agreed[member.nth] < everyone.len() {
                    return false;
                }
                member.board.join(&view, PLACE, group(member.nth), &everyone, 0);
                let topology = member.board.topology(&everyone).expect("they are on several");
                member.barriers = Barrier::on_hosts(own, topology, 0);
                assert!(member.board.spans_hosts(PLACE));
                member.phase = Phase::Within;
                true
            }
            Phase::Within => {
                let (board, barriers) = (&mut member.board, &mut member.barriers);
                let before = barriers.complete();
                let may = barriers.entered() < last && barriers.entered() < before + OPEN;
                let enters = enters && may;
                if enters {
                    barriers.handle_enter();
                    let (_, epoch) = barriers.poll_published().expect("it has entered");
                    board.publish(&view, PLACE, epoch);
                }
                let group = group(member.nth);
                let (mut has_told, used) = (0, cell::Cell::new(0));
                loop {
                    let load = |(other, cell, known): MemberWord| {
                        let word = Word { place: PLACE, group, rank: everyone[other], cell, known };
                        let said = board.read(&view, word);
                        used.set(
                            used.get()
                                + usize::from(
                                    cell == Cell::Complete
                                        && said.is_some_and(|said| said > before),
                                ),
                        );
                        said
                    };
                    barriers.look(last, &load).expect("nobody enters more");
                    let Some(write) = barriers.poll_write() else { break };
                    match write {
                        Write { to: Target::Round(round), epoch } => {
                            assert!(board.tell_hosts(&view, PLACE, (round, epoch)));
                            has_told += 1;
                        }
                        Write { to: Target::OwnHost, epoch } => {
                            board.publish_completed(&view, PLACE, epoch);
                        }
                    }
                    barriers.handle_written(write);
                }
                *completed_used += used.get();
                *told += has_told;
                let news = enters || has_told > 0 || barriers.complete() > before;
                if barriers.complete() == last {
                    member.board.handle_drop(group);
                    member.board.retire(&view, |_| true);
                    member.nth += 1;
                    member.phase = Phase::Agreeing;
                }
                news
            }
        }
    }

    /// Whether every barrier that has completed was entered by all.
    fn is_safe(&self) -> bool {
        self.members.iter().all(|member| {
            let entered = |other: &Member| match other.nth.cmp(&member.nth) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Greater => Epoch::MAX,
                std::cmp::Ordering::Equal if other.phase != Phase::Within => 0,
                std::cmp::Ordering::Equal => other.barriers.entered(),
            };
            let complete =
                if member.phase == Phase::Within { member.barriers.complete() } else { 0 };
            let all = members(self.members.len(), member.nth);
            all.into_iter().all(|other| entered(&self.members[other]) >= complete)
        })
    }
}

/// How often completed epochs were used, and hosts have told each other something; or what went
/// wrong.
fn run(
    host_of: &[usize],
    ports: fn(usize) -> usize,
    plant: Plant,
    seed: u64,
) -> Result<(usize, u64), &'static str> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut run = Run::new(host_of, ports, plant);
    let size = host_of.len();
    // Some lines are slow, now and then.
    let mut pause = 0;
    loop {
        if pause == 0 && random.u8(..20) == 0 {
            pause = random.usize(..200);
        }
        pause = pause.saturating_sub(1);
        let delivered = pause == 0 && random.bool() && run.copies.deliver(&mut random);
        let moved = run.step(random.usize(..size), random.bool());
        if !run.is_safe() {
            return Err("a barrier has completed that a member has not entered");
        }
        if run.members.iter().all(|member| member.nth == BARRIERS.len()) {
            return Ok((run.completed_used, run.told));
        }
        if !delivered && !moved {
            while run.copies.deliver(&mut random) {}
            let moves = (0..size).fold(false, |moved, rank| run.step(rank, true) | moved);
            if !moves && run.copies.lines.borrow().iter().all(VecDeque::is_empty) {
                return Err("nobody goes on");
            }
            if !run.is_safe() {
                return Err("a barrier has completed that a member has not entered");
            }
        }
    }
}

const HOSTS: [&[usize]; 5] =
    [&[0, 1, 1], &[0, 0, 1, 1], &[0, 1, 2, 1], &[1, 0, 0, 1, 2], &[0, 1, 2, 3, 4, 2]];

/// Hosts tell all others, or one in each round.
const PORTS: [fn(usize) -> usize; 2] = [ports, |_| 1];

// SEMANTICS: BAR-1, BAR-4
#[test]
fn barriers_complete_when_all_have_entered() {
    for (at, ports) in PORTS.into_iter().enumerate() {
        let (mut completed_used, mut told) = (0, 0);
        let seeds: u64 = bound([60, 300, 300]);
        for host_of in HOSTS {
            for seed in 0..seeds {
                match run(host_of, ports, Plant::Nothing, seed) {
                    Ok((uses, times)) => {
                        (completed_used, told) = (completed_used + uses, told + times)
                    }
                    Err(error) => panic!("{host_of:?}, {at}, seed {seed}: {error}"),
                }
            }
        }
        assert!(completed_used as u64 > seeds * 3 && told > seeds * 33, "{completed_used} {told}");
    }
}

/// The test above can fail.
// SEMANTICS: BAR-1, BAR-4
#[test]
fn faults_are_noticed() {
    use Plant::*;
    for plant in [OutOfOrder, Lost, CellsStay] {
        for (at, ports) in PORTS.into_iter().enumerate() {
            let fails = |host_of| (0..300).any(|seed| run(host_of, ports, plant, seed).is_err());
            assert!(HOSTS.into_iter().any(fails), "{plant:?}, {at}");
        }
    }
}
