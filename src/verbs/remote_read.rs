//! Remote read: a receiver reads a long payload where it lies, and the sender's processor has no
//! part in that. It is what a rendezvous by RDMA read (RGET) is made of, and what only some
//! networks have.
//!
//! The sender [exposes](RemoteRead::expose) its payload and tells the peer in a message by which
//! [`RemoteBuffer`] it is found. The peer [reads](RemoteRead::post_read) it into memory of its own
//! interface. The sender [revokes](RemoteRead::revoke) the permission once the peer has said that
//! it is done.
//!
//! Where ranks share memory, the sender copies its payload there, and the receiver reads the copy
//! ([`copies`](RemoteRead::copies)). Where the system also lets ranks read each other's memory, a sender
//! that does not need its payload yet may [offer](RemoteRead::offer) it: the receiver accepts, and reads it
//! where it lies, or the sender withdraws the offer and sends the payload otherwise. Neither waits for
//! the other. Or the sender [lends](RemoteRead::lend) it: it is exposed, and copied only if the sender wants
//! its memory back before it was read.

use crate::order::Rank;
use crate::verbs::{Absent, Cq, Room, Vi};

/// By what a peer finds a payload that was exposed to it. What it means is the provider's. It goes
/// over the wire, and a rank that gets it trusts it as little as a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RemoteBuffer {
    /// Where it lies.
    pub address: u64,
    /// What allows it to be read.
    pub key: u32,
}

/// What is known of the peer when its permission to read is revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Revoke {
    /// It has said that it has read the buffer, or will not.
    AfterRead,
    /// It has said nothing, and may be reading.
    AtOnce,
}

/// What became of a read.
#[derive(Debug)]
pub struct ReadCompletion<P> {
    /// From which rank it was.
    pub peer: Rank,
    /// The payload; [`RemoteRead::release`] gives its room back. None if it could not be read: the
    /// peer has gone, has revoked its permission, or has exposed nothing of the kind.
    pub payload: Option<P>,
}

/// A payload that a peer may read where it lies, until it has accepted it, or the sender withdraws.
///
/// What is offered must not change meanwhile, or the peer may read what it never was. Dropping an offer
/// withdraws it.
pub trait Offer {
    /// By what the peer finds the payload.
    fn buffer(&self) -> RemoteBuffer;

    /// Whether the peer has read the payload, and will use what it has read.
    fn is_accepted(&self) -> bool;

    /// Withdraws the offer; false if it was accepted. Whichever the answer, the payload is the
    /// caller's again: a peer that is reading it will notice, and not use what it reads.
    fn withdraw(self) -> bool;
}

/// What became of a payload that its sender had [lent](RemoteRead::lend).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LentEnd {
    /// It is in the room, and the sender knows it.
    Taken,
    /// Its sender has copied it: it lies where shared memory has it, and the room has any bytes.
    Copied,
    /// The system does not let this rank read it: its sender will copy it, when it has waited for a while.
    Refused,
    /// It cannot be read: its sender has gone, has revoked it, or has lent nothing of the kind.
    Failed,
}

/// What a network offers that can read the memory of peers: see [`Nic::remote_read`].
///
/// [`Nic::remote_read`]: crate::verbs::Nic::remote_read
pub trait RemoteRead {
    /// A payload that was read. It starts at an address divisible by 8.
    type Payload: AsRef<[u8]> + Send;

    /// A payload that is [offered](RemoteRead::offer).
    type Offer: Offer;

    /// Memory [behind](RemoteRead::open_room) a payload.
    type Room: Room + Send;

    /// From which length on it pays to expose payloads to `peer` and to read its payloads, in
    /// bytes. None if that cannot be done with this peer, as before a VI to it is open. Of two
    /// ranks both say the same of each other.
    fn least_bytes(&mut self, peer: Rank) -> Option<usize>;

    /// Whether [`expose`](RemoteRead::expose) copies payloads for `peer` into memory that both share.
    /// Both ranks say the same of each other. Then
    ///
    /// - the payload is its owner's again when `expose` returns; what is [revoked] is the copy;
    /// - a [read](RemoteRead::post_read) is done at once, and what it brings *is* the copy. So the
    ///   sender is told that it was read only after it was [released](RemoteRead::release);
    /// - it can be read after the sender has gone;
    /// - a read does not notice whether the copy was revoked, but for places where there is none.
    ///
    /// [revoked]: RemoteRead::revoke
    fn copies(&mut self, peer: Rank) -> bool;

    /// Permits `peer` to read `payload` where it lies, until that is [revoked](RemoteRead::revoke)
    /// or this interface is dropped. None if that cannot be done now, as where no more memory may
    /// be locked: the caller then sends the payload otherwise.
    ///
    /// The network chooses whether the peer reads the payload itself or a copy of it. A peer that
    /// reads more than was exposed may find there what else this rank has exposed or read. The
    /// borrow ends when this returns, and the permission does not. It is a permission to read:
    /// whatever becomes of the memory meanwhile, nothing is ever written there, so nothing that
    /// this rank does with it is undefined. But the peer reads what lies there then. **The caller
    /// must revoke the permission before the payload's owner may change or free it**, on every
    /// path, unless the network [copies](RemoteRead::copies).
    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer>;

    /// As [`expose`](RemoteRead::expose) where the network [copies](RemoteRead::copies), of a payload of `len` bytes
    /// that is [copied](RemoteRead::fill_copy) afterwards. Meanwhile the peer may read what is there. None if that cannot be
    /// done, or does not pay.
    fn begin_copy(&mut self, _peer: Rank, _len: usize) -> Option<RemoteBuffer> {
        None
    }

    /// Copies the payload for which a [copy was begun](RemoteRead::begin_copy), all of it. **Whoever has begun a copy must
    /// do this**, whatever happens: the peer waits for it.
    fn fill_copy(&mut self, _peer: Rank, _buffer: RemoteBuffer, _payload: &[u8]) {}

    /// How many bytes of a payload that was [read](RemoteRead::post_read) are there, counted from its start. That is its
    /// length, unless `peer` is still making a copy that it has [begun](RemoteRead::begin_copy). The payload shows so many
    /// bytes from then on.
    fn bytes_here(&mut self, _peer: Rank, payload: &mut Self::Payload) -> usize {
        payload.as_ref().len()
    }

    /// Permits `peer` too to read the copy that was exposed to another as `buffer`, by which it finds
    /// it as well. Each permission is revoked by itself, once; the copy lasts as long as one does.
    /// False if that cannot be done, as where the network does not [copy](RemoteRead::copies).
    fn share(&mut self, _peer: Rank, _buffer: RemoteBuffer) -> bool {
        false
    }

    /// Ends the permission to read. With [`Revoke::AtOnce`] a read that is under way fails, and the
    /// peer may lose this rank by that. A buffer that is not exposed is ignored.
    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke);

    /// Begins to read `len` bytes of what the peer of `vi` has exposed to this rank, into memory of
    /// this interface: so no device ever writes where another owner might look, nothing is
    /// registered for one payload alone, and the payload is used in place. (Where the network
    /// [copies](RemoteRead::copies), the copy is.) One read of a VI is under way at a time. Returns false if it cannot be read so, as where there is no room for
    /// it, or it is shorter than a word; then nothing was begun.
    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool;

    /// Takes the next read of a VI on `cq` that is done, or has failed. Never blocks. A read that
    /// is done, and the loss of the peer that it reads from, end a
    /// [`wait`](crate::verbs::Nic::wait), as words do.
    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<Self::Payload>>;

    /// Gives back the room of a payload that was read.
    fn release(&mut self, payload: Self::Payload);

    /// Lets `peer` read `payload` where it lies, if it [accepts](RemoteRead::accept). None if it cannot,
    /// or not now: of one sender and receiver one offer stands at a time. The borrow ends when this
    /// returns, and the offer does not: see [`Offer`].
    fn offer(&mut self, _peer: Rank, _payload: &[u8]) -> Option<Self::Offer> {
        None
    }

    /// Reads what `peer` offers into `room`, and accepts it. False if that cannot be done, or the offer
    /// was withdrawn meanwhile: then `room` may have any bytes, and the peer sends the payload otherwise.
    fn accept(&mut self, _peer: Rank, _buffer: RemoteBuffer, _room: &mut [u8]) -> bool {
        false
    }

    /// As [`expose`](RemoteRead::expose) where the network [copies](RemoteRead::copies), without a copy: `peer`
    /// reads the payload where it lies. None if it cannot, or not now. The payload is its owner's again once it
    /// [is taken](RemoteRead::is_taken), [was copied](RemoteRead::copy_lent), or was revoked, as what is
    /// exposed is; **and the caller must see to one of them before its owner may change or free it**.
    fn lend(&mut self, _peer: Rank, _payload: &[u8]) -> Option<RemoteBuffer> {
        None
    }

    /// Whether `peer` has read what was lent to it, and will use what it has read.
    fn is_taken(&mut self, _peer: Rank, _buffer: RemoteBuffer) -> bool {
        false
    }

    /// Makes the copy of what was lent to `peer`, unless that one has taken it: the payload is its owner's
    /// again. False if there is no room for a copy.
    fn copy_lent(&mut self, _peer: Rank, _buffer: RemoteBuffer, _payload: &[u8]) -> bool {
        false
    }

    /// Lends `copy` in the place of what was lent to `peer`, of which it is a copy: the payload is its owner's
    /// again, and the copy is lent now. False if the peer has taken the payload, or it was copied before.
    fn move_lent(&mut self, _peer: Rank, _buffer: RemoteBuffer, _copy: &[u8]) -> bool {
        false
    }

    /// Whether a payload that was [read](RemoteRead::post_read) is one that its sender has lent: it must be
    /// [taken](RemoteRead::take_lent) before it is used.
    fn is_lent(&mut self, _payload: &Self::Payload) -> bool {
        false
    }

    /// Reads what `peer` has lent into `room`, which is as long as that, unless the peer has copied it meanwhile.
    fn take_lent(
        &mut self,
        _peer: Rank,
        _payload: &mut Self::Payload,
        _room: &mut [u8],
    ) -> LentEnd {
        LentEnd::Copied
    }

    /// Copies `payload`, which peers like this one will read, with a room of so many bytes behind it. It is
    /// exposed to nobody yet: see [`share`](RemoteRead::share). None where that cannot be done now.
    fn open_room(
        &mut self,
        _peer: Rank,
        _payload: &[u8],
        _bytes: usize,
    ) -> Option<(RemoteBuffer, Self::Room)> {
        None
    }

    /// The room of so many bytes behind a payload of `peer`, which has said that there is one, until the
    /// payload is [released](RemoteRead::release). None if there can be none: no correct peer says so.
    fn room_behind(
        &mut self,
        _peer: Rank,
        _payload: &Self::Payload,
        _bytes: usize,
    ) -> Option<Self::Room> {
        None
    }

    /// The owner of a room writes there no more. The memory lasts as long as a permission to read it.
    fn close_room(&mut self, _buffer: RemoteBuffer, _room: Self::Room) {}

    /// So many bytes of memory of this rank that all peers [see](RemoteRead::find_in_area), until they are
    /// [closed](RemoteRead::close_area). Who is to read there is told otherwise. None where there is no such memory, or none
    /// is left.
    fn open_area(&mut self, _len: usize) -> Option<RemoteBuffer> {
        None
    }

    /// Writes `bytes` at this place of memory that was [opened](RemoteRead::open_area). Nobody may be told to read
    /// them before.
    ///
    /// # Panics
    ///
    /// If they are not within it.
    fn write_area(&mut self, _buffer: RemoteBuffer, _at: usize, _bytes: &[u8]) {}

    /// So many bytes from this address on of what `peer` has [opened](RemoteRead::open_area), where they lie: the caller
    /// has been told to read there, and the peer does not close that before it was told that they have been read. None if
    /// they cannot lie there: no correct peer says so. The address is a multiple of 8.
    fn find_in_area(&mut self, _peer: Rank, _address: u64, _len: usize) -> Option<Self::Payload> {
        None
    }

    /// Nobody reads any more what was [opened](RemoteRead::open_area).
    fn close_area(&mut self, _buffer: RemoteBuffer) {}
}

impl AsRef<[u8]> for Absent {
    fn as_ref(&self) -> &[u8] {
        match *self {}
    }
}

impl Offer for Absent {
    fn buffer(&self) -> RemoteBuffer {
        match *self {}
    }

    fn is_accepted(&self) -> bool {
        match *self {}
    }

    fn withdraw(self) -> bool {
        match self {}
    }
}

impl RemoteRead for Absent {
    type Payload = Absent;
    type Offer = Absent;
    type Room = Absent;

    fn least_bytes(&mut self, _: Rank) -> Option<usize> {
        match *self {}
    }

    fn copies(&mut self, _: Rank) -> bool {
        match *self {}
    }

    fn expose(&mut self, _: Rank, _: &[u8]) -> Option<RemoteBuffer> {
        match *self {}
    }

    fn revoke(&mut self, _: Rank, _: RemoteBuffer, _: Revoke) {
        match *self {}
    }

    fn post_read(&mut self, _: Vi, _: RemoteBuffer, _: usize) -> bool {
        match *self {}
    }

    fn poll_read(&mut self, _: Cq) -> Option<ReadCompletion<Absent>> {
        match *self {}
    }

    fn release(&mut self, payload: Absent) {
        match payload {}
    }
}
