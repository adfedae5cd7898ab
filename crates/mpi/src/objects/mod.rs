//! MPI's opaque objects that need no communication: groups, topologies, attributes, info, errors, operators.
//! Rules: nothing here knows a communicator or holds a lock, and no user function is called while one is held.
//! Each error names what was wrong, and its class is the one that MPI 5.0 gives to it.

use std::ffi::c_int;

pub mod attribute;
pub mod error;
pub mod group;
pub mod info;
pub mod op;
pub mod topology;

/// An error that has a class of MPI's (MPI 5.0, section 9.4, *Error Codes and Classes*).
///
/// The face turns it into the code that the call returns, and prints its text.
pub trait Classified: std::error::Error {
    /// The error class, such as `MPI_ERR_RANK`.
    fn class(&self) -> c_int;
}
