//! A network of memory: every word lies with its reader at once, and one thread acts for all ranks.
//! It has no frames.

use std::iter::repeat_with;
use std::sync::Arc;
use std::time::Duration;

use crate::order::Rank;
use crate::sys::atomic::{AtomicU64, Ordering::Relaxed};
use crate::verbs::{
    Absent, Completion, Cq, Fetched, Multicast, Nic, NicAttributes, NoMulticast, PeerState,
    PostError, PutMode, RegionKey, Reliability, RemoteWords, SharedWords, VerbsError, Vi, ViSpec,
    WakeOn,
};

/// What the network can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Can {
    /// Nothing but frames.
    Frames,
    /// Remote words and multicast.
    Cells,
    /// Shared words, on one host.
    Board,
    /// Shared words, on hosts of two ranks each.
    Hosts,
}

/// The memory of all ranks.
pub(super) struct Memory {
    can: Can,
    /// Of each host.
    shared: Vec<Vec<AtomicU64>>,
    /// Of each rank.
    remote: Vec<Vec<AtomicU64>>,
    /// Of each rank, whether it was woken.
    woken: Vec<AtomicU64>,
    /// Whether a rank sleeps, as the network knows it.
    pub(super) sleeps: AtomicU64,
    /// The last datagram: its sender, its words, and how many there were. Lost if `is_deaf`.
    air: [AtomicU64; 4],
    pub(super) is_deaf: AtomicU64,
}

fn zeroes(count: usize) -> Vec<AtomicU64> {
    repeat_with(|| AtomicU64::new(0)).take(count).collect()
}

/// The interface of a rank.
pub(super) struct Net {
    attributes: NicAttributes,
    pub(super) memory: Arc<Memory>,
    heard: u64,
}

impl Net {
    /// One for each of `size` ranks.
    pub(super) fn connect(can: Can, size: usize, words: usize) -> Vec<Net> {
        let memory = Arc::new(Memory {
            can,
            shared: repeat_with(|| zeroes(words)).take(size).collect(),
            remote: repeat_with(|| zeroes(16 * size)).take(size).collect(),
            woken: zeroes(size),
            sleeps: AtomicU64::new(1),
            air: Default::default(),
            is_deaf: AtomicU64::new(0),
        });
        let attributes = |rank| NicAttributes {
            provider: "memory",
            rank,
            size,
            max_ranks: size,
            max_message_bytes: 64,
            max_descriptors_per_vi: 0,
            completion_queues: 0,
            max_registered_bytes: 16 * size * 8,
            max_regions: 1,
            inline_bytes: 0,
            causal: true,
        };
        let net = |rank| Net { attributes: attributes(rank), memory: memory.clone(), heard: 0 };
        (0..size).map(net).collect()
    }

    /// The ranks that were woken since the last call of this.
    pub(super) fn woken(&self) -> Vec<Rank> {
        let woken = &self.memory.woken;
        (0..woken.len()).filter(|&rank| woken[rank].swap(0, Relaxed) > 0).collect()
    }
}

impl Nic for Net {
    type Frame = ();
    type RemoteRead = Absent;
    type RemoteWords = Net;
    type SharedWords = Net;
    type Multicast = Net;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        unreachable!("barriers open no VI")
    }

    fn post_send(&mut self, _: Vi, _: &[u8], _: &[u8]) -> Result<(), PostError> {
        unreachable!("frames are the caller's")
    }

    fn poll_recv(&mut self, _: Cq) -> Result<Option<Completion<()>>, VerbsError> {
        unreachable!("frames are the caller's")
    }

    fn bytes<'f>(&self, (): &'f ()) -> &'f [u8] {
        &[]
    }

    fn post_recv(&mut self, _: Vi, (): ()) {}

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
        unreachable!("the engine sleeps")
    }

    fn wake(&self, peer: Rank) {
        self.memory.woken[peer].store(1, Relaxed);
    }

    fn peer_state(&self, _: Rank) -> PeerState {
        PeerState::Connected
    }

    fn remote_words(&self) -> Option<&Net> {
        (self.memory.can == Can::Cells).then_some(self)
    }

    fn remote_words_mut(&mut self) -> Option<&mut Net> {
        (self.memory.can == Can::Cells).then_some(self)
    }

    fn shared_words(&self) -> Option<&Net> {
        matches!(self.memory.can, Can::Board | Can::Hosts).then_some(self)
    }

    fn multicast(&mut self) -> Result<&mut Net, NoMulticast> {
        if self.memory.can == Can::Cells { Ok(self) } else { Err(NoMulticast::NotOffered) }
    }
}

impl SharedWords for Net {
    fn count(&self) -> usize {
        self.memory.shared[0].len()
    }

    fn load(&self, word: usize) -> u64 {
        self.memory.shared[self.host_of(self.rank())][word].load(Relaxed)
    }

    fn store(&self, word: usize, value: u64) {
        self.write_at(self.rank(), word, value);
    }

    fn publish(&self, word: usize, value: u64) -> bool {
        self.store(word, value);
        self.memory.sleeps.load(Relaxed) > 0
    }

    fn host_of(&self, peer: Rank) -> usize {
        if self.memory.can == Can::Hosts { peer / 2 } else { 0 }
    }

    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        self.memory.shared[self.host_of(peer)][word].store(value, Relaxed);
        true
    }
}

impl RemoteWords for Net {
    fn is_one_sided(&self) -> bool {
        true
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        assert!(words <= self.memory.remote[0].len());
        Ok(RegionKey(0))
    }

    fn post_put(
        &mut self,
        peer: Rank,
        _: RegionKey,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, VerbsError> {
        self.memory.remote[peer][word].store(value, Relaxed);
        if mode.wakes() {
            self.wake(peer);
        }
        Ok(true)
    }

    fn fetch(&mut self, peer: Rank, _: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        Ok(Fetched::Word(self.memory.remote[peer][word].load(Relaxed)))
    }

    fn read(&self, _: Rank, _: RegionKey, word: usize) -> Result<u64, VerbsError> {
        Ok(self.memory.remote[self.rank()][word].load(Relaxed))
    }
}

impl Multicast for Net {
    fn post(&mut self, [first, second]: [u64; 2]) {
        let [from, one, two, count] = &self.memory.air;
        let posted = self.memory.is_deaf.load(Relaxed) == 0;
        from.store(self.rank() as u64, Relaxed);
        one.store(first, Relaxed);
        two.store(second, Relaxed);
        count.fetch_add(u64::from(posted), Relaxed);
    }

    fn poll(&mut self) -> Option<(Rank, [u64; 2])> {
        let [from, one, two, count] = &self.memory.air;
        let count = count.load(Relaxed);
        let is_new = std::mem::replace(&mut self.heard, count) != count;
        is_new.then(|| (from.load(Relaxed) as Rank, [one.load(Relaxed), two.load(Relaxed)]))
    }
}
