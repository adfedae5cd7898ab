//! What processes of one job share by inheritance: memory without a name, a bell, pipes; and waiting
//! for several of them.
//!
//! It holds names and no protocol. All of them are closed on exec; who starts a process says which
//! ones that gets.

use std::io;
use std::time::Duration;

pub(crate) use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::fs::{MemfdFlags, fstat, memfd_create};
use rustix::io::{Errno, pread, pwrite, read, write};
use rustix::pipe::{PipeFlags, pipe_with};

/// Memory without a name that is read and written at offsets. What was never written is zero, and
/// takes no memory.
#[derive(Debug)]
pub(crate) struct Sheet(OwnedFd);

impl Sheet {
    pub(crate) fn create(name: &str) -> io::Result<Sheet> {
        Ok(Sheet(memfd_create(name, MemfdFlags::CLOEXEC)?))
    }

    /// One that was inherited.
    pub(crate) fn of(fd: OwnedFd) -> Sheet {
        Sheet(fd)
    }

    /// Whether it is one that was created under that name: what stands under a number that was
    /// inherited may be something else.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        let link = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        let is = format!("/memfd:{name}");
        std::fs::read_link(link).is_ok_and(|target| target.to_string_lossy().starts_with(&is))
    }

    /// The one that another process has under that number, if this one may look at it.
    pub(crate) fn seen_at(pid: u32, number: i32) -> io::Result<Sheet> {
        Ok(Sheet(std::fs::File::open(format!("/proc/{pid}/fd/{number}"))?.into()))
    }

    /// Does something that no two processes do at once, if all do it here.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        use rustix::fs::{FlockOperation, fcntl_lock};
        while let Err(error) = fcntl_lock(&self.0, FlockOperation::LockExclusive) {
            if error != Errno::INTR {
                return Err(error.into());
            }
        }
        let done = work();
        fcntl_lock(&self.0, FlockOperation::Unlock)?;
        done
    }

    pub(crate) fn len(&self) -> io::Result<u64> {
        Ok(u64::try_from(fstat(&self.0)?.st_size).unwrap_or(0))
    }

    /// How much memory it takes, in bytes: at least what was written, however long it was made.
    pub(crate) fn held(&self) -> io::Result<u64> {
        // The unit is 512 bytes whatever the file system.
        Ok(u64::try_from(fstat(&self.0)?.st_blocks).unwrap_or(0).saturating_mul(512))
    }

    pub(crate) fn write_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match pwrite(&self.0, bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => (bytes, offset) = (&bytes[count..], offset + count as u64),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(crate) fn read_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match pread(&self.0, &mut *bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => (bytes, offset) = (&mut bytes[count..], offset + count as u64),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl AsFd for Sheet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Wakes one who waits: a ring while nobody waits ends the next wait.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn create() -> io::Result<Bell> {
        Ok(Bell(eventfd(0, EventfdFlags::CLOEXEC)?))
    }

    /// One that was inherited.
    pub(crate) fn of(fd: OwnedFd) -> Bell {
        Bell(fd)
    }

    /// Another handle of it.
    pub(crate) fn another(&self) -> io::Result<Bell> {
        Ok(Bell(self.0.try_clone()?))
    }

    pub(crate) fn ring(&self) {
        // It fails only if 2^64 rings are unheard.
        let _ = write(&self.0, &1u64.to_ne_bytes());
    }

    /// Waits for a ring.
    pub(crate) fn wait(&self) -> io::Result<()> {
        let mut rings = [0; 8];
        match read(&self.0, &mut rings) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Another name for it, with a high number: the low ones are for what scripts open themselves.
pub(crate) fn high(fd: impl AsFd) -> io::Result<OwnedFd> {
    let any = |_| rustix::io::fcntl_dupfd_cloexec(&fd, 3);
    Ok(rustix::io::fcntl_dupfd_cloexec(&fd, 100).or_else(any)?)
}

/// A pipe: the end to read from, which never waits, and the end to write to, which does.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (from, to) = pipe_with(PipeFlags::CLOEXEC)?;
    never_wait(&from)?;
    Ok((from, to))
}

/// From now on reading from it fails where it would wait.
pub(crate) fn never_wait(fd: impl AsFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(&fd)?;
    Ok(rustix::fs::fcntl_setfl(&fd, flags | rustix::fs::OFlags::NONBLOCK)?)
}

/// Reads what is there: None if there is nothing yet, 0 at the end.
pub(crate) fn read_some(fd: impl AsFd, bytes: &mut [u8]) -> io::Result<Option<usize>> {
    match read(fd, bytes) {
        Ok(count) => Ok(Some(count)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes to a pipe. At most 4096 bytes go in one piece.
pub(crate) fn write_some(fd: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    Ok(write(fd, bytes)?)
}

/// Waits until one of them can be read, or is closed at the other end, or the time is up; says which
/// can. It may say none before that.
pub(crate) fn ready(fds: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<Vec<bool>> {
    let watched = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN));
    let mut watched: Vec<_> = watched.collect();
    // A time that does not fit is longer than any job.
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    match rustix::event::poll(&mut watched, limit.as_ref()) {
        Ok(_) => Ok(watched.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(Errno::INTR) => Ok(vec![false; fds.len()]),
        Err(error) => Err(error.into()),
    }
}
