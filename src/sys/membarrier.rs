//! Fences that one thread has the system execute for all others.
//!
//! Two threads that each store a word and then look at the other's need a fence between the two steps, each
//! of them, if at least one is to see the other. A fence waits until what was stored before it has arrived,
//! and that takes as long as a cache line takes from another core. Where one of the two seldom comes to its
//! step, it can do both: Linux executes a fence on each core that runs a thread of a process which has
//! registered (membarrier(2), `MEMBARRIER_CMD_GLOBAL_EXPEDITED`, from 4.16 on). The other then has to keep
//! its two steps in order for the compiler alone.
//!
//! Who may leave out a fence, and when, is for the callers to know (`provider::shm`'s `fences`). Loom cannot
//! model it: in a model both fence.

use super::atomic::{Ordering, fence};

/// Has the system execute fences in the threads of this process when others ask. Returns whether it does,
/// and whether [`fence_everywhere`] works here.
pub(crate) fn register() -> bool {
    imp::register()
}

/// A fence, in this thread and in every one of the processes that have registered: whatever one of them does
/// comes before it or after, also where it has none of its own. Returns whether the system has done it: a filter of
/// system calls that came later may forbid it.
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
