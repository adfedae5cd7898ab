//! Middleware for tests that wraps any [`Nic`] and makes faults by a seeded plan. On lossy queues
//! it drops, repeats and reorders messages. On all queues it can delay them: messages on different
//! VIs then overtake one another, while each reliable VI stays in order.
//!
//! All faults are made at the receiver. A dropped message returns its descriptor at once, a delayed
//! one keeps it, and the copy of a repeated one takes none. The sender's descriptor accounting is
//! thus the wrapped provider's own. It copies, allocates, and searches the delayed messages.
//!
//! - A remote read completes as late as the most delayed message.
//! - Shared words are the wrapped provider's, if the test asks for them: they have no faults.
//! - Words written into the memory of other hosts ([`Far`]) are delayed at their sender, and lost
//!   if their receiver leaves.
//! - `wait_unless` does not sleep while anything is delayed.
//! - Messages of a peer that has gone are delivered at once.
//! - A message that is still delayed when the `Fault` is dropped is lost, as one not polled is.

mod exposed;
mod plan;

use std::cell::RefCell;
use std::fmt;
use std::time::Duration;

pub use plan::{FaultCounts, FaultPlan};

use self::exposed::Exposed;
use self::plan::{Fates, MISS_EVERY};
use crate::order::Rank;
use crate::provider::buffer::{Buffer, gather};
use crate::provider::host::Far;
use crate::verbs::{
    Absent, Completion, Cq, LentEnd, Nic, NicAttributes, OfferOf, PeerState, PostError,
    ReadCompletion, ReadPayload, Reliability, RemoteBuffer, RemoteRead, Revoke, RoomOf, VerbsError,
    Vi, ViSpec, WakeOn, Written,
};

/// A [`Nic`] on which a [`FaultPlan`] is carried out.
pub struct Fault<N: Nic> {
    inner: N,
    plan: FaultPlan,
    attributes: NicAttributes,
    /// One for each completion queue.
    queues: Vec<Queue<N::Frame, ReadPayload<N>>>,
    /// Polls and waits so far: the current time, in ticks.
    now: u64,
    counts: FaultCounts,
    shares_words: bool,
    /// In a cell, since the verb that writes words takes `&self`.
    exposed: RefCell<Exposed<N>>,
}

/// A filled descriptor of the wrapped provider, or the copy of its bytes.
#[derive(Debug)]
pub struct FaultFrame<F>(Held<F>);

#[derive(Debug)]
enum Held<F> {
    Descriptor(F),
    Copy { buffer: Buffer, len: usize },
}

/// The arrivals on one completion queue.
struct Queue<F, P> {
    lossy: bool,
    /// The fates of the messages from each peer; made when the VI is opened.
    fates: Vec<Option<Fates>>,
    /// When the latest arrival from each peer is due, in ticks.
    latest: Vec<u64>,
    /// Arrivals so far.
    arrived: u64,
    kept: Vec<Kept<F>>,
    /// Completed remote reads, and when each may be polled, in ticks.
    reads: Vec<(u64, ReadCompletion<P>)>,
}

/// An arrived message that is due at some tick.
struct Kept<F> {
    /// When it may be polled, in ticks.
    due: u64,
    /// Its index among the arrivals, from 0: messages due together go in this order.
    arrival: u64,
    peer: Rank,
    frame: FaultFrame<F>,
}

impl<F, P> Queue<F, P> {
    fn keep(&mut self, peer: Rank, due: u64, frame: FaultFrame<F>) {
        let due = if self.lossy { due } else { due.max(self.latest[peer]) };
        self.latest[peer] = due;
        self.kept.push(Kept { due, arrival: self.arrived, peer, frame });
        self.arrived += 1;
    }
}

impl<N: Nic> Fault<N> {
    /// Wraps `inner`, which has no open VI yet.
    pub fn new(inner: N, plan: FaultPlan) -> Self {
        let mut attributes = *inner.attributes();
        attributes.causal &= plan.max_delay_ticks == 0;
        let queues = (0..attributes.completion_queues).map(|cq| Queue {
            lossy: plan.is_lossy(Cq(cq)),
            fates: std::iter::repeat_with(|| None).take(inner.size()).collect(),
            latest: vec![0; inner.size()],
            arrived: 0,
            kept: Vec::new(),
            reads: Vec::new(),
        });
        let queues = queues.collect();
        let exposed = Exposed::new(plan.seed, plan.max_delay_ticks, inner.size());
        Self {
            exposed: RefCell::new(exposed),
            inner,
            plan,
            attributes,
            queues,
            now: 0,
            counts: FaultCounts::default(),
            shares_words: false,
        }
    }

    /// Offers the shared words of the wrapped provider. Without this call there are none.
    pub fn with_shared_words(mut self) -> Self {
        self.shares_words = true;
        self
    }

    /// The faults made so far.
    pub fn counts(&self) -> FaultCounts {
        self.counts
    }

    /// Polls all that has arrived on `cq` and draws the fate of each message.
    fn take_in(&mut self, cq: Cq) -> Result<(), VerbsError> {
        while let Some(Completion { peer, frame }) = self.inner.poll_recv(cq)? {
            let queue = &mut self.queues[usize::from(cq.0)];
            let fates = queue.fates.get_mut(peer).and_then(Option::as_mut);
            let [first, second] = fates.map_or([Some(0), None], |fates| fates.next().delays);
            // Copied now: the descriptor may be polled, and reposted, before the copy is due.
            let copy = second.map(|ticks| {
                let bytes = self.inner.bytes(&frame);
                let mut buffer = Buffer::zeroed(bytes.len());
                gather(buffer.bytes_mut(), bytes, &[]);
                (ticks, FaultFrame(Held::Copy { buffer, len: bytes.len() }))
            });
            let Some(ticks) = first else {
                self.counts.dropped += 1;
                self.inner.post_recv(Vi { peer, cq }, frame);
                continue;
            };
            let arrivals = [Some((ticks, FaultFrame(Held::Descriptor(frame)))), copy];
            for (ticks, frame) in arrivals.into_iter().flatten() {
                self.counts.delayed += u64::from(ticks > 0);
                queue.keep(peer, self.now + u64::from(ticks), frame);
            }
            self.counts.duplicated += u64::from(second.is_some());
        }
        Ok(())
    }
}

impl<N: Far> Far for Fault<N> {
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool {
        if self.inner.peer_state(peer) == PeerState::Gone {
            return false;
        }
        self.exposed.borrow_mut().send(N::write_exposed, (peer, word, value));
        true
    }

    fn written_by(&self, peer: Rank) -> Written {
        let mut exposed = self.exposed.borrow_mut();
        exposed.tick(&self.inner);
        exposed.written_by(peer)
    }
}

impl<N: Nic> Nic for Fault<N> {
    type Frame = FaultFrame<N::Frame>;
    type RemoteRead = Fault<N>;
    type RemoteWords = Absent;
    type SharedWords = N::SharedWords;
    type Multicast = Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        let mut spec = *spec;
        let lossy = self.plan.is_lossy(vi.cq);
        if lossy {
            // Only this `Fault` may lose messages, so that it counts all losses.
            spec.reliability = spec.reliability.max(Reliability::ReliableDelivery);
        }
        let reliability = self.inner.open_vi(vi, &spec)?;
        let fates = Fates::new(&self.plan, self.inner.rank(), vi);
        self.queues[usize::from(vi.cq.0)].fates[vi.peer] = Some(fates);
        if lossy {
            return Ok(Reliability::Unreliable);
        }
        if self.plan.max_delay_ticks > 0 {
            // A delayed message has not been received yet.
            return Ok(reliability.min(Reliability::ReliableDelivery));
        }
        Ok(reliability)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        match self.inner.post_send(vi, header, payload) {
            Err(PostError::NoDescriptor(_)) if self.plan.is_lossy(vi.cq) => {
                self.counts.dropped += 1;
                Ok(())
            }
            posted => posted,
        }
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        self.now += 1;
        self.exposed.get_mut().tick(&self.inner);
        self.take_in(cq)?;
        // Each peer's state is read once. If a peer leaves meanwhile, its latest messages must not
        // become due before its earlier ones.
        let peers = 0..self.inner.size();
        let gone: Vec<bool> =
            peers.map(|peer| self.inner.peer_state(peer) == PeerState::Gone).collect();
        // `take_in` has refused a queue that does not exist.
        let queue = &mut self.queues[usize::from(cq.0)];
        let next = queue
            .kept
            .iter()
            .enumerate()
            .filter(|(_, kept)| kept.due <= self.now || gone[kept.peer])
            .min_by_key(|(_, kept)| (kept.due, kept.arrival))
            .map(|(index, _)| index);
        Ok(next.map(|index| {
            let Kept { peer, frame, .. } = queue.kept.swap_remove(index);
            Completion { peer, frame }
        }))
    }

    fn bytes<'f>(&self, frame: &'f Self::Frame) -> &'f [u8] {
        match &frame.0 {
            Held::Descriptor(frame) => self.inner.bytes(frame),
            Held::Copy { buffer, len } => &buffer.bytes()[..*len],
        }
    }

    fn post_recv(&mut self, vi: Vi, frame: Self::Frame) {
        // A copy took no descriptor.
        if let Held::Descriptor(frame) = frame.0 {
            self.inner.post_recv(vi, frame);
        }
    }

    fn remote_read(&mut self) -> Option<&mut Fault<N>> {
        self.inner.remote_read().is_some().then_some(self)
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        self.now += 1;
        let exposed = self.exposed.get_mut();
        exposed.tick(&self.inner);
        let is_empty = |queue: &Queue<_, _>| queue.kept.is_empty() && queue.reads.is_empty();
        if !exposed.has_some() && self.queues.iter().all(is_empty) {
            self.inner.wait_unless(wake_on, ready, timeout);
        }
    }

    fn shared_words(&self) -> Option<&N::SharedWords> {
        if self.shares_words { self.inner.shared_words() } else { None }
    }

    fn wake(&self, peer: Rank) {
        self.inner.wake(peer);
    }

    fn sleeping(&self) -> usize {
        self.inner.sleeping()
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        self.inner.peer_state(peer)
    }
}

impl<N: Nic> Fault<N> {
    /// Remote read of the wrapped provider. [`Fault`] offers it only if that provider does.
    fn reads(&mut self) -> &mut N::RemoteRead {
        self.inner.remote_read().expect("the wrapped provider has remote read")
    }
}

impl<N: Nic> RemoteRead for Fault<N> {
    type Payload = ReadPayload<N>;
    type Offer = OfferOf<N>;
    type Room = RoomOf<N>;

    fn least_bytes(&mut self, peer: Rank) -> Option<usize> {
        self.reads().least_bytes(peer)
    }

    fn copies(&mut self, peer: Rank) -> bool {
        self.reads().copies(peer)
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        self.reads().expose(peer, payload)
    }

    fn begin_copy(&mut self, peer: Rank, len: usize) -> Option<RemoteBuffer> {
        self.reads().begin_copy(peer, len)
    }

    fn fill_copy(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) {
        self.reads().fill_copy(peer, buffer, payload);
    }

    fn bytes_here(&mut self, peer: Rank, payload: &mut ReadPayload<N>) -> usize {
        self.reads().bytes_here(peer, payload)
    }

    fn share(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        self.reads().share(peer, buffer)
    }

    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke) {
        self.reads().revoke(peer, buffer, how);
    }

    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        self.reads().post_read(vi, buffer, len)
    }

    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<ReadPayload<N>>> {
        self.now += 1;
        let delay = u64::from(self.plan.max_delay_ticks);
        let queue = self.queues.get_mut(usize::from(cq.0))?;
        let network = self.inner.remote_read()?;
        while let Some(read) = network.poll_read(cq) {
            // A copy is there at once.
            let delay = if network.copies(read.peer) { 0 } else { delay };
            queue.reads.push((self.now + delay, read));
        }
        let next = queue.reads.iter().position(|(due, _)| *due <= self.now)?;
        Some(queue.reads.remove(next).1)
    }

    fn release(&mut self, payload: ReadPayload<N>) {
        self.reads().release(payload);
    }

    fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<OfferOf<N>> {
        self.reads().offer(peer, payload)
    }

    fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        self.counts.offers += 1;
        let misses = self.plan.misses_offers && self.counts.offers % MISS_EVERY == 1;
        !misses && self.reads().accept(peer, buffer, room)
    }

    fn lend(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        self.reads().lend(peer, payload)
    }

    fn is_taken(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        self.reads().is_taken(peer, buffer)
    }

    fn copy_lent(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) -> bool {
        self.reads().copy_lent(peer, buffer, payload)
    }

    fn move_lent(&mut self, peer: Rank, buffer: RemoteBuffer, copy: &[u8]) -> bool {
        self.reads().move_lent(peer, buffer, copy)
    }

    fn is_lent(&mut self, payload: &ReadPayload<N>) -> bool {
        self.reads().is_lent(payload)
    }

    fn take_lent(&mut self, peer: Rank, payload: &mut ReadPayload<N>, room: &mut [u8]) -> LentEnd {
        self.reads().take_lent(peer, payload, room)
    }

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, RoomOf<N>)> {
        self.reads().open_room(peer, payload, bytes)
    }

    fn room_behind(
        &mut self,
        peer: Rank,
        payload: &ReadPayload<N>,
        bytes: usize,
    ) -> Option<RoomOf<N>> {
        self.reads().room_behind(peer, payload, bytes)
    }

    fn close_room(&mut self, buffer: RemoteBuffer, room: RoomOf<N>) {
        self.reads().close_room(buffer, room);
    }

    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer> {
        self.reads().open_area(len)
    }

    fn write_area(&mut self, buffer: RemoteBuffer, at: usize, bytes: &[u8]) {
        self.reads().write_area(buffer, at, bytes);
    }

    fn find_in_area(&mut self, peer: Rank, address: u64, len: usize) -> Option<ReadPayload<N>> {
        self.reads().find_in_area(peer, address, len)
    }

    fn close_area(&mut self, buffer: RemoteBuffer) {
        self.reads().close_area(buffer);
    }
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for Fault<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.size(), self.attributes.provider)
    }
}
