//! Receives from one rank that stand one after the other in an array of requests: one visit of the engine completes them.
//! Source: MPI 5.0, section *Multiple Completions*.
//! Rules: each is completed as by a wait for it alone; what is not as simple as most are is left to that.

use super::border::Out;
use super::handles::Handles;
use super::library::Library;
use super::request::{Request, State};
use super::status::Status;
use super::table::Table;
use crate::abi::*;
use runahead::Rank;
use runahead::internals::message::{Info, PostedRun, RecvId, Source};
use std::ffi::c_int;

/// What is left to complete of an array.
struct Run<'r> {
    requests: &'r mut Table<Request>,
    handles: Handles,
    statuses: Out<MPI_Status>,
    from: Rank,
    /// The index of the next.
    at: usize,
}

/// The receive of a request, and the only rank that it takes a message of; None of another request.
#[inline(always)]
fn receive_of(request: &Request) -> Option<(RecvId, Rank, usize)> {
    match request {
        Request {
            comm: Some(_),
            state: State::Recv { id, source: Source::Rank(from), memory },
            persistent: None,
        } => Some((*id, *from, memory.bytes())),
        _ => None,
    }
}

impl PostedRun for Run<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<(RecvId, usize)> {
        if self.at == self.handles.count() {
            return None;
        }
        let (id, from, room) = receive_of(self.requests.get(self.handles.at(self.at).0)?)?;
        (from == self.from).then_some((id, room))
    }

    #[inline(always)]
    fn handle_received(&mut self, info: &Info, payload: &[u8]) {
        let Some(request) = self.requests.remove(self.handles.at(self.at).0) else { return };
        if let Request { comm: Some(comm), state: State::Recv { mut memory, .. }, .. } = request {
            memory.put(0, payload);
            if !self.statuses.is_null() {
                let (source, bytes) = (comm.to_local(info.source), info.len as u64);
                let status = Status { source, tag: info.tag as c_int, bytes, ..Status::EMPTY };
                // SAFETY: the caller in C vouches for as many statuses as requests.
                status.write_to(unsafe { &mut *self.statuses.address().add(self.at) });
            }
        }
        self.handles.set(self.at, MPI_REQUEST_NULL);
        self.at += 1;
    }
}

impl Library {
    /// Completes requests from the index `at` on, as long as they are receives from one rank whose messages lie here.
    /// Returns the index of the first that is not.
    #[inline]
    pub(super) fn complete_run(
        &self,
        handles: Handles,
        at: usize,
        statuses: Out<MPI_Status>,
    ) -> usize {
        if at == handles.count() || self.has_threads() {
            return at;
        }
        let mut requests = self.requests.borrow_mut();
        let Some((_, from, _)) = requests.get(handles.at(at).0).and_then(receive_of) else {
            return at;
        };
        let mut run = Run { requests: &mut requests, handles, statuses, from, at };
        // Where no engine answers, the wait for the next finds that, too.
        let _ = self.with_engine(|engine| engine.finish_run(from, &mut run));
        let next = run.at;
        drop(requests);
        // What came may be what a request that the program has freed waits for.
        self.complete_detached();
        next
    }
}
