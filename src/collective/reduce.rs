//! Many to one.
//!
//! Keeps rules COL-1, COL-2, COL-3, COL-5 and COL-9 of SEMANTICS.md.

use super::blocks::SendBlocks;
use super::call::Call;
use super::edge::PostedSends;
use super::{CollectiveError, Kind, Tree};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Combines the `data` of all ranks, element by element, with `combine` (MPI: reduce). The root
    /// gets the result, the others None. All must give a slice of the same length.
    ///
    /// `combine` must be associative and commutative up to what the program tolerates. Tree, root,
    /// size and which members share a host determine the order in which it is applied, never the
    /// order of arrival. Floating-point results are therefore the same in every run. A rank starts
    /// with its own data and adds those of its children, on one host in the order of
    /// [`Tree::children`](super::Tree::children), on several first of those on other hosts.
    ///
    /// A leaf of the tree returns when it has sent, without waiting for anybody; a rank inside when
    /// it has forwarded. As in [`Comm::broadcast`], a full window makes it wait.
    ///
    /// [`Comm::all_reduce`] gives the result to all ranks.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let largest = world.reduce(0, &[world.rank() as f64], f64::max)?;
    ///     assert_eq!(largest, (world.rank() == 0).then(|| vec![2.0]));
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`Comm::broadcast`], naming a child; also if it combines with another named function
    /// (`f64::max` here, `f64::min` there). Of closures and function pointers nothing can be told.
    pub fn reduce<T: Element>(
        &self,
        root: Rank,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Option<Vec<T>>> {
        let call = Call::new::<T, N>(self, Kind::Reduce, root, Some(size_of_val(data)))?;
        let call = call.with_operator(self, &combine);
        if self.rank() != root {
            return self.reduce_to_parent(&call, data, combine).map(|()| None);
        }
        let mut total = data.to_vec();
        self.reduce_in(&call, &mut total, combine)?;
        Ok(Some(total))
    }

    /// As [`reduce`](Comm::reduce), into the `result` of the root, which is as long as `data`. That
    /// of the others is not looked at, and may be empty.
    ///
    /// ```
    /// use runahead::ops;
    ///
    /// runahead::launch(3, |world| {
    ///     let mut product = [0];
    ///     world.reduce_into(0, &[1 + world.rank()], &mut product, ops::product)?;
    ///     assert_eq!(product, if world.rank() == 0 { [6] } else { [0] });
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`reduce`](Comm::reduce): `result` may have a part of the result then.
    /// [`CollectiveError::WrongLength`] if that of the root is not as long as `data`: nothing was
    /// done.
    pub fn reduce_into<T: Element>(
        &self,
        root: Rank,
        data: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let is_root = self.rank() == root;
        if is_root {
            CollectiveError::check_length(Kind::Reduce, "result", result.len(), data.len())?;
        }
        let call = Call::new::<T, N>(self, Kind::Reduce, root, Some(size_of_val(data)))?;
        let call = call.with_operator(self, &combine);
        if !is_root {
            return self.reduce_to_parent(&call, data, combine);
        }
        copy(data, result);
        self.reduce_in(&call, result, combine)
    }

    /// The part in a reduction of a rank that is not the root.
    fn reduce_to_parent<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        if let Some(parent) = self.parent_in(call)
            && self.children_in(call).next().is_none()
        {
            let (outgoing, root) = (SendBlocks::Same(data), self.readers((parent, parent + 1)));
            if call.tree == Tree::Flat && self.deposit_in(call, outgoing, root)? {
                return Ok(());
            }
            let pieces = self.pieces_in::<T>(call, data.len(), call.tree != Tree::Flat);
            return self.send_in(call, parent, data, pieces);
        }
        self.collectives.scratch.with_room(data.len(), |total| {
            copy(data, total);
            self.reduce_in(call, total, combine)
        })
    }

    /// The part in a reduction of a rank that has children. `total` has its own data first, and
    /// what its subtree has combined at the end.
    fn reduce_in<T: Element>(
        &self,
        call: &Call,
        total: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        if call.tree == Tree::Flat && self.deposits(call.kind, size_of_val(total)) {
            let size = self.size();
            let children = (1..size).map(|distance| (call.root + distance) % size);
            return self.combine_with(call, children, total, &combine);
        }
        let parent = self.parent_in(call);
        let mut posted = PostedSends::default();
        for piece in self.pieces_in::<T>(call, total.len(), call.tree != Tree::Flat) {
            for child in self.children_in(call) {
                self.recv_and_combine(call, child, total, &piece, &combine)?;
            }
            if let Some(parent) = parent {
                self.post_in(call, parent, total, &piece, &mut posted)?;
            }
        }
        self.see_off(posted)
    }
}
