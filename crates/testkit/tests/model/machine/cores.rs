//! What the protocol of a rank does, worked out once for all programs over the same groups.
//!
//! A protocol is pure: the same state and the same input lead to the same state and the same output,
//! whichever program asks. So its states are numbered here, and what each does with each input is
//! kept. Thousands of small programs then share what costs most, and none of it is left out: the
//! first to ask runs the real code.

use std::cell::RefCell;
use std::rc::Rc;

use runahead::internals::order::Rank;

use super::super::hashing::FastMap;
use super::super::program::{Program, Value};
use super::super::protocol::{Delivered, Protocol};
use super::Fault;

/// What a rank's protocol is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input<S> {
    Nothing,
    Initiate(usize),
    Drop(usize),
    Message(Rank, u64, Value),
    Signal(Rank, S),
}

/// Which of the signals that are due leave behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outlet {
    All,
    For(Rank),
    Closed,
}

/// What comes of it.
pub struct Turn<S> {
    pub after: u32,
    /// What has become deliverable, and how far the barriers were when it had.
    pub delivered: Delivered,
    pub progress: Vec<(u64, u64)>,
    pub signals: Vec<(Rank, S)>,
    /// If there is one, nothing has left.
    pub fault: Option<Fault>,
}

/// What comes of each input in each state.
type Turns<S> = FastMap<(u32, Input<S>, Outlet), Rc<Turn<S>>>;

/// A state of the protocol with what follows from it alone.
pub struct Core<P> {
    pub state: Rc<P>,
    pub complete: bool,
    /// For each sender, the number of its messages that are held.
    pub held: Vec<usize>,
    pub progress: Vec<(u64, u64)>,
}

pub struct Cores<P: Protocol> {
    rules: P::Rules,
    groups: Vec<Vec<Rank>>,
    /// The first state of each rank.
    initial: Vec<u32>,
    states: Vec<Rc<Core<P>>>,
    numbers: FastMap<Rc<P>, u32>,
    turns: Turns<P::Signal>,
    /// Lists of barriers that a rank may have called, by their groups.
    histories: FastMap<Vec<usize>, u32>,
    /// What is wrong with a state after such a list.
    verdicts: FastMap<(u32, u32), Option<String>>,
}

pub type SharedCores<P> = Rc<RefCell<Cores<P>>>;

/// So many turns are kept; then they are forgotten, to bound the memory that a long test takes.
const KEPT: usize = 2_000_000;

impl<P: Protocol> Cores<P> {
    /// For this program and others over the same ranks and groups.
    pub fn shared(program: &Program, rules: &P::Rules) -> SharedCores<P> {
        let mut cores = Cores {
            rules: rules.clone(),
            groups: program.groups.clone(),
            initial: Vec::new(),
            states: Vec::new(),
            numbers: FastMap::default(),
            turns: FastMap::default(),
            histories: FastMap::default(),
            verdicts: FastMap::default(),
        };
        for rank in 0..program.size() {
            let state = P::new(rank, program, rules);
            let number = cores.number(program, state);
            cores.initial.push(number);
        }
        Rc::new(RefCell::new(cores))
    }

    /// Whether they are of the same ranks, groups and rules.
    pub fn fit(&self, program: &Program, rules: &P::Rules) -> bool {
        let same_program = (program.size(), &program.groups) == (self.initial.len(), &self.groups);
        same_program && *rules == self.rules
    }

    /// Begins anew if much is kept. Only between two programs.
    pub fn forget_much(shared: &mut SharedCores<P>, program: &Program) {
        let full = shared.borrow().turns.len() > KEPT;
        if full {
            let rules = shared.borrow().rules.clone();
            *shared = Cores::shared(program, &rules);
        }
    }

    pub fn rules(&self) -> &P::Rules {
        &self.rules
    }

    pub fn initial(&self, rank: Rank) -> u32 {
        self.initial[rank]
    }

    pub fn core(&self, number: u32) -> &Rc<Core<P>> {
        &self.states[number as usize]
    }

    /// The number of a list of barriers, named by their groups.
    pub fn history(&mut self, groups: &[usize]) -> u32 {
        if let Some(&number) = self.histories.get(groups) {
            return number;
        }
        let number = self.histories.len() as u32;
        self.histories.insert(groups.to_vec(), number);
        number
    }

    /// What is wrong with a state of a rank that has called these barriers: the first `pc`
    /// operations of the program have them.
    pub fn verdict(
        &mut self,
        program: &Program,
        number: u32,
        pc: usize,
        history: u32,
    ) -> Option<String> {
        let state = &self.states[number as usize].state;
        let judged = || state.check(program, pc).err();
        self.verdicts.entry((number, history)).or_insert_with(judged).clone()
    }

    pub fn turn(
        &mut self,
        program: &Program,
        number: u32,
        input: Input<P::Signal>,
        outlet: Outlet,
    ) -> Rc<Turn<P::Signal>> {
        let key = (number, input, outlet);
        if let Some(turn) = self.turns.get(&key) {
            return turn.clone();
        }
        let mut state = P::clone(&self.states[number as usize].state);
        let mut turn = Turn {
            after: 0,
            delivered: Delivered::new(),
            progress: Vec::new(),
            signals: Vec::new(),
            fault: None,
        };
        turn.fault = take(&mut state, program, &key.1, outlet, &mut turn).err();
        turn.after = self.number(program, state);
        let turn = Rc::new(turn);
        self.turns.insert(key, turn.clone());
        turn
    }

    fn number(&mut self, program: &Program, state: P) -> u32 {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let (state, number) = (Rc::new(state), self.states.len() as u32);
        self.states.push(Rc::new(Core {
            complete: state.is_complete(),
            held: (0..program.size()).map(|from| state.held_from(from)).collect(),
            progress: state.progress(program),
            state: state.clone(),
        }));
        self.numbers.insert(state, number);
        number
    }
}

/// Tells the protocol, and takes what it has to say.
fn take<P: Protocol>(
    state: &mut P,
    program: &Program,
    input: &Input<P::Signal>,
    outlet: Outlet,
    turn: &mut Turn<P::Signal>,
) -> Result<(), Fault> {
    match input {
        Input::Nothing => {}
        Input::Initiate(group) => state.initiate(*group).map_err(Fault::Reported)?,
        Input::Drop(group) => state.drop_group(*group),
        Input::Signal(from, signal) => {
            state.handle_signal(*from, signal).map_err(Fault::Reported)?;
        }
        Input::Message(from, stamp, value) => {
            let delivered = state.handle_message(*from, *stamp, *value);
            turn.delivered = delivered.map_err(Fault::Reported)?;
            turn.progress = state.progress(program);
        }
    }
    let delivered = state.poll_deliverable().map_err(Fault::Found)?;
    turn.delivered.extend(delivered);
    turn.progress = state.progress(program);
    turn.signals = match outlet {
        Outlet::All => state.poll_signals(None),
        Outlet::For(to) => state.poll_signals(Some(to)),
        Outlet::Closed => Vec::new(),
    };
    Ok(())
}
