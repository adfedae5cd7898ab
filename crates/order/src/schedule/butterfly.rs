//! The butterfly barrier, at any size.
//!
//! In stage `s` rank `r` exchanges signals with `r ^ 2^s` (pakin-2001 §4.1 and figure 4.1, p. 27).
//! If the size is not a power of two, that partner may be outside the group. A rank that then skips
//! the stage never hears of half the group. The missing partners are therefore *virtual*, and real
//! ranks play them (hoefler-2005 §2.2.2.1). Let `2^k` be the next power of two. The real rank
//! `v - 2^(k-1)`, the *host*, plays the virtual rank `v` in `size..2^k`. A host does the exchanges
//! of both in one step a stage. Signals between the two are dropped, and two signals to the same
//! rank in one stage become one. At most 2 signals a rank and stage remain, the worst case of
//! hoefler-2005 table 2.1.
//!
//! # Correctness
//!
//! Merging is safe: a host's signal waits for everything that either of its two ranks would have
//! waited for, so it says at least as much. It is live: a signal of stage `s` waits only for stages
//! `< s`.

use super::{Step, StepIndex, rounds};
use crate::Rank;

/// The steps of `rank` of `size >= 2`: one for each stage, and one that waits for the last.
pub(super) fn steps(rank: Rank, size: usize) -> Vec<Step> {
    let full = size.next_power_of_two();
    let half = full / 2;
    let host =
        |virtual_rank: Rank| if virtual_rank < size { virtual_rank } else { virtual_rank - half };
    let guest = Some(rank + half).filter(|guest| (size..full).contains(guest));
    // An exchange has the same partner in both directions.
    let partners = |stage: StepIndex| {
        let mut partners = Vec::with_capacity(2);
        for played in std::iter::once(rank).chain(guest) {
            let partner = host(played ^ (1 << stage));
            if partner != rank && !partners.contains(&partner) {
                partners.push(partner);
            }
        }
        partners
    };
    rounds(full.trailing_zeros(), partners, partners)
}
