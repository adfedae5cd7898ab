//! Asymmetric fences (membarrier): one thread has the system execute a fence in all others.
//!
//! Two threads each store a word and then look at the other's (Dekker). Each needs a fence between
//! the two steps, if at least one must see the other. A fence waits until earlier stores have
//! arrived, which takes as long as a cache line takes from another core. If one of the two seldom
//! takes its step, it can pay for both. Linux executes a fence on each core that runs a thread of a
//! registered process (membarrier(2), `MEMBARRIER_CMD_GLOBAL_EXPEDITED`, from 4.16 on). The other
//! thread then needs only a compiler fence.
//!
//! The callers must know who may leave out a fence, and when (`fences` of `provider::shm`). Loom
//! cannot model this: in a model both execute a fence.

use super::atomic::{Ordering, fence};

/// Registers this process, so that the system executes fences in its threads when others ask.
/// Returns whether that succeeded, and whether [`fence_everywhere`] works here.
pub(crate) fn register() -> bool {
    imp::register()
}

/// Executes a fence in this thread and in every thread of the registered processes. Each action of
/// such a thread comes before or after the fence, even without a fence of its own. Returns whether
/// the system has done it: a later filter of system calls may forbid it.
pub(crate) fn fence_everywhere() -> bool {
    fence(Ordering::SeqCst);
    imp::fence_others()
}

#[cfg(all(target_os = "linux", not(loom)))]
mod imp {
    use rustix::thread::{MembarrierCommand, MembarrierQuery, membarrier, membarrier_query};

    pub(super) fn register() -> bool {
        membarrier_query().contains(MembarrierQuery::GLOBAL_EXPEDITED)
            && membarrier(MembarrierCommand::RegisterGlobalExpedited).is_ok()
    }

    pub(super) fn fence_others() -> bool {
        membarrier(MembarrierCommand::GlobalExpedited).is_ok()
    }
}

#[cfg(any(not(target_os = "linux"), loom))]
mod imp {
    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn fence_others() -> bool {
        false
    }
}
