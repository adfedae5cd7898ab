//! A reduction whose result is spread over the ranks.
//!
//! Each rank receives its share from each other rank and combines it in rank order. No rank
//! forwards (pakin-2001 §5.4.1).
//!
//! Keeps rules COL-3 and COL-5 of SEMANTICS.md.

use super::call::Call;
use super::direct::Direct;
use super::{CollectiveError, Kind};
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Combines the `data` of all ranks, element by element, and gives each rank its block of the
    /// result (MPI: reduce_scatter_block). All must give the same number of elements, a multiple of
    /// the number of ranks.
    ///
    /// Elements are combined in the order of ranks, `((x0 + x1) + x2) + ...`, whatever the tree.
    /// `combine` therefore need only be associative, up to what the program tolerates.
    ///
    /// # Errors
    ///
    /// [`CollectiveError::Uneven`] if the ranks cannot share `data` evenly;
    /// [`CollectiveError::Mismatch`] naming a rank that called something else, or with another
    /// length, element size or named function; [`crate::Error::Message`] if a rank has ended.
    pub fn reduce_scatter<T: Element>(
        &self,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let size = self.size();
        let block = CollectiveError::block(Kind::ReduceScatter, data.len(), size)?;
        let call = Call::new::<T, N>(self, Kind::ReduceScatter, 0, None)?.with_operator(&combine);
        self.combine_shares(call, data, |_| block, combine)
    }

    /// Like [`reduce_scatter`](Comm::reduce_scatter), with a block of `counts[r]` elements for each
    /// rank `r` (MPI: reduce_scatter). All must give the same `counts`.
    ///
    /// # Errors
    ///
    /// As for [`reduce_scatter`](Comm::reduce_scatter), and [`CollectiveError::WrongCount`] if
    /// `counts` does not have one entry for each rank, [`CollectiveError::WrongSum`] if `data` does
    /// not have as many elements as they say.
    pub fn reduce_scatter_v<T: Element>(
        &self,
        data: &[T],
        counts: &[usize],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let (size, kind) = (self.size(), Kind::ReduceScatterV);
        CollectiveError::blocks(kind, data, counts, size)?;
        let call = Call::new::<T, N>(self, kind, 0, None)?.with_operator(&combine);
        self.combine_shares(call, data, |rank| counts[rank], combine)
    }

    /// This rank's share of the combined data, if rank `r` gets `counts[r]` elements.
    pub(super) fn combine_shares<T: Element>(
        &self,
        call: Call,
        data: &[T],
        share: impl Fn(usize) -> usize,
        combine: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let (rank, size) = (self.rank(), self.size());
        let mut rest = data;
        let outgoing: Vec<&[T]> = (0..size)
            .map(|to| {
                let (block, others) = rest.split_at(share(to));
                rest = others;
                block
            })
            .collect();
        let own = outgoing[rank].len();
        let counts = vec![own; size];
        let parts = Direct::known(self, call, &outgoing, &counts).collect_known(&counts)?;
        Ok(fold_blocks(parts.into_data(), own, combine))
    }
}

/// Combines consecutive blocks of `length` elements, in their order.
fn fold_blocks<T: Element>(
    mut blocks: Vec<T>,
    length: usize,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    if length > 0 {
        let (total, others) = blocks.split_at_mut(length);
        for block in others.chunks_exact(length) {
            combine_into(total, block, &combine);
        }
    }
    blocks.truncate(length);
    blocks
}

/// Replaces each element of `total` by its combination with that of `higher`, in this order.
pub(super) fn combine_into<T: Element>(
    total: &mut [T],
    higher: &[T],
    combine: &impl Fn(T, T) -> T,
) {
    for (total, &higher) in total.iter_mut().zip(higher) {
        *total = combine(*total, higher);
    }
}
