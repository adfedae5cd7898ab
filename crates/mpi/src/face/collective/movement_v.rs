//! Collectives that move blocks of several sizes: the v- and w-forms.
//! Source: MPI 5.0, sections *Gather* to *All-to-All Scatter/Gather*.
//! Rules: counts, displacements and datatypes are read when the call is made, and kept for a persistent one.

use super::{Blocks, Places, Prepared, Wide, collective};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::{Communicator, Role};
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, buffer};
use runahead::internals::collective::Kind;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

impl Library {
    fn prepare_gather_v<C: Wide, D: Wide>(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        (received, datatype): (Blocks<C, D>, (&'static str, MPI_Datatype)),
        root: c_int,
    ) -> Result<impl Prepared + use<C, D>, Fault> {
        let role = comm.role(root)?;
        let is_root = role == Role::Root;
        let blocks = if is_root { received.of(self, datatype)? } else { Places::none() };
        self.gathering(comm, sent, blocks, role)
    }

    fn prepare_scatter_v<C: Wide, D: Wide>(
        &self,
        comm: &Rc<Communicator>,
        (sent, datatype): (Blocks<C, D>, (&'static str, MPI_Datatype)),
        received: Buffer,
        root: c_int,
    ) -> Result<impl Prepared + use<C, D>, Fault> {
        let role = comm.role(root)?;
        let is_root = role == Role::Root;
        let blocks = if is_root { sent.of(self, datatype)? } else { Places::none() };
        self.scattering(comm, blocks, received, role)
    }
}

collective! {
    /// Gives a block of each rank, of its own size, to the root.
    fn MPI_Gatherv() fn MPI_Gatherv_c() fn MPI_Igatherv() fn MPI_Igatherv_c() fn MPI_Gatherv_init() fn MPI_Gatherv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, displs: In<Displacement>, recvtype: MPI_Datatype, root: c_int) {
        let received = Blocks { address: recvbuf.address(), number: comm.peers as usize, counts: ("recvcounts", recvcounts), displacements: ("displs", displs) };
        library.prepare_gather_v(&comm, buffer!(sendbuf, sendcount, sendtype), (received, ("recvtype", recvtype)), root)
    }
    or None
}

collective! {
    /// Gives a block of the root, of its own size, to each rank.
    fn MPI_Scatterv() fn MPI_Scatterv_c() fn MPI_Iscatterv() fn MPI_Iscatterv_c() fn MPI_Scatterv_init() fn MPI_Scatterv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, displs: In<Displacement>, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, root: c_int) {
        let sent = Blocks { address: sendbuf.address(), number: comm.peers as usize, counts: ("sendcounts", sendcounts), displacements: ("displs", displs) };
        library.prepare_scatter_v(&comm, (sent, ("sendtype", sendtype)), buffer!(recvbuf, recvcount, recvtype), root)
    }
    or None
}

collective! {
    /// Gives a block of each rank, of its own size, to all.
    fn MPI_Allgatherv() fn MPI_Allgatherv_c() fn MPI_Iallgatherv() fn MPI_Iallgatherv_c() fn MPI_Allgatherv_init() fn MPI_Allgatherv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, displs: In<Displacement>, recvtype: MPI_Datatype) {
        let received = Blocks { address: recvbuf.address(), number: comm.peers as usize, counts: ("recvcounts", recvcounts), displacements: ("displs", displs) };
        let blocks = received.of(library, ("recvtype", recvtype))?;
        library.gathering_everywhere(&comm, buffer!(sendbuf, sendcount, sendtype), blocks)
    }
    or None
}

collective! {
    /// Gives a block of each rank, of its own size, to each.
    fn MPI_Alltoallv() fn MPI_Alltoallv_c() fn MPI_Ialltoallv() fn MPI_Ialltoallv_c() fn MPI_Alltoallv_init() fn MPI_Alltoallv_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<Displacement>, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<Displacement>, recvtype: MPI_Datatype) {
        let outgoing = match MPI_IN_PLACE.is(sendbuf.address()) {
            true => None,
            false => Some(Blocks { address: sendbuf.address(), number: comm.peers as usize, counts: ("sendcounts", sendcounts), displacements: ("sdispls", sdispls) }.of(library, ("sendtype", sendtype))?),
        };
        let received = Blocks { address: recvbuf.address(), number: comm.peers as usize, counts: ("recvcounts", recvcounts), displacements: ("rdispls", rdispls) };
        let incoming = received.of(library, ("recvtype", recvtype))?;
        library.exchanging(Kind::IallToAllV, &comm, outgoing, incoming)
    }
    or None
}

collective! {
    /// Gives a block of each rank, of its own size and datatype, to each.
    fn MPI_Alltoallw() fn MPI_Alltoallw_c() fn MPI_Ialltoallw() fn MPI_Ialltoallw_c() fn MPI_Alltoallw_init() fn MPI_Alltoallw_init_c()
    (library, comm; sendbuf: In<c_void>, sendcounts: In<Count>, sdispls: In<Displacement>, sendtypes: In<MPI_Datatype>, recvbuf: Out<c_void>, recvcounts: In<Count>, rdispls: In<Displacement>, recvtypes: In<MPI_Datatype>) {
        let outgoing = match MPI_IN_PLACE.is(sendbuf.address()) {
            true => None,
            false => Some(Blocks { address: sendbuf.address(), number: comm.peers as usize, counts: ("sendcounts", sendcounts), displacements: ("sdispls", sdispls) }.of_each(library, ("sendtypes", sendtypes))?),
        };
        let received = Blocks { address: recvbuf.address(), number: comm.peers as usize, counts: ("recvcounts", recvcounts), displacements: ("rdispls", rdispls) };
        let incoming = received.of_each(library, ("recvtypes", recvtypes))?;
        library.exchanging(Kind::IallToAllV, &comm, outgoing, incoming)
    }
    or None
}
