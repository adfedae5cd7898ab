//! Nonblocking collectives: they return a handle at once.
//!
//! Such a call posts *all* that it gives before it returns: by one deposit where that can be at once, else by
//! messages, as [`crate::Comm::isend`] does. It posts all its receives, as [`crate::Comm::irecv`] does. No rank forwards for another, whatever the
//! communicator's [`Tree`](super::Tree). `request` is the handle, `underway` the call, `records` keeps its memory, `assembly` assembles the result,
//! `edge` posts the messages, `sharing` combines for others, and `bytes` is the way in for a library whose data have types of their own.
//! Such a library's long data `lending` lends to their reader.
//!
//! Without deposits the price is in messages: size - 1 from a root, and size * (size - 1) in all if all send to all.
//! The sender keeps a copy of a payload above the eager limit for each receiver, or one for all on its host. The caller
//! combines elements in [`CollectiveRequest::wait`] and [`CollectiveRequest::test`], in an order
//! that does not depend on arrival.
//!
//! Keeps rules COL-3, COL-8, COL-9 and COL-11 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A rank could forward only later, when data have arrived, and by then its program may have called
//! a barrier. Forwarding after a later barrier would stamp old data as new, and deadlock (rule
//! COL-1). By pakin-2001 table 4.2, a rank has done everything for a collective before it initiates
//! a barrier.
//!
//! Every message is therefore stamped at the call and keeps its place among those of the program. A
//! program with these calls is equivalent to one with `isend` and `irecv`, so the promise needs no
//! further argument. A barrier that is called while a collective is pending returns at once, like
//! any other.
//!
//! A deposit has the stamp that a message would have, and lies there when the call returns. Others may have gone on to
//! later calls when the program waits, but its place is not used again before (`message/deposits`).

mod assembly;
mod bytes;
mod combined;
mod edge;
mod gathered;
mod lending;
mod movement;
mod own;
mod records;
mod reduction;
mod request;
mod sharing;
mod underway;

pub use assembly::sealed::Sealed;
pub use assembly::{Assembly, Filled, Optional, Part};
pub use bytes::Given;
pub use combined::Combined;
pub use gathered::{Gathered, Joined};
pub use records::Records;
pub use request::CollectiveRequest;
