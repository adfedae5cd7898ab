//! What the machine asks of an ordering protocol, and the real one: `Order` and `Hold`.
//!
//! [`Real`] holds no logic of its own. It hands events on, and in [`Protocol::check`] compares the
//! state of the core with what the program alone says it should be, which is how the rules that no
//! program can observe directly are checked in every state.

use std::fmt::Debug;
use std::hash::Hash;

use runahead::internals::order::hold::Hold;
use runahead::internals::order::schedule::{Arrival, Step};
use runahead::internals::order::{
    Algorithm, Carrier, GroupId, Order, Ordering, Posted, Rank, Schedule, Signal, SignalKind,
};

use smallvec::SmallVec;

use super::program::{Program, Value};

/// Messages that have become deliverable, in order.
pub type Delivered = SmallVec<[(Rank, Value); 4]>;

/// The ordering state of one rank.
pub trait Protocol: Clone + Eq + Hash + Debug {
    type Signal: Clone + Eq + Hash + Debug;
    type Rules: Clone + PartialEq;

    /// Whether signals keep their place among the messages of their sender.
    const IN_ORDER: bool;

    fn new(rank: Rank, program: &Program, rules: &Self::Rules) -> Self;

    /// Whether a barrier of the group may be initiated now; a blocking one must be entered, too.
    fn may_initiate(&self, group: usize, blocking: bool) -> bool;

    fn initiate(&mut self, group: usize) -> Result<(), String>;

    fn drop_group(&mut self, _group: usize) {}

    /// Whether every barrier initiated here has completed here.
    fn is_complete(&self) -> bool;

    fn post(&self, to: Rank) -> Posted;

    fn may_leave(&self, to: Rank, posted: Posted) -> bool;

    fn handle_signal(&mut self, from: Rank, signal: &Self::Signal) -> Result<(), String>;

    fn handle_message(&mut self, from: Rank, stamp: u64, value: Value)
    -> Result<Delivered, String>;

    /// What has become deliverable since.
    fn poll_deliverable(&mut self) -> Result<Delivered, String>;

    /// The signals that are due, or only those for one receiver.
    fn poll_signals(&mut self, only: Option<Rank>) -> Vec<(Rank, Self::Signal)>;

    /// Questions for signals that are missing.
    fn poll_asks(&self) -> Vec<(Rank, Self::Signal)> {
        Vec::new()
    }

    fn held_from(&self, from: Rank) -> usize;

    /// Epochs entered and complete, for each group of the program.
    fn progress(&self, program: &Program) -> Vec<(u64, u64)>;

    /// Whether this state is one that the program may lead to after `pc` operations. It looks at
    /// the program's groups and the rank's barriers so far, and at no more of it.
    fn check(&self, _program: &Program, _pc: usize) -> Result<(), String> {
        Ok(())
    }
}

/// Which schedule the barriers follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    Builtin(Algorithm),
    /// A planted fault: everyone signals everyone, but position 0 does without the last one.
    DeafToLast,
}

impl Shape {
    fn schedule(self, position: Rank, size: usize) -> Schedule {
        let algorithm = match self {
            Shape::Builtin(algorithm) => return Schedule::new(algorithm, position, size),
            Shape::DeafToLast => Algorithm::AllToAll,
        };
        let mut steps = Schedule::new(algorithm, position, size).steps().to_vec();
        for step in &mut steps {
            if position == 0 {
                step.recv_from.retain(|arrival: &Arrival| arrival.rank != size - 1);
            } else if position == size - 1 {
                step.send_to.retain(|&to| to != 0);
            }
        }
        Schedule::from_steps(position, size, steps.into_iter().collect::<Vec<Step>>())
    }
}

/// How the core is set up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    pub ordering: Ordering,
    pub shape: Shape,
    pub open_limit: usize,
    /// Groups are made when they are first used, so signals may come before.
    pub late_groups: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        let shape = Shape::Builtin(Algorithm::AllToAll);
        Rules { ordering: Ordering::Contained, shape, open_limit: 8, late_groups: false }
    }
}

/// The real core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Real {
    order: Order,
    /// Each message with its place among all arrivals here.
    hold: Hold<(u8, Value)>,
    arrivals: u8,
    /// For each group of the program, the barriers initiated here.
    initiated: Vec<u64>,
    /// The members of each group of the program.
    members: Vec<Vec<Rank>>,
    /// Groups that are still to be made.
    unmade: Vec<(usize, Vec<Rank>, Shape)>,
    completions: u64,
    /// What was published and not yet looked at, for each that may look.
    published: Vec<(Rank, Signal)>,
    /// What others had published when a group was yet to be made here.
    early: Vec<(Rank, Signal)>,
}

fn id(group: usize) -> GroupId {
    GroupId(group as u32)
}

fn make_group(order: &mut Order, group: usize, members: &[Rank], shape: Shape) {
    if shape == Shape::Builtin(Algorithm::Board) {
        return order.add_group(id(group), members, Carrier::board(0), 0).expect("a proper group");
    }
    let position = members.iter().position(|&member| member == order.rank());
    let schedule = shape.schedule(position.expect("a member makes it"), members.len());
    order.add_group(id(group), members, &schedule, 0).expect("a proper group");
}

/// The clock of what is a word and no signal: that it is looked at late is modelled as a signal on its
/// way, and that others have seen it already does not matter.
const PUBLISHED: u64 = u64::MAX;

impl Real {
    fn publish(&mut self) {
        let mut words = Vec::new();
        self.order.poll_published(|word| words.push((word.group, word.epoch)));
        for (group, epoch) in words {
            // A group that is forgotten was complete, so others had published all that matters.
            let Some(members) = self.members.get(group.0 as usize) else { continue };
            self.published.retain(|(_, word)| word.group != group);
            let kind = SignalKind::Reached;
            let word = Signal { kind, group, step: 0, epoch, clock: PUBLISHED };
            let others = members.iter().filter(|&&member| member != self.order.rank());
            self.published.extend(others.map(|&member| (member, word)));
        }
    }

    /// Looks at what `from` has published.
    fn see(&mut self, from: Rank, word: &Signal) -> Result<(), String> {
        let group = word.group.0 as usize;
        if self.unmade.iter().any(|unmade| unmade.0 == group) {
            self.early.push((from, *word));
        } else if self.order.place_of(word.group).is_some() {
            let seen = self.order.handle_published(from, word.group, word.epoch);
            seen.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn fault(&mut self) -> Result<(), String> {
        self.order.poll_fault().map_or(Ok(()), |fault| Err(fault.to_string()))
    }
}

impl Protocol for Real {
    type Signal = Signal;
    type Rules = Rules;
    const IN_ORDER: bool = false;

    fn new(rank: Rank, program: &Program, rules: &Rules) -> Real {
        let mut order = Order::new(rank, program.size(), rules.ordering, rules.open_limit);
        let mut unmade = Vec::new();
        for (group, members) in program.groups.iter().enumerate() {
            if rules.late_groups {
                unmade.push((group, members.clone(), rules.shape));
            } else if members.contains(&rank) {
                make_group(&mut order, group, members, rules.shape);
            }
        }
        let hold = Hold::new(program.size());
        let initiated = vec![0; program.groups.len()];
        let members = program.groups.clone();
        let (published, early) = (Vec::new(), Vec::new());
        Real {
            order,
            hold,
            arrivals: 0,
            initiated,
            unmade,
            completions: 0,
            published,
            early,
            members,
        }
    }

    fn may_initiate(&self, group: usize, blocking: bool) -> bool {
        if self.unmade.iter().any(|unmade| unmade.0 == group) {
            return true;
        }
        self.order.may_initiate(id(group)).is_ok()
            && (!blocking || self.order.would_enter(id(group)))
    }

    fn initiate(&mut self, group: usize) -> Result<(), String> {
        if let Some(at) = self.unmade.iter().position(|unmade| unmade.0 == group) {
            let (group, members, shape) = self.unmade.remove(at);
            make_group(&mut self.order, group, &members, shape);
            self.fault()?;
            for (from, word) in std::mem::take(&mut self.early) {
                self.see(from, &word)?;
            }
        }
        self.order.handle_initiate(id(group)).map_err(|refused| refused.to_string())?;
        self.initiated[group] += 1;
        self.fault()
    }

    fn drop_group(&mut self, group: usize) {
        self.order.handle_drop(id(group));
    }

    fn is_complete(&self) -> bool {
        self.order.is_complete_through(u64::MAX - 1)
    }

    fn post(&self, to: Rank) -> Posted {
        self.order.post(to)
    }

    fn may_leave(&self, to: Rank, posted: Posted) -> bool {
        self.order.may_leave(to, posted)
    }

    fn handle_signal(&mut self, from: Rank, signal: &Signal) -> Result<(), String> {
        if signal.clock == PUBLISHED {
            return self.see(from, signal);
        }
        self.order.handle_signal(from, *signal).map_err(|error| error.to_string())?;
        self.fault()
    }

    fn handle_message(
        &mut self,
        from: Rank,
        stamp: u64,
        value: Value,
    ) -> Result<Delivered, String> {
        self.arrivals += 1;
        let clock = self.order.recv_clock(from);
        let arrived = self.hold.handle_arrival(from, stamp, clock, (self.arrivals, value));
        // In a correct run no stamp falls: a refusal is a fault of the run (HOLD-4).
        let deliverable = arrived.map_err(|error| error.to_string())?;
        Ok(deliverable.map(|(_, value)| (from, value)).into_iter().collect())
    }

    fn poll_deliverable(&mut self) -> Result<Delivered, String> {
        if self.completions == self.order.completions() {
            return Ok(Delivered::new());
        }
        self.completions = self.order.completions();
        let (order, mut found) = (&self.order, Vec::new());
        self.hold.poll_deliverable(|from| order.recv_clock(from), |from, m| found.push((from, m)));
        if !found.is_sorted_by_key(|(_, (arrival, _))| *arrival) {
            return Err(format!("handed out of the order of arrival: {found:?}"));
        }
        Ok(found.into_iter().map(|(from, (_, value))| (from, value)).collect())
    }

    fn poll_signals(&mut self, only: Option<Rank>) -> Vec<(Rank, Signal)> {
        self.publish();
        let takes = |(to, _): &mut (Rank, Signal)| only.is_none_or(|only| only == *to);
        let mut signals: Vec<_> = self.published.extract_if(.., takes).collect();
        self.order.poll_signals(|to, signal| {
            let takes = only.is_none_or(|only| only == to);
            signals.extend(takes.then_some((to, signal)));
            takes
        });
        signals
    }

    fn poll_asks(&self) -> Vec<(Rank, Signal)> {
        let mut asks = Vec::new();
        self.order.poll_asks(0, |to, ask| asks.push((to, ask)));
        asks
    }

    fn held_from(&self, from: Rank) -> usize {
        self.hold.held_from(from)
    }

    fn progress(&self, program: &Program) -> Vec<(u64, u64)> {
        let of = |group: usize| match self.order.progress_of(id(group)) {
            Some((entered, complete, _)) => (entered, complete),
            // Never made here, or dropped and forgotten, which asks that all have completed.
            None => (self.initiated[group], self.initiated[group]),
        };
        (0..program.groups.len()).map(of).collect()
    }

    // SEMANTICS: CLK-1, CLK-2, CON-2, BAR-6, BAR-8, HOLD-1
    fn check(&self, program: &Program, pc: usize) -> Result<(), String> {
        let rank = self.order.rank();
        let progress = self.progress(program);
        let own: Vec<_> = program.barriers_before(rank, pc).collect();
        let is_complete = |&(group, epoch): &(usize, u64)| progress[group].1 >= epoch;
        // Barriers of a rank alone, beside others, are complete when called and count in no clock.
        let is_lone = |group: usize| program.groups[group].len() == 1 && program.size() > 1;
        if own.iter().any(|barrier| is_lone(barrier.0) && !is_complete(barrier)) {
            return Err(format!("rank {rank} waits for itself"));
        }
        for peer in 0..program.size() {
            let includes = |group: usize| program.groups[group].contains(&peer) && !is_lone(group);
            let shared = own.iter().filter(|(group, _)| includes(*group));
            let send_clock = shared.clone().count() as u64;
            let recv_clock = shared.take_while(|barrier| is_complete(barrier)).count() as u64;
            let clocks = (self.order.send_clock(peer), self.order.recv_clock(peer));
            if clocks != (send_clock, recv_clock) {
                return Err(format!(
                    "clocks of rank {rank} toward {peer} are {clocks:?} and should be \
                     {send_clock} and {recv_clock}"
                ));
            }
            let head = self.hold.iter_from(peer).next();
            if head.is_some_and(|(stamp, _)| stamp <= recv_clock) {
                return Err(format!("rank {rank} holds a message of {peer} that is deliverable"));
            }
        }
        for (at, &(group, epoch)) in own.iter().enumerate() {
            let inside = |other: usize| {
                program.groups[group].iter().all(|member| program.groups[other].contains(member))
            };
            let earlier = own[..at].iter().filter(|barrier| !is_complete(barrier));
            let deferring = earlier.map(|(other, _)| *other).find(|&other| !inside(other));
            let entered = progress[group].0 >= epoch;
            if entered == deferring.is_some() {
                return Err(format!(
                    "rank {rank} has entered barrier {epoch} of group {group}: {entered}; open \
                     before it, and no superset: {deferring:?}"
                ));
            }
            let open = own.iter().filter(|b| b.0 == group && !is_complete(b)).count();
            if open > self.order.open_limit() {
                return Err(format!("rank {rank} has {open} barriers of group {group} open"));
            }
        }
        let all = own.iter().all(is_complete);
        if all != self.is_complete() {
            return Err(format!("rank {rank} says complete: {}", self.is_complete()));
        }
        Ok(())
    }
}

/// Every built-in schedule.
pub fn shapes() -> impl Iterator<Item = Shape> {
    Algorithm::ALL.into_iter().map(Shape::Builtin)
}
