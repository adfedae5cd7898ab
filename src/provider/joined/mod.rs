//! Two networks joined: ranks of one host reach each other by the one, *near*, those of different hosts by the other,
//! *far*. It is for shared memory and RDMA, and knows neither: any two networks that number the same ranks alike will
//! do.
//!
//! Each VI is of one network, by its peer's host, and so is all that is asked of a peer. Polls look into both networks
//! in turn, so that neither keeps the other waiting.
//!
//! **Words.** A region lies twice in a rank's memory: what near ranks put is in the one network's, what far ranks put
//! in the other's. Who reads a word says [who puts it](crate::verbs::Nic::read_of). What a rank puts into its own memory, for others
//! to fetch, it puts into both.
//!
//! **Shared words.** Each host has words of its own, in memory that its ranks share; a load and a store are of these. A
//! word of another host is [written](crate::verbs::Nic::write_shared_at) by the far network, by way of one of its ranks.
//! Nobody is woken by that; since nobody sleeps for longer than a beat without a look, nobody sleeps through it.
//!
//! **Sleep.** A rank can sleep in one network only, since a futex and the file of a device do not end the same sleep. It
//! is that of the peer for which it sleeps, or else that by which it last heard something (the far one, if nobody is near),
//! and it looks into the other every [`BEAT`]: so news of the other network come that much late at most, and no wake-up is
//! lost. The models show both: what comes by the network of a sleep ends it without a beat, and one beat is enough for
//! all else.
//!
//! It is not causal, even if both networks are: what is sent by one may come before what was sent by the other.
//!
//! | file | what it is |
//! |---|---|
//! | `hosts` | which rank is on which host |
//! | `nic` | the verbs |
//! | `models` | sleep and wake-up under every interleaving |

mod hosts;
#[cfg(all(test, loom, target_os = "linux"))]
pub(crate) mod models;
mod nic;

pub use hosts::{Hosts, InvalidHosts};
pub use nic::{BEAT, Frame, Joined};

use crate::order::Rank;
use crate::verbs::{Nic, Written};

/// A network between hosts that writes into memory of theirs.
pub trait Far: Nic {
    /// Writes a word of the memory that `peer` has exposed when it was connected, waiting for room in queues, and for
    /// nothing else: neither for the peer, nor until it is written. Words for one peer are written in the order in which
    /// this was called, and nobody is woken. False if the peer has gone, or has exposed no such word.
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool;

    /// What has become of all that was written so by `peer`, also if it has gone. Who asks again and again is told one day
    /// that nothing is under way any more.
    fn written_by(&self, peer: Rank) -> Written;
}
