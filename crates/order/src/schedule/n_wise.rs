//! The n-wise exchange barrier (hoefler-2005 §2.2.6.2, listing 2.9): pairwise exchange with `n`
//! partners a round.
//!
//! The *main group* is the lowest `P_m = (n+1)^x` ranks, the largest such power in the size. Written
//! to the base `n + 1`, a rank of it exchanges signals in round `k` with the `n` ranks that differ
//! from it in digit `k` alone. Every other rank signals a proxy in the main group, which waits for
//! that before its first exchange and signals back after its last.
//!
//! Where this departs from the listing, which is no barrier for `n > 1`:
//!
//! * There the proxy of rank `r` is `r - P_m`. But up to `n P_m` ranks wait outside (the text says
//!   fewer than `P / (n+1)`), and then that rank is often outside as well. Here it is `r` modulo
//!   `P_m`, and a rank is proxy of up to `n`.
//! * The listing leaves out that the waiting ranks are signalled in the end, which the text and
//!   figure 2.24 have; and its loop counts rounds to the base `n`.
//! * A group of fewer than `n + 1` ranks has not `n` partners for anyone: `n` is then `P - 1`.

use super::{Arrival, Step, StepIndex, rounds};
use crate::Rank;

/// The steps of `rank` of `size >= 2`.
pub(super) fn steps(rank: Rank, size: usize, partners: usize) -> Vec<Step> {
    let base = partners.min(size - 1) + 1;
    let exchanges = size.ilog(base);
    let main = base.pow(exchanges);
    if rank >= main {
        let proxy = rank % main;
        // The proxy's exchanges are its steps `0..exchanges`; the step after them releases.
        let release = Arrival { rank: proxy, step: exchanges as StepIndex };
        return vec![
            Step { recv_from: Vec::new(), send_to: vec![proxy] },
            Step { recv_from: vec![release], send_to: Vec::new() },
        ];
    }
    let others = |round: StepIndex| {
        let unit = base.pow(round.into());
        let digit = rank / unit % base;
        let peer = |i| rank - digit * unit + (digit + i) % base * unit;
        (1..base).map(peer).collect()
    };
    let mut steps = rounds(exchanges, others, others);
    for outer in (rank + main..size).step_by(main) {
        steps[0].recv_from.push(Arrival { rank: outer, step: 0 });
        steps[exchanges as usize].send_to.push(outer);
    }
    steps
}
