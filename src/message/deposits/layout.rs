//! Which shared word of the deposits is which. [`super`] says what the words mean, and which rank
//! stores them when.

use crate::order::Rank;

/// Words that lie on one line, with its neighbour that processors fetch along with it.
pub(super) const LINE: usize = 16;

/// How many deposits of a rank in one group may lie there at a time. So far a rank runs ahead in calls
/// in which it waits for nobody.
pub(super) const SLOTS: usize = 64;

/// From the slot of one call to that of the next: odd, so that all are used in turn.
const STRIDE: u64 = 27;

const _: () = assert!(SLOTS.is_power_of_two() && !STRIDE.is_multiple_of(2));

/// The words of a slot before those of the message.
pub(super) const HEAD: usize = 2;

/// The words of a message that lie in its slot. 48 bytes lie on the line of the index, so a reader of little
/// fetches one line.
pub(super) const SHORT_WORDS: usize = LINE - HEAD;

/// How many rests of messages that are longer may lie there at a time. More of them would leave the
/// caches before they are used again.
pub(super) const RESTS: usize = 4;

/// The words of a rest: with the slot there is room for a message of a KiB, and what a collective says of
/// it.
const REST: usize = 8 * LINE;

/// The longest deposit, in bytes.
pub const MOST_BYTES: usize = MOST_WORDS * 8;

/// The same in words.
pub(super) const MOST_WORDS: usize = SHORT_WORDS + REST;

/// The words of one rank at one place: a line for its tag and what it has finished, the slots, and the
/// rests.
const ROOM: usize = LINE + SLOTS * LINE + RESTS * REST;

/// How many places have room for deposits: the first ones of the board. In models none: loom keeps
/// books of every word.
pub(super) const PLACES: usize = if cfg!(loom) { 0 } else { 16 };

/// The most ranks that deposit: a host has no more.
pub(super) const MOST_RANKS: usize = 256;

/// Which word is which, in a world on one host.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Layout {
    first: usize,
    ranks: usize,
}

impl Layout {
    /// The words of the deposits, behind the `before` words of the board, of a world of `size` ranks on so
    /// many hosts. On several nobody deposits: what comes from other hosts is not causal.
    pub(in crate::message) const fn behind(before: usize, size: usize, hosts: usize) -> Layout {
        let ranks = match hosts {
            0..=1 if size < MOST_RANKS => size,
            0..=1 => MOST_RANKS,
            _ => 0,
        };
        Layout { first: before.next_multiple_of(LINE), ranks }
    }

    /// Whether a rank has words.
    pub(super) const fn has_words(self, rank: Rank) -> bool {
        rank < self.ranks
    }

    /// The number of words, with those before.
    pub(in crate::message) const fn words(self) -> usize {
        self.tag(PLACES, 0)
    }

    /// What a rank sleeps for, in two words on a line of their own.
    #[inline]
    pub(super) const fn wants(self, rank: Rank) -> usize {
        self.first + rank * LINE
    }

    /// For which group the words of a rank at a place count.
    #[inline]
    pub(super) const fn tag(self, place: usize, rank: Rank) -> usize {
        self.wants(self.ranks) + (place * self.ranks + rank) * ROOM
    }

    /// The latest call of which a rank has read all that it needs.
    #[inline]
    pub(super) const fn finished(self, place: usize, rank: Rank) -> usize {
        self.tag(place, rank) + 1
    }

    /// The index of the call whose deposit lies in the slot that this call uses, and who reads it.
    #[inline]
    pub(super) const fn index(self, place: usize, rank: Rank, index: u64) -> usize {
        self.tag(place, rank) + LINE + slot(index) * LINE
    }

    /// The stamp and the length of the message there.
    #[inline]
    pub(super) const fn stamp(self, place: usize, rank: Rank, index: u64) -> usize {
        self.index(place, rank, index) + 1
    }

    /// The first word of the message there.
    #[inline]
    pub(super) const fn message(self, place: usize, rank: Rank, index: u64) -> usize {
        self.index(place, rank, index) + HEAD
    }

    /// The first word of what does not lie there of a message that is longer than [`SHORT_WORDS`].
    #[inline]
    pub(super) const fn rest(self, place: usize, rank: Rank, index: u64) -> usize {
        self.tag(place, rank) + LINE + SLOTS * LINE + rest(index) * REST
    }
}

/// The slot that a call uses. Those of calls that follow each other do not lie side by side: a processor
/// that sees lines read one after the other fetches the next ahead, before it is written. (Side by side,
/// two ranks took 5 % longer for an `all_reduce`.)
#[inline]
pub(super) const fn slot(index: u64) -> usize {
    (index.wrapping_mul(STRIDE) % SLOTS as u64) as usize
}

/// The room for a rest that a call uses, if it needs one.
#[inline]
pub(super) const fn rest(index: u64) -> usize {
    (index % RESTS as u64) as usize
}
