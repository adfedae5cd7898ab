//! Handles of sends and receives that were posted.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use super::home::Leftover;
use super::{Comm, Element, HostNic, Message};
use crate::error::Result;
use crate::message::{Info, RecvId, SendId, Source};
use crate::verbs::Nic;

/// A send that was posted. Dropping it changes nothing: the message is sent.
pub struct SendRequest<'c, N: Nic = HostNic> {
    comm: &'c Comm<N>,
    id: SendId,
}

impl<'c, N: Nic> SendRequest<'c, N> {
    pub(super) fn new(comm: &'c Comm<N>, id: SendId) -> Self {
        SendRequest { comm, id }
    }

    /// Whether the message has left; or never will, because its receiver has ended.
    ///
    /// # Errors
    ///
    /// As by [`Comm::progress`].
    pub fn test(&self) -> Result<bool> {
        Ok(self.comm.engine()?.test_sent(self.id)?)
    }

    /// Waits until the message has left.
    ///
    /// # Errors
    ///
    /// As by [`Comm::send`].
    pub fn wait(self) -> Result<()> {
        Ok(self.comm.engine()?.wait_sent(self.id)?)
    }
}

/// A receive that was posted. Dropping it gives it up; no message is lost by that.
pub struct RecvRequest<'c, T: Element, N: Nic = HostNic> {
    comm: &'c Comm<N>,
    id: RecvId,
    source: Source,
    element: PhantomData<T>,
}

impl<'c, T: Element, N: Nic> RecvRequest<'c, T, N> {
    pub(super) fn new(comm: &'c Comm<N>, id: RecvId, source: Source) -> Self {
        RecvRequest { comm, id, source, element: PhantomData }
    }

    /// Whether the message is all here, so that [`wait`](RecvRequest::wait) returns at once. A
    /// receive from any source stays false when nobody is left who could send: this rank itself
    /// still may. [`wait`](RecvRequest::wait) then fails.
    ///
    /// # Errors
    ///
    /// [`Error::Message`](crate::Error::Message) if its sender has ended or is lost; others as by
    /// [`Comm::progress`].
    pub fn test(&self) -> Result<bool> {
        Ok(self.comm.engine()?.test_recv(self.id, self.source)?)
    }

    /// Waits for the message.
    ///
    /// # Errors
    ///
    /// As by [`Comm::recv`]; a message that is not one of `T`s can still be received by another
    /// call.
    pub fn wait(self) -> Result<Message<T>> {
        // The engine gives the posted receive back, whatever comes of it.
        let this = ManuallyDrop::new(self);
        let comm = this.comm;
        let mut engine = match comm.engine() {
            Ok(engine) => engine,
            Err(error) => {
                comm.home.leave(Leftover::Cancel(this.id));
                return Err(error);
            }
        };
        let read = |info: &Info, bytes: &[u8]| comm.message(info, bytes);
        engine.finish_recv(this.id, this.source, |info| comm.accept::<T>(info), read)
    }
}

impl<T: Element, N: Nic> Drop for RecvRequest<'_, T, N> {
    fn drop(&mut self) {
        self.comm.home.leave(Leftover::Cancel(self.id));
    }
}

// Not derived: that would ask for a network that is `Debug`.
impl<N: Nic> fmt::Debug for SendRequest<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {:?}", self.id, self.comm)
    }
}

impl<T: Element, N: Nic> fmt::Debug for RecvRequest<'_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} from {:?} of {:?}", self.id, self.source, self.comm)
    }
}
