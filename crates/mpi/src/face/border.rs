//! What every exported function does around its body: the library must run, and an error goes to its handler.
//! Also the pointers that a caller in C passes.
//! Rules: the hot path is one load and one branch; a null pointer is an error and never an access.

use super::fault::Fault;
use super::library::{LIBRARY, Library};
use super::turn::Turn;
use crate::abi::*;
use std::ffi::{CStr, c_char, c_int};

/// The object whose error handler is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum On {
    /// None: that of `MPI_COMM_SELF` (MPI 5.0, section on error handling).
    Nothing,
    /// A communicator.
    Comm(MPI_Comm),
}

impl From<MPI_Comm> for On {
    #[inline(always)]
    fn from(comm: MPI_Comm) -> On {
        On::Comm(comm)
    }
}

/// Runs the body of a function of a library that is initialised.
#[inline(always)]
pub(crate) fn call(
    name: &'static str,
    on: On,
    body: impl FnOnce(&'static Library) -> Result<(), Fault>,
) -> c_int {
    let _turn = match LIBRARY.has_one_caller() {
        true => None,
        false => enter_with_others(name),
    };
    match body(&LIBRARY) {
        Ok(()) => MPI_SUCCESS,
        Err(fault) => LIBRARY.handle_fault(name, on, fault),
    }
}

/// As [`call`] begins, where threads may call at once, or the library is not running.
#[cold]
#[inline(never)]
fn enter_with_others(name: &'static str) -> Option<Turn> {
    if !LIBRARY.is_running() {
        LIBRARY.refuse_outside(name);
    }
    Turn::take()
}

/// Runs the body of a function that may also be called before the library is initialised and after it was
/// finalized.
pub(crate) fn call_anytime(
    name: &'static str,
    body: impl FnOnce(&'static Library) -> Result<(), Fault>,
) -> c_int {
    match locked(|| body(&LIBRARY)) {
        Ok(()) => MPI_SUCCESS,
        // The program's handler runs without the lock.
        Err(fault) => LIBRARY.handle_fault(name, On::Nothing, fault),
    }
}

/// Runs one at a time what threads may do at once, at every level of thread support: the calls that are allowed at any
/// time, and what others of the library do with the same tables. A thread that has the turn may come again.
pub(crate) fn locked<R>(run: impl FnOnce() -> R) -> R {
    let _turn = Turn::take();
    run()
}

/// Where a result goes, or an array of them: a caller in C passes it, and so says that it may be written to.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

/// An argument by address, or an array: a caller in C passes it, and so says that it may be read.
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> Out<T> {
    /// The address that was passed.
    pub(crate) fn address(self) -> *mut T {
        self.0
    }

    /// Whether the caller passed null, or another of the small numbers that stand for a choice.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes the result.
    #[inline(always)]
    pub(crate) fn set(self, argument: &'static str, value: T) -> Result<(), Fault> {
        self.set_at(argument, 0, value)
    }

    /// Writes one element of an array that the caller says to be long enough.
    #[inline(always)]
    pub(crate) fn set_at(self, argument: &'static str, at: usize, value: T) -> Result<(), Fault> {
        if self.0.is_null() {
            return Err(Fault::null(argument));
        }
        // SAFETY: the caller in C vouches for the address, and for as many elements as the standard says.
        unsafe { self.0.add(at).write(value) };
        Ok(())
    }

    /// What the caller has put there.
    #[inline(always)]
    pub(crate) fn value(self, argument: &'static str) -> Result<T, Fault>
    where
        T: Copy,
    {
        In(self.0.cast_const()).value(argument)
    }

    /// The array, of `count` elements that the caller has written.
    #[expect(clippy::mut_from_ref, reason = "it is borrowed of the caller in C, not of the name")]
    pub(crate) fn slice(
        self,
        argument: &'static str,
        count: usize,
    ) -> Result<&'static mut [T], Fault> {
        match (self.0.is_null(), count) {
            (_, 0) => Ok(&mut []),
            (true, _) => Err(Fault::null(argument)),
            // SAFETY: the caller in C vouches for the array, and for leaving it alone during the call.
            (false, _) => Ok(unsafe { std::slice::from_raw_parts_mut(self.0, count) }),
        }
    }
}

impl Out<c_char> {
    /// Writes a string with its null, cut to `room` bytes in all. Returns how long it is without the null.
    pub(crate) fn set_string(
        self,
        argument: &'static str,
        text: &str,
        room: usize,
    ) -> Result<usize, Fault> {
        let mut length = text.len().min(room.saturating_sub(1));
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        for (at, byte) in text.as_bytes()[..length].iter().chain(&[0]).enumerate().take(room) {
            self.set_at(argument, at, *byte as c_char)?;
        }
        Ok(length)
    }
}

impl<T> In<T> {
    /// The address that was passed.
    pub(crate) fn address(self) -> *const T {
        self.0
    }

    /// Whether the caller passed null.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The argument.
    #[inline(always)]
    pub(crate) fn value(self, argument: &'static str) -> Result<T, Fault>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return Err(Fault::null(argument));
        }
        // SAFETY: the caller in C vouches for the address.
        Ok(unsafe { self.0.read() })
    }

    /// The array, of `count` elements.
    pub(crate) fn slice(self, argument: &'static str, count: usize) -> Result<&'static [T], Fault> {
        match (self.0.is_null(), count) {
            (_, 0) => Ok(&[]),
            (true, _) => Err(Fault::null(argument)),
            // SAFETY: the caller in C vouches for the array, and for leaving it alone during the call.
            (false, _) => Ok(unsafe { std::slice::from_raw_parts(self.0, count) }),
        }
    }
}

impl In<c_char> {
    /// The string, whose null is not part of it; what is no UTF-8 is replaced.
    pub(crate) fn string(self, argument: &'static str) -> Result<String, Fault> {
        if self.0.is_null() {
            return Err(Fault::null(argument));
        }
        // SAFETY: the caller in C vouches for a string that ends with a null.
        let text = unsafe { CStr::from_ptr(self.0) };
        Ok(text.to_string_lossy().into_owned())
    }
}
