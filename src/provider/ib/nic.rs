//! The verbs of one rank, on its queue pairs.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::control::ControlPairs;
use super::descriptors::Descriptors;
use super::device::LOOK_AROUND;
use super::end::{End, Frame};
use super::layout::MemoryLayout;
use super::losses::{Losses, NOT_POSTED};
use super::multicast::{Caster, Why};
use super::payloads::Payloads;
use crate::order::Rank;
use crate::provider::armed;
use crate::provider::limits::check_vi;
use crate::provider::words::Regions;
use crate::provider::{Bootstrap, QueueSpec};
use crate::sys::atomic::Ordering;
use crate::sys::ibverbs::{Batch, Channel, Cq, Foreign, RegisteredWords};
use crate::sys::time::Instant;
use crate::verbs::{
    self, Absent, Cq as Queue, Nic, NicAttributes, NoMulticast, PeerState, PostError, Reliability,
    VerbsError, Vi, ViSpec, WakeOn,
};

mod leaving;
mod looking;
#[cfg(planted)]
mod planted;
mod reading;
mod receiving;
mod sending;
mod sleeping;
mod words;

/// What has come on one completion queue.
pub(super) struct CqInbox {
    cq: Arc<Cq>,
    batch: Batch,
}

impl CqInbox {
    pub(super) fn new(cq: Arc<Cq>) -> CqInbox {
        CqInbox { cq, batch: Batch::default() }
    }

    pub(super) fn cq(&self) -> &Arc<Cq> {
        &self.cq
    }

    /// Whether something has come.
    #[inline]
    fn has_something(&mut self) -> Result<bool, VerbsError> {
        if self.batch.is_empty() {
            self.cq.poll(&mut self.batch).map_err(|_| lost_device("ibv_poll_cq"))?;
        }
        Ok(!self.batch.is_empty())
    }
}

/// The device itself has failed.
#[cold]
fn lost_device(call: &'static str) -> VerbsError {
    // EIO
    VerbsError::System { call, code: 5 }
}

/// What an interface consists of.
pub(super) struct Parts {
    pub(super) attributes: NicAttributes,
    pub(super) device: String,
    pub(super) layout: MemoryLayout,
    /// Whether messages cannot be lost.
    pub(super) is_reliable: bool,
    pub(super) queues: Vec<QueueSpec>,
    /// One for each completion queue and peer.
    pub(super) ends: Vec<Option<End>>,
    pub(super) inboxes: Vec<CqInbox>,
    pub(super) channel: Arc<Channel>,
    /// What becomes of messages that were sent.
    pub(super) sends: Arc<Cq>,
    pub(super) control: ControlPairs,
    pub(super) shown: Arc<RegisteredWords>,
    pub(super) reached: Arc<RegisteredWords>,
    pub(super) caster: Result<Box<Caster>, Option<Why>>,
    pub(super) exposed: Option<Foreign>,
    pub(super) payloads: Box<Payloads>,
}

/// A rank's interface to RDMA, made by [`join`](super::join) or [`connect`](super::connect).
///
/// Dropping it is how a rank leaves: it waits until all that it has sent lies with its peers, and
/// tells them; they then see it as [`PeerState::Gone`].
pub struct IbNic {
    attributes: NicAttributes,
    device: String,
    layout: MemoryLayout,
    is_reliable: bool,
    queues: Vec<QueueSpec>,
    ends: Vec<Option<End>>,
    inboxes: Vec<CqInbox>,
    channel: Arc<Channel>,
    sends: Arc<Cq>,
    batch: Batch,
    /// In a cell, as some verbs that use it change nothing else.
    control: RefCell<ControlPairs>,
    shown: Arc<RegisteredWords>,
    reached: Arc<RegisteredWords>,
    /// What sends to all at once; or why there is none, unless the user wants none.
    caster: Result<Box<Caster>, Option<Why>>,
    /// Memory of the host, for others to write; kept as long as they can.
    exposed: Option<Foreign>,
    payloads: Box<Payloads>,
    losses: Losses,
    /// What the next poll tells.
    faults: Vec<VerbsError>,
    regions: Regions,
    /// Whether a send queue was full since the last wait.
    starved: bool,
    /// The same of the queues for words.
    starved_of_words: bool,
    /// Whether this rank has woken itself.
    woke_itself: Cell<bool>,
    bootstrap: Option<Box<dyn Bootstrap>>,
    looked_at: Cell<Instant>,
    probed_at: Cell<Instant>,
}

impl IbNic {
    pub(super) fn new(parts: Parts) -> IbNic {
        let now = Instant::now();
        IbNic {
            attributes: parts.attributes,
            device: parts.device,
            layout: parts.layout,
            is_reliable: parts.is_reliable,
            queues: parts.queues,
            ends: parts.ends,
            inboxes: parts.inboxes,
            channel: parts.channel,
            sends: parts.sends,
            batch: Batch::default(),
            control: RefCell::new(parts.control),
            shown: parts.shown,
            reached: parts.reached,
            caster: parts.caster,
            exposed: parts.exposed,
            payloads: parts.payloads,
            losses: Losses::of(parts.layout.size),
            faults: Vec::new(),
            regions: Regions::default(),
            starved: false,
            starved_of_words: false,
            woke_itself: Cell::new(false),
            bootstrap: None,
            looked_at: Cell::new(now),
            probed_at: Cell::new(now),
        }
    }

    /// The same, with a bootstrap that knows which processes have ended.
    pub(super) fn with_bootstrap(mut self, bootstrap: Box<dyn Bootstrap>) -> IbNic {
        self.bootstrap = Some(bootstrap);
        self
    }

    /// What the others must know of multicast here: nothing if it works, 1 if it is not wanted, 2
    /// if it cannot be.
    pub(super) fn says_of_multicast(&self) -> Vec<u8> {
        match &self.caster {
            Ok(_) => Vec::new(),
            Err(why) => vec![u8::from(why.is_some()) + 1],
        }
    }

    /// There is multicast only if all ranks have it. What is said is not looked into: any word
    /// means that the rank has none.
    pub(super) fn agree_on_multicast(&mut self, said: &[Vec<u8>]) {
        if self.caster.is_ok()
            && let Some(said) = said.iter().find(|said| !said.is_empty())
        {
            self.caster = Err((said[..] != [1]).then_some("another rank of the job has none"));
        }
    }

    /// The name of the device that this rank uses.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// By what it was noticed that a peer is lost: the verb, and what became of it. None as long as
    /// it is there, and for one that has left by itself.
    pub fn loss(&self, peer: Rank) -> Option<(&'static str, &'static str)> {
        self.losses.of_peer(peer).map(|loss| (loss.verb, loss.why))
    }

    /// Where the end of `vi` is kept, if there is such a VI.
    #[inline(always)]
    fn index(&self, vi: Vi) -> usize {
        if vi.peer < self.layout.size {
            usize::from(vi.cq.0) * self.layout.size + vi.peer
        } else {
            usize::MAX
        }
    }

    /// Whether the peer has said farewell.
    #[inline(always)]
    fn has_left(&self, peer: Rank) -> bool {
        // Written by the peer's device, after all that the peer had sent was taken in by this one.
        self.reached[self.layout.farewell(peer)].load(Ordering::Acquire) != 0
    }

    #[inline(always)]
    fn is_gone(&self, peer: Rank) -> bool {
        self.has_left(peer) || self.losses.has(peer)
    }

    fn no_such_peer(&self, peer: Rank) -> VerbsError {
        VerbsError::NoSuchPeer { peer, size: self.layout.size }
    }

    fn no_such_queue(&self, cq: Queue) -> VerbsError {
        VerbsError::NoSuchQueue { cq, limit: self.attributes.completion_queues }
    }
}

impl Nic for IbNic {
    type Frame = Frame;
    type RemoteRead = IbNic;
    type RemoteWords = IbNic;
    type SharedWords = Absent;
    type Multicast = Caster;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        let queue = self.queues.get(usize::from(vi.cq.0)).copied();
        check_vi(&self.attributes, vi, spec, queue)?;
        let index = self.index(vi);
        let missing = self.no_such_queue(vi.cq);
        let Some(Some(end)) = self.ends.get_mut(index) else { return Err(missing) };
        if end.spec.is_some() {
            return Err(VerbsError::AlreadyOpen { vi });
        }
        end.spec = Some(*spec);
        end.descriptors = Descriptors::new(spec.recv_descriptors);
        let unreliable = !self.is_reliable;
        Ok(if unreliable { Reliability::Unreliable } else { Reliability::ReliableDelivery })
    }

    #[inline]
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        self.send(vi, header, payload)
    }

    #[inline]
    fn is_empty(&mut self, cq: Queue) -> bool {
        let Some(inbox) = self.inboxes.get_mut(usize::from(cq.0)) else { return false };
        self.faults.is_empty()
            && self.payloads.under_way.is_empty()
            && inbox.has_something() == Ok(false)
    }

    #[inline]
    fn poll_recv(&mut self, cq: Queue) -> Result<Option<verbs::Completion<Frame>>, VerbsError> {
        if !self.faults.is_empty() {
            return Err(self.faults.remove(0));
        }
        let queue = usize::from(cq.0);
        loop {
            let Some(inbox) = self.inboxes.get_mut(queue) else {
                return Err(self.no_such_queue(cq));
            };
            if !inbox.has_something()? {
                return Ok(None);
            }
            let Some(completion) = inbox.batch.take() else { return Ok(None) };
            if let Some((peer, frame)) = self.frame(&completion) {
                return Ok(Some(verbs::Completion { peer, frame }));
            }
        }
    }

    #[inline]
    fn bytes<'f>(&self, frame: &'f Frame) -> &'f [u8] {
        frame.bytes()
    }

    #[inline]
    fn post_recv(&mut self, vi: Vi, frame: Frame) {
        debug_assert_eq!(vi.peer, frame.peer(), "a descriptor was posted on another VI");
        let index = self.index(vi);
        let Some(Some(end)) = self.ends.get_mut(index) else { return };
        if end.pair.post_receive(frame.into_slot()).is_err() {
            end.pair.give_up();
            self.losses.note(vi.peer, "ibv_post_recv", NOT_POSTED);
            return;
        }
        end.reposted += 1;
        let count = self.layout.count(usize::from(vi.cq.0), vi.peer);
        // Read by the peer's device, which then may send what takes that receive.
        self.shown[count].store(end.reposted, Ordering::Release);
    }

    fn remote_read(&mut self) -> Option<&mut IbNic> {
        let is_had = self.is_reliable && self.payloads.from_bytes.is_some();
        is_had.then_some(self)
    }

    #[inline]
    fn remote_words(&self) -> Option<&IbNic> {
        Some(self)
    }

    #[inline]
    fn remote_words_mut(&mut self) -> Option<&mut IbNic> {
        Some(self)
    }

    #[inline]
    fn multicast(&mut self) -> Result<&mut Caster, NoMulticast> {
        match &mut self.caster {
            Ok(caster) => Ok(caster),
            Err(Some(why)) => Err(NoMulticast::Unavailable(why)),
            Err(None) => Err(NoMulticast::NotOffered),
        }
    }

    /// There are no shared words of which to ask.
    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        // A rank that dies tells nobody.
        let longest = timeout.map_or(LOOK_AROUND, |timeout| timeout.min(LOOK_AROUND));
        if armed::rest(self, longest) {
            self.hear();
            self.look_around();
        }
    }

    fn wake(&self, peer: Rank) {
        if peer == self.rank() {
            self.woke_itself.set(true);
        } else if peer < self.layout.size
            && !self.is_gone(peer)
            && let Ok(mut control) = self.control.try_borrow_mut()
        {
            // One that cannot be woken is lost.
            let _ = control.wake(peer, &self.losses);
        }
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        self.look_around();
        let is_there = peer < self.layout.size && !self.is_gone(peer);
        if is_there { PeerState::Connected } else { PeerState::Gone }
    }

    fn why_gone(&self, peer: Rank) -> Option<String> {
        self.loss_in_words(peer)
    }
}

// Not derived: its queue pairs and registered memory would be hundreds of lines.
impl fmt::Debug for IbNic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NicAttributes { rank, size, provider, .. } = self.attributes;
        write!(f, "rank {rank} of {size} on {provider}, by {}", self.device)
    }
}
