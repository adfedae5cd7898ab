//! Memory that processes share: a mapped file without a name.
//!
//! Any process with the file may change it at any moment, correctly or not. It is therefore
//! accessed in two ways only. Atomic words ([`Mapped`]) accept any value. Readers of bytes
//! ([`MappedBytes`]) must know that no process writes them meanwhile.
//!
//! The file cannot shrink, so no access through a mapping can be beyond its end.
//!
//! In a model the file is a real file, and the mapping is loom's.

#[cfg(not(loom))]
mod mapping;
#[cfg(loom)]
mod model;

pub(crate) use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

#[cfg(not(loom))]
pub(crate) use mapping::{AtomicU32, AtomicU64, Mapped, MappedBytes, MappedWord, Mapping};
#[cfg(loom)]
pub(crate) use model::{AtomicU32, AtomicU64, Mapped, MappedBytes, MappedWord, Mapping};
use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use rustix::io::{Errno, FdFlags};
use rustix::process::{Resource, getrlimit};

/// An error of the system: the call, and its error number.
pub(crate) type SystemError = (&'static str, i32);

fn failed(call: &'static str) -> impl Fn(Errno) -> SystemError {
    move |errno| (call, errno.raw_os_error())
}

/// The name of such files in the system's listings.
const NAME: &str = "runahead";

/// Makes a file so long. Beyond the limit of this process the system would end it by a signal.
fn set_length(fd: BorrowedFd<'_>, len: u64) -> Result<(), Errno> {
    match getrlimit(Resource::Fsize).current {
        Some(limit) if len > limit => Err(Errno::FBIG),
        _ => rustix::fs::ftruncate(fd, len),
    }
}

/// A file of `len` zero bytes that has no name, cannot shrink, and is not inherited by other
/// programs.
pub(crate) fn nameless_file(len: usize) -> Result<OwnedFd, SystemError> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let fd = match rustix::fs::memfd_create(NAME, flags | MemfdFlags::NOEXEC_SEAL) {
        // Kernels before 6.3 do not know the last flag.
        Err(Errno::INVAL) => rustix::fs::memfd_create(NAME, flags),
        made => made,
    };
    let fd = fd.map_err(failed("memfd_create"))?;
    set_length(fd.as_fd(), len as u64).map_err(failed("ftruncate"))?;
    // SEAL too: otherwise a peer could forbid it to grow.
    rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::SEAL)
        .map_err(failed("fcntl"))?;
    Ok(fd)
}

/// Whether the file can never shrink.
pub(crate) fn cannot_shrink(fd: BorrowedFd<'_>) -> bool {
    rustix::fs::fcntl_get_seals(fd).is_ok_and(|seals| seals.contains(SealFlags::SHRINK))
}

/// Closes the file in programs that this one starts.
pub(crate) fn close_on_exec(fd: BorrowedFd<'_>) -> Result<(), SystemError> {
    rustix::io::fcntl_setfd(fd, FdFlags::CLOEXEC).map_err(failed("fcntl"))
}

/// The length of the file.
pub(crate) fn length(fd: BorrowedFd<'_>) -> Result<u64, SystemError> {
    let stat = rustix::fs::fstat(fd).map_err(failed("fstat"))?;
    Ok(u64::try_from(stat.st_size).unwrap_or(0))
}

/// Makes the file at least `len` bytes long. Other processes may do so at the same time.
pub(crate) fn grow(fd: BorrowedFd<'_>, len: usize) -> Result<(), SystemError> {
    if length(fd)? >= len as u64 {
        return Ok(());
    }
    match set_length(fd, len as u64) {
        // It has grown beyond that meanwhile, and cannot shrink.
        Err(Errno::PERM) if length(fd)? >= len as u64 => Ok(()),
        result => result.map_err(failed("ftruncate")),
    }
}

/// Gives `len` bytes of the file from `start` on back to the system: they read as zeros from then on.
pub(crate) fn punch(fd: BorrowedFd<'_>, start: usize, len: usize) -> Result<(), SystemError> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(fd, flags, start as u64, len as u64).map_err(failed("fallocate"))
}
