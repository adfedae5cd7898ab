//! Waiting for requests, and testing them.
//! Source: MPI 5.0, sections *Communication Completion* and *Multiple Completions*.
//! Rules: a poll that finds nothing lets other ranks run now and then; of several ready requests the first is
//! completed, so that those of one sender come in their order.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::memory::checked_count;
use super::request::{AllBegun, State};
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
                Found::NoneReady => self.sleep(handles)?,
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
    fn first_ready_of_poll(&self, handles: &[MPI_Request]) -> Result<Found, Fault> {
        self.progress()?;
        match self.first_ready(handles)? {
            Found::NoneReady if self.guard()? => self.first_ready(handles),
            found => Ok(found),
        }
    }

    /// Waits until one of these requests may be ready.
    fn sleep(&self, handles: &[MPI_Request]) -> Result<(), Fault> {
        let Some(world) = self.world() else { return Ok(()) };
        let requests = self.requests.borrow();
        let states = || handles.iter().filter_map(|handle| requests.get(handle.0));
        if states().any(|request| matches!(request.state, State::Generalized(_))) {
            std::thread::yield_now();
            return Ok(());
        }
        let mut begun = AllBegun::new();
        states().for_each(|request| request.state.list(&mut begun));
        world.engine(|engine| {
            engine.wait_for_any(
                &begun,
                |engine| {
                    states()
                        .any(|request| request.state.is_active() && request.state.is_ready(engine))
                        .then_some(())
                },
                |engine| states().any(|request| request.state.has_failed(engine)).then_some(()),
            )
        })
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
                if failed.is_none() {
                    let class = if statuses.is_null() { code } else { MPI_ERR_IN_STATUS };
                    let message = format!("operation {at}: {}", fault.message);
                    *failed = Some(Fault { code: class, message, ..fault });
                }
                (Status::EMPTY, code)
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

    /// Completes all that are ready; None if none is active.
    fn complete_ready(
        &self,
        handles: &mut [MPI_Request],
        indices: Out<c_int>,
        statuses: Out<MPI_Status>,
    ) -> Result<Option<usize>, Fault> {
        let (mut count, mut failed, mut any) = (0, None, false);
        for (at, handle) in handles.iter_mut().enumerate() {
            if !self.is_active(*handle)? {
                continue;
            }
            any = true;
            if self.is_ready(*handle)? {
                let result = self.complete(handle);
                self.tell_one_of_several(count, result, statuses, &mut failed);
                indices.set_at("array_of_indices", count, at as c_int)?;
                count += 1;
            }
        }
        match failed {
            Some(fault) => Err(fault),
            None => Ok(any.then_some(count)),
        }
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
        result?.tell(status);
        Ok(())
    }

    /// Tests an operation.
    fn MPI_Test(library; request: Out<MPI_Request>, flag: Out<c_int>, status: Out<MPI_Status>) {
        let mut handle = request.value("request")?;
        let result = library.test(&mut handle);
        request.set("request", handle)?;
        let found = result?;
        flag.set("flag", c_int::from(found.is_some()))?;
        if let Some(found) = found {
            found.tell(status);
        }
        Ok(())
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
        found?.tell(status);
        Ok(())
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
        found?.tell(status);
        Ok(())
    }

    /// Waits until some of several operations are complete.
    fn MPI_Waitsome(library; count: c_int, requests: Out<MPI_Request>, outcount: Out<c_int>, indices: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        library.wait_ready(handles)?;
        let completed = library.complete_ready(handles, indices, statuses)?;
        outcount.set("outcount", told(completed))
    }

    /// Tests which of several operations are complete.
    fn MPI_Testsome(library; count: c_int, requests: Out<MPI_Request>, outcount: Out<c_int>, indices: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = requests.slice("array_of_requests", checked_count(count.into())?)?;
        library.first_ready_of_poll(handles)?;
        let completed = library.complete_ready(handles, indices, statuses)?;
        if completed == Some(0) {
            library.handle_empty_poll();
        }
        outcount.set("outcount", told(completed))
    }

    /// Frees a request; its operation goes on.
    fn MPI_Request_free(library; request: Out<MPI_Request>) {
        let handle = request.value("request")?;
        library.free_request(handle)?;
        request.set("request", MPI_REQUEST_NULL)
    }

    /// Cancels an operation: a receive that has met no message meets none any more.
    fn MPI_Cancel(library; request: In<MPI_Request>) {
        library.cancel(request.value("request")?)
    }
}

impl Library {
    fn free_request(&self, handle: MPI_Request) -> Result<(), Fault> {
        let removed = self.requests.borrow_mut().remove(handle.0);
        let request = removed.ok_or_else(|| Fault::handle(MPI_ERR_REQUEST, "request", handle.0))?;
        if let State::Recv { .. } | State::Several(_) | State::Generalized(_) = request.state {
            self.detached.borrow_mut().push(request);
        }
        Ok(())
    }

    /// Completes what the program has freed and that can be completed.
    fn complete_detached(&self) -> Result<(), Fault> {
        if self.detached.borrow().is_empty() {
            return Ok(());
        }
        let Some(world) = self.world() else { return Ok(()) };
        let detached = self.detached.take();
        for request in detached {
            if world.comm.with_engine(|engine| request.state.is_ready(engine))? {
                let comm = request.comm.unwrap_or_else(|| world.clone());
                request.state.complete(&comm)?;
            } else {
                self.detached.borrow_mut().push(request);
            }
        }
        Ok(())
    }

    fn cancel(&self, handle: MPI_Request) -> Result<(), Fault> {
        if let Some(operation) = self.generalized(handle)? {
            return operation.cancel();
        }
        let Some(world) = self.world() else { return Ok(()) };
        self.with_request(handle, |request| {
            if let State::Recv { id, .. } = request.state {
                world.comm.with_engine(|engine| engine.cancel_recv(id))?;
                request.state = State::Done(Status { is_cancelled: true, ..Status::EMPTY });
            }
            Ok(())
        })?
    }
}
