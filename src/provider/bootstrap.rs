//! How ranks tell each other their addresses, before they have a network of their own.
//!
//! What can do it is no provider's to know: a launcher on one host has shared memory for it (`launch/exchange`), ranks of
//! several hosts have connections (`launch/meeting`), a cluster may have PMIx.

use std::io;

use crate::order::Rank;

/// Lets the ranks of a job exchange a few bytes when it starts.
pub trait Bootstrap: Send {
    /// Gives `own` to all ranks, and returns what each has given, in their order; this rank's own is among
    /// them. All ranks call it equally often. It waits for all.
    ///
    /// # Errors
    ///
    /// [`BootstrapError`] if a rank has ended, or the exchange itself has failed.
    fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, BootstrapError>;

    /// Whether the process of a rank is known to have ended. Called now and then, as long as the job runs: a
    /// process that was killed says no goodbye. Where it is not known, its device's silence tells, some
    /// seconds later.
    fn has_ended(&self, rank: Rank) -> bool {
        let _ = rank;
        false
    }
}

/// Addresses could not be exchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BootstrapError {
    /// A rank has ended, and given nothing.
    #[error("rank {rank} has ended before it had a network")]
    Ended {
        /// The rank.
        rank: Rank,
    },
    /// What carries it has failed.
    #[error("{message}")]
    Failed {
        /// What the system says.
        message: String,
    },
}

impl From<io::Error> for BootstrapError {
    fn from(error: io::Error) -> BootstrapError {
        BootstrapError::Failed { message: error.to_string() }
    }
}
