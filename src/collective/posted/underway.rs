//! A nonblocking collective that is under way: it takes what each rank has given, in the order that the call states.
//!
//! Keeps rules COL-3, COL-4, COL-8, COL-11 and SAFE-1 of SEMANTICS.md.

use smallvec::SmallVec;

use super::Assembly;
use super::edge::{AllSent, Sent, payload_behind};
use super::sharing::Sharing;
use crate::collective::CollectiveError;
use crate::collective::call::Call;
use crate::collective::calls::is_later;
use crate::collective::edge::{BEGINS, HAS_ROOM};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::message::{Came, Contribution, Engine, Received};
use crate::order::Rank;
use crate::verbs::Nic;

/// The way by which the next member has given.
#[derive(Clone, Copy)]
enum Way {
    Message,
    Deposit,
}

/// A call that is under way. It is large, and stays where it is.
pub(super) struct Underway<A: Assembly, N: Nic> {
    pub(super) comm: Comm<N>,
    pub(super) call: Call,
    /// None once the output was returned.
    pub(super) assembly: Option<A>,
    /// What is taken, in this order; so many were.
    awaited: SmallVec<[Contribution; 4]>,
    taken: usize,
    /// Others may not write yet where they have deposited for this call.
    is_pending: bool,
    /// This rank's own data are taken when only so much is outstanding.
    own_at: Option<usize>,
    /// What it has of others, where ranks combine for each other. Nothing when all is combined.
    sharing: Option<Box<Sharing<N>>>,
    /// What was sent and had not left at once. The first of them were forgotten.
    sent: AllSent,
    pub(super) forgotten: usize,
    /// A mismatch that was noticed. It is permanent.
    pub(super) failed: Option<CollectiveError>,
}

/// What a call takes. By default nothing.
pub(super) struct Takes<N: Nic> {
    pub(super) awaited: SmallVec<[Contribution; 4]>,
    pub(super) own_at: Option<usize>,
    pub(super) sharing: Option<Box<Sharing<N>>>,
}

impl<N: Nic> Default for Takes<N> {
    fn default() -> Self {
        Takes { awaited: SmallVec::new(), own_at: None, sharing: None }
    }
}

impl<A: Assembly, N: Nic> Underway<A, N> {
    /// A call of which all is posted; so much was sent and had not left at once.
    #[inline]
    pub(super) fn new(
        comm: &Comm<N>,
        call: Call,
        assembly: A,
        Takes { awaited, own_at, sharing }: Takes<N>,
        sent: AllSent,
    ) -> Self {
        Underway {
            comm: comm.for_request(),
            call,
            assembly: Some(assembly),
            is_pending: !awaited.is_empty(),
            awaited,
            taken: 0,
            own_at,
            sharing,
            sent,
            forgotten: 0,
            failed: None,
        }
    }

    pub(super) fn test(&mut self) -> Result<bool> {
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
    pub(super) fn complete(&mut self) -> Result<()> {
        while !self.advance(true)? {}
        // One time for all that is lent.
        let until = self.comm.patience_with(self.unforgotten())?;
        while let Some(sent) = self.unforgotten().first() {
            self.comm.leave_behind(sent, until)?;
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
            // Before anything else, also after an operator that has panicked.
            if self.sharing.is_none() {
                self.assembly_mut().combine();
            }
            if self.own_at == Some(self.rest().len()) {
                self.own_at = None;
                match &mut self.sharing {
                    Some(sharing) => sharing.theirs.skip_own(),
                    None => self.assembly_mut().take_own(),
                }
                continue;
            }
            let Some(&next) = self.rest().first() else {
                self.combine_shared();
                return Ok(true);
            };
            let came = self.look(next, waits);
            let Some(way) = self.remember(came)? else { return Ok(false) };
            let taken = self.take(next, way);
            if !self.remember(taken)? {
                return Ok(false);
            }
        }
    }

    /// Combines units, where ranks do that for each other, and gives back what this one has of others. All is taken.
    fn combine_shared(&mut self) {
        let Underway { comm, sharing: Some(sharing), assembly: Some(assembly), .. } = self else {
            return;
        };
        sharing.combine(assembly);
        comm.give_back(&mut sharing.theirs);
        self.end_pending();
    }

    /// This rank reads nothing more of what others have deposited for the call.
    fn end_pending(&mut self) {
        if std::mem::take(&mut self.is_pending) {
            self.comm.end_pending(self.call.index);
        }
    }

    /// The memory of what it had of others, for another call. All of that is given back.
    pub(super) fn take_sharing(&mut self) -> Option<Box<Sharing<N>>> {
        let mut sharing = self.sharing.take()?;
        self.comm.give_back(&mut sharing.theirs);
        Some(sharing)
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
        let Underway { comm, call, assembly, sharing, .. } = self;
        let mut engine = comm.engine()?;
        let kept = engine.first_kept(comm.collective_context(), next.from);
        let assembly = assembly.as_mut().expect("the output is handed over at the end");
        let bytes = assembly.expected_bytes(next.member);
        let expected = Expected { comm: &*comm, call: &*call, from: next.member, bytes };
        let accepted = match (way, sharing) {
            (Way::Message, Some(sharing)) => {
                let check = |element, message: &[u8]| {
                    let payload = expected.payload_in(element, message)?;
                    let room_bytes = (element & HAS_ROOM != 0).then_some(payload.len());
                    Ok((message.len() - payload.len(), room_bytes))
                };
                match engine.hold_posted(next.id, check) {
                    Some(held) => {
                        held.map(|(at, data)| sharing.theirs.take(Some(&mut engine), data, at))
                    }
                    None => return Ok(false),
                }
            }
            (Way::Message, None) => {
                let accept = |element, payload: Received<'_>| match payload {
                    Received::Here(message) => {
                        expected.payload_in(element, message).map(|payload| assembly.take(payload))
                    }
                    Received::InRoom(bytes) => {
                        expected.check_in_room(element, bytes).map(|()| assembly.take_in_room())
                    }
                };
                match engine.read_posted(next.id, accept) {
                    Some(accepted) => accepted,
                    None => return Ok(false),
                }
            }
            (Way::Deposit, sharing) => {
                let left_over = |before| call.other_number(next.member, before as u32);
                let taken = engine.take_given(next, left_over, |message| {
                    let payload = expected.payload_in(BEGINS, message)?;
                    if sharing.is_none() {
                        assembly.take(payload);
                    }
                    Ok((message.len() - payload.len(), payload.len()))
                })?;
                match (taken, sharing) {
                    (Ok((start, len)), Some(sharing)) => {
                        // None in a slot: who deposits there goes by another eager limit.
                        let held = engine.hold_deposited(next.from);
                        held.ok_or_else(|| call.wrong_piece(next.member, len, 0)).map(
                            |(held, room_bytes)| {
                                let room_bytes = (room_bytes == len).then_some(len);
                                sharing.theirs.take(Some(&mut engine), held, (start, room_bytes));
                            },
                        )
                    }
                    (taken, _) => taken.map(drop),
                }
            }
        };
        self.taken += 1;
        if self.taken == self.awaited.len() && self.sharing.is_none() {
            // Before the program's operator is called, which may call collectives.
            engine.end_pending(comm.group_id(), call.index);
            self.is_pending = false;
        }
        // Left over from an earlier call, on which the two ranks disagree.
        match kept.filter(|&tag| is_later(call.number, tag)) {
            Some(tag) => Err(call.other_number(next.member, tag)),
            None => accepted.map(|()| true),
        }
    }

    /// A rank of which something was taken in a later call, with that call's number, while it has not given
    /// what it owes in this one.
    pub(super) fn heard_later(&self, engine: &Engine<N>) -> Option<(Rank, u32)> {
        self.rest().iter().filter(|next| !engine.has_come(next.id)).find_map(|next| {
            let newest = self.comm.collectives.newest_heard(next.member);
            let later = newest.filter(|&tag| is_later(tag, self.call.number));
            later.filter(|_| !engine.is_given(*next)).map(|tag| (next.member, tag))
        })
    }

    /// As [`heard_later`](Self::heard_later), of a rank that has deposited in a later call.
    pub(super) fn given_later(&self, engine: &Engine<N>, waits: bool) -> Option<(Rank, u32)> {
        self.rest().iter().filter(|next| !engine.has_come(next.id)).find_map(|next| {
            let later = engine.later_given(*next, waits);
            later.filter(|_| !engine.is_given(*next)).map(|index| (next.member, index as u32))
        })
    }

    /// What was sent and may not be forgotten yet.
    pub(super) fn unforgotten(&self) -> &[Sent] {
        &self.sent[self.forgotten..]
    }

    /// What is yet to be taken.
    pub(super) fn rest(&self) -> &[Contribution] {
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
pub(super) fn never_comes<E, P, F>(
    engine: &mut E,
    poll: impl FnOnce(&mut E) -> Result<P, F>,
    found: impl Fn(&E) -> Option<(Rank, u32)>,
) -> Result<Option<(Rank, u32)>, F> {
    let Some((first, _)) = found(engine) else { return Ok(None) };
    poll(engine)?;
    Ok(found(engine).filter(|&(rank, _)| rank == first))
}

/// What a member has to give in a call.
struct Expected<'u, N: Nic> {
    comm: &'u Comm<N>,
    call: &'u Call,
    from: Rank,
    /// Its length, if known.
    bytes: Option<usize>,
}

impl<N: Nic> Expected<'_, N> {
    /// Checks a payload that was brought to its place: nothing stands before it.
    fn check_in_room(&self, element: u8, bytes: usize) -> Result<()> {
        let Expected { comm, call, from, bytes: expected } = *self;
        comm.collectives.note_heard(from, call.number);
        call.check_bare(from, element & !HAS_ROOM, (bytes, expected))
    }

    /// The payload in what it has given, whose element byte that is: whole elements, in the expected number.
    fn payload_in<'m>(&self, element: u8, message: &'m [u8]) -> Result<&'m [u8]> {
        let Expected { comm, call, from, bytes: expected } = *self;
        comm.collectives.note_heard(from, call.number);
        if element & BEGINS == 0 {
            let element = element & !HAS_ROOM;
            call.check_bare(from, element, (message.len(), expected))?;
            return Ok(message);
        }
        let (bytes, behind) = call.check_word(from, message, expected)?;
        let payload = payload_behind(element, behind);
        let whole = payload.len().is_multiple_of(call.element);
        if !whole || payload.len() as u64 != bytes {
            return Err(call.wrong_piece(from, payload.len(), bytes as usize));
        }
        Ok(payload)
    }
}

impl<A: Assembly, N: Nic> Drop for Underway<A, N> {
    fn drop(&mut self) {
        drop(self.take_sharing());
        for lent in self.unforgotten().iter().filter(|sent| sent.is_lent) {
            // What fails here fails in the next call.
            let _ = self.comm.take_back(lent, None);
        }
        self.rest().iter().for_each(|&given| self.comm.drop_given(given));
        self.end_pending();
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
