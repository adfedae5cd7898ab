//! Which rank has which part of the data, and the ways there and back.
//!
//! Rank 0 has all of it before and after, as it reads and writes the files; between, each rank has
//! its share alone.

use runahead::{Comm, Error, Rank, Result};

use super::number::Number;

const SHARE_TAG: u32 = 1;
const RESULT_TAG: u32 = 2;

/// The index among all `total` elements of the first that `rank` has; for the number of ranks,
/// `total`. So the lengths of shares differ by at most one. In the thesis `total` is a multiple of
/// the number of ranks, and each has `total / ranks` elements, as here.
pub fn start(total: u64, ranks: usize, rank: Rank) -> u64 {
    total * rank as u64 / ranks as u64
}

/// Checks that indices of so many elements can be computed.
///
/// # Errors
///
/// If there are more elements than can be counted.
pub fn check(total: u64, ranks: usize) -> Result<()> {
    match (total + 1).checked_mul(ranks as u64) {
        Some(_) => Ok(()),
        None => Err(Error::other(format!("{total} elements are too many for {ranks} ranks"))),
    }
}

/// Gives each rank its share of what rank 0 has. Returns how many elements there are at all ranks,
/// and the share.
///
/// # Errors
///
/// Those of the messages; and if there are more elements than can be counted.
pub fn scatter<T: Number>(world: &Comm, all: Option<&[T]>) -> Result<(u64, Vec<T>)> {
    let mut total = [all.map_or(0, |all| all.len() as u64)];
    world.broadcast(0, &mut total)?;
    let [total] = total;
    check(total, world.size())?;
    let Some(all) = all else {
        return Ok((total, world.recv(0, SHARE_TAG)?.data));
    };
    let start = |rank| start(total, world.size(), rank) as usize;
    for rank in 1..world.size() {
        world.send(rank, SHARE_TAG, &all[start(rank)..start(rank + 1)])?;
    }
    Ok((total, all[..start(1)].to_vec()))
}

/// Brings all shares together at rank 0.
///
/// # Errors
///
/// Those of the messages.
pub fn gather<T: Number>(world: &Comm, mut mine: Vec<T>) -> Result<Option<Vec<T>>> {
    if world.rank() != 0 {
        world.send(0, RESULT_TAG, &mine)?;
        return Ok(None);
    }
    for rank in 1..world.size() {
        mine.append(&mut world.recv(rank, RESULT_TAG)?.data);
    }
    Ok(Some(mine))
}
