//! Large payloads that are lent to their receiver: it reads them where they lie, in one copy, and the sender
//! copies one that was not read when it has waited for a while.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! What is lent belongs to a program that waits, or will wait, for its memory: a blocking send, or one of memory
//! that is [lent](Engine::lend_unless_sent). The receiver reads it once a receive has matched: straight to where
//! the program wants it, if the receive says so before or waits just then.
//!
//! # Correctness
//!
//! A sender waits for about as long as a copy takes, then makes the copy. So it waits for no receiver that does
//! not run, and the two together never take much more than twice what the better of both would have taken. It
//! copies before it sleeps. It lends where that has been the faster way (`transfers/ways.rs`), or what cannot be copied; a
//! nonblocking collective lends unless that was in vain lately. Where its heap is full a send waits for its receiver, as it does for room in
//! a window, and a collective keeps a copy of its own.
//! A receive that has matched a payload of which it has no place reads it at once: else two ranks that wait for
//! each other's payloads could wait for ever.

use std::time::Duration;

use super::Engine;
use crate::message::error::MessageError;
use crate::message::matching::RecvId;
use crate::message::transfers::LendWhen;
use crate::message::transfers::exposures::Exposure;
use crate::order::Rank;
use crate::sys::thread;
use crate::sys::time::Instant;
use crate::verbs::{LentEnd, Nic, RemoteRead};

/// A sender waits for the time that a copy takes at this speed, in bytes a nanosecond, ...
const COPIED_PER_NS: u64 = 6;
/// ... and so much longer.
const LEAST_PATIENCE: Duration = Duration::from_micros(2);
/// Looks that are further apart count as this far: the sender computed meanwhile, and did not wait.
const LONGEST_LOOK: Duration = Duration::from_micros(2);

/// Where a payload is after it was to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fetched {
    /// At this rank, or where shared memory has it.
    Here,
    /// With this sender still, whose memory the system does not let this rank read.
    Refused { from: Rank },
}

/// How a payload stands that was lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lent {
    /// Its receiver may take it.
    Stands,
    /// Its receiver has taken it.
    Taken,
    /// Its sender has copied it.
    Copied,
}

/// For how long a sender of so many bytes waits before it copies them.
pub(super) fn patience(len: usize) -> Duration {
    LEAST_PATIENCE + Duration::from_nanos(len as u64 / COPIED_PER_NS)
}

/// The sender's side.
impl<N: Nic> Engine<N> {
    /// Lends the payload of a transfer. None if the network cannot, or not now; or if it is lent only where that is the
    /// better way, and it is not.
    ///
    /// # Safety
    ///
    /// As for [`Transfers::lend`](crate::message::transfers::Transfers::lend).
    pub(super) unsafe fn lend_payload(
        &mut self,
        to: Rank,
        (id, payload): (u32, &[u8]),
        when: LendWhen,
    ) -> Option<Exposure> {
        let nic = &mut self.nic;
        let lend = |payload: &[u8]| nic.remote_read()?.lend(to, payload);
        // SAFETY: the caller promises it.
        let lent = unsafe { self.transfers.lend(to, (id, payload), when, lend) }?;
        self.stats.payloads_exposed += 1;
        Some(lent)
    }

    /// Looks which payloads that are lent were taken, and copies those for which this rank has waited long
    /// enough.
    #[inline]
    pub(super) fn poll_lent(&mut self) {
        if self.transfers.has_lent() {
            self.look_at_lent(patience);
        }
    }

    /// As [`poll_lent`](Engine::poll_lent), where this rank waits for so long, by the length. Returns whether the program has
    /// some memory back by that, or may take it back.
    #[inline(never)]
    fn look_at_lent(&mut self, patience: fn(usize) -> Duration) -> bool {
        let now = Instant::now();
        let passed = self.transfers.pass_time(now, LONGEST_LOOK);
        let (mut at, mut any) = (0, false);
        // One that is settled is in the list no more.
        while let Some((to, id, len)) = self.transfers.lent_at(at) {
            let has_waited = self.transfers.handle_waited(at, passed) >= patience(len);
            let lent = self.look_at(to, id, has_waited);
            if lent == Lent::Stands {
                // Whoever waits for its memory alone looks once more.
                any |= has_waited && self.transfers.handle_given_up(at);
                at += 1;
                continue;
            }
            self.transfers.handle_lent_until(at, now, (lent == Lent::Copied, LONGEST_LOOK));
            self.transfers.handle_settled(&mut self.obstacles, to, id);
            any = true;
        }
        any
    }

    /// Copies all that is lent. Returns whether the program has some memory back by that, or may take it back.
    pub(super) fn copy_all_lent(&mut self) -> bool {
        self.look_at_lent(|_| Duration::ZERO)
    }

    /// Whether the payload of a transfer is lent no more: it was taken, or is copied now, if it may be.
    pub(super) fn settle_lent(&mut self, to: Rank, id: u32, may_copy: bool) -> bool {
        let lent = self.look_at(to, id, may_copy);
        let is_settled = lent != Lent::Stands;
        if is_settled {
            self.transfers.handle_came(to, id, lent == Lent::Copied);
            self.transfers.handle_settled(&mut self.obstacles, to, id);
        }
        is_settled
    }

    /// As [`settle_lent`](Engine::settle_lent), but it stays in the list.
    fn look_at(&mut self, to: Rank, id: u32, may_copy: bool) -> Lent {
        let Some((Exposure { buffer, .. }, payload)) = self.transfers.lent(to, id) else {
            return Lent::Taken;
        };
        let Some(network) = self.nic.remote_read() else { return Lent::Stands };
        if network.is_taken(to, buffer) {
            return Lent::Taken;
        }
        let copies = |payload: &[u8]| may_copy && network.copy_lent(to, buffer, payload);
        if payload.is_some_and(copies) { Lent::Copied } else { Lent::Stands }
    }

    /// The program wants the memory back that is lent for a transfer. It has it: a copy is lent where there is no
    /// room for one that the receiver finds elsewhere.
    pub(super) fn take_back_lent(&mut self, to: Rank, id: u32) {
        if self.settle_lent(to, id, true) {
            return;
        }
        let Some((Exposure { buffer, .. }, Some(payload))) = self.transfers.lent(to, id) else {
            return;
        };
        let copy = self.transfers.copy_behind(&[], payload);
        let moved = self
            .nic
            .remote_read()
            .is_some_and(|network| network.move_lent(to, buffer, copy.as_ref()));
        match moved {
            true => self.transfers.handle_moved(to, id, copy),
            false => _ = self.settle_lent(to, id, false),
        }
    }
}

/// The receiver's side.
impl<N: Nic> Engine<N> {
    /// Brings the payload in a slot, if it was lent: into `room`, if it fits there, or else where the slot keeps
    /// it.
    ///
    /// Where the system refuses what it has allowed before, this waits until the sender has copied the payload.
    /// That happens once at most for each peer, which lends nothing more then. A payload that the
    /// sender has moved to memory of its own has no such copy: there the read fails.
    ///
    /// # Errors
    ///
    /// [`MessageError::PeerLost`] if it cannot be read; [`MessageError::OutOfMemory`].
    pub(super) fn fetch(
        &mut self,
        slot: usize,
        mut room: Option<&mut [u8]>,
    ) -> Result<(), MessageError> {
        while let Fetched::Refused { from } = self.try_fetch(slot, room.as_deref_mut())? {
            self.progress()?;
            self.links.check_not_exhausted(from)?;
            if self.gathering.read_of(slot).is_none() {
                return Err(MessageError::PeerLost { rank: from });
            }
            // Nobody tells this rank when the copy is made.
            thread::yield_now();
        }
        Ok(())
    }

    /// As [`fetch`](Engine::fetch), without waiting.
    fn try_fetch(&mut self, slot: usize, room: Option<&mut [u8]>) -> Result<Fetched, MessageError> {
        let Some(network) = self.nic.remote_read() else { return Ok(Fetched::Here) };
        let Some(read) = self.gathering.read_of(slot) else { return Ok(Fetched::Here) };
        let (Some((from, _)), len) = (read.untold, read.len) else { return Ok(Fetched::Here) };
        if !network.is_lent(&read.payload) {
            return Ok(Fetched::Here);
        }
        let room = room.and_then(|room| room.get_mut(..len));
        let (fetched, own_room) = match room {
            Some(room) => (network.take_lent(from, &mut read.payload, room), None),
            None => {
                let room = self.gathering.room_to_read(len);
                let mut room = room.map_err(|_| MessageError::OutOfMemory { from, len })?;
                let Some(read) = self.gathering.read_of(slot) else { return Ok(Fetched::Here) };
                (network.take_lent(from, &mut read.payload, &mut room), Some(room))
            }
        };
        match fetched {
            LentEnd::Taken => {
                if let Some(read) = self.gathering.handle_fetched(slot, own_room) {
                    self.stats.payloads_fetched += 1;
                    self.release_read(read);
                }
                // The sender may wait for it.
                self.tell_at_once();
                Ok(Fetched::Here)
            }
            LentEnd::Copied => {
                own_room.into_iter().for_each(|room| self.gathering.keep_room(room));
                Ok(Fetched::Here)
            }
            LentEnd::Refused => {
                own_room.into_iter().for_each(|room| self.gathering.keep_room(room));
                Ok(Fetched::Refused { from })
            }
            LentEnd::Failed => {
                if self.links.peer(from).presence().closing().is_none() {
                    self.links.handle_failure(from);
                }
                self.links.check_not_exhausted(from)?;
                Err(MessageError::PeerLost { rank: from })
            }
        }
    }

    /// A receive was posted for the payload in a slot: brings it, if it was lent, to where that one wants it.
    pub(super) fn fetch_posted(&mut self, id: RecvId, slot: usize) {
        // SAFETY: who has posted the receive has promised it; nobody else uses the memory meanwhile.
        let room = self.matching.room_of(id).map(|room| unsafe { room.bytes_mut() });
        // What has failed fails again in the call that waits for it.
        let _ = self.try_fetch(slot, room);
        self.take_filled_posted(id, slot);
    }

    /// A posted receive is cancelled. What was brought into its room is kept here.
    pub(super) fn take_out_of_room(&mut self, id: RecvId) {
        let Some((slot, len)) = self.matching.gathered_by(id) else { return };
        if let Some(read) = self.gathering.read_of(slot) {
            read.taken = read.taken.map(|_| 0);
        }
        if !self.gathering.is_in_pieces(slot) {
            return;
        }
        let Some(room) = self.matching.room_of(id) else { return };
        // SAFETY: as in `fetch_posted`.
        let payload = unsafe { room.bytes_mut() }[..len].to_vec();
        self.gathering.put_back(slot, payload);
    }
}
