//! The attributes that the library itself caches on communicators, such as the largest tag.
//! Rules: a program gets the address of an int and may only read it (MPI 5.0, section 9.1.2); the address stays
//! valid as long as the library runs. Those that the job does not know are not set.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

use super::Kind;
use crate::dialect;

use crate::abi::{
    MPI_APPNUM, MPI_HOST, MPI_IO, MPI_LASTUSEDCODE, MPI_TAG_UB, MPI_UNIVERSE_SIZE, MPI_WIN_BASE,
    MPI_WIN_CREATE_FLAVOR, MPI_WIN_DISP_UNIT, MPI_WIN_MODEL, MPI_WIN_SIZE, MPI_WTIME_IS_GLOBAL,
};

/// Whether the standard predefines a keyval of this number.
pub(super) fn is_predefined(kind: Kind, number: c_int) -> bool {
    match kind {
        Kind::Comm => matches!(
            number,
            MPI_TAG_UB
                | MPI_IO
                | MPI_HOST
                | MPI_WTIME_IS_GLOBAL
                | MPI_APPNUM
                | MPI_LASTUSEDCODE
                | MPI_UNIVERSE_SIZE
        ),
        Kind::Win => matches!(
            number,
            MPI_WIN_BASE | MPI_WIN_DISP_UNIT | MPI_WIN_SIZE | MPI_WIN_CREATE_FLAVOR | MPI_WIN_MODEL
        ),
        Kind::Type => false,
    }
}

/// The values of the predefined attributes of communicators.
#[derive(Debug)]
pub struct Predefined {
    // The program reads these while the library may write to one, so they are atomic.
    values: Box<[(c_int, AtomicI32)]>,
}

impl Predefined {
    /// These keyvals with their values; others are not set.
    pub fn new(values: impl IntoIterator<Item = (c_int, c_int)>) -> Predefined {
        let values = values
            .into_iter()
            .map(|(number, value)| (number, AtomicI32::new(dialect::attribute(number, value))));
        Predefined { values: values.collect() }
    }

    /// What `MPI_Comm_get_attr` returns: the address of an int.
    pub fn find(&self, number: c_int) -> Option<*mut c_void> {
        Some(self.value(number)?.as_ptr().cast())
    }

    /// Changes a value that was set from the start, such as the last used error code.
    pub fn update(&self, number: c_int, value: c_int) {
        if let Some(slot) = self.value(number) {
            slot.store(dialect::attribute(number, value), Ordering::Relaxed);
        }
    }

    fn value(&self, number: c_int) -> Option<&AtomicI32> {
        self.values.iter().find(|(other, _)| *other == number).map(|(_, value)| value)
    }
}
