//! A ring between one sender and one receiver, and the descriptors that come back.
//!
//! Each cell is one cache line, whose first word says that a message is there, how long it is, and
//! where it lies: the receiver learns of a message by the transfer of that line alone, and takes a
//! short one out of it at once. A longer one lies in a buffer of the pair, which the receiver holds
//! until it posts the descriptor again. Returned descriptors travel the other way, one word each; the
//! sender looks at them when it knows of no more, and before it fills a buffer: the one that it used
//! last is still in its cache.
//!
//! Each end counts for itself. Nothing that it has written does it read again from the ring, and of
//! what the other end writes it reads each word once and believes nothing: [`Impossible`] says what
//! was wrong. That a cell is free when it is filled follows from the descriptors: no more messages
//! are under way than cells, and a descriptor comes back only after its cell was read.

use std::ops::Deref;

use super::cell::{
    CELL_WORDS, INLINE_BYTES, INLINE_WORDS, Place, Position, Word, before, decode, encode,
    for_each_word, lap_of,
};
use crate::sys::atomic::{Atomic, Ordering};

/// What a peer wrote, and no correct peer writes.
pub(super) type Impossible = &'static str;

/// Words of a ring: its cells, and the places for what comes back.
pub(super) struct Words<W> {
    pub(super) cells: W,
    pub(super) returns: W,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> Words<W> {
    fn shift(&self) -> u32 {
        debug_assert!(self.returns.len().is_power_of_two());
        debug_assert_eq!(self.cells.len(), self.returns.len() * CELL_WORDS);
        self.returns.len().trailing_zeros()
    }
}

/// The sender's end.
pub(super) struct Outgoing<W> {
    words: Words<W>,
    shift: u32,
    descriptors: u64,
    sent: u64,
    returned: u64,
    /// Messages under way that lie in no buffer.
    inline: u64,
    /// Buffers that came back, the last one on top.
    free: Vec<u32>,
    /// Whether each buffer is with the receiver.
    away: Vec<bool>,
    /// Buffers from this one on were never used.
    fresh: u32,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> Outgoing<W> {
    /// The end of a ring with room for `descriptors`, of which messages of up to `longest` bytes are
    /// to be sent.
    pub(super) fn new(words: Words<W>, descriptors: u32, longest: usize) -> Self {
        let buffers = if longest > INLINE_BYTES { descriptors as usize } else { 0 };
        Self {
            shift: words.shift(),
            words,
            descriptors: descriptors.into(),
            sent: 0,
            returned: 0,
            inline: 0,
            free: Vec::with_capacity(buffers),
            away: vec![false; buffers],
            fresh: 0,
        }
    }

    /// Whether the receiver has a descriptor for one more message.
    #[inline(always)]
    pub(super) fn has_descriptor(&mut self) -> Result<bool, Impossible> {
        if self.sent - self.returned == self.descriptors {
            self.take_returned()?;
        }
        Ok(self.sent - self.returned < self.descriptors)
    }

    /// Takes the descriptors that have come back; no more than are under way.
    pub(super) fn take_returned(&mut self) -> Result<(), Impossible> {
        while self.returned < self.sent {
            let at = Position { count: self.returned, shift: self.shift };
            // Pairs with the store in `give_back`: the receiver has read the cell and the buffer.
            match decode(self.words.returns[at.index()].load(Ordering::Acquire), at) {
                Word::NotYet => break,
                // Else there would be a descriptor without a buffer.
                Word::Here((Place::Inline, 0)) => {
                    self.inline = self.inline.checked_sub(1).ok_or("returned descriptor")?;
                }
                Word::Here((Place::Buffer(buffer), 0)) => {
                    let away = self.away.get_mut(buffer as usize).ok_or("returned buffer")?;
                    if !std::mem::take(away) {
                        return Err("returned buffer");
                    }
                    self.free.push(buffer);
                }
                _ => return Err("returned descriptor"),
            }
            self.returned += 1;
        }
        Ok(())
    }

    /// The buffer for the next message. To be called only when there is a descriptor: then there is
    /// a buffer too.
    pub(super) fn next_buffer(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.fresh)
    }

    /// Publishes the message `header`, `payload`, of at most [`INLINE_BYTES`] in all. To be called only when
    /// there is a descriptor.
    #[inline(always)]
    pub(super) fn push_inline(&mut self, header: &[u8], payload: &[u8]) {
        let at = Position { count: self.sent, shift: self.shift };
        let cell = &self.words.cells[at.index() * CELL_WORDS..][..CELL_WORDS];
        let places = &cell[1..];
        for_each_word(header, payload, |at, word| places[at].store(word, Ordering::Relaxed));
        // Pairs with the load in `look`.
        cell[0].store(encode(at, Place::Inline, header.len() + payload.len()), Ordering::Release);
        self.inline += 1;
        self.sent += 1;
    }

    /// Publishes a message of `len` bytes, which lies in the [next buffer](Self::next_buffer).
    pub(super) fn push_buffer(&mut self, len: usize) {
        let buffer = self.next_buffer();
        if self.free.pop().is_none() {
            self.fresh += 1;
        }
        self.away[buffer as usize] = true;
        let at = Position { count: self.sent, shift: self.shift };
        // Pairs with the load in `look`: the buffer is filled.
        self.words.cells[at.index() * CELL_WORDS]
            .store(encode(at, Place::Buffer(buffer), len), Ordering::Release);
        self.sent += 1;
    }
}

/// A message that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) len: usize,
    pub(super) body: Body,
}

/// Where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Inline([u64; INLINE_WORDS]),
    Buffer(u32),
}

/// The words of a short message of `len` bytes, which lies in the cell that begins at `first`.
#[inline(always)]
fn copy_words<A: Atomic<Value = u64>>(
    cells: &[A],
    first: usize,
    len: usize,
    words: &mut [u64; INLINE_WORDS],
) {
    let places = &cells[first + 1..][..INLINE_WORDS];
    for (word, place) in words.iter_mut().zip(places).take(len.div_ceil(8)) {
        *word = place.load(Ordering::Relaxed);
    }
}

/// The receiver's end.
pub(super) struct Incoming<W> {
    words: Words<W>,
    shift: u32,
    descriptors: u64,
    longest: usize,
    taken: u64,
    /// The first word of the next cell, and the lap that says that nothing is there yet: they follow
    /// from `taken`, and are looked up far more often than that changes.
    next_word: usize,
    quiet_lap: u64,
    given_back: u64,
    /// Whether each buffer is with a frame.
    held: Vec<bool>,
    /// Where the message lies that was shown last.
    shown: Place,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> Incoming<W> {
    /// The end of a ring with room for `descriptors`, by which messages of up to `longest` bytes may
    /// come.
    pub(super) fn new(words: Words<W>, descriptors: u32, longest: usize) -> Self {
        let buffers = if longest > INLINE_BYTES { descriptors as usize } else { 0 };
        Self {
            quiet_lap: before(Position { count: 0, shift: words.shift() }),
            shift: words.shift(),
            words,
            descriptors: descriptors.into(),
            longest,
            taken: 0,
            next_word: 0,
            given_back: 0,
            held: vec![false; buffers],
            shown: Place::Inline,
        }
    }

    #[inline]
    fn next(&self) -> Position {
        Position { count: self.taken, shift: self.shift }
    }

    /// Whether [`look`](Self::look) would find nothing.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        // Whoever finds something looks again. Pairs with the store in `push_inline` and
        // `push_buffer`.
        lap_of(self.words.cells[self.next_word].load(Ordering::Acquire)) == self.quiet_lap
    }

    /// Where the next message lies and how long it is, if it is there.
    #[inline(always)]
    fn find(&self) -> Result<Option<(Place, usize)>, Impossible> {
        // Pairs with the store in `push_inline` and `push_buffer`: the message is there.
        let word = self.words.cells[self.next_word].load(Ordering::Acquire);
        // Most often, and nothing else need be looked at.
        if lap_of(word) == self.quiet_lap {
            return Ok(None);
        }
        let Word::Here((place, len)) = decode(word, self.next()) else {
            return Err("sequence of messages");
        };
        if self.taken - self.given_back == self.descriptors {
            return Err("number of messages");
        }
        if len > self.longest {
            return Err("message length");
        }
        match place {
            Place::Inline if len > INLINE_BYTES => return Err("message length"),
            Place::Inline => {}
            Place::Buffer(buffer) => match self.held.get(buffer as usize) {
                Some(false) => {}
                _ => return Err("buffer"),
            },
        }
        Ok(Some((place, len)))
    }

    #[inline(always)]
    fn handle_taken(&mut self) {
        self.taken += 1;
        self.next_word = self.next().index() * CELL_WORDS;
        self.quiet_lap = before(self.next());
    }

    /// Takes the next message, if it is there.
    #[inline]
    pub(super) fn look(&mut self) -> Result<Option<Arrived>, Impossible> {
        let Some((place, len)) = self.find()? else { return Ok(None) };
        let body = match place {
            Place::Inline => {
                let mut words = [0; INLINE_WORDS];
                copy_words(&self.words.cells, self.next_word, len, &mut words);
                Body::Inline(words)
            }
            Place::Buffer(buffer) => {
                self.held[buffer as usize] = true;
                Body::Buffer(buffer)
            }
        };
        self.handle_taken();
        Ok(Some(Arrived { len, body }))
    }

    /// Where the next message lies and how long it is, if it is there; it stays there. A short one is copied to
    /// `words`. What is impossible is not shown; [`look`](Self::look) tells of that.
    #[inline(always)]
    pub(super) fn peek(&mut self, words: &mut [u64; INLINE_WORDS]) -> Option<(Place, usize)> {
        let (place, len) = self.find().ok()??;
        if place == Place::Inline {
            copy_words(&self.words.cells, self.next_word, len, words);
        }
        self.shown = place;
        Some((place, len))
    }

    /// Takes the message that [`peek`](Self::peek) has just shown, and posts its descriptor again: nothing is
    /// read of it any more.
    #[inline(always)]
    pub(super) fn take_peeked(&mut self) {
        self.handle_taken();
        self.post_again(self.shown);
    }

    /// Posts again the descriptor of a message that was taken, and of which nothing is read any more.
    /// One that was not is ignored.
    #[inline(always)]
    pub(super) fn give_back(&mut self, place: Place) {
        if self.given_back == self.taken {
            return;
        }
        if let Place::Buffer(buffer) = place {
            match self.held.get_mut(buffer as usize) {
                Some(held) if *held => *held = false,
                _ => return,
            }
        }
        self.post_again(place);
    }

    #[inline(always)]
    fn post_again(&mut self, place: Place) {
        let at = Position { count: self.given_back, shift: self.shift };
        // Pairs with the load in `take_returned`.
        self.words.returns[at.index()].store(encode(at, place, 0), Ordering::Release);
        self.given_back += 1;
    }
}
