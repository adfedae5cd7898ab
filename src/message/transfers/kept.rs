//! What a rank keeps of a large payload until it has left: a copy, or memory that it shares with
//! whoever has it.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.

use std::fmt;
use std::sync::Arc;

/// Memory that stays as it is as long as anybody shares it.
pub type SharedPayload = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A payload that a rank keeps.
pub(in crate::message) enum Kept {
    /// A copy of its own.
    Copy(Vec<u8>),
    /// The same as others have: its owner, or transfers to other peers.
    Shared(SharedPayload),
}

impl Kept {
    pub(in crate::message) fn bytes(&self) -> &[u8] {
        match self {
            Kept::Copy(payload) => payload,
            Kept::Shared(payload) => (**payload).as_ref(),
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes().len())
    }
}
