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

use super::at_once::COPIED_SHARE;
use super::call::Call;
use super::edge::PostedSends;
use super::pieces::Piece;
use super::rooms::Rooms;
use super::tree::EACH_READS_RANKS;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{BeforeRoom, Body, Contents, Engine, Held, MemberSet, Readers, RoomKey};
use crate::order::{GroupId, Rank};
use crate::sys::copy::copy_bytes;
use crate::verbs::{Nic, RoomOf};

/// What a rank has of others in a call, by rank, and its own room.
pub(super) struct Theirs<N: Nic> {
    own: Option<RoomKey>,
    /// What this rank gives, if it lies before that room.
    own_data: Option<Taken<N>>,
    pub(super) rooms: Rooms<RoomOf<N>>,
    data: SmallVec<[Option<Taken<N>>; EACH_READS_RANKS]>,
}

/// What has come of a rank. Its data begin so many bytes from the start.
struct Taken<N: Nic> {
    message: Held<N>,
    start: usize,
}

impl<N: Nic> Default for Theirs<N> {
    fn default() -> Self {
        Theirs { own: None, own_data: None, rooms: Rooms::default(), data: SmallVec::new() }
    }
}

impl<N: Nic> Theirs<N> {
    /// Copies `payload` to where all see it, `first` among them, with a room of so many bytes behind it. None if
    /// there is no memory for that.
    pub(super) fn open_room(
        &mut self,
        engine: &mut Engine<N>,
        first: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<&RoomKey> {
        let opened = engine.open_room(first, payload, bytes);
        (self.own, self.rooms.own) = opened.unzip();
        self.own.as_ref()
    }

    /// Deposits the `head` of a call and `payload` behind it, with a room of so many bytes behind that, if that can be now; if it
    /// `waits`, in a moment.
    pub(super) fn deposit(
        &mut self,
        engine: &mut Engine<N>,
        (group, of): (GroupId, (u64, Readers)),
        (head, payload): (&[u64], &[u8]),
        (room_bytes, waits): (usize, bool),
    ) -> Result<bool> {
        let contents = Contents { head, body: Body::Same(payload) };
        let deposited = engine.deposit_before_room(group, of, contents, (room_bytes, waits))?;
        match deposited {
            BeforeRoom::NotNow => return Ok(false),
            BeforeRoom::Alone => {}
            BeforeRoom::Opened { key, room, contents } => {
                (self.own, self.rooms.own) = (Some(key), Some(room));
                self.own_data = Some(Taken { message: contents, start: size_of_val(head) });
            }
        }
        Ok(true)
    }

    /// Takes what has come of the next rank, in which the data begin so many bytes from the start, and its room of so
    /// many bytes, if it has said that there is one and there is the engine to look for it. Ranks are taken in their
    /// order, with none between left out.
    pub(super) fn take(
        &mut self,
        engine: Option<&mut Engine<N>>,
        message: Held<N>,
        (start, room_bytes): (usize, Option<usize>),
    ) {
        let room =
            engine.zip(room_bytes).and_then(|(engine, bytes)| engine.room_behind(&message, bytes));
        self.data.push(Some(Taken { message, start }));
        self.rooms.others.push(room);
    }

    /// It is this rank's turn.
    pub(super) fn skip_own(&mut self) {
        self.data.push(self.own_data.take());
        self.rooms.others.push(None);
    }

    /// The data of a rank. Of this one None, if they do not lie where others read them.
    pub(super) fn bytes_of(&self, from: Rank) -> Option<&[u8]> {
        let Taken { message, start } = self.data.get(from)?.as_ref()?;
        message.bytes().get(*start..)
    }

    /// These elements of the data of another rank, where they lie; in `room`, which has place for them, if no elements may lie there.
    #[inline]
    pub(super) fn elements<'a, T: Element>(
        &'a self,
        (from, range): (Rank, Range<usize>),
        room: &'a mut [T],
    ) -> &'a [T] {
        let bytes = range.start * size_of::<T>()..range.end * size_of::<T>();
        // Each length was checked when it came.
        let data = &self.bytes_of(from).unwrap_or_default()[bytes];
        match <[T]>::ref_from_bytes(data) {
            Ok(elements) => elements,
            Err(_) => {
                let room = &mut room[..range.len()];
                copy_bytes(data, room.as_mut_bytes());
                room
            }
        }
    }

    /// Whether there is nothing to give back.
    fn is_empty(&self) -> bool {
        self.own.is_none() && self.data.is_empty()
    }

    /// Gives all back. This rank writes nothing more for others in the call.
    pub(super) fn release(&mut self, engine: &mut Engine<N>) {
        let room = self.rooms.own.take();
        if let (Some(key), Some(room)) = (self.own.take(), room) {
            engine.close_room(key, room);
        }
        // Before the payloads which keep them.
        self.rooms.clear();
        let data = self.data.drain(..).flatten().chain(self.own_data.take());
        data.for_each(|taken| engine.release_held(taken.message));
        engine.tell_released();
    }
}

/// What a rank has of others in a call that waits. All is given back when this is dropped, also when the
/// stack is unwound.
pub(super) struct AllGiven<'c, N: Nic> {
    comm: &'c Comm<N>,
    /// What the call is about has so many bytes. The data of each may be a part of that.
    whole_bytes: usize,
    theirs: Theirs<N>,
    /// The call which is pending here, while what others have deposited is read.
    pending: Option<u64>,
}

impl<N: Nic> Drop for AllGiven<'_, N> {
    fn drop(&mut self) {
        self.comm.give_back(&mut self.theirs);
        if let Some(index) = self.pending {
            self.comm.end_pending(index);
        }
    }
}

impl<'c, N: Nic> AllGiven<'c, N> {
    /// Nothing yet, in a call on so many bytes. What these ranks deposit for it is read until this is dropped. (The program's
    /// operator may call collectives, and by these this rank would say that it has read all of the calls before.)
    pub(super) fn begin(
        comm: &'c Comm<N>,
        call: &Call,
        whole_bytes: usize,
        of: MemberSet,
    ) -> Result<Self> {
        let is_read = call.is_deposited && !of.is_empty();
        if is_read {
            comm.engine()?.begin_pending(comm.group_id(), (call.index, of));
        }
        let pending = is_read.then_some(call.index);
        Ok(AllGiven { comm, whole_bytes, theirs: Theirs::default(), pending })
    }

    /// What this rank has of the others.
    pub(super) fn theirs(&mut self) -> &mut Theirs<N> {
        &mut self.theirs
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
        if self.deposit(call, to.clone(), data, has_room)? {
            return Ok(());
        }
        comm.post_word_to_each(call, to.clone(), self.whole_bytes, posted, unserved)?;
        let (first, bytes) = (comm.to_world(first), data.as_bytes());
        // What is short goes with its message, and nobody would see a room.
        let key = match has_room && bytes.len() > comm.eager_bytes() {
            true => self.theirs.open_room(&mut *comm.engine()?, first, bytes, bytes.len()),
            false => None,
        };
        match key {
            Some(key) => comm.post_before_room(call, to, data, key, posted, unserved),
            None => {
                let whole = Piece { begins: false, range: 0..data.len() };
                comm.post_to_each(call, to, data, &whole, posted, unserved)
            }
        }
    }

    /// Deposits the word of the call and `data` behind it, if that can be now.
    fn deposit<T: Element>(
        &mut self,
        call: &Call,
        to: impl Iterator<Item = Rank>,
        data: &[T],
        has_room: bool,
    ) -> Result<bool> {
        let (comm, bytes) = (self.comm, data.as_bytes());
        let readers = if call.is_deposited { Readers::of(comm.rank(), to) } else { None };
        let Some(readers) = readers else { return Ok(false) };
        let head = call.word(self.whole_bytes).words();
        let room_bytes = if has_room { bytes.len() } else { 0 };
        let of = (comm.group_id(), (call.index, readers));
        self.theirs.deposit(&mut *comm.engine()?, of, (&head, bytes), (room_bytes, true))
    }

    /// Takes the data of a rank, which are so many bytes, and its room. Others are needed, too. Ranks are taken in their order, with none
    /// between left out.
    pub(super) fn take(&mut self, call: &Call, of: (Rank, MemberSet), bytes: usize) -> Result<()> {
        let (data, start, has_room) = self.comm.recv_held(call, of, (bytes, self.whole_bytes))?;
        // Another thread may be in a call just now: then the room is not looked at, and the payload given back all the same.
        let mut engine = self.comm.engine();
        let engine = engine.as_mut().ok().map(|engine| &mut **engine);
        self.theirs.take(engine, data, (start, has_room.then_some(bytes)));
        Ok(())
    }

    /// Leaves this rank out.
    pub(super) fn skip_own(&mut self) {
        self.theirs.skip_own();
    }
}

impl<N: Nic> Comm<N> {
    /// Gives back what a call has of others: with the next call, if another thread is in one.
    pub(super) fn give_back(&self, theirs: &mut Theirs<N>) {
        if theirs.is_empty() {
            return;
        }
        match self.engine() {
            Ok(mut engine) => theirs.release(&mut engine),
            Err(Error::Busy) => {
                let room = theirs.own.take().zip(theirs.rooms.own.take());
                theirs.rooms.clear();
                let data = theirs.data.drain(..).flatten().chain(theirs.own_data.take());
                let held = data.map(|taken| taken.message);
                self.release(held.collect(), room);
            }
            // Nobody is told anything any more.
            Err(_) => {}
        }
    }

    /// Whether ranks give each other so many bytes so. All members say the same. (Two ranks help each other in nothing: each
    /// reads as much whether it combines or copies.)
    pub(super) fn gives(&self, bytes: usize) -> bool {
        self.size() > 2 && self.may_give(bytes)
    }

    /// The same call, in which ranks deposit what they give each other, if their group deposits.
    pub(super) fn deposited_whole(&self, call: Call) -> Call {
        call.with_deposits(self.collectives.has_place)
    }

    fn may_give(&self, bytes: usize) -> bool {
        self.copies_payloads()
            && self.size() >= 2
            && (self.size() <= EACH_READS_RANKS || self.collectives.has_place)
            && bytes > self.eager_bytes()
            && bytes <= self.sizes().message_bytes
            && self.goes_at_once::<u8>(bytes)
    }

    /// Of how many bytes they give each other a part at a time, in a reduction to all of more than goes so. All members
    /// say the same.
    ///
    /// Measured with 2 cores, in times of shares, for 4 and 8 MiB: 1.10 and 1.10 with 3 ranks, 1.22 and 1.13 with 4, 0.97 and
    /// 1.02 with 6, 0.99 and 1.02 with 8; beside two programs that compute, for 4 MiB, 0.97, 0.87 and 1.07 with 3, 4 and 8
    /// ranks. In shares each rank is waited for until it has combined its own.
    pub(super) fn given_part_bytes(&self, bytes: usize) -> Option<usize> {
        let most = self.sizes().heap_bytes / COPIED_SHARE / self.size();
        // A part has no deposit, but messages.
        let are_few = self.size() <= EACH_READS_RANKS;
        (most < bytes && are_few && self.may_give(most)).then_some(most)
    }
}
