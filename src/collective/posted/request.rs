//! The handle of a nonblocking collective.
//!
//! Keeps rules COL-3, COL-4, COL-8, END-2 and SAFE-1 of SEMANTICS.md.

use std::fmt;

use smallvec::SmallVec;

use super::Assembly;
use super::edge::Posting;
use super::records::{Record, Records};
use super::sharing::Sharing;
use super::underway::{Takes, Underway, never_comes};
use crate::collective::call::Call;
use crate::collective::calls::is_later;
use crate::comm::pending::{Begins, BegunList, part_has_failed};
use crate::comm::{Comm, HostNic, Pending};
use crate::error::{Error, Result};
use crate::message::{Begun, Came, Contribution, Engine, MemberSet};
use crate::order::Rank;
use crate::sys::thread;
use crate::verbs::Nic;

/// A collective that was called, and whose messages are all posted. `A` says how the data are
/// assembled: [`wait`](CollectiveRequest::wait) returns its [`Assembly::Output`].
///
/// Several may be pending at once, and you may complete them in any order. Dropping one is not an
/// error: this rank's messages are sent, and those of others are discarded. Only
/// [`wait`](CollectiveRequest::wait) bounds the queue. As with [`Comm::isend`], a program that only
/// calls keeps a copy of everything for which its receivers have no room yet.
pub struct CollectiveRequest<A: Assembly, N: Nic = HostNic>(Record<A, N>);

impl<A: Assembly, N: Nic> CollectiveRequest<A, N> {
    /// Makes a call: posts all that this rank gives, with `post`, and a receive for each of `count` ranks from
    /// `first` on. The ranks' data are taken in this order.
    pub(super) fn start(
        comm: &Comm<N>,
        call: Call,
        assembly: A,
        from: (Rank, usize),
        post: impl FnOnce(&mut Posting<'_, N>, &A) -> Result<()>,
    ) -> Result<Self> {
        CollectiveRequest::start_in(&Records::new(), comm, call, assembly, from, post)
    }

    /// As [`start`](CollectiveRequest::start), with a record of these.
    pub(super) fn start_in(
        records: &Records<A, N>,
        comm: &Comm<N>,
        mut call: Call,
        mut assembly: A,
        (first, count): (Rank, usize),
        post: impl FnOnce(&mut Posting<'_, N>, &A) -> Result<()>,
    ) -> Result<Self> {
        let (rank, size) = (comm.rank(), comm.size());
        let own_place = (rank + size - first) % size;
        let own_at = (own_place < count).then(|| count - 1 - own_place);
        let mut engine = comm.engine()?;
        call.index = comm.collectives.next_index();
        call.number = call.index as u32;
        let (element, bytes) = (assembly.shared_element(), assembly.expected_bytes(rank));
        let sharing = Sharing::of(comm, &call, element, bytes).map(|it| records.placed(it));
        let sent = SmallVec::new();
        let mut posting = Posting { comm, call, engine: &mut engine, sent, sharing };
        let posted = post(&mut posting, &assembly);
        // Also if a message could not be posted: what arrives nevertheless must be discarded.
        let mut has_memory = call.stays;
        let all = (0..count).map(|nth| (nth, (first + nth) % size));
        let awaited = all.filter(|&(_, from)| from != rank).map(|(nth, from)| {
            let room = assembly.room(nth, comm.eager_bytes());
            has_memory |= room.is_some();
            // SAFETY: an assembly has a room until the call is over. A call that is dropped gives up what it awaits.
            unsafe { posting.await_from(from, room) }
        });
        let awaited: SmallVec<[Contribution; 4]> = awaited.collect();
        let (sent, sharing) = (std::mem::take(&mut posting.sent), posting.sharing.take());
        drop(posting);
        let members = awaited.iter().map(|given| given.member);
        let of = members.fold(MemberSet::NONE, MemberSet::with);
        engine.begin_pending(comm.group_id(), (call.index, of));
        // A call that has memory of the program looks when it has its record, which gives that back whatever happens.
        let looks_later = has_memory && !awaited.is_empty();
        let taken_in = match awaited.is_empty() || looks_later {
            true => Ok(false),
            false => engine.progress(),
        };
        drop(engine);
        let takes = Takes { awaited, own_at, sharing };
        let this = Underway::new(comm, call, assembly, takes, sent);
        let this = CollectiveRequest(records.take(this));
        posted.and(taken_in.map_err(Error::from))?;
        if looks_later {
            match comm.engine() {
                Ok(mut engine) => drop(engine.progress()?),
                // Another thread looks.
                Err(Error::Busy) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(this)
    }

    /// As [`start_in`](CollectiveRequest::start_in), where nothing is taken. None if all that this rank gives has left.
    pub(super) fn give_in(
        records: &Records<A, N>,
        comm: &Comm<N>,
        mut call: Call,
        assembly: A,
        post: impl FnOnce(&mut Posting<'_, N>) -> Result<()>,
    ) -> Result<Option<Self>> {
        let mut engine = comm.engine()?;
        call.index = comm.collectives.next_index();
        call.number = call.index as u32;
        let sent = SmallVec::new();
        let mut posting = Posting { comm, call, engine: &mut engine, sent, sharing: None };
        let posted = post(&mut posting);
        let sent = std::mem::take(&mut posting.sent);
        drop(posting);
        drop(engine);
        if posted.is_ok() && sent.is_empty() {
            return Ok(None);
        }
        // Also if a message could not be posted: of the others the program has back what was lent.
        let this = Underway::new(comm, call, assembly, Takes::default(), sent);
        let this = CollectiveRequest(records.take(this));
        posted.map(|()| Some(this))
    }

    /// Whether all data have arrived, so that [`wait`](CollectiveRequest::wait) returns at once.
    /// Combines the data that have arrived so far; where ranks combine for each other, all when the last have arrived.
    ///
    /// # Errors
    ///
    /// As for [`wait`](CollectiveRequest::wait). After a mismatch it returns the same error again.
    pub fn test(&mut self) -> Result<bool> {
        self.underway_mut().test()
    }

    /// Waits for the result. Combines the data here, in the order that the call states.
    ///
    /// A rank that only sends waits in three cases only: while a receiver's window is full, while
    /// four payloads above the eager limit wait for that receiver already, or for open barriers of
    /// groups to which the receiver does not belong.
    ///
    /// The handle is consumed in any case. If another thread is in a call of this rank, this one
    /// therefore waits for its end instead of failing with [`Error::Busy`]: the result would be
    /// lost. (Do not call it from within a call of this rank, for example in an operator: it would
    /// wait for ever.)
    ///
    /// # Errors
    ///
    /// [`CollectiveError::Mismatch`](crate::CollectiveError::Mismatch) naming a rank that called something else, or with other
    /// arguments; [`Error::Message`] if a rank that this one needs has ended or is lost.
    pub fn wait(mut self) -> Result<A::Output> {
        self.finish()
    }

    /// As [`wait`](CollectiveRequest::wait). Its record is one of these afterwards.
    ///
    /// # Errors
    ///
    /// As by [`wait`](CollectiveRequest::wait).
    #[doc(hidden)]
    pub fn wait_in(mut self, records: &Records<A, N>) -> Result<A::Output> {
        let output = self.finish();
        records.keep(self.0);
        output
    }

    fn finish(&mut self) -> Result<A::Output> {
        let underway = self.underway_mut();
        loop {
            match underway.complete() {
                Err(Error::Busy) => thread::yield_now(),
                complete => break complete?,
            }
        }
        let assembly = underway.assembly.take();
        Ok(assembly.expect("the output is handed over once").finish())
    }

    fn underway(&self) -> &Underway<A, N> {
        (*self.0).as_ref().expect("the record is there until the call is over")
    }

    fn underway_mut(&mut self) -> &mut Underway<A, N> {
        (*self.0).as_mut().expect("the record is there until the call is over")
    }
}

impl<A: Assembly, N: Nic> Pending<N> for CollectiveRequest<A, N> {}

impl<A: Assembly, N: Nic> Begins<N> for CollectiveRequest<A, N> {
    fn is_of(&self, comm: &Comm<N>) -> bool {
        self.underway().comm.is_of_rank_of(comm)
    }

    fn list(&self, begun: &mut BegunList) {
        let this = self.underway();
        begun.extend(this.unforgotten().iter().map(|sent| Begun::Send(sent.id)));
        begun.extend(this.rest().iter().copied().map(Begun::Contribution));
    }

    fn is_complete(&self, engine: &mut Engine<N>) -> bool {
        let this = self.underway();
        this.failed.is_some()
            || this.rest().iter().all(|&next| engine.is_done(Begun::Contribution(next)))
                && this.unforgotten().iter().all(|sent| {
                    // Another thread that keeps pieces just now is a reason to look again.
                    this.comm.may_leave_behind(engine, sent).unwrap_or(false)
                })
    }

    fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool {
        let this = self.underway();
        let (all, number) = (this.rest(), this.call.number);
        let context = this.comm.collective_context();
        let mut begun = BegunList::new();
        self.list(&mut begun);
        let is_overtaken = |engine: &Engine<N>| {
            let never = engine.is_any_never_given(context, all, |tag| is_later(tag, number), waits);
            matches!(never, Some(Came::Overtaken { .. }))
        };
        let is_heard = |engine: &Engine<N>| {
            this.heard_later(engine).or_else(|| this.given_later(engine, waits))
        };
        // What fails here fails in the call that waits.
        never_comes(engine, Engine::progress, is_heard).is_ok_and(|heard| heard.is_some())
            || is_overtaken(engine)
            || begun.into_iter().any(|part| part_has_failed(engine, part, waits))
    }
}

// Not derived: that would require a network that is `Debug`.
impl<A: Assembly, N: Nic> fmt::Debug for CollectiveRequest<A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Underway { call: Call { kind, number, .. }, comm, .. } = self.underway();
        write!(f, "{kind}, number {number}, of {comm:?}")
    }
}
