//! Which shared word of the deposits is which. [`super`] says what the words mean, and which rank
//! stores them when.

/// Words that lie on one line, with its neighbour that processors fetch along with it.
const LINE: usize = 16;

/// How many deposits of a rank in one group may lie there at a time.
pub(super) const SLOTS: usize = 4;

/// The words of a slot: room for a message of a KiB, with what a collective says of it.
const SLOT: usize = 9 * LINE;

/// The longest deposit, in bytes. 48 of them lie on the line of the index, so a reader of little fetches
/// one line.
pub const MOST_BYTES: usize = MOST_WORDS * 8;

/// The same in words.
pub(super) const MOST_WORDS: usize = SLOT - HEAD;

/// The words of a slot before those of the message.
const HEAD: usize = 2;

/// The words of one rank at one place: a line for its tag and what it has finished, and the slots.
const ROOM: usize = LINE + SLOTS * SLOT;

/// How many places have room for deposits: the first ones of the board. In models none: loom keeps
/// books of every word.
pub(super) const PLACES: usize = if cfg!(loom) { 0 } else { 16 };

/// The most ranks of a host that deposit: shared memory has no more.
pub(super) const MOST_SEATS: usize = 256;

/// The index of a rank among those of its host, whose words lie there.
pub(super) type Seat = usize;

/// Which word is which, on each host of a world.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Layout {
    first: usize,
    seats: usize,
}

impl Layout {
    /// The words of the deposits, behind the `before` words of the board, of a world of `size` ranks.
    pub(in crate::message) const fn behind(before: usize, size: usize) -> Layout {
        let seats = if size < MOST_SEATS { size } else { MOST_SEATS };
        Layout { first: before.next_multiple_of(LINE), seats }
    }

    /// The number of words, with those before.
    pub(in crate::message) const fn words(self) -> usize {
        self.tag(PLACES, 0)
    }

    /// What a rank sleeps for, on a line of its own.
    #[inline]
    pub(super) const fn wants(self, seat: Seat) -> usize {
        self.first + seat * LINE
    }

    /// For which group the words of a rank at a place count.
    #[inline]
    pub(super) const fn tag(self, place: usize, seat: Seat) -> usize {
        self.wants(self.seats) + (place * self.seats + seat) * ROOM
    }

    /// The latest call of which a rank has read all that it needs.
    #[inline]
    pub(super) const fn finished(self, place: usize, seat: Seat) -> usize {
        self.tag(place, seat) + 1
    }

    /// The index of the call whose deposit lies in the slot that this call uses, and who reads it.
    #[inline]
    pub(super) const fn index(self, place: usize, seat: Seat, index: u64) -> usize {
        self.tag(place, seat) + LINE + slot(index) * SLOT
    }

    /// The stamp and the length of the message there.
    #[inline]
    pub(super) const fn stamp(self, place: usize, seat: Seat, index: u64) -> usize {
        self.index(place, seat, index) + 1
    }

    /// The first word of the message there.
    #[inline]
    pub(super) const fn message(self, place: usize, seat: Seat, index: u64) -> usize {
        self.index(place, seat, index) + HEAD
    }
}

/// The slot that a call uses.
#[inline]
pub(super) const fn slot(index: u64) -> usize {
    (index % SLOTS as u64) as usize
}
