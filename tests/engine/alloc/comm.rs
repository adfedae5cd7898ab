//! Once warm, the calls of a running program allocate nothing: send, receive into room, barrier,
//! a poll in vain.

use std::sync::Barrier;

use super::counting::allocations;
use runahead::{Comm, Launch, Result, Source};

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
            world.progress()?; // what they sent has come too early, and is held
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

fn allocated(size: usize, window: Option<u32>) -> Vec<u64> {
    let mut launch = Launch::new(size);
    if let Some(window) = window {
        launch = launch.window_messages(window);
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
        let mut outcome = Ok(());
        let measured = WARM_UP..WARM_UP + MEASURED;
        let count = allocations(|| outcome = { measured }.try_for_each(superstep));
        outcome.map(|()| count)
    });
    counts.unwrap()
}

#[test]
fn supersteps_allocate_nothing_once_warm() {
    for size in [2, 4] {
        for window in [None, Some(1)] {
            let counts = allocated(size, window);
            assert!(counts.iter().all(|&count| count == 0), "{size} ranks, {window:?}: {counts:?}");
        }
    }
}
