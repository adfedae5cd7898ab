//! The conformance suite of the whole runtime, at the level of `Comm`: every rule that a program can
//! observe, on every provider, with the default receive window and with a window of one message.
//!
//! Tests synchronise by messages, and by gates outside the runtime where a message would be held.
//! None sleeps, and none asserts how long something takes.
//!
//! With `--cfg guest` it is what tests/rdma runs of it, and with `--cfg guest_short` besides, what tests/rdma runs of it each
//! time: all of it takes minutes to build.

#[cfg(not(guest_short))]
#[macro_use]
#[path = "../shared/forward.rs"]
mod forward;

#[macro_use]
#[cfg_attr(guest_short, allow(dead_code, unused_imports))]
mod harness;

#[cfg(not(guest_short))]
mod areas;
mod barrier_orders;
#[cfg(not(guest_short))]
mod board;
#[cfg(not(guest_short))]
mod collectives;
#[cfg(not(guest_short))]
mod collectives_into;
#[cfg(not(guest_short))]
mod collectives_mismatch;
#[cfg(not(guest_short))]
mod collectives_order;
#[cfg(not(guest_short))]
mod collectives_results;
#[cfg(not(guest_short))]
mod collectives_waiting;
#[cfg(not(guest_short))]
mod combined;
#[cfg(not(guest_short))]
mod deposits;
#[cfg(not(guest_short))]
mod deposits_pending;
#[cfg(not(guest))]
#[path = "../shared/driven.rs"]
mod driven;
mod ending;
#[cfg(not(guest_short))]
mod epochs;
#[cfg(not(guest_short))]
mod fence;
#[cfg(not(guest_short))]
mod groups;
#[cfg(not(guest_short))]
mod groups_barriers;
#[cfg(not(guest_short))]
mod groups_contexts;
#[cfg(not(guest_short))]
mod groups_dropped;
#[cfg(not(guest_short))]
mod groups_posted;
#[cfg(not(guest_short))]
mod groups_refused;
#[cfg(all(target_os = "linux", not(guest)))]
mod hosts;
#[cfg(not(guest_short))]
mod invalid;
mod leaving;
#[cfg(not(guest_short))]
mod losses;
#[cfg(not(guest_short))]
mod lost_any;
#[cfg(not(guest_short))]
mod lost_collectives;
#[cfg(not(guest_short))]
mod nonblocking;
#[cfg(not(guest_short))]
mod nonblocking_failures;
#[cfg(not(guest_short))]
mod nonblocking_waiting;
#[cfg(all(target_os = "linux", not(guest)))]
mod offers;
mod ordering;
#[cfg(not(guest_short))]
mod planted;
#[cfg(not(guest_short))]
mod posted;
#[cfg(not(guest_short))]
mod posted_room;
#[cfg(not(guest_short))]
mod pressure;
#[cfg(not(guest_short))]
mod promises;
mod reads;
#[cfg(not(guest_short))]
mod relayed;
mod released;
#[cfg(not(guest_short))]
mod rendezvous;
#[cfg(not(guest_short))]
mod requests;
#[cfg(not(guest_short))]
mod scopes;
#[cfg(not(guest_short))]
mod shapes;
#[cfg(not(guest_short))]
mod sharing;
#[cfg(not(guest_short))]
mod stalls;
#[cfg(not(guest_short))]
mod timeouts;
#[cfg(not(guest_short))]
mod tuned;
#[cfg(not(guest_short))]
mod typed;
#[cfg(not(guest_short))]
mod waiting;
#[cfg(not(guest_short))]
mod withholding;
mod written;
