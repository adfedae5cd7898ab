//! Remote read of a rank on one network or two: each peer's payloads go by the network by which it
//! is reached, if that has remote read.

use super::{Either, Far, Host, either};
use crate::order::Rank;
use crate::verbs::{
    Cq, LentEnd, Nic, Offer, OfferOf, ReadCompletion, ReadPayload, RemoteBuffer, RemoteRead,
    Revoke, Room, RoomOf, Vi,
};

/// What a poll of a network found, as of either.
fn found<P, Q>(
    network: Option<&mut impl RemoteRead<Payload = P>>,
    cq: Cq,
    of: impl Fn(P) -> Q,
) -> Option<ReadCompletion<Q>> {
    let ReadCompletion { peer, payload } = network?.poll_read(cq)?;
    Some(ReadCompletion { peer, payload: payload.map(of) })
}

impl<P: AsRef<[u8]>, Q: AsRef<[u8]>> AsRef<[u8]> for Either<P, Q> {
    fn as_ref(&self) -> &[u8] {
        either!(self, payload => payload.as_ref())
    }
}

impl<P: Offer, Q: Offer> Offer for Either<P, Q> {
    fn buffer(&self) -> RemoteBuffer {
        either!(self, offer => offer.buffer())
    }

    fn is_accepted(&self) -> bool {
        either!(self, offer => offer.is_accepted())
    }

    fn withdraw(self) -> bool {
        either!(self, offer => offer.withdraw())
    }
}

impl<P: Room, Q: Room> Room for Either<P, Q> {
    fn load(&self, word: usize) -> u64 {
        either!(self, room => room.load(word))
    }

    fn store(&mut self, word: usize, value: u64) {
        either!(self, room => room.store(word, value));
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        either!(self, room => room.write(at, bytes));
    }

    fn read(&self, at: usize, into: &mut [u8]) {
        either!(self, room => room.read(at, into));
    }
}

impl<A: Nic, B: Far> RemoteRead for Host<A, B> {
    type Payload = Either<ReadPayload<A>, ReadPayload<B>>;
    type Offer = Either<OfferOf<A>, OfferOf<B>>;
    type Room = Either<RoomOf<A>, RoomOf<B>>;

    fn least_bytes(&mut self, peer: Rank) -> Option<usize> {
        either!(self.reach_mut(peer), nic => nic.remote_read()?.least_bytes(peer))
    }

    fn copies(&mut self, peer: Rank) -> bool {
        either!(self.reach_mut(peer), nic => {
            nic.remote_read().is_some_and(|network| network.copies(peer))
        })
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        either!(self.reach_mut(peer), nic => nic.remote_read()?.expose(peer, payload))
    }

    fn begin_copy(&mut self, peer: Rank, len: usize) -> Option<RemoteBuffer> {
        either!(self.reach_mut(peer), nic => nic.remote_read()?.begin_copy(peer, len))
    }

    fn fill_copy(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) {
        either!(self.reach_mut(peer), nic => {
            if let Some(network) = nic.remote_read() {
                network.fill_copy(peer, buffer, payload);
            }
        });
    }

    fn bytes_here(&mut self, peer: Rank, payload: &mut Self::Payload) -> usize {
        match payload {
            Either::Near(payload) => {
                let network = self.near_mut().and_then(Nic::remote_read);
                network.map_or(0, |network| network.bytes_here(peer, payload))
            }
            Either::Far(payload) => {
                let network = self.far_mut().and_then(Nic::remote_read);
                network.map_or(0, |network| network.bytes_here(peer, payload))
            }
        }
    }

    fn share(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        either!(self.reach_mut(peer), nic => {
            nic.remote_read().is_some_and(|network| network.share(peer, buffer))
        })
    }

    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke) {
        either!(self.reach_mut(peer), nic => {
            if let Some(network) = nic.remote_read() {
                network.revoke(peer, buffer, how);
            }
        });
    }

    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        either!(self.reach_mut(vi.peer), nic => {
            nic.remote_read().is_some_and(|network| network.post_read(vi, buffer, len))
        })
    }

    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<Self::Payload>> {
        let near = found(self.near_mut().and_then(Nic::remote_read), cq, Either::Near);
        near.or_else(|| found(self.far_mut().and_then(Nic::remote_read), cq, Either::Far))
    }

    fn release(&mut self, payload: Self::Payload) {
        match payload {
            Either::Near(payload) => {
                if let Some(network) = self.near_mut().and_then(Nic::remote_read) {
                    network.release(payload);
                }
            }
            Either::Far(payload) => {
                if let Some(network) = self.far_mut().and_then(Nic::remote_read) {
                    network.release(payload);
                }
            }
        }
    }

    fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<Self::Offer> {
        match self.reach_mut(peer) {
            Either::Near(nic) => nic.remote_read()?.offer(peer, payload).map(Either::Near),
            Either::Far(nic) => nic.remote_read()?.offer(peer, payload).map(Either::Far),
        }
    }

    fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        either!(self.reach_mut(peer), nic => {
            nic.remote_read().is_some_and(|network| network.accept(peer, buffer, room))
        })
    }

    fn lend(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        either!(self.reach_mut(peer), nic => nic.remote_read()?.lend(peer, payload))
    }

    fn is_taken(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        either!(self.reach_mut(peer), nic => {
            nic.remote_read().is_some_and(|network| network.is_taken(peer, buffer))
        })
    }

    fn copy_lent(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) -> bool {
        either!(self.reach_mut(peer), nic => {
            nic.remote_read().is_some_and(|network| network.copy_lent(peer, buffer, payload))
        })
    }

    fn move_lent(&mut self, peer: Rank, buffer: RemoteBuffer, copy: &[u8]) -> bool {
        either!(self.reach_mut(peer), nic => {
            nic.remote_read().is_some_and(|network| network.move_lent(peer, buffer, copy))
        })
    }

    fn is_lent(&mut self, payload: &Self::Payload) -> bool {
        match payload {
            Either::Near(payload) => {
                let network = self.near_mut().and_then(Nic::remote_read);
                network.is_some_and(|network| network.is_lent(payload))
            }
            Either::Far(payload) => {
                let network = self.far_mut().and_then(Nic::remote_read);
                network.is_some_and(|network| network.is_lent(payload))
            }
        }
    }

    fn take_lent(&mut self, peer: Rank, payload: &mut Self::Payload, room: &mut [u8]) -> LentEnd {
        match (self.reach_mut(peer), payload) {
            (Either::Near(nic), Either::Near(payload)) => {
                let network = nic.remote_read();
                network.map_or(LentEnd::Failed, |network| network.take_lent(peer, payload, room))
            }
            (Either::Far(nic), Either::Far(payload)) => {
                let network = nic.remote_read();
                network.map_or(LentEnd::Failed, |network| network.take_lent(peer, payload, room))
            }
            _ => LentEnd::Failed,
        }
    }

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, Self::Room)> {
        match self.reach_mut(peer) {
            Either::Near(nic) => {
                let (buffer, room) = nic.remote_read()?.open_room(peer, payload, bytes)?;
                Some((buffer, Either::Near(room)))
            }
            Either::Far(nic) => {
                let (buffer, room) = nic.remote_read()?.open_room(peer, payload, bytes)?;
                Some((buffer, Either::Far(room)))
            }
        }
    }

    fn room_behind(
        &mut self,
        peer: Rank,
        payload: &Self::Payload,
        bytes: usize,
    ) -> Option<Self::Room> {
        match (self.reach_mut(peer), payload) {
            (Either::Near(nic), Either::Near(payload)) => {
                nic.remote_read()?.room_behind(peer, payload, bytes).map(Either::Near)
            }
            (Either::Far(nic), Either::Far(payload)) => {
                nic.remote_read()?.room_behind(peer, payload, bytes).map(Either::Far)
            }
            _ => None,
        }
    }

    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer> {
        self.near_mut()?.remote_read()?.open_area(len)
    }

    fn write_area(&mut self, buffer: RemoteBuffer, at: usize, bytes: &[u8]) {
        if let Some(network) = self.near_mut().and_then(Nic::remote_read) {
            network.write_area(buffer, at, bytes);
        }
    }

    fn find_in_area(&mut self, peer: Rank, address: u64, len: usize) -> Option<Self::Payload> {
        // Of one elsewhere it is memory of nobody here.
        match self.reach_mut(peer) {
            Either::Near(nic) => {
                nic.remote_read()?.find_in_area(peer, address, len).map(Either::Near)
            }
            Either::Far(_) => None,
        }
    }

    fn close_area(&mut self, buffer: RemoteBuffer) {
        if let Some(network) = self.near_mut().and_then(Nic::remote_read) {
            network.close_area(buffer);
        }
    }

    fn close_room(&mut self, buffer: RemoteBuffer, room: Self::Room) {
        match room {
            Either::Near(room) => {
                if let Some(network) = self.near_mut().and_then(Nic::remote_read) {
                    network.close_room(buffer, room);
                }
            }
            Either::Far(room) => {
                if let Some(network) = self.far_mut().and_then(Nic::remote_read) {
                    network.close_room(buffer, room);
                }
            }
        }
    }
}
