//! The concurrent parts with their models, and what these name of the rest of the crate. The files are
//! those of `src`; see `Cargo.toml` for what this is good for.

// Most of it is for the rest of the crate.
#![allow(dead_code, unused_imports, missing_docs)]

#[path = "../../src/order/mod.rs"]
pub mod order;
#[path = "../../src/verbs/mod.rs"]
pub mod verbs;

#[path = "../../src/sys"]
mod sys {
    pub(crate) mod atomic;
    pub(crate) mod channel;
    pub(crate) mod futex;
    pub(crate) mod thread;
}

#[path = "../../src/message"]
mod message {
    mod board;
}

#[path = "../../src/provider"]
mod provider {
    mod buffer;
    mod spec;
    mod words;
    pub mod threads;
    pub use spec::{FabricSpec, QueueSpec};

    mod shm {
        mod bell;
        mod cell;
        mod inbox;
        #[cfg(all(test, loom))]
        mod models;
        mod ring;
        mod tell;
    }
}
