//! A filled receive descriptor: a message of up to 64 bytes lies in the frame itself, a longer one
//! in a buffer that goes back to its sender with the descriptor.

use zerocopy::IntoBytes;

use crate::order::Rank;
use crate::provider::buffer::{Buffer, gather};

/// The longest message that needs no buffer, in bytes.
pub(super) const INLINE_BYTES: usize = 64;

/// A message as it lies in the inbox. Its bytes start at an address divisible by 8.
#[derive(Debug)]
pub struct Frame {
    /// Below `MAX_RANKS`.
    peer: u32,
    /// At most what the body has room for.
    len: u32,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Inline([u64; INLINE_BYTES / 8]),
    Buffer(Buffer),
}

impl Frame {
    /// The message `header`, `payload` from `peer`. `buffer` is called where they do not fit the
    /// frame itself, and gives one that they fit.
    pub(super) fn fill(
        peer: Rank,
        header: &[u8],
        payload: &[u8],
        buffer: impl FnOnce() -> Buffer,
    ) -> Self {
        let len = header.len() + payload.len();
        let body = if len <= INLINE_BYTES {
            let mut words = [0; INLINE_BYTES / 8];
            gather(words.as_mut_bytes(), header, payload);
            Body::Inline(words)
        } else {
            let mut buffer = buffer();
            gather(buffer.bytes_mut(), header, payload);
            Body::Buffer(buffer)
        };
        // Neither is cut: ranks are below MAX_RANKS and messages at most MAX_MESSAGE_BYTES.
        Self { peer: peer as u32, len: len as u32, body }
    }

    pub(super) fn peer(&self) -> Rank {
        self.peer as Rank
    }

    pub(super) fn bytes(&self) -> &[u8] {
        let room = match &self.body {
            Body::Inline(words) => words.as_bytes(),
            Body::Buffer(buffer) => buffer.bytes(),
        };
        &room[..self.len as usize]
    }

    /// The buffer that the frame held, if it held one.
    pub(super) fn into_buffer(self) -> Option<Buffer> {
        match self.body {
            Body::Inline(_) => None,
            Body::Buffer(buffer) => Some(buffer),
        }
    }
}

impl AsRef<[u8]> for Frame {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}
