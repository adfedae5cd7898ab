//! Every collective, with every tree, against what a sequential program computes.

use runahead::{Exchange, Result, Tree};

use crate::harness::{Case, Step, World};

#[cfg(not(guest))]
const SIZES: [usize; 6] = [1, 2, 3, 5, 8, 13];
#[cfg(guest)]
const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

/// An affine map modulo 2^64: composition is associative and not commutative, so that a wrong order
/// shows.
pub type Map = [u64; 2];

pub fn then(first: Map, second: Map) -> Map {
    let [a, b] = first;
    let [c, d] = second;
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

/// Element `at` of the data of `rank`.
fn map(rank: usize, at: usize) -> Map {
    [(2 * rank + 3) as u64, (rank * 1000 + at) as u64]
}

fn maps(rank: usize, count: usize) -> Vec<Map> {
    (0..count).map(|at| map(rank, at)).collect()
}

fn value(from: usize, to: usize, at: usize) -> u32 {
    (from * 1_000_000 + to * 10_000 + at) as u32
}

fn values(from: usize, to: usize, count: usize) -> Vec<u32> {
    (0..count).map(|at| value(from, to, at)).collect()
}

fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

/// The calls that move as much to everybody.
fn equal_counts(world: &World, count: usize, root: usize) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let own: Vec<u64> = (0..count).map(|at| (rank * 7919 + at) as u64).collect();
    let sum = |at: usize| (0..size).map(|rank| (rank * 7919 + at) as u64).fold(0, add);
    let sums: Vec<u64> = (0..count).map(sum).collect();

    let mut data = own.clone();
    world.broadcast(root, &mut data)?;
    assert!(data.iter().enumerate().all(|(at, &element)| element == (root * 7919 + at) as u64));
    let total = world.reduce(root, &own, add)?;
    assert_eq!(total, (rank == root).then(|| sums.clone()));
    world.barrier()?;
    assert_eq!(world.all_reduce(&own, add)?, sums);

    let mine = maps(rank, count);
    let folded = |ranks: std::ops::Range<usize>, at| {
        ranks.map(|rank| map(rank, at)).reduce(then).expect("a rank")
    };
    let through: Vec<Map> = (0..count).map(|at| folded(0..rank + 1, at)).collect();
    assert_eq!(world.scan(&mine, then)?, through);
    world.barrier()?;
    let lower = (rank > 0).then(|| (0..count).map(|at| folded(0..rank, at)).collect::<Vec<_>>());
    assert_eq!(world.exclusive_scan(&mine, then)?, lower);
    Ok(())
}

/// The calls in which each rank has something else for each other; `amount` says how much.
fn parts(world: &World, root: usize, amount: impl Fn(usize, usize) -> usize) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let for_rank: Vec<Vec<u32>> =
        (0..size).map(|from| values(from, rank, amount(from, rank))).collect();
    let outgoing: Vec<Vec<u32>> = (0..size).map(|to| values(rank, to, amount(rank, to))).collect();
    let slices: Vec<&[u32]> = outgoing.iter().map(Vec::as_slice).collect();
    let equal = |parts: &runahead::Parts<u32>| parts.iter().eq(for_rank.iter().map(Vec::as_slice));

    let mine = values(rank, 0, amount(rank, root));
    let gathered = world.gather(root, &mine)?;
    assert_eq!(gathered.is_some(), rank == root);
    let all = world.all_gather(&mine)?;
    for parts in gathered.iter().chain([&all]) {
        let expected = (0..size).map(|from| values(from, 0, amount(from, root)));
        assert!(parts.iter().eq(expected), "{parts:?}");
    }
    let given = if rank == root { slices.as_slice() } else { &[] };
    assert_eq!(world.scatter(root, given)?, values(root, rank, amount(root, rank)));
    world.barrier()?;
    let counts: Vec<usize> = for_rank.iter().map(Vec::len).collect();
    assert!(equal(&world.all_to_all_v(&slices, &counts)?));
    assert!(equal(&world.exchange_parts(&slices)?));
    let mut pieces = vec![Vec::new(); size];
    world.exchange(&slices, Exchange::Pairwise, |from, piece| {
        pieces[from].extend_from_slice(piece)
    })?;
    assert_eq!(pieces, for_rank);
    Ok(())
}

/// The calls that need one block for each rank.
fn blocks(world: &World, block: usize) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let own: Vec<u32> = (0..size).flat_map(|to| values(rank, to, block)).collect();
    let transposed: Vec<u32> = (0..size).flat_map(|from| values(from, rank, block)).collect();
    assert_eq!(world.all_to_all(&own)?, transposed);

    let mine: Vec<Map> = (0..size * block).map(|at| map(rank, at)).collect();
    let folded = |at| (0..size).map(|rank| map(rank, at)).reduce(then).expect("a rank");
    let share: Vec<Map> = (rank * block..(rank + 1) * block).map(folded).collect();
    assert_eq!(world.reduce_scatter(&mine, then)?, share);
    world.barrier()?;
    // All but the last give what they have to those before.
    let counts: Vec<usize> = (0..size).map(|rank| block * 2 * usize::from(rank % 2 == 0)).collect();
    let start: usize = counts[..rank].iter().sum();
    let total: usize = counts.iter().sum();
    let mine: Vec<Map> = (0..total).map(|at| map(rank, at)).collect();
    let share: Vec<Map> = (start..start + counts[rank]).map(folded).collect();
    assert_eq!(world.reduce_scatter_v(&mine, &counts, then)?, share);
    Ok(())
}

/// A rank that comes late, without a word to the others.
fn dawdle(late: bool) {
    for _ in 0..if late { 40 } else { 0 } {
        std::thread::yield_now();
    }
}

/// Every collective and tree, with nothing, one element, about as much as travels at once, and what
/// takes several pieces; ranks run ahead of barriers around it, and each rank in turn comes late.
/// SEMANTICS: COL-1, COL-5, COL-7, ORD-1
fn all_collectives_are_those_of_the_oracle(case: &Case) {
    for size in case.sizes(&SIZES) {
        let mut config = case.config(size);
        config.eager_bytes = 200;
        config.window_messages = config.window_messages.min(4);
        case.run_with(&config, size, |world, step: &Step| {
            let mut nth = 0..;
            for (round, tree) in Tree::ALL.into_iter().enumerate() {
                world.set_tree(tree);
                let root = (round + 1) % size;
                for count in [0usize, 1, 22, 23, 60] {
                    if !case.has_part(size + nth.next().unwrap()) {
                        continue;
                    }
                    step.to(format!("{tree}, root {root}, {count} elements"));
                    dawdle(world.rank() == (round + count) % size);
                    world.barrier()?;
                    equal_counts(world, count, root)?;
                    world.barrier()?;
                    parts(world, root, |from, to| match count {
                        1 => (from * 5 + to * 3) % 4,
                        _ => count * usize::from((from + to) % 3 != 1),
                    })?;
                    world.barrier()?;
                    blocks(world, count)?;
                }
            }
            Ok(())
        });
    }
}

/// What takes several pieces, which trees that forward pass on one by one.
/// SEMANTICS: COL-1
fn large_data_travel_in_pieces(case: &Case) {
    for size in [2, 3, 5] {
        for config in [case.config(size), runahead::Config { eager_bytes: 0, ..case.config(size) }]
        {
            case.run_with(&config, size, |world, step: &Step| {
                for (nth, tree) in Tree::ALL.into_iter().enumerate() {
                    if !case.has_part(size + nth) {
                        continue;
                    }
                    step.to(format!("{tree}"));
                    world.set_tree(tree);
                    dawdle(world.rank() == size - 1);
                    world.barrier()?;
                    equal_counts(world, 17_001, size - 1)?;
                    world.barrier()?;
                }
                parts(world, 1, |from, to| 3000 * ((from + to) % 2))?;
                blocks(world, 700)
            });
        }
    }
}

/// In two groups by turns, one with the ranks in reverse, between barriers of both and of the world,
/// with a message of the world under way that is received afterwards, and with a call of the other group
/// pending. Each rank in turn comes late.
/// SEMANTICS: COL-1, CON-1, GRP-1
fn other_communicators_change_nothing(case: &Case) {
    for size in [2, 3, 5, 8] {
        let mut config = case.config(size);
        config.eager_bytes = 200;
        // One message lies there while collectives go on.
        config.window_messages = config.window_messages.clamp(3, 4);
        case.run_with(&config, size, |world, step: &Step| {
            let rank = world.rank();
            let reversed = world.split(0, -(rank as i64))?;
            let halves = world.split((rank % 2) as u32, rank as i64)?;
            assert_eq!(reversed.rank(), size - 1 - rank);
            for (round, tree) in Tree::ALL.into_iter().enumerate() {
                step.to(format!("{tree}"));
                reversed.set_tree(tree);
                halves.set_tree(tree);
                dawdle(rank == round % size);
                world.isend((rank + 1) % size, 7, &[[rank, round]])?;
                halves.barrier()?;
                equal_counts(&reversed, 23, round % size)?;
                world.barrier()?;
                let pending = halves.iall_reduce(&[rank as u64], add)?;
                parts(&reversed, (round + 1) % size, |from, to| 9 * ((from + to) % 3))?;
                equal_counts(&halves, 5, 0)?;
                reversed.barrier()?;
                blocks(&halves, 3)?;
                let half = (rank % 2..size).step_by(2).map(|rank| rank as u64);
                assert_eq!(pending.wait()?, [half.sum::<u64>()]);
                let before = (rank + size - 1) % size;
                let told = world.recv::<[usize; 2]>(before, 7)?.data;
                assert_eq!(told, [[before, round]]);
            }
            Ok(())
        });
    }
}

suite!(
    all_collectives_are_those_of_the_oracle,
    large_data_travel_in_pieces,
    other_communicators_change_nothing,
);

in_calls!(all_collectives_are_those_of_the_oracle);

on_two_hosts!(
    all_collectives_are_those_of_the_oracle,
    large_data_travel_in_pieces,
    other_communicators_change_nothing,
);
