//! The verbs of one rank, over a network that loses.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use super::connection::{Moment, Timeouts};
use super::end::ReliableEnd;
use super::spec;
use super::wire::Header;
use crate::order::Rank;
use crate::provider::limits::within;
use crate::provider::{FabricSpec, QueueSpec};
use crate::sys::time::Instant;
use crate::verbs::{
    Absent, Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, VerbsError, Vi,
    ViSpec, WakeOn,
};

const PROVIDER: &str = "reliable";

/// A [`Nic`] whose VIs are reliable, over one whose VIs need not be.
pub struct Reliable<N: Nic> {
    pub(super) inner: N,
    pub(super) attributes: NicAttributes,
    pub(super) timeouts: Timeouts,
    first: u64,
    /// As they are seen above, and the side queue behind them.
    pub(super) queues: Vec<QueueSpec>,
    start: Instant,
    /// One for each completion queue and peer; a queue's in a row.
    pub(super) ends: Vec<Option<ReliableEnd<N::Frame>>>,
    /// For each completion queue, from whom a message can be delivered: once for each, in the order
    /// of arrival. There is room for all that peers may have sent.
    pub(super) ready: Vec<VecDeque<Rank>>,
    /// What has come on VIs that are not open yet.
    pub(super) early: Vec<(Vi, N::Frame)>,
    /// Ends with something new to be sent, perhaps: each once, so there is always room.
    pub(super) touched: Vec<usize>,
    pub(super) peers: Vec<Peer>,
    pub(super) faults: VecDeque<VerbsError>,
    /// Room or departures since the last wait.
    pub(super) has_news: bool,
    pub(super) serviced_at: Moment,
}

/// What is known of a peer.
#[derive(Debug, Default)]
pub(super) struct Peer {
    /// It has said farewell, has gone, answers nothing, or has sent something impossible.
    pub(super) is_gone: bool,
    pub(super) heard_at: Moment,
}

/// A filled receive descriptor of the network beneath.
#[derive(Debug)]
pub struct ReliableFrame<F>(pub(super) F);

/// How many messages of all peers lie on one queue at most.
fn most(queue: &QueueSpec, size: usize) -> usize {
    (queue.recv_descriptors.max(1) as usize).saturating_mul(size.saturating_sub(1))
}

impl<N: Nic> Reliable<N> {
    /// Wraps `inner`, of which no VI is open yet, and whose layout is that of
    /// [`beneath`](super::beneath)`(spec)`.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if `inner` is laid out otherwise.
    pub fn new(inner: N, spec: &FabricSpec, timeouts: Timeouts) -> Result<Self, VerbsError> {
        Self::numbered_from(inner, spec, timeouts, 0)
    }

    /// The same, with messages that are numbered from `first` on at all ranks: to test what happens
    /// when the bits of a number that go over the wire wrap around.
    ///
    /// # Errors
    ///
    /// As by [`new`](Self::new).
    pub fn numbered_from(
        inner: N,
        spec: &FabricSpec,
        timeouts: Timeouts,
        first: u64,
    ) -> Result<Self, VerbsError> {
        let queues = spec::with_side_queue(spec);
        let (size, beneath) = (inner.size(), *inner.attributes());
        if usize::from(beneath.completion_queues) != queues.len() {
            return Err(VerbsError::OtherLayout);
        }
        let above = || spec.queues.iter();
        let attributes = NicAttributes {
            provider: PROVIDER,
            max_message_bytes: above().map(|queue| queue.descriptor_bytes).max().unwrap_or(0),
            max_descriptors_per_vi: above().map(|queue| queue.recv_descriptors).max().unwrap_or(0),
            completion_queues: beneath.completion_queues - 1,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: beneath.inline_bytes.saturating_sub(Header::BYTES),
            causal: false,
            ..beneath
        };
        let mut nic = Self {
            attributes,
            timeouts,
            first,
            start: Instant::now(),
            ends: std::iter::repeat_with(|| None).take(queues.len() * size).collect(),
            ready: above().map(|queue| VecDeque::with_capacity(most(queue, size))).collect(),
            early: Vec::new(),
            touched: Vec::with_capacity(queues.len() * size),
            peers: std::iter::repeat_with(Peer::default).take(size).collect(),
            faults: VecDeque::new(),
            has_news: false,
            serviced_at: Moment::ZERO,
            queues,
            inner,
        };
        nic.open_side_queue()?;
        Ok(nic)
    }

    /// Takes in all frames, and sends, acknowledges and repeats those that are due, without
    /// waiting: for a rank that does nothing else for long.
    pub fn progress(&mut self) {
        self.service_noting_faults();
    }

    /// The network beneath.
    pub fn inner(&self) -> &N {
        &self.inner
    }

    /// The side queue: for farewells, and for what asks whether a peer is there.
    pub(super) fn side_queue(&self) -> Cq {
        Cq(self.attributes.completion_queues)
    }

    pub(super) fn now(&self) -> Moment {
        Instant::now().saturating_since(self.start)
    }

    /// Where the end of `vi` is kept, if there may be one.
    pub(super) fn index(&self, vi: Vi) -> Option<usize> {
        let (size, cq) = (self.peers.len(), usize::from(vi.cq.0));
        (vi.peer < size && cq < self.queues.len()).then(|| cq * size + vi.peer)
    }

    fn open_side_queue(&mut self) -> Result<(), VerbsError> {
        let cq = self.side_queue();
        let queue = self.queues[usize::from(cq.0)];
        let rank = self.inner.rank();
        for peer in (0..self.peers.len()).filter(|&peer| peer != rank) {
            self.open(Vi { peer, cq }, &queue)?;
        }
        Ok(())
    }

    fn open(&mut self, vi: Vi, queue: &QueueSpec) -> Result<(), VerbsError> {
        let beneath = spec::queue_beneath(queue);
        let spec = ViSpec {
            recv_descriptors: beneath.recv_descriptors,
            descriptor_bytes: beneath.descriptor_bytes,
            reliability: Reliability::Unreliable,
        };
        self.inner.open_vi(vi, &spec)?;
        if let Some(index) = self.index(vi) {
            // Nothing else goes on the side queue with which an acknowledgement could travel.
            let is_side = vi.cq == self.side_queue();
            let ack_delay = if is_side { Duration::ZERO } else { self.timeouts.ack_delay };
            let timeouts = Timeouts { ack_delay, ..self.timeouts };
            self.ends[index] = Some(ReliableEnd::new(queue, self.first, timeouts));
        }
        let (here, early) = std::mem::take(&mut self.early).into_iter().partition(|it| it.0 == vi);
        self.early = early;
        let here: Vec<_> = here;
        for (vi, frame) in here {
            self.handle_arrival(vi, frame);
        }
        Ok(())
    }

    fn is_gone(&self, peer: Rank) -> bool {
        self.peers[peer].is_gone || self.inner.peer_state(peer) == PeerState::Gone
    }
}

impl<N: Nic> Nic for Reliable<N> {
    type Frame = ReliableFrame<N::Frame>;
    type RemoteRead = Absent;
    type RemoteWords = Absent;
    type SharedWords = Absent;
    type Multicast = Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        let limit = self.attributes.completion_queues;
        if vi.cq.0 >= limit {
            return Err(VerbsError::NoSuchQueue { cq: vi.cq, limit });
        }
        let queue = self.queues[usize::from(vi.cq.0)];
        let within = within(PROVIDER);
        let (asked, limit) = (spec.recv_descriptors as usize, queue.recv_descriptors as usize);
        within("number of descriptors per VI", asked, limit)?;
        within("message length", spec.descriptor_bytes, queue.descriptor_bytes)?;
        let queue = QueueSpec {
            recv_descriptors: spec.recv_descriptors,
            descriptor_bytes: spec.descriptor_bytes,
        };
        self.open(vi, &queue)?;
        Ok(Reliability::ReliableDelivery)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let is_above = vi.cq.0 < self.attributes.completion_queues;
        let index = self.index(vi).filter(|_| is_above).ok_or(PostError::NotOpen(vi))?;
        let end = self.ends[index].as_ref().ok_or(PostError::NotOpen(vi))?;
        let (len, limit) = (header.len().saturating_add(payload.len()), end.limit);
        if len > limit {
            return Err(PostError::TooLong { vi, len, limit });
        }
        if self.is_gone(vi.peer) {
            return Err(PostError::PeerGone(vi));
        }
        if !end.connection.can_post() {
            // What opens the window may have come. If the network has failed, the next poll says
            // so.
            if let Err(error) = self.take_in(vi.cq) {
                self.faults.push_back(error);
            }
            // Or its last word: what is posted after that would be owed for ever.
            if self.is_gone(vi.peer) {
                return Err(PostError::PeerGone(vi));
            }
        }
        let now = self.now();
        let end = self.ends[index].as_mut().ok_or(PostError::NotOpen(vi))?;
        if !end.connection.can_post() {
            end.connection.handle_refused(now);
            return Err(PostError::QueueFull(vi));
        }
        end.post(now, header, payload);
        self.transmit(index, now);
        Ok(())
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        let limit = self.attributes.completion_queues;
        if cq.0 >= limit {
            return Err(VerbsError::NoSuchQueue { cq, limit });
        }
        self.take_in(cq)?;
        self.service_when_due()?;
        if let Some(fault) = self.faults.pop_front() {
            return Err(fault);
        }
        let Some(peer) = self.ready[usize::from(cq.0)].pop_front() else { return Ok(None) };
        let end = self.index(Vi { peer, cq }).and_then(|index| self.ends[index].as_mut());
        let frame = end.and_then(ReliableEnd::poll_deliver);
        Ok(frame.map(|frame| Completion { peer, frame: ReliableFrame(frame) }))
    }

    fn bytes<'f>(&self, frame: &'f Self::Frame) -> &'f [u8] {
        // It was checked when it came.
        &self.inner.bytes(&frame.0)[Header::BYTES..]
    }

    fn post_recv(&mut self, vi: Vi, frame: Self::Frame) {
        self.inner.post_recv(vi, frame.0);
        let now = self.now();
        if let Some(index) = self.index(vi)
            && let Some(end) = &mut self.ends[index]
        {
            end.connection.handle_repost(now);
            self.transmit(index, now);
        }
    }

    /// There are no shared words of which to ask, and what wakes it is for this layer to read
    /// first.
    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        self.service_noting_faults();
        if !self.is_news_here() {
            let now = self.now();
            self.doubt_the_silent(now);
            self.rest(now, timeout);
            self.service_noting_faults();
        }
        self.has_news = false;
    }

    fn wake(&self, peer: Rank) {
        self.inner.wake(peer);
    }

    fn sleeping(&self) -> usize {
        self.inner.sleeping()
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        if peer >= self.size() || self.is_gone(peer) {
            PeerState::Gone
        } else {
            PeerState::Connected
        }
    }

    fn why_gone(&self, peer: Rank) -> Option<String> {
        self.inner.why_gone(peer)
    }
}

impl<N: Nic> Drop for Reliable<N> {
    fn drop(&mut self) {
        self.leave();
    }
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for Reliable<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, size) = (self.rank(), self.size());
        write!(f, "rank {rank} of {size}, reliably on {}", self.inner.attributes().provider)
    }
}
