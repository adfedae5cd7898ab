//! Payloads with a room behind them, which their sender fills later, and payloads that a receiver keeps for a while
//! where they lie. Collectives so give each other what they have combined, without a message.
//!
//! Keeps rules FLOW-4, COL-11, END-2 and SAFE-1 of SEMANTICS.md.
//!
//! The payload goes as any other: it is ordered, stamped and held as its message is, so nobody sees the room before
//! its receiver may. What is written there later belongs to that message.

use super::send::SendId;
use super::transfers::CopyingOnce;
use super::{Engine, Envelope};
use crate::message::error::MessageError;
use crate::message::inbound::{Body, Inbound, Info};
use crate::message::matching::{Context, Deliverable, Pattern, RecvId};
use crate::message::transfers::gathering::{Payload, Read};
use crate::order::Rank;
use crate::verbs::{Nic, ReadPayload, RemoteBuffer, RemoteRead, RoomOf};

/// By what a payload is known that this rank has copied for its peers, with a room behind it.
#[derive(Debug)]
pub struct RoomKey {
    buffer: RemoteBuffer,
    /// Whether it lies in an area, and not in a copy that was exposed.
    is_in_area: bool,
}

impl RoomKey {
    pub(super) fn in_area(buffer: RemoteBuffer) -> RoomKey {
        RoomKey { buffer, is_in_area: true }
    }
}

/// A payload that was received, and stays where it lies until it is [released](Engine::release_held).
pub struct Held<N: Nic> {
    source: Rank,
    payload: Kept<N>,
}

enum Kept<N: Nic> {
    /// It came otherwise.
    Here(Vec<u8>),
    /// It lies where its sender has copied it.
    There(Read<ReadPayload<N>>),
    /// It lies in an area of its sender, until this rank has finished the call.
    Deposited(ReadPayload<N>),
}

impl<N: Nic> Held<N> {
    /// What `source` has deposited.
    pub(super) fn deposited(source: Rank, payload: ReadPayload<N>) -> Held<N> {
        Held { source, payload: Kept::Deposited(payload) }
    }

    /// The payload.
    pub fn bytes(&self) -> &[u8] {
        match &self.payload {
            Kept::Here(payload) => payload,
            Kept::There(read) => read.payload.as_ref(),
            Kept::Deposited(payload) => payload.as_ref(),
        }
    }
}

impl<N: Nic> Engine<N> {
    /// Copies a payload above the eager limit for `peer` and others, with a room of so many bytes behind it. None
    /// if that cannot be done now.
    pub fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RoomKey, RoomOf<N>)> {
        // What was read makes room, and its memory is warm. What fails here fails in the next call.
        let _ = self.poll_copies();
        let (buffer, room) = self.nic.remote_read()?.open_room(peer, payload, bytes)?;
        Some((RoomKey { buffer, is_in_area: false }, room))
    }

    /// This rank writes no more there.
    pub fn close_room(&mut self, key: RoomKey, room: RoomOf<N>) {
        if key.is_in_area {
            drop(room);
            return self.deposits.handle_written(key.buffer);
        }
        if let Some(network) = self.nic.remote_read() {
            network.close_room(key.buffer, room);
        }
    }

    /// As [`post_send_to_each`](Engine::post_send_to_each), of the payload before a room. A receiver that cannot be
    /// given that copy gets the payload in segments, without the room.
    ///
    /// # Errors
    ///
    /// As by [`post_send_to_each`](Engine::post_send_to_each).
    pub fn post_with_room<K, E>(
        &mut self,
        key: &RoomKey,
        mut receivers: impl Iterator<Item = (K, Rank)>,
        envelope: Envelope,
        payload: &[u8],
        mut handle_posted: impl FnMut(K, Result<Option<SendId>, MessageError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let copying = CopyingOnce::begin_given(self, key.buffer);
        let engine = &mut *copying.engine;
        receivers.try_for_each(|(name, to)| {
            let posted = engine.post_send(to, envelope, payload);
            handle_posted(name, posted.map(|id| (!engine.is_sent(id)).then_some(id)))
        })
    }

    /// As [`recv`](Engine::recv), of a payload that stays where it lies until it is
    /// [released](Engine::release_held).
    ///
    /// # Errors
    ///
    /// As by [`recv`](Engine::recv).
    pub fn recv_held<E: From<MessageError>>(
        &mut self,
        context: Context,
        pattern: Pattern,
        accept: impl Fn(&Info) -> Result<(), E>,
    ) -> Result<(Info, Held<N>), E> {
        let info = self.wait_for_match(context, pattern)?;
        accept(&info)?;
        let is_request =
            self.matching.peek(context, pattern).is_some_and(|(_, _, message)| !message.is_here());
        if is_request {
            self.confirm_first(context, pattern);
            self.wait_for_payload(context, pattern, info.source)?;
        }
        let taken = self.take_present(context, pattern);
        Ok((info, self.hold_taken(taken)?))
    }

    /// Leaves what was read last of a deposit of `source` where it lies; with how many bytes the room behind it has, if there is
    /// one. None if it does not lie in an area. The call is [pending](Engine::begin_pending) until it is released.
    pub fn hold_deposited(&mut self, source: Rank) -> Option<(Held<N>, usize)> {
        let (payload, room_bytes) = self.deposited.take()?;
        Some((Held::deposited(source, payload), room_bytes))
    }

    /// As [`read_posted`](Engine::read_posted), of a payload that stays where it lies, as what
    /// [`recv_held`](Engine::recv_held) returns, if `check` accepts its element byte and the payload.
    pub fn hold_posted<R, E>(
        &mut self,
        id: RecvId,
        check: impl FnOnce(u8, &[u8]) -> Result<R, E>,
    ) -> Option<Result<(R, Held<N>), E>> {
        if !self.is_whole(id) {
            return None;
        }
        let matched = self.matching.take_matched(&mut self.obstacles, id)?;
        let element = matched.message.element;
        // What cannot be read fails in the call that waits for it.
        let held = self.hold_taken(matched).ok()?;
        let checked = check(element, held.bytes());
        Some(match checked {
            Ok(checked) => Ok((checked, held)),
            Err(refused) => {
                self.release_held(held);
                self.tell_released();
                Err(refused)
            }
        })
    }

    /// Leaves the payload of a message where it lies.
    fn hold_taken(
        &mut self,
        taken: Deliverable<Inbound<N::Frame>>,
    ) -> Result<Held<N>, MessageError> {
        let source = taken.source;
        let payload = match taken.message.body {
            Body::Gathering { slot } => {
                if let Err(error) = self.fetch(slot, None) {
                    self.discard_gathered(slot);
                    return Err(error);
                }
                match self.gathering.take(&mut self.obstacles, slot) {
                    Some(Payload::Read(read)) => Kept::There(read),
                    Some(Payload::Gathered(payload)) => Kept::Here(payload),
                    None => Kept::Here(Vec::new()),
                }
            }
            _ => Kept::Here(self.consume(taken, |_, payload| payload.to_vec())?),
        };
        Ok(Held { source, payload })
    }

    /// The room of so many bytes behind a payload, whose sender has said that there is one. None if the payload
    /// has come otherwise, or there can be no such room.
    pub fn room_behind(&mut self, held: &Held<N>, bytes: usize) -> Option<RoomOf<N>> {
        let payload = match &held.payload {
            Kept::Here(_) => return None,
            Kept::There(read) => &read.payload,
            Kept::Deposited(payload) => payload,
        };
        self.nic.remote_read()?.room_behind(held.source, payload, bytes)
    }

    /// Gives a payload back. Its sender is told [at once](Engine::tell_released), or with the next flush.
    pub fn release_held(&mut self, held: Held<N>) {
        match held.payload {
            Kept::Here(room) => self.gathering.keep_room(room),
            Kept::There(read) => self.release_read(read),
            Kept::Deposited(payload) => {
                if let Some(network) = self.nic.remote_read() {
                    network.release(payload);
                }
            }
        }
    }

    /// Tells senders at once which payloads were given back: this rank may not call again for long.
    pub fn tell_released(&mut self) {
        self.tell_at_once();
    }
}
