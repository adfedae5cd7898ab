//! A message that is packed or unpacked piece by piece, as it travels.
//!
//! It keeps the datatype and the place in the packed data; each call moves the next piece.

use std::sync::Arc;

use super::{Datatype, TypeError};

/// The place in the packed data of a buffer.
#[derive(Clone, Debug)]
pub struct Cursor {
    datatype: Arc<Datatype>,
    memory: *mut u8,
    count: usize,
    position: usize,
    total: usize,
}

// SAFETY: the pointer is only an address. Whoever calls `pack_next` or `unpack_next` answers for
// what lies there, from whichever thread.
unsafe impl Send for Cursor {}

impl Cursor {
    /// At the beginning of `count` of the datatype in a buffer. To pack, cast a constant pointer.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if a buffer cannot be that long.
    pub fn new(datatype: Arc<Datatype>, memory: *mut u8, count: usize) -> Result<Self, TypeError> {
        let total = datatype.packed_bytes(count)?;
        Ok(Self { datatype, memory, count, position: 0, total })
    }

    /// The bytes of the packed data that were moved.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The bytes of the packed data that are still to be moved.
    pub fn left(&self) -> usize {
        self.total - self.position
    }

    /// Packs the next piece, and returns its length: less than there is room for only at the end.
    ///
    /// # Safety
    ///
    /// As for [`Datatype::pack`].
    pub unsafe fn pack_next(&mut self, piece: &mut [u8]) -> usize {
        // SAFETY: the caller promises it.
        let bytes = unsafe { self.datatype.pack(self.memory, self.count, self.position, piece) };
        self.position += bytes;
        bytes
    }

    /// Unpacks the next piece, and returns how many bytes were used: less than all only at the end.
    ///
    /// # Safety
    ///
    /// As for [`Datatype::unpack`].
    pub unsafe fn unpack_next(&mut self, piece: &[u8]) -> usize {
        // SAFETY: the caller promises it.
        let bytes = unsafe { self.datatype.unpack(piece, self.position, self.memory, self.count) };
        self.position += bytes;
        bytes
    }
}
