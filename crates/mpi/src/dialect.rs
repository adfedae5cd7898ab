//! How the program's own functions write what the library tells them: handles, keyvals, codes and statuses; and what it
//! reads in memory of the library.
//! Here they write as the standard's binary interface does, which is how the library itself writes.
//! Rules: whatever reaches a function of the program, or comes back from one, passes here.
//!
//! A library with another binary interface (crates/mpi-mpich) is built of the same sources with a file of its own in
//! this place.

use crate::abi::MPI_Status;
use std::ffi::c_int;

/// The binary interface, as the library names it.
pub const INTERFACE: &str = "standard ABI 1.0";

/// What a handle is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A communicator.
    Comm,
    /// A datatype.
    Datatype,
    /// A window.
    Win,
    /// A file.
    File,
    /// A session.
    Session,
}

/// A handle that a function of the program gets by value.
pub type Handle = usize;

/// A handle for a function of the program that gets it by value.
pub fn handle(_of: Object, handle: usize) -> Handle {
    handle
}

/// A handle for a function of the program that gets its address.
pub fn handle_in_memory(_of: Object, handle: usize) -> usize {
    handle
}

/// A keyval for a function of the program.
pub fn keyval(number: c_int) -> c_int {
    number
}

/// The value of a predefined attribute, which the program reads in memory of the library.
pub fn attribute(_keyval: c_int, value: c_int) -> c_int {
    value
}

/// An error code for a function of the program.
pub fn code(code: c_int) -> c_int {
    code
}

/// The error code that a function of the program has returned.
pub fn returned(code: c_int) -> c_int {
    code
}

/// Has a function of the program fill a status, and gives what it returns.
pub fn fill_status(status: &mut MPI_Status, fill: impl FnOnce(*mut MPI_Status) -> c_int) -> c_int {
    fill(status)
}
