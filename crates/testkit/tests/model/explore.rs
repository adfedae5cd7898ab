//! Breadth-first search through all states of a system, with the shortest way back to the start.
//!
//! This knows no barrier and no message. What a state is and what may happen in it is the
//! [`System`]'s; what is wrong with a state is said by a closure.

use std::collections::VecDeque;
use std::hash::Hash;

use super::hashing::FastSet;

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
    let mut seen = FastSet::default();
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

/// The fewest steps to a state that is wrong, by another way than [`explore`]: all states to which one
/// step leads, then two, and so on, whether seen before or not. Slow; says how long a shortest trace
/// must be.
pub fn fewest_steps<S: System>(
    system: &mut S,
    mut is_wrong: impl FnMut(&S, &S::State, bool) -> bool,
) -> Option<usize> {
    let mut states = FastSet::from_iter([system.initial()]);
    let mut next = Vec::new();
    for steps in 0.. {
        let mut after = FastSet::default();
        for state in &states {
            next.clear();
            system.successors(state, &mut next);
            if is_wrong(system, state, next.is_empty()) {
                return Some(steps);
            }
            after.extend(next.drain(..).map(|(_, state)| state));
        }
        if after.is_empty() {
            return None;
        }
        states = after;
    }
    unreachable!("it ends where no step is left")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 1 on, a number may grow by one or be doubled, up to 100.
    struct Numbers;

    impl System for Numbers {
        type State = u32;
        type Step = char;

        fn initial(&mut self) -> u32 {
            1
        }

        fn successors(&mut self, state: &u32, into: &mut Vec<(char, u32)>) {
            into.extend([('+', state + 1), ('*', state * 2)].into_iter().filter(|s| s.1 <= 100));
        }

        fn describe(&self, state: &u32, step: char) -> String {
            format!("{state}{step}")
        }
    }

    /// A search that goes deep first, or takes the first step that it finds, adds one 99 times.
    #[test]
    fn the_trace_to_a_state_is_a_shortest_one() {
        let search = explore(&mut Numbers, 1000, |_, &state, _| (state == 100).then_some(()));
        let (_, trace) = search.found.expect("it can be reached");
        assert_eq!(trace, ["1+", "2+", "3*", "6*", "12*", "24+", "25*", "50*"]);
        for target in 1..=100 {
            let search =
                explore(&mut Numbers, 1000, |_, &state, _| (state == target).then_some(()));
            let (_, trace) = search.found.expect("all can be reached");
            let fewest = fewest_steps(&mut Numbers, |_, &state, _| state == target);
            assert_eq!(Some(trace.len()), fewest, "{target}");
        }
        assert_eq!(fewest_steps(&mut Numbers, |_, &state, _| state == 101), None);
    }

    #[test]
    fn all_states_are_seen_and_no_more_than_allowed() {
        let search = explore(&mut Numbers, 100, |_, _, _| None::<()>);
        assert!(search.found.is_none());
        assert_eq!(search.states, 100);
        let few = || explore(&mut Numbers, 99, |_, _, _| None::<()>);
        assert!(std::panic::catch_unwind(few).is_err(), "there are more than 99");
    }
}
