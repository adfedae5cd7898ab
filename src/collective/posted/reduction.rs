//! Nonblocking collectives that combine data. All data travel uncombined. A rank that gets a result combines them when it
//! waits, or finds what others have combined ([`sharing`](super::sharing)).
//!
//! Keeps rules COL-3, COL-4, COL-8 and COL-11 of SEMANTICS.md.

use super::assembly::Optional;
use super::combined::Combined;
use super::request::CollectiveRequest;
use crate::collective::call::Call;
use crate::collective::{CollectiveError, Kind};
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// The nonblocking form of [`Comm::reduce`]: combines the `data` of all ranks, element by
    /// element. The root gets the result, the others None (MPI: Ireduce). All must give a slice of
    /// the same length.
    ///
    /// Each rank but the root sends one message, whatever the tree. The root combines in
    /// [`CollectiveRequest::wait`] and [`CollectiveRequest::test`]. It starts with its own data and
    /// continues with those of the next ranks, wrapping around. That is the order of
    /// [`Tree::Flat`], so the result has the same bits as that of [`Comm::reduce`] with this tree.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let request = world.ireduce(0, &[world.rank() as f64], f64::max)?;
    ///     world.barrier()?;
    ///     let largest = request.wait()?;
    ///     assert_eq!(largest, (world.rank() == 0).then(|| vec![2.0]));
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast).
    ///
    /// [`Tree::Flat`]: crate::Tree::Flat
    pub fn ireduce<T: Element, F: Fn(T, T) -> T>(
        &self,
        root: Rank,
        data: &[T],
        combine: F,
    ) -> Result<CollectiveRequest<Optional<Combined<T, F>>, N>> {
        self.check_one_message::<T>(data.len())?;
        let call =
            Call::uncounted::<T, N>(self, Kind::Ireduce, root)?.with_operator(self, &combine);
        let is_root = self.rank() == root;
        let total = is_root.then(|| self.combined(&call, data, true, combine)).transpose()?;
        let count = if is_root { self.size() } else { 0 };
        CollectiveRequest::start(self, call, Optional(total), (root, count), |posting, _| {
            let to = (!is_root).then_some(root).into_iter();
            posting.post_to(to, data)
        })
    }

    /// Combines the `data` of all ranks, element by element, and returns at once. All ranks get the
    /// result (MPI: Iallreduce). All must give a slice of the same length.
    ///
    /// Every rank sends one message to each other, size * (size - 1) in all, or on one host deposits
    /// its data once for all. Each combines all data itself, in the order of ranks:
    /// `((x0 + x1) + x2) + ...`. Of large data on one host it takes over what others have combined,
    /// as [`Comm::all_reduce`] does. The result therefore has the same bits at all ranks and in every
    /// run, and `combine` need not be commutative.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let mut request = world.iall_reduce(&[1 + world.rank()], |a, b| a * b)?;
    ///     while !request.test()? {
    ///         std::hint::spin_loop(); // or something useful
    ///     }
    ///     assert_eq!(request.wait()?, [6]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast).
    pub fn iall_reduce<T: Element, F: Fn(T, T) -> T>(
        &self,
        data: &[T],
        combine: F,
    ) -> Result<CollectiveRequest<Combined<T, F>, N>> {
        self.check_one_message::<T>(data.len())?;
        let call =
            Call::uncounted::<T, N>(self, Kind::IallReduce, 0)?.with_operator(self, &combine);
        // Where ranks combine for each other, the result takes the place of what this one has deposited.
        let is_first = self.rank() == 0 || self.gives(size_of_val(data));
        let total = self.combined(&call, data, is_first, combine)?;
        CollectiveRequest::start(self, call, total, (0, self.size()), |posting, _| {
            posting.post_to(self.others(), data)
        })
    }

    /// Combines the `data` of all ranks up to and including this one, element by element, in the
    /// order of ranks, and returns at once (MPI: Iscan). All must give a slice of the same length.
    ///
    /// Each rank sends one message to each higher one: size * (size - 1) / 2 in all.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let sums = world.iscan(&[1 + world.rank()], |a, b| a + b)?.wait()?;
    ///     assert_eq!(sums, [[1], [3], [6]][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast).
    pub fn iscan<T: Element, F: Fn(T, T) -> T>(
        &self,
        data: &[T],
        combine: F,
    ) -> Result<CollectiveRequest<Combined<T, F>, N>> {
        self.check_one_message::<T>(data.len())?;
        let (rank, size) = (self.rank(), self.size());
        let call = Call::uncounted::<T, N>(self, Kind::Iscan, 0)?.with_operator(self, &combine);
        let total = self.combined(&call, data, rank == 0, combine)?;
        CollectiveRequest::start(self, call, total, (0, rank + 1), |posting, _| {
            posting.post_to(rank + 1..size, data)
        })
    }

    /// Like [`iscan`](Comm::iscan), without this rank's own data (MPI: Iexscan): None at rank 0.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let start = world.iexclusive_scan(&[10 + world.rank()], |a, b| a + b)?.wait()?;
    ///     let starts = [None, Some(vec![10]), Some(vec![21])];
    ///     assert_eq!(start, starts[world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast).
    pub fn iexclusive_scan<T: Element, F: Fn(T, T) -> T>(
        &self,
        data: &[T],
        combine: F,
    ) -> Result<CollectiveRequest<Optional<Combined<T, F>>, N>> {
        self.check_one_message::<T>(data.len())?;
        let (rank, size) = (self.rank(), self.size());
        let call =
            Call::uncounted::<T, N>(self, Kind::IexclusiveScan, 0)?.with_operator(self, &combine);
        let is_known = call.has_known_operator();
        let total = (rank > 0).then(|| Combined::of_others(data.len(), combine, is_known));
        CollectiveRequest::start(self, call, Optional(total), (0, rank), |posting, _| {
            posting.post_to(rank + 1..size, data)
        })
    }

    /// Combines the `data` of all ranks, element by element, in the order of ranks, gives each rank
    /// its block of the result, and returns at once (MPI: Ireduce_scatter_block). All must give the
    /// same number of elements, a multiple of the number of ranks.
    ///
    /// Every rank sends one block to each other: size * (size - 1) messages in all.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let block = world.ireduce_scatter(&[1, 10 * world.rank()], |a, b| a + b)?.wait()?;
    ///     assert_eq!(block, [[2], [10]][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast); [`CollectiveError::Uneven`] if `data` cannot be
    /// divided.
    pub fn ireduce_scatter<T: Element, F: Fn(T, T) -> T>(
        &self,
        data: &[T],
        combine: F,
    ) -> Result<CollectiveRequest<Combined<T, F>, N>> {
        let (rank, size) = (self.rank(), self.size());
        let block = CollectiveError::block(Kind::IreduceScatter, data.len(), size)?;
        self.check_one_message::<T>(block)?;
        let call =
            Call::uncounted::<T, N>(self, Kind::IreduceScatter, 0)?.with_operator(self, &combine);
        let total = self.combined(&call, &data[rank * block..][..block], rank == 0, combine)?;
        CollectiveRequest::start(self, call, total, (0, size), |posting, _| {
            posting.post_blocks(data)
        })
    }

    /// Like [`ireduce_scatter`](Comm::ireduce_scatter), with a block of `counts[r]` elements for
    /// each rank `r` (MPI: Ireduce_scatter). All must give the same `counts`.
    ///
    /// Every rank sends one block to each other: size * (size - 1) messages in all.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let block = world.ireduce_scatter_v(&[1, 2, 3], &[1, 2], |a, b| a + b)?.wait()?;
    ///     assert_eq!(block, [vec![2], vec![4, 6]][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast); [`CollectiveError::WrongCount`] if `counts` does not
    /// have one entry for each rank, [`CollectiveError::WrongSum`] if `data` does not have as many
    /// elements as they say.
    pub fn ireduce_scatter_v<T: Element, F: Fn(T, T) -> T>(
        &self,
        data: &[T],
        counts: &[usize],
        combine: F,
    ) -> Result<CollectiveRequest<Combined<T, F>, N>> {
        let (rank, size, kind) = (self.rank(), self.size(), Kind::IreduceScatterV);
        let outgoing = CollectiveError::blocks(kind, data, counts, size)?;
        outgoing.iter().try_for_each(|part| self.check_one_message::<T>(part.len()))?;
        let call = Call::uncounted::<T, N>(self, kind, 0)?.with_operator(self, &combine);
        let total = self.combined(&call, outgoing[rank], rank == 0, combine)?;
        CollectiveRequest::start(self, call, total, (0, size), |posting, _| {
            posting.post_parts(&outgoing)
        })
    }

    /// What is combined of this rank's data and those of others. They come first, or wait for their turn; those of rank 1
    /// come second then.
    fn combined<T: Element, F: Fn(T, T) -> T>(
        &self,
        call: &Call,
        own: &[T],
        is_first: bool,
        combine: F,
    ) -> Result<Combined<T, F>> {
        let is_second = !is_first && self.rank() == 1 && call.has_known_operator();
        let becomes_result = is_first || is_second;
        let own = self.own(own, becomes_result.then_some(own.len()))?;
        Ok(Combined::new(own, combine, call.has_known_operator()).of_second(is_second))
    }
}
