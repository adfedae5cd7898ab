//! Receives into memory that the program lends until a scope has ended: a large payload may lie there before anybody waits.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.
//!
//! # Correctness
//!
//! The memory is borrowed mutably for `'scope`: nobody else reads or writes it before the scope has ended. What was
//! posted stands in the scope's list until its receive has ended: it was waited for, or the scope has cancelled it.
//! So when the scope has ended, no receive has memory of the program. That [`Request::wait`](RecvIntoRequest::wait)
//! gives the memory back before is sound for the same reason: its receive has ended.

use std::fmt;
use std::marker::PhantomData;

use smallvec::SmallVec;
use zerocopy::{FromBytes, IntoBytes};

use super::{Lending, Scope};
use crate::comm::pending::{Begins, BegunList, Pending, part_has_failed};
use crate::comm::ranks::Ranks;
use crate::comm::{Comm, Element, HostNic, Status};
use crate::error::Result;
use crate::message::{Begun, Destination, Engine, Info, Lane, RecvId, Source, Tag};
use crate::verbs::Nic;

/// A receive of a scope that was posted with its memory; see [`Scope::irecv_into`]. Dropping it changes nothing: the
/// scope waits for the message.
pub struct RecvIntoRequest<'scope, T: Element, N: Nic = HostNic> {
    lending: &'scope Lending<'scope, N>,
    id: RecvId,
    source: Source,
    /// Where the memory lies. The receive has it as long as it stands in the list of the scope.
    room: *mut [u8],
    element: PhantomData<&'scope mut [T]>,
}

/// A receive that has not ended, with what is needed to end it.
#[derive(Clone, Copy)]
pub(super) struct Posted {
    id: RecvId,
    source: Source,
    room: *mut [u8],
    accept: fn(&Ranks, &Info, usize) -> Result<()>,
}

/// Those of a scope that have not ended. More than these at a time take memory.
pub(super) type Receives = SmallVec<[Posted; 4]>;

/// Memory that a posted receive may have: no slice of it is there longer than it is used.
struct Room(*mut [u8]);

impl Destination for Room {
    fn whole(&mut self) -> Option<&mut [u8]> {
        // SAFETY: it is borrowed for the scope, which waits for its receive now. That has it no more when this is
        // asked for the second time.
        Some(unsafe { &mut *self.0 })
    }

    fn put(&mut self, at: usize, piece: &[u8]) {
        // SAFETY: as above: the receive has ended.
        let room = unsafe { &mut *self.0 };
        room[at..][..piece.len()].copy_from_slice(piece);
    }
}

impl<'scope, N: Nic> Scope<'scope, '_, N> {
    /// As [`Comm::irecv`], into memory that the scope has until it ends (MPI: Irecv). A message above the eager limit
    /// that a rank of this host has lent is read where it lies, straight into `room`, in whatever call this rank is:
    /// not in that alone which waits for it.
    ///
    /// The request need not be kept: the scope waits for the message in any case.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let (rank, size) = (world.rank(), world.size());
    ///     let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    ///     let edge = vec![rank as f64; 10_000];
    ///     let (mut from_before, mut from_next) = (vec![0.0; 10_000], vec![0.0; 10_000]);
    ///     world.scope(|scope| {
    ///         scope.irecv_into(&mut from_before, before, 1)?;
    ///         let of_next = scope.irecv_into(&mut from_next, next, 2)?;
    ///         scope.isend(next, 1, &edge)?;
    ///         scope.isend(before, 2, &edge)?;
    ///         // Its memory is the program's again.
    ///         let (status, halo) = of_next.wait()?;
    ///         assert_eq!((status.source, halo[9_999]), (next, next as f64));
    ///         Ok(())
    ///     })?;
    ///     assert_eq!(from_before[9_999], before as f64);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// Nobody sees the memory while the message may still come into it:
    ///
    /// ```compile_fail,E0503
    /// runahead::launch(2, |world| {
    ///     let mut halo = [0.0; 1000];
    ///     world.scope(|scope| {
    ///         scope.irecv_into(&mut halo, 1 - world.rank(), 1)?;
    ///         assert_eq!(halo[0], 0.0);
    ///         Ok(())
    ///     })
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`Comm::irecv`]: nothing was posted then. What becomes of the message is told by
    /// [`wait`](RecvIntoRequest::wait), or else by the scope.
    pub fn irecv_into<T: Element>(
        &self,
        room: &'scope mut [T],
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<RecvIntoRequest<'scope, T, N>> {
        let Lending { comm, is_open, receives, .. } = self.lending;
        let pattern = comm.pattern(source.into(), tag.into())?;
        let source = pattern.source;
        let bytes: *mut [u8] = room.as_mut_bytes();
        let mut engine = comm.engine()?;
        // Before: the call may end by a panic.
        is_open.set(true);
        let mut receives = receives.borrow_mut();
        receives.reserve(1);
        let context = comm.context(Lane::Program);
        let id = match bytes.len() > comm.home().config().eager_bytes {
            // SAFETY: it is borrowed for `'scope`. Before that ends the scope has finished the receive, or cancelled it.
            true => unsafe { engine.post_recv_into(context, pattern, bytes) },
            // A message of that length was not lent.
            false => engine.post_recv(context, pattern),
        }?;
        receives.push(Posted { id, source, room: bytes, accept: Ranks::accept_into::<T> });
        Ok(RecvIntoRequest { lending: self.lending, id, source, room: bytes, element: PhantomData })
    }
}

impl<'scope, T: Element, N: Nic> RecvIntoRequest<'scope, T, N> {
    /// Whether the message is all here; as [`RecvRequest::test`](crate::RecvRequest::test).
    ///
    /// # Errors
    ///
    /// As by that.
    pub fn test(&self) -> Result<bool> {
        Ok(self.lending.comm.engine()?.test_recv(self.id, self.source)?)
    }

    /// Waits for the message, and gives the memory back, at whose front it lies.
    ///
    /// # Errors
    ///
    /// As by [`RecvRequest::wait_into`](crate::RecvRequest::wait_into): the message can still be received by another
    /// call. The memory comes back when the scope has ended, and has nothing of the message that counts.
    pub fn wait(self) -> Result<(Status, &'scope mut [T])> {
        let Lending { comm, receives, .. } = self.lending;
        let posted = |receives: &Receives| receives.iter().position(|posted| posted.id == self.id);
        // It stands in the list until it has ended, also where this panics.
        let this = posted(&receives.borrow()).map(|at| receives.borrow()[at]);
        let Some(this) = this else { unreachable!("nobody else has waited for it") };
        let status = this.finish(comm, &mut *comm.engine()?);
        let mut receives = receives.borrow_mut();
        posted(&receives).map(|at| receives.remove(at));
        // SAFETY: it was borrowed for `'scope`, and nothing has it any more: its receive has ended, and stands no
        // more in the list.
        let room = unsafe { &mut *self.room };
        match <[T]>::mut_from_bytes(room) {
            Ok(room) => Ok((status?, room)),
            Err(_) => unreachable!("they were elements before"),
        }
    }
}

impl Posted {
    /// Waits for the message. The receive ends in any case, but where this panics.
    pub(super) fn finish<N: Nic>(self, comm: &Comm<N>, engine: &mut Engine<N>) -> Result<Status> {
        let accept = |info: &Info| (self.accept)(&comm.ranks, info, self.room.len());
        let info = engine.finish_recv_into(self.id, self.source, accept, Room(self.room))?;
        Ok(Status::from(&comm.local(&info)))
    }

    /// The receive ends; its message stays receivable.
    pub(super) fn cancel<N: Nic>(self, engine: &mut Engine<N>) {
        engine.cancel_recv(self.id);
    }
}

impl<T: Element, N: Nic> Pending<N> for RecvIntoRequest<'_, T, N> {}

impl<T: Element, N: Nic> Begins<N> for RecvIntoRequest<'_, T, N> {
    fn is_of(&self, comm: &Comm<N>) -> bool {
        self.lending.comm.is_of_rank_of(comm)
    }

    fn list(&self, begun: &mut BegunList) {
        begun.push(Begun::Recv(self.id, self.source));
    }

    fn is_complete(&self, engine: &mut Engine<N>) -> bool {
        engine.is_done(Begun::Recv(self.id, self.source))
    }

    fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool {
        part_has_failed(engine, Begun::Recv(self.id, self.source), waits)
    }
}

// Not derived: that would require a network that is `Debug`.
impl<T: Element, N: Nic> fmt::Debug for RecvIntoRequest<'_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} from {:?} of {:?}", self.id, self.source, self.lending.comm)
    }
}
