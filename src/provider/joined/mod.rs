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
//! **Shared words.** Each host has a copy of them, in memory that its ranks share: a word is stored there, and written
//! into the copies of all other hosts by the far network. A load is one of the own host's memory. Who stores a word,
//! and then loads one that a rank of another host stores at the same time, may not find it there, and neither does the
//! other; since nobody sleeps for longer than a beat without a look, nobody sleeps through one.
//!
//! Where hosts are many a caller has a word written to one of them alone ([`crate::verbs::Nic::store_shared_at`]).
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
//! | `spread` | shared words of which each host has a copy |
//! | `stored` | what a rank has stored of them |
//! | `nic` | the verbs |
//! | `models` | sleep and wake-up under every interleaving |

mod hosts;
#[cfg(all(test, loom, target_os = "linux"))]
pub(crate) mod models;
mod nic;
mod spread;
mod stored;

pub use hosts::{Hosts, InvalidHosts};
pub use nic::{BEAT, Frame, Joined};
pub use spread::{Far, Written};
