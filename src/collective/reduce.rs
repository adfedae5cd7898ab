//! Many to one.

use super::call::{Call, Kind};
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Combines the `data` of all ranks, element by element, with `combine`; the root gets the
    /// result, the others None. All must give a slice of the same length.
    ///
    /// `combine` must be associative and commutative up to what the program tolerates. The order in
    /// which it is applied follows from tree, root and size alone, never from arrival, so that
    /// floating-point results are the same in every run: a rank starts with its own data and adds
    /// its children's in the order of [`Tree::children`](super::Tree::children).
    ///
    /// A leaf of the tree returns when it has sent, without waiting for anybody; a rank inside when
    /// it has forwarded. As in [`Comm::multicast`], a full window makes it wait.
    ///
    /// To give the result to all (MPI: allreduce), follow it with a multicast:
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let mut largest = [world.rank() as f64];
    ///     if let Some(result) = world.reduce(0, &largest, f64::max)? {
    ///         largest = [result[0]];
    ///     }
    ///     world.multicast(0, &mut largest)?;
    ///     assert_eq!(largest, [2.0]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`Comm::multicast`], naming a child.
    pub fn reduce<T: Element>(
        &self,
        root: Rank,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Option<Vec<T>>> {
        let call = Call::new(self, Kind::Reduce, root)?;
        self.reduce_in(&call, data, combine)
    }

    /// This rank's part in a reduction.
    pub(super) fn reduce_in<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Option<Vec<T>>> {
        let (rank, size) = (self.rank(), self.size());
        let parent = call.tree.parent(rank, call.root, size);
        let mut children = call.tree.children(rank, call.root, size).peekable();
        if let (Some(parent), None) = (parent, children.peek()) {
            self.send_in(call, parent, data)?;
            return Ok(None);
        }
        let mut total = data.to_vec();
        let mut theirs = vec![T::new_zeroed(); data.len()];
        for child in children {
            self.recv_in(call, child, &mut theirs)?;
            for (total, &theirs) in total.iter_mut().zip(&theirs) {
                *total = combine(*total, theirs);
            }
        }
        match parent {
            Some(parent) => self.forward_in(call, parent, &total).map(|()| None),
            None => Ok(Some(total)),
        }
    }
}
