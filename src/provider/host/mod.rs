//! The network of a job by hosts: its ranks on one host reach each other by the *near* network,
//! those on other hosts by the *far* one. A job has one of the two, or both. [`Host`] knows
//! neither: any two networks that number the same ranks alike will do.
//!
//! `A` is the near network, `B` the far one; `Host::from(near)`, [`Host::far`] and [`Host::both`]
//! make the three cases. A program that is compiled with RDMA has a `HostNic`:
//!
//! | network of the job | its interface |
//! |---|---|
//! | shm | near alone |
//! | ib | far alone, an `Rdma` |
//! | mixed | both; the far one is an `Rdma` |
//!
//! An `Rdma` is a `Host` again, and never both: far where devices lose nothing, near where
//! [`reliable`](crate::provider::reliable) repeats what they lose.
//!
//! # How a call finds its way
//!
//! Which case it is, is asked again at each call: a branch that never changes, and no call through
//! a pointer. With one network all goes there. With both, each VI is of one network, by its peer's
//! host, and so is all that is asked of a peer (`reach`). What is left is in `both`:
//!
//! - **Polls** look into both networks in turn, so that neither keeps the other waiting.
//! - **Remote words.** A region lies twice in a rank's memory: near ranks put into the one
//!   network's, far ranks into the other's. A reader of a word says [which rank puts it][read].
//!   What a rank puts into its own memory, for others to fetch, it puts into both.
//! - **Shared words.** Each host has words of its own, in memory that its ranks share; a load and a
//!   store are of these. A word of another host is [written](SharedWords::write_at) by the far
//!   network, by way of one of its ranks. Nobody is woken by that; a rank never sleeps for longer
//!   than a beat without a look, so it does not sleep through it.
//! - **Sleep.** A rank can sleep in one network only, since a futex and the file of a device do not
//!   end the same sleep. It sleeps in that of the peer for which it waits, or else in that by which
//!   it last heard something (the far one, if nobody is near), and looks into the other every
//!   [`BEAT`].
//!
//! It is not causal, even if both networks are: a message sent by one may come before an earlier
//! one that was sent by the other.
//!
//! # Correctness
//!
//! No wake-up is lost: a message by the network of a sleep ends it without a beat, and news of the
//! other network come one beat late at most. The models show both.
//!
//! | file | what it is |
//! |---|---|
//! | `hosts` | which rank is on which host |
//! | `nic` | the verbs, and which network each goes to |
//! | `reads` | remote read, likewise |
//! | `words` | remote and shared words, likewise |
//! | `both` | what differs where there are two networks |
//! | `models` | sleep and wake-up under every interleaving |
//!
//! [read]: crate::verbs::RemoteWords::read
//! [`SharedWords::write_at`]: crate::verbs::SharedWords::write_at

mod both;
mod hosts;
#[cfg(all(test, loom, target_os = "linux"))]
pub(crate) mod models;
mod nic;
mod reads;
#[cfg(all(test, not(loom)))]
mod tests;
mod words;

pub use both::BEAT;
pub use hosts::{Hosts, InvalidHosts};

use std::fmt;

use both::Both;

use crate::order::Rank;
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
use crate::provider::{ib::IbNic, reliable::Reliable, shm::ShmNic};
#[cfg(doc)]
use crate::verbs::SharedWords;
use crate::verbs::{Nic, Written};

/// RDMA: repeated where the transport loses messages, or plain. One of the two.
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
pub type Rdma = Host<Reliable<IbNic>, IbNic>;

/// The interface of a job that chooses among shared memory, RDMA, and both.
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
pub type HostNic = Host<ShmNic, Rdma>;

/// A network between hosts that writes into memory of theirs.
pub trait Far: Nic {
    /// Writes a word of the memory that `peer` has exposed when it was connected, waiting for room
    /// in queues, and for nothing else: neither for the peer, nor until it is written. Words for
    /// one peer are written in the order in which this was called, and nobody is woken. False if
    /// the peer has gone, or has exposed no such word.
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool;

    /// What has become of all that was written so by `peer`, also if it has gone. A caller that
    /// asks again and again is told one day that nothing is under way any more.
    fn written_by(&self, peer: Rank) -> Written;
}

/// A rank's interface to a near network, a far one, or both.
pub struct Host<A: Nic, B: Far>(Networks<A, B>);

enum Networks<A: Nic, B: Far> {
    Near(A),
    Far(B),
    /// Apart, as it is larger than the others.
    Both(Box<Both<A, B>>),
}

/// Something of the near network, or of the far one.
#[derive(Debug)]
pub enum Either<A, B> {
    /// Of a rank on the same host.
    Near(A),
    /// Of one on another.
    Far(B),
}

/// Calls a method of whichever it is.
macro_rules! either {
    ($of:expr, $nic:ident => $call:expr) => {
        match $of {
            Either::Near($nic) => $call,
            Either::Far($nic) => $call,
        }
    };
}
use either;

impl<A: Nic, B: Far> From<A> for Host<A, B> {
    /// The near network alone.
    fn from(near: A) -> Host<A, B> {
        Host(Networks::Near(near))
    }
}

impl<A: Nic, B: Far> Host<A, B> {
    /// The far network alone.
    pub fn far(far: B) -> Host<A, B> {
        Host(Networks::Far(far))
    }

    /// Joins two interfaces of one rank. No VI is open yet, and nothing registered. `name` is what
    /// the two are called together. There are to be so many shared `words`, or none: of those of
    /// the near network each host has as many, the first host the first, and each rank has exposed
    /// its host's to the far network.
    ///
    /// # Panics
    ///
    /// If they are not of the same rank of as many ranks as there are hosts for, or the near
    /// network has too few words.
    pub fn both(name: &'static str, near: A, far: B, hosts: &Hosts, words: usize) -> Host<A, B> {
        Host(Networks::Both(Box::new(Both::new(name, (near, far), hosts, words))))
    }

    /// The network by which a peer is reached.
    #[inline(always)]
    fn reach(&self, peer: Rank) -> Either<&A, &B> {
        match &self.0 {
            Networks::Near(near) => Either::Near(near),
            Networks::Far(far) => Either::Far(far),
            Networks::Both(both) if both.is_near(peer) => Either::Near(&both.near),
            Networks::Both(both) => Either::Far(&both.far),
        }
    }

    /// As [`reach`](Host::reach).
    #[inline(always)]
    fn reach_mut(&mut self, peer: Rank) -> Either<&mut A, &mut B> {
        match &mut self.0 {
            Networks::Near(near) => Either::Near(near),
            Networks::Far(far) => Either::Far(far),
            Networks::Both(both) => {
                let is_near = both.is_near(peer);
                let Both { near, far, .. } = &mut **both;
                if is_near { Either::Near(near) } else { Either::Far(far) }
            }
        }
    }

    /// The near network, if there is one.
    #[inline(always)]
    fn near_mut(&mut self) -> Option<&mut A> {
        match &mut self.0 {
            Networks::Near(near) => Some(near),
            Networks::Far(_) => None,
            Networks::Both(both) => Some(&mut both.near),
        }
    }

    /// The far network, if there is one.
    #[inline(always)]
    fn far_mut(&mut self) -> Option<&mut B> {
        match &mut self.0 {
            Networks::Near(_) => None,
            Networks::Far(far) => Some(far),
            Networks::Both(both) => Some(&mut both.far),
        }
    }

    /// As [`far_mut`](Host::far_mut).
    fn far_ref(&self) -> Option<&B> {
        match &self.0 {
            Networks::Near(_) => None,
            Networks::Far(far) => Some(far),
            Networks::Both(both) => Some(&both.far),
        }
    }
}

#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
impl From<Rdma> for HostNic {
    fn from(far: Rdma) -> HostNic {
        Host::far(far)
    }
}

// Not derived: that would require networks that are `Debug`.
impl<A: Nic, B: Far> fmt::Debug for Host<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.size(), self.attributes().provider)
    }
}
