//! The threads provider: all ranks are threads of one process.
//!
//! Each rank has one bounded channel per completion queue, its inbox, with room for every
//! descriptor of every VI on it. A send that has a descriptor therefore always finds room and lies
//! in the peer's memory when it returns. Longer messages travel in buffers that come back to their
//! sender with the descriptor, so that nothing is allocated once warm. A rank that sleeps is woken
//! by its parker; one that does not sleep costs the sender a fence and a look.
//!
//! No unsafe code, and no lock except around the name of a sleeping thread, and around payloads
//! that are exposed, where a test wants such.
//!
//! It is not for ranks in different processes. The channels are crossbeam's: a poll that meets a
//! message which another thread is just putting in waits for that thread.

mod end;
mod exposures;
mod fabric;
mod frame;
#[cfg(all(test, loom))]
mod models;
mod parker;

use std::collections::VecDeque;
use std::fmt;
use std::slice::{from_mut, from_ref};
use std::sync::Arc;
use std::time::Duration;

use end::End;
use fabric::Shared;
pub use fabric::{connect, connect_with_remote_read};
pub use frame::Frame;

use crate::order::Rank;
use crate::provider::buffer::Buffer;
use crate::provider::limits::check_vi;
use crate::provider::words::{self, Regions};
pub use crate::provider::{FabricSpec, QueueSpec};
use crate::sys::atomic::{AtomicU64, Ordering, fence};
use crate::sys::channel::{Receiver, TrySendError};
use crate::verbs::{
    Absent, Completion, Cq, Fetched, Nic, NicAttributes, PeerState, PostError, PutMode,
    ReadCompletion, RegionKey, Reliability, RemoteBuffer, RemoteRead, RemoteWords, Revoke,
    SharedWords, VerbsError, Vi, ViSpec, WakeOn,
};

/// A rank's interface to a fabric of threads, made by [`connect`].
///
/// Dropping it is how a rank leaves: the others then see it as [`PeerState::Gone`].
pub struct ThreadsNic {
    attributes: NicAttributes,
    shared: Arc<Shared>,
    /// One for each completion queue.
    inboxes: Vec<Receiver<Frame>>,
    /// One for each completion queue and peer.
    ends: Vec<Option<End>>,
    regions: Regions,
    lost: u64,
    /// Payloads that were read, or could not be.
    reads: VecDeque<(Cq, ReadCompletion<Frame>)>,
}

impl ThreadsNic {
    fn new(
        attributes: NicAttributes,
        rank: Rank,
        shared: Arc<Shared>,
        inboxes: Vec<Receiver<Frame>>,
    ) -> Self {
        let ends = inboxes.len() * shared.size();
        Self {
            attributes: NicAttributes { rank, ..attributes },
            shared,
            inboxes,
            ends: std::iter::repeat_with(|| None).take(ends).collect(),
            regions: Regions::default(),
            lost: 0,
            reads: VecDeque::new(),
        }
    }

    /// The number of messages that this rank has posted on unreliable VIs and that met no
    /// descriptor.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Lets all others write words of another network's memory; once. Where the two networks are
    /// [joined](crate::provider::host), for tests that have no device.
    #[cfg(target_os = "linux")]
    pub fn expose(&self, words: crate::provider::shm::Exposed) {
        // A second time changes nothing.
        let _ = self.shared.ports[self.rank()].exposed.set(words);
    }

    /// Where the end of `vi` is kept; `None` if there is no such VI.
    fn index(&self, vi: Vi) -> Option<usize> {
        let (size, cq) = (self.size(), usize::from(vi.cq.0));
        (vi.peer < size && cq < self.inboxes.len()).then(|| cq * size + vi.peer)
    }

    fn no_such_peer(&self, peer: Rank) -> VerbsError {
        VerbsError::NoSuchPeer { peer, size: self.size() }
    }

    /// A word of a region of `peer`'s, which is as long as this rank's own, or will be.
    fn word_of(&self, peer: Rank, key: RegionKey, word: usize) -> Result<&AtomicU64, VerbsError> {
        let port = self.shared.ports.get(peer).ok_or_else(|| self.no_such_peer(peer))?;
        let words = self.regions.words(key).filter(|&words| word < words);
        let place = words.and_then(|words| port.region(key, words).get(word));
        place.ok_or(VerbsError::NoSuchWord { peer, key, word })
    }

    fn no_such_queue(&self, cq: Cq) -> VerbsError {
        VerbsError::NoSuchQueue { cq, limit: self.attributes.completion_queues }
    }
}

#[cfg(target_os = "linux")]
impl crate::provider::host::Far for ThreadsNic {
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool {
        let Some(port) = self.shared.ports.get(peer) else { return false };
        let is_gone = port.gone.load(Ordering::Acquire);
        !is_gone && port.exposed.get().is_some_and(|words| words.write(word, value))
    }

    fn written_by(&self, _: Rank) -> crate::verbs::Written {
        crate::verbs::Written::Arrived
    }
}

impl Nic for ThreadsNic {
    type Frame = Frame;
    type RemoteRead = ThreadsNic;
    type RemoteWords = ThreadsNic;
    type SharedWords = ThreadsNic;
    type Multicast = Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        let queue = self.shared.queues.get(usize::from(vi.cq.0)).copied();
        check_vi(&self.attributes, vi, spec, queue)?;
        let index = self.index(vi).ok_or(self.no_such_queue(vi.cq))?;
        if self.ends[index].is_some() {
            return Err(VerbsError::AlreadyOpen { vi });
        }
        let to_peer = self.shared.returns(vi.cq, vi.peer, self.rank());
        let from_peer = self.shared.returns(vi.cq, self.rank(), vi.peer);
        let end = self.ends[index].insert(End::new(spec, to_peer, from_peer));
        Ok(end.reliability())
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let index = self.index(vi).ok_or(PostError::NotOpen(vi))?;
        let end = self.ends[index].as_mut().ok_or(PostError::NotOpen(vi))?;
        let (len, limit) = (header.len().saturating_add(payload.len()), end.limit());
        if len > limit {
            return Err(PostError::TooLong { vi, len, limit });
        }
        let (port, rank) = (&self.shared.ports[vi.peer], self.attributes.rank);
        // Pairs with the store in `drop`.
        if port.gone.load(Ordering::Acquire) {
            return Err(PostError::PeerGone(vi));
        }
        if !end.has_descriptor() {
            if end.reliability() != Reliability::Unreliable {
                return Err(PostError::NoDescriptor(vi));
            }
            self.lost += 1;
            return Ok(());
        }
        match port.inboxes[usize::from(vi.cq.0)].try_send(end.fill(rank, header, payload)) {
            Ok(()) => {
                end.count_sent();
                port.parker.wake();
                Ok(())
            }
            // Does not happen while descriptors are counted right; waiting would mend it.
            Err(TrySendError::Full(_)) => Err(PostError::QueueFull(vi)),
            Err(TrySendError::Disconnected(_)) => Err(PostError::PeerGone(vi)),
        }
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        let inbox = self.inboxes.get(usize::from(cq.0)).ok_or_else(|| self.no_such_queue(cq))?;
        // Its senders live as long as `shared`: empty is the only reason for an error.
        Ok(inbox.try_recv().ok().map(|frame| Completion { peer: frame.peer(), frame }))
    }

    fn bytes<'f>(&self, frame: &'f Frame) -> &'f [u8] {
        frame.bytes()
    }

    fn post_recv(&mut self, vi: Vi, frame: Frame) {
        debug_assert_eq!(vi.peer, frame.peer(), "a descriptor was posted on another VI");
        if let Some(end) = self.index(vi).and_then(|index| self.ends[index].as_mut()) {
            end.repost(frame);
        }
    }

    fn remote_read(&mut self) -> Option<&mut ThreadsNic> {
        self.shared.read_from.is_some().then_some(self)
    }

    fn remote_words(&self) -> Option<&ThreadsNic> {
        Some(self)
    }

    fn remote_words_mut(&mut self) -> Option<&mut ThreadsNic> {
        Some(self)
    }

    fn shared_words(&self) -> Option<&ThreadsNic> {
        Some(self)
    }

    fn wait_unless(
        &mut self,
        _: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        if !self.reads.is_empty() {
            return;
        }
        let arrived = || self.inboxes.iter().any(|inbox| !inbox.is_empty());
        let ready = || arrived() || ready(&|word| self.load(word));
        self.shared.ports[self.rank()].parker.sleep(ready, timeout);
    }

    fn wake(&self, peer: Rank) {
        if let Some(port) = self.shared.ports.get(peer) {
            port.parker.wake();
        }
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        match self.shared.ports.get(peer) {
            // Pairs with the store in `drop`: all that the peer sent is then in the inboxes.
            Some(port) if !port.gone.load(Ordering::Acquire) => PeerState::Connected,
            _ => PeerState::Gone,
        }
    }
}

/// In one address space a word costs what a message does.
impl RemoteWords for ThreadsNic {
    fn is_one_sided(&self) -> bool {
        false
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        let key = self.regions.register(&self.attributes, words)?;
        // A peer that has put a word there was earlier.
        self.shared.ports[self.rank()].region(key, words);
        Ok(key)
    }

    fn post_put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, VerbsError> {
        // The fence pairs with those of `fetch` and of itself at the peer: see the trait.
        words::publish(self.word_of(peer, key, word)?, value, || fence(Ordering::SeqCst));
        if mode.wakes() {
            self.shared.ports[peer].parker.wake_with_news();
        }
        Ok(true)
    }

    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        let place = self.word_of(peer, key, word)?;
        // Pairs with the fence of `post_put`.
        fence(Ordering::SeqCst);
        Ok(Fetched::Word(words::read(place)))
    }

    fn read(&self, _: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        Ok(words::read(self.word_of(self.rank(), key, word)?))
    }
}

impl SharedWords for ThreadsNic {
    fn count(&self) -> usize {
        self.shared.shared_words
    }

    fn load(&self, word: usize) -> u64 {
        words::read(self.shared.word(word))
    }

    fn store(&self, word: usize, value: u64) {
        words::publish(self.shared.word(word), value, || fence(Ordering::SeqCst));
    }

    fn fill(&self, first: usize, values: &[u64]) {
        (first..)
            .zip(values)
            .for_each(|(word, &value)| words::write(self.shared.word(word), value));
    }

    fn copy_into(&self, first: usize, values: &mut [u64]) {
        for (word, value) in (first..).zip(values) {
            words::copy_into(from_ref(self.shared.word(word)), from_mut(value));
        }
    }
}

impl RemoteRead for ThreadsNic {
    type Payload = Frame;
    type Offer = Absent;
    type Room = Absent;

    fn least_bytes(&mut self, peer: Rank) -> Option<usize> {
        let is_open = peer < self.size() && self.ends.get(peer).is_some_and(Option::is_some);
        self.shared.read_from.filter(|_| is_open)
    }

    /// As a device, which it stands in for: what it copies is no matter of its callers.
    fn copies(&mut self, _: Rank) -> bool {
        false
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        self.least_bytes(peer)?;
        Some(self.shared.ports[self.rank()].exposures.expose(peer, payload))
    }

    /// What is being read is a copy, so it makes no difference how the permission ends.
    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, _: Revoke) {
        self.shared.ports[self.rank()].exposures.revoke(peer, buffer);
    }

    /// At once.
    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        let Vi { peer, cq } = vi;
        if self.least_bytes(peer).is_none() || self.index(vi).is_none() {
            return false;
        }
        let port = &self.shared.ports[peer];
        let is_there = !port.gone.load(Ordering::Acquire);
        let found = port.exposures.find(self.rank(), buffer).filter(|_| is_there);
        let payload = found
            .as_deref()
            .and_then(|payload| payload.get(..len))
            .map(|payload| Frame::fill(peer, payload, &[], || Buffer::zeroed(len)));
        self.reads.push_back((cq, ReadCompletion { peer, payload }));
        true
    }

    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<Frame>> {
        let next = self.reads.iter().position(|(of, _)| *of == cq)?;
        self.reads.remove(next).map(|(_, read)| read)
    }

    fn release(&mut self, payload: Frame) {
        drop(payload);
    }
}

impl Drop for ThreadsNic {
    fn drop(&mut self) {
        // Pairs with the loads in `peer_state` and `post_send`.
        self.shared.ports[self.rank()].gone.store(true, Ordering::Release);
        for port in &self.shared.ports {
            port.parker.wake_with_news();
        }
    }
}

// Not derived: that would print what all ranks share.
impl fmt::Debug for ThreadsNic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.size(), self.attributes.provider)
    }
}
