//! The two ways to call a barrier.

use clap::ValueEnum;

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

    /// Whether a rank waits for each barrier.
    pub fn wait(self) -> bool {
        self == Barriers::Traditional
    }
}
