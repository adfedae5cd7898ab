//! The verbs of one rank on two networks.

use std::fmt;
use std::time::Duration;

use super::{Far, Hosts};
use crate::order::Rank;
use crate::verbs::{
    Absent, Completion, Cq, Fetched, Nic, NicAttributes, PeerState, PostError, PutMode, QuietPuts,
    RegionKey, Reliability, VerbsError, Vi, ViSpec, WakeOn, Written,
};

/// How long a rank sleeps in one network before it looks into the other.
pub const BEAT: Duration = Duration::from_millis(1);

/// A rank's interface to two networks, of which one connects it with the ranks of its host, and the other with all
/// others.
pub struct Joined<A: Nic, B: Far> {
    near: A,
    far: B,
    attributes: NicAttributes,
    rank: Rank,
    /// Which ranks are on this one's host; itself is.
    is_near: Vec<bool>,
    /// For each completion queue, whether the next poll begins with the far network.
    far_first: Vec<bool>,
    /// Whether what was polled last has come from afar, or can have come from nowhere else.
    heard_far: bool,
    /// The number of shared words of each host.
    words: usize,
    /// Where, among the words of the near network, those of this host begin.
    first: usize,
    /// For each rank, the number of its host.
    host_of: Vec<usize>,
}

/// A filled receive descriptor of either network.
#[derive(Debug)]
pub enum Frame<A, B> {
    /// Of a rank on the same host.
    Near(A),
    /// Of one on another.
    Far(B),
}

impl<A: Nic, B: Far> Joined<A, B> {
    /// Joins two interfaces of one rank. No VI is open yet, and nothing registered. `name` is what the two are called
    /// together. There are to be so many shared `words`, or none: of those of the near network each host has as many,
    /// the first host the first, and each rank has exposed its host's to the far network.
    ///
    /// # Panics
    ///
    /// If they are not of the same rank of as many ranks as there are hosts for, or the near network has too few words.
    pub fn new(
        name: &'static str,
        (near, far): (A, B),
        hosts: &Hosts,
        words: usize,
    ) -> Joined<A, B> {
        let (rank, size) = (near.rank(), near.size());
        assert_eq!((far.rank(), far.size()), (rank, size), "interfaces of different ranks");
        assert_eq!(hosts.ranks(), size, "each rank has a host");
        let enough = words.checked_mul(hosts.count()).is_some_and(|all| all <= near.shared_words());
        assert!(enough, "{words} words for each host, of {}", near.shared_words());
        let (one, other) = (*near.attributes(), *far.attributes());
        let attributes = NicAttributes {
            provider: name,
            max_ranks: one.max_ranks.min(other.max_ranks),
            max_message_bytes: one.max_message_bytes.min(other.max_message_bytes),
            max_descriptors_per_vi: one.max_descriptors_per_vi.min(other.max_descriptors_per_vi),
            completion_queues: one.completion_queues.min(other.completion_queues),
            max_registered_bytes: one.max_registered_bytes.min(other.max_registered_bytes),
            max_regions: one.max_regions.min(other.max_regions),
            inline_bytes: one.inline_bytes.min(other.inline_bytes),
            causal: false,
        };
        let is_near: Vec<bool> = (0..size).map(|peer| hosts.are_near(rank, peer)).collect();
        Joined {
            far_first: vec![false; attributes.completion_queues.into()],
            // One that is alone on its host hears nothing near.
            heard_far: is_near.iter().filter(|&&is_near| is_near).count() == 1,
            is_near,
            words,
            first: hosts.of(rank).unwrap_or(0) as usize * words,
            host_of: (0..size).map(|peer| hosts.of(peer).unwrap_or(0) as usize).collect(),
            near,
            far,
            attributes,
            rank,
        }
    }

    /// The interface to the ranks of this host.
    pub fn near(&self) -> &A {
        &self.near
    }

    /// The interface to those of others.
    pub fn far(&self) -> &B {
        &self.far
    }

    /// As [`near`](Joined::near).
    pub fn near_mut(&mut self) -> &mut A {
        &mut self.near
    }

    /// As [`far`](Joined::far).
    pub fn far_mut(&mut self) -> &mut B {
        &mut self.far
    }

    /// Whether a rank is asked for by the near network: so are those that do not exist.
    #[inline(always)]
    fn is_near(&self, peer: Rank) -> bool {
        self.is_near.get(peer).copied().unwrap_or(true)
    }

    /// Where, among the words of the near network, one of this host's lies.
    #[inline(always)]
    fn place(&self, word: usize) -> usize {
        assert!(word < self.words, "there are {} shared words", self.words);
        self.first + word
    }

    #[inline]
    fn poll_near(&mut self, cq: Cq) -> Polled<A, B> {
        let found = self.near.poll_recv(cq)?;
        Ok(found.map(|Completion { peer, frame }| Completion { peer, frame: Frame::Near(frame) }))
    }

    #[inline]
    fn poll_far(&mut self, cq: Cq) -> Polled<A, B> {
        let found = self.far.poll_recv(cq)?;
        Ok(found.map(|Completion { peer, frame }| Completion { peer, frame: Frame::Far(frame) }))
    }
}

type Polled<A, B> =
    Result<Option<Completion<Frame<<A as Nic>::Frame, <B as Nic>::Frame>>>, VerbsError>;

/// Calls a method of the network of this peer.
macro_rules! of_peer {
    ($self:ident, $peer:expr, $nic:ident => $call:expr) => {
        if $self.is_near($peer) {
            let $nic = &mut $self.near;
            $call
        } else {
            let $nic = &mut $self.far;
            $call
        }
    };
    (& $self:ident, $peer:expr, $nic:ident => $call:expr) => {
        if $self.is_near($peer) {
            let $nic = &$self.near;
            $call
        } else {
            let $nic = &$self.far;
            $call
        }
    };
}

impl<A: Nic, B: Far> Nic for Joined<A, B> {
    type Frame = Frame<A::Frame, B::Frame>;
    type RemoteRead = B::RemoteRead;
    type Multicast = Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> usize {
        self.is_near.len()
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        of_peer!(self, vi.peer, nic => nic.open_vi(vi, spec))
    }

    #[inline]
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        of_peer!(self, vi.peer, nic => nic.post_send(vi, header, payload))
    }

    /// Each network is the first to be looked into after something has come by the other, so neither starves.
    #[inline]
    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        let queue = usize::from(cq.0);
        let Some(&far_first) = self.far_first.get(queue) else {
            let limit = self.attributes.completion_queues;
            return Err(VerbsError::NoSuchQueue { cq, limit });
        };
        let first = if far_first { self.poll_far(cq)? } else { self.poll_near(cq)? };
        let (found, is_far) = match first {
            Some(_) => (first, far_first),
            None if far_first => (self.poll_near(cq)?, false),
            None => (self.poll_far(cq)?, true),
        };
        if found.is_some() {
            self.far_first[queue] = !is_far;
            self.heard_far = is_far;
        }
        Ok(found)
    }

    #[inline]
    fn is_empty(&mut self, cq: Cq) -> bool {
        self.near.is_empty(cq) && self.far.is_empty(cq)
    }

    #[inline]
    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        of_peer!(self, vi.peer, nic => nic.has_nothing_from(vi))
    }

    #[inline]
    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        of_peer!(self, vi.peer, nic => nic.peek_recv(vi))
    }

    #[inline]
    fn take_peeked(&mut self, vi: Vi) {
        of_peer!(self, vi.peer, nic => nic.take_peeked(vi));
    }

    #[inline]
    fn bytes<'f>(&self, frame: &'f Self::Frame) -> &'f [u8] {
        match frame {
            Frame::Near(frame) => self.near.bytes(frame),
            Frame::Far(frame) => self.far.bytes(frame),
        }
    }

    #[inline]
    fn post_recv(&mut self, vi: Vi, frame: Self::Frame) {
        match frame {
            Frame::Near(frame) => self.near.post_recv(vi, frame),
            Frame::Far(frame) => self.far.post_recv(vi, frame),
        }
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        let (provider, limit) = (self.attributes.provider, self.attributes.max_registered_bytes);
        let asked = words.saturating_mul(8);
        if asked > limit {
            let what = "registered memory in bytes";
            return Err(VerbsError::AboveLimit { provider, what, asked, limit });
        }
        let (near, far) = (self.near.register(words)?, self.far.register(words)?);
        // Nobody else registers, and both count from the same number on, or it is no region of both.
        if near != far {
            return Err(VerbsError::NoSuchWord { peer: self.rank, key: far, word: 0 });
        }
        Ok(near)
    }

    fn put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
    ) -> Result<(), VerbsError> {
        if peer == self.rank {
            self.far.put(peer, key, word, value)?;
        }
        of_peer!(self, peer, nic => nic.put(peer, key, word, value))
    }

    /// What this rank itself or another of its host has put there.
    fn read(&self, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        self.near.read(key, word)
    }

    #[inline]
    fn read_of(&self, writer: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        of_peer!(&self, writer, nic => nic.read_of(writer, key, word))
    }

    /// What those between hosts are worth, where ranks of one host can put them at all.
    fn quiet_puts(&self) -> QuietPuts {
        match self.near.quiet_puts() {
            QuietPuts::None => QuietPuts::None,
            _ => self.far.quiet_puts(),
        }
    }

    #[inline]
    fn post_put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, VerbsError> {
        // A rank has always room in its own memory.
        if peer == self.rank {
            self.far.post_put(peer, key, word, value, mode)?;
        }
        of_peer!(self, peer, nic => nic.post_put(peer, key, word, value, mode))
    }

    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        of_peer!(self, peer, nic => nic.fetch(peer, key, word))
    }

    /// Between hosts only: within a host memory is shared.
    #[inline]
    fn remote_read(&mut self) -> Option<&mut B::RemoteRead> {
        self.far.remote_read()
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        let beat = Some(timeout.map_or(BEAT, |timeout| timeout.min(BEAT)));
        // The caller looks into both when this ends, whatever has ended it.
        if wake_on.peer.map_or(self.heard_far, |peer| !self.is_near(peer)) {
            if !ready(&|word| self.load_shared(word)) {
                self.far.wait_unless(wake_on, |_| false, beat);
            }
        } else {
            // A device has affairs of its own, which it sees to in a wait.
            self.far.wait_unless(wake_on, |_| true, Some(Duration::ZERO));
            let first = self.first;
            let ready = |load: &dyn Fn(usize) -> u64| ready(&|word| load(first + word));
            self.near.wait_unless(wake_on, ready, beat);
        }
    }

    fn shared_words(&self) -> usize {
        self.words
    }

    fn shares_words_with(&self, peer: Rank) -> bool {
        self.words > 0 && self.is_near(peer)
    }

    fn host_of(&self, peer: Rank) -> usize {
        self.host_of.get(peer).copied().unwrap_or(0)
    }

    #[inline]
    fn load_shared(&self, word: usize) -> u64 {
        self.near.load_shared(self.place(word))
    }

    #[inline]
    fn store_shared(&self, word: usize, value: u64) {
        self.near.store_shared(self.place(word), value);
    }

    #[inline]
    fn publish_shared(&self, word: usize, value: u64) -> bool {
        self.near.publish_shared(self.place(word), value)
    }

    fn write_shared_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        !self.is_near(peer) && self.far.write_exposed(peer, word, value)
    }

    fn written_at(&self, peer: Rank) -> Written {
        if self.is_near(peer) { Written::Arrived } else { self.far.written_by(peer) }
    }

    fn wake(&self, peer: Rank) {
        of_peer!(&self, peer, nic => nic.wake(peer));
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        of_peer!(&self, peer, nic => nic.peer_state(peer))
    }

    fn why_gone(&self, peer: Rank) -> Option<String> {
        of_peer!(&self, peer, nic => nic.why_gone(peer))
    }
}

impl<A: Nic, B: Far> fmt::Debug for Joined<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank, self.size(), self.attributes.provider)
    }
}

#[cfg(all(test, not(loom)))]
mod waits;
