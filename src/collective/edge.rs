//! Sends and receives the messages of a collective between two ranks. Only this module,
//! `taking` and their counterpart for nonblocking calls (`posted/edge`) use the message layer, and translate
//! ranks into those of the world.
//!
//! The payload of an edge travels in pieces ([`Pieces`]). The first piece begins with the call's
//! `Word`. A payload that fits behind it within the eager limit travels with it. The tag of every
//! piece is the call's number. The header's element byte is not needed beside the word, so it says
//! whether a piece begins with a word.
//!
//! Keeps rules COL-1, COL-2, COL-4 and SAFE-1 of SEMANTICS.md.

use smallvec::SmallVec;
use zerocopy::{FromBytes, IntoBytes};

use super::any_source::{OFFERS, offered_in};
use super::call::{Call, Word};
use super::combine::combine_into;
use super::parts::reserve_announced;
use super::pieces::{
    EAGER_PIECES, FEW_EAGER_PIECES, PIECE_BYTES, Piece, Pieces, least_piece, most_pieces,
};
use super::{Kind, Tree};
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{
    Context, Envelope, Held, Info, Lane, MemberSet, Memory, MessageError, Pattern, RoomKey, SendId,
    Source, Tag,
};
use crate::order::Rank;
use crate::sys::copy::{append_elements, copy_bytes};
use crate::verbs::Nic;

pub(super) use crate::message::Lack;

/// How many large payloads are kept for one receiver before a rank that only sends waits.
pub(super) const KEPT_PAYLOADS: usize = 4;

/// The mark of a piece that begins with a word, in the header's element byte.
pub(super) const BEGINS: u8 = 1 << 7;

/// The mark of a payload behind which there is a room.
pub(super) const HAS_ROOM: u8 = 1 << 5;

/// The mark of a word that has a cache line of its own, so that the payload behind it begins one.
pub(super) const ALONE: u8 = 1 << 4;

/// The last pieces that an interior rank of a tree has posted to each receiver, and that have not
/// left.
#[derive(Default)]
pub(super) struct PostedSends(SmallVec<[(Rank, SendId); 4]>);

impl PostedSends {
    /// A piece was posted, and waits to leave if it has an id. Pieces to one rank leave in order.
    fn note(&mut self, to: Rank, waiting: Option<SendId>) {
        self.0.retain(|(rank, _)| *rank != to);
        self.0.extend(waiting.map(|id| (to, id)));
    }

    /// As [`note`](PostedSends::note), of one of several receivers. That it has ended is kept in `unserved`.
    fn note_to(
        &mut self,
        to: Rank,
        sent: std::result::Result<Option<SendId>, MessageError>,
        unserved: &mut Result<()>,
    ) -> Result<()> {
        put_off(sent.map(|waiting| self.note(to, waiting)).map_err(Error::from), unserved).map(drop)
    }
}

/// Serves all of `ranks`, also after one that has ended: the others do not need that one. Returns
/// the first such error at the end, and any other error at once.
pub(super) fn serve_all(
    mut ranks: impl Iterator<Item = Rank>,
    mut serve: impl FnMut(Rank) -> Result<()>,
) -> Result<()> {
    let mut first = Ok(());
    ranks.try_for_each(|to| put_off(serve(to), &mut first).map(drop))?;
    first
}

/// Whether a call fails since a rank has gone.
pub(super) fn is_of_one_gone(error: &Error) -> bool {
    matches!(error, Error::Message(MessageError::PeerLost { .. } | MessageError::PeerEnded { .. }))
}

/// Keeps the first error of a receiver that has ended, for the end of the call. Returns whether
/// there was one, and any other error.
pub(super) fn put_off(result: Result<()>, first: &mut Result<()>) -> Result<bool> {
    match result {
        Err(error) if is_of_one_gone(&error) => {
            if first.is_ok() {
                *first = Err(error);
            }
            Ok(true)
        }
        other => other.map(|()| false),
    }
}

/// From this length on one of two ranks gives the other a payload as a blocking send does. In times of pieces, old and new in turn (2
/// cores, AMD EPYC): a broadcast back and forth 0.65, 0.3 to 0.5, and 0.65 to 0.8 for 512 KiB, 1 MiB and 4 MiB; 1.4 for 256 KiB.
const SENT_AS_ONE_BYTES: usize = 384 << 10;

impl<N: Nic> Comm<N> {
    /// The context of the collectives' own messages.
    pub(super) fn collective_context(&self) -> Context {
        self.context(Lane::Collective)
    }

    /// The pieces in which `count` elements travel along an edge: several if the rank `forwards`
    /// them, or if their receivers read them where all members see them.
    pub(super) fn pieces<T: Element>(&self, count: usize, forwards: bool) -> Pieces {
        self.pieces_of_at_least::<T>(PIECE_BYTES, count, forwards)
    }

    /// As [`pieces`](Comm::pieces), with the pieces of a call.
    pub(super) fn pieces_in<T: Element>(
        &self,
        call: &Call,
        count: usize,
        forwards: bool,
    ) -> Pieces {
        let bytes = count.saturating_mul(size_of::<T>());
        let least =
            call.piece_bytes.unwrap_or_else(|| self.least_piece(call.kind, call.tree, bytes));
        self.pieces_of_at_least::<T>(least, count, forwards)
    }

    /// The smallest piece of a payload of so many bytes, where nothing was measured.
    pub(super) fn least_piece(&self, kind: Kind, tree: Tree, bytes: usize) -> usize {
        let most = match kind {
            _ if self.size() == 2 || tree == Tree::Chain => EAGER_PIECES,
            Kind::Scan | Kind::ExclusiveScan if tree != Tree::Flat => EAGER_PIECES,
            // The receiver has many senders, and takes their pieces in turn.
            Kind::Reduce => FEW_EAGER_PIECES,
            _ => 0,
        };
        let most = if self.copies_payloads() { most } else { 0 };
        let piece = least_piece(bytes, self.eager_bytes(), self.sizes().window_messages, most);
        match self.is_sent_as_one(kind, bytes) {
            true => bytes.max(piece),
            false => piece,
        }
    }

    /// Whether one of two ranks gives the other so many bytes in a call as a blocking send does: its receiver reads them where
    /// they lie, or while they are copied. What does not go at once does not: a blocking send would wait for its room.
    fn is_sent_as_one(&self, kind: Kind, bytes: usize) -> bool {
        let is_one_way = matches!(kind, Kind::Broadcast | Kind::Scan | Kind::ExclusiveScan);
        is_one_way
            && self.size() == 2
            && self.copies_payloads()
            && bytes >= SENT_AS_ONE_BYTES.max(EAGER_PIECES * self.eager_bytes())
            && self.goes_at_once::<u8>(bytes)
    }

    pub(super) fn pieces_of_at_least<T: Element>(
        &self,
        least: usize,
        count: usize,
        forwards: bool,
    ) -> Pieces {
        let config = self.sizes();
        let most = match forwards || self.copies_payloads() {
            true => most_pieces(config.window_messages, least),
            false => 1,
        };
        let limits = (config.eager_bytes, config.message_bytes);
        Pieces::new::<T>(count, limits, (most, least))
    }

    /// The longest message that is sent eagerly, in bytes.
    pub(super) fn eager_bytes(&self) -> usize {
        self.sizes().eager_bytes
    }

    fn envelope_of(&self, call: &Call, piece: &Piece) -> Envelope {
        let element = if piece.begins { BEGINS } else { 0 };
        Envelope { context: self.collective_context(), tag: call.number, element }
    }

    /// Passes a piece of `data` to `send` in the form in which it travels.
    pub(super) fn with_piece<T: Element, R>(
        &self,
        call: &Call,
        piece: &Piece,
        data: &[T],
        send: impl FnOnce(Envelope, &[u8]) -> Result<R>,
    ) -> Result<R> {
        self.with_payload(call, piece, size_of_val(data), &data[piece.range.clone()], send)
    }

    /// As [`with_piece`](Comm::with_piece), of a piece that is `payload`, of `bytes` in all.
    fn with_payload<T: Element, R>(
        &self,
        call: &Call,
        piece: &Piece,
        bytes: usize,
        payload: &[T],
        send: impl FnOnce(Envelope, &[u8]) -> Result<R>,
    ) -> Result<R> {
        let (envelope, payload) = (self.envelope_of(call, piece), payload.as_bytes());
        if !piece.begins {
            return send(envelope, payload);
        }
        let word = call.word(bytes);
        let parts = [word.as_bytes(), payload];
        self.collectives.scratch.with_message(parts, |message| send(envelope, message))
    }

    /// Sends for a rank that only sends in the call. It does not wait until the receiver has room
    /// for a large payload, unless several such payloads wait already, or it is sent [as one](Comm::is_sent_as_one).
    pub(super) fn send_in<T: Element>(
        &self,
        call: &Call,
        to: Rank,
        data: &[T],
        pieces: Pieces,
    ) -> Result<()> {
        if pieces.is_small() || self.is_sent_as_one(call.kind, size_of_val(data)) {
            let world = self.to_world(to);
            let send =
                |envelope, bytes: &[u8]| Ok(self.engine_in(call)?.send(world, envelope, bytes)?);
            let sent =
                pieces.into_iter().try_for_each(|piece| self.with_piece(call, &piece, data, send));
            return self.sent_or_give_up(sent);
        }
        let mut posted = PostedSends::default();
        pieces
            .into_iter()
            .try_for_each(|piece| self.post_in(call, to, data, &piece, &mut posted))?;
        self.let_go(posted)
    }

    /// Lets posted messages leave while the program goes on. Waits if many are left for the same
    /// receiver already.
    pub(super) fn let_go(&self, posted: PostedSends) -> Result<()> {
        if posted.0.is_empty() {
            return Ok(());
        }
        let mut kept = self.collectives.kept()?;
        {
            let engine = self.engine()?;
            kept.retain(|(_, id)| !engine.is_sent(*id));
        }
        for (to, id) in posted.0 {
            match kept.iter().filter(|(rank, _)| *rank == to).count() < KEPT_PAYLOADS {
                true => kept.push((to, id)),
                false => self.engine()?.wait_sent(id)?,
            }
        }
        Ok(())
    }

    /// Posts a piece as a rank that has more to do in the call; see [`Comm::see_off`]
    /// and [`Comm::let_go`].
    pub(super) fn post_in<T: Element>(
        &self,
        call: &Call,
        to: Rank,
        data: &[T],
        piece: &Piece,
        posted: &mut PostedSends,
    ) -> Result<()> {
        self.post_payload(call, to, (piece, size_of_val(data)), &data[piece.range.clone()], posted)
    }

    /// As [`post_in`](Comm::post_in), of a piece that is `payload`, of `bytes` in all.
    pub(super) fn post_payload<T: Element>(
        &self,
        call: &Call,
        to: Rank,
        (piece, bytes): (&Piece, usize),
        payload: &[T],
        posted: &mut PostedSends,
    ) -> Result<()> {
        let waiting = self.with_payload(call, piece, bytes, payload, |envelope, bytes| {
            let mut engine = self.engine()?;
            let id = engine.post_send(self.to_world(to), envelope, bytes)?;
            Ok((!engine.is_sent(id)).then_some(id))
        });
        let waiting = self.sent_or_give_up(waiting)?;
        posted.note(to, waiting);
        Ok(())
    }

    /// As [`post_in`](Comm::post_in), to several ranks. Those that have ended are passed over: the
    /// others do not need them. The first such error is kept in `unserved`.
    pub(super) fn post_to_each<T: Element>(
        &self,
        call: &Call,
        to: impl Iterator<Item = Rank>,
        data: &[T],
        piece: &Piece,
        posted: &mut PostedSends,
        unserved: &mut Result<()>,
    ) -> Result<()> {
        let payload = (piece, size_of_val(data), &data[piece.range.clone()]);
        self.post_payload_to_each(call, to, payload, posted, unserved)
    }

    /// As [`post_to_each`](Comm::post_to_each), of the call's word alone, before data of so many bytes.
    pub(super) fn post_word_to_each(
        &self,
        call: &Call,
        to: impl Iterator<Item = Rank>,
        bytes: usize,
        posted: &mut PostedSends,
        unserved: &mut Result<()>,
    ) -> Result<()> {
        let word = Piece { begins: true, range: 0..0 };
        self.post_payload_to_each::<u8>(call, to, (&word, bytes, &[]), posted, unserved)
    }

    fn post_payload_to_each<T: Element>(
        &self,
        call: &Call,
        to: impl Iterator<Item = Rank>,
        (piece, bytes, payload): (&Piece, usize, &[T]),
        posted: &mut PostedSends,
        unserved: &mut Result<()>,
    ) -> Result<()> {
        self.with_payload(call, piece, bytes, payload, |envelope, bytes| {
            let to = to.map(|to| (to, self.to_world(to)));
            self.engine()?.post_send_to_each(to, envelope, bytes, |to, sent| {
                posted.note_to(to, sent, unserved)
            })
        })?;
        if let Err(error) = unserved
            && let Ok(mut engine) = self.engine()
        {
            self.give_up(&mut engine, error);
        }
        Ok(())
    }

    /// As [`post_to_each`](Comm::post_to_each), of all `data`, which lie before a room of this rank. The call's
    /// word went before.
    pub(super) fn post_before_room<T: Element>(
        &self,
        call: &Call,
        to: impl Iterator<Item = Rank>,
        data: &[T],
        key: &RoomKey,
        posted: &mut PostedSends,
        unserved: &mut Result<()>,
    ) -> Result<()> {
        let envelope =
            Envelope { context: self.collective_context(), tag: call.number, element: HAS_ROOM };
        let to = to.map(|to| (to, self.to_world(to)));
        let mut engine = self.engine()?;
        engine.post_with_room(key, to, envelope, data.as_bytes(), |to, sent| {
            posted.note_to(to, sent, unserved)
        })?;
        if let Err(error) = unserved {
            self.give_up(&mut engine, error);
        }
        Ok(())
    }

    /// Receives data of `from`, which are so many bytes, behind the call's word, and leaves them where they lie. The word says how
    /// many bytes the whole has, of which these are a part. They are deposited, or come by a message. The call needs something of
    /// the `others`, too. Returns also where they begin, and whether there is a room behind them.
    pub(super) fn recv_held(
        &self,
        call: &Call,
        (from, others): (Rank, MemberSet),
        (bytes, whole_bytes): (usize, usize),
    ) -> Result<(Held<N>, usize, bool)> {
        let mut engine = self.engine_in(call)?;
        engine.forget_deposited();
        let wrong = |len| call.wrong_piece(from, len, 0);
        let is_here =
            self.take_by(&mut engine, call, (from, true), others, |message| {
                match call.check_word(from, message, Some(whole_bytes))?.1 {
                    [] => Ok(false),
                    payload if payload.len() == bytes => Ok(true),
                    payload => Err(wrong(payload.len())),
                }
            })?;
        if is_here {
            // None if that was a message.
            let held = engine.hold_deposited(self.to_world(from));
            let (held, room_bytes) = held.ok_or_else(|| wrong(bytes))?;
            return Ok((held, Word::BYTES, room_bytes == bytes));
        }
        let accept = |info: &Info| {
            self.check_belongs(call, false, from, info)?;
            match info.len == bytes {
                true => Ok(()),
                false => Err(call.wrong_piece(from, info.len, bytes)),
            }
        };
        let pattern = Pattern { source: Source::Rank(self.to_world(from)), tag: Tag::Any };
        let taken = engine.recv_held(self.collective_context(), pattern, accept);
        let (info, data) = self.taken_or_give_up(&mut engine, taken)?;
        Ok((data, 0, info.element & HAS_ROOM != 0))
    }

    /// Waits until all posted pieces have left, also where one receiver has gone; then that is told.
    #[inline]
    pub(super) fn see_off(&self, posted: PostedSends) -> Result<()> {
        if posted.0.is_empty() { Ok(()) } else { self.see_off_some(posted) }
    }

    #[inline(never)]
    fn see_off_some(&self, posted: PostedSends) -> Result<()> {
        let mut seen_off = Ok(());
        for (_, id) in posted.0 {
            let sent = self.engine()?.wait_sent(id);
            seen_off = seen_off.and(sent.map_err(Error::from));
        }
        self.sent_or_give_up(seen_off)
    }

    /// Receives the next piece from `from` into its place in `whole`, which is as long as the whole
    /// payload of the edge.
    pub(super) fn recv_in<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        whole: &mut [T],
        piece: &Piece,
    ) -> Result<()> {
        let count = whole.len();
        self.recv_piece(call, from, count, piece, &mut whole[piece.range.clone()])
    }

    /// Receives the next piece from `from`, and combines each element in its place in `total` with
    /// that of the piece, in this order.
    #[inline]
    pub(super) fn recv_and_combine<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        total: &mut [T],
        piece: &Piece,
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        self.recv_and(call, from, total, piece, |total, theirs| {
            combine_into(total, theirs, combine)
        })
    }

    /// Receives the next piece from `from`, and hands its place in `total` and the piece to `then`.
    #[inline]
    pub(super) fn recv_and<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        total: &mut [T],
        piece: &Piece,
        then: impl FnOnce(&mut [T], &[T]),
    ) -> Result<()> {
        let count = total.len();
        let total = &mut total[piece.range.clone()];
        let scratch = &self.collectives.scratch;
        if call.has_known_operator() {
            return self.take_piece::<T>(call, from, count, piece, |payload| {
                match <[T]>::ref_from_bytes(payload) {
                    Ok(theirs) => then(total, theirs),
                    // They do not lie where elements may.
                    Err(_) => scratch.with_room(total.len(), |theirs| {
                        copy_bytes(payload, theirs.as_mut_bytes());
                        then(total, theirs);
                    }),
                }
            });
        }
        // The program's operator may call the runtime, so the piece is copied first.
        scratch.with_room(total.len(), |theirs| {
            self.recv_piece(call, from, count, piece, theirs)?;
            then(total, theirs);
            Ok(())
        })
    }

    /// Receives the next piece from `from` into `room`, out of a payload of `count` elements.
    fn recv_piece<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        count: usize,
        piece: &Piece,
        room: &mut [T],
    ) -> Result<()> {
        // Behind the call's word there is no more than is sent eagerly.
        if !piece.begins && size_of_val(room) > self.eager_bytes() {
            return self.recv_long_piece(call, from, room.as_mut_bytes());
        }
        let copy = |payload: &[u8]| copy_bytes(payload, room.as_mut_bytes());
        self.take_piece::<T>(call, from, count, piece, copy)
    }

    /// Receives the next piece from `from`, which is too long to be sent without asking: part by part, as it comes.
    fn recv_long_piece(&self, call: &Call, from: Rank, room: &mut [u8]) -> Result<()> {
        let expected = room.len();
        let refused = |info: &Info| match self.check_belongs(call, false, from, info) {
            Ok(()) if info.len == expected => None,
            Ok(()) => Some(call.wrong_piece(from, info.len, expected)),
            Err(error) => Some(error),
        };
        let pattern = Pattern { source: Source::Rank(self.to_world(from)), tag: Tag::Any };
        let mut engine = self.engine_in(call)?;
        let received = engine.recv_pieces(
            self.collective_context(),
            pattern,
            |info| refused(info).is_none(),
            |info| refused(info).unwrap_or_else(|| call.wrong_piece(from, info.len, expected)),
            |_| (),
            Memory(room),
        );
        self.taken_or_give_up(&mut engine, received)
    }

    /// Takes the next piece from `from`, out of a payload of `count` elements, and hands its
    /// elements' bytes to `read`, which must not call the runtime.
    fn take_piece<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        count: usize,
        piece: &Piece,
        read: impl FnOnce(&[u8]),
    ) -> Result<()> {
        let expected = piece.range.len() * size_of::<T>();
        self.take(call, from, piece.begins, MemberSet::NONE, |bytes| {
            let payload = match piece.begins {
                true => call.check_word(from, bytes, Some(count * size_of::<T>()))?.1,
                false => bytes,
            };
            if payload.len() != expected {
                return Err(call.wrong_piece(from, payload.len(), expected));
            }
            read(payload);
            Ok(())
        })
    }

    /// Receives as many elements from `from` as it announces, and appends them to `data`. It never
    /// allocates more than has arrived, or than `offered` bytes, which it has a place for if that rank offers them. `others`
    /// are those of whom the call needs something too.
    pub(super) fn recv_unknown<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        (others, offered): (MemberSet, Option<u64>),
        data: &mut Vec<T>,
    ) -> Result<()> {
        let append = |left: u64, payload: &[u8], data: &mut Vec<T>| {
            let whole = payload.len().is_multiple_of(size_of::<T>());
            if !whole || payload.len() as u64 > left {
                return Err(call.wrong_piece(from, payload.len(), left as usize));
            }
            reserve_announced(left, data);
            append_elements(payload, data);
            Ok(left - payload.len() as u64)
        };
        let (mut left, offer) = self.take_marked(call, from, others, |marks, message| {
            let (bytes, payload) = call.check_word(from, message, None)?;
            match marks & OFFERS {
                0 => append(bytes, payload, data).map(|left| (left, None)),
                _ => offered_in(call, from, bytes, payload).map(|buffer| (bytes, Some(buffer))),
            }
        })?;
        // Of another length it comes otherwise.
        if let Some(buffer) = offer.filter(|_| offered == Some(left)) {
            let at = data.len();
            data.resize(at + left as usize / size_of::<T>(), T::new_zeroed());
            if self.accept_in(from, buffer, &mut data[at..])? {
                return Ok(());
            }
            data.truncate(at);
        }
        while left > 0 {
            left = self.take(call, from, false, MemberSet::NONE, |payload| match payload {
                [] => Err(call.wrong_piece(from, 0, left as usize)),
                payload => append(left, payload, data),
            })?;
        }
        Ok(())
    }

    /// Receives the whole payload from `from`, whose length is known.
    pub(super) fn recv_whole<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        room: &mut [T],
        mut pieces: Pieces,
    ) -> Result<()> {
        pieces.try_for_each(|piece| self.recv_in(call, from, room, &piece))
    }
}
