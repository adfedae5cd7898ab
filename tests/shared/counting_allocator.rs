//! The system's allocator, which counts for each thread how often it was asked for memory.
//!
//! It counts for each thread apart: what the test harness allocates in its own is no concern of
//! the test's. Whoever includes this file makes it the allocator of its whole test binary.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is being torn down is not of interest.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator as it is; counting allocates nothing,
// since the counter is initialised at compile time and needs no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised us; it came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promised us; it came from the system's allocator.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often `work` asks for memory in this thread.
pub fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// A planted fault: the counter sees one small box, and a growing vector.
#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
    let mut grown = vec![1u8; 10];
    assert_eq!(allocations(|| grown.reserve_exact(std::hint::black_box(1000))), 1);
    assert_eq!(allocations(|| {}), 0);
}
