//! A reduction whose result is spread over the ranks.
//!
//! Each rank receives its share from each other rank and combines it in rank order. No rank
//! forwards (pakin-2001 §5.4.1). In a group on several hosts, those on a host combine long shares first ([`combined`]).
//!
//! [`combined`]: super::combined
//!
//! Keeps rules COL-3, COL-5 and COL-9 of SEMANTICS.md.

use super::blocks::SendBlocks;
use super::call::Call;
use super::combine::combine_blocks;
use super::edge::PostedSends;
use super::{CollectiveError, Kind};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Combines the `data` of all ranks, element by element, and gives each rank its block of the
    /// result (MPI: reduce_scatter_block). All must give the same number of elements, a multiple of
    /// the number of ranks.
    ///
    /// Elements are combined in the order of ranks, `((x0 + x1) + x2) + ...`, whatever the tree.
    /// `combine` therefore need only be associative, up to what the program tolerates. In a group on
    /// several hosts, long blocks are combined on each host first, unless the tree is flat: there too in
    /// the order of ranks, where those of each host are consecutive, or else where `combine` is one of
    /// [`ops`](crate::ops).
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
        let block = CollectiveError::block(Kind::ReduceScatter, data.len(), self.size())?;
        let mut result = vec![T::new_zeroed(); block];
        self.reduce_scatter_into(data, &mut result, combine)?;
        Ok(result)
    }

    /// As [`reduce_scatter`](Comm::reduce_scatter), into `result`, which is as long as a block.
    ///
    /// ```
    /// use runahead::ops;
    ///
    /// runahead::launch(3, |world| {
    ///     let mut mine = [0];
    ///     world.reduce_scatter_into(&[1, 10, world.rank()], &mut mine, ops::sum)?;
    ///     assert_eq!(mine, [[3], [30], [3]][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`reduce_scatter`](Comm::reduce_scatter); [`CollectiveError::WrongLength`] if `result`
    /// is not as long as a block: nothing was done.
    pub fn reduce_scatter_into<T: Element>(
        &self,
        data: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let kind = Kind::ReduceScatter;
        let block = CollectiveError::block(kind, data.len(), self.size())?;
        CollectiveError::check_length(kind, "result", result.len(), block)?;
        let call = Call::new::<T, N>(self, kind, 0, None)?.with_operator(self, &combine);
        self.combine_shares(call, SendBlocks::Shares(data), result, &combine)
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
        let blocks = CollectiveError::blocks(kind, data, counts, size)?;
        let call = Call::new::<T, N>(self, kind, 0, None)?.with_operator(self, &combine);
        let mut result = vec![T::new_zeroed(); counts[self.rank()]];
        self.combine_shares(call, SendBlocks::Listed(&blocks), &mut result, &combine)?;
        Ok(result)
    }

    /// Combines this rank's share of the data of all ranks into `result`, which is as long. What
    /// this rank has of the others' shares is `outgoing`.
    pub(super) fn combine_shares<T: Element>(
        &self,
        call: Call,
        outgoing: SendBlocks<'_, T>,
        result: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let size = self.size();
        let longest = (0..size).map(|to| outgoing.part(to, size).len()).fold(0, usize::max);
        if self.combines_on_hosts::<T>(&call, longest) {
            return self.combine_over_hosts(call, outgoing, result, combine);
        }
        let bytes = longest.saturating_mul(size_of::<T>());
        let call = call.deposited_if(self.is_small(call.kind, bytes));
        if self.goes_at_once::<T>(longest) {
            let mut posted = PostedSends::default();
            self.post_to_all(&call, outgoing, &mut posted)?;
            let own = outgoing.part(self.rank(), size);
            if call.is_deposited && self.deposits(call.kind, size_of_val(own)) {
                copy(own, result);
                self.combine_given(&call, size, result, combine)?;
                return self.see_off(posted);
            }
            let own = Some(own);
            return self.combine_at_once(&call, posted, own, result, combine);
        }
        // They arrive in any order, and are combined in that of ranks.
        self.collectives.scratch.with_room(result.len() * self.size(), |blocks| {
            self.collect_blocks(call, outgoing, blocks)?;
            combine_blocks(result, blocks, combine);
            Ok(())
        })
    }
}
