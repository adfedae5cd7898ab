//! Buffers that a program attaches for buffered sends: one for all communicators, and one of each.
//! Source: MPI 5.0, section *Buffer Allocation and Usage*.
//! Rules: a message is copied when it is sent, by the engine; of the attached buffer only the size counts, as the
//! room that messages under way may take.

use super::backlog::Backlog;
use super::border::Out;
use super::communicator::{Communicator, RankEngine};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::memory::Memory;
use super::pending::Pending;
use super::request::{Request, State};
use crate::abi::*;
use runahead::Rank;
use runahead::internals::message::Envelope;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;

/// A place for a buffer, and the messages from it that have not left.
pub(crate) struct Buffer {
    /// Its address, and its size, if that is a limit.
    attached: Cell<Option<(*mut c_void, Option<usize>)>>,
    backlog: RefCell<Backlog>,
}

impl Buffer {
    /// None is attached.
    pub(crate) const fn new() -> Buffer {
        Buffer { attached: Cell::new(None), backlog: RefCell::new(Backlog::new()) }
    }

    /// Whether one is attached.
    pub(crate) fn is_attached(&self) -> bool {
        self.attached.get().is_some()
    }

    fn attach(&self, buffer: *mut c_void, size: i64) -> Result<(), Fault> {
        if self.is_attached() {
            return Err(Fault::new(MPI_ERR_BUFFER, "a buffer is attached already"));
        }
        let size = usize::try_from(size).map_err(|_| Fault::value(MPI_ERR_ARG, "size", size))?;
        let is_automatic = MPI_BUFFER_AUTOMATIC.is(buffer);
        self.attached.set(Some((buffer, (!is_automatic).then_some(size))));
        Ok(())
    }

    /// Waits until all of its messages have left. One that cannot is not waited for again.
    fn flush(&self, comm: &Communicator) -> Result<(), Fault> {
        let pending = self.begin_flush(comm)?;
        let Some(&last) = pending.sends.last() else { return Ok(()) };
        let flushed = State::Several(pending).complete(comm);
        self.backlog.borrow_mut().forget_through(last);
        flushed.map(drop)
    }

    /// What there is to wait for until all of its messages have left.
    fn begin_flush(&self, comm: &Communicator) -> Result<Box<Pending>, Fault> {
        let mut sends = Pending::new();
        comm.comm
            .with_engine(|engine| sends.sends.extend(self.backlog.borrow_mut().left(engine)))?;
        Ok(sends)
    }

    /// Gives the buffer back, with its size.
    fn detach(&self, comm: &Communicator) -> Result<(*mut c_void, usize), Fault> {
        self.flush(comm)?;
        let (address, size) = self.attached.take().unwrap_or((std::ptr::null_mut(), Some(0)));
        Ok((address, size.unwrap_or(0)))
    }

    /// Posts a message of it.
    pub(crate) fn post(
        &self,
        engine: &mut RankEngine,
        memory: &Memory,
        (to, envelope): (Rank, Envelope),
    ) -> Result<(), Fault> {
        let Some((_, room)) = self.attached.get() else {
            return Err(Fault::new(MPI_ERR_BUFFER, "no buffer is attached"));
        };
        let mut backlog = self.backlog.borrow_mut();
        let bytes = memory.bytes();
        if room.is_some_and(|room| backlog.bytes(engine) + bytes > room) {
            // What has left makes room, if this rank looks.
            engine.progress()?;
        }
        let taken = backlog.bytes(engine);
        if let Some(room) = room.filter(|room| taken + bytes > *room) {
            let message = format!(
                "the attached buffer of {room} bytes has no room for {bytes} more than {taken}"
            );
            return Err(Fault::new(MPI_ERR_BUFFER, message));
        }
        let id = memory.with_bytes(|bytes| engine.post_send(to, envelope, bytes))?;
        if engine.is_sent(id) { Ok(()) } else { backlog.add(engine, id, bytes) }
    }
}

impl Library {
    /// Some communicator, by which the engine is reached.
    fn any_comm(&self) -> Result<Rc<Communicator>, Fault> {
        self.the_own()
    }

    /// Keeps a request that is complete when all messages of a buffer have left.
    fn keep_flush(&self, comm: Rc<Communicator>, buffer: &Buffer) -> Result<MPI_Request, Fault> {
        let state = State::Several(buffer.begin_flush(&comm)?);
        self.keep_request(Request::new(Some(comm), state))
    }
}

export! {
    /// Attaches a buffer for all communicators.
    fn MPI_Buffer_attach() and fn MPI_Buffer_attach_c(library; buffer: Out<c_void>, size: Count) {
        library.buffer.attach(buffer.address(), size.into())
    }

    /// Waits until all buffered messages have left, and gives the buffer back.
    fn MPI_Buffer_detach() and fn MPI_Buffer_detach_c(library; buffer: Out<*mut c_void>, size: Out<Count>) {
        let (address, bytes) = library.buffer.detach(&*library.any_comm()?)?;
        buffer.set("buffer_addr", address)?;
        size.set("size", bytes as Count)
    }

    /// Waits until all buffered messages have left.
    fn MPI_Buffer_flush(library;) {
        library.buffer.flush(&*library.any_comm()?)
    }

    /// As `MPI_Buffer_flush`, without waiting.
    fn MPI_Buffer_iflush(library; request: Out<MPI_Request>) {
        let comm = library.any_comm()?;
        request.set("request", library.keep_flush(comm, &library.buffer)?)
    }

    /// Attaches a buffer for the communicators of a session. All sessions share it, with those of none.
    fn MPI_Session_attach_buffer() and fn MPI_Session_attach_buffer_c(library; session: MPI_Session, buffer: Out<c_void>, size: Count) {
        library.session(session)?;
        library.buffer.attach(buffer.address(), size.into())
    }

    /// As `MPI_Buffer_detach`, of a session.
    fn MPI_Session_detach_buffer() and fn MPI_Session_detach_buffer_c(library; session: MPI_Session, buffer: Out<*mut c_void>, size: Out<Count>) {
        library.session(session)?;
        let (address, bytes) = library.buffer.detach(&*library.any_comm()?)?;
        buffer.set("buffer_addr", address)?;
        size.set("size", bytes as Count)
    }

    /// As `MPI_Buffer_flush`, of a session.
    fn MPI_Session_flush_buffer(library; session: MPI_Session) {
        library.session(session)?;
        library.buffer.flush(&*library.any_comm()?)
    }

    /// As `MPI_Buffer_iflush`, of a session.
    fn MPI_Session_iflush_buffer(library; session: MPI_Session, request: Out<MPI_Request>) {
        library.session(session)?;
        let comm = library.any_comm()?;
        request.set("request", library.keep_flush(comm, &library.buffer)?)
    }

    /// Attaches a buffer for one communicator.
    fn MPI_Comm_attach_buffer() and fn MPI_Comm_attach_buffer_c(library; comm: MPI_Comm, buffer: Out<c_void>, size: Count) on comm {
        library.comm(comm)?.buffer.attach(buffer.address(), size.into())
    }

    /// As `MPI_Buffer_detach`, of one communicator.
    fn MPI_Comm_detach_buffer() and fn MPI_Comm_detach_buffer_c(library; comm: MPI_Comm, buffer: Out<*mut c_void>, size: Out<Count>) on comm {
        let comm = library.comm(comm)?;
        let (address, bytes) = comm.buffer.detach(&comm)?;
        buffer.set("buffer_addr", address)?;
        size.set("size", bytes as Count)
    }

    /// As `MPI_Buffer_flush`, of one communicator.
    fn MPI_Comm_flush_buffer(library; comm: MPI_Comm) on comm {
        let comm = library.comm(comm)?;
        comm.buffer.flush(&comm)
    }

    /// As `MPI_Buffer_iflush`, of one communicator.
    fn MPI_Comm_iflush_buffer(library; comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let comm = library.comm(comm)?;
        request.set("request", library.keep_flush(comm.clone(), &comm.buffer)?)
    }
}
