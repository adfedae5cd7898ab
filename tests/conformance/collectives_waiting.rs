//! Whom a rank waits for in a collective, shown by keeping ranks out of it.

use runahead::{CollectiveError, Error, Exchange, Tree};

use crate::harness::{Case, Gate};

const SIZES: [usize; 4] = [2, 3, 5, 8];

/// Each rank in turn stays away: who needs only lower ranks has its prefix all the same.
/// SEMANTICS: COL-2, COL-6
fn a_scan_waits_for_no_higher_rank(case: &Case) {
    let mut parts = 0..;
    for size in case.sizes(&SIZES) {
        for tree in Tree::SHAPES {
            for (away, count) in (0..size).flat_map(|away| [(away, 1), (away, 3000)]) {
                if !case.has_part_in_guest(parts.next().unwrap()) {
                    continue;
                }
                let mut config = case.config(size);
                // What comes before the word of a large payload is taken lies in the window.
                config.window_messages = config.window_messages.max(8);
                let gate = Gate::new();
                case.run_with(&config, size, |world, step| {
                    world.set_tree(tree);
                    let rank = world.rank();
                    if rank == away {
                        gate.wait_progressing(away, world)?;
                    }
                    step.to(format!("{tree}, {count} elements, without rank {away}"));
                    let _arrival = (rank < away).then(|| gate.promise());
                    let ends = world.scan(&vec![1 + rank as u64; count], |a, b| a + b)?;
                    let end = ((rank + 1) * (rank + 2) / 2) as u64;
                    assert!(ends.len() == count && ends.iter().all(|&element| element == end));
                    // As long as the others need what this rank still has to send.
                    drop(_arrival);
                    gate.wait_progressing(away, world)
                });
            }
        }
    }
}

/// Each rank in turn has posted its data, and does not return from combining until all others have their results. That
/// holds within a host.
/// SEMANTICS: COL-5, COL-6, COL-11
fn nobody_waits_for_who_combines(case: &Case) {
    for size in case.sizes(&[3, 5]) {
        let lengths = [1, 100, 500, 2000, 8192, 60_000];
        for (late, count) in (0..size).flat_map(|late| lengths.map(|count| (late, count))) {
            let mut config = case.config(size);
            config.window_messages = config.window_messages.max(32);
            let (reduced, scanned) = (Gate::new(), Gate::new());
            case.run_with(&config, size, |world, step| {
                if !world.copies_payloads() {
                    return Ok(());
                }
                let rank = world.rank() as u64;
                let add_late = |gate: &Gate, a: u64, b: u64| {
                    if world.rank() == late {
                        gate.wait_computing(size - 1);
                    }
                    a + b
                };
                step.to(format!("reducing {count} elements, rank {late} is late"));
                let promise = reduced.promise();
                let data = vec![rank; count];
                let all = world.all_reduce(&data, |a, b| add_late(&reduced, a, b))?;
                drop(promise);
                assert_eq!(all, vec![(0..size as u64).sum::<u64>(); count]);
                step.to(format!("scanning {count} elements, rank {late} is late"));
                let promise = scanned.promise();
                let through = world.scan(&data, |a, b| add_late(&scanned, a, b))?;
                drop(promise);
                assert_eq!(through, vec![(0..=rank).sum::<u64>(); count]);
                Ok(())
            });
        }
    }
}

/// Who only sends in a gather or scatter returns although nobody else takes part.
/// SEMANTICS: COL-2
fn gather_and_scatter_wait_for_no_receiver(case: &Case) {
    for size in case.sizes(&SIZES) {
        for count in [1, 3000] {
            let (senders, root_done) = (Gate::new(), Gate::new());
            let mut config = case.config(size);
            config.window_messages = config.window_messages.max(3);
            case.run_with(&config, size, |world, step| {
                let (rank, root) = (world.rank(), size - 1);
                let data = vec![rank as u32; count];
                step.to("gathering");
                if rank == root {
                    senders.wait_progressing(size - 1, world)?;
                }
                let parts = world.gather(root, &data)?;
                senders.arrive();
                if let Some(parts) = parts {
                    for (from, part) in parts.iter().enumerate() {
                        assert_eq!(part, vec![from as u32; count]);
                    }
                }
                step.to("scattering");
                if rank != root {
                    root_done.wait_progressing(1, world)?;
                }
                let parts = vec![data.as_slice(); size];
                let part = world.scatter(root, if rank == root { &parts } else { &[] })?;
                root_done.arrive();
                assert_eq!(part, vec![root as u32; count]);
                senders.arrive();
                senders.wait_progressing(2 * size, world)
            });
        }
    }
}

/// What one of two ranks gives the other as one message comes whole, in whatever call, and its sender returns though the other computes and
/// does not call. The receiver takes what is there then. A heap without a place for the last of it is no reason to wait. (Planted: it waits
/// for its receiver; a receiver that takes less; one message also of what does not go at once.)
/// SEMANTICS: COL-2, COL-4, FLOW-4
fn long_data_between_two_ranks_wait_for_no_receiver(case: &Case) {
    const AHEAD: usize = 3;
    // Around the length from which they go as one.
    let some = [40_000, 49_151, 49_152, 70_001].map(|count| (count, None));
    for (count, heap_bytes) in some.into_iter().chain([(49_152, Some(1 << 20))]) {
        let (gave, took) = (Gate::new(), Gate::new());
        let mut config = case.config(2);
        config.window_messages = config.window_messages.max(16 * AHEAD as u32);
        config.heap_bytes = heap_bytes.unwrap_or(config.heap_bytes);
        case.run_with(&config, 2, |world, step| {
            let rank = world.rank();
            let of = |from: usize, nth: usize| move |at: usize| (from * 7 + nth * 31 + at) as u64;
            let filled = |from, nth| (0..count).map(of(from, nth)).collect::<Vec<u64>>();
            // A small heap may still be full of what went before.
            let roots: &[usize] = if heap_bytes.is_none() { &[0, 1, 1, 0, 0] } else { &[] };
            for (nth, &root) in roots.iter().enumerate() {
                step.to(format!("{count} elements of {root}"));
                let mut data = filled(rank, nth);
                world.broadcast(root, &mut data)?;
                assert_eq!(data, filled(root, nth));
            }
            if heap_bytes.is_none() {
                step.to(format!("scanning {count} elements"));
                let mut lower = filled(rank, 1);
                world.exclusive_scan_into(&filled(rank, 9), &mut lower, u64::wrapping_mul)?;
                assert_eq!(lower, if rank == 0 { filled(0, 1) } else { filled(0, 9) });
                world.scan_into(&filled(rank, 2), &mut lower, u64::wrapping_mul)?;
                let combined = |at| match rank {
                    0 => of(0, 2)(at),
                    _ => of(0, 2)(at).wrapping_mul(of(1, 2)(at)),
                };
                assert!((0..count).all(|at| lower[at] == combined(at)));
            }
            if world.copies_payloads() {
                step.to("giving one that computes");
                if rank == 1 {
                    gave.wait_computing(1);
                }
                let promise = (rank == 0).then(|| gave.promise());
                for nth in 0..AHEAD {
                    let mut data = filled(rank, nth);
                    world.broadcast(0, &mut data)?;
                    assert_eq!(data, filled(0, nth));
                    data.fill(0);
                }
                drop(promise);
            }
            world.barrier()?.wait()?;
            step.to("disagreeing");
            let mut data = vec![0u64; count + rank];
            let given = world.broadcast(0, &mut data);
            if rank == 1 {
                let error = given.expect_err("its root gives less");
                let Error::Collective(CollectiveError::Mismatch { from: 0, .. }) = error else {
                    panic!("{error}");
                };
                took.arrive();
            }
            // Else the root's end might be told instead.
            took.wait_progressing(1, world)?;
            Ok(())
        });
    }
}

/// A rank that stays away delays nobody else's data where none forwards: broadcasts and reductions
/// in flat trees, scatters, and exchanges of any kind.
/// SEMANTICS: COL-5
fn no_data_wait_for_a_third_rank(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 2) {
        for (away, tree) in (1..size).flat_map(|away| [(away, Tree::Flat), (away, Tree::Auto)]) {
            let gate = Gate::new();
            let mut config = case.config(size);
            config.window_messages = config.window_messages.max(3);
            case.run_with(&config, size, |world, step| {
                let rank = world.rank();
                world.set_tree(tree);
                if rank == away {
                    // All others have the data of all others.
                    gate.wait_progressing(size - 1, world)?;
                }
                step.to(format!("broadcasting without rank {away}"));
                let mut data = [rank; 3];
                world.broadcast(0, &mut data)?;
                assert_eq!(data, [0; 3]);
                step.to(format!("scattering without rank {away}"));
                let given: Vec<[usize; 2]> = (0..size).map(|to| [to, 100 + to]).collect();
                let given: Vec<&[usize]> = given.iter().map(<[usize; 2]>::as_slice).collect();
                let part = world.scatter(0, if rank == 0 { &given } else { &[] })?;
                assert_eq!(part, [rank, 100 + rank]);
                step.to(format!("exchanging without rank {away}"));
                let own = [rank; 5];
                let outgoing = vec![own.as_slice(); size];
                let mut heard = vec![0; size];
                let mut promise = (rank != away).then(|| gate.promise());
                world.exchange(&outgoing, Exchange::FirstArrived, |from, piece| {
                    assert!(piece.iter().all(|&element| element == from));
                    heard[from] += piece.len();
                    let mut others = (0..size).filter(|&from| from != away);
                    if others.all(|from| heard[from] == 5) {
                        promise.take();
                    }
                })?;
                assert_eq!(heard, vec![5; size]);
                Ok(())
            });
        }
    }
}

/// Who only sends returns although nobody else takes part, also with nothing to send and where not even
/// the word of a call is within the eager limit. In the scan each rank sends before it receives, so
/// those who waited for room would wait in a circle.
/// SEMANTICS: COL-2
fn who_sends_nothing_waits_for_no_receiver(case: &Case) {
    for (size, eager_bytes) in [(3, 0), (3, 23), (3, 24), (5, 1)] {
        for tree in Tree::SHAPES {
            let (root_done, leaves_done) = (Gate::new(), Gate::new());
            let mut config = case.config(size);
            config.eager_bytes = eager_bytes;
            config.window_messages = config.window_messages.max(8);
            case.run_with(&config, size, |world, step| {
                let rank = world.rank();
                let mut nothing: [u64; 0] = [];
                world.set_tree(tree);
                step.to(format!("scanning nothing, {tree}, {eager_bytes}"));
                assert!(world.scan(&nothing, |a, b| a + b)?.is_empty());
                step.to(format!("broadcasting nothing, {tree}, {eager_bytes}"));
                if rank != 0 {
                    root_done.wait_progressing(1, world)?;
                }
                world.broadcast(0, &mut nothing)?;
                root_done.arrive();
                step.to(format!("gathering nothing, {tree}, {eager_bytes}"));
                if rank == 0 {
                    leaves_done.wait_progressing(size - 1, world)?;
                }
                let gathered = world.gather(0, &nothing)?;
                leaves_done.arrive();
                assert!(gathered.is_none_or(|parts| parts.len() == size));
                world.barrier()?.wait()
            });
        }
    }
}

suite!(
    a_scan_waits_for_no_higher_rank,
    nobody_waits_for_who_combines,
    who_sends_nothing_waits_for_no_receiver,
    gather_and_scatter_wait_for_no_receiver,
    long_data_between_two_ranks_wait_for_no_receiver,
    no_data_wait_for_a_third_rank,
);
