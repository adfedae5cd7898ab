//! What the papers predict for an algorithm: rounds and signals.
//!
//! The papers give times, in the LogP model, or rounds. To compare them with what
//! [`check`](super::check) counts, they are translated:
//!
//! * A term `(L + c o) x`, for any number `c`, is `x` rounds.
//! * The broadcast `t_bc(P - 1)` is one round of `P - 1` signals, since here the root signals
//!   everyone itself; so is the multicast of kini-2003 §3.3.
//! * Signals are the rounds times the signals that a rank sends in each. hoefler-2005 counts those
//!   of a rank (`n`, in a dissemination) or of all (`P - 1` reports and `P - 1` notifications).
//!
//! A prediction is not what a schedule does: its rounds and signals are upper bounds of what is
//! counted. Where they are not reached, the tests say why.

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
    /// Where they stand; `"-"` for what no paper has.
    pub source: &'static str,
    /// The formula of the rounds, with `k = ceil(lg P)`, `z = floor(lg P)`.
    pub rounds: &'static str,
    /// The formula of the signals.
    pub signals: &'static str,
    /// The numbers, of the parameter (0 where there is none) and a size of at least 2.
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

/// hoefler-2005 §2.2.2.1.2 and table 2.1: at a size that is no power of two a rank that plays a
/// virtual one as well "must synchronize twice" in each stage. Here it does both in one step.
pub(super) fn butterfly(_: usize, size: usize) -> Option<Prediction> {
    let rounds = ceil_log(2, size)? * if size.is_power_of_two() { 1 } else { 2 };
    predicted(rounds, size * rounds)
}

/// The text of hoefler-2005 §2.2.6.2, and §2.2.2.2 for one partner: a round before and one after
/// for those outside the main group. (The equation for the time has `n + 2` in place of `n` in
/// *every* round, and so for one partner does not agree with table 2.1.)
pub(super) fn exchange(partners: usize, size: usize) -> Option<Prediction> {
    let partners = partners.clamp(1, size - 1);
    let exchanges = size.ilog(partners + 1);
    let main = (partners + 1).pow(exchanges);
    let extra = if main == size { 0 } else { 2 };
    let exchanges = exchanges as usize;
    predicted(exchanges + extra, main * exchanges * partners + 2 * (size - main))
}

pub(super) fn dissemination(ways: usize, size: usize) -> Option<Prediction> {
    // "falls back to a p-way dissemination barrier if n > p" (§4.4.3); to oneself goes no signal.
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

/// A tree in which each level brings together `fan_in` ranks and one.
pub(super) fn gather_multicast(fan_in: usize, size: usize) -> Option<Prediction> {
    gather(fan_in + 1, size)
}

pub(super) fn lg_gather(_: usize, size: usize) -> Option<Prediction> {
    gather(2, size)
}
