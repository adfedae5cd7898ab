//! What ranks of a host give each other in reductions and scans of large data: their data, where all can read them, and
//! behind them a room for what they have combined.
//!
//! Keeps rules COL-1, COL-4, COL-5, COL-11 and SAFE-1 of SEMANTICS.md.
//!
//! A rank posts its data once, to all that need them. It holds what others have posted where it lies, until it has its
//! result. What it combines it writes into its room, where the others find it when they look. Nobody is told of
//! that by a message, and nobody answers.
//!
//! # Correctness
//!
//! A rank that has posted its data is needed no more: all others can combine what it would have. A room lasts until all
//! have given its payload back, and its owner has written its last. So a rank that was off its core meanwhile writes
//! where no other memory is. Where there is no memory for a room, a rank posts its data alone, and what it combines it
//! has for itself.

use std::ops::Range;

use smallvec::SmallVec;
use zerocopy::{FromBytes, IntoBytes};

use super::call::Call;
use super::edge::PostedSends;
use super::pieces::Piece;
use super::rooms::Rooms;
use super::tree::EACH_READS_RANKS;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{Held, RoomKey};
use crate::order::Rank;
use crate::sys::copy::copy_bytes;
use crate::sys::thread;
use crate::verbs::{Nic, RoomOf};

/// What a rank has of others in a call, by rank, and its own room. All is given back when this is dropped, also when the
/// stack is unwound.
pub(super) struct AllGiven<'c, N: Nic> {
    comm: &'c Comm<N>,
    own: Option<RoomKey>,
    pub(super) rooms: Rooms<RoomOf<N>>,
    data: SmallVec<[Option<Held<N>>; EACH_READS_RANKS]>,
}

impl<N: Nic> Drop for AllGiven<'_, N> {
    fn drop(&mut self) {
        // This call has not the engine. Another thread of the rank may have it, while the program's operator runs.
        let mut engine = loop {
            match self.comm.engine() {
                Ok(engine) => break engine,
                Err(Error::Busy) => thread::yield_now(),
                // Nobody is told anything any more.
                Err(_) => return,
            }
        };
        if let (Some(key), Some(room)) = (self.own.take(), self.rooms.own.take()) {
            engine.close_room(key, room);
        }
        // Before the payloads which keep them.
        self.rooms.others.clear();
        self.data.drain(..).flatten().for_each(|data| engine.release_held(data));
        engine.tell_released();
    }
}

impl<'c, N: Nic> AllGiven<'c, N> {
    /// Nothing yet.
    pub(super) fn new(comm: &'c Comm<N>) -> Self {
        AllGiven { comm, own: None, rooms: Rooms::default(), data: SmallVec::new() }
    }

    /// Posts the word of the call to these ranks, and then `data`, with a room as long behind them if `has_room`
    /// and there is memory for it.
    pub(super) fn post<T: Element>(
        &mut self,
        call: &Call,
        to: impl Iterator<Item = Rank> + Clone,
        data: &[T],
        has_room: bool,
    ) -> (PostedSends, Result<()>) {
        let (mut posted, mut unserved) = (PostedSends::default(), Ok(()));
        let done = self.post_each(call, to, (data, has_room), &mut posted, &mut unserved);
        (posted, done.and(unserved))
    }

    fn post_each<T: Element>(
        &mut self,
        call: &Call,
        to: impl Iterator<Item = Rank> + Clone,
        (data, has_room): (&[T], bool),
        posted: &mut PostedSends,
        unserved: &mut Result<()>,
    ) -> Result<()> {
        let Some(first) = to.clone().next() else { return Ok(()) };
        let comm = self.comm;
        let word = Piece { begins: true, range: 0..0 };
        comm.post_to_each(call, to.clone(), data, &word, posted, unserved)?;
        if has_room {
            let (first, bytes) = (comm.to_world(first), data.as_bytes());
            let opened = comm.engine()?.open_room(first, bytes, bytes.len());
            (self.own, self.rooms.own) = opened.unzip();
        }
        match &self.own {
            Some(key) => comm.post_before_room(call, to, data, key, posted, unserved),
            None => {
                let whole = Piece { begins: false, range: 0..data.len() };
                comm.post_to_each(call, to, data, &whole, posted, unserved)
            }
        }
    }

    /// Takes the data of a rank, which are so many bytes, and its room. Ranks are taken in their order, with none
    /// between left out.
    pub(super) fn take(&mut self, call: &Call, from: Rank, bytes: usize) -> Result<()> {
        let (has_room, data) = self.comm.recv_held(call, from, bytes)?;
        let room = match has_room {
            true => self.comm.engine()?.room_behind(&data, bytes),
            false => None,
        };
        self.data.push(Some(data));
        self.rooms.others.push(room);
        Ok(())
    }

    /// Leaves this rank out.
    pub(super) fn skip_own(&mut self) {
        self.data.push(None);
        self.rooms.others.push(None);
    }

    /// Hands these elements of a rank's data to `then`, with `total`, which has as many.
    #[inline]
    pub(super) fn with<T: Element>(
        &self,
        from: Rank,
        range: Range<usize>,
        total: &mut [T],
        then: impl Fn(&mut [T], &[T]),
    ) {
        let Some(data) = &self.data[from] else { return };
        let theirs = &data.bytes()[range.start * size_of::<T>()..range.end * size_of::<T>()];
        match <[T]>::ref_from_bytes(theirs) {
            Ok(theirs) => then(total, theirs),
            // They do not lie where elements may.
            Err(_) => self.comm.collectives.scratch.with_room(total.len(), |room: &mut [T]| {
                copy_bytes(theirs, room.as_mut_bytes());
                then(total, room);
            }),
        }
    }
}

impl<N: Nic> Comm<N> {
    /// Whether ranks give each other so many bytes so. All members say the same.
    pub(super) fn gives(&self, bytes: usize) -> bool {
        self.copies_payloads()
            && (3..=EACH_READS_RANKS).contains(&self.size())
            && bytes > self.eager_bytes()
            && bytes <= self.sizes().message_bytes
            && self.goes_at_once::<u8>(bytes)
    }
}
