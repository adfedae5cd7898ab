//! The plain search: every state of the whole by itself, and the graph between them. For small groups:
//! there it must find the states that the boxes hold, and come to the same verdict.
//!
//! Here liveness is looked for as it is stated: backwards from the end, is every state met?

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use super::boxes::{Search, early};
use super::cores::{Core, Progress, Setup};
use super::locals::{Locals, Wrong};

/// A local state of each rank.
type Whole = Vec<u32>;

/// What the graph shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub is_safe: bool,
    /// Every state leads to the end.
    pub is_live: bool,
    /// Every state leads to the end by entering, questions and answers alone; or words are published.
    pub is_repaired: bool,
}

/// All whole states.
pub struct Graph {
    pub states: Vec<Whole>,
    pub verdict: Verdict,
}

/// Visits every state.
///
/// # Errors
///
/// What is wrong with a local state or step; nothing else was looked at then.
pub fn explore<C: Core>(setup: Setup) -> Result<(Graph, Locals<C>), Wrong> {
    let mut locals = Locals::<C>::new(setup);
    let mut states: Vec<Whole> = vec![locals.first()?];
    let mut numbers = HashMap::from([(states[0].clone(), 0)]);
    let (mut onward, mut repairs, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let (mut is_safe, mut at) = (true, 0);
    while at < states.len() {
        let whole = states[at].clone();
        let own = |locals: &Locals<C>| -> Vec<Progress> {
            whole.iter().map(|&state| locals.get(state).progress).collect()
        };
        let progress = own(&locals);
        let heard = |of: usize| whole.iter().map(move |&state| (state, of));
        let imagined = (0..whole.len())
            .flat_map(heard)
            .any(|(state, of)| locals.get(state).heard[of] > progress[of].entered);
        is_safe &= early(&progress).is_none() && !imagined;
        if progress.iter().all(|progress| progress.complete == locals.setup.epochs) {
            ends.push(at);
        }
        let network = whole.iter().fold(0, |all, &state| all | locals.get(state).sent);
        for rank in 0..whole.len() {
            let moves = locals.moves(whole[rank], locals.inbound(rank, network))?;
            let both = moves.onward.iter().map(|&after| (after, true));
            for (after, counts) in both.chain(moves.asked.iter().map(|&after| (after, false))) {
                let mut next = whole.clone();
                next[rank] = after;
                let number = *numbers.entry(next.clone()).or_insert(states.len());
                if number == states.len() {
                    states.push(next);
                }
                if counts {
                    onward.push((number, at));
                }
            }
        }
        at += 1;
    }
    // What was sent is lost; the other ends of these steps are states that were found above.
    for (at, whole) in states.iter().enumerate() {
        let sent = whole.iter().fold(0, |all, &state| all | locals.get(state).sent);
        for (rank, &state) in whole.iter().enumerate() {
            let answers = whole.iter().map(|&other| locals.get(other).answers[rank]);
            let answers: Vec<u32> = answers.collect();
            let mut next = locals.repairs(state, &answers, sent)?;
            next.extend(locals.moves(state, 0)?.onward.iter().copied());
            for after in next {
                let mut next = whole.clone();
                next[rank] = after;
                repairs.push((numbers[&next], at));
            }
        }
    }
    let is_live = all_lead_to(&ends, onward, states.len());
    // What is published is not lost.
    let is_published = locals.setup.schedules.is_empty();
    let is_repaired = is_published || all_lead_to(&ends, repairs, states.len());
    Ok((Graph { states, verdict: Verdict { is_safe, is_live, is_repaired } }, locals))
}

/// Whether every state leads to an end. The steps are turned round: (after, before).
fn all_lead_to(ends: &[usize], mut steps: Vec<(usize, usize)>, count: usize) -> bool {
    steps.sort_unstable();
    let mut met = vec![false; count];
    let mut left = ends.to_vec();
    ends.iter().for_each(|&end| met[end] = true);
    while let Some(at) = left.pop() {
        let from = steps.partition_point(|step| step.0 < at);
        for &(_, before) in steps[from..].iter().take_while(|step| step.0 == at) {
            if !met[before] {
                met[before] = true;
                left.push(before);
            }
        }
    }
    met.into_iter().all(|met| met)
}

/// Both searches: they must find the same states and say the same of them. What they say, and how
/// many states there are.
///
/// # Panics
///
/// If they differ.
pub fn compare<C: Core>(setup: &Setup, what: &dyn fmt::Display) -> (Result<Verdict, Wrong>, usize) {
    let (report, search) = Search::<C>::new(setup.clone()).run();
    let (graph, locals) = match explore::<C>(setup.clone()) {
        Ok(found) => found,
        Err(wrong) => {
            assert!(!report.wrong.is_empty(), "{what}: the plain search alone finds {wrong:?}");
            return (Err(wrong), 0);
        }
    };
    let is_safe = !report.has(|w| matches!(w, Wrong::Early { .. } | Wrong::Imagined { .. }));
    let is_live = !report.has(|w| matches!(w, Wrong::Stuck(_) | Wrong::Circle(_)));
    let is_repaired = !report.has(|w| matches!(w, Wrong::Unrepaired(_)));
    let verdict = Verdict { is_safe, is_live, is_repaired };
    assert_eq!(verdict, graph.verdict, "{what}: {:?}", report.wrong);

    // The two number local states differently; what they are is in their keys.
    let key = |locals: &Locals<C>, state: u32| {
        let local = locals.get(state);
        let flying = super::locals::bits(local.sent);
        let sent = flying.map(|bit| format!("{:?}", locals.signals[usize::from(bit)]));
        (local.core.key(), sent.collect::<BTreeSet<_>>())
    };
    let mut renamed = HashMap::new();
    for state in 0..locals.all.len() as u32 {
        renamed.insert((locals.get(state).rank, key(&locals, state)), state);
    }
    let there = &search.locals;
    let name = |state: u32| renamed.get(&(there.get(state).rank, key(there, state))).copied();
    let names: Vec<Option<u32>> = (0..there.all.len() as u32).map(name).collect();
    let mut boxed = std::collections::HashSet::new();
    for found in &search.found {
        let mut wholes = vec![Vec::new()];
        for &set in &found[..setup.size()] {
            let longer = wholes.iter().flat_map(|whole: &Whole| {
                search.set(set).iter().map(move |&state| {
                    let mut longer = whole.clone();
                    longer.push(state);
                    longer
                })
            });
            wholes = longer.collect();
        }
        boxed.extend(wholes.into_iter().map(|whole| -> Option<Whole> {
            whole.into_iter().map(|state| names[state as usize]).collect()
        }));
    }
    let plain = graph.states.len();
    assert!(
        graph.states.iter().all(|whole| boxed.contains(&Some(whole.clone()))),
        "{what}: a state lies in no box"
    );
    assert_eq!(boxed.len(), plain, "{what}: a box holds what cannot be reached");
    if report.is_exact {
        assert_eq!(report.states, plain as u128, "{what}: miscounted");
    }
    assert!(report.states >= plain as u128, "{what}: miscounted");
    (Ok(verdict), plain)
}
