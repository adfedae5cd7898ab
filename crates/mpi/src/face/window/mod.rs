//! Windows: memory that each rank opens to the others of a group, within one host.
//! Source: MPI 5.0, chapter *One-Sided Communications*.
//! Rules: an operation is done when its call returns, so to flush is nothing; all agree when a window cannot be made.
//!
//! Memory that the library allocates is shared, and reached by loads and stores. Other memory is reached through the
//! system, which must allow it. Locks are words that all ranks share.

pub(crate) mod inquire;
pub(crate) mod make;
pub(crate) mod segment;
pub(crate) mod synchronize;
pub(crate) mod target;
pub(crate) mod transfer;

use super::communicator::Communicator;
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use runahead::Source;
use runahead::internals::message::Lane;
use segment::Segment;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use target::Target;

/// A window.
pub(crate) struct Window {
    /// Its ranks. Its error handler is the window's, and its handle, too.
    comm: Rc<Communicator>,
    targets: Vec<Target>,
    /// The locks of all ranks.
    control: Segment,
    /// The memory, if the library has allocated it.
    #[allow(dead_code, reason = "it is unmapped with the window")]
    memory: Option<Segment>,
    /// What its predefined attributes are the addresses of.
    size: MPI_Aint,
    unit: c_int,
    flavor: c_int,
    /// The flavor and the memory model as the program reads them.
    shown_flavor: c_int,
    model: c_int,
    name: RefCell<String>,
    epoch: Epoch,
}

/// Which ranks' memory this rank may access, and to whom it has opened its own.
#[derive(Default)]
struct Epoch {
    /// Whether a fence has opened all.
    fenced: Cell<bool>,
    /// Whether all are locked.
    all_locked: Cell<bool>,
    /// The ranks that are locked, each with whether it is locked for this rank alone.
    locked: RefCell<Vec<(c_int, bool)>>,
    /// The ranks that `MPI_Win_start` has named.
    started: RefCell<Option<Vec<c_int>>>,
    /// The ranks that `MPI_Win_post` has named.
    posted: RefCell<Option<Vec<c_int>>>,
}

/// The locks of one rank's memory, on a cache line of their own.
#[repr(C, align(64))]
struct Locks {
    /// How many ranks share it, or which one has it alone, as [`HELD`] says.
    access: AtomicU32,
    /// Held during an accumulate operation by one rank, as [`HELD`] says.
    accumulate: AtomicU32,
}

/// One rank alone has the lock: the one whose number stands below this bit.
const HELD: u32 = 1 << 31;
/// So many tries in vain come before a look whether those who hold a lock live.
const TRIES: u64 = 1024;

impl Window {
    /// The locks of a rank.
    fn locks(&self, rank: c_int) -> &Locks {
        // SAFETY: the control segment begins with the locks of each rank, and zero is a free lock.
        unsafe { &*self.control.address().cast::<Locks>().add(rank as usize) }
    }

    /// The memory of a rank that this rank may access now; None for `MPI_PROC_NULL`.
    fn target(&self, rank: c_int) -> Result<Option<&Target>, Fault> {
        if self.comm.destination(rank, "target_rank")?.is_none() {
            return Ok(None);
        }
        let epoch = &self.epoch;
        let is_open = epoch.fenced.get()
            || epoch.all_locked.get()
            || epoch.locked.borrow().iter().any(|(locked, _)| *locked == rank)
            || epoch.started.borrow().as_ref().is_some_and(|started| started.contains(&rank));
        match is_open {
            true => Ok(self.targets.get(rank as usize)),
            false => {
                let message = format!("no epoch of this window is open to rank {rank}");
                Err(Fault::new(MPI_ERR_RMA_SYNC, message))
            }
        }
    }

    /// Takes a lock: tries until `wanted` gives a new word for the present one, and the lock has it. Meanwhile messages
    /// go on, and others may run.
    ///
    /// # Errors
    ///
    /// If the rank that holds it alone is gone; or any rank, where several share it.
    fn spin(
        &self,
        library: &Library,
        lock: &AtomicU32,
        wanted: impl Fn(u32) -> Option<u32>,
    ) -> Result<(), Fault> {
        for turn in 1_u64.. {
            let held = lock.load(Ordering::Relaxed);
            if let Some(wanted) = wanted(held)
                // Pairs with the store of who unlocks.
                && lock.compare_exchange(held, wanted, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                return Ok(());
            }
            if turn % TRIES == 0 {
                self.check_holders(held)?;
            }
            if turn % 16 == 0 {
                library.progress()?;
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        Ok(())
    }

    /// Fails if a rank that holds a lock with this word will never unlock it.
    fn check_holders(&self, held: u32) -> Result<(), Fault> {
        let comm = &self.comm.comm;
        let holders = match held {
            0 => 0..0,
            held if held & HELD == 0 => 0..comm.size(),
            held => {
                let holder = (held & !HELD) as usize;
                holder..holder + 1
            }
        };
        comm.with_engine(|engine| engine.note_losses())?;
        for holder in holders.filter(|&holder| holder < comm.size() && holder != comm.rank()) {
            let (context, holder) = (comm.context_in(Lane::Program), comm.world_rank(holder)?);
            comm.with_engine(|engine| engine.check_receivable(context, Source::Rank(holder)))??;
        }
        Ok(())
    }

    /// Runs an accumulate operation on a rank's memory, as one for all others.
    fn atomically<R>(
        &self,
        library: &Library,
        rank: c_int,
        operation: impl FnOnce() -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let lock = &self.locks(rank).accumulate;
        let own = HELD | self.comm.comm.rank() as u32;
        self.spin(library, lock, |held| (held == 0).then_some(own))?;
        let result = operation();
        lock.store(0, Ordering::Release);
        result
    }

    /// Waits for all ranks of the window.
    fn meet(&self) -> Result<(), Fault> {
        std::sync::atomic::fence(Ordering::SeqCst);
        self.comm.comm.barrier()?.wait()?;
        Ok(())
    }
}

impl Library {
    /// A window by its handle.
    fn window(&self, win: MPI_Win) -> Result<Rc<Window>, Fault> {
        let found = self.windows.borrow().get(win.0).cloned();
        found.ok_or_else(|| Fault::handle(MPI_ERR_WIN, "win", win.0))
    }

    /// Runs a call on a window; an error goes to the window's handler.
    fn on_window(
        &self,
        win: MPI_Win,
        call: impl FnOnce(&Rc<Window>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let window = self.window(win)?;
        call(&window).map_err(|fault| fault.on(Some(&window.comm)))
    }
}
