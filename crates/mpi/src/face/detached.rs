//! Requests that a program gives up before they are complete: freed or cancelled.
//! Source: MPI 5.0, sections *Communication Completion* and *Cancel*.
//! Rules: what was freed is completed when it can be, in a later call; what has come is not cancelled any more.

use super::border::{In, Out};
use super::communicator::RankEngine;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::request::{Request, SENT, State};
use super::status::Status;
use crate::abi::*;
use runahead::internals::message::{Begun, Source};
use std::mem;

impl Library {
    fn free_request(&self, handle: MPI_Request) -> Result<(), Fault> {
        if handle == SENT {
            return Ok(());
        }
        if let Some(operation) = self.generalized(handle)? {
            if operation.is_complete() {
                return self.free_generalized(handle, &operation);
            }
            // The program tells by this handle that the operation is complete.
            operation.is_freed.set(true);
            return Ok(());
        }
        let removed = self.requests.borrow_mut().remove(handle.0);
        let request = removed.ok_or_else(|| Fault::handle(MPI_ERR_REQUEST, "request", handle.0))?;
        // The answer to a synchronous send is received, too.
        // And the handle of a duplicate names it one day.
        if let State::Recv { .. }
        | State::Several(_)
        | State::Collective(_)
        | State::Synchronous { .. }
        | State::Duplicate(_) = request.state
        {
            self.detached.borrow_mut().push(request);
        }
        Ok(())
    }

    /// Completes what the program has freed and that can be completed. No call of the program returns an error of it:
    /// the handler of its communicator hears of it.
    #[inline]
    pub(super) fn complete_detached(&self) {
        if !self.detached.borrow().is_empty() {
            self.complete_some_detached();
        }
    }

    #[cold]
    fn complete_some_detached(&self) {
        let Some(world) = self.world() else { return };
        for request in self.detached.take() {
            // Where no engine answers, the call that has come here finds that, too.
            if !matches!(world.comm.with_engine(|engine| request.state.is_ready(engine)), Ok(true))
            {
                self.detached.borrow_mut().push(request);
                continue;
            }
            let comm = request.comm.unwrap_or_else(|| world.clone());
            if let Err(fault) = request.state.complete(&comm) {
                self.call_handler(comm.hearer(), "an operation whose request was freed", &fault);
            }
        }
    }

    fn cancel(&self, handle: MPI_Request) -> Result<(), Fault> {
        if let Some(operation) = self.generalized(handle)? {
            return operation.cancel();
        }
        self.with_request(handle, |request| {
            let cancelled = self.with_engine(|engine| cancelled(&request.state, engine))?;
            if let Some(is_cancelled) = cancelled {
                let done = State::Done(Status { is_cancelled, ..Status::EMPTY });
                let given_up = mem::replace(&mut request.state, done);
                // The message goes on, and later ones are answered after it.
                if let (State::Synchronous { answer, to, .. }, false) = (given_up, is_cancelled) {
                    let state = State::Synchronous { sent: None, answer, to };
                    let comm = request.comm.clone();
                    self.detached.borrow_mut().push(Request { comm, state, persistent: None });
                }
            }
            Ok(())
        })?
    }
}

/// Cancels an operation. Some if it is complete then, and whether it was cancelled.
fn cancelled(state: &State, engine: &mut RankEngine) -> Option<bool> {
    match *state {
        State::Recv { id, source, .. } => {
            // A message that has come is received; one that was met is not given to another.
            let is_met = engine.is_done_or_failed(Begun::Recv(id, source));
            if !is_met {
                engine.cancel_recv(id);
            }
            (!is_met).then_some(true)
        }
        // A wait returns then, whatever other ranks do: what has left in part goes on as a copy. What its receiver may
        // be reading where it lies is not cancelled, and the wait is for that.
        State::Send(id) => match engine.cancel_send(id) {
            true => Some(true),
            false => engine.reclaim(id).then_some(false),
        },
        State::Synchronous { sent, answer, to } => {
            if sent.is_some_and(|sent| engine.cancel_send(sent)) {
                engine.cancel_recv(answer);
                return Some(true);
            }
            // The same holds of one that no receive has met yet.
            let is_met = engine.is_done_or_failed(Begun::Recv(answer, Source::Rank(to)));
            (!is_met && sent.is_none_or(|sent| engine.reclaim(sent))).then_some(false)
        }
        _ => None,
    }
}

export! {
    /// Frees a request; its operation goes on.
    fn MPI_Request_free(library; request: Out<MPI_Request>) {
        let handle = request.value("request")?;
        library.free_request(handle)?;
        request.set("request", MPI_REQUEST_NULL)
    }

    /// Cancels an operation: a receive that has met no message meets none any more, and a message that has not left
    /// leaves no more.
    fn MPI_Cancel(library; request: In<MPI_Request>) {
        library.cancel(request.value("request")?)
    }
}
