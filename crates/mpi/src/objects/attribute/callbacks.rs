//! The copy and delete functions of keyvals: the program's, or one that the standard predefines.
//! Rules: a predefined function is a small number that is never called; the program's may not unwind.
//! Communicators, datatypes and windows have functions of one form, as handles are of one width.

use std::ffi::{c_int, c_void};

use crate::dialect::{self, Handle, Object};

use crate::abi::{
    Address, MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, MPI_SUCCESS,
};

/// A copy function of the program's: object, keyval, extra state, value, where the copy goes, whether there is one.
pub type UserCopy =
    unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// A delete function of the program's: object, keyval, value, extra state.
pub type UserDelete = unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void) -> c_int;

/// What happens to an attribute when its object is duplicated.
#[derive(Clone, Copy, Debug)]
pub enum CopyFunction {
    /// It is not copied (`MPI_COMM_NULL_COPY_FN`).
    Null,
    /// Its value is copied (`MPI_COMM_DUP_FN`).
    Dup,
    /// The program says.
    User(UserCopy),
}

impl CopyFunction {
    /// The function that a program passes.
    ///
    /// # Safety
    ///
    /// It is predefined, or the address of a function of the form [`UserCopy`].
    pub unsafe fn from_address(function: Address) -> CopyFunction {
        match function {
            MPI_COMM_NULL_COPY_FN => CopyFunction::Null,
            MPI_COMM_DUP_FN => CopyFunction::Dup,
            // SAFETY: the caller vouches for the function; the address is not null.
            Address(address) => CopyFunction::User(unsafe {
                std::mem::transmute::<*const (), UserCopy>(std::ptr::with_exposed_provenance(
                    address,
                ))
            }),
        }
    }

    /// The address of the program's function.
    pub fn address(self) -> Option<*const ()> {
        match self {
            CopyFunction::User(function) => Some(function as *const ()),
            _ => None,
        }
    }

    /// Whether there is a copy, whose value goes to `copy`; else the code of the program's function.
    pub(super) unsafe fn call(
        self,
        (of, object): (Object, usize),
        number: c_int,
        extra_state: *mut c_void,
        value: *mut c_void,
        copy: &mut *mut c_void,
    ) -> Result<bool, c_int> {
        match self {
            CopyFunction::Null => Ok(false),
            CopyFunction::Dup => {
                *copy = value;
                Ok(true)
            }
            CopyFunction::User(function) => {
                let (object, keyval) = (dialect::handle(of, object), dialect::keyval(number));
                let mut flag = 0;
                // SAFETY: the program vouches for its function; what it writes to lives until it returns.
                let code = unsafe {
                    let copy: *mut *mut c_void = copy;
                    function(object, keyval, extra_state, value, copy.cast(), &mut flag)
                };
                if code == MPI_SUCCESS { Ok(flag != 0) } else { Err(dialect::returned(code)) }
            }
        }
    }
}

/// What happens when an attribute is deleted or replaced.
#[derive(Clone, Copy, Debug)]
pub enum DeleteFunction {
    /// Nothing (`MPI_COMM_NULL_DELETE_FN`).
    Null,
    /// The program is told.
    User(UserDelete),
}

impl DeleteFunction {
    /// The function that a program passes.
    ///
    /// # Safety
    ///
    /// It is predefined, or the address of a function of the form [`UserDelete`].
    pub unsafe fn from_address(function: Address) -> DeleteFunction {
        match function {
            MPI_COMM_NULL_DELETE_FN => DeleteFunction::Null,
            // SAFETY: as above.
            Address(address) => DeleteFunction::User(unsafe {
                std::mem::transmute::<*const (), UserDelete>(std::ptr::with_exposed_provenance(
                    address,
                ))
            }),
        }
    }

    /// The address of the program's function.
    pub fn address(self) -> Option<*const ()> {
        match self {
            DeleteFunction::User(function) => Some(function as *const ()),
            DeleteFunction::Null => None,
        }
    }

    pub(super) unsafe fn call(
        self,
        (of, object): (Object, usize),
        number: c_int,
        value: *mut c_void,
        extra_state: *mut c_void,
    ) -> c_int {
        match self {
            DeleteFunction::Null => MPI_SUCCESS,
            // SAFETY: the program vouches for its function.
            DeleteFunction::User(function) => unsafe {
                let (object, keyval) = (dialect::handle(of, object), dialect::keyval(number));
                dialect::returned(function(object, keyval, value, extra_state))
            },
        }
    }
}
