//! Communicators: what a program sees.
//!
//! A [`Comm`] is a group of ranks with its own message context. The names follow MPI where it has
//! one: `send`, `recv`, `isend`, `irecv`, `probe`, `barrier`. The difference is that
//! [`Comm::barrier`] returns at once and that no rank can tell.
//!
//! This layer checks arguments and turns elements into bytes; it decides nothing about order.

mod barrier;
pub(crate) mod element;
mod home;
mod making;
#[cfg(all(test, loom))]
mod models;
mod owned_send;
pub(crate) mod pending;
mod point_to_point;
mod ranks;
mod request;
mod scope;
mod tuning;

pub use barrier::Barrier;
pub use element::Element;
use home::{Home, Leftover, Visit};
#[cfg(fuzzing)]
pub use making::fuzzing;
pub use making::{GroupError, GroupRequest};
pub use owned_send::{OwnedSendError, OwnedSendRequest};
pub use pending::{Begins, BegunList, Pending};
pub use point_to_point::{MAX_TAG, Message, Status};
use ranks::Ranks;
pub use request::{RecvRequest, SendRequest};
pub use scope::{RecvIntoRequest, Scope};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::collective::{Calls, Tree};
use crate::error::{Error, Result};
use crate::message::{
    Config, Context, Contribution, Engine, Held, Info, Lane, MessageError, Notify, Options, RecvId,
    RoomKey, Stats,
};
use crate::order::{Algorithm, GroupId, Rank};
#[cfg(all(target_os = "linux", not(all(feature = "ib", not(loom)))))]
use crate::provider::shm::ShmNic;
#[cfg(not(target_os = "linux"))]
use crate::provider::threads::ThreadsNic;
use crate::sys::shared::InUse;
use crate::verbs::{Nic, RoomOf};

/// The network that [`crate::launch()`] gives to a world.
#[cfg(all(target_os = "linux", not(all(feature = "ib", not(loom)))))]
pub type HostNic = ShmNic;
/// The network that [`crate::launch()`] gives to a world: shared memory, or RDMA.
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
pub type HostNic = crate::provider::host::HostNic;
/// The network that [`crate::launch()`] gives to a world.
#[cfg(not(target_os = "linux"))]
pub type HostNic = ThreadsNic;

/// A group of ranks, as one of them sees it.
///
/// Programs write `Comm`, and likewise [`Barrier`] and the requests. The parameter `N` is the
/// network, which [`launch`](crate::launch()) chooses; only tests of the library name another.
///
/// A `Comm` may move to another thread but not be shared between threads: one rank is one
/// sequential program.
///
/// ```compile_fail,E0277
/// fn shared<T: Sync>() {}
/// shared::<runahead::Comm>(); // its counters cannot be shared between threads
/// ```
///
/// ```
/// fn moved<T: Send>() {}
/// moved::<runahead::Comm>();
/// ```
pub struct Comm<N: Nic = HostNic> {
    group: GroupId,
    ranks: Ranks,
    visit: Visit<N>,
    member: Arc<Member<N>>,
    /// Whether it belongs to a request, which keeps the group and does not end the world.
    is_request: bool,
    /// The algorithm that was asked for, which its children inherit.
    choice: Algorithm,
    /// The algorithm in use.
    algorithm: Algorithm,
    /// See [`copies_payloads`](Comm::copies_payloads).
    copies_payloads: bool,
    /// The shape of its collectives.
    pub(crate) tree: Cell<Tree>,
    /// The collectives that were called.
    pub(crate) collectives: Calls,
    /// Which of several requests is looked at first.
    turns: Cell<u32>,
    one_thread: OneThread,
}

/// One thread at a time uses it: calls of one rank follow each other.
type OneThread = PhantomData<Cell<()>>;

/// The membership in a group. The group is dropped here when the communicator and all receives that
/// were posted in it have been.
struct Member<N: Nic> {
    home: Home<N>,
    group: GroupId,
}

impl<N: Nic> Drop for Member<N> {
    fn drop(&mut self) {
        // The world goes with its engine.
        if self.group != GroupId::WORLD {
            self.home.leave(Leftover::Drop(self.group));
        }
    }
}

impl<N: Nic> Comm<N> {
    /// The world of a rank whose network is `nic`. All ranks must give an equal `config`.
    ///
    /// Programs get their world from [`crate::launch()`]; this is for other networks, and for
    /// tests. The maker of a world ends it, with [`Comm::end`].
    ///
    /// With [`Algorithm::Auto`] this is a collective in which all ranks find the algorithm.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] if a value of `config` cannot be used, [`Error::Message`] if the network's
    /// limits do not allow what it asks for,
    /// or, with [`Algorithm::Auto`], if a rank is lost.
    #[doc(hidden)]
    pub fn new(nic: N, config: Config) -> Result<Comm<N>> {
        config.check()?;
        let choice = config.algorithm;
        let engine = Engine::new(nic, config)?;
        let ranks = Ranks::world_of(engine.rank(), engine.size());
        let (choices, deposits) = ((choice, choice), engine.deposits_in(GroupId::WORLD));
        let mut world = Comm::of(Home::new(engine), GroupId::WORLD, ranks, choices, deposits);
        world.algorithm = match choice {
            Algorithm::Auto => world.choose_for_world()?,
            choice => world.in_use(choice)?,
        };
        Ok(world)
    }

    fn of(
        home: Home<N>,
        group: GroupId,
        ranks: Ranks,
        (choice, algorithm): (Algorithm, Algorithm),
        deposits: bool,
    ) -> Comm<N> {
        let members = (0..ranks.size()).filter(|&rank| rank != ranks.own());
        let copies_payloads =
            members.map(|rank| ranks.to_world(rank)).all(|peer| home.copies_payloads_to(peer));
        let host_of = |rank| home.host_of(ranks.to_world(rank));
        let hosts = (0..ranks.size()).map(host_of);
        let collectives = Calls::of(hosts, home.config(), (deposits, copies_payloads));
        Comm {
            group,
            ranks,
            visit: home.visit(),
            member: Arc::new(Member { home, group }),
            is_request: false,
            choice,
            algorithm,
            copies_payloads,
            tree: Cell::new(Tree::default()),
            collectives,
            turns: Cell::default(),
            one_thread: PhantomData,
        }
    }

    /// The same communicator, for a request to own.
    pub(crate) fn for_request(&self) -> Comm<N> {
        Comm {
            group: self.group,
            ranks: self.ranks.clone(),
            visit: self.visit,
            member: self.member.clone(),
            is_request: true,
            choice: self.choice,
            algorithm: self.algorithm,
            copies_payloads: self.copies_payloads,
            tree: self.tree.clone(),
            collectives: self.collectives.for_request(),
            turns: Cell::default(),
            one_thread: PhantomData,
        }
    }

    /// Whether both are communicators of one rank.
    pub(crate) fn is_of_rank_of(&self, other: &Comm<N>) -> bool {
        self.visit == other.visit
    }

    /// The message layer of this rank, for a library on top that has calls of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] if another thread is in a call of this rank's, [`Error::Ended`] once the
    /// world has ended.
    #[doc(hidden)]
    #[inline(always)]
    pub fn with_engine<R>(&self, call: impl FnOnce(&mut Engine<N>) -> R) -> Result<R> {
        Ok(call(&mut *self.engine()?))
    }

    /// The context of its messages in one of the lanes, for [`with_engine`](Comm::with_engine).
    #[doc(hidden)]
    pub fn context_in(&self, lane: Lane) -> Context {
        self.context(lane)
    }

    /// As [`world_rank`](Comm::world_rank), the other way, of a member.
    #[doc(hidden)]
    pub fn rank_of(&self, world: Rank) -> Rank {
        self.ranks.local(world)
    }

    fn home(&self) -> &Home<N> {
        &self.member.home
    }

    /// This rank, from 0. In a group it is the index in the group.
    pub fn rank(&self) -> Rank {
        self.ranks.own()
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.ranks.size()
    }

    /// The rank in the world of one of its ranks. Errors of the message layer ([`Error::Message`])
    /// name ranks of the world.
    ///
    /// # Errors
    ///
    /// [`Error::RankOutOfRange`].
    pub fn world_rank(&self, rank: Rank) -> Result<Rank> {
        self.check_rank(rank)?;
        Ok(self.ranks.to_world(rank))
    }

    /// The algorithm of its barriers: the one in use, where [`Algorithm::Auto`] was asked for.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Makes progress without waiting: handles arrivals and passes on signals that others wait for.
    ///
    /// No program needs this: every call that waits or polls makes progress, and so does every send
    /// and barrier. A rank that computes for long can let others' barriers through by calling it
    /// now and then.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if a peer broke the protocol or the network failed.
    pub fn progress(&self) -> Result<()> {
        self.engine()?.progress()?;
        Ok(())
    }

    /// Counts of what this rank has done and waited for, in all its communicators together.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] if another thread is in a call of this rank's.
    pub fn stats(&self) -> Result<Stats> {
        Ok(self.engine()?.stats())
    }

    /// The name of the network.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] if another thread is in a call of this rank's.
    #[doc(hidden)]
    pub fn provider(&self) -> Result<&'static str> {
        Ok(self.engine()?.nic().attributes().provider)
    }

    /// Chooses how this rank waits from now on, in all its communicators. Other ranks may differ.
    /// At first it is [`Options::notify`](crate::Options::notify()).
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] if another thread is in a call of this rank's.
    pub fn set_notify(&self, notify: Notify) -> Result<()> {
        self.engine()?.set_notify(notify);
        Ok(())
    }

    /// The options of the world: a value for each.
    pub fn options(&self) -> Options {
        self.config().into()
    }

    /// The same for tests, which make worlds of it.
    #[doc(hidden)]
    pub fn config(&self) -> Config {
        self.home().config().clone()
    }

    /// Ends the world for this rank: completes the open barriers and hands over all messages that
    /// were posted. `failed` says that the program returned an error; then nothing is waited for,
    /// except that on a network that may lose signals it stays until no other rank can lack one.
    ///
    /// [`crate::launch()`] calls it when the closure has returned.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if a barrier that is open can never complete, because a member has ended
    /// without entering it or is lost. [`Error::Busy`] if another thread has been in a call for two seconds.
    /// [`Error::NotTheWorld`] for another communicator, which ends when it is dropped.
    pub fn end(self, failed: bool) -> Result<()> {
        match self.group {
            GroupId::WORLD => Ok(self.home().take()?.end(failed)?),
            _ => Err(Error::NotTheWorld),
        }
    }

    /// As [`end`](Comm::end), with the reason of a loss, as by [`explained`](Comm::explained).
    pub(crate) fn end_explained(&self, failed: bool) -> Result<()> {
        let mut engine = self.home().take()?;
        engine.end(failed).map_err(|error| explained(&engine, error.into()))
    }

    /// The error. That of a lost rank becomes one with the reason, if the network knows that.
    pub(crate) fn explained(&self, error: Error) -> Error {
        match self.engine() {
            Ok(engine) => explained(&engine, error),
            Err(_) => error,
        }
    }

    pub(crate) fn group_id(&self) -> GroupId {
        self.group
    }

    /// As [`config`](Comm::config), to look at.
    pub(crate) fn sizes(&self) -> &Config {
        self.home().config()
    }

    /// Whether large payloads between any two members are copied where the receiver reads them, as
    /// within a host. All members say the same.
    #[doc(hidden)]
    pub fn copies_payloads(&self) -> bool {
        self.copies_payloads
    }

    pub(crate) fn context(&self, lane: Lane) -> Context {
        Context::new(self.group, lane)
    }

    #[inline]
    pub(crate) fn engine(&self) -> Result<InUse<'_, Engine<N>>> {
        // No call of the engine calls back into the program, so this meets only other threads.
        self.visit.engine()
    }

    /// Gives up a posted receive and its message.
    pub(crate) fn discard(&self, id: RecvId) {
        self.home().leave(Leftover::Discard(id));
    }

    /// Gives back payloads of others, and a room of this rank: with the next call, if another thread is in one.
    pub(crate) fn release(&self, held: Vec<Held<N>>, room: Option<(RoomKey, RoomOf<N>)>) {
        self.home().leave(Leftover::Release(held, room));
    }

    /// Gives up what a member gives in a nonblocking collective.
    pub(crate) fn drop_given(&self, given: Contribution) {
        self.home().leave(Leftover::DropGiven(given));
    }

    /// All that was to be taken in a nonblocking collective has been given up.
    pub(crate) fn end_pending(&self, index: u64) {
        self.home().leave(Leftover::EndPending(self.group, index));
    }

    pub(crate) fn check_rank(&self, rank: Rank) -> Result<()> {
        let size = self.size();
        if rank < size { Ok(()) } else { Err(Error::RankOutOfRange { rank, size }) }
    }

    /// As [`world_rank`](Comm::world_rank), for a rank that was checked.
    pub(crate) fn to_world(&self, rank: Rank) -> Rank {
        self.ranks.to_world(rank)
    }

    /// The rank here of a member, given by its rank in the world.
    pub(crate) fn local_rank(&self, world: Rank) -> Rank {
        self.ranks.local(world)
    }

    /// The engine's description of a message, with the sender's rank here.
    pub(crate) fn local(&self, info: &Info) -> Info {
        self.ranks.local_info(info)
    }
}

fn explained<N: Nic>(engine: &Engine<N>, error: Error) -> Error {
    let Error::Message(MessageError::PeerLost { rank }) = error else { return error };
    match engine.why_gone(rank) {
        Some(why) => Error::Unreachable { rank, why },
        None => error,
    }
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for Comm<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} in {}", self.rank(), self.size(), self.group)
    }
}

impl<N: Nic> Drop for Comm<N> {
    /// Dropping is local and waits for nobody: open barriers go on, and messages for it are
    /// discarded. A world that was not ended is lost to the others, with all its communicators.
    fn drop(&mut self) {
        if self.group == GroupId::WORLD && !self.is_request {
            drop(self.home().take());
        }
    }
}
