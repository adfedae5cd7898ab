//! Each rank in turn is kept out of the barrier: nobody completes. It is let in: everybody does.
//! And what a program can do with many open barriers.

use runahead::Algorithm;

use crate::harness::{Case, Gate, SIZES};

/// SEMANTICS: BAR-1, BAR-2, BAR-4
pub fn nobody_completes_without_the_withheld_rank(case: &Case) {
    let mut parts = 0..;
    for algorithm in Algorithm::ALL {
        for size in case.sizes(&SIZES) {
            let mut config = case.config(size);
            config.algorithm = algorithm;
            let withheld = if size > 8 { vec![0, 4, size - 1] } else { (0..size).collect() };
            for w in withheld {
                let part = parts.next().unwrap();
                if !(case.has_part_in_guest(part) && case.has_half(part)) {
                    continue;
                }
                let looked = Gate::new();
                case.run_with(&config, size, |world, step| {
                    if world.rank() == w {
                        step.to("withheld");
                        if (w + size) % 2 == 0 {
                            looked.wait_computing(size - 1);
                        } else {
                            looked.wait_progressing(size - 1, world)?;
                        }
                    }
                    let promise = (world.rank() != w).then(|| looked.promise());
                    let barrier = world.barrier()?;
                    if world.rank() != w {
                        for _ in 0..20 {
                            assert!(!barrier.test()?, "{algorithm}: complete without rank {w}");
                        }
                    }
                    drop(promise);
                    step.to("waiting");
                    barrier.wait()
                });
            }
        }
    }
}

/// As many barriers may be open as the configuration says; then `try_barrier` gives none. Waiting
/// for one waits for those before it, and those after it go on.
/// SEMANTICS: BAR-5, BAR-6, BAR-8
fn barriers_stay_open_up_to_the_limit(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 1) {
        for limit in [1, 5] {
            let mut config = case.config(size);
            config.open_barriers = limit;
            let full = Gate::new();
            case.run_with(&config, size, |world, step| {
                if world.rank() == size - 1 {
                    full.wait_computing(size - 1);
                    for epoch in 1..=limit as u64 {
                        assert_eq!(world.barrier()?.epoch(), epoch);
                    }
                    return Ok(());
                }
                let mut open = Vec::new();
                for epoch in 1..=limit as u64 {
                    let barrier = world.try_barrier()?.expect("fewer are open than may be");
                    assert_eq!(barrier.epoch(), epoch);
                    open.push(barrier);
                }
                for _ in 0..20 {
                    assert!(world.try_barrier()?.is_none());
                    assert!(!open[0].test()?);
                }
                full.arrive();
                step.to("waiting for one in the middle");
                let middle = limit / 2;
                let later = open.split_off(middle + 1);
                open.pop().unwrap().wait()?;
                for earlier in &open {
                    assert!(earlier.test()?, "a wait covers those before");
                }
                step.to("waiting for the others");
                for barrier in later.into_iter().rev() {
                    barrier.wait()?;
                }
                for barrier in open {
                    barrier.wait()?;
                }
                Ok(())
            });
        }
    }
}

/// At the limit `barrier()` waits for the oldest and goes on.
/// SEMANTICS: BAR-6, FLOW-3
fn at_the_limit_barriers_wait_for_one_another(case: &Case) {
    for size in case.sizes(&SIZES) {
        for limit in [1, 2, 7] {
            let mut config = case.config(size);
            config.open_barriers = limit;
            let barriers = if size > 8 { 15 } else { 40 };
            case.run_with(&config, size, |world, step| {
                for epoch in 1..=barriers {
                    step.to(format!("barrier {epoch}"));
                    assert_eq!(world.barrier()?.epoch(), epoch);
                }
                let last = world.barrier()?;
                last.wait()
            });
        }
    }
}

suite!(
    nobody_completes_without_the_withheld_rank,
    barriers_stay_open_up_to_the_limit,
    at_the_limit_barriers_wait_for_one_another,
);

on_many_hosts!(
    nobody_completes_without_the_withheld_rank,
    barriers_stay_open_up_to_the_limit,
    at_the_limit_barriers_wait_for_one_another,
);
