//! Shared memory, the files that it needs, and the planted changes of `.ci/mutants`; see `Cargo.toml` for what
//! this is good for.

// Most of it is for the rest of the crate.
#![allow(dead_code, unused_imports, missing_docs, rustdoc::broken_intra_doc_links)]

mod names;
mod planted;
mod provider;
mod sys;
mod verbs;

/// As the crate shows it to its tests.
pub mod internals {
    pub use runahead_order as order;
    pub mod provider {
        pub use crate::provider::*;
    }
    pub mod verbs {
        pub use crate::verbs::*;
    }
}

pub use runahead_order as order;
pub use runahead_order::Rank;
