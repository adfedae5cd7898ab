//! Barriers with a root: gather at rank 0, then release.
//!
//! The two shapes are those of pakin-2001 figure 5.3 (p. 70). In the flat tree every rank is a
//! child of the root. In the binary tree the children of `r` are `2r + 1` and `2r + 2`. A barrier
//! is a null reduction and a null broadcast on the tree (pakin-2001 §4.1, footnote 1).

use super::{Arrival, Step, StepIndex};
use crate::Rank;

/// All ranks signal rank 0, which signals all: the central counter of hoefler-2005 §2.2.1.1 without
/// its counter.
pub(super) fn flat(rank: Rank, size: usize) -> Vec<Step> {
    if rank == 0 {
        root((1..size).collect())
    } else {
        below(Arrival { rank: 0, step: 0 }, Vec::new())
    }
}

/// Gather up a binary tree, release down it.
pub(super) fn binary(rank: Rank, size: usize) -> Vec<Step> {
    let children = (2 * rank + 1..=2 * rank + 2).filter(|&child| child < size).collect();
    if rank == 0 {
        return root(children);
    }
    let parent = (rank - 1) / 2;
    // The root releases in the step in which it gathers. The others gather in step 0 and release in
    // step 1.
    let release: StepIndex = if parent == 0 { 0 } else { 1 };
    below(Arrival { rank: parent, step: release }, children)
}

/// The root's one step: wait for all children, release all children.
fn root(children: Vec<Rank>) -> Vec<Step> {
    vec![Step { recv_from: gathered(&children), send_to: children }]
}

/// The two steps of a rank below the root: gather and report, be released and release.
fn below(release: Arrival, children: Vec<Rank>) -> Vec<Step> {
    vec![
        Step { recv_from: gathered(&children), send_to: vec![release.rank] },
        Step { recv_from: vec![release], send_to: children },
    ]
}

/// What children report in their step 0.
fn gathered(children: &[Rank]) -> Vec<Arrival> {
    children.iter().map(|&rank| Arrival { rank, step: 0 }).collect()
}
