//! One end of a VI: its connection, and the messages that the connection knows by their numbers.
//!
//! Messages that were posted are copied, since they may have to be sent again; those that have come
//! stay where they lie, in their receive descriptors. Once as many messages have been posted as may
//! wait here, nothing is allocated.

use super::connection::{Connection, Moment, Timeouts, Transmit};
use crate::provider::QueueSpec;
use crate::provider::buffer::{Buffer, gather};
use crate::verbs::{Nic, PostError, Vi};

/// One end of a VI. `F` is what a receive descriptor of the network beneath is.
#[derive(Debug)]
pub(super) struct ReliableEnd<F> {
    pub(super) connection: Connection,
    /// The longest message, in bytes.
    pub(super) limit: usize,
    /// Messages that were posted, each at the place of its number among so many.
    copies: Box<[Option<Copy>]>,
    /// Messages that have come and were not delivered, likewise.
    kept: Box<[Option<F>]>,
    /// How many of those that can be delivered were [told](Self::newly_deliverable).
    told: u64,
    /// It stands among the ends with something new to be sent.
    pub(super) is_touched: bool,
}

#[derive(Debug)]
struct Copy {
    buffer: Buffer,
    len: usize,
}

impl<F> ReliableEnd<F> {
    pub(super) fn new(spec: &QueueSpec, first: u64, timeouts: Timeouts) -> ReliableEnd<F> {
        let connection = Connection::new(spec.recv_descriptors, first, timeouts);
        let (window, capacity) = (connection.window(), connection.capacity());
        ReliableEnd {
            connection,
            limit: spec.descriptor_bytes,
            copies: (0..capacity).map(|_| None).collect(),
            kept: (0..window).map(|_| None).collect(),
            told: 0,
            is_touched: false,
        }
    }

    fn place(&self, number: u64) -> usize {
        (number % self.connection.window()) as usize
    }

    fn place_of_copy(&self, number: u64) -> usize {
        (number % self.connection.capacity()) as usize
    }

    /// Takes a message on, for which there is room.
    pub(super) fn post(&mut self, now: Moment, header: &[u8], payload: &[u8]) {
        let number = self.connection.handle_post(now);
        let (place, limit) = (self.place_of_copy(number), self.limit);
        let empty = || Copy { buffer: Buffer::zeroed(limit), len: 0 };
        let copy = self.copies[place].get_or_insert_with(empty);
        copy.len = header.len() + payload.len();
        gather(copy.buffer.bytes_mut(), header, payload);
    }

    /// Keeps a message that has come.
    pub(super) fn keep(&mut self, number: u64, frame: F) {
        let place = self.place(number);
        self.kept[place] = Some(frame);
    }

    /// How many messages can be delivered now, and could not when it was asked last.
    pub(super) fn newly_deliverable(&mut self) -> u64 {
        let told = std::mem::replace(&mut self.told, self.connection.deliverable());
        self.told - told
    }

    /// The next message for the layer above.
    pub(super) fn poll_deliver(&mut self) -> Option<F> {
        let number = self.connection.poll_deliver()?;
        self.told = self.told.saturating_sub(1);
        let place = self.place(number);
        self.kept[place].take()
    }

    /// Sends all that is due. A frame that the network beneath cannot take is lost, as others are;
    /// false where the peer has gone.
    pub(super) fn transmit<N: Nic>(&mut self, inner: &mut N, vi: Vi, now: Moment) -> bool {
        while let Some(Transmit { header, message }) = self.connection.poll_transmit(now) {
            let copy = message.and_then(|number| self.copies[self.place_of_copy(number)].as_ref());
            let bytes = copy.map_or(&[][..], |copy| &copy.buffer.bytes()[..copy.len]);
            if let Err(PostError::PeerGone(_)) = inner.post_send(vi, &header.encode(), bytes) {
                return false;
            }
        }
        true
    }
}
