//! Messages and signals between ranks: headers, credits, eager and rendezvous, matching, and the
//! engine that joins them with the order core and drives a network.
//!
//! The engine is one rank's and single-threaded. It knows bytes, tags and contexts; element types,
//! requests as values and communicators are those of [`crate::Comm`], collectives
//! [`crate::collective`]'s.
//!
//! | file | holds |
//! |---|---|
//! | `header` | the 24 bytes in front of a message |
//! | `control` | signals and control frames |
//! | `config` | the sizes all ranks agree on |
//! | `links` | what a rank knows of each peer and owes it: credit, outboxes, control frames, its end |
//! | `inbound`, `matching` | a message that has come; held and unexpected ones, and posted receives |
//! | `transfers` | the payloads of large messages: at the sender, and where they come together |
//! | `deposits` | short messages of collectives that lie where all members see them |
//! | `barriers` | which barriers are open, and the words by which they travel |
//! | `obstacles` | what stands between calls and the fast path, as one number |
//! | `waiting` | how a rank waits: when it looks, yields or sleeps; what wakes it; what it is in |
//! | `engine` | the state of one rank: it owns the parts, and drives the network |

mod barriers;
mod config;
mod control;
mod deposits;
mod engine;
mod error;
mod header;
mod inbound;
mod links;
mod matching;
mod obstacles;
mod transfers;
mod waiting;

pub(crate) use config::world_options;
pub use config::{
    BULK, CONTROL, Config, DEFAULT_STALL_AFTER, EAGER, Options, QUEUES, SIGNAL, Signals, TimeSlice,
    TuneCache,
};
pub use control::{Cause, Control, FRAME_BYTES, Returned, decode_signal, encode_signal};
#[cfg(fuzzing)]
pub use deposits::fuzzing;
pub use deposits::{
    Body, Contents, LEAST_MEMBERS, MOST_BYTES, MOST_HEAD_BYTES, MOST_MEMBERS, MemberSet, Readers,
};
pub use engine::{
    BeforeRoom, Begun, Came, Contribution, Destination, Engine, Envelope, FromMember, Held, Lack,
    Memory, PostedRun, Received, RoomKey, SendId, Soon, Stats,
};
pub use error::{Malformed, MessageError, Violation};
pub use header::{Header, Kind, STAMP_BITS, unwrap_stamp};
pub use inbound::Info;
pub use matching::{Context, Ids, Lane, Pattern, Proposal, RecvId, Source, Tag};
pub use transfers::kept::SharedPayload;
pub use transfers::warm::{Copied, LEAST_WARM_BYTES};
pub use waiting::{
    Activity, CallInfo, CallNames, Notify, Patience, StallHandler, StallReport, Whereabouts,
};
