//! Heat on a plate: a step of a few rows, the sequential program, and one rank of the parallel one.
//!
//! The rows between the first and the last are divided among the ranks, in blocks whose lengths
//! differ by at most one. If there are more ranks than such rows, the last ranks have none: they
//! take part in the barriers, and in nothing else. Each block has one row more on either side, the
//! *halo*: the rim of the neighbour's block, or the fixed boundary.
//!
//! # Why a step gets the halo of that step
//!
//! There are two copies of the block: a step reads `now` and writes `next`, then they change places.
//! Halos are received into `now`, in a call, so nothing is overwritten that is being read. What is
//! left to show is that the halo that is received is that of this step.
//!
//! **[`Order::Overlap`]**: barrier, send, compute the interior, receive, compute the rim. Receives
//! name no sender: whichever neighbour comes first is served first. A neighbour that has both its
//! halos may be one step ahead and have sent the next one while the other neighbour has sent
//! nothing yet. It sent that after its next barrier, and it is not delivered here before that
//! barrier has completed here (SEMANTICS.md: ORD-1), which this rank has not entered (BAR-1). So in
//! each step a rank is given what was sent in that step or before, and what was sent before it has
//! received. This holds for both kinds of barrier, and it is the barrier that does it: without it,
//! receives would have to name the sender or the step.
//!
//! **[`Order::Fence`]**: compute, send, barrier, receive at once. Here no barrier lies between the
//! receives of a step and the sends of the next: a neighbour that has both its halos computes and
//! sends the next one, and this rank may still be waiting for the other. The barrier says that the
//! other's halo has been sent, not that it comes first. So receives name the sender, whose messages
//! come in the order in which it sent them (ORD-2). And they wait for the message: a program that
//! *polled* for messages would need `barrier()?.wait()?` before it, since a mere `barrier()` says
//! nothing of their arrival (FEN-1).
//!
//! Sends do not wait (`isend`): two neighbours that sent a row above the eager limit to each other
//! before either receives would wait for ever. Nor do they pile up: a neighbour must have received
//! the halo of a step before it sends that of the next, without which this rank does not go on.

use std::ops::Range;

use clap::ValueEnum;
use runahead::{Comm, Error, Rank, Result, Source};

use super::field::Field;

/// A step of Jacobi's method: in `rows` of `next`, each cell but the first and the last of its row
/// becomes the mean of what its four neighbours are `now`. The rows need one above and one below.
///
/// A cell's sum has one order, whoever computes it: results are the same bit for bit, however the
/// rows are divided.
pub fn relax(now: &Field, rows: Range<usize>, next: &mut Field) {
    let inner = 1..now.width().saturating_sub(1).max(1);
    for row in rows {
        let above = &now.rows(row - 1..row)[inner.clone()];
        let below = &now.rows(row + 1..row + 2)[inner.clone()];
        let here = now.rows(row..row + 1);
        let next = &mut next.rows_mut(row..row + 1)[inner.clone()];
        let beside = here.iter().zip(here.iter().skip(2));
        for (((next, above), below), (left, right)) in
            next.iter_mut().zip(above).zip(below).zip(beside)
        {
            *next = 0.25 * ((above + below) + (left + right));
        }
    }
}

/// The sequential program.
pub fn sequential(start: &Field, steps: u32) -> Field {
    let (mut now, mut next) = (start.clone(), start.clone());
    for _ in 0..steps {
        relax(&now, 1..1 + now.inner_rows(), &mut next);
        std::mem::swap(&mut now, &mut next);
    }
    now
}

/// In which order a step does things (pakin-2001 §4.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Barrier, send, compute the interior, receive, compute the rim: there is much to do while the
    /// barrier is open
    Overlap,
    /// Compute, send, barrier, receive at once: there is nothing to do, the worst case
    Fence,
}

impl Order {
    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Order::Overlap => "overlap",
            Order::Fence => "fence",
        }
    }
}

/// The tag of all halos.
pub const HALO_TAG: u32 = 1;

/// One rank's rows.
#[derive(Debug)]
pub struct Block<'w> {
    world: &'w Comm,
    now: Field,
    next: Field,
    /// The rank that has the rows above; None where these are the boundary.
    above: Option<Rank>,
    below: Option<Rank>,
    /// A halo that has come and is not in its place yet.
    room: Vec<f64>,
}

/// The first of the inner rows that `rank` has, counted from 0; for the number of ranks, their
/// number.
fn first_row(inner_rows: usize, ranks: usize, rank: Rank) -> usize {
    let busy = ranks.min(inner_rows).max(1);
    inner_rows * rank.min(busy) / busy
}

impl Block<'_> {
    /// Gives each rank its block of the field that rank 0 has.
    ///
    /// # Errors
    ///
    /// Those of the messages.
    pub fn scatter<'w>(world: &'w Comm, start: Option<&Field>) -> Result<Block<'w>> {
        let (rank, size) = (world.rank(), world.size());
        let mut shape = start.map_or([0; 2], |all| [all.width() as u64, all.height() as u64]);
        world.broadcast(0, &mut shape)?;
        let [width, height] = shape.map(|side| side as usize);
        let inner = height.saturating_sub(2);
        let first = |rank| first_row(inner, size, rank);
        let has_rows = |rank: &Rank| *rank < size && first(*rank) < first(rank + 1);

        // With a halo on each side: two rows that are nobody's, where a rank has none of its own.
        let part = |rank| first(rank)..(first(rank + 1) + 2).min(height);
        let parts: Vec<&[f64]> =
            start.map_or(Vec::new(), |all| (0..size).map(|rank| all.rows(part(rank))).collect());
        let now = Field::new(width, world.scatter(0, &parts)?);
        let mine = has_rows(&rank);
        Ok(Block {
            world,
            next: now.clone(),
            now,
            above: rank.checked_sub(1).filter(|_| mine),
            below: Some(rank + 1).filter(|below| mine && has_rows(below)),
            room: vec![0.0; width],
        })
    }

    /// All steps. Whether a rank waits for each step's barrier is what the example compares.
    ///
    /// # Errors
    ///
    /// Those of the messages; and if a halo comes that is not of its step, which no correct runtime
    /// delivers.
    pub fn run(&mut self, steps: u32, order: Order, wait: bool) -> Result<()> {
        for _ in 0..steps {
            match order {
                Order::Overlap => self.overlapped_step(wait)?,
                Order::Fence => self.fenced_step(wait)?,
            }
        }
        Ok(())
    }

    fn overlapped_step(&mut self, wait: bool) -> Result<()> {
        let rows = self.now.inner_rows();
        self.barrier(wait)?;
        self.send_rim()?;
        // All rows that need no halo.
        relax(&self.now, 2..rows.max(2), &mut self.next);
        self.receive_from_any()?;
        if rows > 0 {
            relax(&self.now, 1..2, &mut self.next);
            relax(&self.now, rows.max(2)..rows + 1, &mut self.next);
        }
        std::mem::swap(&mut self.now, &mut self.next);
        Ok(())
    }

    fn fenced_step(&mut self, wait: bool) -> Result<()> {
        relax(&self.now, 1..1 + self.now.inner_rows(), &mut self.next);
        std::mem::swap(&mut self.now, &mut self.next);
        self.send_rim()?;
        self.barrier(wait)?;
        for neighbour in [self.above, self.below].into_iter().flatten() {
            self.receive(neighbour.into())?;
        }
        Ok(())
    }

    fn barrier(&self, wait: bool) -> Result<()> {
        let barrier = self.world.barrier()?;
        if wait { barrier.wait() } else { Ok(()) }
    }

    fn send_rim(&self) -> Result<()> {
        let rows = self.now.inner_rows();
        // The handles are not needed: the messages are sent without them.
        if let Some(above) = self.above {
            self.world.isend(above, HALO_TAG, self.now.rows(1..2))?;
        }
        if let Some(below) = self.below {
            self.world.isend(below, HALO_TAG, self.now.rows(rows..rows + 1))?;
        }
        Ok(())
    }

    fn receive_from_any(&mut self) -> Result<()> {
        let mut missing = [self.above, self.below];
        while missing != [None, None] {
            let from = self.receive(Source::Any)?;
            let Some(expected) = missing.iter_mut().find(|rank| **rank == Some(from)) else {
                return Err(Error::other(format!("a halo of rank {from} is not of this step")));
            };
            *expected = None;
        }
        Ok(())
    }

    /// Receives one halo, puts it into its place, and says whose it was.
    fn receive(&mut self, from: Source) -> Result<Rank> {
        let from = self.world.recv_into(&mut self.room, from, HALO_TAG)?.source;
        let place = if self.above == Some(from) { 0 } else { self.now.inner_rows() + 1 };
        self.now.rows_mut(place..place + 1).copy_from_slice(&self.room);
        Ok(from)
    }

    /// The field after the steps, at rank 0, which gives the field before them for its boundary.
    ///
    /// # Errors
    ///
    /// Those of the messages.
    pub fn gather(&self, start: Option<&Field>) -> Result<Option<Field>> {
        let parts = self.world.gather(0, self.now.rows(1..1 + self.now.inner_rows()))?;
        let Some((mut all, parts)) = start.cloned().zip(parts) else { return Ok(None) };
        let inner = 1..1 + all.inner_rows();
        all.rows_mut(inner).copy_from_slice(parts.data());
        Ok(Some(all))
    }
}
