//! Every barrier algorithm under whole programs: what is sent before a barrier is not seen before it.

use runahead::internals::order::schedule::names;
use runahead::{Algorithm, Launch, Source};

/// In each superstep everyone sends to one rank, in turn, and that rank takes what it was sent.
fn rounds(algorithm: Algorithm, size: usize) {
    let sums = Launch::new(size).algorithm(algorithm).window_messages(4).collect(|world| {
        let mut sum = 0;
        for superstep in 0..40u64 {
            let to = superstep as usize % size;
            world.send(to, 1, &[superstep])?;
            world.barrier()?;
            if world.rank() == to {
                for _ in 0..size {
                    let message = world.recv::<u64>(Source::Any, 1)?;
                    assert_eq!(message.data, [superstep], "{algorithm} at {size}");
                    sum += message.data[0];
                }
            }
        }
        world.barrier()?.wait()?;
        Ok(sum)
    });
    let total: u64 = sums.expect("no rank fails").into_iter().sum();
    assert_eq!(total, size as u64 * (0..40).sum::<u64>(), "{algorithm} at {size}");
}

/// SEMANTICS: BAR-1, BAR-4
#[test]
fn supersteps_stay_apart_under_every_algorithm() {
    for name in names::ALL {
        for size in [1, 2, 3, 5, 8] {
            rounds(name.default_algorithm(), size);
        }
    }
    for text in ["n-way-dissemination:3", "n-wise-exchange:1", "mcs-tree:1", "tournament"] {
        rounds(text.parse().expect("a name and a parameter"), 7);
    }
}
