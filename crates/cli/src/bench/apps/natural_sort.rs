//! A radix sort as a program on MPI would have it, with the calls of the library alone: counts,
//! an exclusive scan and a reduction to all, a message to each rank that gets keys, and a barrier in each
//! pass. Line by line the same as benches/peers/natural_sort.c.

use runahead::zerocopy::{FromBytes, Immutable, IntoBytes};
use runahead::{Comm, Result, Source, ops};

use super::{RankReport, radix_sort, timed};
use crate::harness::variant::Techniques;

const MOVES_TAG: u32 = 18;

/// "Put this key there."
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[zerocopy(crate = "runahead::zerocopy")]
#[repr(C)]
struct Move {
    /// The index among the keys of the receiver.
    position: u32,
    key: u32,
}

/// One sample at this rank, on the keys of the radix sort.
pub(super) fn run(world: &Comm, how: &Techniques, keys: u32, bits: u32) -> Result<RankReport> {
    let mut mine = radix_sort::keys_of(world.rank(), keys);
    let before = radix_sort::digest(&mine);
    let told = timed(world, || natural_sort(world, how.barriers.wait(), bits, &mut mine))?;
    radix_sort::check(world, &mine, before)?;
    Ok(told)
}

/// Sorts the keys of all ranks, which have equally many, by `bits` bits in each pass.
fn natural_sort(world: &Comm, wait: bool, bits: u32, x: &mut Vec<u32>) -> Result<()> {
    let (rank, size, n) = (world.rank(), world.size(), x.len());
    let (digits, each) = (1 << bits, n as u64);
    let (mut counts, mut totals) = (vec![0u64; digits], vec![0; digits]);
    let (mut before, mut next) = (vec![0; digits], vec![0; digits]);
    let mut sorted = vec![0; n];
    let mut moves = vec![Vec::with_capacity(n); size];
    let mut came = vec![Move { position: 0, key: 0 }; n];
    let mut requests = Vec::with_capacity(size);
    for shift in (0..u32::BITS).step_by(bits as usize) {
        let digit = |key: u32| (key >> shift) as usize & (digits - 1);

        // How many keys have each digit: here, on all ranks before, on all ranks.
        counts.fill(0);
        x.iter().for_each(|&key| counts[digit(key)] += 1);
        // Before rank 0 there are none: its `before` stays as it is.
        world.exclusive_scan_into(&counts, &mut before, ops::sum)?;
        world.all_reduce_into(&counts, &mut totals, ops::sum)?;

        // The index among all keys of our next key with each digit.
        let mut first = 0;
        for (next, (before, total)) in next.iter_mut().zip(before.iter().zip(&totals)) {
            (*next, first) = (first + before, first + total);
        }

        // Each key, with its position at the rank that it goes to.
        moves.iter_mut().for_each(Vec::clear);
        for &key in &*x {
            let index = next[digit(key)];
            next[digit(key)] += 1;
            moves[(index / each) as usize].push(Move { position: (index % each) as u32, key });
        }

        // A message to each rank that gets some; ours need none.
        for to in (1..size).map(|k| (rank + k) % size) {
            if !moves[to].is_empty() {
                requests.push(world.isend(to, MOVES_TAG, &moves[to])?);
            }
        }
        moves[rank].iter().for_each(|own| sorted[own.position as usize] = own.key);

        // All ranks have as many keys after as before.
        let mut placed = moves[rank].len();
        while placed < n {
            let status = world.recv_into(&mut came, Source::Any, MOVES_TAG)?;
            let moves = &came[..status.bytes / size_of::<Move>()];
            moves.iter().for_each(|came| sorted[came.position as usize] = came.key);
            placed += moves.len();
        }
        for request in requests.drain(..) {
            request.wait()?;
        }
        std::mem::swap(x, &mut sorted);
        let barrier = world.barrier()?;
        if wait {
            barrier.wait()?;
        }
    }
    Ok(())
}
