//! How a message is put into a ring and how it is read where it lies. With `payloads` it has the
//! provider's unsafe code: it turns the number of a buffer into its bytes.
//!
//! # Which rank may touch a buffer
//!
//! A buffer belongs to its sender until a cell names it, then to the receiver until the descriptor
//! comes back. Both ends check the numbers that they are told against their own books (see
//! [`super::ring`]), so a correct sender never writes what a correct receiver still reads.
//!
//! # What is assumed of a peer that is not correct
//!
//! Any process that shares the memory can change the bytes of a buffer while a frame is read. What
//! a reader relies on it must therefore read once and keep, as the message layer does with headers;
//! the length of the frame is such a value, and is kept here. Of the rest it may see any bytes,
//! also different ones each time, like those of a file that is mapped and that somebody writes;
//! every byte is a valid `u8`, and nothing outside the buffer can be reached by them. Short
//! messages, and with them all control traffic, are copied out of shared memory before they are
//! looked at.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use zerocopy::IntoBytes;

use super::cell::{INLINE_BYTES, INLINE_WORDS, Storage};
use super::copying::{Copying, LONG_BYTES, Stores};
use super::ring::{Arrived, Body, Impossible, RingReceiver, RingSender};
use crate::order::Rank;
use crate::sys::atomic::Atomic;
use crate::sys::memory::MappedBytes;

/// From which length on messages take the buffers of their pair in turn.
const IN_TURN_BYTES: usize = 4 << 10;

/// The buffers of a sender and a receiver on one queue.
pub(super) struct Buffers {
    bytes: MappedBytes,
    stride: usize,
}

impl Buffers {
    /// `stride` is a multiple of 8, and so is the place of `bytes`.
    pub(super) fn new(bytes: MappedBytes, stride: usize) -> Self {
        Self { bytes, stride }
    }
}

/// Puts the message `header`, `payload` into the ring. To be called only when it has a descriptor
/// and the message is not longer than the ring was made for.
#[inline(always)]
pub(super) fn push<A: Atomic<Value = u64>, W: Deref<Target = [A]>>(
    ring: &mut RingSender<W>,
    buffers: &Buffers,
    copying: &mut Copying,
    header: &[u8],
    payload: &[u8],
) -> Result<(), Impossible> {
    let len = header.len() + payload.len();
    if len <= INLINE_BYTES {
        ring.push_inline(header, payload);
        return Ok(());
    }
    push_longer(ring, buffers, copying, header, payload)
}

#[inline(never)]
fn push_longer<A: Atomic<Value = u64>, W: Deref<Target = [A]>>(
    ring: &mut RingSender<W>,
    buffers: &Buffers,
    copying: &mut Copying,
    header: &[u8],
    payload: &[u8],
) -> Result<(), Impossible> {
    let len = header.len() + payload.len();
    ring.take_buffers()?;
    // The buffer that came back last is read and written by both sides again and again, and takes
    // the least memory. Of a longer message each line would have to be fetched from the receiver's
    // cache for that: it goes into the buffer that came back first, which caches have let go since.
    let in_turn = len >= IN_TURN_BYTES;
    let at = ring.next_buffer(in_turn) as usize * buffers.stride;
    let write = |stores| {
        // SAFETY: the buffer is ours, as the ring says: it was never sent, or it has come back.
        // This process has no reference to it, since the receiver posted its descriptor again only
        // when its frame was given up. `ring` is borrowed mutably: no other thread sends on it.
        unsafe { buffers.bytes.write(at, header, payload, stores == Stores::Streaming) };
    };
    if len >= LONG_BYTES {
        copying.time(len, write)
    } else {
        write(Stores::Cached)
    }
    ring.push_buffer(len, in_turn);
    Ok(())
}

/// Shows the next message of the ring whose messages lie in `buffers`, if it is there; a short one
/// in `words`.
#[inline(always)]
pub(super) fn peek<'r, A: Atomic<Value = u64>, W: Deref<Target = [A]>>(
    ring: &'r mut RingReceiver<W>,
    buffers: &'r Buffers,
    words: &'r mut [u64; INLINE_WORDS],
) -> Option<&'r [u8]> {
    Some(match ring.peek(words)? {
        (Storage::Inline, len) => &words.as_bytes()[..len],
        (Storage::Buffer(buffer), len) => {
            // SAFETY: the ring says that the message lies there and that no frame has it: its
            // sender does not write it before the descriptor comes back, and `ring`, which would
            // post that again, is borrowed as long as the bytes are. For one that does, see the
            // module's assumption.
            unsafe { buffers.bytes.read(buffer as usize * buffers.stride, len) }
        }
    })
}

/// A filled receive descriptor: a message of up to 56 bytes lies in the frame itself, a longer one
/// in a buffer that goes back to its sender with the descriptor. Its bytes start at an address
/// divisible by 8.
///
/// A correct sender does not write a buffer that is held. A process that shares the memory and is
/// not correct can: of a message of more than 56 bytes, read once what you rely on, and keep it.
/// The length is kept here. A short message cannot change any more.
pub struct Frame {
    /// Below `MAX_RANKS`.
    peer: u32,
    /// Checked once against the room, and never read again.
    len: u32,
    body: Lying,
}

enum Lying {
    Inline([u64; INLINE_WORDS]),
    In(Arc<Buffers>, u32),
}

impl Frame {
    /// The message that has `arrived` from `peer` in one of `buffers`, if it lies in any.
    #[inline]
    pub(super) fn new(peer: Rank, arrived: Arrived, buffers: &Arc<Buffers>) -> Self {
        let body = match arrived.body {
            Body::Inline(words) => Lying::Inline(words),
            Body::Buffer(buffer) => Lying::In(Arc::clone(buffers), buffer),
        };
        // Neither is cut: ranks are below MAX_RANKS and messages at most MAX_MESSAGE_BYTES.
        Self { peer: peer as u32, len: arrived.len as u32, body }
    }

    #[inline]
    pub(super) fn peer(&self) -> Rank {
        self.peer as Rank
    }

    /// Whether it lies in one of `buffers`, or in itself.
    #[inline]
    pub(super) fn belongs_to(&self, buffers: &Arc<Buffers>) -> bool {
        match &self.body {
            Lying::Inline(_) => true,
            Lying::In(own, _) => Arc::ptr_eq(own, buffers),
        }
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.body {
            Lying::Inline(words) => &words.as_bytes()[..self.len as usize],
            Lying::In(buffers, buffer) => {
                let at = *buffer as usize * buffers.stride;
                // SAFETY: the buffer is this frame's, as the ring says, which gives it to one at a
                // time: its sender does not write it before the descriptor comes back, for which
                // the frame is given up. For one that does, see the module's assumption.
                unsafe { buffers.bytes.read(at, self.len as usize) }
            }
        }
    }

    /// Where the message lay, for its descriptor to be posted again.
    #[inline]
    pub(super) fn into_storage(self) -> Storage {
        match self.body {
            Lying::Inline(_) => Storage::Inline,
            Lying::In(_, buffer) => Storage::Buffer(buffer),
        }
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes from rank {}", self.len, self.peer)
    }
}
