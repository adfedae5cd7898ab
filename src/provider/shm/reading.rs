//! Which ranks can read each other's memory where the system has it: found out by a real read, and told the
//! peer in shared memory.
//!
//! Keeps rules COL-10, FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! The system lets a rank read another's memory, or not, and a process may be another than its number says
//! (containers). So a rank first reads a random number of the peer, whose place that one tells in shared memory,
//! and compares. It tells the peer that it can: nothing is offered or lent to a rank that cannot. With each payload
//! it reads the number once more: the system may have given the process number to another meanwhile. Where the
//! system refuses what it has allowed before, the rank takes back what it has told.
//!
//! # Correctness
//!
//! The number is read behind the payload, in one call: a process has its number as long as it lives, so that of
//! the peer had it while the payload was read. What a peer tells of its memory is checked by the system, and what
//! it has there is what it has sent.

use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::sync::Arc;

use super::layout::SegmentLayout;
use super::pair_words::PairWords;
use crate::order::Rank;
use crate::sys::atomic::Ordering;
use crate::sys::memory::{AtomicU64, Mapped, Mapping};
use crate::sys::process::own_pid;
use crate::sys::process_memory::{read_process, read_process_and_word};

/// The word of a pair: whether the receiver can read the sender's memory.
pub(super) const PAIR_WORDS: usize = 1;

/// The words of a rank: its process, or 0 as long as it has not come; where its random number lies; and that.
pub(super) const RANK_WORDS: usize = 3;
const PROCESS: usize = 0;
const PLACE: usize = 1;
const RANDOM: usize = 2;

/// What became of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadEnd {
    Read,
    /// The system refuses: the peer lives, and what it has must come otherwise.
    Refused,
    /// The peer has gone, or has nothing there.
    Failed,
}

/// Whether this rank can read the memory of another, as far as it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Untried,
    /// The system refuses, or the rank is not where it says.
    Refused,
    /// It could, in the process with this number.
    Process(u64),
}

/// What one rank knows of who can read whose memory.
pub(super) struct Reading {
    pairs: PairWords,
    ranks: Vec<Mapped<AtomicU64>>,
    /// The number that peers read here.
    random: Box<u64>,
    /// Whether this rank can read the memory of each.
    reach: Vec<Reach>,
}

impl Reading {
    pub(super) fn new(
        own: Rank,
        layout: &SegmentLayout,
        mapping: &Arc<Mapping>,
        rank_count: usize,
    ) -> Reading {
        let place = |receiver, sender| layout.readable(receiver, sender);
        let rank = |rank| mapping.words(layout.control.identity(rank), RANK_WORDS);
        let reading = Reading {
            pairs: PairWords::new(own, (mapping, rank_count), PAIR_WORDS, place),
            ranks: (0..rank_count).map(rank).collect(),
            random: Box::new(RandomState::new().hash_one(own)),
            reach: vec![Reach::Untried; rank_count],
        };
        let words: &[AtomicU64] = &reading.ranks[own];
        words[PLACE].store(
            std::ptr::from_ref(&*reading.random).expose_provenance() as u64,
            Ordering::Relaxed,
        );
        words[RANDOM].store(*reading.random, Ordering::Relaxed);
        // Pairs with the load of `try_reading`.
        words[PROCESS].store(own_pid().into(), Ordering::Release);
        reading
    }

    /// Finds out whether this rank can read the memory of `peer`, and tells that one.
    #[inline]
    pub(super) fn try_reading(&mut self, peer: Rank) -> bool {
        match self.reach[peer] {
            Reach::Process(_) => true,
            Reach::Refused => false,
            Reach::Untried => self.try_first(peer),
        }
    }

    #[cold]
    fn try_first(&mut self, peer: Rank) -> bool {
        // Pairs with the last store of `new`.
        let process = self.ranks[peer][PROCESS].load(Ordering::Acquire);
        if process == 0 || self.pairs.incoming.get(peer).is_none() {
            return false;
        }
        let can_read = self.has_random(peer, process);
        self.tell(peer, if can_read { Reach::Process(process) } else { Reach::Refused });
        can_read
    }

    /// Whether the random number of `peer` lies in this process where that one has told.
    fn has_random(&self, peer: Rank, process: u64) -> bool {
        let (place, random) = self.random_of(peer);
        let mut found = [0; 8];
        u32::try_from(process).is_ok_and(|process| read_process(process, place, &mut found))
            && u64::from_ne_bytes(found) == random
    }

    /// Where the random number of `peer` lies, and that.
    fn random_of(&self, peer: Rank) -> (u64, u64) {
        let words = &self.ranks[peer];
        // Written before the process number, which was loaded before.
        (words[PLACE].load(Ordering::Relaxed), words[RANDOM].load(Ordering::Relaxed))
    }

    /// Whether `peer` can read the memory of this rank. Finds out the reverse, so that the peer learns of it.
    #[inline]
    pub(super) fn is_read_by(&mut self, peer: Rank) -> bool {
        self.try_reading(peer);
        self.pairs.outgoing.get(peer).is_some_and(|words| words[0].load(Ordering::Relaxed) == 1)
    }

    /// Reads what lies at `address` in the memory of `peer`.
    pub(super) fn read(&mut self, peer: Rank, address: u64, room: &mut [u8]) -> ReadEnd {
        if !self.try_reading(peer) {
            return ReadEnd::Refused;
        }
        let process = self.ranks[peer][PROCESS].load(Ordering::Relaxed);
        let (place, random) = self.random_of(peer);
        let Ok(number) = u32::try_from(process) else { return ReadEnd::Failed };
        match read_process_and_word(number, (address, room), place) {
            Ok(found) if found == random => ReadEnd::Read,
            // Of another process, which the peer names now, it says nothing.
            Err(error)
                if error.kind() == ErrorKind::PermissionDenied
                    && self.reach[peer] == Reach::Process(process) =>
            {
                self.tell(peer, Reach::Refused);
                ReadEnd::Refused
            }
            _ => ReadEnd::Failed,
        }
    }

    /// Tells `peer` whether this rank can read its memory.
    fn tell(&mut self, peer: Rank, reach: Reach) {
        if let Some(told) = self.pairs.incoming.get(peer) {
            // A hint: a sender that sees it late lends and offers later, or once more in vain.
            told[0].store((reach != Reach::Refused).into(), Ordering::Relaxed);
        }
        self.reach[peer] = reach;
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
