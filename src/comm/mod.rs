//! Communicators: what a program sees.
//!
//! A [`Comm`] is a group of ranks with its own message context. The names follow MPI where it has
//! one: `send`, `recv`, `isend`, `irecv`, `probe`, `barrier`. The difference is that
//! [`Comm::barrier`] returns at once and that nobody can tell.
//!
//! This layer checks arguments and turns elements into bytes; it decides nothing about order.

mod barrier;
pub(crate) mod element;
mod point_to_point;
mod request;

use std::cell::{Cell, RefCell, RefMut};
use std::fmt;

pub use barrier::Barrier;
pub use element::Element;
pub use point_to_point::{MAX_TAG, Message, Status};
pub use request::{RecvRequest, SendRequest};

use crate::collective::{Calls, Tree};
use crate::error::{Error, Result};
use crate::message::{Config, Engine, MessageError, Stats};
use crate::order::{GroupId, Rank};
use crate::provider::threads::ThreadsNic;
use crate::verbs::Nic;

/// The network that [`crate::launch()`] gives to a world.
pub type HostNic = ThreadsNic;

/// A group of ranks, as one of them sees it.
///
/// A `Comm` may move to another thread but not be shared between threads: one rank is one
/// sequential program.
///
/// ```compile_fail,E0277
/// fn shared<T: Sync>() {}
/// shared::<runahead::Comm>(); // `RefCell` cannot be shared between threads
/// ```
///
/// ```
/// fn moved<T: Send>() {}
/// moved::<runahead::Comm>();
/// ```
pub struct Comm<N: Nic = HostNic> {
    engine: RefCell<Engine<N>>,
    group: GroupId,
    rank: Rank,
    size: usize,
    /// The shape of its collectives.
    pub(crate) tree: Cell<Tree>,
    /// The collectives that were called.
    pub(crate) collectives: Calls,
}

impl<N: Nic> Comm<N> {
    /// The world of a rank whose network is `nic`. All ranks must give an equal `config`.
    ///
    /// Programs get their world from [`crate::launch()`]; this is for other networks, and for tests.
    /// Whoever makes a world ends it, with [`Comm::end`].
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if a value of `config` cannot be used, [`Error::Message`] if the network's
    /// limits do not allow what it asks for.
    pub fn new(nic: N, config: Config) -> Result<Comm<N>> {
        config.check()?;
        let engine = Engine::new(nic, config)?;
        Ok(Comm {
            group: GroupId::WORLD,
            rank: engine.rank(),
            size: engine.size(),
            engine: RefCell::new(engine),
            tree: Cell::new(Tree::default()),
            collectives: Calls::default(),
        })
    }

    /// This rank: `0..size`.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Makes progress without waiting: handles what has arrived and passes on what others wait for.
    ///
    /// No program needs this: every call that waits or polls makes progress, and so does every send
    /// and barrier. A rank that computes for long can let others' barriers through by calling it now
    /// and then.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if a peer broke the protocol or the network failed.
    pub fn progress(&self) -> Result<()> {
        self.engine().progress()?;
        Ok(())
    }

    /// What this rank has done and waited for so far.
    pub fn stats(&self) -> Stats {
        self.engine().stats()
    }

    /// The sizes and choices of the world.
    pub fn config(&self) -> Config {
        self.engine().config().clone()
    }

    /// Ends the world for this rank: completes the barriers that are open and hands over what was
    /// posted. `failed` says that the program returned an error; then nothing is waited for, except
    /// that on a network that may lose signals it stays until no other rank can lack one.
    ///
    /// [`crate::launch()`] calls it when the closure has returned.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if a barrier that is open can never complete, because a member has ended
    /// without entering it or is lost.
    pub fn end(self, failed: bool) -> Result<()> {
        Ok(self.engine.into_inner().end(failed)?)
    }

    pub(crate) fn group(&self) -> GroupId {
        self.group
    }

    /// The context of the program's own messages; that of collectives follows it.
    pub(crate) fn context(&self) -> u16 {
        0
    }

    pub(crate) fn engine(&self) -> RefMut<'_, Engine<N>> {
        // No call of the engine calls back into the program, so this never meets itself.
        self.engine.borrow_mut()
    }

    pub(crate) fn check_rank(&self, rank: Rank) -> Result<()> {
        let size = self.size;
        if rank < size { Ok(()) } else { Err(Error::RankOutOfRange { rank, size }) }
    }
}

impl<N: Nic> fmt::Debug for Comm<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} in {}", self.rank, self.size, self.group)
    }
}

impl From<MessageError> for Error {
    fn from(error: MessageError) -> Error {
        Error::Message(error)
    }
}
