//! Payloads for several peers that are one and the same: one copy is exposed to all of them.
//!
//! Plain state; which copy that is, and who gives it back.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.

use crate::order::Rank;
use crate::verbs::RemoteBuffer;

/// What a network is to expose to a peer.
pub(in crate::message) enum Exposable<'p> {
    /// This payload.
    Payload(&'p [u8]),
    /// A copy that was exposed to another.
    Copy(RemoteBuffer),
    /// The copy that was just exposed, so that it stays when this peer has read it.
    Kept(RemoteBuffer),
}

/// Whether payloads for several peers are one and the same. One copy is then exposed to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OneCopy {
    /// They are not.
    No,
    /// They are; none was exposed yet.
    Wanted,
    /// This copy was exposed to that peer first. It stays, whoever has read it, until all have been
    /// served.
    Made(Rank, RemoteBuffer),
    /// This copy was made before, by whoever gives it back, and no other will do.
    Given(RemoteBuffer),
}

impl OneCopy {
    /// Exposes by `expose` the copy that there is, or a new one.
    pub(super) fn expose(
        &mut self,
        to: Rank,
        payload: &[u8],
        mut expose: impl FnMut(Exposable<'_>) -> Option<RemoteBuffer>,
    ) -> Option<RemoteBuffer> {
        if let OneCopy::Given(copy) = *self {
            return expose(Exposable::Copy(copy));
        }
        if let OneCopy::Made(_, copy) = *self
            && let Some(buffer) = expose(Exposable::Copy(copy))
        {
            return Some(buffer);
        }
        let buffer = expose(Exposable::Payload(payload))?;
        if *self == OneCopy::Wanted && expose(Exposable::Kept(buffer)).is_some() {
            *self = OneCopy::Made(to, buffer);
        }
        Some(buffer)
    }
}
