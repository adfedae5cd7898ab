//! Once warm, the calls of a running program allocate nothing: send, receive into room, barrier,
//! a poll in vain.
//!
//! In a binary of its own, since the allocator counts; it counts for each thread apart.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Barrier;

use runahead::{Comm, Launch, Result, Source};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to `System` as it came; counting touches a thread-local that
// neither allocates nor has a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`, which is that of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory comes from `System`, by `alloc` above, with the same layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const WARM_UP: u64 = 200;
const MEASURED: u64 = 2000;
/// More barriers than are ever open, and more messages than are ever queued, in what is measured.
const DEEP: usize = 24;

/// Each rank in turn stays behind while the others run far ahead, so that every queue has been as
/// long as it can get, however the threads are scheduled.
fn stretch(world: &Comm, gates: &[Barrier]) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    for (w, gate) in gates.iter().enumerate() {
        if rank == w {
            gate.wait(); // the others have run ahead
        }
        for _ in 0..DEEP {
            world.barrier()?;
        }
        for to in (0..size).filter(|&to| to != rank) {
            for _ in 0..DEEP {
                world.isend(to, 2, &[0u64; 5])?;
            }
        }
        world.progress()?;
        if rank != w {
            gate.wait();
        }
        // All have come, or as many as the window lets, before the first is taken.
        world.barrier()?.wait()?;
        for _ in 0..DEEP * (size - 1) {
            world.recv_into(&mut [0u64; 5], Source::Any, 2)?;
        }
        world.barrier()?.wait()?;
    }
    Ok(())
}

fn allocations(size: usize, window: Option<u32>) -> Vec<u64> {
    let mut launch = Launch::new(size);
    if let Some(window) = window {
        launch = launch.window(window);
    }
    let gates: Vec<Barrier> = (0..size).map(|_| Barrier::new(size)).collect();
    let counts = launch.collect(|world| {
        stretch(world, &gates)?;
        let (rank, next) = (world.rank(), (world.rank() + 1) % size);
        let superstep = |number: u64| -> Result<()> {
            world.send(next, 1, &[number; 5])?; // 40 bytes: shares the header's cache line
            world.barrier()?;
            let mut room = [0u64; 5];
            let status = world.recv_into(&mut room, Source::Any, 1)?;
            assert_eq!((status.source, status.bytes), ((rank + size - 1) % size, 40));
            assert_eq!(room, [number; 5]);
            assert!(world.try_recv::<u64>(Source::Any, 9)?.is_none());
            if number.is_multiple_of(16) {
                world.barrier()?.wait()?;
            }
            Ok(())
        };
        (0..WARM_UP).try_for_each(superstep)?;
        let before = ALLOCATIONS.get();
        (WARM_UP..WARM_UP + MEASURED).try_for_each(superstep)?;
        Ok(ALLOCATIONS.get() - before)
    });
    counts.unwrap()
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![1u8; 10]));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}

#[test]
fn supersteps_allocate_nothing_once_warm() {
    for size in [2, 4] {
        for window in [None, Some(1)] {
            let counts = allocations(size, window);
            assert!(counts.iter().all(|&count| count == 0), "{size} ranks, {window:?}: {counts:?}");
        }
    }
}
