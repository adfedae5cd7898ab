//! Messages between two ranks: typed slices and raw bytes.

use zerocopy::IntoBytes;

use super::element::{check_sized, elements, stated_size};
use super::ranks::Ranks;
use super::{Comm, Element, RecvRequest, SendRequest};
use crate::error::{Error, Result};
use crate::message::{Envelope, Info, Lane, Memory, Pattern, Source, Tag};
use crate::order::Rank;
use crate::verbs::Nic;

/// The largest tag that a program may use, as in MPI where an int holds it.
pub const MAX_TAG: u32 = i32::MAX as u32;

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message<T> {
    /// Who sent it.
    pub source: Rank,
    /// Its tag.
    pub tag: u32,
    /// Its elements.
    pub data: Vec<T>,
}

/// What is known of a message apart from its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Who sent it.
    pub source: Rank,
    /// Its tag.
    pub tag: u32,
    /// Its length in bytes.
    pub bytes: usize,
}

impl From<&Info> for Status {
    fn from(info: &Info) -> Status {
        Status { source: info.source, tag: info.tag, bytes: info.len }
    }
}

/// Messages, as the program sees them.
impl Ranks {
    /// Refuses a message that is not a whole number of elements of the size asked for, or that was
    /// sent as elements of another size.
    #[inline]
    pub(super) fn accept<T: Element>(&self, info: &Info) -> Result<()> {
        if fits::<T>(info) { Ok(()) } else { Err(self.wrong_element::<T>(info)) }
    }

    #[cold]
    fn wrong_element<T: Element>(&self, info: &Info) -> Error {
        let Info { source: source_rank, tag, len: bytes, element } = self.local_info(info);
        Error::ElementSize { source_rank, tag, bytes, sent: element.into(), asked: size_of::<T>() }
    }

    /// As [`accept`](Ranks::accept), and refuses one that is longer than `space` bytes.
    #[inline]
    pub(super) fn accept_into<T: Element>(&self, info: &Info, space: usize) -> Result<()> {
        let fits = fits::<T>(info) && info.len <= space;
        if fits { Ok(()) } else { Err(self.wrong_room::<T>(info, space)) }
    }

    #[cold]
    fn wrong_room<T: Element>(&self, info: &Info, room: usize) -> Error {
        if !fits::<T>(info) {
            return self.wrong_element::<T>(info);
        }
        let Info { source: source_rank, tag, len: bytes, .. } = self.local_info(info);
        Error::Truncated { source_rank, tag, bytes, room }
    }

    pub(super) fn message<T: Element>(&self, info: &Info, bytes: &[u8]) -> Message<T> {
        let Info { source, tag, .. } = self.local_info(info);
        Message { source, tag, data: elements(bytes) }
    }
}

impl<N: Nic> Comm<N> {
    /// Sends `data` to rank `to` and returns when it may be used again.
    ///
    /// That says nothing about the receiver. The call waits, progressing, while the receiver's
    /// window is full, for the receiver's room where the message is above the eager limit
    /// ([`Options::eager_bytes`](crate::Options::eager_bytes())), and for open barriers of groups
    /// to which the receiver does not belong.
    ///
    /// # Errors
    ///
    /// [`Error::RankOutOfRange`], [`Error::TagOutOfRange`]; [`Error::Message`] if the message is
    /// too large, or the receiver has ended or is lost. Nothing was sent then. A message to a rank
    /// that ends without receiving it may also be accepted, and is lost: which of the two depends
    /// on timing, so programs receive what they send, or end with a barrier that waits.
    pub fn send<T: Element>(&self, to: Rank, tag: u32, data: &[T]) -> Result<()> {
        let (to, envelope) = self.envelope(to, tag, stated_size::<T>())?;
        Ok(self.engine()?.send(to, envelope, data.as_bytes())?)
    }

    /// As [`send`](Comm::send), for raw bytes, which any type of the right size can receive.
    ///
    /// # Errors
    ///
    /// As by [`send`](Comm::send).
    pub fn send_bytes(&self, to: Rank, tag: u32, data: &[u8]) -> Result<()> {
        let (to, envelope) = self.envelope(to, tag, 0)?;
        Ok(self.engine()?.send(to, envelope, data)?)
    }

    /// Sends `data` if that needs no waiting; returns whether it did. A message that only an open
    /// barrier keeps back is queued and counts as sent.
    ///
    /// # Errors
    ///
    /// As by [`send`](Comm::send).
    pub fn try_send<T: Element>(&self, to: Rank, tag: u32, data: &[T]) -> Result<bool> {
        let (to, envelope) = self.envelope(to, tag, stated_size::<T>())?;
        Ok(self.engine()?.try_send(to, envelope, data.as_bytes())?)
    }

    /// Starts sending a copy of `data` and returns at once. Messages to one rank leave in the order
    /// in which they were posted. The request may be dropped: the message is sent all the same.
    /// [`isend_owned`](Comm::isend_owned) and [`scope`](Comm::scope) need no copy of a large payload.
    ///
    /// # Errors
    ///
    /// As by [`send`](Comm::send).
    pub fn isend<T: Element>(&self, to: Rank, tag: u32, data: &[T]) -> Result<SendRequest<N>> {
        let (to, envelope) = self.envelope(to, tag, stated_size::<T>())?;
        let id = self.engine()?.post_send(to, envelope, data.as_bytes())?;
        Ok(SendRequest::new(self, id))
    }

    /// Waits for a message and returns it. Messages of one sender come in the order in which it
    /// sent them; from any source, the one that was noticed first.
    ///
    /// # Errors
    ///
    /// [`Error::ElementSize`] if its elements have not the size of `T`: it is not lost, and can
    /// still be received as what it is. Sizes up to 254 bytes are all that is compared: an `f64` is
    /// received as a `u64` without an error. [`Error::Message`] if no such message can come any
    /// more, since the senders have ended; and, from any source, if it would have to wait while a
    /// member of the communicator has failed or is lost (END-3 of SEMANTICS.md).
    /// [`Error::RankOutOfRange`], [`Error::TagOutOfRange`].
    pub fn recv<T: Element>(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Message<T>> {
        let pattern = self.pattern(source.into(), tag.into())?;
        self.engine()?.recv(
            self.context(Lane::Program),
            pattern,
            |info| self.ranks.accept::<T>(info),
            |info, bytes| self.ranks.message(info, bytes),
        )
    }

    /// Waits for a message and copies it to the front of `room`; needs no allocation. A large one
    /// is copied piece by piece as it comes, which is faster than by way of [`recv`](Comm::recv).
    ///
    /// # Errors
    ///
    /// As by [`recv`](Comm::recv): if the sender is lost on the way, `room` may have some of the
    /// payload. [`Error::Truncated`] if `room` is too small: the message is not lost, and `room` is
    /// as it was.
    pub fn recv_into<T: Element>(
        &self,
        room: &mut [T],
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Status> {
        let pattern = self.pattern(source.into(), tag.into())?;
        let room = room.as_mut_bytes();
        let (context, space) = (self.context(Lane::Program), room.len());
        self.engine()?.recv_pieces(
            context,
            pattern,
            |info| fits::<T>(info) && info.len <= space,
            |info| self.ranks.wrong_room::<T>(info, space),
            |info| Status::from(&self.local(info)),
            Memory(room),
        )
    }

    /// Sends `data` to rank `to` and waits for a message (MPI: Sendrecv). Each rank of a ring, or
    /// of a pair, may call it at once: it goes on receiving while its own message cannot leave.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let (rank, size) = (world.rank(), world.size());
    ///     let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    ///     let message = world.send_receive::<_, usize>(next, 0, &[rank], before, 0)?;
    ///     assert_eq!(message.data, [before]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`send`](Comm::send) and [`recv`](Comm::recv). If the message cannot be sent, none is
    /// received. If none is received, the message is sent all the same.
    pub fn send_receive<T: Element, R: Element>(
        &self,
        to: Rank,
        tag: u32,
        data: &[T],
        source: impl Into<Source>,
        source_tag: impl Into<Tag>,
    ) -> Result<Message<R>> {
        self.scope(|scope| {
            scope.isend(to, tag, data)?;
            self.recv(source, source_tag)
        })
    }

    /// As [`send_receive`](Comm::send_receive), and puts what comes to the front of `room`; needs
    /// no allocation.
    ///
    /// # Errors
    ///
    /// As by [`send_receive`](Comm::send_receive) and [`recv_into`](Comm::recv_into).
    pub fn send_receive_into<T: Element, R: Element>(
        &self,
        to: Rank,
        tag: u32,
        data: &[T],
        room: &mut [R],
        source: impl Into<Source>,
        source_tag: impl Into<Tag>,
    ) -> Result<Status> {
        self.scope(|scope| {
            scope.isend(to, tag, data)?;
            self.recv_into(room, source, source_tag)
        })
    }

    /// As [`send_receive_into`](Comm::send_receive_into), with what comes in the place of what is
    /// sent (MPI: Sendrecv_replace).
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let (other, mut data) = (1 - world.rank(), [world.rank()]);
    ///     world.send_receive_replace(&mut data, other, 0, other, 0)?;
    ///     assert_eq!(data, [other]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`send_receive_into`](Comm::send_receive_into).
    pub fn send_receive_replace<T: Element>(
        &self,
        data: &mut [T],
        to: Rank,
        tag: u32,
        source: impl Into<Source>,
        source_tag: impl Into<Tag>,
    ) -> Result<Status> {
        // What cannot leave at once is copied, so its place is free.
        let sent = self.isend(to, tag, data)?;
        let status = self.recv_into(data, source, source_tag)?;
        sent.wait().map(|()| status)
    }

    /// Waits for a message of any type and returns its bytes.
    ///
    /// # Errors
    ///
    /// As by [`recv`](Comm::recv).
    pub fn recv_bytes(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Message<u8>> {
        let pattern = self.pattern(source.into(), tag.into())?;
        self.engine()?.recv(
            self.context(Lane::Program),
            pattern,
            |_| Ok(()),
            |info, bytes| self.ranks.message(info, bytes),
        )
    }

    /// Returns a message if one is there. After a mere [`barrier`](Comm::barrier), a message that
    /// was sent before it may not be there yet; wait for the barrier first.
    ///
    /// # Errors
    ///
    /// As by [`recv`](Comm::recv), except that a message that can never come is None.
    pub fn try_recv<T: Element>(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Option<Message<T>>> {
        let pattern = self.pattern(source.into(), tag.into())?;
        self.engine()?.try_recv(
            self.context(Lane::Program),
            pattern,
            |info| self.ranks.accept::<T>(info),
            |info, bytes| self.ranks.message(info, bytes),
        )
    }

    /// Posts a receive: the first matching message that no earlier one takes is kept for it. There
    /// may be any number, whatever the window, and the program may wait for them in any order.
    /// Dropping the request gives it up; a message that was kept for it stays receivable.
    ///
    /// # Errors
    ///
    /// [`Error::RankOutOfRange`], [`Error::TagOutOfRange`]; [`Error::Message`] if a peer broke the
    /// protocol.
    pub fn irecv<T: Element>(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<RecvRequest<T, N>> {
        let pattern = self.pattern(source.into(), tag.into())?;
        let id = self.engine()?.post_recv(self.context(Lane::Program), pattern)?;
        Ok(RecvRequest::new(self, id, pattern.source))
    }

    /// Waits for a message, without receiving it.
    ///
    /// # Errors
    ///
    /// As by [`recv`](Comm::recv).
    pub fn probe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Status> {
        let pattern = self.pattern(source.into(), tag.into())?;
        let info = self.engine()?.probe(self.context(Lane::Program), pattern)?;
        Ok(Status::from(&self.local(&info)))
    }

    /// Looks for a message, without receiving it.
    ///
    /// # Errors
    ///
    /// As by [`try_recv`](Comm::try_recv).
    pub fn try_probe(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Option<Status>> {
        let pattern = self.pattern(source.into(), tag.into())?;
        let info = self.engine()?.try_probe(self.context(Lane::Program), pattern)?;
        Ok(info.map(|info| Status::from(&self.local(&info))))
    }

    /// The receiver's rank in the world, and the envelope of the message.
    pub(super) fn envelope(&self, to: Rank, tag: u32, element: u8) -> Result<(Rank, Envelope)> {
        self.check_rank(to)?;
        check_tag(tag)?;
        let context = self.context(Lane::Program);
        Ok((self.to_world(to), Envelope { context, tag, element }))
    }

    /// What to ask the engine for: with ranks of the world.
    pub(super) fn pattern(&self, source: Source, tag: Tag) -> Result<Pattern> {
        let source = match source {
            Source::Any => Source::Any,
            Source::Rank(rank) => Source::Rank(self.world_rank(rank)?),
        };
        if let Tag::Exactly(tag) = tag {
            check_tag(tag)?;
        }
        Ok(Pattern { source, tag })
    }
}

/// Whether a message is a whole number of elements of this size, and was not sent as elements of
/// another.
#[inline]
fn fits<T: Element>(info: &Info) -> bool {
    check_sized::<T>();
    let (asked, stated) = (size_of::<T>(), usize::from(info.element));
    let is_stated = stated != 0 && stated != usize::from(Envelope::CONFIRMED);
    info.len.is_multiple_of(asked) && (stated == asked || !is_stated)
}

fn check_tag(tag: u32) -> Result<()> {
    if tag <= MAX_TAG { Ok(()) } else { Err(Error::TagOutOfRange { tag }) }
}
