//! Groups made out of a communicator: `split`, `dup` and `group`.
//!
//! Keeps rules GRP-2 and GRP-4 of SEMANTICS.md.
//!
//! Making a group is a collective on stamped messages in a lane of its own, so it keeps to its
//! superstep like any other. All ranks of a communicator take part in a split: its rank 0 gathers
//! their requests, and sends all of them the same table. Only the members take part in `group`:
//! each sends its list to every other, so that a rank with another list is noticed and named.
//! `idup` waits for nobody in its call ([`posted`]).
//!
//! # Correctness
//!
//! The members agree on an id that none of them has seen. In a call that waits it is the greatest of
//! the lowest ids that each of them could still use, and a rank makes such groups one after the
//! other. [`Ids`](crate::message::Ids) says why no id is used twice, though groups of `idup` are
//! agreed on meanwhile. A dropped group leaves no state behind.
//!
//! All ranks make splits, duplicates and calls of `idup` in the same order, so a split takes the
//! first message from a rank, whatever it is. A call of `group` and one of `idup` may come in any
//! order, as only the members make the former. So messages of `idup` have a tag of their own.

#[cfg(fuzzing)]
pub mod fuzzing;
mod plan;
mod posted;
mod request;

pub(super) use posted::GivenUp;
pub use posted::GroupRequest;

use super::Comm;
use super::ranks::Ranks;
use super::tuning::Members;
use crate::error::{Error, Result};
use crate::message::{Envelope, Lane, MessageError, Pattern, SendId, Source, Tag};
use crate::order::{Algorithm, GroupId, Rank};
use crate::sys::shared::Exclusive;
use crate::tune::choices::Choices;
use crate::verbs::Nic;
use plan::{Gone, NoPlan, Plan, Split};
use request::{Kind, Request};

/// The tags of this lane: of calls that wait, and of `idup`.
const CALL: u32 = 0;
const IDUP: u32 = 1;

/// The size of elements in the request of a call that all ranks make and that waits: by it a rank in
/// `idup` knows such a request from one for a list.
const OF_ALL: u8 = 2;

/// A group cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// A rank is listed twice.
    #[error("rank {0} is listed twice among the members")]
    Twice(Rank),
    /// The calling rank is not listed.
    #[error("this rank ({0}) is not in the list of members")]
    WithoutCaller(Rank),
    /// The ranks made different requests. No further group may be made out of this communicator.
    #[error("the ranks disagree about the group: rank {rank} wants {theirs}; here it is {ours}")]
    Disagree {
        /// A rank with a different request; in a split, the first that differs from rank 0.
        rank: Rank,
        /// The request of that rank.
        theirs: String,
        /// The request of this rank; in a split, that of rank 0.
        ours: String,
    },
    /// A rank sent a message that is no request for a group.
    #[error("rank {rank} sent no valid request while a group was being created")]
    Unreadable {
        /// The rank.
        rank: Rank,
    },
}

impl<N: Nic> Comm<N> {
    /// Splits the ranks into groups, one for each `color` (MPI: `MPI_Comm_split`). The ranks of a
    /// group are ordered by `key`, and by their rank here where keys are equal. All ranks must call
    /// it. Each gets the communicator of its color, with this one's barrier algorithm and tree.
    /// With [`Algorithm::Auto`] the group chooses its own algorithm, unless one is known for its
    /// size.
    ///
    /// Messages of different communicators never mix, and their barriers are independent, with one
    /// exception: other ranks must not notice through one communicator that a rank has run ahead of
    /// a barrier of another. Messages that could tell them wait (rules CON-1 to CON-3 of
    /// SEMANTICS.md).
    ///
    /// Dropping a communicator is local, waits for no rank, and may happen with barriers open.
    ///
    /// ```
    /// runahead::launch(4, |world| {
    ///     let row = world.split(world.rank() as u32 / 2, 0)?;
    ///     let column = world.split(world.rank() as u32 % 2, 0)?;
    ///     row.barrier()?;
    ///     column.barrier()?;
    ///     assert_eq!((row.size(), row.rank()), (2, world.rank() % 2));
    ///     assert_eq!((column.size(), column.rank()), (2, world.rank() / 2));
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`GroupError::Disagree`] if a rank made another kind of group; [`Error::Message`] if a rank
    /// has ended or is lost.
    pub fn split(&self, color: u32, key: i64) -> Result<Comm<N>> {
        let split = self.split_as(Request::split(Some(color), key, self.choice))?;
        split.ok_or(Error::Group(GroupError::WithoutCaller(self.rank())))
    }

    /// As [`split`](Comm::split), where a rank may also ask for no group (MPI: the color
    /// `MPI_UNDEFINED`) and gets None. Some ranks may call this and others `split`.
    ///
    /// # Errors
    ///
    /// As by [`split`](Comm::split).
    pub fn split_some(&self, color: Option<u32>, key: i64) -> Result<Option<Comm<N>>> {
        self.split_as(Request::split(color, key, self.choice))
    }

    /// Makes a group of the same ranks, with messages and barriers of its own (MPI:
    /// `MPI_Comm_dup`). All ranks must call it.
    ///
    /// # Errors
    ///
    /// As by [`split`](Comm::split).
    pub fn dup(&self) -> Result<Comm<N>> {
        self.dup_with(self.choice)
    }

    /// As [`dup`](Comm::dup), with barriers by `algorithm`, which must be the same at all ranks.
    ///
    /// # Errors
    ///
    /// As by [`split`](Comm::split).
    pub fn dup_with(&self, algorithm: Algorithm) -> Result<Comm<N>> {
        let same = self.split_as(Request::dup(algorithm))?;
        same.ok_or(Error::Group(GroupError::WithoutCaller(self.rank())))
    }

    /// Makes the group of these ranks, in this order (MPI: `MPI_Comm_create_group`). Only the
    /// members call it, all with the same list. Ranks that two lists share must make both calls in
    /// the same order.
    ///
    /// # Errors
    ///
    /// [`Error::RankOutOfRange`], [`GroupError::Twice`] and [`GroupError::WithoutCaller`] for the
    /// list, before any message is sent; [`GroupError::Disagree`] naming a rank with another list,
    /// or that made another kind of group; [`Error::Message`] if a rank has ended or is lost.
    pub fn group(&self, ranks: &[Rank]) -> Result<Comm<N>> {
        let mut seen = vec![false; self.size()];
        for &rank in ranks {
            self.check_rank(rank)?;
            if std::mem::replace(&mut seen[rank], true) {
                return Err(GroupError::Twice(rank).into());
            }
        }
        let own = ranks.iter().position(|&rank| rank == self.rank());
        let own = own.ok_or(GroupError::WithoutCaller(self.rank()))?;
        let _turn = self.making_turn()?;
        let (next, free) = self.unused()?;
        let known = self.known_choices()?;
        let request = Request { free, known, ..Request::group(ranks, self.choice, next) };
        let others = || ranks.iter().copied().filter(|&rank| rank != self.rank());
        let mut posted = Vec::with_capacity(ranks.len());
        for other in others() {
            posted.push(self.post_making(other, &request.encode())?);
        }
        let (mut id, mut free, mut known) = (next, free, Choices::default());
        for &rank in ranks {
            if rank == self.rank() {
                known.learn_from(&request.known);
                continue;
            }
            let theirs = request.read(rank, &self.recv_making(rank)?, self.size())?;
            id = id.max(theirs.next);
            free &= theirs.free;
            known.learn_from(&theirs.known);
        }
        self.hand_over(posted)?;
        let place = place_in(free);
        self.make(id, place, Members { ranks, own }, self.choice, &known)
    }

    /// The turn of a call that makes a group; see [`Home::making`](super::home::Home::making).
    /// Completes what was given up and can be completed.
    pub(super) fn making_turn(&self) -> Result<Exclusive<'_, ()>> {
        let turn = self.home().making()?;
        self.home().complete_given_up();
        Ok(turn)
    }

    /// Gathers the requests at rank 0. It receives from every rank even after an error, so that no
    /// message of this call is left for the next.
    ///
    /// Returns, by rank, the tag of the call for which the answer is.
    fn gather_requests(&self, request: &Request) -> Result<(Split, Vec<u32>)> {
        let mut tags = vec![CALL; self.size()];
        let mut requests = vec![request.clone()];
        let mut lacking = None;
        for (other, tag) in tags.iter_mut().enumerate().skip(1) {
            match self.recv_request(other) {
                Ok(request) => {
                    *tag = request.kind.tag();
                    requests.push(request);
                }
                Err(error) => {
                    let gone = match &error {
                        Error::Message(MessageError::PeerLost { .. }) => Gone::Lost,
                        Error::Message(MessageError::PeerEnded { failed: true, .. }) => {
                            Gone::Failed
                        }
                        Error::Message(MessageError::PeerEnded { .. }) => Gone::Ended,
                        _ => return Err(error),
                    };
                    lacking.get_or_insert(Split::Lacking { rank: other, gone });
                }
            }
        }
        Ok((lacking.unwrap_or_else(|| Split::of(&requests)), tags))
    }

    fn split_as(&self, request: Request) -> Result<Option<Comm<N>>> {
        let _turn = self.making_turn()?;
        let ((next, free), known) = (self.unused()?, self.known_choices()?);
        let request = Request { next, free, known, ..request };
        let (rank, size) = (self.rank(), self.size());
        let split = if rank == 0 {
            let (split, tags) = self.gather_requests(&request)?;
            let told = split.encode();
            let posted = (1..size).map(|other| self.post_making_as((tags[other], 1), other, &told));
            self.hand_over(posted.collect::<Result<Vec<_>>>()?)?;
            split
        } else {
            self.post_making_as((CALL, OF_ALL), 0, &request.encode())?;
            let told = self.recv_first(0)?;
            match (Split::decode(&told, size), Request::decode(&told)) {
                (Some(split), _) => split,
                (None, Some(theirs)) => {
                    if theirs.kind == Kind::Idup {
                        self.tell_others(&request)?;
                    }
                    return Err(request.disagree(0, theirs.describe()).into());
                }
                (None, None) => return Err(GroupError::Unreadable { rank: 0 }.into()),
            }
        };
        let Plan { id, members, next } =
            split.plan_for(rank, size).map_err(|why| self.refused(why))?;
        let made = match members {
            Some((ranks, own)) => {
                let members = Members { ranks: &ranks, own };
                let place = place_in(split.free());
                Some(self.make(id, place, members, request.algorithm, &split.known())?)
            }
            None => None,
        };
        self.engine()?.handle_ids_used(next)?;
        Ok(made)
    }

    /// Tells the others, who have called `idup`, of this rank's other request.
    fn tell_others(&self, request: &Request) -> Result<()> {
        // Rank 0 has the request.
        let mut others = (1..self.size()).filter(|&rank| rank != self.rank());
        let told = request.encode();
        others.try_for_each(|other| self.post_making_as((IDUP, 1), other, &told).map(drop))
    }

    /// The error of a split that made no group.
    fn refused(&self, why: NoPlan) -> Error {
        let (rank, failed) = match why {
            NoPlan::Disagree(error) => return error.into(),
            NoPlan::Lacking(rank, Gone::Lost) => {
                return MessageError::PeerLost { rank: self.to_world(rank) }.into();
            }
            NoPlan::Lacking(rank, gone) => (rank, gone == Gone::Failed),
        };
        MessageError::PeerEnded { rank: self.to_world(rank), failed }.into()
    }

    /// Makes the group whose members have agreed on an id, a place on the board, a choice of
    /// algorithm and the choices that are known.
    fn make(
        &self,
        id: GroupId,
        place: Option<usize>,
        members: Members,
        choice: Algorithm,
        known: &Choices,
    ) -> Result<Comm<N>> {
        let (id, algorithm) = match choice {
            Algorithm::Auto => self.choose(id, place, members, known)?,
            algorithm => (id, algorithm),
        };
        self.make_as(id, place, members, choice, algorithm)
    }

    /// As [`make`](Comm::make), with an algorithm that is chosen. A group without a place sends its
    /// signals as messages.
    pub(super) fn make_as(
        &self,
        id: GroupId,
        place: Option<usize>,
        members: Members,
        choice: Algorithm,
        algorithm: Algorithm,
    ) -> Result<Comm<N>> {
        let world: Vec<Rank> = members.ranks.iter().map(|&rank| self.to_world(rank)).collect();
        let mut engine = self.engine()?;
        let algorithm = engine.add_group(id, &world, algorithm, place)?;
        let deposits = engine.deposits_in(id);
        drop(engine);
        let ranks = Ranks::listed(&world, members.own);
        let made = Comm::of(self.home().clone(), id, ranks, (choice, algorithm), deposits);
        made.set_tree(self.tree());
        made.set_shape_rules(self.shape_rules());
        Ok(made)
    }

    /// The lowest id that this rank can use for a new group, and its free places (of the board or
    /// of cells), one bit for each.
    pub(super) fn unused(&self) -> Result<(GroupId, u64)> {
        let engine = self.engine()?;
        Ok((engine.next_group(), engine.free_places()))
    }

    /// Posts a message of group creation; None if its receiver has gone. That rank may have sent
    /// its own request before; if not, the receive that follows fails.
    pub(super) fn post_making(&self, to: Rank, bytes: &[u8]) -> Result<Option<SendId>> {
        self.post_making_as((CALL, 1), to, bytes)
    }

    fn post_making_as(
        &self,
        (tag, element): (u32, u8),
        to: Rank,
        bytes: &[u8],
    ) -> Result<Option<SendId>> {
        let envelope = Envelope { context: self.context(Lane::Making), tag, element };
        match self.engine()?.post_send(self.to_world(to), envelope, bytes) {
            Ok(posted) => Ok(Some(posted)),
            Err(MessageError::PeerEnded { .. } | MessageError::PeerLost { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until all posted messages have left: the others wait for them, and this rank may
    /// compute for long after it returns. The receivers are in the same call and receive earlier
    /// messages, so there will be room. On a network that is not causal, the credit for that room
    /// may arrive after later messages of the receiver.
    pub(super) fn hand_over(&self, posted: Vec<Option<SendId>>) -> Result<()> {
        for posted in posted.into_iter().flatten() {
            match self.engine()?.wait_sent(posted) {
                Ok(()) => {}
                Err(MessageError::PeerEnded { .. } | MessageError::PeerLost { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(super) fn recv_making(&self, from: Rank) -> Result<Vec<u8>> {
        self.recv_as(Tag::Exactly(CALL), from)
    }

    /// The first message, also of a rank that has called `idup` instead.
    fn recv_first(&self, from: Rank) -> Result<Vec<u8>> {
        self.recv_as(Tag::Any, from)
    }

    fn recv_as(&self, tag: Tag, from: Rank) -> Result<Vec<u8>> {
        let source = Source::Rank(self.to_world(from));
        let pattern = Pattern { source, tag };
        let context = self.context(Lane::Making);
        self.engine()?.recv(context, pattern, |_| Ok(()), |_, bytes| bytes.to_vec())
    }

    fn recv_request(&self, from: Rank) -> Result<Request> {
        let request = Request::decode(&self.recv_first(from)?);
        Ok(request.ok_or(GroupError::Unreadable { rank: from })?)
    }
}

/// The place that the members agree on: the lowest that is `free` at all of them.
pub(super) fn place_in(free: u64) -> Option<usize> {
    places_in(free).next()
}

/// All places whose bit in `free` is set, lowest first.
pub(super) fn places_in(free: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |place| free >> place & 1 == 1)
}

impl Kind {
    fn tag(self) -> u32 {
        match self {
            Kind::Idup => IDUP,
            Kind::Split | Kind::Dup | Kind::Group => CALL,
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Kind::Split => "a split",
            Kind::Dup => "a duplicate",
            Kind::Group => "a group",
            Kind::Idup => "a nonblocking duplicate",
        }
    }
}
