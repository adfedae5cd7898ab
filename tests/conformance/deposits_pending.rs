//! Small data of nonblocking collectives, which lie where all see them until the program waits. Where ranks
//! share no words the same programs go by messages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runahead::internals::message::Notify;
use runahead::{Pending, Result};

use crate::deposits::{MOST, ROOT, add, deposits};
use crate::harness::{Case, Gate, World};

/// All calls are pending at once, completed first or last first: no message is sent.
/// SEMANTICS: COL-3, COL-8, COL-9
fn what_is_posted_is_deposited(case: &Case) {
    let is_near = case.network.shares_words;
    for size in case.sizes(&[2, 3, 5, 17, MOST, MOST + 1]).filter(|&size| size < MOST || is_near) {
        let rounds = if size < MOST { 20 } else { 2 };
        case.run(size, |world, step| {
            let (rank, all) = (world.rank() as u64, size as u64);
            let (is_root, is_last) = (world.rank() == ROOT, world.rank() + 1 == size);
            let sum = |end: u64| (0..end).sum::<u64>();
            let small = |at: u64| at as u8;
            world.barrier()?.wait()?;
            for round in 0..rounds {
                step.to(format!("round {round}"));
                let mut data = [if is_root { round } else { 99 }; 11];
                // Blocks for all fit a slot.
                let blocks: Vec<u8> = (0..all).map(|to| small(100 * rank + to + round)).collect();
                let parts: Vec<[u8; 1]> = (0..all).map(|to| [small(to + round)]).collect();
                let parts: Vec<&[u8]> = parts.iter().map(|part| &part[..]).collect();

                let filled = world.ibroadcast(ROOT, &mut data)?;
                let total = world.ireduce(ROOT, &[rank, round], add)?;
                let everything = world.iall_reduce(&[rank + round], add)?;
                let through = world.iscan(&[rank], add)?;
                let lower = world.iexclusive_scan(&[rank], add)?;
                let gathered = world.igather(ROOT, &vec![rank; world.rank() % 3])?;
                let given = world.iall_gather(&vec![rank; world.rank() % 4])?;
                let transposed = world.iall_to_all(&blocks)?;
                let reduced = world.ireduce_scatter(&blocks, u8::wrapping_add)?;
                let mine = world.iscatter(ROOT, if is_root { &parts } else { &[] })?;

                let is_early = || -> Result<()> {
                    filled.wait()?;
                    assert_eq!(total.wait()?, is_root.then(|| vec![sum(all), round * all]));
                    assert_eq!(everything.wait()?, [sum(all) + round * all]);
                    assert_eq!(through.wait()?, [sum(rank + 1)]);
                    assert_eq!(lower.wait()?, (rank > 0).then(|| vec![sum(rank)]));
                    Ok(())
                };
                let is_late = || -> Result<()> {
                    assert_eq!(mine.wait()?, [small(rank + round)]);
                    let reduced = reduced.wait()?;
                    assert_eq!(reduced, [small(100 * sum(all) + all * (rank + round))]);
                    let expected = (0..all).map(|from| small(100 * from + rank + round));
                    assert!(transposed.wait()?.into_iter().eq(expected));
                    let given = given.wait()?;
                    assert!((0..size).all(|from| given[from] == vec![from as u64; from % 4]));
                    let parts = gathered.wait()?;
                    assert!(parts.is_none_or(|parts| {
                        (0..size).all(|from| parts[from] == vec![from as u64; from % 3])
                    }));
                    Ok(())
                };
                match (round + rank) % 2 {
                    0 => is_early().and_then(|()| is_late())?,
                    _ => is_late().and_then(|()| is_early())?,
                }
                assert_eq!(data, [round; 11]);
            }
            let stats = world.stats()?;
            if deposits(case, size) {
                // Of a broadcast and a scatter, or of a reduction and a gather; of all that all need; and of scans.
                let made = 2 + 4 + if is_last { 0 } else { 2 };
                assert_eq!((stats.deposits, stats.messages_sent), (rounds * made, 0));
            } else if !case.has_hosts(size) {
                assert_eq!(stats.deposits, 0);
            }
            Ok(())
        });
    }
}

/// A call is pending at all, who make many more meanwhile: what was deposited for it stays. The root finds no more places
/// then, and sends. (Planted: what is pending is finished, or is said to be by the next deposit.)
/// SEMANTICS: COL-8, COL-9
fn what_is_posted_stays_until_it_is_taken(case: &Case) {
    const CALLS: u64 = 100;
    const PLACES: u64 = 64;
    for size in case.sizes(&[2, 3, 5]) {
        case.run(size, |world, step| {
            world.barrier()?.wait()?;
            let is_root = world.rank() == ROOT;
            let pending = world.iall_gather(&[10 + world.rank() as u64])?;
            for call in 0..CALLS {
                step.to(format!("call {call}"));
                let mut data = [if is_root { call } else { 999 }];
                world.broadcast(ROOT, &mut data)?;
                assert_eq!(data, [call]);
            }
            let stats = world.stats()?;
            if deposits(case, size) && is_root {
                let sent = (CALLS - (PLACES - 1)) * (size as u64 - 1);
                assert_eq!((stats.deposits, stats.messages_sent), (PLACES, sent));
            }
            step.to("the first call");
            assert!(pending.wait()?.data().iter().copied().eq(10..10 + size as u64));
            // From here on there are places again.
            world.barrier()?.wait()?;
            let before = world.stats()?;
            for call in 0..CALLS {
                step.to(format!("sum {call}"));
                assert_eq!(world.iall_reduce(&[call], add)?.wait()?, [call * size as u64]);
            }
            let after = world.stats()?;
            if deposits(case, size) {
                assert_eq!(after.deposits - before.deposits, CALLS);
            }
            Ok(())
        });
    }
}

/// Requests are dropped before the others have given anything, or after. Places are free again, and nothing is sent.
/// (Planted: what was dropped stays pending; it is not, and its receives stay posted.)
/// SEMANTICS: COL-8, COL-9
fn what_is_dropped_gives_its_places_back(case: &Case) {
    for size in case.sizes(&[2, 3, 5]) {
        case.run(size, |world, step| {
            const ROUNDS: u64 = 150;
            let rank = world.rank() as u64;
            world.barrier()?.wait()?;
            for round in 0..ROUNDS {
                step.to(format!("round {round}"));
                let mut sum = world.iall_reduce(&[round], add)?;
                let gathered = world.iall_gather(&[rank])?;
                match (round + rank) % 3 {
                    0 => drop(sum),
                    1 => drop((sum.test()?, sum)),
                    _ => assert_eq!(sum.wait()?, [round * size as u64]),
                }
                world.barrier()?.wait()?;
                match (round + rank) % 4 {
                    0 => drop(gathered),
                    _ => assert!(gathered.wait()?.data().iter().copied().eq(0..size as u64)),
                }
            }
            assert_eq!(world.all_reduce(&[1], add)?, [size as u64]);
            let stats = world.stats()?;
            if deposits(case, size) {
                assert_eq!((stats.deposits, stats.messages_sent), (2 * ROUNDS + 1, 0));
            }
            Ok(())
        });
    }
}

/// A barrier of all ranks is open, since rank 3 has not called it. What was posted after it in a group without rank 3 is found
/// before neither by a test nor by a wait for any. (Planted: what lies there is given, whatever the clock says.)
/// SEMANTICS: ORD-1, HOLD-1, COL-8, COL-9
fn what_is_posted_waits_for_its_barrier(case: &Case) {
    let (is_entered, ahead) = (AtomicBool::new(false), Gate::new());
    case.run(4, |world, step| {
        let group = world.split(u32::from(world.rank() == 3), 0)?;
        step.to("the group is made");
        if world.rank() == 3 {
            ahead.wait_computing(3);
            is_entered.store(true, Ordering::SeqCst);
            world.barrier()?;
            return Ok(());
        }
        let promise = ahead.promise();
        // From here on all have made the group.
        assert_eq!(group.all_reduce(&[1u64], add)?, [3]);
        world.barrier()?;
        let before = world.stats()?.deposits;
        let mut sum = group.iall_reduce(&[1u64], add)?;
        let parts = group.iall_gather(&[world.rank() as u64])?;
        if deposits(case, 4) {
            assert_eq!(world.stats()?.deposits - before, 2);
        }
        for _ in 0..20 {
            assert!(!sum.test()?);
            assert_eq!(world.test_any(&[&sum as &dyn Pending<_>, &parts])?, None);
        }
        drop(promise);
        let first = world.wait_any(&[&sum as &dyn Pending<_>, &parts])?;
        assert!(first < 2 && is_entered.load(Ordering::SeqCst));
        assert_eq!((sum.wait()?, parts.wait()?.data()), (vec![3], &[0, 1, 2][..]));
        Ok(())
    });
}

/// Blocking calls and pending ones are different collectives: each rank is told what the other called, though both have
/// deposited.
/// SEMANTICS: COL-4, COL-8, COL-9
fn a_blocking_call_that_meets_a_pending_one_names_it(case: &Case) {
    let told = Gate::new();
    case.run(2, |world, step| {
        world.barrier()?.wait()?;
        step.to("different calls");
        let (error, expected) = match world.rank() {
            0 => {
                let error = world.all_gather(&[1u64]).map(drop);
                (error, "rank 1 called iall_gather; here it is all_gather")
            }
            _ => {
                let error = world.iall_gather(&[1u64])?.wait().map(drop);
                (error, "rank 0 called all_gather; here it is iall_gather")
            }
        };
        assert_eq!(error.expect_err("a mismatch").to_string(), expected);
        told.arrive();
        told.wait_progressing(2, world)
    });
}

/// A rank waits for one of several requests, of two groups and a message, and sleeps. What is deposited for any wakes it.
/// (Planted: it wants what the first request needs.)
/// SEMANTICS: COL-8, COL-9, FLOW-3
fn a_rank_that_waits_for_several_requests_is_woken_by_a_deposit(case: &Case) {
    for size in case.sizes(&[3]).filter(|&size| deposits(case, size)) {
        let mut config = case.config(size);
        config.notify = Notify::Block;
        let (first, second) = (Gate::new(), Gate::new());
        case.run_with(&config, size, |world, step| {
            let twin = world.dup()?;
            let rank = world.rank();
            world.barrier()?.wait()?;
            if rank > 0 {
                // Mostly the first sleeps then. The test holds in any case.
                std::thread::sleep(Duration::from_millis(4));
                twin.igather(0, &[rank])?.wait()?;
                step.to("the first has the second group's");
                first.wait_computing(1);
                std::thread::sleep(Duration::from_millis(4));
                world.igather(0, &[10 + rank])?.wait()?;
                step.to("the first has the world's");
                second.wait_computing(1);
                world.send(0, 9, &[1u8])?;
                return Ok(());
            }
            let (first, second) = (first.promise(), second.promise());
            let (here, there) = (world.igather(0, &[10usize])?, twin.igather(0, &[0usize])?);
            let message = world.irecv::<u8>(2, 9)?;
            step.to("waiting for any");
            let all: [&dyn Pending<_>; 3] = [&here, &there, &message];
            assert_eq!(world.wait_any(&all)?, 1);
            drop(first);
            step.to("waiting for the other");
            assert_eq!(world.wait_any(&[&here as &dyn Pending<_>, &message])?, 0);
            drop(second);
            assert_eq!(there.wait()?.map(|parts| parts.into_data()), Some(vec![0, 1, 2]));
            assert_eq!(here.wait()?.map(|parts| parts.into_data()), Some(vec![10, 11, 12]));
            assert_eq!(message.wait()?.data, [1]);
            world.recv::<u8>(1, 9)?;
            Ok(())
        });
    }
}

/// A member sends what it has no place to deposit, and deposits for the next call: it has left nothing out. Who waits for a
/// third rank sleeps meanwhile, also while both are held. (Noticed: a wait for any of them looked again and again.)
/// SEMANTICS: COL-4, COL-8, COL-9, FLOW-3
fn who_sends_and_deposits_later_keeps_nobody_awake(case: &Case) {
    /// So long that there are four places.
    const LEN: usize = 128;
    const PLACES: u64 = 4;
    for size in case.sizes(&[3]).filter(|&size| deposits(case, size)) {
        let mut config = case.config(size);
        config.notify = Notify::Block;
        for (is_any, is_held) in [(false, false), (false, true), (true, false), (true, true)] {
            let (sent, read, given) = (Gate::new(), Gate::new(), Gate::new());
            case.run_with(&config, size, |world, step| {
                let (rank, all) = (world.rank(), vec![size as u64; LEN]);
                let (has_read, is_first) = (read.promise(), rank == 1);
                let has_sent = (rank < 2).then(|| sent.promise());
                let has_given = is_first.then(|| given.promise());
                let sum = || world.iall_reduce(&[1u64; LEN], add);
                let enter = || if is_held { world.barrier().map(drop) } else { Ok(()) };
                world.barrier()?.wait()?;
                let places = (0..PLACES).map(|_| sum()).collect::<Result<Vec<_>>>()?;
                let mut begun = None;
                if rank < 2 {
                    enter()?;
                    begun = Some(sum()?);
                    assert_eq!(world.stats()?.deposits, PLACES, "there is no place for the fifth");
                }
                drop(has_sent);
                step.to("reading what lies in the places");
                sent.wait_progressing(2, world)?;
                for request in places {
                    assert_eq!(request.wait()?, all);
                }
                drop(has_read);
                step.to("going on behind the fifth");
                if is_first {
                    read.wait_progressing(size, world)?;
                    let sixth = sum()?;
                    assert_eq!(world.stats()?.deposits, PLACES + 1, "there is one for the sixth");
                    drop(has_given);
                    assert_eq!(begun.map_or_else(sum, Ok)?.wait()?, all);
                    assert_eq!(sixth.wait()?, all);
                    return Ok(());
                }
                given.wait_progressing(1, world)?;
                if rank == 2 {
                    // Mostly the first sleeps then. The test holds in any case.
                    std::thread::sleep(Duration::from_millis(4));
                    enter()?;
                }
                let (fifth, sixth) = (begun.map_or_else(sum, Ok)?, sum()?);
                let before = world.stats()?.sleeps;
                if is_any {
                    world.wait_any(&[&fifth as &dyn Pending<_>, &sixth])?;
                }
                assert_eq!(fifth.wait()?, all);
                let sleeps = world.stats()?.sleeps - before;
                assert!(sleeps <= 8, "it was woken {sleeps} times, any: {is_any}, held: {is_held}");
                assert_eq!(sixth.wait()?, all);
                Ok(())
            });
        }
    }
}

/// The function that combines is called when the program waits, and may call collectives: what others have given by then is
/// copied, and their places may be used again. (Planted: the call is finished after its operator.)
/// SEMANTICS: COL-8, COL-9
fn an_operator_of_a_pending_call_may_call_collectives(case: &Case) {
    case.run(3, |world: &World, step| {
        let inner = |a: u64, b: u64| {
            for call in 0..40 {
                assert_eq!(world.iall_reduce(&[call], add).unwrap().wait().unwrap(), [3 * call]);
            }
            10 * a + b
        };
        for round in 0..3 {
            step.to(format!("round {round}"));
            let sum = world.iall_reduce(&[world.rank() as u64 + round], inner)?;
            assert_eq!(sum.wait()?, [12 + 111 * round]);
        }
        Ok(())
    });
}

suite!(
    what_is_posted_is_deposited,
    what_is_posted_stays_until_it_is_taken,
    what_is_dropped_gives_its_places_back,
    what_is_posted_waits_for_its_barrier,
    a_blocking_call_that_meets_a_pending_one_names_it,
    a_rank_that_waits_for_several_requests_is_woken_by_a_deposit,
    who_sends_and_deposits_later_keeps_nobody_awake,
    an_operator_of_a_pending_call_may_call_collectives,
);
