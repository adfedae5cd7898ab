//! Blocks of an exchange that would go at once, offered: each receiver reads its block where it lies. That spares the copy into
//! shared memory.
//!
//! Keeps rules COL-4, COL-5, COL-10, FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! Whether a block may be offered follows from its length, so each rank that has a place for it reckons with that. Who offers decides
//! for itself, and for each receiver. A rank leaves the call, also by an error, only when it has withdrawn what was not read and has
//! posted copies of that. So nobody waits for it from then on, unless its world is broken. Before it waits for a block that it could
//! not read it does the same: others may have missed its own, and no ring of ranks waits.

use std::ops::Range;

use smallvec::SmallVec;
use zerocopy::IntoBytes;

use super::any_source::{OFFERS, offered_in};
use super::blocks::SendBlocks;
use super::call::Call;
use super::edge::{PostedSends, put_off};
use super::offers::Offers;
use super::pieces::Piece;
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::MemberSet;
use crate::order::Rank;
use crate::sys::copy::copy_bytes;
use crate::sys::thread;
use crate::sys::time::Instant;
use crate::verbs::{Nic, RemoteBuffer};

/// How a block begins.
enum Begin {
    /// All of it is there.
    Whole,
    /// Its first piece is.
    Piece,
    /// It is offered.
    Offer(RemoteBuffer),
}

/// What a rank has for the others in such a call.
struct Outgoing<'a, T, N: Nic> {
    blocks: SendBlocks<'a, T>,
    offers: Offers<N>,
    posted: PostedSends,
    /// The first failure to serve a rank that has gone. It is returned when all is done for the others.
    unserved: Result<()>,
}

/// Calls until no other thread of the rank is in a call. Nothing is done by a call that is refused for that.
fn when_free<R>(mut call: impl FnMut() -> Result<R>) -> Result<R> {
    loop {
        match call() {
            Err(Error::Busy) => thread::yield_now(),
            done => return done,
        }
    }
}

impl<N: Nic> Comm<N> {
    /// Gives each rank its block, all of which have so many bytes, and collects those of all ranks, each in its place in
    /// `room`. This rank's own is not there yet.
    pub(super) fn collect_offered<T: Element>(
        &self,
        call: &Call,
        blocks: SendBlocks<'_, T>,
        bytes: usize,
        room: &mut [T],
        place: impl Fn(Rank) -> Range<usize>,
    ) -> Result<()> {
        let offers = Offers::before_copies(matches!(blocks, SendBlocks::Same(_)));
        let (posted, unserved) = (PostedSends::default(), Ok(()));
        let mut outgoing = Outgoing { blocks, offers, posted, unserved };
        // All count the call, also one that does not offer.
        let (is_better, trial) = self.collectives.block_ways.borrow_mut().begin_call(bytes);
        let can_offer = self.can_offer()?;
        let trial = trial.filter(|_| can_offer).zip(Some(Instant::now()));
        let offers = is_better && can_offer;
        let collected = self.give_and_collect(call, &mut outgoing, (offers, bytes), room, place);
        let accepted = collected.and_then(|()| outgoing.offers.wait_accepted(self));
        let withdrawn = self.copy_instead(call, &mut outgoing);
        accepted.and(withdrawn).and(outgoing.unserved)?;
        self.see_off(outgoing.posted)?;
        if let Some((trial, began)) = trial {
            let took = Instant::now().saturating_since(began);
            self.collectives.block_ways.borrow_mut().handle_tried(trial, took);
        }
        self.finish_in(call)
    }

    fn give_and_collect<T: Element>(
        &self,
        call: &Call,
        outgoing: &mut Outgoing<'_, T, N>,
        (offers, bytes): (bool, usize),
        room: &mut [T],
        place: impl Fn(Rank) -> Range<usize>,
    ) -> Result<()> {
        let (rank, size, blocks) = (self.rank(), self.size(), outgoing.blocks);
        match offers {
            true => {
                let mut refused: SmallVec<[Rank; 4]> = SmallVec::new();
                for to in (rank + 1..size).chain(0..rank) {
                    let part = blocks.part(to, size);
                    debug_assert_eq!(size_of_val(part), bytes, "such blocks are of one length");
                    let offered = outgoing.offers.try_offer(self, call, to, part);
                    let offered = offered.map(|is_offered| {
                        if !is_offered {
                            refused.push(to);
                        }
                    });
                    put_off(offered, &mut outgoing.unserved)?;
                }
                self.post_copies(call, &refused, outgoing, true)?;
            }
            false => self.post_to_all(call, blocks, &mut outgoing.posted)?,
        }
        copy(blocks.part(rank, size), &mut room[place(rank)]);
        // Those first that have sent to this rank first.
        for distance in 1..size {
            let from_at = |distance: usize| (rank + size - distance) % size;
            let from = from_at(distance);
            let block = &mut room[place(from)];
            let left = || (distance..size).map(from_at);
            let mut pieces = self.pieces_in::<T>(call, block.len(), false);
            let Some(first) = pieces.next() else { continue };
            let begin = self
                .recv_or_learn(call, from, block, &first)
                .map_err(|error| self.most_telling(call, left(), error))?;
            match begin {
                Begin::Whole => continue,
                Begin::Piece => {}
                Begin::Offer(buffer) => {
                    if self.accept_in(from, buffer, block)? {
                        continue;
                    }
                    self.copy_instead(call, outgoing)?;
                }
            }
            self.recv_whole(call, from, block, pieces)
                .map_err(|error| self.most_telling(call, left(), error))?;
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
        self.post_copies(call, &withdrawn, outgoing, false)
    }

    /// Posts copies of the blocks of these ranks, with the call's word before each or not. One that has gone is passed over.
    fn post_copies<T: Element>(
        &self,
        call: &Call,
        to: &[Rank],
        outgoing: &mut Outgoing<'_, T, N>,
        with_word: bool,
    ) -> Result<()> {
        let Outgoing { blocks, posted, unserved, .. } = outgoing;
        let pieces = |part: &[T]| {
            let pieces = self.pieces_in::<T>(call, part.len(), false);
            pieces.filter(move |piece| with_word || !piece.begins)
        };
        if let (SendBlocks::Same(part), [_, ..]) = (&*blocks, to) {
            return pieces(part).try_for_each(|piece| {
                let to = || to.iter().copied();
                when_free(|| self.post_to_each(call, to(), part, &piece, posted, unserved))
            });
        }
        to.iter().try_for_each(|&to| {
            let part = blocks.part(to, self.size());
            let sent = pieces(part)
                .try_for_each(|piece| when_free(|| self.post_in(call, to, part, &piece, posted)));
            put_off(sent, unserved).map(drop)
        })
    }

    /// Receives the first piece of a block from `from`, or all of it, or learns where that one offers it.
    fn recv_or_learn<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        block: &mut [T],
        first: &Piece,
    ) -> Result<Begin> {
        self.take_marked(call, from, MemberSet::NONE, |marks, message| {
            if marks & OFFERS != 0 {
                let bytes = size_of_val(block);
                let behind = call.check_word(from, message, Some(bytes))?.1;
                return offered_in(call, from, bytes as u64, behind).map(Begin::Offer);
            }
            let (is_whole, behind) = self.behind_word::<T>(call, from, message, block.len())?;
            let room = if is_whole { &mut *block } else { &mut block[first.range.clone()] };
            copy_bytes(behind, room.as_mut_bytes());
            Ok(if is_whole { Begin::Whole } else { Begin::Piece })
        })
    }
}
