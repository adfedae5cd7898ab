//! Probing for messages, and receiving the very message that was found.
//! Source: MPI 5.0, section *Probe and Cancel*, with matching probes.
//! Rules: a message that a matching probe has taken is met by no other receive.

use super::border::Out;
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::{Library, keep};
use super::memory::{Buffer, buffer};
use super::recv::tell_result;
use super::request::{Request, State};
use super::status::Status;
use super::turn::Pauses;
use crate::abi::*;
use runahead::internals::message::{Info, Pattern, RecvId, Source, Tag};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// A message that a matching probe has taken: the receive that has met it.
pub(crate) struct Message {
    comm: Rc<Communicator>,
    id: RecvId,
    source: Source,
}

impl Communicator {
    fn found(&self, info: &Info) -> Status {
        let (source, tag) = (self.to_local(info.source), info.tag as c_int);
        Status { source, tag, bytes: info.len as u64, ..Status::EMPTY }
    }

    /// Looks for a message until there is one, and lets other threads call meanwhile.
    fn look_until_found(&self, pattern: Pattern) -> Result<Info, Fault> {
        let mut pauses = Pauses::default();
        loop {
            let found = self.engine(|engine| {
                pauses.note_core(engine.has_core());
                engine.try_probe(self.program, pattern)
            })?;
            if let Some(found) = found {
                return Ok(found);
            }
            // What this rank sends to itself another thread may send.
            if pauses.is_long() && !self.is_own(pattern.source) {
                self.engine(|engine| match engine.note_losses() {
                    // What it had sent may have come just before.
                    true => Ok(()),
                    false => engine.check_receivable(self.program, pattern.source),
                })?;
            }
            pauses.pause();
        }
    }

    /// Whether this rank alone can send what comes from there.
    fn is_own(&self, source: Source) -> bool {
        match source {
            Source::Rank(rank) => rank == self.member(self.rank),
            Source::Any => self.comm.size() == 1,
        }
    }

    /// Takes a message that a probe has found.
    fn take(self: &Rc<Self>, info: &Info) -> Result<Message, Fault> {
        let source = Source::Rank(info.source);
        let pattern = Pattern { source, tag: Tag::Exactly(info.tag) };
        let id = self.engine(|engine| engine.post_recv(self.program, pattern))?;
        Ok(Message { comm: self.clone(), id, source })
    }
}

impl Library {
    fn probe(
        &self,
        (source, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<(Rc<Communicator>, Option<Info>), Fault> {
        let comm = self.comm(comm)?;
        let found = match comm.pattern(source, tag)? {
            Some(pattern) if self.has_threads() => Some(comm.look_until_found(pattern)?),
            Some(pattern) => Some(comm.engine(|engine| engine.probe(comm.program, pattern))?),
            None => None,
        };
        Ok((comm, found))
    }

    /// None if nothing was found; a message of nobody has no description.
    fn try_probe(
        &self,
        (source, tag, comm): (c_int, c_int, MPI_Comm),
    ) -> Result<(Rc<Communicator>, Option<Option<Info>>), Fault> {
        let comm = self.comm(comm)?;
        let Some(pattern) = comm.pattern(source, tag)? else { return Ok((comm, Some(None))) };
        let mut found = comm.engine(|engine| engine.try_probe(comm.program, pattern))?;
        if found.is_none() && self.guard()? {
            found = comm.engine(|engine| engine.try_probe(comm.program, pattern))?;
        }
        if found.is_none() {
            self.handle_empty_poll();
        }
        Ok((comm, found.map(Some)))
    }

    fn keep_message(
        &self,
        comm: &Rc<Communicator>,
        info: Option<&Info>,
    ) -> Result<MPI_Message, Fault> {
        match info {
            Some(info) => Ok(MPI_Message(keep(&self.messages, comm.take(info)?)?)),
            None => Ok(MPI_MESSAGE_NO_PROC),
        }
    }

    /// The receive of a message that was taken.
    fn recv_taken(&self, message: MPI_Message, buffer: Buffer) -> Result<Request, Fault> {
        if message == MPI_MESSAGE_NO_PROC {
            return Ok(Request::new(None, State::Done(Status::OF_NOBODY)));
        }
        let memory = self.memory(buffer)?;
        let taken = self.messages.borrow_mut().remove(message.0);
        let unknown = || Fault::handle(MPI_ERR_REQUEST, "message", message.0);
        let Message { comm, id, source } = taken.ok_or_else(unknown)?;
        Ok(Request::new(Some(comm), State::Recv { id, source, memory }))
    }
}

fn told(comm: &Communicator, info: Option<&Info>) -> Status {
    info.map_or(Status::OF_NOBODY, |info| comm.found(info))
}

export! {
    /// Waits for a message, without receiving it.
    fn MPI_Probe(library; source: c_int, tag: c_int, comm: MPI_Comm, status: Out<MPI_Status>) on comm {
        let (comm, found) = library.probe((source, tag, comm))?;
        told(&comm, found.as_ref()).tell(status);
        Ok(())
    }

    /// Looks for a message, without receiving it.
    fn MPI_Iprobe(library; source: c_int, tag: c_int, comm: MPI_Comm, flag: Out<c_int>, status: Out<MPI_Status>) on comm {
        let (comm, found) = library.try_probe((source, tag, comm))?;
        flag.set("flag", c_int::from(found.is_some()))?;
        if let Some(found) = found {
            told(&comm, found.as_ref()).tell(status);
        }
        Ok(())
    }

    /// Waits for a message, and takes it.
    fn MPI_Mprobe(library; source: c_int, tag: c_int, comm: MPI_Comm, message: Out<MPI_Message>, status: Out<MPI_Status>) on comm {
        let (comm, found) = library.probe((source, tag, comm))?;
        message.set("message", library.keep_message(&comm, found.as_ref())?)?;
        told(&comm, found.as_ref()).tell(status);
        Ok(())
    }

    /// Looks for a message, and takes it.
    fn MPI_Improbe(library; source: c_int, tag: c_int, comm: MPI_Comm, flag: Out<c_int>, message: Out<MPI_Message>, status: Out<MPI_Status>) on comm {
        let (comm, found) = library.try_probe((source, tag, comm))?;
        flag.set("flag", c_int::from(found.is_some()))?;
        let Some(found) = found else { return message.set("message", MPI_MESSAGE_NULL) };
        message.set("message", library.keep_message(&comm, found.as_ref())?)?;
        told(&comm, found.as_ref()).tell(status);
        Ok(())
    }

    /// Receives a message that was taken.
    fn MPI_Mrecv() and fn MPI_Mrecv_c(library; buf: Out<c_void>, count: Count, datatype: MPI_Datatype, message: Out<MPI_Message>, status: Out<MPI_Status>) {
        let buffer = buffer!(buf, count, datatype);
        let request = library.recv_taken(message.value("message")?, buffer)?;
        message.set("message", MPI_MESSAGE_NULL)?;
        let received = match request.comm {
            Some(comm) => request.state.complete(&comm).map_err(|fault| fault.on(Some(&comm))),
            None => Ok(Status::OF_NOBODY),
        };
        tell_result(received, status)
    }

    /// Begins to receive a message that was taken.
    fn MPI_Imrecv() and fn MPI_Imrecv_c(library; buf: Out<c_void>, count: Count, datatype: MPI_Datatype, message: Out<MPI_Message>, request: Out<MPI_Request>) {
        let buffer = buffer!(buf, count, datatype);
        let receive = library.recv_taken(message.value("message")?, buffer)?;
        message.set("message", MPI_MESSAGE_NULL)?;
        request.set("request", library.keep_request(receive)?)
    }
}
