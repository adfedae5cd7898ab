//! Calls that take a procedure: operators, error handlers and generalized requests.
//! C passes these procedures pointers to handles. A handle is a number that fits an INTEGER, and the machine keeps its
//! low half first, so Fortran reads the right INTEGER at the same address, and the procedure is handed on as it is.
//! Source: MPI 5.0, sections on user-defined operators, error handlers and generalized requests.

#![allow(missing_docs, clippy::missing_safety_doc)]

use crate::abi::*;
use crate::arguments::{Ierror, truth};
use crate::start::procedures;
use crate::wrappers::*;
use std::ffi::{c_int, c_void};

#[cfg(not(all(target_endian = "little", target_pointer_width = "64")))]
compile_error!(
    "Fortran procedures read handles as INTEGERs, which needs the low half of a pointer first"
);

/// Fortran's query procedure: extra state, status, error.
type Query = unsafe extern "C" fn(*mut MPI_Aint, *mut MPI_Status, *mut c_int);
/// Fortran's free procedure: extra state, error.
type Free = unsafe extern "C" fn(*mut MPI_Aint, *mut c_int);
/// Fortran's cancel procedure: extra state, whether the request is complete, error.
type Cancel = unsafe extern "C" fn(*mut MPI_Aint, *const c_int, *mut c_int);

/// A generalized request of Fortran's.
struct Generalized {
    query: Query,
    free: Free,
    cancel: Cancel,
    extra_state: MPI_Aint,
}

/// Asks a generalized request for its status.
///
/// # Safety
///
/// The state is a [`Generalized`] that was not freed.
unsafe extern "C" fn query(state: *mut c_void, status: *mut MPI_Status) -> c_int {
    let mut code = MPI_SUCCESS;
    // SAFETY: the library hands back the state of this request, and the procedure has this type.
    unsafe {
        let request = &mut *state.cast::<Generalized>();
        (request.query)(&mut request.extra_state, status, &mut code);
    }
    code
}

/// Frees a generalized request.
///
/// # Safety
///
/// The state is a [`Generalized`] that was not freed.
unsafe extern "C" fn free(state: *mut c_void) -> c_int {
    let mut code = MPI_SUCCESS;
    // SAFETY: the library calls this once for a request, and has no use for the state afterwards.
    unsafe {
        let mut request = Box::from_raw(state.cast::<Generalized>());
        (request.free)(&mut request.extra_state, &mut code);
    }
    code
}

/// Cancels a generalized request.
///
/// # Safety
///
/// The state is a [`Generalized`] that was not freed.
unsafe extern "C" fn cancel(state: *mut c_void, complete: c_int) -> c_int {
    let (mut code, complete) = (MPI_SUCCESS, c_int::from(complete != 0));
    // SAFETY: the library hands back the state of this request, and the procedure has this type.
    unsafe {
        let request = &mut *state.cast::<Generalized>();
        (request.cancel)(&mut request.extra_state, &complete, &mut code);
    }
    code
}

procedures! {
    mpi_op_create_, pmpi_op_create_: call = MPI_Op_create, PMPI_Op_create;
    (function: MPI_User_function, commute: *const c_int, op: *mut c_int, ierror: Ierror) {
        let mut created = MPI_OP_NULL;
        ierror.set(call(function, truth(*commute), &mut created));
        *op = MPI_Op_toint(created);
    }
    mpi_comm_create_errhandler_, pmpi_comm_create_errhandler_:
    call = MPI_Comm_create_errhandler, PMPI_Comm_create_errhandler;
    (function: MPI_Comm_errhandler_function, errhandler: *mut c_int, ierror: Ierror) {
        let mut created = MPI_ERRHANDLER_NULL;
        ierror.set(call(function, &mut created));
        *errhandler = MPI_Errhandler_toint(created);
    }
    mpi_file_create_errhandler_, pmpi_file_create_errhandler_:
    call = MPI_File_create_errhandler, PMPI_File_create_errhandler;
    (function: MPI_File_errhandler_function, errhandler: *mut c_int, ierror: Ierror) {
        let mut created = MPI_ERRHANDLER_NULL;
        ierror.set(call(function, &mut created));
        *errhandler = MPI_Errhandler_toint(created);
    }
    mpi_session_create_errhandler_, pmpi_session_create_errhandler_:
    call = MPI_Session_create_errhandler, PMPI_Session_create_errhandler;
    (function: MPI_Session_errhandler_function, errhandler: *mut c_int, ierror: Ierror) {
        let mut created = MPI_ERRHANDLER_NULL;
        ierror.set(call(function, &mut created));
        *errhandler = MPI_Errhandler_toint(created);
    }
    mpi_win_create_errhandler_, pmpi_win_create_errhandler_:
    call = MPI_Win_create_errhandler, PMPI_Win_create_errhandler;
    (function: MPI_Win_errhandler_function, errhandler: *mut c_int, ierror: Ierror) {
        let mut created = MPI_ERRHANDLER_NULL;
        ierror.set(call(function, &mut created));
        *errhandler = MPI_Errhandler_toint(created);
    }
    mpi_grequest_start_, pmpi_grequest_start_: call = MPI_Grequest_start, PMPI_Grequest_start;
    (query_fn: Query, free_fn: Free, cancel_fn: Cancel, extra_state: *const MPI_Aint, request: *mut c_int,
     ierror: Ierror) {
        let state = Box::into_raw(Box::new(Generalized {
            query: query_fn,
            free: free_fn,
            cancel: cancel_fn,
            extra_state: *extra_state,
        }));
        let mut started = MPI_REQUEST_NULL;
        let code = ierror.set(call(Some(query), Some(free), Some(cancel), state.cast(), &mut started));
        if code != MPI_SUCCESS {
            drop(Box::from_raw(state));
        }
        *request = MPI_Request_toint(started);
    }
}
