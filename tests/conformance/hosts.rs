//! Ranks on several hosts, which tell each other what all of theirs have entered: that one of a host does so, in groups on
//! several hosts and in no others, and that a barrier completes while all compute.

use std::time::Duration;

use runahead::{Algorithm, Result};

use crate::harness::{Case, Gate};

/// How often each rank has told other hosts something in so many barriers of all.
fn tellings(case: &Case, size: usize, barriers: u32) -> Vec<u64> {
    case.run(size, |world, step| {
        step.to("barriers");
        assert_eq!(world.algorithm(), Algorithm::Board);
        (0..barriers).try_for_each(|_| world.barrier()?.wait())?;
        let stats = world.stats()?;
        assert_eq!((stats.signals_sent, stats.publications), (0, barriers.into()));
        Ok(stats.hosts_told)
    })
}

/// Somebody of each host tells each epoch. (Planted: a last member that tells nobody.)
/// SEMANTICS: BAR-1, BAR-4
fn one_of_a_host_tells_the_others(case: &Case) {
    const BARRIERS: u32 = 30;
    for size in [2, 3, 5, 8, 13] {
        let told = tellings(case, size, BARRIERS);
        for rank in 0..size {
            let mates = (0..size).filter(|&other| (case.network.sees)(size, rank, other));
            let by_host: u64 = mates.map(|mate| told[mate]).sum();
            assert!(by_host >= u64::from(BARRIERS), "rank {rank} of {size}: {told:?}");
            // Nor does one that is alone on its host say anything twice.
            let most = if case.has_mate(size, rank) { u64::MAX } else { BARRIERS.into() };
            assert!(told[rank] <= most, "rank {rank} of {size}: {told:?}");
        }
    }
}

/// A group of ranks on one host tells no other, beside a world on many; groups of each kind follow one another.
/// SEMANTICS: BAR-1, GRP-2, GRP-3
fn groups_on_one_host_tell_nobody(case: &Case) {
    const SIZE: usize = 13;
    case.run(SIZE, |world, step| {
        for round in 0..20 {
            step.to(format!("round {round}"));
            // Host 0.
            let few = [0, 7, 12];
            let before = world.stats()?.hosts_told;
            if few.contains(&world.rank()) {
                let group = world.group(&few)?;
                (0..5).try_for_each(|_| group.barrier()?.wait())?;
                assert_eq!(group.algorithm(), Algorithm::Board);
            }
            assert_eq!(world.stats()?.hosts_told, before);
            let all = world.dup()?;
            (0..5).try_for_each(|_| all.barrier()?.wait())?;
            assert_eq!(all.algorithm(), Algorithm::Board);
        }
        Ok(())
    });
}

/// A barrier over hosts completes while all compute: the last member of each host to enter tells all other hosts inside that
/// call. The first look of each rank after that finds the barrier complete, though no other rank has called anything.
/// (Planted: a rank that looks for its host before it publishes what it has entered itself; one that tells when it looks
/// next.)
/// SEMANTICS: BAR-4
fn it_completes_while_all_compute(case: &Case) {
    const SIZE: usize = 13;
    for round in 0..20 {
        let (entered, looked) = (Gate::new(), Gate::new());
        case.run(SIZE, |world, step| -> Result<()> {
            step.to(format!("round {round}"));
            // All know the group before.
            world.barrier()?.wait()?;
            let barrier = world.barrier()?;
            entered.arrive();
            entered.wait_computing(SIZE);
            // One after the other, so that none helps another.
            looked.wait_computing(world.rank());
            assert!(barrier.test()?, "rank {} needs calls of others", world.rank());
            looked.arrive();
            barrier.wait()
        });
    }
}

/// A rank that ends stays until what it has told other hosts has come there. (Planted: one that leaves at once; one that is
/// content when nothing is under way any more.)
/// SEMANTICS: BAR-4, END-1
fn what_a_rank_has_told_outlives_it(case: &Case) {
    for size in [2, 3, 5, 13] {
        for round in 0..10 {
            case.run(size, |world, step| {
                step.to(format!("round {round}"));
                // Others leave as soon as they can.
                if world.rank() == round % size {
                    std::thread::sleep(Duration::from_millis(2));
                }
                world.barrier()?.wait()
            });
        }
    }
}

/// More hosts than tell each other directly: the barriers complete while members call the runtime.
/// SEMANTICS: BAR-1, BAR-4
fn many_more_hosts_tell_each_other_in_rounds(case: &Case) {
    const SIZE: usize = 67;
    let told = tellings(case, SIZE, 5);
    // Each tells in two rounds.
    assert!(told.iter().all(|&told| told >= 10), "{told:?}");
}

on_many_hosts!(
    one_of_a_host_tells_the_others,
    groups_on_one_host_tell_nobody,
    what_a_rank_has_told_outlives_it,
);

// Not where the network is slow: its words are brought by calls of their writer alone.
suite!(@ mixed_many_computing, Many, 11, it_completes_while_all_compute; quick, quick);

suite!(@ mixed_apart, Apart, 13, many_more_hosts_tell_each_other_in_rounds; quick, matrix);
