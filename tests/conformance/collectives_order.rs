//! In which order collectives combine: the one that each call states, whoever comes first.

use runahead::internals::collective::{Hosts, Kind};
use runahead::{Result, Source, Tree, ops};

use crate::harness::{Case, Step, Threads, World};

const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

/// Sums of these depend on the order in which they are made.
fn addend(rank: usize, at: usize) -> f64 {
    let small = 0.1 / (rank as f64 + 0.3) + (at % 7) as f64 * 0.01;
    // What is small is lost while the large ones stand in the sum.
    small + [1e16, 1.0, -1e16, 0.0][rank % 4]
}

fn addends(rank: usize, count: usize) -> Vec<f64> {
    (0..count).map(|at| addend(rank, at)).collect()
}

/// What each call states, computed in one thread: the sum of one element.
struct Stated<'h> {
    hosts: &'h Hosts,
    size: usize,
    at: usize,
}

impl Stated<'_> {
    fn in_rank_order(&self, ranks: std::ops::Range<usize>) -> f64 {
        ranks.map(|rank| addend(rank, self.at)).reduce(|a, b| a + b).expect("a rank")
    }

    /// A rank starts with its own and adds its children's in turn.
    fn in_tree(&self, tree: Tree, rank: usize, root: usize) -> f64 {
        let children = self.hosts.children(tree, rank, root);
        children.fold(addend(rank, self.at), |sum, child| sum + self.in_tree(tree, child, root))
    }

    /// In round j a rank adds its own to what the one 2^j below it has.
    fn by_doubling(&self) -> Vec<f64> {
        let mut sums: Vec<f64> = (0..self.size).map(|rank| addend(rank, self.at)).collect();
        let mut distance = 1;
        while distance < self.size {
            for rank in (distance..self.size).rev() {
                sums[rank] += sums[rank - distance];
            }
            distance *= 2;
        }
        sums
    }
}

fn bits(sums: &[f64]) -> Vec<u64> {
    sums.iter().map(|sum| sum.to_bits()).collect()
}

/// Calls everything that combines; returns the bits of all results at this rank.
fn combine_all(world: &World, tree: Tree, count: usize) -> Result<Vec<Vec<u64>>> {
    let (rank, size, root) = (world.rank(), world.size(), world.size() / 2);
    world.set_tree(tree);
    let add = |a, b| a + b;
    let own = addends(rank, count);
    let blocks = addends(rank, count * size);
    let sum = world.reduce(root, &own, add)?.unwrap_or_default();
    let scan = world.scan(&own, add)?;
    let lower = world.exclusive_scan(&own, add)?.unwrap_or_default();
    let block = world.reduce_scatter(&blocks, add)?;
    let counts: Vec<usize> = (0..size).map(|r| 2 * count * usize::from(r + 1 == size)).collect();
    let last = world.reduce_scatter_v(&addends(rank, 2 * count), &counts, add)?;
    let all = world.all_reduce(&own, add)?;
    Ok([sum, scan, lower, block, last, all].iter().map(|sums| bits(sums)).collect())
}

/// What they state, for rank `rank`.
fn stated(
    (hosts, one_copy): (&Hosts, bool),
    tree: Tree,
    (rank, size): (usize, usize),
    count: usize,
) -> Vec<Vec<u64>> {
    let root = size / 2;
    let shape = |kind| match tree {
        Tree::Auto => hosts.choose(kind, count * size_of::<f64>(), one_copy),
        tree => tree,
    };
    let all = |range: std::ops::Range<usize>, sum: &dyn Fn(Stated) -> f64| {
        let sums: Vec<f64> = range.map(|at| sum(Stated { hosts, size, at })).collect();
        bits(&sums)
    };
    let scan_tree = shape(Kind::Scan);
    let scan = |end: usize, stated: &Stated| match scan_tree {
        Tree::Binary | Tree::Binomial => stated.by_doubling()[end - 1],
        _ => stated.in_rank_order(0..end),
    };
    let sum = match rank == root {
        true => all(0..count, &|stated| stated.in_tree(shape(Kind::Reduce), root, root)),
        false => Vec::new(),
    };
    let lower = match rank {
        0 => Vec::new(),
        // What comes from far below is added in front.
        _ => all(0..count, &|stated| match scan_tree {
            Tree::Binary | Tree::Binomial => lower_by_doubling(&stated, rank),
            _ => stated.in_rank_order(0..rank),
        }),
    };
    let last = 2 * count * usize::from(rank + 1 == size);
    vec![
        sum,
        all(0..count, &|stated| scan(rank + 1, &stated)),
        lower,
        all(rank * count..(rank + 1) * count, &|stated| stated.in_rank_order(0..size)),
        all(0..last, &|stated| stated.in_rank_order(0..size)),
        all(0..count, &|stated| match shape(Kind::AllReduce) {
            // A share each, or all at rank 0: the order is the same.
            Tree::Flat => stated.in_rank_order(0..size),
            tree => stated.in_tree(tree, 0, 0),
        }),
    ]
}

fn lower_by_doubling(stated: &Stated, rank: usize) -> f64 {
    let (mut lower, mut distance) = (None, 1);
    // What the rank `distance` below has before the round of that distance.
    let mut sums: Vec<f64> = (0..stated.size).map(|rank| addend(rank, stated.at)).collect();
    while distance <= rank {
        let theirs = sums[rank - distance];
        lower = Some(lower.map_or(theirs, |lower| theirs + lower));
        for rank in (distance..stated.size).rev() {
            sums[rank] += sums[rank - distance];
        }
        distance *= 2;
    }
    lower.expect("a lower rank")
}

/// Lets the ranks come in another order in each run.
fn stagger(rank: usize, run: usize) {
    for _ in 0..(rank * 7 + run * 5) % 11 {
        std::thread::yield_now();
    }
}

/// Whether all runs of `combine` at `size` ranks give exactly these bits.
fn is_as_stated(
    case: &Case,
    size: usize,
    expected: &[Vec<Vec<u64>>],
    combine: impl Fn(&World, usize) -> Result<Vec<Vec<u64>>> + Sync,
) -> bool {
    (0..3).all(|run| {
        let found = case.run(size, |world, _| {
            stagger(world.rank(), run);
            combine(world, run)
        });
        found == expected
    })
}

/// Floating-point results are the bits of the stated order, in every run; below and above the sizes
/// up to which each rank combines all in an all_reduce, and from which each combines a share.
/// SEMANTICS: COL-3
fn sums_are_made_in_the_stated_order(case: &Case) {
    for size in case.sizes(&SIZES) {
        for (tree, count) in
            Tree::ALL.into_iter().flat_map(|tree| [3, 4100, 8200].map(|count| (tree, count)))
        {
            if count > 3 && size != 3 {
                continue; // large data only once
            }
            let hosts = case.hosts(size);
            let one_copy = case.run(size, |world, _| Ok(world.copies_payloads()))[0];
            let stated = |rank| stated((&hosts, one_copy), tree, (rank, size), count);
            let expected: Vec<_> = (0..size).map(stated).collect();
            let right =
                is_as_stated(case, size, &expected, |world, _| combine_all(world, tree, count));
            assert!(right, "{tree}, {size} ranks, {count} elements");
        }
    }
}

/// In every call that combines, of what travels at once and of what takes several pieces. (Planted: each
/// operator is taken for one of `ops`, and combines where the piece lies.)
/// SEMANTICS: COL-3
fn an_operator_may_call_the_runtime(case: &Case) {
    const SIZE: usize = 3;
    for (count, trees) in [(1, &Tree::ALL[..]), (17_001, &[Tree::Auto, Tree::Binary])] {
        case.run(SIZE, |world, step: &Step| {
            let own = vec![world.rank() as u64 + 1; count];
            let asks = |a: u64, b: u64| {
                world.progress().expect("no other call has the engine");
                a + b
            };
            for &tree in trees {
                step.to(format!("{tree}, {count} elements"));
                world.set_tree(tree);
                assert_eq!(world.all_reduce(&own, asks)?, vec![6; count]);
                let sum = world.reduce(1, &own, asks)?;
                assert_eq!(sum, (world.rank() == 1).then(|| vec![6; count]));
                let below = [1, 3, 6][world.rank()];
                assert_eq!(world.scan(&own, asks)?, vec![below; count]);
                let blocks = vec![1; SIZE * count];
                assert_eq!(world.reduce_scatter(&blocks, asks)?, vec![3; count]);
                world.barrier()?.wait()?;
            }
            Ok(())
        });
    }
}

/// So do nonblocking calls, also with an operator of `ops`, which combine where the data lie when they come. (Planted: every rank
/// but the first takes its own data for the second.)
/// SEMANTICS: COL-3
fn posted_sums_are_made_in_the_order_of_ranks(case: &Case) {
    for size in case.sizes(&SIZES) {
        for count in [1, 2000] {
            case.run(size, |world, step: &Step| {
                let rank = world.rank();
                let of = |from: usize| (0..size * count).map(|at| addend(from, at)).collect();
                let all: Vec<Vec<f64>> = (0..size).map(of).collect();
                let sum = |ranks: std::ops::Range<usize>, at: usize| {
                    let sum = ranks.map(|from| all[from][at]).reduce(|a, b| a + b);
                    sum.expect("there is a rank").to_bits()
                };
                let sums = |end: usize, first: usize| -> Vec<u64> {
                    (first..first + count).map(|at| sum(0..end, at)).collect()
                };
                let bits = |got: Vec<f64>| got.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                let own = &all[rank][..count];
                step.to(format!("iall_reduce, {count}"));
                let got = world.iall_reduce(own, ops::sum)?.wait()?;
                assert_eq!(bits(got), sums(size, 0));
                step.to(format!("iscan, {count}"));
                assert_eq!(bits(world.iscan(own, ops::sum)?.wait()?), sums(rank + 1, 0));
                step.to(format!("iexclusive_scan, {count}"));
                let below = world.iexclusive_scan(own, ops::sum)?.wait()?;
                assert_eq!(below.map(bits), (rank > 0).then(|| sums(rank, 0)));
                step.to(format!("ireduce_scatter, {count}"));
                let block = world.ireduce_scatter(&all[rank], ops::sum)?.wait()?;
                assert_eq!(bits(block), sums(size, rank * count));
                Ok(())
            });
        }
    }
}

suite!(
    sums_are_made_in_the_stated_order,
    an_operator_may_call_the_runtime,
    posted_sums_are_made_in_the_order_of_ranks,
);

/// A reduction that combines in the order of arrival, which changes from run to run.
/// SEMANTICS: COL-3
#[test]
fn combining_in_the_order_of_arrival_is_caught() {
    let case = Case::on::<Threads>("planted", None);
    // In the first run rank 2 comes first, and takes rank 0's large addend away before rank 1's is added to
    // it: whoever comes then, the sum is another. With a fifth rank its large one would hide that.
    let size = 4;
    let hosts = &case.hosts(size);
    let expected: Vec<_> = (0..size)
        .map(|rank| match rank {
            0 => vec![vec![Stated { hosts, size, at: 0 }.in_rank_order(0..size).to_bits()]],
            _ => vec![],
        })
        .collect();
    let reduce = |by_arrival: bool| {
        is_as_stated(&case, size, &expected, move |world, run| {
            let rank = world.rank();
            // Each run has another rank come first: the others wait until it has been noticed.
            let first = 1 + (run + 1) % (size - 1);
            if rank != 0 {
                if rank != first {
                    world.recv::<u8>(0, 2)?;
                }
                world.send(0, 1, &[addend(rank, 0)])?;
                return Ok(vec![]);
            }
            world.probe(first, 1)?;
            let mut others = (1..size).filter(|&other| other != first);
            others.try_for_each(|other| world.send(other, 2, &[0u8]))?;
            let mut sum = addend(0, 0);
            for from in 1..size {
                let source = if by_arrival { Source::Any } else { Source::Rank(from) };
                sum += world.recv::<f64>(source, 1)?.data[0];
            }
            Ok(vec![vec![sum.to_bits()]])
        })
    };
    assert!(reduce(false), "in the order of ranks it is as stated");
    assert!(!reduce(true), "the check has not noticed the order of arrival");
}
