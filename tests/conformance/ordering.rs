//! What may be delivered, and in which order.

use runahead::{Source, Tag};

use crate::harness::{Case, Gate, SIZES};

const TRIES: usize = 30;

/// Ranks to withhold in turn: all, or the first and the last of many.
fn to_withhold(size: usize) -> Vec<usize> {
    if size > 8 { vec![0, size - 1] } else { (0..size).collect() }
}

/// All but rank `w` run past a barrier and send to one another. Nobody receives anything until `w`
/// has called the barrier, which it does only when all others have tried in vain.
/// SEMANTICS: ORD-1, HOLD-1, CLK-1
pub fn what_follows_a_barrier_is_held_until_it_completes(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 1) {
        for w in to_withhold(size) {
            let (sent, tried) = (Gate::new(), Gate::new());
            case.run(size, |world, step| {
                let rank = world.rank();
                if rank == w {
                    step.to("withheld");
                    if w % 2 == 0 {
                        tried.wait_computing(size - 1);
                    } else {
                        tried.wait_progressing(size - 1, world)?;
                    }
                    return world.barrier()?.wait();
                }
                let promise = tried.promise();
                let others: Vec<_> = (0..size).filter(|&rank| rank != w).collect();
                let at = others.iter().position(|&other| other == rank).unwrap();
                let next = others[(at + 1) % others.len()];
                let previous = others[(at + others.len() - 1) % others.len()];
                let barrier = world.barrier()?;
                world.send(next, 1, &[rank as u32])?;
                sent.arrive();
                sent.wait_progressing(size - 1, world)?;
                step.to("trying in vain");
                for _ in 0..TRIES {
                    assert_eq!(world.try_recv::<u32>(previous, 1)?, None);
                    assert_eq!(world.try_recv::<u32>(Source::Any, Tag::Any)?, None);
                    assert_eq!(world.try_probe(Source::Any, Tag::Any)?, None);
                    assert!(!barrier.test()?);
                }
                if case.network.causal && next != rank {
                    assert!(world.stats()?.messages_held > 0, "it came, and was held");
                }
                drop(promise);
                step.to("receiving what was held");
                assert_eq!(world.recv::<u32>(Source::Any, 1)?.data, [previous as u32]);
                assert!(barrier.test()?, "delivered before the barrier was complete");
                Ok(())
            });
        }
    }
}

/// Messages of each superstep are seen in it, in the order of the supersteps, however far ahead
/// their senders run.
/// SEMANTICS: ORD-1, ORD-2, CLK-2
fn supersteps_follow_one_another(case: &Case) {
    for size in case.sizes(&SIZES) {
        let supersteps = if size > 8 { 20 } else { 60 };
        case.run(size, |world, step| {
            let rank = world.rank();
            for superstep in 0..supersteps {
                step.to(format!("superstep {superstep}"));
                let to = (rank + superstep) % size;
                world.send(to, 1, &[superstep, rank])?;
                world.barrier()?;
                let message = world.recv::<usize>(Source::Any, 1)?;
                let from = (rank + size - superstep % size) % size;
                assert_eq!((message.source, message.data), (from, vec![superstep, from]));
                world.barrier()?;
            }
            Ok(())
        });
    }
}

/// A receive by source and tag gets that sender's messages in the order in which it sent them; so
/// does a receive of any tag, and one of any source for each of them.
/// SEMANTICS: ORD-2
fn messages_of_one_sender_do_not_overtake(case: &Case) {
    const EACH: u32 = 12;
    for size in case.sizes(&SIZES) {
        case.run(size, |world, step| {
            // The first round takes later messages before earlier ones: they need room.
            let first = if world.config().window_messages < EACH { 1 } else { 0 };
            for round in first..3 {
                step.to(format!("round {round}"));
                for number in 0..EACH {
                    for to in 0..size {
                        world.isend(to, number % 2, &[number])?;
                    }
                    if number % 5 == 4 {
                        world.barrier()?;
                    }
                }
                match round {
                    0 => {
                        for from in 0..size {
                            for tag in [1, 0] {
                                for number in (0..EACH).filter(|number| number % 2 == tag) {
                                    assert_eq!(world.recv::<u32>(from, tag)?.data, [number]);
                                }
                            }
                        }
                    }
                    1 => {
                        for from in (0..size).rev() {
                            for number in 0..EACH {
                                let message = world.recv::<u32>(from, Tag::Any)?;
                                assert_eq!((message.tag, message.data[0]), (number % 2, number));
                            }
                        }
                    }
                    _ => {
                        let mut next = vec![0; size];
                        for _ in 0..EACH as usize * size {
                            let message = world.recv::<u32>(Source::Any, Tag::Any)?;
                            assert_eq!(message.data, [next[message.source]]);
                            next[message.source] += 1;
                        }
                    }
                }
                step.to("between rounds");
                world.barrier()?.wait()?;
            }
            Ok(())
        });
    }
}

/// A receive from any source takes the message that this rank noticed first.
/// SEMANTICS: HOLD-3
fn any_source_takes_what_was_noticed_first(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 2) {
        case.run(size, |world, step| {
            if world.rank() != 0 {
                world.recv::<u8>(0, 1)?;
                return world.send(0, 2, &[world.rank() as u32]);
            }
            let order: Vec<usize> = (1..size).rev().collect();
            for &from in &order {
                step.to(format!("noticing rank {from}"));
                world.send(from, 1, &[0u8])?;
                assert_eq!(world.probe(from, 2)?.bytes, 4);
            }
            for &from in &order {
                assert_eq!(world.probe(Source::Any, 2)?.source, from);
                assert_eq!(world.recv::<u32>(Source::Any, 2)?.source, from);
            }
            Ok(())
        });
    }
}

/// A sender that never pauses does not starve another: of what a rank receives from any source,
/// once it has noticed the quiet one's message, at most what it had noticed before comes first.
/// SEMANTICS: HOLD-2, HOLD-3
fn a_flood_starves_nobody(case: &Case) {
    const FLOOD: u32 = 400;
    case.run(3, |world, step| match world.rank() {
        0 => {
            let window = world.config().window_messages as usize;
            step.to("probing for the quiet one");
            for _ in 0..20 {
                world.recv::<u32>(1, 1)?;
            }
            world.probe(2, 1)?;
            step.to("receiving from any");
            let mut before = 0;
            while world.recv::<u32>(Source::Any, 1)?.source != 2 {
                before += 1;
            }
            assert!(before <= window, "{before} messages came before, with a window of {window}");
            step.to("receiving the rest");
            for _ in 20 + before..FLOOD as usize {
                world.recv::<u32>(Source::Any, 1)?;
            }
            Ok(())
        }
        1 => (0..FLOOD).try_for_each(|number| world.send(0, 1, &[number])),
        _ => world.send(0, 1, &[7u32]),
    });
}

/// A probe tells what a receive then gets, and takes nothing.
/// SEMANTICS: ORD-2
fn a_probe_takes_nothing(case: &Case) {
    for size in case.sizes(&SIZES) {
        let mut config = case.config(size);
        config.window_messages = config.window_messages.max(2); // both must be there at once
        case.run_with(&config, size, |world, _| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            let previous = (rank + size - 1) % size;
            world.isend(next, 5, &[rank as u64; 3])?;
            world.isend(next, 6, &[rank as u8; 7])?;
            for _ in 0..3 {
                let status = world.probe(Source::Any, 6)?;
                assert_eq!((status.source, status.tag, status.bytes), (previous, 6, 7));
                let status = world.probe(previous, Tag::Any)?;
                assert_eq!((status.tag, status.bytes), (5, 24));
                assert_eq!(world.try_probe(previous, 5)?, Some(status));
                assert_eq!(world.try_probe(previous, 7)?, None);
            }
            assert_eq!(world.recv::<u64>(previous, 5)?.data, [previous as u64; 3]);
            assert_eq!(world.recv::<u8>(previous, 6)?.data, [previous as u8; 7]);
            assert_eq!(world.try_probe(Source::Any, Tag::Any)?, None);
            Ok(())
        });
    }
}

/// Messages to oneself keep to the same rules.
/// SEMANTICS: ORD-1, ORD-2
fn messages_to_oneself_are_ordered_too(case: &Case) {
    for size in case.sizes(&SIZES) {
        let tried = Gate::new();
        case.run(size, |world, step| {
            let me = world.rank();
            world.send(me, 1, &[1u8])?;
            assert!(world.try_send(me, 1, &[2u8])?);
            if me == size - 1 && size > 1 {
                tried.wait_progressing(size - 1, world)?;
            }
            let barrier = world.barrier()?;
            world.isend(me, 1, &vec![3u8; 100_000])?.wait()?;
            assert_eq!(world.recv::<u8>(me, 1)?.data, [1]);
            assert_eq!(world.recv::<u8>(me, Tag::Any)?.data, [2]);
            if size > 1 && me != size - 1 {
                for _ in 0..TRIES {
                    assert_eq!(world.try_recv::<u8>(me, 1)?, None);
                }
                assert!(!barrier.test()?);
                tried.arrive();
            }
            step.to("receiving the held one");
            assert_eq!(world.recv::<u8>(me, 1)?.data, vec![3u8; 100_000]);
            assert!(barrier.test()?);
            Ok(())
        });
    }
}

/// A chain of messages that starts after a barrier does not reach a rank before that rank has
/// completed it, over however many others.
/// SEMANTICS: ORD-1, ORD-3
fn a_chain_does_not_get_round_a_barrier(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 2) {
        case.run(size, |world, step| {
            let rank = world.rank();
            if rank == 0 {
                // Posted before the barrier by rank 0, but after what rank 0 does next by time.
                world.barrier()?;
                return world.send(1, 1, &[1u32]);
            }
            if rank < size - 1 {
                let barrier = world.barrier()?;
                step.to("passing on");
                let message = world.recv::<u32>(rank - 1, 1)?;
                assert!(barrier.test()?);
                return world.send(rank + 1, 1, &[message.data[0] + 1]);
            }
            for _ in 0..TRIES {
                assert_eq!(world.try_recv::<u32>(Source::Any, Tag::Any)?, None);
            }
            world.barrier()?;
            step.to("at the end of the chain");
            assert_eq!(world.recv::<u32>(Source::Any, 1)?.data, [size as u32 - 1]);
            Ok(())
        });
    }
}

suite_and_exposed!(
    what_follows_a_barrier_is_held_until_it_completes,
    supersteps_follow_one_another,
    messages_of_one_sender_do_not_overtake,
    any_source_takes_what_was_noticed_first,
    a_flood_starves_nobody,
    a_probe_takes_nothing,
    messages_to_oneself_are_ordered_too,
    a_chain_does_not_get_round_a_barrier,
);

on_many_hosts!(
    what_follows_a_barrier_is_held_until_it_completes,
    supersteps_follow_one_another,
    messages_of_one_sender_do_not_overtake,
    any_source_takes_what_was_noticed_first,
    a_flood_starves_nobody,
    a_probe_takes_nothing,
    messages_to_oneself_are_ordered_too,
    a_chain_does_not_get_round_a_barrier,
);

on_two_hosts!(
    what_follows_a_barrier_is_held_until_it_completes,
    supersteps_follow_one_another,
    messages_of_one_sender_do_not_overtake,
    any_source_takes_what_was_noticed_first,
    a_flood_starves_nobody,
    a_probe_takes_nothing,
    messages_to_oneself_are_ordered_too,
    a_chain_does_not_get_round_a_barrier,
);

in_calls!(
    supersteps_follow_one_another,
    messages_of_one_sender_do_not_overtake,
    a_flood_starves_nobody
);
