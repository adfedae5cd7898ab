//! Multicast: two words to all other ranks by one request, which any of them may miss. What only
//! some networks have.

use crate::order::Rank;
use crate::verbs::Absent;

/// Sending to all ranks at once, if a network can: see [`Nic::multicast`].
///
/// [`Nic::multicast`]: crate::verbs::Nic::multicast
pub trait Multicast {
    /// Sends two words to all other ranks by one request, however many they are. The words arrive
    /// as they were sent, and nothing else is promised: each rank may get them late, after others
    /// that were sent later, twice, or never. Where there is no room they are not sent. So they
    /// must do no harm when they are old: **the receiver's caller must keep the newer of two**, and
    /// must learn in another way of lost words. Nothing is written into any region.
    fn post(&mut self, words: [u64; 2]);

    /// The next of such words that have come, and the rank that sent them. A rank that has called
    /// this once is woken by them from then on ([`wait`](crate::verbs::Nic::wait)). One that calls
    /// it seldom loses some: there is room for some dozens.
    fn poll(&mut self) -> Option<(Rank, [u64; 2])>;
}

impl Multicast for Absent {
    fn post(&mut self, _: [u64; 2]) {
        match *self {}
    }

    fn poll(&mut self) -> Option<(Rank, [u64; 2])> {
        match *self {}
    }
}

/// Why words cannot be sent to all ranks at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMulticast {
    /// The network has nothing of the kind, or the user does not want it.
    NotOffered,
    /// It would have, and cannot here: why, in words for users.
    Unavailable(&'static str),
}
