//! Data of collectives that are deposited, the same for all that need them or a part for each: a rank puts
//! them where all members see them. How much that may be says `deposited`. Nonblocking calls (`posted`) share the first half of this file.
//!
//! Keeps rules COL-3, COL-5, COL-6 and COL-9 of SEMANTICS.md.
//!
//! A rank that may not deposit sends messages to the same ranks, so each decides for itself. But
//! all must know alike who reads what. An `all_gather` has that shape anyway, as have a broadcast and
//! scans with a flat tree. A small `all_reduce` has it only in a group that deposits: then each rank
//! combines all data itself, and none waits for rank 0.
//!
//! A rank reads all that it needs before it calls a function of the program, which may call
//! collectives. Operators that are known are applied as data are read.

use std::ops::Range;

use zerocopy::{FromBytes, IntoBytes};

use super::Kind;
use super::blocks::SendBlocks;
use super::call::Call;
use super::combine::{combine_blocks, combine_from_lower, combine_into};
use super::edge::{PostedSends, serve_all};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{Body, Contents, Engine, MOST_MEMBERS, MemberSet, Readers};
use crate::order::Rank;
use crate::sys::copy::copy_bytes;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Whether the members of a call with this much payload at each deposit it, as far as they may.
    /// All say the same.
    #[inline]
    pub(super) fn deposits(&self, kind: Kind, bytes: usize) -> bool {
        self.is_small(kind, bytes) && self.collectives.has_place
    }

    /// Whether this much payload of a call may be [deposited](super::deposited), for each that reads it.
    #[inline]
    pub(super) fn is_small(&self, kind: Kind, bytes: usize) -> bool {
        self.collectives.most_deposited.is_some_and(|most| most.includes(kind, bytes))
    }

    /// Whether so much is as little as is deposited in a slot, in any call.
    pub(super) fn is_in_slot(&self, bytes: usize) -> bool {
        self.collectives.most_deposited.is_some_and(|most| bytes <= most.in_slot())
    }

    /// All members but this one, or none in a group that is too large to deposit.
    pub(super) fn other_members(&self) -> MemberSet {
        match self.size() <= MOST_MEMBERS {
            true => MemberSet::below(self.size()).without(MemberSet::only(self.rank())),
            false => MemberSet::NONE,
        }
    }

    /// What this rank gives is read by the others from `first` to before `end`. (In a group that is too large, none is told
    /// from another: nothing is deposited there.)
    pub(super) fn readers(&self, (first, end): (Rank, Rank)) -> Readers {
        let most = |rank: Rank| rank.min(MOST_MEMBERS);
        Readers::between(most(self.rank()), most(first), most(end))
    }

    /// Or by all others.
    pub(super) fn all_readers(&self) -> Readers {
        self.readers((0, self.size()))
    }

    /// Those of them from this one on.
    pub(super) fn others_from(&self, first: Rank) -> MemberSet {
        self.other_members().without(MemberSet::below(first.min(MOST_MEMBERS)))
    }

    /// Deposits what is for these members, if it is the same for all or as long for each. False, and
    /// nothing is done, if that cannot be now.
    pub(super) fn deposit_in<T: Element>(
        &self,
        call: &Call,
        outgoing: SendBlocks<'_, T>,
        readers: Readers,
    ) -> Result<bool> {
        if !call.is_deposited {
            return Ok(false);
        }
        self.with_contents(call, outgoing, |contents| {
            Ok(self.engine()?.deposit(self.group_id(), (call.index, readers), contents)?)
        })
    }

    /// Passes to `deposit` what a rank deposits of this, if it may. Else false.
    pub(super) fn with_contents<T: Element>(
        &self,
        call: &Call,
        outgoing: SendBlocks<'_, T>,
        deposit: impl FnOnce(Contents<'_>) -> Result<bool>,
    ) -> Result<bool> {
        let size = self.size();
        let (bytes, body) = match outgoing {
            SendBlocks::Same(data) => (size_of_val(data), Body::Same(data.as_bytes())),
            SendBlocks::Shares(data) if data.len().is_multiple_of(size) => {
                (size_of_val(data) / size, Body::Parts(data.as_bytes()))
            }
            _ => return Ok(false),
        };
        let head = call.word(bytes).words();
        let contents = Contents { head: &head, body };
        if !self.is_small(call.kind, bytes) {
            return Ok(false);
        }
        deposit(contents)
    }

    /// Takes what the root gives to all in a small call.
    pub(super) fn take_from_root<T: Element>(&self, call: &Call, data: &mut [T]) -> Result<()> {
        let engine = &mut *self.engine_in(call)?;
        let from_root = (call.root, MemberSet::NONE);
        self.take_elements(engine, call, from_root, data, |data, theirs| copy(theirs, data))?;
        engine.finish_deposits(self.group_id(), call.index);
        Ok(())
    }

    /// Combines the data of all ranks of a small call in the place of this rank's own, in the order
    /// of ranks. Each rank gives its data to all others.
    pub(super) fn all_reduce_small<T: Element>(
        &self,
        call: &Call,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let mut posted = PostedSends::default();
        self.post_to_all(call, SendBlocks::Same(data), &mut posted)?;
        self.combine_given(call, self.size(), data, &combine)?;
        self.see_off(posted)
    }

    /// Combines the data of all lower ranks of a small scan in `lower`, in their order; that of rank 0
    /// stays as it is. Each rank gives its data to all higher ones.
    pub(super) fn combine_lower_small<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        lower: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let rank = self.rank();
        let higher = self.readers((rank + 1, self.size()));
        // Before anything is received: no rank waits for something that this one waits for.
        if !higher.is_empty() && !self.deposit_in(call, SendBlocks::Same(data), higher)? {
            let pieces = self.pieces_in::<T>(call, data.len(), false);
            serve_all(rank + 1..self.size(), |to| self.send_in(call, to, data, pieces.clone()))?;
        }
        self.combine_given(call, rank, lower, &combine)
    }

    /// Combines in `total` what the ranks before `end` give in a small call, in their order. This rank's
    /// own data, if it is one of them, are in `total` first.
    pub(super) fn combine_given<T: Element>(
        &self,
        call: &Call,
        end: Rank,
        total: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, scratch) = (self.rank(), &self.collectives.scratch);
        if !call.has_known_operator() {
            return self.read_and_combine(call, end, total, combine);
        }
        let engine = &mut *self.engine_in(call)?;
        let left = |from| (from, self.others_from(from).without(self.others_from(end)));
        let copies = |total: &mut [T], theirs: &[T]| copy(theirs, total);
        let appends = |total: &mut [T], theirs: &[T]| combine_into(total, theirs, combine);
        let prepends = |total: &mut [T], theirs: &[T]| combine_from_lower(total, theirs, combine);
        match rank {
            0 => {}
            1 if end > 1 => self.take_elements(engine, call, left(0), total, prepends)?,
            _ => {
                let mut take_lower = |lower: &mut [T]| -> Result<()> {
                    self.take_elements(engine, call, left(0), lower, copies)?;
                    (1..rank).try_for_each(|from| {
                        self.take_elements(engine, call, left(from), lower, appends)
                    })
                };
                match rank < end {
                    true => scratch.with_room(total.len(), |lower| {
                        take_lower(lower)?;
                        prepends(total, lower);
                        Ok::<_, Error>(())
                    })?,
                    false => take_lower(total)?,
                }
            }
        }
        for from in rank + 1..end {
            self.take_elements(engine, call, left(from), total, appends)?;
        }
        engine.finish_deposits(self.group_id(), call.index);
        Ok(())
    }

    /// As [`combine_given`](Comm::combine_given), with a function of the program. That may call
    /// collectives, by which this rank would say that it has read all of this call. So it does first.
    fn read_and_combine<T: Element>(
        &self,
        call: &Call,
        end: Rank,
        total: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, count) = (self.rank(), total.len());
        self.collectives.scratch.with_room(end * count, |all: &mut [T]| {
            if rank < end {
                copy(total, &mut all[rank * count..][..count]);
            }
            let others = (0..end).filter(|&from| from != rank);
            self.read_each(call, others, all, |from| from * count..(from + 1) * count)?;
            if end > 0 {
                combine_blocks(total, all, combine);
            }
            Ok(())
        })
    }

    /// Combines with `total` what these ranks give in a small call, in this order.
    pub(super) fn combine_with<T: Element>(
        &self,
        call: &Call,
        from: impl Iterator<Item = Rank> + Clone,
        total: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let count = total.len();
        if !call.has_known_operator() {
            let ranks = from.clone().count();
            return self.collectives.scratch.with_room(ranks * count, |all: &mut [T]| {
                let mut places = 0..;
                self.read_each(call, from, all, |_| {
                    let first = places.next().unwrap_or(0) * count;
                    first..first + count
                })?;
                let blocks = all.chunks_exact(count.max(1)).take(ranks);
                blocks.for_each(|block| combine_into(total, block, combine));
                Ok(())
            });
        }
        let engine = &mut *self.engine_in(call)?;
        let mut left = from.clone().fold(MemberSet::NONE, MemberSet::with);
        for from in from {
            self.take_elements(engine, call, (from, left), total, |total, theirs| {
                combine_into(total, theirs, combine);
            })?;
            left = left.without(MemberSet::only(from));
        }
        engine.finish_deposits(self.group_id(), call.index);
        Ok(())
    }

    /// Reads what these ranks give in a small call, each into its `place` in `room`.
    pub(super) fn read_each<T: Element>(
        &self,
        call: &Call,
        from: impl Iterator<Item = Rank> + Clone,
        room: &mut [T],
        mut place: impl FnMut(Rank) -> Range<usize>,
    ) -> Result<()> {
        let mut left = from.clone().fold(MemberSet::NONE, MemberSet::with);
        let mut engine = self.engine_in(call)?;
        for from in from {
            let block = &mut room[place(from)];
            let copies = |block: &mut [T], theirs: &[T]| copy(theirs, block);
            let taken = self.take_elements(&mut engine, call, (from, left), block, copies);
            if let Err(error) = taken {
                drop(engine);
                return Err(self.most_telling(call, left.iter(), error));
            }
            left = left.without(MemberSet::only(from));
        }
        engine.finish_deposits(self.group_id(), call.index);
        Ok(())
    }

    /// Takes the elements that a rank gives in a small call, and hands them to `then` with `total`, which
    /// has as many. Those of the ranks `left` are needed too.
    #[inline]
    fn take_elements<T: Element>(
        &self,
        engine: &mut Engine<N>,
        call: &Call,
        (from, left): (Rank, MemberSet),
        total: &mut [T],
        then: impl Fn(&mut [T], &[T]),
    ) -> Result<()> {
        let hand_over = |total: &mut [T], payload: &[u8]| match <[T]>::ref_from_bytes(payload) {
            Ok(theirs) => then(total, theirs),
            // They do not lie where elements may.
            Err(_) => self.collectives.scratch.with_room(total.len(), |room: &mut [T]| {
                copy_bytes(payload, room.as_mut_bytes());
                then(total, room);
            }),
        };
        let is_whole = self.take_by(engine, call, (from, true), left, |message| {
            let (is_whole, payload) = self.behind_word::<T>(call, from, message, total.len())?;
            if is_whole {
                hand_over(total, payload);
            }
            Ok(is_whole)
        })?;
        if is_whole {
            return Ok(());
        }
        self.take_pieces(engine, call, from, total, hand_over)
    }

    /// Takes what comes of a rank behind the first piece, and hands each piece over with its place in `total`.
    #[inline(never)]
    fn take_pieces<T: Element>(
        &self,
        engine: &mut Engine<N>,
        call: &Call,
        from: Rank,
        total: &mut [T],
        hand_over: impl Fn(&mut [T], &[u8]),
    ) -> Result<()> {
        for piece in self.pieces_in::<T>(call, total.len(), false).skip(1) {
            let total = &mut total[piece.range];
            self.take_by(engine, call, (from, false), MemberSet::NONE, |payload| {
                match payload.len() == size_of_val(total) {
                    true => hand_over(total, payload),
                    false => {
                        return Err(call.wrong_piece(from, payload.len(), size_of_val(total)));
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// This rank has read all that it needs of the call, so others may use their slots again.
    pub(super) fn finish_in(&self, call: &Call) -> Result<()> {
        self.engine()?.finish_deposits(self.group_id(), call.index);
        Ok(())
    }
}
