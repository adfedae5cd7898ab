//! Sends and receives with memory that the program lends until a scope has ended: what waits to leave is not copied, and
//! what comes may lie in its place before anybody waits for it.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.
//!
//! # Correctness
//!
//! The data are borrowed for `'scope`. A caller of [`Comm::scope`] cannot choose that lifetime: it ends after the
//! call has settled what was lent, whether its closure returned, failed or panicked. So it does not matter what
//! becomes of a request. Who settles is [`Lending`], which the program never has in its hands.
//!
//! Another thread of the rank may be in a call then: the scope waits for that. Where the world has ended meanwhile,
//! its end has taken back what was lent, before any thread could see it.

mod receives;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;

use smallvec::SmallVec;
use zerocopy::IntoBytes;

use super::element::stated_size;
use super::{Comm, Element, HostNic, SendRequest};
use crate::error::{Error, Result};
use crate::message::SendId;
use crate::order::Rank;
use crate::sys::thread;
use crate::verbs::Nic;

use receives::Receives;
pub use receives::RecvIntoRequest;

/// What was posted and has not left. More than these at a time take memory.
type Waiting = SmallVec<[SendId; 8]>;

/// A scope whose sends need no copy of their data, and whose receives have memory; see [`Comm::scope`].
pub struct Scope<'scope, 'env: 'scope, N: Nic = HostNic> {
    lending: &'scope Lending<'scope, N>,
    /// Neither longer nor shorter: else a program could choose when the scope ends.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// What the program has lent in a scope.
struct Lending<'c, N: Nic> {
    comm: &'c Comm<N>,
    /// Whether something may be lent.
    is_open: Cell<bool>,
    waiting: RefCell<Waiting>,
    receives: RefCell<Receives>,
}

impl<N: Nic> Comm<N> {
    /// Calls `call` with a scope in which sends need no copy of their data, and receives have memory: see
    /// [`Scope::isend`] and [`Scope::irecv_into`]. When `call` has returned, waits until all messages of the scope
    /// have left, and all that it receives have come. Then the memory is the program's alone again.
    ///
    /// Where `call` fails or panics, what has not left is copied, and leaves later, as by
    /// [`isend`](Comm::isend). So no receiver is waited for, but one that reads a payload where it
    /// lies (over RDMA): until it has, or has gone. Receives are given up, as by dropping
    /// [`irecv`](Comm::irecv)'s request.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let (rank, size) = (world.rank(), world.size());
    ///     let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    ///     let (upper, lower) = (vec![rank as f64; 1000], vec![-(rank as f64); 1000]);
    ///     let (mut from_before, mut from_next) = (vec![0.0; 1000], vec![0.0; 1000]);
    ///     world.scope(|scope| {
    ///         scope.isend(next, 1, &upper)?;
    ///         scope.isend(before, 2, &lower)?;
    ///         world.recv_into(&mut from_before, before, 1)?;
    ///         world.recv_into(&mut from_next, next, 2)?;
    ///         Ok(())
    ///     })?;
    ///     assert_eq!((from_before[999], from_next[999]), (before as f64, -(next as f64)));
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// What is lent cannot be changed before the scope has ended:
    ///
    /// ```compile_fail,E0506
    /// runahead::launch(2, |world| {
    ///     let mut data = [1.0; 1000];
    ///     world.scope(|scope| {
    ///         scope.isend(1 - world.rank(), 1, &data)?;
    ///         data[0] = 2.0;
    ///         Ok(())
    ///     })
    /// }).unwrap();
    /// ```
    ///
    /// Nor can what the scope itself owns be lent, since it does not last as long:
    ///
    /// ```compile_fail,E0597
    /// runahead::launch(2, |world| {
    ///     world.scope(|scope| {
    ///         let data = [1.0; 1000];
    ///         scope.isend(1 - world.rank(), 1, &data)?;
    ///         Ok(())
    ///     })
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `call`. Else, as by [`SendRequest::wait`] or [`RecvIntoRequest::wait`], if a message can never leave,
    /// or come: then the others are not waited for. Those sent leave later, and those received are given up.
    pub fn scope<'env, R>(
        &self,
        call: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env, N>) -> Result<R>,
    ) -> Result<R> {
        let lending = Lending {
            comm: self,
            is_open: Cell::default(),
            waiting: RefCell::default(),
            receives: RefCell::default(),
        };
        let value = call(&Scope { lending: &lending, scope: PhantomData, env: PhantomData })?;
        lending.wait_all()?;
        Ok(value)
    }
}

impl<'scope, N: Nic> Scope<'scope, '_, N> {
    /// As [`Comm::isend`], of data that stay as they are until the scope has ended: no copy is kept
    /// of a message that has to wait. So it is while the receiver's window is full, for its room
    /// where the message is above the eager limit, and while a barrier contains the message. A
    /// payload above the eager limit is read where it lies: over RDMA, and within a host where the
    /// system lets the receiver read this process, and nothing else is on its way there. A copy is made
    /// within a host, in memory that the receiver sees, when this rank has waited for it for a while.
    ///
    /// The request need not be kept: the scope waits for the message in any case.
    ///
    /// # Errors
    ///
    /// As by [`Comm::isend`]: nothing was sent then.
    pub fn isend<T: Element>(
        &self,
        to: Rank,
        tag: u32,
        data: &'scope [T],
    ) -> Result<SendRequest<N>> {
        let Lending { comm, is_open, waiting, .. } = self.lending;
        let (to, envelope) = comm.envelope(to, tag, stated_size::<T>())?;
        let mut engine = comm.engine()?;
        let mut waiting = waiting.borrow_mut();
        if waiting.len() == waiting.capacity() {
            waiting.retain(|id| !engine.is_sent(*id));
        }
        // Before: the call may end by a panic.
        is_open.set(true);
        // SAFETY: they are plain bytes that are borrowed for `'scope`, so nobody changes them. Before that
        // ends, `Lending` has waited until the message has left, or has taken them back.
        let id = unsafe { engine.post_send_lent(to, envelope, data.as_bytes()) }?;
        if !engine.is_sent(id) {
            waiting.push(id);
        }
        Ok(SendRequest::new(comm, id))
    }
}

impl<N: Nic> Lending<'_, N> {
    /// Waits until all has come and left.
    fn wait_all(&self) -> Result<()> {
        // In the order in which they were posted: so each finds its message first.
        self.receives.borrow_mut().reverse();
        loop {
            let Some(next) = self.receives.borrow().last().copied() else { break };
            let outcome = self.once_free(|| {
                let mut engine = self.comm.engine()?;
                Ok(next.finish(self.comm, &mut engine))
            })?;
            // It has ended.
            self.receives.borrow_mut().pop();
            outcome?;
        }
        for id in self.waiting.take() {
            self.once_free(|| Ok(self.comm.visit.engine_kept()?.wait_sent(id)?))?;
        }
        self.is_open.set(false);
        Ok(())
    }

    /// The first outcome of `call` that is not that another thread is in a call.
    fn once_free<R>(&self, call: impl Fn() -> Result<R>) -> Result<R> {
        loop {
            match call() {
                Err(Error::Busy) => thread::yield_now(),
                done => return done,
            }
        }
    }
}

impl<N: Nic> Drop for Lending<'_, N> {
    /// Takes back what may still be lent.
    fn drop(&mut self) {
        if self.is_open.get() {
            // The world may have ended: then nothing is lent.
            let _ = self.once_free(|| {
                let mut engine = self.comm.engine()?;
                self.receives.take().into_iter().for_each(|posted| posted.cancel(&mut engine));
                engine.reclaim_all();
                Ok(())
            });
        }
    }
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for Scope<'_, '_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lending { comm, waiting, receives, .. } = self.lending;
        let (sends, receives) = (waiting.borrow().len(), receives.borrow().len());
        write!(
            f,
            "a scope of {comm:?}, with {sends} messages that may not have left, and {receives} receives"
        )
    }
}
