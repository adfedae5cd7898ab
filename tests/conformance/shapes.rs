//! What was measured of the shapes of collectives: all go by it, results are the same, and ranks that go by
//! something else are told.

use runahead::internals::collective::{Kind, Shape, ShapeRule, ShapeRules};
use runahead::{CollectiveError, Error, Result, Tree};

use crate::harness::{Case, Step, World};

const SIZES: [usize; 5] = [2, 3, 5, 8, 13];

/// Those of which the tree can be chosen.
const KINDS: [Kind; 5] =
    [Kind::Broadcast, Kind::Reduce, Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan];

/// A rule for each of them, from `bytes` on.
fn rules(world: &World, bytes: usize, shape: Shape) -> Vec<ShapeRule> {
    let (ranks, hosts) = (world.size(), world.hosts().count());
    KINDS.map(|kind| ShapeRule { kind, ranks, hosts, bytes, shape: Some(shape) }).to_vec()
}

fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

/// Calls all of them with `count` elements, and checks what comes out.
fn call_all(world: &World, root: usize, count: usize) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let element = |rank: usize, at: usize| (rank * 1000 + at) as u64;
    let own: Vec<u64> = (0..count).map(|at| element(rank, at)).collect();
    let sum = |ranks: std::ops::Range<usize>| -> Vec<u64> {
        (0..count).map(|at| ranks.clone().map(|rank| element(rank, at)).sum()).collect()
    };
    let mut data = if rank == root { own.clone() } else { vec![0; count] };
    world.broadcast(root, &mut data)?;
    assert!(data.iter().enumerate().all(|(at, &got)| got == element(root, at)));
    assert_eq!(world.reduce(root, &own, add)?, (rank == root).then(|| sum(0..size)));
    assert_eq!(world.all_reduce(&own, add)?, sum(0..size));
    assert_eq!(world.scan(&own, add)?, sum(0..rank + 1));
    assert_eq!(world.exclusive_scan(&own, add)?, (rank > 0).then(|| sum(0..rank)));
    Ok(())
}

/// In any tree with pieces of any length; with another from some length on; in groups of other sizes and in
/// children; where the program sets a tree, and where there are no rules any more. Each rank in turn comes late.
/// SEMANTICS: COL-1, COL-3
fn results_are_the_same_in_any_shape(case: &Case) {
    for size in case.sizes(&SIZES) {
        let mut config = case.config(size);
        config.eager_bytes = 200;
        config.window_messages = config.window_messages.min(8);
        case.run_with(&config, size, |world, step: &Step| {
            let mut nth = 0..;
            for (at, tree) in Tree::SHAPES.into_iter().enumerate() {
                for piece_bytes in [1, 100, 200, 1 << 20] {
                    if !case.has_part(size + nth.next().unwrap()) {
                        continue;
                    }
                    let shape = Shape { tree, piece_bytes };
                    let other = Shape { tree: Tree::SHAPES[(at + 1) % 4], piece_bytes: 300 };
                    step.to(format!("{shape}, then {other}"));
                    let mut all = rules(world, 8, shape);
                    all.extend(rules(world, 500, other));
                    world.set_shape_rules(ShapeRules::new(all));
                    for (round, count) in [0, 1, 20, 60, 100].into_iter().enumerate() {
                        if world.rank() == (at + round) % size {
                            (0..40).for_each(|_| std::thread::yield_now());
                        }
                        world.barrier()?;
                        call_all(world, round % size, count)?;
                    }
                    let child = world.dup()?;
                    call_all(&child, size - 1, 60)?;
                    call_all(&world.split(world.rank() as u32 % 2, 0)?, 0, 60)?;
                    child.set_tree(Tree::Binary);
                    call_all(&child, 0, 60)?;
                    world.set_shape_rules(ShapeRules::default());
                    call_all(world, 0, 60)?;
                }
            }
            Ok(())
        });
    }
}

/// How many messages this rank sends in a broadcast.
fn sent_in_broadcast(world: &World, root: usize, count: usize) -> Result<u64> {
    let before = world.stats()?.messages_sent;
    let mut data = vec![if world.rank() == root { 5_u64 } else { 0 }; count];
    world.broadcast(root, &mut data)?;
    assert!(data.iter().all(|&element| element == 5));
    // When all have it, all has left.
    world.barrier()?.wait()?;
    Ok(world.stats()?.messages_sent - before)
}

/// A tree that forwards has hosts as its nodes, and a large broadcast takes one where the program chooses
/// none. (Planted: hosts that are not asked for, so that the tree goes from rank to rank.)
/// SEMANTICS: COL-1
fn a_tree_goes_from_host_to_host(case: &Case) {
    for size in case.sizes(&[3, 5, 13]) {
        let (root, count) = (size / 2, 5000);
        let hosts = case.hosts(size);
        for tree in [Tree::Binary, Tree::Chain, Tree::Auto] {
            let counts = case.run(size, |world, step: &Step| {
                step.to(format!("{tree}"));
                world.set_tree(tree);
                assert_eq!(world.hosts(), &case.hosts(size));
                world.barrier()?.wait()?;
                let default = world.default_shape(Kind::Broadcast, 8 * count).tree;
                Ok((sent_in_broadcast(world, root, count)?, default))
            });
            let tree = if tree == Tree::Auto { counts[0].1 } else { tree };
            // All get as many.
            let each = counts.iter().map(|(sent, _)| sent).sum::<u64>() / (size as u64 - 1);
            for (rank, &(sent, _)) in counts.iter().enumerate() {
                let children = hosts.children(tree, rank, root).count() as u64;
                assert_eq!(sent, each * children, "rank {rank}, {tree}, {each} each");
            }
        }
    }
}

/// Rules that differ are noticed as other arguments are: the tree by the first message, the pieces by the first
/// that is too long or too short.
/// SEMANTICS: COL-4
fn ranks_with_other_rules_are_told(case: &Case) {
    let mut config = case.config(2);
    config.window_messages = config.window_messages.max(16);
    for (ours, theirs) in [("flat:100000", "chain:100000"), ("chain:100000", "chain:20000")] {
        case.run_with(&config, 2, |world, step: &Step| {
            step.to(format!("{ours} and {theirs}"));
            let shape = if world.rank() == 0 { theirs } else { ours };
            world.set_shape_rules(ShapeRules::new(rules(
                world,
                0,
                shape.parse().expect("a shape"),
            )));
            if world.rank() == 0 {
                world.broadcast(0, &mut vec![1_u64; 10_000])?;
                // Each is there until the other has looked, or has sent all of its pieces.
                world.send(1, 1, &[0_u8])?;
                return world.recv::<u8>(1, 1).map(drop);
            }
            let error = world.broadcast(0, &mut vec![0_u64; 10_000]).expect_err("they differ");
            let Error::Collective(CollectiveError::Mismatch { from: 0, .. }) = error else {
                panic!("{error}")
            };
            world.recv::<u8>(0, 1)?;
            world.send(0, 1, &[0_u8])
        });
    }
}

suite!(
    results_are_the_same_in_any_shape,
    a_tree_goes_from_host_to_host,
    ranks_with_other_rules_are_told,
);
