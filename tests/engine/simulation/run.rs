//! Runs a case in one thread, with a seeded schedule, and compares all that the ranks see with what
//! the reference allows.
//!
//! The reference is a few tables: what was sent and not received yet, how many barriers of each group
//! each rank has initiated, and how many are complete where. First some ranks are kept from running for long
//! stretches; then all run in turn, and everything must come to its end within so many turns.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use fastrand::Rng;
use runahead::internals::message::{
    Context, Engine, Envelope, Info, Lane, MessageError, Pattern, RecvId, SIGNAL, SendId, Source,
    Tag,
};
use runahead::internals::order::{GroupId, Ticket};
use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::threads::{ThreadsNic, connect};
use runahead::{Algorithm, Config, Launch};
use runahead_testkit::effort::bound;

use super::planted::{Mistake, Planted};
use super::program::{Barrier, Cancel, Case, Drop, Make, Op, Poll, Post, Send};

type Net = Planted<Fault<ThreadsNic>>;

/// Payloads up to this length are sent at once.
const EAGER_BYTES: usize = 48;
/// Turns of all ranks after which everything must have come to its end.
fn turns() -> usize {
    bound([500, 3000, 3000])
}

/// A message that was sent and has not been received.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sent {
    number: u64,
    group: usize,
    /// How many barriers of each group that holds the receiver its sender had initiated.
    after: Vec<u64>,
    bytes: usize,
}

/// A receive that was posted.
struct Posted {
    id: RecvId,
    group: usize,
    source: Source,
    /// The how-many-th receive of this rank it is.
    order: u64,
}

/// Which receive, in the order of posting, got which message.
type Received = Vec<(u64, u64)>;

/// Messages that may stand for one another: one sender, one receiver, one group, one tag.
type Line = (usize, usize, usize, u32);

/// What a rank has to do with a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It has not made it yet, or never will.
    Outside,
    Inside,
    Dropped,
}

struct Rank {
    engine: Engine<Net>,
    program: VecDeque<Op>,
    posted: VecDeque<Posted>,
    requests: Vec<SendId>,
    tickets: Vec<Ticket>,
    receives: u64,
    /// The lowest id of a group that it has not made, as its network is told.
    next_group: Arc<AtomicU32>,
}

/// What the reference knows.
struct Reference {
    /// How many messages were sent.
    numbers: u64,
    /// What was sent and not received yet, where its receiver has not dropped the group.
    under_way: BTreeMap<Line, VecDeque<Sent>>,
    got: BTreeMap<Line, Received>,
    /// How many barriers of each group each rank has initiated.
    initiated: Vec<Vec<u64>>,
    /// By rank and group.
    parts: Vec<Vec<Part>>,
}

/// Runs the case; Err says what went wrong. `made` is set if the mistake was made.
pub fn run(case: &Case, mistake: Mistake, made: &Arc<AtomicBool>) -> Result<(), String> {
    let mut job = Job::new(case, mistake, made);
    let mut rng = Rng::with_seed(case.seed ^ 0x5eed);
    job.withhold(&mut rng)?;
    job.finish(&mut rng)?;
    if !case.cancels() {
        job.reference.check_order()?;
    }
    job.check_credit()?;
    if case.lossy == 0 {
        job.end(&mut rng)?;
    }
    Ok(())
}

struct Job {
    ranks: Vec<Rank>,
    reference: Reference,
    open_limit: u64,
    first_epoch: u64,
    window: u32,
    groups: Vec<Vec<usize>>,
    algorithm: Algorithm,
    mistake: Mistake,
    made: Arc<AtomicBool>,
}

fn at(rank: usize) -> impl Fn(MessageError) -> String {
    move |error| format!("rank {rank}: {error}")
}

impl Job {
    fn new(case: &Case, mistake: Mistake, made: &Arc<AtomicBool>) -> Job {
        let size = case.size();
        let config = Config {
            algorithm: case.algorithm,
            window_messages: case.window,
            signal_window: case.signal_window,
            bulk_window: 1 + case.window % 3,
            eager_bytes: EAGER_BYTES,
            segment_bytes: 64,
            open_barriers: case.open_barriers,
            first_epoch: case.first_epoch,
            resend_after: Duration::ZERO,
            ..Config::new(size)
        };
        let plan = FaultPlan {
            seed: case.seed,
            lossy: if case.lossy > 0 { vec![SIGNAL] } else { vec![] },
            drop_per_mille: case.lossy,
            duplicate_per_mille: case.lossy,
            max_delay_ticks: case.delay,
            ..FaultPlan::default()
        };
        let fabric = Launch::new(size).options(config.clone()).fabric().unwrap();
        let nics = connect(size, &fabric).unwrap();
        let ranks =
            nics.into_iter().zip(&case.programs).enumerate().map(|(rank, (nic, program))| {
                // One rank alone makes the mistake.
                let mistake = if rank == 0 { mistake } else { Mistake::None };
                let next_group = Arc::new(AtomicU32::new(1));
                let nic = Planted::new(
                    Fault::new(nic, plan.clone()).with_shared_words(),
                    mistake,
                    Arc::clone(made),
                    Arc::clone(&next_group),
                );
                Rank {
                    engine: Engine::new(nic, config.clone()).unwrap(),
                    program: program.iter().copied().collect(),
                    posted: VecDeque::new(),
                    requests: Vec::new(),
                    tickets: Vec::new(),
                    receives: 0,
                    next_group,
                }
            });
        let mut parts = vec![vec![Part::Outside; case.groups.len()]; size];
        parts.iter_mut().for_each(|parts| parts[0] = Part::Inside);
        Job {
            ranks: ranks.collect(),
            reference: Reference {
                numbers: 0,
                under_way: BTreeMap::new(),
                got: BTreeMap::new(),
                initiated: vec![vec![0; case.groups.len()]; size],
                parts,
            },
            open_limit: case.open_barriers as u64,
            first_epoch: case.first_epoch,
            window: case.window,
            groups: case.groups.clone(),
            algorithm: case.algorithm,
            mistake,
            made: Arc::clone(made),
        }
    }

    /// Runs the ranks in any order; now and then some are kept from running for long.
    fn withhold(&mut self, rng: &mut Rng) -> Result<(), String> {
        let size = self.ranks.len();
        for _ in 0..4 {
            let running: Vec<usize> = (0..size).filter(|_| rng.u8(0..3) > 0).collect();
            for _ in 0..rng.usize(0..40 * size) {
                let Some(&rank) = running.get(rng.usize(0..size)) else { continue };
                self.step(rank, rng)?;
            }
        }
        Ok(())
    }

    /// Runs all ranks in turn until nothing is left to be done.
    fn finish(&mut self, rng: &mut Rng) -> Result<(), String> {
        for _ in 0..turns() {
            for rank in 0..self.ranks.len() {
                self.advance(rank)?;
                self.test_all(rank)?;
                for group in self.live(rank) {
                    self.poll(rank, group, ANY)?;
                }
                self.step(rank, rng)?;
            }
            if self.is_finished() {
                return Ok(());
            }
        }
        let left: Vec<_> = self.ranks.iter().map(|rank| rank.program.len()).collect();
        let under_way = &self.reference.under_way;
        Err(format!("no end in sight: operations left {left:?}, messages under way {under_way:?}"))
    }

    fn is_finished(&self) -> bool {
        let received = self.reference.under_way.values().all(VecDeque::is_empty);
        received
            && self.ranks.iter().all(|rank| {
                rank.program.is_empty()
                    && rank.engine.order().open_barriers().next().is_none()
                    && rank.requests.iter().all(|&request| rank.engine.is_sent(request))
            })
    }

    /// All have come to their end: each leaves without waiting for another.
    fn end(mut self, rng: &mut Rng) -> Result<(), String> {
        for _ in 0..50 {
            for rank in 0..self.ranks.len() {
                self.ranks[rank].engine.progress().map_err(at(rank))?;
            }
        }
        while !self.ranks.is_empty() {
            let rank = rng.usize(0..self.ranks.len());
            let leaving = self.ranks.remove(rank);
            leaving.engine_end()?;
            for rank in &mut self.ranks {
                let own = rank.engine.rank();
                rank.engine.progress().map_err(at(own))?;
            }
        }
        Ok(())
    }

    /// One call of one rank.
    fn step(&mut self, rank: usize, rng: &mut Rng) -> Result<(), String> {
        match rng.u8(0..8) {
            0..4 => self.advance(rank)?,
            4 => self.test_all(rank)?,
            5 => {
                let live = self.live(rank);
                let group = live[rng.usize(0..live.len())];
                self.poll(rank, group, Pattern { tag: Tag::Exactly(rng.u32(0..2)), ..ANY })?;
            }
            _ => drop(self.ranks[rank].engine.progress().map_err(at(rank))?),
        }
        self.check_barriers(rank)
    }

    /// Does the next operation of the program, if it can be done now.
    fn advance(&mut self, rank: usize) -> Result<(), String> {
        let Some(&op) = self.ranks[rank].program.front() else { return Ok(()) };
        let own = &mut self.ranks[rank];
        let pattern = |from: Option<usize>, tag: Option<u32>| Pattern {
            source: from.map_or(Source::Any, Source::Rank),
            tag: tag.map_or(Tag::Any, Tag::Exactly),
        };
        match op {
            Make(group) => return self.make(rank, group),
            Drop(group) => self.drop_group(rank, group)?,
            Barrier(group) => match own.engine.try_barrier(GroupId(group as u32)) {
                Ok(ticket) => {
                    self.reference.initiated[rank][group] += 1;
                    own.tickets.push(ticket);
                }
                Err(MessageError::Refused(_)) => return Ok(()),
                Err(error) => return Err(at(rank)(error)),
            },
            Send { group, to, tag, bytes, queued } => {
                let common = |(which, &count): (usize, &u64)| {
                    if self.groups[which].contains(&to) { count } else { 0 }
                };
                let after = self.reference.initiated[rank].iter().enumerate().map(common);
                let number = self.reference.numbers;
                let sent = Sent { number, group, after: after.collect(), bytes };
                let payload = payload(rank, &sent);
                let envelope = Envelope { context: context(group), tag, element: 0 };
                let left = match queued {
                    true => own.engine.post_send(to, envelope, &payload).map(|id| {
                        own.requests.push(id);
                        true
                    }),
                    false => own.engine.try_send(to, envelope, &payload),
                };
                if !left.map_err(at(rank))? {
                    return Ok(());
                }
                self.reference.numbers += 1;
                // Who has dropped the group never receives it.
                if self.reference.parts[to][group] != Part::Dropped {
                    let line = (rank, to, group, tag);
                    self.reference.under_way.entry(line).or_default().push_back(sent);
                }
            }
            Post { group, from, tag } => {
                let pattern = pattern(from, tag);
                own.receives += 1;
                let order = own.receives;
                let id = own.engine.post_recv(context(group), pattern).map_err(at(rank))?;
                own.posted.push_back(Posted { id, group, source: pattern.source, order });
            }
            Cancel => {
                if let Some(posted) = own.posted.pop_front() {
                    own.engine.cancel_recv(posted.id);
                }
            }
            Poll { group, from, tag } => self.poll(rank, group, pattern(from, tag))?,
        }
        self.ranks[rank].program.pop_front();
        self.check_barriers(rank)
    }

    /// The groups in which the rank can receive.
    fn live(&self, rank: usize) -> Vec<usize> {
        let parts = self.reference.parts[rank].iter().enumerate();
        parts.filter(|(_, part)| **part == Part::Inside).map(|(group, _)| group).collect()
    }

    /// The id of a group: its number, so that all agree.
    fn make(&mut self, rank: usize, group: usize) -> Result<(), String> {
        let mut id = group as u32;
        let before = group - 1;
        let in_both = before > 0 && self.groups[before].contains(&rank);
        if in_both && self.mistake == Mistake::IdTwice(group as u64) {
            self.made.store(true, Ordering::Relaxed);
            id -= 1;
        }
        let own = &mut self.ranks[rank];
        let members = &self.groups[group];
        // A place for each.
        let place = (self.algorithm == Algorithm::Board).then_some(group);
        let made = own.engine.add_group(GroupId(id), members, self.algorithm, place);
        made.map_err(at(rank))?;
        own.next_group.store(id + 1, Ordering::Relaxed);
        self.reference.parts[rank][group] = Part::Inside;
        own.program.pop_front();
        Ok(())
    }

    // SEMANTICS: GRP-3
    fn drop_group(&mut self, rank: usize, group: usize) -> Result<(), String> {
        let own = &mut self.ranks[rank];
        // Of those still posted, half are given up before, and the others go with the group.
        own.posted.retain(|posted| {
            if posted.group == group && posted.order % 2 == 0 {
                own.engine.cancel_recv(posted.id);
            }
            posted.group != group
        });
        own.engine.drop_group(GroupId(group as u32)).map_err(at(rank))?;
        self.reference.parts[rank][group] = Part::Dropped;
        self.reference.under_way.retain(|&(_, to, of, _), _| (to, of) != (rank, group));
        Ok(())
    }

    fn poll(&mut self, rank: usize, group: usize, pattern: Pattern) -> Result<(), String> {
        let own = &mut self.ranks[rank];
        own.receives += 1;
        let order = own.receives;
        let received =
            own.engine.try_recv(context(group), pattern, |_| Ok(()), owned).map_err(at(rank))?;
        received
            .map_or(Ok(()), |(info, bytes)| self.check_received(rank, group, order, &info, &bytes))
    }

    /// Tests all that is open here, and takes what posted receives have got.
    fn test_all(&mut self, rank: usize) -> Result<(), String> {
        let mut waiting = VecDeque::new();
        while let Some(posted) = self.ranks[rank].posted.pop_front() {
            let engine = &mut self.ranks[rank].engine;
            if !engine.test_recv(posted.id, posted.source).map_err(at(rank))? {
                waiting.push_back(posted);
                continue;
            }
            let taken = engine.finish_recv(posted.id, posted.source, |_| Ok(()), owned);
            let (info, bytes) = taken.map_err(at(rank))?;
            self.check_received(rank, posted.group, posted.order, &info, &bytes)?;
        }
        let own = &mut self.ranks[rank];
        own.posted = waiting;
        for &ticket in &own.tickets {
            let complete = own.engine.test_barrier(ticket).map_err(at(rank))?;
            let group = ticket.group.0 as usize;
            let first = if group == 0 { self.first_epoch } else { 0 };
            let has =
                |&member: &usize| self.reference.initiated[member][group] + first >= ticket.epoch;
            if complete && !self.groups[group].iter().all(has) {
                return Err(format!("rank {rank}: {ticket:?} completed early"));
            }
        }
        Ok(())
    }

    // SEMANTICS: ORD-1, ORD-2, HOLD-1, FLOW-4, GRP-1
    fn check_received(
        &mut self,
        rank: usize,
        group: usize,
        order: u64,
        info: &Info,
        bytes: &[u8],
    ) -> Result<(), String> {
        let (from, line) = (info.source, (info.source, rank, group, info.tag));
        let number = u64::from_le_bytes(bytes[..8].try_into().map_err(|_| "too short")?);
        let under_way = self.reference.under_way.entry(line).or_default();
        let found = under_way.iter().position(|sent| sent.number == number);
        let Some(sent) = found.and_then(|place| under_way.remove(place)) else {
            return Err(format!(
                "rank {rank} received message {number} of {from} in group {group} out of nowhere"
            ));
        };
        if bytes != payload(from, &sent) {
            return Err(format!("rank {rank} received message {number} of {from} damaged"));
        }
        let complete: Vec<u64> = (0..self.groups.len()).map(|g| self.complete(rank, g)).collect();
        if sent.after.iter().zip(&complete).any(|(after, complete)| after > complete) {
            return Err(format!(
                "rank {rank} received message {number} of {from}, sent after barriers {:?}, when \
                 {complete:?} were complete",
                sent.after
            ));
        }
        self.reference.got.entry(line).or_default().push((order, number));
        Ok(())
    }

    /// How many barriers of a group are complete at a rank; all, of a group that it has forgotten.
    fn complete(&self, rank: usize, group: usize) -> u64 {
        let first = if group == 0 { self.first_epoch } else { 0 };
        match self.ranks[rank].engine.order().progress_of(GroupId(group as u32)) {
            Some((_, complete, _)) => complete - first,
            None => self.reference.initiated[rank][group],
        }
    }

    // SEMANTICS: BAR-1, BAR-6
    fn check_barriers(&self, rank: usize) -> Result<(), String> {
        for (group, members) in self.groups.iter().enumerate() {
            let complete = self.complete(rank, group);
            for &other in members {
                let initiated = self.reference.initiated[other][group];
                if complete > initiated {
                    return Err(format!(
                        "barrier {complete} of {group} is complete at rank {rank}, and rank \
                         {other} has initiated {initiated}"
                    ));
                }
            }
            if self.reference.initiated[rank][group] - complete > self.open_limit {
                return Err(format!("rank {rank} has more barriers open than may be"));
            }
        }
        Ok(())
    }

    /// Nothing is under way: every rank has its whole window toward every other, and no more.
    // SEMANTICS: FLOW-1, GRP-3
    fn check_credit(&mut self) -> Result<(), String> {
        let size = self.ranks.len();
        let envelope = Envelope { context: Context::WORLD, tag: 5, element: 0 };
        for rank in &mut self.ranks {
            rank.posted.drain(..).for_each(|posted| rank.engine.cancel_recv(posted.id));
        }
        for from in 0..size {
            for to in (0..size).filter(|&to| to != from) {
                for number in 0..=self.window {
                    let mut sent = false;
                    for _ in 0..200 {
                        sent |= self.ranks[from]
                            .engine
                            .try_send(to, envelope, &[1])
                            .map_err(at(from))?;
                        if sent || number == self.window {
                            break;
                        }
                        self.ranks[to].engine.progress().map_err(at(to))?;
                    }
                    if sent == (number == self.window) {
                        return Err(format!(
                            "rank {from} may send {number} messages to {to}, and then one: {sent}; \
                             the window has {}",
                            self.window
                        ));
                    }
                }
            }
        }
        let mut left = size * (size - 1) * self.window as usize;
        for _ in 0..turns() {
            for rank in &mut self.ranks {
                let own = rank.engine.rank();
                let read = |_: &Info, _: &[u8]| ();
                while let Some(()) = rank
                    .engine
                    .try_recv::<_, MessageError>(Context::WORLD, ANY, |_| Ok(()), read)
                    .map_err(at(own))?
                {
                    left -= 1;
                }
            }
            if left == 0 {
                return Ok(());
            }
        }
        Err(format!("{left} messages did not arrive"))
    }
}

impl Rank {
    // SEMANTICS: END-1
    fn engine_end(mut self) -> Result<(), String> {
        for posted in self.posted.drain(..) {
            self.engine.cancel_recv(posted.id);
        }
        let rank = self.engine.rank();
        self.engine.end(false).map_err(at(rank))
    }
}

impl Reference {
    /// Of two receives that got messages of one sender and tag, the one posted first got the one
    /// sent first.
    // SEMANTICS: ORD-2
    fn check_order(&mut self) -> Result<(), String> {
        for (&(from, to, group, _), got) in &mut self.got {
            got.sort_unstable();
            if !got.is_sorted_by_key(|&(_, number)| number) {
                return Err(format!(
                    "rank {to} received out of order from {from} in {group}: {got:?}"
                ));
            }
        }
        Ok(())
    }
}

fn owned(info: &Info, bytes: &[u8]) -> (Info, Vec<u8>) {
    (*info, bytes.to_vec())
}

const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };

fn context(group: usize) -> Context {
    Context::new(GroupId(group as u32), Lane::Program)
}

/// Number, group, sender, and then bytes that follow from these.
fn payload(from: usize, sent: &Sent) -> Vec<u8> {
    let head = [sent.number, sent.group as u64, from as u64].map(u64::to_le_bytes);
    let mut payload = head.concat();
    let filling = (payload.len()..sent.bytes).map(|at| (at as u64 * 7 + sent.number) as u8);
    payload.extend(filling);
    payload
}
