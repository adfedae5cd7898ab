//! A network for models, in which each verb is one step: what it does to the memory that ranks
//! share, it does at once, and everybody sees it in the same order. What a weaker memory would show
//! is the matter of the providers' own models.
//!
//! It promises what [`Nic`] says, and nothing beyond: who sleeps is woken only by messages that it
//! said would wake it, by a ring, and by a departure.

#[cfg(all(test, loom))]
use std::sync::Arc;

#[cfg(all(test, loom))]
use loom::thread::{Thread, current, park};

use std::collections::VecDeque;
use std::time::Duration;

use zerocopy::IntoBytes;

use crate::order::Rank;
use crate::provider::{FabricSpec, QueueSpec};
#[cfg(all(test, loom))]
use crate::sys::explore::Stepwise;
use crate::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, SharedWords, VerbsError,
    Vi, ViSpec, WakeOn,
};

/// A message, at an address divisible by 8.
pub(super) struct Frame {
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

/// What the others reach of a rank.
#[derive(Default)]
struct Port {
    /// One for each queue.
    inboxes: Vec<VecDeque<(Rank, Frame)>>,
    /// One for each queue and sender: descriptors that are taken.
    taken: Vec<u32>,
    gone: bool,
    /// Somebody has gone since the last sleep.
    news: bool,
    /// What it sleeps for, and the rank to be woken.
    asleep: Option<(WakeOn, Thread)>,
}

impl Port {
    fn wake(&mut self) {
        if let Some((_, thread)) = self.asleep.take() {
            thread.unpark();
        }
    }
}

struct Fabric {
    queues: Vec<QueueSpec>,
    ports: Vec<Stepwise<Port>>,
    words: Vec<Stepwise<u64>>,
}

/// A rank's interface.
pub(super) struct Coarse {
    attributes: NicAttributes,
    fabric: Arc<Fabric>,
}

impl Coarse {
    pub(super) fn connect(size: usize, spec: &FabricSpec) -> Vec<Coarse> {
        let queues = &spec.queues;
        let port = || Port {
            inboxes: queues.iter().map(|_| VecDeque::new()).collect(),
            taken: vec![0; queues.len() * size],
            ..Port::default()
        };
        let fabric = Arc::new(Fabric {
            queues: queues.clone(),
            ports: (0..size).map(|_| Stepwise::new(port())).collect(),
            words: (0..spec.shared_words).map(|_| Stepwise::new(0)).collect(),
        });
        let attributes = NicAttributes {
            provider: "coarse",
            rank: 0,
            size,
            max_ranks: size,
            max_message_bytes: queues.iter().map(|q| q.descriptor_bytes).max().unwrap_or(0),
            max_descriptors_per_vi: queues.iter().map(|q| q.recv_descriptors).max().unwrap_or(0),
            completion_queues: queues.len() as u8,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: 0,
            causal: true,
        };
        (0..size)
            .map(|rank| Coarse {
                attributes: NicAttributes { rank, ..attributes },
                fabric: Arc::clone(&fabric),
            })
            .collect()
    }

    fn port(&self) -> &Stepwise<Port> {
        &self.fabric.ports[self.rank()]
    }

    fn taken(&self, cq: Cq, sender: Rank) -> usize {
        usize::from(cq.0) * self.size() + sender
    }
}

impl Nic for Coarse {
    type Frame = Frame;
    type RemoteRead = crate::verbs::Absent;
    type RemoteWords = crate::verbs::Absent;
    type SharedWords = Coarse;
    type Multicast = crate::verbs::Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        Ok(Reliability::ReliableReception)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let (rank, taken) = (self.rank(), self.taken(vi.cq, self.rank()));
        let limit = self.fabric.queues[usize::from(vi.cq.0)].recv_descriptors;
        self.fabric.ports[vi.peer].step(|port| {
            if port.gone {
                return Err(PostError::PeerGone(vi));
            }
            if port.taken[taken] == limit {
                return Err(PostError::NoDescriptor(vi));
            }
            port.taken[taken] += 1;
            port.inboxes[usize::from(vi.cq.0)].push_back((rank, Frame::new(header, payload)));
            if port.asleep.as_ref().is_some_and(|(wake_on, _)| wake_on.includes(rank, vi.cq)) {
                port.wake();
            }
            Ok(())
        })
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        let found = self.port().step(|port| port.inboxes[usize::from(cq.0)].pop_front());
        Ok(found.map(|(peer, frame)| Completion { peer, frame }))
    }

    fn bytes<'f>(&self, frame: &'f Frame) -> &'f [u8] {
        &frame.words.as_bytes()[..frame.len]
    }

    fn post_recv(&mut self, vi: Vi, _: Frame) {
        let taken = self.taken(vi.cq, vi.peer);
        self.port().step(|port| port.taken[taken] -= 1);
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
        let sleeps = self.port().step(|port| {
            let arrived = port.inboxes.iter().any(|inbox| !inbox.is_empty());
            let sleeps = !arrived && !std::mem::take(&mut port.news);
            if sleeps {
                port.asleep = Some((wake_on, current()));
            }
            sleeps
        });
        if sleeps && ready(&|word| self.load(word)) {
            self.port().step(|port| port.asleep = None);
            return;
        }
        let is_awake = |port: &mut Port| {
            // Whoever has slept looks at all that it waits for.
            port.news &= port.asleep.is_some();
            port.asleep.is_none()
        };
        // A wake-up that came too late for the sleep before ends a park, and no sleep.
        while sleeps && !self.port().step(is_awake) {
            park();
        }
    }

    fn wake(&self, peer: Rank) {
        self.fabric.ports[peer].step(Port::wake);
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        let gone = self.fabric.ports[peer].step(|port| port.gone);
        if gone { PeerState::Gone } else { PeerState::Connected }
    }

    #[inline(always)]
    fn shared_words(&self) -> Option<&Coarse> {
        Some(self)
    }
}

impl SharedWords for Coarse {
    fn count(&self) -> usize {
        self.fabric.words.len()
    }

    fn load(&self, word: usize) -> u64 {
        self.fabric.words[word].step(|word| *word)
    }

    fn store(&self, word: usize, value: u64) {
        self.fabric.words[word].step(|word| *word = value);
    }
}

impl Drop for Coarse {
    fn drop(&mut self) {
        for (rank, port) in self.fabric.ports.iter().enumerate() {
            port.step(|port| {
                port.gone |= rank == self.rank();
                port.news = true;
                port.wake();
            });
        }
    }
}
