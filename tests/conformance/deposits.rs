//! Small collectives within a host, whose messages lie where all members see them. Where ranks share
//! no words the same programs go by messages.

use std::sync::atomic::{AtomicBool, Ordering};

use runahead::{MessageError, Tree};

use crate::harness::{Case, Gate, World, die, message_error};

/// The largest group that deposits.
const MOST: usize = 16;

/// The slots of a rank in a group.
const SLOTS: u64 = 4;

/// Whether the world of this size deposits.
fn deposits(case: &Case, size: usize) -> bool {
    case.network.shares_words && !case.has_hosts(size) && (2..=MOST).contains(&size)
}

fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// A rank deposits in each call in which others need its data, and sends nothing. Nobody waits for
/// a slot: in the last calls rank 0 may be far behind.
/// SEMANTICS: COL-3, COL-9
fn small_collectives_are_deposits(case: &Case) {
    for size in case.sizes(&[2, 3, 5, 8, MOST, MOST + 1]) {
        case.run(size, |world, step| {
            let rank = world.rank() as u64;
            let below = |end: u64| (0..end).sum::<u64>();
            for round in 0..20 {
                step.to(format!("round {round}"));
                let mine = [rank + round, 7];
                let all = world.all_reduce(&mine, add)?;
                assert_eq!(all, [below(size as u64) + round * size as u64, 7 * size as u64]);
                let lower = world.exclusive_scan(&[rank], add)?;
                assert_eq!(lower, (rank > 0).then(|| vec![below(rank)]));
                // Of different lengths.
                let parts = world.all_gather(&vec![rank; world.rank() % 3])?;
                let lens: Vec<usize> = parts.iter().map(<[u64]>::len).collect();
                assert_eq!(lens, (0..size).map(|from| from % 3).collect::<Vec<_>>());
                assert!((0..size).all(|from| parts[from].iter().all(|&it| it == from as u64)));
            }
            let stats = world.stats()?;
            if deposits(case, size) {
                // The last rank has nobody above it in a scan.
                let scans = if world.rank() + 1 < size { 20 } else { 0 };
                assert_eq!((stats.deposits, stats.messages_sent), (40 + scans, 0));
            } else if !case.has_hosts(size) {
                assert_eq!(stats.deposits, 0);
            }
            Ok(())
        });
    }
}

/// Long payloads go by messages, in the same calls at some ranks.
/// SEMANTICS: COL-3, COL-9
fn small_and_large_data_come_together(case: &Case) {
    for size in case.sizes(&[2, 3, 8]) {
        case.run(size, |world, step| {
            for round in 0..8 {
                step.to(format!("round {round}"));
                let count = |from: usize| if (from + round).is_multiple_of(3) { 300 } else { from };
                let own = vec![world.rank() as u64; count(world.rank())];
                let parts = world.all_gather(&own)?;
                for from in 0..size {
                    assert_eq!(parts[from], vec![from as u64; count(from)]);
                }
                let root = round % size;
                if let Some(parts) = world.gather(root, &own)? {
                    assert_eq!(parts.data().len(), (0..size).map(count).sum::<usize>());
                }
                let mut data = vec![round as u64; 1 + 40 * (round % 2)];
                world.broadcast(root, &mut data)?;
                assert!(data.iter().all(|&it| it == round as u64));
            }
            Ok(())
        });
    }
}

/// The reader is away, and nobody waits for its slots: what finds none goes as a message, and all of
/// it comes in order.
/// SEMANTICS: COL-2, COL-9, FLOW-1
fn full_slots_keep_nobody(case: &Case) {
    let away = Gate::new();
    case.run(3, |world, step| {
        let window = u64::from(case.config(3).window_messages);
        let calls = window.min(20) + if deposits(case, 3) { SLOTS } else { 0 };
        if world.rank() == 1 {
            away.wait_progressing(2, world)?;
        }
        let promise = (world.rank() != 1).then(|| away.promise());
        for call in 0..calls {
            step.to(format!("call {call}"));
            let mut data = [if world.rank() == 0 { call } else { 0 }];
            world.broadcast(0, &mut data)?;
            assert_eq!(data, [call]);
        }
        drop(promise);
        if world.rank() == 0 && deposits(case, 3) {
            let stats = world.stats()?;
            assert!((SLOTS..calls).contains(&stats.deposits), "{stats:?}");
        }
        // All slots are free again.
        world.barrier()?.wait()?;
        let before = world.stats()?.deposits;
        world.all_reduce(&[1u64], add)?;
        assert_eq!(world.stats()?.deposits > before, deposits(case, 3));
        Ok(())
    });
}

/// Rank 0 has passed a barrier and deposits; rank 1, which has entered it too, gets nothing before
/// rank 2 has.
/// SEMANTICS: ORD-1, HOLD-1
fn a_deposit_waits_for_its_barrier(case: &Case) {
    let (is_entered, ahead) = (AtomicBool::new(false), Gate::new());
    case.run(3, |world, step| {
        if world.rank() == 2 {
            ahead.wait_computing(2);
            is_entered.store(true, Ordering::SeqCst);
        }
        step.to("the barrier");
        world.barrier()?;
        let mut data = [world.rank() as u64];
        if world.rank() == 1 {
            ahead.arrive();
        }
        step.to("the broadcast");
        world.broadcast(0, &mut data)?;
        if world.rank() == 0 {
            // Its deposit lies there.
            ahead.arrive();
        }
        assert!(world.rank() == 0 || is_entered.load(Ordering::SeqCst));
        assert_eq!(data, [0]);
        let all = world.all_gather(&[world.rank() as u64])?;
        assert_eq!(all.data(), [0, 1, 2]);
        Ok(())
    });
}

/// Rank 0 has called a barrier with rank 1, which is late, and gives something to rank 2, in groups
/// of two: it does not get there before rank 1 has entered.
/// SEMANTICS: CON-1
fn what_an_open_barrier_contains_is_not_deposited(case: &Case) {
    let (is_entered, called) = (AtomicBool::new(false), Gate::new());
    case.run(3, |world, step| {
        let rank = world.rank();
        let lower = world.split(u32::from(rank == 2), 0)?;
        let even = world.split(u32::from(rank == 1), 0)?;
        step.to("both groups are made");
        match rank {
            0 => {
                lower.barrier()?;
                called.arrive();
                even.broadcast(0, &mut [5u64])?;
            }
            1 => {
                // Rank 0 may be in its broadcast.
                called.wait_computing(1);
                is_entered.store(true, Ordering::SeqCst);
                lower.barrier()?;
            }
            _ => {
                let mut data = [0u64];
                even.broadcast(0, &mut data)?;
                assert!(is_entered.load(Ordering::SeqCst));
                assert_eq!(data, [5]);
            }
        }
        Ok(())
    });
}

/// Groups have the same places one after the other, and each sees its own deposits only.
/// SEMANTICS: GRP-1, GRP-3
fn groups_that_follow_each_other_see_their_own(case: &Case) {
    case.run(4, |world, step| {
        for round in 0..30u64 {
            step.to(format!("round {round}"));
            let group = world.split((world.rank() as u32 + round as u32) % 2, 0)?;
            let sum = group.all_reduce(&[round, world.rank() as u64], add)?;
            let mates: u64 = if (world.rank() as u64).is_multiple_of(2) { 2 } else { 4 };
            assert_eq!(sum, [2 * round, mates]);
            // The lower member runs ahead and drops it.
            let ahead = group.reduce(1, &[round], add)?;
            assert!(ahead.is_none_or(|sum| sum == [2 * round]));
        }
        if !case.has_hosts(4) {
            assert_eq!(world.stats()?.deposits > 0, case.network.shares_words);
        }
        Ok(())
    });
}

/// What a rank has deposited before it died is read; the next call fails and names it.
/// SEMANTICS: END-2
fn deposits_of_a_lost_rank_are_read(case: &Case) {
    if !case.network.shares_words {
        // There a message may be lost with its sender.
        return;
    }
    for size in [2, 3, 5] {
        let (gone, checked) = (Gate::new(), Gate::new());
        let outcome = case.ending_outcome(&case.config(size), size, |world, step| {
            if world.rank() == 1 {
                let promise = gone.promise();
                world.reduce(0, &[1u64], add)?;
                drop(promise);
                die("gone");
            }
            if world.rank() == 0 {
                gone.wait_progressing(1, world)?;
                step.to("the sum");
                assert_eq!(world.reduce(0, &[1u64], add)?, Some(vec![size as u64]));
                step.to("the next sum");
                let error = message_error(world.reduce(0, &[1u64], add).map(drop));
                assert_eq!(error, MessageError::PeerLost { rank: 1 });
                checked.arrive();
            } else {
                world.reduce(0, &[1u64], add)?;
                let _ = world.reduce(0, &[1u64], add);
                checked.wait_progressing(1, world)?;
            }
            Ok(())
        });
        assert!(checked.has(1), "{outcome:?}");
    }
}

/// A function that combines may call collectives itself.
/// SEMANTICS: COL-9
fn an_operator_may_call_collectives(case: &Case) {
    case.run(3, |world: &World, step| {
        let inner = |a: u64, b: u64| {
            let nested = (0..6).map(|_| world.all_reduce(&[1u64], add).unwrap()[0]);
            assert!(nested.into_iter().all(|sum| sum == 3));
            a + b
        };
        for tree in [Tree::Auto, Tree::Flat] {
            world.set_tree(tree);
            step.to(format!("{tree}"));
            // Else not all ranks combine.
            if deposits(case, 3) {
                assert_eq!(world.all_reduce(&[1u64], inner)?, [3]);
            }
        }
        Ok(())
    });
}

suite!(
    small_collectives_are_deposits,
    small_and_large_data_come_together,
    full_slots_keep_nobody,
    a_deposit_waits_for_its_barrier,
    what_an_open_barrier_contains_is_not_deposited,
    groups_that_follow_each_other_see_their_own,
    deposits_of_a_lost_rank_are_read,
    an_operator_may_call_collectives,
);
