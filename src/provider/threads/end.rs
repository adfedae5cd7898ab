//! The descriptors between two ranks on one queue: how many the receiver has posted again, the
//! buffers that came back with them, and both ranks' own view of the VI.
//!
//! The receiver's total only grows. The sender counts what it has sent and looks at the total only
//! when it has used up what it knew of, so that the shared word travels once for each window.

use std::sync::Arc;

use super::fabric::Padded;
use super::frame::Frame;
use crate::order::Rank;
use crate::provider::buffer::Buffer;
use crate::sys::atomic::{AtomicU64, Ordering};
use crate::sys::channel::{Receiver, Sender, bounded};
use crate::verbs::{Reliability, ViSpec};

/// What the receiver gives back to the sender; one for each ordered pair of ranks and queue.
pub(super) struct Returns {
    /// Descriptors posted again since the VI was opened. Written by the receiver alone.
    reposted: AtomicU64,
    /// Buffers on their way back. Has room for as many as there are descriptors.
    spare: (Sender<Buffer>, Receiver<Buffer>),
}

impl Returns {
    pub(super) fn new(descriptors: u32) -> Self {
        Self { reposted: AtomicU64::new(0), spare: bounded(descriptors as usize) }
    }
}

/// One rank's end of a VI.
pub(super) struct End {
    spec: ViSpec,
    /// Messages sent.
    sent: u64,
    /// Messages that may be sent before another look at the total.
    allowed: u64,
    /// Descriptors posted again here.
    reposted: u64,
    to_peer: Arc<Padded<Returns>>,
    from_peer: Arc<Padded<Returns>>,
}

impl End {
    pub(super) fn new(
        spec: &ViSpec,
        to_peer: Arc<Padded<Returns>>,
        from_peer: Arc<Padded<Returns>>,
    ) -> Self {
        Self {
            spec: *spec,
            sent: 0,
            // Both ends agree on the number posted at opening, so it needs not be published, and
            // the peer may open its end later.
            allowed: u64::from(spec.recv_descriptors),
            reposted: 0,
            to_peer,
            from_peer,
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.spec.descriptor_bytes
    }

    pub(super) fn reliability(&self) -> Reliability {
        match self.spec.reliability {
            Reliability::Unreliable => Reliability::Unreliable,
            // When `post_send` returns, the message lies in the inbox of the peer.
            _ => Reliability::ReliableReception,
        }
    }

    /// Whether the peer has a descriptor for one more message.
    pub(super) fn has_descriptor(&mut self) -> bool {
        if self.sent == self.allowed {
            // Pairs with the store in `repost`: its buffer is then in `spare`.
            let reposted = self.to_peer.reposted.load(Ordering::Acquire);
            self.allowed = u64::from(self.spec.recv_descriptors) + reposted;
        }
        self.sent < self.allowed
    }

    /// The message as a frame, in a buffer that came back if it needs one and there is one.
    pub(super) fn fill(&self, from: Rank, header: &[u8], payload: &[u8]) -> Frame {
        let room = self.spec.descriptor_bytes;
        let spare = &self.to_peer.spare.1;
        Frame::fill(from, header, payload, || {
            spare.try_recv().unwrap_or_else(|_| Buffer::zeroed(room))
        })
    }

    /// One descriptor of the peer is used up.
    pub(super) fn count_sent(&mut self) {
        self.sent += 1;
    }

    /// Posts the descriptor again.
    pub(super) fn repost(&mut self, frame: Frame) {
        if let Some(buffer) = frame.into_buffer() {
            // Never full: a buffer is with a descriptor, or here. If it were, it would be freed.
            let _ = self.from_peer.spare.0.try_send(buffer);
        }
        self.reposted += 1;
        // Pairs with the load in `has_descriptor` at the sender.
        self.from_peer.reposted.store(self.reposted, Ordering::Release);
    }
}
