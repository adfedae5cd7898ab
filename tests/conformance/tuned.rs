//! Barriers by an algorithm that the ranks find themselves: all find the same, it is a barrier, and
//! what is known costs nothing.

use std::path::Path;
use std::time::Duration;

use runahead::internals::tune::cache::{Cache, Key};
use runahead::internals::tune::candidates::candidates;
use runahead::internals::verbs::Nic;
use runahead::{Algorithm, Config, Source, TuneCache};

use crate::harness::{Case, Gate, SIZES};

/// Measures, for a short time, and remembers nothing outside the world.
fn auto(case: &Case, size: usize) -> Config {
    let mut config = case.config(size);
    config.algorithm = Algorithm::Auto;
    config.tune_budget = Duration::from_micros(1500);
    config.tune_cache = TuneCache::Off;
    config
}

/// Notes in a file what groups of these sizes are to use.
fn plant(case: &Case, path: &Path, known: &[(usize, &str)]) {
    let nics = (case.network.connect)(1, &case.config(1));
    let provider = nics[0].attributes().provider;
    for &(size, algorithm) in known {
        let algorithm = algorithm.parse().expect("a name");
        assert!(Cache::remember(path, Key::here(provider, size), algorithm));
    }
}

/// The candidates, that which is used without a measurement first.
fn all_tried(case: &Case, size: usize) -> Vec<Algorithm> {
    let mut tried = candidates(size, case.network.shares_words);
    if let Some(at) = tried.iter().position(|&it| it == (case.network.default_algorithm)()) {
        tried[..=at].rotate_right(1);
    }
    tried
}

/// SEMANTICS: BAR-4
fn all_ranks_find_the_same(case: &Case) {
    for size in case.sizes(&SIZES) {
        let found = case.run_with(&auto(case, size), size, |world, step| {
            step.to("a split");
            let half = world.split(world.rank() as u32 % 2, -(world.rank() as i64))?;
            step.to("a group");
            let all: Vec<usize> = (0..size).rev().collect();
            let listed = world.group(&all)?;
            step.to("barriers");
            for comm in [world, &half, &listed, &world.dup()?] {
                comm.barrier()?;
                comm.barrier()?.wait()?;
            }
            assert_eq!(listed.algorithm(), world.algorithm());
            Ok([world.algorithm(), half.algorithm()])
        });
        for (rank, &[world, half]) in found.iter().enumerate() {
            assert_eq!([world, half], [found[0][0], found[rank % 2][1]], "rank {rank} of {size}");
            let default = [(case.network.default_algorithm)()];
            let tried = all_tried(case, size);
            let tried = if tried.is_empty() { &default[..] } else { &tried };
            assert!(tried.contains(&world), "{world} at {size}");
        }
    }
}

/// What was found elsewhere is used, whatever it is: the world gets another algorithm than it was
/// made with, at all ranks before any goes on, and the groups theirs.
/// SEMANTICS: ORD-1, BAR-1, BAR-4
fn what_is_known_is_used(case: &Case) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tune.txt");
    let known = [(2, "flat-tree"), (3, "mcs-tree:1"), (5, "all-to-all"), (8, "binary-tree")];
    plant(case, &path, &known);
    for (size, name) in known {
        for first_epoch in [0, (1 << 48) - 3] {
            let mut config = auto(case, size);
            config.tune_cache = TuneCache::File(path.clone());
            config.first_epoch = first_epoch;
            case.run_with(&config, size, |world, step| {
                assert_eq!(world.algorithm().to_string(), name);
                assert_eq!(world.barrier()?.epoch(), first_epoch + 1);
                let half = world.split((world.rank() > size / 2) as u32, 0)?;
                let of_half = known.iter().find(|(known, _)| *known == half.size());
                if let Some((_, name)) = of_half {
                    assert_eq!(half.algorithm().to_string(), *name);
                }
                for comm in [world, &half] {
                    let (rank, size) = (comm.rank(), comm.size());
                    for number in 0..6u64 {
                        step.to(format!("superstep {number}"));
                        comm.send((rank + 1) % size, 1, &[number])?;
                        comm.barrier()?;
                        let message = comm.recv::<u64>(Source::Any, 1)?;
                        assert_eq!(message.data, [number]);
                        comm.send((rank + 1) % size, 1, &[number + 100])?;
                        assert_eq!(comm.recv::<u64>(Source::Any, 1)?.data, [number + 100]);
                    }
                }
                world.barrier()?.wait()
            });
        }
    }
}

/// SEMANTICS: BAR-1, BAR-2
fn nobody_completes_a_barrier_that_was_measured_without_all(case: &Case) {
    for size in [2, 5, 8] {
        for w in [0, size - 1] {
            let looked = Gate::new();
            case.run_with(&auto(case, size), size, |world, step| {
                if world.rank() == w {
                    step.to("withheld");
                    looked.wait_progressing(size - 1, world)?;
                }
                let promise = (world.rank() != w).then(|| looked.promise());
                let barrier = world.barrier()?;
                if world.rank() != w {
                    for _ in 0..20 {
                        assert!(!barrier.test()?, "complete without rank {w}");
                    }
                }
                drop(promise);
                step.to("waiting");
                barrier.wait()
            });
        }
    }
}

/// The default algorithm, without a message or a signal, and without a look at the file.
fn a_budget_of_nothing_costs_nothing(case: &Case) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tune.txt");
    plant(case, &path, &[(4, "all-to-all"), (2, "all-to-all")]);
    let config =
        Config { tune_budget: Duration::ZERO, tune_cache: TuneCache::File(path), ..auto(case, 4) };
    case.run_with(&config, 4, |world, _| {
        let stats = world.stats()?;
        assert_eq!((stats.messages_sent, stats.signals_sent), (0, 0));
        assert_eq!(world.algorithm(), (case.network.default_algorithm)());
        let half = world.split(world.rank() as u32 % 2, 0)?;
        assert_eq!(half.algorithm(), (case.network.default_algorithm)());
        assert_eq!(world.stats()?.signals_sent, 0);
        half.barrier()?.wait()
    });
}

/// How many messages each rank receives while groups are made of sizes that the world, or some of its
/// ranks, have seen; and the algorithms of those groups.
fn cost(case: &Case, config: &Config) -> Vec<(u64, [Algorithm; 4])> {
    let counted = Gate::new();
    case.run_with(config, 4, |world, step| {
        let rank = world.rank();
        // Ranks 0 and 1 see what a group of two uses; the others do not.
        if rank < 2 {
            step.to("the first group of two");
            world.group(&[0, 1])?.barrier()?.wait()?;
        }
        step.to("counting");
        // What was sent so far has been received; and nobody goes on before all have counted.
        let before = world.stats()?.messages_received;
        counted.arrive();
        counted.wait_progressing(4, world)?;
        let mut found = [Algorithm::default(); 4];
        step.to("the world again");
        found[0] = world.dup()?.algorithm();
        step.to("groups that share a rank with the first");
        if rank == 1 || rank == 3 {
            found[1] = world.group(&[3, 1])?.algorithm();
        }
        step.to("a split of all");
        let half = world.split(rank as u32 / 2, 0)?;
        found[2] = half.algorithm();
        step.to("a child of a child");
        let same = half.dup()?;
        found[3] = same.algorithm();
        same.barrier()?.wait()?;
        Ok((world.stats()?.messages_received - before, found))
    })
}

fn what_was_seen_costs_nothing(case: &Case) {
    let fixed = Config { algorithm: Algorithm::default(), ..auto(case, 4) };
    let fixed = cost(case, &fixed);
    let tuned = cost(case, &auto(case, 4));
    for (rank, ((fixed, _), (tuned, _))) in fixed.iter().zip(&tuned).enumerate() {
        assert!(*fixed > 0);
        assert_eq!(fixed, tuned, "rank {rank}");
    }
    // Those that had not seen it were told by the others.
    let found: Vec<_> = tuned.iter().map(|(_, found)| found).collect();
    assert!(found.iter().all(|of| of[0] == found[0][0]));
    assert_eq!(found[1][1], found[3][1]);
    assert!(found.iter().all(|of| of[2] == found[1][1] && of[3] == found[1][1]));
}

/// A child inherits the choice, not what came of it; and a group may be made with another.
fn children_inherit_the_wish(case: &Case) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tune.txt");
    plant(case, &path, &[(4, "all-to-all"), (2, "flat-tree")]);
    let tuned = Config { tune_cache: TuneCache::File(path), ..auto(case, 4) };
    case.run_with(&tuned, 4, |world, _| {
        let half = world.split(world.rank() as u32 / 2, 0)?;
        assert_eq!(
            [world.algorithm(), half.algorithm()],
            [Algorithm::AllToAll, Algorithm::FlatTree]
        );
        let fixed = world.dup_with(Algorithm::Butterfly)?;
        let half = fixed.split(fixed.rank() as u32 / 2, 0)?;
        assert_eq!(half.algorithm(), Algorithm::Butterfly);
        let back = half.dup_with(Algorithm::Auto)?;
        assert_eq!(back.algorithm(), Algorithm::FlatTree);
        back.barrier()?.wait()
    });
}

/// Everyone gets the same table, of all candidates alike.
fn a_measurement_tells_all_the_same(case: &Case) {
    for size in [1, 2, 5] {
        let measured = case.run(size, |world, step| {
            world.barrier()?; // open while the measurement begins
            step.to("measuring");
            let measured = world.measure_barriers(Duration::from_millis(2))?;
            step.to("waiting");
            world.barrier()?.wait()?;
            Ok(measured)
        });
        assert!(measured.iter().all(|of| *of == measured[0]), "{measured:?}");
        let tried: Vec<_> = measured[0].rows.iter().map(|row| row.algorithm).collect();
        assert_eq!(tried, all_tried(case, size));
        assert!(measured[0].rows.windows(2).all(|rows| rows[0].rounds == rows[1].rounds));
    }
}

suite!(
    all_ranks_find_the_same,
    what_is_known_is_used,
    nobody_completes_a_barrier_that_was_measured_without_all,
    a_budget_of_nothing_costs_nothing,
    what_was_seen_costs_nothing,
    children_inherit_the_wish,
    a_measurement_tells_all_the_same,
);
