//! What the ranks of one fabric share: inboxes, parkers, returned descriptors and registered
//! memory.
//!
//! All of it is laid out by [`connect`]; only returns and regions are made when they are first
//! wanted. There is no lock in it but the one around the name of a sleeping thread.

use std::sync::{Arc, OnceLock};

use super::ThreadsNic;
use super::end::Returns;
use super::exposures::Exposures;
use super::frame::{Frame, INLINE_BYTES};
use super::parker::Parker;
use crate::order::Rank;
use crate::provider::limits::within;
use crate::provider::{FabricSpec, QueueSpec};
use crate::sys::atomic::{AtomicBool, AtomicU64};
use crate::sys::channel::{Receiver, Sender, bounded};
use crate::verbs::{Cq, NicAttributes, RegionKey, VerbsError};

pub(super) const PROVIDER: &str = "threads";
const MAX_RANKS: usize = 256;
/// Enough for board and deposits of as many ranks.
const MAX_SHARED_WORDS: usize = 1 << 23;
/// As many as fill the line of a [`Padded`].
const WORDS_PER_LINE: usize = 16;
const MAX_QUEUES: usize = 16;
const MAX_MESSAGE_BYTES: usize = 1 << 20;
const MAX_DESCRIPTORS_PER_VI: usize = 1 << 16;
/// The inboxes of all ranks together; they are allocated at once.
const MAX_INBOX_BYTES: usize = 1 << 30;
const MAX_REGIONS: usize = 16;
const MAX_REGISTERED_BYTES: usize = 1 << 24;

/// A value with cache lines of its own: ranks that write side by side must not disturb each other.
#[repr(align(128))]
pub(super) struct Padded<T>(T);

impl<T> std::ops::Deref for Padded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

type Region = Box<[AtomicU64]>;

/// What the others see of a rank.
pub(super) struct Port {
    /// Set once, when the rank's interface is dropped.
    pub(super) gone: AtomicBool,
    pub(super) parker: Parker,
    /// One for each completion queue.
    pub(super) inboxes: Vec<Sender<Frame>>,
    pub(super) regions: [OnceLock<Region>; MAX_REGIONS],
    /// Payloads that it has exposed.
    pub(super) exposures: Exposures,
    /// Memory of another network that it lets others write.
    #[cfg(target_os = "linux")]
    pub(super) exposed: OnceLock<crate::provider::shm::Exposed>,
}

impl Port {
    /// A region of so many words, which its owner may have yet to register.
    pub(super) fn region(&self, key: RegionKey, words: usize) -> &[AtomicU64] {
        let new = || std::iter::repeat_with(|| AtomicU64::new(0)).take(words).collect();
        self.regions[key.0 as usize].get_or_init(new)
    }
}

/// The shared part of a fabric.
pub(super) struct Shared {
    pub(super) queues: Vec<QueueSpec>,
    pub(super) ports: Vec<Padded<Port>>,
    /// One for each queue, receiver and sender; made by whichever end is opened first.
    returns: Vec<OnceLock<Arc<Padded<Returns>>>>,
    pub(super) shared_words: usize,
    /// From which length on payloads are exposed, if they are.
    pub(super) read_from: Option<usize>,
    /// The words that all ranks share.
    words: Vec<Padded<[AtomicU64; WORDS_PER_LINE]>>,
}

impl Shared {
    pub(super) fn size(&self) -> usize {
        self.ports.len()
    }

    /// A shared word.
    ///
    /// # Panics
    ///
    /// If there is none of this number.
    pub(super) fn word(&self, word: usize) -> &AtomicU64 {
        assert!(word < self.shared_words, "there are {} shared words", self.shared_words);
        &self.words[word / WORDS_PER_LINE][word % WORDS_PER_LINE]
    }

    /// The returns of `cq` by which `receiver` gives descriptors to `sender`.
    pub(super) fn returns(&self, cq: Cq, receiver: Rank, sender: Rank) -> Arc<Padded<Returns>> {
        let (size, cq) = (self.size(), usize::from(cq.0));
        let descriptors = self.queues[cq].recv_descriptors;
        let slot = &self.returns[(cq * size + receiver) * size + sender];
        Arc::clone(slot.get_or_init(|| Arc::new(Padded(Returns::new(descriptors)))))
    }
}

/// Makes a fabric of `size` ranks and gives each its interface, in the order of the ranks.
///
/// # Errors
///
/// [`VerbsError::AboveLimit`] if there are too many ranks, queues or descriptors, if messages are
/// too long, or if the inboxes would take too much memory.
pub fn connect(size: usize, spec: &FabricSpec) -> Result<Vec<ThreadsNic>, VerbsError> {
    connect_all(size, spec, None)
}

/// As [`connect`], of ranks that read each other's payloads of `read_from` bytes and more
/// ([`RemoteRead`](crate::verbs::RemoteRead)). In one address space nothing is gained by that: it
/// is for tests.
///
/// # Errors
///
/// As by [`connect`].
pub fn connect_with_remote_read(
    size: usize,
    spec: &FabricSpec,
    read_from: usize,
) -> Result<Vec<ThreadsNic>, VerbsError> {
    connect_all(size, spec, Some(read_from))
}

fn connect_all(
    size: usize,
    spec: &FabricSpec,
    read_from: Option<usize>,
) -> Result<Vec<ThreadsNic>, VerbsError> {
    check(size, spec)?;
    let mut inboxes: Vec<Vec<Receiver<Frame>>> = Vec::with_capacity(size);
    let mut ports = Vec::with_capacity(size);
    for _ in 0..size {
        // Room for all that may be under way, so that a sender with a descriptor never finds it
        // full.
        let peers = size - 1;
        let queues = spec.queues.iter().map(|q| bounded(peers * q.recv_descriptors as usize));
        let (senders, receivers) = queues.unzip();
        inboxes.push(receivers);
        ports.push(Padded(Port {
            gone: AtomicBool::new(false),
            parker: Parker::new(),
            inboxes: senders,
            regions: std::array::from_fn(|_| OnceLock::new()),
            exposures: Exposures::default(),
            #[cfg(target_os = "linux")]
            exposed: OnceLock::new(),
        }));
    }
    let returns = spec.queues.len() * size * size;
    let shared = Arc::new(Shared {
        queues: spec.queues.clone(),
        ports,
        returns: std::iter::repeat_with(OnceLock::new).take(returns).collect(),
        shared_words: spec.shared_words,
        read_from,
        words: std::iter::repeat_with(|| Padded(std::array::from_fn(|_| AtomicU64::new(0))))
            .take(spec.shared_words.div_ceil(WORDS_PER_LINE))
            .collect(),
    });
    let attributes = attributes(size, spec);
    let nics = inboxes
        .into_iter()
        .enumerate()
        .map(|(rank, inboxes)| ThreadsNic::new(attributes, rank, Arc::clone(&shared), inboxes));
    Ok(nics.collect())
}

fn check(size: usize, spec: &FabricSpec) -> Result<(), VerbsError> {
    let within = within(PROVIDER);
    within("number of ranks", size, MAX_RANKS)?;
    within("number of shared words", spec.shared_words, MAX_SHARED_WORDS)?;
    within("number of completion queues", spec.queues.len(), MAX_QUEUES)?;
    let mut descriptors = 0;
    for queue in &spec.queues {
        within("message length", queue.descriptor_bytes, MAX_MESSAGE_BYTES)?;
        let per_vi = queue.recv_descriptors as usize;
        within("number of descriptors per VI", per_vi, MAX_DESCRIPTORS_PER_VI)?;
        descriptors += per_vi;
    }
    let pairs = size * size.saturating_sub(1);
    let inbox_bytes = pairs.saturating_mul(descriptors).saturating_mul(size_of::<Frame>());
    within("size of all inboxes in bytes", inbox_bytes, MAX_INBOX_BYTES)
}

/// The attributes of all interfaces of this fabric, as if each were rank 0's.
fn attributes(size: usize, spec: &FabricSpec) -> NicAttributes {
    let queues = &spec.queues;
    NicAttributes {
        provider: PROVIDER,
        rank: 0,
        size,
        max_ranks: MAX_RANKS,
        max_message_bytes: queues.iter().map(|q| q.descriptor_bytes).max().unwrap_or(0),
        max_descriptors_per_vi: queues.iter().map(|q| q.recv_descriptors).max().unwrap_or(0),
        completion_queues: queues.len() as u8,
        max_registered_bytes: MAX_REGISTERED_BYTES,
        max_regions: MAX_REGIONS,
        inline_bytes: INLINE_BYTES,
        causal: true,
    }
}
