//! Dropping a communicator: it waits for nobody, its open barriers complete, and what was sent to it
//! and never received gives its senders their credit back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runahead::{Algorithm, Config, Error, Rank, Result, Source, Tag};

use crate::harness::{Case, Gate, World};

/// All but one rank open barriers of a group and drop it; only then the last rank calls its own. In
/// the world everything goes on, before and after.
/// SEMANTICS: GRP-3, CLK-4
fn open_barriers_complete_though_their_group_is_dropped(case: &Case) {
    for (which, algorithm) in Algorithm::ALL.into_iter().enumerate() {
        for (nth, size) in [1, 2, 3, 5].into_iter().enumerate() {
            if !case.has_half(which + nth) {
                continue;
            }
            let mut config = case.config(size);
            config.algorithm = algorithm;
            config.resend_after = Duration::from_micros(100);
            let gates: Vec<_> = (0..size).map(|_| Gate::new()).collect();
            case.run_with(&config, size, |world, step| {
                let (rank, next) = (world.rank(), (world.rank() + 1) % size);
                for (w, gate) in gates.iter().enumerate() {
                    let turned = world.split(0, -(rank as i64))?;
                    let twin = world.dup()?;
                    if rank == w {
                        step.to("withheld");
                        gate.wait_computing(size - 1);
                        turned.barrier()?;
                        // It runs ahead of those that the others have dropped.
                        twin.barrier()?;
                        drop(turned);
                        twin.barrier()?.wait()?;
                    } else {
                        step.to("dropping with barriers open");
                        let promise = gate.promise();
                        turned.barrier()?;
                        twin.barrier()?;
                        twin.barrier()?;
                        drop(twin);
                        drop(turned);
                        drop(promise);
                    }
                    step.to("a superstep of the world");
                    world.isend(next, 1, &[w])?;
                    world.barrier()?;
                    world.isend(next, 2, &[w])?;
                    assert_eq!(world.recv::<usize>(Source::Any, 1)?.data, [w]);
                    assert_eq!(world.recv::<usize>(Source::Any, 2)?.data, [w]);
                }
                Ok(())
            });
        }
    }
}

/// A communicator dropped everywhere, with barriers open, and the end of the world at once.
/// SEMANTICS: GRP-3, END-1
fn the_world_ends_with_barriers_of_dropped_groups_open(case: &Case) {
    for size in [1, 2, 3, 5, 8] {
        for _ in 0..5 {
            case.run(size, |world, _| {
                let group = world.split(world.rank() as u32 % 2, 0)?;
                world.barrier()?;
                group.barrier()?;
                group.dup()?.barrier()?;
                Ok(())
            });
        }
    }
}

/// In which state a message is that is never received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is there, and nobody has asked for it.
    Unexpected,
    /// It comes when the group is gone.
    Late,
    /// It is there, and is held until a barrier completes.
    Held,
    /// A posted receive had it, and was dropped.
    Matched,
    /// A posted receive was dropped before it came.
    Posted,
}
use State::*;

fn narrow(case: &Case, size: usize) -> Config {
    let mut config = case.config(size);
    config.window_messages = config.window_messages.min(4);
    config.resend_after = Duration::from_micros(100);
    (config.eager_bytes, config.segment_bytes) = (64, 100);
    config
}

/// Rank 0 drops a group for which the others fill its memory, with small and with large messages;
/// after it, all windows are as wide as before.
/// SEMANTICS: GRP-3, FLOW-1
fn what_nobody_received_gives_its_credit_back(case: &Case) {
    for state in [Unexpected, Late, Held, Matched, Posted] {
        for bytes in [8, 1000] {
            let config = narrow(case, 3);
            let window = config.window_messages as usize;
            let (sent, dropped) = (Gate::new(), Gate::new());
            case.run_with(&config, 3, |world, step| {
                let group = world.split(0, -(world.rank() as i64))?;
                let to = group.size() - 1; // rank 0 of the world
                if world.rank() == 0 {
                    let _promise = dropped.promise();
                    let posted = match state {
                        Matched | Posted => Some(group.irecv::<u8>(Source::Any, Tag::Any)?),
                        _ => None,
                    };
                    step.to("looking");
                    match state {
                        Held => sent.wait_progressing(2, world)?,
                        Late | Posted => {}
                        Unexpected => drop(group.probe(Source::Any, Tag::Any)?),
                        Matched => {
                            while !posted.as_ref().unwrap().test()? {
                                std::thread::yield_now();
                            }
                        }
                    }
                    drop(posted);
                    drop(group);
                    step.to("dropped");
                } else {
                    if state == Held {
                        world.barrier()?;
                    }
                    if matches!(state, Late | Posted) {
                        dropped.wait_computing(1);
                    }
                    step.to("filling the window");
                    for _ in 0..window + 2 {
                        group.isend(to, 1, &vec![7u8; bytes])?;
                    }
                    world.progress()?;
                    sent.arrive();
                    step.to("sending what is received");
                }
                if state == Held && world.rank() == 0 {
                    world.barrier()?;
                }
                for number in 0..2 * window {
                    if world.rank() == 0 {
                        for from in 1..3 {
                            assert_eq!(world.recv::<usize>(from, Tag::Any)?.data, [number]);
                        }
                    } else {
                        world.send(0, 1, &[number])?;
                    }
                }
                world.barrier()?.wait()?;
                step.to("filling the whole window at once");
                if world.rank() == 0 {
                    world.barrier()?.wait()?;
                    for from in (1..3).flat_map(|from| vec![from; window]) {
                        assert_eq!(world.recv::<u8>(from, 3)?.data, [3]);
                    }
                } else {
                    // Nobody receives before all of these have left.
                    (0..window).try_for_each(|_| world.send(0, 3, &[3u8]))?;
                    world.barrier()?.wait()?;
                }
                Ok(())
            });
        }
    }
}

/// A sender that is blocked in a large send to a group that its receiver has dropped, or drops now,
/// gets rid of it.
/// SEMANTICS: GRP-3, FLOW-4
fn a_blocked_send_to_a_dropped_group_returns(case: &Case) {
    for state in [Unexpected, Late, Held, Matched] {
        let config = narrow(case, 2);
        let dropped = Gate::new();
        case.run_with(&config, 2, |world, step| {
            let group = world.dup()?;
            if world.rank() == 1 {
                if state == Late {
                    dropped.wait_computing(1);
                }
                if state == Held {
                    world.barrier()?;
                }
                step.to("sending");
                group.send(0, 1, &[1u8; 2000])?;
                drop(group);
                return world.send(0, 2, &[2u8]);
            }
            match state {
                Unexpected => drop(group.probe(Source::Any, 1)?),
                Matched => {
                    // Its payload is under way, or will be.
                    let posted = group.irecv::<u8>(1, 1)?;
                    (0..20).try_for_each(|_| world.progress())?;
                    drop(posted);
                }
                _ => {}
            }
            drop(group);
            dropped.arrive();
            if state == Held {
                (0..20).try_for_each(|_| world.progress())?;
                world.barrier()?;
            }
            step.to("receiving what follows");
            assert_eq!(world.recv::<u8>(Source::Any, Tag::Any)?.data, [2]);
            Ok(())
        });
    }
}

/// What a rank has sent itself goes with the group; what it has queued for others does not.
/// SEMANTICS: GRP-3
fn what_was_posted_before_the_drop_leaves(case: &Case) {
    for size in [2, 3, 5] {
        let config = narrow(case, size);
        let count = 3 * config.window_messages as usize;
        case.run_with(&config, size, |world, step| {
            let group = world.dup()?;
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            group.isend(rank, 9, &[1u8])?;
            if rank == 0 {
                for number in 0..count {
                    let len = if number % 3 == 2 { 50 } else { 1 };
                    group.isend(next, 1, &vec![number; len])?;
                }
                drop(group);
            } else if rank == 1 {
                step.to("receiving");
                for number in 0..count {
                    assert_eq!(group.recv::<usize>(0, 1)?.data[0], number);
                }
            }
            world.barrier()?.wait()
        });
    }
}

/// While one thread is in a call, another is told so; a communicator that is dropped there is gone
/// with the next call, and loses nothing.
/// SEMANTICS: GRP-3
fn another_thread_is_told_and_may_drop(case: &Case) {
    let config = narrow(case, 3);
    let window = config.window_messages as usize;
    let (filled, dropped) = (Gate::new(), Gate::new());
    case.run_with(&config, 3, |world, step| {
        let group = world.dup()?;
        match world.rank() {
            0 => {
                filled.wait_progressing(1, world)?;
                group.barrier()?;
                let told = AtomicBool::new(false);
                std::thread::scope(|scope| {
                    let other = scope.spawn(|| -> Result<()> {
                        let _promise = dropped.promise();
                        let group = group;
                        loop {
                            match group.progress() {
                                Err(Error::Busy) => break,
                                other => other?,
                            }
                            std::thread::yield_now();
                        }
                        // The call of the other thread lasts until this one has gone.
                        told.store(true, Ordering::SeqCst);
                        let busy = |error| assert!(matches!(error, Error::Busy), "{error}");
                        busy(group.send(1, 1, &[1u8]).unwrap_err());
                        busy(group.recv::<u8>(1, 1).unwrap_err());
                        busy(group.irecv::<u8>(1, 1).map(drop).unwrap_err());
                        busy(group.barrier().map(drop).unwrap_err());
                        busy(group.dup().map(drop).unwrap_err());
                        busy(group.stats().map(drop).unwrap_err());
                        drop(group);
                        Ok(())
                    });
                    step.to("receiving while another thread calls");
                    let mut received = world.recv::<u8>(2, 1);
                    while matches!(received, Err(Error::Busy)) {
                        received = world.recv::<u8>(2, 1);
                    }
                    assert_eq!(received.unwrap().data, [2]);
                    other.join().unwrap().unwrap();
                });
                assert!(told.load(Ordering::SeqCst));
                step.to("receiving after the drop");
                for number in 0..2 * window {
                    assert_eq!(world.recv::<usize>(1, 2)?.data, [number]);
                }
            }
            1 => {
                for _ in 0..window {
                    group.isend(0, 1, &[7u8; 30])?;
                }
                filled.arrive();
                group.barrier()?;
                step.to("sending past what nobody receives");
                for number in 0..2 * window {
                    world.send(0, 2, &[number])?;
                }
            }
            _ => {
                group.barrier()?;
                dropped.wait_computing(1);
                world.send(0, 1, &[2u8])?;
            }
        }
        world.barrier()?.wait()
    });
}

/// A rank may go on with a group that others have dropped, as far as it needs nothing of them.
/// SEMANTICS: GRP-3
fn those_who_keep_a_group_may_use_it(case: &Case) {
    let config = narrow(case, 4);
    case.run_with(&config, 4, |world, step| {
        let group = world.split(0, 0)?;
        if world.rank() % 2 == 0 {
            drop(group);
            return world.barrier()?.wait();
        }
        let other: Rank = 4 - world.rank();
        step.to("talking past those who have gone");
        for number in 0..20u64 {
            // What is sent to them is accepted and lost.
            group.send(0, 1, &[number; 10])?;
            group.isend(other, 1, &[number])?;
            assert_eq!(group.recv::<u64>(Source::Any, 1)?.data, [number]);
        }
        drop(group);
        world.barrier()?.wait()
    });
}

/// Communicators that live on after the one they were made from, and the other way round.
/// SEMANTICS: GRP-3
fn parents_and_children_are_dropped_in_any_order(case: &Case) {
    for size in [2, 4] {
        case.run(size, |world, step| {
            for order in 0..24usize {
                step.to(format!("order {order}"));
                let first = world.dup()?;
                let second = first.split(0, -(first.rank() as i64))?;
                let third = second.split(second.rank() as u32 % 2, 0)?;
                let fourth = second.dup()?;
                let mut all: Vec<World> = vec![first, second, third, fourth];
                let mut code = order;
                for left in (1..=4).rev() {
                    for comm in &all {
                        let next = (comm.rank() + 1) % comm.size();
                        comm.barrier()?;
                        comm.isend(next, 1, &[left])?;
                        assert_eq!(comm.recv::<usize>(Source::Any, Tag::Any)?.data, [left]);
                    }
                    drop(all.remove(code % left));
                    code /= left;
                }
            }
            Ok(())
        });
    }
}

suite!(
    open_barriers_complete_though_their_group_is_dropped,
    the_world_ends_with_barriers_of_dropped_groups_open,
    what_nobody_received_gives_its_credit_back,
    a_blocked_send_to_a_dropped_group_returns,
    what_was_posted_before_the_drop_leaves,
    another_thread_is_told_and_may_drop,
    those_who_keep_a_group_may_use_it,
    parents_and_children_are_dropped_in_any_order,
);

on_many_hosts!(
    open_barriers_complete_though_their_group_is_dropped,
    the_world_ends_with_barriers_of_dropped_groups_open,
    what_nobody_received_gives_its_credit_back,
    a_blocked_send_to_a_dropped_group_returns,
    what_was_posted_before_the_drop_leaves,
    another_thread_is_told_and_may_drop,
    those_who_keep_a_group_may_use_it,
    parents_and_children_are_dropped_in_any_order,
);
