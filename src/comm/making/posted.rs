//! `idup`: a duplicate that its members agree on while they go on.
//!
//! Keeps rules GRP-2, GRP-4, GRP-5 and END-2 of SEMANTICS.md.
//!
//! In the call each member posts its request to every other, and a receive for the request of each.
//! Nobody leads and nobody forwards, so nothing is to be done before this rank looks at the handle.
//! When all requests have come, each member computes the same group from them, and makes it here.
//!
//! # Correctness
//!
//! All members have the same requests, and so the same id, place and algorithm.
//! [`Ids`] says why no other group has that id, though others are made or
//! agreed on meanwhile, and why what comes for the group before it is made here is kept.
//!
//! A rank that drops the handle may not take its proposal back: others may have made the group. So
//! what is dropped is completed in a later call that makes a group, and dropped there as a
//! communicator is.

use std::fmt;

use super::request::Request;
use super::{CALL, GroupError, IDUP, OF_ALL, place_in};
use crate::comm::home::Leftover;
use crate::comm::pending::{Begins, BegunList, Pending, part_has_failed};
use crate::comm::tuning::Members;
use crate::comm::{Comm, HostNic};
use crate::error::{Error, Result};
use crate::message::{
    Begun, Engine, Ids, Lane, MessageError, Pattern, RecvId, SendId, Source, Tag,
};
use crate::order::{Algorithm, GroupId, Rank};
use crate::sys::thread;
use crate::verbs::Nic;

/// A duplicate that was called for with [`Comm::idup`], and is yet to be made here.
///
/// Dropping it waits for nobody. This rank has called all the same, so the others can complete. It
/// then leaves the group as one that drops a communicator does, in its next call that makes a group
/// after all have called. What others send it in the group until then counts in their windows.
///
/// It owns all that it needs. Once the world has ended it answers with [`Error::Ended`].
pub struct GroupRequest<N: Nic = HostNic> {
    /// None once [`wait`](GroupRequest::wait) has taken it.
    posted: Option<Posted<N>>,
}

/// What a rank has posted for a group, and what it knows of it.
struct Posted<N: Nic> {
    comm: Comm<N>,
    ours: Request,
    /// What follows from all that have told so far: the greatest id, and the places that each offers.
    agreed: Request,
    /// The receives of the others' requests that are yet to be taken.
    awaited: Vec<(Rank, RecvId)>,
    sent: Vec<SendId>,
}

/// A group whose request was dropped. It is made and dropped when all its members have called.
pub(in crate::comm) struct GivenUp<N: Nic>(Posted<N>);

impl<N: Nic> Comm<N> {
    /// Begins to make a group of the same ranks, as [`dup`](Comm::dup) does, and waits for nobody
    /// (MPI: `MPI_Comm_idup`). All ranks must call it. [`GroupRequest::wait`] gives the communicator
    /// when all have called. Meanwhile this rank may go on, make other groups, and call it again.
    ///
    /// With [`Algorithm::Auto`] nothing is measured: the group has the algorithm that is known for
    /// its size, or the default.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let twin = if world.rank() == 0 {
    ///         let twin = world.idup()?;
    ///         world.send(1, 7, &[1.5])?; // `dup` would wait for rank 1, which waits for this
    ///         twin
    ///     } else {
    ///         assert_eq!(world.recv::<f64>(0, 7)?.data, [1.5]);
    ///         world.idup()?
    ///     };
    ///     twin.wait()?.barrier()?.wait()
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if no further group can be made, or as by [`progress`](Comm::progress).
    pub fn idup(&self) -> Result<GroupRequest<N>> {
        let _turn = self.making_turn()?;
        let known = self.known_choices()?;
        let proposal = self.engine()?.propose_group()?;
        let ours = Request::idup(self.choice, proposal, known);
        let (agreed, comm) = (ours.clone(), self.for_request());
        let mut posted = Posted { comm, ours, agreed, awaited: Vec::new(), sent: Vec::new() };
        match posted.post() {
            Ok(()) => Ok(GroupRequest { posted: Some(posted) }),
            Err(error) => {
                posted.withdraw();
                Err(error)
            }
        }
    }
}

impl<N: Nic> GroupRequest<N> {
    /// Whether all ranks have called, so that [`wait`](GroupRequest::wait) returns at once; or one
    /// never will, which [`wait`](GroupRequest::wait) tells.
    ///
    /// # Errors
    ///
    /// As by [`Comm::progress`].
    pub fn test(&self) -> Result<bool> {
        let Some(posted) = &self.posted else { return Ok(true) };
        let mut engine = posted.comm.engine()?;
        engine.progress()?;
        Ok(posted.is_complete(&mut engine) || posted.has_failed(&mut engine, false))
    }

    /// Waits until all ranks have called, and makes the communicator. If another thread makes a
    /// group or is in a call of this rank, this one waits for that, too.
    ///
    /// # Errors
    ///
    /// [`GroupError::Disagree`] naming a rank that makes another kind of
    /// group; [`Error::Message`] if a rank has ended or is lost without having called. The handle is
    /// given up then.
    pub fn wait(mut self) -> Result<Comm<N>> {
        let Some(mut posted) = self.posted.take() else { return Err(Error::Ended) };
        loop {
            match posted.complete() {
                Err(Error::Busy) => thread::yield_now(),
                Err(error) => {
                    posted.withdraw();
                    return Err(error);
                }
                made => return made,
            }
        }
    }

    /// What it waits for, for a library on top.
    #[doc(hidden)]
    pub fn parts(&self) -> BegunList {
        self.posted.as_ref().map(Posted::parts).unwrap_or_default()
    }
}

impl<N: Nic> Posted<N> {
    /// Posts the receives first: what comes takes no room of others then.
    fn post(&mut self) -> Result<()> {
        let own = self.comm.rank();
        let others = (0..self.comm.size()).filter(|&rank| rank != own);
        for rank in others.clone() {
            let (context, pattern) = (self.comm.context(Lane::Making), self.pattern(rank, IDUP));
            self.awaited.push((rank, self.comm.engine()?.post_recv(context, pattern)?));
        }
        let request = self.ours.encode();
        for rank in others {
            self.sent.extend(self.comm.post_making_as((IDUP, 1), rank, &request)?);
        }
        Ok(())
    }

    fn parts(&self) -> BegunList {
        let recvs = self.awaited.iter().map(|&awaited| self.part(awaited));
        recvs.chain(self.sent.iter().map(|&id| Begun::Send(id))).collect()
    }

    fn part(&self, (rank, id): (Rank, RecvId)) -> Begun {
        Begun::Recv(id, Source::Rank(self.comm.to_world(rank)))
    }

    fn is_complete(&self, engine: &mut Engine<N>) -> bool {
        // A rank that has gone gets nothing, and its own request may have come.
        self.awaited.iter().all(|&(_, id)| engine.is_whole(id))
            && self.sent.iter().all(|&id| engine.is_done_or_failed(Begun::Send(id)))
    }

    /// The index of a receive that can never be complete.
    fn failed(&self, engine: &mut Engine<N>, waits: bool) -> Option<usize> {
        self.awaited.iter().position(|&awaited| part_has_failed(engine, self.part(awaited), waits))
    }

    /// The rank of one that has made another call of all before one of `idup`, and whose request has
    /// come here.
    fn differs(&self, engine: &Engine<N>) -> Option<Rank> {
        let differs = |rank| {
            let kept = engine.kept(self.comm.context(Lane::Making), self.pattern(rank, CALL));
            kept.is_some_and(|info| info.element == OF_ALL)
        };
        let of_missing = self.awaited.iter().filter(|(_, id)| !engine.has_come(*id));
        of_missing.map(|&(rank, _)| rank).find(|&rank| differs(rank))
    }

    fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool {
        self.differs(engine).is_some() || self.failed(engine, waits).is_some()
    }

    fn pattern(&self, rank: Rank, tag: u32) -> Pattern {
        Pattern { source: Source::Rank(self.comm.to_world(rank)), tag: Tag::Exactly(tag) }
    }

    /// Waits for all, and makes the group. Called again after [`Error::Busy`], it goes on where it was.
    fn complete(&mut self) -> Result<Comm<N>> {
        self.gather()?;
        let _turn = self.comm.making_turn()?;
        self.make()
    }

    /// Takes the requests as they come, so that one that disagrees is noticed whoever is late. Then
    /// waits until the own has left.
    fn gather(&mut self) -> Result<()> {
        while !self.awaited.is_empty() {
            let mut engine = self.comm.engine()?;
            let come = |engine: &mut Engine<N>| {
                let whole = self.awaited.iter().position(|&(_, id)| engine.is_whole(id));
                whole.map(Ok).or_else(|| self.differs(engine).map(Err))
            };
            let failed = |engine: &mut Engine<N>| self.failed(engine, true).map(Ok);
            let at = match engine.wait_for_any(&self.parts(), come, failed)? {
                Ok(at) => at,
                Err(rank) => {
                    drop(engine);
                    let told = self.comm.recv_making(rank)?;
                    self.learn(rank, &told)?;
                    return Err(GroupError::Unreadable { rank }.into());
                }
            };
            let (rank, id) = self.awaited[at];
            let source = Source::Rank(self.comm.to_world(rank));
            let accept = |_: &_| Ok::<_, MessageError>(());
            let told = engine.finish_recv(id, source, accept, |_, bytes| bytes.to_vec());
            drop(engine);
            // It is given back, whatever has come of it.
            self.awaited.swap_remove(at);
            self.learn(rank, &told?)?;
        }
        while let Some(&sent) = self.sent.last() {
            self.comm.hand_over(vec![Some(sent)])?;
            self.sent.pop();
        }
        Ok(())
    }

    /// Takes in what a rank has told; an error if it differs.
    fn learn(&mut self, rank: Rank, told: &[u8]) -> Result<()> {
        let theirs = self.ours.read(rank, told, self.comm.size())?;
        let size = self.comm.home().size();
        if !Ids::may_propose(self.comm.to_world(rank), size, theirs.next) {
            return Err(GroupError::Unreadable { rank }.into());
        }
        self.agreed.next = self.agreed.next.max(theirs.next);
        self.agreed.free &= theirs.free;
        self.agreed.known.learn_from(&theirs.known);
        Ok(())
    }

    /// Makes the group, of which all is known; the caller has the turn.
    fn make(&self) -> Result<Comm<N>> {
        let (comm, Request { next: id, free, known, .. }) = (&self.comm, &self.agreed);
        let ranks: Vec<Rank> = (0..comm.size()).collect();
        let members = Members { ranks: &ranks, own: comm.rank() };
        let choice = self.ours.algorithm;
        let algorithm = match choice {
            Algorithm::Auto => known.known(comm.size()).unwrap_or_default(),
            algorithm => algorithm,
        };
        let made = comm.make_as(*id, place_in(*free), members, choice, algorithm)?;
        // Not refused, where another thread is in a call: the group is made.
        comm.home().leave(Leftover::Settle(self.proposal()));
        Ok(made)
    }

    fn proposal(&self) -> GroupId {
        self.ours.next
    }

    /// The group will not be made here. What comes for its making is discarded.
    fn withdraw(&mut self) {
        self.awaited.drain(..).for_each(|(_, id)| self.comm.discard(id));
        self.comm.home().leave(Leftover::Settle(self.proposal()));
    }
}

impl<N: Nic> GivenUp<N> {
    /// Makes and drops the group, or withdraws from it, if all have called or one cannot; the caller
    /// has the turn. Else gives it back.
    pub(in crate::comm) fn completed(mut self) -> Option<GivenUp<N>> {
        let posted = &mut self.0;
        let is_over = posted.comm.engine().map(|mut engine| {
            posted.is_complete(&mut engine) || posted.has_failed(&mut engine, false)
        });
        match is_over {
            Ok(true) => match posted.gather().and_then(|()| posted.make()) {
                Err(Error::Busy) => Some(self),
                Err(_) => {
                    posted.withdraw();
                    None
                }
                Ok(_) => None,
            },
            Ok(false) | Err(Error::Busy) => Some(self),
            Err(_) => None,
        }
    }
}

impl<N: Nic> Pending<N> for GroupRequest<N> {}

impl<N: Nic> Begins<N> for GroupRequest<N> {
    fn is_of(&self, comm: &Comm<N>) -> bool {
        self.posted.as_ref().is_none_or(|posted| posted.comm.is_of_rank_of(comm))
    }

    fn list(&self, begun: &mut BegunList) {
        begun.extend(self.parts());
    }

    fn is_complete(&self, engine: &mut Engine<N>) -> bool {
        self.posted.as_ref().is_none_or(|posted| posted.is_complete(engine))
    }

    fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool {
        self.posted.as_ref().is_some_and(|posted| posted.has_failed(engine, waits))
    }
}

impl<N: Nic> Drop for GroupRequest<N> {
    fn drop(&mut self) {
        if let Some(posted) = self.posted.take() {
            let home = posted.comm.home().clone();
            home.give_up(GivenUp(posted));
        }
    }
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for GroupRequest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.posted {
            Some(Posted { comm, awaited, .. }) => {
                write!(f, "a duplicate of {comm:?}, {} requests to come", awaited.len())
            }
            None => write!(f, "a duplicate that was made"),
        }
    }
}
