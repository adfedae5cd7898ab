//! How the processes of a job meet, start and end: a hub to which each rank has a stream, with frames of one protocol.
//!
//! The launcher of one host has the hub, and its ranks come through a door that they inherit. Ranks that others have
//! started meet at rank 0, which has the hub then, by TCP. Both are one [`Bootstrap`](crate::provider::Bootstrap).
//! It keeps SAFE-1: whatever comes is checked, and what cannot be is a [`ProtocolError`].
//!
//! Addresses, and what each rank came to at its end, are values under keys. What a rank came to ([`OUTCOME`]) is its
//! last word: a rank that has said it, or of which it is known that it will not, has ended. A rank is told of the ends
//! of others once it has waited for them in a fence.
//!
//! It is not for networks on which there are enemies: a process that can reach the port can be a rank, as with other
//! launchers.

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
pub(super) use hub::Hub;
pub(super) use outcome::Outcome;
pub(super) use server::{Server, meet};

/// How long ranks that meet wait for one another.
const MEETING_LIMIT: Duration = Duration::from_secs(60);

/// The key of what a rank came to.
pub(super) const OUTCOME: &str = "outcome";
