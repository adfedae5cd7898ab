//! Neighbourhood collectives: each rank exchanges blocks with its neighbours, and with nobody else.
//! Source: MPI 5.0, section *Neighborhood Collective Communication on Virtual Topologies*.
//! Rules: a neighbour that is `MPI_PROC_NULL` has a block that nobody touches; all messages are posted at once, so no
//! rank waits for one that is no neighbour.

use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::collective::{Posting, Prepared, Wide, collective, counted, widened};
use crate::face::communicator::Communicator;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory, checked_count};
use crate::objects::topology::neighbours::Neighbour;
use crate::objects::topology::{Neighbours, required};
use std::ffi::c_void;
use std::rc::Rc;

/// The counts of some blocks and where they lie.
struct Places<C, D> {
    counts: (&'static str, In<C>),
    displacements: (&'static str, In<D>),
}

impl Library {
    fn neighbours(&self, comm: &Communicator) -> Result<Neighbours, Fault> {
        Ok(required(comm.topology.get())?.neighbours(comm.rank)?)
    }

    /// The memory of the first of `number` blocks. Where there is none, the address may be null.
    fn first_of(&self, number: usize, (address, count, datatype): Buffer) -> Result<Memory, Fault> {
        let count = checked_count(count)?;
        self.memory(address, if number == 0 { 0 } else { count as i64 }, datatype)
    }

    /// Blocks of one count, one behind the other.
    fn blocks_of(&self, number: usize, buffer: Buffer) -> Result<Vec<Memory>, Fault> {
        self.first_of(number, buffer)?.blocks(number)
    }

    /// Blocks of several counts, at displacements in elements.
    fn places<C: Wide, D: Wide>(
        &self,
        (address, datatype): (*const c_void, MPI_Datatype),
        number: usize,
        places: Places<C, D>,
    ) -> Result<Vec<Memory>, Fault> {
        let (name, counts) = places.counts;
        let counts = widened(counts.slice(name, number)?);
        let displacements = widened(places.displacements.1.slice(places.displacements.0, number)?);
        // Null is allowed where no block has an element.
        let most = counts.iter().copied().max().unwrap_or(0);
        let whole = self.memory(address, most as i64, datatype)?;
        let listed = counts.iter().zip(displacements);
        listed.map(|(&count, at)| Ok(whole.part(at, counted(name, count)?))).collect()
    }

    /// Blocks of several counts and datatypes, at displacements in bytes.
    fn typed_places<C: Wide>(
        &self,
        address: *const c_void,
        number: usize,
        places: Places<C, MPI_Aint>,
        datatypes: (&'static str, In<MPI_Datatype>),
    ) -> Result<Vec<Memory>, Fault> {
        let (name, counts) = places.counts;
        let counts = widened(counts.slice(name, number)?);
        let displacements = places.displacements.1.slice(places.displacements.0, number)?;
        let datatypes = datatypes.1.slice(datatypes.0, number)?;
        let listed = counts.iter().zip(displacements).zip(datatypes);
        let memory = |((&count, &at), &datatype): ((&isize, &MPI_Aint), &MPI_Datatype)| {
            let address = address.cast::<u8>().wrapping_offset(at).cast();
            self.typed_memory(address, counted(name, count)?, datatype)
        };
        listed.map(memory).collect()
    }
}

/// Gives each destination a block, and takes one of each source.
fn exchanging(
    comm: &Rc<Communicator>,
    neighbours: Neighbours,
    outgoing: Vec<Memory>,
    incoming: Vec<Memory>,
) -> Prepared {
    let comm = comm.clone();
    let is_there = |end: &Neighbour| end.rank != MPI_PROC_NULL;
    Box::new(move || {
        let mut posting = Posting::with_lanes(&comm, neighbours.lanes());
        let sources = neighbours.sources.iter().zip(&incoming);
        for (source, block) in sources.filter(|(source, _)| is_there(source)) {
            posting.in_lane(source.lane as u32).recv(source.rank, block.clone())?;
        }
        let destinations = neighbours.destinations.iter().zip(&outgoing);
        for (destination, block) in destinations.filter(|(destination, _)| is_there(destination)) {
            posting.in_lane(destination.lane as u32).send(destination.rank, block)?;
        }
        Ok(posting.done())
    })
}

collective! {
    /// Gives one block to all destinations, and takes one of each source.
    fn MPI_Neighbor_allgather() fn MPI_Neighbor_allgather_c() fn MPI_Ineighbor_allgather() fn MPI_Ineighbor_allgather_c() fn MPI_Neighbor_allgather_init() fn MPI_Neighbor_allgather_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let own = library.first_of(neighbours.destinations.len(), (sendbuf.address(), sendcount.into(), sendtype))?;
        let incoming = library.blocks_of(neighbours.sources.len(), (recvbuf.address(), recvcount.into(), recvtype))?;
        let outgoing = vec![own; neighbours.destinations.len()];
        Ok::<_, Fault>(exchanging(&comm, neighbours, outgoing, incoming))
    }
    or None
}

collective! {
    /// Gives one block to all destinations, and takes one of each source, of its own size.
    fn MPI_Neighbor_allgatherv() fn MPI_Neighbor_allgatherv_c() fn MPI_Ineighbor_allgatherv() fn MPI_Ineighbor_allgatherv_c() fn MPI_Neighbor_allgatherv_init() fn MPI_Neighbor_allgatherv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, displs: In<Displacement>, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let own = library.first_of(neighbours.destinations.len(), (sendbuf.address(), sendcount.into(), sendtype))?;
        let places = Places { counts: ("recvcounts", recvcounts), displacements: ("displs", displs) };
        let incoming = library.places((recvbuf.address(), recvtype), neighbours.sources.len(), places)?;
        let outgoing = vec![own; neighbours.destinations.len()];
        Ok::<_, Fault>(exchanging(&comm, neighbours, outgoing, incoming))
    }
    or None
}

collective! {
    /// Gives each destination a block, and takes one of each source.
    fn MPI_Neighbor_alltoall() fn MPI_Neighbor_alltoall_c() fn MPI_Ineighbor_alltoall() fn MPI_Ineighbor_alltoall_c() fn MPI_Neighbor_alltoall_init() fn MPI_Neighbor_alltoall_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let outgoing = library.blocks_of(neighbours.destinations.len(), (sendbuf.address(), sendcount.into(), sendtype))?;
        let incoming = library.blocks_of(neighbours.sources.len(), (recvbuf.address(), recvcount.into(), recvtype))?;
        Ok::<_, Fault>(exchanging(&comm, neighbours, outgoing, incoming))
    }
    or None
}

collective! {
    /// Gives each destination a block, of its own size, and takes one of each source.
    fn MPI_Neighbor_alltoallv() fn MPI_Neighbor_alltoallv_c() fn MPI_Ineighbor_alltoallv() fn MPI_Ineighbor_alltoallv_c() fn MPI_Neighbor_alltoallv_init() fn MPI_Neighbor_alltoallv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<Displacement>, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<Displacement>, recvtype: MPI_Datatype) {
        let neighbours = library.neighbours(&comm)?;
        let places = Places { counts: ("sendcounts", sendcounts), displacements: ("sdispls", sdispls) };
        let outgoing = library.places((sendbuf.address(), sendtype), neighbours.destinations.len(), places)?;
        let places = Places { counts: ("recvcounts", recvcounts), displacements: ("rdispls", rdispls) };
        let incoming = library.places((recvbuf.address(), recvtype), neighbours.sources.len(), places)?;
        Ok::<_, Fault>(exchanging(&comm, neighbours, outgoing, incoming))
    }
    or None
}

collective! {
    /// Gives each destination a block, of its own size and datatype, and takes one of each source.
    fn MPI_Neighbor_alltoallw() fn MPI_Neighbor_alltoallw_c() fn MPI_Ineighbor_alltoallw() fn MPI_Ineighbor_alltoallw_c() fn MPI_Neighbor_alltoallw_init() fn MPI_Neighbor_alltoallw_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<MPI_Aint>, sendtypes: In<MPI_Datatype>, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<MPI_Aint>, recvtypes: In<MPI_Datatype>) {
        let neighbours = library.neighbours(&comm)?;
        let places = Places { counts: ("sendcounts", sendcounts), displacements: ("sdispls", sdispls) };
        let outgoing = library.typed_places(sendbuf.address(), neighbours.destinations.len(), places, ("sendtypes", sendtypes))?;
        let places = Places { counts: ("recvcounts", recvcounts), displacements: ("rdispls", rdispls) };
        let incoming = library.typed_places(recvbuf.address(), neighbours.sources.len(), places, ("recvtypes", recvtypes))?;
        Ok::<_, Fault>(exchanging(&comm, neighbours, outgoing, incoming))
    }
    or None
}
