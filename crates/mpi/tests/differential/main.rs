//! Random programs on the library, compared with what the standard says, and with MPICH where it is at hand.
//! One player in C ([`job`]) reads many programs and writes digests of all memory, statuses and groups of each.
//! Rules: whatever a program does is determined, so any difference is a fault, of a library or of the oracle.
//!
//! `RUNAHEAD_TESTS` sets how many programs are played, or `RUNAHEAD_MPI_PROGRAMS` alone; `RUNAHEAD_MPI_PROGRAMS_FROM`
//! is the number of the first. `RUNAHEAD_MPICH` names a folder with `bin/mpiexec` and `lib/libmpi_abi.so.1` of MPICH
//! 5.0.2 (what its wheel holds below `data`): the same player then runs there, too. Without it the test says so.
//!
//! A program that fails is made smaller and printed.

mod chains;
mod collectives;
mod groups;
mod job;
mod memory;
mod messages;
mod movement;
mod neighbours;
mod program;
mod reductions;
#[path = "../shared/mod.rs"]
mod shared;
mod types;
mod windows;

use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use job::{Difference, Library, Player};
use program::Program;
use proptest::prelude::*;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use runahead_testkit::effort;

/// How many programs one job plays.
const BATCH: usize = 50;

/// The longest time for making a program smaller.
const SHRINKING: Duration = Duration::from_secs(60);

/// The numbers of ranks, one after the other.
const SIZES: [usize; 5] = [2, 3, 1, 4, 5];

/// The seeds of a program's steps, which proptest makes fewer.
fn seeds() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(any::<u64>(), 1..25)
}

/// The programs from this number on, as proptest sees them.
fn trees(from: usize, count: usize) -> Vec<impl ValueTree<Value = Vec<u64>>> {
    let tree = |number: usize| {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        seeds().new_tree(&mut runner).expect("seeds")
    };
    (from..from + count).map(tree).collect()
}

/// Makes a program that fails smaller, as long as it fails alone.
fn smaller(
    player: &Player,
    library: &Library,
    ranks: usize,
    number: usize,
    mut tree: impl ValueTree<Value = Vec<u64>>,
) -> Option<(String, Difference)> {
    let begin = Instant::now();
    let failure = |seeds: &[u64]| {
        let program = Program::new(number, ranks, seeds, true);
        let difference = player.check(library, ranks, std::slice::from_ref(&program)).err()?;
        Some((program.text, difference))
    };
    let mut smallest = failure(&tree.current())?;
    let mut shrinks = tree.simplify();
    while shrinks && begin.elapsed() < SHRINKING {
        shrinks = match failure(&tree.current()) {
            Some(found) => {
                smallest = found;
                tree.simplify()
            }
            None => tree.complicate(),
        };
    }
    Some(smallest)
}

/// The modes of the barrier, one after the other: no program may notice.
const MODES: [&str; 3] = ["traditional", "guarded", "runahead"];

/// Plays programs in jobs of many, and shrinks the first that fails.
fn compare(player: &Player, from: usize, count: usize) {
    for (batch, first) in (from..from + count).step_by(BATCH).enumerate() {
        let (ranks, here) = (SIZES[batch % SIZES.len()], BATCH.min(from + count - first));
        let library = &Library::Own(MODES[batch % MODES.len()]);
        let mut trees = trees(first, here);
        let numbered = trees.iter().enumerate();
        let programs: Vec<_> = numbered
            .map(|(at, tree)| Program::new(first + at, ranks, &tree.current(), true))
            .collect();
        let Err(difference) = player.check(library, ranks, &programs) else { continue };
        let number = difference.program;
        let tree = trees.swap_remove(number.saturating_sub(first).min(here - 1));
        match smaller(player, library, ranks, number, tree) {
            Some((text, difference)) => {
                panic!("{library:?} with {ranks} ranks: {difference:#?}\nof this program:\n{text}")
            }
            None => panic!(
                "{library:?} with {ranks} ranks, and not where the program is alone: {difference:#?}"
            ),
        }
    }
}

fn first() -> usize {
    effort::number("RUNAHEAD_MPI_PROGRAMS_FROM", [0, 0, 0]) as usize
}

#[test]
fn random_programs_do_what_the_standard_says() {
    let count = effort::number("RUNAHEAD_MPI_PROGRAMS", [250, 1_000, 20_000]) as usize;
    compare(&Player::new(), first(), count);
}

/// So a fault of the oracle is found, too: no library shares its code.
#[test]
fn mpich_does_what_the_oracle_says() {
    let Some(prefix) = env::var_os("RUNAHEAD_MPICH").map(PathBuf::from) else {
        println!("not compared with MPICH: RUNAHEAD_MPICH names no folder");
        return;
    };
    let (from, count) =
        (first(), effort::number("RUNAHEAD_MPICH_PROGRAMS", [100, 200, 5_000]) as usize);
    let (player, library) = (Player::new(), Library::Mpich(prefix));
    let (mut next, mut ended) = (from, Vec::new());
    while next < from + count {
        // It polls: more ranks than cores take long.
        let ranks = [2, 1, 3][next / BATCH % 3];
        let end = (from + count).min((next / BATCH + 1) * BATCH);
        let trees = trees(next, end - next);
        let numbered = (next..end).zip(&trees);
        let programs: Vec<_> = numbered
            .map(|(number, tree)| Program::new(number, ranks, &tree.current(), false))
            .collect();
        match player.check(&library, ranks, &programs) {
            Ok(()) => next = end,
            // Assertions in MPICH end some programs, which says nothing about the oracle.
            Err(difference) if difference.found == job::ENDED => {
                ended.push(difference.program);
                next = difference.program + 1;
            }
            Err(difference) => {
                let program = &programs[difference.program - next];
                panic!(
                    "MPICH with {ranks} ranks: {difference:#?}\nof this program:\n{}",
                    program.text
                )
            }
        }
    }
    println!("MPICH ended in {} of {count} programs: {ended:?}", ended.len());
    assert!(ended.len() * 20 < count, "MPICH ended in too many programs");
}

/// Faults that `c/faults.c` plants, each by the name that it has there.
const FAULTS: [&str; 18] = [
    "tag",
    "stride",
    "unpack",
    "external",
    "count",
    "source",
    "order",
    "exscan",
    "places",
    "place",
    "key",
    "shift",
    "put",
    "accumulate",
    "lb",
    "behind",
    "large",
    "none",
];

/// Each must be found (Planted: all but the last of [`FAULTS`], which is none, and must not be).
#[test]
fn planted_faults_are_found() {
    let player = Player::new();
    let numbered = trees(0, 120).into_iter().enumerate();
    let programs: Vec<_> =
        numbered.map(|(number, tree)| Program::new(number, 3, &tree.current(), true)).collect();
    for fault in FAULTS {
        let found = player.check(&Library::Faulty(fault), 3, &programs).is_err();
        assert_eq!(found, fault != "none", "{fault}");
    }
}

#[test]
fn every_kind_of_step_occurs() {
    let programs: Vec<_> =
        trees(0, 200).iter().map(|tree| Program::new(0, 4, &tree.current(), true).text).collect();
    let all = programs.concat();
    let words = [
        "contiguous",
        "vector",
        "hvector",
        "indexed",
        "hindexed",
        "indexed_block",
        "hindexed_block",
        "struct",
        "subarray",
        "darray",
        "resized",
        "pack",
        "exchange",
        "chain",
        "shift",
        "barrier",
        "bcast",
        "gather",
        "gatherv",
        "scatter",
        "scatterv",
        "allgather",
        "allgatherv",
        "alltoall",
        "alltoallv",
        "alltoallw",
        "reduce",
        "allreduce",
        "scan",
        "exscan",
        "reduce_scatter",
        "reduce_scatter_block",
        "neighbor_allgather",
        "neighbor_allgatherv",
        "neighbor_alltoall",
        "neighbor_alltoallv",
        "neighbor_alltoallw",
        "local",
        "dup",
        "split",
        "create",
        "create_group",
        "cart",
        "cart_sub",
        "graph",
        "adjacent",
        "inter",
        "merge",
        "group",
        "window",
    ];
    let said: std::collections::HashSet<_> = all.split_whitespace().collect();
    let missing: Vec<_> = words.iter().filter(|word| !said.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
