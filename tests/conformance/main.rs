//! The conformance suite of the whole runtime, at the level of `Comm`: every rule that a program can
//! observe, on every provider, with the default receive window and with a window of one message.
//!
//! Tests synchronise by messages, and by gates outside the runtime where a message would be held.
//! None sleeps, and none asserts how long something takes.

#[macro_use]
#[path = "../shared/forward.rs"]
mod forward;

#[macro_use]
mod harness;

mod barrier_orders;
mod board;
mod collectives;
mod collectives_mismatch;
mod collectives_order;
mod collectives_results;
mod collectives_waiting;
#[cfg(not(feature = "guest"))]
#[path = "../shared/driven.rs"]
mod driven;
mod ending;
mod epochs;
mod fence;
mod groups;
mod groups_barriers;
mod groups_contexts;
mod groups_dropped;
mod groups_refused;
mod invalid;
mod losses;
mod lost_any;
mod lost_collectives;
mod nonblocking;
mod nonblocking_failures;
mod nonblocking_waiting;
mod ordering;
mod planted;
mod posted;
mod posted_room;
mod pressure;
mod promises;
mod released;
mod rendezvous;
mod stalls;
mod timeouts;
mod tuned;
mod typed;
mod waiting;
mod withholding;
mod written;
