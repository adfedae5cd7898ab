//! A reduction whose result all ranks get.
//!
//! Keeps rules COL-1, COL-3, COL-5 and COL-7 of SEMANTICS.md.

use super::blocks::{RecvBlocks, SendBlocks, share};
use super::call::Call;
use super::combine::{combine_from_lower, combine_into};
use super::direct::Direct;
use super::edge::PostedSends;
use super::parts::place;
use super::pieces::Pieces;
use super::tree::EACH_READS_RANKS;
use super::{CollectiveError, Kind, Tree};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::verbs::Nic;

/// From this many bytes on, a flat tree gives each rank a share to combine, where not [each combines
/// all](Comm::each_combines) or ranks [give](Comm::gives) each other all. Below, rank 0 combines all.
///
/// Measured with 2 cores, in times of reduction and broadcast by rank 0: at 8 ranks 0.5 with 32
/// KiB, 0.75 with 128 and 512 KiB, 0.5 with 2 MiB; at 4 ranks 1.2, 1.4, 0.5 and 1.05.
pub(super) const SHARED_BYTES: usize = 32 << 10;

impl<N: Nic> Comm<N> {
    /// Combines the `data` of all ranks, element by element. All ranks get the result (MPI:
    /// allreduce). All must give a slice of the same length.
    ///
    /// The data are reduced to rank 0 in the tree, combined in the order stated at
    /// [`Comm::reduce`], and broadcast from it in the same tree. With [`Tree::Flat`] that order is
    /// that of ranks, `((x0 + x1) + x2) + ...`. On one host up to 16 ranks give each other all their
    /// data, and up to 64 what each may copy at once. Of two, each combines all. Of more, each
    /// combines a share, and what is left of those that do not run. Elsewhere two ranks send each
    /// other what travels at once, and combine it themselves. More ranks combine a share of the
    /// elements each from 32 KiB on, and give the result to all others. The result is the same bits
    /// at all ranks, and in every run.
    ///
    /// [`all_reduce_into`](Comm::all_reduce_into) and
    /// [`all_reduce_in_place`](Comm::all_reduce_in_place) write into memory of the program.
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
    /// [`CollectiveError::Mismatch`] naming a rank that called something else, or with another
    /// tree, length, element size or named function; [`crate::Error::Message`] if a rank that this
    /// one needs has ended.
    pub fn all_reduce<T: Element>(
        &self,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>> {
        let mut total = data.to_vec();
        self.all_reduce_in_place(&mut total, combine)?;
        Ok(total)
    }

    /// As [`all_reduce`](Comm::all_reduce), into `result`, which is as long as `data`.
    ///
    /// ```
    /// use runahead::ops;
    ///
    /// runahead::launch(3, |world| {
    ///     let (mine, mut sums) = ([1.0, world.rank() as f64], [0.0; 2]);
    ///     world.all_reduce_into(&mine, &mut sums, ops::sum)?;
    ///     assert_eq!(sums, [3.0, 3.0]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`all_reduce`](Comm::all_reduce): `result` may have a part of the result then.
    /// [`CollectiveError::WrongLength`] if `result` is not as long as `data`: nothing was done.
    pub fn all_reduce_into<T: Element>(
        &self,
        data: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        CollectiveError::check_length(Kind::AllReduce, "result", result.len(), data.len())?;
        self.all_reduce_of(Some(data), result, combine)
    }

    /// As [`all_reduce`](Comm::all_reduce), with the result in place of the `data` (MPI:
    /// MPI_IN_PLACE).
    ///
    /// ```
    /// use runahead::ops;
    ///
    /// runahead::launch(3, |world| {
    ///     let mut steps = [world.rank() as u32];
    ///     world.all_reduce_in_place(&mut steps, ops::max)?;
    ///     assert_eq!(steps, [2]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`all_reduce`](Comm::all_reduce): `data` may have a part of the result then.
    pub fn all_reduce_in_place<T: Element>(
        &self,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        self.all_reduce_of(None, data, combine)
    }

    /// What this rank has is `given`, or stands in `result`.
    fn all_reduce_of<T: Element>(
        &self,
        given: Option<&[T]>,
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let bytes = size_of_val(result);
        let call = Call::new::<T, N>(self, Kind::AllReduce, 0, Some(bytes))?;
        let call = call.with_operator(self, &combine);
        let is_flat = call.tree == Tree::Flat;
        let begin = |result: &mut [T]| {
            if let Some(given) = given {
                copy(given, result);
            }
        };
        if is_flat && self.deposits(call.kind, bytes) {
            begin(result);
            return self.all_reduce_small(&call, result, combine);
        }
        // These copy no more of it than they need.
        if is_flat && self.combines_in_shares(bytes) {
            return self.all_reduce_in_shares(call, given, result, combine);
        }
        if is_flat && self.each_combines(bytes) {
            let mut posted = PostedSends::default();
            self.post_to_all(&call, SendBlocks::Same(given.unwrap_or(result)), &mut posted)?;
            return self.combine_at_once(&call, posted, given, result, &combine);
        }
        if is_flat && self.gives(bytes) {
            let call = self.deposited_whole(call);
            return self.all_reduce_with_help(&call, given, (result, bytes), combine);
        }
        if is_flat && let Some(part_bytes) = self.given_part_bytes(bytes) {
            return self.all_reduce_in_parts(&call, given, result, part_bytes, combine);
        }
        begin(result);
        let pieces = self.pieces_in::<T>(&call, result.len(), true);
        match self.size() == 2 && pieces.is_small() {
            true => self.all_reduce_of_two(&call, result, pieces, combine),
            false => self.all_reduce_in_tree(&call, result, pieces, combine),
        }
    }

    /// Whether each rank combines so many bytes of all ranks itself, if the tree is flat. All members say the same.
    ///
    /// Two ranks do so with all that goes at once. In times of a share of each, with 2 cores: 0.54 with 8 KiB, 0.60 with 16, 0.79
    /// with 32, 0.93 with 64, 0.84 with 256, 1.04 with 1 MiB and 1.11 with 4. In shares each waits for the other to combine.
    pub(super) fn each_combines(&self, bytes: usize) -> bool {
        self.copies_payloads()
            && match self.size() {
                2 => self.goes_at_once::<u8>(bytes),
                size => size <= EACH_READS_RANKS && bytes <= self.eager_bytes(),
            }
    }

    /// Whether each rank combines a share of so many bytes for all, if the tree is flat.
    pub(super) fn combines_in_shares(&self, bytes: usize) -> bool {
        bytes >= SHARED_BYTES
            && !self.each_combines(bytes)
            && !self.gives(bytes)
            && self.given_part_bytes(bytes).is_none()
    }

    /// Two ranks exchange their data, and each combines them, in the order of ranks. Every tree of
    /// two ranks has this order.
    ///
    /// That takes one message's time. By way of rank 0 it takes two.
    fn all_reduce_of_two<T: Element>(
        &self,
        call: &Call,
        data: &mut [T],
        mut pieces: Pieces,
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let other = 1 - self.rank();
        let mut posted = PostedSends::default();
        // Posted, not sent: a rank whose window is full goes on receiving.
        let mut to_post = pieces.clone();
        to_post.try_for_each(|piece| self.post_in(call, other, data, &piece, &mut posted))?;
        let is_first = other == 1;
        pieces.try_for_each(|piece| {
            self.recv_and(call, other, data, &piece, |data, theirs| match is_first {
                true => combine_into(data, theirs, &combine),
                false => combine_from_lower(data, theirs, &combine),
            })
        })?;
        self.see_off(posted)
    }

    fn all_reduce_in_tree<T: Element>(
        &self,
        call: &Call,
        data: &mut [T],
        pieces: Pieces,
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let parent = self.parent_in(call);
        let children = || self.children_in(call);
        let (mut posted, mut unserved) = (PostedSends::default(), Ok(()));
        for piece in pieces.clone() {
            for child in children() {
                self.recv_and_combine(call, child, data, &piece, &combine)?;
            }
            match parent {
                Some(parent) => self.post_in(call, parent, data, &piece, &mut posted)?,
                // The root sends down finished parts of the result while the rest still arrives.
                None => {
                    self.post_to_each(call, children(), data, &piece, &mut posted, &mut unserved)?
                }
            }
        }
        if let Some(parent) = parent {
            for piece in pieces {
                self.recv_in(call, parent, data, &piece)?;
                self.post_to_each(call, children(), data, &piece, &mut posted, &mut unserved)?;
            }
        }
        self.see_off(posted)?;
        unserved
    }

    /// Each rank combines a share of the elements, and gives the result to all others. What this rank has is `given`, or stands
    /// in `result`.
    fn all_reduce_in_shares<T: Element>(
        &self,
        call: Call,
        given: Option<&[T]>,
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (count, size) = (result.len(), self.size());
        let own = share(count, size, self.rank());
        let bytes = Some(size_of_val(result));
        let second = || Call::new::<T, N>(self, Kind::AllReduce, 0, bytes);
        // What is posted is copied, so the result may take its place.
        if self.goes_at_once::<T>(share(count, size, 0).len()) {
            let mut posted = PostedSends::default();
            self.post_to_all(&call, SendBlocks::Shares(given.unwrap_or(result)), &mut posted)?;
            let mine = given.map(|given| &given[own.clone()]);
            self.combine_at_once(&call, posted, mine, &mut result[own.clone()], &combine)?;
            let call = second()?;
            let mut posted = PostedSends::default();
            self.post_to_all(&call, SendBlocks::Same(&result[own]), &mut posted)?;
            return self.collect_at_once(&call, posted, result, |from| share(count, size, from));
        }
        self.collectives.scratch.with_room(own.len(), |mine| {
            let outgoing = SendBlocks::Shares(given.unwrap_or(result));
            self.combine_shares(call, outgoing, mine, &combine)?;
            copy(mine, &mut result[own]);
            let incoming = RecvBlocks::Shares(count, size);
            let direct = Direct::known(self, second()?, SendBlocks::Same(mine), incoming);
            direct.run(|from, left, bytes| {
                let at = share(count, size, from).end - left as usize;
                place(result, at, bytes);
            })
        })
    }
}
