//! Whether the schedules of all ranks of a group make a barrier: a graph check, pure and exact.
//!
//! The graph has a node for every step of every rank. Step `s` of a rank follows its step `s - 1`
//! and every step whose signal it waits for. A node has *fired* when its rank has entered and all
//! before it have fired. Then the step's own signals may leave. A rank is complete when its last
//! step has fired. [`check`] finds out, in this order, whether the schedules are
//!
//! * *well-formed*: every signal is sent once and waited for once, between two ranks of the group;
//! * *live*: if all ranks enter, all complete; that is, the graph has no cycle;
//! * *safe*: no rank completes before all have entered. A node carries the set of the ranks whose
//!   entry it implies: its own rank and the sets of all nodes before it. Safe means that the last
//!   step of every rank carries all ranks. This is exact: if a rank is not in the set, then no node
//!   before that last step belongs to it, and all of them fire without it.
//!
//! The check says nothing about how signals travel, and what a provider does to them.
//!
//! # Why one epoch is enough
//!
//! A group runs barrier after barrier on the same cells, and a rank may be several epochs ahead of
//! another. A graph that is right for one epoch is right for all of them, for three reasons. Every
//! cell is monotone and says "at least epoch `e`". A rank enters epochs in order. And a rank
//! signals a step up to the *minimum* of `entered` and the cells that it waits for.
//!
//! Choose any `e`, and look at a run only through the question "is it `>= e`?". `entered >= e`
//! means "has entered barrier `e`". A cell that is `>= e` contains an `e' >= e`. Its sender
//! signalled that when its minimum was `>= e'`, so also `>= e`: at that time, for `e`, the sender's
//! step had fired. The run therefore reduces to a run of the one-epoch graph, in which a signal can
//! be late but never early. *Safety* carries over: if a rank is complete up to `e`, all ranks have
//! entered `e`.
//!
//! Nothing in this needs the signal for `e` itself: a signal for a later epoch says the same and
//! more. Signals may therefore be coalesced, repeated, and overtaken by later ones (a cell keeps
//! the highest). No rank need wait until another has read its cell. *Liveness* carries over as
//! well. Cells never decrease, so each step in turn fires for `e`, as long as the newest signal of
//! a step always arrives eventually.
//!
//! A cell that is reset between barriers, or that has a phase bit, would lack this. A rank that is
//! two epochs ahead would erase or imitate the signal that another still needs.

use bitvec::vec::BitVec;

use super::{Arrival, Schedule, Step, StepIndex};
use crate::Rank;

/// The size and depth of a barrier that passed the [`check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The signals that all ranks together send in one barrier.
    pub signals: usize,
    /// The most signals that follow one another before a rank is complete: each leaves only after
    /// the one before it has arrived. Where no rank has to send much, the latency of the barrier in
    /// the LogP model is about this many times `L + 2o` (hoefler-2005 §2.1.4.5).
    pub hops: usize,
    /// The most signals that one rank sends in one barrier.
    pub max_sends_per_rank: usize,
}

/// Why schedules are not a barrier. Each variant names the first offender found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There are no schedules.
    #[error("there are no schedules: a group has at least one rank")]
    NoRanks,
    /// The schedules are not those of ranks `0..size`, in order.
    #[error(
        "schedule {position} of {count} is for rank {rank} in a group of {size}: expected rank \
         {position} in a group of {count}"
    )]
    WrongGroup {
        /// The place in the list.
        position: usize,
        /// The length of the list.
        count: usize,
        /// The rank that the schedule is made for.
        rank: Rank,
        /// The group size that the schedule is made for.
        size: usize,
    },
    /// A schedule has more steps than a [`StepIndex`] can number.
    #[error("rank {rank} has {steps} steps: expected at most {}", usize::from(StepIndex::MAX) + 1)]
    TooManySteps {
        /// The rank.
        rank: Rank,
        /// The number of its steps.
        steps: usize,
    },
    /// A step names a rank that is not in the group.
    #[error("step {step} of rank {rank} names rank {other}, which is not in the group")]
    NoSuchRank {
        /// The rank whose schedule it is.
        rank: Rank,
        /// The step.
        step: StepIndex,
        /// The rank that is named.
        other: Rank,
    },
    /// A step signals its own rank or waits for it.
    #[error("step {step} of rank {rank} names that rank itself")]
    OwnRank {
        /// The rank.
        rank: Rank,
        /// The step.
        step: StepIndex,
    },
    /// One step signals the same rank twice.
    #[error("step {step} of rank {from} signals rank {to} twice")]
    SignalsTwice {
        /// The sender.
        from: Rank,
        /// The sender's step.
        step: StepIndex,
        /// The target.
        to: Rank,
    },
    /// A rank waits for the same signal twice, in one step or in two.
    #[error("rank {rank} waits twice for step {} of rank {}", .arrival.step, .arrival.rank)]
    WaitsTwice {
        /// The rank that waits.
        rank: Rank,
        /// The signal.
        arrival: Arrival,
    },
    /// A rank waits for a signal that no rank sends.
    #[error(
        "step {step} of rank {rank} waits for step {} of rank {}, which does not signal it",
        .arrival.step, .arrival.rank
    )]
    NeverSent {
        /// The rank that waits.
        rank: Rank,
        /// Its step.
        step: StepIndex,
        /// The signal that it waits for.
        arrival: Arrival,
    },
    /// A signal is sent to a rank that does not wait for it.
    #[error("step {step} of rank {from} signals rank {to}, which does not wait for it")]
    NotExpected {
        /// The sender.
        from: Rank,
        /// The sender's step.
        step: StepIndex,
        /// The target.
        to: Rank,
    },
    /// Steps wait for each other in a cycle, of which this is one: they never fire.
    #[error(
        "step {step} of rank {rank} waits for step {} of rank {}, which waits in turn for it",
        .arrival.step, .arrival.rank
    )]
    Stuck {
        /// A rank on the cycle.
        rank: Rank,
        /// Its step there.
        step: StepIndex,
        /// What that step waits for on the cycle.
        arrival: Arrival,
    },
    /// A rank completes though another has not entered.
    #[error("rank {complete} can complete before rank {missing} has entered")]
    NotImplied {
        /// The rank that completes.
        complete: Rank,
        /// A rank that need not have entered.
        missing: Rank,
    },
}

/// Proves that `schedules`, those of the ranks `0..size` in order, are a barrier: well-formed, live
/// and safe, as the module documentation defines.
///
/// Time and memory are proportional to steps and signals times `size / 64`.
///
/// # Errors
///
/// The first [`Fault`] found. Schedules that are not well-formed are not checked for liveness, and
/// schedules that are not live are not checked for safety.
pub fn check(schedules: &[Schedule]) -> Result<Shape, Fault> {
    let signals = well_formed(schedules)?;
    let hops = Graph::new(schedules).propagate()?;
    let sends = |schedule: &Schedule| schedule.steps().iter().map(|step| step.send_to.len()).sum();
    let max_sends_per_rank = schedules.iter().map(sends).max().unwrap_or(0);
    Ok(Shape { signals, hops, max_sends_per_rank })
}

fn numbered(schedule: &Schedule) -> impl Iterator<Item = (StepIndex, &Step)> {
    (0..=StepIndex::MAX).zip(schedule.steps())
}

/// Counts the signals.
fn well_formed(schedules: &[Schedule]) -> Result<usize, Fault> {
    let count = schedules.len();
    if count == 0 {
        return Err(Fault::NoRanks);
    }
    let named = |rank: Rank, step: StepIndex, other: Rank| {
        if other >= count {
            Err(Fault::NoSuchRank { rank, step, other })
        } else if other == rank {
            Err(Fault::OwnRank { rank, step })
        } else {
            Ok(())
        }
    };
    // The signals sent to each target. They come in order, sender by sender and step by step, so
    // each list is sorted and a duplicate is next to the original.
    let mut sent = vec![Vec::new(); count];
    for (position, schedule) in schedules.iter().enumerate() {
        let (rank, size, steps) = (schedule.rank(), schedule.size(), schedule.steps().len());
        if (rank, size) != (position, count) {
            return Err(Fault::WrongGroup { position, count, rank, size });
        }
        if steps > usize::from(StepIndex::MAX) + 1 {
            return Err(Fault::TooManySteps { rank, steps });
        }
        for (index, step) in numbered(schedule) {
            let signal = Arrival { rank, step: index };
            for &to in &step.send_to {
                named(rank, index, to)?;
                if sent[to].last() == Some(&signal) {
                    return Err(Fault::SignalsTwice { from: rank, step: index, to });
                }
                sent[to].push(signal);
            }
        }
    }
    let mut expected = Vec::new();
    for (rank, schedule) in schedules.iter().enumerate() {
        let sent = &sent[rank];
        expected.clear();
        for (index, step) in numbered(schedule) {
            for &arrival in &step.recv_from {
                named(rank, index, arrival.rank)?;
                if sent.binary_search(&arrival).is_err() {
                    return Err(Fault::NeverSent { rank, step: index, arrival });
                }
                expected.push(arrival);
            }
        }
        expected.sort_unstable();
        if let Some(pair) = expected.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Fault::WaitsTwice { rank, arrival: pair[0] });
        }
        if let Some(signal) = sent.iter().find(|signal| expected.binary_search(signal).is_err()) {
            return Err(Fault::NotExpected { from: signal.rank, step: signal.step, to: rank });
        }
    }
    Ok(sent.iter().map(Vec::len).sum())
}

/// The steps of well-formed schedules as nodes, numbered rank by rank.
struct Graph<'a> {
    schedules: &'a [Schedule],
    /// The number of each rank's first node, and at the end that of all nodes.
    first: Vec<usize>,
    /// For each node the nodes that wait for its signals, and its rank's next one.
    followers: Vec<Vec<usize>>,
    /// For each node the nodes before it that have not fired.
    waiting: Vec<usize>,
}

impl<'a> Graph<'a> {
    fn new(schedules: &'a [Schedule]) -> Graph<'a> {
        let mut first = vec![0];
        for schedule in schedules {
            first.push(first[schedule.rank()] + schedule.steps().len());
        }
        let nodes = first[schedules.len()];
        let mut graph =
            Graph { schedules, first, followers: vec![Vec::new(); nodes], waiting: vec![0; nodes] };
        for schedule in schedules {
            for (index, step) in numbered(schedule) {
                let node = graph.node(schedule.rank(), index);
                if index > 0 {
                    graph.followers[node - 1].push(node);
                    graph.waiting[node] += 1;
                }
                for arrival in &step.recv_from {
                    let sender = graph.node(arrival.rank, arrival.step);
                    graph.followers[sender].push(node);
                    graph.waiting[node] += 1;
                }
            }
        }
        graph
    }

    fn node(&self, rank: Rank, step: StepIndex) -> usize {
        self.first[rank] + usize::from(step)
    }

    /// Fires all nodes, each after those before it, and returns the most hops to a completion.
    fn propagate(mut self) -> Result<usize, Fault> {
        let (schedules, size) = (self.schedules, self.schedules.len());
        let places: Vec<(Rank, StepIndex)> = schedules
            .iter()
            .flat_map(|schedule| numbered(schedule).map(|(step, _)| (schedule.rank(), step)))
            .collect();
        // What a node implies, and the longest chain of signals before it. A node gets its set when
        // it fires.
        let mut implied: Vec<BitVec> = vec![BitVec::new(); places.len()];
        let mut hops = vec![0; places.len()];
        let mut ready: Vec<usize> =
            (0..places.len()).filter(|&node| self.waiting[node] == 0).collect();
        let mut fired = 0;
        while let Some(node) = ready.pop() {
            fired += 1;
            let (rank, step) = places[node];
            let (mut set, mut depth) = match step {
                0 => (BitVec::repeat(false, size), 0),
                _ => (implied[node - 1].clone(), hops[node - 1]),
            };
            set.set(rank, true);
            for arrival in &schedules[rank].steps()[usize::from(step)].recv_from {
                let sender = self.node(arrival.rank, arrival.step);
                // Word by word: the operator on sets goes bit by bit in a build for debugging.
                let words = set.as_raw_mut_slice().iter_mut();
                words.zip(implied[sender].as_raw_slice()).for_each(|(word, more)| *word |= more);
                depth = depth.max(hops[sender] + 1);
            }
            (implied[node], hops[node]) = (set, depth);
            for &follower in &self.followers[node] {
                self.waiting[follower] -= 1;
                if self.waiting[follower] == 0 {
                    ready.push(follower);
                }
            }
        }
        if fired < places.len() {
            return Err(self.circle());
        }
        for complete in 0..size {
            let steps = self.first[complete]..self.first[complete + 1];
            let missing = match steps.last() {
                Some(last) => implied[last].first_zero(),
                // Without any step a rank completes as soon as it has entered.
                None => (0..size).find(|&rank| rank != complete),
            };
            if let Some(missing) = missing {
                return Err(Fault::NotImplied { complete, missing });
            }
        }
        Ok(hops.into_iter().max().unwrap_or(0))
    }

    /// Finds a circle, once all nodes that can fire have fired.
    fn circle(&self) -> Fault {
        let fired = |rank, step| self.waiting[self.node(rank, step)] == 0;
        let blocked = |rank: Rank| {
            let mut steps = numbered(&self.schedules[rank]);
            let (index, step) = steps.find(|&(index, _)| !fired(rank, index))?;
            let late = step.recv_from.iter().find(|late| !fired(late.rank, late.step))?;
            Some((index, *late))
        };
        let mut at = (0..self.schedules.len()).find_map(|rank| Some((rank, blocked(rank)?)));
        // Every rank that blocks another is blocked itself, so after as many moves as there are
        // ranks the walk has reached a circle, wherever it began.
        for _ in 0..self.schedules.len() {
            at = at.and_then(|(_, (_, late))| Some((late.rank, blocked(late.rank)?)));
        }
        let (rank, (step, arrival)) = at.expect("a node that has not fired lies behind a circle");
        Fault::Stuck { rank, step, arrival }
    }
}
