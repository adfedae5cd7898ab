//! Collectives that move blocks of one size: broadcast, gather, scatter, all-gather, all-to-all.
//! Source: MPI 5.0, sections *Broadcast* to *All-to-All Scatter/Gather*.
//! Rules: what only the root's arguments say is looked at there alone; in-place data stay where they are.

use super::places::Places;
use super::plan::{Gives, Plan, Takes};
use super::{Prepared, collective};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::{Communicator, Role};
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory, buffer};
use runahead::internals::collective::Kind;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// In place, where this rank is none of those that it communicates with.
#[cold]
pub(super) fn no_place() -> Fault {
    Fault::new(MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE in an inter-communicator")
}

/// Checks that what this rank gives or gets lies elsewhere than its block among those of all.
fn check_apart(
    comm: &Communicator,
    own: Option<&Memory>,
    blocks: &Places,
    argument: &str,
    what: &str,
) -> Result<(), Fault> {
    match (own, comm.own_place()) {
        (Some(own), Some(place)) if own.begins_with(&blocks.at(place)) => {
            Err(Fault::aliased(argument, what))
        }
        _ => Ok(()),
    }
}

/// Checks that each block to give lies elsewhere than that to get with the same number.
pub(crate) fn check_each_apart(outgoing: &Places, incoming: &Places) -> Result<(), Fault> {
    match outgoing.all().zip(incoming.all()).any(|(sent, received)| sent.begins_with(&received)) {
        false => Ok(()),
        true => Err(Fault::sent_and_received()),
    }
}

impl Library {
    /// The memory of a buffer; None if it is in place.
    pub(super) fn memory_or_in_place(&self, buffer: Buffer) -> Result<Option<Memory>, Fault> {
        match MPI_IN_PLACE.is(buffer.address) {
            true => Ok(None),
            false => self.memory(buffer).map(Some),
        }
    }

    /// One block for each rank; the memory is that of the first.
    pub(super) fn blocks(&self, comm: &Communicator, buffer: Buffer) -> Result<Places, Fault> {
        Places::equal(self.memory(buffer)?, comm.peers as usize)
    }

    /// What a rank gives to the root or gets of it; None if it is in place, or there is no such block.
    pub(super) fn own_block(
        &self,
        argument: &str,
        comm: &Communicator,
        buffer: Buffer,
        role: Role,
    ) -> Result<Option<Memory>, Fault> {
        if role == Role::Idle || (role == Role::Root && comm.is_inter()) {
            return Ok(None);
        }
        match (role, self.memory_or_in_place(buffer)?) {
            (Role::Other(_), None) => {
                let message = format!("{argument} is MPI_IN_PLACE at a rank that is not the root");
                Err(Fault::new(MPI_ERR_BUFFER, message))
            }
            (_, own) => Ok(own),
        }
    }

    fn prepare_broadcast(
        &self,
        comm: &Rc<Communicator>,
        buffer: Buffer,
        root: c_int,
    ) -> Result<impl Prepared + use<>, Fault> {
        let role = comm.role(root)?;
        let memory = match role {
            Role::Idle => Memory::of_bytes(&mut []),
            Role::Root | Role::Other(_) => self.memory(buffer)?,
        };
        let comm = comm.clone();
        Ok(move || {
            let (gives, takes) = match role {
                Role::Root => (Gives::Same(0..comm.peers, &memory), Takes::Nothing),
                Role::Other(root) => {
                    (Gives::Nothing, Takes::Places(root, Places::one(memory.clone())))
                }
                Role::Idle => (Gives::Nothing, Takes::Nothing),
            };
            Plan { kind: Kind::Ibroadcast, root: role.root(&comm), operator: None, gives, takes }
                .start(&comm)
        })
    }

    fn prepare_gather(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        received: Buffer,
        root: c_int,
    ) -> Result<impl Prepared + use<>, Fault> {
        let role = comm.role(root)?;
        let blocks = if role == Role::Root { self.blocks(comm, received)? } else { Places::none() };
        self.gathering(comm, sent, blocks, role)
    }

    /// Gathers at the root into blocks that were looked at.
    pub(super) fn gathering(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        blocks: Places,
        role: Role,
    ) -> Result<impl Prepared + use<>, Fault> {
        let own = self.own_block("sendbuf", comm, sent, role)?;
        if role == Role::Root {
            check_apart(comm, own.as_ref(), &blocks, "sendbuf", "this rank's block of recvbuf")?;
        }
        let comm = comm.clone();
        Ok(move || {
            let (gives, takes) = match (role, &own) {
                (Role::Root, own) => {
                    if let (Some(place), Some(own)) = (comm.own_place(), own) {
                        blocks.at(place).copy_from(own);
                    }
                    (Gives::Nothing, Takes::Places(0, blocks.clone()))
                }
                (Role::Other(root), Some(own)) => {
                    (Gives::Same(root..root + 1, own), Takes::Nothing)
                }
                _ => (Gives::Nothing, Takes::Nothing),
            };
            Plan { kind: Kind::Igather, root: role.root(&comm), operator: None, gives, takes }
                .start(&comm)
        })
    }

    fn prepare_scatter(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        received: Buffer,
        root: c_int,
    ) -> Result<impl Prepared + use<>, Fault> {
        let role = comm.role(root)?;
        let blocks = if role == Role::Root { self.blocks(comm, sent)? } else { Places::none() };
        self.scattering(comm, blocks, received, role)
    }

    /// Scatters blocks of the root that were looked at.
    pub(super) fn scattering(
        &self,
        comm: &Rc<Communicator>,
        blocks: Places,
        received: Buffer,
        role: Role,
    ) -> Result<impl Prepared + use<>, Fault> {
        let own = self.own_block("recvbuf", comm, received, role)?;
        if role == Role::Root {
            check_apart(comm, own.as_ref(), &blocks, "recvbuf", "this rank's block of sendbuf")?;
        }
        let comm = comm.clone();
        Ok(move || {
            let (gives, takes) = match (role, &own) {
                (Role::Root, own) => {
                    if let (Some(place), Some(own)) = (comm.own_place(), own) {
                        own.clone().copy_from(&blocks.at(place));
                    }
                    (Gives::Parts(&blocks), Takes::Nothing)
                }
                (Role::Other(root), Some(own)) => {
                    (Gives::Nothing, Takes::Places(root, Places::one(own.clone())))
                }
                _ => (Gives::Nothing, Takes::Nothing),
            };
            Plan { kind: Kind::Iscatter, root: role.root(&comm), operator: None, gives, takes }
                .start(&comm)
        })
    }

    /// Gives all blocks to all ranks; that of this rank lies in its place if it is in place.
    pub(super) fn gathering_everywhere(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        blocks: Places,
    ) -> Result<impl Prepared + use<>, Fault> {
        let own = self.memory_or_in_place(sent)?;
        check_apart(comm, own.as_ref(), &blocks, "sendbuf", "this rank's block of recvbuf")?;
        let place = comm.own_place().map(|place| blocks.at(place));
        let given = own.clone().or_else(|| place.clone()).ok_or_else(no_place)?;
        let comm = comm.clone();
        Ok(move || {
            if let (Some(own), Some(place)) = (&own, &place) {
                place.clone().copy_from(own);
            }
            let gives = Gives::Same(0..comm.peers, &given);
            let takes = Takes::Places(0, blocks.clone());
            Plan { kind: Kind::IallGather, root: 0, operator: None, gives, takes }.start(&comm)
        })
    }

    /// Gives each rank a block and takes one of it.
    pub(super) fn exchanging(
        &self,
        kind: Kind,
        comm: &Rc<Communicator>,
        outgoing: Option<Places>,
        incoming: Places,
    ) -> Result<impl Prepared + use<>, Fault> {
        if let Some(outgoing) = &outgoing {
            check_each_apart(outgoing, &incoming)?;
        }
        let comm = comm.clone();
        Ok(move || {
            if let (Some(outgoing), Some(own)) = (&outgoing, comm.own_place()) {
                incoming.at(own).copy_from(&outgoing.at(own));
            }
            // What cannot leave at once is copied, so in place the blocks may be received into later.
            let gives = Gives::Parts(outgoing.as_ref().unwrap_or(&incoming));
            let takes = Takes::Places(0, incoming.clone());
            Plan { kind, root: 0, operator: None, gives, takes }.start(&comm)
        })
    }

    fn prepare_exchange(
        &self,
        comm: &Rc<Communicator>,
        sent: Buffer,
        received: Buffer,
    ) -> Result<impl Prepared + use<>, Fault> {
        let outgoing = match MPI_IN_PLACE.is(sent.address) {
            true => None,
            false => Some(self.blocks(comm, sent)?),
        };
        self.exchanging(Kind::IallToAll, comm, outgoing, self.blocks(comm, received)?)
    }
}

collective! {
    /// Gives the data of the root to all.
    fn MPI_Bcast() fn MPI_Bcast_c() fn MPI_Ibcast() fn MPI_Ibcast_c() fn MPI_Bcast_init() fn MPI_Bcast_init_c()
    (library, comm; buffer: Out<c_void>, count: Count, datatype: MPI_Datatype, root: c_int) {
        library.prepare_broadcast(&comm, buffer!(buffer, count, datatype), root)
    }
    or library.broadcast(&comm, buffer!(buffer, count, datatype), root)
}

collective! {
    /// Gives a block of each rank to the root.
    fn MPI_Gather() fn MPI_Gather_c() fn MPI_Igather() fn MPI_Igather_c() fn MPI_Gather_init() fn MPI_Gather_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, root: c_int) {
        let sent = buffer!(sendbuf, sendcount, sendtype);
        library.prepare_gather(&comm, sent, buffer!(recvbuf, recvcount, recvtype), root)
    }
    or library.gather(&comm, buffer!(sendbuf, sendcount, sendtype), buffer!(recvbuf, recvcount, recvtype), root)
}

collective! {
    /// Gives a block of the root to each rank.
    fn MPI_Scatter() fn MPI_Scatter_c() fn MPI_Iscatter() fn MPI_Iscatter_c() fn MPI_Scatter_init() fn MPI_Scatter_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype, root: c_int) {
        let sent = buffer!(sendbuf, sendcount, sendtype);
        library.prepare_scatter(&comm, sent, buffer!(recvbuf, recvcount, recvtype), root)
    }
    or library.scatter(&comm, buffer!(sendbuf, sendcount, sendtype), buffer!(recvbuf, recvcount, recvtype), root)
}

collective! {
    /// Gives a block of each rank to all.
    fn MPI_Allgather() fn MPI_Allgather_c() fn MPI_Iallgather() fn MPI_Iallgather_c() fn MPI_Allgather_init() fn MPI_Allgather_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let blocks = library.blocks(&comm, buffer!(recvbuf, recvcount, recvtype))?;
        library.gathering_everywhere(&comm, buffer!(sendbuf, sendcount, sendtype), blocks)
    }
    or library.all_gather(&comm, buffer!(sendbuf, sendcount, sendtype), buffer!(recvbuf, recvcount, recvtype))
}

collective! {
    /// Gives a block of each rank to each.
    fn MPI_Alltoall() fn MPI_Alltoall_c() fn MPI_Ialltoall() fn MPI_Ialltoall_c() fn MPI_Alltoall_init() fn MPI_Alltoall_init_c()
    (library, comm; sendbuf: In<c_void>, sendcount: Count, sendtype: MPI_Datatype, recvbuf: Out<c_void>, recvcount: Count, recvtype: MPI_Datatype) {
        let sent = buffer!(sendbuf, sendcount, sendtype);
        library.prepare_exchange(&comm, sent, buffer!(recvbuf, recvcount, recvtype))
    }
    or library.all_to_all(&comm, buffer!(sendbuf, sendcount, sendtype), buffer!(recvbuf, recvcount, recvtype))
}
