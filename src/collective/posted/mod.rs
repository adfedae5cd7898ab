//! Collectives that return at once, with handles.
//!
//! Such a call posts *all* its messages before it returns, as [`crate::Comm::isend`] does, and all
//! its receives, as [`crate::Comm::irecv`] does. Nobody forwards for another, whatever the
//! communicator's [`Tree`](super::Tree): a rank could forward only later, when something has come,
//! and by then its program may have called a barrier. Forwarding after a later barrier would stamp
//! old data as new, and deadlock (rule COL-1; by pakin-2001 table 4.2 all that a rank does in a
//! collective has been done before it initiates a barrier). So every message is stamped at the call
//! and keeps its place among those of the program; a program with these calls is one with `isend`
//! and `irecv`, and the promise needs no further argument. A barrier that is called while one is
//! pending returns at once, like any other.
//!
//! The price is in messages: size - 1 from a root, size * (size - 1) in all where all send to all.
//! Each receiver of a payload above the eager limit has a copy of its own waiting at the sender.
//!
//! Elements are combined in [`CollectiveRequest::wait`] and [`CollectiveRequest::test`], by the
//! caller, in an order that is fixed whatever comes first. `request` is the handle, `assembly`
//! what is made of the messages, `edge` how they are posted.
//!
//! Keeps rules COL-3 and COL-8 of SEMANTICS.md.

mod assembly;
mod edge;
mod movement;
mod reduction;
mod request;

pub use assembly::{Assembly, Combined, Filled, Gathered, Joined, Optional};
pub use request::CollectiveRequest;
