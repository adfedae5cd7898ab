//! Handles of sends and receives that were posted.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use zerocopy::IntoBytes;

use super::home::{Leftover, Visit};
use super::ranks::Ranks;
use super::{Comm, Element, HostNic, Member, Message, OneThread, Status};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::message::{Info, Memory, RecvId, SendId, Source};
use crate::verbs::Nic;

/// A send that was posted. Dropping it changes nothing: the message is sent.
///
/// It owns all that it needs. Once the world has ended it answers with [`Error::Ended`].
pub struct SendRequest<N: Nic = HostNic> {
    pub(super) visit: Visit<N>,
    pub(super) id: SendId,
    one_thread: OneThread,
}

impl<N: Nic> SendRequest<N> {
    pub(super) fn new(comm: &Comm<N>, id: SendId) -> Self {
        SendRequest { visit: comm.visit, id, one_thread: PhantomData }
    }

    /// Whether the message has left; or never will, because its receiver has ended.
    ///
    /// # Errors
    ///
    /// As by [`Comm::progress`].
    pub fn test(&self) -> Result<bool> {
        Ok(self.visit.engine_kept()?.test_sent(self.id)?)
    }

    /// Waits until the message has left.
    ///
    /// # Errors
    ///
    /// As by [`Comm::send`].
    pub fn wait(self) -> Result<()> {
        Ok(self.visit.engine_kept()?.wait_sent(self.id)?)
    }
}

/// A receive that was posted. Dropping it gives it up; no message is lost by that.
///
/// It owns all that it needs, so a struct can hold a communicator and its requests:
///
/// ```
/// use runahead::{Barrier, Comm, RecvRequest, Result, SendRequest};
///
/// struct Halo {
///     comm: Comm,
///     from_left: RecvRequest<f64>,
///     to_right: SendRequest,
///     step: Option<Barrier>,
/// }
///
/// impl Halo {
///     fn start(comm: Comm, edge: f64) -> Result<Halo> {
///         let (rank, size) = (comm.rank(), comm.size());
///         let from_left = comm.irecv((rank + size - 1) % size, 0)?;
///         let to_right = comm.isend((rank + 1) % size, 0, &[edge])?;
///         let step = Some(comm.barrier()?);
///         Ok(Halo { comm, from_left, to_right, step })
///     }
///
///     fn finish(self) -> Result<f64> {
///         self.to_right.wait()?;
///         let edge = self.from_left.wait()?.data[0];
///         self.step.map_or(Ok(()), Barrier::wait)?;
///         Ok(edge + self.comm.rank() as f64)
///     }
/// }
///
/// runahead::launch(3, |world| {
///     let halo = Halo::start(world.dup()?, 10.0 * world.rank() as f64)?;
///     assert_eq!(halo.finish()?, [20.0, 1.0, 12.0][world.rank()]);
///     Ok(())
/// }).unwrap();
/// ```
///
/// Its group is dropped when the communicator and all such requests of it have been. Once the world
/// has ended it answers with [`Error::Ended`].
pub struct RecvRequest<T: Element, N: Nic = HostNic> {
    pub(super) visit: Visit<N>,
    ranks: Ranks,
    /// Keeps the group.
    member: Arc<Member<N>>,
    pub(super) id: RecvId,
    pub(super) source: Source,
    /// Whether the engine has it.
    is_posted: bool,
    element: PhantomData<T>,
    one_thread: OneThread,
}

impl<T: Element, N: Nic> RecvRequest<T, N> {
    pub(super) fn new(comm: &Comm<N>, id: RecvId, source: Source) -> Self {
        let (visit, ranks, member) = (comm.visit, comm.ranks.clone(), Arc::clone(&comm.member));
        let (is_posted, element) = (true, PhantomData);
        RecvRequest {
            visit,
            ranks,
            member,
            id,
            source,
            is_posted,
            element,
            one_thread: PhantomData,
        }
    }

    /// Whether the message is all here, so that [`wait`](RecvRequest::wait) returns at once. A
    /// receive from any source stays false when nobody is left who could send: this rank itself
    /// still may. [`wait`](RecvRequest::wait) then fails.
    ///
    /// # Errors
    ///
    /// [`Error::Message`] if its sender has ended or is lost; others as by
    /// [`Comm::progress`].
    pub fn test(&self) -> Result<bool> {
        Ok(self.visit.engine()?.test_recv(self.id, self.source)?)
    }

    /// Waits for the message.
    ///
    /// # Errors
    ///
    /// As by [`Comm::recv`]; a message that is not one of `T`s can still be received by another
    /// call.
    pub fn wait(mut self) -> Result<Message<T>> {
        let mut engine = self.visit.engine()?;
        // The engine gives the posted receive back, whatever comes of it.
        self.is_posted = false;
        let ranks = &self.ranks;
        let read = |info: &Info, bytes: &[u8]| ranks.message(info, bytes);
        engine.finish_recv(self.id, self.source, |info| ranks.accept::<T>(info), read)
    }

    /// Waits for the message and copies it to the front of `room`; needs no allocation (MPI: Irecv,
    /// which is given the memory when it is posted). A large payload of a rank of this host is read
    /// where its sender has put it, and copied once.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let (other, mut halo) = (1 - world.rank(), [0.0; 4]);
    ///     for step in 0..3 {
    ///         let from_other = world.irecv(other, step)?;
    ///         world.send(other, step, &[f64::from(step); 4])?;
    ///         let status = from_other.wait_into(&mut halo)?;
    ///         assert_eq!((halo, status.bytes), ([f64::from(step); 4], 32));
    ///     }
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`wait`](RecvRequest::wait). [`Error::Truncated`] if `room` is too small: the message
    /// is not lost, can still be received by another call, and `room` is as it was.
    pub fn wait_into(mut self, room: &mut [T]) -> Result<Status> {
        let mut engine = self.visit.engine()?;
        self.is_posted = false;
        let room = room.as_mut_bytes();
        let space = room.len();
        let accept = |info: &Info| self.ranks.accept_into::<T>(info, space);
        let info = engine.finish_recv_into(self.id, self.source, accept, Memory(room))?;
        Ok(Status::from(&self.ranks.local_info(&info)))
    }
}

impl<T: Element, N: Nic> Drop for RecvRequest<T, N> {
    fn drop(&mut self) {
        if self.is_posted {
            self.member.home.leave(Leftover::Cancel(self.id));
        }
    }
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for SendRequest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.id)
    }
}

impl<T: Element, N: Nic> fmt::Debug for RecvRequest<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} from {:?} of {:?}", self.id, self.source, self.member.group)
    }
}
