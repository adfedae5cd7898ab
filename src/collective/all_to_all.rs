//! All to all, with counts that all ranks know. If only the senders know the counts, use
//! [`exchange`](super::exchange).
//!
//! Keeps rule COL-5 of SEMANTICS.md.

use super::Parts;
use super::blocks::{RecvBlocks, SendBlocks};
use super::call::Call;
use super::direct::Direct;
use super::{CollectiveError, Kind};
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Gives each rank one block of the `data` of each rank, all of one length (MPI: alltoall):
    /// block `r` of rank `s` becomes block `s` at rank `r`. All must give the same number of
    /// elements, a multiple of the number of ranks.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let rank = world.rank();
    ///     let transposed = world.all_to_all(&[10 * rank, 10 * rank + 1, 10 * rank + 2])?;
    ///     assert_eq!(transposed, [rank, 10 + rank, 20 + rank]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`CollectiveError::Uneven`] if the ranks cannot share `data` evenly;
    /// [`CollectiveError::Mismatch`] naming a rank that called something else, or that has blocks
    /// of another length or element size; [`crate::Error::Message`] if a rank has ended.
    pub fn all_to_all<T: Element>(&self, data: &[T]) -> Result<Vec<T>> {
        CollectiveError::block(Kind::AllToAll, data.len(), self.size())?;
        let mut result = vec![T::new_zeroed(); data.len()];
        self.all_to_all_into(data, &mut result)?;
        Ok(result)
    }

    /// As [`all_to_all`](Comm::all_to_all), into `result`, which is as long as `data`.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let rank = world.rank();
    ///     let mut transposed = [0; 2];
    ///     world.all_to_all_into(&[10 * rank, 10 * rank + 1], &mut transposed)?;
    ///     assert_eq!(transposed, [rank, 10 + rank]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`all_to_all`](Comm::all_to_all): `result` may have a part of the result then.
    /// [`CollectiveError::WrongLength`] if `result` is not as long as `data`: nothing was done.
    pub fn all_to_all_into<T: Element>(&self, data: &[T], result: &mut [T]) -> Result<()> {
        let kind = Kind::AllToAll;
        CollectiveError::block(kind, data.len(), self.size())?;
        CollectiveError::check_length(kind, "result", result.len(), data.len())?;
        let call = Call::new::<T, N>(self, kind, 0, None)?;
        self.collect_blocks(call, SendBlocks::Shares(data), result)
    }

    /// Gives each rank `r` the slice `outgoing[r]` of this rank, and expects `expected[s]` elements
    /// from each rank `s` (MPI: alltoallv).
    ///
    /// # Errors
    ///
    /// [`CollectiveError::WrongCount`] if `outgoing` or `expected` do not have one entry for each
    /// rank; [`CollectiveError::WrongSum`] if this rank's slice for itself is not as long as it
    /// expects; [`CollectiveError::Mismatch`] naming a rank that called something else, or that has
    /// more or fewer elements for this one than it expects, with both counts;
    /// [`crate::Error::Message`] if a rank has ended.
    pub fn all_to_all_v<T: Element>(
        &self,
        outgoing: &[&[T]],
        expected: &[usize],
    ) -> Result<Parts<T>> {
        let (rank, size, kind) = (self.rank(), self.size(), Kind::AllToAllV);
        check_counts(kind, (rank, size), outgoing, expected)?;
        let call = Call::new::<T, N>(self, kind, 0, None)?;
        let (outgoing, incoming) = (SendBlocks::Listed(outgoing), RecvBlocks::Listed(expected));
        Direct::known(self, call, outgoing, incoming).collect_known(expected)
    }
}

/// Checks that there is a slice and a count for each rank, and that this rank's slice for itself is
/// as long as it expects.
pub(super) fn check_counts<T>(
    kind: Kind,
    (rank, size): (Rank, usize),
    outgoing: &[&[T]],
    expected: &[usize],
) -> Result<()> {
    for (argument, given) in [("outgoing", outgoing.len()), ("expected", expected.len())] {
        if given != size {
            return Err(CollectiveError::wrong_count(kind, argument, given, size));
        }
    }
    let (given, expects) = (outgoing[rank].len(), expected[rank]);
    if given == expects {
        return Ok(());
    }
    Err(CollectiveError::wrong_sum(kind, "outgoing", given, expects))
}
