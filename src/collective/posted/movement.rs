//! Nonblocking collectives that move data: to all, from all, and from all to all.
//!
//! Keeps rules COL-4 and COL-8 of SEMANTICS.md.

use super::assembly::{Filled, Optional};
use super::gathered::{Counts, Gathered, Joined};
use super::own::Own;
use super::request::CollectiveRequest;
use crate::collective::all_to_all::check_counts;
use crate::collective::call::Call;
use crate::collective::{CollectiveError, Kind};
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::sys::ahead::Ahead;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// As [`Comm::broadcast`], returning at once: gives all ranks the `data` of `root` (MPI:
    /// Ibcast). All must give a slice of the same length. It is filled, except at the root, by
    /// [`CollectiveRequest::wait`] or [`CollectiveRequest::test`].
    ///
    /// The root sends one message to each other rank, whatever the tree. It keeps a copy of the
    /// data for each message until that has left, or one copy of large data for all on its host. In a
    /// small group within a host it puts little data once where all see them, instead. So do the other
    /// calls that return at once, but those in which lengths differ for each receiver.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let mut data = if world.rank() == 0 { [3, 5] } else { [0, 0] };
    ///     let request = world.ibroadcast(0, &mut data)?;
    ///     world.barrier()?; // returns at once, whether or not the data are here
    ///     request.wait()?;
    ///     assert_eq!(data, [3, 5]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Error::RankOutOfRange`] for the root; [`crate::Error::Message`] if the data do not
    /// fit in one message, in which case nothing was done, or if a receiver has ended, in which
    /// case the others get the data all the same. What the other ranks do wrong is told by the
    /// request.
    pub fn ibroadcast<'d, T: Element>(
        &self,
        root: Rank,
        data: &'d mut [T],
    ) -> Result<CollectiveRequest<Filled<'d, T>, N>> {
        self.check_one_message::<T>(data.len())?;
        let call = Call::uncounted::<T, N>(self, Kind::Ibroadcast, root)?;
        let filled = Filled { room: data };
        CollectiveRequest::start(self, call, filled, (root, 1), |posting, filled| {
            match self.rank() == root {
                true => posting.post_to(self.others(), filled.room),
                false => Ok(()),
            }
        })
    }

    /// The name that [`ibroadcast`](Comm::ibroadcast) had before.
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast).
    #[deprecated(note = "renamed to `ibroadcast`; a multicast is what a network does")]
    pub fn imulticast<'d, T: Element>(
        &self,
        root: Rank,
        data: &'d mut [T],
    ) -> Result<CollectiveRequest<Filled<'d, T>, N>> {
        self.ibroadcast(root, data)
    }

    /// Collects the `data` of all ranks at `root`, in the order of ranks, and returns at once; the
    /// others get None (MPI: Igather and Igatherv). Lengths may differ, and the root need not know
    /// them.
    ///
    /// Each rank but the root sends one message.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let own = vec![world.rank() as u8; world.rank()];
    ///     if let Some(parts) = world.igather(0, &own)?.wait()? {
    ///         assert_eq!(parts[2], [2, 2]);
    ///         assert_eq!(parts.data(), [1, 2, 2]);
    ///     }
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast).
    pub fn igather<T: Element>(
        &self,
        root: Rank,
        data: &[T],
    ) -> Result<CollectiveRequest<Optional<Gathered<T>>, N>> {
        self.check_one_message::<T>(data.len())?;
        let call = Call::uncounted::<T, N>(self, Kind::Igather, root)?;
        let is_root = self.rank() == root;
        let ranks = (self.size(), self.rank() == 0);
        let parts = is_root.then(|| self.gathered(data, Counts::Unknown, ranks)).transpose()?;
        let count = if is_root { self.size() } else { 0 };
        CollectiveRequest::start(self, call, Optional(parts), (0, count), |posting, _| {
            let to = (!is_root).then_some(root).into_iter();
            posting.post_to(to, data)
        })
    }

    /// Collects the `data` of all ranks at all ranks, in the order of ranks, and returns at once
    /// (MPI: Iallgather and Iallgatherv). Lengths may differ, and no rank need know them.
    ///
    /// Every rank sends one message to each other: size * (size - 1) in all.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let parts = world.iall_gather(&[world.rank()])?.wait()?;
    ///     assert_eq!(parts.into_data(), [0, 1, 2]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`ibroadcast`](Comm::ibroadcast).
    pub fn iall_gather<T: Element>(&self, data: &[T]) -> Result<CollectiveRequest<Gathered<T>, N>> {
        self.check_one_message::<T>(data.len())?;
        let call = Call::uncounted::<T, N>(self, Kind::IallGather, 0)?;
        let parts = self.gathered(data, Counts::Unknown, (self.size(), self.rank() == 0))?;
        CollectiveRequest::start(self, call, parts, (0, self.size()), |posting, _| {
            posting.post_to(self.others(), data)
        })
    }

    /// Gives each rank its part of the root's data, and returns at once (MPI: Iscatter and
    /// Iscatterv). The root gives one slice for each rank, of any length. The `parts` of the others
    /// are ignored.
    ///
    /// The root sends one message to each other rank.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let parts: &[&[u8]] = if world.rank() == 0 { &[b"a", b"", b"bc"] } else { &[] };
    ///     let mine = world.iscatter(0, parts)?.wait()?;
    ///     assert_eq!(mine.len(), [1, 0, 2][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast); [`CollectiveError::WrongCount`] if the root does not
    /// give one slice for each rank.
    pub fn iscatter<T: Element>(
        &self,
        root: Rank,
        parts: &[&[T]],
    ) -> Result<CollectiveRequest<Joined<T>, N>> {
        let (rank, size) = (self.rank(), self.size());
        let is_root = rank == root;
        if is_root && parts.len() != size {
            return Err(CollectiveError::wrong_count(Kind::Iscatter, "parts", parts.len(), size));
        }
        let outgoing = if is_root { parts } else { &[] };
        outgoing.iter().try_for_each(|part| self.check_one_message::<T>(part.len()))?;
        let call = Call::uncounted::<T, N>(self, Kind::Iscatter, root)?;
        let own = outgoing.get(rank).copied().unwrap_or_default();
        let mine = Joined(self.gathered(own, Counts::Unknown, (1, true))?);
        CollectiveRequest::start(self, call, mine, (root, 1), |posting, _| match is_root {
            true => posting.post_parts(outgoing),
            false => Ok(()),
        })
    }

    /// Gives each rank one block of the `data` of each rank, all of one length, and returns at once
    /// (MPI: Ialltoall): block `r` of rank `s` becomes block `s` at rank `r`. All must give the
    /// same number of elements, a multiple of the number of ranks.
    ///
    /// Every rank sends one message to each other: size * (size - 1) in all.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let rank = world.rank();
    ///     let transposed = world.iall_to_all(&[10 * rank, 10 * rank + 1, 10 * rank + 2])?.wait()?;
    ///     assert_eq!(transposed, [rank, 10 + rank, 20 + rank]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`ibroadcast`](Comm::ibroadcast); [`CollectiveError::Uneven`] if the ranks cannot
    /// share `data` evenly.
    pub fn iall_to_all<T: Element>(&self, data: &[T]) -> Result<CollectiveRequest<Joined<T>, N>> {
        let (rank, size) = (self.rank(), self.size());
        let block = CollectiveError::block(Kind::IallToAll, data.len(), size)?;
        self.check_one_message::<T>(block)?;
        let call = Call::uncounted::<T, N>(self, Kind::IallToAll, 0)?;
        let own = &data[rank * block..][..block];
        let blocks = Joined(self.gathered(own, Counts::Equal(block), (size, rank == 0))?);
        CollectiveRequest::start(self, call, blocks, (0, size), |posting, _| {
            posting.post_blocks(data)
        })
    }

    /// Gives each rank `r` the slice `outgoing[r]` of this rank, expects `expected[s]` elements
    /// from each rank `s`, and returns at once (MPI: Ialltoallv). Part `s` of the result is the
    /// slice of rank `s` for this one.
    ///
    /// Every rank sends one message to each other rank, even if it has no data for it.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let outgoing: [[&[u8]; 2]; 2] = [[b"", b"ab"], [b"c", b"d"]];
    ///     let expected = [[0, 1], [2, 1]][world.rank()];
    ///     let request = world.iall_to_all_v(&outgoing[world.rank()], &expected)?;
    ///     let parts = request.wait()?;
    ///     assert_eq!(parts.into_data(), [&b"c"[..], b"abd"][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast); [`CollectiveError::WrongCount`] if `outgoing` or
    /// `expected` do not have one entry for each rank, [`CollectiveError::WrongSum`] if this rank
    /// has a slice for itself that is not as long as it expects.
    pub fn iall_to_all_v<T: Element>(
        &self,
        outgoing: &[&[T]],
        expected: &[usize],
    ) -> Result<CollectiveRequest<Gathered<T>, N>> {
        let (rank, size, kind) = (self.rank(), self.size(), Kind::IallToAllV);
        check_counts(kind, (rank, size), outgoing, expected)?;
        outgoing.iter().try_for_each(|part| self.check_one_message::<T>(part.len()))?;
        let call = Call::uncounted::<T, N>(self, kind, 0)?;
        let parts =
            self.gathered(outgoing[rank], Counts::Listed(expected.to_vec()), (size, rank == 0))?;
        CollectiveRequest::start(self, call, parts, (0, size), |posting, _| {
            posting.post_parts(outgoing)
        })
    }

    /// Gives each rank `r` the slice `outgoing[r]` of this rank, and returns at once. Only the
    /// senders know how much they send. The blocking form is
    /// [`exchange_parts`](Comm::exchange_parts).
    ///
    /// Every rank sends one message to each other rank, even if it has no data for it: that is
    /// `size * (size - 1)` messages in all.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let mine = [1 + world.rank()];
    ///     let outgoing: [&[usize]; 2] = [&mine, &[]]; // all for rank 0
    ///     let parts = world.iexchange(&outgoing)?.wait()?;
    ///     assert_eq!(parts.data(), [vec![1, 2], vec![]][world.rank()]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast); [`CollectiveError::WrongCount`] if there is not one
    /// slice for each rank.
    pub fn iexchange<T: Element>(
        &self,
        outgoing: &[&[T]],
    ) -> Result<CollectiveRequest<Gathered<T>, N>> {
        let (rank, size, kind) = (self.rank(), self.size(), Kind::Iexchange);
        if outgoing.len() != size {
            return Err(CollectiveError::wrong_count(kind, "outgoing", outgoing.len(), size));
        }
        outgoing.iter().try_for_each(|part| self.check_one_message::<T>(part.len()))?;
        let call = Call::uncounted::<T, N>(self, kind, 0)?;
        let parts = self.gathered(outgoing[rank], Counts::Unknown, (size, rank == 0))?;
        CollectiveRequest::start(self, call, parts, (0, size), |posting, _| {
            posting.post_parts(outgoing)
        })
    }

    /// What is to be gathered of so many ranks. This one gives `own`, and is the first of them or waits for its turn.
    fn gathered<T: Element>(
        &self,
        own: &[T],
        counts: Counts,
        (ranks, is_first): (usize, bool),
    ) -> Result<Gathered<T>> {
        let together = counts.together(own.len(), ranks);
        let before = if is_first { 0 } else { counts.before(self.rank(), own.len()) };
        let own = match Ahead::new(own, before, together) {
            Some(ahead) => Own::Ahead(ahead),
            // No memory for all, which others may not have.
            None => self.own(own, is_first.then_some(own.len()))?,
        };
        Ok(Gathered::new(own, counts, (ranks, together)))
    }
}
