//! Sending: blocking and nonblocking, in all modes.
//! Source: MPI 5.0, sections *Blocking Send and Receive Operations*, *Communication Modes*, *Nonblocking
//! Communication*. Rules: a small standard send waits for nobody; a synchronous one for its receive.

use super::border::{In, Out};
use super::communicator::{Communicator, checked_tag};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::memory::{Buffer, Memory};
use super::request::{Request, State};
use super::status::Status;
use crate::abi::*;
use runahead::Rank;
use runahead::internals::message::{Envelope, Pattern, SendId, Source, Tag};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// How a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As the library likes; a ready send is one of these.
    Standard,
    /// From a buffer that the program has attached.
    Buffered,
    /// Until a receive has met it.
    Synchronous,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    /// The rank in the world.
    pub(crate) to: Rank,
    pub(crate) tag: u32,
}

impl Communicator {
    /// Where a message goes; None for `MPI_PROC_NULL`.
    #[inline(always)]
    pub(crate) fn address(&self, dest: c_int, tag: c_int) -> Result<Option<Address>, Fault> {
        let tag = checked_tag(tag)?;
        Ok(self.destination(dest, "dest")?.map(|to| Address { to, tag }))
    }

    fn envelope(&self, tag: u32, mode: Mode) -> Envelope {
        let element = if mode == Mode::Synchronous { Envelope::CONFIRMED } else { 0 };
        Envelope { context: self.program, tag, element }
    }
}

impl Library {
    /// Sends and waits until the memory may be used again.
    #[inline(always)]
    pub(crate) fn send(
        &self,
        comm: &Communicator,
        memory: &Memory,
        Address { to, tag }: Address,
    ) -> Result<(), Fault> {
        let envelope = comm.envelope(tag, Mode::Standard);
        memory.with_bytes(|bytes| {
            if bytes.len() > self.eager_bytes.get() {
                return comm.engine(|engine| engine.send(to, envelope, bytes));
            }
            let id = comm.engine(|engine| {
                let id = engine.post_send(to, envelope, bytes)?;
                Ok((!engine.is_sent(id)).then_some(id))
            })?;
            id.map_or(Ok(()), |id| self.keep_back(comm, id, bytes.len()))
        })
    }

    #[cold]
    fn keep_back(&self, comm: &Communicator, id: SendId, bytes: usize) -> Result<(), Fault> {
        comm.comm.with_engine(|engine| self.backlog.borrow_mut().add(engine, id, bytes))?
    }

    /// Sends and waits until a receive has met the message.
    fn send_synchronously(
        &self,
        comm: &Rc<Communicator>,
        memory: &Memory,
        address: Address,
    ) -> Result<(), Fault> {
        self.post(comm, memory, address, Mode::Synchronous)?.complete(comm).map(drop)
    }

    /// Sends from the attached buffer.
    fn send_buffered(
        &self,
        comm: &Communicator,
        memory: &Memory,
        Address { to, tag }: Address,
    ) -> Result<(), Fault> {
        let buffer = if comm.buffer.is_attached() { &comm.buffer } else { &self.buffer };
        let envelope = comm.envelope(tag, Mode::Buffered);
        comm.comm.with_engine(|engine| buffer.post(engine, memory, (to, envelope)))?
    }

    /// Posts a message.
    #[inline(always)]
    pub(crate) fn post(
        &self,
        comm: &Communicator,
        memory: &Memory,
        address: Address,
        mode: Mode,
    ) -> Result<State, Fault> {
        let Address { to, tag } = address;
        match mode {
            Mode::Standard => {
                let envelope = comm.envelope(tag, mode);
                memory.with_bytes(|bytes| {
                    comm.engine(|engine| {
                        let id = engine.post_send(to, envelope, bytes)?;
                        Ok(match engine.is_sent(id) {
                            true => State::Done(Status::EMPTY),
                            false => State::Send(id),
                        })
                    })
                })
            }
            Mode::Buffered => {
                self.send_buffered(comm, memory, address)?;
                Ok(State::Done(Status::EMPTY))
            }
            Mode::Synchronous => self.post_synchronous(comm, memory, address),
        }
    }

    fn post_synchronous(
        &self,
        comm: &Communicator,
        memory: &Memory,
        Address { to, tag }: Address,
    ) -> Result<State, Fault> {
        let envelope = comm.envelope(tag, Mode::Synchronous);
        let answered = Pattern { source: Source::Rank(to), tag: Tag::Exactly(tag) };
        memory.with_bytes(|bytes| {
            comm.engine(|engine| {
                let answer = engine.post_recv(comm.library, answered)?;
                match engine.post_send(to, envelope, bytes) {
                    Ok(sent) => Ok(State::Synchronous { sent, answer, to }),
                    Err(error) => {
                        engine.cancel_recv(answer);
                        Err(error)
                    }
                }
            })
        })
    }

    /// A blocking send.
    fn send_as(
        &self,
        mode: Mode,
        buffer: Buffer,
        (dest, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<(), Fault> {
        let comm = self.comm(comm)?;
        // What goes to nobody may be no buffer at all.
        let Some(address) = comm.address(dest, tag)? else { return Ok(()) };
        let memory = self.memory(buffer.0, buffer.1, buffer.2)?;
        match mode {
            Mode::Standard => self.send(&comm, &memory, address),
            Mode::Buffered => self.send_buffered(&comm, &memory, address),
            Mode::Synchronous => self.send_synchronously(&comm, &memory, address),
        }
    }

    /// A nonblocking send.
    fn post_as(
        &self,
        mode: Mode,
        buffer: Buffer,
        (dest, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<MPI_Request, Fault> {
        let comm = self.comm(comm)?;
        let state = match comm.address(dest, tag)? {
            Some(address) => {
                let memory = self.memory(buffer.0, buffer.1, buffer.2)?;
                self.post(&comm, &memory, address, mode)?
            }
            None => State::Done(Status::OF_NOBODY),
        };
        self.keep_request(Request::new(Some(comm), state))
    }
}

export! {
    /// Sends; a small message waits for nobody.
    fn MPI_Send() and fn MPI_Send_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Standard, (buf.address(), count.into(), datatype), (dest, tag, comm))
    }

    /// Sends from the attached buffer.
    fn MPI_Bsend() and fn MPI_Bsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Buffered, (buf.address(), count.into(), datatype), (dest, tag, comm))
    }

    /// Sends until a receive has met the message.
    fn MPI_Ssend() and fn MPI_Ssend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Synchronous, (buf.address(), count.into(), datatype), (dest, tag, comm))
    }

    /// Sends to a receive that is posted.
    fn MPI_Rsend() and fn MPI_Rsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Standard, (buf.address(), count.into(), datatype), (dest, tag, comm))
    }

    /// Begins a send.
    fn MPI_Isend() and fn MPI_Isend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Standard, (buf.address(), count.into(), datatype), (dest, tag, comm));
        request.set("request", posted?)
    }

    /// Begins a send from the attached buffer.
    fn MPI_Ibsend() and fn MPI_Ibsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Buffered, (buf.address(), count.into(), datatype), (dest, tag, comm));
        request.set("request", posted?)
    }

    /// Begins a send that is complete when a receive has met the message.
    fn MPI_Issend() and fn MPI_Issend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Synchronous, (buf.address(), count.into(), datatype), (dest, tag, comm));
        request.set("request", posted?)
    }

    /// Begins a send to a receive that is posted.
    fn MPI_Irsend() and fn MPI_Irsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Standard, (buf.address(), count.into(), datatype), (dest, tag, comm));
        request.set("request", posted?)
    }
}
