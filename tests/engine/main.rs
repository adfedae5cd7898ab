//! The message layer and all below it, by its parts and whole: in one thread, in turns, and on real networks.
//!
//! One binary, since each links the whole crate. Its allocator counts (see [`alloc`]).

#[macro_use]
#[path = "../shared/forward.rs"]
mod forward;

mod algorithms;
mod alloc;
#[path = "../shared/any_nic.rs"]
mod any_nic;
mod lost_rank;
mod message;
mod simulation;
mod stall_limit;
