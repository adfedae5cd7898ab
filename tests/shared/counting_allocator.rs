//! The system's allocator, which counts for each thread how often it was asked for memory, for how
//! much, and how much of it is not given back.
//!
//! It counts for each thread apart: what the test harness allocates in its own is no concern of
//! the test's. Whoever includes this file makes it the allocator of its whole test binary.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static ASKED_BYTES: Cell<u64> = const { Cell::new(0) };
    static LIVE_BYTES: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    // A thread that is being torn down is not of interest.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    let _ = ASKED_BYTES.try_with(|asked| asked.set(asked.get() + bytes as u64));
}

fn note(bytes: i64) {
    let _ = LIVE_BYTES.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: every call is handed on to the system's allocator as it is; counting allocates nothing,
// since the counter is initialised at compile time and needs no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        note(layout.size() as i64);
        // SAFETY: as the caller promised us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(-(layout.size() as i64));
        // SAFETY: as the caller promised us; it came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        note(size as i64 - layout.size() as i64);
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

/// For how many bytes this thread has ever asked. Memory that grows counts anew.
#[allow(dead_code, reason = "not all who count need it")]
pub fn asked_bytes() -> u64 {
    ASKED_BYTES.get()
}

/// How many bytes this thread has asked for more than it has given back; below zero where it gives
/// back what others have asked for.
#[allow(dead_code, reason = "not all who count need it")]
pub fn live_bytes() -> i64 {
    LIVE_BYTES.get()
}

/// A planted fault: the counter sees one small box, and a growing vector.
#[test]
fn the_counter_counts() {
    let asked = asked_bytes();
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
    let mut grown = vec![1u8; 10];
    assert_eq!(allocations(|| grown.reserve_exact(std::hint::black_box(1000))), 1);
    assert_eq!(allocations(|| {}), 0);
    assert_eq!(asked_bytes() - asked, 4 + 10 + 1010);
    let before = live_bytes();
    let kept = std::hint::black_box(vec![0u8; 100]);
    assert_eq!(live_bytes() - before, 100);
    drop((kept, grown));
    assert_eq!(live_bytes() - before, -1010);
}
