//! Which word of the board is which. [`super`] says what the words mean, and which rank stores them
//! when.

use crate::message::barriers::places::PLACES;
use crate::order::Rank;
use crate::order::hosts::{Cell, rounds};

/// Words that lie on one line, with its neighbour that processors fetch along with it.
pub(super) const LINE: usize = 16;

/// Which word is which, for a world of `size` ranks.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Layout {
    size: usize,
    /// The words of one place's epochs.
    row: usize,
    /// In how many rounds hosts tell each other; 0 where there is only one.
    rounds: usize,
}

impl Layout {
    pub(in crate::message) const fn new(size: usize) -> Layout {
        Layout { size, row: size.next_multiple_of(LINE), rounds: 0 }
    }

    /// The words of each of so many hosts, of which one tells `ports` others in a round.
    pub(in crate::message) const fn on_hosts(size: usize, hosts: usize, ports: usize) -> Layout {
        Layout { rounds: rounds(hosts, ports), ..Layout::new(size) }
    }

    /// The number of words.
    pub(in crate::message) const fn words(self) -> usize {
        self.has_told(PLACES, 0, 0)
    }

    /// The word of a rank at a place that says this.
    #[inline]
    pub(super) const fn of(self, place: usize, rank: Rank, cell: Cell) -> usize {
        match cell {
            Cell::Entered => self.epoch(place, rank),
            Cell::Complete => self.completed(place, rank),
            Cell::Told { round } => self.cell(place, round, rank),
            Cell::HasTold { round } => self.has_told(place, round, rank),
        }
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
    pub(super) const fn completed(self, place: usize, rank: Rank) -> usize {
        self.wants(self.size) + self.epoch(place, rank)
    }

    /// What `rank` of another host tells this one in a round. In the first it is where the epoch of
    /// a rank of this host would stand. The words of one round lie together, since a look is at
    /// those of all ranks of a host.
    #[inline]
    pub(super) const fn cell(self, place: usize, round: usize, rank: Rank) -> usize {
        match round {
            0 => self.epoch(place, rank),
            _ => {
                let index = place * (self.rounds - 1) + round - 1;
                self.completed(PLACES, 0) + index * self.row + rank
            }
        }
    }

    /// What `rank` has told other hosts in a round, for those of its own.
    #[inline]
    pub(super) const fn has_told(self, place: usize, round: usize, rank: Rank) -> usize {
        let cells = PLACES * self.rounds.saturating_sub(1);
        let index = cells + place * self.rounds + round;
        self.completed(PLACES, 0) + index * self.row + rank
    }
}
