//! RDMA as the operating system offers it: libibverbs, behind types that clean up after themselves and cannot be
//! misused by safe code. It is the only place where that library is named, and all of its unsafe code stands
//! here.
//!
//! | file | what it is |
//! |---|---|
//! | `abi` | the library's structures and numbers |
//! | `library` | loading it |
//! | `device` | devices, ports, addresses, protection domains |
//! | `events` | what a device tells of itself |
//! | `memory` | registered memory: words that peers may reach, and slots that messages lie in |
//! | `queue` | completion queues, and the channel on which a process sleeps |
//! | `pair` | queue pairs: connecting them, posting, and whose a slot is; in `pair/pull`, reading long payloads; in `pair/marks`, noticing a read that reads nothing |
//! | `group` | membership of multicast groups |
//! | `transport` | kinds of queue pairs: the states that each passes, and where a datagram goes |
//!
//! It decides nothing: what is sent where, and what a completion means for a message, is the provider's
//! (`provider/ib`).

mod abi;
mod device;
mod events;
mod group;
mod library;
mod memory;
mod pair;
mod queue;
#[cfg(test)]
mod tests;
mod transport;

pub(crate) use device::{
    Context, Limits, Pd, Port, PortState, device_names, gid_type, kernel_names,
};
pub(crate) use events::{Event, Events};
pub(crate) use group::{Membership, gid_of, ipv4_of};
pub(crate) use memory::{Access, Foreign, Readable, Slot, Words, registered_bytes};
pub(crate) use pair::{Pair, PairShape, PostFailure, Pull, Target};
pub(crate) use queue::{Batch, Channel, Completion, Cq, REFUSED, Refusal, SILENT, Status};
pub(crate) use transport::{Remote, Route, Transport};

/// Something of the library has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It is not there.
    NoLibrary {
        /// What the system says.
        said: String,
    },
    /// Memory could not be registered.
    Registration {
        /// How much, in bytes.
        bytes: usize,
        /// The error number.
        code: i32,
    },
    /// A verb failed.
    Verb {
        /// Its name.
        verb: &'static str,
        /// The error number.
        code: i32,
    },
}

/// What an error number mostly comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// No more memory may be had, or locked.
    Memory,
    /// This user may not.
    Denied,
    Other,
}

impl Cause {
    pub(crate) fn of(code: i32) -> Cause {
        match code {
            libc::ENOMEM | libc::EAGAIN => Cause::Memory,
            libc::EACCES | libc::EPERM => Cause::Denied,
            _ => Cause::Other,
        }
    }
}

impl Failure {
    /// That of a verb which has just failed and left its reason with the thread.
    fn last(verb: &'static str) -> Failure {
        let code = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        Failure::Verb { verb, code }
    }

    /// As [`last`](Failure::last), of so many bytes that were to be registered.
    fn registration(bytes: usize) -> Failure {
        let code = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        Failure::Registration { bytes, code }
    }

    /// What a verb returned that says its reason itself: zero is success.
    fn check(verb: &'static str, returned: i32) -> Result<(), Failure> {
        match returned {
            0 => Ok(()),
            // Some return -1 and leave the reason with the thread.
            code if code < 0 => Err(Failure::last(verb)),
            code => Err(Failure::Verb { verb, code }),
        }
    }
}
