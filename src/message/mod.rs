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
//! | `credit` | windows and their return |
//! | `matching` | held and unexpected messages, posted receives, and what keeps communicators apart |
//! | `config` | the sizes all ranks agree on |
//! | `peer` | what a rank knows of one peer |
//! | `engine` | the state of one rank, and progress |
//! | `arrivals` | from the network inwards |
//! | `gathering` | where the payloads of large messages come together |
//! | `discard` | what nobody will ever receive |
//! | `groups` | groups that are made and dropped |
//! | `board` | what all ranks publish where they share memory |
//! | `cells` | signals that are words in registered memory |
//! | `releases` | the same, where the last of them go to all at once, by multicast |
//! | `flush` | out again: what is due, in order of urgency |
//! | `obstacles` | what stands between calls and the fast path, as one number |
//! | `fast_path` | what goes straight between program and network |
//! | `templates` | messages whose headers are those of the last ones |
//! | `sole` | barriers of a group that has them for itself |
//! | `send`, `recv`, `rendezvous`, `barrier`, `end` | the operations, each in its file |
//! | `exposures`, `expose`, `pulls` | large payloads that the receiver reads by itself: the counts, sender, receiver |
//! | `wait`, `notify` | how a rank waits, and when it looks, yields or sleeps |
//! | `activity`, `stall` | what it is in, and the report when it has waited for too long |

mod activity;
mod arrivals;
mod barrier;
mod board;
mod cells;
mod config;
mod control;
mod credit;
mod discard;
mod end;
mod engine;
mod error;
mod expose;
mod exposures;
mod fast_path;
mod flush;
mod gathering;
mod groups;
mod header;
mod matching;
mod notify;
mod obstacles;
mod peer;
mod pulls;
mod recv;
mod releases;
mod rendezvous;
mod send;
mod sole;
mod stall;
mod templates;
mod wait;

pub use activity::{Activity, CallInfo, CallNames};
pub(crate) use config::world_options;
pub use config::{BULK, CONTROL, Config, EAGER, Options, QUEUES, SIGNAL, Signals, TuneCache};
pub use control::{Control, FRAME_BYTES, Returned, decode_signal, encode_signal};
pub use engine::{Engine, Stats};
pub use error::{Malformed, MessageError, Violation};
pub use header::{Header, Kind, STAMP_BITS, unwrap_stamp};
pub use matching::{Context, Lane, Pattern, RecvId, Source, Tag};
pub use notify::{Notify, Patience};
pub use recv::{Came, Info};
pub use send::{Envelope, Lack, SendId};
pub use stall::{DEFAULT_STALL_AFTER, StallHandler, StallReport, Whereabouts};
