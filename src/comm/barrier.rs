//! Barriers as a program sees them.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::home::Visit;
use super::{Comm, HostNic, OneThread};
use crate::error::{Error, Result};
use crate::message::MessageError;
use crate::order::clocks::Seq;
use crate::order::{Epoch, GroupId, Refused, Ticket};
use crate::verbs::Nic;

/// A barrier that was initiated. It completes by itself: dropping the handle loses nothing.
///
/// It owns all that it needs, so a struct can hold a communicator and its barriers. Once the world
/// has ended it answers with [`Error::Ended`].
pub struct Barrier<N: Nic = HostNic> {
    pub(super) visit: Visit<N>,
    pub(super) ticket: Ticket,
    one_thread: OneThread,
}

impl<N: Nic> Comm<N> {
    /// Synchronises all ranks of the group, and returns at once.
    ///
    /// This rank goes on as if all others had come as far. Messages that it sends from now on are
    /// not delivered to a member before the barrier has completed there, so no rank can tell that
    /// it ran ahead. ([pakin-2001] §4.1.)
    ///
    /// Before using a channel that the runtime cannot see (files, standard output, clocks), wait:
    /// `comm.barrier()?.wait()?`.
    ///
    /// The call itself waits, progressing, only while as many barriers are open as may be
    /// ([`Options::open_barriers`](crate::Options::open_barriers())), or while an earlier barrier
    /// of a group that does not hold this one is open.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if it waits for a barrier that can never complete, or if ranks turn out
    /// to have called their barriers in different orders.
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    #[inline]
    pub fn barrier(&self) -> Result<Barrier<N>> {
        // The numbers come back in registers. A ticket that was written in parts and is read as a
        // whole keeps the processor waiting until all that was stored before has arrived, the
        // published epoch first of all.
        let ticket = match self.enter_at_once() {
            (0, _) => self.enter_asking()?,
            (epoch, seq) => Ticket { group: self.group_id(), epoch, seq },
        };
        Ok(Barrier { visit: self.visit, ticket, one_thread: PhantomData })
    }

    /// Enters a barrier on the fast path, if nothing is in the way: its epoch and its place in this
    /// rank's order, or zeros if it must be asked about.
    #[inline(never)]
    fn enter_at_once(&self) -> (Epoch, Seq) {
        let Ok(mut engine) = self.engine() else { return (0, 0) };
        let entered = engine.enter_at_once(self.group_id());
        entered.map_or((0, 0), |ticket| (ticket.epoch, ticket.seq))
    }

    #[inline(never)]
    fn enter_asking(&self) -> Result<Ticket> {
        Ok(self.engine()?.barrier(self.group_id())?)
    }

    /// As [`barrier`](Comm::barrier), but never waits: None if as many barriers are open as may be.
    ///
    /// # Errors
    ///
    /// As by [`barrier`](Comm::barrier).
    pub fn try_barrier(&self) -> Result<Option<Barrier<N>>> {
        match self.engine()?.try_barrier(self.group_id()) {
            Ok(ticket) => Ok(Some(Barrier { visit: self.visit, ticket, one_thread: PhantomData })),
            Err(MessageError::Refused(Refused::OpenLimit { .. })) => Ok(None),
            Err(error) => Err(Error::from(error)),
        }
    }
}

/// Whether a barrier is complete, or is so soon, where nothing is in the way of a wait on the fast
/// path.
#[inline(never)]
fn completes_soon<N: Nic>(visit: Visit<N>, group: GroupId, seq: Seq) -> bool {
    visit.engine().is_ok_and(|mut engine| engine.completes_soon(group, seq))
}

#[inline(never)]
fn wait_asking<N: Nic>(visit: Visit<N>, group: GroupId, epoch: Epoch, seq: Seq) -> Result<()> {
    let ticket = Ticket { group, epoch, seq };
    // To keep the engine costs two atomic changes, and is needed only where the call waits.
    if visit.engine()?.poll_barrier(ticket)? {
        return Ok(());
    }
    Ok(visit.engine_kept()?.wait_further(ticket)?)
}

impl<N: Nic> Barrier<N> {
    /// Its number among the barriers of its group, from 1.
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
        Ok(self.visit.engine_kept()?.test_barrier(self.ticket)?)
    }

    /// Waits until it has completed here, with every barrier that this rank called before: then
    /// all members have called it. Together with [`Comm::barrier`] this is a traditional barrier.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] naming the rank if a member has ended without calling it, or is lost.
    #[inline]
    pub fn wait(self) -> Result<()> {
        // As in `barrier`.
        let Ticket { group, epoch, seq } = self.ticket;
        match completes_soon(self.visit, group, seq) {
            true => Ok(()),
            false => wait_asking(self.visit, group, epoch, seq),
        }
    }

    /// As [`wait`](Barrier::wait), for at most `limit`, and up to 50 ms more in which others are
    /// asked whether they have called it; may be called again.
    ///
    /// # Errors
    ///
    /// As by [`wait`](Barrier::wait); [`MessageError::BarrierTimeout`] in [`Error::Message`] if the
    /// time has run out. It lists the ranks that have not called the barrier apart from those that
    /// did not answer; the latter may have called it and be computing.
    pub fn wait_timeout(&self, limit: Duration) -> Result<()> {
        Ok(self.visit.engine_kept()?.wait_barrier_timeout(self.ticket, limit)?)
    }
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for Barrier<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "barrier {} of {}", self.ticket.epoch, self.ticket.group)
    }
}
