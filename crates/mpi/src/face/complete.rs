//! How operations are completed: what a wait for one does, and that other threads may call meanwhile.
//! Source: MPI 5.0, section *Communication Completion*, and on threads.
//! Rules: whatever comes of an operation, the program has its memory back; each part of it is waited for, or has failed.

use super::collective::plan::wait_for;
use super::communicator::{Communicator, RankEngine};
use super::fault::Fault;
use super::library::{LIBRARY, Library};
use super::memory::Memory;
use super::request::{Request, SENT, State};
use super::status::Status;
use super::turn::Pauses;
use crate::abi::*;
use runahead::Rank;
use runahead::internals::message::{Begun, RecvId, SendId, Source};
use std::rc::Rc;

/// Waits until a message has left. Whatever comes of it, the program has its memory back then.
pub(super) fn wait_sent(comm: &Communicator, id: SendId) -> Result<(), Fault> {
    comm.engine(|engine| engine.wait_sent(id).inspect_err(|_| take_back(engine, id)))
}

/// Gives the program its memory back, though a message may not have left: a copy of it leaves. What its receiver may be
/// reading where it lies is waited for.
pub(super) fn take_back(engine: &mut RankEngine, id: SendId) {
    while !engine.reclaim(id) {
        // An error may be about another rank, again and again. This one's receiver is served all the same.
        let _ = engine.wait_sent(id);
    }
}

pub(super) fn finish_recv(
    comm: &Communicator,
    id: RecvId,
    source: Source,
    mut memory: Memory,
) -> Result<Status, Fault> {
    let room = memory.bytes();
    comm.comm.with_engine(|engine| {
        let takes = |_: &_| Ok::<(), Fault>(());
        let info = engine.finish_recv_into(id, source, takes, &mut memory)?;
        comm.received(&info, room)
    })?
}

impl State {
    /// Waits until it is complete.
    #[inline]
    pub(crate) fn complete(self, comm: &Communicator) -> Result<Status, Fault> {
        if LIBRARY.has_threads() {
            self.let_others_call(comm);
        }
        match self {
            State::Inactive => Ok(Status::NONE),
            State::Done(status) => Ok(status),
            State::Failed(fault) => Err(fault),
            State::Send(id) => wait_sent(comm, id).map(|()| Status::EMPTY),
            State::Synchronous { sent, answer, to } => {
                comm.comm.with_engine(|engine| {
                    let answered = |_: &_| Ok::<(), Fault>(());
                    let met = engine.finish_recv(answer, Source::Rank(to), answered, |_, _| ());
                    let Some(sent) = sent else { return met };
                    let left = met.and_then(|()| Ok(engine.wait_sent(sent)?));
                    left.inspect_err(|_| take_back(engine, sent))
                })??;
                Ok(Status::EMPTY)
            }
            State::Recv { id, source, memory } => finish_recv(comm, id, source, memory),
            State::Several(pending) => pending.complete(comm),
            State::Collective(request) => {
                wait_for(request)?;
                Ok(Status::EMPTY)
            }
            State::Duplicate(made) => made.complete(),
            State::Generalized(operation) => {
                let mut pauses = Pauses::default();
                while !operation.is_complete() {
                    comm.engine(|engine| {
                        pauses.note_core(engine.has_core());
                        engine.progress()
                    })?;
                    pauses.pause();
                }
                let status = operation.query()?;
                operation.free().map(|()| status)
            }
        }
    }

    /// The program has its memory back, though a message may not have left.
    pub(super) fn give_up(&self, comm: &Communicator) {
        if let State::Send(id) = *self {
            // Without an engine nobody reads it.
            let _ = comm.comm.with_engine(|engine| take_back(engine, id));
        }
    }

    /// Waits until nothing is left to wait for, and lets other threads call meanwhile.
    #[cold]
    fn let_others_call(&self, comm: &Communicator) {
        let mut pauses = Pauses::default();
        while !self.has_ended(comm, &mut pauses) {
            pauses.pause();
        }
    }

    /// Whether each part is complete, or has failed. What other threads of this rank may send has not failed.
    fn has_ended(&self, comm: &Communicator, pauses: &mut Pauses) -> bool {
        let (own, is_alone) = (comm.member(comm.rank), comm.comm.size() == 1);
        let found = comm.engine(|engine| {
            pauses.note_core(engine.has_core());
            engine.progress()?;
            // What a lost rank had sent may have come just before: the next look is for that.
            Ok(self.is_ready(engine)
                || pauses.is_long()
                    && !engine.note_losses()
                    && self.all(|begun| {
                        engine.is_done_or_failed(begun)
                            || !comes_from(begun, own, is_alone) && engine.has_failed(begun)
                    }))
        });
        // Who completes it meets what has ended the engine, and gives the memory back.
        found.unwrap_or(true)
    }
}

/// Whether it is a receive of what this rank alone can send.
fn comes_from(begun: Begun, own: Rank, is_alone: bool) -> bool {
    match begun {
        Begun::Recv(_, Source::Rank(rank)) => rank == own,
        Begun::Recv(_, Source::Any) => is_alone,
        _ => false,
    }
}

impl Library {
    /// Takes the operation of a request to complete it. The handle becomes null, unless it is persistent.
    #[inline]
    pub(crate) fn take_operation(
        &self,
        handle: &mut MPI_Request,
    ) -> Result<(Option<Rc<Communicator>>, State), Fault> {
        if *handle == SENT {
            *handle = MPI_REQUEST_NULL;
            return Ok((None, State::Done(Status::EMPTY)));
        }
        let mut requests = self.requests.borrow_mut();
        let unknown = || Fault::handle(MPI_ERR_REQUEST, "request", handle.0);
        let request = requests.get_mut(handle.0).ok_or_else(unknown)?;
        if request.persistent.is_some() {
            let state = std::mem::replace(&mut request.state, State::Inactive);
            return Ok((request.comm.clone(), state));
        }
        let Request { comm, state, .. } = requests.remove(handle.0).ok_or_else(unknown)?;
        *handle = MPI_REQUEST_NULL;
        Ok((comm, state))
    }

    /// Completes the operation of a request, waiting for it.
    #[inline]
    pub(crate) fn complete(&self, handle: &mut MPI_Request) -> Result<Status, Fault> {
        match self.has_threads() {
            true => self.let_others_reach(*handle)?,
            false => {
                if let Some(received) = self.complete_recv(handle) {
                    self.complete_detached();
                    return received;
                }
            }
        }
        let (comm, state) = self.take_operation(handle)?;
        let own;
        let on = match &comm {
            Some(comm) => comm,
            None => {
                own = self.the_own()?;
                &own
            }
        };
        let completed = state.complete(on).map_err(|fault| fault.on(comm.as_ref()));
        // What came before may be what the program has waited for.
        self.complete_detached();
        completed
    }

    /// As [`complete`](Library::complete), where it is a receive, and not persistent: of all that waits, most are. What
    /// it consists of stays in the table meanwhile, and is moved nowhere.
    #[inline(always)]
    fn complete_recv(&self, handle: &mut MPI_Request) -> Option<Result<Status, Fault>> {
        let mut requests = self.requests.borrow_mut();
        let request = requests.get_mut(handle.0)?;
        let Request {
            comm: Some(comm),
            state: State::Recv { id, source, memory },
            persistent: None,
        } = request
        else {
            return None;
        };
        let (id, source, room) = (*id, *source, memory.bytes());
        let takes = |_: &_| Ok::<(), Fault>(());
        let finish = |engine: &mut RankEngine| engine.finish_recv_into(id, source, takes, memory);
        let received = match comm.comm.with_engine(finish) {
            Ok(Ok(info)) => comm.received(&info, room),
            Ok(Err(fault)) => Err(fault),
            Err(error) => Err(error.into()),
        };
        let received = received.map_err(|fault| fault.on(Some(comm)));
        requests.remove(handle.0);
        *handle = MPI_REQUEST_NULL;
        Some(received)
    }

    /// Waits until nothing is left to wait for, and lets other threads call meanwhile. The request stays in the table:
    /// these may cancel it, or say that it is complete.
    #[cold]
    fn let_others_reach(&self, handle: MPI_Request) -> Result<(), Fault> {
        let own = self.the_own()?;
        let mut pauses = Pauses::default();
        loop {
            let ends = self.with_request(handle, |request| {
                request.state.has_ended(request.comm.as_ref().unwrap_or(&own), &mut pauses)
            })?;
            if ends {
                return Ok(());
            }
            pauses.pause();
        }
    }
}
