//! The concurrent parts with their models, and what these name of the rest of the crate: all but `launch`
//! and the command. The files are those of `src`; see `Cargo.toml` for what this is good for.

// Most of it is for the rest of the crate.
#![allow(dead_code, unused_imports, missing_docs, rustdoc::broken_intra_doc_links)]

#[path = "../../src/collective/mod.rs"]
pub mod collective;
#[path = "../../src/comm/mod.rs"]
mod comm;
#[path = "../../src/error.rs"]
mod error;
#[path = "../../src/message/mod.rs"]
pub mod message;
#[path = "../../src/names.rs"]
mod names;
#[path = "../../src/options.rs"]
mod options;
#[path = "../../src/provider/mod.rs"]
pub mod provider;
#[path = "../../src/tune/mod.rs"]
pub mod tune;
#[path = "../../src/verbs/mod.rs"]
pub mod verbs;

/// What `error` names of it.
pub mod launch {
    #[derive(Debug, thiserror::Error)]
    pub enum LaunchError {}
}

#[path = "../../src/sys"]
mod sys {
    pub(crate) mod ahead;
    pub(crate) mod atomic;
    #[cfg(loom)]
    pub(crate) mod beats;
    pub(crate) mod channel;
    pub(crate) mod copy;
    #[cfg(all(test, loom))]
    pub(crate) mod explore;
    pub(crate) mod fd;
    pub(crate) mod file;
    pub(crate) mod futex;
    pub(crate) mod host;
    pub(crate) mod lines;
    pub(crate) mod lock;
    pub(crate) mod membarrier;
    pub(crate) mod memory;
    pub(crate) mod process;
    pub(crate) mod process_memory;
    pub(crate) mod shared;
    pub(crate) mod thread;
    mod thread_name;
    pub(crate) mod time;
    pub(crate) mod warn;
    pub(crate) mod words;
}

pub use collective::{CollectiveError, CollectiveRequest, Exchange, Parts, Tree};
pub use comm::{
    Barrier, Comm, Element, GroupError, HostNic, MAX_TAG, Message, RecvRequest, SendRequest, Status,
};
pub use error::{Error, Result};
pub use message::{Config, MessageError, Notify, Source, Tag};
pub use runahead_order as order;
pub use runahead_order::{Algorithm, Ordering, Rank};
