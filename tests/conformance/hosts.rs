//! Ranks on many hosts, which tell each other what all of theirs have entered: that they do so, in groups on more than two
//! hosts and in no others, and that it needs no member in particular.

use runahead::{Algorithm, Result};

use crate::harness::{Case, Gate};

/// Who has told other hosts something in so many barriers of all, by what each rank says of itself.
fn tellings(case: &Case, size: usize, barriers: u32) -> Vec<u64> {
    case.run(size, |world, step| {
        step.to("barriers");
        assert_eq!(world.algorithm(), Algorithm::Board);
        (0..barriers).try_for_each(|_| world.barrier()?.wait())?;
        let stats = world.stats()?;
        assert_eq!((stats.signals_sent, stats.publications), (0, barriers.into()));
        Ok(stats.relays)
    })
}

/// In a spread world somebody of each host tells; in one on two hosts nobody does. (Planted: a world that takes its groups
/// for not spread.)
/// SEMANTICS: BAR-1, BAR-4
fn hosts_tell_each_other_where_they_are_many(case: &Case) {
    const BARRIERS: u32 = 30;
    assert_eq!([1, 2, 3, 4].map(case.network.relays), [false, false, true, true]);
    for size in [2, 3, 5, 8, 13] {
        let told = tellings(case, size, BARRIERS);
        if !(case.network.relays)(size) {
            assert_eq!(told, vec![0; size]);
            continue;
        }
        // One who is alone on its host tells each epoch itself, at least in one round.
        let is_alone =
            |rank: usize| (0..size).all(|it| it == rank || !(case.network.sees)(size, rank, it));
        for rank in (0..size).filter(|&rank| is_alone(rank)) {
            assert!(told[rank] >= u64::from(BARRIERS), "rank {rank} of {size}: {told:?}");
        }
        assert!((0..size).any(is_alone), "{size}");
    }
}

/// A group of ranks on two hosts tells these alone, beside a world on many; groups of each kind follow one another.
/// SEMANTICS: BAR-1, GRP-2, GRP-3
fn small_groups_are_not_spread(case: &Case) {
    const SIZE: usize = 13;
    case.run(SIZE, |world, step| {
        for round in 0..20 {
            step.to(format!("round {round}"));
            // Hosts 0 and 1.
            let few = [0, 1, 4, 7, 12];
            let before = world.stats()?.relays;
            if few.contains(&world.rank()) {
                let group = world.group(&few)?;
                (0..5).try_for_each(|_| group.barrier()?.wait())?;
                assert_eq!(group.algorithm(), Algorithm::Board);
            }
            assert_eq!(world.stats()?.relays, before);
            let all = world.dup()?;
            (0..5).try_for_each(|_| all.barrier()?.wait())?;
            assert_eq!(all.algorithm(), Algorithm::Board);
        }
        Ok(())
    });
}

/// A barrier of all completes while one of each host that has several computes, whichever it is, if the others call the
/// runtime. (Planted: only the first member of a host tells what it has reached.)
/// SEMANTICS: BAR-4
fn it_needs_no_member_in_particular(case: &Case) {
    const SIZE: usize = 13;
    // The hosts with several ranks, as `many_hosts` has them.
    for computing in [[0, 1, 2, 3], [7, 4, 6, 8], [12, 9, 6, 3]] {
        let (entered, done) = (Gate::new(), Gate::new());
        case.run(SIZE, |world, step| -> Result<()> {
            // All know the group before.
            world.barrier()?.wait()?;
            if computing.contains(&world.rank()) {
                let barrier = world.barrier()?;
                entered.arrive();
                step.to("computing");
                done.wait_computing(SIZE - computing.len());
                return barrier.wait();
            }
            entered.wait_computing(computing.len());
            step.to("the barrier");
            let waited = world.barrier().and_then(|barrier| barrier.wait());
            done.arrive();
            waited
        });
    }
}

on_many_hosts!(hosts_tell_each_other_where_they_are_many, small_groups_are_not_spread);

// Not where the network is slow: its words are brought by calls of their writer alone.
suite!(@ mixed_many_computing, Many, 11, it_needs_no_member_in_particular; quick, quick);
