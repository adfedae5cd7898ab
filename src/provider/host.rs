//! The network of a job where there are several to choose from: shared memory on one host, RDMA, RDMA with what is lost
//! repeated, or shared memory and RDMA, joined. What programs are compiled for with the feature `ib`.
//!
//! Which of them it is, is asked again at each call: a branch that never changes, and no call through a pointer.
//! It decides nothing, and joins nothing (`joined` does).

use std::fmt;
use std::time::Duration;

use super::ib::{self, Caster, IbNic};
use super::joined::{self, Joined};
use super::reliable::{Reliable, ReliableFrame};
use super::shm::{self, ShmNic};
use crate::order::Rank;
use crate::verbs::{
    Completion, Cq, Fetched, Nic, NicAttributes, NoMulticast, PeerState, PostError, PutMode,
    QuietPuts, RegionKey, Reliability, VerbsError, Vi, ViSpec, WakeOn, Written,
};

/// A rank's interface to the network of its job.
pub struct HostNic(Kind);

enum Kind {
    /// Shared memory.
    Shm(ShmNic),
    /// RDMA.
    Ib(IbNic),
    /// RDMA by an unreliable transport.
    Repaired(Box<Reliable<IbNic>>),
    /// Shared memory between the ranks of a host, RDMA between hosts. Apart, as it is larger than the others.
    Joined(Box<Joined<ShmNic, IbNic>>),
}

/// A filled receive descriptor.
#[derive(Debug)]
pub struct HostFrame(Frame);

#[derive(Debug)]
enum Frame {
    Shm(shm::Frame),
    Ib(ib::Frame),
    Repaired(ReliableFrame<ib::Frame>),
}

impl From<ShmNic> for HostNic {
    fn from(nic: ShmNic) -> HostNic {
        HostNic(Kind::Shm(nic))
    }
}

impl From<IbNic> for HostNic {
    fn from(nic: IbNic) -> HostNic {
        HostNic(Kind::Ib(nic))
    }
}

impl From<Reliable<IbNic>> for HostNic {
    fn from(nic: Reliable<IbNic>) -> HostNic {
        HostNic(Kind::Repaired(Box::new(nic)))
    }
}

impl From<Joined<ShmNic, IbNic>> for HostNic {
    fn from(nic: Joined<ShmNic, IbNic>) -> HostNic {
        HostNic(Kind::Joined(Box::new(nic)))
    }
}

/// Calls a method of whichever it is.
macro_rules! either {
    ($self:expr, $nic:ident => $call:expr) => {
        match $self {
            Kind::Shm($nic) => $call,
            Kind::Ib($nic) => $call,
            Kind::Repaired($nic) => $call,
            Kind::Joined($nic) => $call,
        }
    };
}

impl Nic for HostNic {
    type Frame = HostFrame;
    type RemoteRead = IbNic;
    type Multicast = Caster;

    #[inline]
    fn attributes(&self) -> &NicAttributes {
        either!(&self.0, nic => nic.attributes())
    }

    #[inline]
    fn rank(&self) -> Rank {
        either!(&self.0, nic => nic.rank())
    }

    #[inline]
    fn size(&self) -> usize {
        either!(&self.0, nic => nic.size())
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        either!(&mut self.0, nic => nic.open_vi(vi, spec))
    }

    #[inline(always)]
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        either!(
            &mut self.0,
            nic => nic.post_send(vi, header, payload))
    }

    #[inline(always)]
    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<HostFrame>>, VerbsError> {
        Ok(match &mut self.0 {
            Kind::Shm(nic) => nic.poll_recv(cq)?.map(|Completion { peer, frame }| Completion {
                peer,
                frame: HostFrame(Frame::Shm(frame)),
            }),
            Kind::Ib(nic) => nic.poll_recv(cq)?.map(|Completion { peer, frame }| Completion {
                peer,
                frame: HostFrame(Frame::Ib(frame)),
            }),
            Kind::Repaired(nic) => nic.poll_recv(cq)?.map(|Completion { peer, frame }| {
                Completion { peer, frame: HostFrame(Frame::Repaired(frame)) }
            }),
            Kind::Joined(nic) => nic.poll_recv(cq)?.map(|Completion { peer, frame }| Completion {
                peer,
                frame: HostFrame(match frame {
                    joined::Frame::Near(frame) => Frame::Shm(frame),
                    joined::Frame::Far(frame) => Frame::Ib(frame),
                }),
            }),
        })
    }

    #[inline(always)]
    fn is_empty(&mut self, cq: Cq) -> bool {
        either!(&mut self.0, nic => nic.is_empty(cq))
    }

    #[inline(always)]
    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        either!(&mut self.0, nic => nic.has_nothing_from(vi))
    }

    #[inline(always)]
    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        either!(&mut self.0, nic => nic.peek_recv(vi))
    }

    #[inline(always)]
    fn take_peeked(&mut self, vi: Vi) {
        either!(&mut self.0, nic => nic.take_peeked(vi));
    }

    #[inline]
    fn bytes<'f>(&self, frame: &'f HostFrame) -> &'f [u8] {
        match (&self.0, &frame.0) {
            (Kind::Shm(nic), Frame::Shm(frame)) => nic.bytes(frame),
            (Kind::Ib(nic), Frame::Ib(frame)) => nic.bytes(frame),
            (Kind::Repaired(nic), Frame::Repaired(frame)) => nic.bytes(frame),
            (Kind::Joined(nic), Frame::Shm(frame)) => nic.near().bytes(frame),
            (Kind::Joined(nic), Frame::Ib(frame)) => nic.far().bytes(frame),
            // A frame of another interface.
            _ => &[],
        }
    }

    #[inline]
    fn post_recv(&mut self, vi: Vi, frame: HostFrame) {
        match (&mut self.0, frame.0) {
            (Kind::Shm(nic), Frame::Shm(frame)) => nic.post_recv(vi, frame),
            (Kind::Ib(nic), Frame::Ib(frame)) => nic.post_recv(vi, frame),
            (Kind::Repaired(nic), Frame::Repaired(frame)) => nic.post_recv(vi, frame),
            (Kind::Joined(nic), Frame::Shm(frame)) => nic.near_mut().post_recv(vi, frame),
            (Kind::Joined(nic), Frame::Ib(frame)) => nic.far_mut().post_recv(vi, frame),
            // As above.
            _ => {}
        }
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        either!(&mut self.0, nic => nic.register(words))
    }

    fn put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
    ) -> Result<(), VerbsError> {
        either!(&mut self.0, nic => nic.put(peer, key, word, value))
    }

    fn read(&self, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        either!(&self.0, nic => nic.read(key, word))
    }

    #[inline]
    fn read_of(&self, writer: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        either!(&self.0, nic => nic.read_of(writer, key, word))
    }

    #[inline]
    fn quiet_puts(&self) -> QuietPuts {
        either!(&self.0, nic => nic.quiet_puts())
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
        either!(
            &mut self.0,
            nic => nic.post_put(peer, key, word, value, mode))
    }

    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        either!(&mut self.0, nic => nic.fetch(peer, key, word))
    }

    /// Of shared memory, and of what is repaired, nothing is read so.
    #[inline]
    fn remote_read(&mut self) -> Option<&mut IbNic> {
        match &mut self.0 {
            Kind::Shm(_) | Kind::Repaired(_) => None,
            Kind::Ib(nic) => nic.remote_read(),
            Kind::Joined(nic) => nic.remote_read(),
        }
    }

    #[inline]
    fn multicast(&mut self) -> Result<&mut Caster, NoMulticast> {
        match &mut self.0 {
            Kind::Ib(nic) => nic.multicast(),
            Kind::Shm(_) | Kind::Repaired(_) | Kind::Joined(_) => Err(NoMulticast::NotOffered),
        }
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        either!(&mut self.0, nic => nic.wait_unless(wake_on, ready, timeout));
    }

    #[inline]
    fn shared_words(&self) -> usize {
        either!(&self.0, nic => nic.shared_words())
    }

    fn shares_words_with(&self, peer: Rank) -> bool {
        either!(&self.0, nic => nic.shares_words_with(peer))
    }

    fn host_of(&self, peer: Rank) -> usize {
        either!(&self.0, nic => nic.host_of(peer))
    }

    #[inline]
    fn write_shared_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        either!(&self.0, nic => nic.write_shared_at(peer, word, value))
    }

    fn written_at(&self, peer: Rank) -> Written {
        either!(&self.0, nic => nic.written_at(peer))
    }

    #[inline(always)]
    fn load_shared(&self, word: usize) -> u64 {
        either!(&self.0, nic => nic.load_shared(word))
    }

    #[inline(always)]
    fn store_shared(&self, word: usize, value: u64) {
        either!(&self.0, nic => nic.store_shared(word, value));
    }

    #[inline]
    fn publish_shared(&self, word: usize, value: u64) -> bool {
        either!(&self.0, nic => nic.publish_shared(word, value))
    }

    #[inline]
    fn wake(&self, peer: Rank) {
        either!(&self.0, nic => nic.wake(peer));
    }

    #[inline]
    fn wake_many(&self, peers: impl Iterator<Item = Rank>) {
        either!(&self.0, nic => nic.wake_many(peers));
    }

    #[inline]
    fn peer_state(&self, peer: Rank) -> PeerState {
        either!(&self.0, nic => nic.peer_state(peer))
    }

    fn why_gone(&self, peer: Rank) -> Option<String> {
        either!(&self.0, nic => nic.why_gone(peer))
    }
}

impl fmt::Debug for HostNic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        either!(&self.0, nic => nic.fmt(f))
    }
}
