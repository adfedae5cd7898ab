//! The memory of a job: making it, joining it, and what becomes of it when a rank ends.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::ShmNic;
use super::claim::{choose, take};
use super::fences::Fences;
use super::inbox::{announce, ready, ready_bit};
use super::layout::{ControlArea, MAX_QUEUES, PORT_STATES, SegmentLayout, header};
use super::parker::{self, Parker};
use super::tell::{is_gone, tell_gone};
use crate::order::Rank;
use crate::provider::FabricSpec;
use crate::sys::atomic::Ordering;
use crate::sys::memory::{
    self, AsFd, AtomicU32, AtomicU64, BorrowedFd, Mapped, MappedWord, Mapping, OwnedFd, SystemError,
};
use crate::verbs::VerbsError;

/// Whether the rank has left. Set once.
const GONE: usize = parker::WORDS;
/// Whether the rank has, or had, its interface. Set once.
const TAKEN: usize = parker::WORDS + 1;

pub(super) fn system((call, code): SystemError) -> VerbsError {
    VerbsError::System { call, code }
}

/// What the others see of a rank.
pub(super) struct Port {
    states: Mapped<AtomicU32>,
    ready: Mapped<AtomicU64>,
    words: usize,
}

impl Port {
    #[inline]
    pub(super) fn parker(&self) -> Parker<'_, Mapped<AtomicU32>> {
        Parker(&self.states)
    }

    #[inline]
    pub(super) fn is_gone(&self) -> bool {
        is_gone(&self.states[GONE])
    }

    /// The ready bits of a queue.
    #[inline(always)]
    pub(super) fn ready(&self, queue: usize) -> &[AtomicU64] {
        &self.ready[queue * self.words..][..self.words]
    }

    /// As [`ready`](Self::ready), to keep.
    pub(super) fn ready_words(&self, queue: usize) -> Mapped<AtomicU64> {
        self.ready.part(queue * self.words, self.words)
    }

    /// What `sender` needs of this rank to send to it on a queue.
    pub(super) fn remote_port(&self, queue: usize, sender: Rank) -> RemotePort {
        let (word, bit) = ready_bit(sender);
        RemotePort {
            states: self.states.part(0, PORT_STATES),
            gone: self.states.word(GONE),
            ready: self.ready.word(queue * self.words + word),
            bit,
        }
    }

    /// Takes the rank, if nobody has.
    pub(super) fn take(&self) -> bool {
        take(&self.states[TAKEN], &self.states[GONE])
    }
}

/// A [`Port`] as a sender on one queue sees it: found without a search.
pub(super) struct RemotePort {
    states: Mapped<AtomicU32>,
    gone: MappedWord<AtomicU32>,
    /// The word in which the sender has its ready bit, and that bit.
    ready: MappedWord<AtomicU64>,
    bit: u64,
}

impl RemotePort {
    #[inline]
    pub(super) fn parker(&self) -> Parker<'_, Mapped<AtomicU32>> {
        Parker(&self.states)
    }

    #[inline(always)]
    pub(super) fn is_gone(&self) -> bool {
        is_gone(&*self.gone)
    }

    /// The ready bit of the sender.
    #[inline(always)]
    pub(super) fn ready(&self) -> (&AtomicU64, u64) {
        (&self.ready, self.bit)
    }
}

struct Inner {
    fd: OwnedFd,
    header: Mapped<AtomicU64>,
    /// A sleeping rank sleeps on this one beside its own word.
    broadcast_word: Mapped<AtomicU32>,
    /// How many ranks may sleep; see [`Fences`].
    may_sleep: Mapped<AtomicU32>,
    control: ControlArea,
    ports: Vec<Port>,
    /// The whole of it, once a rank of this process has needed it, and the hash of its layout.
    whole: OnceLock<(Arc<Mapping>, u64)>,
}

/// The shared memory of a job: one file without a name, which is gone when nobody has it any more.
///
/// The launcher [creates](Segment::create) it and lets them inherit the file; they
/// [open](Segment::open) it and take their [interfaces](Segment::nic). A clone is the same segment.
#[derive(Clone)]
pub struct Segment(Arc<Inner>);

impl Segment {
    /// Makes the memory of a job of `size` ranks. It takes a few pages; what the ranks send in is
    /// laid out by the first that takes its interface.
    ///
    /// The file is closed when this process starts another program, unless the flag is taken away.
    ///
    /// # Errors
    ///
    /// [`VerbsError::AboveLimit`] if there are too many ranks, [`VerbsError::System`] if the system
    /// refuses.
    pub fn create(size: usize) -> Result<Segment, VerbsError> {
        let control = ControlArea::new(size)?;
        let fd = memory::nameless_file(control.bytes()).map_err(system)?;
        let segment = Segment::map(fd, control)?;
        // Nobody else has it yet.
        let write = |word: usize, value| segment.0.header[word].store(value, Ordering::Relaxed);
        write(header::SIZE_WORD, header::VERSION << 32 | size as u64);
        write(header::MAGIC_WORD, header::MAGIC);
        Ok(segment)
    }

    /// Joins the memory of a job of `size` ranks.
    ///
    /// # Errors
    ///
    /// [`VerbsError::NotASegment`] if the file is something else, could shrink, was made by another
    /// version or for another number of ranks; and as by [`create`](Self::create).
    pub fn open(fd: OwnedFd, size: usize) -> Result<Segment, VerbsError> {
        let control = ControlArea::new(size)?;
        let wrong = |what| VerbsError::NotASegment { size, what };
        memory::close_on_exec(fd.as_fd()).map_err(system)?;
        if !memory::cannot_shrink(fd.as_fd()) {
            return Err(wrong("it could shrink"));
        }
        if memory::length(fd.as_fd()).map_err(system)? < control.bytes() as u64 {
            return Err(wrong("it is too short"));
        }
        let segment = Segment::map(fd, control)?;
        let read = |word: usize| segment.0.header[word].load(Ordering::Relaxed);
        let (magic, sizes) = (read(header::MAGIC_WORD), read(header::SIZE_WORD));
        if magic != header::MAGIC {
            return Err(wrong("it starts with something else"));
        }
        if sizes >> 32 != header::VERSION {
            return Err(wrong("another version made it"));
        }
        if sizes & u64::from(u32::MAX) != size as u64 {
            return Err(wrong("it is for another number of ranks"));
        }
        Ok(segment)
    }

    fn map(fd: OwnedFd, control: ControlArea) -> Result<Segment, VerbsError> {
        let mapping = Mapping::new(fd.as_fd(), control.bytes()).map_err(system)?;
        let port = |rank| {
            let (at, words) = (control.port(rank), control.ready_words());
            Port {
                states: mapping.words(at, PORT_STATES),
                ready: mapping.words(at + control.ready(0), MAX_QUEUES * words),
                words,
            }
        };
        Ok(Segment(Arc::new(Inner {
            fd,
            header: mapping.words(0, header::WORDS),
            broadcast_word: mapping.words(header::BROADCAST, 1),
            may_sleep: mapping.words(header::MAY_SLEEP, 1),
            control,
            ports: (0..control.size()).map(port).collect(),
            whole: OnceLock::new(),
        })))
    }

    /// The word by which all sleeping ranks can be woken at once.
    pub(super) fn broadcast_word(&self) -> &AtomicU32 {
        &self.0.broadcast_word[0]
    }

    /// The fences of a rank of this process.
    pub(super) fn fences(&self) -> Fences {
        Fences::new(self.0.may_sleep.word(0))
    }

    /// The file, for the processes of the ranks to inherit.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.fd.as_fd()
    }

    /// The number of ranks.
    #[inline]
    pub fn size(&self) -> usize {
        self.0.control.size()
    }

    /// The interface of `rank`. The first that any process asks for decides the layout.
    ///
    /// # Errors
    ///
    /// [`VerbsError::NoSuchPeer`] if there is no such rank, [`VerbsError::RankTaken`] if it has its
    /// interface or has left, [`VerbsError::OtherLayout`] if another rank has decided for another
    /// `spec`, [`VerbsError::AboveLimit`] if this one needs too much, [`VerbsError::System`] if the
    /// system refuses the memory.
    pub fn nic(&self, rank: Rank, spec: &FabricSpec) -> Result<ShmNic, VerbsError> {
        let size = self.size();
        if rank >= size {
            return Err(VerbsError::NoSuchPeer { peer: rank, size });
        }
        let layout = SegmentLayout::new(size, spec)?;
        let hash = layout.hash();
        if !choose(&self.0.header[header::LAYOUT_WORD], hash) {
            return Err(VerbsError::OtherLayout);
        }
        let (whole, chosen) = match self.0.whole.get() {
            Some(whole) => whole,
            None => {
                memory::grow(self.fd(), layout.bytes).map_err(system)?;
                let mapping = Mapping::new(self.fd(), layout.bytes).map_err(system)?;
                self.0.whole.get_or_init(|| (mapping, hash))
            }
        };
        // A hostile header could have let in another layout before.
        if *chosen != hash || whole.len() != layout.bytes {
            return Err(VerbsError::OtherLayout);
        }
        let whole = Arc::clone(whole);
        if !self.port(rank).is_some_and(Port::take) {
            return Err(VerbsError::RankTaken { rank });
        }
        Ok(ShmNic::new(self.clone(), rank, layout, whole))
    }

    /// Tells everyone that `rank` has left: its process has ended, orderly or not. All that it had
    /// sent can still be polled. To be called after it has ended; often does no harm. A rank that
    /// does not exist is ignored.
    pub fn mark_gone(&self, rank: Rank) {
        let Some(left) = self.port(rank) else { return };
        let ports = &self.0.ports;
        let announce_all = || {
            for port in ports {
                for queue in 0..MAX_QUEUES {
                    announce(ready(port.ready(queue), rank));
                }
            }
        };
        let wake_all = || ports.iter().for_each(|port| port.parker().wake_with_news());
        tell_gone(&left.states[GONE], announce_all, wake_all);
    }

    /// What the others see of `rank`.
    #[inline]
    pub(super) fn port(&self, rank: Rank) -> Option<&Port> {
        self.0.ports.get(rank)
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shared memory of {} ranks", self.size())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Each queue has ready bits of its own, for every sender, also where these take several words.
    #[test]
    fn ready_bits_of_queues_are_apart() {
        for (size, words) in [(2, 1), (64, 1), (65, 2), (200, 4)] {
            let segment = Segment::create(size).expect("memory");
            let port = segment.port(0).expect("there is a rank 0");
            let mut places = Vec::new();
            for queue in 0..MAX_QUEUES {
                let ready = port.ready(queue);
                assert_eq!(ready.len(), words);
                // Kept or not, they are the same words.
                let kept = port.ready_words(queue);
                assert!(ready.iter().zip(&*kept).all(|(one, other)| std::ptr::eq(one, other)));
                places.extend(ready.iter().map(std::ptr::from_ref));
            }
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), MAX_QUEUES * words, "{size} ranks");
        }
    }
}
