//! Whether operations are complete, without completing them.
//! Source: MPI 5.0, section *Non-Destructive Test of status*.
//! Rules: a receive that is ready is taken into the program's memory then; its request stays, and tells it again, also
//! that it has failed.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::handles::Handles;
use super::library::Library;
use super::recv::tell_result;
use super::request::State;
use super::several::{Found, count_or_undefined};
use super::status::Status;
use crate::abi::*;
use std::ffi::c_int;

/// The index of an operation, if one is active, and what it tells.
type LookedAt = (Option<usize>, Result<Status, Fault>);

impl Library {
    /// The status of an operation that is complete, or of none.
    fn look_at(&self, handle: MPI_Request) -> Result<Option<Status>, Fault> {
        if !self.is_active(handle)? {
            return Ok(Some(Status::NONE));
        }
        self.progress()?;
        if !(self.is_ready(handle)? || self.guard()? && self.is_ready(handle)?) {
            self.handle_empty_poll();
            return Ok(None);
        }
        if let Some(operation) = self.generalized(handle)? {
            return operation.query().map(Some);
        }
        let (comm, state) = self.with_request(handle, |request| {
            let state = std::mem::replace(&mut request.state, State::Inactive);
            (request.comm.clone(), state)
        })?;
        let Some(on) = comm.or_else(|| self.own()) else { return Ok(None) };
        let completed = state.complete(&on).map_err(|fault| fault.on(Some(&on)));
        self.with_request(handle, |request| {
            request.state = match &completed {
                Ok(status) => State::Done(*status),
                Err(fault) => State::Failed(fault.clone()),
            };
        })?;
        completed.map(Some)
    }

    /// The first of several that is ready, with its status or its error.
    fn look_at_any(&self, handles: Handles) -> Result<Option<LookedAt>, Fault> {
        match self.first_ready_of_poll(handles)? {
            Found::NoneActive => Ok(Some((None, Ok(Status::NONE)))),
            Found::Ready(at) => {
                Ok(self.look_at(handles.at(at)).transpose().map(|found| (Some(at), found)))
            }
            Found::NoneReady => {
                self.handle_empty_poll();
                Ok(None)
            }
        }
    }
}

export! {
    /// Whether an operation is complete.
    fn MPI_Request_get_status(library; request: MPI_Request, flag: Out<c_int>, status: Out<MPI_Status>) {
        let found = library.look_at(request);
        flag.set("flag", c_int::from(!matches!(found, Ok(None))))?;
        found.transpose().map_or(Ok(()), |found| tell_result(found, status))
    }

    /// Whether all of several operations are complete.
    fn MPI_Request_get_status_all(library; count: c_int, requests: In<MPI_Request>, flag: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = Handles::to_look_at(requests, count)?;
        library.check_all(handles)?;
        let mut all = Vec::with_capacity(handles.count());
        for handle in handles.all() {
            match library.look_at(handle).transpose() {
                Some(found) => all.push(found),
                None => return flag.set("flag", 0),
            }
        }
        let mut failed = None;
        for (at, found) in all.into_iter().enumerate() {
            library.set_status_of_one(at, at, found, statuses, &mut failed);
        }
        flag.set("flag", 1)?;
        failed.map_or(Ok(()), Err)
    }

    /// Whether one of several operations is complete.
    fn MPI_Request_get_status_any(library; count: c_int, requests: In<MPI_Request>, index: Out<c_int>, flag: Out<c_int>, status: Out<MPI_Status>) {
        let handles = Handles::to_look_at(requests, count)?;
        let found = library.look_at_any(handles)?;
        flag.set("flag", c_int::from(found.is_some()))?;
        let (at, found) = found.unwrap_or((None, Ok(Status::NONE)));
        index.set("index", count_or_undefined(at))?;
        tell_result(found, status)
    }

    /// Which of several operations are complete.
    fn MPI_Request_get_status_some(library; count: c_int, requests: In<MPI_Request>, outcount: Out<c_int>, indices: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = Handles::to_look_at(requests, count)?;
        let (mut complete, mut is_any_active, mut failed) = (0, false, None);
        library.check_all(handles)?;
        for (at, handle) in handles.all().enumerate() {
            if !library.is_active(handle)? {
                continue;
            }
            is_any_active = true;
            if let Some(found) = library.look_at(handle).transpose() {
                indices.set_at("array_of_indices", complete, at as c_int)?;
                library.set_status_of_one(at, complete, found, statuses, &mut failed);
                complete += 1;
            }
        }
        outcount.set("outcount", count_or_undefined(is_any_active.then_some(complete)))?;
        failed.map_or(Ok(()), Err)
    }
}
