//! Neighbourhood collectives: each rank exchanges blocks with its neighbours, and with nobody else.
//! Source: MPI 5.0, section *Neighborhood Collective Communication on Virtual Topologies*.
//! Rules: a neighbour that is `MPI_PROC_NULL` has a block that nobody touches; all messages are posted at once, so no
//! rank waits for one that is no neighbour.

use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::collective::{
    Blocks, Places, Posting, Prepared, collective, movement::check_each_apart,
};
use crate::face::communicator::Communicator;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory, buffer};
use crate::face::request::State;
use crate::objects::topology::neighbours::Neighbour;
use crate::objects::topology::{Neighbours, required};
use std::ffi::c_void;
use std::rc::Rc;

impl Library {
    fn neighbours(&self, comm: &Communicator) -> Result<Neighbours, Fault> {
        Ok(required(comm.topology.get())?.neighbours(comm.rank)?)
    }

    /// The memory of the first of `number` blocks. Where there is none, the address may be null.
    fn first_of(&self, number: usize, buffer: Buffer) -> Result<Memory, Fault> {
        let count = if number == 0 { buffer.count.min(0) } else { buffer.count };
        self.memory(Buffer { count, ..buffer })
    }

    /// Blocks of one count, one behind the other.
    fn blocks_of(&self, number: usize, buffer: Buffer) -> Result<Places, Fault> {
        Places::equal(self.first_of(number, buffer)?, number)
    }
}

/// Gives each destination a block, and takes one of each source.
fn exchanging(
    comm: &Rc<Communicator>,
    neighbours: Neighbours,
    outgoing: Places,
    incoming: Places,
) -> Result<impl Prepared + use<>, Fault> {
    check_each_apart(&outgoing, &incoming)?;
    let comm = comm.clone();
    let is_there = |end: &Neighbour| end.rank != MPI_PROC_NULL;
    Ok(move || {
        let mut posting = Posting::with_lanes(&comm, neighbours.lanes());
        let sources = neighbours.sources.iter().zip(incoming.all());
        for (source, block) in sources.filter(|(source, _)| is_there(source)) {
            posting.in_lane(source.lane as u32).recv(source.rank, block);
        }
        let destinations = neighbours.destinations.iter().zip(outgoing.all());
        for (destination, block) in destinations.filter(|(destination, _)| is_there(destination)) {
            posting.in_lane(destination.lane as u32).send(destination.rank, &block);
        }
        State::Several(posting.done())
    })
}

collective! {
    /// Gives one block to all destinations, and takes one of each source.
    fn MPI_Neighbor_allgather() fn MPI_Neighbor_allgather_c() fn MPI_Ineighbor_allgather() fn MPI_Ineighbor_allgather_c() fn MPI_Neighbor_allgather_init() fn MPI_Neighbor_allgather_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let own = library.first_of(neighbours.destinations.len(), buffer!(sendbuf, sendcount, sendtype))?;
        let incoming = library.blocks_of(neighbours.sources.len(), buffer!(recvbuf, recvcount, recvtype))?;
        let outgoing = Places::same(&own, neighbours.destinations.len());
        exchanging(&comm, neighbours, outgoing, incoming)
    }
    or None
}

collective! {
    /// Gives one block to all destinations, and takes one of each source, of its own size.
    fn MPI_Neighbor_allgatherv() fn MPI_Neighbor_allgatherv_c() fn MPI_Ineighbor_allgatherv() fn MPI_Ineighbor_allgatherv_c() fn MPI_Neighbor_allgatherv_init() fn MPI_Neighbor_allgatherv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, displs: In<Displacement>, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let own = library.first_of(neighbours.destinations.len(), buffer!(sendbuf, sendcount, sendtype))?;
        let blocks = Blocks { address: recvbuf.address(), number: neighbours.sources.len(), counts: ("recvcounts", recvcounts), displacements: ("displs", displs) };
        let incoming = blocks.of(library, ("recvtype", recvtype))?;
        let outgoing = Places::same(&own, neighbours.destinations.len());
        exchanging(&comm, neighbours, outgoing, incoming)
    }
    or None
}

collective! {
    /// Gives each destination a block, and takes one of each source.
    fn MPI_Neighbor_alltoall() fn MPI_Neighbor_alltoall_c() fn MPI_Ineighbor_alltoall() fn MPI_Ineighbor_alltoall_c() fn MPI_Neighbor_alltoall_init() fn MPI_Neighbor_alltoall_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let outgoing = library.blocks_of(neighbours.destinations.len(), buffer!(sendbuf, sendcount, sendtype))?;
        let incoming = library.blocks_of(neighbours.sources.len(), buffer!(recvbuf, recvcount, recvtype))?;
        exchanging(&comm, neighbours, outgoing, incoming)
    }
    or None
}

collective! {
    /// Gives each destination a block, of its own size, and takes one of each source.
    fn MPI_Neighbor_alltoallv() fn MPI_Neighbor_alltoallv_c() fn MPI_Ineighbor_alltoallv() fn MPI_Ineighbor_alltoallv_c() fn MPI_Neighbor_alltoallv_init() fn MPI_Neighbor_alltoallv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<Displacement>, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<Displacement>, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let blocks = Blocks { address: sendbuf.address(), number: neighbours.destinations.len(), counts: ("sendcounts", sendcounts), displacements: ("sdispls", sdispls) };
        let outgoing = blocks.of(library, ("sendtype", sendtype))?;
        let blocks = Blocks { address: recvbuf.address(), number: neighbours.sources.len(), counts: ("recvcounts", recvcounts), displacements: ("rdispls", rdispls) };
        let incoming = blocks.of(library, ("recvtype", recvtype))?;
        exchanging(&comm, neighbours, outgoing, incoming)
    }
    or None
}

collective! {
    /// Gives each destination a block, of its own size and datatype, and takes one of each source.
    fn MPI_Neighbor_alltoallw() fn MPI_Neighbor_alltoallw_c() fn MPI_Ineighbor_alltoallw() fn MPI_Ineighbor_alltoallw_c() fn MPI_Neighbor_alltoallw_init() fn MPI_Neighbor_alltoallw_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<MPI_Aint>, sendtypes: In<MPI_Datatype>, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<MPI_Aint>, recvtypes: In<MPI_Datatype>) {
        let neighbours = library.neighbours(&comm)?;
        let blocks = Blocks { address: sendbuf.address(), number: neighbours.destinations.len(), counts: ("sendcounts", sendcounts), displacements: ("sdispls", sdispls) };
        let outgoing = blocks.of_each(library, ("sendtypes", sendtypes))?;
        let blocks = Blocks { address: recvbuf.address(), number: neighbours.sources.len(), counts: ("recvcounts", recvcounts), displacements: ("rdispls", rdispls) };
        let incoming = blocks.of_each(library, ("recvtypes", recvtypes))?;
        exchanging(&comm, neighbours, outgoing, incoming)
    }
    or None
}
