//! What differs where a rank has two networks: polls look into both, a sleep is in one of them and
//! lasts a beat, and the shared words of a host are a part of those of the near network.

use std::time::Duration;

use super::nic::{Frame, found};
use super::words::count;
use super::{Either, Far, Hosts};
use crate::order::Rank;
use crate::provider::words::Regions;
use crate::verbs::{Completion, Cq, Nic, NicAttributes, SharedWords, VerbsError, WakeOn};

/// How long a rank sleeps in one network before it looks into the other.
pub const BEAT: Duration = Duration::from_millis(1);

/// A rank's interface to two networks.
pub(super) struct Both<A: Nic, B: Far> {
    pub(super) near: A,
    pub(super) far: B,
    pub(super) attributes: NicAttributes,
    /// What both networks have registered.
    pub(super) regions: Regions,
    /// The number of shared words of each host.
    pub(super) words: usize,
    /// Which of the near network's words is this host's first.
    first_word: usize,
    /// Which ranks are on this one's host; itself is.
    is_near: Vec<bool>,
    /// For each rank, the number of its host.
    host_of: Vec<usize>,
    /// For each completion queue, whether the next poll begins with the far network.
    far_first: Vec<bool>,
    /// Whether the last message has come from afar, or can have come from nowhere else.
    heard_far: bool,
}

impl<A: Nic, B: Far> Both<A, B> {
    /// As [`Host::both`](super::Host::both).
    pub(super) fn new(
        name: &'static str,
        (near, far): (A, B),
        hosts: &Hosts,
        words: usize,
    ) -> Both<A, B> {
        let (one, other) = (*near.attributes(), *far.attributes());
        let (rank, size) = (one.rank, one.size);
        assert_eq!((other.rank, other.size), (rank, size), "interfaces of different ranks");
        assert_eq!(hosts.ranks(), size, "each rank has a host");
        let has = count(&near);
        let enough = words.checked_mul(hosts.count()).is_some_and(|all| all <= has);
        assert!(enough, "{words} words for each host, of {has}");
        let attributes = NicAttributes {
            provider: name,
            rank,
            size,
            max_ranks: one.max_ranks.min(other.max_ranks),
            max_message_bytes: one.max_message_bytes.min(other.max_message_bytes),
            max_descriptors_per_vi: one.max_descriptors_per_vi.min(other.max_descriptors_per_vi),
            completion_queues: one.completion_queues.min(other.completion_queues),
            max_registered_bytes: one.max_registered_bytes.min(other.max_registered_bytes),
            max_regions: one.max_regions.min(other.max_regions),
            inline_bytes: one.inline_bytes.min(other.inline_bytes),
            causal: false,
        };
        let is_near: Vec<bool> = (0..size).map(|peer| hosts.are_near(rank, peer)).collect();
        let host_of = |rank| hosts.of(rank).unwrap_or(0) as usize;
        Both {
            far_first: vec![false; attributes.completion_queues.into()],
            // One that is alone on its host hears nothing near.
            heard_far: is_near.iter().filter(|&&is_near| is_near).count() == 1,
            is_near,
            words,
            first_word: host_of(rank) * words,
            host_of: (0..size).map(host_of).collect(),
            regions: Regions::default(),
            near,
            far,
            attributes,
        }
    }

    /// Whether a rank is asked for by the near network: so are those that do not exist.
    #[inline(always)]
    pub(super) fn is_near(&self, peer: Rank) -> bool {
        self.is_near.get(peer).copied().unwrap_or(true)
    }

    /// Which of the near network's words one of this host's is.
    #[inline(always)]
    pub(super) fn word(&self, word: usize) -> usize {
        assert!(word < self.words, "there are {} shared words", self.words);
        self.first_word + word
    }

    /// Where so many of this host's words begin among the near network's.
    #[inline]
    pub(super) fn first_of(&self, first: usize, count: usize) -> usize {
        assert!(count <= self.words.saturating_sub(first), "there are {} shared words", self.words);
        self.first_word + first
    }

    /// The host of a rank.
    pub(super) fn host_of(&self, peer: Rank) -> usize {
        self.host_of.get(peer).copied().unwrap_or(0)
    }

    /// Each network is the first to be looked into after something has come by the other, so
    /// neither starves.
    #[inline]
    pub(super) fn poll_recv(
        &mut self,
        cq: Cq,
    ) -> Result<Option<Completion<Frame<A, B>>>, VerbsError> {
        let queue = usize::from(cq.0);
        let Some(&far_first) = self.far_first.get(queue) else {
            let limit = self.attributes.completion_queues;
            return Err(VerbsError::NoSuchQueue { cq, limit });
        };
        for is_far in [far_first, !far_first] {
            let polled = if is_far {
                found(self.far.poll_recv(cq), Either::Far)?
            } else {
                found(self.near.poll_recv(cq), Either::Near)?
            };
            if polled.is_some() {
                self.far_first[queue] = !is_far;
                self.heard_far = is_far;
                return Ok(polled);
            }
        }
        Ok(None)
    }

    /// Sleeps in one network, for a beat at most. The caller looks into both when this ends,
    /// whatever has ended it.
    pub(super) fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        let beat = Some(timeout.map_or(BEAT, |timeout| timeout.min(BEAT)));
        let first = self.first_word;
        if wake_on.peer.map_or(self.heard_far, |peer| !self.is_near(peer)) {
            let words = self.near.shared_words();
            let is_ready = words.is_some_and(|words| ready(&|word| words.load(first + word)));
            if !is_ready {
                self.far.wait_unless(wake_on, |_| false, beat);
            }
        } else {
            // A device has affairs of its own, which it sees to in a wait.
            self.far.wait_unless(wake_on, |_| true, Some(Duration::ZERO));
            let ready = |load: &dyn Fn(usize) -> u64| ready(&|word| load(first + word));
            self.near.wait_unless(wake_on, ready, beat);
        }
    }
}
