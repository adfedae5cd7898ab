//! Implementations of the verbs ([`crate::verbs::Nic`]).
//!
//! A provider moves bytes. It knows no barriers, clocks, tags or credits.
//!
//! | module | what it is |
//! |---|---|
//! | [`threads`] | all ranks are threads of one process |

mod buffer;

pub mod threads;
