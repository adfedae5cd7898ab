//! Algorithm 5.4 of pakin-2001: the prefix scan made for clusters.
//!
//! Each rank scans its own elements; then only last elements travel, over distances of 1, 2, 4 ...
//! ranks.

use runahead::{Comm, Element, Rank, Result};

/// Replaces each element of the concatenation of all ranks' `x` by the combination of all up to and
/// including it. `identity` is what leaves others unchanged: a rank without elements passes it on.
/// Whether a rank waits for the barriers between rounds is what the thesis compares.
///
/// Where this differs from the thesis (§5.1.1, algorithm 5.4), the thesis has a slip:
/// - The conditions and the number of rounds are about the P ranks, where it says N, the number of
///   elements.
/// - Round j receives the value of round j - 1, which is over a distance of 2^(j-1), not 2^j.
/// - "Receive m" names no sender. But what rank p - 2^(j-1) sent before the last barrier is received
///   after it, and after it rank p - 2^j sends, too: an unnamed receive could take the wrong one of
///   the two, under any kind of barrier. Here it names the sender.
/// - It sends, and calls the barrier, only at ranks that have received. Then rank 0 is missing from
///   all barriers but the first, and figure 5.15 could not come about: all ranks take part.
/// - The operator is written as + once; it is the given one.
/// - Slices need not be equally long, and may be empty; rounds are ⌈lg P⌉ for any P.
///
/// # Errors
///
/// Those of the messages.
pub fn cluster_scan<T: Element>(
    world: &Comm,
    wait: bool,
    tag: u32,
    x: &mut [T],
    identity: T,
    op: impl Fn(T, T) -> T,
) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let rounds = size.next_power_of_two().trailing_zeros();
    let barrier = || -> Result<()> {
        let barrier = world.barrier()?;
        if wait { barrier.wait() } else { Ok(()) }
    };
    let add_on_the_left = |x: &mut [T], before: T| {
        for element in x {
            *element = op(before, *element);
        }
    };

    for j in 1..x.len() {
        x[j] = op(x[j - 1], x[j]);
    }
    // The combination of all elements that this rank knows of; x[n - 1] in the thesis.
    let mut last = x.last().copied().unwrap_or(identity);
    if rank + 1 < size {
        world.send(rank + 1, tag, &[last])?;
    }
    barrier()?;

    for j in 1..rounds {
        let from = rank.checked_sub(1 << (j - 1));
        let before = from.map(|from| receive_one(world, from, tag)).transpose()?;
        if let Some(before) = before {
            last = op(before, last);
        }
        // Others wait for it: it goes before the work on our own elements.
        if rank + (1 << j) < size {
            world.send(rank + (1 << j), tag, &[last])?;
        }
        barrier()?;
        if let Some(before) = before {
            add_on_the_left(x, before);
        }
    }
    // Half of the ranks have one more message to wait for: the load imbalance of figure 5.16.
    if let Some(from) = rank.checked_sub(size.next_power_of_two() / 2)
        && size > 1
    {
        let before = receive_one(world, from, tag)?;
        add_on_the_left(x, before);
    }
    Ok(())
}

fn receive_one<T: Element>(world: &Comm, from: Rank, tag: u32) -> Result<T> {
    let mut room = [T::new_zeroed()];
    world.recv_into(&mut room, from, tag)?;
    Ok(room[0])
}
