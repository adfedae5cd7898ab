//! Which word of the board is which. What they say, and who stores them when, stands in [`super`].

use crate::order::Rank;
use crate::order::relay::{PORTS, rounds};

/// The number of places. In a model few, since loom keeps books of every word.
pub(in crate::message) const PLACES: usize = if cfg!(loom) { 3 } else { 64 };

/// How many of them, the lowest, have cells where the ranks are on many hosts: enough for the groups that are as large at a
/// time, and the cells of all places would take more than all else.
pub(in crate::message) const CELL_PLACES: usize = if PLACES < 8 { PLACES } else { 8 };

/// Words that lie on one line, with its neighbour that processors fetch along with it.
pub(super) const LINE: usize = 16;

/// Which word is which, for a world of `size` ranks.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Layout {
    size: usize,
    /// The words of one place's epochs.
    row: usize,
    /// In how many rounds hosts tell each other; 0 where they need not.
    rounds: usize,
}

impl Layout {
    pub(in crate::message) const fn new(size: usize) -> Layout {
        Layout { size, row: size.next_multiple_of(LINE), rounds: 0 }
    }

    /// Where the ranks are on so many hosts that these tell each other.
    pub(in crate::message) const fn with_cells(size: usize, hosts: usize) -> Layout {
        Layout { rounds: rounds(hosts, PORTS), ..Layout::new(size) }
    }

    /// The number of words.
    pub(in crate::message) const fn words(self) -> usize {
        self.passed(CELL_PLACES, 0, 0)
    }

    /// The epochs of one place lie together and share no line with those of another.
    #[inline]
    pub(super) const fn epoch(self, place: usize, rank: Rank) -> usize {
        place * self.row + rank
    }

    #[inline]
    pub(super) const fn tag(self, place: usize, rank: Rank) -> usize {
        self.epoch(PLACES, 0) + place * self.size + rank
    }

    pub(super) const fn wants(self, rank: Rank) -> usize {
        self.tag(PLACES, 0).next_multiple_of(LINE) + rank * LINE
    }

    /// Laid out as the epochs are.
    #[inline]
    pub(super) const fn sum(self, place: usize, rank: Rank) -> usize {
        self.wants(self.size) + self.epoch(place, rank)
    }

    /// By which `rank` tells the host of this copy, in a round by a port, which counts from 1 on. Those of all ranks of one
    /// round and port lie together, as one looks at those of all ranks of a host.
    pub(super) const fn cell(self, place: usize, round: usize, port: usize, rank: Rank) -> usize {
        let nth = (place * self.rounds + round) * PORTS + port - 1;
        self.sum(PLACES, 0) + nth * self.row + rank
    }

    /// What `rank` has told in a round, for those of its own host.
    pub(super) const fn passed(self, place: usize, round: usize, rank: Rank) -> usize {
        let nth = place * self.rounds + round;
        self.cell(CELL_PLACES, 0, 1, 0) + nth * self.row + rank
    }
}
