//! Offers: a payload that its receiver reads in the memory of its sender, in one copy, while that one stays in
//! its call. Neither waits for the other: the sender may withdraw at any moment.
//!
//! Keeps rules COL-10 and SAFE-1 of SEMANTICS.md.
//!
//! Each ordered pair of ranks has a *state* in shared memory: the number of the sender's last offer, and whether
//! it stands, was accepted, or was withdrawn. The sender writes a new number. From there one of two steps goes,
//! each a compare-and-swap: the receiver accepts, once it has read all, or the sender withdraws.
//!
//! The system lets a rank read another's memory, or not, and a process may be another than its number says
//! (containers). So a rank first reads a random number of the peer, whose place that one tells in shared memory,
//! and compares. It tells the peer that it can: nothing is offered to a rank that cannot. After each payload it reads
//! the number once more: the system may have given the process number to another meanwhile.
//!
//! # Correctness
//!
//! Of both steps one succeeds, whichever comes first. If the receiver's does, the offer stood until then, so the
//! payload had not changed when it was read. If the sender's does, the receiver does not use what it has read, and
//! the sender sends the payload otherwise. A receiver that cannot read does not accept, so the sender withdraws.
//!
//! What a peer tells of its memory is checked by the system, and what it has there is what it has sent. A wrong
//! state makes a sender believe that its payload was read, which harms the receiver that wrote it, or keeps it from
//! offering.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::layout::SegmentLayout;
use crate::order::Rank;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::memory::{AtomicU64, Mapped, MappedWord, Mapping};
use crate::sys::process::own_pid;
use crate::sys::process_memory::read_process;
use crate::verbs::{self, RemoteBuffer};

/// The words of a pair: the state, and whether the receiver can read the sender's memory.
pub(super) const PAIR_WORDS: usize = 2;
const STATE: usize = 0;
const READABLE: usize = 1;

/// The words of a rank: its process, or 0 as long as it has not come; where its random number lies; and that.
pub(super) const RANK_WORDS: usize = 3;
const PROCESS: usize = 0;
const PLACE: usize = 1;
const RANDOM: usize = 2;

const STANDS: u64 = 1;
const ACCEPTED: u64 = 2;
const WITHDRAWN: u64 = 3;

/// The state of the offer with this number.
const fn state(number: u32, of: u64) -> u64 {
    (number as u64) << 32 | of
}

/// Makes the offer with this number, if none stands.
pub(super) fn make<A: Atomic<Value = u64>>(pair: &A, number: u32) -> bool {
    // The sender reads what it has written itself, or that the receiver has accepted: nothing hangs on that.
    if pair.load(Ordering::Relaxed) & u64::from(u32::MAX) == STANDS {
        return false;
    }
    // The message that tells the receiver of the offer publishes the payload.
    pair.store(state(number, STANDS), Ordering::Relaxed);
    true
}

/// Whether the offer stands: else there is nothing to be read.
fn stands<A: Atomic<Value = u64>>(pair: &A, number: u32) -> bool {
    // A look, which `accept` makes sure of.
    pair.load(Ordering::Relaxed) == state(number, STANDS)
}

/// Accepts an offer, of which all was read before; false if it was withdrawn.
pub(super) fn accept<A: Atomic<Value = u64>>(pair: &A, number: u32) -> bool {
    let (stands, accepted) = (state(number, STANDS), state(number, ACCEPTED));
    // Pairs with the loads of `is_accepted` and `withdraw`: what was read was read before.
    pair.compare_exchange(stands, accepted, Ordering::Release, Ordering::Relaxed).is_ok()
}

/// Whether an offer was accepted: its payload may change.
pub(super) fn is_accepted<A: Atomic<Value = u64>>(pair: &A, number: u32) -> bool {
    // Pairs with `accept`.
    pair.load(Ordering::Acquire) == state(number, ACCEPTED)
}

/// Withdraws an offer; false if it was accepted. Its payload may change.
pub(super) fn withdraw<A: Atomic<Value = u64>>(pair: &A, number: u32) -> bool {
    let (stands, withdrawn) = (state(number, STANDS), state(number, WITHDRAWN));
    // Where it succeeds no later `accept` does, whatever that one has read: there is nothing to order. Where
    // it fails, it pairs with `accept`.
    match pair.compare_exchange(stands, withdrawn, Ordering::Relaxed, Ordering::Acquire) {
        Ok(_) => true,
        Err(now) => now != state(number, ACCEPTED),
    }
}

/// What one rank knows of offers to and from all others.
pub(super) struct Offers {
    /// The pairs in which this rank is the sender, and those in which it is the receiver. None where there are
    /// no queues: then no VI is open either, and nothing is offered.
    outgoing: Vec<Mapped<AtomicU64>>,
    incoming: Vec<Mapped<AtomicU64>>,
    ranks: Vec<Mapped<AtomicU64>>,
    /// The number that peers read here.
    random: Box<u64>,
    /// Whether this rank can read the memory of each; None as long as it has not tried.
    can_read: Vec<Option<bool>>,
    last_number: u32,
}

impl Offers {
    pub(super) fn new(
        own: Rank,
        layout: &SegmentLayout,
        mapping: &Arc<Mapping>,
        rank_count: usize,
    ) -> Offers {
        let pair = |receiver, sender| {
            layout.offers(receiver, sender).map(|at| mapping.words(at, PAIR_WORDS))
        };
        let rank = |rank| mapping.words(layout.control.identity(rank), RANK_WORDS);
        let offers = Offers {
            outgoing: (0..rank_count).filter_map(|peer| pair(peer, own)).collect(),
            incoming: (0..rank_count).filter_map(|peer| pair(own, peer)).collect(),
            ranks: (0..rank_count).map(rank).collect(),
            random: Box::new(RandomState::new().hash_one(own)),
            can_read: vec![None; rank_count],
            last_number: 0,
        };
        let words: &[AtomicU64] = &offers.ranks[own];
        words[PLACE].store(
            std::ptr::from_ref(&*offers.random).expose_provenance() as u64,
            Ordering::Relaxed,
        );
        words[RANDOM].store(*offers.random, Ordering::Relaxed);
        // Pairs with the load of `try_reading`.
        words[PROCESS].store(own_pid().into(), Ordering::Release);
        offers
    }

    /// Finds out whether this rank can read the memory of `peer`, and tells that one.
    fn try_reading(&mut self, peer: Rank) -> bool {
        if let Some(can_read) = self.can_read[peer] {
            return can_read;
        }
        // Pairs with the last store of `new`.
        let process = self.ranks[peer][PROCESS].load(Ordering::Acquire);
        if process == 0 {
            return false;
        }
        let can_read = self.has_random(peer, process);
        self.can_read[peer] = Some(can_read);
        // A hint: a sender that sees it late offers later.
        self.incoming[peer][READABLE].store(can_read.into(), Ordering::Relaxed);
        can_read
    }

    /// Whether the random number of `peer` lies in this process where that one has told.
    fn has_random(&self, peer: Rank, process: u64) -> bool {
        let words = &self.ranks[peer];
        // Written before the process number, which was loaded before.
        let place = words[PLACE].load(Ordering::Relaxed);
        let random = words[RANDOM].load(Ordering::Relaxed);
        let mut found = [0; 8];
        u32::try_from(process).is_ok_and(|process| read_process(process, place, &mut found))
            && u64::from_ne_bytes(found) == random
    }

    /// Offers `payload` to `peer`, if that one can read it and no offer to it stands.
    pub(super) fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<Offer> {
        // So that the peer offers, too.
        self.try_reading(peer);
        let words = &self.outgoing[peer];
        if words[READABLE].load(Ordering::Relaxed) != 1 {
            return None;
        }
        let number = self.last_number.wrapping_add(1);
        if !make(&words[STATE], number) {
            return None;
        }
        self.last_number = number;
        let address = payload.as_ptr().expose_provenance() as u64;
        let buffer = RemoteBuffer { address, key: number };
        Some(Offer { pair: words.word(STATE), buffer })
    }

    /// Reads what `peer` offers, and accepts it.
    pub(super) fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        let can_read = self.try_reading(peer);
        let pair = &self.incoming[peer][STATE];
        if !can_read || !stands(pair, buffer.key) {
            return false;
        }
        let process = self.ranks[peer][PROCESS].load(Ordering::Relaxed);
        u32::try_from(process).is_ok_and(|process| read_process(process, buffer.address, room))
            // A process has its number as long as it lives, so that of the peer had it all the while.
            && self.has_random(peer, process)
            && accept(pair, buffer.key)
    }
}

/// An offer of a rank that shares memory with its receiver.
pub struct Offer {
    pair: MappedWord<AtomicU64>,
    buffer: RemoteBuffer,
}

impl verbs::Offer for Offer {
    fn buffer(&self) -> RemoteBuffer {
        self.buffer
    }

    fn is_accepted(&self) -> bool {
        is_accepted(&*self.pair, self.buffer.key)
    }

    fn withdraw(self) -> bool {
        withdraw(&*self.pair, self.buffer.key)
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        withdraw(&*self.pair, self.buffer.key);
    }
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offer {} at {:#x}", self.buffer.key, self.buffer.address)
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
