//! Sending: blocking and nonblocking, in all modes.
//! Source: MPI 5.0, sections *Blocking Send and Receive Operations*, *Communication Modes*, *Nonblocking
//! Communication*. Rules: a small standard send waits for nobody; a synchronous one for its receive.

use super::border::{In, Out};
use super::communicator::{Communicator, RankEngine, checked_tag};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::memory::{Buffer, Memory, buffer};
use super::request::{Request, SENT, State};
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
        if memory.bytes() > self.eager_bytes.get() {
            return self.send_large(comm, memory, Address { to, tag });
        }
        memory.with_bytes(|bytes| {
            let id = comm.engine(|engine| engine.post_unless_sent(to, envelope, bytes))?;
            id.map_or(Ok(()), |id| self.keep_back(comm, id, bytes.len()))
        })
    }

    /// As [`send`](Library::send), of a message that waits for its receiver.
    #[inline(never)]
    fn send_large(
        &self,
        comm: &Communicator,
        memory: &Memory,
        address: Address,
    ) -> Result<(), Fault> {
        if self.has_threads() {
            let posted = self.post(comm, memory, address, Mode::Standard)?;
            if let State::Done(_) = posted {
                // Only waiting shows otherwise that the receiver is lost, and this call has not waited.
                comm.comm.with_engine(|engine| engine.note_losses())?;
            }
            return posted.complete(comm).map(drop);
        }
        let envelope = comm.envelope(address.tag, Mode::Standard);
        memory.with_bytes(|bytes| comm.engine(|engine| engine.send(address.to, envelope, bytes)))
    }

    #[cold]
    fn keep_back(&self, comm: &Communicator, id: SendId, bytes: usize) -> Result<(), Fault> {
        comm.comm.with_engine(|engine| self.backlog.borrow_mut().add(engine, id, bytes))??;
        let oldest = |engine: &mut RankEngine| self.backlog.borrow_mut().oldest_of_too_many(engine);
        while let Some(oldest) = comm.comm.with_engine(oldest)? {
            State::Send(oldest).complete(comm)?;
        }
        Ok(())
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

    /// Posts a message. The program leaves the memory as it is until the operation is complete.
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
                let id = match memory.contiguous() {
                    Some(bytes) => comm.engine(|engine| {
                        // SAFETY: the program leaves it as it is until it has completed the operation
                        // (MPI 5.0, section on nonblocking communication), which says that it has left
                        // or reclaims it.
                        unsafe { engine.lend_unless_sent(to, envelope, bytes) }
                    })?,
                    None => self.post_copy(comm, memory, address)?,
                };
                Ok(id.map_or(State::Done(Status::EMPTY), State::Send))
            }
            Mode::Buffered => {
                self.send_buffered(comm, memory, address)?;
                Ok(State::Done(Status::EMPTY))
            }
            Mode::Synchronous => self.post_synchronous(comm, memory, address),
        }
    }

    /// Posts a message, and keeps a copy of what cannot leave: the program may change the memory at once.
    #[inline(never)]
    pub(super) fn post_copy(
        &self,
        comm: &Communicator,
        memory: &Memory,
        Address { to, tag }: Address,
    ) -> Result<Option<SendId>, Fault> {
        let envelope = comm.envelope(tag, Mode::Standard);
        memory
            .with_bytes(|bytes| comm.engine(|engine| engine.post_unless_sent(to, envelope, bytes)))
    }

    fn post_synchronous(
        &self,
        comm: &Communicator,
        memory: &Memory,
        Address { to, tag }: Address,
    ) -> Result<State, Fault> {
        let envelope = comm.envelope(tag, Mode::Synchronous);
        let answered = Pattern { source: Source::Rank(to), tag: Tag::Exactly(tag) };
        let lent = memory.contiguous();
        let post = |engine: &mut RankEngine, bytes: &[u8]| {
            let answer = engine.post_recv(comm.library, answered)?;
            let sent = match lent {
                // SAFETY: as in `post`.
                Some(bytes) => unsafe { engine.lend_unless_sent(to, envelope, bytes) },
                None => engine.post_unless_sent(to, envelope, bytes),
            };
            match sent {
                Ok(sent) => Ok(State::Synchronous { sent, answer, to }),
                Err(error) => {
                    engine.cancel_recv(answer);
                    Err(error)
                }
            }
        };
        memory.with_bytes(|bytes| comm.engine(|engine| post(engine, bytes)))
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
        let memory = self.memory(buffer)?;
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
                let memory = self.memory(buffer)?;
                self.post(&comm, &memory, address, mode)?
            }
            None => State::Done(Status::OF_NOBODY),
        };
        match state {
            State::Done(Status::EMPTY) => Ok(SENT),
            state => self.keep_request(Request::new(Some(comm), state)),
        }
    }
}

export! {
    /// Sends; a small message waits for nobody.
    fn MPI_Send() and fn MPI_Send_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Standard, buffer!(buf, count, datatype), (dest, tag, comm))
    }

    /// Sends from the attached buffer.
    fn MPI_Bsend() and fn MPI_Bsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Buffered, buffer!(buf, count, datatype), (dest, tag, comm))
    }

    /// Sends until a receive has met the message.
    fn MPI_Ssend() and fn MPI_Ssend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Synchronous, buffer!(buf, count, datatype), (dest, tag, comm))
    }

    /// Sends to a receive that is posted.
    fn MPI_Rsend() and fn MPI_Rsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm) on comm {
        library.send_as(Mode::Standard, buffer!(buf, count, datatype), (dest, tag, comm))
    }

    /// Begins a send.
    fn MPI_Isend() and fn MPI_Isend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Standard, buffer!(buf, count, datatype), (dest, tag, comm));
        request.set("request", posted?)
    }

    /// Begins a send from the attached buffer.
    fn MPI_Ibsend() and fn MPI_Ibsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Buffered, buffer!(buf, count, datatype), (dest, tag, comm));
        request.set("request", posted?)
    }

    /// Begins a send that is complete when a receive has met the message.
    fn MPI_Issend() and fn MPI_Issend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Synchronous, buffer!(buf, count, datatype), (dest, tag, comm));
        request.set("request", posted?)
    }

    /// Begins a send to a receive that is posted.
    fn MPI_Irsend() and fn MPI_Irsend_c(library; buf: In<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let posted = library.post_as(Mode::Standard, buffer!(buf, count, datatype), (dest, tag, comm));
        request.set("request", posted?)
    }
}
