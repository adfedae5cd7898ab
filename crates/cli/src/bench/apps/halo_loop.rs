//! An exchange of halos with two neighbours, and work, in turn, as in the loop of a solver on a grid. Each
//! step needs what came in the one before. The same as benches/peers/halo_loop.c.

use runahead::{Comm, Result, ops};

use super::late::Works;
use super::{RankReport, digest_of, timed};
use crate::harness::work::Work;

/// By the direction in which a halo travels: two ranks are each other's neighbours on both sides.
const LEFTWARDS: u32 = 1;
const RIGHTWARDS: u32 = 2;

/// What a rank shows its neighbours to the left and to the right.
struct Edges {
    left: Vec<u64>,
    right: Vec<u64>,
}

/// One sample at this rank. The ranks stand in a ring.
pub(super) fn run(world: &Comm, bytes: u32, steps: u32, rounds: u64) -> Result<RankReport> {
    let work = Work::of_rounds(rounds);
    let (rank, size) = (world.rank(), world.size());
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    let mut edges = Edges::new(rank as u64, bytes);
    let n = edges.left.len();
    let (mut from_left, mut from_right) = (vec![0; n], vec![0; n]);
    let mut works = Works::with_capacity(steps);
    let mut told = timed(world, || {
        for step in 0..steps {
            let of_left = world.irecv(left, RIGHTWARDS)?;
            let of_right = world.irecv(right, LEFTWARDS)?;
            let to_left = world.isend(left, LEFTWARDS, &edges.left)?;
            let to_right = world.isend(right, RIGHTWARDS, &edges.right)?;
            of_left.wait_into(&mut from_left)?;
            of_right.wait_into(&mut from_right)?;
            to_left.wait()?;
            to_right.wait()?;
            works.timed(|| work.compute(rank, step));
            let at = step as usize % n;
            edges.go_on(step, from_left[at], from_right[at]);
        }
        Ok(())
    })?;
    let digest = digest_of(rank as u64, from_left.iter().chain(&from_right).copied());
    told.least_ns =
        works.least_ns(world, |rank| [(rank + size - 1) % size, (rank + 1) % size].into_iter())?;
    told.digest = world.reduce(0, &[digest], ops::sum)?.map(|sum| sum[0]);
    Ok(told)
}

impl Edges {
    /// Before the first step.
    fn new(rank: u64, bytes: u32) -> Edges {
        let n = u64::from(bytes) / 8;
        let left: Vec<u64> = (0..n).map(|i| i + 2 * rank * n).collect();
        Edges { right: left.iter().map(|value| value + n).collect(), left }
    }

    /// From a step to the next: one element of each edge changes by one that came.
    fn go_on(&mut self, step: u32, from_left: u64, from_right: u64) {
        let next = (step as usize + 1) % self.left.len();
        self.left[next] = self.left[next].wrapping_add(from_right.rotate_left(1));
        self.right[next] ^= from_left.rotate_left(3);
    }
}

/// The digest of a sequential program's result.
pub(crate) fn right_digest(ranks: usize, bytes: u32, steps: u32) -> u64 {
    let mut all: Vec<Edges> = (0..ranks as u64).map(|rank| Edges::new(rank, bytes)).collect();
    let n = all[0].left.len();
    let sides = |rank: usize| ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    // What came in the last step, before the edges went on.
    let mut came: Vec<Vec<u64>> = vec![Vec::new(); ranks];
    for step in 0..steps {
        if step + 1 == steps {
            let of = |rank| {
                let (left, right) = sides(rank);
                [&all[left].right[..], &all[right].left[..]].concat()
            };
            came = (0..ranks).map(of).collect();
        }
        let at = step as usize % n;
        let news: Vec<(u64, u64)> = (0..ranks)
            .map(sides)
            .map(|(left, right)| (all[left].right[at], all[right].left[at]))
            .collect();
        all.iter_mut().zip(news).for_each(|(edges, (left, right))| edges.go_on(step, left, right));
    }
    came.into_iter()
        .zip(0..)
        .map(|(came, rank)| digest_of(rank, came.into_iter()))
        .fold(0, u64::wrapping_add)
}
