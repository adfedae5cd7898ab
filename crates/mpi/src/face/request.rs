//! Requests: operations that were begun, and what they consist of; `complete.rs` completes them.
//! Source: MPI 5.0, sections *Communication Request Objects* and *Communication Completion*.
//! Rules: a request lies in a table and costs no allocation for a message; a persistent one stays when complete.

use super::collective::assembly::Assembly;
use super::communicator::{Communicator, RankEngine};
use super::fault::Fault;
use super::grequest::Generalized;
use super::idup::Duplicate;
use super::library::{Library, keep};
use super::memory::Memory;
use super::pending::Pending;
use super::persistent::Persistent;
use super::status::Status;
use super::table::FIRST_HANDLE;
use crate::abi::*;
use runahead::internals::message::{Begun, RecvId, SendId, Source};
use runahead::internals::pending::Begins;
use runahead::{CollectiveRequest, Rank};
use smallvec::SmallVec;
use std::rc::Rc;

/// The request of every send that has left at once. It is complete, and is in no program's way if that frees it.
pub(crate) const SENT: MPI_Request = MPI_Request(FIRST_HANDLE);

/// What an operation consists of, as the engine knows it.
pub(crate) type AllBegun = SmallVec<[Begun; 8]>;

/// An operation of the program.
pub(crate) struct Request {
    pub(super) comm: Option<Rc<Communicator>>,
    pub(crate) state: State,
    /// How it is started again, of a persistent one.
    pub(super) persistent: Option<Rc<Persistent>>,
}

/// How far an operation has got.
pub(crate) enum State {
    /// It is persistent and was not started.
    Inactive,
    /// It is complete.
    Done(Status),
    /// It has failed, and the program has looked at it. It tells so again when it is completed.
    Failed(Fault),
    /// A message that has not left.
    Send(SendId),
    /// A message that is to be confirmed by the rank `to` of the world; and what is sent of it, if that has not left.
    Synchronous { sent: Option<SendId>, answer: RecvId, to: Rank },
    /// A posted receive.
    Recv { id: RecvId, source: Source, memory: Memory },
    /// Several messages, and what is done when they have come.
    Several(Box<Pending>),
    /// A collective of the runtime.
    Collective(CollectiveRequest<Assembly>),
    /// A communicator that is being made.
    Duplicate(Box<Duplicate>),
    /// An operation of the program's own.
    Generalized(Rc<Generalized>),
}

impl State {
    /// What it consists of, for the engine.
    pub(crate) fn list(&self, begun: &mut AllBegun) {
        match self {
            State::Inactive | State::Done(_) | State::Failed(_) | State::Generalized(_) => {}
            State::Send(id) => begun.push(Begun::Send(*id)),
            State::Synchronous { sent, answer, to } => {
                begun.extend(sent.map(Begun::Send));
                begun.push(Begun::Recv(*answer, Source::Rank(*to)));
            }
            State::Recv { id, source, .. } => begun.push(Begun::Recv(*id, *source)),
            State::Several(pending) => {
                begun.extend(pending.recvs.iter().map(|(id, source, _)| Begun::Recv(*id, *source)));
                begun.extend(pending.sends.iter().map(|id| Begun::Send(*id)));
            }
            State::Collective(request) => request.list(begun),
            State::Duplicate(made) => begun.extend(made.parts()),
        }
    }

    /// Whether `is_done` holds of all that it consists of.
    pub(super) fn all(&self, mut is_done: impl FnMut(Begun) -> bool) -> bool {
        match self {
            State::Inactive | State::Done(_) | State::Failed(_) => true,
            State::Send(id) => is_done(Begun::Send(*id)),
            State::Synchronous { sent, answer, to } => {
                is_done(Begun::Recv(*answer, Source::Rank(*to)))
                    && sent.is_none_or(|sent| is_done(Begun::Send(sent)))
            }
            State::Recv { id, source, .. } => is_done(Begun::Recv(*id, *source)),
            State::Several(pending) => {
                pending.recvs.iter().all(|(id, source, _)| is_done(Begun::Recv(*id, *source)))
                    && pending.sends.iter().all(|id| is_done(Begun::Send(*id)))
            }
            State::Collective(request) => {
                let mut parts = AllBegun::new();
                request.list(&mut parts);
                parts.into_iter().all(is_done)
            }
            State::Duplicate(made) => made.parts().all(is_done),
            State::Generalized(operation) => operation.is_complete(),
        }
    }

    /// Whether it is complete or can never be, without waiting; the caller has made progress.
    pub(crate) fn is_ready(&self, engine: &mut RankEngine) -> bool {
        match self {
            State::Collective(request) => {
                request.is_complete(engine) || request.has_failed(engine, false)
            }
            _ => self.all(|begun| engine.is_done_or_failed(begun)),
        }
    }

    /// Whether it is known that it can never be complete. Asked by a rank that is about to sleep.
    pub(crate) fn has_failed(&self, engine: &mut RankEngine) -> bool {
        match self {
            State::Collective(request) => request.has_failed(engine, true),
            _ => !self.all(|begun| !engine.has_failed(begun)),
        }
    }

    /// Whether it is a receive of what this rank alone can send, or a send that it alone can receive.
    fn is_from(&self, own: Rank, is_alone: bool) -> bool {
        match self {
            State::Recv { source: Source::Rank(rank), .. } => *rank == own,
            State::Recv { source: Source::Any, .. } => is_alone,
            State::Synchronous { to, .. } => *to == own,
            _ => false,
        }
    }

    /// Whether it was begun and is for the program to complete.
    pub(crate) fn is_active(&self) -> bool {
        !matches!(self, State::Inactive)
    }
}

impl Request {
    /// Whether it is a receive of what this rank alone can send.
    pub(super) fn is_from(&self, own: Rank) -> bool {
        let is_alone = self.comm.as_ref().is_some_and(|comm| comm.comm.size() == 1);
        self.state.is_from(own, is_alone)
    }

    /// An operation that was begun.
    pub(crate) fn new(comm: Option<Rc<Communicator>>, state: State) -> Request {
        Request { comm, state, persistent: None }
    }
}

impl Library {
    /// Keeps a request; returns its handle.
    #[inline]
    pub(crate) fn keep_request(&self, request: Request) -> Result<MPI_Request, Fault> {
        Ok(MPI_Request(keep(&self.requests, request)?))
    }

    /// The request of a handle is null, or unknown, or has this to be seen.
    #[inline]
    pub(crate) fn with_request<R>(
        &self,
        handle: MPI_Request,
        see: impl FnOnce(&mut Request) -> R,
    ) -> Result<R, Fault> {
        match self.requests.borrow_mut().get_mut(handle.0) {
            Some(request) => Ok(see(request)),
            None => Err(Fault::handle(MPI_ERR_REQUEST, "request", handle.0)),
        }
    }
}
