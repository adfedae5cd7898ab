//! Ranks whose network interface is also called by a thread of the test, as long as they call nothing themselves: for
//! networks that do their work in the calls of their rank, where a test keeps a rank from calling.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use runahead::internals::order::Rank;
use runahead::internals::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, VerbsError, Vi, ViSpec,
    WakeOn,
};

/// Between two calls, and as long as a sleep lasts at most.
const PAUSE: Duration = Duration::from_micros(100);

/// An interface that is driven.
pub struct Driven<N: Nic> {
    attributes: NicAttributes,
    refuses_after: Option<Duration>,
    inner: Arc<Mutex<Option<N>>>,
}

/// Drives these until all of them are dropped. With `refuses_after` a send waits as long for room, and is then refused
/// for want of a descriptor.
pub fn drive<N: Nic + 'static>(
    nics: Vec<N>,
    progress: fn(&mut N),
    refuses_after: Option<Duration>,
) -> Vec<Driven<N>> {
    let driven = nics.into_iter().map(|nic| Driven {
        attributes: *nic.attributes(),
        refuses_after,
        inner: Arc::new(Mutex::new(Some(nic))),
    });
    let driven: Vec<_> = driven.collect();
    let all: Vec<_> = driven.iter().map(|driven| Arc::clone(&driven.inner)).collect();
    thread::spawn(move || {
        let mut is_any_there = true;
        while is_any_there {
            is_any_there = false;
            for nic in &all {
                if let Some(nic) = nic.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                    progress(nic);
                    is_any_there = true;
                }
            }
            thread::sleep(PAUSE);
        }
    });
    driven
}

impl<N: Nic> Driven<N> {
    fn lock(&self) -> MutexGuard<'_, Option<N>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, call: impl FnOnce(&mut N) -> R) -> R {
        call(self.lock().as_mut().expect("it is taken away only when it is dropped"))
    }
}

impl<N: Nic> Nic for Driven<N> {
    type Frame = N::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        self.with(|nic| nic.open_vi(vi, spec))
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let start = Instant::now();
        loop {
            match (self.with(|nic| nic.post_send(vi, header, payload)), self.refuses_after) {
                (Err(PostError::QueueFull(_)), Some(after)) if start.elapsed() < after => {
                    thread::sleep(PAUSE);
                }
                (Err(PostError::QueueFull(vi)), Some(_)) => {
                    return Err(PostError::NoDescriptor(vi));
                }
                (posted, _) => return posted,
            }
        }
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<N::Frame>>, VerbsError> {
        self.with(|nic| nic.poll_recv(cq))
    }

    fn bytes<'f>(&self, frame: &'f N::Frame) -> &'f [u8] {
        self.with(|nic| nic.bytes(frame))
    }

    fn post_recv(&mut self, vi: Vi, frame: N::Frame) {
        self.with(|nic| nic.post_recv(vi, frame));
    }

    /// Returns early: who drives it must get at it.
    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        let longest = timeout.map_or(PAUSE, |timeout| timeout.min(PAUSE));
        self.with(|nic| nic.wait_unless(wake_on, ready, Some(longest)));
    }

    fn wake(&self, peer: Rank) {
        self.with(|nic| nic.wake(peer));
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        self.with(|nic| nic.peer_state(peer))
    }
}

impl<N: Nic> Drop for Driven<N> {
    fn drop(&mut self) {
        // Not under the lock: the others must go on for it to leave.
        let nic = self.lock().take();
        drop(nic);
    }
}
