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
mod rounds;
#[path = "../shared/mod.rs"]
mod shared;
mod types;
mod windows;

use std::env;
use std::path::PathBuf;

use job::{Library, Player};
use program::Program;
use proptest::strategy::ValueTree;
use rounds::{BATCH, compare, first, trees};
use runahead_testkit::effort;

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

/// Those of [`FAULTS`] by which a call fails, so that the player ends.
const ENDING: [&str; 1] = ["tag"];

/// Each must be found, by what a rank has written (Planted: all but the last of [`FAULTS`], which is none, and must not
/// be).
#[test]
fn planted_faults_are_found() {
    let player = Player::new();
    let numbered = trees(0, 120).into_iter().enumerate();
    let programs: Vec<_> =
        numbered.map(|(number, tree)| Program::new(number, 3, &tree.current(), true)).collect();
    let mut ending = Vec::new();
    for fault in FAULTS {
        let found = player.check(&Library::Faulty(fault), 3, &programs).err();
        assert_eq!(found.is_some(), fault != "none", "{fault}");
        ending.extend(found.filter(|found| !found.is_of_data()).map(|_| fault));
    }
    assert_eq!(ending, ENDING);
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
