//! Inter-communicators: two groups, of which each rank communicates with those of the other.
//! Source: MPI 5.0, section *Inter-Communication*.
//! Rules: the runtime has one communicator of both groups, in which one group comes first; so a peer's rank there is
//! its own plus where its group begins. Both groups agree which is first.

use super::border::Out;
use super::collective::Posting;
use super::communicator::{Communicator, Role};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use super::memory::Memory;
use crate::abi::*;
use runahead::Rank;
use runahead::internals::message::{Envelope, Pattern, Source, Tag};
use std::ffi::c_int;
use std::rc::Rc;

/// The tags by which leaders tell each other their groups: no collective's number comes so far.
const LEADERS: u32 = 0xffff_0000;

/// A key of `MPI_Comm_split` that keeps one group before the other.
const GROUP_KEY: i64 = 1 << 40;

impl Library {
    /// Makes a communicator of two groups.
    pub(super) fn create_inter(
        &self,
        local: &Rc<Communicator>,
        leader: c_int,
        remote: impl FnOnce() -> Result<Vec<Rank>, Fault>,
    ) -> Result<MPI_Comm, Fault> {
        let remote = if local.rank == leader { Some(encoded(&remote()?)) } else { None };
        let remote = decoded(&tell_all(local, leader, remote)?);
        let own: Vec<Rank> = local.group().members().to_vec();
        if own.iter().any(|member| remote.contains(member)) {
            return Err(Fault::new(MPI_ERR_ARG, "both groups have the same process"));
        }
        // Both groups see the same two lists, and so find the same order.
        let is_first = own.first() < remote.first();
        let (first, second) = if is_first { (&own, &remote) } else { (&remote, &own) };
        let all: Vec<Rank> = first.iter().chain(second).copied().collect();
        let world = self.the_world()?;
        let made = world.comm.group(&all)?;
        let begin = first.len();
        self.keep_as(local, |handler| Communicator::new_inter(made, begin, handler))
    }

    /// Splits both groups by color; those of one color get a communicator of both, if both have members.
    pub(super) fn split_inter(
        &self,
        comm: &Communicator,
        color: Option<u32>,
        key: i64,
    ) -> Result<MPI_Comm, Fault> {
        let behind = if comm.is_first() { 0 } else { GROUP_KEY };
        let Some(made) = comm.comm.split_some(color, behind + key)? else {
            return Ok(MPI_COMM_NULL);
        };
        let firsts = made.all_reduce(&[u64::from(comm.is_first())], |a, b| a + b)?[0] as usize;
        match firsts {
            0 => Ok(MPI_COMM_NULL),
            all if all == made.size() => Ok(MPI_COMM_NULL),
            _ => self.keep_as(comm, |handler| Communicator::new_inter(made, firsts, handler)),
        }
    }
}

/// Tells the other leader the own group, and gets that of the other.
fn exchange_groups(
    local: &Communicator,
    peers: &Communicator,
    (remote_leader, tag): (c_int, c_int),
) -> Result<Vec<Rank>, Fault> {
    let to = peers.destination(remote_leader, "remote_leader")?;
    let to = to.ok_or_else(|| Fault::value(MPI_ERR_RANK, "remote_leader", remote_leader))?;
    let tag = LEADERS | tag as u32 & 0xffff;
    let own = encoded(local.group().members());
    let mut length = [0; 8];
    exchange_bytes(peers, (to, tag), &(own.len() as u64).to_ne_bytes(), &mut length)?;
    let mut theirs = vec![0; u64::from_ne_bytes(length) as usize];
    exchange_bytes(peers, (to, tag), &own, &mut theirs)?;
    Ok(decoded(&theirs))
}

fn exchange_bytes(
    peers: &Communicator,
    (to, tag): (Rank, u32),
    sent: &[u8],
    received: &mut [u8],
) -> Result<(), Fault> {
    let envelope = Envelope { context: peers.library, tag, element: 0 };
    let pattern = Pattern { source: Source::Rank(to), tag: Tag::Exactly(tag) };
    let mut memory = Memory::of_bytes(received);
    let id = peers.engine(|engine| engine.post_send(to, envelope, sent))?;
    peers.comm.with_engine(|engine| {
        let came = engine.post_recv(peers.library, pattern)?;
        let put = |_: &_, bytes: &[u8]| memory.put(0, bytes);
        engine.finish_recv(came, pattern.source, |_| Ok::<(), Fault>(()), put)?;
        Ok::<(), Fault>(engine.wait_sent(id)?)
    })?
}

/// Tells all ranks what one of them has.
fn tell_all(
    comm: &Rc<Communicator>,
    root: c_int,
    bytes: Option<Vec<u8>>,
) -> Result<Vec<u8>, Fault> {
    let mut length = bytes.as_ref().map_or(0, |bytes| bytes.len() as u64).to_ne_bytes();
    broadcast(comm, root, &mut length)?;
    let mut bytes = bytes.unwrap_or_else(|| vec![0; u64::from_ne_bytes(length) as usize]);
    broadcast(comm, root, &mut bytes)?;
    Ok(bytes)
}

fn broadcast(comm: &Rc<Communicator>, root: c_int, bytes: &mut [u8]) -> Result<(), Fault> {
    let mut posting = Posting::new(comm);
    match comm.role(root)? {
        Role::Root => posting.send_to_each(comm.others(), &Memory::of_bytes(bytes)),
        Role::Other(root) => posting.recv(root, Memory::of_bytes(bytes)),
        Role::Idle => {}
    }
    posting.done().complete(comm).map(drop)
}

fn encoded(ranks: &[Rank]) -> Vec<u8> {
    ranks.iter().flat_map(|rank| (*rank as u32).to_ne_bytes()).collect()
}

fn decoded(bytes: &[u8]) -> Vec<Rank> {
    bytes.as_chunks().0.iter().map(|rank| u32::from_ne_bytes(*rank) as Rank).collect()
}

export! {
    /// Makes an inter-communicator of two groups, whose leaders know each other in another communicator.
    fn MPI_Intercomm_create(library; local_comm: MPI_Comm, local_leader: c_int, peer_comm: MPI_Comm, remote_leader: c_int, tag: c_int, newintercomm: Out<MPI_Comm>) on local_comm {
        let local = library.comm_called("local_comm", local_comm)?;
        local.intra()?.role(local_leader).map_err(|_| Fault::value(MPI_ERR_RANK, "local_leader", local_leader))?;
        if tag < 0 {
            return Err(Fault::value(MPI_ERR_TAG, "tag", tag));
        }
        // Only at the leader does the peer communicator mean something.
        let remote = || exchange_groups(&local, &*library.comm_called("peer_comm", peer_comm)?, (remote_leader, tag));
        newintercomm.set("newintercomm", library.create_inter(&local, local_leader, remote)?)
    }

    /// Makes one group of both: first the one that is not `high`.
    fn MPI_Intercomm_merge(library; intercomm: MPI_Comm, high: c_int, newintracomm: Out<MPI_Comm>) on intercomm {
        let comm = library.comm_called("intercomm", intercomm)?;
        if !comm.is_inter() {
            return Err(Fault::new(MPI_ERR_COMM, "intercomm is no inter-communicator"));
        }
        let key = if high != 0 { GROUP_KEY } else { 0 };
        let made = comm.comm.split(0, key)?;
        newintracomm.set("newintracomm", library.keep_made(&comm, made)?)
    }

    /// The number of ranks of the remote group.
    fn MPI_Comm_remote_size(library; comm: MPI_Comm, size: Out<c_int>) on comm {
        let comm = library.comm(comm)?;
        if !comm.is_inter() {
            return Err(Fault::new(MPI_ERR_COMM, "comm is no inter-communicator"));
        }
        size.set("size", comm.peers)
    }

    /// The remote group.
    fn MPI_Comm_remote_group(library; comm: MPI_Comm, group: Out<MPI_Group>) on comm {
        let comm = library.comm(comm)?;
        if !comm.is_inter() {
            return Err(Fault::new(MPI_ERR_COMM, "comm is no inter-communicator"));
        }
        group.set("group", library.keep_group(comm.remote_group())?)
    }
}
