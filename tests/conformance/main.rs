//! The conformance suite of the whole runtime, at the level of `Comm`: every rule that a program can
//! observe, on every provider, with the default receive window and with a window of one message.
//!
//! Tests synchronise by messages, and by gates outside the runtime where a message would be held.
//! None sleeps, and none asserts how long something takes.
//!
//! With the feature `guest-short` it is what tests/rdma runs of it each time, as all of it takes minutes to build.

#[cfg(not(feature = "guest-short"))]
#[macro_use]
#[path = "../shared/forward.rs"]
mod forward;

#[macro_use]
#[cfg_attr(feature = "guest-short", allow(dead_code, unused_imports))]
mod harness;

#[cfg(not(feature = "guest-short"))]
mod barrier_orders;
#[cfg(not(feature = "guest-short"))]
mod board;
#[cfg(not(feature = "guest-short"))]
mod collectives;
#[cfg(not(feature = "guest-short"))]
mod collectives_mismatch;
#[cfg(not(feature = "guest-short"))]
mod collectives_order;
#[cfg(not(feature = "guest-short"))]
mod collectives_results;
#[cfg(not(feature = "guest-short"))]
mod collectives_waiting;
#[cfg(not(feature = "guest"))]
#[path = "../shared/driven.rs"]
mod driven;
mod ending;
#[cfg(not(feature = "guest-short"))]
mod epochs;
#[cfg(not(feature = "guest-short"))]
mod fence;
#[cfg(not(feature = "guest-short"))]
mod groups;
#[cfg(not(feature = "guest-short"))]
mod groups_barriers;
#[cfg(not(feature = "guest-short"))]
mod groups_contexts;
#[cfg(not(feature = "guest-short"))]
mod groups_dropped;
#[cfg(not(feature = "guest-short"))]
mod groups_refused;
#[cfg(all(target_os = "linux", not(feature = "guest")))]
mod hosts;
#[cfg(not(feature = "guest-short"))]
mod invalid;
mod leaving;
#[cfg(not(feature = "guest-short"))]
mod losses;
#[cfg(not(feature = "guest-short"))]
mod lost_any;
#[cfg(not(feature = "guest-short"))]
mod lost_collectives;
#[cfg(not(feature = "guest-short"))]
mod nonblocking;
#[cfg(not(feature = "guest-short"))]
mod nonblocking_failures;
#[cfg(not(feature = "guest-short"))]
mod nonblocking_waiting;
mod ordering;
#[cfg(not(feature = "guest-short"))]
mod planted;
#[cfg(not(feature = "guest-short"))]
mod posted;
#[cfg(not(feature = "guest-short"))]
mod posted_room;
#[cfg(not(feature = "guest-short"))]
mod pressure;
#[cfg(not(feature = "guest-short"))]
mod promises;
mod pulled;
mod released;
#[cfg(not(feature = "guest-short"))]
mod rendezvous;
#[cfg(not(feature = "guest-short"))]
mod stalls;
#[cfg(not(feature = "guest-short"))]
mod timeouts;
#[cfg(not(feature = "guest-short"))]
mod tuned;
#[cfg(not(feature = "guest-short"))]
mod typed;
#[cfg(not(feature = "guest-short"))]
mod waiting;
#[cfg(not(feature = "guest-short"))]
mod withholding;
mod written;
