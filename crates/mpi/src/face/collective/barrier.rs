//! Barriers: the runtime's, which may run ahead, and the nonblocking one, which is a message from all to all.
//! Source: MPI 5.0, section *Barrier Synchronization*.
//! Rules: between `MPI_Ibarrier` and its completion messages go on, so it is none of the runtime's barriers.

use super::{Posting, Prepared};
use crate::abi::*;
use crate::face::border::Out;
use crate::face::communicator::Communicator;
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::memory::Memory;
use std::rc::Rc;

fn prepare(comm: &Rc<Communicator>) -> Result<Prepared, Fault> {
    let comm = comm.clone();
    Ok(Box::new(move || {
        let mut posting = Posting::new(&comm);
        let nothing = Memory::of_bytes(&mut []);
        for other in comm.others() {
            posting.recv(other, nothing.clone());
        }
        posting.send_to_each(comm.others(), &nothing);
        Ok(posting.done())
    }))
}

export! {
    /// Waits until all ranks have called it, or as `RUNAHEAD_MPI_BARRIER` says.
    fn MPI_Barrier(library; comm: MPI_Comm) on comm {
        let comm = library.comm(comm)?;
        match library.posts_collectives.get() {
            // A thread may send while another is in here.
            true => {
                library.run_collective(&comm, &prepare(&comm)?)?;
                library.complete_detached();
                Ok(())
            }
            false => library.barrier(&comm),
        }
    }

    /// Begins a barrier.
    fn MPI_Ibarrier(library; comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let comm = library.comm(comm)?;
        let prepared = prepare(&comm)?;
        request.set("request", library.start_collective(comm, &prepared)?)
    }

    /// Describes a barrier.
    fn MPI_Barrier_init(library; comm: MPI_Comm, info: MPI_Info, request: Out<MPI_Request>) on comm {
        library.check_hints(info)?;
        let comm = library.comm(comm)?;
        let prepared = prepare(&comm)?;
        request.set("request", library.keep_collective(comm, prepared)?)
    }
}
