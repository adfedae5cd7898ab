//! The network between the processes of a job on one host: the shared memory that all of them inherit, or, where they
//! [meet](super::neighbours), have from one of them.

use std::io;

use serde::{Deserialize, Serialize};

use super::LaunchError;
use crate::comm::HostNic;
use crate::order::Rank;
use crate::provider::FabricSpec;
use crate::provider::shm::{self, Segment};
use crate::sys::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use crate::sys::{memory, process};
use crate::verbs::VerbsError;

/// The shared memory, as a process of the job has it. A clone is the same.
#[derive(Clone)]
pub(super) struct Network(Segment);

impl Network {
    /// One for a job of `size` ranks.
    pub(super) fn create(size: usize) -> Result<Network, LaunchError> {
        Segment::create(size).map(Network).map_err(LaunchError::Network)
    }

    /// One that was inherited.
    pub(super) fn open(fd: OwnedFd, size: usize) -> Result<Network, LaunchError> {
        Segment::open(fd, size).map(Network).map_err(LaunchError::Network)
    }

    /// One that another process has, where that says it is.
    pub(super) fn of_another(place: FilePlace, size: usize) -> io::Result<Network> {
        let FilePlace { pid, fd, inode } = place;
        let file = memory::nameless_file_of(pid, fd)?;
        if memory::inode(file.as_fd()).ok() != Some(inode) {
            return Err(memory::is_another());
        }
        Network::open(file, size).map_err(io::Error::other)
    }

    /// Where others of this host find it, as long as this process has it.
    pub(super) fn place(&self) -> Result<FilePlace, LaunchError> {
        let system = |(call, code)| LaunchError::Network(VerbsError::System { call, code });
        let inode = memory::inode(self.fd()).map_err(system)?;
        Ok(FilePlace { pid: process::own_pid(), fd: self.fd().as_raw_fd(), inode })
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

    /// Tells the others that the process of a rank has ended.
    pub(super) fn mark_gone(&self, rank: Rank) {
        self.0.mark_gone(rank);
    }
}

/// Where a file is that a process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FilePlace {
    pub(super) pid: u32,
    /// What that process calls it.
    pub(super) fd: i32,
    /// What the system calls it.
    pub(super) inode: u64,
}

/// How much memory the network takes, in bytes.
///
/// # Errors
///
/// If that is more than there may be.
pub(super) fn bytes_needed(size: usize, spec: &FabricSpec) -> Result<usize, LaunchError> {
    match shm::bytes_needed(size, spec) {
        // What is too much is said before anything is made.
        usize::MAX => shm::connect(size, spec).map(|_| usize::MAX).map_err(LaunchError::Network),
        bytes => Ok(bytes),
    }
}
