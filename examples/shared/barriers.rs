//! The two ways to call a barrier.

use clap::ValueEnum;
use runahead::{Comm, Result};

/// How a program uses `barrier()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Barriers {
    /// `barrier()?.wait()?`: nobody goes on before all have come.
    Traditional,
    /// `barrier()?`: ranks run ahead.
    Nonblocking,
}

impl Barriers {
    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Barriers::Traditional => "traditional",
            Barriers::Nonblocking => "nonblocking",
        }
    }

    /// The barrier between two supersteps.
    ///
    /// # Errors
    ///
    /// As by [`Comm::barrier`].
    pub fn call(self, comm: &Comm) -> Result<()> {
        let barrier = comm.barrier()?;
        match self {
            Barriers::Traditional => barrier.wait(),
            Barriers::Nonblocking => Ok(()),
        }
    }
}
