//! Every way of waiting brings a program to the same end, also where the ranks wait in different ways.

use runahead::Source;
use runahead::internals::message::{Notify, Patience};

use crate::harness::Case;

/// All ways of waiting.
pub fn ways() -> impl Iterator<Item = Notify> {
    let fixed = [Patience { polls: 0, yields: 0 }, Patience { polls: 20, yields: 4 }];
    fixed.map(Notify::Fixed).into_iter().chain(Notify::NAMED.map(|(_, notify)| notify))
}

suite!(
    a_program_runs_alike_in_every_way_of_waiting,
    ranks_may_wait_in_different_ways,
    a_rank_that_sleeps_still_takes_part,
    a_rank_that_polls_for_room_wakes_who_sleeps,
);

on_many_hosts!(
    a_program_runs_alike_in_every_way_of_waiting,
    ranks_may_wait_in_different_ways,
    a_rank_that_sleeps_still_takes_part,
    a_rank_that_polls_for_room_wakes_who_sleeps,
);

/// Messages around a ring, from anybody, and barriers with and without a wait.
fn program(case: &Case, size: usize, notify_of: impl Fn(usize) -> Notify + Sync) {
    case.run(size, |world, step| {
        world.set_notify(notify_of(world.rank()))?;
        let (rank, size) = (world.rank(), world.size());
        for round in 0..6u64 {
            step.to("sending around the ring");
            world.send((rank + 1) % size, 1, &[round])?;
            world.barrier()?;
            world.isend(0, 2, &[round, rank as u64])?;
            assert_eq!(world.recv::<u64>((rank + size - 1) % size, 1)?.data, [round]);
            step.to("waiting for a barrier");
            world.barrier()?.wait()?;
            if rank == 0 {
                step.to("receiving from anybody");
                let mut from: Vec<u64> = Vec::new();
                for _ in 0..size {
                    let message = world.recv::<u64>(Source::Any, 2)?;
                    assert_eq!(message.data[0], round);
                    from.push(message.data[1]);
                }
                from.sort_unstable();
                assert!(from.into_iter().eq(0..size as u64));
            }
        }
        Ok(())
    });
}

/// SEMANTICS: FLOW-3
fn a_program_runs_alike_in_every_way_of_waiting(case: &Case) {
    for notify in ways() {
        for size in [2, 3, 5] {
            program(case, size, |_| notify);
        }
    }
}

/// SEMANTICS: FLOW-3
fn ranks_may_wait_in_different_ways(case: &Case) {
    let ways: Vec<Notify> = ways().collect();
    for shift in 0..ways.len() {
        program(case, 4, |rank| ways[(rank * 2 + shift) % ways.len()]);
    }
}

/// A rank that sleeps in one call is woken for what others need of it: the payload of its posted
/// receive, room for what it discards, the message that a send of its own waits behind.
///
/// SEMANTICS: FLOW-3
fn a_rank_that_sleeps_still_takes_part(case: &Case) {
    let mut config = case.config(3);
    config.notify = Notify::Block;
    (config.eager_bytes, config.segment_bytes) = (64, 128);
    case.run_with(&config, 3, |world, step| {
        let rank = world.rank();
        for round in 0..10u8 {
            let dropped = world.dup()?;
            match rank {
                // It sleeps in the barrier while rank 1 sends more to the dropped group than there
                // is room for, and the payload of what it has posted a receive for.
                0 => {
                    let posted = world.irecv::<u8>(1, 7)?;
                    drop(dropped);
                    step.to("sleeping in a barrier");
                    world.barrier()?.wait()?;
                    step.to("waiting for a posted receive");
                    assert_eq!(posted.wait()?.data, [round; 1000]);
                    assert_eq!(world.recv::<u8>(2, 8)?.data, [round]);
                }
                1 => {
                    step.to("sending to a group that others have dropped");
                    let many = 2 * world.config().window_messages;
                    (0..many).try_for_each(|_| dropped.send(0, 1, &[round]))?;
                    step.to("sending a large message");
                    world.send(0, 7, &[round; 1000])?;
                    world.barrier()?.wait()?;
                }
                _ => {
                    world.send(0, 8, &[round])?;
                    world.barrier()?.wait()?;
                }
            }
        }
        Ok(())
    });
}

/// How a rank comes by room without going to sleep.
#[derive(Clone, Copy, Debug)]
enum Polling {
    Send(Notify),
    TrySend,
    TestOfSend,
    Payload,
}

/// One that sleeps for something else has dropped the group whose messages fill its memory. Their
/// sender looks for room again and again, never sleeps itself, and gets it all the same.
///
/// SEMANTICS: FLOW-3, GRP-3
fn a_rank_that_polls_for_room_wakes_who_sleeps(case: &Case) {
    use Polling::*;
    let mut config = case.config(3);
    config.notify = Notify::Block;
    config.window_messages = config.window_messages.min(2);
    (config.eager_bytes, config.segment_bytes) = (64, 128);
    for polling in [Send(Notify::Poll), Send(Notify::Yield), TrySend, TestOfSend, Payload] {
        case.run_with(&config, 3, |world, step| {
            let rank = world.rank();
            let group = if rank < 2 { Some(world.group(&[0, 1])?) } else { None };
            if rank == 1 {
                drop(group);
                step.to("sleeping");
                assert_eq!(world.recv::<u8>(2, 9)?.data, [9]);
                return Ok(());
            }
            if rank == 2 {
                assert_eq!(world.recv::<u8>(0, 9)?.data, [9]);
                return world.send(1, 9, &[9u8]);
            }
            let group = group.expect("it is a member");
            // Mostly it sleeps then, and the test holds in any case.
            step.to("letting the other go to sleep");
            for _ in 0..200 {
                std::thread::yield_now();
            }
            step.to("looking for room");
            match polling {
                Send(notify) => {
                    world.set_notify(notify)?;
                    for _ in 0..8 {
                        group.send(1, 1, &[1u8])?;
                    }
                }
                TrySend => {
                    for _ in 0..8 {
                        while !group.try_send(1, 1, &[1u8])? {}
                    }
                }
                TestOfSend => {
                    for _ in 0..8 {
                        let sent = group.isend(1, 1, &[1u8])?;
                        while !sent.test()? {}
                    }
                }
                Payload => {
                    let sent = group.isend(1, 1, &[1u8; 1000])?;
                    while !sent.test()? {}
                }
            }
            world.send(2, 9, &[9u8])?;
            Ok(())
        });
    }
}

in_calls!(a_program_runs_alike_in_every_way_of_waiting, ranks_may_wait_in_different_ways);
