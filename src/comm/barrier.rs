//! Barriers as a program sees them.

use std::fmt;
use std::time::Duration;

use super::{Comm, HostNic};
use crate::error::{Error, Result};
use crate::message::MessageError;
use crate::order::{Epoch, Refused, Ticket};
use crate::verbs::Nic;

/// A barrier that was initiated. It completes by itself: dropping the handle loses nothing.
pub struct Barrier<'c, N: Nic = HostNic> {
    comm: &'c Comm<N>,
    ticket: Ticket,
}

impl<N: Nic> Comm<N> {
    /// Synchronises all ranks of the group, and returns at once.
    ///
    /// This rank goes on as if all others had come as far. Messages that it sends from now on are
    /// not delivered to a member before the barrier has completed there, so no rank can tell that
    /// it ran ahead. (pakin-2001 §4.1.)
    ///
    /// Before using a channel that the runtime cannot see (files, standard output, clocks), wait:
    /// `comm.barrier()?.wait()?`.
    ///
    /// The call itself waits, progressing, only while as many barriers are open as may be
    /// ([`Config::open_barriers`](crate::Config::open_barriers)), or while an earlier barrier of a
    /// group that does not hold this one is open.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if it waits for a barrier that can never complete, or if ranks turn out
    /// to have called their barriers in different orders.
    pub fn barrier(&self) -> Result<Barrier<'_, N>> {
        let ticket = self.engine()?.barrier(self.group_id())?;
        Ok(Barrier { comm: self, ticket })
    }

    /// As [`barrier`](Comm::barrier), but never waits: None if as many barriers are open as may be.
    ///
    /// # Errors
    ///
    /// As by [`barrier`](Comm::barrier).
    pub fn try_barrier(&self) -> Result<Option<Barrier<'_, N>>> {
        match self.engine()?.try_barrier(self.group_id()) {
            Ok(ticket) => Ok(Some(Barrier { comm: self, ticket })),
            Err(MessageError::Refused(Refused::OpenLimit { .. })) => Ok(None),
            Err(error) => Err(Error::from(error)),
        }
    }
}

impl<N: Nic> Barrier<'_, N> {
    /// The how-many-th barrier of its group it is.
    pub fn epoch(&self) -> Epoch {
        self.ticket.epoch
    }

    /// Whether it has completed here, with every barrier that this rank called before. False says
    /// nothing about the others.
    ///
    /// # Errors
    ///
    /// As by [`wait`](Barrier::wait).
    pub fn test(&self) -> Result<bool> {
        Ok(self.comm.engine()?.test_barrier(self.ticket)?)
    }

    /// Waits until it has completed here, with every barrier that this rank called before: then
    /// all members have called it. Together with [`Comm::barrier`] this is a traditional barrier.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] naming the rank if a member has ended without calling it, or is lost.
    pub fn wait(self) -> Result<()> {
        Ok(self.comm.engine()?.wait_barrier(self.ticket)?)
    }

    /// As [`wait`](Barrier::wait), for at most `limit`, and up to 50 ms more in which others are asked
    /// whether they have called it; may be called again.
    ///
    /// # Errors
    ///
    /// As by [`wait`](Barrier::wait); [`MessageError::BarrierTimeout`] in [`Error::Message`] if the
    /// time has run out, listing apart who has not called the barrier and who did not answer; the
    /// latter may have called it and be computing.
    pub fn wait_timeout(&self, limit: Duration) -> Result<()> {
        Ok(self.comm.engine()?.wait_barrier_timeout(self.ticket, limit)?)
    }
}

// Not derived: that would ask for a network that is `Debug`.
impl<N: Nic> fmt::Debug for Barrier<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "barrier {} of {:?}", self.ticket.epoch, self.comm)
    }
}
