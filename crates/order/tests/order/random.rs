//! Whole jobs at random: overlapping groups that are made, used, dropped and made again, under all
//! algorithms, while signals are delivered in any order, repeated, lost, asked for and refused for
//! lack of credit. Each rank is compared with the definitions of the rules after every event.

use proptest::collection::vec;
use proptest::prelude::*;
use runahead_order::{Algorithm, Clock, Epoch, GroupId, Order, Ordering, Posted, Rank, Refused};

use crate::misreading::Misreading;
use crate::world::World;

/// One line of the program that all ranks run, each the lines of the groups that it belongs to.
#[derive(Clone, Copy, Debug)]
enum Line {
    Make { group: usize, first: Epoch },
    Barrier(usize),
    Drop(usize),
}

/// What the groups are and what is done with them.
#[derive(Clone, Debug)]
struct Program {
    size: usize,
    groups: Vec<(Vec<Rank>, Algorithm)>,
    lines: Vec<Line>,
}

impl Program {
    /// Reads a program out of numbers: whatever they are, the ranks agree on it.
    fn read(size: usize, groups: Vec<(Vec<Rank>, Algorithm)>, numbers: &[u8]) -> Program {
        let mut latest: Vec<Option<Epoch>> = vec![None; groups.len()];
        let mut ended = vec![0; groups.len()];
        let mut lines = Vec::new();
        for &number in numbers {
            let group = number as usize % groups.len();
            match (&mut latest[group], number / 32) {
                (None, _) => {
                    latest[group] = Some(ended[group]);
                    lines.push(Line::Make { group, first: ended[group] });
                }
                (Some(epoch), 0) => {
                    ended[group] = *epoch;
                    latest[group] = None;
                    lines.push(Line::Drop(group));
                }
                (Some(epoch), _) => {
                    *epoch += 1;
                    lines.push(Line::Barrier(group));
                }
            }
        }
        Program { size, groups, lines }
    }

    fn members(&self, group: usize) -> &[Rank] {
        &self.groups[group].0
    }
}

/// A barrier that a rank has initiated.
#[derive(Clone, Copy, Debug)]
struct Barrier {
    group: usize,
    epoch: Epoch,
    entered: bool,
    complete: bool,
}

#[derive(Clone, Debug, Default)]
struct Past {
    /// The next line of the program.
    next: usize,
    history: Vec<Barrier>,
    /// For each group, the latest epoch that was seen to be entered.
    entered: Vec<Epoch>,
    /// Messages posted at some time, with the receiver and the length of the history then.
    posted: Vec<(Rank, Posted, usize)>,
}

struct Job<'a> {
    program: &'a Program,
    world: World,
    pasts: Vec<Past>,
}

fn id(group: usize) -> GroupId {
    GroupId(group as u32)
}

impl<'a> Job<'a> {
    fn new(program: &'a Program, ordering: Ordering, open_limit: usize) -> Job<'a> {
        let entered = vec![0; program.groups.len()];
        let past = Past { entered, ..Past::default() };
        let world = World::new(program.size, ordering, open_limit);
        Job { program, world, pasts: vec![past; program.size] }
    }

    /// Runs the next line of a rank, if it can be run now; returns whether it was.
    fn step(&mut self, rank: Rank) -> Result<bool, String> {
        let mine = |line: &Line| match *line {
            Line::Make { group, .. } | Line::Barrier(group) | Line::Drop(group) => {
                self.program.members(group).contains(&rank)
            }
        };
        let next = self.pasts[rank].next;
        let Some(ahead) = self.program.lines[next..].iter().position(mine) else {
            return Ok(false);
        };
        match self.program.lines[next + ahead] {
            Line::Make { group, first } => {
                let (members, algorithm) = &self.program.groups[group];
                // An id is used again when all members are done with it.
                let done = |&member: &Rank| {
                    let known = self.world.ranks[member].progress_of(id(group));
                    known.is_none() && self.pasts[member].entered[group] == first
                        || known.is_some_and(|_| self.pasts[member].next > next + ahead)
                };
                if !members.iter().all(done) {
                    return Ok(false);
                }
                self.world.make(rank, id(group), members, *algorithm, first);
            }
            Line::Barrier(group) => match self.world.initiate(rank, id(group)) {
                Ok(ticket) => {
                    let epoch = ticket.epoch;
                    let barrier = Barrier { group, epoch, entered: false, complete: false };
                    self.pasts[rank].history.push(barrier);
                    if ticket.seq != self.pasts[rank].history.len() as u64 {
                        return Err(format!("{rank} counts {}", ticket.seq));
                    }
                }
                Err(Refused::OpenLimit { .. }) => return Ok(false),
                Err(refused) => return Err(refused.to_string()),
            },
            Line::Drop(group) => {
                self.world.ranks[rank].handle_drop(id(group));
                self.world.collect(rank);
            }
        }
        self.pasts[rank].next = next + ahead + 1;
        self.compare(rank)?;
        Ok(true)
    }

    fn deliver(&mut self, at: usize, keep: bool) -> Result<(), String> {
        let flying = self.world.flight[at];
        if !keep {
            self.world.flight.swap_remove(at);
        }
        self.world.hand_over(flying).map_err(|error| format!("at {}: {error}", flying.to))?;
        self.compare(flying.to)
    }

    fn look(&mut self, rank: Rank) -> Result<(), String> {
        self.world.look(rank).map_err(|error| format!("at {rank}: {error}"))?;
        self.compare(rank)
    }

    /// One event, chosen by a number.
    fn event(&mut self, number: u16) -> Result<(), String> {
        let rank = number as usize % self.program.size;
        let other = number as usize / 8 % self.program.size;
        let flying = self.world.flight.len();
        match number >> 12 {
            0..=5 => self.step(rank).map(drop),
            6..=11 if flying > 0 => self.deliver(number as usize % flying, false),
            12 if flying > 0 => self.deliver(number as usize % flying, true),
            13 if flying > 0 => {
                self.world.flight.swap_remove(number as usize % flying);
                Ok(())
            }
            14 => {
                let pair = (rank, other);
                if !self.world.without_credit.remove(&pair) {
                    self.world.without_credit.insert(pair);
                }
                self.world.collect(rank);
                self.compare(rank)
            }
            15 if number & 0x800 == 0 => {
                self.world.ask(rank);
                self.look(rank)
            }
            _ => {
                let posted = self.world.ranks[rank].post(other);
                let past = &mut self.pasts[rank];
                past.posted.push((other, posted, past.history.len()));
                self.compare(rank)
            }
        }
    }

    /// Runs the rest fairly and without loss: every barrier must complete everywhere.
    ///
    /// SEMANTICS: BAR-4
    fn finish(&mut self) -> Result<(), String> {
        self.world.without_credit.clear();
        loop {
            let mut moved = false;
            for rank in 0..self.program.size {
                self.world.collect(rank);
                while self.step(rank)? {
                    moved = true;
                }
            }
            let complete = |job: &Job<'_>| -> usize {
                let all = job.pasts.iter().flat_map(|past| &past.history);
                all.filter(|barrier| barrier.complete).count()
            };
            let before = complete(self);
            (0..self.program.size).for_each(|rank| self.world.ask(rank));
            while !self.world.flight.is_empty() {
                self.deliver(0, false)?;
            }
            (0..self.program.size).try_for_each(|rank| self.look(rank))?;
            if !moved && complete(self) == before {
                break;
            }
        }
        for (rank, past) in self.pasts.iter().enumerate() {
            if let Some(open) = past.history.iter().find(|barrier| !barrier.complete) {
                return Err(format!("{rank} is stuck with {open:?} open"));
            }
            let order = &self.world.ranks[rank];
            for peer in 0..self.program.size {
                let (here, there) =
                    (order.send_clock(peer), self.world.ranks[peer].recv_clock(rank));
                if here != there {
                    return Err(format!("clocks between {rank} and {peer}: {here} and {there}"));
                }
            }
            if self.has_more(rank) {
                return Err(format!("{rank} is stuck in line {}", past.next));
            }
        }
        Ok(())
    }

    fn has_more(&self, rank: Rank) -> bool {
        self.program.lines[self.pasts[rank].next..].iter().any(|line| match *line {
            Line::Make { group, .. } | Line::Barrier(group) | Line::Drop(group) => {
                self.program.members(group).contains(&rank)
            }
        })
    }

    /// A rank against the definitions.
    ///
    /// SEMANTICS: BAR-1, BAR-8, CLK-1, CLK-2, CLK-4, CON-1, CON-2
    fn compare(&mut self, rank: Rank) -> Result<(), String> {
        let order: &mut Order = &mut self.world.ranks[rank];
        if let Some(fault) = order.poll_fault() {
            return Err(format!("{rank} finds fault: {fault}"));
        }
        let past = &mut self.pasts[rank];
        let mut just_entered = Vec::new();
        for (at, barrier) in past.history.iter_mut().enumerate() {
            // A group is forgotten when all of it is complete.
            let known = order.progress_of(id(barrier.group));
            let (entered, complete) = known.map_or((Epoch::MAX, Epoch::MAX), |(e, c, _)| (e, c));
            if !barrier.entered && entered >= barrier.epoch {
                barrier.entered = true;
                just_entered.push(at);
                past.entered[barrier.group] = barrier.epoch;
            }
            barrier.complete |= complete >= barrier.epoch;
        }
        let past = &self.pasts[rank];
        let order = &self.world.ranks[rank];
        let members = |group| self.program.members(group);
        // BAR-1
        for barrier in past.history.iter().filter(|barrier| barrier.complete) {
            for &member in members(barrier.group) {
                if self.pasts[member].entered[barrier.group] < barrier.epoch {
                    return Err(format!("{rank} completed {barrier:?} without {member}"));
                }
            }
        }
        // CLK-1, CLK-2. What a lone rank calls is complete at once, and counts nowhere.
        let size = self.program.size;
        let is_lone = |group| members(group).len() == 1 && size > 1;
        if past.history.iter().any(|barrier| is_lone(barrier.group) && !barrier.complete) {
            return Err(format!("{rank} waits for itself"));
        }
        for peer in 0..size {
            let counts = |b: &&Barrier| members(b.group).contains(&peer) && !is_lone(b.group);
            let with = past.history.iter().filter(counts);
            let send = with.clone().count() as Clock;
            let receive = with.take_while(|barrier| barrier.complete).count() as Clock;
            let clocks = (order.send_clock(peer), order.recv_clock(peer));
            if clocks != (send, receive) {
                return Err(format!("{rank} toward {peer}: {clocks:?}, not {send}, {receive}"));
            }
        }
        // CON-2: what may be entered is entered, and nothing else.
        let bars = |earlier: &Barrier, group| {
            let holds = |rank| members(earlier.group).contains(rank);
            !earlier.complete && !members(group).iter().all(holds)
        };
        for (at, barrier) in past.history.iter().enumerate() {
            let barred = past.history[..at].iter().any(|earlier| bars(earlier, barrier.group));
            let own = |b: &Barrier| b.group == barrier.group && !b.entered;
            let behind_own = past.history[..at].iter().any(own);
            if barrier.entered && barred && just_entered.contains(&at) {
                return Err(format!("{rank} entered {barrier:?} too early"));
            }
            if !barrier.entered && !barred && !behind_own {
                return Err(format!("{rank} defers {barrier:?} for nothing"));
            }
        }
        // CON-1
        for &(peer, posted, length) in &past.posted {
            let outside = |b: &Barrier| !b.complete && !members(b.group).contains(&peer);
            let may = !past.history[..length].iter().any(outside);
            if order.may_leave(peer, posted) != may {
                return Err(format!("{rank} to {peer}: may leave should be {may}"));
            }
        }
        // BAR-8
        let oldest_open = past.history.iter().position(|barrier| !barrier.complete);
        for seq in 0..=past.history.len() {
            let through = oldest_open.is_none_or(|at| seq <= at);
            if order.is_complete_through(seq as u64) != through {
                return Err(format!("{rank}: complete through {seq} should be {through}"));
            }
        }
        Ok(())
    }
}

fn run(
    program: &Program,
    ordering: Ordering,
    open_limit: usize,
    events: &[u16],
) -> Result<(), String> {
    let mut job = Job::new(program, ordering, open_limit);
    for &event in events {
        job.event(event)?;
    }
    job.finish()
}

/// Groups of a job of `size`: each a choice of ranks, in an order turned by some places.
fn groups(size: usize) -> impl Strategy<Value = Vec<(Vec<Rank>, Algorithm)>> {
    let group = (1..1u32 << size, 0..size, 0..Algorithm::ALL.len());
    let group = group.prop_map(move |(set, turn, algorithm)| {
        let mut members: Vec<Rank> = (0..size).filter(|rank| set >> rank & 1 == 1).collect();
        let turn = turn % members.len();
        members.rotate_left(turn);
        (members, Algorithm::ALL[algorithm])
    });
    vec(group, 1..5)
}

fn program() -> impl Strategy<Value = Program> {
    let sized = (2..6usize).prop_flat_map(|size| (Just(size), groups(size)));
    let read = |((size, groups), numbers): ((usize, Vec<_>), Vec<u8>)| {
        Program::read(size, groups, &numbers)
    };
    (sized, vec(any::<u8>(), 1..40)).prop_map(read)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// SEMANTICS: BAR-1, BAR-3, BAR-4, BAR-5, BAR-6, BAR-8, CLK-1, CLK-2, CLK-4, CON-1, CON-2
    #[test]
    fn jobs_keep_the_rules(
        program in program(),
        open_limit in 1..4usize,
        events in vec(any::<u16>(), 0..400),
    ) {
        prop_assert_eq!(run(&program, Ordering::Contained, open_limit, &events), Ok(()));
    }

    /// One group, all algorithms and many sizes, several epochs open: the epochs alone.
    ///
    /// SEMANTICS: BAR-1, BAR-3, BAR-4, BAR-5
    #[test]
    fn epochs_of_one_group(
        size in 1..10usize,
        algorithm in 0..Algorithm::ALL.len(),
        open_limit in 1..6usize,
        barriers in 1..12usize,
        events in vec(any::<u16>(), 0..500),
    ) {
        let groups = vec![((0..size).collect(), Algorithm::ALL[algorithm])];
        let program = Program::read(size, groups, &vec![255; barriers + 1]);
        prop_assert_eq!(run(&program, Ordering::Contained, open_limit, &events), Ok(()));
    }
}

/// Planted faults: each misreading of containment, and the thesis's rules, break the comparison in
/// some of the first jobs of a fixed sequence.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn misreadings_of_containment_are_rejected() {
    let wrong = [
        Ordering::Pakin,
        Misreading::EnteredOnly.into(),
        Misreading::LastOnly.into(),
        Misreading::SubsetOfAny.into(),
    ];
    for ordering in wrong {
        let mut numbers = fastrand::Rng::with_seed(1);
        let rejected = (0..200).any(|_| {
            let group = |members: &[Rank]| (members.to_vec(), Algorithm::AllToAll);
            let groups = vec![group(&[0, 1]), group(&[0, 2]), group(&[0, 1, 2]), group(&[2, 3, 0])];
            let lines: Vec<u8> = (0..20).map(|_| numbers.u8(..)).collect();
            let events: Vec<u16> = (0..200).map(|_| numbers.u16(..)).collect();
            let program = Program::read(4, groups, &lines);
            assert_eq!(run(&program, Ordering::Contained, 3, &events), Ok(()));
            run(&program, ordering, 3, &events).is_err()
        });
        assert!(rejected, "{ordering:?} passes");
    }
}
