//! Small data that are the same for all that need them: in `all_reduce`, `all_gather`, `broadcast` and
//! scans. A rank deposits them where all members see them.
//!
//! Keeps rules COL-3, COL-5, COL-6 and COL-9 of SEMANTICS.md.
//!
//! A rank that may not deposit sends messages to the same ranks, so each decides for itself. But
//! all must know alike who reads what. An `all_gather` has that shape anyway, as have a broadcast and
//! scans with a flat tree. A small `all_reduce` has it only in a group that deposits: then each rank
//! combines all data itself, and none waits for rank 0.
//!
//! A rank reads all that it needs before it combines: the program's function may call collectives.

use smallvec::SmallVec;
use zerocopy::IntoBytes;

use super::blocks::SendBlocks;
use super::call::{Call, Word};
use super::edge::serve_all;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::message::{LEAST_MEMBERS, MOST_BYTES, MOST_MEMBERS, MemberSet};
use crate::order::Rank;
use crate::verbs::Nic;

/// The longest payload that is deposited, in bytes.
const MOST_PAYLOAD: usize = MOST_BYTES - Word::BYTES;

impl<N: Nic> Comm<N> {
    /// Whether the members of a call with this much payload at each deposit it, as far as they may.
    /// All say the same.
    pub(super) fn deposits(&self, bytes: usize) -> Result<bool> {
        Ok(self.is_small(bytes) && self.engine()?.deposits_in(self.group_id()))
    }

    /// Whether this much payload may be deposited: it is worth it, and as a message it goes in one
    /// piece.
    fn is_small(&self, bytes: usize) -> bool {
        (LEAST_MEMBERS..=MOST_MEMBERS).contains(&self.size())
            && bytes <= MOST_PAYLOAD
            && self.pieces::<u8>(bytes, false).is_small()
    }

    /// All members but this one, or none in a group that is too large to deposit.
    pub(super) fn other_members(&self) -> MemberSet {
        match self.size() <= MOST_MEMBERS {
            true => MemberSet::below(self.size()).without(MemberSet::only(self.rank())),
            false => MemberSet::NONE,
        }
    }

    /// Those of them from this one on.
    pub(super) fn others_from(&self, first: Rank) -> MemberSet {
        self.other_members().without(MemberSet::below(first.min(MOST_MEMBERS)))
    }

    /// Deposits `data` for these members. False, and nothing is done, if that cannot be now.
    pub(super) fn deposit_in<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        readers: MemberSet,
    ) -> Result<bool> {
        debug_assert!(call.kind.is_deposited(), "{} is not read as a deposit", call.kind);
        let bytes = data.as_bytes();
        if !self.is_small(bytes.len()) {
            return Ok(false);
        }
        let mut message = [0; MOST_BYTES];
        let (word, payload) = message.split_at_mut(Word::BYTES);
        word.copy_from_slice(call.word(bytes.len()).as_bytes());
        payload[..bytes.len()].copy_from_slice(bytes);
        let message = &message[..Word::BYTES + bytes.len()];
        Ok(self.engine()?.deposit(self.group_id(), (call.index, readers), message)?)
    }

    /// Combines the data of all ranks of a small call in the place of this rank's own, in the order
    /// of ranks. Each rank gives its data to all others.
    pub(super) fn all_reduce_small<T: Element>(
        &self,
        call: &Call,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let others = || (rank + 1..size).chain(0..rank);
        let posted = self.post_to_all(call, SendBlocks::Same(data))?;
        let mut given = Given::new(size, data);
        given.put(rank, data.as_bytes());
        self.take_all(call, others(), &mut given)?;
        self.see_off(posted)?;
        given.copy_into(0, data);
        (1..size).for_each(|from| given.combine_into(from, data, &combine));
        Ok(())
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
        let higher = self.others_from(rank + 1);
        // Before anything is received: no rank waits for something that this one waits for.
        if !higher.is_empty() && !self.deposit_in(call, data, higher)? {
            let pieces = self.pieces::<T>(data.len(), false);
            serve_all(higher.iter(), |to| self.send_in(call, to, data, pieces.clone()))?;
        }
        let mut given = Given::new(rank, data);
        self.take_all(call, 0..rank, &mut given)?;
        if rank > 0 {
            given.copy_into(0, lower);
            (1..rank).for_each(|from| given.combine_into(from, lower, &combine));
        }
        Ok(())
    }

    /// Takes what each of these ranks gives in a small call.
    fn take_all(
        &self,
        call: &Call,
        from: impl Iterator<Item = Rank> + Clone,
        given: &mut Given,
    ) -> Result<()> {
        let mut left = from.clone().fold(MemberSet::NONE, MemberSet::with);
        let expected = given.bytes;
        for from in from {
            left = left.without(MemberSet::only(from));
            self.take(call, from, true, left, |message| {
                let payload = call.check_word(from, message, Some(expected))?.1;
                if payload.len() != expected {
                    return Err(call.wrong_piece(from, payload.len(), expected));
                }
                given.put(from, payload);
                Ok(())
            })?;
        }
        self.finish_in(call)
    }

    /// This rank has read all that it needs of the call, so others may use their slots again.
    pub(super) fn finish_in(&self, call: &Call) -> Result<()> {
        self.engine()?.finish_deposits(self.group_id(), call.index);
        Ok(())
    }
}

// No call allocates for it.
const _: () = assert!(MOST_PAYLOAD * MOST_MEMBERS <= 1536);

/// What ranks have given in a small call, one behind the other.
struct Given {
    all: SmallVec<[u8; 1536]>,
    /// The length of each.
    bytes: usize,
}

impl Given {
    /// Room for as many elements of each of `size` ranks as `data` has.
    fn new<T: Element>(size: usize, data: &[T]) -> Given {
        let bytes = size_of_val(data);
        Given { all: SmallVec::from_elem(0, size * bytes), bytes }
    }

    fn of(&self, from: Rank) -> &[u8] {
        &self.all[from * self.bytes..][..self.bytes]
    }

    fn put(&mut self, from: Rank, payload: &[u8]) {
        self.all[from * self.bytes..][..self.bytes].copy_from_slice(payload);
    }

    fn copy_into<T: Element>(&self, from: Rank, data: &mut [T]) {
        data.as_mut_bytes().copy_from_slice(self.of(from));
    }

    fn combine_into<T: Element>(&self, from: Rank, total: &mut [T], combine: &impl Fn(T, T) -> T) {
        // The bytes of an element need not lie where an element may.
        let elements = self.of(from).chunks_exact(size_of::<T>());
        for (total, bytes) in total.iter_mut().zip(elements) {
            let mut theirs = T::new_zeroed();
            theirs.as_mut_bytes().copy_from_slice(bytes);
            *total = combine(*total, theirs);
        }
    }
}
