//! What a call tells of a message.
//! Rules: only this file knows what the library's own words of a status hold.

use crate::abi::*;
use std::ffi::c_int;

/// The words of a status that are the library's: the low and the high half of the number of bytes, and whether
/// the operation was cancelled.
const LOW: usize = 0;
const HIGH: usize = 1;
const CANCELLED: usize = 2;

/// The status of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) source: c_int,
    pub(crate) tag: c_int,
    pub(crate) bytes: u64,
    pub(crate) is_cancelled: bool,
    /// Whether it is that of no operation, which has no error either.
    pub(crate) is_of_none: bool,
}

impl Status {
    /// That of an operation that has none.
    pub(crate) const EMPTY: Status = Status {
        source: MPI_ANY_SOURCE,
        tag: MPI_ANY_TAG,
        bytes: 0,
        is_cancelled: false,
        is_of_none: false,
    };

    /// The empty status: that of a null or inactive request.
    pub(crate) const NONE: Status = Status { is_of_none: true, ..Status::EMPTY };

    /// That of a receive from `MPI_PROC_NULL`.
    pub(crate) const OF_NOBODY: Status = Status { source: MPI_PROC_NULL, ..Status::EMPTY };

    /// As the program sees it. A call for one operation leaves the error as it is; the empty status has none.
    pub(crate) fn write_to(&self, status: &mut MPI_Status) {
        status.MPI_SOURCE = self.source;
        status.MPI_TAG = self.tag;
        status.MPI_internal[LOW] = self.bytes as u32 as c_int;
        status.MPI_internal[HIGH] = (self.bytes >> 32) as c_int;
        status.MPI_internal[CANCELLED] = c_int::from(self.is_cancelled);
        if self.is_of_none {
            status.MPI_ERROR = MPI_SUCCESS;
        }
    }

    /// From a status of the program.
    pub(crate) fn read_from(status: &MPI_Status) -> Status {
        let (low, high) = (status.MPI_internal[LOW] as u32, status.MPI_internal[HIGH] as u32);
        Status {
            source: status.MPI_SOURCE,
            tag: status.MPI_TAG,
            bytes: u64::from(high) << 32 | u64::from(low),
            is_cancelled: status.MPI_internal[CANCELLED] != 0,
            is_of_none: false,
        }
    }
}
