//! The examples' prefix scan for clusters, several times on random elements.

use runahead::{Comm, Error, Result};

use super::cluster::cluster_scan;
use super::{RankReport, digest_of_shares, timed};
use crate::harness::variant::Techniques;

const SCAN_TAG: u32 = 16;
/// The tag of the check's messages.
const CHECK_TAG: u32 = 17;

/// One sample at this rank. Each scan works on the result of the one before.
pub(super) fn run(world: &Comm, how: &Techniques, scans: u32, elements: u32) -> Result<RankReport> {
    let before = elements_of(world.rank(), elements);
    let mut x = before.clone();
    how.prepare(world);
    let told = timed(world, || {
        for _ in 0..scans {
            cluster_scan(world, how.barriers.wait(), SCAN_TAG, &mut x, 0, u64::wrapping_add)?;
        }
        Ok(())
    })?;
    // The check undoes the scans: the inverse of a scan subtracts from each element the one before
    // it. `scans` inverses need that many elements of the rank below, and nothing else of other
    // ranks.
    let reach = scans as usize;
    let (rank, size) = (world.rank(), world.size());
    if x.len() < reach {
        return Err(Error::other(format!("{} elements are too few to check", x.len())));
    }
    if rank + 1 < size {
        world.send(rank + 1, CHECK_TAG, &x[x.len() - reach..])?;
    }
    let mut extended = match rank {
        0 => vec![0; reach],
        _ => world.recv::<u64>(rank - 1, CHECK_TAG)?.data,
    };
    extended.extend_from_slice(&x);
    match undone(&extended, reach) == before {
        true => Ok(told),
        false => Err(Error::other("the scan is wrong")),
    }
}

fn elements_of(rank: usize, elements: u32) -> Vec<u64> {
    let mut source = fastrand::Rng::with_seed(rank as u64 + 1);
    (0..elements).map(|_| source.u64(..)).collect()
}

/// The digest of the result that the program on MPI must have.
pub(crate) fn right_digest(ranks: usize, scans: u32, elements: u32) -> u64 {
    let mut all: Vec<u64> = (0..ranks).flat_map(|rank| elements_of(rank, elements)).collect();
    for _ in 0..scans {
        let mut sum = 0u64;
        for element in &mut all {
            sum = sum.wrapping_add(*element);
            *element = sum;
        }
    }
    digest_of_shares(ranks, &all)
}

/// The original elements, from index `scans` on, computed from elements that were scanned `scans`
/// times.
fn undone(scanned: &[u64], scans: usize) -> Vec<u64> {
    // The coefficients of (1 - z)^scans.
    let mut coefficients = vec![0u64; scans + 1];
    coefficients[0] = 1;
    for _ in 0..scans {
        for at in (1..=scans).rev() {
            coefficients[at] = coefficients[at].wrapping_sub(coefficients[at - 1]);
        }
    }
    let windows = scanned.windows(scans + 1);
    let terms = |window: &[u64]| {
        let pairs = window.iter().rev().zip(&coefficients);
        pairs.fold(0u64, |sum, (x, c)| sum.wrapping_add(x.wrapping_mul(*c)))
    };
    windows.map(terms).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undone_recovers_the_elements_before_the_scans() {
        let mut source = fastrand::Rng::with_seed(1);
        let before: Vec<u64> = (0..300).map(|_| source.u64(..)).collect();
        for scans in [1, 2, 50] {
            let mut x = before.clone();
            for _ in 0..scans {
                (1..x.len()).for_each(|at| x[at] = x[at].wrapping_add(x[at - 1]));
            }
            let mut extended = vec![0; scans];
            extended.extend(&x);
            assert_eq!(undone(&extended, scans), before);
            // A mutant.
            extended[200] ^= 1;
            assert_ne!(undone(&extended, scans), before);
        }
    }
}
