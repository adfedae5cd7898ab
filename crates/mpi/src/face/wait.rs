//! Waiting for a request, and testing it.
//! Source: MPI 5.0, section *Communication Completion*.
//! Rules: a poll that finds nothing lets other ranks run now and then; it looks a request up once.

use super::border::Out;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::recv::tell_result;
use super::request::SENT;
use super::status::Status;
use crate::abi::*;
use runahead::internals::message::MessageError;
use std::ffi::c_int;

/// After so many polls in a row that found nothing, others may run.
const POLLS_PER_YIELD: u32 = 8;

impl Library {
    /// A poll has found nothing: the rank that it asks about may wait for this core.
    pub(crate) fn handle_empty_poll(&self) {
        let polls = self.empty_polls.get() + 1;
        self.empty_polls.set(polls % POLLS_PER_YIELD);
        if polls == POLLS_PER_YIELD {
            std::thread::yield_now();
        }
    }

    /// Takes in what has come.
    pub(crate) fn progress(&self) -> Result<(), Fault> {
        self.complete_detached();
        self.with_engine(|engine| engine.progress())??;
        Ok(())
    }

    /// Whether the operation of a request is complete, or can never be.
    #[inline]
    pub(super) fn is_ready(&self, handle: MPI_Request) -> Result<bool, Fault> {
        if handle == SENT {
            return Ok(true);
        }
        self.with_request(handle, |request| {
            self.with_engine(|engine| request.state.is_ready(engine))
        })?
    }

    /// As [`is_ready`](Library::is_ready), after taking in what has come.
    #[inline]
    fn becomes_ready(&self, handle: MPI_Request) -> Result<bool, Fault> {
        self.complete_detached();
        self.with_request(handle, |request| {
            let found = self.with_engine(|engine| {
                engine.progress()?;
                Ok::<_, MessageError>(request.state.is_ready(engine))
            })?;
            Ok(found?)
        })?
    }

    pub(super) fn is_active(&self, handle: MPI_Request) -> Result<bool, Fault> {
        match handle {
            MPI_REQUEST_NULL => Ok(false),
            SENT => Ok(true),
            handle => self.with_request(handle, |request| request.state.is_active()),
        }
    }

    pub(super) fn is_null_or_ready(&self, handle: MPI_Request) -> Result<bool, Fault> {
        if handle == MPI_REQUEST_NULL { Ok(true) } else { self.is_ready(handle) }
    }

    #[inline(always)]
    pub(super) fn wait(&self, handle: &mut MPI_Request) -> Result<Status, Fault> {
        match *handle {
            MPI_REQUEST_NULL => Ok(Status::NONE),
            SENT => self.complete_sent(handle),
            _ => self.complete(handle),
        }
    }

    /// Completes a send that has left in its call.
    #[inline(always)]
    fn complete_sent(&self, handle: &mut MPI_Request) -> Result<Status, Fault> {
        *handle = MPI_REQUEST_NULL;
        self.complete_detached();
        Ok(Status::EMPTY)
    }

    #[inline(always)]
    fn test(&self, handle: &mut MPI_Request) -> Result<Option<Status>, Fault> {
        match *handle {
            MPI_REQUEST_NULL => Ok(Some(Status::NONE)),
            SENT => self.complete_sent(handle).map(Some),
            _ => self.test_pending(handle),
        }
    }

    fn test_pending(&self, handle: &mut MPI_Request) -> Result<Option<Status>, Fault> {
        if self.becomes_ready(*handle)? || self.guard()? && self.is_ready(*handle)? {
            return self.complete(handle).map(Some);
        }
        self.handle_empty_poll();
        Ok(None)
    }
}

export! {
    /// Waits for an operation.
    fn MPI_Wait(library; request: Out<MPI_Request>, status: Out<MPI_Status>) {
        let mut handle = request.value("request")?;
        let result = library.wait(&mut handle);
        request.set("request", handle)?;
        tell_result(result, status)
    }

    /// Tests an operation.
    fn MPI_Test(library; request: Out<MPI_Request>, flag: Out<c_int>, status: Out<MPI_Status>) {
        let mut handle = request.value("request")?;
        let result = library.test(&mut handle);
        request.set("request", handle)?;
        let is_complete = !matches!(result, Ok(None));
        flag.set("flag", c_int::from(is_complete))?;
        result.transpose().map_or(Ok(()), |result| tell_result(result, status))
    }
}
