//! A search of all states that a small system can reach, for tests that state what must hold in each
//! and that the system always comes to its end. A failure is a counterexample: the steps that lead
//! there, shortest first found.
//!
//! # Correctness
//!
//! A system says for each of its states which steps can follow. Some steps are *certain*: the system
//! takes one of them sooner or later, as a word under way arrives and a rank looks. Others may never
//! happen: what is under way may come twice, be lost, or a rank may end. The search visits each state
//! once and breadth first, by both kinds of steps. The system comes to its end if each state leads to
//! one by certain steps alone. That finds a state in which nothing goes on, and also one in which the
//! system only runs in circles.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::rc::Rc;

/// What is searched.
pub trait System {
    /// A state. Two that are equal have the same future.
    type State: Clone + Eq + Hash;
    /// What happens between two states, for the counterexample.
    type Step: fmt::Debug;

    /// The state in which the system begins.
    fn start(&self) -> Self::State;

    /// Adds all steps that can follow a state.
    ///
    /// # Errors
    ///
    /// What went wrong in taking one.
    fn steps(&mut self, state: &Self::State, to: &mut Steps<Self>) -> Result<(), String>;

    /// Whether all that must hold holds in a state.
    ///
    /// # Errors
    ///
    /// What does not.
    fn check(&self, state: &Self::State) -> Result<(), String>;

    /// Whether the system may stay in this state for good.
    fn is_end(&self, state: &Self::State) -> bool;
}

/// The steps that can follow a state.
pub struct Steps<S: System + ?Sized>(Vec<Next<S>>);

struct Next<S: System + ?Sized> {
    step: S::Step,
    leads_to: S::State,
    is_certain: bool,
}

impl<S: System + ?Sized> Steps<S> {
    /// A step that is taken sooner or later, unless another is that rules it out.
    pub fn certain(&mut self, step: S::Step, leads_to: S::State) {
        self.0.push(Next { step, leads_to, is_certain: true });
    }

    /// A step that may never be taken.
    pub fn possible(&mut self, step: S::Step, leads_to: S::State) {
        self.0.push(Next { step, leads_to, is_certain: false });
    }
}

/// How much was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Different states.
    pub states: usize,
    /// Of these, the ends.
    pub ends: usize,
}

/// How a system fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What is wrong.
    pub fault: String,
    /// The steps from the start to the state in which it is.
    pub steps: Vec<String>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, after {} steps:", self.fault, self.steps.len())?;
        self.steps.iter().try_for_each(|step| writeln!(f, "  {step}"))
    }
}

/// A state that was reached: from which, and by how many of the steps that follow that one.
#[derive(Clone, Copy)]
struct Reached {
    from: u32,
    by: u32,
}

/// Visits all states of a system.
///
/// # Errors
///
/// The first state that was found in which something is wrong, or from which no end can be reached by
/// certain steps.
///
/// # Panics
///
/// If there are 2³² states or more.
pub fn search<S: System>(system: &mut S) -> Result<Searched, Counterexample> {
    let start = Rc::new(system.start());
    let mut numbers = HashMap::<_, _, BuildHasherDefault<StateHasher>>::default();
    numbers.insert(start.clone(), 0_u32);
    let mut states = vec![start];
    let mut reached = vec![Reached { from: 0, by: 0 }];
    // From which states each is reached by a certain step.
    let mut before: Vec<Vec<u32>> = vec![Vec::new()];
    let mut ends = Vec::new();
    let mut steps = Steps(Vec::new());
    let mut at = 0;
    while at < states.len() {
        let (number, state) = (index(at), states[at].clone());
        let valid = system.check(&state).and_then(|()| system.steps(&state, &mut steps));
        if let Err(fault) = valid {
            return Err(counterexample(system, &states, &reached, number, fault));
        }
        if system.is_end(&state) {
            ends.push(number);
        }
        for (by, next) in steps.0.drain(..).enumerate() {
            let new = index(states.len());
            let to = *numbers.entry(Rc::new(next.leads_to)).or_insert_with_key(|state| {
                states.push(state.clone());
                reached.push(Reached { from: number, by: index(by) });
                before.push(Vec::new());
                new
            });
            if next.is_certain && to != number {
                before[to as usize].push(number);
            }
        }
        at += 1;
    }
    let found = Searched { states: states.len(), ends: ends.len() };
    let mut comes_to_an_end = vec![false; states.len()];
    while let Some(number) = ends.pop() {
        if !std::mem::replace(&mut comes_to_an_end[number as usize], true) {
            ends.extend(&before[number as usize]);
        }
    }
    match comes_to_an_end.iter().position(|&comes| !comes) {
        None => Ok(found),
        Some(at) => {
            let fault = "no end can be reached".to_owned();
            Err(counterexample(system, &states, &reached, index(at), fault))
        }
    }
}

/// The states that a search has seen.
pub type Seen<S> = HashSet<S, BuildHasherDefault<StateHasher>>;

/// Hashes a state by one multiplication for each of its words.
///
/// A search would spend up to half of its time in the standard library's hash: that is generic, so
/// the crate that searches compiles it, mostly not optimised. This one is optimised as this crate is.
#[derive(Default)]
pub struct StateHasher(u64);

impl Hasher for StateHasher {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        // The fractional part of the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // The high bits depend on all others; a table takes the low ones.
        self.0.rotate_left(26)
    }
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^32 states")
}

/// The steps are not kept but taken once more, since a search has millions of them.
fn counterexample<S: System>(
    system: &mut S,
    states: &[Rc<S::State>],
    reached: &[Reached],
    mut at: u32,
    fault: String,
) -> Counterexample {
    let mut taken = Vec::new();
    while at != 0 {
        let Reached { from, by } = reached[at as usize];
        let mut steps = Steps(Vec::new());
        let step = match system.steps(&states[from as usize], &mut steps) {
            Ok(()) => format!("{:?}", steps.0[by as usize].step),
            Err(fault) => fault,
        };
        taken.push(step);
        at = from;
    }
    taken.reverse();
    Counterexample { fault, steps: taken }
}
