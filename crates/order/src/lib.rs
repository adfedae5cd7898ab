//! The order of barriers and messages: schedules, epochs, clocks, containment and the hold queue.
//!
//! This is the protocol core. It is *sans-I/O*: it knows no network, no thread and no time. Drivers
//! (the message layer, the explorer of the tests, a fuzzer) report events by `handle_*`, and ask
//! for the next actions by `poll_*`. All its state is `Clone + Eq + Hash`, so that every reachable
//! state can be enumerated.
//!
//! It is not a message queue: it never sees a payload. It decides stamps, signals, completion and
//! whether something may leave or be delivered; the bytes are the message layer's.
//!
//! | module | holds |
//! |---|---|
//! | [`schedule`] | the signals of a barrier as data, and the check that a schedule is right |
//! | [`barrier`] | the barriers of one group: entered and complete, whatever carries its writes |
//! | [`epochs`] | the same among nodes that signal each other by a schedule, through epoch cells |
//! | [`hosts`] | hosts as such nodes, and the writes that one of its members makes for a host |
//! | [`written`] | a signal as one word, which is written into its receiver's memory |
//! | [`Carrier`] | how the members of a group learn of each other; a group is made with one |
//! | [`clocks`] | send and receive clocks toward a peer, over all groups that hold it |
//! | [`contain`] | when a rank that ran ahead must keep something back |
//! | [`hold`] | received messages that may not be delivered yet |
//! | [`core`] | [`Order`]: all of these for one rank |
pub mod barrier;
mod carrier;
pub mod clocks;
pub mod contain;
pub mod core;
mod early;
pub mod epochs;
mod error;
pub mod hold;
pub mod hosts;
mod members;
mod near;
pub mod schedule;
mod scratch;
mod signal;
pub mod written;

pub use self::core::Order;
pub use carrier::Carrier;
pub use contain::Ordering;
pub use error::{InvalidGroup, ProtocolError, Refused};
pub use schedule::{Algorithm, Schedule};
pub use signal::{Posted, Signal, SignalKind, Ticket};

/// Whether this build leaves out stamps: none is fixed, sent, compared, and nothing is held or
/// contained. **Never right for a program**, which would see messages before their barriers. No
/// rule of SEMANTICS.md about order is kept. It is there so that what stamps cost can be counted
/// against a runtime without them (`benches/counts`): `RUSTFLAGS="--cfg unstamped"`.
#[doc(hidden)]
pub const UNSTAMPED: bool = cfg!(unstamped);

/// A rank of the job, or a position in a group: `0..size`.
pub type Rank = usize;

/// The index of a barrier in its group, from 1. Never wraps in practice (64 bits).
pub type Epoch = u64;

/// A logical clock toward one peer: a number of barriers that include it.
pub type Clock = u64;

/// Names a group within the job; agreed among its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

impl GroupId {
    /// The group of all ranks.
    pub const WORLD: GroupId = GroupId(0);
}

impl std::fmt::Display for GroupId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Self::WORLD { f.write_str("world") } else { write!(f, "group {}", self.0) }
    }
}
