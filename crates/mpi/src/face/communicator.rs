//! A communicator of the program: a group of ranks with its contexts, and what the program has attached to it.
//! Source: MPI 5.0, chapter *Groups, Contexts, Communicators, and Caching*.
//! Rules: ranks of the program are `c_int` and are checked here, before they become ranks of the world.

use super::buffer::Buffer;
use super::fault::Fault;
use crate::abi::*;
use crate::objects::info::Info;
use crate::objects::topology::Topology;
use runahead::Rank;
use runahead::internals::message::{Context, Engine, Lane, MessageError, Pattern, Source, Tag};
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::c_int;

/// The largest tag of a program's message.
pub(crate) const MAX_TAG: c_int = c_int::MAX;

/// The engine of a rank.
pub(crate) type RankEngine = Engine<runahead::HostNic>;

/// A communicator.
pub(crate) struct Communicator {
    /// The handle by which the program knows it.
    pub(crate) handle: Cell<MPI_Comm>,
    /// The runtime's communicator.
    pub(crate) comm: runahead::Comm,
    /// This rank.
    pub(crate) rank: c_int,
    /// The number of ranks.
    pub(crate) size: c_int,
    /// The number of ranks that this one communicates with: of the remote group, or else of its own.
    pub(crate) peers: c_int,
    /// Where the own group and that of the peers begin in the runtime's communicator, which has both.
    begin: c_int,
    begin_peers: c_int,
    /// The context of the program's messages.
    pub(crate) program: Context,
    /// The context of this library's own messages.
    pub(crate) library: Context,
    /// How many collectives with messages of this library it has had.
    calls: Cell<u32>,
    /// The number of the collective that is being started, of a persistent one: it got it when it was described.
    pub(crate) reserved: Cell<Option<u32>>,
    /// The name that the program has given it.
    pub(crate) name: RefCell<String>,
    /// Its error handler.
    pub(crate) handler: Cell<MPI_Errhandler>,
    /// Its buffer for buffered sends.
    pub(crate) buffer: Buffer,
    /// The hints that the program has given it.
    pub(crate) info: RefCell<Info>,
    /// Its topology, if it was made with one.
    pub(crate) topology: OnceCell<Topology>,
}

/// What a rank is in a collective with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is the root.
    Root,
    /// It communicates with this root.
    Other(c_int),
    /// The root is another rank of its group of an inter-communicator, and it has no part.
    Idle,
}

impl Role {
    /// The root's rank within the group of this rank; 0 where it has none there.
    pub(crate) fn root(self, comm: &Communicator) -> c_int {
        match self {
            Role::Other(root) => root,
            Role::Root => comm.own_place().map_or(0, |own| own as c_int),
            Role::Idle => 0,
        }
    }
}

/// Tags of this library's collectives lie above those of the program, by which it is told that messages were
/// met.
const COLLECTIVE: u32 = 1 << 31;

impl Communicator {
    /// Over a communicator of the runtime.
    pub(crate) fn new(comm: runahead::Comm, handler: MPI_Errhandler) -> Communicator {
        Communicator {
            handle: Cell::new(MPI_COMM_NULL),
            rank: comm.rank() as c_int,
            size: comm.size() as c_int,
            peers: comm.size() as c_int,
            begin: 0,
            begin_peers: 0,
            program: comm.context_in(Lane::Program),
            library: comm.context_in(Lane::Library),
            comm,
            calls: Cell::new(0),
            reserved: Cell::new(None),
            name: RefCell::default(),
            handler: Cell::new(handler),
            buffer: Buffer::new(),
            info: RefCell::default(),
            topology: OnceCell::new(),
        }
    }

    /// An inter-communicator, over one of the runtime's whose first `first` ranks are one group, and whose others
    /// are the other.
    pub(crate) fn new_inter(
        comm: runahead::Comm,
        first: usize,
        handler: MPI_Errhandler,
    ) -> Communicator {
        let (here, all, first) = (comm.rank() as c_int, comm.size() as c_int, first as c_int);
        let made = Communicator::new(comm, handler);
        if here < first {
            Communicator { size: first, peers: all - first, begin_peers: first, ..made }
        } else {
            let (rank, size) = (here - first, all - first);
            Communicator { rank, size, peers: first, begin: first, ..made }
        }
    }

    /// Over a communicator of the runtime that has the same ranks as this one's.
    pub(crate) fn over_same(&self, comm: runahead::Comm, handler: MPI_Errhandler) -> Communicator {
        match self.is_inter() {
            true => {
                Communicator::new_inter(comm, self.begin.max(self.begin_peers) as usize, handler)
            }
            false => Communicator::new(comm, handler),
        }
    }

    /// Whether the ranks that this one communicates with are another group.
    #[inline]
    pub(crate) fn is_inter(&self) -> bool {
        self.begin != self.begin_peers
    }

    /// Whether the own group begins the runtime's communicator.
    pub(crate) fn is_first(&self) -> bool {
        self.begin == 0
    }

    /// Refuses an inter-communicator.
    pub(crate) fn intra(&self) -> Result<&Communicator, Fault> {
        match self.is_inter() {
            true => Err(Fault::new(MPI_ERR_COMM, "comm is an inter-communicator")),
            false => Ok(self),
        }
    }

    /// The ranks that this one communicates with, without itself.
    pub(crate) fn others(&self) -> impl Iterator<Item = c_int> + use<> {
        let own = self.own_place();
        (0..self.peers).filter(move |&rank| Some(rank as usize) != own)
    }

    /// The place of this rank among those that it communicates with.
    pub(crate) fn own_place(&self) -> Option<usize> {
        (!self.is_inter()).then_some(self.rank as usize)
    }

    /// The rank in the world of a rank that this one communicates with, and that was checked.
    #[inline]
    pub(crate) fn to_world(&self, rank: c_int) -> Rank {
        self.comm.world_rank((rank + self.begin_peers) as Rank).unwrap_or_default()
    }

    /// The rank here of one that this one communicates with, by its rank in the world.
    #[inline]
    pub(crate) fn to_local(&self, world: Rank) -> c_int {
        self.comm.rank_of(world) as c_int - self.begin_peers
    }

    /// The rank in the world of a rank of the own group.
    pub(crate) fn member(&self, rank: c_int) -> Rank {
        self.comm.world_rank((rank + self.begin) as Rank).unwrap_or_default()
    }

    /// The rank in the world of a destination; None for `MPI_PROC_NULL`.
    #[inline]
    pub(crate) fn destination(&self, rank: c_int, argument: &str) -> Result<Option<Rank>, Fault> {
        match rank {
            0.. if rank < self.peers => Ok(Some(self.to_world(rank))),
            MPI_PROC_NULL => Ok(None),
            _ => Err(self.wrong_rank(rank, argument)),
        }
    }

    /// The source of a receive, with ranks of the world; None for `MPI_PROC_NULL`.
    #[inline]
    pub(crate) fn source(&self, rank: c_int, argument: &str) -> Result<Option<Source>, Fault> {
        match rank {
            MPI_ANY_SOURCE => Ok(Some(Source::Any)),
            _ => Ok(self.destination(rank, argument)?.map(Source::Rank)),
        }
    }

    /// What a receive asks for; None for `MPI_PROC_NULL`.
    #[inline]
    pub(crate) fn pattern(&self, source: c_int, tag: c_int) -> Result<Option<Pattern>, Fault> {
        let tag = match tag {
            MPI_ANY_TAG => Tag::Any,
            tag => Tag::Exactly(checked_tag(tag)?),
        };
        Ok(self.source(source, "source")?.map(|source| Pattern { source, tag }))
    }

    /// What this rank is in a collective with a root.
    pub(crate) fn role(&self, root: c_int) -> Result<Role, Fault> {
        match root {
            0.. if root < self.peers => match self.own_place() == Some(root as usize) {
                true => Ok(Role::Root),
                false => Ok(Role::Other(root)),
            },
            MPI_ROOT if self.is_inter() => Ok(Role::Root),
            MPI_PROC_NULL if self.is_inter() => Ok(Role::Idle),
            _ => Err(Fault::value(
                MPI_ERR_ROOT,
                "root",
                format_args!("{root}, of {} ranks", self.peers),
            )),
        }
    }

    #[cold]
    fn wrong_rank(&self, rank: c_int, argument: &str) -> Fault {
        let value = format_args!("{rank}, of {} ranks", self.peers);
        Fault::value(MPI_ERR_RANK, argument, value)
    }

    /// Runs a call of the engine.
    #[inline(always)]
    pub(crate) fn engine<R>(
        &self,
        call: impl FnOnce(&mut RankEngine) -> Result<R, MessageError>,
    ) -> Result<R, Fault> {
        Ok(self.comm.with_engine(call)??)
    }

    /// The first tag of the next collective with messages of this library, which takes `count` of them.
    pub(crate) fn next_calls(&self, count: u32) -> u32 {
        let number = self.calls.get();
        self.calls.set(number.wrapping_add(count));
        COLLECTIVE | number
    }
}

/// The tag of the collective that comes so many after another.
pub(crate) fn call_after(tag: u32, calls: u32) -> u32 {
    COLLECTIVE | tag.wrapping_add(calls)
}

/// The tag of a message, which is not negative.
#[inline]
pub(crate) fn checked_tag(tag: c_int) -> Result<u32, Fault> {
    u32::try_from(tag).map_err(|_| Fault::value(MPI_ERR_TAG, "tag", tag))
}
