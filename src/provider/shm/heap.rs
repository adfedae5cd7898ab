//! Which parts of a rank's heap in the segment are in use: a buddy allocator with last-in,
//! first-out lists (D. E. Knuth, The Art of Computer Programming, volume 1, section 2.5, algorithms
//! R and S). It counts and touches no memory; the books lie in the rank's own memory, so no peer
//! can spoil them.
//!
//! A block is a power of two units long and begins at a multiple of its length. What is cut off is
//! the upper half, so blocks in use stay near the start of the heap, where the memory is warm. (That
//! blocks rest before they are taken again, as the buffers of rings do, gained nothing for two ranks
//! and lost a third for eight on two cores.)

use std::ops::Range;
use std::time::Duration;

use crate::sys::time::Instant;
use crate::verbs::RemoteBuffer;

/// The shortest block, in bytes: a page, so that memory can be given back to the system.
pub(super) const UNIT_BYTES: usize = 4096;

/// So much memory stays with a rank that has nothing exposed, in bytes.
const KEPT_BYTES: usize = 16 << 20;

/// Time is cut into spans of at least this length. More stays until two spans have passed in which it was not needed.
/// (An integer sort that exchanges 24 MiB in each step took every page anew: 1.5 times the time of MPI.)
const KEPT_FOR: Duration = Duration::from_secs(1);

/// Blocks have up to `1 << (ORDERS - 1)` units.
const ORDERS: usize = 24;

/// No unit.
const NONE: u32 = u32::MAX;

/// A block that was handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Where it begins, in bytes from the start of the heap.
    pub(super) at: usize,
    /// By what it is told from blocks that were there before.
    pub(super) key: u32,
}

impl Block {
    /// By what a peer finds it.
    pub(super) fn buffer(self) -> RemoteBuffer {
        RemoteBuffer { address: self.at as u64, key: self.key }
    }
}

/// What begins at a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Nothing: it lies within a block.
    Inside,
    /// A free block, and its neighbours in the list of its order.
    Free { order: u8, before: u32, after: u32 },
    /// A block in use, which is given back so many times before it is free.
    Used { order: u8, key: u32, users: u32 },
}

/// The blocks of one heap.
#[derive(Debug)]
pub(super) struct Heap {
    bytes: usize,
    /// Empty until the first block is taken: most ranks of some programs need none.
    units: Vec<Unit>,
    /// The free block of each order that was given back last.
    free: [u32; ORDERS],
    last_key: u32,
    used_blocks: usize,
    /// Nothing was written behind so many bytes since they were last given back.
    touched_bytes: usize,
    /// How many were needed in this span of time, and in the one before.
    needed_bytes: [usize; 2],
    /// When this span began.
    since: Option<Instant>,
}

impl Heap {
    /// One of so many bytes, of which whole units are used.
    pub(super) fn new(bytes: usize) -> Heap {
        Heap {
            bytes,
            units: Vec::new(),
            free: [NONE; ORDERS],
            last_key: 0,
            used_blocks: 0,
            touched_bytes: 0,
            needed_bytes: [0; 2],
            since: None,
        }
    }

    /// A block may be taken soon: the books are made, which needs memory of its own.
    pub(super) fn prepare(&mut self) {
        if self.units.is_empty() {
            self.lay_out();
        }
    }

    /// Takes a block of at least `bytes`, if there is one.
    pub(super) fn take(&mut self, bytes: usize) -> Option<Block> {
        self.prepare();
        let units = bytes.div_ceil(UNIT_BYTES).max(1).checked_next_power_of_two()?;
        let order = units.trailing_zeros() as usize;
        let found = (order..ORDERS).find(|&order| self.free[order] != NONE)?;
        let first = self.free[found];
        self.unlink(first);
        for half in (order..found).rev() {
            self.link(first + (1 << half), half);
        }
        self.last_key = self.last_key.wrapping_add(1);
        let used = Unit::Used { order: order as u8, key: self.last_key, users: 1 };
        self.units[first as usize] = used;
        self.used_blocks += 1;
        let at = first as usize * UNIT_BYTES;
        let end = at + bytes.next_multiple_of(UNIT_BYTES);
        self.touched_bytes = self.touched_bytes.max(end);
        self.needed_bytes[0] = self.needed_bytes[0].max(end);
        Some(Block { at, key: self.last_key })
    }

    /// Where the block in use begins that is found so, if so many bytes lie in it.
    pub(super) fn place_of(&mut self, buffer: RemoteBuffer, bytes: usize) -> Option<usize> {
        let at = usize::try_from(buffer.address).ok()?;
        let (order, _) = self.used(Block { at, key: buffer.key })?;
        (bytes <= UNIT_BYTES << order).then_some(at)
    }

    /// Adds a user to a block. False if it is not in use.
    pub(super) fn share(&mut self, block: Block) -> bool {
        let Some((_, users)) = self.used(block) else { return false };
        *users += 1;
        true
    }

    /// The order of a block in use, and how many use it.
    fn used(&mut self, block: Block) -> Option<(u8, &mut u32)> {
        if !block.at.is_multiple_of(UNIT_BYTES) {
            return None;
        }
        match self.units.get_mut(block.at / UNIT_BYTES)? {
            Unit::Used { order, key, users } if *key == block.key => Some((*order, users)),
            _ => None,
        }
    }

    /// A user gives a block back; the last one frees it. One that is not in use is ignored.
    pub(super) fn give_back(&mut self, block: Block) {
        let Some((order, users)) = self.used(block) else { return };
        *users -= 1;
        if *users > 0 {
            return;
        }
        let mut first = block.at / UNIT_BYTES;
        self.units[first] = Unit::Inside;
        self.used_blocks -= 1;
        let mut order = usize::from(order);
        while order + 1 < ORDERS {
            let buddy = first ^ (1 << order);
            match self.units.get(buddy) {
                Some(&Unit::Free { order: its, .. }) if usize::from(its) == order => {}
                _ => break,
            }
            self.unlink(buddy as u32);
            first = first.min(buddy);
            order += 1;
        }
        self.link(first as u32, order);
    }

    /// What goes back to the system, in bytes from the start of the heap: where nothing is in use,
    /// all that was touched beyond some megabytes and was not needed lately. The caller gives it back.
    pub(super) fn poll_idle(&mut self, now: impl FnOnce() -> Instant) -> Option<Range<usize>> {
        if self.used_blocks > 0 || self.touched_bytes <= KEPT_BYTES {
            return None;
        }
        let now = now();
        let since = *self.since.get_or_insert(now);
        if now.saturating_since(since) < KEPT_FOR {
            return None;
        }
        let [lately, before] = self.needed_bytes;
        self.needed_bytes = [0, lately];
        self.since = Some(now);
        let kept_bytes = KEPT_BYTES.max(lately).max(before);
        if self.touched_bytes <= kept_bytes {
            return None;
        }
        let touched_bytes = std::mem::replace(&mut self.touched_bytes, kept_bytes);
        Some(kept_bytes..touched_bytes)
    }

    /// Cuts the heap into the largest blocks that fit, the first of each order to be taken first.
    fn lay_out(&mut self) {
        // Below the limit of a heap, so that numbers of units have 32 bits.
        let count = self.bytes / UNIT_BYTES;
        self.units = vec![Unit::Inside; count];
        let mut end = count;
        // From the end, the blocks of the binary digits of the length, the least digit first.
        while end > 0 {
            let order = (end.trailing_zeros() as usize).min(ORDERS - 1);
            end -= 1 << order;
            self.link(end as u32, order);
        }
    }

    /// Puts a block in front of the list of its order.
    fn link(&mut self, first: u32, order: usize) {
        let after = std::mem::replace(&mut self.free[order], first);
        self.units[first as usize] = Unit::Free { order: order as u8, before: NONE, after };
        if let Some(Unit::Free { before, .. }) = self.units.get_mut(after as usize) {
            *before = first;
        }
    }

    /// Takes a free block out of its list.
    fn unlink(&mut self, first: u32) {
        let freed = std::mem::replace(&mut self.units[first as usize], Unit::Inside);
        let Unit::Free { order, before, after } = freed else { return };
        match self.units.get_mut(before as usize) {
            Some(Unit::Free { after: its, .. }) => *its = after,
            _ => self.free[usize::from(order)] = after,
        }
        if let Some(Unit::Free { before: its, .. }) = self.units.get_mut(after as usize) {
            *its = before;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
