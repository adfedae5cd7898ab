//! The functions of MPI that this library does not support: each exists, refuses, and names itself.
//! The build script writes them from `abi/functions.txt`, all those that no source of this crate defines.
//! Rules: a program that merely links such a function runs; one that calls it gets `MPI_ERR_UNSUPPORTED_OPERATION`
//! through the error handler of the object it was called on (MPI 5.0, section on error handling).

#![allow(non_snake_case)]

use crate::abi::*;
use std::ffi::{c_char, c_int, c_void};

/// What a refused call was about, which says whose error handler hears of it.
#[derive(Clone, Copy, Debug)]
enum Subject {
    /// A communicator.
    Comm(MPI_Comm),
    /// A window.
    Win(MPI_Win),
    /// A file.
    File(MPI_File),
    /// A session.
    Session(MPI_Session),
    /// None of these: the handler of `MPI_COMM_SELF`.
    Library,
}

/// Raises the error of a function that is not supported.
fn refuse(function: &'static str, subject: Subject) -> c_int {
    let (kind, handle) = match subject {
        Subject::Comm(comm) => ("communicator", comm.0),
        Subject::Win(win) => ("window", win.0),
        Subject::File(file) => ("file", file.0),
        Subject::Session(session) => ("session", session.0),
        Subject::Library => ("communicator", MPI_COMM_SELF.0),
    };
    eprintln!("{function} is not supported by this library (called on {kind} {handle:#x})");
    MPI_ERR_UNSUPPORTED_OPERATION
}

include!(concat!(env!("OUT_DIR"), "/unsupported.rs"));
