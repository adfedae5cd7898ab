//! runahead: a message-passing runtime for bulk-synchronous programs in which a barrier stops
//! nobody.
//!
//! Compute, exchange, barrier, repeat: in such programs one descheduled process stops the whole
//! job at the next barrier. With runahead [`Comm::barrier`] returns at once. Ranks run ahead of it,
//! and the message layer sees to it that nobody can tell: a message sent after a barrier is not
//! delivered before that barrier has completed at its receiver.
//!
//! ```
//! const TAG: u32 = 7;
//!
//! fn main() -> runahead::Result<()> {
//!     // Eight ranks of this program, each a process.
//!     runahead::launch(8, |world| {
//!         let next = (world.rank() + 1) % world.size();
//!         world.send(next, TAG, &[world.rank() as u64])?;
//!
//!         // Returns at once: this rank runs ahead of those that are late.
//!         world.barrier()?;
//!         let message = world.recv::<u64>(runahead::Source::Any, TAG)?;
//!
//!         // A traditional barrier, if you need one.
//!         world.barrier()?.wait()?;
//!         println!("rank {} received {}", world.rank(), message.data[0]);
//!         Ok(())
//!     })
//! }
//! ```
//!
//! # What remains a restriction
//!
//! The runtime cannot see every channel between ranks. Before a program uses one that it cannot see
//! (a file, standard output, another socket, a clock) it must wait: `comm.barrier()?.wait()?`. And a
//! poll (`try_recv`, `try_probe`) after a mere `barrier()` need not see every message that was sent
//! before it; if the barrier serves as a fence, wait for it too. SEMANTICS.md states every
//! rule, with what is not promised.
//!
//! # Where things are
//!
//! [`launch()`] starts the ranks, on Linux as processes, and gives each its world, a [`Comm`].
//! Point-to-point calls, barriers and collectives are methods of it. [`RecvRequest`] shows a struct
//! that holds a communicator with its pending requests. Further methods are [`Comm::split`],
//! [`Comm::dup`], [`Comm::idup`] and [`Comm::group`], which make further communicators out of it.
//! docs/PORTING.md says what stands for which call of MPI, and docs/COLLECTIVES.md for each collective what every
//! rank gives and gets. [`ops`] has operators for those that combine. [`Options`] lists what a
//! program and its user can choose. The [`bibliography`] has the papers that are cited, and
//! docs/ARCHITECTURE.md says what lies below.
//!
//! What this page shows, and [`mod@launch`], is the whole interface.

mod collective;
mod comm;
mod error;
pub mod launch;
mod message;
mod names;
mod options;
mod provider;
mod sys;
mod tune;
mod verbs;

pub use collective::{CollectiveError, CollectiveRequest, Exchange, Parts, Tree, ops};
#[doc(hidden)]
pub use comm::HostNic;
pub use comm::{
    Barrier, Comm, Element, GroupError, GroupRequest, MAX_TAG, Message, OwnedSendError,
    OwnedSendRequest, Pending, RecvIntoRequest, RecvRequest, Scope, SendRequest, Status,
};
pub use error::{Error, Result, Severity};
pub use launch::{Launch, launch};
#[doc(hidden)]
pub use message::Config;
pub use message::{
    Activity, MessageError, Notify, Options, Signals, Source, StallReport, Stats, Tag, TimeSlice,
    TuneCache, Whereabouts,
};
pub use names::UnknownName;
pub use options::InvalidOption;
use runahead_order as order;
pub use runahead_order::{Algorithm, Ordering, Rank};
pub use tune::{Measurement, Row};
pub use zerocopy;

#[doc = include_str!("../docs/BIBLIOGRAPHY.md")]
pub mod bibliography {}

/// What lies below the interface: for the tests, the models, the fuzz targets, the benches and the
/// command, which live in crates of their own.
///
/// It is **no part of the interface**. Anything here may change or go in any release, patch
/// releases included, and no change of it is in the changelog.
#[doc(hidden)]
pub mod internals {
    pub use runahead_order as order;

    /// Collectives: calls that all ranks of a communicator make.
    pub mod collective {
        pub use crate::collective::*;
    }

    /// What the command asks before it starts a job; and a way into a job without a closure.
    #[cfg(target_os = "linux")]
    pub mod launch {
        pub use crate::launch::command::{
            cores, is_within, network_bytes, ptrace_scope, read_process,
        };
        pub use crate::launch::entry::{Entry, enter};
    }

    /// The options of jobs and worlds, as tables.
    pub mod options {
        pub use crate::launch::environment::{
            MPI_BARRIER, MPI_THREADS, check as check_option, host_id, options, tune_cache,
        };
        pub use crate::options::{OptionInfo, Values};
    }

    /// Copies of payloads.
    pub mod copy {
        pub use crate::sys::copy::move_bytes;
    }

    /// The message layer: credits, eager and rendezvous, matching, waiting.
    pub mod message {
        pub use crate::message::*;
    }

    /// What a request is for calls that wait for several.
    pub mod pending {
        pub use crate::comm::{Begins, BegunList};
    }

    /// Networks.
    pub mod provider {
        pub use crate::provider::*;
    }

    /// How an algorithm is chosen by measuring.
    pub mod tune {
        pub use crate::tune::*;
    }

    /// What is asked of a network.
    pub mod verbs {
        pub use crate::verbs::*;
    }
}

/// Ways in to what is private, for the fuzz targets alone.
#[cfg(all(fuzzing, target_os = "linux"))]
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::comm::fuzzing as making;
    pub use crate::launch::fuzzing as launch;
    pub use crate::message::fuzzing as deposits;
    pub use crate::provider::shm::fuzzing as shm;
}
