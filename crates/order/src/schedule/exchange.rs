//! Barriers in which ranks exchange signals without a root: pairwise exchange with proxies, and
//! all-to-all.
//!
//! Pairwise exchange (hoefler-2005 §2.2.2.2, listing 2.6; kini-2003 §3.1) is the butterfly on the
//! `y = 2^floor(lg P)` lowest ranks. A rank `r >= y` signals its proxy `r - y`. The proxy waits for
//! that signal before its first exchange, and signals back after its last.

use super::{Arrival, Step, StepIndex, rounds};
use crate::Rank;

/// Pairwise exchange: the steps of `rank` of `size >= 2`.
pub(super) fn pairwise(rank: Rank, size: usize) -> Vec<Step> {
    let exchanges = size.ilog2();
    let inner = 1 << exchanges;
    if rank >= inner {
        // The proxy's exchanges are its steps `0..exchanges`; the step after them releases.
        let release = Arrival { rank: rank - inner, step: exchanges as StepIndex };
        return vec![
            Step { recv_from: Vec::new(), send_to: vec![rank - inner] },
            Step { recv_from: vec![release], send_to: Vec::new() },
        ];
    }
    let partner = |stage: StepIndex| vec![rank ^ (1 << stage)];
    let mut steps = rounds(exchanges, partner, partner);
    let outer = rank + inner;
    if outer < size {
        steps[0].recv_from.push(Arrival { rank: outer, step: 0 });
        steps[exchanges as usize].send_to.push(outer);
    }
    steps
}

/// All-to-all: signal all others, wait for all others.
pub(super) fn all_to_all(rank: Rank, size: usize) -> Vec<Step> {
    // Each rank starts with its successor, so that they do not all start with rank 0.
    let others = |_| (1..size).map(|distance| (rank + distance) % size).collect();
    rounds(1, others, others)
}
