//! The handle of a nonblocking collective.
//!
//! Keeps rules COL-3, COL-4, COL-8, END-2 and SAFE-1 of SEMANTICS.md.

use std::collections::VecDeque;
use std::fmt;

use super::Assembly;
use super::edge::{Awaited, Posting, Sent};
use crate::collective::CollectiveError;
use crate::collective::call::Call;
use crate::collective::calls::is_later;
use crate::collective::edge::BEGINS;
use crate::comm::pending::{Begins, BegunList, part_has_failed};
use crate::comm::{Comm, HostNic, Pending};
use crate::error::{Error, Result};
use crate::message::{Begun, Came, Engine, MemberSet, RecvId, Source};
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
pub struct CollectiveRequest<A: Assembly, N: Nic = HostNic> {
    comm: Comm<N>,
    call: Call,
    /// None once the output was returned.
    assembly: Option<A>,
    /// The receives that are yet to be taken, in this order.
    awaited: VecDeque<Awaited>,
    /// This rank's own data are taken when only this many messages are outstanding.
    own_at: Option<usize>,
    sent: VecDeque<Sent>,
    /// A mismatch that was noticed. It is permanent.
    failed: Option<CollectiveError>,
}

impl<A: Assembly, N: Nic> CollectiveRequest<A, N> {
    /// Makes a call: posts all its messages, with `post`, and all its receives, one for each of
    /// `count` ranks from `first` on. The ranks' data are taken in this order.
    pub(super) fn start(
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
        let mut posting = Posting { comm, call, engine: &mut engine, sent: Vec::new() };
        let posted = post(&mut posting, &assembly);
        // Also if a message could not be posted: what arrives nevertheless must be discarded.
        let others = (0..count).map(|place| (first + place) % size).filter(|&from| from != rank);
        let mut awaited = VecDeque::with_capacity(count);
        let awaits = others
            .map(|from| posting.await_from(from))
            .try_for_each(|next| next.map(|next| awaited.push_back(next)));
        let sent = posting.sent.into();
        drop(engine);
        let assembly = Some(assembly);
        let comm = comm.for_request();
        let this = CollectiveRequest { comm, call, assembly, awaited, own_at, sent, failed: None };
        posted.and(awaits).map(|()| this)
    }

    /// Whether all data have arrived, so that [`wait`](CollectiveRequest::wait) returns at once.
    /// Combines the data that have arrived so far.
    ///
    /// # Errors
    ///
    /// As for [`wait`](CollectiveRequest::wait). After a mismatch it returns the same error again.
    pub fn test(&mut self) -> Result<bool> {
        if !self.advance(false)? {
            return Ok(false);
        }
        let mut engine = self.comm.engine()?;
        for sent in &self.sent {
            let has_left = engine.is_sent(sent.id) || engine.test_sent(sent.id)?;
            if !has_left && !self.comm.may_leave_behind(&engine, sent)? {
                return Ok(false);
            }
        }
        Ok(true)
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
    #[expect(clippy::missing_panics_doc, reason = "the output is handed over here only")]
    pub fn wait(mut self) -> Result<A::Output> {
        loop {
            match self.complete() {
                Err(Error::Busy) => thread::yield_now(),
                complete => break complete?,
            }
        }
        let assembly = self.assembly.take();
        Ok(assembly.expect("the output is handed over once").finish())
    }

    /// Waits for all receives, and until all sent messages may be forgotten. Called again, it
    /// continues where it was.
    fn complete(&mut self) -> Result<()> {
        while !self.advance(true)? {}
        while let Some(sent) = self.sent.front() {
            self.comm.leave_behind(sent)?;
            self.sent.pop_front();
        }
        Ok(())
    }

    /// Takes the arrived messages, in order, or `waits` for them. Returns whether all were taken.
    fn advance(&mut self, waits: bool) -> Result<bool> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone().into());
        }
        loop {
            if self.own_at == Some(self.awaited.len()) {
                self.own_at = None;
                self.assembly_mut().take_own();
            }
            let Some(&Awaited { from, id }) = self.awaited.front() else { return Ok(true) };
            let came = self.look(waits);
            if !self.remember(came)? {
                return Ok(false);
            }
            let mut engine = self.comm.engine()?;
            let kept = engine.first_kept(self.comm.collective_context(), self.comm.to_world(from));
            let Some((element, message)) = engine.take_posted(id) else { return Ok(false) };
            drop(engine);
            self.awaited.pop_front();
            let accepted = match kept.filter(|&tag| is_later(self.call.number, tag)) {
                // Left over from an earlier call, on which the two ranks disagree.
                Some(tag) => Err(self.call.other_number(from, tag)),
                None => self.accept(from, element, &message),
            };
            self.remember(accepted)?;
        }
    }

    /// Whether the next message has arrived completely, and may be taken.
    fn look(&self, waits: bool) -> Result<bool> {
        let (comm, number) = (&self.comm, self.call.number);
        if self
            .awaited
            .front()
            .is_some_and(|next| comm.engine().is_ok_and(|mut e| e.is_whole(next.id)))
        {
            return Ok(true);
        }
        if let Some((from, tag)) = self.heard_later(&mut *comm.engine()?)? {
            return Err(self.call.other_number(from, tag));
        }
        self.check_deposit()?;
        let recvs = self.recvs();
        let context = comm.collective_context();
        let overtakes = |tag| is_later(tag, number);
        let came = match waits {
            true => {
                let mut engine = comm.engine_in(&self.call)?;
                let from = self.awaited.front().map_or(0, |next| next.from);
                let deposit = (self.call.index, MemberSet::only(from));
                engine.begin_deposit_wait(comm.group_id(), deposit);
                let came = engine.wait_posted(context, &recvs, overtakes);
                engine.end_deposit_wait();
                Some(came?)
            }
            false => comm.engine()?.test_posted(context, &recvs, overtakes)?,
        };
        match came {
            None => Ok(false),
            Some(Came::Whole) => Ok(true),
            Some(Came::Deposited) => self.check_deposit().map(|()| false),
            Some(Came::Overtaken { from, tag }) => {
                Err(self.call.other_number(comm.local_rank(from), tag))
            }
        }
    }

    /// A rank that was heard in a later call, with that call's number, while its message of this one
    /// has not come.
    fn heard_later(&self, engine: &mut Engine<N>) -> Result<Option<(Rank, u32)>> {
        let heard_later = |engine: &Engine<N>| {
            self.awaited.iter().filter(|awaited| !engine.has_come(awaited.id)).find_map(|awaited| {
                let newest = self.comm.collectives.newest_heard(awaited.from);
                let later = newest.filter(|&tag| is_later(tag, self.call.number));
                later.map(|tag| (awaited.from, tag))
            })
        };
        if heard_later(engine).is_none() {
            return Ok(None);
        }
        // It may have been a deposit: then messages from before it come with the next poll.
        engine.progress()?;
        Ok(heard_later(engine))
    }

    /// The receives that are yet to be taken, with their senders' ranks in the world.
    fn recvs(&self) -> Vec<(RecvId, Rank)> {
        let world = |next: &Awaited| (next.id, self.comm.to_world(next.from));
        self.awaited.iter().map(world).collect()
    }

    /// Fails if the rank whose message is next has deposited for this call. Blocking calls alone do.
    fn check_deposit(&self) -> Result<()> {
        let Some(&Awaited { from, .. }) = self.awaited.front() else { return Ok(()) };
        let (group, deposit) = (self.comm.group_id(), (self.call.index, MemberSet::only(from)));
        if self.comm.engine()?.first_deposit(group, deposit).is_none() {
            return Ok(());
        }
        self.comm.take(&self.call, from, true, MemberSet::NONE, |bytes| {
            self.call.check_word(from, bytes, None)?;
            Err(self.call.wrong_piece(from, bytes.len(), 0))
        })
    }

    fn accept(&mut self, from: Rank, element: u8, message: &[u8]) -> Result<()> {
        self.comm.collectives.note_heard(from, self.call.number);
        if element & BEGINS == 0 {
            return Err(self.call.wrong_piece(from, message.len(), 0));
        }
        let expected = self.assembly_mut().expected_bytes(from);
        let (bytes, payload) = self.call.check_word(from, message, expected)?;
        let whole = payload.len().is_multiple_of(self.call.element);
        if !whole || payload.len() as u64 != bytes {
            return Err(self.call.wrong_piece(from, payload.len(), bytes as usize));
        }
        self.assembly_mut().take(payload);
        Ok(())
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

impl<A: Assembly, N: Nic> Pending<N> for CollectiveRequest<A, N> {}

impl<A: Assembly, N: Nic> Begins<N> for CollectiveRequest<A, N> {
    fn is_of(&self, comm: &Comm<N>) -> bool {
        self.comm.is_of_rank_of(comm)
    }

    fn list(&self, begun: &mut BegunList) {
        begun.extend(self.sent.iter().map(|sent| Begun::Send(sent.id)));
        let recv = |(id, from)| Begun::Recv(id, Source::Rank(from));
        begun.extend(self.recvs().into_iter().map(recv));
    }

    fn is_complete(&self, engine: &mut Engine<N>) -> bool {
        self.failed.is_some()
            || self.awaited.iter().all(|awaited| engine.is_whole(awaited.id))
                && self.sent.iter().all(|sent| {
                    // Another thread that keeps pieces just now is a reason to look again.
                    self.comm.may_leave_behind(engine, sent).unwrap_or(false)
                })
    }

    fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool {
        let (recvs, number) = (self.recvs(), self.call.number);
        let mut begun = BegunList::new();
        self.list(&mut begun);
        // What fails here fails in the call that waits.
        self.heard_later(engine).is_ok_and(|heard| heard.is_some())
            || engine.is_any_overtaken(self.comm.collective_context(), &recvs, |tag| {
                is_later(tag, number)
            })
            || begun.into_iter().any(|part| part_has_failed(engine, part, waits))
    }
}

impl<A: Assembly, N: Nic> Drop for CollectiveRequest<A, N> {
    fn drop(&mut self) {
        self.awaited.drain(..).for_each(|awaited| self.comm.discard(awaited.id));
    }
}

// Not derived: that would require a network that is `Debug`.
impl<A: Assembly, N: Nic> fmt::Debug for CollectiveRequest<A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Call { kind, number, .. } = self.call;
        write!(f, "{kind}, number {number}, of {:?}", self.comm)
    }
}
