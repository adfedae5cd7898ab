//! Every way of waiting brings a program to the same end, also where the ranks wait in different ways.

use runahead::Source;
use runahead::message::{Notify, Patience};

use crate::harness::{Case, Provider};

/// All ways of waiting.
pub fn ways() -> impl Iterator<Item = Notify> {
    let fixed = [Patience { polls: 0, yields: 0 }, Patience { polls: 20, yields: 4 }];
    fixed.map(Notify::Fixed).into_iter().chain(Notify::NAMED.map(|(_, notify)| notify))
}

suite!(a_program_runs_alike_in_every_way_of_waiting, ranks_may_wait_in_different_ways);

/// Messages around a ring, from anybody, and barriers with and without a wait.
fn program<P: Provider>(case: &Case<P>, size: usize, notify_of: impl Fn(usize) -> Notify + Sync) {
    case.run(size, |world, step| {
        world.set_notify(notify_of(world.rank()))?;
        let (rank, size) = (world.rank(), world.size());
        for round in 0..6u64 {
            step.to("sending around the ring");
            world.send((rank + 1) % size, 1, &[round])?;
            world.barrier()?;
            world.isend(0, 2, &[round, rank as u64])?;
            assert_eq!(world.recv::<u64>((rank + size - 1) % size, 1)?.data, [round]);
            step.to("waiting for a barrier");
            world.barrier()?.wait()?;
            if rank == 0 {
                step.to("receiving from anybody");
                let mut from: Vec<u64> = Vec::new();
                for _ in 0..size {
                    let message = world.recv::<u64>(Source::Any, 2)?;
                    assert_eq!(message.data[0], round);
                    from.push(message.data[1]);
                }
                from.sort_unstable();
                assert!(from.into_iter().eq(0..size as u64));
            }
        }
        Ok(())
    });
}

/// SEMANTICS: FLOW-3
fn a_program_runs_alike_in_every_way_of_waiting<P: Provider>(case: &Case<P>) {
    for notify in ways() {
        for size in [2, 3, 5] {
            program(case, size, |_| notify);
        }
    }
}

/// SEMANTICS: FLOW-3
fn ranks_may_wait_in_different_ways<P: Provider>(case: &Case<P>) {
    let ways: Vec<Notify> = ways().collect();
    for shift in 0..ways.len() {
        program(case, 4, |rank| ways[(rank * 2 + shift) % ways.len()]);
    }
}
