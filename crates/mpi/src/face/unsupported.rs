//! The functions of MPI that this library does not support: each exists, refuses, and names itself.
//! The build script writes them from `abi/functions.txt`, all those that no source of this crate defines.
//! Rules: a program that merely links such a function runs; one that calls it gets `MPI_ERR_UNSUPPORTED_OPERATION`
//! through the error handler of the object it was called on (MPI 5.0, section on error handling).

#![allow(non_snake_case)]

use super::border::{self, On};
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use std::ffi::{c_char, c_int, c_void};

/// What a refused call was about, which says whose error handler hears of it.
#[allow(dead_code, reason = "a kind of which every function is supported has none left here")]
#[derive(Clone, Copy)]
enum Subject {
    /// A communicator.
    Comm(MPI_Comm),
    /// A file, of which there are none.
    File,
    /// A session.
    Session,
    /// None of these: the handler of `MPI_COMM_SELF`.
    Library,
}

/// Raises the error of a function that is not supported.
#[cold]
fn refuse(function: &'static str, subject: Subject) -> c_int {
    let unsupported =
        |_: &Library| -> Result<(), Fault> { Err(Fault::unsupported("this function")) };
    match subject {
        Subject::Comm(comm) => border::call(function, On::Comm(comm), unsupported),
        Subject::File => border::call(function, On::Nothing, |library| {
            unsupported(library).map_err(|fault| match library.of_files() {
                Ok(files) => fault.on(Some(&files)),
                Err(other) => other,
            })
        }),
        Subject::Session | Subject::Library => border::call_anytime(function, unsupported),
    }
}

include!(concat!(env!("OUT_DIR"), "/unsupported.rs"));
