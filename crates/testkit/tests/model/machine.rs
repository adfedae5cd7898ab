//! Runs a program as runahead would: one protocol state for each rank, messages and signals under
//! way, windows, queues.
//!
//! It stands where the message layer stands, and is no copy of it: it decides when something *may*
//! happen and leaves out all that has no part in order (bytes, tags, descriptors). A state is a
//! row of numbers: each rank's local state and each thing under way has one, so that what a rank
//! does in a local state is worked out once, however many states of the whole it occurs in. What
//! its protocol does is worked out once for many programs ([`cores`]).

mod cores;
mod steps;

use std::rc::Rc;

use runahead::internals::order::{Posted, Rank};
use smallvec::SmallVec;

pub use self::cores::{Cores, SharedCores};
use self::cores::{Input, Outlet, Turn};
use super::hashing::FastMap;
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
pub struct Local {
    rank: Rank,
    /// The number of operations done.
    pub pc: usize,
    /// The number of its protocol's state.
    core: u32,
    /// Deliverable, not yet asked for; first noticed first.
    unexpected: Delivered,
    /// Posted, not yet left, oldest first.
    outbox: SmallVec<[(Rank, Value, Posted); 1]>,
    pub observed: Observed,
    pub fault: Option<Fault>,
}

/// A local state with what follows from it alone.
pub struct Entry {
    pub local: Local,
    next: Next,
    /// Receivers for whom the first message of the outbox may leave.
    leaving: Vec<Rank>,
    /// Receivers for whom signals are due.
    signalling: Vec<Rank>,
    /// For each sender, the number of its messages in this rank's memory.
    memory: SmallVec<[usize; 4]>,
    /// What the rest of the program observes does not depend on the order of arrivals.
    determined: bool,
    /// All its barriers are complete.
    complete: bool,
    /// For each group, the epochs entered and complete.
    pub progress: SmallVec<[(u64, u64); 4]>,
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
    cores: SharedCores<P>,
    /// For each rank and number of operations, which barriers it has called by then.
    histories: Vec<Vec<u32>>,
    entries: Vec<Rc<Entry>>,
    numbers: FastMap<Local, u32>,
    parcels: Vec<Parcel<P::Signal>>,
    parcel_numbers: FastMap<Parcel<P::Signal>, u16>,
    outcomes: FastMap<(u32, Event), Rc<Outcome>>,
}

/// The first channel of signals.
const SIGNALS: u32 = 128;

/// The channel of what is no message: how many signals may still be lost.
const LOSSES: u32 = 0xffff;

impl<'p, P: Protocol> Machine<'p, P> {
    pub fn new(program: &'p Program, setting: Setting<P::Rules>) -> Machine<'p, P> {
        let cores = Cores::shared(program, &setting.rules);
        Machine::sharing(program, setting, &cores)
    }

    /// With what programs over the same groups have worked out already.
    pub fn sharing(
        program: &'p Program,
        setting: Setting<P::Rules>,
        cores: &SharedCores<P>,
    ) -> Machine<'p, P> {
        assert!(program.size() <= 11, "channels are numbered below {SIGNALS}");
        let cores = cores.clone();
        assert!(cores.borrow().fit(program, &setting.rules), "they are of other groups");
        let mut of_cores = cores.borrow_mut();
        let history_of = |rank: Rank| -> Vec<u32> {
            let ops = program.ranks[rank].iter().map(|op| op.barrier_group());
            let mut groups = Vec::new();
            let mut histories = vec![of_cores.history(&groups)];
            for group in ops {
                groups.extend(group);
                histories.push(of_cores.history(&groups));
            }
            histories
        };
        let histories = (0..program.size()).map(history_of).collect();
        drop(of_cores);
        Machine {
            program,
            setting,
            cores,
            histories,
            entries: Vec::new(),
            numbers: FastMap::default(),
            parcels: Vec::new(),
            parcel_numbers: FastMap::default(),
            outcomes: FastMap::default(),
        }
    }

    /// The ranks of a state.
    pub fn ranks<'a>(&'a self, whole: &'a Whole) -> impl Iterator<Item = &'a Entry> + Clone {
        whole[..self.program.size()].iter().map(|&number| &*self.entries[number as usize])
    }

    /// Whether every rank has done all its operations and completed all its barriers. Messages for
    /// a rank that has ended need not have left.
    pub fn has_ended(&self, whole: &Whole) -> bool {
        let mut ranks = self.ranks(whole).zip(&self.program.ranks);
        ranks.all(|(entry, ops)| entry.local.pc == ops.len() && entry.complete)
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

    fn intern(&mut self, mut local: Local) -> u32 {
        if !self.program.has_wildcard(local.rank, local.pc) {
            // Nobody will ask who came first.
            local.unexpected.sort_by_key(|&(from, _)| from);
        }
        if let Some(&number) = self.numbers.get(&local) {
            return number;
        }
        if local.fault.is_none() && self.setting.checked {
            let history = self.histories[local.rank][local.pc];
            let mut cores = self.cores.borrow_mut();
            let found = cores.verdict(self.program, local.core, local.pc, history);
            local.fault = found.map(Fault::Found);
        }
        let number = self.entries.len() as u32;
        self.numbers.insert(local.clone(), number);
        let entry = self.entry(local);
        self.entries.push(Rc::new(entry));
        number
    }

    fn entry(&self, local: Local) -> Entry {
        let core = self.cores.borrow().core(local.core).clone();
        let (rank, pc, protocol) = (local.rank, local.pc, &*core.state);
        let peers = 0..self.program.size();
        let first_to = |to| local.outbox.iter().find(|(other, ..)| *other == to);
        let leaving = peers.clone().filter(|&to| {
            first_to(to).is_some_and(|&(_, _, posted)| protocol.may_leave(to, posted))
        });
        let memory = peers.clone().map(|from| {
            let unexpected = local.unexpected.iter().filter(|m| m.0 == from).count();
            core.held[from] + unexpected
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
                Op::Wait if core.complete => Next::Yes { early: true },
                Op::Wait => Next::No,
            },
        };
        let mut signalling = Vec::new();
        if self.setting.tardy {
            let due = P::clone(protocol).poll_signals(None);
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
            complete: core.complete,
            progress: SmallVec::from_slice(&core.progress),
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
        local: &mut Local,
        event: Event,
        out: &mut Vec<(u32, u16)>,
    ) -> Result<(), Fault> {
        let rank = local.rank;
        let post = |local: &Local, to| self.cores.borrow().core(local.core).state.post(to);
        let mut input = Input::Nothing;
        match event {
            Event::Op => {
                let op = self.program.ranks[rank][local.pc];
                local.pc += 1;
                match op {
                    Op::Send { to, value } => {
                        let posted = post(local, to);
                        self.leave(local, to, value, posted, out)?;
                    }
                    Op::Isend { to, value } => {
                        let posted = post(local, to);
                        local.outbox.push((to, value, posted));
                    }
                    Op::Recv(source) | Op::Poll(source) => {
                        let found = find(&local.unexpected, source);
                        let value = found.map_or(NOTHING, |at| local.unexpected.remove(at).1);
                        local.observed.push(value);
                    }
                    Op::Barrier(group) | Op::TryBarrier(group) => input = Input::Initiate(group),
                    Op::Wait => {}
                    Op::Drop(group) => input = Input::Drop(group),
                }
            }
            Event::Leave(to) => {
                let at = local.outbox.iter().position(|m| m.0 == to).expect("it may leave");
                let (_, value, posted) = local.outbox.remove(at);
                self.leave(local, to, value, posted, out)?;
            }
            Event::Arrive(from, parcel) => match self.parcels[parcel as usize].clone() {
                Parcel::Signal(signal) => input = Input::Signal(from, signal),
                Parcel::Message(value, stamp) => input = Input::Message(from, stamp, value),
            },
            Event::Signal(_) => {}
            Event::Lose | Event::Ask => unreachable!("they happen to no rank"),
        }
        let outlet = match event {
            Event::Signal(to) => Outlet::For(to),
            _ if self.setting.tardy => Outlet::Closed,
            _ => Outlet::All,
        };
        let turn = self.cores.borrow_mut().turn(self.program, local.core, input, outlet);
        local.core = turn.after;
        self.deliver(local, &turn)?;
        if let Some(fault) = &turn.fault {
            return Err(fault.clone());
        }
        for (to, signal) in &turn.signals {
            let base = if P::IN_ORDER { 0 } else { SIGNALS };
            let channel = base + self.channel(rank, *to);
            out.push((channel, self.parcel(Parcel::Signal(signal.clone()))));
        }
        Ok(())
    }

    /// A message leaves. The program alone says whether it should have been contained.
    // SEMANTICS: CON-1
    fn leave(
        &mut self,
        local: &Local,
        to: Rank,
        value: Value,
        posted: Posted,
        out: &mut Vec<(u32, u16)>,
    ) -> Result<(), Fault> {
        if self.setting.checked {
            let (rank, pc) = self.program.origin(value);
            let core = self.cores.borrow().core(local.core).clone();
            let mut before = self.program.barriers_before(rank, pc);
            let open = before.find(|&(group, epoch)| {
                core.progress[group].1 < epoch && !self.program.groups[group].contains(&to)
            });
            if let Some((group, epoch)) = open {
                let barrier = format!("barrier {epoch} of group {group}");
                return Err(Fault::Found(format!("{value} left while {barrier} is open")));
            }
        }
        let channel = self.channel(local.rank, to);
        out.push((channel, self.parcel(Parcel::Message(value, posted.stamp))));
        Ok(())
    }

    /// Messages become deliverable. The program alone says whether they may.
    // SEMANTICS: ORD-1, ORD-2, HOLD-1
    fn deliver(&self, local: &mut Local, turn: &Turn<P::Signal>) -> Result<(), Fault> {
        for &(from, value) in &turn.delivered {
            if self.setting.checked {
                self.check_delivery(local, &turn.progress, from, value)?;
            }
            local.unexpected.push((from, value));
        }
        Ok(())
    }

    fn check_delivery(
        &self,
        local: &Local,
        progress: &[(u64, u64)],
        from: Rank,
        value: Value,
    ) -> Result<(), Fault> {
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
        Ok(())
    }
}

/// The first match, as the message layer takes it.
fn find(unexpected: &Delivered, source: Source) -> Option<usize> {
    unexpected.iter().position(|&(from, _)| source == Source::Any || source == Source::From(from))
}
