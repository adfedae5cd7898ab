//! Programs played in jobs of many, and one that fails made smaller.
//! Rules: a program's number determines it, so it can be played again alone.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use runahead_testkit::effort;

use super::job::{Difference, Library, Player};
use super::program::Program;

/// How many programs one job plays.
pub const BATCH: usize = 50;

/// The longest time for making a program smaller.
const SHRINKING: Duration = Duration::from_secs(60);

/// The numbers of ranks, one after the other.
const SIZES: [usize; 5] = [2, 3, 1, 4, 5];

/// The seeds of a program's steps, which proptest makes fewer.
fn seeds() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(any::<u64>(), 1..25)
}

/// The programs from this number on, as proptest sees them.
pub fn trees(from: usize, count: usize) -> Vec<impl ValueTree<Value = Vec<u64>>> {
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
pub fn compare(player: &Player, from: usize, count: usize) {
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

/// The number of the first program.
pub fn first() -> usize {
    effort::number("RUNAHEAD_MPI_PROGRAMS_FROM", [0, 0, 0]) as usize
}
