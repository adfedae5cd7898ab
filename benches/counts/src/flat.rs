//! A network of any size in one thread: words that all see, and a queue for each rank and completion
//! queue. It costs the same at every size, and no rank has to be there: the scenario may write another
//! rank's words and put frames into a queue itself. Nobody sleeps on it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use runahead::internals::message::QUEUES;
use runahead::internals::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, SharedWords, VerbsError,
    Vi, ViSpec, WakeOn,
};
use runahead::{Config, Rank};

/// Room for any message of a scenario.
const FRAME_BYTES: usize = 64;

/// A message, at an address divisible by 8.
#[derive(Clone, Copy)]
#[repr(align(8))]
pub struct Frame {
    bytes: [u8; FRAME_BYTES],
    len: u32,
}

impl Frame {
    pub fn new(header: &[u8], payload: &[u8]) -> Frame {
        let mut bytes = [0; FRAME_BYTES];
        bytes[..header.len()].copy_from_slice(header);
        bytes[header.len()..][..payload.len()].copy_from_slice(payload);
        Frame { bytes, len: (header.len() + payload.len()) as u32 }
    }
}

/// What all ranks share.
pub struct Net {
    size: usize,
    words: Vec<AtomicU64>,
    queues: Vec<Mutex<VecDeque<(Rank, Frame)>>>,
}

impl Net {
    pub fn new(size: usize, config: &Config) -> Arc<Net> {
        let words = (0..config.shared_words(size)).map(|_| AtomicU64::new(0)).collect();
        let queues = (0..size * usize::from(QUEUES)).map(|_| Mutex::default()).collect();
        Arc::new(Net { size, words, queues })
    }

    fn queue(&self, rank: Rank, cq: Cq) -> MutexGuard<'_, VecDeque<(Rank, Frame)>> {
        let queue = &self.queues[rank * usize::from(QUEUES) + usize::from(cq.0)];
        queue.lock().expect("nobody panics with it")
    }

    pub fn put(&self, from: Rank, to: Rank, cq: Cq, frame: Frame) {
        self.queue(to, cq).push_back((from, frame));
    }

    /// Takes away what was sent to a rank that nobody plays.
    pub fn discard(&self, rank: Rank, cq: Cq) {
        self.queue(rank, cq).clear();
    }

    pub fn load(&self, word: usize) -> u64 {
        self.words[word].load(Ordering::Acquire)
    }

    pub fn store(&self, word: usize, value: u64) {
        self.words[word].store(value, Ordering::SeqCst);
    }
}

/// One rank's interface.
pub struct Flat {
    net: Arc<Net>,
    attributes: NicAttributes,
}

impl Flat {
    pub fn new(rank: Rank, net: &Arc<Net>) -> Flat {
        let attributes = NicAttributes {
            provider: "flat",
            rank,
            size: net.size,
            max_ranks: net.size,
            max_message_bytes: FRAME_BYTES,
            max_descriptors_per_vi: u32::MAX,
            completion_queues: QUEUES,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: FRAME_BYTES,
            causal: true,
        };
        Flat { net: Arc::clone(net), attributes }
    }
}

impl Nic for Flat {
    type Frame = Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = Flat;
    type Multicast = runahead::internals::verbs::Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        Ok(Reliability::ReliableReception)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        self.net.put(self.rank(), vi.peer, vi.cq, Frame::new(header, payload));
        Ok(())
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        let found = self.net.queue(self.rank(), cq).pop_front();
        Ok(found.map(|(peer, frame)| Completion { peer, frame }))
    }

    fn bytes<'f>(&self, frame: &'f Frame) -> &'f [u8] {
        &frame.bytes[..frame.len as usize]
    }

    fn post_recv(&mut self, _: Vi, _: Frame) {}

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
        panic!("rank {} waits for what does not come", self.rank());
    }

    fn peer_state(&self, _: Rank) -> PeerState {
        PeerState::Connected
    }

    #[inline(always)]
    fn shared_words(&self) -> Option<&Flat> {
        Some(self)
    }
}

impl SharedWords for Flat {
    fn count(&self) -> usize {
        self.net.words.len()
    }

    fn load(&self, word: usize) -> u64 {
        self.net.load(word)
    }

    fn store(&self, word: usize, value: u64) {
        self.net.store(word, value);
    }
}
