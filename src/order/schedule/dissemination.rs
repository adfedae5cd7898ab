//! The dissemination barrier (kini-2003 §3.2; hoefler-2005 §2.2.2.3, listing 2.7).
//!
//! In round `m` rank `r` signals `r + 2^m` and waits for `r - 2^m`, both modulo the size. After
//! round `m` a rank knows of the `2^(m+1)` ranks up to and including itself, so `ceil(lg P)` rounds
//! do for every size, and every rank sends exactly one signal a round.

use super::{Step, rounds};
use crate::order::Rank;

/// The steps of `rank` of `size >= 2`: one for each round, and one that waits for the last.
pub(super) fn steps(rank: Rank, size: usize) -> Vec<Step> {
    // All distances are below `size`, so nobody signals itself or one rank twice.
    rounds(
        size.next_power_of_two().trailing_zeros(),
        |round| vec![(rank + size - (1 << round)) % size],
        |round| vec![(rank + (1 << round)) % size],
    )
}
