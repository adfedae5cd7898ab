//! Collectives that move blocks of one size: broadcast, gather, scatter, all-gather, all-to-all.
//! Source: MPI 5.0, sections *Broadcast* to *All-to-All Scatter/Gather*.
//! Rules: what only the root's arguments say is looked at there alone; in-place data stay where they are.

use super::{Posting, Prepared, collective};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::Communicator;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::Memory;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// A buffer as a program passes it.
pub(super) type Buffer = (*const c_void, i64, MPI_Datatype);

impl Library {
    /// The memory of a buffer; None if it is in place.
    pub(super) fn memory_or_in_place(
        &self,
        (address, count, datatype): Buffer,
    ) -> Result<Option<Memory>, Fault> {
        match MPI_IN_PLACE.is(address) {
            true => Ok(None),
            false => self.memory(address, count, datatype).map(Some),
        }
    }

    /// One block for each rank; the memory is that of the first.
    pub(super) fn blocks(
        &self,
        comm: &Communicator,
        (address, count, datatype): Buffer,
    ) -> Result<Vec<Memory>, Fault> {
        let first = self.memory(address, count, datatype)?;
        let count = first.count();
        Ok((0..comm.size as isize).map(|rank| first.part(rank * count as isize, count)).collect())
    }

    fn prepare_broadcast(
        &self,
        comm: &Rc<Communicator>,
        buffer: Buffer,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        comm.root(root)?;
        let memory = self.memory(buffer.0, buffer.1, buffer.2)?;
        let comm = comm.clone();
        Ok(Box::new(move || {
            let mut posting = Posting::new(&comm);
            if comm.rank == root {
                posting.send_to_each((0..comm.size).filter(|&rank| rank != root), &memory)?;
            } else {
                posting.recv(root, memory.clone())?;
            }
            Ok(posting.done())
        }))
    }

    fn prepare_gather(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        received: Buffer,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        comm.root(root)?;
        let blocks = if comm.rank == root { self.blocks(comm, received)? } else { Vec::new() };
        self.gathering(comm, sent, blocks, root)
    }

    /// Gathers at the root into blocks that were looked at.
    pub(super) fn gathering(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        blocks: Vec<Memory>,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        let own = match (comm.rank == root, self.memory_or_in_place(sent)?) {
            (false, None) => {
                return Err(Fault::new(
                    MPI_ERR_BUFFER,
                    "sendbuf is MPI_IN_PLACE at a rank that is not the root",
                ));
            }
            (_, own) => own,
        };
        let comm = comm.clone();
        Ok(Box::new(move || {
            let mut posting = Posting::new(&comm);
            match (&own, comm.rank == root) {
                (Some(own), false) => posting.send(root, own)?,
                _ => {
                    for (rank, block) in (0..).zip(&blocks) {
                        match (&own, rank == root) {
                            (_, false) => posting.recv(rank, block.clone())?,
                            (Some(own), true) => block.clone().copy_from(own),
                            (None, true) => {}
                        }
                    }
                }
            }
            Ok(posting.done())
        }))
    }

    fn prepare_scatter(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        received: Buffer,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        comm.root(root)?;
        let blocks = if comm.rank == root { self.blocks(comm, sent)? } else { Vec::new() };
        self.scattering(comm, blocks, received, root)
    }

    /// Scatters blocks of the root that were looked at.
    pub(super) fn scattering(
        &self,
        comm: &Rc<Communicator>,
        blocks: Vec<Memory>,
        received: Buffer,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        let own = match (comm.rank == root, self.memory_or_in_place(received)?) {
            (false, None) => {
                return Err(Fault::new(
                    MPI_ERR_BUFFER,
                    "recvbuf is MPI_IN_PLACE at a rank that is not the root",
                ));
            }
            (_, own) => own,
        };
        let comm = comm.clone();
        Ok(Box::new(move || {
            let mut posting = Posting::new(&comm);
            match (&own, comm.rank == root) {
                (Some(own), false) => posting.recv(root, own.clone())?,
                _ => {
                    for (rank, block) in (0..).zip(&blocks) {
                        match (&own, rank == root) {
                            (_, false) => posting.send(rank, block)?,
                            (Some(own), true) => own.clone().copy_from(block),
                            (None, true) => {}
                        }
                    }
                }
            }
            Ok(posting.done())
        }))
    }

    /// Gives all blocks to all ranks; that of this rank lies in its place if it is in place.
    pub(super) fn gathering_everywhere(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        blocks: Vec<Memory>,
    ) -> Result<Prepared, Fault> {
        let own = self.memory_or_in_place(sent)?;
        let comm = comm.clone();
        Ok(Box::new(move || {
            let mut posting = Posting::new(&comm);
            let place = &blocks[comm.rank as usize];
            if let Some(own) = &own {
                place.clone().copy_from(own);
            }
            let others = || (0..comm.size).filter(|&rank| rank != comm.rank);
            for other in others() {
                posting.recv(other, blocks[other as usize].clone())?;
            }
            posting.send_to_each(others(), own.as_ref().unwrap_or(place))?;
            Ok(posting.done())
        }))
    }

    /// Gives each rank a block and takes one of it.
    pub(super) fn exchanging(
        &self,
        comm: &Rc<Communicator>,
        outgoing: Option<Vec<Memory>>,
        incoming: Vec<Memory>,
    ) -> Prepared {
        let comm = comm.clone();
        Box::new(move || {
            let mut posting = Posting::new(&comm);
            let own = comm.rank as usize;
            // What cannot leave at once is copied, so in place the blocks may be received into later.
            let sent = outgoing.as_ref().unwrap_or(&incoming);
            for step in 1..comm.size {
                let to = (comm.rank + step) % comm.size;
                posting.send(to, &sent[to as usize])?;
            }
            if let Some(outgoing) = &outgoing {
                incoming[own].clone().copy_from(&outgoing[own]);
            }
            for step in 1..comm.size {
                let from = (comm.rank + comm.size - step) % comm.size;
                posting.recv(from, incoming[from as usize].clone())?;
            }
            Ok(posting.done())
        })
    }

    fn prepare_exchange(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        received: Buffer,
    ) -> Result<Prepared, Fault> {
        let outgoing = match MPI_IN_PLACE.is(sent.0) {
            true => None,
            false => Some(self.blocks(comm, sent)?),
        };
        Ok(self.exchanging(comm, outgoing, self.blocks(comm, received)?))
    }
}

collective! {
    /// Gives the data of the root to all.
    fn MPI_Bcast() fn MPI_Bcast_c() fn MPI_Ibcast() fn MPI_Ibcast_c() fn MPI_Bcast_init() fn MPI_Bcast_init_c()
    (library, comm; buffer: Out<c_void>, count: Count, datatype: MPI_Datatype, root: c_int) {
        library.prepare_broadcast(&comm, (buffer.address(), count.into(), datatype), root)
    }
    or library.broadcast(&comm, (buffer.address(), count.into(), datatype), root)
}

collective! {
    /// Gives a block of each rank to the root.
    fn MPI_Gather() fn MPI_Gather_c() fn MPI_Igather() fn MPI_Igather_c() fn MPI_Gather_init() fn MPI_Gather_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, root: c_int) {
        let sent = (sendbuf.address(), sendcount.into(), sendtype);
        library.prepare_gather(&comm, sent, (recvbuf.address(), recvcount.into(), recvtype), root)
    }
    or None
}

collective! {
    /// Gives a block of the root to each rank.
    fn MPI_Scatter() fn MPI_Scatter_c() fn MPI_Iscatter() fn MPI_Iscatter_c() fn MPI_Scatter_init() fn MPI_Scatter_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, root: c_int) {
        let sent = (sendbuf.address(), sendcount.into(), sendtype);
        library.prepare_scatter(&comm, sent, (recvbuf.address(), recvcount.into(), recvtype), root)
    }
    or None
}

collective! {
    /// Gives a block of each rank to all.
    fn MPI_Allgather() fn MPI_Allgather_c() fn MPI_Iallgather() fn MPI_Iallgather_c() fn MPI_Allgather_init() fn MPI_Allgather_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let blocks = library.blocks(&comm, (recvbuf.address(), recvcount.into(), recvtype))?;
        library.gathering_everywhere(&comm, (sendbuf.address(), sendcount.into(), sendtype), blocks)
    }
    or library.all_gather(&comm, (sendbuf.address(), sendcount.into(), sendtype), (recvbuf.address(), recvcount.into(), recvtype))
}

collective! {
    /// Gives a block of each rank to each.
    fn MPI_Alltoall() fn MPI_Alltoall_c() fn MPI_Ialltoall() fn MPI_Ialltoall_c() fn MPI_Alltoall_init() fn MPI_Alltoall_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let sent = (sendbuf.address(), sendcount.into(), sendtype);
        library.prepare_exchange(&comm, sent, (recvbuf.address(), recvcount.into(), recvtype))
    }
    or library.all_to_all(&comm, (sendbuf.address(), sendcount.into(), sendtype), (recvbuf.address(), recvcount.into(), recvtype))
}
