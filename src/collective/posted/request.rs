//! The handle of a nonblocking collective.
//!
//! Keeps rules COL-3, COL-4, COL-8, END-2 and SAFE-1 of SEMANTICS.md.

use std::fmt;

use smallvec::SmallVec;

use super::Assembly;
use super::edge::{AllSent, Posting, Sent};
use super::records::{Record, Records};
use crate::collective::CollectiveError;
use crate::collective::call::Call;
use crate::collective::calls::is_later;
use crate::collective::edge::BEGINS;
use crate::comm::pending::{Begins, BegunList, part_has_failed};
use crate::comm::{Comm, HostNic, Pending};
use crate::error::{Error, Result};
use crate::message::{Begun, Came, Contribution, Engine, MemberSet};
use crate::order::Rank;
use crate::sys::thread;
use crate::verbs::Nic;

/// The way by which the next member has given.
#[derive(Clone, Copy)]
enum Way {
    Message,
    Deposit,
}

/// A collective that was called, and whose messages are all posted. `A` says how the data are
/// assembled: [`wait`](CollectiveRequest::wait) returns its [`Assembly::Output`].
///
/// Several may be pending at once, and you may complete them in any order. Dropping one is not an
/// error: this rank's messages are sent, and those of others are discarded. Only
/// [`wait`](CollectiveRequest::wait) bounds the queue. As with [`Comm::isend`], a program that only
/// calls keeps a copy of everything for which its receivers have no room yet.
pub struct CollectiveRequest<A: Assembly, N: Nic = HostNic>(Record<A, N>);

/// A call that is under way. It is large, and stays where it is.
pub(super) struct Underway<A: Assembly, N: Nic> {
    comm: Comm<N>,
    call: Call,
    /// None once the output was returned.
    assembly: Option<A>,
    /// What is taken, in this order; so many were.
    awaited: SmallVec<[Contribution; 4]>,
    taken: usize,
    /// This rank's own data are taken when only so much is outstanding.
    own_at: Option<usize>,
    /// What was sent and had not left at once. The first of them were forgotten.
    sent: AllSent,
    forgotten: usize,
    /// A mismatch that was noticed. It is permanent.
    failed: Option<CollectiveError>,
}

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
        assembly: A,
        (first, count): (Rank, usize),
        post: impl FnOnce(&mut Posting<'_, N>, &A) -> Result<()>,
    ) -> Result<Self> {
        let (rank, size) = (comm.rank(), comm.size());
        let own_place = (rank + size - first) % size;
        let own_at = (own_place < count).then(|| count - 1 - own_place);
        let mut engine = comm.engine()?;
        call.index = comm.collectives.next_index();
        call.number = call.index as u32;
        let mut posting = Posting { comm, call, engine: &mut engine, sent: SmallVec::new() };
        let posted = post(&mut posting, &assembly);
        // Also if a message could not be posted: what arrives nevertheless must be discarded.
        let others = (0..count).map(|place| (first + place) % size).filter(|&from| from != rank);
        let awaited: SmallVec<[Contribution; 4]> =
            others.map(|from| posting.await_from(from)).collect();
        let sent = posting.sent;
        let members = awaited.iter().map(|given| given.member);
        let of = members.fold(MemberSet::NONE, MemberSet::with);
        engine.begin_pending(comm.group_id(), (call.index, of));
        let taken_in = if awaited.is_empty() { Ok(false) } else { engine.progress() };
        drop(engine);
        let assembly = Some(assembly);
        let comm = comm.for_request();
        let (taken, forgotten, failed) = (0, 0, None);
        let this =
            Underway { comm, call, assembly, awaited, taken, own_at, sent, forgotten, failed };
        let this = CollectiveRequest(records.take(this));
        posted.and(taken_in.map_err(Error::from)).map(|_| this)
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
        let mut posting = Posting { comm, call, engine: &mut engine, sent: SmallVec::new() };
        let posted = post(&mut posting);
        let sent = posting.sent;
        drop(engine);
        posted?;
        if sent.is_empty() {
            return Ok(None);
        }
        let (comm, assembly) = (comm.for_request(), Some(assembly));
        let (awaited, taken, forgotten) = (SmallVec::new(), 0, 0);
        let (own_at, failed) = (None, None);
        let this =
            Underway { comm, call, assembly, awaited, taken, own_at, sent, forgotten, failed };
        Ok(Some(CollectiveRequest(records.take(this))))
    }

    /// Whether all data have arrived, so that [`wait`](CollectiveRequest::wait) returns at once.
    /// Combines the data that have arrived so far.
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
    /// [`CollectiveError::Mismatch`] naming a rank that called something else, or with other
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

impl<A: Assembly, N: Nic> Underway<A, N> {
    fn test(&mut self) -> Result<bool> {
        if !self.advance(false)? {
            return Ok(false);
        }
        let mut engine = self.comm.engine()?;
        for sent in self.unforgotten() {
            let has_left = engine.is_sent(sent.id) || engine.test_sent(sent.id)?;
            if !has_left && !self.comm.may_leave_behind(&engine, sent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Waits for all receives, and until all sent messages may be forgotten. Called again, it
    /// continues where it was.
    fn complete(&mut self) -> Result<()> {
        while !self.advance(true)? {}
        while let Some(sent) = self.unforgotten().first() {
            self.comm.leave_behind(sent)?;
            self.forgotten += 1;
        }
        Ok(())
    }

    /// Takes what has come, in order, or `waits` for it. Returns whether all was taken.
    fn advance(&mut self, waits: bool) -> Result<bool> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone().into());
        }
        loop {
            if self.own_at == Some(self.rest().len()) {
                self.own_at = None;
                self.assembly_mut().take_own();
            }
            let Some(&next) = self.rest().first() else { return Ok(true) };
            let came = self.look(next, waits);
            let Some(way) = self.remember(came)? else { return Ok(false) };
            let taken = self.take(next, way);
            if !self.remember(taken)? {
                return Ok(false);
            }
            self.assembly_mut().combine();
        }
    }

    /// Whether the next member has given all that it owes, and how. It may be taken then.
    fn look(&self, next: Contribution, waits: bool) -> Result<Option<Way>> {
        let (comm, number) = (&self.comm, self.call.number);
        let mut engine = if waits { comm.engine_in(&self.call)? } else { comm.engine()? };
        if engine.is_whole(next.id) {
            return Ok(Some(Way::Message));
        }
        if engine.is_given_here(next) {
            return Ok(Some(Way::Deposit));
        }
        let heard = never_comes(&mut *engine, Engine::progress, |engine| self.heard_later(engine))?;
        heard.map_or(Ok(()), |(from, tag)| Err(self.call.other_number(from, tag)))?;
        let all = self.rest();
        let overtakes = |tag| is_later(tag, number);
        let came = match waits {
            true => Some(engine.wait_given(comm.collective_context(), all, overtakes)?),
            false => engine.test_given(comm.collective_context(), all, overtakes)?,
        };
        match came {
            None => Ok(None),
            Some(Came::Whole) => Ok(Some(Way::Message)),
            Some(Came::Deposited) => Ok(Some(Way::Deposit)),
            Some(Came::Overtaken { from, tag }) => {
                Err(self.call.other_number(comm.local_rank(from), tag))
            }
            Some(Came::Later) => {
                let later = |engine: &Engine<N>| self.given_later(engine, waits);
                match never_comes(&mut *engine, Engine::progress, later)? {
                    Some((from, tag)) => Err(self.call.other_number(from, tag)),
                    None => Ok(None),
                }
            }
        }
    }

    /// Takes what the next member has given. False if it is not there after all.
    fn take(&mut self, next: Contribution, way: Way) -> Result<bool> {
        let Underway { comm, call, assembly, .. } = self;
        let mut engine = comm.engine()?;
        let kept = engine.first_kept(comm.collective_context(), next.from);
        let assembly = assembly.as_mut().expect("the output is handed over at the end");
        let mut accept =
            |element, message: &[u8]| accept(comm, call, assembly, (next.member, element), message);
        let accepted = match way {
            Way::Message => match engine.read_posted(next.id, accept) {
                Some(accepted) => accepted,
                None => return Ok(false),
            },
            Way::Deposit => {
                let left_over = |before| call.other_number(next.member, before as u32);
                engine.take_given(next, left_over, |message| accept(BEGINS, message))?
            }
        };
        self.taken += 1;
        if self.taken == self.awaited.len() {
            // Before the program's operator is called, which may call collectives.
            engine.end_pending(comm.group_id(), call.index);
        }
        // Left over from an earlier call, on which the two ranks disagree.
        match kept.filter(|&tag| is_later(call.number, tag)) {
            Some(tag) => Err(call.other_number(next.member, tag)),
            None => accepted.map(|()| true),
        }
    }

    /// A rank of which something was taken in a later call, with that call's number, while it has not given
    /// what it owes in this one.
    fn heard_later(&self, engine: &Engine<N>) -> Option<(Rank, u32)> {
        self.rest().iter().filter(|next| !engine.has_come(next.id)).find_map(|next| {
            let newest = self.comm.collectives.newest_heard(next.member);
            let later = newest.filter(|&tag| is_later(tag, self.call.number));
            later.filter(|_| !engine.is_given(*next)).map(|tag| (next.member, tag))
        })
    }

    /// As [`heard_later`](Self::heard_later), of a rank that has deposited in a later call.
    fn given_later(&self, engine: &Engine<N>, waits: bool) -> Option<(Rank, u32)> {
        self.rest().iter().filter(|next| !engine.has_come(next.id)).find_map(|next| {
            let later = engine.later_given(*next, waits);
            later.filter(|_| !engine.is_given(*next)).map(|index| (next.member, index as u32))
        })
    }

    /// What was sent and may not be forgotten yet.
    fn unforgotten(&self) -> &[Sent] {
        &self.sent[self.forgotten..]
    }

    /// What is yet to be taken.
    fn rest(&self) -> &[Contribution] {
        &self.awaited[self.taken..]
    }

    fn remember<R>(&mut self, result: Result<R>) -> Result<R> {
        if let Err(Error::Collective(error)) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    fn assembly_mut(&mut self) -> &mut A {
        self.assembly.as_mut().expect("the output is handed over at the end")
    }
}

/// What `found` says of a rank that was heard in a later call, if it still says it of that rank after a poll. If
/// that was a deposit, messages from before it come with the next poll. (Another rank may have sent and deposited
/// since that poll: of it nothing is known yet.)
fn never_comes<E, P, F>(
    engine: &mut E,
    poll: impl FnOnce(&mut E) -> Result<P, F>,
    found: impl Fn(&E) -> Option<(Rank, u32)>,
) -> Result<Option<(Rank, u32)>, F> {
    let Some((first, _)) = found(engine) else { return Ok(None) };
    poll(engine)?;
    Ok(found(engine).filter(|&(rank, _)| rank == first))
}

/// Hands to the assembly what a member has given, whose element byte that is.
fn accept<A: Assembly, N: Nic>(
    comm: &Comm<N>,
    call: &Call,
    assembly: &mut A,
    (from, element): (Rank, u8),
    message: &[u8],
) -> Result<()> {
    comm.collectives.note_heard(from, call.number);
    let expected = assembly.expected_bytes(from);
    if element & BEGINS == 0 {
        call.check_bare(from, element, (message.len(), expected))?;
        assembly.take(message);
        return Ok(());
    }
    let (bytes, payload) = call.check_word(from, message, expected)?;
    let whole = payload.len().is_multiple_of(call.element);
    if !whole || payload.len() as u64 != bytes {
        return Err(call.wrong_piece(from, payload.len(), bytes as usize));
    }
    assembly.take(payload);
    Ok(())
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

impl<A: Assembly, N: Nic> Drop for Underway<A, N> {
    fn drop(&mut self) {
        if !self.rest().is_empty() {
            self.rest().iter().for_each(|&given| self.comm.drop_given(given));
            self.comm.end_pending(self.call.index);
        }
    }
}

// Not derived: that would require a network that is `Debug`.
impl<A: Assembly, N: Nic> fmt::Debug for CollectiveRequest<A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Underway { call: Call { kind, number, .. }, comm, .. } = self.underway();
        write!(f, "{kind}, number {number}, of {comm:?}")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// A look behind the poll that finds another rank says nothing of the first: it may have sent and deposited
    /// since. (A correct program failed so, under load.)
    /// SEMANTICS: COL-8
    #[test]
    fn a_rank_that_is_heard_after_the_poll_is_not_blamed() {
        let found = |before, after| {
            let mut heard = before;
            let poll = |heard: &mut Option<(Rank, u32)>| {
                *heard = after;
                Ok::<_, Infallible>(())
            };
            never_comes(&mut heard, poll, |heard| *heard).expect("a poll")
        };
        assert_eq!(found(None, Some((1, 2))), None);
        assert_eq!(found(Some((1, 2)), None), None);
        assert_eq!(found(Some((1, 2)), Some((1, 2))), Some((1, 2)));
        assert_eq!(found(Some((1, 2)), Some((4, 2))), None);
    }
}
