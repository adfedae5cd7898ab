//! Requests: operations that were begun, and how they are completed.
//! Source: MPI 5.0, sections *Communication Request Objects* and *Communication Completion*.
//! Rules: a request lies in a table and costs no allocation for a message; a persistent one stays when complete.

use super::communicator::{Communicator, RankEngine};
use super::fault::Fault;
use super::grequest::Generalized;
use super::library::{LIBRARY, Library, keep};
use super::memory::Memory;
use super::persistent::Persistent;
use super::status::Status;
use super::table::FIRST_HANDLE;
use super::turn::Pauses;
use crate::abi::*;
use runahead::Rank;
use runahead::internals::message::{Begun, RecvId, SendId, Source};
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
    /// An operation of the program's own.
    Generalized(Rc<Generalized>),
}

/// What is done when all messages of an operation have come.
pub(crate) type Finish = Box<dyn FnOnce() -> Result<(), Fault>>;

/// The messages of a collective, or of a send and a receive.
#[derive(Default)]
pub(crate) struct Pending {
    pub(super) sends: SmallVec<[SendId; 4]>,
    pub(super) recvs: Vec<(RecvId, Source, Memory)>,
    pub(super) finish: Option<Finish>,
    /// Whether the status is that of the receive.
    tells_receive: bool,
    status: Option<Status>,
}

impl Pending {
    /// A send and a receive.
    pub(super) fn of_exchange(sending: State, receiving: State) -> Pending {
        let mut pending = Pending { tells_receive: true, ..Pending::default() };
        if let State::Send(id) = sending {
            pending.sends.push(id);
        }
        match receiving {
            State::Recv { id, source, memory } => pending.recvs.push((id, source, memory)),
            State::Done(status) => pending.status = Some(status),
            _ => {}
        }
        pending
    }

    /// Waits until all is done.
    pub(super) fn complete(self, comm: &Communicator) -> Result<Status, Fault> {
        let (mut status, mut first) = (self.status, Ok(()));
        // Every receive is given back, whatever becomes of the one before.
        for (id, source, memory) in self.recvs {
            match finish_recv(comm, id, source, memory) {
                Ok(received) => status = Some(received),
                Err(fault) if first.is_ok() => first = Err(fault),
                Err(_) => {}
            }
        }
        if first.is_err() {
            // The program has its memory back.
            comm.comm
                .with_engine(|engine| self.sends.iter().for_each(|&id| take_back(engine, id)))?;
        }
        // The status of a collective tells of none of its messages.
        first.map_err(|fault| match self.tells_receive {
            true => fault,
            false => fault.with(|why| why.status = None),
        })?;
        if let Some(finish) = self.finish {
            finish()?;
        }
        for id in self.sends {
            wait_sent(comm, id)?;
        }
        Ok(status.filter(|_| self.tells_receive).unwrap_or(Status::EMPTY))
    }
}

/// Waits until a message has left. Whatever comes of it, the program has its memory back then.
fn wait_sent(comm: &Communicator, id: SendId) -> Result<(), Fault> {
    comm.engine(|engine| engine.wait_sent(id).inspect_err(|_| take_back(engine, id)))
}

/// Gives the program its memory back, though a message may not have left: a copy of it leaves. What its receiver may be
/// reading where it lies is waited for.
fn take_back(engine: &mut RankEngine, id: SendId) {
    if !engine.reclaim(id) && engine.wait_sent(id).is_err() {
        // The receiver has gone meanwhile, or nobody is served any more.
        let _ = engine.reclaim(id);
    }
}

fn finish_recv(
    comm: &Communicator,
    id: RecvId,
    source: Source,
    mut memory: Memory,
) -> Result<Status, Fault> {
    let room = memory.bytes();
    comm.comm.with_engine(|engine| {
        engine.finish_recv(
            id,
            source,
            |_| Ok::<(), Fault>(()),
            |info, bytes| {
                memory.put(0, bytes);
                comm.received(info, room)
            },
        )
    })??
}

impl State {
    /// Waits until it is complete.
    #[inline]
    pub(crate) fn complete(self, comm: &Communicator) -> Result<Status, Fault> {
        if LIBRARY.has_threads() {
            self.let_others_call(comm)?;
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
            State::Generalized(operation) => {
                let mut pauses = Pauses::default();
                while !operation.is_complete() {
                    comm.engine(|engine| engine.progress())?;
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

    /// Waits until it is ready, and lets other threads call meanwhile.
    #[cold]
    fn let_others_call(&self, comm: &Communicator) -> Result<(), Fault> {
        let mut pauses = Pauses::default();
        let is_own = self.is_from(comm.member(comm.rank), comm.comm.size() == 1);
        loop {
            let ends = comm.engine(|engine| {
                engine.progress()?;
                Ok(self.is_ready(engine)
                    // Another thread may send it still.
                    || !is_own && pauses.is_long() && self.has_failed(engine))
            })?;
            if ends {
                return Ok(());
            }
            pauses.pause();
        }
    }

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
        }
    }

    /// Whether `is_done` holds of all that it consists of.
    fn all(&self, mut is_done: impl FnMut(Begun) -> bool) -> bool {
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
            State::Generalized(operation) => operation.is_complete(),
        }
    }

    /// Whether it is complete or can never be, without waiting; the caller has made progress.
    pub(crate) fn is_ready(&self, engine: &mut RankEngine) -> bool {
        self.all(|begun| engine.is_done_or_failed(begun))
    }

    /// Whether it is known that it can never be complete. Asked by a rank that is about to sleep.
    pub(crate) fn has_failed(&self, engine: &mut RankEngine) -> bool {
        !self.all(|begun| !engine.has_failed(begun))
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
}
