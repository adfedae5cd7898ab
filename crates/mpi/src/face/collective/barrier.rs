//! Barriers: the runtime's, which may run ahead, and the nonblocking one, which is a message from all to all.
//! Source: MPI 5.0, section *Barrier Synchronization*.
//! Rules: between `MPI_Ibarrier` and its completion messages go on, so it is none of the runtime's barriers.

use super::plan::{Gives, Plan, Takes};
use super::{Places, Prepared};
use crate::abi::*;
use crate::face::border::Out;
use crate::face::communicator::Communicator;
use crate::face::export::export;
use crate::face::memory::Memory;
use runahead::internals::collective::Kind;
use std::rc::Rc;

fn prepare(comm: &Rc<Communicator>) -> impl Prepared + use<> {
    let comm = comm.clone();
    move || {
        let nothing = Memory::of_bytes(&mut []);
        let takes = Takes::Places(0, Places::Equal(nothing.clone(), comm.peers as usize));
        let gives = Gives::Same(0..comm.peers, &nothing);
        Plan { kind: Kind::IallGather, root: 0, operator: None, gives, takes }.start(&comm)
    }
}

export! {
    /// Waits until all ranks have called it, or as `RUNAHEAD_MPI_BARRIER` says.
    fn MPI_Barrier(library; comm: MPI_Comm) on comm {
        let comm = library.comm(comm)?;
        match library.posts_collectives.get() {
            // A thread may send while another is in here.
            true => {
                library.run_collective(&comm, prepare(&comm))?;
                library.complete_detached();
                Ok(())
            }
            false => library.barrier(&comm),
        }
    }

    /// Begins a barrier.
    fn MPI_Ibarrier(library; comm: MPI_Comm, request: Out<MPI_Request>) on comm {
        let comm = library.comm(comm)?;
        let prepared = prepare(&comm);
        request.set("request", library.start_collective(comm, prepared)?)
    }

    /// Describes a barrier.
    fn MPI_Barrier_init(library; comm: MPI_Comm, info: MPI_Info, request: Out<MPI_Request>) on comm {
        library.check_hints(info)?;
        let comm = library.comm(comm)?;
        let prepared = prepare(&comm);
        request.set("request", library.keep_collective(comm, prepared)?)
    }
}
