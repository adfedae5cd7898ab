//! Prefix combinations (scans) over the ranks.
//!
//! A rank needs the data of lower ranks only, and waits for no higher one.
//!
//! Keeps rules COL-1, COL-2, COL-3, COL-6 and COL-9 of SEMANTICS.md.

use super::call::Call;
use super::combine::{combine_from_lower, combine_into};
use super::edge::{PostedSends, serve_all};
use super::{CollectiveError, Kind, Tree};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Gives each rank the combination of the `data` of all ranks up to and including its own,
    /// element by element (MPI: scan). All must give a slice of the same length.
    ///
    /// `combine` need only be associative: its first argument comes from lower ranks. The tree and
    /// the number of ranks alone determine what is combined with what:
    /// - [`Tree::Flat`]: each rank sends its data to all higher ranks, which combine in the order
    ///   of ranks, `((x0 + x1) + x2) + ...`; no rank forwards. On one host, where a rank also sees
    ///   what lower ones have combined, the order is the same.
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
    /// [`CollectiveError::Mismatch`] naming a lower rank that
    /// called something else, or with another tree, length, element size or named function;
    /// [`crate::Error::Message`] if a rank that this one needs has ended.
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    pub fn scan<T: Element>(&self, data: &[T], combine: impl Fn(T, T) -> T) -> Result<Vec<T>> {
        let mut result = data.to_vec();
        self.scan_into(data, &mut result, combine)?;
        Ok(result)
    }

    /// As [`scan`](Comm::scan), into `result`, which is as long as `data`.
    ///
    /// ```
    /// use runahead::ops;
    ///
    /// runahead::launch(3, |world| {
    ///     let mut end = [0];
    ///     world.scan_into(&[1 + world.rank()], &mut end, ops::sum)?;
    ///     assert_eq!(end, [[1], [3], [6]][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`scan`](Comm::scan): `result` may have a part of the result then.
    /// [`CollectiveError::WrongLength`] if `result` is not as long as `data`: nothing was done.
    pub fn scan_into<T: Element>(
        &self,
        data: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        CollectiveError::check_length(Kind::Scan, "result", result.len(), data.len())?;
        let call = Call::new::<T, N>(self, Kind::Scan, 0, Some(size_of_val(data)))?;
        let call = call.with_operator(self, &combine);
        match call.tree {
            Tree::Flat | Tree::Auto if self.gives(size_of_val(data)) => {
                let call = self.deposited_whole(call);
                self.combine_prefix(&call, (data, true), result, &combine)
            }
            Tree::Flat | Tree::Auto => {
                self.combine_lower(&call, data, result, &combine)?;
                match self.rank() {
                    0 => copy(data, result),
                    _ => combine_into(result, data, &combine),
                }
                Ok(())
            }
            Tree::Chain => self.scan_in_chain(&call, data, result, &combine),
            Tree::Binary | Tree::Binomial => {
                copy(data, result);
                self.scan_by_doubling(&call, result, None, &combine)
            }
        }
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
        let mut result = data.to_vec();
        self.exclusive_scan_into(data, &mut result, combine)?;
        Ok((self.rank() != 0).then_some(result))
    }

    /// As [`exclusive_scan`](Comm::exclusive_scan), into `result`, which is as long as `data`. That
    /// of rank 0 stays as it is.
    ///
    /// ```
    /// use runahead::ops;
    ///
    /// runahead::launch(3, |world| {
    ///     let mut start = [0]; // what rank 0 begins with
    ///     world.exclusive_scan_into(&[1 + world.rank()], &mut start, ops::sum)?;
    ///     assert_eq!(start, [[0], [1], [3]][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`scan_into`](Comm::scan_into).
    pub fn exclusive_scan_into<T: Element>(
        &self,
        data: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let kind = Kind::ExclusiveScan;
        CollectiveError::check_length(kind, "result", result.len(), data.len())?;
        let call = Call::new::<T, N>(self, kind, 0, Some(size_of_val(data)))?;
        let call = call.with_operator(self, &combine);
        let is_flat = matches!(call.tree, Tree::Flat | Tree::Auto);
        if is_flat && self.gives(size_of_val(data)) {
            let call = self.deposited_whole(call);
            return self.combine_prefix(&call, (data, false), result, &combine);
        }
        if is_flat {
            return self.combine_lower(&call, data, result, &combine);
        }
        if call.tree == Tree::Chain {
            return self.exclusive_scan_in_chain(&call, data, result, &combine);
        }
        // What the rank passes on has its own data too.
        self.collectives.scratch.with_room(data.len(), |through| {
            copy(data, through);
            self.scan_by_doubling(&call, through, Some(result), &combine)
        })
    }

    /// Sends `data` to all higher ranks, and combines those of all lower ones in `lower`, in their
    /// order. That of rank 0 stays as it is.
    fn combine_lower<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        lower: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        if self.deposits(call.kind, size_of_val(data)) {
            return self.combine_lower_small(call, data, lower, combine);
        }
        let rank = self.rank();
        let pieces = self.pieces_in::<T>(call, data.len(), false);
        let higher = || rank + 1..self.size();
        let (mut posted, mut unserved) = (PostedSends::default(), Ok(()));
        // Send first, so that no rank waits for something that this rank waits for.
        match pieces.is_small() || self.size() == 2 {
            true => serve_all(higher(), |to| self.send_in(call, to, data, pieces.clone()))?,
            false => pieces.clone().try_for_each(|piece| {
                self.post_to_each(call, higher(), data, &piece, &mut posted, &mut unserved)
            })?,
        }
        for from in 0..rank {
            for piece in pieces.clone() {
                match from {
                    0 => self.recv_in(call, 0, lower, &piece)?,
                    _ => self.recv_and_combine(call, from, lower, &piece, combine)?,
                }
            }
        }
        self.let_go(posted)?;
        unserved
    }

    /// Combines what all lower ranks have with `data` in `through`, and passes it on.
    fn scan_in_chain<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        through: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (before, next) = self.neighbours();
        let pieces = self.pieces_in::<T>(call, data.len(), true);
        let Some(before) = before else {
            copy(data, through);
            return next.map_or(Ok(()), |next| self.send_in(call, next, data, pieces));
        };
        let mut posted = PostedSends::default();
        for piece in pieces {
            let range = piece.range.clone();
            self.recv_in(call, before, through, &piece)?;
            combine_into(&mut through[range.clone()], &data[range], combine);
            if let Some(next) = next {
                self.post_in(call, next, through, &piece, &mut posted)?;
            }
        }
        self.let_go(posted)
    }

    /// `lower` gets what all lower ranks have combined, except at rank 0. Passes that on, combined with
    /// `data`.
    fn exclusive_scan_in_chain<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        lower: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (before, next) = self.neighbours();
        let mut pieces = self.pieces_in::<T>(call, data.len(), true);
        let (before, next) = match (before, next) {
            (None, None) => return Ok(()),
            (None, Some(next)) => return self.send_in(call, next, data, pieces),
            // Nobody needs its own data.
            (Some(before), None) => {
                return pieces.try_for_each(|piece| self.recv_in(call, before, lower, &piece));
            }
            (Some(before), Some(next)) => (before, next),
        };
        let mut posted = PostedSends::default();
        for piece in pieces {
            let (range, bytes) = (piece.range.clone(), size_of_val(data));
            self.recv_in(call, before, lower, &piece)?;
            self.collectives.scratch.with_room(range.len(), |through| {
                copy(&lower[range.clone()], through);
                combine_into(through, &data[range], combine);
                self.post_payload(call, next, (&piece, bytes), through, &mut posted)
            })?;
        }
        self.let_go(posted)
    }

    /// The ranks before this one and after it, if there are.
    fn neighbours(&self) -> (Option<Rank>, Option<Rank>) {
        let rank = self.rank();
        (rank.checked_sub(1), Some(rank + 1).filter(|&next| next < self.size()))
    }

    /// Combines what all lower ranks have with `through`, which has this rank's data first. `lower`
    /// gets what the lower ranks have, except at rank 0.
    fn scan_by_doubling<T: Element>(
        &self,
        call: &Call,
        through: &mut [T],
        mut lower: Option<&mut [T]>,
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let pieces = self.pieces_in::<T>(call, through.len(), false);
        let mut posted = PostedSends::default();
        let distances = || (0..usize::BITS).map(|j| 1usize << j).take_while(|&d| d < size);
        for distance in distances() {
            if rank + distance < size {
                let to = rank + distance;
                match rank {
                    0 => self.send_in(call, to, through, pieces.clone())?,
                    _ => pieces.clone().try_for_each(|piece| {
                        self.post_in(call, to, through, &piece, &mut posted)
                    })?,
                }
            }
            let Some(from) = rank.checked_sub(distance) else { continue };
            for piece in pieces.clone() {
                let range = piece.range.clone();
                self.recv_and(call, from, through, &piece, |through, theirs| {
                    combine_from_lower(through, theirs, combine);
                    let Some(lower) = &mut lower else { return };
                    let lower = &mut lower[range];
                    match distance {
                        1 => copy(theirs, lower),
                        _ => combine_from_lower(lower, theirs, combine),
                    }
                })?;
            }
        }
        self.let_go(posted)
    }
}
