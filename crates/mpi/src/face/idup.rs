//! Duplicates that are agreed on while the program goes on: `MPI_Comm_idup`.
//! Source: MPI 5.0, section *Communicator Constructors*.
//! Rules: the handle is given in the call, and names a communicator when the request is complete; all else that is copied
//! is as at the call.

use super::border::Out;
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::{LIBRARY, Library, Named, keep};
use super::request::{Request, State};
use super::status::Status;
use crate::abi::*;
use crate::objects::attribute::Kind;
use crate::objects::info::Info;
use crate::objects::topology::Topology;
use runahead::GroupRequest;
use runahead::internals::message::Begun;
use std::cell::Cell;
use std::rc::Rc;

/// A communicator that is being made.
pub(crate) struct Duplicate {
    request: GroupRequest,
    of: Rc<Communicator>,
    /// The handle by which the program will know it.
    handle: MPI_Comm,
    handler: Rc<Cell<MPI_Errhandler>>,
    topology: Option<Topology>,
    info: Info,
}

impl Duplicate {
    /// What it waits for.
    pub(super) fn parts(&self) -> impl Iterator<Item = Begun> + use<> {
        self.request.parts().into_iter()
    }

    /// Waits until all ranks have called. Its handle names a communicator then.
    pub(super) fn complete(self) -> Result<Status, Fault> {
        let Duplicate { request, of, handle, handler, topology, info } = self;
        let made = match request.wait() {
            Ok(made) => of.over_same(made, handler.get()),
            Err(error) => {
                LIBRARY.give_handle_up(handle);
                LIBRARY.release_handler(handler.get());
                return Err(error.into());
            }
        };
        made.handle.set(handle);
        if let Some(topology) = topology {
            made.topology.get_or_init(|| topology);
        }
        *made.info.borrow_mut() = info;
        if let Some(promised) = LIBRARY.comms.borrow_mut().get_mut(handle.0) {
            *promised = Named::Made(Rc::new(made));
        }
        Ok(Status::EMPTY)
    }
}

impl Library {
    /// Begins to make a communicator of the same ranks. It has its handle at once, and copies of the attributes.
    fn begin_dup(
        &self,
        comm: &Rc<Communicator>,
        info: Info,
        newcomm: Out<MPI_Comm>,
    ) -> Result<MPI_Request, Fault> {
        let handler = Rc::new(comm.handler.clone());
        let handle = MPI_Comm(keep(&self.comms, Named::Promised(handler.clone()))?);
        let request = match comm.comm.idup() {
            Ok(request) => request,
            Err(error) => {
                self.give_handle_up(handle);
                return Err(error.into());
            }
        };
        // After the call: this rank's copying may fail, and the others do not wait for it.
        if let Err(fault) = self.copy_attributes(Kind::Comm, comm.handle.get().0, handle.0) {
            self.give_handle_up(handle);
            return Err(fault);
        }
        self.refer_to_handler(handler.get())?;
        let (of, topology) = (comm.clone(), comm.topology.get().cloned());
        let made = Duplicate { request, of, handle, handler, topology, info };
        let request =
            self.keep_request(Request::new(Some(comm.clone()), State::Duplicate(Box::new(made))))?;
        newcomm.set("newcomm", handle)?;
        Ok(request)
    }

    /// The error handler that a communicator will have which is being made.
    pub(super) fn promised_handler(&self, comm: MPI_Comm) -> Option<Rc<Cell<MPI_Errhandler>>> {
        match self.comms.borrow().get(comm.0) {
            Some(Named::Promised(handler)) => Some(handler.clone()),
            _ => None,
        }
    }

    /// No communicator will have this handle.
    fn give_handle_up(&self, handle: MPI_Comm) {
        self.comms.borrow_mut().remove(handle.0);
        // The error that has led here is the one that counts.
        let _ = self.delete_attributes(Kind::Comm, handle.0);
    }
}

// What copies attributes.
export! {
    /// Begins to make a communicator of the same ranks.
    fn MPI_Comm_idup(library; comm: MPI_Comm, newcomm: Out<MPI_Comm>, request: Out<MPI_Request>) on comm {
        newcomm.set("newcomm", MPI_COMM_NULL)?;
        let begun = library.begin_dup(&library.comm(comm)?, Info::default(), newcomm)?;
        request.set("request", begun)
    }

    /// As `MPI_Comm_idup`, with other hints.
    fn MPI_Comm_idup_with_info(library; comm: MPI_Comm, info: MPI_Info, newcomm: Out<MPI_Comm>, request: Out<MPI_Request>) on comm {
        newcomm.set("newcomm", MPI_COMM_NULL)?;
        let begun = library.begin_dup(&library.comm(comm)?, library.given_hints(info)?, newcomm)?;
        request.set("request", begun)
    }
}
