//! Statuses: MPICH's are five words, with the count of bytes before what programs may read.
//! Source: MPICH's `mpi.h`: the low half of the count, the high half above a bit that says "cancelled", and the rest.
//! Rules: what the library has not written stays as the program has it.

use crate::abi::*;
use crate::face::status::Status;
use crate::numbers::{code_in, code_out, rank_in, rank_out, tag_in, tag_out};
use crate::tables;
use std::ffi::c_int;
use std::mem::{align_of, offset_of, size_of};
use std::ptr::null_mut;

/// A status of MPICH's interface.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MpichStatus {
    count_low: c_int,
    count_high_and_cancelled: c_int,
    source: c_int,
    tag: c_int,
    error: c_int,
}

const _: () = {
    assert!(size_of::<MpichStatus>() == 4 * tables::MPI_F_STATUS_SIZE as usize);
    assert!(align_of::<MpichStatus>() == 4);
    assert!(offset_of!(MpichStatus, source) == 4 * tables::MPI_F_SOURCE as usize);
    assert!(offset_of!(MpichStatus, tag) == 4 * tables::MPI_F_TAG as usize);
    assert!(offset_of!(MpichStatus, error) == 4 * tables::MPI_F_ERROR as usize);
};

/// A rank, tag or code that the library writes into no status.
const UNTOUCHED: c_int = c_int::MIN;

/// A status that the library has written nothing to.
const EMPTY: MPI_Status = MPI_Status {
    MPI_SOURCE: UNTOUCHED,
    MPI_TAG: UNTOUCHED,
    MPI_ERROR: UNTOUCHED,
    MPI_internal: [0; 5],
};

impl MpichStatus {
    /// The library's status.
    pub(crate) fn from_standard(status: &MPI_Status) -> MpichStatus {
        let mut made = MpichStatus::default();
        made.take(status);
        made
    }

    /// Takes over what the library has written.
    #[inline(always)]
    fn take(&mut self, status: &MPI_Status) {
        if status.MPI_ERROR != UNTOUCHED {
            self.error = code_out(status.MPI_ERROR);
        }
        if status.MPI_SOURCE != UNTOUCHED {
            self.source = rank_out(status.MPI_SOURCE);
            self.tag = tag_out(status.MPI_TAG);
            self.take_count(status);
        }
    }

    #[inline(always)]
    fn take_count(&mut self, status: &MPI_Status) {
        let Status { bytes, is_cancelled, .. } = Status::read_from(status);
        self.count_low = bytes as u32 as c_int;
        self.count_high_and_cancelled = ((bytes >> 32) as c_int) << 1 | c_int::from(is_cancelled);
    }
}

/// Whether a program has passed no status, or says that it wants none.
#[inline(always)]
fn is_ignored(status: *const MpichStatus) -> bool {
    status.addr() <= tables::MPI_STATUS_IGNORE as usize
}

/// A status that the library reads.
pub(crate) struct StatusIn {
    /// As the library sees it.
    pub(crate) value: MPI_Status,
    is_none: bool,
}

impl StatusIn {
    /// Reads a status but for its error. Most calls write none, and then nobody may have written that word.
    ///
    /// # Safety
    ///
    /// It is one, or none.
    pub(crate) unsafe fn read(status: *const MpichStatus) -> StatusIn {
        match is_ignored(status) {
            true => StatusIn { value: MPI_Status::default(), is_none: true },
            // SAFETY: the caller vouches for the address.
            false => StatusIn::without_error(&unsafe { *status }),
        }
    }

    /// Reads all of a status.
    ///
    /// # Safety
    ///
    /// As of [`read`](StatusIn::read).
    pub(crate) unsafe fn read_with_error(status: *const MpichStatus) -> StatusIn {
        match is_ignored(status) {
            true => StatusIn { value: MPI_Status::default(), is_none: true },
            // SAFETY: the caller vouches for the address.
            false => StatusIn::of(&unsafe { *status }),
        }
    }

    /// What a status says.
    pub(crate) fn of(status: &MpichStatus) -> StatusIn {
        let mut read = StatusIn::without_error(status);
        read.value.MPI_ERROR = code_in(status.error);
        read
    }

    /// What a status says of a message.
    fn without_error(status: &MpichStatus) -> StatusIn {
        let (low, high) = (status.count_low as u32, (status.count_high_and_cancelled as u32) >> 1);
        let mut value = EMPTY;
        let words = Status {
            source: rank_in(status.source),
            tag: tag_in(status.tag),
            bytes: u64::from(high) << 32 | u64::from(low),
            is_cancelled: status.count_high_and_cancelled & 1 != 0,
            is_of_none: false,
        };
        words.write_to(&mut value);
        StatusIn { value, is_none: false }
    }

    /// For the library.
    pub(crate) fn address(&self) -> *const MPI_Status {
        if self.is_none { std::ptr::null() } else { &raw const self.value }
    }

    /// For the library, to change.
    pub(crate) fn address_mut(&mut self) -> *mut MPI_Status {
        if self.is_none { null_mut() } else { &raw mut self.value }
    }

    /// Gives the program what the library has changed.
    ///
    /// # Safety
    ///
    /// The status is the one that was read.
    pub(crate) unsafe fn write(&self, status: *mut MpichStatus) {
        if self.is_none {
            return;
        }
        // SAFETY: the caller vouches for the address.
        let status = unsafe { &mut *status };
        let before = StatusIn::without_error(status).value;
        // As it was read it is untouched.
        status.take(&MPI_Status { MPI_ERROR: self.value.MPI_ERROR, ..EMPTY });
        if before.MPI_SOURCE != self.value.MPI_SOURCE {
            status.source = rank_out(self.value.MPI_SOURCE);
        }
        if before.MPI_TAG != self.value.MPI_TAG {
            status.tag = tag_out(self.value.MPI_TAG);
        }
        status.take_count(&self.value);
    }
}

/// A status that the library writes, or none.
pub(crate) struct StatusOut {
    raw: *mut MpichStatus,
    value: MPI_Status,
}

impl StatusOut {
    /// A place for the library's.
    #[inline(always)]
    pub(crate) fn new(raw: *mut MpichStatus) -> StatusOut {
        StatusOut { raw, value: EMPTY }
    }

    /// For the library.
    #[inline(always)]
    pub(crate) fn address(&mut self) -> *mut MPI_Status {
        if is_ignored(self.raw) { null_mut() } else { &raw mut self.value }
    }

    /// Gives the program what the library has written.
    ///
    /// # Safety
    ///
    /// The status can be written to, or is none.
    #[inline(always)]
    pub(crate) unsafe fn write(&self) {
        if !is_ignored(self.raw) {
            // SAFETY: the caller vouches for the address.
            unsafe { &mut *self.raw }.take(&self.value);
        }
    }
}

/// Room for statuses that the library has written nothing to.
pub(crate) fn empty(count: usize, room: &mut Vec<MPI_Status>) {
    room.clear();
    room.resize(count, EMPTY);
}

/// Gives the program the statuses that the library has written.
///
/// # Safety
///
/// `raw` has as many elements, or is none.
pub(crate) unsafe fn write_all(statuses: &[MPI_Status], raw: *mut MpichStatus) {
    for (at, status) in statuses.iter().enumerate() {
        // SAFETY: the caller vouches for the array.
        unsafe { &mut *raw.add(at) }.take(status);
    }
}

/// Whether a program wants no statuses.
pub(crate) fn are_ignored(raw: *const MpichStatus) -> bool {
    is_ignored(raw)
}
