//! An array of requests that a program passes.
//! Source: MPI 5.0, section *Multiple Completions*.
//! Rules: no reference to it outlives a look, since the program's own functions may run while a call waits.

use super::border::{In, Out};
use super::fault::Fault;
use super::memory::checked_count;
use crate::abi::*;
use std::ffi::c_int;

/// An array of requests.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    first: *mut MPI_Request,
    count: usize,
}

impl Handles {
    /// Those that a call completes.
    pub(crate) fn to_change(first: Out<MPI_Request>, count: c_int) -> Result<Handles, Fault> {
        Handles::of(first.address(), count)
    }

    /// Those that a call looks at: it writes none of them.
    pub(crate) fn to_look_at(first: In<MPI_Request>, count: c_int) -> Result<Handles, Fault> {
        Handles::of(first.address().cast_mut(), count)
    }

    fn of(first: *mut MPI_Request, count: c_int) -> Result<Handles, Fault> {
        let count = checked_count(count.into())?;
        match first.is_null() && count > 0 {
            true => Err(Fault::null("array_of_requests")),
            false => Ok(Handles { first, count }),
        }
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// The request with this index, which must be below the count.
    #[inline(always)]
    pub(crate) fn at(self, index: usize) -> MPI_Request {
        assert!(index < self.count, "a request of the array");
        // SAFETY: the caller in C vouches for so many.
        unsafe { self.first.add(index).read() }
    }

    /// Writes the request with this index, which must be below the count.
    #[inline(always)]
    pub(crate) fn set(self, index: usize, request: MPI_Request) {
        assert!(index < self.count, "a request of the array");
        // SAFETY: the caller in C vouches for so many, and that they may be written to.
        unsafe { self.first.add(index).write(request) };
    }

    /// All of them, each read when it comes.
    pub(crate) fn all(self) -> impl Iterator<Item = MPI_Request> + Clone {
        (0..self.count).map(move |index| self.at(index))
    }
}
