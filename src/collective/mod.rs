//! Collectives: calls that all ranks of a communicator make, in the same order.
//!
//! Each is a tree, which is pure data ([`Tree`]), and messages in a context of their own, which the
//! program's receives never see. A rank waits only for those whose data it needs: a leaf of a
//! reduction and the root of a multicast only send, an interior rank returns when it has forwarded
//! (pakin-2001 §4.4.1). They are stamped like all messages, so they keep to their superstep
//! (§4.4.2, table 4.2).
//!
//! A rank forwards *before* its call returns, never later: forwarding after a later barrier would
//! stamp old data as new.
//!
//! [`call`] says what belongs together, [`edge`] is what travels between two ranks, [`pieces`] how
//! much of it at a time.
//!
//! Keeps rules COL-1 to COL-4 of SEMANTICS.md.

mod call;
mod direct;
mod edge;
mod exchange;
mod multicast;
mod parts;
mod pieces;
pub mod posted;
mod reduce;
mod tree;

pub use call::{CollectiveError, Kind};
pub(crate) use edge::Calls;
pub use exchange::{Exchange, UnknownExchange};
pub use parts::Parts;
pub use posted::CollectiveRequest;
pub use tree::{Tree, UnknownTree};
