//! What MPICH's own Fortran library asks of the C library beside MPI's functions: which callbacks are Fortran's, and
//! attributes as numbers. So that library, which a Fortran program brings with it, runs on this one.
//! Source: the names that `libmpifort.so.12` links, and their declarations in MPICH's sources.
//! Rules: Fortran's keyval of a predefined attribute is C's and one more, and its value a number.

#![allow(non_snake_case)]

use crate::abi::*;
use crate::face::border::locked;
use crate::face::grequest::Generalized;
use crate::face::library::LIBRARY;
use crate::face::request::State;
use crate::functions::{
    PMPI_Comm_get_attr, PMPI_Comm_set_attr, PMPI_Type_get_attr, PMPI_Type_set_attr,
    PMPI_Win_get_attr, PMPI_Win_set_attr,
};
use crate::handles::Foreign;
use crate::numbers::keyval_in;
use crate::objects::attribute::{CopyFunction, DeleteFunction, Keyval};
use crate::statuses::MpichStatus;
use crate::tables;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

/// MPICH's number for an attribute that Fortran has set.
const NUMBER: c_int = 1;

/// Calls a copy procedure of Fortran's: procedure, object, keyval, extra state, kind of the value, value, copy, flag.
type CopyProxy = unsafe extern "C" fn(
    *const c_void,
    c_int,
    c_int,
    *mut c_void,
    c_int,
    *mut c_void,
    *mut *mut c_void,
    *mut c_int,
) -> c_int;

/// Calls a delete procedure of Fortran's: procedure, object, keyval, kind of the value, value, extra state.
type DeleteProxy =
    unsafe extern "C" fn(*const c_void, c_int, c_int, c_int, *mut c_void, *mut c_void) -> c_int;

/// What a keyval of Fortran's needs. It stays, since attributes may outlive their keyval.
struct Key {
    copy: *const c_void,
    delete: *const c_void,
    copy_proxy: CopyProxy,
    delete_proxy: DeleteProxy,
    extra_state: *mut c_void,
}

/// Copies an attribute of Fortran's.
///
/// # Safety
///
/// The state is a [`Key`], and the other pointers are valid.
unsafe extern "C" fn copy(
    object: c_int,
    keyval: c_int,
    state: *mut c_void,
    value: *mut c_void,
    copied: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the library hands back the keyval's state; a pointer goes to `copied`.
    unsafe {
        let key = &*state.cast::<Key>();
        let (copied, state) = (copied.cast(), key.extra_state);
        (key.copy_proxy)(key.copy, object, keyval, state, NUMBER, value, copied, flag)
    }
}

/// Deletes an attribute of Fortran's.
///
/// # Safety
///
/// The state is a [`Key`].
unsafe extern "C" fn delete(
    object: c_int,
    keyval: c_int,
    value: *mut c_void,
    state: *mut c_void,
) -> c_int {
    // SAFETY: the library hands back the keyval's state.
    unsafe {
        let key = &*state.cast::<Key>();
        (key.delete_proxy)(key.delete, object, keyval, NUMBER, value, key.extra_state)
    }
}

/// Says that a keyval, which was just made, has Fortran's procedures, and what calls these.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn MPII_Keyval_set_proxy(
    keyval: c_int,
    copy_proxy: CopyProxy,
    delete_proxy: DeleteProxy,
) {
    let adapt = |keyval: &mut Keyval| {
        let address =
            |function: Option<*const ()>| function.unwrap_or(std::ptr::null()).cast::<c_void>();
        let key = Key {
            copy: address(keyval.copy.address()),
            delete: address(keyval.delete.address()),
            copy_proxy,
            delete_proxy,
            extra_state: keyval.extra_state,
        };
        keyval.copy = CopyFunction::User(copy);
        keyval.delete = DeleteFunction::User(delete);
        keyval.extra_state = (&raw mut *Box::leak(Box::new(key))).cast();
    };
    locked(|| LIBRARY.objects.keyvals.borrow_mut().replace(keyval_in(keyval), adapt));
}

/// What Fortran sees of a predefined attribute whose value C gets.
///
/// # Safety
///
/// The value is that of an attribute of this keyval.
unsafe fn number_of(keyval: c_int, value: *mut c_void) -> MPI_Aint {
    match keyval {
        MPI_WIN_BASE => value.addr().cast_signed(),
        // SAFETY: the value of this attribute is the address of an `MPI_Aint`.
        MPI_WIN_SIZE => unsafe { *value.cast::<MPI_Aint>() },
        // SAFETY: the value of any other is the address of an `int`.
        _ => unsafe { *value.cast::<c_int>() as MPI_Aint },
    }
}

/// Defines Fortran's ways to an attribute of a kind of object.
macro_rules! attributes {
    ($($get:ident: $c_get:ident, $set:ident: $c_set:ident;)+) => {$(
        /// Returns an attribute as a number.
        ///
        /// # Safety
        ///
        /// A word goes to `value`, and a number to `flag`.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $get(
            object: c_int, keyval: c_int, value: *mut c_void, flag: *mut c_int, _kind: c_int,
        ) -> c_int {
            let predefined = tables::keyval_from(keyval - 1).filter(|&of| of != MPI_KEYVAL_INVALID);
            let of = if predefined.is_some() { keyval - 1 } else { keyval };
            let mut found: *mut c_void = null_mut();
            // SAFETY: the caller vouches for the addresses, and the library for what it tells.
            unsafe {
                let code = $c_get(object, of, (&raw mut found).cast(), flag);
                if code == MPI_SUCCESS && *flag != 0 {
                    *value.cast::<MPI_Aint>() = match predefined {
                        Some(predefined) => number_of(predefined, found),
                        None => found.addr().cast_signed(),
                    };
                }
                code
            }
        }

        /// Sets an attribute to a number.
        ///
        /// # Safety
        ///
        /// Delete procedures may run.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $set(
            object: c_int, keyval: c_int, value: *mut c_void, _kind: c_int,
        ) -> c_int {
            // SAFETY: as the caller promises.
            unsafe { $c_set(object, keyval, value) }
        }
    )+};
}

attributes! {
    MPII_Comm_get_attr: PMPI_Comm_get_attr, MPII_Comm_set_attr: PMPI_Comm_set_attr;
    MPII_Type_get_attr: PMPI_Type_get_attr, MPII_Type_set_attr: PMPI_Type_set_attr;
    MPII_Win_get_attr: PMPI_Win_get_attr, MPII_Win_set_attr: PMPI_Win_set_attr;
}

/// The procedures of a generalized request of Fortran's, each with an error behind its arguments.
struct Procedures {
    query: unsafe extern "C" fn(*mut c_void, *mut MpichStatus, *mut c_int),
    free: unsafe extern "C" fn(*mut c_void, *mut c_int),
    cancel: unsafe extern "C" fn(*mut c_void, *const c_int, *mut c_int),
    extra_state: *mut c_void,
}

/// Asks a generalized request for its status.
///
/// # Safety
///
/// The state is [`Procedures`] that were not freed.
unsafe extern "C" fn query(state: *mut c_void, status: *mut MPI_Status) -> c_int {
    let mut code = MPI_SUCCESS;
    // SAFETY: the library hands back the state, and a status of this interface.
    unsafe {
        let procedures = &*state.cast::<Procedures>();
        (procedures.query)(procedures.extra_state, status.cast(), &mut code);
    }
    code
}

/// Frees a generalized request.
///
/// # Safety
///
/// The state is [`Procedures`] that were not freed.
unsafe extern "C" fn free(state: *mut c_void) -> c_int {
    let mut code = MPI_SUCCESS;
    // SAFETY: the library calls this once for a request, and has no use for the state afterwards.
    unsafe {
        let procedures = Box::from_raw(state.cast::<Procedures>());
        (procedures.free)(procedures.extra_state, &mut code);
    }
    code
}

/// Cancels a generalized request.
///
/// # Safety
///
/// The state is [`Procedures`] that were not freed.
unsafe extern "C" fn cancel(state: *mut c_void, complete: c_int) -> c_int {
    let mut code = MPI_SUCCESS;
    // SAFETY: the library hands back the state.
    unsafe {
        let procedures = &*state.cast::<Procedures>();
        (procedures.cancel)(procedures.extra_state, &complete, &mut code);
    }
    code
}

/// Says that a generalized request, which was just begun, has Fortran's procedures.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn MPII_Grequest_set_lang_f77(request: c_int) {
    /// The same function with the parameters of Fortran's.
    unsafe fn procedure<F: Copy, P: Copy>(function: F) -> P {
        const { assert!(size_of::<F>() == size_of::<P>()) };
        // SAFETY: both are addresses of functions; the program has passed one with these parameters.
        unsafe { std::mem::transmute_copy(&function) }
    }
    let adapt = |operation: &mut Generalized| {
        if let (Some(of_query), Some(of_free), Some(of_cancel)) =
            (operation.query, operation.free, operation.cancel)
        {
            // SAFETY: the program that calls this has passed procedures of Fortran's.
            let procedures = unsafe {
                Procedures {
                    query: procedure(of_query),
                    free: procedure(of_free),
                    cancel: procedure(of_cancel),
                    extra_state: operation.extra_state,
                }
            };
            operation.query = Some(query);
            operation.free = Some(free);
            operation.cancel = Some(cancel);
            operation.extra_state = Box::into_raw(Box::new(procedures)).cast();
        }
    };
    // A request that is none was refused when it was to be begun.
    let _ = locked(|| {
        LIBRARY.with_request(MPI_Request::from_raw(request), |request| {
            if let State::Generalized(operation) = &mut request.state {
                Rc::get_mut(operation).map(adapt);
            }
        })
    });
}
