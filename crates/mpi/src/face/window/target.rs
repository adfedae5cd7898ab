//! The memory of one rank of a window, as another rank reaches it: mapped here, or through the system.
//! Rules: what lies outside of the window is refused before anything is touched; what lies between the elements of a
//! datatype is not written.

use crate::abi::*;
use crate::face::fault::Fault;
use crate::face::memory::{Layout, Memory};
use runahead::MessageError;
use std::io;

/// How another rank's memory is reached.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    /// It lies here, in this process.
    Mapped,
    /// It lies in this process, of this rank of the world.
    Remote { process: libc::pid_t, rank: usize },
}

/// The memory of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) access: Access,
    /// Its address, here or there.
    pub(super) base: usize,
    pub(super) bytes: usize,
    pub(super) unit: i64,
}

/// Elements in the memory of a target.
pub(super) struct Place {
    access: Access,
    address: usize,
    count: usize,
    layout: Layout,
    /// Where its bytes begin and end, from its address.
    bounds: (isize, isize),
}

impl Target {
    /// The place of elements, which must lie in the window.
    pub(super) fn place(
        &self,
        displacement: MPI_Aint,
        count: usize,
        layout: Layout,
    ) -> Result<Place, Fault> {
        let bounds = layout.bounds(count);
        let outside = || {
            let message =
                format!("target_disp is {displacement}: the elements lie outside of the window");
            Fault::new(MPI_ERR_RMA_RANGE, message)
        };
        let offset = (displacement as i64).checked_mul(self.unit).ok_or_else(outside)?;
        let begin = offset.checked_add(bounds.0 as i64).ok_or_else(outside)?;
        let end = offset.checked_add(bounds.1 as i64).ok_or_else(outside)?;
        let is_inside = begin >= 0 && u64::try_from(end).is_ok_and(|end| end <= self.bytes as u64);
        if count > 0 && bounds.0 != bounds.1 && !is_inside {
            return Err(outside());
        }
        let address = self.base.wrapping_add_signed(offset as isize);
        Ok(Place { access: self.access, address, count, layout, bounds })
    }
}

impl Place {
    /// The memory, if it lies here.
    fn here(&self) -> Memory {
        let address = std::ptr::with_exposed_provenance_mut(self.address);
        Memory::new(address, self.count, self.layout.clone())
    }

    /// The same elements in a copy of all bytes from the first to the last.
    fn within(&self, copy: &mut [u8]) -> Memory {
        let address = copy.as_mut_ptr().wrapping_offset(self.bounds.0.wrapping_neg());
        address.expose_provenance();
        Memory::new(address, self.count, self.layout.clone())
    }

    /// How many bytes lie from the first to the last.
    fn range_bytes(&self) -> usize {
        self.bounds.1.wrapping_sub(self.bounds.0).unsigned_abs()
    }

    /// Where the first of these bytes lies in the other process.
    fn start(&self) -> usize {
        self.address.wrapping_add_signed(self.bounds.0)
    }

    /// How many bytes the elements have, gaps not counted.
    pub(super) fn bytes(&self) -> usize {
        self.layout.size() * self.count
    }

    /// Reads the elements, one after the other without gaps.
    pub(super) fn read(&self) -> Result<Vec<u8>, Fault> {
        match self.access {
            Access::Mapped => Ok(self.here().to_bytes()),
            Access::Remote { process, rank } => {
                let mut copy = vec![0; self.range_bytes()];
                read_remote((process, rank), self.start(), &mut copy)?;
                Ok(self.within(&mut copy).to_bytes())
            }
        }
    }

    /// Writes the elements.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Fault> {
        let process = match self.access {
            Access::Mapped => {
                self.here().put(0, bytes);
                return Ok(());
            }
            Access::Remote { process, rank } => (process, rank),
        };
        if self.range_bytes() == self.bytes() && self.here().contiguous().is_some() {
            return write_remote(process, self.start(), &bytes[..self.bytes()]);
        }
        // What is the same over zeros and over ones is an element's; the rest are gaps.
        let (mut zeros, mut ones) = (vec![0; self.range_bytes()], vec![!0; self.range_bytes()]);
        self.within(&mut zeros).put(0, bytes);
        self.within(&mut ones).put(0, bytes);
        let mut at = 0;
        for run in runs(&zeros, &ones) {
            at += run.0;
            write_remote(process, self.start().wrapping_add(at), &zeros[at..at + run.1])?;
            at += run.1;
        }
        Ok(())
    }
}

/// The gaps and the runs behind them, in bytes.
fn runs(zeros: &[u8], ones: &[u8]) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let (mut gap, mut run) = (0, 0);
    for (zero, one) in zeros.iter().zip(ones) {
        match zero == one {
            true => run += 1,
            false if run == 0 => gap += 1,
            false => {
                runs.push((gap, run));
                (gap, run) = (1, 0);
            }
        }
    }
    if run > 0 {
        runs.push((gap, run));
    }
    runs
}

/// A process, and its rank in the world.
type Process = (libc::pid_t, usize);

/// The error of a process that could not be reached.
fn unreachable((process, rank): Process) -> Fault {
    let error = io::Error::last_os_error();
    if error.raw_os_error() == Some(libc::ESRCH) {
        return Fault::from(MessageError::PeerLost { rank });
    }
    let message =
        format!("the memory of rank {rank} (process {process}) cannot be reached: {error}");
    Fault::new(MPI_ERR_OTHER, message)
}

/// Reads another process's memory.
pub(super) fn read_remote(process: Process, from: usize, to: &mut [u8]) -> Result<(), Fault> {
    let mut done = 0;
    while done < to.len() {
        let room = &mut to[done..];
        let local = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
        let there = std::ptr::without_provenance_mut(from.wrapping_add(done));
        let remote = libc::iovec { iov_base: there, iov_len: room.len() };
        // SAFETY: the room is this function's to write to, and the other process's memory is only read.
        match unsafe { libc::process_vm_readv(process.0, &local, 1, &remote, 1, 0) } {
            ..=0 => return Err(unreachable(process)),
            read => done += read.unsigned_abs(),
        }
    }
    Ok(())
}

/// Writes another process's memory.
fn write_remote(process: Process, to: usize, from: &[u8]) -> Result<(), Fault> {
    let mut done = 0;
    while done < from.len() {
        let rest = &from[done..];
        let local = libc::iovec { iov_base: rest.as_ptr().cast_mut().cast(), iov_len: rest.len() };
        let there = std::ptr::without_provenance_mut(to.wrapping_add(done));
        let remote = libc::iovec { iov_base: there, iov_len: rest.len() };
        // SAFETY: the program of that process has opened this memory to the ranks of the window.
        match unsafe { libc::process_vm_writev(process.0, &local, 1, &remote, 1, 0) } {
            ..=0 => return Err(unreachable(process)),
            written => done += written.unsigned_abs(),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_leave_out_the_gaps() {
        let zeros = [0, 0, 7, 8, 0, 9, 0, 0];
        let ones = [!0, !0, 7, 8, !0, 9, !0, 0];
        assert_eq!(runs(&zeros, &ones), [(2, 2), (1, 1), (1, 1)]);
        assert_eq!(runs(&[0, 0], &[!0, !0]), []);
        assert_eq!(runs(&[3, 3], &[3, 3]), [(0, 2)]);
    }

    #[test]
    fn elements_outside_of_the_window_are_refused() {
        let target = Target { access: Access::Mapped, base: 4096, bytes: 16, unit: 4 };
        for (displacement, count, fits) in [
            (0, 4, true),
            (0, 5, false),
            (3, 1, true),
            (4, 1, false),
            (-1, 1, false),
            (isize::MAX, 1, false),
            (9, 0, true),
        ] {
            let place = target.place(displacement, count, Layout::Contiguous(4));
            assert_eq!(place.is_ok(), fits, "{displacement} {count}");
        }
    }

    #[test]
    fn memory_of_a_process_is_read_and_written() {
        let mut words = [1_u32, 2, 3, 4];
        let base = words.as_mut_ptr().expose_provenance();
        let process = libc::pid_t::try_from(std::process::id()).expect("a process number");
        let target =
            Target { access: Access::Remote { process, rank: 0 }, base, bytes: 16, unit: 4 };
        let Ok(place) = target.place(1, 2, Layout::Contiguous(4)) else { panic!("it lies inside") };
        assert_eq!(place.read().expect("this process"), [2, 0, 0, 0, 3, 0, 0, 0]);
        place.write(&[9, 0, 0, 0, 8, 0, 0, 0]).expect("this process");
        assert_eq!(std::hint::black_box(words), [1, 9, 8, 4]);
    }
}
