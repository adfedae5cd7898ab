//! Algorithm 5.6 of pakin-2001: the message-passing radix sort.
//!
//! Each pass orders the keys by one digit and keeps the order that they had: it finds the global
//! index of each key with prefix scans, a reduction and a multicast, and moves the keys in an
//! all-to-all exchange.

use runahead::zerocopy::{FromBytes, Immutable, IntoBytes};
use runahead::{Comm, Exchange, Result};

use super::cluster::cluster_scan;

/// The tag of all scans' messages: each names its senders, whose messages come in order.
const SCAN_TAG: u32 = 16;

/// "Put this key there."
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[zerocopy(crate = "runahead::zerocopy")]
#[repr(C)]
struct Move {
    /// The index among the keys of the receiver.
    offset: u32,
    key: u32,
}

/// Sorts the keys of all ranks, by `digit_bits` bits in each pass. Before and after, `x` is this
/// rank's share of `total` keys: rank r of P has those from index `total * r / P` on. What the
/// variants of the thesis differ in is whether a rank waits for the `barriers` between two passes,
/// and whom it sends to next in an `exchange`.
///
/// The thesis takes one bit at a time; its `enum_even` and `enum_odd` are what this does for the
/// digit values 0 and 1. Where it differs otherwise, the thesis (§5.1.1, algorithm 5.6) has a slip:
/// - It stops at bit ⌊lg MAXINT⌋ - 1, and would leave the top bits unsorted: all bits count.
/// - `enum_even[i] ← 1 - enum_odd` lacks an index.
/// - `expected` is overwritten in the loop over the ranks by the result for every rank, and
///   `received` is an array there and a number below. Both are numbers, as [`Comm::exchange`] has
///   them. It tells each rank what to expect, by one reduction of all counts where the thesis has P
///   of one each, or with the first piece where the trees are flat; and it makes the loop after that.
/// - P need not divide N.
///
/// # Errors
///
/// Those of the messages.
pub fn radix_sort(
    world: &Comm,
    wait: bool,
    exchange: Exchange,
    total: u64,
    digit_bits: u32,
    x: &mut [u32],
) -> Result<()> {
    let digits = 1 << digit_bits;
    // The index among all keys of each rank's first, and behind the last rank the number of keys.
    let ranks = world.size() as u64;
    let first_of: Vec<u64> = (0..=ranks).map(|rank| total * rank / ranks).collect();
    let mut enumerated = vec![0; x.len()];
    let mut place = vec![0; x.len()];
    let mut sorted = vec![0; x.len()];
    let mut moves = vec![Move { offset: 0, key: 0 }; x.len()];
    for shift in (0..u32::BITS).step_by(digit_bits as usize) {
        let digit = |key: u32| (key >> shift) as usize & (digits - 1);

        // The index of each key among all keys with its digit, from 1.
        let mut counts = vec![0; digits];
        for (value, count) in counts.iter_mut().enumerate() {
            for (one, &key) in enumerated.iter_mut().zip(&*x) {
                *one = u64::from(digit(key) == value);
            }
            *count = enumerated.iter().sum();
            // Now of each key how many of this digit there are up to it, on this rank and before.
            cluster_scan(world, wait, SCAN_TAG, &mut enumerated, 0, |a, b| a + b)?;
            for ((place, &scanned), &key) in place.iter_mut().zip(&enumerated).zip(&*x) {
                // No branch: which way it went could not be foretold.
                *place = if digit(key) == value { scanned } else { *place };
            }
        }

        // How many keys have each digit, at all ranks; nobody needs that of the largest digit, so
        // with one bit only `count_even` travels.
        counts.pop();
        if let Some(totals) = world.reduce(0, &counts, |a, b| a + b)? {
            counts = totals;
        }
        world.broadcast(0, &mut counts)?;

        // The global index of the first key with each digit.
        let mut first = vec![0; digits];
        for value in 1..digits {
            first[value] = first[value - 1] + counts[value - 1];
        }
        let index = |at: usize, key: u32| first[digit(key)] + place[at] - 1;
        let starts = by_target(&first_of, x, digits, digit, index, &mut moves);
        let outgoing: Vec<&[Move]> =
            starts.windows(2).map(|ends| &moves[ends[0]..ends[1]]).collect();
        world.exchange(&outgoing, exchange, |_, moves| {
            for Move { offset, key } in moves {
                sorted[*offset as usize] = *key;
            }
        })?;
        x.copy_from_slice(&sorted);
        let barrier = world.barrier()?;
        if wait {
            barrier.wait()?;
        }
    }
    Ok(())
}

/// Fills `moves` with those of all keys, counting-sorted by the rank that they go to. Returns where
/// each rank's start: those for rank r are `moves[starts[r]..starts[r + 1]]`.
fn by_target(
    first_of: &[u64],
    x: &[u32],
    digits: usize,
    digit: impl Fn(u32) -> usize,
    index: impl Fn(usize, u32) -> u64,
    moves: &mut [Move],
) -> Vec<usize> {
    let size = first_of.len() - 1;
    // Keys with the same digit have indices that ascend, so that the rank which such a key goes to is
    // the one of the key before it, or a later one. To find it by division takes several times as long.
    let owner = |of_digit: &mut usize, index: u64| {
        while index >= first_of[*of_digit + 1] {
            *of_digit += 1;
        }
        debug_assert!((first_of[*of_digit]..first_of[*of_digit + 1]).contains(&index));
        *of_digit
    };
    // Counted one place further on, so that summing up gives where each rank's moves start.
    let mut starts = vec![0; size + 1];
    let mut to = vec![0; digits];
    for (at, &key) in x.iter().enumerate() {
        starts[owner(&mut to[digit(key)], index(at, key)) + 1] += 1;
    }
    for rank in 0..size {
        starts[rank + 1] += starts[rank];
    }
    let mut next = starts.clone();
    to.fill(0);
    for (at, &key) in x.iter().enumerate() {
        let index = index(at, key);
        let to = owner(&mut to[digit(key)], index);
        moves[next[to]] = Move { offset: (index - first_of[to]) as u32, key };
        next[to] += 1;
    }
    starts
}
