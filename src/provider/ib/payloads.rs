//! Payloads that are exposed to peers, and rooms for those that are read from them.
//!
//! Rooms belong to this interface, so they stay registered, and are used again: peers' payloads are
//! read into them, and those of this rank are copied into them to be exposed, up to a length. What
//! is longer is registered where it lies, for as long as it is exposed, and nothing of it is
//! copied: anew each time. A cache of such registrations would have to hear of each page that the
//! program gives back and gets again, since a device goes on reading the old one; that takes hooks
//! in the program's allocator, which a library should not set.
//!
//! A room out of which a peer may be reading is not used again, but its registration ended: else
//! the peer might find another payload there, and nobody would know.
//!
//! Registering may be refused, as where no more memory may be locked. Then nothing is exposed, or
//! read so, and the payload goes as messages.

use std::sync::Arc;

use crate::order::Rank;
use crate::sys::ibverbs::{Pd, Readable, Slot};
use crate::verbs::{RemoteBuffer, Revoke};

/// From which length on payloads are exposed where the user says nothing, in bytes. A guess: a
/// read, and the word that it is done, against segments, and the round trip for leave to send them.
pub(super) const DEFAULT_FROM_BYTES: usize = 64 << 10;

/// Up to which length a payload is copied to be exposed, in bytes. UCX reckons that it takes 16 us
/// and 0.06 ns a byte to register memory (`MEM_REG_OVERHEAD`, `MEM_REG_GROWTH` in its
/// src/uct/ib/base/ib_md.c), and ending that takes about as long; a copy takes some 0.1 ns a byte.
/// So the one is as fast as the other at 400 to 800 KiB.
const COPIED_BYTES: usize = 512 << 10;

/// So many rooms are exposed at a time: further payloads are registered where they lie.
const EXPOSED_ROOMS: usize = 8;

/// The most bytes asked of a device at once: the next request on the same queue pair waits as long.
const PIECE_BYTES: usize = 128 << 10;

/// Rooms that are kept for the next payload: so many, and so many bytes of them.
const SPARE_ROOMS: usize = 8;
const SPARE_BYTES: usize = 64 << 20;

/// How the rooms of short payloads are rounded up, in bytes.
const LEAST_ROOM: usize = 64 << 10;

/// All of it, of one rank.
pub(super) struct Payloads {
    pd: Arc<Pd>,
    /// From which length on payloads are exposed, if any is.
    pub(super) from_bytes: Option<usize>,
    pub(super) piece_bytes: usize,
    exposed: Vec<Exposure>,
    spare: Vec<Slot>,
    /// Ends of VIs by which a payload is read, and its length.
    pub(super) under_way: Vec<(usize, usize)>,
}

/// A payload that is exposed.
struct Exposure {
    to: Rank,
    buffer: RemoteBuffer,
    memory: Memory,
}

/// Where it lies. As long as this is there, it can be read.
enum Memory {
    Room(Slot),
    /// With its owner.
    Place(#[expect(dead_code, reason = "it is kept, and not looked at")] Readable),
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

    /// A room with this payload in it, if that is worth it, and there is one.
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

    /// A room for so many bytes: the smallest that is there, or a new one.
    pub(super) fn room(&mut self, len: usize) -> Option<Slot> {
        let spare = self.spare.iter().enumerate();
        let fitting = spare.filter(|(_, room)| room.room() >= len);
        if let Some((at, _)) = fitting.min_by_key(|(_, room)| room.room()) {
            return Some(self.spare.swap_remove(at));
        }
        // Payloads of nearly the same length shall find the same rooms.
        let step = (len.checked_next_power_of_two()? / 8).max(LEAST_ROOM);
        let room = Slot::alone(&self.pd, len.checked_next_multiple_of(step)?);
        room.or_else(|_| {
            // What is spare may be what lacks.
            self.spare.clear();
            Slot::alone(&self.pd, len)
        })
        .ok()
    }

    /// The room is free.
    pub(super) fn keep(&mut self, room: Slot) {
        self.spare.push(room);
        while self.spare.len() > SPARE_ROOMS
            || self.spare.iter().map(Slot::room).sum::<usize>() > SPARE_BYTES
        {
            // The oldest.
            self.spare.remove(0);
        }
    }
}
