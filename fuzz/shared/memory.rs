//! The memory that a target asks for: it is noted how much at once was the most, and what nothing that a
//! target writes could need is refused.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is given at most at once, in bytes.
const GIVEN: usize = 1 << 30;

static MOST: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the system, watched.
pub struct Watched;

// SAFETY: it passes everything on to the allocator of the system, or refuses it, which a caller must
// reckon with.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Nothing is ordered by it: whoever reads it has made the calls itself.
        MOST.fetch_max(layout.size(), Ordering::Relaxed);
        if layout.size() > GIVEN {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: it came from `alloc`, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// How many bytes were asked for at once, at most, while `run` ran.
pub fn most_asked_for<R>(run: impl FnOnce() -> R) -> (R, usize) {
    MOST.store(0, Ordering::Relaxed);
    let done = run();
    (done, MOST.load(Ordering::Relaxed))
}
