//! Blocks of an exchange that would go at once, offered: each receiver reads its block where it lies, if the sender has a core to
//! itself. That spares the copy into shared memory.
//!
//! Keeps rules COL-4, COL-5, COL-10 and SAFE-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! Whether a block may be offered follows from its length, so each rank that has a place for it reckons with that. Who offers decides
//! for itself, and for each receiver. A rank leaves the call, also by an error, only when it has withdrawn what was not read and has
//! posted copies of that. So it is waited for by nobody from then on. Before it waits for a block that it could not read it does the
//! same: others may have missed its own, and no ring of ranks waits.

use std::ops::Range;

use smallvec::SmallVec;
use zerocopy::IntoBytes;

use super::any_source::{OFFERS, offered_in};
use super::blocks::SendBlocks;
use super::call::Call;
use super::edge::{PostedSends, serve_all};
use super::offers::Offers;
use super::pieces::Piece;
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::message::MemberSet;
use crate::order::Rank;
use crate::sys::copy::copy_bytes;
use crate::verbs::{Nic, RemoteBuffer};

/// What a rank has for the others in such a call.
struct Outgoing<'a, T, N: Nic> {
    blocks: SendBlocks<'a, T>,
    offers: Offers<N>,
    posted: PostedSends,
}

impl<N: Nic> Comm<N> {
    /// Gives each rank its block, the longest of which has so many bytes, and collects those of all ranks, each in its place in
    /// `room`. This rank's own is not there yet.
    pub(super) fn collect_offered<T: Element>(
        &self,
        call: &Call,
        blocks: SendBlocks<'_, T>,
        bytes: usize,
        room: &mut [T],
        place: impl Fn(Rank) -> Range<usize>,
    ) -> Result<()> {
        let offers = Offers::before_copies();
        let mut outgoing = Outgoing { blocks, offers, posted: PostedSends::default() };
        let collected = self.give_and_collect(call, &mut outgoing, bytes, room, place);
        let accepted = collected.and_then(|()| outgoing.offers.wait_accepted(self));
        let withdrawn = self.copy_instead(call, &mut outgoing);
        accepted.and(withdrawn)?;
        self.see_off(outgoing.posted)?;
        self.finish_in(call)
    }

    fn give_and_collect<T: Element>(
        &self,
        call: &Call,
        outgoing: &mut Outgoing<'_, T, N>,
        bytes: usize,
        room: &mut [T],
        place: impl Fn(Rank) -> Range<usize>,
    ) -> Result<()> {
        let (rank, size, blocks) = (self.rank(), self.size(), outgoing.blocks);
        match self.should_offer(bytes, blocks.readers(size))? {
            true => serve_all((rank + 1..size).chain(0..rank), |to| {
                match outgoing.offers.try_offer(self, call, to, blocks.part(to, size))? {
                    true => Ok(()),
                    false => self.post_offered(call, to, outgoing, true),
                }
            })?,
            false => self.post_to_all(call, blocks, &mut outgoing.posted)?,
        }
        copy(blocks.part(rank, size), &mut room[place(rank)]);
        // Those first that have sent to this rank first.
        for distance in 1..size {
            let from_at = |distance: usize| (rank + size - distance) % size;
            let from = from_at(distance);
            self.recv_block(call, from, &mut room[place(from)], outgoing)
                .map_err(|error| self.most_telling(call, (distance..size).map(from_at), error))?;
        }
        Ok(())
    }

    /// Withdraws what is offered and was not read, and posts copies of it.
    fn copy_instead<T: Element>(
        &self,
        call: &Call,
        outgoing: &mut Outgoing<'_, T, N>,
    ) -> Result<()> {
        let mut withdrawn: SmallVec<[Rank; 4]> = SmallVec::new();
        outgoing.offers.withdraw(|to| withdrawn.push(to));
        // The call's word went with the offer.
        serve_all(withdrawn.into_iter(), |to| self.post_offered(call, to, outgoing, false))
    }

    /// Posts a copy of a block, with the call's word before it or not.
    fn post_offered<T: Element>(
        &self,
        call: &Call,
        to: Rank,
        outgoing: &mut Outgoing<'_, T, N>,
        begins: bool,
    ) -> Result<()> {
        let part = outgoing.blocks.part(to, self.size());
        let mut pieces = self.pieces_in::<T>(call, part.len(), false);
        if !begins {
            pieces.next();
        }
        pieces.try_for_each(|piece| self.post_in(call, to, part, &piece, &mut outgoing.posted))
    }

    /// Receives a block from `from`, which may offer it.
    fn recv_block<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        block: &mut [T],
        outgoing: &mut Outgoing<'_, T, N>,
    ) -> Result<()> {
        let mut pieces = self.pieces_in::<T>(call, block.len(), false);
        let Some(first) = pieces.next() else { return Ok(()) };
        if let Some(buffer) = self.recv_or_learn(call, from, block, &first)? {
            if self.accept_in(from, buffer, block)? {
                return Ok(());
            }
            self.copy_instead(call, outgoing)?;
        }
        self.recv_whole(call, from, block, pieces)
    }

    /// Receives the first piece of a block from `from`, or learns where that one offers the block.
    fn recv_or_learn<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        block: &mut [T],
        first: &Piece,
    ) -> Result<Option<RemoteBuffer>> {
        let bytes = size_of_val(block);
        let room = &mut block[first.range.clone()];
        self.take_marked(call, from, MemberSet::NONE, |marks, message| {
            let behind = call.check_word(from, message, Some(bytes))?.1;
            match marks & OFFERS {
                0 if behind.len() == size_of_val(room) => {
                    copy_bytes(behind, room.as_mut_bytes());
                    Ok(None)
                }
                0 => Err(call.wrong_piece(from, behind.len(), size_of_val(room))),
                _ => offered_in(call, from, bytes as u64, behind).map(Some),
            }
        })
    }
}
