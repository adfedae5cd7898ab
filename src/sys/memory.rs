//! Memory that processes share: a file without a name, mapped.
//!
//! What lies there can be changed at any moment by whoever has the file, rightly or not. It is
//! therefore reached in two ways only: as atomic words ([`Mapped`]), of which any value is a valid
//! one, and as bytes ([`MappedBytes`]), whose readers must know that nobody writes them meanwhile.
//!
//! The file cannot be made shorter. No access through a mapping can then fall behind its end.
//!
//! In a model the file is a file, and what is mapped is loom's.

#[cfg(not(loom))]
mod mapping;
#[cfg(loom)]
mod model;

pub(crate) use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

#[cfg(not(loom))]
pub(crate) use mapping::{AtomicU32, AtomicU64, Mapped, MappedBytes, MappedWord, Mapping};
#[cfg(loom)]
pub(crate) use model::{AtomicU32, AtomicU64, Mapped, MappedBytes, MappedWord, Mapping};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::{Errno, FdFlags};

/// An error of the system: the call, and the number that it gave.
pub(crate) type SystemError = (&'static str, i32);

fn failed(call: &'static str) -> impl Fn(Errno) -> SystemError {
    move |errno| (call, errno.raw_os_error())
}

/// What the system lists such files as.
const NAME: &str = "runahead";

/// A file of `len` zero bytes that has no name, cannot shrink, and is not handed to other programs.
pub(crate) fn nameless_file(len: usize) -> Result<OwnedFd, SystemError> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let fd = match rustix::fs::memfd_create(NAME, flags | MemfdFlags::NOEXEC_SEAL) {
        // Kernels before 6.3 do not know the last flag.
        Err(Errno::INVAL) => rustix::fs::memfd_create(NAME, flags),
        made => made,
    };
    let fd = fd.map_err(failed("memfd_create"))?;
    rustix::fs::ftruncate(&fd, len as u64).map_err(failed("ftruncate"))?;
    // SEAL too: a peer could else forbid it to grow.
    rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::SEAL)
        .map_err(failed("fcntl"))?;
    Ok(fd)
}

/// Whether the file can never become shorter.
pub(crate) fn cannot_shrink(fd: BorrowedFd<'_>) -> bool {
    rustix::fs::fcntl_get_seals(fd).is_ok_and(|seals| seals.contains(SealFlags::SHRINK))
}

/// Keeps the file from programs that this one starts.
pub(crate) fn close_on_exec(fd: BorrowedFd<'_>) -> Result<(), SystemError> {
    rustix::io::fcntl_setfd(fd, FdFlags::CLOEXEC).map_err(failed("fcntl"))
}

/// The length of the file.
pub(crate) fn length(fd: BorrowedFd<'_>) -> Result<u64, SystemError> {
    let stat = rustix::fs::fstat(fd).map_err(failed("fstat"))?;
    Ok(u64::try_from(stat.st_size).unwrap_or(0))
}

/// Makes the file at least `len` long. Others may do so at the same time.
pub(crate) fn grow(fd: BorrowedFd<'_>, len: usize) -> Result<(), SystemError> {
    if length(fd)? >= len as u64 {
        return Ok(());
    }
    match rustix::fs::ftruncate(fd, len as u64) {
        // It has grown beyond that since the look, and cannot shrink.
        Err(Errno::PERM) if length(fd)? >= len as u64 => Ok(()),
        result => result.map_err(failed("ftruncate")),
    }
}
