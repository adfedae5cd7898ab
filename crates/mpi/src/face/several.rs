//! Waiting for several requests, and testing them.
//! Source: MPI 5.0, section *Multiple Completions*.
//! Rules: of several ready requests the first is completed, so that those of one sender come in their order; the array
//! of them is read anew after each operation.

use super::border::Out;
use super::communicator::RankEngine;
use super::export::export;
use super::fault::Fault;
use super::handles::Handles;
use super::library::Library;
use super::recv::tell_result;
use super::request::{AllBegun, Request, SENT, State};
use super::status::Status;
use super::table::Table;
use super::turn::Pauses;
use crate::abi::*;
use runahead::Rank;
use smallvec::SmallVec;
use std::ffi::c_int;

/// What a look at several requests has found.
pub(super) enum Found {
    Ready(usize),
    NoneReady,
    NoneActive,
}

/// A number of requests or the like as C has it.
pub(super) fn count_or_undefined(count: Option<usize>) -> c_int {
    count.map_or(MPI_UNDEFINED, |count| count as c_int)
}

impl Library {
    /// The index of a request that is ready, of those that are active; None if none is active. Waits for it.
    fn wait_ready(&self, handles: Handles) -> Result<Option<usize>, Fault> {
        let mut pauses = Pauses::default();
        loop {
            self.progress()?;
            match self.first_ready(handles)? {
                Found::Ready(at) => return Ok(Some(at)),
                Found::NoneActive => return Ok(None),
                Found::NoneReady => {
                    let found = match self.has_threads() {
                        true => self.let_others_call(handles, &mut pauses)?,
                        false => self.sleep(handles)?,
                    };
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
    }

    /// Looks for the first active request that is ready.
    pub(super) fn first_ready(&self, handles: Handles) -> Result<Found, Fault> {
        let mut found = Found::NoneActive;
        for (at, handle) in handles.all().enumerate() {
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
    pub(super) fn first_ready_of_poll(&self, handles: Handles) -> Result<Found, Fault> {
        self.progress()?;
        match self.first_ready(handles)? {
            Found::NoneReady if self.guard()? => self.first_ready(handles),
            found => Ok(found),
        }
    }

    /// Lets other threads call. Returns the index of a request that has failed, if it looks for that.
    fn let_others_call(
        &self,
        handles: Handles,
        pauses: &mut Pauses,
    ) -> Result<Option<usize>, Fault> {
        pauses.note_core(self.with_engine(|engine| engine.has_core())?);
        pauses.pause();
        if !pauses.is_long() {
            return Ok(None);
        }
        let requests = self.requests.borrow();
        let own = self.own_rank()?;
        let active = active_of(&requests, handles);
        // What a lost rank had sent may have come just before. What this rank sends to itself another thread may send.
        self.with_engine(|engine| match engine.note_losses() {
            true => None,
            false => first_failed_of_others(&active, own, engine),
        })
    }

    /// Waits until one of these requests is ready or has failed. Returns its index; None if one may be ready.
    fn sleep(&self, handles: Handles) -> Result<Option<usize>, Fault> {
        let requests = self.requests.borrow();
        let active = active_of(&requests, handles);
        if active.iter().any(|(_, request)| matches!(request.state, State::Generalized(_))) {
            std::thread::yield_now();
            return Ok(None);
        }
        let mut begun = AllBegun::new();
        active.iter().for_each(|(_, request)| request.state.list(&mut begun));
        let own = self.own_rank()?;
        let found = self.with_engine(|engine| {
            engine.wait_for_any(
                &begun,
                |engine| {
                    active
                        .iter()
                        .find(|(_, request)| request.state.is_ready(engine))
                        .map(|(at, _)| *at)
                },
                |engine| first_failed(&active, own, engine),
            )
        })?;
        Ok(Some(found?))
    }

    /// This rank, in the world.
    fn own_rank(&self) -> Result<Rank, Fault> {
        Ok(self.the_world()?.comm.rank())
    }

    fn wait_all(&self, handles: Handles, statuses: Out<MPI_Status>) -> Result<(), Fault> {
        self.check_all(handles)?;
        self.complete_all(handles, statuses)
    }

    /// What cannot be told must not be completed: none is, where one of the handles names nothing.
    pub(super) fn check_all(&self, handles: Handles) -> Result<(), Fault> {
        let requests = self.requests.borrow();
        let is_known = |handle: MPI_Request| {
            handle == MPI_REQUEST_NULL || handle == SENT || requests.get(handle.0).is_some()
        };
        match handles.all().find(|&handle| !is_known(handle)) {
            None => Ok(()),
            Some(unknown) => Err(Fault::handle(MPI_ERR_REQUEST, "request", unknown.0)),
        }
    }

    /// Completes all, whose handles were checked.
    fn complete_all(&self, handles: Handles, statuses: Out<MPI_Status>) -> Result<(), Fault> {
        let (mut failed, mut at) = (None, 0);
        while at < handles.count() {
            let is_told = match failed {
                Some(_) => self.is_null_or_ready(handles.at(at)),
                None => Ok(true),
            };
            let result = match is_told {
                Ok(true) => self.complete_at(handles, at),
                Ok(false) => Err(Fault::new(MPI_ERR_PENDING, "it is neither complete nor failed")),
                // The program's own functions have freed it meanwhile, or it stands there twice.
                Err(fault) => Err(fault),
            };
            self.set_status_of_one(at, at, result, statuses, &mut failed);
            at += 1;
            if failed.is_none() {
                at = self.complete_run(handles, at, statuses);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Completes the request with this index, waiting for it.
    fn complete_at(&self, handles: Handles, at: usize) -> Result<Status, Fault> {
        let mut handle = handles.at(at);
        let result = self.wait(&mut handle);
        handles.set(at, handle);
        result
    }

    /// Tells of one of several operations, in the status with the index `place`. Notes the first failure as that of the
    /// call.
    pub(super) fn set_status_of_one(
        &self,
        at: usize,
        place: usize,
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
                    *failed = Some(fault.clone().with(|why| {
                        why.code = class;
                        why.message = message;
                    }));
                }
                // Those before have succeeded, which they say only where another has not.
                if is_first && !statuses.is_null() {
                    for before in 0..place {
                        // SAFETY: as below.
                        unsafe { (*statuses.address().add(before)).MPI_ERROR = MPI_SUCCESS };
                    }
                }
                (fault.status.unwrap_or(Status::EMPTY), code)
            }
        };
        if !statuses.is_null() {
            // SAFETY: the caller in C vouches for as many statuses as requests.
            let status_of_one = unsafe { &mut *statuses.address().add(place) };
            status.write_to(status_of_one);
            if failed.is_some() || error != MPI_SUCCESS {
                status_of_one.MPI_ERROR = error;
            }
        }
    }

    /// None if not all are complete; else whether one of them has failed.
    fn test_all(
        &self,
        handles: Handles,
        statuses: Out<MPI_Status>,
    ) -> Result<Option<Result<(), Fault>>, Fault> {
        self.progress()?;
        for handle in handles.all() {
            let is_ready = self.is_null_or_ready(handle)?;
            if !(is_ready || self.guard()? && self.is_null_or_ready(handle)?) {
                self.handle_empty_poll();
                return Ok(None);
            }
        }
        Ok(Some(self.complete_all(handles, statuses)))
    }

    /// Completes all that are ready, and that at `first`; tells how many, or that none is active, even if one fails.
    fn complete_ready(
        &self,
        handles: Handles,
        first: Option<usize>,
        (outcount, indices): (Out<c_int>, Out<c_int>),
        statuses: Out<MPI_Status>,
    ) -> Result<Option<usize>, Fault> {
        let (mut count, mut failed, mut any) = (0, None, false);
        self.check_all(handles)?;
        outcount.set("outcount", MPI_UNDEFINED)?;
        if indices.is_null() && handles.count() > 0 {
            return Err(Fault::null("array_of_indices"));
        }
        for at in 0..handles.count() {
            // One that stands there twice is null after the first.
            if !self.is_active(handles.at(at)).unwrap_or(false) {
                continue;
            }
            any = true;
            if first == Some(at) || self.is_ready(handles.at(at)).unwrap_or(true) {
                let result = self.complete_at(handles, at);
                self.set_status_of_one(at, count, result, statuses, &mut failed);
                indices.set_at("array_of_indices", count, at as c_int)?;
                count += 1;
            }
        }
        let completed = any.then_some(count);
        outcount.set("outcount", count_or_undefined(completed))?;
        failed.map_or(Ok(completed), Err)
    }
}

/// The requests of these that are active, with their indices.
fn active_of(requests: &Table<Request>, handles: Handles) -> SmallVec<[(usize, &Request); 8]> {
    let all = handles.all().enumerate();
    let known = all.filter_map(|(at, handle)| Some((at, requests.get(handle.0)?)));
    known.filter(|(_, request)| request.state.is_active()).collect()
}

/// The index of the first that waits for other ranks and is known to be never complete.
fn first_failed_of_others(
    active: &[(usize, &Request)],
    own: Rank,
    engine: &mut RankEngine,
) -> Option<usize> {
    let mut others = active.iter().filter(|(_, request)| !request.is_from(own));
    others.find(|(_, request)| request.state.has_failed(engine)).map(|(at, _)| *at)
}

/// The index of the first that is known to be never complete.
fn first_failed(active: &[(usize, &Request)], own: Rank, engine: &mut RankEngine) -> Option<usize> {
    first_failed_of_others(active, own, engine).or_else(|| {
        // What this rank sends to itself it may send when another of these has come.
        let is_rest = active.iter().all(|(_, request)| request.is_from(own));
        let mut failed = active.iter().filter(|(_, request)| request.state.has_failed(engine));
        if is_rest { failed.next().map(|(at, _)| *at) } else { None }
    })
}

export! {
    /// Waits for all of several operations.
    fn MPI_Waitall(library; count: c_int, requests: Out<MPI_Request>, statuses: Out<MPI_Status>) {
        let handles = Handles::to_change(requests, count)?;
        library.wait_all(handles, statuses)
    }

    /// Tests whether all of several operations are complete.
    fn MPI_Testall(library; count: c_int, requests: Out<MPI_Request>, flag: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = Handles::to_change(requests, count)?;
        let tested = library.test_all(handles, statuses)?;
        flag.set("flag", c_int::from(tested.is_some()))?;
        tested.unwrap_or(Ok(()))
    }

    /// Waits for one of several operations.
    fn MPI_Waitany(library; count: c_int, requests: Out<MPI_Request>, index: Out<c_int>, status: Out<MPI_Status>) {
        let handles = Handles::to_change(requests, count)?;
        let at = library.wait_ready(handles)?;
        index.set("index", count_or_undefined(at))?;
        let found = at.map_or(Ok(Status::NONE), |at| library.complete_at(handles, at));
        tell_result(found, status)
    }

    /// Tests whether one of several operations is complete.
    fn MPI_Testany(library; count: c_int, requests: Out<MPI_Request>, index: Out<c_int>, flag: Out<c_int>, status: Out<MPI_Status>) {
        let handles = Handles::to_change(requests, count)?;
        let found = library.first_ready_of_poll(handles)?;
        let at = if let Found::Ready(at) = found { Some(at) } else { None };
        if let Found::NoneReady = found {
            library.handle_empty_poll();
        }
        flag.set("flag", c_int::from(!matches!(found, Found::NoneReady)))?;
        index.set("index", count_or_undefined(at))?;
        let found = at.map_or(Ok(Status::NONE), |at| library.complete_at(handles, at));
        tell_result(found, status)
    }

    /// Waits until some of several operations are complete.
    fn MPI_Waitsome(library; count: c_int, requests: Out<MPI_Request>, outcount: Out<c_int>, indices: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = Handles::to_change(requests, count)?;
        let first = library.wait_ready(handles)?;
        library.complete_ready(handles, first, (outcount, indices), statuses).map(drop)
    }

    /// Tests which of several operations are complete.
    fn MPI_Testsome(library; count: c_int, requests: Out<MPI_Request>, outcount: Out<c_int>, indices: Out<c_int>, statuses: Out<MPI_Status>) {
        let handles = Handles::to_change(requests, count)?;
        library.first_ready_of_poll(handles)?;
        if library.complete_ready(handles, None, (outcount, indices), statuses)? == Some(0) {
            library.handle_empty_poll();
        }
        Ok(())
    }
}
