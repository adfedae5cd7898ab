//! The radix sort of the example, on random keys.

#[path = "../../../../../examples/radix_sort/sort.rs"]
mod sort;

use runahead::{Comm, Error, Result};

use super::{RankReport, cluster, digest_of_shares, timed};
use crate::harness::variant::Techniques;

/// The tag of the check's messages.
const CHECK_TAG: u32 = 17;

/// One sample at this rank.
pub(super) fn run(world: &Comm, how: &Techniques, keys: u32) -> Result<RankReport> {
    let mut mine = keys_of(world.rank(), keys);
    let total = u64::from(keys) * world.size() as u64;
    let (wait, exchange) = (how.barriers.wait(), how.exchange);
    let before = digest(&mine);
    how.prepare(world);
    let told = timed(world, || sort::radix_sort(world, wait, exchange, total, 1, &mut mine))?;
    check(world, &mine, before)?;
    Ok(told)
}

/// The keys of a rank before the sort.
pub(super) fn keys_of(rank: usize, keys: u32) -> Vec<u32> {
    let mut source = fastrand::Rng::with_seed(rank as u64 + 1);
    (0..keys).map(|_| source.u32(..)).collect()
}

/// The digest of the result that the program on MPI must have.
pub(crate) fn right_digest(ranks: usize, keys: u32) -> u64 {
    let mut all: Vec<u32> = (0..ranks).flat_map(|rank| keys_of(rank, keys)).collect();
    all.sort_unstable();
    let all: Vec<u64> = all.into_iter().map(u64::from).collect();
    digest_of_shares(ranks, &all)
}

/// A digest of the keys that does not depend on their order.
pub(super) fn digest(keys: &[u32]) -> u64 {
    let mixed = keys.iter().map(|&key| {
        let mixed = (u64::from(key) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    });
    mixed.fold(0, u64::wrapping_add)
}

/// Checks that the keys of all ranks are sorted, and that they are the original ones.
///
/// # Errors
///
/// If they are not; and those of the messages.
pub(super) fn check(world: &Comm, mine: &[u32], before: u64) -> Result<()> {
    let wrong = |what: &str| Err(Error::other(format!("the sort is wrong: {what}")));
    let (rank, last) = (world.rank(), world.size() - 1);
    if rank < last {
        world.send(rank + 1, CHECK_TAG, &mine[mine.len() - 1..])?;
    }
    if rank > 0 && world.recv::<u32>(rank - 1, CHECK_TAG)?.data[0] > mine[0] {
        return wrong("a rank has a larger key than the next");
    }
    if !mine.is_sorted() {
        return wrong("the keys of a rank are out of order");
    }
    let digests = world.all_reduce(&[before, digest(mine)], u64::wrapping_add)?;
    match digests[0] == digests[1] {
        true => Ok(()),
        false => wrong("the sorted keys are not the original ones"),
    }
}
