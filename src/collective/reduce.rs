//! Many to one.

use super::Kind;
use super::Tree;
use super::call::Call;
use super::edge::Posted;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Combines the `data` of all ranks, element by element, with `combine` (MPI: reduce). The root
    /// gets the result, the others None. All must give a slice of the same length.
    ///
    /// `combine` must be associative and commutative up to what the program tolerates. Tree, root
    /// and size alone determine the order in which it is applied, never the order of arrival.
    /// Floating-point results are therefore the same in every run. A rank starts with its own data
    /// and adds those of its children in the order of [`Tree::children`](super::Tree::children).
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
        let call = Call::new::<T, N>(self, Kind::Reduce, root, Some(size_of_val(data)))?
            .with_operator(&combine);
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
        let pieces = self.pieces::<T>(data.len(), call.tree != Tree::Flat);
        if let Some(parent) = parent
            && call.tree.children(rank, call.root, size).next().is_none()
        {
            self.send_in(call, parent, data, pieces)?;
            return Ok(None);
        }
        let mut total = data.to_vec();
        let mut theirs = data.to_vec();
        let mut posted = Posted::default();
        for piece in pieces {
            for child in call.tree.children(rank, call.root, size) {
                self.recv_in(call, child, &mut theirs, &piece)?;
                let range = piece.range.clone();
                for (total, &theirs) in total[range.clone()].iter_mut().zip(&theirs[range]) {
                    *total = combine(*total, theirs);
                }
            }
            if let Some(parent) = parent {
                self.post_in(call, parent, &total, &piece, &mut posted)?;
            }
        }
        self.see_off(posted)?;
        Ok(parent.is_none().then_some(total))
    }
}
