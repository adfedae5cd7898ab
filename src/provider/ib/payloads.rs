//! Payloads that this rank exposes to peers, and buffers ("rooms") for payloads that it reads.
//!
//! Rooms stay registered and are reused. Peers' payloads are read into them, and short payloads of
//! this rank are copied into them to be exposed. A longer payload is not copied: its own memory is
//! registered for as long as it is exposed, anew each time. A cache of such registrations would
//! have to follow each page that the program frees and maps again, since the device goes on
//! reading the old one. That takes hooks in the program's allocator, which a library should not
//! set.
//!
//! Registration may be refused, for instance at the limit of locked memory. Then the payload is
//! neither exposed nor read, and travels as messages.
//!
//! # Correctness
//!
//! A room is deregistered, not reused, while a peer may still be reading it. The peer might
//! otherwise read the next payload, unnoticed.

use std::sync::Arc;

use crate::order::Rank;
use crate::sys::ibverbs::{Pd, Readable, Slot};
use crate::verbs::{RemoteBuffer, Revoke};

/// The least length of an exposed payload unless the user sets another, in bytes. It is a guess: it
/// weighs a read and its completion notice against segments and the round trip of their request.
pub(super) const DEFAULT_FROM_BYTES: usize = 64 << 10;

/// The greatest length of a payload that is copied to be exposed, in bytes. UCX assumes that
/// registration takes 16 us and 0.06 ns a byte (`MEM_REG_OVERHEAD`, `MEM_REG_GROWTH` in its
/// src/uct/ib/base/ib_md.c). Deregistration takes about as long, and a copy some 0.1 ns a byte. So
/// both ways are equally fast at 400 to 800 KiB.
const COPIED_BYTES: usize = 512 << 10;

/// The most rooms exposed at a time: further payloads are registered in place.
const EXPOSED_ROOMS: usize = 8;

/// The most bytes of one read request: the next request on the same queue pair waits for it.
const PIECE_BYTES: usize = 128 << 10;

/// The most rooms, and bytes of rooms, that are kept for later payloads.
const SPARE_ROOMS: usize = 8;
const SPARE_BYTES: usize = 64 << 20;

/// The step to which the rooms of short payloads are rounded up, in bytes.
const LEAST_ROOM: usize = 64 << 10;

/// The exposed payloads and the rooms of one rank.
pub(super) struct Payloads {
    pd: Arc<Pd>,
    /// The least length of an exposed payload; None if none is exposed.
    pub(super) from_bytes: Option<usize>,
    pub(super) piece_bytes: usize,
    exposed: Vec<Exposure>,
    spare: Vec<Slot>,
    /// The reads in flight: the index of the VI's end, and the payload's length in bytes.
    pub(super) under_way: Vec<(usize, usize)>,
}

/// An exposed payload.
struct Exposure {
    to: Rank,
    buffer: RemoteBuffer,
    memory: Memory,
}

/// The registered memory of an exposed payload. Dropping it ends the registration.
enum Memory {
    Room(Slot),
    /// The memory of the payload's owner.
    Place(#[expect(dead_code, reason = "only its drop matters")] Readable),
}

impl Payloads {
    pub(super) fn new(pd: &Arc<Pd>, from_bytes: Option<usize>, message_bytes: u32) -> Payloads {
        Payloads {
            pd: Arc::clone(pd),
            from_bytes,
            piece_bytes: PIECE_BYTES.min(message_bytes as usize).max(1),
            exposed: Vec::new(),
            spare: Vec::new(),
            under_way: Vec::new(),
        }
    }

    pub(super) fn expose(&mut self, to: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        let ((address, key), memory) = match self.copy(payload) {
            Some(room) => (room.address(), Memory::Room(room)),
            None => {
                let readable = Readable::new(&self.pd, payload).ok()?;
                (readable.address(), Memory::Place(readable))
            }
        };
        let buffer = RemoteBuffer { address, key };
        self.exposed.push(Exposure { to, buffer, memory });
        Some(buffer)
    }

    /// Copies a payload into a room, if it is short enough and a room is to be had.
    fn copy(&mut self, payload: &[u8]) -> Option<Slot> {
        let rooms = self.exposed.iter().filter(|it| matches!(it.memory, Memory::Room(_)));
        if payload.len() > COPIED_BYTES || rooms.count() >= EXPOSED_ROOMS {
            return None;
        }
        let mut room = self.room(payload.len())?;
        room.write(0, payload);
        Some(room)
    }

    pub(super) fn revoke(&mut self, to: Rank, buffer: RemoteBuffer, how: Revoke) {
        let mut exposed = self.exposed.iter();
        let Some(at) = exposed.position(|it| (it.to, it.buffer) == (to, buffer)) else { return };
        if let Memory::Room(room) = self.exposed.swap_remove(at).memory
            && how == Revoke::AfterRead
        {
            self.keep(room);
        }
    }

    /// A room for `len` bytes: the smallest spare one that is large enough, or a new one.
    pub(super) fn room(&mut self, len: usize) -> Option<Slot> {
        let spare = self.spare.iter().enumerate();
        let fitting = spare.filter(|(_, room)| room.room() >= len);
        if let Some((at, _)) = fitting.min_by_key(|(_, room)| room.room()) {
            return Some(self.spare.swap_remove(at));
        }
        // Rounded up, so that payloads of nearly the same length share rooms.
        let step = (len.checked_next_power_of_two()? / 8).max(LEAST_ROOM);
        let room = Slot::alone(&self.pd, len.checked_next_multiple_of(step)?);
        room.or_else(|_| {
            // The spare rooms may use up the limit of locked memory.
            self.spare.clear();
            Slot::alone(&self.pd, len)
        })
        .ok()
    }

    /// Takes back a room that is free again.
    pub(super) fn keep(&mut self, room: Slot) {
        self.spare.push(room);
        while self.spare.len() > SPARE_ROOMS
            || self.spare.iter().map(Slot::room).sum::<usize>() > SPARE_BYTES
        {
            let oldest = 0;
            self.spare.remove(oldest);
        }
    }
}
