//! Runs a program as runahead would: one protocol state for each rank, messages and signals under
//! way, windows, queues.
//!
//! It stands where the message layer stands, and is no copy of it: it decides when something *may*
//! happen and leaves out all that has no part in order (bytes, tags, descriptors). A state is a
//! row of numbers: each rank's local state and each thing under way has one, so that what a rank
//! does in a local state is worked out once, however many states of the whole it occurs in.

mod steps;

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use runahead::order::{Posted, Rank};
use smallvec::SmallVec;

use super::program::{NOTHING, Observed, Op, Program, Source, Value};
use super::protocol::{Delivered, Protocol};

/// No window: as many messages as one likes.
pub const UNLIMITED: usize = usize::MAX;

/// The local state of each rank, then what is under way, sorted by channel.
pub type Whole = SmallVec<[u32; 14]>;

/// Something is wrong at a rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The protocol reports an error.
    Reported(String),
    /// The state is not what the program alone says that it should be.
    Found(String),
    /// A message is delivered while a barrier that it was posted after is open here.
    Early(String),
}

/// One rank.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Local<P> {
    rank: Rank,
    /// The number of operations done.
    pub pc: usize,
    pub protocol: P,
    /// Deliverable, not yet asked for; first noticed first.
    unexpected: Delivered,
    /// Posted, not yet left, oldest first.
    outbox: Vec<(Rank, Value, Posted)>,
    pub observed: Observed,
    pub fault: Option<Fault>,
}

/// A local state with what follows from it alone.
pub struct Entry<P> {
    pub local: Local<P>,
    next: Next,
    /// Receivers for whom the first message of the outbox may leave.
    leaving: Vec<Rank>,
    /// Receivers for whom signals are due.
    signalling: Vec<Rank>,
    /// For each sender, the number of its messages in this rank's memory.
    memory: Vec<usize>,
    /// What the rest of the program observes does not depend on the order of arrivals.
    determined: bool,
    pub progress: Vec<(u64, u64)>,
}

/// Whether a rank's next operation can be done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The program is over, or it must wait for something to arrive here.
    No,
    /// It can; whatever arrives here first would make no difference to it, if `early`.
    Yes { early: bool },
    /// It can, given a credit toward this receiver.
    Credit(Rank),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Parcel<S> {
    Message(Value, u64),
    Signal(S),
}

/// Something that happens at one rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Event {
    Op,
    /// The first message of the outbox for this receiver leaves.
    Leave(Rank),
    Arrive(Rank, u16),
    /// The signals for this receiver leave.
    Signal(Rank),
    Lose,
    Ask,
}

/// Where it leads: the new local state, and what goes out, with its channel.
struct Outcome {
    local: u32,
    out: Vec<(u32, u16)>,
}

/// An event at a rank; for an arrival also its index in the whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Step {
    rank: Rank,
    event: Event,
    index: usize,
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Setting<R> {
    pub rules: R,
    /// The most messages of one sender in a receiver's memory, under way ones included.
    pub window: usize,
    /// Leave out steps whose order can make no difference.
    pub reduced: bool,
    /// Signals stay under way when they arrive, and may arrive again at any time.
    pub repeated: bool,
    /// Signals leave when they like, for want of a credit, and newer ones take the place of those
    /// that have not left; otherwise they leave at once.
    pub tardy: bool,
    /// The provider is causal, as far as messages go: a poll first receives all that are under way.
    pub causal: bool,
    /// So many signals may be lost. Where nothing else can happen, the ranks ask for what they lack
    /// (all at once, and the questions are not lost: they would only be asked again).
    pub losses: u16,
    /// Compare states with what the program alone says of them. Off where a fault is planted, so
    /// that the refinement check has to find it by itself.
    pub checked: bool,
}

pub struct Machine<'p, P: Protocol> {
    program: &'p Program,
    setting: Setting<P::Rules>,
    entries: Vec<Rc<Entry<P>>>,
    numbers: HashMap<Local<P>, u32>,
    parcels: Vec<Parcel<P::Signal>>,
    parcel_numbers: HashMap<Parcel<P::Signal>, u16>,
    outcomes: HashMap<(u32, Event), Rc<Outcome>>,
}

/// The first channel of signals.
const SIGNALS: u32 = 128;

/// The channel of what is no message: how many signals may still be lost.
const LOSSES: u32 = 0xffff;

impl<'p, P: Protocol> Machine<'p, P> {
    pub fn new(program: &'p Program, setting: Setting<P::Rules>) -> Machine<'p, P> {
        assert!(program.size() <= 11, "channels are numbered below {SIGNALS}");
        Machine {
            program,
            setting,
            entries: Vec::new(),
            numbers: HashMap::new(),
            parcels: Vec::new(),
            parcel_numbers: HashMap::new(),
            outcomes: HashMap::new(),
        }
    }

    /// The ranks of a state.
    pub fn ranks<'a>(&'a self, whole: &'a Whole) -> impl Iterator<Item = &'a Entry<P>> + Clone {
        whole[..self.program.size()].iter().map(|&number| &*self.entries[number as usize])
    }

    /// Whether every rank has done all its operations and completed all its barriers. Messages for
    /// a rank that has ended need not have left.
    pub fn has_ended(&self, whole: &Whole) -> bool {
        let mut ranks = self.ranks(whole).zip(&self.program.ranks);
        ranks.all(|(entry, ops)| entry.local.pc == ops.len() && entry.local.protocol.is_complete())
    }

    fn channel(&self, from: Rank, to: Rank) -> u32 {
        (from * self.program.size() + to) as u32
    }

    fn parcel(&mut self, parcel: Parcel<P::Signal>) -> u16 {
        let new = self.parcels.len() as u16;
        let number = *self.parcel_numbers.entry(parcel.clone()).or_insert(new);
        if number == new {
            self.parcels.push(parcel);
        }
        number
    }

    fn intern(&mut self, mut local: Local<P>) -> u32 {
        if !self.program.has_wildcard(local.rank, local.pc) {
            // Nobody will ask who came first.
            local.unexpected.sort_by_key(|&(from, _)| from);
        }
        if let Some(&number) = self.numbers.get(&local) {
            return number;
        }
        if local.fault.is_none() && self.setting.checked {
            local.fault = local.protocol.check(self.program, local.pc).err().map(Fault::Found);
        }
        let number = self.entries.len() as u32;
        self.numbers.insert(local.clone(), number);
        let entry = self.entry(local);
        self.entries.push(Rc::new(entry));
        number
    }

    fn entry(&self, local: Local<P>) -> Entry<P> {
        let (rank, pc, protocol) = (local.rank, local.pc, &local.protocol);
        let peers = 0..self.program.size();
        let first_to = |to| local.outbox.iter().find(|(other, ..)| *other == to);
        let leaving = peers.clone().filter(|&to| {
            first_to(to).is_some_and(|&(_, _, posted)| protocol.may_leave(to, posted))
        });
        let memory = peers.clone().map(|from| {
            let unexpected = local.unexpected.iter().filter(|m| m.0 == from).count();
            protocol.held_from(from) + unexpected
        });
        let next = match self.program.ranks[rank].get(pc) {
            None => Next::No,
            Some(&op) => match op {
                Op::Send { to, .. } => {
                    let free = first_to(to).is_none() && protocol.may_leave(to, protocol.post(to));
                    if free { Next::Credit(to) } else { Next::No }
                }
                Op::Isend { .. } => Next::Yes { early: true },
                Op::Recv(source) => match find(&local.unexpected, source) {
                    Some(_) => Next::Yes { early: true },
                    None => Next::No,
                },
                Op::Poll(source) => Next::Yes { early: find(&local.unexpected, source).is_some() },
                Op::Barrier(group) | Op::TryBarrier(group) => {
                    let blocking = matches!(op, Op::Barrier(_));
                    let free = protocol.may_initiate(group, blocking);
                    if free { Next::Yes { early: false } } else { Next::No }
                }
                Op::Drop(_) => Next::Yes { early: false },
                Op::Wait if protocol.is_complete() => Next::Yes { early: true },
                Op::Wait => Next::No,
            },
        };
        let mut signalling = Vec::new();
        if self.setting.tardy {
            let due = protocol.clone().poll_signals(None);
            signalling.extend(due.into_iter().map(|(to, _)| to));
            signalling.sort_unstable();
            signalling.dedup();
        }
        Entry {
            next,
            signalling,
            leaving: leaving.collect(),
            memory: memory.collect(),
            determined: !self.program.has_choice(rank, pc),
            progress: protocol.progress(self.program),
            local,
        }
    }

    /// What an event leads to at a rank in this local state.
    fn outcome(&mut self, number: u32, event: Event) -> Rc<Outcome> {
        if let Some(outcome) = self.outcomes.get(&(number, event)) {
            return outcome.clone();
        }
        let mut local = self.entries[number as usize].local.clone();
        let mut out = Vec::new();
        if let Err(fault) = self.apply(&mut local, event, &mut out) {
            local.fault = Some(fault);
        }
        let outcome = Rc::new(Outcome { local: self.intern(local), out });
        self.outcomes.insert((number, event), outcome.clone());
        outcome
    }

    fn apply(
        &mut self,
        local: &mut Local<P>,
        event: Event,
        out: &mut Vec<(u32, u16)>,
    ) -> Result<(), Fault> {
        let rank = local.rank;
        match event {
            Event::Op => {
                let op = self.program.ranks[rank][local.pc];
                local.pc += 1;
                match op {
                    Op::Send { to, value } => {
                        let posted = local.protocol.post(to);
                        self.leave(local, to, value, posted, out)?;
                    }
                    Op::Isend { to, value } => {
                        local.outbox.push((to, value, local.protocol.post(to)));
                    }
                    Op::Recv(source) | Op::Poll(source) => {
                        let found = find(&local.unexpected, source);
                        let value = found.map_or(NOTHING, |at| local.unexpected.remove(at).1);
                        local.observed.push(value);
                    }
                    Op::Barrier(group) | Op::TryBarrier(group) => {
                        local.protocol.initiate(group).map_err(Fault::Reported)?;
                    }
                    Op::Wait => {}
                    Op::Drop(group) => local.protocol.drop_group(group),
                }
            }
            Event::Leave(to) => {
                let at = local.outbox.iter().position(|m| m.0 == to).expect("it may leave");
                let (_, value, posted) = local.outbox.remove(at);
                self.leave(local, to, value, posted, out)?;
            }
            Event::Arrive(from, parcel) => match self.parcels[parcel as usize].clone() {
                Parcel::Signal(signal) => {
                    local.protocol.handle_signal(from, &signal).map_err(Fault::Reported)?;
                }
                Parcel::Message(value, stamp) => {
                    let delivered = local.protocol.handle_message(from, stamp, value);
                    let delivered = delivered.map_err(Fault::Reported)?;
                    self.deliver(local, delivered)?;
                }
            },
            Event::Signal(_) => {}
            Event::Lose | Event::Ask => unreachable!("they happen to no rank"),
        }
        let delivered = local.protocol.poll_deliverable().map_err(Fault::Found)?;
        self.deliver(local, delivered)?;
        let signals = match event {
            Event::Signal(to) => local.protocol.poll_signals(Some(to)),
            _ if self.setting.tardy => Vec::new(),
            _ => local.protocol.poll_signals(None),
        };
        for (to, signal) in signals {
            let base = if P::IN_ORDER { 0 } else { SIGNALS };
            let channel = base + self.channel(rank, to);
            out.push((channel, self.parcel(Parcel::Signal(signal))));
        }
        Ok(())
    }

    /// A message leaves. The program alone says whether it should have been contained.
    // SEMANTICS: CON-1
    fn leave(
        &mut self,
        local: &Local<P>,
        to: Rank,
        value: Value,
        posted: Posted,
        out: &mut Vec<(u32, u16)>,
    ) -> Result<(), Fault> {
        let (rank, pc) = self.program.origin(value);
        let progress = local.protocol.progress(self.program);
        let mut before = self.program.barriers_before(rank, pc);
        let open = before.find(|&(group, epoch)| {
            progress[group].1 < epoch && !self.program.groups[group].contains(&to)
        });
        if let Some((group, epoch)) = open.filter(|_| self.setting.checked) {
            let barrier = format!("barrier {epoch} of group {group}");
            return Err(Fault::Found(format!("{value} left while {barrier} is open")));
        }
        let channel = self.channel(rank, to);
        out.push((channel, self.parcel(Parcel::Message(value, posted.stamp))));
        Ok(())
    }

    /// Messages become deliverable. The program alone says whether they may.
    // SEMANTICS: ORD-1, ORD-2, HOLD-1
    fn deliver(&self, local: &mut Local<P>, delivered: Delivered) -> Result<(), Fault> {
        let progress = local.protocol.progress(self.program);
        for &(from, value) in delivered.iter().filter(|_| self.setting.checked) {
            let (sender, pc) = self.program.origin(value);
            let mut before = self.program.barriers_before(sender, pc);
            let open = before.find(|&(group, epoch)| {
                progress[group].1 < epoch && self.program.groups[group].contains(&local.rank)
            });
            if let Some((group, epoch)) = open {
                let barrier = format!("barrier {epoch} of group {group}");
                let found = format!("{value} was delivered while {barrier} is open");
                return Err(Fault::Early(found));
            }
            let known = local.unexpected.iter().map(|m| &m.1).chain(&local.observed);
            if sender != from || known.filter(|&&v| v / 10 == value / 10).any(|&v| v >= value) {
                let found = format!("{value} was delivered out of the order of its sender");
                return Err(Fault::Found(found));
            }
        }
        local.unexpected.extend(delivered);
        Ok(())
    }
}

/// The first match, as the message layer takes it.
fn find(unexpected: &Delivered, source: Source) -> Option<usize> {
    unexpected.iter().position(|&(from, _)| source == Source::Any || source == Source::From(from))
}
