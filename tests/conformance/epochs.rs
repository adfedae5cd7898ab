//! Counters of every width wrap around in the middle of a program.

use runahead::Source;

use crate::harness::Case;

/// A ring with barriers, some of them many at once, across each boundary.
/// SEMANTICS: CLK-3, BAR-4
fn counters_wrap_around(case: &Case) {
    for boundary in [1u64 << 16, 1 << 24, 1 << 31, 1 << 32, 1 << 47, 1 << 48, 1 << 49, 1 << 63] {
        for size in [1, 2, 3, 5, 8] {
            let mut config = case.config(size);
            config.first_epoch = boundary - 6;
            case.run_with(&config, size, |world, step| {
                let next = (world.rank() + 1) % size;
                let previous = (world.rank() + size - 1) % size;
                for number in 0..8u64 {
                    step.to(format!("superstep {number} near {boundary}"));
                    world.send(next, 1, &[number])?;
                    let first = world.barrier()?;
                    assert_eq!(first.epoch(), boundary - 6 + 2 * number + 1);
                    let message = world.recv::<u64>(Source::Any, 1)?;
                    assert_eq!((message.source, message.data), (previous, vec![number]));
                    let second = world.barrier()?;
                    if number % 3 == 2 {
                        second.wait()?;
                        assert!(first.test()?);
                    }
                }
                world.barrier()?.wait()
            });
        }
    }
}

suite!(counters_wrap_around);

on_many_hosts!(counters_wrap_around);

in_calls!(counters_wrap_around);
