//! Two ranks call the barriers of two groups that they share in opposite orders: who is told, and what
//! is not noticed. Under blocking barriers they would wait for each other for ever.

use std::time::Duration;

use runahead::{Algorithm, Config, Error, MessageError, Result};

use crate::harness::{Case, Gate, World};

/// Whether it goes unnoticed: only the board does not say how many barriers a rank has called before.
fn is_silent(case: &Case, algorithm: Algorithm) -> bool {
    algorithm == Algorithm::Board && case.network.shares_words
}

/// What became of it: on the board all went well, and otherwise one of the two was named, with the
/// group and the epoch.
fn judge(case: &Case, algorithm: Algorithm, outcome: Result<Vec<()>>) {
    let told = outcome.map_err(|error| error.to_string());
    if is_silent(case, algorithm) {
        assert_eq!(told, Ok(vec![(), ()]), "{algorithm}");
        return;
    }
    let told = told.expect_err("it must be noticed");
    let names = ["rank 0 called barrier 1 of", "rank 1 called barrier 1 of"];
    let all = names.iter().any(|name| told.contains(name)) && told.contains("different orders");
    assert!(all, "{algorithm}: {told}");
}

/// The world and another group of all, in the order in which this rank calls their barriers.
fn in_order<'c>(world: &'c World, other: &'c World) -> (&'c World, &'c World) {
    if world.rank() == 0 { (world, other) } else { (other, world) }
}

/// They still hear each other.
fn exchange(world: &World) -> Result<()> {
    let other = 1 - world.rank();
    world.send(other, 1, &[world.rank()])?;
    assert_eq!(world.recv::<usize>(other, 1)?.data, [other]);
    Ok(())
}

/// Neither waits between its two calls. By signals it is noticed; on the board the program runs on.
/// SEMANTICS: BAR-7
fn a_swap_is_noticed_by_signals(case: &Case) {
    for algorithm in Algorithm::ALL {
        let config = Config { algorithm, ..case.config(2) };
        let outcome = case.ending_outcome(&config, 2, |world, step| {
            let other = world.dup_with(algorithm)?;
            let (first, second) = in_order(world, &other);
            step.to(format!("two barriers by {algorithm}"));
            let barriers = [first.barrier()?, second.barrier()?];
            for barrier in barriers {
                barrier.wait()?;
            }
            exchange(world)
        });
        judge(case, algorithm, outcome);
    }
}

/// Each waits for the first of its barriers: to both the other looks like a rank that has not entered,
/// whatever the algorithm, until it calls the second all the same.
/// SEMANTICS: BAR-7, BAR-9
fn a_swap_looks_like_a_missing_call(case: &Case) {
    for algorithm in Algorithm::ALL {
        let config = Config { algorithm, ..case.config(2) };
        let seen = Gate::new();
        let outcome = case.ending_outcome(&config, 2, |world, step| {
            let other = world.dup_with(algorithm)?;
            let (first, second) = in_order(world, &other);
            let missing = [1 - world.rank()];
            let barrier = first.barrier()?;
            step.to(format!("waiting for the first by {algorithm}"));
            loop {
                match barrier.wait_timeout(Duration::from_millis(2)) {
                    Err(Error::Message(MessageError::BarrierTimeout { not_entered, .. })) => {
                        if not_entered == missing {
                            break;
                        }
                    }
                    Ok(()) => panic!("complete without the other"),
                    Err(error) => return Err(error),
                }
            }
            seen.arrive();
            seen.wait_progressing(2, world)?;
            step.to("the second");
            second.barrier()?.wait()?;
            barrier.wait()?;
            exchange(world)
        });
        judge(case, algorithm, outcome);
    }
}

suite!(a_swap_is_noticed_by_signals, a_swap_looks_like_a_missing_call);

on_many_hosts!(a_swap_is_noticed_by_signals, a_swap_looks_like_a_missing_call);
