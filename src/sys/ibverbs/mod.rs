//! RDMA: wraps libibverbs in types that clean up after themselves and that safe code cannot misuse.
//! Only this module names that library, and it contains all unsafe code for it.
//!
//! | file | what it is |
//! |---|---|
//! | `abi` | the library's structures and numbers |
//! | `library` | loads the library |
//! | `device` | devices, ports, addresses, protection domains |
//! | `events` | a device's reports about itself |
//! | `memory` | registered memory: words that peers may access, and slots for messages |
//! | `queue` | completion queues, and the channel on which a process sleeps |
//! | `pair` | queue pairs: connecting them, posting, and slots of messages |
//! | `pair/shape` | their parameters, and their creation |
//! | `pair/payload` | reading long payloads |
//! | `pair/marks` | noticing a read that reads nothing |
//! | `group` | membership of multicast groups |
//! | `transport` | kinds of queue pairs: the states that each passes, and where a datagram goes |
//!
//! It decides nothing: the provider (`provider/ib`) decides which message goes where, and
//! what a completion means for it.

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
pub(crate) use memory::{Access, Foreign, Readable, RegisteredWords, Slot, registered_bytes};
pub(crate) use pair::{Pair, PairShape, PayloadRead, PostFailure, Target};
pub(crate) use queue::{Batch, Channel, Completion, Cq, REFUSED, Refusal, SILENT, Status};
pub(crate) use transport::{Remote, Route, Transport};

/// A failure of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The library is missing.
    NoLibrary {
        /// The system's message.
        said: String,
    },
    /// Memory could not be registered.
    Registration {
        /// The length, in bytes.
        bytes: usize,
        /// The error number.
        code: i32,
    },
    /// A verb failed.
    Verb {
        /// The verb's name.
        verb: &'static str,
        /// The error number.
        code: i32,
    },
}

/// The usual cause of an error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// No more memory is available, or may be locked.
    Memory,
    /// This user lacks permission.
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
    /// The failure of a verb that has just set the thread's `errno`.
    fn last(verb: &'static str) -> Failure {
        let code = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        Failure::Verb { verb, code }
    }

    /// Like [`last`](Failure::last), for the registration of `bytes` bytes.
    fn registration(bytes: usize) -> Failure {
        let code = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        Failure::Registration { bytes, code }
    }

    /// The result of a verb that returns an error number; zero is success.
    fn check(verb: &'static str, returned: i32) -> Result<(), Failure> {
        match returned {
            0 => Ok(()),
            // Some verbs return -1 and set the thread's `errno`.
            code if code < 0 => Err(Failure::last(verb)),
            code => Err(Failure::Verb { verb, code }),
        }
    }
}
