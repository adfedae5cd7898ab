//! Gather, all-gather and scatter. The data of each rank travel once to each receiver, and no rank
//! forwards them. A tree would move them several times, and a descheduled rank would delay those
//! below it (pakin-2001 §5.4.1). Only long blocks of an all-gather come once to each host, and
//! [go on from there](super::relayed).
//!
//! Keeps rules COL-2, COL-5 and COL-9 of SEMANTICS.md.

use zerocopy::IntoBytes;

use super::blocks::{SendBlocks, share};
use super::call::Call;
use super::direct::{Direct, Expected};
use super::edge::serve_all;
use super::parts::{EqualParts, GuessedParts};
use super::{CollectiveError, Kind};
use super::{Exchange, Parts};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::message::MemberSet;
use crate::order::Rank;
use crate::sys::copy::append_elements;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Collects the `data` of all ranks at `root`; the others get None (MPI: gather and gatherv).
    /// Lengths may differ, and the root need not know them.
    ///
    /// A rank that is not the root returns when it has sent, as from [`Comm::reduce`].
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let squares = [world.rank() as u64 * world.rank() as u64];
    ///     if let Some(parts) = world.gather(0, &squares)? {
    ///         assert_eq!(parts.data(), [0, 1, 4]);
    ///     }
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// At the root, [`CollectiveError::Mismatch`] naming a rank that called something else, or with
    /// another root or element size. [`crate::Error::RankOutOfRange`] for the root;
    /// [`crate::Error::Message`] if a rank that this one needs has ended.
    pub fn gather<T: Element>(&self, root: Rank, data: &[T]) -> Result<Option<Parts<T>>> {
        let call = Call::new::<T, N>(self, Kind::Gather, root, None)?;
        let (rank, size) = (self.rank(), self.size());
        if rank != root {
            return self.give_to_root(&call, data).map(|()| None);
        }
        // Mostly they are as long as its own.
        let mut parts = Parts::guessed(size, data.len());
        for from in 0..size {
            parts.push_with(|all| match from == rank {
                true => {
                    append_elements(data.as_bytes(), all);
                    Ok(())
                }
                false => self.recv_unknown(&call, from, (self.others_from(from), None), all),
            })?;
        }
        self.finish_in(&call)?;
        Ok(Some(parts))
    }

    /// The part in a gather of a rank that is not the root.
    fn give_to_root<T: Element>(&self, call: &Call, data: &[T]) -> Result<()> {
        if self.deposit_in(
            call,
            SendBlocks::Same(data),
            self.readers((call.root, call.root + 1)),
        )? {
            return Ok(());
        }
        self.send_in(call, call.root, data, self.pieces_in::<T>(call, data.len(), false))
    }

    /// Collects the `data` of all ranks in the `result` of the root, in the order of ranks. All must
    /// give a slice of the same length `n`. The root's `result` has `n` elements for each rank. That
    /// of the others is not looked at, and may be empty.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let mut all = if world.rank() == 0 { vec![0; 3] } else { vec![] };
    ///     world.gather_into(0, &[10 * world.rank()], &mut all)?;
    ///     assert!(world.rank() != 0 || all == [0, 10, 20]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`gather`](Comm::gather), and [`CollectiveError::Mismatch`] at the root if a rank has
    /// more or fewer elements than the root: `result` may have a part of the result then.
    /// [`CollectiveError::WrongLength`] if that of the root has another length than it must have:
    /// nothing was done.
    pub fn gather_into<T: Element>(&self, root: Rank, data: &[T], result: &mut [T]) -> Result<()> {
        let (rank, size, count) = (self.rank(), self.size(), data.len());
        if rank == root {
            let expected = count.saturating_mul(size);
            CollectiveError::check_length(Kind::Gather, "result", result.len(), expected)?;
        }
        let call = Call::new::<T, N>(self, Kind::Gather, root, None)?;
        let call = call.deposited_if(self.is_small(call.kind, size_of_val(data)));
        if rank != root {
            return self.give_to_root(&call, data);
        }
        let place = |from| from * count..(from + 1) * count;
        copy(data, &mut result[place(rank)]);
        let mut others = (0..size).filter(|&from| from != rank);
        if call.is_deposited {
            return self.read_each(&call, others, result, place);
        }
        let pieces = self.pieces_in::<T>(&call, count, false);
        others.try_for_each(|from| {
            self.recv_whole(&call, from, &mut result[place(from)], pieces.clone())
        })
    }

    /// Collects the `data` of all ranks at all ranks (MPI: allgather and allgatherv). Lengths may
    /// differ, and no rank need know them.
    ///
    /// # Errors
    ///
    /// As for [`Comm::gather`], at every rank.
    pub fn all_gather<T: Element>(&self, data: &[T]) -> Result<Parts<T>> {
        let call = Call::new::<T, N>(self, Kind::AllGather, 0, None)?;
        if self.relays_blocks() {
            let mut parts = GuessedParts::new(self.rank(), self.size(), data);
            self.gather_over_hosts(call, data, None, &mut parts)?;
            return Ok(parts.into_parts());
        }
        if self.goes_at_once::<T>(data.len()) {
            return self.collect_parts(call, data);
        }
        let outgoing = SendBlocks::Same(data);
        Direct::new(self, call, Exchange::default(), outgoing, Expected::FromAll).collect()
    }

    /// Collects the `data` of all ranks in the `result` of all ranks, in the order of ranks. All
    /// must give a slice of the same length `n`, and `result` has `n` elements for each rank.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let mut all = [0; 3];
    ///     world.all_gather_into(&[10 * world.rank()], &mut all)?;
    ///     assert_eq!(all, [0, 10, 20]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`all_gather`](Comm::all_gather), and [`CollectiveError::Mismatch`] naming a rank that
    /// has more or fewer elements: `result` may have a part of the result then.
    /// [`CollectiveError::WrongLength`] if `result` has another length: nothing was done.
    pub fn all_gather_into<T: Element>(&self, data: &[T], result: &mut [T]) -> Result<()> {
        let (kind, count) = (Kind::AllGather, data.len());
        let expected = count.saturating_mul(self.size());
        CollectiveError::check_length(kind, "result", result.len(), expected)?;
        let call = Call::new::<T, N>(self, kind, 0, None)?;
        if self.relays_blocks() {
            copy(data, &mut result[self.rank() * count..][..count]);
            let mut parts = EqualParts { room: result, count };
            return self.gather_over_hosts(call, data, Some(count), &mut parts);
        }
        self.collect_blocks(call, SendBlocks::Same(data), result)
    }

    /// Gives each rank its part of the root's data (MPI: scatter and scatterv). The root gives one
    /// slice for each rank, of any length. The `parts` of the others are ignored.
    ///
    /// The root returns when it has sent, as from [`Comm::broadcast`].
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let parts: &[&[u8]] = match world.rank() {
    ///         0 => &[b"a", b"bc", b""],
    ///         _ => &[],
    ///     };
    ///     let mine = world.scatter(0, parts)?;
    ///     assert_eq!(mine.len(), [1, 2, 0][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`CollectiveError::WrongCount`] if the root does not give one slice for each rank. At the
    /// others, [`CollectiveError::Mismatch`] naming the root if it called something else, or with
    /// another root or element size; [`crate::Error::RankOutOfRange`] for the root;
    /// [`crate::Error::Message`] if a rank that this one needs has ended.
    pub fn scatter<T: Element>(&self, root: Rank, parts: &[&[T]]) -> Result<Vec<T>> {
        let (rank, size) = (self.rank(), self.size());
        if rank == root && parts.len() != size {
            return Err(CollectiveError::wrong_count(Kind::Scatter, "parts", parts.len(), size));
        }
        let call = Call::new::<T, N>(self, Kind::Scatter, root, None)?;
        if rank != root {
            let mut part = Vec::new();
            self.recv_unknown(&call, root, (MemberSet::NONE, None), &mut part)?;
            self.finish_in(&call)?;
            return Ok(part);
        }
        serve_all((root + 1..size).chain(0..root), |to| {
            let pieces = self.pieces_in::<T>(&call, parts[to].len(), false);
            self.send_in(&call, to, parts[to], pieces)
        })?;
        Ok(parts[root].to_vec())
    }

    /// Gives each rank its block of the root's `data`, all of one length, in `result` (MPI:
    /// scatter). The `data` of the others are not looked at, and may be empty.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let data = if world.rank() == 0 { vec![5, 6, 7] } else { vec![] };
    ///     let mut mine = [0];
    ///     world.scatter_into(0, &data, &mut mine)?;
    ///     assert_eq!(mine, [5 + world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`scatter`](Comm::scatter), and [`CollectiveError::Mismatch`] if the root has more or
    /// fewer elements for this rank: `result` may have a part of them then.
    /// [`CollectiveError::WrongLength`] if the root's `data` do not have a block as long as its
    /// `result` for each rank: nothing was done.
    pub fn scatter_into<T: Element>(&self, root: Rank, data: &[T], result: &mut [T]) -> Result<()> {
        let (rank, size, kind) = (self.rank(), self.size(), Kind::Scatter);
        if rank == root {
            let expected = result.len().saturating_mul(size);
            CollectiveError::check_length(kind, "data", data.len(), expected)?;
        }
        let call = Call::new::<T, N>(self, kind, root, None)?;
        let call = call.deposited_if(self.is_small(call.kind, size_of_val(result)));
        let pieces = self.pieces_in::<T>(&call, result.len(), false);
        if rank != root {
            self.recv_whole(&call, root, result, pieces)?;
            return self.finish_in(&call);
        }
        let block = |to| &data[share(data.len(), size, to)];
        copy(block(root), result);
        if self.deposit_in(&call, SendBlocks::Shares(data), self.all_readers())? {
            return Ok(());
        }
        serve_all((root + 1..size).chain(0..root), |to| {
            self.send_in(&call, to, block(to), pieces.clone())
        })
    }
}
