//! A ring between one sender and one receiver, and the descriptors that come back.
//!
//! Each cell is one cache line, whose first word says that a message is there, how long it is, and
//! where it lies: the receiver learns of a message by the transfer of that line alone, and takes a
//! short one out of it at once. A longer one lies in a buffer of the pair, which the receiver holds
//! until it posts the descriptor again. Returned descriptors travel the other way. Of short
//! messages only a count does, in one word, at which the sender looks when it knows of no more:
//! once in a window, and meanwhile the receiver writes what its cache has. Of those that lay in
//! buffers each is told by a word of its own, at which the sender also looks before it fills a
//! buffer: the one that it used last is still in its cache.
//!
//! Each end counts for itself. Nothing that it has written does it read again from the ring, and of
//! what the other end writes it reads each word once and believes nothing: [`Impossible`] says what
//! was wrong. That a cell is free when it is filled follows from the descriptors: no more messages
//! are under way than cells, and a descriptor comes back only after its cell was read.

use std::collections::VecDeque;
use std::ops::Deref;

use super::cell::{
    CELL_WORDS, Cursor, INLINE_BYTES, INLINE_WORDS, Storage, Word, decode, encode, for_each_word,
    lap_of,
};
use crate::sys::atomic::{Atomic, Ordering};

/// What a peer wrote, and no correct peer writes.
pub(super) type Impossible = &'static str;

/// RingWords of a ring: its cells, the places for buffers that come back, and how many short
/// messages were taken out of their cells for good.
pub(super) struct RingWords<W> {
    pub(super) cells: W,
    pub(super) returns: W,
    pub(super) taken: W,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> RingWords<W> {
    /// The first cell, and the first place for returned descriptors.
    fn begin(&self) -> (Cursor<CELL_WORDS>, Cursor<1>) {
        debug_assert_eq!(self.cells.len(), self.returns.len() * CELL_WORDS);
        let places = self.returns.len();
        (Cursor::new(places), Cursor::new(places))
    }
}

/// The sender's end.
pub(super) struct RingSender<W> {
    words: RingWords<W>,
    descriptors: u64,
    sent: Cursor<CELL_WORDS>,
    returned: Cursor<1>,
    /// Messages whose descriptors have not come back.
    under_way: u64,
    /// Those of them that lie in a buffer.
    in_buffers: u64,
    /// Short messages whose descriptors have come back.
    taken: u64,
    /// Buffers that came back, the last one at the end.
    free: VecDeque<u32>,
    /// Whether each buffer is with the receiver.
    away: Vec<bool>,
    /// Buffers from this one on were never used.
    fresh: u32,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> RingSender<W> {
    /// The end of a ring with room for `descriptors`, of which messages of up to `longest` bytes
    /// are to be sent.
    pub(super) fn new(words: RingWords<W>, descriptors: u32, longest: usize) -> Self {
        let buffers = if longest > INLINE_BYTES { descriptors as usize } else { 0 };
        let (sent, returned) = words.begin();
        Self {
            sent,
            returned,
            under_way: 0,
            words,
            descriptors: descriptors.into(),
            in_buffers: 0,
            taken: 0,
            free: VecDeque::with_capacity(buffers),
            away: vec![false; buffers],
            fresh: 0,
        }
    }

    /// Whether the receiver has a descriptor for one more message.
    #[inline(always)]
    pub(super) fn has_descriptor(&mut self) -> Result<bool, Impossible> {
        if self.under_way == self.descriptors {
            self.take_returned()?;
        }
        Ok(self.under_way < self.descriptors)
    }

    /// Takes the descriptors that have come back; no more than are under way.
    fn take_returned(&mut self) -> Result<(), Impossible> {
        self.take_buffers()?;
        // Pairs with the store in `post_again`: the receiver has read the cells.
        let taken = self.words.taken[0].load(Ordering::Acquire);
        let more = taken.wrapping_sub(self.taken);
        // Else there would be a descriptor without a buffer.
        if more > self.under_way - self.in_buffers {
            return Err("returned descriptors");
        }
        self.taken = taken;
        self.under_way -= more;
        Ok(())
    }

    /// Takes those of them that have come back with buffers.
    pub(super) fn take_buffers(&mut self) -> Result<(), Impossible> {
        while self.in_buffers > 0 {
            let at = self.returned;
            // Pairs with the store in `post_again`: the receiver has read the buffer.
            match decode(self.words.returns[at.index].load(Ordering::Acquire), at.lap) {
                Word::NotYet => break,
                Word::Here((Storage::Buffer(buffer), 0)) => {
                    let away = self.away.get_mut(buffer as usize).ok_or("returned buffer")?;
                    if !std::mem::take(away) {
                        return Err("returned buffer");
                    }
                    self.free.push_back(buffer);
                }
                _ => return Err("returned descriptor"),
            }
            self.returned.advance();
            self.in_buffers -= 1;
            self.under_way -= 1;
        }
        Ok(())
    }

    /// The buffer for the next message. To be called only when there is a descriptor: then there is
    /// a buffer too. With `in_turn` all take their turns, so that each was left alone for as long
    /// as can be.
    pub(super) fn next_buffer(&self, in_turn: bool) -> u32 {
        let in_use = match in_turn {
            true if (self.fresh as usize) < self.away.len() => None,
            true => self.free.front(),
            false => self.free.back(),
        };
        in_use.copied().unwrap_or(self.fresh)
    }

    /// Publishes the message `header`, `payload`, of at most [`INLINE_BYTES`] in all. To be called
    /// only when there is a descriptor.
    #[inline(always)]
    pub(super) fn push_inline(&mut self, header: &[u8], payload: &[u8]) {
        let cell = cell(&self.words.cells, self.sent.index);
        for_each_word(header, payload, |at, word| cell[1 + at].store(word, Ordering::Relaxed));
        // Pairs with the load in `look`.
        let len = (header.len() + payload.len()) as u64;
        cell[0].store(self.sent.inline_word() + len, Ordering::Release);
        self.under_way += 1;
        self.sent.advance();
    }

    /// Publishes a message of `len` bytes, which lies in the [next buffer](Self::next_buffer).
    pub(super) fn push_buffer(&mut self, len: usize, in_turn: bool) {
        let buffer = self.next_buffer(in_turn);
        if buffer == self.fresh {
            self.fresh += 1;
        } else if in_turn {
            self.free.pop_front();
        } else {
            self.free.pop_back();
        }
        self.away[buffer as usize] = true;
        // Pairs with the load in `look`: the buffer is filled.
        cell(&self.words.cells, self.sent.index)[0]
            .store(encode(self.sent.lap, Storage::Buffer(buffer), len), Ordering::Release);
        self.in_buffers += 1;
        self.under_way += 1;
        self.sent.advance();
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

/// The cell that begins at `first`.
#[inline(always)]
fn cell<A>(cells: &[A], first: usize) -> &[A; CELL_WORDS] {
    cells[first..].first_chunk().expect("cells are whole")
}

/// The words of a short message that lies in its cell, and behind it whatever is there: to stop at
/// its end takes longer.
#[inline(always)]
fn copy_words<A: Atomic<Value = u64>>(cell: &[A; CELL_WORDS], words: &mut [u64; INLINE_WORDS]) {
    for (word, place) in words.iter_mut().zip(&cell[1..]) {
        *word = place.load(Ordering::Relaxed);
    }
}

/// The receiver's end.
pub(super) struct RingReceiver<W> {
    words: RingWords<W>,
    descriptors: u64,
    longest: usize,
    /// The longest message that lies in its cell.
    longest_inline: u64,
    taken: Cursor<CELL_WORDS>,
    given_back: Cursor<1>,
    /// Short messages whose descriptors were posted again.
    done: u64,
    /// Messages that are with frames.
    with_frames: u64,
    /// Whether each buffer is with a frame.
    held: Vec<bool>,
    /// Where the message lies that was shown last.
    shown: Storage,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> RingReceiver<W> {
    /// The end of a ring with room for `descriptors`, by which messages of up to `longest` bytes
    /// may come.
    pub(super) fn new(words: RingWords<W>, descriptors: u32, longest: usize) -> Self {
        let buffers = if longest > INLINE_BYTES { descriptors as usize } else { 0 };
        let (taken, given_back) = words.begin();
        Self {
            taken,
            given_back,
            done: 0,
            with_frames: 0,
            words,
            descriptors: descriptors.into(),
            longest,
            longest_inline: longest.min(INLINE_BYTES) as u64,
            held: vec![false; buffers],
            shown: Storage::Inline,
        }
    }

    /// The next cell.
    #[inline(always)]
    fn next_cell(&self) -> &[A; CELL_WORDS] {
        cell(&self.words.cells, self.taken.index)
    }

    /// Whether [`look`](Self::look) would find nothing.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        // A receiver that finds something looks again. Pairs with the store in `push_inline` and
        // `push_buffer`.
        let word = &self.words.cells[self.taken.index];
        lap_of(word.load(Ordering::Acquire)) == self.taken.before
    }

    /// Where the next message lies and how long it is, if the first word of its cell says that it
    /// is there.
    #[inline(always)]
    fn judge(&self, word: u64) -> Result<Option<(Storage, usize)>, Impossible> {
        // Most often, and nothing else need be looked at.
        if lap_of(word) == self.taken.before {
            return Ok(None);
        }
        let Word::Here((place, len)) = decode(word, self.taken.lap) else {
            return Err("sequence of messages");
        };
        if self.with_frames == self.descriptors {
            return Err("number of messages");
        }
        if len > self.longest {
            return Err("message length");
        }
        match place {
            Storage::Inline if len > INLINE_BYTES => return Err("message length"),
            Storage::Inline => {}
            Storage::Buffer(buffer) => match self.held.get(buffer as usize) {
                Some(false) => {}
                _ => return Err("buffer"),
            },
        }
        Ok(Some((place, len)))
    }

    /// Takes the next message, if it is there.
    #[inline]
    pub(super) fn look(&mut self) -> Result<Option<Arrived>, Impossible> {
        let cell = self.next_cell();
        // Pairs with the store in `push_inline` and `push_buffer`: the message is there.
        let word = cell[0].load(Ordering::Acquire);
        let Some((place, len)) = self.judge(word)? else { return Ok(None) };
        let body = match place {
            Storage::Inline => {
                let mut words = [0; INLINE_WORDS];
                copy_words(cell, &mut words);
                Body::Inline(words)
            }
            Storage::Buffer(buffer) => {
                self.held[buffer as usize] = true;
                Body::Buffer(buffer)
            }
        };
        self.taken.advance();
        self.with_frames += 1;
        Ok(Some(Arrived { len, body }))
    }

    /// Where the next message lies and how long it is, if it is there; it stays there. A short one
    /// is copied to `words`. What is impossible is not shown; [`look`](Self::look) tells of that.
    #[inline(always)]
    pub(super) fn peek(&mut self, words: &mut [u64; INLINE_WORDS]) -> Option<(Storage, usize)> {
        let cell = self.next_cell();
        // Pairs with the store in `push_inline` and `push_buffer`: the message is there.
        let word = cell[0].load(Ordering::Acquire);
        // One comparison tells a short message that is as it should be from all else.
        let len = word.wrapping_sub(self.taken.inline_word());
        if len > self.longest_inline || self.with_frames >= self.descriptors {
            return self.peek_other(word, words);
        }
        copy_words(cell, words);
        self.shown = Storage::Inline;
        Some((Storage::Inline, len as usize))
    }

    #[inline(never)]
    fn peek_other(
        &mut self,
        word: u64,
        words: &mut [u64; INLINE_WORDS],
    ) -> Option<(Storage, usize)> {
        let (place, len) = self.judge(word).ok()??;
        if place == Storage::Inline {
            copy_words(self.next_cell(), words);
        }
        self.shown = place;
        Some((place, len))
    }

    /// Takes the message that [`peek`](Self::peek) has just shown, and posts its descriptor again:
    /// nothing is read of it any more.
    #[inline(always)]
    pub(super) fn take_peeked(&mut self) {
        self.taken.advance();
        self.post_again(self.shown);
    }

    /// Posts again the descriptor of a message that was taken, and of which nothing is read any
    /// more. One that was not is ignored.
    #[inline(always)]
    pub(super) fn give_back(&mut self, place: Storage) {
        if self.with_frames == 0 {
            return;
        }
        if let Storage::Buffer(buffer) = place {
            match self.held.get_mut(buffer as usize) {
                Some(held) if *held => *held = false,
                _ => return,
            }
        }
        self.with_frames -= 1;
        self.post_again(place);
    }

    #[inline(always)]
    fn post_again(&mut self, place: Storage) {
        if place == Storage::Inline {
            self.done += 1;
            // Pairs with the load in `take_returned`.
            self.words.taken[0].store(self.done, Ordering::Release);
            return;
        }
        let at = self.given_back;
        // Pairs with the load in `take_buffers`.
        self.words.returns[at.index].store(encode(at.lap, place, 0), Ordering::Release);
        self.given_back.advance();
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
