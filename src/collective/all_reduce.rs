//! A reduction whose result all ranks get.
//!
//! Keeps rules COL-1, COL-3 and COL-5 of SEMANTICS.md.

use super::Kind;
use super::Tree;
use super::call::Call;
use super::direct::Direct;
use super::edge::Posted;
use super::reduce_scatter::combine_into;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::verbs::Nic;

/// From this many bytes on, a flat tree gives each rank a share to combine. Below, rank 0 combines
/// all.
///
/// Measured with 2 cores, in times of reduction and broadcast by rank 0: at 8 ranks 0.5 with 32
/// KiB, 0.75 with 128 and 512 KiB, 0.5 with 2 MiB; at 4 ranks 1.2, 1.4, 0.5 and 1.05. Small data
/// sent by everybody to everybody, so that each could combine all itself, took 1.2 to 1.5 times as
/// long at 4 and 8 ranks, and twice as long at 16.
const SHARED_BYTES: usize = 32 << 10;

impl<N: Nic> Comm<N> {
    /// Combines the `data` of all ranks, element by element. All ranks get the result (MPI:
    /// allreduce). All must give a slice of the same length.
    ///
    /// The data are reduced to rank 0 in the tree, combined in the order stated at
    /// [`Comm::reduce`], and broadcast from it in the same tree. With [`Tree::Flat`] that order is
    /// that of ranks, `((x0 + x1) + x2) + ...`; from 32 KiB on each rank combines a share of the
    /// elements in this order and gives the result to all others itself. The result is the same
    /// bits at all ranks, and in every run.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let largest = world.all_reduce(&[world.rank() as f64], f64::max)?;
    ///     assert_eq!(largest, [2.0]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`CollectiveError::Mismatch`](super::CollectiveError::Mismatch) naming a rank that called
    /// something else, or with another tree, length, element size or named function;
    /// [`crate::Error::Message`] if a rank that this one needs has ended.
    pub fn all_reduce<T: Element>(
        &self,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let bytes = Some(size_of_val(data));
        let call = Call::new::<T, N>(self, Kind::AllReduce, 0, bytes)?.with_operator(&combine);
        if call.tree != Tree::Flat || size_of_val(data) < SHARED_BYTES {
            return self.all_reduce_in_tree(&call, data, combine);
        }
        let size = self.size();
        // If the division leaves a remainder, the first ranks have one element more.
        let share = |rank| data.len() / size + usize::from(rank < data.len() % size);
        let own = self.combine_shares(call, data, share, combine)?;
        let call = Call::new::<T, N>(self, Kind::AllReduce, 0, bytes)?;
        let counts: Vec<usize> = (0..size).map(share).collect();
        let outgoing = vec![own.as_slice(); size];
        let parts = Direct::known(self, call, &outgoing, &counts).collect_known(&counts)?;
        Ok(parts.into_data())
    }

    fn all_reduce_in_tree<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let (rank, size) = (self.rank(), self.size());
        let parent = call.tree.parent(rank, call.root, size);
        let children = || call.tree.children(rank, call.root, size);
        let pieces = self.pieces::<T>(data.len(), true);
        let (mut total, mut theirs) = (data.to_vec(), data.to_vec());
        let mut posted = Posted::default();
        for piece in pieces.clone() {
            let range = piece.range.clone();
            for child in children() {
                self.recv_in(call, child, &mut theirs, &piece)?;
                combine_into(&mut total[range.clone()], &theirs[range.clone()], &combine);
            }
            match parent {
                Some(parent) => self.post_in(call, parent, &total, &piece, &mut posted)?,
                // The root sends down finished parts of the result while the rest still arrives.
                None => children()
                    .try_for_each(|child| self.post_in(call, child, &total, &piece, &mut posted))?,
            }
        }
        if let Some(parent) = parent {
            for piece in pieces {
                self.recv_in(call, parent, &mut total, &piece)?;
                for child in children() {
                    self.post_in(call, child, &total, &piece, &mut posted)?;
                }
            }
        }
        self.see_off(posted)?;
        Ok(total)
    }
}
