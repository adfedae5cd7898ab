//! Where a call wants the payload of a message: in memory as it is, or in pieces.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.

use crate::sys::copy::copy_bytes;

/// Where a payload goes.
pub trait Destination {
    /// The memory to which a payload goes as it is, if it is such: one that is not longer is read there, with its
    /// first byte at the start.
    fn whole(&mut self) -> Option<&mut [u8]> {
        None
    }

    /// Puts a piece of a payload to its place, so many bytes behind the first.
    fn put(&mut self, at: usize, piece: &[u8]);
}

impl<F: FnMut(usize, &[u8])> Destination for F {
    fn put(&mut self, at: usize, piece: &[u8]) {
        self(at, piece);
    }
}

/// Memory in which payloads lie as they are. What is put there fits.
#[derive(Debug)]
pub struct Memory<'m>(pub &'m mut [u8]);

impl Destination for Memory<'_> {
    fn whole(&mut self) -> Option<&mut [u8]> {
        Some(self.0)
    }

    #[inline]
    fn put(&mut self, at: usize, piece: &[u8]) {
        copy(&mut self.0[at..][..piece.len()], piece);
    }
}

/// Copies a payload. That of a single number is moved as one: to call what copies any number of
/// bytes takes longer.
#[inline(always)]
fn copy(room: &mut [u8], bytes: &[u8]) {
    match (<&mut [u8; 8]>::try_from(&mut *room), <&[u8; 8]>::try_from(bytes)) {
        (Ok(room), Ok(bytes)) => *room = *bytes,
        _ => copy_bytes(bytes, room),
    }
}
