//! Persistent requests: operations that are described once and started again and again.
//! Source: MPI 5.0, section *Persistent Communication Requests*.
//! Rules: an inactive request completes at once; starting an active one is an error.

use super::border::{In, Out};
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::memory::{Buffer, Memory, buffer, checked_count};
use super::request::{Request, State};
use super::send::{Address, Mode};
use super::status::Status;
use crate::abi::*;
use runahead::internals::message::Pattern;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// What is started.
pub(crate) enum Persistent {
    /// A message to, or from, `MPI_PROC_NULL`.
    Nothing(Status),
    /// A send.
    Send(Mode, Memory, Address),
    /// A receive.
    Recv(Memory, Pattern),
    /// A collective.
    Collective(Box<dyn Fn() -> State>),
}

impl Library {
    /// Keeps a persistent request.
    pub(crate) fn keep_persistent(
        &self,
        comm: Rc<Communicator>,
        persistent: Persistent,
    ) -> Result<MPI_Request, Fault> {
        let persistent = Some(Rc::new(persistent));
        self.keep_request(Request { comm: Some(comm), state: State::Inactive, persistent })
    }

    fn send_init(
        &self,
        mode: Mode,
        buffer: Buffer,
        (dest, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<MPI_Request, Fault> {
        let comm = self.comm(comm)?;
        let memory = || self.memory(buffer);
        // What goes to nobody may be no buffer at all.
        let persistent = match comm.address(dest, tag)? {
            Some(address) => Persistent::Send(mode, memory()?, address),
            None => Persistent::Nothing(Status::EMPTY),
        };
        self.keep_persistent(comm, persistent)
    }

    fn recv_init(
        &self,
        buffer: Buffer,
        (source, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<MPI_Request, Fault> {
        let comm = self.comm(comm)?;
        let memory = || self.memory(buffer);
        let persistent = match comm.pattern(source, tag)? {
            Some(pattern) => Persistent::Recv(memory()?, pattern),
            None => Persistent::Nothing(Status::OF_NOBODY),
        };
        self.keep_persistent(comm, persistent)
    }

    fn start(&self, handle: MPI_Request) -> Result<(), Fault> {
        let (comm, persistent) = self.with_request(handle, |request| {
            match (&request.comm, &request.persistent, request.state.is_active()) {
                (Some(comm), Some(persistent), false) => Ok((comm.clone(), persistent.clone())),
                (_, Some(_), true) => {
                    Err(Fault::new(MPI_ERR_REQUEST, "request was started already"))
                }
                _ => Err(Fault::new(MPI_ERR_REQUEST, "request is not persistent")),
            }
        })??;
        let state = match &*persistent {
            Persistent::Nothing(status) => State::Done(*status),
            Persistent::Send(mode, memory, address) => self.post(&comm, memory, *address, *mode)?,
            Persistent::Recv(memory, pattern) => comm.post_recv(memory.clone(), *pattern)?,
            Persistent::Collective(start) => start(),
        };
        self.with_request(handle, |request| request.state = state)
    }
}

export! {
    /// Describes a send.
    fn MPI_Send_init() and fn MPI_Send_init_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let buffer = buffer!(buf, count, datatype);
        request.set("request", library.send_init(Mode::Standard, buffer, (dest, tag, comm))?)
    }

    /// Describes a buffered send.
    fn MPI_Bsend_init() and fn MPI_Bsend_init_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let buffer = buffer!(buf, count, datatype);
        request.set("request", library.send_init(Mode::Buffered, buffer, (dest, tag, comm))?)
    }

    /// Describes a synchronous send.
    fn MPI_Ssend_init() and fn MPI_Ssend_init_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let buffer = buffer!(buf, count, datatype);
        request.set("request", library.send_init(Mode::Synchronous, buffer, (dest, tag, comm))?)
    }

    /// Describes a ready send.
    fn MPI_Rsend_init() and fn MPI_Rsend_init_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let buffer = buffer!(buf, count, datatype);
        request.set("request", library.send_init(Mode::Standard, buffer, (dest, tag, comm))?)
    }

    /// Describes a receive.
    fn MPI_Recv_init() and fn MPI_Recv_init_c(library; buf: Out<c_void>, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let buffer = buffer!(buf, count, datatype);
        request.set("request", library.recv_init(buffer, (source, tag, comm))?)
    }

    /// Starts what was described.
    fn MPI_Start(library; request: In<MPI_Request>) {
        library.start(request.value("request")?)
    }

    /// Starts all of several.
    fn MPI_Startall(library; count: c_int, requests: In<MPI_Request>) {
        let requests = requests.slice("array_of_requests", checked_count(count.into())?)?;
        requests.iter().try_for_each(|&request| library.start(request))
    }
}
