//! Middleware that makes reliable VIs out of a network that loses, repeats, delays and reorders
//! messages.
//!
//! It wraps any [`Nic`](crate::verbs::Nic) whose VIs may be
//! [unreliable](crate::verbs::Reliability::Unreliable). Each VI above is one VI beneath, with
//! numbers, acknowledgements and repetitions (VIA calls the result reliable delivery); so queues
//! stay apart, and what may not wait behind data does not. One queue more beneath, the side queue,
//! carries farewells, and asks after peers that are silent. A reliable network is not wrapped, and
//! pays nothing.
//!
//! There is no thread behind it: it sends, acknowledges and repeats in the calls of its rank. A
//! rank that computes answers nothing meanwhile; its peers repeat what they have sent, less and
//! less often, and go on when it does. After very many tries it is lost ([`Timeouts::tries`]). A
//! message for which the peer has no receive descriptor, as far as is known here, waits in the
//! sender; when as many wait as the VI has descriptors, `post_send` says that the queue is full.
//! A caller that counts the peer's descriptors, as the layer above does, never meets that.
//!
//! Dropping it is how a rank leaves: it stays until its peers have acknowledged all that it has
//! sent them, or are gone or lost; then it says farewell.
//!
//! It does not protect from damage: networks beneath have checksums, and VIA's unreliable VIs
//! damage nothing. It is not for networks on which strangers can send. And it is not causal.
//!
//! | file | what it is |
//! |---|---|
//! | `connection` | one end of a VI as numbers and deadlines: pure |
//! | `wire` | what stands in front of a frame: pure |
//! | `end` | a connection with its messages |
//! | `spec` | the layout of the network beneath |
//! | `service` | the work of every call: taking in, sending, repeating, leaving |
//! | `nic` | the verbs |
//!
//! Keeps rules NET-1 and NET-2 of SEMANTICS.md.

mod connection;
mod end;
mod nic;
mod service;
mod spec;
mod wire;

pub use connection::{Connection, Impossible, Moment, Taken, Timeouts, Transmit};
pub use nic::{Reliable, ReliableFrame};
pub use spec::beneath;
pub use wire::{Frame, Header, Kind, Malformed};
