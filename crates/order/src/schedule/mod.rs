//! The signals of a rank in one barrier, sent and waited for, in their order: pure data.
//!
//! A [`Schedule`] is the list of [`Step`]s of one rank. Its meaning: a rank may signal step `s`
//! once it has entered and everything that it waits for in steps `<= s` has arrived. It is complete
//! once everything in all its steps has arrived. Every barrier algorithm of hoefler-2005 §2.2 and
//! kini-2003 §3 has this form.
//!
//! The algorithms, for `P` ranks, with `k = ceil(lg P)`, `z = floor(lg P)` and `y = 2^z`:
//!
//! | algorithm | hops | signals | most signals of a rank |
//! |---|---|---|---|
//! | [`Board`](Algorithm::Board) | `1` | `P (P - 1)`; none on shared memory | `P - 1` |
//! | [`Butterfly`](Algorithm::Butterfly) | `k` | `P k` if `P = y`, else at most `2^k k` | `k` if `P = y`, else at most `2 k` |
//! | [`PairwiseExchange`](Algorithm::PairwiseExchange) | `z` if `P = y`, else at most `z + 2` | `y z + 2 (P - y)` | `z` if `P = y`, else `z + 1` |
//! | [`Dissemination`](Algorithm::Dissemination) | `k` | `P k` | `k` |
//! | [`AllToAll`](Algorithm::AllToAll) | `1` | `P (P - 1)` | `P - 1` |
//! | [`FlatTree`](Algorithm::FlatTree) | `2` | `2 (P - 1)` | `P - 1` |
//! | [`BinaryTree`](Algorithm::BinaryTree) | `2 z` | `2 (P - 1)` | `3`, less in the smallest trees |
//!
//! Algorithms with a parameter `n`, with `b = n + 1`, `R = ceil(log_b P)`, `x = floor(log_b P)`:
//!
//! | algorithm | hops | signals | most signals of a rank |
//! |---|---|---|---|
//! | [`NWayDissemination`](Algorithm::NWayDissemination) | `R` | `P (n (R - 1) + ceil(P / b^(R-1)) - 1)` | that without `P` |
//! | [`NWiseExchange`](Algorithm::NWiseExchange), `n < P` | `x` if `P = b^x`, else at most `x + 2` | `b^x x n + 2 (P - b^x)` | `x n + ceil(P / b^x) - 1` |
//! | [`GatherMulticast`](Algorithm::GatherMulticast) | `R + 1` or `R` | `2 (P - 1)` | `P - 1` |
//! | [`McsTree`](Algorithm::McsTree) | `1 +` depth of the tree | `2 (P - 1)` | `P - 1` |
//! | [`BinomialTree`](Algorithm::BinomialTree) | `k + 1` or `k` | `2 (P - 1)` | `P - 1` |
//!
//! Hops are signals that must follow one another ([`check::Shape::hops`]). hoefler-2005 §2.2.2.2
//! and kini-2003 §3.1 count *rounds* of pairwise exchange, `z + 2`. No chain of signals is that
//! long while `P <= 3/2 y`. A chain that starts at a rank with a proxy and moves on in every
//! exchange ends at a rank that is not a proxy. There the hops are `z + 1`.
//!
//! Likewise in a gathering by groups: between a rank and rank 0 there are as many reports as the
//! rank has nonzero digits to base `b` (`b = 2` in the binomial tree). The lowest rank with `R` of
//! them is `(b^R - 1) / n`. A group without that rank has one hop less than the papers' rounds.
//!
//! [`names`] has the papers' other names and formulas. The numbers for some sizes are in
//! docs/SCHEDULES.md, which `runahead schedules --markdown` makes.
//!
//! A schedule is not the barrier: it has no state and sends nothing ([`super::epochs`] runs it).
//! [`check`] decides whether a family of schedules *is* a barrier.
//!
//! Every algorithm of [`Algorithm::ALL`] keeps one rule besides: no rank signals another in two of
//! its steps. Where signals are words, a rank has one cell for each other rank, and a word does not
//! say its step ([`written`](super::written)). A test checks it.

mod algorithm;
mod butterfly;
pub mod check;
mod dissemination;
mod exchange;
mod gather;
mod n_wise;
pub mod names;
pub mod papers;
#[cfg(test)]
mod tests;
mod tree;

use super::Rank;
pub use algorithm::Algorithm;
pub use names::InvalidAlgorithm;

/// The number of a step in its rank's schedule.
pub type StepIndex = u16;

/// A signal that a step waits for: the one that `rank` sends in *its* step `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arrival {
    /// The position of the sender in the group.
    pub rank: Rank,
    /// The step of the sender's own schedule in which it signals.
    pub step: StepIndex,
}

/// A step: first wait for these signals, then signal those ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// The signals that must have arrived before this step's signals may leave.
    pub recv_from: Vec<Arrival>,
    /// The positions in the group that this step signals; no position twice.
    pub send_to: Vec<Rank>,
}

/// The steps of one rank in a barrier of `size` ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Schedule {
    rank: Rank,
    size: usize,
    steps: Vec<Step>,
}

impl Schedule {
    /// The schedule of `rank` in a barrier of `size` ranks under `algorithm`: a pure function.
    ///
    /// # Panics
    ///
    /// If `rank >= size`, or if `size` is above [`Schedule::MAX_SIZE`].
    pub fn new(algorithm: Algorithm, rank: Rank, size: usize) -> Schedule {
        assert!(rank < size, "rank {rank} is not in a group of {size}");
        assert!(size <= Self::MAX_SIZE, "a group of {size} is above {}", Self::MAX_SIZE);
        let steps = algorithm.steps(rank, size);
        Schedule { rank, size, steps }
    }

    /// A schedule made by hand, for tests and for algorithms that are not built in. This does not
    /// check it; [`check::check`] does.
    pub fn from_steps(rank: Rank, size: usize, steps: Vec<Step>) -> Schedule {
        Schedule { rank, size, steps }
    }

    /// The schedules of all ranks of a group of `size`, in order: the input of [`check::check`].
    ///
    /// # Panics
    ///
    /// If `size` is above [`Schedule::MAX_SIZE`].
    pub fn all(algorithm: Algorithm, size: usize) -> Vec<Schedule> {
        (0..size).map(|rank| Schedule::new(algorithm, rank, size)).collect()
    }

    /// The largest group that can have a schedule.
    pub const MAX_SIZE: usize = 1 << 20;

    /// The position in the group whose schedule this is.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The number of ranks in the group.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The steps in order; empty for a group of one.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// The steps of an algorithm in which every rank sends the signals of round `m` in its step `m`.
/// Step `m` waits for the signals of round `m - 1`, and one last step only waits.
fn rounds(
    count: u32,
    from: impl Fn(StepIndex) -> Vec<Rank>,
    to: impl Fn(StepIndex) -> Vec<Rank>,
) -> Vec<Step> {
    let count = count as StepIndex;
    let mut steps = vec![Step::default(); usize::from(count) + 1];
    for round in 0..count {
        let arrivals = from(round).into_iter().map(|rank| Arrival { rank, step: round });
        steps[usize::from(round) + 1].recv_from = arrivals.collect();
        steps[usize::from(round)].send_to = to(round);
    }
    steps
}
