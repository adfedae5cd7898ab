//! What the search asks of a barrier core, and the real ones: [`Signalled`] and [`Published`], which hold
//! no logic of their own. Ranks here are positions in the group.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use runahead_order::core::board::Word;
use runahead_order::hosts::Cell;
use runahead_order::{
    Carrier, Epoch, GroupId, Order, Ordering, Rank, Schedule, Signal, SignalKind,
};

use super::planted::Fault;

const GROUP: GroupId = GroupId::WORLD;

/// The group and what its members are to do.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The number of ranks in the job.
    pub job: usize,
    /// The ranks of the job that are in the group.
    pub members: Vec<Rank>,
    /// One for each member; none where they publish.
    pub schedules: Vec<Schedule>,
    pub open_limit: usize,
    /// How many barriers each enters.
    pub epochs: Epoch,
    /// Signals leave when they like.
    pub tardy: bool,
    /// What is wrong with the core, if it is one with a fault.
    pub fault: Option<Fault>,
}

impl Setup {
    /// A group of all ranks, of which each enters two barriers.
    pub fn of(schedules: Vec<Schedule>) -> Setup {
        let size = schedules.len();
        let members = (0..size).collect();
        let (open_limit, epochs, tardy, fault) = (2, 2, false, None);
        Setup { job: size, members, schedules, open_limit, epochs, tardy, fault }
    }

    /// The same, where all publish.
    pub fn published(size: usize) -> Setup {
        Setup { job: size, members: (0..size).collect(), ..Setup::of(Vec::new()) }
    }

    pub fn size(&self) -> usize {
        self.members.len()
    }

    fn order(&self, position: Rank) -> Order {
        Order::new(self.members[position], self.job, Ordering::Contained, self.open_limit)
    }

    fn position(&self, rank: Rank) -> Rank {
        self.members.iter().position(|&member| member == rank).expect("only members are named")
    }
}

/// How far a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Progress {
    pub initiated: Epoch,
    pub entered: Epoch,
    pub complete: Epoch,
}

/// The barriers of one rank.
pub trait Core: Clone {
    /// All that can make a difference later.
    type Key: Clone + Eq + Hash + Debug;

    fn new(setup: &Arc<Setup>, position: Rank) -> Self;

    fn key(&self) -> Self::Key;

    fn progress(&self) -> Progress;

    fn may_enter(&self) -> bool;

    fn enter(&mut self) -> Result<(), String>;

    /// A signal or a question has come.
    fn handle(&mut self, from: Rank, signal: Signal) -> Result<(), String>;

    /// For each member what is read in its word.
    fn look(&mut self, _words: &[Option<Epoch>]) -> Result<(), String> {
        Ok(())
    }

    /// For whom something is due. A word is for all at once; it stands under the rank's own position.
    fn due(&self) -> Vec<Rank>;

    /// Lets what is due leave: all of it, or what is for one.
    fn take(&mut self, only: Option<Rank>, emit: &mut dyn FnMut(Rank, Signal));

    fn asks(&self) -> Vec<(Rank, Signal)>;

    /// Whether `member` is known to have entered `epoch`.
    fn has_heard(&self, member: Rank, epoch: Epoch) -> bool;

    /// What the state says of itself must agree.
    fn check(&self) -> Result<(), String>;
}

/// What both kinds of groups have in common.
fn progress_of(order: &Order) -> Progress {
    let (entered, complete, initiated) = order.progress_of(GROUP).expect("the group is there");
    Progress { initiated, entered, complete }
}

fn enter(order: &mut Order) -> Result<(), String> {
    let expected = progress_of(order).initiated + 1;
    let ticket = order.handle_initiate(GROUP).map_err(|refused| refused.to_string())?;
    if ticket.epoch != expected {
        return Err(format!("barrier {} was counted as {}", expected, ticket.epoch));
    }
    order.poll_fault().map_or(Ok(()), |fault| Err(fault.to_string()))
}

// SEMANTICS: BAR-6, BAR-8, CLK-1, CLK-2
fn check(order: &Order, setup: &Setup) -> Result<(), String> {
    let Progress { initiated, entered, complete } = progress_of(order);
    let ordered = complete <= entered && entered == initiated;
    let through = (0..=initiated).rev().find(|&seq| order.is_complete_through(seq));
    let open = initiated - complete;
    let spans: Vec<_> = order.open_barriers().collect();
    let span = (open > 0).then_some((GROUP, complete + 1, initiated));
    let agrees = order.completions() == complete
        && through == Some(complete)
        && spans == Vec::from_iter(span)
        && open <= setup.open_limit as u64
        && order.may_initiate(GROUP).is_ok() == (open < setup.open_limit as u64);
    if !ordered || !agrees {
        return Err(format!("open are {spans:?}, complete {complete}, initiated {initiated}"));
    }
    for peer in 0..setup.job {
        let clocks = (order.send_clock(peer), order.recv_clock(peer));
        let shared = if setup.members.contains(&peer) { (initiated, complete) } else { (0, 0) };
        if clocks != shared {
            return Err(format!("clocks toward {peer} are {clocks:?} and should be {shared:?}"));
        }
    }
    Ok(())
}

/// A group whose members signal each other.
#[derive(Clone, Debug)]
pub struct Signalled {
    order: Order,
    setup: Arc<Setup>,
}

impl Core for Signalled {
    type Key = Order;

    fn new(setup: &Arc<Setup>, position: Rank) -> Signalled {
        let mut order = setup.order(position);
        let schedule = &setup.schedules[position];
        order.add_group(GROUP, &setup.members, schedule, 0).expect("a proper group");
        Signalled { order, setup: setup.clone() }
    }

    fn key(&self) -> Order {
        self.order.clone()
    }

    fn progress(&self) -> Progress {
        progress_of(&self.order)
    }

    fn may_enter(&self) -> bool {
        self.progress().initiated < self.setup.epochs && self.order.may_initiate(GROUP).is_ok()
    }

    fn enter(&mut self) -> Result<(), String> {
        enter(&mut self.order)
    }

    fn handle(&mut self, from: Rank, signal: Signal) -> Result<(), String> {
        let handled = self.order.handle_signal(self.setup.members[from], signal);
        handled.map_err(|error| error.to_string())?;
        self.order.poll_fault().map_or(Ok(()), |fault| Err(fault.to_string()))
    }

    fn due(&self) -> Vec<Rank> {
        let mut due = Vec::new();
        self.order.clone().poll_signals(|to, _| {
            due.push(self.setup.position(to));
            false
        });
        due.sort_unstable();
        due.dedup();
        due
    }

    fn take(&mut self, only: Option<Rank>, emit: &mut dyn FnMut(Rank, Signal)) {
        let setup = &self.setup;
        self.order.poll_signals(|to, signal| {
            let to = setup.position(to);
            let taken = only.is_none_or(|only| only == to);
            if taken {
                emit(to, signal);
            }
            taken
        });
    }

    fn asks(&self) -> Vec<(Rank, Signal)> {
        let mut asks = Vec::new();
        self.order.poll_asks(0, |to, ask| asks.push((self.setup.position(to), ask)));
        asks
    }

    fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        self.order.has_heard(GROUP, self.setup.members[member], epoch)
    }

    fn check(&self) -> Result<(), String> {
        check(&self.order, &self.setup)
    }
}

/// A group whose members publish. A word is modelled as a signal to each of the others, which may
/// be handed over, or looked at, or both.
///
/// Where a look begins is no part of the core's state, and a clone begins afresh; but it decides what
/// a look reads. Here it is a part: a clone does again what led to the state.
#[derive(Debug)]
pub struct Published {
    order: Order,
    setup: Arc<Setup>,
    position: Rank,
    done: Vec<Done>,
}

#[derive(Clone, Debug)]
enum Done {
    Enter,
    Handle(Rank, Signal),
    Look(Vec<Option<Epoch>>),
    Take,
}

impl Clone for Published {
    fn clone(&self) -> Published {
        let mut again = Published::new(&self.setup, self.position);
        for done in &self.done {
            let result = match done {
                Done::Enter => again.enter(),
                Done::Handle(from, signal) => again.handle(*from, *signal),
                Done::Look(words) => again.look(words),
                Done::Take => {
                    again.take(None, &mut |_, _| ());
                    Ok(())
                }
            };
            result.expect("what could be done once can be done again");
        }
        again
    }
}

impl Core for Published {
    /// With where the next look begins, which equality leaves out and only the debug text shows.
    type Key = (Order, String);

    fn new(setup: &Arc<Setup>, position: Rank) -> Published {
        let mut order = setup.order(position);
        order.add_group(GROUP, &setup.members, Carrier::board(0), 0).expect("a proper group");
        Published { order, setup: setup.clone(), position, done: Vec::new() }
    }

    fn key(&self) -> (Order, String) {
        let text = format!("{:?}", self.order);
        let (_, after) = text.split_once("lacking: Scratch(").expect("a published group");
        let (lacking, _) = after.split_once(')').expect("a number in parentheses");
        (self.order.clone(), lacking.to_owned())
    }

    fn progress(&self) -> Progress {
        progress_of(&self.order)
    }

    fn may_enter(&self) -> bool {
        self.progress().initiated < self.setup.epochs && self.order.may_initiate(GROUP).is_ok()
    }

    fn enter(&mut self) -> Result<(), String> {
        self.done.push(Done::Enter);
        enter(&mut self.order)
    }

    fn handle(&mut self, from: Rank, signal: Signal) -> Result<(), String> {
        self.done.push(Done::Handle(from, signal));
        let from = self.setup.members[from];
        let handled = self.order.handle_published(from, GROUP, signal.epoch);
        handled.map_err(|error| error.to_string())
    }

    fn look(&mut self, words: &[Option<Epoch>]) -> Result<(), String> {
        self.done.push(Done::Look(words.to_vec()));
        let load = |word: Word| match word.cell {
            Cell::Entered => words[self.setup.position(word.rank)],
            // Nobody says what is complete: each finds it for itself.
            _ => None,
        };
        self.order.look(&load).map(drop).map_err(|error| error.to_string())
    }

    fn due(&self) -> Vec<Rank> {
        self.order.has_signals().then_some(self.position).into_iter().collect()
    }

    fn take(&mut self, _only: Option<Rank>, emit: &mut dyn FnMut(Rank, Signal)) {
        if !self.order.has_signals() {
            return;
        }
        self.done.push(Done::Take);
        let (position, size) = (self.position, self.setup.size());
        self.order.poll_published(|word| {
            let (kind, group, epoch) = (SignalKind::Reached, word.group, word.epoch);
            let signal = Signal { kind, group, step: 0, epoch, clock: 0 };
            (0..size).filter(|&to| to != position).for_each(|to| emit(to, signal));
        });
    }

    fn asks(&self) -> Vec<(Rank, Signal)> {
        Vec::new()
    }

    fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        self.order.has_heard(GROUP, self.setup.members[member], epoch)
    }

    fn check(&self) -> Result<(), String> {
        check(&self.order, &self.setup)
    }
}
