//! Small data that all ranks of a host need, which lie where all see them. Where ranks share no words
//! the same programs go by messages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runahead::internals::message::Notify;
use runahead::{CollectiveError, Error, MessageError, Tree};

use crate::harness::{Case, Gate, World, die, message_error};

/// The largest group that deposits; the smallest has two members.
pub(crate) const MOST: usize = 64;

/// The root of the broadcasts.
pub(crate) const ROOT: usize = 1;

/// Whether the world of this size deposits.
pub(crate) fn deposits(case: &Case, size: usize) -> bool {
    let is_near = case.network.shares_words && !case.has_hosts(size);
    is_near && case.network.causal && (2..=MOST).contains(&size)
}

pub(crate) fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// A rank deposits in each such call in which others need its data, and sends nothing.
/// SEMANTICS: COL-3, COL-6, COL-9
fn small_data_are_deposited(case: &Case) {
    let is_near = case.network.shares_words;
    for size in case.sizes(&[2, 3, 5, 8, 17, MOST, MOST + 1]).filter(|&size| size < MOST || is_near)
    {
        let rounds = if size < MOST { 20 } else { 2 };
        case.run(size, |world, step| {
            let rank = world.rank() as u64;
            // From here on all have made the world.
            world.barrier()?.wait()?;
            for round in 0..rounds {
                step.to(format!("round {round}"));
                let all = world.all_reduce(&[rank + round, 7], add)?;
                let sum = |end: u64| (0..end).sum::<u64>();
                assert_eq!(all, [sum(size as u64) + round * size as u64, 7 * size as u64]);
                // Behind each call that all wait in come at most two that they do not: so there are
                // always places.
                let mut data = [if world.rank() == ROOT { round } else { 9 }; 11];
                world.broadcast(ROOT, &mut data)?;
                assert_eq!(data, [round; 11]);
                let through = world.scan(&[rank], add)?;
                assert_eq!(through, [sum(rank + 1)]);
                // Of different lengths.
                let parts = world.all_gather(&vec![rank; world.rank() % 3])?;
                let lens: Vec<usize> = parts.iter().map(<[u64]>::len).collect();
                assert_eq!(lens, (0..size).map(|from| from % 3).collect::<Vec<_>>());
                assert!((0..size).all(|from| parts[from].iter().all(|&it| it == from as u64)));
                let lower = world.exclusive_scan(&[rank, 5], add)?;
                assert_eq!(lower, (rank > 0).then(|| vec![sum(rank), 5 * rank]));
                let mut gathered = vec![0; size];
                world.all_gather_into(&[rank], &mut gathered)?;
                assert!(gathered.iter().copied().eq(0..size as u64));
            }
            let stats = world.stats()?;
            if deposits(case, size) {
                // Nobody needs what the last rank gives to a scan.
                let (is_root, is_last) = (world.rank() == ROOT, world.rank() + 1 == size);
                let deposits = rounds * (3 + u64::from(is_root) + 2 * u64::from(!is_last));
                assert_eq!((stats.deposits, stats.messages_sent), (deposits, 0));
            } else if !case.has_hosts(size) {
                assert_eq!(stats.deposits, 0);
            }
            Ok(())
        });
    }
}

/// So in calls that have something for one rank only, or another block for each: no message is sent.
/// SEMANTICS: COL-3, COL-5, COL-9
fn what_one_rank_needs_or_differs_is_deposited(case: &Case) {
    for size in case.sizes(&[2, 3, 5, 8, MOST]) {
        case.run(size, |world, step| {
            let (rank, all) = (world.rank() as u64, size as u64);
            let is_root = world.rank() == ROOT;
            let sum = (0..all).sum::<u64>();
            world.barrier()?.wait()?;
            for round in 0..20 {
                step.to(format!("round {round}"));
                let total = world.reduce(ROOT, &[rank, round], add)?;
                assert_eq!(total, is_root.then(|| vec![sum, round * all]));
                assert_eq!(world.all_reduce(&[round], add)?, [round * all]);
                // Of different lengths.
                let parts = world.gather(ROOT, &vec![rank + round; world.rank() % 3])?;
                assert!(parts.is_none_or(|parts| {
                    (0..size).all(|from| parts[from] == vec![from as u64 + round; from % 3])
                }));
                let mut gathered = vec![0; if is_root { size } else { 0 }];
                world.gather_into(ROOT, &[rank + round], &mut gathered)?;
                assert!(!is_root || gathered.iter().copied().eq(round..round + all));
                let blocks: Vec<u64> = (0..all).map(|to| 100 * rank + to + round).collect();
                assert_eq!(
                    world.all_to_all(&blocks)?,
                    (0..all).map(|from| 100 * from + rank + round).collect::<Vec<_>>()
                );
                // A byte for each, and blocks that do not begin with a word.
                let bytes: Vec<u8> = (0..3 * all).map(|at| (at + rank) as u8).collect();
                let expected = (0..all).flat_map(|from| (0..3).map(move |at| 3 * rank + at + from));
                assert!(world.all_to_all(&bytes)?.into_iter().map(u64::from).eq(expected));
                let mut mine = [0; 3];
                world.scatter_into(ROOT, if is_root { &bytes } else { &[] }, &mut mine)?;
                assert!((0..3).all(|at| mine[at] == (3 * world.rank() + at + ROOT) as u8));
                assert_eq!(world.reduce_scatter(&blocks, add)?, [100 * sum + all * (rank + round)]);
            }
            let stats = world.stats()?;
            if deposits(case, size) {
                let made = 20 * (4 + if is_root { 1 } else { 3 });
                assert_eq!((stats.deposits, stats.messages_sent), (made, 0));
            }
            Ok(())
        });
    }
}

/// Broadcasts alone, or scans alone: who has read what lies in a place says so itself.
/// SEMANTICS: COL-9
fn places_are_free_again_without_calls_that_all_wait_in(case: &Case) {
    for size in case.sizes(&[3, 5]) {
        case.run(size, |world, step| {
            world.barrier()?.wait()?;
            for round in 0..20 {
                step.to(format!("broadcast {round}"));
                let mut data = [if world.rank() == ROOT { round } else { 99 }];
                world.broadcast(ROOT, &mut data)?;
                assert_eq!(data, [round]);
                world.barrier()?.wait()?;
            }
            for round in 0..20u64 {
                step.to(format!("scan {round}"));
                let sum = world.scan(&[round], add)?[0];
                assert_eq!(sum, round * (world.rank() as u64 + 1));
                world.barrier()?.wait()?;
            }
            let stats = world.stats()?;
            if deposits(case, size) {
                let (is_root, is_last) = (world.rank() == ROOT, world.rank() + 1 == size);
                let made = 20 * (u64::from(is_root) + u64::from(!is_last));
                assert_eq!((stats.deposits, stats.messages_sent), (made, 0));
            }
            Ok(())
        });
    }
}

/// In one call some ranks deposit and others have too much for it. Calls of other shapes come in
/// between.
/// SEMANTICS: COL-3, COL-9
fn small_and_large_data_come_together(case: &Case) {
    for size in case.sizes(&[2, 3, 5, 8]) {
        case.run(size, |world, step| {
            for round in 0..12 {
                step.to(format!("round {round}"));
                let is_large = |from: usize| (from + round).is_multiple_of(3);
                let count = |from: usize| if is_large(from) { 300 } else { from };
                let own = vec![world.rank() as u64; count(world.rank())];
                let parts = world.all_gather(&own)?;
                for from in 0..size {
                    assert_eq!(parts[from], vec![from as u64; count(from)]);
                }
                // Its root may be ahead by as much as the windows allow.
                let mut data = vec![round as u64; 1 + 200 * (round % 2)];
                for _ in 0..round {
                    world.broadcast(round % size, &mut data)?;
                }
                assert!(data.iter().all(|&it| it == round as u64));
                // As much as may be deposited, and an element more.
                let count = [1, 139, 140, 300][round % 4];
                assert_eq!(world.all_reduce(&vec![1; count], add)?, vec![size as u64; count]);
            }
            Ok(())
        });
    }
}

/// A barrier of all ranks is open, since rank 3 has not called it: what others have deposited after
/// it in a group without rank 3 is not seen.
/// SEMANTICS: ORD-1, HOLD-1, COL-9
fn a_deposit_waits_for_its_barrier(case: &Case) {
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
        world.barrier()?;
        ahead.arrive();
        assert_eq!(group.all_reduce(&[1u64], add)?, [3]);
        assert!(is_entered.load(Ordering::SeqCst));
        assert_eq!(group.all_gather(&[world.rank() as u64])?.data(), [0, 1, 2]);
        Ok(())
    });
}

/// The same in a group of all ranks, where each knows what the others have finished: what is short goes its straight path
/// there. (Planted: it has the stamp of a barrier before.)
/// SEMANTICS: ORD-1, HOLD-1, COL-9
fn a_short_deposit_waits_for_a_barrier_of_all(case: &Case) {
    const ROUNDS: usize = 8;
    let entered: [AtomicBool; ROUNDS] = Default::default();
    let ahead = Gate::new();
    case.run(3, |world, _| {
        for (round, is_entered) in entered.iter().enumerate() {
            for _ in 0..2 {
                assert_eq!(world.all_reduce(&[1u64], add)?, [3]);
            }
            if world.rank() == 2 {
                ahead.wait_computing(2 * (round + 1));
                // So that a rank which does not wait has gone on.
                std::thread::sleep(Duration::from_millis(1));
                is_entered.store(true, Ordering::SeqCst);
            }
            world.barrier()?;
            if world.rank() == 1 {
                ahead.arrive();
            }
            let mut data = [if world.rank() == 0 { round as u64 } else { 0 }];
            world.broadcast(0, &mut data)?;
            assert_eq!(data, [round as u64]);
            if world.rank() == 0 {
                ahead.arrive();
            } else {
                assert!(is_entered.load(Ordering::SeqCst), "read before the barrier was complete");
            }
        }
        Ok(())
    });
}

/// Rank 0 has called a barrier with rank 1, which is late, and gives something to ranks 2 and 3: it
/// does not get there before rank 1 has entered.
/// SEMANTICS: CON-1, COL-9
fn what_an_open_barrier_contains_is_not_deposited(case: &Case) {
    let (is_entered, called) = (AtomicBool::new(false), Gate::new());
    case.run(4, |world, step| {
        let rank = world.rank();
        let lower = world.split(u32::from(rank > 1), 0)?;
        let others = world.split(u32::from(rank == 1), 0)?;
        step.to("both groups are made");
        if rank == 1 {
            called.wait_computing(1);
            is_entered.store(true, Ordering::SeqCst);
            lower.barrier()?;
            return Ok(());
        }
        if rank == 0 {
            lower.barrier()?;
            called.arrive();
        }
        assert_eq!(others.all_reduce(&[rank as u64], add)?, [5]);
        assert!(is_entered.load(Ordering::SeqCst));
        Ok(())
    });
}

/// Groups have the same places one after the other, and each sees its own deposits only.
/// SEMANTICS: GRP-1, GRP-3
fn groups_that_follow_each_other_see_their_own(case: &Case) {
    case.run(6, |world, step| {
        for round in 0..30u64 {
            step.to(format!("round {round}"));
            let is_even = (world.rank() as u64).is_multiple_of(2);
            let group = world.split(u32::from(is_even == round.is_multiple_of(2)), 0)?;
            // With the first, some may not have made the group yet, so that it goes by messages.
            for call in 0..2 {
                let sum = group.all_reduce(&[round + call, world.rank() as u64], add)?;
                assert_eq!(sum, [3 * (round + call), if is_even { 6 } else { 9 }]);
            }
        }
        if !case.has_hosts(6) {
            // Places that not all have left yet are not given again, and not all have room.
            assert_eq!(world.stats()?.deposits > 0, deposits(case, 3));
        }
        Ok(())
    });
}

/// The root of a broadcast is ahead of members that have yet to make the group, and whose words are still those of the
/// group before at the same place. What it gives is kept until they have, though it drops the group and makes another.
/// SEMANTICS: GRP-1, GRP-3, COL-9
fn a_root_may_be_done_with_a_group_before_others_have_made_it(case: &Case) {
    case.run(4, |world, step| {
        let rank = world.rank();
        for round in 0..12u64 {
            step.to(format!("round {round}"));
            let before = world.split(0, 0)?;
            for _ in 0..9 {
                before.all_reduce(&[1u64], add)?;
            }
            drop(before);
            let given = |call: u64| 100 * round + call;
            let group = world.split(0, 0)?;
            if rank != ROOT {
                // Late by some of its messages.
                (0..rank * 3).try_for_each(|_| world.progress())?;
                std::thread::yield_now();
            }
            for call in 0..7 {
                let mut data = [if rank == ROOT { given(call) } else { 9 }];
                group.broadcast(ROOT, &mut data)?;
                assert_eq!(data, [given(call)]);
            }
            drop(group);
            // Without rank 0, and so without whoever of the last group is late.
            if rank != 0 {
                let others = world.group(&[1, 2, 3])?;
                let mut data = [if rank == ROOT { given(50) } else { 9 }];
                others.broadcast(0, &mut data)?;
                assert_eq!(data, [given(50)]);
            }
        }
        Ok(())
    });
}

/// Two ranks take themselves for the root of a broadcast. What either gave is found, unread, with the next that it gives.
/// (Rank 2 has what it asked for, and learns of it by the next call too. By messages only rank 0 would be sure to.)
/// SEMANTICS: COL-4, COL-9
fn two_roots_are_told_of_each_other_by_the_next_call(case: &Case) {
    if !deposits(case, 3) {
        return;
    }
    let told = Gate::new();
    case.run(3, |world, step| {
        world.barrier()?.wait()?;
        let root = world.rank() % 2;
        world.broadcast(root, &mut [world.rank() as u64])?;
        step.to("the sum");
        let error = world.all_reduce(&[1u64], add).expect_err("the roots differ");
        let Error::Collective(CollectiveError::Mismatch { from, theirs, ours }) = &error else {
            panic!("{error}")
        };
        assert_eq!(*from, [1, 0, 1][world.rank()]);
        assert_eq!(theirs, "its collective number 1");
        assert!(ours.starts_with("number 2, all_reduce"), "{ours}");
        // Else the others might be told of its end instead.
        told.arrive();
        told.wait_progressing(3, world)
    });
}

/// A rank that was lost after a call is named by the next; those that it had completed are whole.
/// SEMANTICS: END-2, COL-9
fn a_rank_that_deposits_no_more_is_named(case: &Case) {
    for size in case.sizes(&[3, 5, 8]).filter(|&size| deposits(case, size)) {
        // Else rank 0 is told, and the others of its end.
        let checked = Gate::new();
        let outcome = case.ending_outcome(&case.config(size), size, |world, step| {
            step.to("the sum");
            assert_eq!(world.all_reduce(&[1u64], add)?, [size as u64]);
            if world.rank() == 1 {
                die("gone");
            }
            step.to("the next sum");
            let error = message_error(world.all_reduce(&[1u64], add));
            assert_eq!(error, MessageError::PeerLost { rank: 1 });
            checked.arrive();
            checked.wait_progressing(size - 1, world)
        });
        assert!(checked.has(size - 1), "{outcome:?}");
    }
}

/// A function that combines may call collectives itself.
/// SEMANTICS: COL-9
fn an_operator_may_call_collectives(case: &Case) {
    if !deposits(case, 3) {
        // There not all ranks combine.
        return;
    }
    case.run(3, |world: &World, step| {
        let inner = |a: u64, b: u64| {
            let nested = (0..6).map(|_| world.all_reduce(&[1u64], add).unwrap()[0]);
            assert!(nested.into_iter().all(|sum| sum == 3));
            a + b
        };
        // Others have gone on to what the operator of the root calls. Were each part combined as it comes, the
        // root would say that it has read what it has yet to read.
        let at_root = |a: u64, b: u64| {
            (0..6).for_each(|_| assert_eq!(world.all_reduce(&[1u64], add).unwrap(), [3]));
            a + b
        };
        step.to("a reduction");
        let total = world.reduce(0, &[1u64], at_root)?;
        match world.rank() {
            0 => assert_eq!(total, Some(vec![3])),
            _ => (0..12).for_each(|_| assert_eq!(world.all_reduce(&[1u64], add).unwrap(), [3])),
        }
        for tree in [Tree::Auto, Tree::Flat] {
            world.set_tree(tree);
            step.to(format!("{tree}"));
            assert_eq!(world.all_reduce(&[1u64], inner)?, [3]);
            assert_eq!(
                world.reduce_scatter(&[1u64, 2, 3], inner)?,
                [3 * (world.rank() as u64 + 1)]
            );
        }
        Ok(())
    });
}

/// Ranks combine at different times and different numbers of lower ranks, so what they call is local: each sends to
/// itself, and waits for its own. Others go on meanwhile, and what they deposit next is not taken for what a rank has yet
/// to combine.
/// SEMANTICS: COL-3, COL-6, COL-9
fn an_operator_of_a_scan_may_call_the_runtime(case: &Case) {
    for size in case.sizes(&[3, 5]) {
        case.run(size, |world: &World, step| {
            let inner = |a: u64, b: u64| {
                world.send(world.rank(), 3, &[a]).unwrap();
                world.recv::<u64>(world.rank(), 3).unwrap().data[0] * 10 + b
            };
            for round in 0..12u64 {
                step.to(format!("round {round}"));
                let mine = [world.rank() as u64 + 1 + round % 2];
                let expected = |end: usize| {
                    (0..end as u64).fold(0, |all, rank| 10 * all + rank + 1 + round % 2)
                };
                assert_eq!(world.scan(&mine, inner)?, [expected(world.rank() + 1)]);
                let lower = world.exclusive_scan(&mine, inner)?;
                assert_eq!(lower, (world.rank() > 0).then(|| vec![expected(world.rank())]));
            }
            Ok(())
        });
    }
}

/// The root is ahead of the others by many calls: it deposits as long as a place is free, and sends what
/// more there is. Where data do not fit into a slot there are fewer places. All comes in order.
/// SEMANTICS: COL-2, COL-9
fn a_root_that_is_ahead_deposits_and_then_sends(case: &Case) {
    for (count, places) in [(1, 64), (40, 4)] {
        for size in case.sizes(&[3, 5]).filter(|&size| deposits(case, size)) {
            let ahead = Gate::new();
            // Each call that finds no place is a message.
            let window_messages = u64::from(case.config(size).window_messages);
            let sent = window_messages.min(2);
            let calls = places + sent;
            case.run(size, |world, step| {
                world.barrier()?.wait()?;
                let is_root = world.rank() == ROOT;
                if !is_root {
                    step.to("the root is ahead");
                    ahead.wait_computing(1);
                }
                for call in 0..calls {
                    let mut data = vec![if is_root { call } else { 99 }; count];
                    world.broadcast(ROOT, &mut data)?;
                    assert_eq!(data, vec![call; count]);
                }
                if is_root {
                    let stats = world.stats()?;
                    assert_eq!(
                        (stats.deposits, stats.messages_sent),
                        (places, sent * (size as u64 - 1))
                    );
                    ahead.arrive();
                }
                Ok(())
            });
        }
    }
}

/// A rank that needs something of all sleeps until the last has deposited. (Planted: it sleeps for one after the other.)
/// SEMANTICS: FLOW-3, COL-9
fn a_rank_that_needs_all_is_woken_by_the_last(case: &Case) {
    for gathers in [true, false] {
        for size in case.sizes(&[5]).filter(|&size| deposits(case, size)) {
            let mut config = case.config(size);
            config.notify = Notify::Block;
            let (turn, done) = (Gate::new(), Gate::new());
            case.run_with(&config, size, |world, step| {
                let rank = world.rank();
                let mut all = vec![0; if rank == 0 || !gathers { size } else { 0 }];
                let (my_turn, _done) = (turn.promise(), (rank == 0).then(|| done.promise()));
                world.barrier()?.wait()?;
                let before = world.stats()?;
                // The others give their data one after the other, and mostly the first sleeps then. The test holds in
                // any case.
                if rank > 0 {
                    step.to("waiting for its turn");
                    turn.wait_computing(rank);
                    std::thread::sleep(Duration::from_millis(4));
                }
                drop(my_turn);
                match gathers {
                    true => world.gather_into(0, &[rank], &mut all)?,
                    false => world.all_gather_into(&[rank], &mut all)?,
                }
                assert!(all.iter().copied().eq(0..all.len()));
                if rank > 0 {
                    // That a rank ends is news.
                    step.to("waiting for the first");
                    done.wait_computing(1);
                    return Ok(());
                }
                let sleeps = world.stats()?.sleeps - before.sleeps;
                // For a moment after it fell asleep for the first time it looks again now and then.
                assert!(sleeps <= 3, "it was woken {sleeps} times");
                Ok(())
            });
        }
    }
}

suite!(
    small_data_are_deposited,
    what_one_rank_needs_or_differs_is_deposited,
    places_are_free_again_without_calls_that_all_wait_in,
    small_and_large_data_come_together,
    a_deposit_waits_for_its_barrier,
    a_short_deposit_waits_for_a_barrier_of_all,
    what_an_open_barrier_contains_is_not_deposited,
    groups_that_follow_each_other_see_their_own,
    a_root_may_be_done_with_a_group_before_others_have_made_it,
    two_roots_are_told_of_each_other_by_the_next_call,
    a_rank_that_deposits_no_more_is_named,
    an_operator_may_call_collectives,
    an_operator_of_a_scan_may_call_the_runtime,
    a_root_that_is_ahead_deposits_and_then_sends,
    a_rank_that_needs_all_is_woken_by_the_last,
);
