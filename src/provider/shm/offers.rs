//! Offers: a payload that its receiver reads in the memory of its sender, in one copy, while that one stays in
//! its call. Neither waits for the other: the sender may withdraw at any moment.
//!
//! Keeps rules COL-10 and SAFE-1 of SEMANTICS.md.
//!
//! Each ordered pair of ranks has a *state* in shared memory: the number of the sender's last offer, and whether
//! it stands, was accepted, or was withdrawn. The sender writes a new number. From there one of two steps goes,
//! each a compare-and-swap: the receiver accepts, once it has read all, or the sender withdraws.
//!
//! Nothing is offered to a rank that [cannot read](super::reading) it.
//!
//! # Correctness
//!
//! Of both steps one succeeds, whichever comes first. If the receiver's does, the offer stood until then, so the
//! payload had not changed when it was read. If the sender's does, the receiver does not use what it has read, and
//! the sender sends the payload otherwise. A receiver that cannot read does not accept, so the sender withdraws.
//!
//! A wrong state makes a sender believe that its payload was read, which harms the receiver that wrote it, or keeps it from
//! offering.

use std::fmt;
use std::sync::Arc;

use super::layout::SegmentLayout;
use super::pair_words::PairWords;
use super::reading::{ReadEnd, Reading};
use crate::order::Rank;
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::memory::{AtomicU64, MappedWord, Mapping};
use crate::verbs::{self, RemoteBuffer};

/// The word of a pair: the state.
pub(super) const PAIR_WORDS: usize = 1;

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
    pairs: PairWords,
    last_number: u32,
}

impl Offers {
    pub(super) fn new(
        own: Rank,
        layout: &SegmentLayout,
        mapping: &Arc<Mapping>,
        rank_count: usize,
    ) -> Offers {
        let place = |receiver, sender| layout.offers(receiver, sender);
        Offers {
            pairs: PairWords::new(own, (mapping, rank_count), PAIR_WORDS, place),
            last_number: 0,
        }
    }

    /// Offers `payload` to `peer`, if that one can read it and no offer to it stands.
    pub(super) fn offer(
        &mut self,
        reading: &mut Reading,
        peer: Rank,
        payload: &[u8],
    ) -> Option<Offer> {
        if !reading.is_read_by(peer) {
            return None;
        }
        let words = &self.pairs.outgoing[peer];
        let number = self.last_number.wrapping_add(1);
        if !make(&words[0], number) {
            return None;
        }
        self.last_number = number;
        let address = payload.as_ptr().expose_provenance() as u64;
        let buffer = RemoteBuffer { address, key: number };
        Some(Offer { pair: words.word(0), buffer })
    }

    /// Reads what `peer` offers, and accepts it.
    pub(super) fn accept(
        &mut self,
        reading: &mut Reading,
        peer: Rank,
        buffer: RemoteBuffer,
        room: &mut [u8],
    ) -> bool {
        let can_read = reading.try_reading(peer);
        let pair = &self.pairs.incoming[peer][0];
        can_read
            && stands(pair, buffer.key)
            && reading.read(peer, buffer.address, room) == ReadEnd::Read
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
