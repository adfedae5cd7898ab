//! Memory that ranks of one host share: one of them makes it, the others find it by process and descriptor.
//! Rules: it has no name, so nothing of it is left when its last rank ends; who cannot map it says so to all.

use crate::face::fault::Fault;
use std::io;
use std::ptr::{self, NonNull};

/// Shared memory, mapped here.
#[derive(Debug)]
pub(super) struct Segment {
    address: NonNull<u8>,
    bytes: usize,
}

/// A descriptor of this process, closed when it is dropped.
struct Descriptor(libc::c_int);

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is this object's own.
        unsafe { libc::close(self.0) };
    }
}

/// What a rank tells of memory that it has made: its process, and a descriptor there.
pub(super) type Announcement = [i64; 2];

impl Segment {
    /// Memory of this size among the ranks of a communicator; all of them call it.
    pub(super) fn share(comm: &runahead::Comm, bytes: usize) -> Result<Segment, Fault> {
        let bytes = bytes.max(1);
        let mut announced: Announcement = [0, -1];
        let mut made = None;
        if comm.rank() == 0 {
            made = create(bytes).ok();
            if let Some(descriptor) = &made {
                announced = [i64::from(std::process::id()), i64::from(descriptor.0)];
            }
        }
        comm.broadcast(0, &mut announced)?;
        let mapped = match &made {
            Some(descriptor) => map(descriptor, bytes),
            None => open(announced).and_then(|descriptor| map(&descriptor, bytes)),
        };
        // The descriptor stays open until all have answered.
        let failed = comm.all_reduce(&[i64::from(mapped.is_err())], |a, b| a + b)?;
        match (mapped, failed[0]) {
            (Ok(segment), 0) => Ok(segment),
            (Err(error), _) => Err(refused(&error)),
            (Ok(_), _) => Err(refused(&io::Error::other("another rank could not map it"))),
        }
    }

    /// Where it begins.
    pub(super) fn address(&self) -> *mut u8 {
        self.address.as_ptr()
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: this object's own mapping, which nobody uses afterwards.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.bytes) };
    }
}

fn refused(error: &io::Error) -> Fault {
    let message = format!("memory cannot be shared among the ranks: {error}");
    Fault::new(crate::abi::MPI_ERR_RMA_SHARED, message)
}

/// Makes memory that is zero.
fn create(bytes: usize) -> io::Result<Descriptor> {
    let length = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
    // SAFETY: the name ends with a null.
    let descriptor = unsafe { libc::memfd_create(c"runahead-window".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    let descriptor = Descriptor(descriptor);
    // SAFETY: the descriptor is open.
    match unsafe { libc::ftruncate(descriptor.0, length) } {
        0 => Ok(descriptor),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Opens what another process has made.
fn open([process, descriptor]: Announcement) -> io::Result<Descriptor> {
    let path = std::ffi::CString::new(format!("/proc/{process}/fd/{descriptor}"))?;
    // SAFETY: the path ends with a null.
    match unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) } {
        ..0 => Err(io::Error::last_os_error()),
        descriptor => Ok(Descriptor(descriptor)),
    }
}

fn map(descriptor: &Descriptor, bytes: usize) -> io::Result<Segment> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address that the system chooses.
    let address =
        unsafe { libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_SHARED, descriptor.0, 0) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let address = NonNull::new(address.cast()).ok_or_else(|| io::Error::other("mapped at null"))?;
    Ok(Segment { address, bytes })
}
