//! How the members of a group learn of each other's barriers: what brings a write to its readers.
//!
//! Frames, words and the board carry the same writes of the same [`super::barrier`]. A group is made
//! with its carrier, and keeps it.
//!
//! Keeps rule GRP-2 of SEMANTICS.md.

use super::hosts::Topology;
use super::schedule::{Algorithm, Schedule};

/// How the members of a group learn of each other's barriers: which carrier brings what a rank
/// writes for a group, and to whom.
#[derive(Clone, Debug)]
pub enum Carrier<'s> {
    /// Signals by this algorithm, which the driver hands over in frames.
    Frames(Algorithm),
    /// The same by a schedule made by hand.
    Schedule(&'s Schedule),
    /// Signals by an algorithm that are words: each member writes into its own cell at the
    /// receiver, at a place of the driver's. By frames if the id is too high for a word. In no
    /// built-in algorithm a rank signals another twice, so one cell for each other rank suffices.
    Cells {
        /// By which schedule.
        algorithm: Algorithm,
        /// The place. It means nothing here.
        place: usize,
    },
    /// Words that all members of a host can read, at a place of the driver's.
    Board {
        /// The place. It means nothing here.
        place: usize,
        /// The hosts of the members; None if all are on one.
        hosts: Option<Topology>,
    },
}

impl Carrier<'_> {
    /// The board of one host.
    pub const fn board(place: usize) -> Carrier<'static> {
        Carrier::Board { place, hosts: None }
    }
}

impl From<Algorithm> for Carrier<'_> {
    fn from(algorithm: Algorithm) -> Self {
        Carrier::Frames(algorithm)
    }
}

impl<'s> From<&'s Schedule> for Carrier<'s> {
    fn from(schedule: &'s Schedule) -> Self {
        Carrier::Schedule(schedule)
    }
}
