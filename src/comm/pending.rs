//! Waiting for one of several requests, or for all: sends, receives, barriers and nonblocking
//! collectives, mixed.
//!
//! These calls say that a request is complete. Its own `wait`, which returns at once then, gives
//! the result.

use smallvec::SmallVec;

use super::{Barrier, Comm, Element, HostNic, OwnedSendRequest, RecvRequest, SendRequest};
use crate::error::Result;
use crate::message::{Begun, Engine};
use crate::verbs::Nic;

/// What a program has begun and may wait for: a [`SendRequest`], a [`RecvRequest`], a [`Barrier`], a
/// [`CollectiveRequest`](crate::CollectiveRequest), or a reference to one of these.
///
/// [`Comm::wait_any`], [`Comm::wait_all`], [`Comm::test_any`] and [`Comm::test_all`] take slices of
/// them. `&[&dyn Pending]` has several kinds.
pub trait Pending<N: Nic = HostNic>: Begins<N> {}

/// The parts of a request.
pub type BegunList = SmallVec<[Begun; 8]>;

/// What the calls of this file need to know of a request. Only types of this crate implement it.
pub trait Begins<N: Nic> {
    /// Whether it is a request of the rank whose communicator this is.
    fn is_of(&self, comm: &Comm<N>) -> bool;

    /// Adds what it waits for.
    fn list(&self, begun: &mut BegunList);

    /// Whether a call that waits for it returns at once, with its result.
    fn is_complete(&self, engine: &mut Engine<N>) -> bool;

    /// Whether a call that waits for it returns at once, with an error, as far as this can be told.
    /// `waits` if this rank is about to sleep.
    fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool;
}

/// Whether a part of a request is known never to be complete.
pub(crate) fn part_has_failed<N: Nic>(engine: &mut Engine<N>, part: Begun, waits: bool) -> bool {
    match waits {
        true => engine.has_failed(part),
        false => engine.is_done_or_failed(part) && !engine.is_done(part),
    }
}

macro_rules! begins {
    ([$($parameters:tt)*] $request:ty, $of:expr, $begun:expr) => {
        impl<$($parameters)*> Pending<N> for $request {}

        impl<$($parameters)*> Begins<N> for $request {
            fn is_of(&self, comm: &Comm<N>) -> bool {
                $of(self, comm)
            }

            fn list(&self, begun: &mut BegunList) {
                begun.push($begun(self));
            }

            fn is_complete(&self, engine: &mut Engine<N>) -> bool {
                engine.is_done($begun(self))
            }

            fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool {
                part_has_failed(engine, $begun(self), waits)
            }
        }
    };
}

begins!(
    [N: Nic] SendRequest<N>,
    |this: &Self, comm: &Comm<N>| this.visit == comm.visit,
    |this: &Self| Begun::Send(this.id)
);
begins!(
    [T: Element, N: Nic] OwnedSendRequest<T, N>,
    |this: &Self, comm: &Comm<N>| this.request.visit == comm.visit,
    |this: &Self| Begun::Send(this.request.id)
);
begins!(
    [T: Element, N: Nic] RecvRequest<T, N>,
    |this: &Self, comm: &Comm<N>| this.visit == comm.visit,
    |this: &Self| Begun::Recv(this.id, this.source)
);
begins!(
    [N: Nic] Barrier<N>,
    |this: &Self, comm: &Comm<N>| this.visit == comm.visit,
    |this: &Self| Begun::Barrier(this.ticket)
);

impl<N: Nic, P: Pending<N> + ?Sized> Pending<N> for &P {}

impl<N: Nic, P: Begins<N> + ?Sized> Begins<N> for &P {
    fn is_of(&self, comm: &Comm<N>) -> bool {
        P::is_of(self, comm)
    }

    fn list(&self, begun: &mut BegunList) {
        P::list(self, begun);
    }

    fn is_complete(&self, engine: &mut Engine<N>) -> bool {
        P::is_complete(self, engine)
    }

    fn has_failed(&self, engine: &mut Engine<N>, waits: bool) -> bool {
        P::has_failed(self, engine, waits)
    }
}

impl<N: Nic> Comm<N> {
    /// Waits until one of these requests is complete, and returns its index (MPI: Waitany). Its own
    /// `wait` then returns at once, with the result; also where the request can never be complete,
    /// which that `wait` tells by an error.
    ///
    /// If several are complete, each has its turn: the call looks at another one first each time.
    /// They may be requests of other communicators of this rank.
    ///
    /// ```
    /// use runahead::Pending;
    ///
    /// runahead::launch(3, |world| {
    ///     if world.rank() != 0 {
    ///         return world.send(0, 7, &[world.rank()]);
    ///     }
    ///     let mut tasks = vec![world.irecv::<usize>(1, 7)?, world.irecv(2, 7)?];
    ///     let mut sum = 0;
    ///     while !tasks.is_empty() {
    ///         let first = world.wait_any(&tasks)?;
    ///         sum += tasks.swap_remove(first).wait()?.data[0];
    ///     }
    ///     assert_eq!(sum, 3);
    ///
    ///     // Of several kinds.
    ///     let (send, recv) = (world.isend(0, 8, &[1.5])?, world.irecv::<f64>(0, 8)?);
    ///     let both: [&dyn Pending; 2] = [&send, &recv];
    ///     assert!(world.wait_any(&both)? < 2);
    ///     assert_eq!(recv.wait()?.data, [1.5]);
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`Comm::progress`].
    ///
    /// # Panics
    ///
    /// If there is no request, or one of another rank.
    pub fn wait_any<P: Pending<N>>(&self, requests: &[P]) -> Result<usize> {
        let count = requests.len();
        assert!(count > 0, "there is no request to wait for");
        self.check_own(requests);
        let mut begun = BegunList::new();
        requests.iter().for_each(|request| request.list(&mut begun));
        let first = self.first_of(count);
        let places = || (first..count).chain(0..first);
        Ok(self.engine()?.wait_for_any(
            &begun,
            |engine| places().find(|&at| requests[at].is_complete(engine)),
            |engine| {
                let failed = places().find(|&at| requests[at].has_failed(engine, true));
                // To find that out may have completed one.
                failed.or_else(|| places().find(|&at| requests[at].is_complete(engine)))
            },
        )?)
    }

    /// As [`wait_any`](Comm::wait_any), without waiting: None if none is complete yet (MPI:
    /// Testany).
    ///
    /// # Errors
    ///
    /// As by [`Comm::progress`].
    ///
    /// # Panics
    ///
    /// If one is of another rank.
    pub fn test_any<P: Pending<N>>(&self, requests: &[P]) -> Result<Option<usize>> {
        self.check_own(requests);
        let (count, mut engine) = (requests.len(), self.engine()?);
        engine.progress()?;
        let first = self.first_of(count.max(1));
        let mut places = (first.min(count)..count).chain(0..first.min(count));
        Ok(places.find(|&at| {
            let request = &requests[at];
            request.is_complete(&mut engine) || request.has_failed(&mut engine, false)
        }))
    }

    /// Waits until each of these requests is complete, or can never be (MPI: Waitall). Their own
    /// `wait` then returns at once, with the result or with the error.
    ///
    /// ```
    /// use runahead::Pending;
    ///
    /// runahead::launch(2, |world| {
    ///     let other = 1 - world.rank();
    ///     let halo = world.irecv::<f64>(other, 1)?;
    ///     let edge = world.isend(other, 1, &[0.5])?;
    ///     let sum = world.iall_reduce(&[1], |a, b| a + b)?;
    ///     let all: [&dyn Pending; 3] = [&halo, &edge, &sum];
    ///     world.wait_all(&all)?;
    ///     assert_eq!((halo.wait()?.data, sum.wait()?), (vec![0.5], vec![2]));
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`Comm::progress`].
    ///
    /// # Panics
    ///
    /// If one is of another rank.
    pub fn wait_all<P: Pending<N>>(&self, requests: &[P]) -> Result<()> {
        self.check_own(requests);
        let mut engine = self.engine()?;
        // Progress is of all, so it takes no longer to wait for one after the other.
        requests.iter().try_for_each(|request| {
            let mut begun = BegunList::new();
            request.list(&mut begun);
            let complete = |engine: &mut Engine<N>| request.is_complete(engine).then_some(());
            let failed = |engine: &mut Engine<N>| {
                // To find that out may have completed it.
                (request.has_failed(engine, true) || request.is_complete(engine)).then_some(())
            };
            Ok(engine.wait_for_any(&begun, complete, failed)?)
        })
    }

    /// As [`wait_all`](Comm::wait_all), without waiting: whether each is complete, or can never be
    /// (MPI: Testall).
    ///
    /// # Errors
    ///
    /// As by [`Comm::progress`].
    ///
    /// # Panics
    ///
    /// If one is of another rank.
    pub fn test_all<P: Pending<N>>(&self, requests: &[P]) -> Result<bool> {
        self.check_own(requests);
        let mut engine = self.engine()?;
        engine.progress()?;
        let is_done = |request: &P| {
            request.is_complete(&mut engine) || request.has_failed(&mut engine, false)
        };
        Ok(requests.iter().all(is_done))
    }

    fn check_own<P: Pending<N>>(&self, requests: &[P]) {
        let own = requests.iter().all(|request| request.is_of(self));
        assert!(own, "a request is of another rank");
    }

    /// Which of `count` requests to look at first: another one each time, and none always after the
    /// same others, whatever other requests are waited for in between.
    fn first_of(&self, count: usize) -> usize {
        // Numerical Recipes' generator, of which the upper half is taken.
        let next = self.turns.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.turns.set(next);
        (next >> 16) as usize % count
    }
}
