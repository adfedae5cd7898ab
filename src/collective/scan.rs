//! Prefix combinations (scans) over the ranks.
//!
//! A rank needs the data of lower ranks only, and waits for no higher one.
//!
//! Keeps rules COL-1, COL-2, COL-3 and COL-6 of SEMANTICS.md.

use super::Kind;
use super::Tree;
use super::call::Call;
use super::edge::{Posted, serve_all};
use super::reduce_scatter::combine_into;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::verbs::Nic;

/// The result of a scan at a rank: the combination of all lower ranks' data, and that of all ranks
/// up to and including this one.
struct Prefix<T> {
    lower: Option<Vec<T>>,
    through: Vec<T>,
}

impl<N: Nic> Comm<N> {
    /// Gives each rank the combination of the `data` of all ranks up to and including its own,
    /// element by element (MPI: scan). All must give a slice of the same length.
    ///
    /// `combine` need only be associative: its first argument comes from lower ranks. The tree and
    /// the number of ranks alone determine which rank combines what:
    /// - [`Tree::Flat`]: each rank sends its data to all higher ranks, which combine in the order
    ///   of ranks, `((x0 + x1) + x2) + ...`; no rank forwards.
    /// - [`Tree::Chain`]: each rank sends its combination to the next; the order is the same.
    /// - [`Tree::Binary`] and [`Tree::Binomial`]: in round j each rank combines the data of the
    ///   rank 2^j below it with its own ([pakin-2001] §5.3, algorithm 5.2).
    ///
    /// No rank waits for a higher one, except while its window is full, or while four payloads
    /// above the eager limit wait for it.
    ///
    /// ```
    /// runahead::launch(4, |world| {
    ///     let mine = [1 + world.rank() as u64];
    ///     let ends = world.scan(&mine, |a, b| a + b)?;
    ///     assert_eq!(ends, [[1], [3], [6], [10]][world.rank()]);
    ///     let starts = world.exclusive_scan(&mine, |a, b| a + b)?;
    ///     assert_eq!(starts.map(|start| start[0]), [None, Some(1), Some(3), Some(6)][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`CollectiveError::Mismatch`](super::CollectiveError::Mismatch) naming a lower rank that
    /// called something else, or with another tree, length, element size or named function;
    /// [`crate::Error::Message`] if a rank that this one needs has ended.
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    pub fn scan<T: Element>(&self, data: &[T], combine: impl Fn(T, T) -> T) -> Result<Vec<T>> {
        Ok(self.prefix(Kind::Scan, data, combine)?.through)
    }

    /// Like [`scan`](Comm::scan), without the rank's own data: None at rank 0 (MPI: exscan).
    ///
    /// # Errors
    ///
    /// As for [`scan`](Comm::scan).
    pub fn exclusive_scan<T: Element>(
        &self,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Option<Vec<T>>> {
        Ok(self.prefix(Kind::ExclusiveScan, data, combine)?.lower)
    }

    fn prefix<T: Element>(
        &self,
        kind: Kind,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Prefix<T>> {
        let bytes = Some(size_of_val(data));
        let call = Call::new::<T, N>(self, kind, 0, bytes)?.with_operator(&combine);
        match call.tree {
            Tree::Flat | Tree::Auto => self.scan_directly(&call, data, combine),
            Tree::Chain => self.scan_in_chain(&call, data, combine),
            Tree::Binary | Tree::Binomial => self.scan_by_doubling(&call, data, combine),
        }
    }

    fn scan_directly<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Prefix<T>> {
        let rank = self.rank();
        let pieces = self.pieces::<T>(data.len(), false);
        // Send first, so that no rank waits for something that this rank waits for.
        serve_all(rank + 1..self.size(), |to| self.send_in(call, to, data, pieces.clone()))?;
        let mut lower: Option<Vec<T>> = None;
        let mut theirs = data.to_vec();
        for from in 0..rank {
            self.recv_whole(call, from, &mut theirs, pieces.clone())?;
            match &mut lower {
                Some(lower) => combine_into(lower, &theirs, &combine),
                None => lower = Some(theirs.clone()),
            }
        }
        Ok(Prefix::new(lower, data, combine))
    }

    fn scan_in_chain<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Prefix<T>> {
        let rank = self.rank();
        let next = Some(rank + 1).filter(|&next| next < self.size());
        let pieces = self.pieces::<T>(data.len(), true);
        if rank == 0 {
            next.map_or(Ok(()), |next| self.send_in(call, next, data, pieces))?;
            return Ok(Prefix { lower: None, through: data.to_vec() });
        }
        let (mut lower, mut through) = (data.to_vec(), data.to_vec());
        let mut posted = Posted::default();
        for piece in pieces {
            self.recv_in(call, rank - 1, &mut lower, &piece)?;
            for at in piece.range.clone() {
                through[at] = combine(lower[at], data[at]);
            }
            if let Some(next) = next {
                self.post_in(call, next, &through, &piece, &mut posted)?;
            }
        }
        self.let_go(posted)?;
        Ok(Prefix { lower: Some(lower), through })
    }

    fn scan_by_doubling<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Prefix<T>> {
        let (rank, size) = (self.rank(), self.size());
        let pieces = self.pieces::<T>(data.len(), false);
        let (mut lower, mut through): (Option<Vec<T>>, _) = (None, data.to_vec());
        let mut theirs = data.to_vec();
        let mut posted = Posted::default();
        let distances = || (0..usize::BITS).map(|j| 1usize << j).take_while(|&d| d < size);
        for distance in distances() {
            if rank + distance < size {
                let to = rank + distance;
                match rank {
                    0 => self.send_in(call, to, &through, pieces.clone())?,
                    _ => pieces.clone().try_for_each(|piece| {
                        self.post_in(call, to, &through, &piece, &mut posted)
                    })?,
                }
            }
            let Some(from) = rank.checked_sub(distance) else { continue };
            self.recv_whole(call, from, &mut theirs, pieces.clone())?;
            for (total, &theirs) in through.iter_mut().zip(&theirs) {
                *total = combine(theirs, *total);
            }
            match &mut lower {
                Some(lower) => {
                    for (lower, &theirs) in lower.iter_mut().zip(&theirs) {
                        *lower = combine(theirs, *lower);
                    }
                }
                None => lower = Some(theirs.clone()),
            }
        }
        self.let_go(posted)?;
        Ok(Prefix { lower, through })
    }
}

impl<T: Element> Prefix<T> {
    fn new(lower: Option<Vec<T>>, own: &[T], combine: impl Fn(T, T) -> T) -> Prefix<T> {
        let through = match &lower {
            None => own.to_vec(),
            Some(lower) => {
                lower.iter().zip(own).map(|(&lower, &own)| combine(lower, own)).collect()
            }
        };
        Prefix { lower, through }
    }
}
