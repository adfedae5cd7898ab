//! One rank of the grid: its row, its column, and what it does in a step.

use runahead::{Comm, Error, Rank, Result};
use runahead_harness::work::Work;

/// What a step has besides the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A barrier of the row, and one of the column.
    Barriers,
    /// A barrier of the row, and a message to the next row.
    Messages,
}

impl Pattern {
    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Barriers => "barriers",
            Pattern::Messages => "messages",
        }
    }
}

/// One rank of the grid.
pub struct Grid<'w> {
    world: &'w Comm,
    row: Comm,
    column: Comm,
    pattern: Pattern,
    /// Whether the rank waits for its barriers.
    wait: bool,
}

const TAG: u32 = 1;

impl Grid<'_> {
    /// Rows of so many ranks.
    ///
    /// # Errors
    ///
    /// As by [`Comm::split`].
    pub fn new(world: &Comm, columns: usize, pattern: Pattern, wait: bool) -> Result<Grid<'_>> {
        let row = world.split((world.rank() / columns) as u32, 0)?;
        let column = world.split((world.rank() % columns) as u32, 0)?;
        Ok(Grid { world, row, column, pattern, wait })
    }

    /// All steps.
    ///
    /// # Errors
    ///
    /// If a message is not the one that it should be; others as by [`Comm::barrier`] and
    /// [`Comm::send`].
    pub fn run(&mut self, steps: u32, work: &Work) -> Result<()> {
        for step in 0..steps {
            work.compute(self.world.rank(), step);
            self.barrier(&self.row)?;
            match self.pattern {
                Pattern::Barriers => self.barrier(&self.column)?,
                Pattern::Messages => self.tell_next_row(step)?,
            }
        }
        Ok(())
    }

    fn barrier(&self, comm: &Comm) -> Result<()> {
        let barrier = comm.barrier()?;
        if self.wait { barrier.wait() } else { Ok(()) }
    }

    fn tell_next_row(&self, step: u32) -> Result<()> {
        let (rows, row) = (self.column.size(), self.column.rank());
        self.column.send((row + 1) % rows, TAG, &[message(self.world.rank(), step)])?;
        let previous = (row + rows - 1) % rows;
        let told = self.column.recv::<u64>(previous, TAG)?.data;
        let expected = message(self.column.world_rank(previous)?, step);
        if told == [expected] {
            return Ok(());
        }
        Err(Error::other(format!("row {previous} told {told:?} in step {step}, not {expected}")))
    }
}

/// What a rank tells in a step.
fn message(rank: Rank, step: u32) -> u64 {
    u64::from(step) << 32 | rank as u64
}
