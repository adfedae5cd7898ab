//! The types whose layout the binary interface fixes: addresses, offsets, counts and `MPI_Status`.
//! Source: MPI 5.0, chapter *Application Binary Interface*, sections on types and on the status object.
//! Rules: sizes and offsets are checked when this is compiled, so a wrong platform fails to build.

use std::ffi::c_int;
use std::mem::{align_of, offset_of, size_of};

/// An address, or a difference of two (`intptr_t`).
pub type MPI_Aint = isize;

/// A position in a file (`int64_t`).
pub type MPI_Offset = i64;

/// A number of elements or bytes that holds every `MPI_Aint` and `MPI_Offset`.
pub type MPI_Count = i64;

/// What a receive or a probe found.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MPI_Status {
    /// The rank that sent the message.
    pub MPI_SOURCE: c_int,
    /// The tag of the message.
    pub MPI_TAG: c_int,
    /// The error class or code of the request, where a call completes several.
    pub MPI_ERROR: c_int,
    /// For the library alone: programs copy these words and never read them.
    pub MPI_internal: [c_int; 5],
}

const _: () = {
    assert!(size_of::<MPI_Status>() == 32 && align_of::<MPI_Status>() == 4);
    assert!(offset_of!(MPI_Status, MPI_SOURCE) == 0);
    assert!(offset_of!(MPI_Status, MPI_TAG) == 4);
    assert!(offset_of!(MPI_Status, MPI_ERROR) == 8);
    assert!(offset_of!(MPI_Status, MPI_internal) == 12);
    assert!(size_of::<c_int>() == 4);
    assert!(size_of::<MPI_Aint>() == size_of::<usize>());
    assert!(size_of::<MPI_Count>() >= size_of::<MPI_Aint>());
};
