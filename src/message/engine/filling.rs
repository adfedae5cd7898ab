//! Copies that receivers are told of before they are made: the sender posts the request of a large payload, then
//! copies it, while the receiver takes what is there. So both copies are made at the same time.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! A payload is copied so where its network can, where nothing else is on its way to its receiver, and where the ranks
//! share no core. (With others on their way, both ranks copy at the same time in any case. On one core they would
//! take turns, and the receiver would look in vain.)
//!
//! # Correctness
//!
//! Between the request and the end of the copy the sender calls nothing that waits, and a failure there is reported
//! after the copy. So the receiver waits for what a post takes anyway, and the send is complete when its call returns, as
//! if the copy had come first. A sender that dies in between was lost before the payload was there: its receiver is told so.
//!
//! A receiver that learns of its sender's end looks once more before it gives up, as for any message: the look then
//! finds all that there ever will be.
//!
//! Nothing wakes a receiver when the copy has grown. So one that sleeps meanwhile does so for a short time.

use std::time::Duration;

use super::Engine;
use super::transfers::Shown;
use crate::message::matching::RecvId;
use crate::message::transfers::Exposable;
use crate::message::transfers::exposures::Exposure;
use crate::order::Rank;
use crate::sys::copy::copy_bytes;
use crate::sys::time::Instant;
use crate::verbs::{Nic, RemoteBuffer, RemoteRead};

/// For so long a rank sleeps that reads a payload which is still copied.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// The sender's side.
impl<N: Nic> Engine<N> {
    /// Exposes a copy of a payload that is made [afterwards](Engine::fill_copy), which the caller must see to. None if
    /// another way is to be taken.
    pub(super) fn begin_copy(
        &mut self,
        to: Rank,
        id: u32,
        payload: &[u8],
    ) -> Option<(Exposure, RemoteBuffer)> {
        if !self.transfers.may_begin_copy(to) || !self.waiting.has_core() {
            return None;
        }
        let Engine { nic, stats, transfers, obstacles, .. } = self;
        let mut begun = None;
        let exposure = transfers.expose(obstacles, to, id, Some(payload), |what| {
            let Exposable::Payload(payload) = what else { return None };
            begun = nic.remote_read()?.begin_copy(to, payload.len());
            stats.payloads_exposed += u64::from(begun.is_some());
            begun
        })?;
        // One that was exposed before is copied already.
        begun.map(|buffer| (exposure, buffer))
    }

    /// Makes the copy of a payload, if it was [begun](Engine::begin_copy).
    pub(super) fn fill_copy(&mut self, to: Rank, shown: Shown, payload: &[u8]) {
        let Some(buffer) = shown.begun else { return };
        let begin = Instant::now();
        if let Some(network) = self.nic.remote_read() {
            network.fill_copy(to, buffer, payload);
        }
        let took = Instant::now().saturating_since(begin);
        self.transfers.handle_copied_in(to, payload.len(), (took, true));
    }
}

/// The receiver's side.
impl<N: Nic> Engine<N> {
    /// How many bytes are there of the payload in a slot, if its sender still copies it, and how many the posted receive
    /// has that has matched it.
    fn filled_bytes(&mut self, slot: usize) -> Option<(usize, usize)> {
        let read = self.gathering.read_of(slot)?;
        let (taken, (from, _)) = (read.taken?, read.untold?);
        Some((self.nic.remote_read()?.bytes_here(from, &mut read.payload), taken))
    }

    /// Hands to `put` what its sender has copied of the payload in a slot since last time, with its place; `done` is
    /// how much it was before.
    pub(super) fn take_filled(
        &mut self,
        slot: usize,
        done: &mut usize,
        put: &mut impl FnMut(usize, &[u8]),
    ) {
        let Some((here, _)) = self.filled_bytes(slot) else { return };
        let Some(read) = self.gathering.read_of(slot).filter(|_| here > *done) else { return };
        put(*done, &read.payload.as_ref()[*done..here]);
        *done = here;
        self.waiting.note_news();
        if here == read.len
            && let Some(read) = self.gathering.handle_fetched(slot, None)
        {
            self.release_read(read);
            // The sender may have need of the room.
            self.tell_at_once();
        }
    }

    /// Looks whether the payload in a slot is all there, for whoever takes it where it lies.
    pub(super) fn look_at_filling(&mut self, slot: usize) {
        let Some((here, 0)) = self.filled_bytes(slot) else { return };
        if let Some(read) = self.gathering.read_of(slot).filter(|read| here == read.len) {
            read.taken = None;
        }
    }

    /// Takes what is there of the payload that a posted receive has matched to where that one wants it.
    pub(super) fn take_filled_posted(&mut self, id: RecvId, slot: usize) {
        let Some(read) = self.gathering.read_of(slot) else { return };
        let (Some(taken), len) = (read.taken, read.len) else { return };
        // SAFETY: who has posted the receive has promised it; nobody else uses the memory meanwhile.
        let room = self.matching.room_of(id).map(|room| unsafe { room.bytes_mut() });
        let Some(room) = room.and_then(|room| room.get_mut(..len)) else {
            return self.look_at_filling(slot);
        };
        let mut done = taken;
        self.take_filled(slot, &mut done, &mut |at, piece| {
            copy_bytes(piece, &mut room[at..at + piece.len()]);
        });
        if let Some(read) = self.gathering.read_of(slot) {
            read.taken = Some(done);
        }
    }

    /// For how long this rank may sleep, if it reads what is still copied.
    pub(super) fn longest_sleep_in_filling(&self) -> Option<Duration> {
        self.gathering.has_filling().then_some(LONGEST_SLEEP)
    }
}
