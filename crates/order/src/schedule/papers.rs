//! What the papers predict for an algorithm: rounds and signals.
//!
//! The papers give times in the LogP model, or rounds. This module translates them, to compare them
//! with the counts of [`check`](super::check):
//!
//! * A term `(L + c o) x`, for any number `c`, is `x` rounds.
//! * The broadcast `t_bc(P - 1)` is one round of `P - 1` signals, since here the root signals all
//!   others itself. So is the multicast of kini-2003 §3.3.
//! * Signals are the rounds times the signals that a rank sends in each. In a dissemination
//!   hoefler-2005 counts the signals of one rank (`n`), in a tree those of all (`P - 1` reports and
//!   `P - 1` notifications).
//!
//! Predicted rounds and signals are upper bounds of the counts. Where a count is lower, the tests
//! say why.

/// The counts that a paper gives for a barrier of some size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prediction {
    /// Rounds; each has the latency of one signal.
    pub rounds: usize,
    /// The signals that all ranks together send.
    pub signals: usize,
}

/// A paper's formulas, for `P` ranks and the parameter `n`.
#[derive(Clone, Copy, Debug)]
pub struct Formulas {
    /// Paper and section; `"-"` if no paper has them.
    pub source: &'static str,
    /// The formula of the rounds, with `k = ceil(lg P)`, `z = floor(lg P)`.
    pub rounds: &'static str,
    /// The formula of the signals.
    pub signals: &'static str,
    /// The numbers, for a parameter (0 if there is none) and a size of at least 2.
    pub(super) predict: fn(usize, usize) -> Option<Prediction>,
}

/// The least `x` with `base^x >= number`; None for a base below 2.
fn ceil_log(base: usize, number: usize) -> Option<usize> {
    (base >= 2).then(|| {
        let powers = std::iter::successors(Some(1usize), |power| power.checked_mul(base));
        powers.take_while(|&power| power < number).count()
    })
}

fn predicted(rounds: usize, signals: usize) -> Option<Prediction> {
    Some(Prediction { rounds, signals })
}

/// hoefler-2005 §2.2.2.1.2 and table 2.1: if the size is not a power of two, a rank that also plays
/// a virtual one "must synchronize twice" in each stage. Here it does both in one step.
pub(super) fn butterfly(_: usize, size: usize) -> Option<Prediction> {
    let rounds = ceil_log(2, size)? * if size.is_power_of_two() { 1 } else { 2 };
    predicted(rounds, size * rounds)
}

/// The text of hoefler-2005 §2.2.6.2, and §2.2.2.2 for one partner: one round before and one after
/// for the ranks outside the main group. (The equation for the time has `n + 2` instead of `n` in
/// *every* round. For one partner it therefore disagrees with table 2.1.)
pub(super) fn exchange(partners: usize, size: usize) -> Option<Prediction> {
    let partners = partners.clamp(1, size - 1);
    let exchanges = size.ilog(partners + 1);
    let main = (partners + 1).pow(exchanges);
    let extra = if main == size { 0 } else { 2 };
    let exchanges = exchanges as usize;
    predicted(exchanges + extra, main * exchanges * partners + 2 * (size - main))
}

pub(super) fn dissemination(ways: usize, size: usize) -> Option<Prediction> {
    // "falls back to a p-way dissemination barrier if n > p" (§4.4.3); a rank does not signal
    // itself.
    let ways = ways.clamp(1, size - 1);
    let rounds = ceil_log(ways + 1, size)?;
    predicted(rounds, size * ways * rounds)
}

pub(super) fn all_to_all(_: usize, size: usize) -> Option<Prediction> {
    predicted(1, size * (size - 1))
}

pub(super) fn central_counter(_: usize, size: usize) -> Option<Prediction> {
    predicted(2, 2 * (size - 1))
}

pub(super) fn binary_tree(_: usize, size: usize) -> Option<Prediction> {
    predicted(2 * size.ilog2() as usize, 2 * (size - 1))
}

/// A tree with groups of `group`, or of `group` children: `ceil(log_group P)` levels.
pub(super) fn gather(group: usize, size: usize) -> Option<Prediction> {
    predicted(ceil_log(group, size)? + 1, 2 * (size - 1))
}

/// A tree whose levels each gather groups of `fan_in + 1` ranks.
pub(super) fn gather_multicast(fan_in: usize, size: usize) -> Option<Prediction> {
    gather(fan_in + 1, size)
}

pub(super) fn lg_gather(_: usize, size: usize) -> Option<Prediction> {
    gather(2, size)
}
