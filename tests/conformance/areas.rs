//! Data of collectives that are too long for a slot: each rank of a host writes them once where all that need them read them.
//! Where ranks share no memory the same programs go by messages.

use std::cell::Cell;
use std::time::Duration;

use runahead::internals::collective::{Combining, Kind};
use runahead::internals::message::Notify;
use runahead::{CollectiveError, Error, Tree};

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

/// A root that is ahead writes into as many areas as it may have, and as an eighth of its heap has room for, and then sends
/// messages. Those that come later find all as it was. (Planted: an area is closed though not all have finished the call; areas
/// have all of the heap.)
/// SEMANTICS: COL-2, COL-5, COL-9
fn what_lies_in_an_area_stays_until_it_was_read(case: &Case) {
    // Of 20,000 bytes and the word, on a line of their own.
    for (heap_bytes, areas) in [(64 << 20, 16), (1 << 20, 6)] {
        for size in case.sizes(&[3, 5]).filter(|&size| deposits(case, size)) {
            let ahead = Gate::new();
            let mut config = case.config(size);
            config.heap_bytes = heap_bytes;
            case.run_with(&config, size, |world, step| {
                if !world.copies_payloads() {
                    return Ok(());
                }
                world.barrier()?.wait()?;
                let is_root = world.rank() == ROOT;
                if !is_root {
                    step.to("the root is ahead");
                    ahead.wait_computing(1);
                }
                for call in 0..areas + 2 {
                    let mut data = if is_root { given(ROOT, call, 2500) } else { vec![0; 2500] };
                    world.broadcast(ROOT, &mut data)?;
                    assert!(data == given(ROOT, call, 2500), "call {call}");
                }
                if is_root {
                    assert_eq!(world.stats()?.deposits, areas as u64);
                    ahead.arrive();
                }
                Ok(())
            });
        }
    }
}

/// An area keeps memory only until it was read: a rank that sleeps gives it back, and then all of its heap is free for a message.
/// (Planted: nobody looks before it sleeps.)
/// SEMANTICS: COL-9, FLOW-4
fn what_was_read_is_free_after_a_sleep(case: &Case) {
    let size = 3;
    if !deposits(case, size) {
        return;
    }
    let mut config = case.config(size);
    config.heap_bytes = 512 << 10;
    config.notify = Notify::Block;
    case.run_with(&config, size, |world, step| {
        if !world.copies_payloads() {
            return Ok(());
        }
        // All have made the group: it is deposited for them.
        world.barrier()?.wait()?;
        let mut data = given(ROOT, 0, 2500);
        world.broadcast(ROOT, &mut data)?;
        assert!(world.rank() != ROOT || world.stats()?.deposits == 1);
        // All have read it.
        world.barrier()?.wait()?;
        let mut is_free = false;
        // However late a rank comes, it sleeps in some of these.
        for nth in 0..50 {
            step.to(format!("sleep {nth}"));
            match world.rank() {
                ROOT => {
                    world.send(0, 1, &[0u8])?;
                    world.recv::<u8>(0, 1)?;
                    let before = world.stats()?.payloads_exposed;
                    world.isend(0, 2, &vec![1u8; 510_000])?;
                    is_free = world.stats()?.payloads_exposed == before + 1;
                    world.send(0, 3, &[u8::from(is_free)])?;
                }
                0 => {
                    world.recv::<u8>(ROOT, 1)?;
                    std::thread::sleep(Duration::from_millis(20));
                    world.send(ROOT, 1, &[0u8])?;
                    world.recv::<u8>(ROOT, 2)?;
                    is_free = world.recv::<u8>(ROOT, 3)?.data[0] == 1;
                }
                _ => is_free = true,
            }
            if is_free {
                break;
            }
        }
        assert!(is_free, "an area stays open");
        world.barrier()?.wait()
    });
}

/// Groups of one size combine in one order, whether they have a place to deposit or not; and where many ranks have more than goes
/// at once, they combine shares. (Planted: a tree that goes by the place; parts that many ranks give each other by messages.)
/// SEMANTICS: COL-3, COL-5
fn a_place_decides_nothing_about_the_order(case: &Case) {
    for size in case.sizes(&[3, 17]).filter(|&size| size < 17 || case.network.shares_words) {
        case.run(size, |world, step| {
            step.to("groups");
            // The board has places for so many.
            let groups: Vec<_> = (0..16).map(|_| world.dup()).collect::<Result<_, _>>()?;
            let last = groups.last().expect("there are some");
            for kind in [Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan, Kind::Broadcast] {
                for bytes in [8, 2 << 10, 8 << 10, 20 << 10, 100 << 10, 1 << 20] {
                    let shape = |comm: &World| comm.default_shape(kind, bytes).tree;
                    assert_eq!(shape(world), shape(last), "{kind} of {bytes}");
                }
            }
            if deposits(case, size) && world.copies_payloads() && size == 17 {
                let combining = |bytes| world.combining(Kind::AllReduce, Tree::Flat, bytes);
                assert_eq!(combining(100 << 10), Combining::Units);
                assert_eq!(combining(1 << 20), Combining::InTree);
            }
            let mine: Vec<f64> = (0..1500).map(|at| 1.0 / (1 + at + world.rank()) as f64).collect();
            let sums = |comm: &World| comm.all_reduce(&mine, |a, b| a + b);
            let through = |comm: &World| comm.scan(&mine, |a, b| a + b);
            let bits = |sums: Vec<f64>| sums.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            assert!(bits(sums(world)?) == bits(sums(last)?), "all_reduce");
            assert!(bits(through(world)?) == bits(through(last)?), "scan");
            Ok(())
        });
    }
}

/// One rank gives so much more than the others that it takes theirs in any order. It says that it has read them all the same.
/// (Planted: it does not.)
/// SEMANTICS: COL-9
fn who_gives_much_has_read_what_others_deposit(case: &Case) {
    let mut config = case.config(3);
    // An eighth is not as much as the last rank gives all.
    config.heap_bytes = 1 << 20;
    case.run_with(&config, 3, |world, step| {
        let rank = world.rank();
        let count = |rank: usize| if rank == 2 { 12_000 } else { 2500 };
        world.barrier()?.wait()?;
        for round in 0..40 {
            step.to(format!("round {round}"));
            let parts = world.all_gather(&given(rank, round, count(rank)))?;
            assert!((0..3).all(|from| parts[from] == given(from, round, count(from))));
            world.barrier()?.wait()?;
        }
        if deposits(case, 3) && world.copies_payloads() && rank < 2 {
            // Without, six areas are all that there is room for.
            assert!(world.stats()?.deposits > 30);
        }
        Ok(())
    });
}

/// Ranks that share the work of a nonblocking reduction deposit what they give, whatever becomes of the calls, and send no message.
/// (Planted: a call that stays pending when it is combined, or dropped.)
/// SEMANTICS: COL-8, COL-9, COL-11
fn what_is_shared_without_waiting_is_deposited(case: &Case) {
    for size in case.sizes(&[4, 17]).filter(|&size| deposits(case, size)) {
        case.run(size, |world, step| {
            if !world.copies_payloads() {
                return Ok(());
            }
            world.barrier()?.wait()?;
            let (before, mut done) = (world.stats()?, Vec::new());
            for round in 0..30 {
                step.to(format!("round {round}"));
                let mine = given(world.rank(), round, 2500);
                let dropped = world.iall_reduce(&mine, add)?;
                let mut tested = world.iall_reduce(&mine, add)?;
                let waited = world.iall_reduce(&mine, add)?;
                let sums = sum_of(0..size, round, 2500);
                assert!(waited.wait()? == sums, "waited");
                while !tested.test()? {
                    std::thread::yield_now();
                }
                drop(dropped);
                world.barrier()?.wait()?;
                done.push((tested, sums));
            }
            for (tested, sums) in done {
                assert!(tested.wait()? == sums, "tested");
            }
            let now = world.stats()?;
            assert_eq!(now.deposits - before.deposits, 90);
            assert_eq!(now.messages_sent, before.messages_sent);
            Ok(())
        });
    }
}

/// An operator may call collectives while its rank reads what others have deposited, also when they have gone on since and
/// opened as many areas as they may. (Planted: the call is not pending meanwhile; a nonblocking one is no more when all is taken.)
/// SEMANTICS: COL-3, COL-9, COL-11
fn an_operator_may_call_collectives_meanwhile(case: &Case) {
    if !deposits(case, 4) {
        return;
    }
    let ahead = Gate::new();
    case.run(4, |world, step| {
        if !world.copies_payloads() {
            return Ok(());
        }
        for round in 0..4 {
            step.to(format!("round {round}"));
            let is_ahead = (world.rank() != ROOT).then(|| ahead.promise());
            let is_called = Cell::new(false);
            let nested = || {
                for nth in 0..4 {
                    let mine = given(world.rank(), 100 * round + nth, 2500);
                    let sum = world.all_reduce(&mine, add).unwrap();
                    assert!(sum == sum_of(0..4, 100 * round + nth, 2500), "nested {nth}");
                }
                // The others have what they wanted of this call, and write more than there is room for.
                if world.rank() == ROOT {
                    ahead.wait_computing(3 * (round + 1));
                }
            };
            let combine = |a: u64, b: u64| {
                if !is_called.replace(true) {
                    nested();
                }
                a + b
            };
            let mine = given(world.rank(), round, 2500);
            let sum = match round % 2 {
                0 => world.all_reduce(&mine, combine)?,
                _ => world.iall_reduce(&mine, combine)?.wait()?,
            };
            assert!(sum == sum_of(0..4, round, 2500));
            // One for which others have combined all.
            if !is_called.replace(true) {
                nested();
            }
            let mine = given(world.rank(), 0, 2500);
            let later: Vec<_> =
                (0..20).map(|_| world.iall_gather(&mine)).collect::<Result<_, _>>()?;
            drop(is_ahead);
            for all in later {
                let parts = all.wait()?;
                assert!((0..4).all(|from| parts[from] == given(from, 0, 2500)), "later");
            }
        }
        Ok(())
    });
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
    what_was_read_is_free_after_a_sleep,
    a_place_decides_nothing_about_the_order,
    who_gives_much_has_read_what_others_deposit,
    what_is_shared_without_waiting_is_deposited,
    an_operator_may_call_collectives_meanwhile,
    what_was_given_makes_place_for_the_next,
    a_dropped_group_leaves_its_areas_for_the_next,
    a_rank_that_has_ended_leaves_what_it_has_written,
    another_length_is_told,
);
