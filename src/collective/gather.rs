//! Gather, all-gather and scatter. The data of each rank travel once to each receiver, and no rank
//! forwards them, whatever the tree. A tree would move them several times, and a descheduled rank
//! would delay those below it (pakin-2001 §5.4.1).
//!
//! Keeps rules COL-2 and COL-5 of SEMANTICS.md.

use super::call::Call;
use super::direct::{Direct, Expected};
use super::edge::serve_all;
use super::{CollectiveError, Kind};
use super::{Exchange, Parts};
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
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
            let pieces = self.pieces::<T>(data.len(), false);
            return self.send_in(&call, root, data, pieces).map(|()| None);
        }
        let mut parts = Parts::with_capacity(size);
        for from in 0..size {
            parts.push_with(|all| match from == rank {
                true => {
                    all.extend_from_slice(data);
                    Ok(())
                }
                false => self.recv_unknown(&call, from, all),
            })?;
        }
        Ok(Some(parts))
    }

    /// Collects the `data` of all ranks at all ranks (MPI: allgather and allgatherv). Lengths may
    /// differ, and no rank need know them.
    ///
    /// # Errors
    ///
    /// As for [`Comm::gather`], at every rank.
    pub fn all_gather<T: Element>(&self, data: &[T]) -> Result<Parts<T>> {
        let call = Call::new::<T, N>(self, Kind::AllGather, 0, None)?;
        let outgoing = vec![data; self.size()];
        Direct::new(self, call, Exchange::default(), &outgoing, Expected::FromAll).collect()
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
            self.recv_unknown(&call, root, &mut part)?;
            return Ok(part);
        }
        serve_all((root + 1..size).chain(0..root), |to| {
            let pieces = self.pieces::<T>(parts[to].len(), false);
            self.send_in(&call, to, parts[to], pieces)
        })?;
        Ok(parts[root].to_vec())
    }
}
