//! Message buffers whose first byte lies at an address divisible by 8.
//!
//! Not a pool: the owner of a buffer decides where it goes next.

use zerocopy::IntoBytes;

use crate::sys::copy::copy_bytes;

/// A fixed number of bytes, in whole words.
#[derive(Debug)]
pub(super) struct Buffer(Box<[u64]>);

impl Buffer {
    /// At least `len` zeroed bytes.
    pub(super) fn zeroed(len: usize) -> Self {
        Self(vec![0; len.div_ceil(8)].into_boxed_slice())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.as_mut_bytes()
    }
}

/// Puts `header` and behind it `payload` at the start of `into`, which has room for both.
#[inline]
pub(super) fn gather(into: &mut [u8], header: &[u8], payload: &[u8]) {
    let (head, rest) = into.split_at_mut(header.len());
    head.copy_from_slice(header);
    copy_bytes(payload, &mut rest[..payload.len()]);
}
