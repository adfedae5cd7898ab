//! Handles: integers with the kind in their upper bits, where the library has numbers of its own.
//! A predefined handle has its counterpart in the tables; of another, a few bits differ, so nothing is looked up.
//! Rules: the two ways are each other's reverse; what is no handle becomes none of the library's, and is refused there.
//!
//! # Correctness
//!
//! MPICH's handle of an object that a program made has its highest bit set, four bits of the kind behind it, and 26 bits
//! of its own. The library's handles lie above 4,095 and have 31 bits. One with more than 26 turns bits of the kind
//! over, too, so no two become equal. MPICH's predefined pairs of datatypes have the highest bit set, and what remains
//! of them lies below 4,096: they are told apart by that.

use crate::abi::*;
use crate::tables;
use std::ffi::c_int;
use std::ptr::null_mut;

/// A handle that MPICH's interface writes otherwise.
pub(crate) trait Foreign: Copy + PartialEq {
    /// How it writes it.
    type Raw: Copy;
    /// A handle that the library never gives out.
    const UNKNOWN: Self;
    /// The library's handle.
    fn from_raw(raw: Self::Raw) -> Self;
    /// MPICH's handle.
    fn to_raw(self) -> Self::Raw;
}

/// How MPICH's interface writes a handle of this type.
pub(crate) type Raw<H> = <H as Foreign>::Raw;

/// The highest bit of a handle of an object that a program made.
const MADE: u32 = 1 << 31;

/// What no handle of the library has.
const NO_HANDLE: usize = 1 << 32;

/// Implements the conversions; the kind is MPICH's number for it.
macro_rules! handles {
    ($($handle:ident: $kind:literal, $from:path, $to:path;)+) => {$(
        impl Foreign for $handle {
            type Raw = c_int;
            const UNKNOWN: $handle = $handle(usize::MAX);

            #[inline(always)]
            fn from_raw(raw: c_int) -> $handle {
                let raw = raw as u32;
                let made = (raw ^ (MADE | $kind << 26)) as usize;
                if made < MADE as usize && made > LAST_PREDEFINED_HANDLE {
                    return $handle(made);
                }
                // What is no handle is shown with its digits where it is refused.
                $handle($from(raw).unwrap_or(raw as usize | NO_HANDLE))
            }

            #[inline(always)]
            fn to_raw(self) -> c_int {
                match self.is_predefined() {
                    true => $to(self.0).unwrap_or(0) as c_int,
                    false => (self.0 as u32 ^ (MADE | $kind << 26)) as c_int,
                }
            }
        }
    )+};
}

handles! {
    MPI_Comm: 1, comm_from, tables::comm_to;
    MPI_Group: 2, tables::group_from, tables::group_to;
    MPI_Datatype: 3, datatype_from, tables::datatype_to;
    MPI_Errhandler: 5, tables::errhandler_from, tables::errhandler_to;
    MPI_Op: 6, tables::op_from, tables::op_to;
    MPI_Info: 7, tables::info_from, tables::info_to;
    MPI_Win: 8, tables::win_from, tables::win_to;
    MPI_Request: 11, tables::request_from, tables::request_to;
    MPI_Message: 11, tables::message_from, tables::message_to;
    MPI_Session: 14, tables::session_from, tables::session_to;
}

/// As the table says, the most common one first.
#[inline(always)]
fn comm_from(raw: u32) -> Option<usize> {
    if raw == 0x4400_0000 { Some(MPI_COMM_WORLD.0) } else { tables::comm_from(raw) }
}

/// A plain datatype has a place of its own; the others are few.
#[inline(always)]
fn datatype_from(raw: u32) -> Option<usize> {
    let (theirs, ours) = tables::DATATYPES[(raw & 0xff) as usize];
    if raw == theirs { Some(usize::from(ours)) } else { tables::datatype_from(raw) }
}

/// Files are pointers, and there are none but the null one.
impl Foreign for MPI_File {
    type Raw = usize;
    const UNKNOWN: MPI_File = MPI_File(usize::MAX);

    fn from_raw(raw: usize) -> MPI_File {
        match raw {
            0 => MPI_FILE_NULL,
            _ => MPI_File(raw.max(NO_HANDLE)),
        }
    }

    fn to_raw(self) -> usize {
        if self == MPI_FILE_NULL { 0 } else { self.0 }
    }
}

/// Where a program has a handle, and the handle as the library sees it.
pub(crate) struct Place<H: Foreign> {
    raw: *mut H::Raw,
    handle: H,
    before: H,
}

impl<H: Foreign> Place<H> {
    /// A place to write to.
    #[inline(always)]
    pub(crate) fn empty(raw: *mut H::Raw) -> Place<H> {
        Place { raw, handle: H::UNKNOWN, before: H::UNKNOWN }
    }

    /// A place with a handle.
    ///
    /// # Safety
    ///
    /// It has one, or is null.
    #[inline(always)]
    pub(crate) unsafe fn read(raw: *mut H::Raw) -> Place<H> {
        // SAFETY: the caller vouches for the address.
        let handle = if raw.is_null() { H::UNKNOWN } else { H::from_raw(unsafe { *raw }) };
        Place { raw, handle, before: handle }
    }

    /// For the library: null, if the program's is.
    #[inline(always)]
    pub(crate) fn address(&mut self) -> *mut H {
        if self.raw.is_null() { null_mut() } else { &raw mut self.handle }
    }

    /// Gives the program what the library has written, if it has.
    ///
    /// # Safety
    ///
    /// The place can be written to, or is null.
    #[inline(always)]
    pub(crate) unsafe fn write(self) {
        if self.handle != self.before {
            // SAFETY: the caller vouches for the address; without one the library has written nothing.
            unsafe { *self.raw = self.handle.to_raw() };
        }
    }
}
