//! The only module that names threads, processes, atomics, files and the operating system.
//!
//! Under `cfg(loom)` the names are loom's, so that everything built from them can be modelled. It
//! contains names only, and no protocol. A name comes here when something uses it.

pub(crate) mod ahead;
pub(crate) mod atomic;
#[cfg(all(target_os = "linux", loom))]
pub(crate) mod beats;
pub(crate) mod channel;
pub(crate) mod copy;
#[cfg(all(test, loom))]
pub(crate) mod explore;
#[cfg(target_os = "linux")]
pub(crate) mod family;
#[cfg(target_os = "linux")]
pub(crate) mod fd;
pub(crate) mod file;
#[cfg(target_os = "linux")]
pub(crate) mod futex;
pub(crate) mod host;
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
pub(crate) mod ibverbs;
pub(crate) mod lines;
pub(crate) mod lock;
pub(crate) mod membarrier;
#[cfg(target_os = "linux")]
pub(crate) mod memory;
#[cfg(target_os = "linux")]
pub(crate) mod process;
#[cfg(target_os = "linux")]
pub(crate) mod process_memory;
pub(crate) mod shared;
pub(crate) mod slice;
#[cfg(target_os = "linux")]
pub(crate) mod stream;
#[cfg(target_os = "linux")]
pub(crate) mod tcp;
pub(crate) mod thread;
mod thread_name;
pub(crate) mod time;
pub(crate) mod warn;
pub(crate) mod words;
