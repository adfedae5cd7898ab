//! The network between the processes of a job on one host: shared memory that they all get from the
//! launcher or, where they [meet](super::neighbours), from one of them.

use super::LaunchError;
use crate::comm::HostNic;
use crate::order::Rank;
use crate::provider::FabricSpec;
use crate::provider::shm::{self, Segment};
use crate::sys::fd::{BorrowedFd, OwnedFd};

/// The shared memory of a job. A clone shares it.
#[derive(Clone)]
pub(super) struct Network(Segment);

impl Network {
    /// One for a job of `size` ranks.
    pub(super) fn create(size: usize) -> Result<Network, LaunchError> {
        Segment::create(size).map(Network).map_err(LaunchError::Network)
    }

    /// One that another process has made.
    pub(super) fn open(fd: OwnedFd, size: usize) -> Result<Network, LaunchError> {
        Segment::open(fd, size).map(Network).map_err(LaunchError::Network)
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.0.fd()
    }

    /// The interface of a rank.
    pub(super) fn nic(&self, rank: Rank, spec: &FabricSpec) -> Result<HostNic, LaunchError> {
        let nic = self.0.nic(rank, spec).map_err(LaunchError::Network)?;
        // Where there is one kind only, it is this one.
        #[allow(clippy::useless_conversion)]
        Ok(HostNic::from(nic))
    }

    /// The interface of a rank to those of its host.
    #[cfg(all(feature = "ib", not(loom)))]
    pub(super) fn near(&self, rank: Rank, spec: &FabricSpec) -> Result<shm::ShmNic, LaunchError> {
        self.0.nic(rank, spec).map_err(LaunchError::Network)
    }

    /// Notes for the others that the process of a rank has ended.
    pub(super) fn mark_gone(&self, rank: Rank) {
        self.0.mark_gone(rank);
    }
}

/// How much memory the network takes, in bytes.
///
/// # Errors
///
/// If that is more than there may be.
pub(super) fn bytes_needed(size: usize, spec: &FabricSpec) -> Result<usize, LaunchError> {
    match shm::bytes_needed(size, spec) {
        // Too much memory is an error before anything is made.
        usize::MAX => shm::connect(size, spec).map(|_| usize::MAX).map_err(LaunchError::Network),
        bytes => Ok(bytes),
    }
}
