//! A network between hosts for models, that comes to rest as a rank over a device does: the order
//! of the steps is [`armed`]'s, as of the provider `ib`, which is built over a library and cannot
//! run under loom.
//!
//! | here | in `provider/ib` |
//! |---|---|
//! | [`Device::complete`] | what a device does: it completes a request, and tells the channel if the queue was armed |
//! | [`End::channel`] | `sys::ibverbs::Channel`: a file that can be read once something was told, until it is drained |
//! | `arm`, `has_come`, `rest`, `drain` | those of `IbNic`, of which `has_come` is its `has_news` and `ControlPairs::hear` |
//! | `post_put`, `wake`, a farewell | `ControlPairs::write`, `wake` and `say_farewell`: an immediate completes on a queue of its own |
//! | `write_exposed` | `ControlPairs::write_exposed`: nobody is told |
//!
//! What a device does is one step, and it does it at once: it is the thread that asks for it which
//! is stopped before, in place of the device.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use zerocopy::IntoBytes;

use crate::order::Rank;
use crate::provider::armed::{self, Armed};
use crate::provider::host::{Far, Hosts};
use crate::provider::shm::Exposed;
use crate::provider::{FabricSpec, QueueSpec};
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::explore::Stepwise;
use crate::sys::futex::{Futex, ModelFutex};
use crate::verbs::{
    Completion, Cq, Fetched, Nic, NicAttributes, PeerState, PostError, PutMode, RegionKey,
    Reliability, RemoteWords, VerbsError, Vi, ViSpec, WakeOn, Written,
};

/// A message, at an address divisible by 8.
pub(crate) struct Frame {
    words: Vec<u64>,
    len: usize,
}

impl Frame {
    fn new(header: &[u8], payload: &[u8]) -> Frame {
        let len = header.len() + payload.len();
        let mut words = vec![0; len.div_ceil(8)];
        let bytes = words.as_mut_bytes();
        bytes[..header.len()].copy_from_slice(header);
        bytes[header.len()..len].copy_from_slice(payload);
        Frame { words, len }
    }
}

/// What a rank's device has for it.
struct Queues {
    /// One for each completion queue.
    arrived: Vec<VecDeque<(Rank, Frame)>>,
    /// One for each completion queue and sender: descriptors that are taken.
    taken: Vec<u32>,
    /// An immediate has come on the control queue pair.
    told: bool,
    /// Whether each completion queue tells of the next that comes; the last is that of the control
    /// queue pair.
    armed: Vec<bool>,
    /// Words that peers put.
    region: Vec<u64>,
    gone: Vec<bool>,
}

struct End {
    queues: Stepwise<Queues>,
    /// Whether it was told something.
    channel: ModelFutex,
    exposed: OnceLock<Exposed>,
}

const SILENT: u32 = 0;
const TOLD: u32 = 1;

struct Cables {
    queues: Vec<QueueSpec>,
    ends: Vec<End>,
}

impl Cables {
    /// What the device of `to` does: the completion, and whether that is to be told, are one step
    /// of it.
    fn complete<R>(&self, to: Rank, queue: usize, what: impl FnOnce(&mut Queues) -> R) -> R {
        let end = &self.ends[to];
        let (done, tells) = end.queues.step(|queues| {
            let done = what(queues);
            (done, std::mem::take(&mut queues.armed[queue]))
        });
        if tells {
            end.channel.swap(TOLD, Ordering::AcqRel);
            end.channel.wake();
        }
        done
    }
}

/// A rank's interface.
pub(crate) struct Device {
    attributes: NicAttributes,
    /// Those on other hosts; others it cannot reach.
    peers: Vec<Rank>,
    cables: Arc<Cables>,
}

impl Device {
    pub(crate) fn connect(hosts: &Hosts, spec: &FabricSpec) -> Vec<Device> {
        let size = hosts.ranks();
        let queues = spec.queues.len();
        let end = || End {
            queues: Stepwise::new(Queues {
                arrived: (0..queues).map(|_| VecDeque::new()).collect(),
                taken: vec![0; queues * size],
                told: false,
                armed: vec![false; queues + 1],
                region: Vec::new(),
                gone: vec![false; size],
            }),
            channel: ModelFutex::new(),
            exposed: OnceLock::new(),
        };
        let ends = std::iter::repeat_with(end).take(size).collect();
        let cables = Arc::new(Cables { queues: spec.queues.clone(), ends });
        let attributes = NicAttributes {
            provider: "device",
            rank: 0,
            size,
            max_ranks: size,
            max_message_bytes: spec.queues.iter().map(|q| q.descriptor_bytes).max().unwrap_or(0),
            max_descriptors_per_vi: u32::MAX,
            completion_queues: queues as u8,
            max_registered_bytes: 8,
            max_regions: 1,
            inline_bytes: 0,
            causal: true,
        };
        let device = |rank| {
            let peers = (0..size).filter(|&peer| !hosts.are_near(rank, peer)).collect();
            Device {
                attributes: NicAttributes { rank, ..attributes },
                peers,
                cables: Arc::clone(&cables),
            }
        };
        (0..size).map(device).collect()
    }

    /// The words of its host that others may write by it; once.
    pub(crate) fn expose(&self, words: Exposed) {
        assert!(self.own().exposed.set(words).is_ok(), "exposed twice");
    }

    /// Does something on the control queue pair, with an immediate.
    fn tell(&self, to: Rank, what: impl FnOnce(&mut Queues)) {
        if self.peers.contains(&to) {
            self.cables.complete(to, self.cables.queues.len(), |queues| {
                what(queues);
                queues.told = true;
            });
        }
    }

    fn own(&self) -> &End {
        &self.cables.ends[self.rank()]
    }

    fn is_gone(&self, peer: Rank) -> bool {
        self.own().queues.step(|queues| queues.gone[peer])
    }
}

impl Armed for Device {
    /// One queue after the other.
    fn arm(&mut self) -> bool {
        for queue in 0..=self.cables.queues.len() {
            self.own().queues.step(|queues| queues.armed[queue] = true);
        }
        true
    }

    fn has_come(&mut self) -> bool {
        let has_message = |queue: usize| {
            let is_empty = |queues: &mut Queues| queues.arrived[queue].is_empty();
            !self.own().queues.step(is_empty)
        };
        (0..self.cables.queues.len()).any(has_message)
            | self.own().queues.step(|queues| std::mem::take(&mut queues.told))
    }

    fn rest(&mut self, longest: Duration) {
        // Who does not limit its sleep looks around in a while, which nobody is to rely on.
        let limit = (longest != Duration::MAX).then_some(longest);
        if !longest.is_zero() {
            self.own().channel.wait(SILENT, limit);
        }
    }

    fn drain(&mut self) {
        self.own().channel.swap(SILENT, Ordering::AcqRel);
    }
}

impl Far for Device {
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool {
        let exposed = self.cables.ends[peer].exposed.get();
        !self.is_gone(peer) && exposed.is_some_and(|words| words.write(word, value))
    }

    fn written_by(&self, _: Rank) -> Written {
        Written::Arrived
    }
}

/// The one region of each rank.
impl RemoteWords for Device {
    /// So ranks signal by messages. (Signals as words have models of their own, in `message/barriers/cells`.)
    fn is_one_sided(&self) -> bool {
        false
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        self.own().queues.step(|queues| queues.region = vec![0; words]);
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
        assert!(mode.wakes(), "no model puts a word silently");
        self.tell(peer, |queues| queues.region[word] = value);
        Ok(true)
    }

    fn fetch(&mut self, _: Rank, _: RegionKey, _: usize) -> Result<Fetched, VerbsError> {
        unreachable!("no model fetches a word")
    }

    fn read(&self, _: Rank, _: RegionKey, word: usize) -> Result<u64, VerbsError> {
        Ok(self.own().queues.step(|queues| queues.region[word]))
    }
}

impl Nic for Device {
    type Frame = Frame;
    type RemoteRead = crate::verbs::Absent;
    type RemoteWords = Device;
    type SharedWords = crate::verbs::Absent;
    type Multicast = crate::verbs::Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        Ok(Reliability::ReliableDelivery)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        if self.is_gone(vi.peer) {
            return Err(PostError::PeerGone(vi));
        }
        let (rank, queue) = (self.rank(), usize::from(vi.cq.0));
        let limit = self.cables.queues[queue].recv_descriptors;
        let taken = queue * self.size() + rank;
        let to = &self.cables.ends[vi.peer].queues;
        if to.step(|queues| queues.taken[taken] == limit) {
            return Err(PostError::NoDescriptor(vi));
        }
        self.cables.complete(vi.peer, queue, |queues| {
            queues.taken[taken] += 1;
            queues.arrived[queue].push_back((rank, Frame::new(header, payload)));
        });
        Ok(())
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        let queue = usize::from(cq.0);
        let found = self.own().queues.step(|queues| queues.arrived[queue].pop_front());
        Ok(found.map(|(peer, frame)| Completion { peer, frame }))
    }

    fn bytes<'f>(&self, frame: &'f Frame) -> &'f [u8] {
        &frame.words.as_bytes()[..frame.len]
    }

    fn post_recv(&mut self, vi: Vi, _: Frame) {
        let taken = usize::from(vi.cq.0) * self.size() + vi.peer;
        self.own().queues.step(|queues| queues.taken[taken] -= 1);
    }

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        armed::rest(self, timeout.unwrap_or(Duration::MAX));
    }

    fn wake(&self, peer: Rank) {
        self.tell(peer, |_| {});
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        if self.is_gone(peer) { PeerState::Gone } else { PeerState::Connected }
    }

    fn remote_words(&self) -> Option<&Device> {
        Some(self)
    }

    fn remote_words_mut(&mut self) -> Option<&mut Device> {
        Some(self)
    }
}

/// It says farewell.
impl Drop for Device {
    fn drop(&mut self) {
        let rank = self.rank();
        for &peer in &self.peers {
            self.tell(peer, |queues| queues.gone[rank] = true);
        }
    }
}
