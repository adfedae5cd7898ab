//! Deposits in areas of this rank's memory: what is too long for a slot is written there once, and read there by all.
//!
//! Keeps rules COL-5, COL-9 and SAFE-1 of SEMANTICS.md.
//!
//! The part `deposits` says when an area may be closed. Here it is opened, written, found and closed. A rank has a bounded part of
//! its memory for payloads open so, and sends messages where that is used up.

use zerocopy::IntoBytes;

use crate::message::MOST_BYTES;
use crate::message::deposits::{
    Body, Contents, ELSEWHERE_BYTES, Elsewhere, Look, NotCopied, Readers,
};
use crate::message::engine::{Engine, Held, RoomKey};
use crate::message::error::{MessageError, Violation};
use crate::order::{Clock, GroupId, Rank};
use crate::verbs::{
    Nic, PeerState, ROOM_WORDS, ReadPayload, RemoteBuffer, RemoteRead, Room, RoomOf,
};

/// Up to this part of the memory for payloads has open areas: the rest is for messages.
const AREAS_SHARE: usize = 8;

/// The messages of two readers lie on different lines.
const LINE_BYTES: usize = 64;

/// What has become of a deposit before a room.
pub enum BeforeRoom<N: Nic> {
    /// It cannot be now: nothing was done.
    NotNow,
    /// No room was asked for.
    Alone,
    /// There is a room, in which this rank writes.
    Opened {
        /// By this it is closed.
        key: RoomKey,
        /// It is as long as was asked for.
        room: RoomOf<N>,
        /// What was deposited, where all read it, until the room is closed.
        contents: Held<N>,
    },
}

impl<N: Nic> Engine<N> {
    /// Whether these contents are too long for a slot of the group at this place.
    pub(super) fn is_for_area(&self, place: usize, contents: &Contents<'_>) -> bool {
        contents.len(self.deposits.size(place)) > MOST_BYTES
    }

    /// How many bytes they take in a slot.
    pub(super) fn bytes_in_slot(&self, place: usize, contents: &Contents<'_>) -> usize {
        match contents.len(self.deposits.size(place)) {
            bytes if bytes > MOST_BYTES => ELSEWHERE_BYTES,
            bytes => bytes,
        }
    }

    /// Deposits contents in an area, for whose words there is room. False, and nothing has been done, if there is none for
    /// the area.
    pub(super) fn deposit_elsewhere(
        &mut self,
        place: usize,
        (index, readers): (u64, Readers),
        stamp: Clock,
        contents: &Contents<'_>,
    ) -> bool {
        let Some((message, area)) = self.write_in_area(place, contents, 0) else { return false };
        self.tell_of_area(place, (index, readers), stamp, (message, area));
        true
    }

    fn tell_of_area(
        &mut self,
        place: usize,
        of: (u64, Readers),
        stamp: Clock,
        (message, area): (Elsewhere, (RemoteBuffer, usize)),
    ) {
        let Some(words) = self.nic.shared_words() else { return };
        if self.deposits.deposit_elsewhere(words, place, of, stamp, (message, area)) {
            self.wake_for_deposit(place, of);
        }
    }

    /// As [`deposit`](Engine::deposit), with a room of so many bytes behind the contents, which are the same for all. What the
    /// caller has of it is [closed](Engine::close_room) when it writes there no more. Only where it `waits` it looks again for
    /// a place to deposit.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn deposit_before_room(
        &mut self,
        group: GroupId,
        (index, readers): (u64, Readers),
        contents: Contents<'_>,
        (room_bytes, waits): (usize, bool),
    ) -> Result<BeforeRoom<N>, MessageError> {
        let Some(place) = self.deposits.place_of(group) else { return Ok(BeforeRoom::NotNow) };
        self.settle_dropped();
        let has_room = match waits {
            true => self.has_room_soon(place, (index, readers), ELSEWHERE_BYTES),
            false => self.has_room(place, (index, readers), ELSEWHERE_BYTES),
        };
        if !has_room {
            return Ok(BeforeRoom::NotNow);
        }
        let Some(stamp) = self.stamp_of_deposit(place, readers)? else {
            return Ok(BeforeRoom::NotNow);
        };
        let Some((message, area)) = self.write_in_area(place, &contents, room_bytes) else {
            return Ok(BeforeRoom::NotNow);
        };
        let (buffer, _) = area;
        let room = if room_bytes > 0 { self.room_in_area(&message) } else { None };
        if room.is_none() && room_bytes > 0 {
            // Nobody was told of it.
            self.close_area(buffer);
            return Ok(BeforeRoom::NotNow);
        }
        self.tell_of_area(place, (index, readers), stamp, (message, area));
        let Some((room, contents)) = room else { return Ok(BeforeRoom::Alone) };
        let contents = Held::deposited(self.rank(), contents);
        Ok(BeforeRoom::Opened { key: RoomKey::in_area(buffer), room, contents })
    }

    /// The room behind a message in an area of this rank, with which nothing was told yet, and the message.
    fn room_in_area(&mut self, message: &Elsewhere) -> Option<(RoomOf<N>, ReadPayload<N>)> {
        let (own, network) = (self.rank(), self.nic.remote_read()?);
        let payload = network.find_in_area(own, message.address, message.len as usize)?;
        let mut room = network.room_behind(own, &payload, message.room as usize)?;
        (0..ROOM_WORDS).for_each(|word| room.store(word, 0));
        Some((room, payload))
    }

    /// Writes contents into an area of their length.
    fn write_in_area(
        &mut self,
        place: usize,
        contents: &Contents<'_>,
        room_bytes: usize,
    ) -> Option<(Elsewhere, (RemoteBuffer, usize))> {
        let (members, head) = (self.deposits.size(place), contents.head.as_bytes());
        let (own, behind, messages) = match contents.body {
            Body::Same(body) => (0, body.len(), 1),
            Body::Parts(parts) => (self.deposits.own(place), parts.len() / members, members - 1),
        };
        let len = head.len() + behind;
        let stride = if messages > 1 { len.next_multiple_of(LINE_BYTES) } else { 0 };
        // What comes behind the head begins with a line.
        let first = head.len().next_multiple_of(LINE_BYTES) - head.len();
        let bytes = first + (messages - 1) * stride + len;
        let bytes = match room_bytes {
            0 => bytes,
            _ => bytes.next_multiple_of(LINE_BYTES) + LINE_BYTES + room_bytes,
        };
        let buffer = self.open_area(bytes)?;
        let network = self.nic.remote_read()?;
        match contents.body {
            Body::Same(body) => {
                network.write_area(buffer, first, head);
                network.write_area(buffer, first + head.len(), body);
            }
            Body::Parts(parts) => {
                let others = (0..members).filter(|&member| member != own);
                for (nth, member) in others.enumerate() {
                    network.write_area(buffer, first + nth * stride, head);
                    let part = &parts[member * behind..][..behind];
                    network.write_area(buffer, first + nth * stride + head.len(), part);
                }
            }
        }
        let message = Elsewhere {
            address: buffer.address + first as u64,
            len: len as u64,
            stride: stride as u64,
            room: room_bytes as u64,
        };
        Some((message, (buffer, bytes)))
    }

    /// Opens an area of so many bytes, if there is room for it, or is when those that were read are closed.
    fn open_area(&mut self, bytes: usize) -> Option<RemoteBuffer> {
        let most = self.config.heap_bytes / AREAS_SHARE;
        self.close_read_areas(Look::None);
        // Not before: to write where others have just read takes longer. (Two ranks with 64 KiB took 1.2 to 1.4 of the time.)
        if !self.deposits.has_room_for_area(bytes, most) {
            self.close_read_areas(Look::AtAll);
        }
        if !self.deposits.has_room_for_area(bytes, most) {
            return None;
        }
        // What was read makes room, and its memory is warm. What fails here fails in the next call.
        let _ = self.poll_copies();
        self.nic.remote_read()?.open_area(bytes)
    }

    /// Closes areas that nobody reads any more, as far as this rank finds that by such a look.
    pub(in crate::message::engine) fn close_read_areas(&mut self, look: Look) {
        while self.deposits.has_areas()
            && let Some(words) = self.nic.shared_words()
        {
            let has_gone = |rank| self.nic.peer_state(rank) == PeerState::Gone;
            let Some(read) = self.deposits.poll_read_area(words, look, has_gone) else { return };
            self.close_area(read);
        }
    }

    fn close_area(&mut self, area: RemoteBuffer) {
        if let Some(network) = self.nic.remote_read() {
            network.close_area(area);
        }
    }

    /// Finds what a member has deposited elsewhere: how many bytes [lie there](Engine::deposited).
    #[inline(never)]
    pub(super) fn find_deposited(
        &mut self,
        (place, member): (usize, Rank),
        not_copied: NotCopied,
    ) -> Result<usize, MessageError> {
        self.forget_deposited();
        let from = self.deposits.world_rank(place, member);
        let wrong = |len| MessageError::protocol(from, Violation::FalseDeposit { len });
        let (address, len, room) = match not_copied {
            NotCopied::TooLong(len) => return Err(wrong(len)),
            NotCopied::There { address, len, room } => (address, len, room),
        };
        let [len, room] = [len, room].map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        let network = self.nic.remote_read();
        let found = network.and_then(|network| network.find_in_area(from, address, len));
        self.deposited = Some((found.ok_or_else(|| wrong(len))?, room));
        Ok(len)
    }

    /// What was read last of an area is needed no more.
    pub fn forget_deposited(&mut self) {
        if let (Some((payload, _)), Some(network)) = (self.deposited.take(), self.nic.remote_read())
        {
            network.release(payload);
        }
    }
}
