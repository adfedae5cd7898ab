//! Data of collectives that are too long for a slot: each rank of a host writes them once where all that need them read them.
//! Where ranks share no memory the same programs go by messages.

use runahead::{CollectiveError, Error};

use crate::deposits::{ROOT, add, deposits};
use crate::harness::{Case, Gate, World};

/// So many elements of 8 bytes: just above a slot, about the eager limit, above it, and so many that ranks share the work.
const COUNTS: [usize; 5] = [140, 1020, 1024, 2500, 9000];

/// What a rank gives in a round: something else in each place.
fn given(rank: usize, round: usize, count: usize) -> Vec<u64> {
    (0..count).map(|at| (rank * 1_000_003 + round * 101 + at) as u64).collect()
}

/// The sum of what these ranks give.
fn sum_of(ranks: std::ops::Range<usize>, round: usize, count: usize) -> Vec<u64> {
    let mut sum = vec![0; count];
    for rank in ranks {
        sum.iter_mut().zip(given(rank, round, count)).for_each(|(sum, it)| *sum += it);
    }
    sum
}

fn one_round(world: &World, round: usize, count: usize) -> runahead::Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let mine = given(rank, round, count);
    let mut data = if rank == ROOT { given(ROOT, round, count) } else { vec![0; count] };
    world.broadcast(ROOT, &mut data)?;
    assert!(data == given(ROOT, round, count), "broadcast");
    assert!(world.all_reduce(&mine, add)? == sum_of(0..size, round, count), "all_reduce");
    assert!(world.scan(&mine, add)? == sum_of(0..rank + 1, round, count), "scan");
    let lower = world.exclusive_scan(&mine, add)?;
    assert!(lower == (rank > 0).then(|| sum_of(0..rank, round, count)), "exclusive_scan");
    // Of different lengths, also none.
    let len = |rank: usize| count * (rank % 3) / 2;
    let parts = world.all_gather(&mine[..len(rank)])?;
    assert!((0..size).all(|from| parts[from] == given(from, round, count)[..len(from)]));
    let mut all = vec![0; size * count];
    world.all_gather_into(&mine, &mut all)?;
    let blocks = || all.chunks(count).enumerate();
    assert!(blocks().all(|(from, block)| block == given(from, round, count)), "all_gather");
    // Each has a block for each, also of a length that is no multiple of a line.
    let to_each: Vec<u64> = (0..size).flat_map(|to| given(rank + to, round, count)).collect();
    let from_each = world.all_to_all(&to_each)?;
    let mut blocks = from_each.chunks(count).enumerate();
    assert!(blocks.all(|(from, block)| block == given(from + rank, round, count)), "all_to_all");
    let share = world.reduce_scatter(&to_each, add)?;
    assert!(share == sum_of(rank..rank + size, round, count), "reduce_scatter");
    let byte = |from: usize, to: usize, at: usize| (7 * at + 3 * from + to) as u8;
    let bytes: Vec<u8> =
        (0..size).flat_map(|to| (0..1201).map(move |at| byte(rank, to, at))).collect();
    let expected = (0..size).flat_map(|from| (0..1201).map(move |at| byte(from, rank, at)));
    assert!(world.all_to_all(&bytes)?.into_iter().eq(expected), "all_to_all of bytes");
    Ok(())
}

/// Each rank gets what it must, of any length, and no message is sent for it. (Planted: a part of the wrong reader; an area
/// that is written again at once; a reader that has finished before it reads.)
/// SEMANTICS: COL-3, COL-9, COL-11
fn long_data_are_written_once(case: &Case) {
    for size in case.sizes(&[2, 3, 5, 17]).filter(|&size| size < 17 || case.network.shares_words) {
        case.run(size, |world, step| {
            world.barrier()?.wait()?;
            for (round, &count) in COUNTS.iter().enumerate() {
                step.to(format!("{count} elements"));
                one_round(world, round, count)?;
                // What is longer may go otherwise.
                let has_areas = deposits(case, size) && world.copies_payloads();
                if has_areas && 8 * count < 48 << 10 {
                    assert_eq!(world.stats()?.messages_sent, 0, "{count} elements");
                }
            }
            Ok(())
        });
    }
}

/// Where memory for that is short, or there is none, messages go instead.
/// SEMANTICS: COL-3, COL-9
fn where_no_area_has_room_messages_go(case: &Case) {
    for heap_bytes in [0, 64 << 10, 256 << 10] {
        let mut config = case.config(3);
        config.heap_bytes = heap_bytes;
        case.run_with(&config, 3, |world, step| {
            for round in 0..4 {
                step.to(format!("a heap of {heap_bytes}, round {round}"));
                one_round(world, round, COUNTS[1 + round])?;
            }
            Ok(())
        });
    }
}

/// A root that is ahead writes into as many areas as it may have, and then sends messages. Those that come later find all as it
/// was. (Planted: an area is closed though not all have finished the call.)
/// SEMANTICS: COL-2, COL-5, COL-9
fn what_lies_in_an_area_stays_until_it_was_read(case: &Case) {
    const CALLS: usize = 18;
    for size in case.sizes(&[3, 5]).filter(|&size| deposits(case, size)) {
        let ahead = Gate::new();
        case.run(size, |world, step| {
            if !world.copies_payloads() {
                return Ok(());
            }
            world.barrier()?.wait()?;
            let is_root = world.rank() == ROOT;
            if !is_root {
                step.to("the root is ahead");
                ahead.wait_computing(1);
            }
            for call in 0..CALLS {
                let mut data = if is_root { given(ROOT, call, 2500) } else { vec![0; 2500] };
                world.broadcast(ROOT, &mut data)?;
                assert!(data == given(ROOT, call, 2500), "call {call}");
            }
            if is_root {
                assert_eq!(world.stats()?.deposits, 16);
                ahead.arrive();
            }
            Ok(())
        });
    }
}

/// What ranks have given each other, and the rooms behind, makes place for what they give next. (Planted: a room that stays its
/// owner's; a rank that does not say that it has finished.)
/// SEMANTICS: COL-9, COL-11
fn what_was_given_makes_place_for_the_next(case: &Case) {
    for size in case.sizes(&[3, 5]) {
        case.run(size, |world, step| {
            world.barrier()?.wait()?;
            for round in 0..40 {
                step.to(format!("round {round}"));
                let mine = given(world.rank(), round, 2500);
                assert!(world.all_reduce(&mine, add)? == sum_of(0..size, round, 2500));
            }
            if deposits(case, size) && world.copies_payloads() {
                // Without, 16 areas are all that there are.
                assert!(world.stats()?.deposits > 30);
            }
            Ok(())
        });
    }
}

/// A group is dropped as soon as its root has given its data. They are read all the same, and their memory is used for those of
/// the next groups. (Planted: what a rank knows of a group that it drops is forgotten; a rank that drops a group does
/// not say that it reads nothing more.)
/// SEMANTICS: COL-9, GRP-1, GRP-3
fn a_dropped_group_leaves_its_areas_for_the_next(case: &Case) {
    let (size, count) = (3, 10_000);
    if !deposits(case, size) {
        return;
    }
    let mut config = case.config(size);
    // There is room for one such area at a time.
    config.heap_bytes = 1 << 20;
    case.run_with(&config, size, |world, step| {
        if !world.copies_payloads() {
            return Ok(());
        }
        for round in 0..40 {
            step.to(format!("group {round}"));
            let group = world.split(0, world.rank() as i64)?;
            // All have made it: else the root would send messages.
            group.barrier()?.wait()?;
            let before = world.stats()?.deposits;
            let is_root = world.rank() == ROOT;
            // Every other time not all read.
            if is_root || round % 2 == 0 || world.rank() == 0 {
                let mut data = if is_root { given(ROOT, round, count) } else { vec![0; count] };
                group.broadcast(ROOT, &mut data)?;
                assert!(data == given(ROOT, round, count), "group {round}");
            }
            if is_root {
                assert_eq!(world.stats()?.deposits, before + 1, "group {round}");
            }
        }
        world.barrier()?.wait()
    });
}

/// What a rank has written stays when it has ended.
/// SEMANTICS: END-2, COL-9
fn a_rank_that_has_ended_leaves_what_it_has_written(case: &Case) {
    for size in case.sizes(&[2, 3]).filter(|&size| deposits(case, size)) {
        let given_up = Gate::new();
        case.run(size, |world, step| {
            let is_root = world.rank() == ROOT;
            if !is_root {
                step.to("the root is done");
                given_up.wait_computing(1);
            }
            let mut data = if is_root { given(ROOT, 1, 2500) } else { vec![0; 2500] };
            world.broadcast(ROOT, &mut data)?;
            assert!(data == given(ROOT, 1, 2500));
            if is_root {
                given_up.arrive();
            }
            Ok(())
        });
    }
}

/// Ranks that disagree about a length above a slot's are told so, whichever way the data come.
/// SEMANTICS: COL-4
fn another_length_is_told(case: &Case) {
    for (mine, roots) in [(1025, 1024), (9000, 1024), (140, 9000)] {
        let outcome = case.outcome(&case.config(3), 3, |world, _| {
            let count = if world.rank() == ROOT { roots } else { mine };
            let told = world.broadcast(ROOT, &mut vec![1u64; count]);
            match (world.rank(), told) {
                (ROOT, _) => Ok(()),
                (_, Err(Error::Collective(CollectiveError::Mismatch { from: ROOT, .. }))) => Ok(()),
                (rank, other) => panic!("rank {rank}: {other:?}"),
            }
        });
        outcome.unwrap();
    }
}

suite_and_exposed!(
    long_data_are_written_once,
    where_no_area_has_room_messages_go,
    what_lies_in_an_area_stays_until_it_was_read,
    what_was_given_makes_place_for_the_next,
    a_dropped_group_leaves_its_areas_for_the_next,
    a_rank_that_has_ended_leaves_what_it_has_written,
    another_length_is_told,
);
