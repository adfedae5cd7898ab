//! The sizes and choices that all ranks of a world must agree on.

use std::path::PathBuf;
use std::time::Duration;

use super::board::{Layout, PLACES};
use super::control::{CONTROL_DESCRIPTORS, FRAME_BYTES};
use super::credit::Window;
use super::header::Header;
use super::loans::Loan;
use super::notify::Notify;
use crate::names::named;
use crate::order::hosts::ports;
use crate::order::{Algorithm, Epoch, Ordering};
use crate::verbs::{Cq, Reliability, ViSpec};

/// Barrier signals.
pub const SIGNAL: Cq = Cq(0);
/// Credits, clear-to-send, questions, ends.
pub const CONTROL: Cq = Cq(1);
/// Messages, and the headers of rendezvous messages.
pub const EAGER: Cq = Cq(2);
/// The payload of rendezvous messages.
pub const BULK: Cq = Cq(3);

/// The window of segments where memory is dear: the sender fills some while the receiver empties others.
const FEWEST_SEGMENTS: u32 = 4;
/// That where there is plenty of it. A sender that shares its core with the receiver gets rid of more before it has to let
/// that run; and buffers in shared memory rest for long enough to leave the receiver's cache before they are written again.
const MOST_SEGMENTS: u32 = 64;

/// How many completion queues the message layer uses.
pub const QUEUES: u8 = 4;

/// The sizes and choices of a world. All ranks must have the same.
///
/// Fields may be added: start from [`Config::new`] and change what you need.
///
/// ```
/// use runahead::Config;
/// let config = Config { window_messages: 4, ..Config::new(8) };
/// assert!(config.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many messages a rank may have in each peer's memory, received and held ones included; not
    /// those that have met a posted receive, where others need their room.
    pub window_messages: u32,
    /// How many barrier signals may be under way to a peer; newer ones replace those that wait.
    pub signal_window: u32,
    /// How many segments of rendezvous payload may be under way to a peer.
    pub bulk_window: u32,
    /// The longest payload that is sent without asking the receiver, in bytes.
    pub eager_bytes: usize,
    /// The longest piece of a rendezvous payload, in bytes.
    pub segment_bytes: usize,
    /// The longest message, in bytes; also of those that make groups, which take some dozens of bytes
    /// and some more for each rank, of collectives, which begin with a word of 24 bytes, and of
    /// those by which [`Algorithm::Auto`] finds an algorithm.
    pub message_bytes: usize,
    /// How many barriers of a group may be open at once.
    pub open_barriers: usize,
    /// The barrier algorithm of the world.
    pub algorithm: Algorithm,
    /// How barrier signals go, where they are signals.
    pub signals: Signals,
    /// How groups are ordered against one another.
    pub ordering: Ordering,
    /// The epoch before the first barrier, and the clock that every message starts with: 0, or any
    /// other to test what happens when counters wrap around.
    pub first_epoch: Epoch,
    /// How long a rank waits for a signal that may be lost before it asks for it, and between two
    /// such questions, in microseconds.
    pub resend_after_us: u32,
    /// How a waiting rank learns of news. Here ranks may differ.
    pub notify: Notify,
    /// How long the time slices of a rank are to be, in microseconds (100 to 100,000), where the
    /// operating system lets it choose; 0 for what they are. With shorter ones a rank that was woken runs
    /// sooner, and takes turns from others more often; its share of the core stays what it was, and
    /// everybody has more switches. Here ranks may differ.
    pub slice_us: u32,
    /// How long the members of a group may take to find its algorithm if that is
    /// [`Algorithm::Auto`], in microseconds. With 0 nothing is measured, asked or looked up, and it
    /// is the default algorithm.
    pub tune_budget_us: u32,
    /// Where algorithms that were found are remembered for the next job.
    pub tune_cache: TuneCache,
    /// How long a rank waits inside one call before it asks the others where they are, and reports;
    /// zero for never. None for what the environment of [`launch`](mod@crate::launch) says, or else
    /// [`DEFAULT_STALL_AFTER`](super::DEFAULT_STALL_AFTER). Here ranks may differ.
    pub stall_after: Option<Duration>,
}

/// Where the algorithms that [`Algorithm::Auto`] has found are remembered from job to job. Whatever is
/// wrong with the file, a job runs as if there were none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TuneCache {
    /// Nowhere.
    Off,
    /// In the user's cache directory: `runahead/tune.txt` in `$XDG_CACHE_HOME` or `~/.cache`, and
    /// where other systems have theirs.
    #[default]
    User,
    /// In this file.
    File(PathBuf),
}

/// How barrier signals go between ranks that share no memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signals {
    /// As words where the network writes them into the peer's memory and that costs less than a message, as by RDMA;
    /// else as messages.
    #[default]
    Auto,
    /// As words wherever the network can write such. Groups for which there is no room signal by messages all the
    /// same.
    Words,
    /// As messages.
    Messages,
}

named!("signal transport", Signals { Auto = "auto", Words = "words", Messages = "messages" });

impl Config {
    /// The values that suit a world of `size` ranks.
    pub fn new(size: usize) -> Config {
        let segment_bytes = (1 << 20) / size.next_power_of_two().clamp(16, 256);
        // Together 64 MiB for the segments of all pairs, as long as that is enough for the fewest.
        let pairs = size.saturating_mul(size).max(1);
        let bulk_window = ((64 << 20) / segment_bytes / pairs) as u32;
        Config {
            // The memory of a world grows with the square of its size: from 16 ranks on messages
            // and windows get smaller. It is 136 MB for 8 ranks, 573 for 64 and 1.9 GB for 256, and
            // of these only pages that were written to are there.
            window_messages: (2048 / size.max(1)).clamp(8, 128) as u32,
            signal_window: 16,
            bulk_window: bulk_window.clamp(FEWEST_SEGMENTS, MOST_SEGMENTS),
            eager_bytes: (128 << 10) / size.next_power_of_two().clamp(16, 128),
            segment_bytes,
            message_bytes: u32::MAX as usize,
            open_barriers: 64,
            algorithm: Algorithm::default(),
            signals: Signals::default(),
            ordering: Ordering::default(),
            first_epoch: 0,
            resend_after_us: 1000,
            notify: Notify::default(),
            slice_us: 0,
            stall_after: None,
            tune_budget_us: 20_000,
            tune_cache: TuneCache::default(),
        }
    }

    /// The same for a world of `size` ranks where this is one for `before`: sizes that are the defaults for that become
    /// those for this, and others stay.
    pub(crate) fn resized(self, before: usize, size: usize) -> Config {
        fn follow<T: PartialEq>(value: T, old: T, new: T) -> T {
            if value == old { new } else { value }
        }
        let (old, new) = (Config::new(before), Config::new(size));
        Config {
            window_messages: follow(self.window_messages, old.window_messages, new.window_messages),
            bulk_window: follow(self.bulk_window, old.bulk_window, new.bulk_window),
            eager_bytes: follow(self.eager_bytes, old.eager_bytes, new.eager_bytes),
            segment_bytes: follow(self.segment_bytes, old.segment_bytes, new.segment_bytes),
            ..self
        }
    }

    /// The same for a world of `size` ranks over a network that locks what messages may take, if nobody has chosen
    /// otherwise: few systems let their users lock much.
    pub(crate) fn locking_little(self, size: usize) -> Config {
        let chosen = self.bulk_window != Config::new(size).bulk_window;
        Config { bulk_window: if chosen { self.bulk_window } else { FEWEST_SEGMENTS }, ..self }
    }

    /// What the VIs of each completion queue are opened with, in the order of their numbers.
    pub fn vi_specs(&self) -> [ViSpec; QUEUES as usize] {
        let reliable = |recv_descriptors, bytes| ViSpec {
            recv_descriptors,
            descriptor_bytes: bytes,
            reliability: Reliability::ReliableDelivery,
        };
        [
            reliable(self.signal_window, FRAME_BYTES),
            reliable(CONTROL_DESCRIPTORS, FRAME_BYTES),
            // Also the header of a rendezvous, with what says where its payload may be read.
            reliable(self.window_messages, Header::BYTES + self.eager_bytes.max(Loan::BYTES)),
            reliable(self.bulk_window, Header::BYTES + self.segment_bytes),
        ]
    }

    /// The same for a network whose messages are no longer than `most` bytes: what is sent at once is shorter then,
    /// and so are segments.
    pub(super) fn fitting(mut self, most: usize) -> Config {
        let most = most.saturating_sub(Header::BYTES);
        self.eager_bytes = self.eager_bytes.min(most);
        self.segment_bytes = self.segment_bytes.min(most.max(1));
        self
    }

    /// How many words the ranks of a world of `size` must share
    /// ([`Nic::shared_words`](crate::verbs::Nic::shared_words)) for [`Algorithm::Board`].
    pub const fn shared_words(&self, size: usize) -> usize {
        Layout::new(size).words()
    }

    /// The same where the ranks are on so many hosts, each of which has words of its own.
    pub const fn shared_words_on(size: usize, hosts: usize) -> usize {
        match hosts {
            0..=1 => Layout::new(size).words(),
            _ => Layout::on_hosts(size, hosts, ports(hosts)).words(),
        }
    }

    /// How many groups of a rank, the world included, can use [`Algorithm::Board`] at a time. One that
    /// was dropped counts until its barriers are complete at all members and these have dropped it too.
    pub const BOARD_SLOTS: usize = PLACES;

    /// Checks that the values can be used.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] naming the first that cannot.
    pub fn check(&self) -> Result<(), ConfigError> {
        let range = |name, value: usize, least: usize, most: usize| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(ConfigError { name, value, least, most })
            }
        };
        let window = Window::MAX as usize;
        range("window_messages", self.window_messages as usize, 1, window)?;
        range("signal_window", self.signal_window as usize, 1, window)?;
        range("bulk_window", self.bulk_window as usize, 1, window)?;
        range("eager_bytes", self.eager_bytes, 0, 1 << 30)?;
        range("segment_bytes", self.segment_bytes, 1, 1 << 30)?;
        range("message_bytes", self.message_bytes, 0, u32::MAX as usize)?;
        range("open_barriers", self.open_barriers, 1, 1 << 16)?;
        range("resend_after_us", self.resend_after_us as usize, 0, 60_000_000)?;
        if self.slice_us != 0 {
            range("slice_us", self.slice_us as usize, 100, 100_000)?;
        }
        range("tune_budget_us", self.tune_budget_us as usize, 0, 600_000_000)
    }
}

/// A value of [`Config`] that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}; it must be from {least} to {most}")]
pub struct ConfigError {
    /// The name of the field.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// The least that will do.
    pub least: usize,
    /// The most that will do.
    pub most: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_chosen_follows_the_size() {
        for (before, size) in [(2, 8), (8, 256), (256, 1)] {
            assert_eq!(Config::new(before).resized(before, size), Config::new(size));
        }
        let chosen = |size| Config {
            window_messages: 3,
            bulk_window: 5,
            eager_bytes: 70,
            segment_bytes: 90,
            ..Config::new(size)
        };
        assert_eq!(chosen(8).resized(8, 256), chosen(256));
    }

    /// The segments of all pairs take 64 MiB, or as few as there may be; over RDMA it is always these.
    #[test]
    fn the_window_of_segments_is_as_large_as_memory_allows() {
        for (size, window) in [(1, 64), (2, 64), (4, 64), (8, 16), (16, 4), (64, 4), (256, 4)] {
            let config = Config::new(size);
            assert_eq!(config.bulk_window, window, "{size} ranks");
            let all = size * size * config.bulk_window as usize * config.segment_bytes;
            assert!(all <= 64 << 20 || window == FEWEST_SEGMENTS, "{size} ranks");
            assert_eq!(config.locking_little(size).bulk_window, FEWEST_SEGMENTS);
            let chosen = Config { bulk_window: 9, ..Config::new(size) };
            assert_eq!(chosen.locking_little(size).bulk_window, 9);
        }
    }
}
