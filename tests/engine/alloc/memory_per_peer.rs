//! What a rank keeps for each peer, in bytes, counted in a job of 1,024: in the order core and the
//! message layer, and in the memory that ranks of a host share.
//!
//! These numbers stand in docs/PERFORMANCE.md. A test that fails here tells of one that has changed:
//! if it has grown, somebody has to want that.

#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::counting::live_bytes;
use runahead::internals::message::{
    Context, EAGER, Engine, Envelope, Header, Kind, MessageError, Pattern, QUEUES, Tag,
};
use runahead::internals::order::GroupId;
use runahead::internals::provider::shm::{self, Frame};
use runahead::internals::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, SharedWords, VerbsError,
    Vi, ViSpec, WakeOn,
};
use runahead::zerocopy::IntoBytes;
use runahead::{Config, Launch, Rank, Source};

const PEERS: usize = 1024;
const TAG: u32 = 1;

/// For a peer that nothing was sent to or received from; the eighth is a bit.
const IDLE: f64 = 800.125;
/// What is added for one that got a message and has sent one, which was held. 480 of these bytes are room
/// for messages of this peer that are held; the rest is for as many messages as ever waited at a time,
/// whoever sent them, and here one of each did.
const USED: f64 = 652.0;

/// As large as a frame of shared memory, so that what keeps frames is as large, too.
struct Stored([u64; size_of::<Frame>() / 8]);

/// What comes to the rank.
#[derive(Default)]
struct Inbox {
    frames: Mutex<VecDeque<(Rank, Stored)>>,
    /// What all others have entered.
    entered: AtomicU64,
}

/// The interface of rank 0; the others do what the test says.
struct Alone {
    inbox: Arc<Inbox>,
    attributes: NicAttributes,
    size: usize,
    words: Vec<AtomicU64>,
}

impl Alone {
    fn new(size: usize, config: &Config) -> Alone {
        let attributes = NicAttributes {
            provider: "alone",
            rank: 0,
            size,
            max_ranks: size,
            max_message_bytes: usize::MAX,
            max_descriptors_per_vi: u32::MAX,
            completion_queues: QUEUES,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: 0,
            causal: true,
        };
        let words = (0..config.shared_words(size)).map(|_| AtomicU64::new(0)).collect();
        let inbox = Inbox { frames: Mutex::new(VecDeque::with_capacity(size)), ..Inbox::default() };
        Alone { inbox: Arc::new(inbox), attributes, size, words }
    }
}

impl Nic for Alone {
    type Frame = Stored;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = Alone;
    type Multicast = runahead::internals::verbs::Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        Ok(Reliability::ReliableReception)
    }

    fn post_send(&mut self, _: Vi, _: &[u8], _: &[u8]) -> Result<(), PostError> {
        Ok(())
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Stored>>, VerbsError> {
        let next = || self.inbox.frames.lock().expect("nobody panics with it").pop_front();
        let found = if cq == EAGER { next() } else { None };
        Ok(found.map(|(peer, frame)| Completion { peer, frame }))
    }

    fn bytes<'f>(&self, frame: &'f Stored) -> &'f [u8] {
        &frame.0.as_bytes()[..Header::BYTES]
    }

    fn post_recv(&mut self, _: Vi, _: Stored) {}

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
        panic!("rank 0 waits for what does not come");
    }

    fn peer_state(&self, _: Rank) -> PeerState {
        PeerState::Connected
    }

    fn shared_words(&self) -> Option<&Alone> {
        Some(self)
    }
}

impl SharedWords for Alone {
    fn count(&self) -> usize {
        self.words.len()
    }

    /// What the rank itself has stored; in the places of others, what they would have: the epochs of the
    /// world come first, and then, behind those of all places, its tags.
    fn load(&self, word: usize) -> u64 {
        let tags = Config::BOARD_SLOTS * self.size.next_multiple_of(16);
        match self.words[word].load(Ordering::Relaxed) {
            0 if word < self.size => self.inbox.entered.load(Ordering::Relaxed),
            0 if (tags..tags + self.size).contains(&word) => {
                self.words[tags].load(Ordering::Relaxed)
            }
            own => own,
        }
    }

    fn store(&self, word: usize, value: u64) {
        self.words[word].store(value, Ordering::Relaxed);
    }
}

/// A message without payload, posted after the first barrier.
fn early_message() -> Stored {
    let (kind, context) = (Kind::Eager, Context::WORLD);
    let header = Header { kind, element: 0, context, tag: TAG, stamp: 1, len: 0, transfer: 0 };
    let mut words = [0; size_of::<Frame>() / 8];
    for (word, bytes) in words.iter_mut().zip(header.encode().chunks_exact(8)) {
        *word = u64::from_ne_bytes(bytes.try_into().expect("eight of them"));
    }
    Stored(words)
}

/// What a rank keeps in a job of `size`: at first, and after it has exchanged messages with every other.
fn kept(size: usize) -> [i64; 2] {
    let config = Config::new(PEERS);
    let nic = Alone::new(size, &config);
    let inbox = Arc::clone(&nic.inbox);
    let before = live_bytes();
    let mut engine = Engine::new(nic, config).expect("the sizes are right");
    let idle = live_bytes() - before;

    for peer in 1..size {
        let envelope = Envelope { context: Context::WORLD, tag: TAG, element: 0 };
        engine.send(peer, envelope, &[]).expect("it hears");
        inbox.frames.lock().expect("nobody panics with it").push_back((peer, early_message()));
    }
    // All come ahead of the barrier, are held, released, and received one by one.
    engine.progress().expect("nobody fails");
    assert_eq!(engine.stats().messages_held, size as u64 - 1);
    inbox.entered.store(1, Ordering::Relaxed);
    engine.barrier(GroupId::WORLD).expect("the others have entered");
    for peer in 1..size {
        let pattern = Pattern { source: Source::Rank(peer), tag: Tag::Exactly(TAG) };
        let taken =
            engine.try_recv(Context::WORLD, pattern, |_| Ok::<_, MessageError>(()), |_, _| ());
        assert_eq!(taken, Ok(Some(())));
    }
    [idle, live_bytes() - before]
}

#[test]
fn a_peer_costs_what_is_stated() {
    // What does not grow with the peers drops out.
    let (half, whole) = (kept(PEERS / 2), kept(PEERS));
    let each = |of: usize| (whole[of] - half[of]) as f64 / (PEERS / 2) as f64;
    let (idle, used) = (each(0), each(1) - each(0));
    assert_eq!(idle, IDLE, "bytes for an idle peer");
    assert_eq!(used, USED, "bytes more for one that was used");
}

/// Address space: a page of it is memory once it is written to.
#[test]
fn a_pair_shares_what_is_stated() {
    const MIB: usize = 1 << 20;
    for (size, bytes, heap_bytes) in [
        (2, 21639168, 64 * MIB),
        (8, 137793536, 64 * MIB),
        (64, 585895936, 16 * MIB),
        (256, 1980862464, 4 * MIB),
    ] {
        let fabric = Launch::new(size).fabric().expect("the sizes are right");
        assert_eq!(fabric.heap_bytes, heap_bytes, "bytes of each heap of {size} ranks");
        let with_heaps = shm::bytes_needed(size, &fabric);
        assert_eq!(with_heaps - size * heap_bytes, bytes, "bytes for {size} ranks");
    }
}
