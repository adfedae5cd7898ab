//! Where everything lies in a segment. Arithmetic alone: it touches no memory.
//!
//! ```text
//! control area    header · one port a rank                     depends on the number of ranks
//! fabric area     shared words · registered memory · rings · buffers · heaps and on the spec
//! ```
//!
//! All offsets are in bytes from the start of the file, or from that of the part that they are in.
//! What different ranks write lies in different pairs of cache lines. Zero is everywhere the
//! initial state, so that a page costs memory only when it is first used.

use std::ops::Range;

use super::cell::INLINE_BYTES;
use super::heap::UNIT_BYTES;
use super::{filling, lent, offers, parker, reading};
use crate::order::Rank;
use crate::provider::limits::within;
use crate::provider::{FabricSpec, QueueSpec};
use crate::verbs::{NicAttributes, VerbsError};

pub(super) const PROVIDER: &str = "shm";
/// The most ranks that a job can have.
pub const MAX_RANKS: usize = 256;
/// Enough for board and deposits of as many ranks, and for the boards of as many hosts.
const MAX_SHARED_WORDS: usize = 1 << 26;
pub(super) const MAX_QUEUES: usize = 16;
const MAX_MESSAGE_BYTES: usize = 1 << 20;
const MAX_DESCRIPTORS_PER_VI: usize = 1 << 16;
const MAX_REGIONS: usize = 16;
/// What a rank may register in all. It is laid out for every rank, wanted or not. In a model it is
/// little, since loom keeps books of every word.
pub(super) const REGISTERED_BYTES: usize = if cfg!(loom) { 128 } else { 64 << 10 };
/// The longest segment. It is address space and no memory, of which there is plenty; but a rank
/// that has exchanged long messages with every peer has used its part of it. Sixteen ranks to a
/// core of a large host, or 64 ranks with windows of 1 MiB a pair, stay below.
const MAX_SEGMENT_BYTES: usize = 6 << 30;
/// The longest heap of a rank.
const MAX_HEAP_BYTES: usize = 1 << 30;

const PAGE: usize = 4096;
/// Two cache lines: some processors fetch lines in pairs.
const APART: usize = 128;
const LINE: usize = 64;
const WORD: usize = 8;

/// What a receiver reads in the memory of a sender has one line for each pair.
const _: () = assert!(
    (offers::PAIR_WORDS + reading::PAIR_WORDS + lent::PAIR_WORDS + filling::PAIR_WORDS) * WORD
        <= LINE
);

/// The words of the header, in their order.
pub(super) mod header {
    /// What the file starts with: "runahead".
    pub(in super::super) const MAGIC: u64 = u64::from_le_bytes(*b"runahead");
    /// The version of the layout. It changes with any change to this folder that a rank of another
    /// build would misread.
    pub(in super::super) const VERSION: u64 = 9;

    pub(in super::super) const MAGIC_WORD: usize = 0;
    /// The version, above the number of ranks.
    pub(in super::super) const SIZE_WORD: usize = 1;
    /// The layout of the fabric area, or 0 as long as nobody has chosen one.
    pub(in super::super) const LAYOUT_WORD: usize = 2;
    pub(in super::super) const WORDS: usize = 3;
    /// Where the word lies that all sleep on beside their own, in bytes: on a line of its own.
    pub(in super::super) const BROADCAST: usize = 128;
    /// Where the word lies that counts the ranks that may sleep, in bytes: all look at it, and few
    /// write it.
    pub(in super::super) const MAY_SLEEP: usize = 256;
    pub(in super::super) const BYTES: usize = 384;
}

/// The control area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ControlArea {
    size: usize,
}

/// The 4-byte words at the start of a port, in their order: those of its parker, and whether the rank
/// has left and has come.
pub(super) const PORT_STATES: usize = parker::WORDS + 2;

impl ControlArea {
    pub(super) fn new(size: usize) -> Result<ControlArea, VerbsError> {
        within(PROVIDER)("number of ranks", size, MAX_RANKS)?;
        Ok(ControlArea { size })
    }

    pub(super) fn size(self) -> usize {
        self.size
    }

    /// How many words have a bit for each rank.
    pub(super) fn ready_words(self) -> usize {
        self.size.div_ceil(64)
    }

    /// The port of a rank: its states, and behind them the ready bits of each queue. With few
    /// queues and up to 64 ranks a sender finds in one cache line all that it looks at.
    pub(super) fn port(self, rank: Rank) -> usize {
        header::BYTES.next_multiple_of(APART) + rank * self.port_bytes()
    }

    /// From the start of the port.
    pub(super) fn ready(self, queue: usize) -> usize {
        PORT_STATES * 4 + queue * self.ready_words() * WORD
    }

    /// Where the words start that say in which process a rank is: behind its port.
    pub(super) fn identity(self, rank: Rank) -> usize {
        self.port(rank) + self.ready(MAX_QUEUES)
    }

    fn port_bytes(self) -> usize {
        (self.ready(MAX_QUEUES) + reading::RANK_WORDS * WORD).next_multiple_of(APART)
    }

    /// The length of the area.
    pub(super) fn bytes(self) -> usize {
        self.port(self.size).next_multiple_of(PAGE)
    }
}

/// What lies between a sender and a receiver on one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueLayout {
    /// Cells of a ring, a power of two; also the places for buffers that come back.
    pub(super) cells: usize,
    /// Receive descriptors of a VI, and buffers of a pair.
    pub(super) descriptors: usize,
    /// The longest message.
    pub(super) message_bytes: usize,
    /// From one buffer of a pair to the next; 0 if all messages fit their cells.
    pub(super) stride: usize,
    /// The rings of all pairs, and from one to the next.
    rings: usize,
    ring_bytes: usize,
    /// The buffers of all pairs.
    buffers: usize,
}

impl QueueLayout {
    /// The most that a VI may be opened with.
    pub(super) fn limits(&self) -> QueueSpec {
        // So many fit: they were laid out by a specification.
        let recv_descriptors = self.descriptors as u32;
        QueueSpec { recv_descriptors, descriptor_bytes: self.message_bytes }
    }

    fn cell_bytes(&self) -> usize {
        (self.cells * LINE).next_multiple_of(APART)
    }

    fn return_bytes(&self) -> usize {
        (self.cells * WORD).next_multiple_of(APART)
    }

    pub(super) fn buffer_bytes(&self) -> usize {
        self.descriptors * self.stride
    }
}

/// The layout of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SegmentLayout {
    pub(super) control: ControlArea,
    pub(super) shared_words: usize,
    shared: usize,
    registered: usize,
    pub(super) queues: Vec<QueueLayout>,
    heaps: usize,
    /// The length of each rank's heap: whole blocks.
    pub(super) heap_bytes: usize,
    /// The length of the file.
    pub(super) bytes: usize,
}

/// Adds up lengths; a sum that is too large stays too large.
struct End(usize);

impl End {
    /// Puts `count` parts of `bytes` each behind the last one, and returns where they start.
    fn put(&mut self, count: usize, bytes: usize) -> usize {
        // Both stay below half of the numbers, so that they can still be added and rounded.
        let start = self.0.min(usize::MAX / 4).next_multiple_of(APART);
        self.0 = start + count.saturating_mul(bytes).min(usize::MAX / 4);
        start
    }
}

impl SegmentLayout {
    /// Lays out a segment, whatever its length. The other limits are checked.
    pub(super) fn unlimited(size: usize, spec: &FabricSpec) -> Result<SegmentLayout, VerbsError> {
        let control = ControlArea::new(size)?;
        let within = within(PROVIDER);
        within("number of shared words", spec.shared_words, MAX_SHARED_WORDS)?;
        within("number of completion queues", spec.queues.len(), MAX_QUEUES)?;
        within("heap of a rank in bytes", spec.heap_bytes, MAX_HEAP_BYTES)?;
        let mut end = End(control.bytes());
        let shared = end.put(spec.shared_words, WORD);
        let registered = end.put(size, REGISTERED_BYTES);
        // A rank has no ring to itself, but a place for it: the arithmetic is simpler.
        let pairs = size * size;
        let mut queues = Vec::new();
        for queue in &spec.queues {
            let descriptors = queue.recv_descriptors as usize;
            within("message length", queue.descriptor_bytes, MAX_MESSAGE_BYTES)?;
            within("number of descriptors per VI", descriptors, MAX_DESCRIPTORS_PER_VI)?;
            let needs_buffer = queue.descriptor_bytes > INLINE_BYTES;
            let mut layout = QueueLayout {
                cells: descriptors.next_power_of_two(),
                descriptors,
                message_bytes: queue.descriptor_bytes,
                stride: if needs_buffer {
                    queue.descriptor_bytes.next_multiple_of(LINE)
                } else {
                    0
                },
                rings: 0,
                ring_bytes: 0,
                buffers: 0,
            };
            layout.ring_bytes = layout.cell_bytes() + layout.return_bytes() + APART;
            layout.rings = end.put(pairs, layout.ring_bytes);
            queues.push(layout);
        }
        for layout in &mut queues {
            end.0 = end.0.min(usize::MAX / 4).next_multiple_of(PAGE);
            layout.buffers = end.put(pairs, layout.buffer_bytes());
        }
        end.0 = end.0.min(usize::MAX / 4).next_multiple_of(PAGE);
        let heap_bytes = spec.heap_bytes.next_multiple_of(UNIT_BYTES);
        let heaps = end.put(size, heap_bytes);
        let bytes = end.put(0, 0).next_multiple_of(PAGE);
        Ok(SegmentLayout {
            control,
            shared_words: spec.shared_words,
            shared,
            registered,
            queues,
            heaps,
            heap_bytes,
            bytes,
        })
    }

    /// Lays out a segment.
    pub(super) fn new(size: usize, spec: &FabricSpec) -> Result<SegmentLayout, VerbsError> {
        let layout = SegmentLayout::unlimited(size, spec)?;
        within(PROVIDER)("segment of shared memory in bytes", layout.bytes, MAX_SEGMENT_BYTES)?;
        Ok(layout)
    }

    fn pair(&self, receiver: Rank, sender: Rank) -> usize {
        receiver * self.control.size + sender
    }

    /// The words that all ranks share.
    pub(super) fn shared(&self) -> usize {
        self.shared
    }

    /// Where the memory that a rank registers starts.
    pub(super) fn registered(&self, rank: Rank) -> usize {
        self.registered + rank * REGISTERED_BYTES
    }

    /// Where the line starts that says what `receiver` reads in the memory of `sender`: behind a line that
    /// seldom changes. None where there are no queues.
    fn read_line(&self, receiver: Rank, sender: Rank) -> Option<usize> {
        (!self.queues.is_empty()).then(|| self.taken(0, receiver, sender) + LINE)
    }

    /// Where the word lies that says how the last offer of `sender` to `receiver` stands.
    pub(super) fn offers(&self, receiver: Rank, sender: Rank) -> Option<usize> {
        self.read_line(receiver, sender)
    }

    /// Where the word lies that says whether `receiver` can read the memory of `sender`.
    pub(super) fn readable(&self, receiver: Rank, sender: Rank) -> Option<usize> {
        Some(self.offers(receiver, sender)? + offers::PAIR_WORDS * WORD)
    }

    /// Where the words start that say what became of what `sender` has lent to `receiver`.
    pub(super) fn lent(&self, receiver: Rank, sender: Rank) -> Option<usize> {
        Some(self.readable(receiver, sender)? + reading::PAIR_WORDS * WORD)
    }

    /// Where the word lies that says how far the copy is that `sender` makes for `receiver`.
    pub(super) fn filled(&self, receiver: Rank, sender: Rank) -> Option<usize> {
        Some(self.lent(receiver, sender)? + lent::PAIR_WORDS * WORD)
    }

    /// Where the cells of a ring start.
    pub(super) fn cells(&self, queue: usize, receiver: Rank, sender: Rank) -> usize {
        let layout = &self.queues[queue];
        layout.rings + self.pair(receiver, sender) * layout.ring_bytes
    }

    /// Where the places start for buffers that come back to `sender`.
    pub(super) fn returns(&self, queue: usize, receiver: Rank, sender: Rank) -> usize {
        self.cells(queue, receiver, sender) + self.queues[queue].cell_bytes()
    }

    /// The word in which `sender` is told how many of its short messages were taken for good.
    pub(super) fn taken(&self, queue: usize, receiver: Rank, sender: Rank) -> usize {
        self.returns(queue, receiver, sender) + self.queues[queue].return_bytes()
    }

    /// The buffers of a pair.
    pub(super) fn buffers(&self, queue: usize, receiver: Rank, sender: Rank) -> Range<usize> {
        let layout = &self.queues[queue];
        let start = layout.buffers + self.pair(receiver, sender) * layout.buffer_bytes();
        start..start + layout.buffer_bytes()
    }

    /// Where the heap of a rank starts.
    pub(super) fn heap(&self, rank: Rank) -> usize {
        self.heaps + rank * self.heap_bytes
    }

    /// A number that stands for the layout in the header; never 0. Ranks of one build that disagree
    /// have different ones as good as always; nothing worse than wrong messages comes of it if not.
    pub(super) fn hash(&self) -> u64 {
        let queues = self.queues.iter().flat_map(|q| [q.descriptors, q.message_bytes]);
        let numbers =
            [self.control.size, self.shared_words, self.queues.len(), self.heap_bytes, self.bytes];
        // FNV-1a over whole words.
        let mix = |hash: u64, number: usize| (hash ^ number as u64).wrapping_mul(0x100_0000_01b3);
        numbers.into_iter().chain(queues).fold(0xcbf2_9ce4_8422_2325, mix).max(1)
    }

    /// The limits within this fabric.
    pub(super) fn attributes(&self, rank: Rank, size: usize) -> NicAttributes {
        let queues = &self.queues;
        NicAttributes {
            provider: PROVIDER,
            rank,
            size,
            max_ranks: MAX_RANKS,
            max_message_bytes: queues.iter().map(|q| q.message_bytes).max().unwrap_or(0),
            max_descriptors_per_vi: queues.iter().map(|q| q.descriptors).max().unwrap_or(0) as u32,
            completion_queues: queues.len() as u8,
            max_registered_bytes: REGISTERED_BYTES,
            max_regions: MAX_REGIONS,
            inline_bytes: INLINE_BYTES,
            causal: true,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
