//! Waiting for requests, and testing them.
//! Source: MPI 5.0, sections *Communication Completion* and *Multiple Completions*.
//! Rules: a poll that finds nothing lets other ranks run now and then; of several ready requests the first is
//! completed, so that those of one sender come in their order.

use super::border::Out;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::memory::checked_count;
use super::recv::tell_result;
use super::request::{AllBegun, Request, State};
use super::status::Status;
use crate::abi::*;
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
        self.complete_detached()?;
        let Some(world) = self.world() else { return Ok(()) };
        world.engine(|engine| engine.progress()).map(drop)
    }

    /// Whether the operation of a request is complete, or can never be.
    pub(super) fn is_ready(&self, handle: MPI_Request) -> Result<bool, Fault> {
        let Some(world) = self.world() else { return Ok(true) };
        self.with_request(handle, |request| {
            Ok(world.comm.with_engine(|engine| request.state.is_ready(engine))?)
        })?
    }

    pub(super) fn is_active(&self, handle: MPI_Request) -> Result<bool, Fault> {
        match handle {
            MPI_REQUEST_NULL => Ok(false),
            handle => self.with_request(handle, |request| request.state.is_active()),
        }
    }

    fn wait(&self, handle: &mut MPI_Request) -> Result<Status, Fault> {
        match *handle {
            MPI_REQUEST_NULL => Ok(Status::NONE),
            _ => self.complete(handle),
        }
    }

    fn test(&self, handle: &mut MPI_Request) -> Result<Option<Status>, Fault> {
        if *handle == MPI_REQUEST_NULL {
            return Ok(Some(Status::NONE));
        }
        self.progress()?;
        if self.is_ready(*handle)? || self.guard()? && self.is_ready(*handle)? {
            return self.complete(handle).map(Some);
        }
        self.handle_empty_poll();
        Ok(None)
    }

    /// The index of a request that is ready, of those that are active; None if none is active. Waits for it.
    fn wait_ready(&self, handles: &[MPI_Request]) -> Result<Option<usize>, Fault> {
        loop {
            self.progress()?;
            match self.first_ready(handles)? {
                Found::Ready(at) => return Ok(Some(at)),
                Found::NoneActive => return Ok(None),
                Found::NoneReady => {
                    if let Some(at) = self.sleep(handles)? {
                        return Ok(Some(at));
                    }
                }
            }
        }
    }

    /// Looks for the first active request that is ready.
    pub(super) fn first_ready(&self, handles: &[MPI_Request]) -> Result<Found, Fault> {
        let mut found = Found::NoneActive;
        for (at, &handle) in handles.iter().enumerate() {
            if self.is_active(handle)? {
                if self.is_ready(handle)? {
                    return Ok(Found::Ready(at));
                }
                found = Found::NoneReady;
            }
        }
        Ok(found)
    }

    /// As [`first_ready`](Library::first_ready), for a poll.
    pub(super) fn first_ready_of_poll(&self, handles: &[MPI_Request]) -> Result<Found, Fault> {
        self.progress()?;
        match self.first_ready(handles)? {
            Found::NoneReady if self.guard()? => self.first_ready(handles),
            found => Ok(found),
        }
    }

    /// Waits until one of these requests is ready or has failed. Returns its index; None if one may be ready.
    fn sleep(&self, handles: &[MPI_Request]) -> Result<Option<usize>, Fault> {
        let Some(world) = self.world() else { return Ok(None) };
        let requests = self.requests.borrow();
        let all = handles.iter().enumerate();
        let all = all.filter_map(|(at, handle)| Some((at, requests.get(handle.0)?)));
        let active = || all.clone().filter(|(_, request)| request.state.is_active());
        if active().any(|(_, request)| matches!(request.state, State::Generalized(_))) {
            std::thread::yield_now();
            return Ok(None);
        }
        let mut begun = AllBegun::new();
        active().for_each(|(_, request)| request.state.list(&mut begun));
        let own = world.comm.rank();
        let failed = |engine: &mut _| {
            let is_lost = |request: &Request, engine: &mut _| request.state.has_failed(engine);
            let others =
                active().find(|(_, request)| !request.is_from(own) && is_lost(request, engine));
            // What this rank sends to itself it may send when another of these has come.
            let rest = || active().all(|(_, request)| request.is_from(own));
            others.or_else(
                || if rest() { active().find(|(_, of)| is_lost(of, engine)) } else { None },
            )
        };
        let found = world.engine(|engine| {
            engine.wait_for_any(
                &begun,
                |engine| {
                    active().find(|(_, request)| request.state.is_ready(engine)).map(|(at, _)| at)
                },
                |engine| failed(engine).map(|(at, _)| at),
            )
        });
        found.map(Some)
    }

    fn wait_all(
        &self,
        handles: &mut [MPI_Request],
        statuses: Out<MPI_Status>,
    ) -> Result<(), Fault> {
        let mut failed = None;
        for (at, handle) in handles.iter_mut().enumerate() {
            let result = if failed.is_some() && !self.is_null_or_ready(*handle)? {
                Err(Fault::new(MPI_ERR_PENDING, "it is neither complete nor failed"))
            } else {
                self.wait(handle)
            };
            self.tell_one_of_several(at, result, statuses, &mut failed);
        }
        failed.map_or(Ok(()), Err)
    }

    fn is_null_or_ready(&self, handle: MPI_Request) -> Result<bool, Fault> {
        if handle == MPI_REQUEST_NULL { Ok(true) } else { self.is_ready(handle) }
    }

    /// Tells of one of several operations. Notes the first failure as that of the call.
    fn tell_one_of_several(
        &self,
        at: usize,
        result: Result<Status, Fault>,
        statuses: Out<MPI_Status>,
        failed: &mut Option<Fault>,
    ) {
        let (status, error) = match result {
            Ok(status) => (status, MPI_SUCCESS),
            Err(fault) => {
                let code = fault.code;
                let is_first = failed.is_none();
                if is_first {
                    let class = if statuses.is_null() { code } else { MPI_ERR_IN_STATUS };
                    let message = format!("operation {at}: {}", fault.message);
                    *failed = Some(Fault { code: class, message, ..fault.clone() });
                }
                // Those before have succeeded, which they say only where another has not.
                if is_first && !statuses.is_null() {
                    for before in 0..at {
                        // SAFETY: as below.
                        unsafe { (*statuses.address().add(before)).MPI_ERROR = MPI_SUCCESS };
                    }
                }
                (fault.status.map_or(Status::EMPTY, |status| *status), code)
            }
        };
        if !statuses.is_null() {
            // SAFETY: the caller in C vouches for as many statuses as requests.
            let told = unsafe { &mut *statuses.address().add(at) };
            status.write_to(told);
            if failed.is_some() || error != MPI_SUCCESS {
                told.MPI_ERROR = error;
            }
        }
    }

    fn test_all(
        &self,
        handles: &mut [MPI_Request],
        statuses: Out<MPI_Status>,
    ) -> Result<bool, Fault> {
        self.progress()?;
        for handle in &*handles {
            let is_ready = self.is_null_or_ready(*handle)?;
            if !(is_ready || self.guard()? && self.is_null_or_ready(*handle)?) {
                self.handle_empty_poll();
                return Ok(false);
            }
        }
        self.wait_all(handles, statuses).map(|()| true)
    }

    /// Completes all that are ready, and that at `first`; tells how many, or that none is active, even if one fails.
    fn complete_ready(
        &self,
        handles: &mut [MPI_Request],
        first: Option<usize>,
        (outcount, indices): (Out<c_int>, Out<c_int>),
        statuses: Out<MPI_Status>,
    ) -> Result<Option<usize>, Fault> {
        let (mut count, mut failed, mut any) = (0, None, false);
        // What cannot be told must not be completed.
        outcount.set("outcount", MPI_UNDEFINED)?;
        if indices.is_null() && !handles.is_empty() {
            return Err(Fault::null("array_of_indices"));
        }
        for (at, handle) in handles.iter_mut().enumerate() {
            if !self.is_active(*handle)? {
                continue;
            }
            any = true;
            if first == Some(at) || self.is_ready(*handle)? {
                let result = self.complete(handle);
                self.tell_one_of_several(count, result, statuses, &mut failed);
                indices.set_at("array_of_indices", count, at as c_int)?;
                count += 1;
            }
        }
        let completed = any.then_some(count);
        outcount.set("outcount", told(completed))?;
        failed.map_or(Ok(completed), Err)
    }
}

/// What a look at several requests has found.
pub(super) enum Found {
    Ready(usize),
    NoneReady,
    NoneActive,
}

/// A number of requests or the like as C has it.
pub(super) fn told(count: Option<usize>) -> c_int {
    count.map_or(MPI_UNDEFINED, |count| count as c_int)
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

    /// Waits for all of several operations.
    fn MPI_Waitall(library; count: c_int, requests: Out<MPI_Request>, statuses: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        library.wait_all(handles, statuses)
    }

    /// Tests whether all of several operations are complete.
    fn MPI_Testall(library; count: c_int, requests: Out<MPI_Request>, flag: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        let is_done = library.test_all(handles, statuses)?;
        flag.set("flag", c_int::from(is_done))
    }

    /// Waits for one of several operations.
    fn MPI_Waitany(library; count: c_int, requests: Out<MPI_Request>, index: Out<c_int>, status: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        let at = library.wait_ready(handles)?;
        index.set("index", told(at))?;
        let found = at.map_or(Ok(Status::NONE), |at| library.complete(&mut handles[at]));
        tell_result(found, status)
    }

    /// Tests whether one of several operations is complete.
    fn MPI_Testany(library; count: c_int, requests: Out<MPI_Request>, index: Out<c_int>, flag: Out<c_int>, status: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        let found = library.first_ready_of_poll(handles)?;
        let at = if let Found::Ready(at) = found { Some(at) } else { None };
        if let Found::NoneReady = found {
            library.handle_empty_poll();
        }
        flag.set("flag", c_int::from(!matches!(found, Found::NoneReady)))?;
        index.set("index", told(at))?;
        let found = at.map_or(Ok(Status::NONE), |at| library.complete(&mut handles[at]));
        tell_result(found, status)
    }

    /// Waits until some of several operations are complete.
    fn MPI_Waitsome(library; count: c_int, requests: Out<MPI_Request>, outcount: Out<c_int>, indices: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        let first = library.wait_ready(handles)?;
        library.complete_ready(handles, first, (outcount, indices), statuses).map(drop)
    }

    /// Tests which of several operations are complete.
    fn MPI_Testsome(library; count: c_int, requests: Out<MPI_Request>, outcount: Out<c_int>, indices: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        library.first_ready_of_poll(handles)?;
        if library.complete_ready(handles, None, (outcount, indices), statuses)? == Some(0) {
            library.handle_empty_poll();
        }
        Ok(())
    }
}
