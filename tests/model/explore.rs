//! Breadth-first search through all states of a system, with the shortest way back to the start.
//!
//! This knows no barrier and no message. What a state is and what may happen in it is the
//! [`System`]'s; what is wrong with a state is said by a closure.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

/// Something with states and steps between them.
pub trait System {
    type State: Clone + Eq + Hash;
    type Step: Copy + Eq;

    fn initial(&mut self) -> Self::State;

    /// What may happen in a state. Steps that change nothing are left out.
    fn successors(&mut self, state: &Self::State, into: &mut Vec<(Self::Step, Self::State)>);

    /// A step in words, for a reader of the trace.
    fn describe(&self, state: &Self::State, step: Self::Step) -> String;
}

/// How a search ended.
pub struct Search<V> {
    pub states: usize,
    /// The first thing that `judge` found wrong, and the steps that led there.
    pub found: Option<(V, Vec<String>)>,
}

/// Visits every reachable state once, nearest first, until `judge` finds one wrong. It is told
/// whether nothing more can happen in the state.
///
/// # Panics
///
/// If there are more states than `limit`: then the search would not be exhaustive.
pub fn explore<S: System, V>(
    system: &mut S,
    limit: usize,
    mut judge: impl FnMut(&S, &S::State, bool) -> Option<V>,
) -> Search<V> {
    let mut seen = HashSet::new();
    let mut came: Vec<(usize, Option<S::Step>)> = vec![(0, None)];
    let mut queue = VecDeque::new();
    let mut next = Vec::new();
    let start = system.initial();
    seen.insert(start.clone());
    queue.push_back((0, start));
    while let Some((at, state)) = queue.pop_front() {
        system.successors(&state, &mut next);
        if let Some(wrong) = judge(system, &state, next.is_empty()) {
            let trace = retrace(system, &came, at);
            return Search { states: came.len(), found: Some((wrong, trace)) };
        }
        for (step, state) in next.drain(..) {
            if seen.insert(state.clone()) {
                came.push((at, Some(step)));
                queue.push_back((came.len() - 1, state));
            }
        }
        assert!(came.len() <= limit, "more than {limit} states");
    }
    Search { states: came.len(), found: None }
}

/// The steps to a state, in words, by taking them once more.
fn retrace<S: System>(
    system: &mut S,
    came: &[(usize, Option<S::Step>)],
    mut at: usize,
) -> Vec<String> {
    let mut way = Vec::new();
    while let (before, Some(step)) = came[at] {
        way.push(step);
        at = before;
    }
    let (mut state, mut next, mut trace) = (system.initial(), Vec::new(), Vec::new());
    for step in way.into_iter().rev() {
        trace.push(system.describe(&state, step));
        next.clear();
        system.successors(&state, &mut next);
        let taken = next.iter().find(|(other, _)| *other == step);
        state = taken.expect("a step that was taken can be taken again").1.clone();
    }
    trace
}
