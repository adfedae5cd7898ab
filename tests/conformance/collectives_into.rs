//! The collectives that write into memory of the program: what they write, beside ranks that call
//! the other form, and what they refuse.

use runahead::{CollectiveError, Error, Result, Tree, ops};

use crate::collectives_results::{Map, then};
use crate::harness::{Case, Step, World};

const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

/// Element `at` of the data of `rank`.
fn map(rank: usize, at: usize) -> Map {
    [(2 * rank + 3) as u64, (rank * 1000 + at) as u64]
}

fn maps(rank: usize, count: usize) -> Vec<Map> {
    (0..count).map(|at| map(rank, at)).collect()
}

fn word(rank: usize, at: usize) -> u64 {
    (rank * 100_000 + at) as u64
}

fn words(rank: usize, count: usize) -> Vec<u64> {
    (0..count).map(|at| word(rank, at)).collect()
}

/// What stands in a room before the call: nothing that a call writes.
const UNTOUCHED: u64 = u64::MAX;

/// The reductions and scans; where `other`, in the form that allocates.
fn combined(world: &World, count: usize, root: usize, other: bool) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (own, mine) = (words(rank, count), maps(rank, count));
    let sum = |at| (0..size).map(|rank| word(rank, at)).sum();
    let sums: Vec<u64> = (0..count).map(sum).collect();
    let folded = |ranks: std::ops::Range<usize>, at| {
        ranks.map(|rank| map(rank, at)).reduce(then).expect("a rank")
    };
    let scanned = |ranks: std::ops::Range<usize>| -> Vec<Map> {
        (0..count).map(|at| folded(ranks.clone(), at)).collect()
    };

    let mut room = vec![UNTOUCHED; count];
    match other {
        true => room = world.all_reduce(&own, ops::sum)?,
        false => world.all_reduce_into(&own, &mut room, ops::sum)?,
    }
    assert_eq!(room, sums);
    let mut data = own.clone();
    match other {
        true => data = world.all_reduce(&own, ops::sum)?,
        false => world.all_reduce_in_place(&mut data, ops::sum)?,
    }
    assert_eq!(data, sums);
    // In the order of ranks, which shows where the operator is not commutative.
    if size <= 2 || world.tree() == Tree::Flat {
        let mut maps = mine.clone();
        match other {
            true => maps = world.all_reduce(&mine, then)?,
            false => world.all_reduce_in_place(&mut maps, then)?,
        }
        assert_eq!(maps, scanned(0..size));
        let mut room = vec![[UNTOUCHED; 2]; count];
        match other {
            true => room = world.all_reduce(&mine, then)?,
            false => world.all_reduce_into(&mine, &mut room, then)?,
        }
        assert_eq!(room, scanned(0..size));
    }

    let is_root = rank == root;
    let mut room = vec![UNTOUCHED; if is_root { count } else { 1 }];
    match other {
        true => {
            let total = world.reduce(root, &own, ops::sum)?;
            room = total.unwrap_or(room);
        }
        false => world.reduce_into(root, &own, &mut room, ops::sum)?,
    }
    assert_eq!(room, if is_root { sums } else { vec![UNTOUCHED] });

    let mut room = vec![[UNTOUCHED; 2]; count];
    match other {
        true => room = world.scan(&mine, then)?,
        false => world.scan_into(&mine, &mut room, then)?,
    }
    assert_eq!(room, scanned(0..rank + 1));
    let mut room = vec![[UNTOUCHED; 2]; count];
    match other {
        true => room = world.exclusive_scan(&mine, then)?.unwrap_or(room),
        false => world.exclusive_scan_into(&mine, &mut room, then)?,
    }
    let lower = if rank == 0 { vec![[UNTOUCHED; 2]; count] } else { scanned(0..rank) };
    assert_eq!(room, lower);

    let blocks = maps(rank, count * size);
    let mut room = vec![[UNTOUCHED; 2]; count];
    match other {
        true => room = world.reduce_scatter(&blocks, then)?,
        false => world.reduce_scatter_into(&blocks, &mut room, then)?,
    }
    let share: Vec<Map> =
        (rank * count..(rank + 1) * count).map(|at| folded(0..size, at)).collect();
    assert_eq!(room, share);
    Ok(())
}

/// The calls that move data; where `other`, in the form that allocates.
fn moved(world: &World, count: usize, root: usize, other: bool) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (own, blocks) = (words(rank, count), words(rank, count * size));
    let all: Vec<u64> = (0..size).flat_map(|rank| words(rank, count)).collect();
    let is_root = rank == root;

    let mut room = vec![UNTOUCHED; if is_root { count * size } else { 0 }];
    match other {
        true => {
            let parts = world.gather(root, &own)?;
            room = parts.map_or(room, |parts| parts.into_data());
        }
        false => world.gather_into(root, &own, &mut room)?,
    }
    assert_eq!(room, if is_root { all.clone() } else { vec![] });
    let mut room = vec![UNTOUCHED; count * size];
    match other {
        true => room = world.all_gather(&own)?.into_data(),
        false => world.all_gather_into(&own, &mut room)?,
    }
    assert_eq!(room, all);

    let mut room = vec![UNTOUCHED; count];
    match other {
        true => {
            let parts: Vec<&[u64]> = (0..size).map(|to| &blocks[to * count..][..count]).collect();
            room = world.scatter(root, if is_root { &parts } else { &[] })?;
        }
        false => world.scatter_into(root, if is_root { &blocks } else { &[] }, &mut room)?,
    }
    assert_eq!(room, &words(root, count * size)[rank * count..][..count]);
    let mut room = vec![UNTOUCHED; count * size];
    match other {
        true => room = world.all_to_all(&blocks)?,
        false => world.all_to_all_into(&blocks, &mut room)?,
    }
    let of = |from: usize| words(from, count * size)[rank * count..][..count].to_vec();
    assert_eq!(room, (0..size).flat_map(of).collect::<Vec<_>>());
    Ok(())
}

/// With every tree, with nothing, one element, and what takes several messages. In each round other
/// ranks call the form that allocates: to the others it is the same call.
/// SEMANTICS: COL-1, COL-3, COL-7
fn the_programs_memory_gets_what_the_oracle_says(case: &Case) {
    for size in case.sizes(&SIZES) {
        let mut config = case.config(size);
        config.eager_bytes = 200;
        config.window_messages = config.window_messages.min(4);
        case.run_with(&config, size, |world, step: &Step| {
            let mut nth = 0..;
            for (round, tree) in Tree::ALL.into_iter().enumerate() {
                world.set_tree(tree);
                let root = (round + 1) % size;
                for count in [0usize, 1, 22, 60] {
                    if !case.has_part(size + nth.next().unwrap()) {
                        continue;
                    }
                    step.to(format!("{tree}, root {root}, {count} elements"));
                    let other = (world.rank() + round + count).is_multiple_of(3);
                    world.barrier()?;
                    combined(world, count, root, other)?;
                    world.barrier()?;
                    moved(world, count, root, other)?;
                }
            }
            Ok(())
        });
    }
}

/// What each rank combines a share of, and what trees pass on piece by piece.
/// SEMANTICS: COL-1, COL-3
fn large_data_are_written_into_the_programs_memory(case: &Case) {
    for (nth, size) in [2, 3, 5].into_iter().enumerate() {
        case.run(size, |world, step: &Step| {
            for (round, tree) in Tree::ALL.into_iter().enumerate() {
                // With a flat tree each rank combines a share: of two, both do so in place.
                if case.has_part(nth + round) || (tree, size) == (Tree::Flat, 2) {
                    step.to(format!("{tree}"));
                    world.set_tree(tree);
                    combined(world, 9001, size - 1, world.rank() == round % size)?;
                }
            }
            moved(world, 3001, 0, world.rank() == 1)
        });
    }
}

/// A wrong length is named, and refused before anything is sent: the right call comes after it as if
/// nothing had been.
fn wrong_lengths_are_refused_and_the_call_can_be_repeated(case: &Case) {
    case.run(3, |world, _| {
        let refused = |result: Result<()>, message: &str| {
            let error = result.expect_err(message);
            let wrong = matches!(error, Error::Collective(CollectiveError::WrongLength { .. }));
            assert!(wrong, "{error}");
            assert_eq!(error.to_string(), message);
        };
        let (rank, own, three, root) = (world.rank(), [1u8; 2], [1u8; 3], 2);
        let (mut two, mut long) = ([0u8; 2], [0u8; 7]);
        refused(
            world.all_reduce_into(&own, &mut long, ops::sum),
            "result of all_reduce has 7 elements, and 2 are needed",
        );
        refused(
            world.scan_into(&own, &mut long, ops::sum),
            "result of scan has 7 elements, and 2 are needed",
        );
        refused(
            world.exclusive_scan_into(&three, &mut two, ops::sum),
            "result of exclusive_scan has 2 elements, and 3 are needed",
        );
        refused(
            world.reduce_scatter_into(&three, &mut two, ops::sum),
            "result of reduce_scatter has 2 elements, and 1 are needed",
        );
        refused(
            world.all_gather_into(&own, &mut long),
            "result of all_gather has 7 elements, and 6 are needed",
        );
        refused(
            world.all_to_all_into(&three, &mut long),
            "result of all_to_all has 7 elements, and 3 are needed",
        );
        // At the root. The others' are not looked at.
        if rank == root {
            refused(
                world.reduce_into(root, &own, &mut long, ops::sum),
                "result of reduce has 7 elements, and 2 are needed",
            );
            refused(
                world.gather_into(root, &own, &mut long),
                "result of gather has 7 elements, and 6 are needed",
            );
            refused(
                world.scatter_into(root, &long, &mut two),
                "data of scatter has 7 elements, and 6 are needed",
            );
        }
        world.all_reduce_into(&own, &mut two, ops::sum)?;
        assert_eq!(two, [3, 3]);
        world.reduce_into(root, &own, &mut two, ops::product)?;
        assert_eq!(two, if rank == root { [1, 1] } else { [3, 3] });
        Ok(())
    });
}

/// A rank that gives more or fewer elements than another expects, or another operator by name, is
/// named.
/// SEMANTICS: COL-4
fn what_another_rank_gives_otherwise_is_noticed(case: &Case) {
    let mismatch = |call: &(dyn Fn(&World) -> Result<()> + Sync), words: [&str; 2]| {
        let mut config = case.config(2);
        config.window_messages = config.window_messages.max(8);
        case.run_with(&config, 2, |world, step| {
            step.to(words[0]);
            match call(world) {
                Err(Error::Collective(CollectiveError::Mismatch { from, theirs, ours })) => {
                    assert_eq!(from, 1 - world.rank());
                    assert!(theirs.contains(words[world.rank()]), "{theirs}; {ours}");
                }
                other => panic!("no mismatch but {other:?}"),
            }
            world.barrier()?.wait()
        });
    };
    for tree in Tree::ALL {
        let call = |world: &World| match world.rank() {
            0 => world.all_reduce_in_place(&mut [1u64], ops::sum),
            _ => world.all_reduce_in_place(&mut [1u64], ops::product),
        };
        // Only by way of rank 0 would one of them get an answer to something else.
        let both = |world: &World| {
            world.set_tree(tree);
            call(world)
        };
        mismatch(&both, ["another operator", "another operator"]);
    }
    let gather = |world: &World| {
        let count = 1 + world.rank();
        world.all_gather_into(&vec![0u16; count], &mut vec![0; 2 * count])
    };
    mismatch(&gather, ["2 elements of 2 bytes", "1 elements of 2 bytes"]);
}

suite!(
    the_programs_memory_gets_what_the_oracle_says,
    large_data_are_written_into_the_programs_memory,
    wrong_lengths_are_refused_and_the_call_can_be_repeated,
    what_another_rank_gives_otherwise_is_noticed,
);

in_calls!(the_programs_memory_gets_what_the_oracle_says);

on_two_hosts!(
    the_programs_memory_gets_what_the_oracle_says,
    large_data_are_written_into_the_programs_memory,
);
