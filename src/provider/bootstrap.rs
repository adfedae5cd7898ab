//! How ranks tell each other their addresses, and their results, before and beside the network that
//! they make.
//!
//! A provider does not know its carrier: the launcher of one host has sockets for it, ranks of
//! several hosts meet by TCP, a cluster may have PMIx or PMI. A job starts by it and ends by it; no
//! message of a program goes this way.

use std::io;

use crate::order::Rank;

/// Keys and values that the ranks of a job have in common, as PMI and PMIx have them: each rank
/// puts its own, and gets those of others. A key is put once.
pub trait Bootstrap: Send {
    /// This rank.
    fn rank(&self) -> Rank;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Puts a value, of at most 1 MiB, which others can get after the next [`commit`](Self::commit)
    /// or [`fence`](Self::fence) of this rank.
    ///
    /// # Errors
    ///
    /// [`BootstrapError`] if the value is too long.
    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), BootstrapError>;

    /// Hands over the values put. When it returns, others can get them even if this process ends.
    ///
    /// # Errors
    ///
    /// [`BootstrapError`] if they cannot be handed over.
    fn commit(&mut self) -> Result<(), BootstrapError>;

    /// As [`commit`](Self::commit), and waits until all ranks have called it as often as this one.
    ///
    /// # Errors
    ///
    /// [`BootstrapError`] naming a rank that has ended before, or those that have not come in time.
    fn fence(&mut self) -> Result<(), BootstrapError>;

    /// What a rank has put under that key. It waits until the rank has committed that.
    ///
    /// # Errors
    ///
    /// [`BootstrapError`] if the rank has ended and put no such value.
    fn get(&mut self, rank: Rank, key: &str) -> Result<Vec<u8>, BootstrapError>;

    /// Says that the job has failed at this rank, and why, with a message for users that names the
    /// `culprit`, if there is one. What becomes of the other ranks is for the launcher to decide.
    fn abort(&mut self, culprit: Option<Rank>, message: &str);

    /// Calls `note` for each rank whose process is known to have ended, in their order. Called now
    /// and then, as long as the job runs: a process that was killed says no goodbye. Where it is not
    /// known, its device's silence tells, some seconds later.
    fn for_each_ended(&self, note: &mut dyn FnMut(Rank)) {
        let _ = note;
    }

    /// Gives `own` to all ranks under a key, and returns what each has given, in their order; this
    /// rank's own is among them. All ranks call it with the same keys, in the same order.
    ///
    /// # Errors
    ///
    /// As by [`put`](Self::put), [`fence`](Self::fence) and [`get`](Self::get).
    fn all_gather(&mut self, key: &str, own: &[u8]) -> Result<Vec<Vec<u8>>, BootstrapError> {
        self.put(key, own)?;
        self.fence()?;
        (0..self.size()).map(|rank| self.get(rank, key)).collect()
    }
}

/// Addresses or results could not be exchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BootstrapError {
    /// A rank has ended without the value or the fence that another waits for.
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
