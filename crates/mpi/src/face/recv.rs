//! Receiving, and sending and receiving in one call.
//! Source: MPI 5.0, sections *Blocking Receive*, *Nonblocking Communication*, *Send-Receive*.
//! Rules: a message that is too long is received as far as there is room, and is gone; the error says so.

use super::border::{In, Out};
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::{LIBRARY, Library};
use super::memory::{Buffer, Memory, buffer};
use super::pending::Pending;
use super::request::{Request, State};
use super::send::Mode;
use super::status::Status;
use crate::abi::*;
use runahead::internals::message::{Destination, Info, Pattern};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

impl Communicator {
    /// The status of a message that was received into `room` bytes, or the error that it was too long.
    #[inline(always)]
    pub(crate) fn received(&self, info: &Info, room: usize) -> Result<Status, Fault> {
        let source = self.to_local(info.source);
        if info.len > room {
            return Err(truncated(source, info, room));
        }
        Ok(Status { source, tag: info.tag as c_int, bytes: info.len as u64, ..Status::EMPTY })
    }

    /// Waits for a message and puts it into memory.
    #[inline(always)]
    pub(crate) fn recv(&self, memory: &mut Memory, pattern: Pattern) -> Result<Status, Fault> {
        if LIBRARY.has_threads() {
            return self.post_recv(memory.clone(), pattern)?.complete(self);
        }
        let room = memory.bytes();
        self.comm.with_engine(|engine| {
            engine.recv_pieces(
                self.program,
                pattern,
                |_| true,
                |_| Fault::new(MPI_ERR_INTERN, "a message was refused"),
                |info| self.received(info, room),
                &mut *memory,
            )
        })??
    }

    /// Posts a receive into memory.
    #[inline(always)]
    pub(crate) fn post_recv(&self, memory: Memory, pattern: Pattern) -> Result<State, Fault> {
        if memory.bytes() > LIBRARY.eager_bytes.get() {
            return self.post_recv_large(memory, pattern);
        }
        let id = self.engine(|engine| engine.post_recv(self.program, pattern))?;
        Ok(State::Recv { id, source: pattern.source, memory })
    }

    /// As [`post_recv`](Communicator::post_recv), into memory that may take a large message: it may be there
    /// before it is waited for.
    #[inline(never)]
    fn post_recv_large(&self, mut memory: Memory, pattern: Pattern) -> Result<State, Fault> {
        let room = memory.contiguous_mut().map(std::ptr::from_mut);
        let id = self.engine(|engine| match room {
            // SAFETY: the program leaves it alone until it has completed the operation (MPI 5.0, section on
            // nonblocking communication), which finishes, cancels or discards the receive.
            Some(room) => unsafe { engine.post_recv_into(self.program, pattern, room) },
            None => engine.post_recv(self.program, pattern),
        })?;
        Ok(State::Recv { id, source: pattern.source, memory })
    }
}

impl Destination for &mut Memory {
    fn whole(&mut self) -> Option<&mut [u8]> {
        self.contiguous_mut()
    }

    #[inline(always)]
    fn put(&mut self, at: usize, bytes: &[u8]) {
        Memory::put(self, at, bytes);
    }
}

#[cold]
fn truncated(source: c_int, info: &Info, room: usize) -> Fault {
    let Info { tag, len, .. } = info;
    let message = format!(
        "a message of {len} bytes from rank {source} with tag {tag} was received into {room} bytes"
    );
    let received = Status { source, tag: *tag as c_int, bytes: room as u64, ..Status::EMPTY };
    Fault::new(MPI_ERR_TRUNCATE, message).with(|why| why.status = Some(received))
}

/// Tells the program of a message, also of one that did not fit.
#[inline(always)]
pub(crate) fn tell_result(
    result: Result<Status, Fault>,
    status: Out<MPI_Status>,
) -> Result<(), Fault> {
    match result {
        Ok(received) => received.tell(status),
        Err(fault) => {
            if let Some(received) = &fault.status {
                received.tell(status);
            }
            return Err(fault);
        }
    }
    Ok(())
}

impl Status {
    /// Tells the program, if it wants to know.
    #[inline(always)]
    pub(crate) fn tell(&self, status: Out<MPI_Status>) {
        if !status.is_null() {
            // SAFETY: the caller in C vouches for the address.
            self.write_to(unsafe { &mut *status.address() });
        }
    }
}

/// One of the two parts of an exchange, as a program passes it.
struct Part {
    buffer: Buffer,
    peer: c_int,
    tag: c_int,
}

/// A wrong tag is one of two here.
#[cold]
fn of_part(fault: Fault, tag: &str) -> Fault {
    if fault.code == MPI_ERR_TAG { fault.called(tag) } else { fault }
}

impl Library {
    fn recv_as(
        &self,
        buffer: Buffer,
        (source, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<Status, Fault> {
        let comm = self.comm(comm)?;
        match comm.pattern(source, tag)? {
            Some(pattern) => comm.recv(&mut self.memory(buffer)?, pattern),
            None => Ok(Status::OF_NOBODY),
        }
    }

    fn post_recv_as(
        &self,
        buffer: Buffer,
        (source, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<MPI_Request, Fault> {
        let comm = self.comm(comm)?;
        let state = match comm.pattern(source, tag)? {
            Some(pattern) => comm.post_recv(self.memory(buffer)?, pattern)?,
            None => State::Done(Status::OF_NOBODY),
        };
        self.keep_request(Request::new(Some(comm), state))
    }

    /// Begins a send and a receive. What is sent is copied if it cannot leave and both share memory.
    fn exchange(
        &self,
        comm: &Rc<Communicator>,
        sent: Part,
        received: Part,
    ) -> Result<(State, State), Fault> {
        let share = sent.buffer.address == received.buffer.address;
        // What goes to nobody or comes from nobody may be no buffer at all.
        let outgoing =
            match comm.address(sent.peer, sent.tag).map_err(|fault| of_part(fault, "sendtag"))? {
                Some(address) => Some((self.memory(sent.buffer)?, address)),
                None => None,
            };
        let incoming = match comm
            .pattern(received.peer, received.tag)
            .map_err(|fault| of_part(fault, "recvtag"))?
        {
            Some(pattern) => Some((self.memory(received.buffer)?, pattern)),
            None => None,
        };
        let sending = match outgoing {
            Some((memory, address)) if share => match self.post_copy(comm, &memory, address)? {
                Some(id) => State::Send(id),
                None => State::Done(Status::EMPTY),
            },
            Some((memory, address)) => self.post(comm, &memory, address, Mode::Standard)?,
            None => State::Done(Status::EMPTY),
        };
        let receiving = match incoming {
            Some((memory, pattern)) => match comm.post_recv(memory, pattern) {
                Ok(receiving) => receiving,
                Err(fault) => {
                    sending.give_up(comm);
                    return Err(fault);
                }
            },
            None => State::Done(Status::OF_NOBODY),
        };
        Ok((sending, receiving))
    }

    fn send_and_recv(&self, comm: MPI_Comm, sent: Part, received: Part) -> Result<Status, Fault> {
        let comm = self.comm(comm)?;
        let (sending, receiving) = self.exchange(&comm, sent, received)?;
        let received = receiving.complete(&comm);
        let sent = sending.complete(&comm);
        match (received, sent) {
            (Ok(status), Err(fault)) => Err(fault.with(|why| why.status = Some(status))),
            (received, _) => received,
        }
    }

    fn post_send_and_recv(
        &self,
        comm: MPI_Comm,
        sent: Part,
        received: Part,
    ) -> Result<MPI_Request, Fault> {
        let comm = self.comm(comm)?;
        let (sending, receiving) = self.exchange(&comm, sent, received)?;
        let pending = Pending::of_exchange(sending, receiving);
        self.keep_request(Request::new(Some(comm), State::Several(pending)))
    }
}

export! {
    /// Waits for a message.
    fn MPI_Recv() and fn MPI_Recv_c(library; buf: Out<c_void>, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, status: Out<MPI_Status>) on comm {
        let buffer = buffer!(buf, count, datatype);
        tell_result(library.recv_as(buffer, (source, tag, comm)), status)
    }

    /// Posts a receive.
    fn MPI_Irecv() and fn MPI_Irecv_c(library; buf: Out<c_void>, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let buffer = buffer!(buf, count, datatype);
        request.set("request", library.post_recv_as(buffer, (source, tag, comm))?)
    }

    /// Sends, and waits for a message.
    fn MPI_Sendrecv() and fn MPI_Sendrecv_c(library; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, dest: c_int, sendtag: c_int, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, source: c_int, recvtag: c_int, comm: MPI_Comm, status: Out<MPI_Status>) on comm {
        let sent = Part { buffer: buffer!(sendbuf, sendcount, sendtype), peer: dest, tag: sendtag };
        let received = Part { buffer: buffer!(recvbuf, recvcount, recvtype), peer: source, tag: recvtag };
        tell_result(library.send_and_recv(comm, sent, received), status)
    }

    /// Sends, and waits for a message that takes the place of what was sent.
    fn MPI_Sendrecv_replace() and fn MPI_Sendrecv_replace_c(library; buf: Out<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, sendtag: c_int, source: c_int, recvtag: c_int, comm: MPI_Comm, status: Out<MPI_Status>) on comm {
        let buffer = buffer!(buf, count, datatype);
        let (sent, received) = (Part { buffer, peer: dest, tag: sendtag }, Part { buffer, peer: source, tag: recvtag });
        tell_result(library.send_and_recv(comm, sent, received), status)
    }

    /// Begins a send and a receive.
    fn MPI_Isendrecv() and fn MPI_Isendrecv_c(library; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, dest: c_int, sendtag: c_int, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, source: c_int, recvtag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let sent = Part { buffer: buffer!(sendbuf, sendcount, sendtype), peer: dest, tag: sendtag };
        let received = Part { buffer: buffer!(recvbuf, recvcount, recvtype), peer: source, tag: recvtag };
        request.set("request", library.post_send_and_recv(comm, sent, received)?)
    }

    /// Begins a send and a receive that takes the place of what is sent.
    fn MPI_Isendrecv_replace() and fn MPI_Isendrecv_replace_c(library; buf: Out<c_void>, count: Count, datatype: MPI_Datatype, dest: c_int, sendtag: c_int, source: c_int, recvtag: c_int, comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let buffer = buffer!(buf, count, datatype);
        let (sent, received) = (Part { buffer, peer: dest, tag: sendtag }, Part { buffer, peer: source, tag: recvtag });
        request.set("request", library.post_send_and_recv(comm, sent, received)?)
    }
}
