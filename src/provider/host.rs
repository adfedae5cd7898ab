//! The network of a job where there are two to choose from: shared memory on one host, or RDMA. What programs are
//! compiled for with the feature `ib`.
//!
//! Which of them it is, is asked again at each call: a branch that never changes, and no call through a pointer.
//! It decides nothing, and joins nothing: a job has the one or the other.

use std::fmt;
use std::time::Duration;

use super::ib::{self, IbNic};
use super::shm::{self, ShmNic};
use crate::order::Rank;
use crate::verbs::{
    Completion, Cq, Fetched, Nic, NicAttributes, PeerState, PostError, QuietPuts, RegionKey,
    Reliability, VerbsError, Vi, ViSpec, WakeOn,
};

/// A rank's interface to the network of its job.
pub struct HostNic(Kind);

enum Kind {
    /// Shared memory, and what is shown of it to who asks whether a sleep may begin.
    Shm(ShmNic, Box<HostNic>),
    /// RDMA.
    Ib(IbNic),
    /// The shared words of an interface alone. Nothing else can be done with it, and nobody has it but for a look.
    Words(Words),
}

struct Words {
    attributes: NicAttributes,
    rank: Rank,
    size: usize,
    words: shm::SharedWords,
}

/// A filled receive descriptor.
#[derive(Debug)]
pub struct HostFrame(Frame);

#[derive(Debug)]
enum Frame {
    Shm(shm::Frame),
    Ib(ib::Frame),
}

impl From<ShmNic> for HostNic {
    fn from(nic: ShmNic) -> HostNic {
        let words = Words {
            attributes: *nic.attributes(),
            rank: nic.rank(),
            size: nic.size(),
            words: nic.words_to_share(),
        };
        HostNic(Kind::Shm(nic, Box::new(HostNic(Kind::Words(words)))))
    }
}

impl From<IbNic> for HostNic {
    fn from(nic: IbNic) -> HostNic {
        HostNic(Kind::Ib(nic))
    }
}

/// Calls a method of whichever it is.
macro_rules! either {
    ($self:expr, $nic:ident => $call:expr, $words:ident => $none:expr) => {
        match $self {
            Kind::Shm($nic, _) => $call,
            Kind::Ib($nic) => $call,
            Kind::Words($words) => $none,
        }
    };
}

impl Nic for HostNic {
    type Frame = HostFrame;

    #[inline]
    fn attributes(&self) -> &NicAttributes {
        either!(&self.0, nic => nic.attributes(), words => &words.attributes)
    }

    #[inline]
    fn rank(&self) -> Rank {
        either!(&self.0, nic => nic.rank(), words => words.rank)
    }

    #[inline]
    fn size(&self) -> usize {
        either!(&self.0, nic => nic.size(), words => words.size)
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        let closed = VerbsError::NoSuchQueue { cq: vi.cq, limit: 0 };
        either!(&mut self.0, nic => nic.open_vi(vi, spec), _words => Err(closed))
    }

    #[inline(always)]
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        either!(
            &mut self.0,
            nic => nic.post_send(vi, header, payload),
            _words => Err(PostError::NotOpen(vi))
        )
    }

    #[inline(always)]
    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<HostFrame>>, VerbsError> {
        Ok(match &mut self.0 {
            Kind::Shm(nic, _) => nic.poll_recv(cq)?.map(|Completion { peer, frame }| Completion {
                peer,
                frame: HostFrame(Frame::Shm(frame)),
            }),
            Kind::Ib(nic) => nic.poll_recv(cq)?.map(|Completion { peer, frame }| Completion {
                peer,
                frame: HostFrame(Frame::Ib(frame)),
            }),
            Kind::Words(_) => None,
        })
    }

    #[inline(always)]
    fn is_quiet(&mut self, cq: Cq) -> bool {
        either!(&mut self.0, nic => nic.is_quiet(cq), _words => false)
    }

    #[inline(always)]
    fn is_quiet_from(&mut self, vi: Vi) -> bool {
        either!(&mut self.0, nic => nic.is_quiet_from(vi), _words => false)
    }

    #[inline(always)]
    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        either!(&mut self.0, nic => nic.peek_recv(vi), _words => None)
    }

    #[inline(always)]
    fn take_peeked(&mut self, vi: Vi) {
        either!(&mut self.0, nic => nic.take_peeked(vi), _words => {});
    }

    #[inline]
    fn bytes<'f>(&self, frame: &'f HostFrame) -> &'f [u8] {
        match (&self.0, &frame.0) {
            (Kind::Shm(nic, _), Frame::Shm(frame)) => nic.bytes(frame),
            (Kind::Ib(nic), Frame::Ib(frame)) => nic.bytes(frame),
            // A frame of another interface.
            _ => &[],
        }
    }

    #[inline]
    fn post_recv(&mut self, vi: Vi, frame: HostFrame) {
        match (&mut self.0, frame.0) {
            (Kind::Shm(nic, _), Frame::Shm(frame)) => nic.post_recv(vi, frame),
            (Kind::Ib(nic), Frame::Ib(frame)) => nic.post_recv(vi, frame),
            // As above.
            _ => {}
        }
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        let (provider, limit) = (self.attributes().provider, 0);
        let none = VerbsError::AboveLimit { provider, what: "region", asked: words, limit };
        either!(&mut self.0, nic => nic.register(words), _words => Err(none))
    }

    fn put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
    ) -> Result<(), VerbsError> {
        let none = VerbsError::NoSuchWord { peer, key, word };
        either!(&mut self.0, nic => nic.put(peer, key, word, value), _words => Err(none))
    }

    fn read(&self, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        let none = VerbsError::NoSuchWord { peer: self.rank(), key, word };
        either!(&self.0, nic => nic.read(key, word), _words => Err(none))
    }

    #[inline]
    fn quiet_puts(&self) -> QuietPuts {
        either!(&self.0, nic => nic.quiet_puts(), _words => QuietPuts::None)
    }

    #[inline]
    fn post_put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
        aloud: bool,
    ) -> Result<bool, VerbsError> {
        let none = VerbsError::NoSuchWord { peer, key, word };
        either!(
            &mut self.0,
            nic => nic.post_put(peer, key, word, value, aloud),
            _words => Err(none)
        )
    }

    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        let none = VerbsError::NoSuchWord { peer, key, word };
        either!(&mut self.0, nic => nic.fetch(peer, key, word), _words => Err(none))
    }

    fn wait(&mut self, timeout: Option<Duration>) {
        either!(&mut self.0, nic => nic.wait(timeout), _words => {});
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&Self) -> bool,
        timeout: Option<Duration>,
    ) {
        if !matches!(self.0, Kind::Shm(..)) && ready(self) {
            return;
        }
        match &mut self.0 {
            // While it goes to sleep it is not there to be asked; its words are.
            Kind::Shm(nic, words) => nic.wait_unless(wake_on, |_| ready(words), timeout),
            // It shares no words, so what it was asked for does not change while it goes to sleep.
            Kind::Ib(nic) => nic.wait_unless(wake_on, |_| false, timeout),
            Kind::Words(_) => {}
        }
    }

    #[inline]
    fn shared_words(&self) -> usize {
        either!(&self.0, nic => nic.shared_words(), words => words.words.len())
    }

    #[inline(always)]
    fn load_shared(&self, word: usize) -> u64 {
        either!(&self.0, nic => nic.load_shared(word), words => words.words.load(word))
    }

    #[inline(always)]
    fn store_shared(&self, word: usize, value: u64) {
        either!(&self.0, nic => nic.store_shared(word, value), _words => {});
    }

    #[inline]
    fn publish_shared(&self, word: usize, value: u64) -> bool {
        either!(&self.0, nic => nic.publish_shared(word, value), _words => true)
    }

    #[inline]
    fn ring(&self, peer: Rank) {
        either!(&self.0, nic => nic.ring(peer), _words => {});
    }

    #[inline]
    fn ring_many(&self, peers: impl Iterator<Item = Rank>) {
        either!(&self.0, nic => nic.ring_many(peers), _words => drop(peers));
    }

    #[inline]
    fn peer_state(&self, peer: Rank) -> PeerState {
        either!(&self.0, nic => nic.peer_state(peer), _words => PeerState::Gone)
    }

    fn why_gone(&self, peer: Rank) -> Option<String> {
        either!(&self.0, nic => nic.why_gone(peer), _words => None)
    }
}

impl fmt::Debug for HostNic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        either!(&self.0, nic => nic.fmt(f), words => write!(f, "words of rank {}", words.rank))
    }
}
