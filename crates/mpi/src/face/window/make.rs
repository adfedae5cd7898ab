//! Making windows and freeing them.
//! Source: MPI 5.0, section *Initialization* of one-sided communication.
//! Rules: all ranks of the communicator call these; if one cannot take part, each gets an error.

use super::segment::Segment;
use super::target::{Access, Target, read_remote};
use super::{Epoch, Locks, Window};
use crate::abi::*;
use crate::dialect;
use crate::face::border::{In, Out};
use crate::face::communicator::Communicator;
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::{Library, keep};
use crate::objects::attribute::Kind;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// What each rank tells of its memory: its process, where it lies, how long it is, its unit.
const WORDS: usize = 4;

/// Each part of memory that is not shared contiguously begins on a cache line.
const ALIGNMENT: usize = 64;

/// What a rank opens.
struct Opened {
    base: usize,
    bytes: usize,
    unit: c_int,
}

/// A size in bytes, which is not negative.
fn checked_size(size: i64) -> Result<usize, Fault> {
    usize::try_from(size).map_err(|_| Fault::value(MPI_ERR_SIZE, "size", size))
}

/// A displacement unit, which is positive.
fn checked_unit(unit: i64) -> Result<c_int, Fault> {
    match c_int::try_from(unit) {
        Ok(checked) if checked > 0 => Ok(checked),
        _ => Err(Fault::value(MPI_ERR_DISP, "disp_unit", unit)),
    }
}

/// A word that other ranks try to read.
static PROBE: u64 = 0x7275_6e61_6865_6164;

/// Whether every rank reaches the memory of the next one; all call it.
fn others_are_reachable(comm: &runahead::Comm) -> Result<bool, Fault> {
    // SAFETY: the call has no condition; where it is not known, nothing is needed.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
    let own = [i64::from(std::process::id()), (&raw const PROBE).addr() as i64];
    let mut all = vec![0; 2 * comm.size()];
    comm.all_gather_into(&own, &mut all)?;
    let rank = (comm.rank() + 1) % comm.size();
    let next = 2 * rank;
    let mut word = [0; 8];
    let process = (all[next] as libc::pid_t, rank);
    let is_read = read_remote(process, all[next + 1] as usize, &mut word).is_ok();
    let failed = !is_read || u64::from_ne_bytes(word) != PROBE;
    Ok(comm.all_reduce(&[i64::from(failed)], |a, b| a + b)?[0] == 0)
}

impl Library {
    /// The communicator of a new window.
    fn window_comm(&self, comm: MPI_Comm) -> Result<Communicator, Fault> {
        let comm = self.comm(comm)?;
        comm.intra()?;
        if comm.comm.hosts().count() > 1 {
            return Err(Fault::unsupported("a window over several hosts"));
        }
        let handler = MPI_ERRORS_ARE_FATAL;
        Ok(Communicator::new(comm.comm.dup()?, handler))
    }

    /// Makes a window of memory that the program has.
    fn create_window(
        &self,
        comm: MPI_Comm,
        opened: &Opened,
        flavor: c_int,
    ) -> Result<MPI_Win, Fault> {
        let comm = self.window_comm(comm)?;
        if comm.size > 1 && !others_are_reachable(&comm.comm)? {
            let message =
                "the system does not let ranks reach the memory of others: use MPI_Win_allocate";
            return Err(Fault::new(MPI_ERR_UNSUPPORTED_OPERATION, message));
        }
        let targets =
            targets(&comm, opened, |rank, process, base| match process == std::process::id() {
                true => (Access::Mapped, base),
                false => (Access::Remote { process: process as libc::pid_t, rank }, base),
            })?;
        self.keep_window(comm, targets, None, opened, flavor)
    }

    /// Makes a window of memory that the library allocates.
    fn allocate_window(
        &self,
        comm: MPI_Comm,
        bytes: usize,
        unit: c_int,
        flavor: c_int,
    ) -> Result<(MPI_Win, usize), Fault> {
        let comm = self.window_comm(comm)?;
        // Parts that are shared lie one behind the other without gaps (MPI 5.0, MPI_Win_allocate_shared).
        let room = match flavor {
            MPI_WIN_FLAVOR_SHARED => bytes,
            _ => bytes.next_multiple_of(ALIGNMENT),
        };
        let mut rooms = vec![0_i64; comm.comm.size()];
        comm.comm.all_gather_into(&[room as i64], &mut rooms)?;
        let before: i64 = rooms[..comm.comm.rank()].iter().sum();
        let memory = Segment::share(&comm.comm, rooms.iter().sum::<i64>() as usize)?;
        let start = memory.address().expose_provenance();
        let opened = Opened { base: before as usize, bytes, unit };
        let targets = targets(&comm, &opened, |_, _, offset| (Access::Mapped, start + offset))?;
        let opened = Opened { base: start + opened.base, ..opened };
        let base = opened.base;
        Ok((self.keep_window(comm, targets, Some(memory), &opened, flavor)?, base))
    }

    fn keep_window(
        &self,
        comm: Communicator,
        targets: Vec<Target>,
        memory: Option<Segment>,
        opened: &Opened,
        flavor: c_int,
    ) -> Result<MPI_Win, Fault> {
        let control = Segment::share(&comm.comm, targets.len() * size_of::<Locks>())?;
        let comm = Rc::new(comm);
        let window = Rc::new(Window {
            comm: comm.clone(),
            targets,
            control,
            memory,
            // A dynamic window has no size of its own (MPI 5.0, section on window attributes).
            size: if flavor == MPI_WIN_FLAVOR_DYNAMIC { 0 } else { opened.bytes as MPI_Aint },
            unit: opened.unit,
            flavor,
            shown_flavor: dialect::attribute(MPI_WIN_CREATE_FLAVOR, flavor),
            model: dialect::attribute(MPI_WIN_MODEL, MPI_WIN_UNIFIED),
            name: RefCell::default(),
            epoch: Epoch::default(),
        });
        let handle = keep(&self.windows, window)?;
        // The error handler is told the window's handle, which is as wide as a communicator's.
        comm.handle.set(MPI_Comm(handle));
        Ok(MPI_Win(handle))
    }
}

/// What all ranks open; `reach` says how, of a process and an address.
fn targets(
    comm: &Communicator,
    opened: &Opened,
    reach: impl Fn(usize, u32, usize) -> (Access, usize),
) -> Result<Vec<Target>, Fault> {
    let process = i64::from(std::process::id());
    let own: [i64; WORDS] =
        [process, opened.base as i64, opened.bytes as i64, i64::from(opened.unit)];
    let mut all = vec![0; WORDS * comm.comm.size()];
    comm.comm.all_gather_into(&own, &mut all)?;
    let targets = all.chunks_exact(WORDS).enumerate().map(|(rank, of)| {
        let rank = comm.comm.world_rank(rank)?;
        let (access, base) = reach(rank, of[0] as u32, of[1] as usize);
        Ok(Target { access, base, bytes: of[2] as usize, unit: of[3] })
    });
    targets.collect()
}

export! {
    /// Makes a window of memory that the program has.
    fn MPI_Win_create(library; base: Out<c_void>, size: MPI_Aint, disp_unit: c_int, info: MPI_Info, comm: MPI_Comm, win: Out<MPI_Win>) on comm {
        library.check_hints(info)?;
        let (bytes, unit) = (checked_size(size as i64)?, checked_unit(disp_unit.into())?);
        let opened = Opened { base: base.address().expose_provenance(), bytes, unit };
        win.set("win", library.create_window(comm, &opened, MPI_WIN_FLAVOR_CREATE)?)
    }

    /// Makes a window of memory that the program has, with a large unit.
    fn MPI_Win_create_c(library; base: Out<c_void>, size: MPI_Aint, disp_unit: MPI_Aint, info: MPI_Info, comm: MPI_Comm, win: Out<MPI_Win>) on comm {
        library.check_hints(info)?;
        let (bytes, unit) = (checked_size(size as i64)?, checked_unit(disp_unit as i64)?);
        let opened = Opened { base: base.address().expose_provenance(), bytes, unit };
        win.set("win", library.create_window(comm, &opened, MPI_WIN_FLAVOR_CREATE)?)
    }

    /// Makes a window to which memory is attached later: displacements are addresses.
    fn MPI_Win_create_dynamic(library; info: MPI_Info, comm: MPI_Comm, win: Out<MPI_Win>) on comm {
        library.check_hints(info)?;
        let opened = Opened { base: 0, bytes: isize::MAX as usize, unit: 1 };
        win.set("win", library.create_window(comm, &opened, MPI_WIN_FLAVOR_DYNAMIC)?)
    }

    /// Opens memory to a dynamic window, where all of the process lies already.
    fn MPI_Win_attach(library; win: MPI_Win, base: Out<c_void>, size: MPI_Aint) {
        library.on_window(win, |window| {
            checked_size(size as i64)?;
            match (window.flavor, base.is_null() && size > 0) {
                (MPI_WIN_FLAVOR_DYNAMIC, false) => Ok(()),
                (MPI_WIN_FLAVOR_DYNAMIC, true) => Err(Fault::null("base")),
                _ => Err(Fault::new(MPI_ERR_RMA_FLAVOR, "win is no dynamic window")),
            }
        })
    }

    /// Closes memory of a dynamic window; who goes on accessing it breaks the standard's rules.
    fn MPI_Win_detach(library; win: MPI_Win, _base: In<c_void>) {
        library.on_window(win, |window| match window.flavor {
            MPI_WIN_FLAVOR_DYNAMIC => Ok(()),
            _ => Err(Fault::new(MPI_ERR_RMA_FLAVOR, "win is no dynamic window")),
        })
    }

    /// Allocates memory and makes a window of it.
    fn MPI_Win_allocate(library; size: MPI_Aint, disp_unit: c_int, info: MPI_Info, comm: MPI_Comm, baseptr: Out<*mut c_void>, win: Out<MPI_Win>) on comm {
        library.check_hints(info)?;
        let (bytes, unit) = (checked_size(size as i64)?, checked_unit(disp_unit.into())?);
        let (made, base) = library.allocate_window(comm, bytes, unit, MPI_WIN_FLAVOR_ALLOCATE)?;
        baseptr.set("baseptr", std::ptr::with_exposed_provenance_mut(base))?;
        win.set("win", made)
    }

    /// Allocates memory and makes a window of it, with a large unit.
    fn MPI_Win_allocate_c(library; size: MPI_Aint, disp_unit: MPI_Aint, info: MPI_Info, comm: MPI_Comm, baseptr: Out<*mut c_void>, win: Out<MPI_Win>) on comm {
        library.check_hints(info)?;
        let (bytes, unit) = (checked_size(size as i64)?, checked_unit(disp_unit as i64)?);
        let (made, base) = library.allocate_window(comm, bytes, unit, MPI_WIN_FLAVOR_ALLOCATE)?;
        baseptr.set("baseptr", std::ptr::with_exposed_provenance_mut(base))?;
        win.set("win", made)
    }

    /// Allocates memory that all ranks may load and store, and makes a window of it.
    fn MPI_Win_allocate_shared(library; size: MPI_Aint, disp_unit: c_int, info: MPI_Info, comm: MPI_Comm, baseptr: Out<*mut c_void>, win: Out<MPI_Win>) on comm {
        library.check_hints(info)?;
        let (bytes, unit) = (checked_size(size as i64)?, checked_unit(disp_unit.into())?);
        let (made, base) = library.allocate_window(comm, bytes, unit, MPI_WIN_FLAVOR_SHARED)?;
        baseptr.set("baseptr", std::ptr::with_exposed_provenance_mut(base))?;
        win.set("win", made)
    }

    /// Allocates memory that all ranks may load and store, with a large unit.
    fn MPI_Win_allocate_shared_c(library; size: MPI_Aint, disp_unit: MPI_Aint, info: MPI_Info, comm: MPI_Comm, baseptr: Out<*mut c_void>, win: Out<MPI_Win>) on comm {
        library.check_hints(info)?;
        let (bytes, unit) = (checked_size(size as i64)?, checked_unit(disp_unit as i64)?);
        let (made, base) = library.allocate_window(comm, bytes, unit, MPI_WIN_FLAVOR_SHARED)?;
        baseptr.set("baseptr", std::ptr::with_exposed_provenance_mut(base))?;
        win.set("win", made)
    }

    /// Frees a window, when all ranks have called it.
    fn MPI_Win_free(library; win: Out<MPI_Win>) {
        let handle = win.value("win")?;
        library.on_window(handle, |window| {
            let epoch = &window.epoch;
            let is_locked = epoch.all_locked.get() || !epoch.locked.borrow().is_empty();
            if is_locked || epoch.started.borrow().is_some() || epoch.posted.borrow().is_some() {
                return Err(Fault::new(MPI_ERR_RMA_SYNC, "win has an open epoch"));
            }
            library.delete_attributes(Kind::Win, handle.0)?;
            window.meet()?;
            library.release_handler(window.comm.handler.get());
            Ok(())
        })?;
        library.windows.borrow_mut().remove(handle.0);
        win.set("win", MPI_WIN_NULL)
    }
}
