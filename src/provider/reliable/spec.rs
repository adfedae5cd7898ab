//! What lies beneath a fabric whose losses are to be repaired: each of its queues with room for
//! acknowledgements, and a side queue for farewells.

use super::wire::Header;
use crate::provider::{FabricSpec, QueueSpec};

/// Receive descriptors beneath, besides one for each above: for acknowledgements, and for what
/// comes twice. Where they do not suffice a frame is lost, as others are.
const SPARE_DESCRIPTORS: u32 = 16;

/// The side queue. No message goes there.
const ASIDE: QueueSpec = QueueSpec { recv_descriptors: 1, descriptor_bytes: 0 };

/// The layout of the network beneath a fabric of layout `spec`, whose ranks are then wrapped by
/// [`Reliable::new`](super::Reliable::new) with the same `spec`. Shared words are none.
pub fn beneath(spec: &FabricSpec) -> FabricSpec {
    let queues = spec.queues.iter().chain([&ASIDE]);
    FabricSpec { queues: queues.map(queue_beneath).collect(), shared_words: 0, heap_bytes: 0 }
}

pub(super) fn queue_beneath(queue: &QueueSpec) -> QueueSpec {
    QueueSpec {
        recv_descriptors: queue.recv_descriptors.saturating_add(SPARE_DESCRIPTORS),
        descriptor_bytes: queue.descriptor_bytes.saturating_add(Header::BYTES),
    }
}

/// The queues as they are seen above, and the side queue behind them.
pub(super) fn with_side_queue(spec: &FabricSpec) -> Vec<QueueSpec> {
    spec.queues.iter().copied().chain([ASIDE]).collect()
}
