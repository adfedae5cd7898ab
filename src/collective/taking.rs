//! Takes the next message of a call from one rank: a deposit, or a message. Notices that the other is in another
//! call, or has gone.
//!
//! Keeps rules COL-4, COL-9 and SAFE-1 of SEMANTICS.md.

use super::call::Call;
use super::edge::{BEGINS, is_of_one_gone};
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{Engine, FromMember, Info, MemberSet, Pattern, Soon, Source, Tag};
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Takes the next message of the call from `from`; the first may be a deposit. `others` are
    /// those of whom the first is needed as well.
    pub(super) fn take<R>(
        &self,
        call: &Call,
        from: Rank,
        begins: bool,
        others: MemberSet,
        read: impl FnOnce(&[u8]) -> Result<R>,
    ) -> Result<R> {
        self.take_by(&mut *self.engine_in(call)?, call, (from, begins), others, read)
    }

    /// As [`take`](Comm::take), of the first message, which may be an offer: `read` gets its marks, too. (A
    /// deposit has none.)
    pub(super) fn take_marked<R>(
        &self,
        call: &Call,
        from: Rank,
        others: MemberSet,
        read: impl FnOnce(u8, &[u8]) -> Result<R>,
    ) -> Result<R> {
        let mut engine = self.engine_in(call)?;
        let taken = self.take_next(&mut engine, call, (from, true), others, read);
        self.taken_or_give_up(&mut engine, taken)
    }

    /// As [`take`](Comm::take), by the engine, which the caller has.
    #[inline]
    pub(super) fn take_by<R>(
        &self,
        engine: &mut Engine<N>,
        call: &Call,
        next: (Rank, bool),
        others: MemberSet,
        read: impl FnOnce(&[u8]) -> Result<R>,
    ) -> Result<R> {
        let taken = self.take_next(engine, call, next, others, |_, bytes| read(bytes));
        self.taken_or_give_up(engine, taken)
    }

    /// A call fails with `error`. If that is since a rank has gone, others may have more for this one that it
    /// will not receive.
    #[cold]
    pub(super) fn give_up(&self, engine: &mut Engine<N>, error: &Error) {
        if is_of_one_gone(error) {
            engine.give_up(self.group_id());
        }
    }

    /// As [`give_up`](Comm::give_up), with what a receive of a call says.
    #[inline]
    pub(super) fn taken_or_give_up<R>(
        &self,
        engine: &mut Engine<N>,
        taken: Result<R>,
    ) -> Result<R> {
        if let Err(error) = &taken {
            self.give_up(engine, error);
        }
        taken
    }

    /// As [`give_up`](Comm::give_up), with what a send of a call says.
    pub(super) fn sent_or_give_up<R>(&self, sent: Result<R>) -> Result<R> {
        if let Err(error) = &sent
            && let Ok(mut engine) = self.engine()
        {
            self.give_up(&mut engine, error);
        }
        sent
    }

    #[inline]
    fn take_next<R>(
        &self,
        engine: &mut Engine<N>,
        call: &Call,
        (from, begins): (Rank, bool),
        others: MemberSet,
        read: impl FnOnce(u8, &[u8]) -> Result<R>,
    ) -> Result<R> {
        let context = self.collective_context();
        // Else nobody looks for a deposit before something is late.
        let soon = match begins && call.is_deposited {
            true => engine.read_soon_of(context, self.group_id(), (from, call.index))?,
            false => Soon::Message,
        };
        if let Soon::Read(len) = soon {
            self.collectives.note_heard(from, call.number);
            return read(0, engine.deposited(len));
        }
        let (mut read, mut result) = (Some(read), None);
        self.take_message(engine, call, (from, begins), (others, soon), &mut |element, bytes| {
            result = read.take().map(|read| read(element, bytes));
        })?;
        result.expect("what was taken was read")
    }

    /// As [`take_next`](Comm::take_next), of what was not there soon. Every collective of every type takes its messages here, and what
    /// receives a message is long: it is compiled once, and not for each `read`.
    #[inline(never)]
    fn take_message(
        &self,
        engine: &mut Engine<N>,
        call: &Call,
        (from, begins): (Rank, bool),
        (others, soon): (MemberSet, Soon),
        read: &mut dyn FnMut(u8, &[u8]),
    ) -> Result<()> {
        let context = self.collective_context();
        let accept = |info: &Info| self.check_belongs(call, begins, from, info);
        // Whatever the shape of this call: the other rank may be in another.
        if begins && engine.deposits_in(self.group_id()) {
            let (group, index) = (self.group_id(), call.index);
            let all = others.with(from);
            let awaited = FromMember { group, index, member: from, all, soon };
            let left_over = |before| call.other_number(from, before as u32);
            return engine.recv_of_member(context, awaited, accept, left_over, |info, bytes| {
                self.collectives.note_heard(from, call.number);
                read(info.element, bytes);
            });
        }
        // The first message from that rank, whatever its tag: it may show another call.
        let pattern = Pattern { source: Source::Rank(self.to_world(from)), tag: Tag::Any };
        engine.recv(context, pattern, accept, |info, bytes| read(info.element, bytes))
    }

    /// Fails if the first message that a rank has left here is not the next of this call: then the
    /// two ranks disagree. A rank's messages of a call, blocking or not (COL-8), come before those
    /// of a later call, and those of earlier calls have been taken.
    pub(super) fn check_belongs(
        &self,
        call: &Call,
        begins: bool,
        from: Rank,
        info: &Info,
    ) -> Result<()> {
        if info.tag != call.number {
            return Err(call.other_number(from, info.tag));
        }
        self.collectives.note_heard(from, info.tag);
        match begins == (info.element & BEGINS != 0) {
            true => Ok(()),
            false => Err(call.wrong_piece(from, info.len, 0)),
        }
    }

    /// What comes behind the word of a call, of a payload of so many elements: all of it, as what is deposited, or what is
    /// short; or its first piece.
    #[inline]
    pub(super) fn behind_word<'m, T: Element>(
        &self,
        call: &Call,
        from: Rank,
        message: &'m [u8],
        count: usize,
    ) -> Result<(bool, &'m [u8])> {
        let bytes = count * size_of::<T>();
        let payload = call.check_word(from, message, Some(bytes))?.1;
        let first =
            || self.pieces_in::<T>(call, count, false).next().map_or(0, |it| it.range.len());
        match payload.len() {
            len if len == bytes => Ok((true, payload)),
            len if len == first() * size_of::<T>() => Ok((false, payload)),
            len => Err(call.wrong_piece(from, len, bytes)),
        }
    }
}
