//! Collectives that move blocks of several sizes: the v- and w-forms.
//! Source: MPI 5.0, sections *Gather* to *All-to-All Scatter/Gather*.
//! Rules: counts, displacements and datatypes are read when the call is made, and kept for a persistent one.

use super::{Prepared, Wide, collective, counted, widened};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::{Communicator, Role};
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// Blocks as a program passes them: the address, their counts, their displacements in elements.
struct Listed<'a, C, D> {
    address: *const c_void,
    counts: (&'static str, In<C>),
    displacements: (&'static str, In<D>),
    datatype: MPI_Datatype,
    comm: &'a Communicator,
}

impl Library {
    fn listed<C: Wide, D: Wide>(&self, blocks: &Listed<'_, C, D>) -> Result<Vec<Memory>, Fault> {
        let size = blocks.comm.peers as usize;
        let (name, counts) = blocks.counts;
        let counts = widened(counts.slice(name, size)?);
        let displacements = widened(blocks.displacements.1.slice(blocks.displacements.0, size)?);
        // What is null and has no elements at all is not looked at.
        let most = counts.iter().copied().max().unwrap_or(0);
        let whole = self.memory(blocks.address, most as i64, blocks.datatype)?;
        let listed = counts.iter().zip(displacements);
        listed.map(|(&count, at)| Ok(whole.part(at, counted(name, count)?))).collect()
    }

    /// As [`listed`](Self::listed), with a datatype for each, and displacements in bytes.
    fn listed_by_type<C: Wide, D: Wide>(
        &self,
        comm: &Communicator,
        address: *const c_void,
        counts: In<C>,
        displacements: In<D>,
        datatypes: In<MPI_Datatype>,
    ) -> Result<Vec<Memory>, Fault> {
        let size = comm.peers as usize;
        let counts = widened(counts.slice("counts", size)?);
        let displacements = widened(displacements.slice("displs", size)?);
        let datatypes = datatypes.slice("types", size)?;
        let listed = counts.iter().zip(displacements).zip(datatypes);
        let memory = |((&count, at), &datatype): ((&isize, isize), &MPI_Datatype)| {
            let address = address.cast::<u8>().wrapping_offset(at).cast();
            self.typed_memory(address, counted("counts", count)?, datatype)
        };
        listed.map(memory).collect()
    }

    fn prepare_gather_v<C: Wide, D: Wide>(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        received: &Listed<'_, C, D>,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        let role = comm.role(root)?;
        let blocks = if role == Role::Root { self.listed(received)? } else { Vec::new() };
        self.gathering(comm, sent, blocks, role)
    }

    fn prepare_scatter_v<C: Wide, D: Wide>(
        &self,
        comm: &Rc<Communicator>,
        sent: &Listed<'_, C, D>,
        received: Buffer,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        let role = comm.role(root)?;
        let blocks = if role == Role::Root { self.listed(sent)? } else { Vec::new() };
        self.scattering(comm, blocks, received, role)
    }
}

collective! {
    /// Gives a block of each rank, of its own size, to the root.
    fn MPI_Gatherv() fn MPI_Gatherv_c() fn MPI_Igatherv() fn MPI_Igatherv_c() fn MPI_Gatherv_init() fn MPI_Gatherv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, displs: In<Displacement>, recvtype: MPI_Datatype, root: c_int) {
        let received = Listed { address: recvbuf.address(), counts: ("recvcounts", recvcounts), displacements: ("displs", displs), datatype: recvtype, comm: &comm };
        library.prepare_gather_v(&comm, (sendbuf.address(), sendcount.into(), sendtype), &received, root)
    }
    or None
}

collective! {
    /// Gives a block of the root, of its own size, to each rank.
    fn MPI_Scatterv() fn MPI_Scatterv_c() fn MPI_Iscatterv() fn MPI_Iscatterv_c() fn MPI_Scatterv_init() fn MPI_Scatterv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, displs: In<Displacement>, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, root: c_int) {
        let sent = Listed { address: sendbuf.address(), counts: ("sendcounts", sendcounts), displacements: ("displs", displs), datatype: sendtype, comm: &comm };
        library.prepare_scatter_v(&comm, &sent, (recvbuf.address(), recvcount.into(), recvtype), root)
    }
    or None
}

collective! {
    /// Gives a block of each rank, of its own size, to all.
    fn MPI_Allgatherv() fn MPI_Allgatherv_c() fn MPI_Iallgatherv() fn MPI_Iallgatherv_c() fn MPI_Allgatherv_init() fn MPI_Allgatherv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, displs: In<Displacement>, recvtype: MPI_Datatype) {
        let received = Listed { address: recvbuf.address(), counts: ("recvcounts", recvcounts), displacements: ("displs", displs), datatype: recvtype, comm: &comm };
        let blocks = library.listed(&received)?;
        library.gathering_everywhere(&comm, (sendbuf.address(), sendcount.into(), sendtype), blocks)
    }
    or None
}

collective! {
    /// Gives a block of each rank, of its own size, to each.
    fn MPI_Alltoallv() fn MPI_Alltoallv_c() fn MPI_Ialltoallv() fn MPI_Ialltoallv_c() fn MPI_Alltoallv_init() fn MPI_Alltoallv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<Displacement>, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<Displacement>, recvtype: MPI_Datatype) {
        let outgoing = match MPI_IN_PLACE.is(sendbuf.address()) {
            true => None,
            false => Some(library.listed(&Listed { address: sendbuf.address(), counts: ("sendcounts", sendcounts), displacements: ("sdispls", sdispls), datatype: sendtype, comm: &comm })?),
        };
        let received = Listed { address: recvbuf.address(), counts: ("recvcounts", recvcounts), displacements: ("rdispls", rdispls), datatype: recvtype, comm: &comm };
        let incoming = library.listed(&received)?;
        Ok::<_, Fault>(library.exchanging(&comm, outgoing, incoming))
    }
    or None
}

collective! {
    /// Gives a block of each rank, of its own size and datatype, to each.
    fn MPI_Alltoallw() fn MPI_Alltoallw_c() fn MPI_Ialltoallw() fn MPI_Ialltoallw_c() fn MPI_Alltoallw_init() fn MPI_Alltoallw_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<Displacement>, sendtypes: In<MPI_Datatype>, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<Displacement>, recvtypes: In<MPI_Datatype>) {
        let outgoing = match MPI_IN_PLACE.is(sendbuf.address()) {
            true => None,
            false => Some(library.listed_by_type(&comm, sendbuf.address(), sendcounts, sdispls, sendtypes)?),
        };
        let incoming = library.listed_by_type(&comm, recvbuf.address(), recvcounts, rdispls, recvtypes)?;
        Ok::<_, Fault>(library.exchanging(&comm, outgoing, incoming))
    }
    or None
}
