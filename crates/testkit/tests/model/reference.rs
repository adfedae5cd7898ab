//! What blocking barriers allow: the semantics that runahead must not be told apart from.
//!
//! All members of a group must have arrived at a barrier before anyone leaves it. Messages of one
//! pair stay in order; otherwise a message may be under way for any time, so a poll may miss one
//! that was sent, and a receive from any source may find any sender's first. Buffers are unlimited
//! unless a window is given: then a blocking send waits while the receiver has so many messages of
//! this sender that it has not taken.
//!
//! This is written apart from [`super::machine`] and [`super::explore`], on purpose: it shares
//! only the program with them, and is simple enough to be read as a definition.

use std::collections::BTreeSet;

use smallvec::{SmallVec, smallvec};

use super::hashing::FastSet;
use super::program::{NOTHING, Observed, Op, Program, Source, Value};
use runahead::internals::order::Rank;

/// Everything that the ranks may observe, each under its own number.
#[derive(Debug, Default)]
pub struct Allowed {
    /// What the ranks have observed when all have ended.
    pub finals: BTreeSet<Vec<Observed>>,
    /// What they have observed when nobody can go on and not all have ended.
    pub deadlocks: BTreeSet<Vec<Observed>>,
    /// For each rank, whatever it may have observed at some time.
    pub prefixes: Vec<FastSet<Observed>>,
    pub states: usize,
}

/// Lists that are mostly short; being small is all that they are for.
type Values = SmallVec<[Value; 12]>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The number of operations that each rank has begun; a barrier has been arrived at, then.
    begun: SmallVec<[u8; 8]>,
    /// `under_way[from * size + to]`, oldest first.
    under_way: SmallVec<[Values; 9]>,
    observed: SmallVec<[Values; 3]>,
}

/// Runs the program in every possible way.
pub fn run(program: &Program, window: usize) -> Allowed {
    let size = program.size();
    let start = State {
        begun: smallvec![0; size],
        under_way: smallvec![Values::new(); size * size],
        observed: smallvec![Values::new(); size],
    };
    let mut allowed = Allowed { prefixes: vec![FastSet::default(); size], ..Allowed::default() };
    let mut seen = FastSet::from_iter([start.clone()]);
    let mut todo = vec![start];
    while let Some(state) = todo.pop() {
        allowed.states += 1;
        let next = successors(program, window, &state);
        if next.is_empty() {
            let ended = (0..size).all(|r| {
                usize::from(state.begun[r]) == program.ranks[r].len()
                    && !is_blocked(program, &state, r)
            });
            let observed: Vec<Observed> = state.observed.iter().map(|all| all.to_vec()).collect();
            for (rank, observed) in observed.iter().enumerate() {
                for end in 0..=observed.len() {
                    let prefix = &observed[..end];
                    if !allowed.prefixes[rank].contains(prefix) {
                        allowed.prefixes[rank].insert(prefix.to_vec());
                    }
                }
            }
            let set = if ended { &mut allowed.finals } else { &mut allowed.deadlocks };
            set.insert(observed);
            continue;
        }
        todo.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    allowed
}

/// Whether the rank stands in a barrier that some member has not arrived at.
fn is_blocked(program: &Program, state: &State, rank: Rank) -> bool {
    let arrivals = |rank: Rank, group: usize| {
        let begun = &program.ranks[rank][..usize::from(state.begun[rank])];
        begun.iter().filter(|op| op.barrier_group() == Some(group)).count()
    };
    let last = state.begun[rank].checked_sub(1).map(|at| program.ranks[rank][usize::from(at)]);
    let Some(group) = last.and_then(Op::barrier_group) else { return false };
    let own = arrivals(rank, group);
    program.groups[group].iter().any(|&member| arrivals(member, group) < own)
}

fn successors(program: &Program, window: usize, state: &State) -> Vec<State> {
    let size = program.size();
    let mut next = Vec::new();
    for rank in 0..size {
        let Some(&op) = program.ranks[rank].get(usize::from(state.begun[rank])) else { continue };
        if is_blocked(program, state, rank) {
            continue;
        }
        let mut after = state.clone();
        after.begun[rank] += 1;
        match op {
            Op::Barrier(_) | Op::TryBarrier(_) | Op::Wait | Op::Drop(_) => return vec![after],
            Op::Send { to, .. } if state.under_way[rank * size + to].len() >= window => {}
            Op::Send { to, value } | Op::Isend { to, value } => {
                // Nobody else can take this step or be kept from theirs by it: it may come first.
                after.under_way[rank * size + to].push(value);
                return vec![after];
            }
            Op::Recv(source) | Op::Poll(source) => {
                for from in 0..size {
                    let matches = source == Source::Any || source == Source::From(from);
                    if !matches || state.under_way[from * size + rank].is_empty() {
                        continue;
                    }
                    let mut taken = after.clone();
                    let value = taken.under_way[from * size + rank].remove(0);
                    taken.observed[rank].push(value);
                    next.push(taken);
                }
                if matches!(op, Op::Poll(_)) {
                    after.observed[rank].push(NOTHING);
                    next.push(after);
                }
            }
        }
    }
    next
}
