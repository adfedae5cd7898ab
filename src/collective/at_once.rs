//! The exchange between all ranks of what travels at once: each rank posts one message to each
//! other, and receives theirs in turn, by name. That is the shortest way of a message.
//!
//! [`Direct`](super::direct) is for longer data. To a receiver both are the same messages.
//!
//! What is short it deposits, where it may. What is longer it [offers](super::offered), where that is faster.
//!
//! Keeps rules COL-1, COL-5, COL-7 and COL-9 of SEMANTICS.md.

use std::ops::Range;

use zerocopy::IntoBytes;

use super::blocks::{RecvBlocks, SendBlocks};
use super::call::Call;
use super::combine::{combine_both, combine_from_lower, combine_into};
use super::direct::Direct;
use super::edge::{Lack, PostedSends, serve_all};
use super::parts::{EqualParts, Parts};
use super::pieces::Piece;
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{MemberSet, MessageError};
use crate::order::Rank;
use crate::sys::copy::append_elements;
use crate::verbs::Nic;

/// A rank copies up to this part of its heap in one exchange: there is room for the next ones.
pub(super) const COPIED_SHARE: usize = 8;

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
        let size = self.size();
        let count = room.len() / size;
        let longest = (0..size).map(|to| outgoing.part(to, size).len()).fold(count, usize::max);
        let place = |from| from * count..(from + 1) * count;
        let bytes = longest.saturating_mul(size_of::<T>());
        let call = call.deposited_if(self.is_small(call.kind, bytes));
        if !self.goes_at_once::<T>(longest) {
            let incoming = RecvBlocks::Equal(count);
            copy(outgoing.part(self.rank(), size), &mut room[place(self.rank())]);
            let direct = Direct::known(self, call, outgoing, incoming);
            return direct.collect_in(&mut EqualParts { room, count });
        }
        if self.may_offer(bytes) {
            return self.collect_offered(&call, outgoing, bytes, room, place);
        }
        let mut posted = PostedSends::default();
        self.post_to_all(&call, outgoing, &mut posted)?;
        copy(outgoing.part(self.rank(), size), &mut room[place(self.rank())]);
        self.collect_at_once(&call, posted, room, place)
    }

    /// The other half of a call in which this rank has posted what [goes at once](Comm::goes_at_once):
    /// collects the data of the others. Those of each rank have a place in `room`, so this rank knows
    /// how many there are. Its own are there.
    pub(super) fn collect_at_once<T: Element>(
        &self,
        call: &Call,
        posted: PostedSends,
        room: &mut [T],
        place: impl Fn(Rank) -> Range<usize>,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        // Those first that have sent to this rank first.
        if call.is_deposited {
            let others = (1..size).map(|distance| (rank + size - distance) % size);
            self.read_each(call, others, room, place)?;
            return self.see_off(posted);
        }
        for distance in 1..size {
            let from = (rank + size - distance) % size;
            let block = &mut room[place(from)];
            let pieces = self.pieces_in::<T>(call, block.len(), false);
            let left = (distance..size).map(|distance| (rank + size - distance) % size);
            self.recv_whole(call, from, block, pieces)
                .map_err(|error| self.most_telling(call, left, error))?;
        }
        self.see_off(posted)?;
        self.finish_in(call)
    }

    /// The other half of a call in which this rank has posted what [goes at once](Comm::goes_at_once):
    /// combines those parts that all ranks have for this one, each as long as `result`, in the order of
    /// ranks. Its own is `own`, or stands in `result`. (The first two ranks copy nothing for that.)
    pub(super) fn combine_at_once<T: Element>(
        &self,
        call: &Call,
        posted: PostedSends,
        own: Option<&[T]>,
        result: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        for piece in self.pieces_in::<T>(call, result.len(), false) {
            let range = piece.range.clone();
            match own {
                Some(own) => {
                    self.combine_piece(call, Some(&own[range]), result, &piece, combine)?
                }
                None if self.rank() < 2 => {
                    self.combine_piece(call, None, result, &piece, combine)?
                }
                // What has come of lower ranks takes its place, one piece at a time.
                None => self.collectives.scratch.with_room(range.len(), |own| {
                    copy(&result[range], own);
                    self.combine_piece(call, Some(own), result, &piece, combine)
                })?,
            }
        }
        self.see_off(posted)
    }

    /// Combines one piece of the parts of all ranks in its place in `result`. That of this rank is
    /// `own`; of the first two ranks it may stand there.
    fn combine_piece<T: Element>(
        &self,
        call: &Call,
        own: Option<&[T]>,
        result: &mut [T],
        piece: &Piece,
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let explained = |from, error| {
            let left = (from..size).filter(|&left| left != rank);
            self.most_telling(call, left, error)
        };
        let place = || piece.range.clone();
        match (rank, own) {
            (0, _) if size == 1 => own.into_iter().for_each(|own| copy(own, &mut result[place()])),
            (0 | 1, _) => self
                .recv_and(call, 1 - rank, result, piece, |result, theirs| match (rank, own) {
                    (0, Some(own)) => combine_both(result, own, theirs, combine),
                    (_, Some(own)) => combine_both(result, theirs, own, combine),
                    (0, None) => combine_into(result, theirs, combine),
                    (_, None) => combine_from_lower(result, theirs, combine),
                })
                .map_err(|error| explained(0, error))?,
            _ => {
                self.recv_in(call, 0, result, piece).map_err(|error| explained(0, error))?;
                self.recv_and_combine(call, 1, result, piece, combine)
                    .map_err(|error| explained(1, error))?;
            }
        }
        for from in 2..size {
            match own {
                Some(own) if from == rank => combine_into(&mut result[place()], own, combine),
                _ => self
                    .recv_and_combine(call, from, result, piece, combine)
                    .map_err(|error| explained(from, error))?,
            }
        }
        Ok(())
    }

    /// Sends `data`, which travel at once, to each rank, and collects the data of all ranks, of any
    /// length. (They are not offered: who has given another length has no place for them.)
    pub(super) fn collect_parts<T: Element>(&self, call: Call, data: &[T]) -> Result<Parts<T>> {
        let (rank, size) = (self.rank(), self.size());
        let mut posted = PostedSends::default();
        self.post_to_all(&call, SendBlocks::Same(data), &mut posted)?;
        // From a rank that calls the other form, and gives as much.
        let bytes = size_of_val(data);
        let offered = self.may_offer(bytes).then_some(bytes as u64);
        // Mostly they are as long as its own.
        let mut parts = Parts::guessed(size, data.len());
        for from in 0..size {
            let left = (from..size).filter(|&left| left != rank);
            parts.push_with(|all| match from == rank {
                true => {
                    append_elements(data.as_bytes(), all);
                    Ok(())
                }
                false => self
                    .recv_unknown(&call, from, (self.others_from(from), offered), all)
                    .map_err(|error| self.most_telling(&call, left, error)),
            })?;
        }
        self.see_off(posted)?;
        self.finish_in(&call)?;
        Ok(parts)
    }

    /// Deposits what is the same for all, if it may. Else posts one message to each other rank: while
    /// one has no room for it, this rank goes on receiving.
    #[inline]
    pub(super) fn post_to_all<T: Element>(
        &self,
        call: &Call,
        outgoing: SendBlocks<'_, T>,
        posted: &mut PostedSends,
    ) -> Result<()> {
        match self.deposit_in(call, outgoing, self.all_readers())? {
            true => Ok(()),
            false => self.post_messages_to_all(call, outgoing, posted),
        }
    }

    /// As [`post_to_all`](Comm::post_to_all), where the rank does not deposit.
    #[inline(never)]
    fn post_messages_to_all<T: Element>(
        &self,
        call: &Call,
        outgoing: SendBlocks<'_, T>,
        posted: &mut PostedSends,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let others = || (rank + 1..size).chain(0..rank);
        if let SendBlocks::Same(data) = outgoing {
            let mut unserved = Ok(());
            for piece in self.pieces_in::<T>(call, data.len(), false) {
                self.post_to_each(call, others(), data, &piece, posted, &mut unserved)?;
            }
            return unserved;
        }
        serve_all(others(), |to| {
            let part = outgoing.part(to, size);
            let mut pieces = self.pieces_in::<T>(call, part.len(), false);
            pieces.try_for_each(|piece| self.post_in(call, to, part, &piece, posted))
        })
    }

    /// Whether a rank posts all of what it has for the others before it receives, where it has up to
    /// `longest` elements for each. It is short then, or each receiver finds a copy of its own.
    pub(super) fn goes_at_once<T: Element>(&self, longest: usize) -> bool {
        let bytes = longest.saturating_mul(size_of::<T>()).saturating_mul(self.size());
        self.pieces::<T>(longest, false).is_small()
            || self.copies_payloads() && bytes <= self.sizes().heap_bytes / COPIED_SHARE
    }

    /// The error to return where a receive has failed with `error`, and the ranks `left` still have
    /// something to send. A rank that has failed may have done so because another was lost.
    pub(super) fn most_telling(
        &self,
        call: &Call,
        left: impl Iterator<Item = Rank>,
        error: Error,
    ) -> Error {
        match error {
            Error::Message(MessageError::PeerEnded { .. }) => {
                let lacking: Vec<_> = left.map(|rank| (rank, Lack::FromThis)).collect();
                self.most_telling_of(call, &lacking, error)
            }
            error => error,
        }
    }

    /// As [`most_telling`](Comm::most_telling), where a rank has ended.
    #[cold]
    fn most_telling_of(&self, call: &Call, lacking: &[(Rank, Lack)], error: Error) -> Error {
        let deposits = lacking.iter().map(|&(rank, _)| rank);
        let deposits = deposits.fold(MemberSet::NONE, MemberSet::with);
        // It does not wait: one of them has ended.
        match self.wait_for_piece(call, lacking, &[], deposits, &[]) {
            // Another thread has the engine just now.
            Ok(_) | Err(Error::Busy) => error,
            Err(telling) => telling,
        }
    }
}
