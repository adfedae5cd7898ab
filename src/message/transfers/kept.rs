//! What a rank keeps of a payload until it has left: a copy, or memory that it shares with whoever
//! has it, or that the program has lent.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.

use std::fmt;
use std::sync::Arc;

use super::lent::LendWhen;
use super::warm::{Copied, WarmMemory};

/// Memory that stays as it is as long as anybody shares it.
pub type SharedPayload = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Memory of the program, which it leaves as it is until it has it back.
pub(in crate::message) struct Lent(*const [u8]);

// SAFETY: whoever made it has promised that the memory can be read, from whichever thread.
unsafe impl Send for Lent {}

impl Lent {
    /// This memory.
    ///
    /// # Safety
    ///
    /// It can be read, and nobody writes to it, as long as this lives.
    pub(in crate::message) unsafe fn new(payload: &[u8]) -> Lent {
        Lent(payload)
    }
}

/// A payload that a rank keeps.
pub(in crate::message) enum Kept {
    /// A copy of its own.
    Copy(Copied),
    /// The same as others have: its owner, or transfers to other peers.
    Shared(SharedPayload),
    /// Memory that the program has lent.
    Lent(Lent),
}

impl Kept {
    /// Nothing.
    pub(in crate::message) const NONE: Kept = Kept::Copy(Copied::NONE);
}

impl Kept {
    pub(in crate::message) fn bytes(&self) -> &[u8] {
        match self {
            Kept::Copy(payload) => payload.as_ref(),
            Kept::Shared(payload) => (**payload).as_ref(),
            // SAFETY: as `Lent::new` says.
            Kept::Lent(Lent(payload)) => unsafe { &**payload },
        }
    }

    /// The program has back what it had lent: this is a copy from now on.
    pub(in crate::message) fn reclaim(&mut self) {
        if let Kept::Lent(_) = self {
            *self = Kept::Copy(Copied::apart(self.bytes()));
        }
    }
}

/// Whose the payload is that a call gives.
pub(super) enum Given {
    /// The caller's: what is kept is a copy.
    ForNow,
    /// Also others'.
    Shared(SharedPayload),
    /// The program's, which has lent it: it is read where it lies when this says so, if it can be.
    Lent(LendWhen),
}

impl Given {
    /// What is kept of a payload that nobody else has: a copy, unless it is lent.
    pub(super) fn kept(&self, warm: &Arc<WarmMemory>, payload: &[u8]) -> Kept {
        match self {
            // SAFETY: whoever has called `begin_lending` promises it.
            Given::Lent(_) => Kept::Lent(unsafe { Lent::new(payload) }),
            Given::ForNow | Given::Shared(_) => Kept::Copy(warm.copy_of(payload)),
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes().len())
    }
}
