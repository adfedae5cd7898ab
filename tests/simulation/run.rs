//! Runs a case in one thread, with a seeded schedule, and compares all that the ranks see with what
//! the reference allows.
//!
//! The reference is a few tables: what was sent and not received yet, how many barriers each rank
//! has initiated, and how many are complete where. First some ranks are kept from running for long
//! stretches; then all run in turn, and everything must come to its end within so many turns.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fastrand::Rng;
use runahead::message::{
    Context, Engine, Envelope, Info, MessageError, Pattern, RecvId, SIGNAL, SendId, Source, Tag,
};
use runahead::order::{GroupId, Ticket};
use runahead::provider::fault::{Fault, FaultPlan};
use runahead::provider::threads::ThreadsNic;
use runahead::{Config, Launch};

use super::planted::{Mistake, Planted};
use super::program::{Barrier, Cancel, Case, Op, Poll, Post, Send};

type Net = Planted<Fault<ThreadsNic>>;

/// Payloads up to this length are sent at once.
const EAGER_BYTES: usize = 48;
/// Turns of all ranks after which everything must have come to its end.
const TURNS: usize = 3000;

/// A message that was sent and has not been received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    number: u64,
    /// How many barriers its sender had initiated.
    after: u64,
    bytes: usize,
}

/// A receive that was posted.
struct Posted {
    id: RecvId,
    source: Source,
    /// The how-many-th receive of this rank it is.
    order: u64,
}

/// Which receive, in the order of posting, got which message.
type Received = Vec<(u64, u64)>;

struct Rank {
    engine: Engine<Net>,
    program: VecDeque<Op>,
    posted: VecDeque<Posted>,
    requests: Vec<SendId>,
    tickets: Vec<Ticket>,
    receives: u64,
}

/// What the reference knows.
struct Reference {
    /// How many messages were sent.
    numbers: u64,
    /// From, to, tag: what was sent and not received yet.
    under_way: Vec<Vec<[VecDeque<Sent>; 2]>>,
    /// To, from, tag.
    got: Vec<Vec<[Received; 2]>>,
    /// How many barriers each rank has initiated.
    initiated: Vec<u64>,
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
            resend_after_us: 0,
            ..Config::new(size)
        };
        let plan = FaultPlan {
            seed: case.seed,
            lossy: if case.lossy > 0 { vec![SIGNAL] } else { vec![] },
            drop_per_mille: case.lossy,
            duplicate_per_mille: case.lossy,
            max_delay_ticks: case.delay,
        };
        let nics = Launch::new(size).config(config.clone()).connect().unwrap();
        let ranks =
            nics.into_iter().zip(&case.programs).enumerate().map(|(rank, (nic, program))| {
                // One rank alone makes the mistake.
                let mistake = if rank == 0 { mistake } else { Mistake::None };
                let nic = Planted::new(Fault::new(nic, plan.clone()), mistake, Arc::clone(made));
                Rank {
                    engine: Engine::new(nic, config.clone()).unwrap(),
                    program: program.iter().copied().collect(),
                    posted: VecDeque::new(),
                    requests: Vec::new(),
                    tickets: Vec::new(),
                    receives: 0,
                }
            });
        let none = || std::array::from_fn(|_| VecDeque::new());
        Job {
            ranks: ranks.collect(),
            reference: Reference {
                numbers: 0,
                under_way: (0..size).map(|_| (0..size).map(|_| none()).collect()).collect(),
                got: vec![vec![[const { Vec::new() }; 2]; size]; size],
                initiated: vec![0; size],
            },
            open_limit: case.open_barriers as u64,
            first_epoch: case.first_epoch,
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
        for _ in 0..TURNS {
            for rank in 0..self.ranks.len() {
                self.advance(rank)?;
                self.test_all(rank)?;
                self.poll(rank, Pattern { source: Source::Any, tag: Tag::Any })?;
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
        let received = self.reference.under_way.iter().flatten().flatten().all(VecDeque::is_empty);
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
            5 => self.poll(rank, Pattern { source: Source::Any, tag: Tag::Is(rng.u32(0..2)) })?,
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
            tag: tag.map_or(Tag::Any, Tag::Is),
        };
        match op {
            Barrier => match own.engine.try_barrier(GroupId::WORLD) {
                Ok(ticket) => {
                    self.reference.initiated[rank] += 1;
                    own.tickets.push(ticket);
                }
                Err(MessageError::Refused(_)) => return Ok(()),
                Err(error) => return Err(at(rank)(error)),
            },
            Send { to, tag, bytes, queued } => {
                let sent = Sent {
                    number: self.reference.numbers,
                    after: self.reference.initiated[rank],
                    bytes,
                };
                let payload = payload(rank, sent);
                let envelope = Envelope { context: Context::WORLD, tag, element: 0 };
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
                self.reference.under_way[rank][to][tag as usize].push_back(sent);
            }
            Post { from, tag } => {
                let pattern = pattern(from, tag);
                own.receives += 1;
                let order = own.receives;
                let id = own.engine.post_recv(Context::WORLD, pattern).map_err(at(rank))?;
                own.posted.push_back(Posted { id, source: pattern.source, order });
            }
            Cancel => {
                if let Some(posted) = own.posted.pop_front() {
                    own.engine.cancel_recv(posted.id);
                }
            }
            Poll { from, tag } => self.poll(rank, pattern(from, tag))?,
        }
        self.ranks[rank].program.pop_front();
        self.check_barriers(rank)
    }

    fn poll(&mut self, rank: usize, pattern: Pattern) -> Result<(), String> {
        let own = &mut self.ranks[rank];
        own.receives += 1;
        let order = own.receives;
        let received =
            own.engine.try_recv(Context::WORLD, pattern, |_| Ok(()), owned).map_err(at(rank))?;
        received.map_or(Ok(()), |(info, bytes)| self.check_received(rank, order, &info, &bytes))
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
            self.check_received(rank, posted.order, &info, &bytes)?;
        }
        let own = &mut self.ranks[rank];
        own.posted = waiting;
        for &ticket in &own.tickets {
            let complete = own.engine.test_barrier(ticket).map_err(at(rank))?;
            let all =
                self.reference.initiated.iter().all(|&n| n + self.first_epoch >= ticket.epoch);
            if complete && !all {
                return Err(format!("rank {rank}: barrier {} completed early", ticket.epoch));
            }
        }
        Ok(())
    }

    // SEMANTICS: ORD-1, ORD-2, HOLD-1, FLOW-4
    fn check_received(
        &mut self,
        rank: usize,
        order: u64,
        info: &Info,
        bytes: &[u8],
    ) -> Result<(), String> {
        let (from, tag) = (info.source, info.tag as usize);
        let number = u64::from_le_bytes(bytes[..8].try_into().map_err(|_| "too short")?);
        let under_way = &mut self.reference.under_way[from][rank][tag];
        let found = under_way.iter().position(|sent| sent.number == number);
        let Some(sent) = found.and_then(|place| under_way.remove(place)) else {
            return Err(format!("rank {rank} received message {number} of {from} out of nowhere"));
        };
        if bytes != payload(from, sent) {
            return Err(format!("rank {rank} received message {number} of {from} damaged"));
        }
        let complete = self.complete(rank);
        if sent.after > complete {
            return Err(format!(
                "rank {rank} received message {number} of {from}, sent after barrier {}, when \
                 barrier {complete} was complete",
                sent.after
            ));
        }
        self.reference.got[rank][from][tag].push((order, number));
        Ok(())
    }

    fn complete(&self, rank: usize) -> u64 {
        let progress = self.ranks[rank].engine.order().progress_of(GroupId::WORLD);
        progress.map_or(0, |(_, complete, _)| complete - self.first_epoch)
    }

    // SEMANTICS: BAR-1, BAR-6
    fn check_barriers(&self, rank: usize) -> Result<(), String> {
        let complete = self.complete(rank);
        for (other, &initiated) in self.reference.initiated.iter().enumerate() {
            if complete > initiated {
                return Err(format!(
                    "barrier {complete} is complete at rank {rank}, and rank {other} has \
                     initiated {initiated}"
                ));
            }
        }
        match self.reference.initiated[rank] - complete <= self.open_limit {
            true => Ok(()),
            false => Err(format!("rank {rank} has more barriers open than may be")),
        }
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
        for (to, senders) in self.got.iter_mut().enumerate() {
            for (from, tags) in senders.iter_mut().enumerate() {
                for got in tags {
                    got.sort_unstable();
                    if !got.is_sorted_by_key(|&(_, number)| number) {
                        return Err(format!(
                            "rank {to} received out of order from {from}: {got:?}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

fn owned(info: &Info, bytes: &[u8]) -> (Info, Vec<u8>) {
    (*info, bytes.to_vec())
}

/// Number, barriers before it, sender, and then bytes that follow from these.
fn payload(from: usize, sent: Sent) -> Vec<u8> {
    let head = [sent.number, sent.after, from as u64].map(u64::to_le_bytes);
    let mut payload = head.concat();
    let filling = (payload.len()..sent.bytes).map(|at| (at as u64 * 7 + sent.number) as u8);
    payload.extend(filling);
    payload
}
