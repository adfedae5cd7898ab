//! The dissemination barrier (kini-2003 §3.2; hoefler-2005 §2.2.2.3, listing 2.7), and its variant
//! with several signals a round.
//!
//! In round `m` rank `r` signals `r + 2^m` and waits for `r - 2^m`, both modulo the size. After
//! round `m` a rank knows of the `2^(m+1)` ranks up to and including itself. So `ceil(lg P)` rounds
//! suffice for every size, and every rank sends exactly one signal a round.

use super::{Step, StepIndex, rounds};
use crate::Rank;

/// The steps of `rank` of `size >= 2`: one for each round, and one that waits for the last.
pub(super) fn steps(rank: Rank, size: usize) -> Vec<Step> {
    // All distances are below `size`, so no rank signals itself, or another rank twice.
    rounds(
        size.next_power_of_two().trailing_zeros(),
        |round| vec![(rank + size - (1 << round)) % size],
        |round| vec![(rank + (1 << round)) % size],
    )
}

/// The same with `ways` signals a round (hoefler-2005 §2.2.6.1, listing 2.8; implemented in
/// §4.1.3).
///
/// In round `m` rank `r` signals `r + i (ways + 1)^m` for all `i` in `1..=ways`. (The paper's text
/// has `0 < i < n`, and its table 2.3 shows `1..=n`.) After round `m` a rank knows of
/// `(ways + 1)^(m+1)` ranks, so `ceil(log_(ways+1) P)` rounds suffice. (The loop of listing 2.8
/// counts them to base `n`.)
///
/// In the last round the paper lets distances exceed the size and takes them modulo it. Such
/// signals are omitted here. The receiver hears of all `P` ranks without them, and one may even go
/// back to its sender (`P = 6`, `n = 2`).
pub(super) fn n_way(rank: Rank, size: usize, ways: usize) -> Vec<Step> {
    let units: Vec<usize> = std::iter::successors(Some(1), |unit| Some(unit * (ways + 1)))
        .take_while(|&unit| unit < size)
        .collect();
    let distances = |round: StepIndex| {
        let unit = units[usize::from(round)];
        (1..=ways).map(move |i| i * unit).take_while(|&distance| distance < size)
    };
    rounds(
        units.len() as u32,
        |round| distances(round).map(|distance| (rank + size - distance) % size).collect(),
        |round| distances(round).map(|distance| (rank + distance) % size).collect(),
    )
}
