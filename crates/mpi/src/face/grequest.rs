//! Operations that a program makes of its own, with requests like those of the library.
//! Source: MPI 5.0, section *Generalized Requests*.
//! Rules: the program's functions run while nothing of the library is borrowed.

use super::border::Out;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::request::{Request, State};
use super::status::Status;
use crate::abi::*;
use crate::dialect;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// An operation of the program.
pub(crate) struct Generalized {
    pub(crate) query: MPI_Grequest_query_function,
    pub(crate) free: MPI_Grequest_free_function,
    pub(crate) cancel: MPI_Grequest_cancel_function,
    pub(crate) extra_state: *mut c_void,
    is_complete: Cell<bool>,
    /// Whether the program has freed its request; it stays until the operation is complete.
    pub(super) is_freed: Cell<bool>,
}

/// What a function of the program has returned.
fn checked(code: c_int, function: &str) -> Result<(), Fault> {
    match dialect::returned(code) {
        MPI_SUCCESS => Ok(()),
        code => Err(Fault::of_callback(code, function)),
    }
}

impl Generalized {
    /// Whether the program has said that it is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete.get()
    }

    /// Asks the program for the status.
    pub(crate) fn query(&self) -> Result<Status, Fault> {
        let mut status = MPI_Status::default();
        Status::EMPTY.write_to(&mut status);
        if let Some(query) = self.query {
            let code = dialect::fill_status(&mut status, |status| {
                // SAFETY: the program gave this function for this purpose.
                unsafe { query(self.extra_state, status) }
            });
            checked(code, "query_fn")?;
        }
        Ok(Status::read_from(&status))
    }

    /// Lets the program free what it holds.
    pub(crate) fn free(&self) -> Result<(), Fault> {
        match self.free {
            // SAFETY: as above.
            Some(free) => checked(unsafe { free(self.extra_state) }, "free_fn"),
            None => Ok(()),
        }
    }

    /// Tells the program that the operation was cancelled.
    pub(crate) fn cancel(&self) -> Result<(), Fault> {
        let is_complete = c_int::from(self.is_complete());
        match self.cancel {
            // SAFETY: as above.
            Some(cancel) => checked(unsafe { cancel(self.extra_state, is_complete) }, "cancel_fn"),
            None => Ok(()),
        }
    }
}

impl Library {
    /// Frees the request of an operation that is complete.
    pub(super) fn free_generalized(
        &self,
        handle: MPI_Request,
        operation: &Generalized,
    ) -> Result<(), Fault> {
        self.requests.borrow_mut().remove(handle.0);
        operation.free()
    }

    /// The operation of the program that a request stands for, if it is one.
    pub(crate) fn generalized(
        &self,
        handle: MPI_Request,
    ) -> Result<Option<Rc<Generalized>>, Fault> {
        self.with_request(handle, |request| match &request.state {
            State::Generalized(operation) => Some(operation.clone()),
            _ => None,
        })
    }
}

export! {
    /// Begins an operation of the program.
    fn MPI_Grequest_start(library; query_fn: MPI_Grequest_query_function, free_fn: MPI_Grequest_free_function, cancel_fn: MPI_Grequest_cancel_function, extra_state: Out<c_void>, request: Out<MPI_Request>) {
        let operation = Generalized {
            query: query_fn,
            free: free_fn,
            cancel: cancel_fn,
            extra_state: extra_state.address(),
            is_complete: Cell::new(false),
            is_freed: Cell::new(false),
        };
        let state = State::Generalized(Rc::new(operation));
        request.set("request", library.keep_request(Request::new(None, state))?)
    }

    /// Says that an operation of the program is complete.
    fn MPI_Grequest_complete(library; request: MPI_Request) {
        let operation = library.generalized(request)?;
        let operation = operation
            .ok_or_else(|| Fault::new(MPI_ERR_REQUEST, "request is not a generalized request"))?;
        operation.is_complete.set(true);
        match operation.is_freed.get() {
            true => library.free_generalized(request, &operation),
            false => Ok(()),
        }
    }
}
