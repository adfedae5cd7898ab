//! How the processes of a job meet, start and end: a hub, with a stream to each rank and one
//! protocol of frames. It is one [`Bootstrap`](crate::provider::Bootstrap) for all kinds of jobs.
//! It keeps SAFE-1: bytes that no correct process sends give a [`ProtocolError`].
//!
//! The launcher of one host has the hub, and its ranks connect through a socket that they inherit.
//! Ranks that another launcher has started meet at rank 0 by TCP, and rank 0 has the hub.
//!
//! Addresses and outcomes are values under keys. The [outcome](OUTCOME) is the last value that a
//! rank puts. A rank has ended once its outcome is known: the rank's own, or the hub's if the rank
//! can put none. The hub reports ends to a rank from its first fence on.
//!
//! The protocol authenticates nobody: a process that can reach the port can be a rank, as with
//! other launchers.

mod client;
mod frame;
mod hub;
mod outcome;
mod server;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub(super) use client::{Client, Entered, Entry};
#[cfg(fuzzing)]
pub(super) use frame::{Decoder, GREETING, HELLO_BYTES, ToHub};
pub(super) use frame::{ProtocolError, Returned, ToRank, encode};
#[cfg(fuzzing)]
pub(super) use hub::{Hub, REQUESTS};
pub(super) use outcome::Outcome;
pub(super) use server::{Server, meet};

/// How long ranks that meet wait for one another.
const MEETING_LIMIT: Duration = Duration::from_secs(60);

/// The key of the outcome of a rank.
pub(super) const OUTCOME: &str = "outcome";
