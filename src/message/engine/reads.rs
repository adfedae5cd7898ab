//! Remote reads: the receiver's side of a large payload that it reads where the sender exposes it.
//!
//! Keeps rules FLOW-4, END-2 and SAFE-1 of SEMANTICS.md.
//!
//! A request that was matched and bears an [`Exposure`] is not cleared to send: the network reads its
//! payload. Reads begin in the order in which requests were matched, one of an ordered pair at a time,
//! like any transfer. When the payload is here the sender is told in its turn; the sender itself need
//! do nothing meanwhile. What nobody will receive is not read. Where the network has no room, the
//! payload comes in segments.
//!
//! # Correctness
//!
//! A payload that cannot be read is a peer that is lost. So a rank that ends lets what it has begun to
//! read come to its end before it says so: a sender that hears it may revoke what it had exposed.

use super::{Engine, Life};
use crate::message::activity::Waiting;
use crate::message::config::BULK;
use crate::message::error::{MessageError, Violation};
use crate::message::header::{Header, Kind};
use crate::message::matching::Context;
use crate::message::peer::Peer;
use crate::message::transfers::exposures::Exposure;
use crate::order::Rank;
use crate::verbs::{Nic, PostError, ReadCompletion, ReadPayload, RemoteRead, Vi};

impl<N: Nic> Engine<N> {
    /// Checks the exposure that a request bears; returns its number.
    pub(super) fn admit_exposure(&mut self, from: Rank, frame: &N::Frame) -> Result<u8, Violation> {
        let (header, behind) = Header::decode(self.nic.bytes(frame))?;
        let len = header.len as usize;
        if !self.transfers.are_read(from, len) || len == 0 {
            return Err(Violation::ExposedUnasked { transfer: header.transfer, len });
        }
        let Exposure { number, .. } = Exposure::decode(behind).map_err(Violation::FalseExposure)?;
        if !self.peers[from].reads.handle_exposed(number) {
            return Err(Violation::FalseExposure(number.into()));
        }
        Ok(number)
    }

    /// The exposure of a request that was admitted with this number.
    pub(super) fn exposure_of(&self, frame: &N::Frame, number: u8) -> Option<Exposure> {
        let exposure = Exposure::decode(self.nic.bytes(frame).get(Header::BYTES..)?).ok()?;
        Some(Exposure { number, ..exposure })
    }

    /// The payload was read; the sender is told with the next flush.
    pub(super) fn note_read(&mut self, from: Rank, number: u8) {
        self.peers[from].reads.handle_read(number);
        if self.is_open() && !self.peers[from].presence.is_gone() {
            self.control_due(from).pulled = true;
        }
    }

    /// Starts the first transfer of `from`, if it has not started: it is cleared to send, or read.
    ///
    /// # Errors
    ///
    /// [`MessageError::OutOfMemory`] if there is no room for it; it is tried again for whoever waits for it.
    pub(super) fn clear_next(&mut self, from: Rank) -> Result<(), MessageError> {
        let is_open = self.is_open();
        while let Some(first) = self.peers[from].pulls.front_mut() {
            if first.cleared || !is_open {
                break;
            }
            let (transfer, len, slot) = (first.transfer, first.len, first.slot);
            if let Some(Exposure { number, buffer }) = first.exposure {
                if self.gathering.is_unwanted(slot) {
                    self.gathering.free(&mut self.obstacles, slot);
                    self.peers[from].pulls.pop_front();
                    self.note_read(from, number);
                    continue;
                }
                let vi = Vi { peer: from, cq: BULK };
                if self.nic.remote_read().is_some_and(|network| network.post_read(vi, buffer, len))
                {
                    (first.cleared, first.is_read) = (true, true);
                    self.gathering.note_read_begun();
                    break;
                }
                let room = self.room_for(from, len)?;
                self.gathering.gather_instead(slot, room);
            }
            if let Some(first) = self.peers[from].pulls.front_mut() {
                first.cleared = true;
            }
            self.control_due(from).clear_to_send = Some(transfer);
            break;
        }
        Ok(())
    }

    /// Takes in the payloads that were read. Returns whether there were any.
    #[inline]
    pub(super) fn poll_pulls(&mut self) -> Result<bool, MessageError> {
        let mut news = false;
        while let Some(ReadCompletion { peer, payload }) =
            self.nic.remote_read().and_then(|network| network.poll_read(BULK))
        {
            news = true;
            self.handle_pulled(peer, payload)?;
        }
        Ok(news)
    }

    fn handle_pulled(
        &mut self,
        from: Rank,
        payload: Option<ReadPayload<N>>,
    ) -> Result<(), MessageError> {
        let peer = &mut self.peers[from];
        // One that was begun stays the first until this.
        let Some(first) = peer.pulls.front_mut().filter(|first| first.is_read) else {
            return Ok(());
        };
        self.gathering.note_read_ended();
        let Some(payload) = payload else {
            // It stays still, so no other of the peer is tried.
            first.is_read = false;
            peer.presence.handle_failure();
            return Ok(());
        };
        let (slot, exposure) = (first.slot, first.exposure);
        peer.pulls.pop_front();
        self.stats.payloads_read += 1;
        if let Some(unwanted) = self.gathering.handle_read(&mut self.obstacles, slot, payload) {
            self.release_read(unwanted);
        }
        if let Some(exposure) = exposure {
            self.note_read(from, exposure.number);
        }
        self.clear_first_again(from)
    }

    /// Gives the room of a payload that was read back to the network.
    pub(super) fn release_read(&mut self, payload: ReadPayload<N>) {
        if let Some(network) = self.nic.remote_read() {
            network.release(payload);
        }
    }

    /// As [`clear_next`](Engine::clear_next), where nobody waits for it: whoever does will be told.
    pub(super) fn clear_first_again(&mut self, from: Rank) -> Result<(), MessageError> {
        match self.clear_next(from) {
            Err(MessageError::OutOfMemory { .. }) => Ok(()),
            result => result,
        }
    }

    /// Lets what is being read come to its end, and begins with nothing more: for a rank whose program has returned.
    /// It waits for the network, and for no program.
    pub(super) fn finish_pulls(&mut self) -> Result<(), MessageError> {
        if self.is_open() {
            self.life = Life::Returned;
        }
        self.wait_until(
            Waiting::HandOver,
            |engine| Ok((!engine.gathering.is_reading()).then_some(())),
            |_| Ok(()),
        )
    }
}

/// Tells a peer which of its exposed payloads were read, if there is room for that.
pub(super) fn post_pulled<N: Nic>(
    nic: &mut N,
    peer: &mut Peer,
    to: Rank,
) -> Result<bool, PostError> {
    if !peer.bulk.is_open() {
        return Ok(false);
    }
    let header = Header {
        kind: Kind::Pulled,
        element: 0,
        context: Context::WORLD,
        tag: 0,
        stamp: 0,
        len: 0,
        transfer: peer.reads.word(),
    };
    match nic.post_send(Vi { peer: to, cq: BULK }, &header.encode(), &[]) {
        Ok(()) => {
            peer.bulk.handle_sent();
            Ok(true)
        }
        Err(PostError::QueueFull(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
