//! Reads a long payload of the peer into a buffer of this process, in pieces.
//!
//! The pair owns the buffer as long as the device may write there, and releases it only when all
//! data have arrived. If the pair fails meanwhile, the buffer is freed with it, when the device has
//! forgotten the pair.

use super::marks::MARK_BYTES;
use super::{Pair, PostFailure};
use crate::sys::ibverbs::abi;
use crate::sys::ibverbs::memory::Slot;

/// A payload that is being read.
pub(super) struct PendingRead {
    room: Slot,
    /// Its address at the peer, and the key.
    from: (u64, u32),
    len: usize,
    /// How many bytes were requested.
    asked: usize,
    /// The number of the request for the last requested piece.
    last: u32,
}

impl PendingRead {
    /// The offset of its mark, in bytes.
    fn mark_at(&self) -> usize {
        self.len - MARK_BYTES
    }
}

/// The progress of reading a payload.
pub(crate) enum PayloadRead {
    /// Not complete; or no payload is being read.
    UnderWay,
    /// All data have arrived in this buffer.
    Whole(Slot),
    /// The device reports completion wrongly: the last data have not arrived.
    Unread,
}

impl Pair {
    /// Begins to read `len` bytes from this address of the peer's, under this key. It goes on by
    /// [`continue_read`](Pair::continue_read).
    ///
    /// # Errors
    ///
    /// The buffer, if it is too small, the pair has failed, it is still reading another payload, or
    /// the payload is shorter than a mark.
    pub(crate) fn begin_payload_read(
        &mut self,
        from: (u64, u32),
        mut room: Slot,
        len: usize,
    ) -> Result<(), Slot> {
        if self.broken || self.reading.is_some() || len < MARK_BYTES || len > room.room() {
            return Err(room);
        }
        room.write(len - MARK_BYTES, &self.mark.to_ne_bytes());
        self.reading = Some(PendingRead { room, from, len, asked: 0, last: 0 });
        Ok(())
    }

    /// Requests as many pieces of up to `piece_bytes` as half of the free work requests permit. The
    /// other half is left for messages.
    pub(crate) fn continue_read(&mut self, piece_bytes: usize) {
        // Taken out meanwhile, so that there is only one owner.
        let Some(mut reading) = self.reading.take() else { return };
        let most = (self.depth / 2).max(1);
        while reading.asked < reading.len && self.posted.wrapping_sub(self.done) < most {
            let rest = reading.len - reading.asked;
            let mut len = rest.min(piece_bytes.max(2 * MARK_BYTES));
            if (1..MARK_BYTES).contains(&(rest - len)) {
                // The mark must be within one piece, the last.
                len -= MARK_BYTES;
            }
            let remote_addr = reading.from.0.wrapping_add(reading.asked as u64);
            let to = abi::WorkTarget { rdma: abi::ToMemory { remote_addr, rkey: reading.from.1 } };
            let (mut list, number) = ([reading.room.sge(reading.asked, len)], self.posted);
            match self.submit(abi::WR_RDMA_READ, 0, &mut list, to, true) {
                Ok(()) => (reading.asked, reading.last) = (reading.asked + len, number),
                Err(PostFailure::Full) => break,
                Err(_) => {
                    self.broken = true;
                    break;
                }
            }
        }
        self.reading = Some(reading);
    }

    /// Whether [`continue_read`](Pair::continue_read) would do something, or
    /// [`poll_payload_read`](Pair::poll_payload_read) find it done.
    pub(crate) fn can_continue_read(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| {
            let most = (self.depth / 2).max(1);
            let has_more = reading.asked < reading.len;
            has_more && self.posted.wrapping_sub(self.done) < most || self.has_all(reading)
        })
    }

    fn has_all(&self, reading: &PendingRead) -> bool {
        !self.broken && reading.asked == reading.len && self.is_done(reading.last)
    }

    /// Releases the buffer with the payload in it, once all data have arrived.
    pub(crate) fn poll_payload_read(&mut self) -> PayloadRead {
        let Some(reading) = self.reading.take() else { return PayloadRead::UnderWay };
        if !self.has_all(&reading) {
            self.reading = Some(reading);
            return PayloadRead::UnderWay;
        }
        // All requests have completed, so the device no longer writes to the buffer.
        let is_marked =
            reading.room.bytes(reading.len)[reading.mark_at()..] == self.mark.to_ne_bytes();
        if is_marked { PayloadRead::Unread } else { PayloadRead::Whole(reading.room) }
    }
}
