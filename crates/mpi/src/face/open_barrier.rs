//! What `MPI_Barrier` means: the three modes, and the barrier that is open.
//! Source: SEMANTICS.md of runahead, on what a barrier that returns at once may be seen by.
//! Rules: traditional is the default; guarded completes open barriers before what the library can see to show them.
//!
//! | mode | `MPI_Barrier` | open barriers are completed before |
//! |---|---|---|
//! | traditional | waits for all ranks | nothing is open |
//! | guarded | returns at once | `MPI_Wtime`, `MPI_Abort`, `MPI_Finalize`, and a poll that would find nothing |
//! | runahead | returns at once | `MPI_Finalize` |
//!
//! A rank that has a window waits in every mode.

use super::border::On;
use super::communicator::Communicator;
use super::fault::Fault;
use super::library::{LIBRARY, Library};
use runahead::Barrier;
use runahead::internals::options::MPI_BARRIER;
use std::cell::{Cell, RefCell};

/// What `MPI_Barrier` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It waits for all ranks.
    Traditional,
    /// It returns at once, and the library waits before what shows that.
    Guarded,
    /// It returns at once.
    RunAhead,
}

impl Mode {
    /// The mode of this name.
    fn named(name: &str) -> Option<Mode> {
        match name {
            "traditional" => Some(Mode::Traditional),
            "guarded" => Some(Mode::Guarded),
            "runahead" => Some(Mode::RunAhead),
            _ => None,
        }
    }
}

/// The mode, and the newest barrier that was not waited for.
pub(crate) struct OpenBarrier {
    mode: Cell<Mode>,
    newest: RefCell<Option<Barrier>>,
}

impl OpenBarrier {
    /// None is open.
    pub(crate) const fn new() -> OpenBarrier {
        OpenBarrier { mode: Cell::new(Mode::Traditional), newest: RefCell::new(None) }
    }
}

impl Library {
    /// Takes the mode that the user has chosen.
    pub(super) fn choose_barriers(&self) -> Result<(), Fault> {
        let name = MPI_BARRIER.said(|name| std::env::var_os(name))?;
        let mode = name.map_or(Ok(Mode::Traditional), |name| {
            Mode::named(&name).ok_or_else(|| MPI_BARRIER.invalid(name))
        })?;
        // Of the runtime's barriers, messages of other threads would be kept back, too.
        let is_of_messages = self.posts_collectives.get();
        self.open_barrier.mode.set(if is_of_messages { Mode::Traditional } else { mode });
        Ok(())
    }

    /// Enters a barrier, and waits for it if the mode says so.
    pub(crate) fn barrier(&self, comm: &Communicator) -> Result<(), Fault> {
        let barrier = comm.comm.barrier()?;
        let is_waited_for = self.open_barrier.mode.get() == Mode::Traditional
            // What others write into a window's memory comes in no message, so no message can be held back.
            || !self.windows.borrow().is_empty();
        match is_waited_for {
            true => barrier.wait()?,
            // A wait for it completes every barrier that this rank has called before.
            false => *self.open_barrier.newest.borrow_mut() = Some(barrier),
        }
        self.complete_detached();
        Ok(())
    }

    /// Waits for the open barriers.
    pub(crate) fn complete_barriers(&self) -> Result<(), Fault> {
        match self.open_barrier.newest.borrow_mut().take() {
            Some(barrier) => Ok(barrier.wait()?),
            None => Ok(()),
        }
    }

    /// As [`complete_barriers`](Library::complete_barriers), before something that the program does shows whether
    /// they are complete. Returns whether any was open.
    #[inline]
    pub(crate) fn guard(&self) -> Result<bool, Fault> {
        if self.open_barrier.mode.get() != Mode::Guarded {
            return Ok(false);
        }
        let is_open = self.open_barrier.newest.borrow().is_some();
        self.complete_barriers().map(|()| is_open)
    }
}

/// As [`Library::guard`], where the call has no error to return: its handler hears of it.
pub(crate) fn guard_time(name: &'static str) {
    if LIBRARY.is_running()
        && let Err(fault) = LIBRARY.guard()
    {
        LIBRARY.handle_fault(name, On::Nothing, fault);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_names() {
        assert_eq!(Mode::named(MPI_BARRIER.default), Some(Mode::Traditional));
        assert_eq!(Mode::named("guarded"), Some(Mode::Guarded));
        assert_eq!(Mode::named("runahead"), Some(Mode::RunAhead));
        assert_eq!(Mode::named("Guarded"), None);
        let told = MPI_BARRIER.values.to_string();
        let mut names = told.split(", ").flat_map(|names| names.split(" or "));
        assert!(names.all(|name| Mode::named(name).is_some()), "{told}");
    }
}
