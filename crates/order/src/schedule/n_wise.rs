//! The n-wise exchange barrier (hoefler-2005 §2.2.6.2, listing 2.9): pairwise exchange with `n`
//! partners a round.
//!
//! The *main group* is the lowest `P_m = (n+1)^x` ranks, where `P_m` is the largest such power
//! within the size. Write its ranks to base `n + 1`. In round `k`, a rank exchanges signals with
//! the `n` ranks that differ from it only in digit `k`. Every other rank signals a proxy in the
//! main group. The proxy waits for that signal before its first exchange, and signals back after
//! its last.
//!
//! The listing is not a barrier for `n > 1`. This departs from it as follows:
//!
//! * In the listing, the proxy of rank `r` is `r - P_m`. But up to `n P_m` ranks wait outside (the
//!   text says fewer than `P / (n+1)`), and then that rank is often outside as well. Here the proxy
//!   is `r` modulo `P_m`, and a rank is the proxy of up to `n`.
//! * The listing omits the final signal to the waiting ranks, which the text and figure 2.24 have.
//!   And its loop counts rounds to base `n`.
//! * In a group of fewer than `n + 1` ranks, no rank has `n` partners: `n` is then `P - 1`.

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
