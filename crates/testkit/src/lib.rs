//! What the tests of runahead share: how much they explore, long data, a search of all states of small systems, a memory
//! whose stores are delayed, the programs that they start, what the system says of processes, and rules that are wrong.
//!
//! Its own tests are the refinement search (`tests/model`): they drive the order core and the runtime's collectives.

pub mod data;
pub mod effort;
pub mod misreading;
#[cfg(target_os = "linux")]
pub mod processes;
pub mod programs;
pub mod search;
pub mod tso;
