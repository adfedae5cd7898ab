//! Which rank has which part of the data, and the ways there and back.
//!
//! Rank 0 has all of it before and after, as it reads and writes the files; between, each rank has
//! its share alone.

use std::ops::Range;

use runahead::{Comm, Error, Result};

use super::number::Number;

const SHARE_TAG: u32 = 1;
const RESULT_TAG: u32 = 2;

/// A division of `total` elements among `ranks`, in blocks whose lengths differ by at most one. The
/// thesis has N a multiple of P; then all blocks have N/P elements, as there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    total: u64,
    ranks: u64,
}

impl Shares {
    /// The division of `total` elements among `ranks`.
    ///
    /// # Errors
    ///
    /// If there are more elements than can be counted.
    pub fn new(total: u64, ranks: usize) -> Result<Shares> {
        let ranks = ranks as u64;
        match (total + 1).checked_mul(ranks) {
            Some(_) => Ok(Shares { total, ranks }),
            None => Err(Error::other(format!("{total} elements are too many for {ranks} ranks"))),
        }
    }

    /// The global index of the first element of `rank`; for the number of ranks, that of all
    /// elements.
    pub fn start(&self, rank: usize) -> u64 {
        self.total * rank as u64 / self.ranks
    }

    /// The rank that has the element of this global index, which must be below the total.
    pub fn owner(&self, index: u64) -> usize {
        // The last rank whose block starts at or before it.
        (((index + 1) * self.ranks - 1) / self.total) as usize
    }

    /// Gives each rank its share of what rank 0 has.
    ///
    /// # Errors
    ///
    /// Those of the messages.
    pub fn scatter<T: Number>(world: &Comm, all: Option<&[T]>) -> Result<(Shares, Vec<T>)> {
        let mut total = [all.map_or(0, |all| all.len() as u64)];
        world.multicast(0, &mut total)?;
        let shares = Shares::new(total[0], world.size())?;
        let Some(all) = all else {
            return Ok((shares, world.recv(0, SHARE_TAG)?.data));
        };
        for rank in 1..world.size() {
            world.send(rank, SHARE_TAG, &all[shares.slice(rank)])?;
        }
        Ok((shares, all[shares.slice(0)].to_vec()))
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

    fn slice(&self, rank: usize) -> Range<usize> {
        self.start(rank) as usize..self.start(rank + 1) as usize
    }
}
