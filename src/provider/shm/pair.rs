//! Two ranks of one process, for the tests of what one does to the other step by step.

use super::{ShmNic, connect};
use crate::provider::{FabricSpec, QueueSpec};
use crate::verbs::{Cq, Nic, Reliability, Vi, ViSpec};

/// Two ranks with heaps of so many bytes, a VI to each other, and some shared words.
pub(super) fn pair(heap_bytes: usize) -> [ShmNic; 2] {
    let queue = QueueSpec { recv_descriptors: 2, descriptor_bytes: 64 };
    let fabric = FabricSpec { queues: vec![queue], shared_words: 8, heap_bytes };
    let mut nics: [ShmNic; 2] = connect(2, &fabric).unwrap().try_into().unwrap();
    let spec = ViSpec {
        recv_descriptors: 2,
        descriptor_bytes: 64,
        reliability: Reliability::ReliableReception,
    };
    for (rank, nic) in nics.iter_mut().enumerate() {
        nic.open_vi(Vi { peer: 1 - rank, cq: Cq(0) }, &spec).unwrap();
    }
    nics
}
