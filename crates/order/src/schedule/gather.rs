//! Barriers that gather up a tree to rank 0, which then signals all ranks itself.
//!
//! These are the algorithms of hoefler-2005 §2.2.1 and the third of kini-2003 (§3.3). Their last
//! phase is a broadcast: `t_bc(P - 1)` in the former, a multicast of the network in the latter. A
//! schedule has neither. The root's one step signals all others, as in the listings of the former.
//! That costs one hop and `P - 1` signals. (For release down a tree, see [`tree`](super::tree).)
//!
//! The trees differ. In each, a rank waits for its children and then signals its parent. It waits
//! for all of them in one step, and not level by level. That changes nothing, since it signals no
//! rank in between.

use super::{Arrival, Step};
use crate::Rank;

/// Level by level, the first rank of each group of `fan_in + 1` gathers the others, and goes on to
/// the next level (kini-2003 §3.3, figure 5; hoefler-2005 §2.2.1.2 to §2.2.1.4).
///
/// To base `fan_in + 1`, the parent of a rank is the rank without its lowest nonzero digit. The
/// lowest of a game of the tournament therefore wins, as in the text and in phase 3 of hoefler-2005
/// listing 2.3 ("node 0 ever wins"). Phase 2 of that listing lets the highest win.
pub(super) fn by_groups(rank: Rank, size: usize, fan_in: usize) -> Vec<Step> {
    let base = fan_in + 1;
    let mut children = Vec::new();
    let mut unit = 1;
    while unit < size {
        let digit = rank / unit % base;
        if digit != 0 {
            return below(rank - digit * unit, &children);
        }
        let group = (1..base).map(|digit| rank + digit * unit);
        children.extend(group.take_while(|&child| child < size));
        unit *= base;
    }
    root(size, &children)
}

/// The children of `r` are `n r + 1 ..= n r + n` (hoefler-2005 §2.2.1.5, listing 2.4). The listing
/// waits until `sum == 4`, which is right only for `n = 4`, and it waits for a child numbered `P`.
pub(super) fn mcs(rank: Rank, size: usize, most: usize) -> Vec<Step> {
    let first = most * rank + 1;
    let children: Vec<Rank> = (first..first + most).take_while(|&child| child < size).collect();
    match rank.checked_sub(1) {
        None => root(size, &children),
        Some(place) => below(place / most, &children),
    }
}

/// The parent of a rank is the rank without its highest bit. Its children have one more, higher bit
/// (hoefler-2005 §2.2.1.6). Listing 2.5 waits for the rank's own flag, `array[rank]`, where it must
/// wait for those of the children, `array[j]`.
pub(super) fn binomial(rank: Rank, size: usize) -> Vec<Step> {
    let width = rank.checked_ilog2().map_or(0, |highest| highest + 1);
    let children: Vec<Rank> =
        (width..).map(|bit| rank + (1 << bit)).take_while(|&child| child < size).collect();
    match width {
        0 => root(size, &children),
        _ => below(rank - (1 << (width - 1)), &children),
    }
}

/// The root's one step: wait for its children, signal all others.
fn root(size: usize, children: &[Rank]) -> Vec<Step> {
    vec![Step { recv_from: reports(children), send_to: (1..size).collect() }]
}

/// The two steps of a rank below the root: gather and report, be released.
fn below(parent: Rank, children: &[Rank]) -> Vec<Step> {
    vec![
        Step { recv_from: reports(children), send_to: vec![parent] },
        Step { recv_from: vec![Arrival { rank: 0, step: 0 }], send_to: Vec::new() },
    ]
}

/// What children report in their step 0.
fn reports(children: &[Rank]) -> Vec<Arrival> {
    children.iter().map(|&rank| Arrival { rank, step: 0 }).collect()
}
