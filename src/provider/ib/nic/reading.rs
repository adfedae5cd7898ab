//! Remote read by RDMA: payloads that peers read here, and those that this rank reads at peers.
//!
//! They go by the queue pair of their VI, so they wait for no other VI's messages, and none for
//! them. A read that fails breaks its queue pair: the peer is lost then.

use super::IbNic;
use crate::order::Rank;
use crate::provider::ib::end::{End, Frame};
use crate::provider::ib::losses::{NOT_POSTED, UNREAD};
use crate::sys::ibverbs::PayloadRead;
use crate::verbs::{Absent, Cq, ReadCompletion, RemoteBuffer, RemoteRead, Revoke, Vi};

impl RemoteRead for IbNic {
    type Payload = Frame;
    type Offer = Absent;
    type Room = Absent;

    fn least_bytes(&mut self, peer: Rank) -> Option<usize> {
        let from = self.payloads.from_bytes.filter(|_| self.is_reliable)?;
        let is_reached =
            peer < self.layout.size && self.ends.get(peer).is_some_and(Option::is_some);
        is_reached.then_some(from)
    }

    /// What it copies lies in memory of its own, where nobody reads but its device.
    fn copies(&mut self, _: Rank) -> bool {
        false
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        self.least_bytes(peer)?;
        self.payloads.expose(peer, payload)
    }

    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke) {
        self.payloads.revoke(peer, buffer, how);
    }

    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        let index = self.index(vi);
        if self.least_bytes(vi.peer).is_none() || self.is_gone(vi.peer) {
            return false;
        }
        let Some(Some(end)) = self.ends.get_mut(index) else { return false };
        if end.spec.is_none() {
            return false;
        }
        let Some(room) = self.payloads.room(len) else { return false };
        if let Err(room) = end.pair.begin_payload_read((buffer.address, buffer.key), room, len) {
            self.payloads.keep(room);
            return false;
        }
        end.pair.continue_read(self.payloads.piece_bytes);
        self.payloads.under_way.push((index, len));
        true
    }

    #[inline]
    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<Frame>> {
        if self.payloads.under_way.is_empty() { None } else { self.take_read(cq) }
    }

    fn release(&mut self, payload: Frame) {
        self.payloads.keep(payload.into_slot());
    }
}

impl IbNic {
    #[cold]
    fn take_read(&mut self, cq: Cq) -> Option<ReadCompletion<Frame>> {
        self.reap();
        let size = self.layout.size;
        for at in 0..self.payloads.under_way.len() {
            let (index, len) = self.payloads.under_way[at];
            let peer = index % size;
            if index / size != usize::from(cq.0) {
                continue;
            }
            let is_gone = self.is_gone(peer);
            let Some(Some(end)) = self.ends.get_mut(index) else { continue };
            let room = match end.pair.poll_payload_read() {
                PayloadRead::UnderWay => None,
                PayloadRead::Whole(room) => Some(room),
                PayloadRead::Unread => {
                    end.pair.give_up();
                    self.losses.note(peer, "ibv_poll_cq", UNREAD);
                    None
                }
            };
            let is_gone = is_gone || self.losses.has(peer);
            if room.is_some() || is_gone || end.pair.is_broken() {
                if end.pair.is_broken() && !is_gone {
                    // Else it stands there by what.
                    self.losses.note(peer, "ibv_post_send", NOT_POSTED);
                }
                self.payloads.under_way.remove(at);
                let payload = room.map(|room| Frame::new(peer, len, room));
                return Some(ReadCompletion { peer, payload });
            }
            end.pair.continue_read(self.payloads.piece_bytes);
        }
        None
    }

    /// Whether [`take_read`](IbNic::take_read) would find something or have something to do.
    pub(super) fn has_read(&mut self) -> bool {
        self.reap();
        self.payloads.under_way.iter().any(|&(index, _)| {
            let may_go_on = |end: &End| end.pair.can_continue_read() || end.pair.is_broken();
            self.is_gone(index % self.layout.size)
                || self.ends.get(index).and_then(Option::as_ref).is_some_and(may_go_on)
        })
    }
}
