//! Descriptors: numbers that a process inherits, pipes, and waiting for several of them.
//!
//! It holds names and no protocol. All of them are closed on exec; the launcher of a process says
//! which it gets.

use std::io;
use std::time::Duration;

pub(crate) use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::{Errno, read, write};
use rustix::pipe::{PipeFlags, pipe_with};

/// A duplicate with a high number: scripts use the low ones.
pub(crate) fn high(fd: impl AsFd) -> io::Result<OwnedFd> {
    let any = |_| rustix::io::fcntl_dupfd_cloexec(&fd, 3);
    Ok(rustix::io::fcntl_dupfd_cloexec(&fd, 100).or_else(any)?)
}

/// A pipe: a non-blocking read end and a blocking write end.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (from, to) = pipe_with(PipeFlags::CLOEXEC)?;
    never_wait(&from)?;
    Ok((from, to))
}

/// Makes reading non-blocking from now on.
pub(crate) fn never_wait(fd: impl AsFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(&fd)?;
    Ok(rustix::fs::fcntl_setfl(&fd, flags | rustix::fs::OFlags::NONBLOCK)?)
}

/// Reads the available bytes: None if there are none yet, 0 at the end.
pub(crate) fn read_some(fd: impl AsFd, bytes: &mut [u8]) -> io::Result<Option<usize>> {
    match read(fd, bytes) {
        Ok(count) => Ok(Some(count)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes to a pipe. At most 4096 bytes are atomic.
pub(crate) fn write_some(fd: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    Ok(write(fd, bytes)?)
}

/// Waits until one of them is readable, or closed at the other end, or until the time limit.
/// Returns which are. It may return none earlier.
pub(crate) fn ready(fds: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<Vec<bool>> {
    let fds: Vec<_> = fds.iter().map(|fd| (*fd, false)).collect();
    ready_for(&fds, limit)
}

/// The same, for descriptors of which some also wait for being writable.
pub(crate) fn ready_for(
    fds: &[(BorrowedFd<'_>, bool)],
    limit: Option<Duration>,
) -> io::Result<Vec<bool>> {
    let watched = fds.iter().map(|(fd, writes)| {
        let flags = if *writes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        PollFd::from_borrowed_fd(*fd, flags)
    });
    let mut watched: Vec<_> = watched.collect();
    // A limit that does not fit is longer than any job.
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    match rustix::event::poll(&mut watched, limit.as_ref()) {
        Ok(_) => Ok(watched.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(Errno::INTR) => Ok(vec![false; fds.len()]),
        Err(error) => Err(error.into()),
    }
}
