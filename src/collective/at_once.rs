//! The exchange between all ranks of what travels at once: each rank posts one message to each
//! other, and receives theirs in turn, by name. That is the shortest way of a message.
//!
//! [`Direct`](super::direct) is for longer data. To a receiver both are the same messages.
//!
//! What is short and the same for all it deposits, where it may.
//!
//! Keeps rules COL-1, COL-5, COL-7 and COL-9 of SEMANTICS.md.

use super::blocks::{RecvBlocks, SendBlocks};
use super::call::Call;
use super::direct::Direct;
use super::edge::{Lack, PostedSends, serve_all};
use super::parts::Parts;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{MemberSet, MessageError};
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Sends its part to each rank, and collects the data of all ranks, of which each has as many
    /// elements for this one: concatenated in rank order, with this rank's own part. They fill
    /// `room`.
    pub(super) fn collect_blocks<T: Element>(
        &self,
        call: Call,
        outgoing: SendBlocks<'_, T>,
        room: &mut [T],
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let count = room.len() / size;
        let longest = (0..size).map(|to| outgoing.part(to, size).len()).fold(count, usize::max);
        if !self.pieces::<T>(longest, false).is_small() {
            let incoming = RecvBlocks::Equal(count);
            return Direct::known(self, call, outgoing, incoming).collect_into(room);
        }
        let posted = self.post_to_all(&call, outgoing)?;
        room[rank * count..][..count].copy_from_slice(outgoing.part(rank, size));
        let pieces = self.pieces::<T>(count, false);
        // Those first that have sent to this rank first.
        for distance in 1..size {
            let from = (rank + size - distance) % size;
            let block = &mut room[from * count..][..count];
            let left = (distance..size).map(|distance| (rank + size - distance) % size);
            self.recv_whole(&call, from, block, pieces.clone())
                .map_err(|error| self.most_telling(&call, left, error))?;
        }
        self.see_off(posted)?;
        self.finish_in(&call)
    }

    /// Sends `data`, which travel at once, to each rank, and collects the data of all ranks, of any
    /// length.
    pub(super) fn collect_parts<T: Element>(&self, call: Call, data: &[T]) -> Result<Parts<T>> {
        let (rank, size) = (self.rank(), self.size());
        let posted = self.post_to_all(&call, SendBlocks::Same(data))?;
        // Mostly they are as long as its own.
        let mut parts = Parts::with_capacity(size, data.len().saturating_mul(size));
        for from in 0..size {
            let left = (from..size).filter(|&left| left != rank);
            parts.push_with(|all| match from == rank {
                true => {
                    all.extend_from_slice(data);
                    Ok(())
                }
                false => self
                    .recv_unknown(&call, from, self.others_from(from), all)
                    .map_err(|error| self.most_telling(&call, left, error)),
            })?;
        }
        self.see_off(posted)?;
        self.finish_in(&call)?;
        Ok(parts)
    }

    /// Deposits what is the same for all, if it may. Else posts one message to each other rank: while
    /// one has no room for it, this rank goes on receiving.
    pub(super) fn post_to_all<T: Element>(
        &self,
        call: &Call,
        outgoing: SendBlocks<'_, T>,
    ) -> Result<PostedSends> {
        let (rank, size) = (self.rank(), self.size());
        let mut posted = PostedSends::default();
        if let SendBlocks::Same(data) = outgoing
            && self.deposit_in(call, data)?
        {
            return Ok(posted);
        }
        serve_all((rank + 1..size).chain(0..rank), |to| {
            let part = outgoing.part(to, size);
            let mut pieces = self.pieces::<T>(part.len(), false);
            pieces.try_for_each(|piece| self.post_in(call, to, part, &piece, &mut posted))
        })?;
        Ok(posted)
    }

    /// The error to return where a receive has failed with `error`, and the ranks `left` still have
    /// something to send. A rank that has failed may have done so because another was lost.
    fn most_telling(
        &self,
        call: &Call,
        left: impl Iterator<Item = Rank> + Clone,
        error: Error,
    ) -> Error {
        let Error::Message(MessageError::PeerEnded { .. }) = error else { return error };
        let deposits = left.clone().fold(MemberSet::NONE, MemberSet::with);
        let lacking = left.map(|rank| (rank, Lack::FromThis));
        // It does not wait: one of them has ended.
        self.wait_for_piece(call, lacking, std::iter::empty(), deposits, &[]).err().unwrap_or(error)
    }
}
