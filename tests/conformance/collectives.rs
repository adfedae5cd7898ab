//! Collectives against sequential oracles, and what they promise about waiting.

use runahead::{CollectiveError, Error, Exchange, Result, Source, Tree};

use crate::harness::{Case, Gate, SIZES, World};

fn roots(size: usize) -> Vec<usize> {
    if size > 5 { vec![0, size / 2, size - 1] } else { (0..size).collect() }
}

/// Every root and tree, with running ahead between the calls and program messages among them.
/// SEMANTICS: COL-1, ORD-1
fn results_are_those_of_the_oracle(case: &Case) {
    for size in case.sizes(&SIZES) {
        for (nth, tree) in Tree::ALL.into_iter().enumerate() {
            if !case.has_half(size + nth) {
                continue;
            }
            let mut config = case.config(size);
            config.eager_bytes = 200; // the longer ones go by rendezvous
            // A message of the program lies unreceived in the same window.
            config.window_messages = config.window_messages.max(2);
            case.run_with(&config, size, |world, step| {
                let rank = world.rank();
                world.set_tree(tree);
                assert_eq!(world.tree(), tree);
                for root in roots(size) {
                    for count in [0usize, 1, 60] {
                        step.to(format!("{tree}, root {root}, {count} elements"));
                        let value = |rank: usize, at: usize| (rank * 1000 + at) as u64;
                        let own: Vec<u64> = (0..count).map(|at| value(rank, at)).collect();
                        world.isend((rank + 1) % size, 1, &own)?;
                        let mut data = own.clone();
                        world.broadcast(root, &mut data)?;
                        let expected: Vec<u64> = (0..count).map(|at| value(root, at)).collect();
                        assert_eq!(data, expected);
                        world.barrier()?;
                        let sum = world.reduce(root, &own, |a, b| a + b)?;
                        let total = |at| (0..size).map(|rank| value(rank, at)).sum::<u64>();
                        let expected = (rank == root).then(|| (0..count).map(total).collect());
                        assert_eq!(sum, expected);
                        let previous = (rank + size - 1) % size;
                        assert_eq!(world.recv::<u64>(Source::Any, 1)?.source, previous);
                        world.barrier()?;
                    }
                }
                Ok(())
            });
        }
    }
}

/// Everybody gets what everybody has for it, in order, whatever the amounts.
/// SEMANTICS: COL-1, FLOW-1
fn exchanges_deliver_all_in_order(case: &Case) {
    for size in case.sizes(&SIZES) {
        for how in Exchange::ALL {
            for (nth, tree) in Tree::ALL.into_iter().enumerate() {
                if !case.has_part(size + nth) {
                    continue;
                }
                let mut config = case.config(size);
                config.eager_bytes = 64;
                case.run_with(&config, size, |world, step| {
                    world.set_tree(tree);
                    let rank = world.rank();
                    for round in 0..3 {
                        step.to(format!("{how}, {tree}, round {round}"));
                        let amount = |from: usize, to: usize| match round {
                            0 => (from * 5 + to * 3) % 17,
                            1 => 40 * usize::from((from + 1) % size == to),
                            _ => 30 * usize::from(to == 0),
                        };
                        let value = |from: usize, to: usize, at: usize| {
                            (from * 100_000 + to * 1000 + at) as u32
                        };
                        let outgoing: Vec<Vec<u32>> = (0..size)
                            .map(|to| (0..amount(rank, to)).map(|at| value(rank, to, at)).collect())
                            .collect();
                        let slices: Vec<&[u32]> = outgoing.iter().map(Vec::as_slice).collect();
                        let mut incoming = vec![Vec::new(); size];
                        world.exchange(&slices, how, |from, piece| {
                            incoming[from].extend_from_slice(piece);
                        })?;
                        for (from, incoming) in incoming.iter().enumerate() {
                            let count = amount(from, rank);
                            let expected: Vec<u32> =
                                (0..count).map(|at| value(from, rank, at)).collect();
                            assert_eq!(*incoming, expected, "from rank {from}");
                        }
                        world.barrier()?;
                    }
                    Ok(())
                });
            }
        }
    }
}

/// A leaf of a reduction and the root of a broadcast return although other ranks take no part yet;
/// so does a rank inside a tree as soon as it has forwarded, even if it then computes.
/// SEMANTICS: COL-1, COL-2
fn who_only_sends_waits_for_nobody(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 1) {
        // Small, and above the eager limit.
        for (tree, count) in Tree::ALL.into_iter().flat_map(|tree| [(tree, 1), (tree, 3000)]) {
            let mut config = case.config(size);
            // The root of a flat broadcast sends once to each; a leaf of a reduction once.
            config.window_messages = config.window_messages.max(2);
            let (leaves, root_done, heard) = (Gate::new(), Gate::new(), Gate::new());
            let last = size - 1;
            let hosts = case.hosts(size);
            let is_leaf = |rank| rank != 0 && hosts.children(tree, rank, 0).next().is_none();
            let leaf_count = (0..size).filter(|&rank| is_leaf(rank)).count();
            case.run_with(&config, size, |world, step| {
                let rank = world.rank();
                world.set_tree(tree);
                if rank != last {
                    world.barrier()?;
                }
                if is_leaf(rank) && rank != last {
                    step.to("reducing as a leaf");
                    assert_eq!(world.reduce(0, &vec![rank as u64; count], |a, b| a + b)?, None);
                    leaves.arrive();
                }
                if rank == last {
                    // Withheld: neither in the barrier nor in the collectives.
                    leaves.wait_progressing(leaf_count - 1, world)?;
                    world.barrier()?;
                }
                if !is_leaf(rank) || rank == last {
                    step.to("reducing");
                    let sum = world.reduce(0, &vec![rank as u64; count], |a, b| a + b)?;
                    assert_eq!(sum.is_some(), rank == 0);
                }
                step.to("broadcasting");
                let mut data = vec![if rank == 0 { 17u64 } else { 0 }; count];
                if rank != 0 {
                    root_done.wait_progressing(1, world)?;
                }
                world.broadcast(0, &mut data)?;
                root_done.arrive();
                assert!(data.iter().all(|&element| element == 17));
                heard.arrive();
                step.to("waiting until all have heard");
                if case.network.causal && count == 1 {
                    heard.wait_computing(size);
                }
                heard.wait_progressing(size, world)
            });
        }
    }
}

/// Sums of floats are the same bits in every run, whoever comes first.
/// SEMANTICS: COL-3
fn float_sums_are_the_same_bits(case: &Case) {
    for size in case.sizes(&SIZES) {
        for (nth, tree) in Tree::ALL.into_iter().enumerate() {
            if !case.has_half(size + nth) {
                continue;
            }
            let worlds: Vec<Vec<Vec<Option<u64>>>> = (0..case.times(2))
                .map(|nth| {
                    case.run(size, |world, _| {
                        world.set_tree(tree);
                        let addend = 0.1f64 / (world.rank() as f64 + 0.3);
                        let bits = |run: usize| {
                            // All begin each at once, and not in the same order.
                            world.barrier()?.wait()?;
                            for _ in 0..(world.rank() * 7 + (run + nth) * 5) % 11 {
                                std::thread::yield_now();
                            }
                            let sum = world.reduce(size / 2, &[addend], |a, b| a + b)?;
                            Ok(sum.map(|sum| sum[0].to_bits()))
                        };
                        (0..8).map(bits).collect()
                    })
                })
                .collect();
            for sums in worlds.iter().map(|world| &world[size / 2]) {
                assert!(sums[0].is_some() && sums.iter().all(|sum| *sum == worlds[0][size / 2][0]));
            }
        }
    }
}

fn mismatch(
    case: &Case,
    ours: impl Fn(&World) -> Result<()> + Sync,
    theirs: impl Fn(&World) -> Result<()> + Sync,
) {
    let mut config = case.config(2);
    // What does not fit the call stays where it is, and keeps its room.
    config.window_messages = config.window_messages.max(8);
    case.run_with(&config, 2, |world, step| {
        world.barrier()?;
        if world.rank() == 1 {
            theirs(world)?;
        } else {
            match ours(world) {
                Err(Error::Collective(CollectiveError::Mismatch { from: 1, theirs, ours })) => {
                    assert_ne!(theirs, ours);
                }
                other => panic!("no mismatch but {other:?}"),
            }
        }
        step.to("going on after a mismatch");
        world.barrier()?.wait()?;
        world.send(1 - world.rank(), 1, &[1u8])?;
        assert_eq!(world.recv::<u8>(1 - world.rank(), 1)?.data, [1]);
        Ok(())
    });
}

/// Ranks that call different collectives, or one with different arguments, are told by whom and
/// what; messages and barriers go on.
/// SEMANTICS: COL-4
fn different_calls_are_noticed(case: &Case) {
    let add = |a, b| a + b;
    let many = |world: &World| world.broadcast(1, &mut [0u32; 3]);
    mismatch(case, |world| world.broadcast(1, &mut [0u32; 4]), many);
    mismatch(case, |world| world.broadcast(1, &mut [0u16; 6]), many);
    mismatch(case, |world| world.broadcast(1, &mut [[0u8; 4]; 2]), many);
    mismatch(case, |world| world.reduce(0, &[0u32; 3], add).map(drop), many);
    mismatch(
        case,
        |world| world.exchange(&[&[0u32], &[0]], Exchange::FirstArrived, |_, _| {}),
        many,
    );
    let leaf = |world: &World| world.reduce(0, &[1u64], |a, b| a + b).map(drop);
    mismatch(case, |world| world.reduce(0, &[1u64; 2], |a, b| a + b).map(drop), leaf);
    mismatch(case, |world| world.broadcast(1, &mut [1u64]), leaf);
    mismatch(
        case,
        |world| {
            world.set_tree(Tree::Binary);
            world.reduce(0, &[1u64], |a, b| a + b).map(drop)
        },
        leaf,
    );
    let most = |world: &World| world.reduce(0, &[1.0], f64::max).map(drop);
    mismatch(case, |world| world.reduce(0, &[1.0], f64::min).map(drop), most);
    // Another root: both are leaves of the other's tree, and it shows with the next call.
    mismatch(
        case,
        |world| world.reduce(1, &[1u64], |a, b| a + b).and_then(|_| leaf(world)),
        |world| leaf(world).and_then(|()| leaf(world)),
    );
}

suite!(
    results_are_those_of_the_oracle,
    exchanges_deliver_all_in_order,
    who_only_sends_waits_for_nobody,
    float_sums_are_the_same_bits,
    different_calls_are_noticed,
);
