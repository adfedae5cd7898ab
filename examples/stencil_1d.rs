//! Heat in a rod: each rank has a piece, and sends a cell to either neighbour in each superstep.
//!
//! `cargo run --release --example stencil_1d -- 8 1000000 100` takes 8 ranks, a million cells and
//! 100 steps. A rank computes the inside of its piece while its neighbours' cells are under way.
//! Rank 0 compares the result with that of a sequential program.

use std::time::Instant;

use runahead::{Comm, Error, Rank, Result};

/// The tag of a cell tells its receiver on which side of the piece it lies.
const FROM_LEFT: u32 = 0;
const FROM_RIGHT: u32 = 1;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |what: &str, default: usize| match arguments.next().map(|text| text.parse()) {
        None => Ok(default),
        Some(Ok(number)) if number > 0 => Ok(number),
        Some(_) => Err(Error::other(format!("{what}: expected a positive integer"))),
    };
    let (ranks, cells, steps) =
        (number("ranks", 4)?, number("cells", 1 << 20)?, number("steps", 200)?);
    runahead::launch(ranks, |world| {
        let (rank, size) = (world.rank(), world.size());
        if cells < size {
            return Err(Error::other(format!("{cells} cells are too few for {size} ranks")));
        }
        let mut piece: Vec<f64> =
            (cells * rank / size..cells * (rank + 1) / size).map(start).collect();
        let begin = Instant::now();
        run(world, &mut piece, steps)?;
        let seconds = begin.elapsed().as_secs_f64();

        // The pieces come together at rank 0, in the order of the ranks.
        if let Some(rod) = world.gather(0, &piece)? {
            if rod.data() != sequential(cells, steps) {
                return Err(Error::other("the result is not that of a sequential program"));
            }
            println!("{cells} cells, {steps} steps, {size} ranks: {seconds:.3} s; checked");
        }
        Ok(())
    })
}

/// The temperature of a cell before the first step.
fn start(cell: usize) -> f64 {
    (cell % 1000) as f64
}

/// The temperature of a cell after a step, by its own and its neighbours' before it.
fn relaxed(left: f64, own: f64, right: f64) -> f64 {
    own + 0.25 * (left - 2.0 * own + right)
}

/// All steps of this rank's piece.
fn run(world: &Comm, piece: &mut Vec<f64>, steps: usize) -> Result<()> {
    let left: Option<Rank> = world.rank().checked_sub(1);
    let right = Some(world.rank() + 1).filter(|&rank| rank < world.size());
    // A cell received from a neighbour. The ends of the rod lose no heat: beyond them lies the same.
    let received = |from: Option<Rank>, tag, own: f64| match from {
        Some(rank) => world.recv::<f64>(rank, tag).map(|message| message.data[0]),
        None => Ok(own),
    };
    let last = piece.len() - 1;
    let mut next = piece.clone();
    for _ in 0..steps {
        // The barrier between two supersteps returns at once. So does a send of a few bytes.
        world.barrier()?;
        if let Some(left) = left {
            world.send(left, FROM_RIGHT, &piece[..1])?;
        }
        if let Some(right) = right {
            world.send(right, FROM_LEFT, &piece[last..])?;
        }
        for cell in 1..last {
            next[cell] = relaxed(piece[cell - 1], piece[cell], piece[cell + 1]);
        }
        let before = received(left, FROM_LEFT, piece[0])?;
        let behind = received(right, FROM_RIGHT, piece[last])?;
        next[0] = relaxed(before, piece[0], if last == 0 { behind } else { piece[1] });
        if last > 0 {
            next[last] = relaxed(piece[last - 1], piece[last], behind);
        }
        std::mem::swap(piece, &mut next);
    }
    Ok(())
}

/// The whole rod after all steps, without any messages.
fn sequential(cells: usize, steps: usize) -> Vec<f64> {
    let mut rod: Vec<f64> = (0..cells).map(start).collect();
    for _ in 0..steps {
        let at = |cell: usize| rod[cell.min(cells - 1)];
        let step = |cell: usize| relaxed(at(cell.saturating_sub(1)), at(cell), at(cell + 1));
        rod = (0..cells).map(step).collect();
    }
    rod
}
