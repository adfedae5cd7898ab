//! Barrier signals as words in the memory of their receivers: that they are, what that is good for, and that nobody
//! sleeps through one. Where the network cannot write such words, the same programs signal by messages.

use std::hint::black_box;
use std::time::{Duration, Instant};

use runahead::internals::message::{Notify, Patience};
use runahead::{Algorithm, Config, Result, Signals};
use runahead_testkit::effort::bound;

use crate::harness::{Case, Gate, World};

suite!(
    barriers_use_no_message,
    a_barrier_completes_while_its_members_compute,
    the_look_that_finds_it_so_is_no_accident,
    who_sleeps_for_a_word_is_woken,
    groups_have_cells_as_long_as_there_are_places,
    the_fastest_is_found_among_them,
);

on_many_hosts!(
    barriers_use_no_message,
    a_barrier_completes_while_its_members_compute,
    the_look_that_finds_it_so_is_no_accident,
    who_sleeps_for_a_word_is_woken,
    groups_have_cells_as_long_as_there_are_places,
    the_fastest_is_found_among_them,
);

on_two_hosts!(
    barriers_use_no_message,
    a_barrier_completes_while_its_members_compute,
    the_look_that_finds_it_so_is_no_accident,
    who_sleeps_for_a_word_is_woken,
    groups_have_cells_as_long_as_there_are_places,
    the_fastest_is_found_among_them,
);

fn config(case: &Case, size: usize, algorithm: Algorithm) -> Config {
    Config { algorithm, signals: Signals::Words, ..case.config(size) }
}

/// Those whose signals can be words; `pairwise-exchange` is RPE of kini-2003, `dissemination` its RDS.
const ALGORITHMS: [&str; 8] = [
    "all-to-all",
    "butterfly",
    "dissemination",
    "pairwise-exchange",
    "n-way-dissemination:2",
    "n-wise-exchange:2",
    "binary-tree",
    "gather-multicast:2",
];

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4
fn barriers_use_no_message(case: &Case) {
    for (nth, name) in ALGORITHMS.into_iter().enumerate() {
        let algorithm: Algorithm = name.parse().unwrap();
        for size in [2, 3, 4, 5, 8] {
            if !case.has_part(nth + size) {
                continue;
            }
            let config = config(case, size, algorithm);
            case.run_with(&config, size, |world, step| {
                for epoch in 1..=12 {
                    step.to(format!("barrier {epoch} of {name}"));
                    let barrier = world.barrier()?;
                    if epoch % 3 > 0 {
                        barrier.wait()?;
                    }
                }
                world.barrier()?.wait()?;
                let stats = world.stats()?;
                assert_eq!(world.algorithm(), algorithm);
                assert!(stats.signals_sent > 0);
                let written = if case.network.writes_words { stats.signals_sent } else { 0 };
                assert_eq!(stats.signals_written, written);
                Ok(())
            });
        }
    }
}

/// Computes for some time, without a call.
fn compute() {
    let computing = Duration::from_millis(bound([10, 50, 50]));
    let begin = Instant::now();
    let mut number = 1_u64;
    while begin.elapsed() < computing {
        for _ in 0..1000 {
            number = black_box(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
    }
}

/// All call a barrier, rank 0 before the others; then all compute; then all but rank 0 look, once; then rank 0
/// does. Returns for each rank how often it was complete at that look.
fn first_looks(case: &Case, size: usize, algorithm: Algorithm, tries: usize) -> Vec<usize> {
    let (called, looked): (Vec<Gate>, Vec<Gate>) =
        (0..tries).map(|_| (Gate::new(), Gate::new())).unzip();
    let config = config(case, size, algorithm);
    case.run_with(&config, size, |world, step| {
        let mut complete = 0;
        for (called, looked) in called.iter().zip(&looked) {
            step.to("calling");
            if world.rank() > 0 {
                called.wait_computing(1);
            }
            let barrier = world.barrier()?;
            called.arrive();
            called.wait_computing(size);
            step.to("computing");
            compute();
            if world.rank() == 0 {
                looked.wait_computing(size - 1);
            }
            step.to("looking");
            complete += usize::from(barrier.test()?);
            looked.arrive();
            // Nobody calls anything that others could wait for before all have looked.
            looked.wait_computing(size);
            barrier.wait()?;
            world.barrier()?.wait()?;
        }
        Ok(complete)
    })
}

/// Nobody forwards, and no processor of a member has a part in it: what was written when all had called the barrier is
/// found by the first look. Nobody calls the library for 10 ms and more (in the gate 50), twenty times.
/// SEMANTICS: BAR-1, BAR-4
fn a_barrier_completes_while_its_members_compute(case: &Case) {
    const TRIES: usize = 20;
    if !case.network.writes_words {
        return;
    }
    assert_eq!(first_looks(case, 4, Algorithm::AllToAll, TRIES), [TRIES; 4]);
}

/// The same with a rank that has to forward and does not come to it: rank 2 lacks what rank 0 would have to send
/// after it has heard of rank 3. So the look above is one that can fail.
/// SEMANTICS: BAR-2
fn the_look_that_finds_it_so_is_no_accident(case: &Case) {
    if !case.network.writes_words {
        return;
    }
    let complete = first_looks(case, 4, Algorithm::Dissemination, 5);
    assert_eq!(complete[2], 0, "{complete:?}");
}

/// Ranks come one after the other, each after those before it have had time to fall asleep.
/// SEMANTICS: BAR-4, FLOW-3
fn who_sleeps_for_a_word_is_woken(case: &Case) {
    const ROUNDS: usize = 20;
    if !case.network.writes_words {
        return;
    }
    for (nth, name) in ALGORITHMS.into_iter().enumerate() {
        if !case.has_part(nth) {
            continue;
        }
        let size = 3 + nth % 3;
        let config = config(case, size, name.parse().unwrap());
        let turns: Vec<Gate> = (0..ROUNDS).map(|_| Gate::new()).collect();
        let notified = case.run_with(&config, size, |world, step| {
            world.set_notify(Notify::Fixed(Patience { polls: 0, yields: 0 }))?;
            for (round, turn) in turns.iter().enumerate() {
                step.to(format!("round {round} of {name}"));
                // Each is the last now and then.
                let at = (world.rank() + round) % size;
                turn.wait_computing(at);
                if at + 1 == size {
                    std::thread::sleep(Duration::from_millis(2));
                }
                let barrier = world.barrier()?;
                turn.arrive();
                barrier.wait()?;
            }
            Ok(world.stats()?.signals_notified)
        });
        let woken: u64 = notified.iter().sum();
        assert!(woken > 0, "{name}: {notified:?}");
    }
}

/// SEMANTICS: BAR-1, BAR-4, GRP-2, GRP-3
fn groups_have_cells_as_long_as_there_are_places(case: &Case) {
    let places = Config::BOARD_SLOTS - 1;
    let written = |world: &World| -> Result<u64> { Ok(world.stats()?.signals_written) };
    let config = config(case, 3, Algorithm::AllToAll);
    case.run_with(&config, 3, |world, step| {
        for round in 0..3 {
            step.to(format!("round {round}"));
            let all = (0..places + 3).map(|_| world.dup()).collect::<Result<Vec<_>>>()?;
            let before = written(world)?;
            for group in &all {
                group.barrier()?.wait()?;
            }
            let expected = if case.network.writes_words { 2 * places as u64 } else { 0 };
            assert_eq!(written(world)? - before, expected);
            drop(all);
            // All have dropped them now.
            world.barrier()?.wait()?;
        }
        // Groups that share no rank are no burden to each other.
        let halves: Vec<_> = (0..places)
            .map(|_| world.split(u32::from(world.rank() == 2), 0))
            .collect::<Result<_>>()?;
        for half in &halves {
            half.barrier()?.wait()?;
        }
        Ok(())
    });
}

/// Each candidate has cells of its own.
/// SEMANTICS: GRP-2
fn the_fastest_is_found_among_them(case: &Case) {
    let config = config(case, 4, Algorithm::Dissemination);
    case.run_with(&config, 4, |world, step| {
        step.to("measuring");
        let before = world.stats()?.signals_written;
        let measured = world.measure_barriers(Duration::from_millis(20))?;
        assert_eq!(world.stats()?.signals_written > before, case.network.writes_words);
        step.to("using it");
        let chosen = world.dup_with(measured.chosen)?;
        chosen.barrier()?.wait()
    });
}
