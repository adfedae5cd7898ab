//! The checks that all networks make of sizes and addresses that they are asked for.

use crate::provider::QueueSpec;
use crate::verbs::{NicAttributes, VerbsError, Vi, ViSpec};

/// A function that refuses to be asked for more than a limit of something, in this order: the
/// thing, the number asked for, and the limit.
pub(super) fn within(
    provider: &'static str,
) -> impl Fn(&'static str, usize, usize) -> Result<(), VerbsError> {
    move |what, asked, limit| {
        let error = VerbsError::AboveLimit { provider, what, asked, limit };
        if asked <= limit { Ok(()) } else { Err(error) }
    }
}

/// Checks that a peer, a queue and sizes are such as a VI can have. `queue` has the limits of the
/// queue, if there is one of that number.
pub(super) fn check_vi(
    attributes: &NicAttributes,
    vi: Vi,
    spec: &ViSpec,
    queue: Option<QueueSpec>,
) -> Result<(), VerbsError> {
    let &NicAttributes { rank, size, provider, completion_queues: limit, .. } = attributes;
    if vi.peer >= size {
        return Err(VerbsError::NoSuchPeer { peer: vi.peer, size });
    }
    if vi.peer == rank {
        return Err(VerbsError::OwnRank { rank });
    }
    let queue = queue.ok_or(VerbsError::NoSuchQueue { cq: vi.cq, limit })?;
    let within = within(provider);
    let (asked, limit) = (spec.recv_descriptors as usize, queue.recv_descriptors as usize);
    within("number of descriptors per VI", asked, limit)?;
    within("message length", spec.descriptor_bytes, queue.descriptor_bytes)
}
