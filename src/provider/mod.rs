//! Implementations of the verbs ([`crate::verbs::Nic`]), and middleware that wraps one.
//!
//! A provider moves bytes. It knows no barriers, clocks, tags or credits.
//!
//! | module | what it is |
//! |---|---|
//! | [`threads`] | all ranks are threads of one process |
//! | `shm` | ranks are processes or threads of one host and share memory; Linux only |
//! | `ib` | ranks are processes that reach each other by RDMA; Linux only, with the feature `ib` |
//! | [`host`] | one network between the ranks of a host, one between hosts, or both |
//! | [`fault`] | wraps any other, and loses, repeats and delays messages by a seeded plan |
//! | [`reliable`] | wraps one that loses, repeats and delays messages, and repairs that |

#[cfg(all(target_os = "linux", any(all(feature = "ib", not(loom)), all(test, loom))))]
mod armed;
mod bootstrap;
mod buffer;
mod limits;
mod spec;
mod transport;
mod words;

pub mod fault;
pub mod host;
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
pub mod ib;
pub mod reliable;
#[cfg(target_os = "linux")]
pub mod shm;
pub mod threads;

pub use bootstrap::{Bootstrap, BootstrapError};
pub use spec::{FabricSpec, QueueSpec};
pub use transport::Transport;
