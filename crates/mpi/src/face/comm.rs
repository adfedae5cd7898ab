//! Communicators: making them out of others, asking them, freeing them.
//! Source: MPI 5.0, chapter *Groups, Contexts, Communicators, and Caching*.
//! Rules: a new communicator has the error handler of the one that it was made of; freeing one waits for nobody.

use super::border::{In, Out};
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use crate::objects::attribute::Kind;
use crate::objects::group::{Comparison, Group};
use crate::objects::info::Info;
use std::ffi::{c_char, c_int};

impl Communicator {
    /// Its members.
    pub(crate) fn group(&self) -> Group {
        Group::new((0..self.size).map(|rank| self.member(rank)).collect())
    }

    /// The members that it communicates with.
    pub(crate) fn remote_group(&self) -> Group {
        Group::new((0..self.peers).map(|rank| self.to_world(rank)).collect())
    }
}

impl Library {
    /// Keeps a communicator that was made out of another.
    pub(crate) fn keep_made(
        &self,
        of: &Communicator,
        made: runahead::Comm,
    ) -> Result<MPI_Comm, Fault> {
        self.keep_as(of, |handler| Communicator::new(made, handler))
    }

    /// Keeps a communicator with the error handler of another.
    pub(crate) fn keep_as(
        &self,
        of: &Communicator,
        make: impl FnOnce(MPI_Errhandler) -> Communicator,
    ) -> Result<MPI_Comm, Fault> {
        let handler = of.handler.get();
        self.refer_to_handler(handler)?;
        self.keep_comm(make(handler))
    }

    /// Makes a communicator of the same ranks, with the same topology and copies of the attributes.
    fn dup(&self, comm: &Communicator) -> Result<MPI_Comm, Fault> {
        let same = comm.comm.dup()?;
        let made = self.keep_as(comm, |handler| comm.over_same(same, handler))?;
        if let Some(topology) = comm.topology.get() {
            self.comm(made)?.topology.get_or_init(|| topology.clone());
        }
        if let Err(fault) = self.copy_attributes(Kind::Comm, comm.handle.get().0, made.0) {
            self.free_comm(made)?;
            return Err(fault);
        }
        Ok(made)
    }

    /// As [`dup`](Library::dup), with the hints of `info`.
    fn dup_with_info(&self, comm: &Communicator, info: MPI_Info) -> Result<MPI_Comm, Fault> {
        let given = self.given_hints(info)?;
        let made = self.dup(comm)?;
        *self.comm(made)?.info.borrow_mut() = given;
        Ok(made)
    }

    /// The hints that a program gives a new communicator.
    pub(super) fn given_hints(&self, info: MPI_Info) -> Result<Info, Fault> {
        let mut hints = Info::default();
        if info != MPI_INFO_NULL {
            self.with_info(info, |given| hints.take_assertions(given))?;
        }
        Ok(hints)
    }

    /// Splits by color; a rank without one gets none.
    pub(crate) fn split(
        &self,
        comm: &Communicator,
        color: Option<u32>,
        key: i64,
    ) -> Result<MPI_Comm, Fault> {
        if comm.is_inter() {
            return self.split_inter(comm, color, key);
        }
        match comm.comm.split_some(color, key)? {
            Some(made) => self.keep_made(comm, made),
            None => Ok(MPI_COMM_NULL),
        }
    }

    /// All members of `comm` call it; those of each group get a communicator of it.
    pub(crate) fn create(&self, comm: &Communicator, group: &Group) -> Result<MPI_Comm, Fault> {
        let own = group.rank_of(comm.member(comm.rank));
        if comm.is_inter() {
            return self.split_inter(comm, own.map(|_| 0), own.unwrap_or(0) as i64);
        }
        // Groups that are given at once share no member, so the first member tells them apart.
        let color = own.and_then(|_| group.members().first().map(|&first| first as u32));
        self.split(comm, color, own.unwrap_or(0) as i64)
    }

    pub(super) fn create_of_group(
        &self,
        comm: &Communicator,
        group: &Group,
    ) -> Result<MPI_Comm, Fault> {
        comm.intra()?;
        if !group.contains(comm.member(comm.rank)) {
            return Ok(MPI_COMM_NULL);
        }
        let all = comm.group();
        let mut ranks = Vec::with_capacity(group.size());
        for &member in group.members() {
            let rank = all.rank_of(member);
            ranks.push(rank.ok_or_else(|| {
                Fault::new(MPI_ERR_GROUP, "group has a member that is not in comm")
            })?);
        }
        self.keep_made(comm, comm.comm.group(&ranks)?)
    }

    pub(super) fn free_comm(&self, handle: MPI_Comm) -> Result<(), Fault> {
        if handle.is_predefined() {
            return Err(Fault::argument(MPI_ERR_COMM, "comm", "predefined, and cannot be freed"));
        }
        let comm = self.comm(handle)?;
        let deleted = self.delete_attributes(Kind::Comm, handle.0);
        deleted.map_err(|fault| fault.on(Some(&comm)))?;
        self.comms.borrow_mut().remove(handle.0);
        self.release_handler(comm.handler.get());
        Ok(())
    }

    /// The color of this rank's host, if such a split is by hosts.
    fn host_to_split_by(
        &self,
        comm: &Communicator,
        split_type: c_int,
        info: MPI_Info,
    ) -> Result<Option<u32>, Fault> {
        let hosts = comm.comm.hosts();
        let is_by_hosts = match split_type {
            MPI_UNDEFINED => false,
            MPI_COMM_TYPE_SHARED => true,
            // The parts must be smaller than the whole.
            MPI_COMM_TYPE_HW_UNGUIDED => hosts.count() > 1,
            MPI_COMM_TYPE_HW_GUIDED | MPI_COMM_TYPE_RESOURCE_GUIDED => {
                let named = |info: &Info| info.value(RESOURCE).map(|value| value == Some(HOST));
                info != MPI_INFO_NULL && self.with_info(info, named)??
            }
            _ => return Err(Fault::value(MPI_ERR_ARG, "split_type", split_type)),
        };
        if is_by_hosts && split_type == MPI_COMM_TYPE_HW_UNGUIDED && info != MPI_INFO_NULL {
            self.change_info(info, |info| Ok(info.set(RESOURCE, HOST)?))?;
        }
        Ok(is_by_hosts.then(|| hosts.host(comm.comm.rank()) as u32))
    }

    fn compare(&self, one: MPI_Comm, other: MPI_Comm) -> Result<c_int, Fault> {
        let first = self.comm_called("comm1", one)?;
        let second = self.comm_called("comm2", other)?;
        let mut compared = first.group().compare(&second.group());
        if first.is_inter() {
            compared = compared.max(first.remote_group().compare(&second.remote_group()));
        }
        Ok(match compared {
            _ if one == other => MPI_IDENT,
            _ if first.is_inter() != second.is_inter() => MPI_UNEQUAL,
            Comparison::Ident => MPI_CONGRUENT,
            Comparison::Similar => MPI_SIMILAR,
            Comparison::Unequal => MPI_UNEQUAL,
        })
    }
}

/// The hint that says by which resource to split, and its value for that which ranks of a host share.
const RESOURCE: &[u8] = b"mpi_hw_resource_type";
const HOST: &[u8] = b"mpi_shared_memory";

/// A color, of those that `MPI_Comm_split` allows.
fn checked_color(color: c_int) -> Result<Option<u32>, Fault> {
    match color {
        MPI_UNDEFINED => Ok(None),
        _ => u32::try_from(color).map(Some).map_err(|_| Fault::value(MPI_ERR_ARG, "color", color)),
    }
}

export! {
    /// This rank.
    fn MPI_Comm_rank(library; comm: MPI_Comm, rank: Out<c_int>) on comm {
        rank.set("rank", library.comm(comm)?.rank)
    }

    /// The number of ranks.
    fn MPI_Comm_size(library; comm: MPI_Comm, size: Out<c_int>) on comm {
        size.set("size", library.comm(comm)?.size)
    }

    /// The members.
    fn MPI_Comm_group(library; comm: MPI_Comm, group: Out<MPI_Group>) on comm {
        group.set("group", library.keep_group(library.comm(comm)?.group())?)
    }

    /// How two communicators compare.
    fn MPI_Comm_compare(library; comm1: MPI_Comm, comm2: MPI_Comm, result: Out<c_int>) on comm1 {
        result.set("result", library.compare(comm1, comm2)?)
    }

    /// Splits the ranks by color.
    fn MPI_Comm_split(library; comm: MPI_Comm, color: c_int, key: c_int, newcomm: Out<MPI_Comm>) on comm {
        let made = library.split(&*library.comm(comm)?, checked_color(color)?, key.into())?;
        newcomm.set("newcomm", made)
    }

    /// Splits the ranks by what they share.
    fn MPI_Comm_split_type(library; comm: MPI_Comm, split_type: c_int, key: c_int, info: MPI_Info, newcomm: Out<MPI_Comm>) on comm {
        let comm = library.comm(comm)?;
        library.check_hints(info)?;
        let color = library.host_to_split_by(&comm, split_type, info)?;
        newcomm.set("newcomm", library.split(&comm, color, key.into())?)
    }

    /// Makes a communicator of a group; all ranks of `comm` call it.
    fn MPI_Comm_create(library; comm: MPI_Comm, group: MPI_Group, newcomm: Out<MPI_Comm>) on comm {
        let (comm, group) = (library.comm(comm)?, library.group(group)?);
        let all = comm.group();
        if !group.members().iter().all(|&member| all.contains(member)) {
            return Err(Fault::new(MPI_ERR_GROUP, "group has a member that is not in comm"));
        }
        newcomm.set("newcomm", library.create(&comm, &group)?)
    }

    /// Makes a communicator of a group; its members alone call it.
    fn MPI_Comm_create_group(library; comm: MPI_Comm, group: MPI_Group, _tag: c_int, newcomm: Out<MPI_Comm>) on comm {
        let made = library.create_of_group(&*library.comm(comm)?, &library.group(group)?)?;
        newcomm.set("newcomm", made)
    }

    /// Whether it is an inter-communicator.
    fn MPI_Comm_test_inter(library; comm: MPI_Comm, flag: Out<c_int>) on comm {
        flag.set("flag", c_int::from(library.comm(comm)?.is_inter()))
    }

    /// The communicator of the processes that started these, which nobody did.
    fn MPI_Comm_get_parent(_library; parent: Out<MPI_Comm>) {
        parent.set("parent", MPI_COMM_NULL)
    }

    /// Names a communicator.
    fn MPI_Comm_set_name(library; comm: MPI_Comm, name: In<c_char>) on comm {
        let comm = library.comm(comm)?;
        let mut name = name.string("comm_name")?;
        while name.len() >= MPI_MAX_OBJECT_NAME {
            name.pop();
        }
        *comm.name.borrow_mut() = name;
        Ok(())
    }

    /// The name of a communicator.
    fn MPI_Comm_get_name(library; comm: MPI_Comm, name: Out<c_char>, length: Out<c_int>) on comm {
        let written = match comm {
            // It is no communicator, and has a name.
            MPI_COMM_NULL => name.set_string("comm_name", "MPI_COMM_NULL", MPI_MAX_OBJECT_NAME)?,
            comm => {
                let comm = library.comm(comm)?;
                name.set_string("comm_name", &comm.name.borrow(), MPI_MAX_OBJECT_NAME)?
            }
        };
        length.set("resultlen", written as c_int)
    }
}

export! {
    /// Gives a communicator hints, of which the library needs none.
    fn MPI_Comm_set_info(library; comm: MPI_Comm, info: MPI_Info) on comm {
        let comm = library.comm(comm)?;
        library.with_info(info, |given| comm.info.borrow_mut().take_assertions(given))
    }

    /// The hints of a communicator.
    fn MPI_Comm_get_info(library; comm: MPI_Comm, info: Out<MPI_Info>) on comm {
        let hints = library.comm(comm)?.info.borrow().clone();
        info.set("info_used", library.keep_info(hints)?)
    }
}

// What copies or deletes attributes.
export! {
    /// Makes a communicator of the same ranks.
    fn MPI_Comm_dup(library; comm: MPI_Comm, newcomm: Out<MPI_Comm>) on comm {
        newcomm.set("newcomm", MPI_COMM_NULL)?;
        newcomm.set("newcomm", library.dup(&*library.comm(comm)?)?)
    }

    /// Makes a communicator of the same ranks, with other hints.
    fn MPI_Comm_dup_with_info(library; comm: MPI_Comm, info: MPI_Info, newcomm: Out<MPI_Comm>) on comm {
        newcomm.set("newcomm", MPI_COMM_NULL)?;
        newcomm.set("newcomm", library.dup_with_info(&*library.comm(comm)?, info)?)
    }

    /// Frees a communicator; messages under way in it are lost.
    fn MPI_Comm_free(library; comm: Out<MPI_Comm>) {
        library.free_comm(comm.value("comm")?)?;
        comm.set("comm", MPI_COMM_NULL)
    }

    /// Frees a communicator when all its ranks have called this. Messages under way in it are lost.
    fn MPI_Comm_disconnect(library; comm: Out<MPI_Comm>) {
        library.comm(comm.value("comm")?)?.comm.barrier()?.wait()?;
        library.free_comm(comm.value("comm")?)?;
        comm.set("comm", MPI_COMM_NULL)
    }
}
