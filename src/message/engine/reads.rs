//! Remote reads: the receiver's side of a large payload that it reads where the sender exposes it.
//!
//! Keeps rules FLOW-4, END-2 and SAFE-1 of SEMANTICS.md.
//!
//! A request that was matched and bears an [`Exposure`] is not cleared to send: the network reads its
//! payload. Reads begin in the order in which requests were matched, one of an ordered pair at a time,
//! like any transfer. When the payload is here the sender is told in its turn; the sender itself need
//! do nothing meanwhile. What nobody will receive is not read. Where the network has no room, the
//! payload comes in segments. Where it exposes copies in memory that both ranks share, a read is done
//! when it begins, and the payload lies where it lay: the sender is told when the program has it.
//!
//! # Correctness
//!
//! A payload that cannot be read is a peer that is lost. So a rank that ends lets what it has begun to
//! read come to its end before it says so: a sender that hears it may revoke what it had exposed.

use super::{Engine, Life};
use crate::message::config::BULK;
use crate::message::error::{MessageError, Violation};
use crate::message::header::{Header, Kind};
use crate::message::matching::Context;
use crate::message::transfers::exposures::Exposure;
use crate::message::transfers::gathering::{Read, ReadEnd};
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::verbs::{Nic, PostError, ReadCompletion, ReadPayload, RemoteBuffer, RemoteRead, Vi};

impl<N: Nic> Engine<N> {
    /// Checks the exposure that a request bears; returns its number.
    pub(super) fn admit_exposure(&mut self, from: Rank, frame: &N::Frame) -> Result<u8, Violation> {
        let (header, behind) = Header::decode(self.nic.bytes(frame))?;
        let len = header.len as usize;
        if !self.transfers.are_read(from, len) || len == 0 {
            return Err(Violation::ExposedUnasked { transfer: header.transfer, len });
        }
        let Exposure { number, .. } = Exposure::decode(behind).map_err(Violation::FalseExposure)?;
        if !self.gathering.handle_exposed(from, number) {
            return Err(Violation::FalseExposure(number.into()));
        }
        Ok(number)
    }

    /// Tells the sender with the next flush that an exposed payload was read, or never will be.
    pub(super) fn tell_reads(&mut self, from: Rank) {
        if self.is_open() {
            self.links.tell_reads(&mut self.obstacles, from);
        }
    }

    /// Has the network read what a peer has exposed. Returns false if it has no room for that.
    pub(super) fn post_read(&mut self, from: Rank, buffer: RemoteBuffer, len: usize) -> bool {
        let vi = Vi { peer: from, cq: BULK };
        self.nic.remote_read().is_some_and(|network| network.post_read(vi, buffer, len))
    }

    /// Takes in the payloads that were read. Returns whether there were any.
    #[inline]
    pub(super) fn poll_reads(&mut self) -> Result<bool, MessageError> {
        let mut news = false;
        while self.gathering.is_reading()
            && let Some(from) = self.poll_read()
        {
            news = true;
            self.start_next_again(from)?;
        }
        Ok(news)
    }

    /// As [`poll_reads`](Engine::poll_reads), for a caller that begins with the next payload of `from`
    /// itself.
    pub(super) fn settle_reads(&mut self, from: Rank) {
        while self.gathering.is_reading()
            && let Some(peer) = self.poll_read()
        {
            if peer != from {
                // Where there is no room, the call that waits for it is told.
                let _ = self.start_next(peer);
            }
        }
    }

    /// Takes in the next payload that was read; returns from whom it is.
    fn poll_read(&mut self) -> Option<Rank> {
        let network = self.nic.remote_read()?;
        let ReadCompletion { peer: from, payload } = network.poll_read(BULK)?;
        let in_place = self.transfers.copies(from);
        let payload = payload.map(|mut payload| {
            let here = if in_place { network.bytes_here(from, &mut payload) } else { usize::MAX };
            (payload, here)
        });
        match self.gathering.handle_read(&mut self.obstacles, from, payload, in_place) {
            ReadEnd::Done => {}
            ReadEnd::Unwanted(read) => self.release_read(read),
            ReadEnd::Failed => {
                self.links.handle_failure(from);
                return Some(from);
            }
            ReadEnd::Unknown => return Some(from),
        }
        self.stats.payloads_read += 1;
        if !in_place {
            self.tell_reads(from);
        }
        Some(from)
    }

    /// Gives the room of a payload that was read back to the network, and to its sender.
    pub(super) fn release_read(&mut self, read: Read<ReadPayload<N>>) {
        if let Some(network) = self.nic.remote_read() {
            network.release(read.payload);
        }
        if let Some((from, number)) = read.untold {
            self.gathering.handle_released(from, number);
            self.tell_reads(from);
        }
    }

    /// Lets what is being read come to its end, and begins with nothing more: for a rank whose program
    /// has returned. It waits for the network, and for no program.
    pub(super) fn finish_reads(&mut self) -> Result<(), MessageError> {
        if self.is_open() {
            self.life = Life::Returned;
        }
        self.wait_until(
            WaitsFor::HandOver,
            |engine| Ok((!engine.gathering.is_reading()).then_some(())),
            |_| Ok(()),
        )
    }
}

/// The exposure of a request that was admitted with this number.
pub(super) fn exposure_of<N: Nic>(nic: &N, frame: &N::Frame, number: u8) -> Option<Exposure> {
    let exposure = Exposure::decode(nic.bytes(frame).get(Header::BYTES..)?).ok()?;
    Some(Exposure { number, ..exposure })
}

/// Tells a peer by one word which of its exposed payloads were read.
pub(super) fn post_reads<N: Nic>(nic: &mut N, to: Rank, word: u32) -> Result<(), PostError> {
    let header = Header {
        kind: Kind::Reads,
        element: 0,
        context: Context::WORLD,
        tag: 0,
        stamp: 0,
        len: 0,
        transfer: word,
    };
    nic.post_send(Vi { peer: to, cq: BULK }, &header.encode(), &[])
}
