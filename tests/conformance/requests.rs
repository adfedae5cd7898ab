//! Waiting for the first of several requests, and for all: sends, receives, barriers and collectives.

use runahead::{Error, MessageError, Notify, Pending, RecvRequest, Result, Source};

use crate::harness::{AnyNic, Case, Gate, World, die, message_error};
use crate::waiting::ways;

/// Several kinds of requests of a rank.
type Mixed<'m> = [&'m dyn Pending<AnyNic>];

/// Each is returned once, and those that have come before those that have not.
/// SEMANTICS: FLOW-3
fn the_first_that_is_complete_is_returned(case: &Case) {
    for notify in ways() {
        for size in [2, 3, 5] {
            let mut config = case.config(size);
            config.notify = notify;
            case.run_with(&config, size, |world, step| {
                let (rank, size) = (world.rank(), world.size());
                for round in 0..5 {
                    // Each sends when it is told to, in another order each time.
                    let nth = |nth: usize| 1 + (nth * 2 + round) % (size - 1);
                    let order: Vec<usize> = match (size - 1) % 2 {
                        0 => (1..size).rev().collect(),
                        _ => (0..size - 1).map(nth).collect(),
                    };
                    if rank != 0 {
                        world.recv::<u8>(0, 1)?;
                        world.send(0, 2, &[rank])?;
                        continue;
                    }
                    let posted: Result<Vec<_>> =
                        (1..size).map(|from| world.irecv::<usize>(from, 2)).collect();
                    let (mut posted, mut from) = (posted?, (1..size).collect::<Vec<_>>());
                    for next in order {
                        step.to(format!("waiting for rank {next}"));
                        world.send(next, 1, &[0u8])?;
                        let first = world.wait_any(&posted)?;
                        assert_eq!(from.swap_remove(first), next, "only it has sent");
                        assert_eq!(posted.swap_remove(first).wait()?.data, [next]);
                        assert!(posted.is_empty() || world.test_any(&posted)?.is_none());
                    }
                }
                Ok(())
            });
        }
    }
}

/// Where all are always complete, each has its turn, in each of the calls.
fn no_request_is_passed_over_for_ever(case: &Case) {
    type Posted = Vec<RecvRequest<u32, AnyNic>>;
    let calls: [fn(&World, &Posted) -> Result<usize>; 2] = [
        |world, posted| world.wait_any(posted),
        |world, posted| Ok(world.test_any(posted)?.expect("all are complete")),
    ];
    case.run(1, |world, _| {
        for (call, count) in calls.into_iter().flat_map(|call| (1..6).map(move |n| (call, n))) {
            let post = |tag: u32| {
                world.isend(0, tag, &[tag])?;
                world.irecv::<u32>(0, tag)
            };
            let posted: Result<Posted> = (0..count).map(post).collect();
            let (mut posted, mut taken) = (posted?, vec![0; count as usize]);
            for _ in 0..100 {
                let first = call(world, &posted)?;
                let tag = first as u32;
                let next = post(tag)?;
                assert_eq!(std::mem::replace(&mut posted[first], next).wait()?.data, [tag]);
                taken[first] += 1;
            }
            // It has come to each in 100 calls, and to none much less often than to another.
            assert!(taken.iter().all(|&times| times * count >= 25), "{taken:?}");
        }
        Ok(())
    });
}

/// A barrier, a send, a receive and two collectives, in one wait.
/// SEMANTICS: COL-8, FLOW-3
fn all_kinds_are_waited_for_together(case: &Case) {
    for (notify, size) in ways().flat_map(|notify| [(notify, 2), (notify, 3)]) {
        let mut config = case.config(size);
        config.notify = notify;
        config.eager_bytes = 64; // the longer ones go by rendezvous
        case.run_with(&config, size, |world, step| {
            let (rank, size) = (world.rank(), world.size());
            let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
            for round in 0..6u64 {
                let count = [1, 100][round as usize % 2];
                let recv = world.irecv::<u64>(before, 1)?;
                let send = world.isend(next, 1, &vec![round; count])?;
                let barrier = world.barrier()?;
                let sum = world.iall_reduce(&vec![round; count], |a, b| a + b)?;
                let mut data = vec![if rank == 0 { round } else { 0 }; count];
                let told = world.ibroadcast(0, &mut data)?;
                let all: [&dyn Pending<AnyNic>; 5] = [&recv, &send, &barrier, &sum, &told];
                match round % 3 {
                    0 => {
                        step.to("waiting for all");
                        world.wait_all(&all)?;
                        assert!(world.test_all(&all)?);
                    }
                    1 => {
                        step.to("testing all");
                        while !world.test_all(&all)? {
                            std::thread::yield_now();
                        }
                    }
                    _ => {
                        step.to("waiting for each in turn");
                        let mut left: Vec<&dyn Pending<AnyNic>> = all.to_vec();
                        while !left.is_empty() {
                            let first = world.wait_any(&left)?;
                            left.swap_remove(first);
                        }
                    }
                }
                step.to("taking the results");
                assert_eq!(recv.wait()?.data, vec![round; count]);
                send.wait()?;
                barrier.wait()?;
                assert_eq!(sum.wait()?, vec![round * size as u64; count]);
                told.wait()?;
                assert_eq!(data, vec![round; count]);
            }
            Ok(())
        });
    }
}

/// A request whose message can never come ends the wait, and tells why in its own.
/// SEMANTICS: END-2, END-3
fn a_request_that_can_never_be_complete_ends_the_wait(case: &Case) {
    for notify in ways() {
        let mut config = case.config(3);
        config.notify = notify;
        let told = Gate::new();
        let outcome = case.ending_outcome(&config, 3, |world, step| {
            if world.rank() == 1 {
                die("gone");
            }
            if world.rank() == 2 {
                told.wait_progressing(1, world)?;
                return world.send(0, 7, &[2u8]);
            }
            let told = told.promise();
            let lost = |error| assert_eq!(error, MessageError::PeerLost { rank: 1 });
            let posted = [world.irecv::<u8>(2, 7)?, world.irecv::<u8>(1, 7)?];
            step.to("waiting for one that never comes");
            assert_eq!(world.wait_any(&posted)?, 1);
            while world.test_any(&posted)? != Some(1) {}
            let [other, gone] = posted;
            lost(message_error(gone.wait()));
            step.to("waiting for a barrier that is never complete");
            let (any, barrier) = (world.irecv::<u8>(Source::Any, 9)?, world.barrier()?);
            let pending: &Mixed = &[&other, &barrier];
            assert_eq!(world.wait_any(pending)?, 1);
            lost(message_error(barrier.wait()));
            world.wait_all(&[&any])?;
            lost(message_error(any.wait()));
            drop(told);
            step.to("waiting for one that comes");
            world.wait_all(&[&other])?;
            assert_eq!(other.wait()?.data, [2]);
            Err(Error::other("enough"))
        });
        assert!(outcome.is_err(), "a rank was lost");
    }
}

/// What waits for several sleeps, and does not look again and again. (Where a network is not causal,
/// it has tasks of its own, for which it wakes.)
/// SEMANTICS: FLOW-3
fn a_rank_that_waits_for_several_sleeps(case: &Case) {
    if !case.network.causal {
        return;
    }
    let mut config = case.config(3);
    config.notify = Notify::Block;
    let slept = Gate::new();
    case.run_with(&config, 3, |world, step| {
        if world.rank() != 0 {
            // Mostly it sleeps then, and the test holds in any case.
            slept.wait_computing(1);
            for _ in 0..300 {
                std::thread::yield_now();
            }
            return world.send(0, 1, &[world.rank()]);
        }
        let mut posted = vec![world.irecv::<usize>(1, 1)?, world.irecv::<usize>(2, 1)?];
        let before = world.stats()?;
        slept.arrive();
        step.to("sleeping");
        while !posted.is_empty() {
            let first = world.wait_any(&posted)?;
            posted.swap_remove(first).wait()?;
        }
        let after = world.stats()?;
        assert!(after.sleeps - before.sleeps <= 16, "it was woken again and again");
        Ok(())
    });
}

/// Around a ring, of one rank too, and where no window has room for another message.
/// SEMANTICS: FLOW-1
fn all_send_and_receive_at_once(case: &Case) {
    for size in [1, 2, 3, 5] {
        for eager_bytes in [16, 4096] {
            let mut config = case.config(size);
            config.eager_bytes = eager_bytes;
            case.run_with(&config, size, |world: &World, step| {
                let (rank, size) = (world.rank(), world.size());
                let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
                for round in 0..10 {
                    step.to(format!("round {round}"));
                    let own = [rank + round; 20];
                    let message = world.send_receive::<_, usize>(next, 1, &own, before, 1)?;
                    assert_eq!(message.data, [before + round; 20]);
                    let mut room = [0usize; 30];
                    let status = world.send_receive_into(next, 2, &own, &mut room, before, 2)?;
                    assert_eq!((status.source, status.bytes), (before, 160));
                    assert_eq!((room[19], room[20]), (before + round, 0));
                    let mut data = own;
                    world.send_receive_replace(&mut data, next, 3, before, 3)?;
                    assert_eq!(data, [before + round; 20]);
                }
                Ok(())
            });
        }
    }
}

suite!(
    the_first_that_is_complete_is_returned,
    no_request_is_passed_over_for_ever,
    all_kinds_are_waited_for_together,
    a_request_that_can_never_be_complete_ends_the_wait,
    a_rank_that_waits_for_several_sleeps,
    all_send_and_receive_at_once,
);

in_calls!(the_first_that_is_complete_is_returned, all_kinds_are_waited_for_together);
