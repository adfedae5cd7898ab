//! How the program's own functions write what the library tells them, and what it reads in memory of the library: as
//! MPICH's interface has it.
//! It stands in the place of the file of the same name in crates/mpi.
//! Rules: whatever reaches a function of the program, or comes back from one, passes here.

use crate::abi::{
    MPI_Comm, MPI_Datatype, MPI_File, MPI_HOST, MPI_IO, MPI_LASTUSEDCODE, MPI_SUCCESS, MPI_Session,
    MPI_Status, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL, MPI_Win,
};
use crate::handles::Foreign;
use crate::numbers::{code_in, code_out, keyval_out, rank_out};
use crate::statuses::{MpichStatus, StatusIn};
use crate::tables;
use std::ffi::c_int;

#[cfg(not(all(target_endian = "little", target_pointer_width = "64")))]
compile_error!("callbacks read handles from the low half of a word");

/// The binary interface, as the library names it.
pub const INTERFACE: &str = "ABI of MPICH";

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
pub type Handle = c_int;

/// A handle for a function of the program that gets it by value. None of these gets one of a file.
#[must_use]
pub fn handle(of: Object, handle: usize) -> Handle {
    handle_in_memory(of, handle) as c_int
}

/// A handle for a function of the program that gets its address: the low half is an `int`, and of a file the whole is
/// a pointer.
#[must_use]
pub fn handle_in_memory(of: Object, handle: usize) -> usize {
    let int = match of {
        Object::Comm => MPI_Comm(handle).to_raw(),
        Object::Datatype => MPI_Datatype(handle).to_raw(),
        Object::Win => MPI_Win(handle).to_raw(),
        Object::Session => MPI_Session(handle).to_raw(),
        Object::File => return MPI_File(handle).to_raw(),
    };
    int as u32 as usize
}

/// A keyval for a function of the program.
#[must_use]
pub fn keyval(number: c_int) -> c_int {
    keyval_out(number)
}

/// The value of a predefined attribute, which the program reads in memory of the library.
#[must_use]
pub fn attribute(keyval: c_int, value: c_int) -> c_int {
    match keyval {
        MPI_IO | MPI_HOST => rank_out(value),
        MPI_LASTUSEDCODE => code_out(value),
        MPI_WIN_CREATE_FLAVOR => tables::flavor_to(value).unwrap_or(value),
        MPI_WIN_MODEL => tables::model_to(value).unwrap_or(value),
        _ => value,
    }
}

/// An error code for a function of the program.
#[must_use]
pub fn code(code: c_int) -> c_int {
    code_out(code)
}

/// The error code that a function of the program has returned.
#[must_use]
pub fn returned(code: c_int) -> c_int {
    code_in(code)
}

/// Has a function of the program fill a status, and gives what it returns.
pub fn fill_status(status: &mut MPI_Status, fill: impl FnOnce(*mut MPI_Status) -> c_int) -> c_int {
    let mut filled = MpichStatus::from_standard(status);
    let code = fill((&raw mut filled).cast());
    if code == MPI_SUCCESS {
        *status = StatusIn::of(&filled).value;
    }
    code
}
