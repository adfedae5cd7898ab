//! Payloads that are lent to peers, and rooms for those that are read from them.
//!
//! What is lent is registered where it lies, for as long as it is lent: nothing of it is copied. It is registered anew
//! each time. A cache of such registrations would have to hear of each page that the program gives back and gets again,
//! since a device goes on reading the old one; that takes hooks in the program's allocator, which a library should not
//! set. The rooms that payloads are read into belong to this interface, so they are kept registered, and used again.
//!
//! Registering may be refused, as where no more memory may be locked. Then nothing is lent, or read so, and the payload
//! goes as messages.

use std::sync::Arc;

use crate::order::Rank;
use crate::sys::ibverbs::{Pd, Readable, Slot};
use crate::verbs::Lent;

/// From which length on payloads are lent where the user says nothing, in bytes. Two system calls and the registration
/// of pages are to cost less than the two copies that they save, and the round trip for leave to send.
pub(super) const DEFAULT_FROM_BYTES: usize = 64 << 10;

/// What is asked of a device at once, in bytes: what comes after it on the same queue pair waits as long.
const PIECE_BYTES: usize = 128 << 10;

/// Rooms that are kept for the next payload: so many, and so many bytes of them.
const SPARE_ROOMS: usize = 8;
const SPARE_BYTES: usize = 64 << 20;

/// How the rooms of short payloads are rounded up, in bytes.
const LEAST_ROOM: usize = 64 << 10;

/// All of it, of one rank.
pub(super) struct Pulls {
    pd: Arc<Pd>,
    /// From which length on payloads are lent, if any is.
    pub(super) from_bytes: Option<usize>,
    pub(super) piece_bytes: usize,
    lent: Vec<(Rank, Lent, Readable)>,
    spare: Vec<Slot>,
    /// Ends of VIs by which a payload is read, and its length.
    pub(super) under_way: Vec<(usize, usize)>,
}

impl Pulls {
    pub(super) fn new(pd: &Arc<Pd>, from_bytes: Option<usize>, message_bytes: u32) -> Pulls {
        Pulls {
            pd: Arc::clone(pd),
            from_bytes,
            piece_bytes: PIECE_BYTES.min(message_bytes as usize).max(1),
            lent: Vec::new(),
            spare: Vec::new(),
            under_way: Vec::new(),
        }
    }

    pub(super) fn lend(&mut self, to: Rank, payload: &[u8]) -> Option<Lent> {
        let readable = Readable::new(&self.pd, payload).ok()?;
        let (address, key) = readable.address();
        let lent = Lent { address, key };
        self.lent.push((to, lent, readable));
        Some(lent)
    }

    pub(super) fn take_back(&mut self, to: Rank, lent: Lent) {
        self.lent.retain(|(whom, what, _)| (*whom, *what) != (to, lent));
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
