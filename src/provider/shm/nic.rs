//! A rank's interface: the verbs on top of rings, inboxes and parkers.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::cell::INLINE_WORDS;
use super::copying::Copying;
use super::fences::Fences;
use super::filling::Filling;
use super::inbox::{Habits, Inbox};
use super::layout::{QueueLayout, REGISTERED_BYTES, SegmentLayout};
use super::lent::Lent;
use super::message::{Buffers, Frame, peek, push};
use super::offers::Offers;
use super::parker::wake_many;
use super::payloads::Payloads;
use super::reading::Reading;
use super::ring::{Impossible, RingReceiver, RingSender, RingWords};
use super::segment::{Port, RemotePort, Segment};
use super::tell::tell;
use crate::order::Rank;
use crate::provider::limits::check_vi;
use crate::provider::words::Regions;
use crate::sys::futex::has_wait_either;
use crate::sys::memory::{self, AtomicU32, AtomicU64, Mapped, Mapping};
use crate::verbs::{
    Absent, Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, SharedWords,
    VerbsError, Vi, ViSpec, WakeOn,
};

/// A few rings are looked into for ever, so that their senders need never set their bits again:
/// they cost a handful of loads. With more, those that were silent for about a thousand looks are
/// left alone until they speak up.
const HABITS: Habits = Habits { few: 4, looks: 1024 };

/// One rank's end of a VI.
struct End {
    spec: ViSpec,
    outgoing: RingSender<Mapped<AtomicU64>>,
    incoming: RingReceiver<Mapped<AtomicU64>>,
    /// Filled here.
    to_peer: Buffers,
    /// Filled by the peer. Frames keep them too, and so the memory that they lie in.
    from_peer: Arc<Buffers>,
    /// How long messages are copied there.
    copying: Copying,
    /// The peer's.
    remote_port: RemotePort,
    /// The peer wrote something impossible: nothing more is read of it, or sent to it.
    broken: bool,
    /// Whether a message of it was taken without a poll since the last time that silent rings were
    /// looked for.
    speaks: Cell<bool>,
}

impl End {
    fn reliability(&self) -> Reliability {
        match self.spec.reliability {
            Reliability::Unreliable => Reliability::Unreliable,
            // When `post_send` returns, the message lies in the memory of the peer.
            _ => Reliability::ReliableReception,
        }
    }
}

/// A rank's interface to a [`Segment`], made by [`Segment::nic`] or [`connect`](super::connect).
///
/// Dropping it is how a rank leaves: the others then see it as [`PeerState::Gone`].
pub struct ShmNic {
    pub(super) attributes: NicAttributes,
    segment: Segment,
    layout: SegmentLayout,
    mapping: Arc<Mapping>,
    pub(super) shared: Mapped<AtomicU64>,
    /// Registered memory, one for each rank.
    pub(super) registered: Vec<Mapped<AtomicU64>>,
    /// One for each completion queue.
    inboxes: Vec<Inbox<Mapped<AtomicU64>>>,
    /// One for each completion queue and peer.
    ends: Vec<Option<End>>,
    /// Peers that wrote something impossible.
    broken: Vec<bool>,
    /// What the next poll tells of them.
    faults: Vec<VerbsError>,
    /// What peers have exposed to this rank, and this rank to them.
    pub(super) payloads: Payloads,
    pub(super) reading: Reading,
    pub(super) offers: Offers,
    pub(super) lent: Lent,
    pub(super) filling: Filling,
    /// Whether there are faults, or payloads that were read: what a poll finds beside the rings.
    has_news: bool,
    pub(super) regions: Regions,
    lost: u64,
    pub(super) fences: Fences,
    /// A short message that was shown and not taken yet.
    shown: [u64; INLINE_WORDS],
    /// The end at which it was shown.
    shown_at: usize,
    /// Whether the system can wake all sleeping ranks at once.
    can_broadcast: bool,
}

impl ShmNic {
    pub(super) fn new(
        segment: Segment,
        rank: Rank,
        layout: SegmentLayout,
        mapping: Arc<Mapping>,
    ) -> ShmNic {
        let size = segment.size();
        let queues = 0..layout.queues.len();
        let port = segment.port(rank).expect("the segment gives interfaces to its own ranks");
        let registered = |rank| mapping.words(layout.registered(rank), REGISTERED_BYTES / 8);
        ShmNic {
            attributes: layout.attributes(rank, size),
            shared: mapping.words(layout.shared(), layout.shared_words),
            registered: (0..size).map(registered).collect(),
            inboxes: queues.map(|queue| Inbox::new(port.ready_words(queue), HABITS)).collect(),
            ends: std::iter::repeat_with(|| None).take(layout.queues.len() * size).collect(),
            broken: vec![false; size],
            faults: Vec::new(),
            payloads: Payloads::new(&layout, &mapping, size),
            reading: Reading::new(rank, &layout, &mapping, size),
            offers: Offers::new(rank, &layout, &mapping, size),
            lent: Lent::new(rank, &layout, &mapping, size),
            filling: Filling::new(rank, &layout, &mapping, size),
            has_news: false,
            regions: Regions::default(),
            lost: 0,
            can_broadcast: has_wait_either(),
            fences: segment.fences(),
            shown: [0; INLINE_WORDS],
            shown_at: usize::MAX,
            segment,
            layout,
            mapping,
        }
    }

    /// The number of messages that this rank has posted on unreliable VIs and that met no
    /// descriptor.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Wakes a rank, and has it look at all that it waits for.
    pub(super) fn wake_with_news(&self, peer: Rank) {
        if let Some(port) = self.segment.port(peer) {
            port.parker().wake_with_news();
        }
    }

    /// The memory that it lies in.
    pub fn segment(&self) -> &Segment {
        &self.segment
    }

    fn broadcast_word(&self) -> Option<&AtomicU32> {
        self.can_broadcast.then(|| self.segment.broadcast_word())
    }

    fn own_port(&self) -> &Port {
        self.segment.port(self.rank()).expect("the segment has a port for each rank")
    }

    /// Where the end of `vi` is kept, if there is such a VI.
    #[inline(always)]
    fn index(&self, vi: Vi) -> usize {
        let (size, cq) = (self.broken.len(), usize::from(vi.cq.0));
        if vi.peer < size { cq * size + vi.peer } else { usize::MAX }
    }

    #[inline(always)]
    fn end_mut(&mut self, vi: Vi) -> Option<&mut End> {
        let index = self.index(vi);
        self.ends.get_mut(index)?.as_mut()
    }

    pub(super) fn no_such_peer(&self, peer: Rank) -> VerbsError {
        VerbsError::NoSuchPeer { peer, size: self.size() }
    }

    fn no_such_queue(&self, cq: Cq) -> VerbsError {
        VerbsError::NoSuchQueue { cq, limit: self.attributes.completion_queues }
    }

    fn words(&self, queue: usize, receiver: Rank, sender: Rank) -> RingWords<Mapped<AtomicU64>> {
        let cells = self.layout.queues[queue].cells;
        let layout = &self.layout;
        RingWords {
            cells: self.mapping.words(layout.cells(queue, receiver, sender), cells * 8),
            returns: self.mapping.words(layout.returns(queue, receiver, sender), cells),
            taken: self.mapping.words(layout.taken(queue, receiver, sender), 1),
        }
    }

    fn buffers(&self, queue: usize, receiver: Rank, sender: Rank) -> Buffers {
        let range = self.layout.buffers(queue, receiver, sender);
        let bytes = self.mapping.bytes(range.start, range.len());
        Buffers::new(bytes, self.layout.queues[queue].stride)
    }

    /// Nothing more is read of what `peer` has written into rings, or sent to it.
    fn break_off(&mut self, peer: Rank, what: Impossible) -> VerbsError {
        self.broken[peer] = true;
        let size = self.size();
        for end in self.ends.iter_mut().skip(peer).step_by(size).flatten() {
            end.broken = true;
        }
        for inbox in &mut self.inboxes {
            inbox.close(peer);
        }
        VerbsError::Corrupted { peer, what }
    }

    /// As [`break_off`](ShmNic::break_off); the next poll tells of it.
    #[cold]
    pub(super) fn handle_impossible(&mut self, peer: Rank, what: Impossible) {
        let fault = self.break_off(peer, what);
        self.faults.push(fault);
        self.note_news();
    }

    /// To be called when faults or payloads that were read have come or gone.
    pub(super) fn note_news(&mut self) {
        self.has_news = !self.faults.is_empty() || self.payloads.has_read();
    }

    /// Whether nothing more is read of a peer.
    pub(super) fn is_broken(&self, peer: Rank) -> bool {
        self.broken.get(peer).is_none_or(|&broken| broken)
    }

    pub(super) fn is_vi_open(&self, vi: Vi) -> bool {
        self.ends.get(self.index(vi)).is_some_and(Option::is_some)
    }

    /// Whether any VI to a peer is open.
    pub(super) fn is_open_to(&self, peer: Rank) -> bool {
        let queues = (0..self.attributes.completion_queues).map(Cq);
        queues.map(|cq| Vi { peer, cq }).any(|vi| self.is_vi_open(vi))
    }

    /// Gives memory of this rank's heap that it needs no more back to the system.
    #[inline]
    pub(super) fn give_back_idle_memory(&mut self) {
        if let Some(idle) = self.payloads.poll_idle() {
            self.give_back_memory(idle);
        }
    }

    #[cold]
    fn give_back_memory(&self, idle: Range<usize>) {
        let start = self.layout.heap(self.rank()) + idle.start;
        // Where the system cannot, the memory stays.
        let _ = memory::punch(self.segment.fd(), start, idle.len());
    }

    /// Polls a queue on which there may be something.
    fn poll_heard(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        if !self.faults.is_empty() {
            let fault = self.faults.remove(0);
            self.note_news();
            return Err(fault);
        }
        let (queue, size) = (usize::from(cq.0), self.size());
        if queue >= self.inboxes.len() {
            return Err(self.no_such_queue(cq));
        }
        let ends = &mut self.ends[queue * size..][..size];
        let inbox = &mut self.inboxes[queue];
        let found = inbox.poll(|peer| {
            let end = ends[peer].as_mut()?;
            // Most often: nothing is moved about for it.
            if end.incoming.is_empty() {
                return None;
            }
            let arrived = end.incoming.look().transpose()?;
            Some((peer, arrived.map(|arrived| Frame::new(peer, arrived, &end.from_peer))))
        });
        let speaks = |peer: Rank| ends[peer].as_ref().is_some_and(|end| end.speaks.take());
        inbox.sweep(&self.fences, speaks, |peer| {
            ends[peer].as_ref().is_some_and(|end| !end.incoming.is_empty())
        });
        match found {
            None => Ok(None),
            Some((peer, Ok(frame))) => {
                self.fences.note_taken();
                Ok(Some(Completion { peer, frame }))
            }
            Some((peer, Err(what))) => Err(self.break_off(peer, what)),
        }
    }
}

impl Nic for ShmNic {
    type Frame = Frame;
    type RemoteRead = ShmNic;
    type RemoteWords = ShmNic;
    type SharedWords = ShmNic;
    type Multicast = Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        let (index, queue) = (self.index(vi), usize::from(vi.cq.0));
        let limits = self.layout.queues.get(queue).map(QueueLayout::limits);
        check_vi(&self.attributes, vi, spec, limits)?;
        if self.ends[index].is_some() {
            return Err(VerbsError::AlreadyOpen { vi });
        }
        let (peer, own) = (vi.peer, self.rank());
        let port = self.segment.port(peer).ok_or_else(|| self.no_such_peer(peer))?;
        let (descriptors, longest) = (spec.recv_descriptors, spec.descriptor_bytes);
        let end = End {
            spec: *spec,
            outgoing: RingSender::new(self.words(queue, peer, own), descriptors, longest),
            incoming: RingReceiver::new(self.words(queue, own, peer), descriptors, longest),
            to_peer: self.buffers(queue, peer, own),
            from_peer: Arc::new(self.buffers(queue, own, peer)),
            copying: Copying::new(),
            remote_port: port.remote_port(queue, own),
            broken: self.broken[peer],
            speaks: Cell::new(false),
        };
        if !self.broken[peer] {
            self.inboxes[queue].open(peer);
        }
        Ok(self.ends[index].insert(end).reliability())
    }

    #[inline(always)]
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let index = self.index(vi);
        let end =
            self.ends.get_mut(index).and_then(Option::as_mut).ok_or(PostError::NotOpen(vi))?;
        let (len, limit) = (header.len().saturating_add(payload.len()), end.spec.descriptor_bytes);
        if len > limit {
            return Err(PostError::TooLong { vi, len, limit });
        }
        if end.remote_port.is_gone() || end.broken {
            return Err(PostError::PeerGone(vi));
        }
        let posted = match end.outgoing.has_descriptor() {
            Ok(true) => push(&mut end.outgoing, &end.to_peer, &mut end.copying, header, payload),
            Ok(false) if end.reliability() != Reliability::Unreliable => {
                return Err(PostError::NoDescriptor(vi));
            }
            Ok(false) => {
                self.lost += 1;
                return Ok(());
            }
            Err(what) => Err(what),
        };
        if let Err(what) = posted {
            let fault = self.break_off(vi.peer, what);
            self.faults.push(fault);
            self.has_news = true;
            return Err(PostError::PeerGone(vi));
        }
        tell(
            end.remote_port.ready(),
            || end.remote_port.parker(),
            &self.fences,
            self.attributes.rank,
            vi.cq,
        );
        Ok(())
    }

    #[inline(always)]
    fn is_empty(&mut self, cq: Cq) -> bool {
        let (queue, size) = (usize::from(cq.0), self.broken.len());
        let (Some(inbox), Some(ends)) =
            (self.inboxes.get_mut(queue), self.ends.get(queue * size..))
        else {
            return false;
        };
        let is_empty = |peer: Rank| match ends.get(peer) {
            Some(Some(end)) => end.incoming.is_empty(),
            _ => true,
        };
        !self.has_news && inbox.is_empty(is_empty)
    }

    #[inline(always)]
    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        let quiet = self.end_mut(vi).is_some_and(|end| end.incoming.is_empty());
        quiet && !self.has_news
    }

    #[inline]
    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        if self.is_empty(cq) {
            return Ok(None);
        }
        self.poll_heard(cq)
    }

    #[inline(always)]
    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        let index = self.index(vi);
        self.shown_at = index;
        let End { incoming, from_peer, broken, .. } = self.ends.get_mut(index)?.as_mut()?;
        if *broken {
            return None;
        }
        // What is impossible is not shown: the next poll of the queue meets it again, and tells of
        // it.
        peek(incoming, from_peer, &mut self.shown)
    }

    #[inline(always)]
    fn take_peeked(&mut self, vi: Vi) {
        debug_assert_eq!(self.index(vi), self.shown_at, "another message was shown");
        self.fences.note_taken();
        let Some(Some(end)) = self.ends.get_mut(self.shown_at) else { return };
        end.incoming.take_peeked();
        end.speaks.set(true);
    }

    #[inline]
    fn bytes<'f>(&self, frame: &'f Frame) -> &'f [u8] {
        frame.bytes()
    }

    #[inline(always)]
    fn post_recv(&mut self, vi: Vi, frame: Frame) {
        debug_assert_eq!(vi.peer, frame.peer(), "a descriptor was posted on another VI");
        let Some(end) = self.end_mut(vi) else { return };
        if vi.peer == frame.peer() && frame.belongs_to(&end.from_peer) {
            end.incoming.give_back(frame.into_storage());
        }
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        self.give_back_idle_memory();
        let size = self.size();
        let arrived = || {
            let holds = |(queue, inbox): (usize, &Inbox<_>)| {
                let ends = &self.ends[queue * size..][..size];
                inbox.has_something(|peer| {
                    ends[peer].as_ref().is_some_and(|end| !end.incoming.is_empty())
                })
            };
            self.has_news || self.inboxes.iter().enumerate().any(holds)
        };
        let ready = || arrived() || ready(&|word| self.load(word));
        self.own_port().parker().sleep(
            &self.fences,
            wake_on,
            self.broadcast_word(),
            ready,
            timeout,
        );
    }

    fn wake(&self, peer: Rank) {
        if let Some(port) = self.segment.port(peer) {
            port.parker().wake();
        }
    }

    fn wake_many(&self, peers: impl Iterator<Item = Rank>) {
        let ports = peers.filter_map(|peer| self.segment.port(peer));
        wake_many(ports.map(Port::parker), self.broadcast_word());
    }

    fn sleeping(&self) -> usize {
        let ports = (0..self.size()).filter_map(|peer| self.segment.port(peer));
        ports.filter(|port| port.parker().is_asleep()).count()
    }

    #[inline(always)]
    fn remote_read(&mut self) -> Option<&mut ShmNic> {
        Some(self)
    }

    #[inline(always)]
    fn remote_words(&self) -> Option<&ShmNic> {
        Some(self)
    }

    #[inline(always)]
    fn remote_words_mut(&mut self) -> Option<&mut ShmNic> {
        Some(self)
    }

    #[inline(always)]
    fn shared_words(&self) -> Option<&ShmNic> {
        Some(self)
    }

    #[inline]
    fn peer_state(&self, peer: Rank) -> PeerState {
        match self.segment.port(peer) {
            Some(port) if !port.is_gone() && !self.broken[peer] => PeerState::Connected,
            _ => PeerState::Gone,
        }
    }
}

impl Drop for ShmNic {
    fn drop(&mut self) {
        self.segment.mark_gone(self.rank());
    }
}

impl fmt::Debug for ShmNic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.size(), self.attributes.provider)
    }
}
