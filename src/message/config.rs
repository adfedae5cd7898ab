//! The sizes and choices of a world: the table of its options, and what is made of that.
//!
//! A program and its user choose [`Options`]. A [`Config`] has a value for each, which is the
//! default for the number of ranks where nobody has chosen. All ranks of a world must have the
//! same, but where an option says otherwise.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use super::barriers::{PLACES, board_words};
use super::control::{CONTROL_DESCRIPTORS, FRAME_BYTES};
use super::deposits::Layout;
use super::header::Header;
use super::links::Window;
use super::transfers::exposures::Exposure;
use super::waiting::Notify;
use crate::names::named;
use crate::options::{InvalidOption, MICROSECONDS, OptionInfo, SECONDS, Setting, Values, number};
use crate::order::{Algorithm, Epoch, Ordering};
use crate::verbs::{Cq, Reliability, ViSpec};

pub use time_slice::TimeSlice;

/// How long a rank waits inside one call before it reports, unless the program or its user says
/// otherwise: far above what the operating system keeps a rank off its core for, and short enough
/// that somebody who watches a job that hangs is still there.
pub const DEFAULT_STALL_AFTER: Duration = Duration::from_secs(60);

/// Barrier signals.
pub const SIGNAL: Cq = Cq(0);
/// Credits, clear-to-send, questions, ends.
pub const CONTROL: Cq = Cq(1);
/// Messages, and the headers of rendezvous messages.
pub const EAGER: Cq = Cq(2);
/// The payload of rendezvous messages.
pub const BULK: Cq = Cq(3);

/// The window of segments where memory is dear: the sender fills some while the receiver empties
/// others.
const FEWEST_SEGMENTS: u32 = 4;
/// The window of segments where memory is plenty. A sender that shares its core with the receiver
/// sends more before it has to let that run. And buffers in shared memory rest for long enough to
/// leave the receiver's cache before they are written again.
const MOST_SEGMENTS: u32 = 64;

/// How many completion queues the message layer uses.
pub const QUEUES: u8 = 4;

/// The most messages of any window.
const WINDOW: u64 = Window::MAX as u64;

/// The options of a world, for a macro to make something of them. Each has its name, its type, the
/// default for a number of ranks, that default for readers, its values, its variable, its flag, and
/// its sentence. Documentation that is longer follows.
macro_rules! world_options {
    ($make:ident) => { $make! {
        algorithm: Algorithm = |_| Algorithm::default(), "board",
            Values::Text("an algorithm, or auto"), "RUNAHEAD_BARRIER", "barrier",
            "the barrier algorithm of the world";
        ///
        /// Where ranks share no memory, [`Algorithm::Board`] is what its documentation says. With
        /// [`Algorithm::Auto`] the ranks find one by measurement, or by what an earlier job has
        /// stored.

        signals: Signals = |_| Signals::default(), "auto: over RDMA as words",
            Values::Text("auto, words or messages"), "RUNAHEAD_SIGNALS", "signals",
            "how barrier signals travel between ranks that share no memory";

        notify: Notify = |_| Notify::default(), "adaptive",
            Values::Text("poll, yield, block, spin-then-block or adaptive"), "RUNAHEAD_NOTIFY", "notify",
            "how a rank waits";
        /// Here ranks may differ.

        time_slice: TimeSlice = |_| TimeSlice::default(), "auto: 100, where the system offers that",
            Values::Text("auto, 0 for what the system gives, or 100 to 100000 microseconds"),
            "RUNAHEAD_SLICE_US", "slice-us",
            "a rank's scheduler time slices, on Linux 6.12 and later";
        ///
        /// With shorter slices a rank that was woken runs sooner, and takes turns from others more
        /// often. Its share of the core stays the same. Where the system offers no choice, a choice
        /// of a length is an error. Here ranks may differ.

        tune_cache: TuneCache = |_| TuneCache::default(), "a file in the user's cache directory",
            Values::Text("off, or a file"), "RUNAHEAD_TUNE_CACHE", "tune-cache",
            "where what was measured is stored: barrier algorithms of `auto`, and shapes of collectives";

        tune_budget: Duration = |_| Duration::from_millis(20), "20000",
            number(0, 600_000_000, MICROSECONDS), "", "",
            "how long a group may take to find its algorithm, if that is `auto`";
        ///
        /// With zero nothing is measured, asked or looked up, and the algorithm is the default.

        stall_after: Duration = |_| DEFAULT_STALL_AFTER, "60",
            Values::Number { least: 0, most: u64::MAX, unit: SECONDS, or: "0 for never" },
            "RUNAHEAD_STALL_S", "stall-s",
            "how long a call waits before it reports where every rank is";
        /// Here ranks may differ.

        window_messages: u32 = |size| (2048 / size.max(1)).clamp(8, 128) as u32,
            "2048 / ranks, within 8 to 128", number(1, WINDOW, " messages"), "", "",
            "how many messages a rank may have in each peer's memory";
        ///
        /// Received and held ones count. Messages that have met a posted receive do not, where
        /// others need their room.

        signal_window: u32 = |_| 16, "16", number(1, WINDOW, " signals"), "", "",
            "how many barrier signals may be under way to a peer";
        /// Newer ones replace those that wait.

        bulk_window: u32 = bulk_window, "4 to 64, as memory allows; 4 over RDMA",
            number(1, WINDOW, " segments"), "", "",
            "how many segments of a large payload may be under way to a peer";

        eager_bytes: usize = |size| (128 << 10) / size.next_power_of_two().clamp(16, 128),
            "8192; from 17 ranks on less", number(0, 1 << 30, " bytes"), "", "",
            "the longest payload that is sent without asking the receiver";

        segment_bytes: usize = segment_bytes, "65536; from 17 ranks on less",
            number(1, 1 << 30, " bytes"), "", "",
            "the longest piece of a payload for which the receiver was asked";

        heap_bytes: usize = |size| (1 << 30) / size.next_power_of_two().clamp(16, 256),
            "67108864; from 17 ranks on less", number(0, 1 << 30, " bytes"), "", "",
            "how many bytes of payloads above `eager_bytes` a rank may have on the way in shared memory";
        ///
        /// `isend` copies such a payload there, and its receiver takes it whenever it wants to.
        /// Where there is no room, the receiver is asked first. It is address space until it is
        /// used.

        message_bytes: usize = |_| Header::MOST_BYTES as usize, "137438953471",
            number(0, Header::MOST_BYTES, " bytes"), "", "",
            "the longest message";
        ///
        /// It bounds the runtime's own messages too. Those that make groups take some dozens of
        /// bytes and some more for each rank. Those of collectives begin with a word of 24 bytes.

        open_barriers: usize = |_| 64, "64", number(1, 1 << 16, " barriers"), "", "",
            "how many barriers of a group may be open at once";

        ordering: Ordering = |_| Ordering::default(), "Contained", Values::Text("Contained or Pakin"),
            "", "", "how groups are ordered against one another";

        first_epoch: Epoch = |_| 0, "0", number(0, u64::MAX, ""), "", "",
            "the epoch before the first barrier, and the clock of the first message";
        ///
        /// Near 2^48 one sees stamps wrap around. (Epochs have 64 bits; near their end a barrier is
        /// refused.)

        resend_after: Duration = |_| Duration::from_millis(1), "1000",
            number(0, 60_000_000, MICROSECONDS), "", "",
            "how long a rank waits for a signal that may be lost before it asks for it again";
    } };
}
pub(crate) use world_options;

macro_rules! make_options {
    ($(
        $name:ident: $type:ty = $default:expr, $shown:literal,
            $values:expr, $variable:literal, $flag:literal, $summary:literal;
        $(#[doc = $doc:literal])*
    )+) => {
        /// Choices for a job and its world. What is not chosen here the user of the program may
        /// choose by the environment, and else it is the default.
        ///
        /// ```
        /// use runahead::{Launch, Notify, Options};
        /// let options = Options::new().window_messages(4).notify(Notify::Block);
        /// let ranks = Launch::new(2).options(options).collect(|world| Ok(world.rank()))?;
        /// assert_eq!(ranks, [0, 1]);
        /// # Ok::<(), runahead::Error>(())
        /// ```
        ///
        /// docs/OPTIONS.md lists them with their variables and with the flags of `runahead run`.
        /// All ranks must have the same, but where an option says otherwise.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Options {
            $(
                #[doc = concat!("See [`", stringify!($name), "`](Options::", stringify!($name), "()).")]
                pub $name: Option<$type>,
            )+
        }

        impl Options {
            /// The options of a world, as users see them.
            pub(crate) const ALL: [OptionInfo; [$(stringify!($name)),+].len()] = [$(OptionInfo {
                name: stringify!($name),
                variable: $variable,
                flag: $flag,
                values: $values,
                default: $shown,
                summary: $summary,
            }),+];

            /// Nothing is chosen.
            pub fn new() -> Options {
                Options::default()
            }

            $(
                #[doc = concat!("Chooses ", $summary, ". By default it is ", $shown, ".")]
                $(#[doc = $doc])*
                #[must_use]
                pub fn $name(mut self, $name: $type) -> Options {
                    self.$name = Some($name);
                    self
                }
            )+

            /// The same, with what the environment chooses where these do not. `value` gives the
            /// value of a variable; where the program has chosen, it is not asked.
            ///
            /// # Errors
            ///
            /// The first variable that cannot be used.
            pub(crate) fn or_environment(
                mut self,
                value: impl Fn(&str) -> Option<OsString>,
            ) -> Result<Options, InvalidOption> {
                let mut infos = Options::ALL.iter();
                $(
                    if let Some(info) = infos.next()
                        && self.$name.is_none()
                        && let Some(value) = info.value(&value)
                    {
                        self.$name = Some(Setting::read(info, &value)?);
                    }
                )+
                Ok(self)
            }

            /// The choices of `other`, and these where it has none.
            pub(crate) fn replaced(self, other: Options) -> Options {
                Options { $($name: other.$name.or(self.$name)),+ }
            }

            /// The sizes and choices of a world of `size` ranks.
            pub(crate) fn settled(&self, size: usize) -> Config {
                let default = Config::new(size);
                Config { $($name: self.$name.clone().unwrap_or(default.$name)),+ }
            }
        }

        impl From<Config> for Options {
            fn from(config: Config) -> Options {
                Options { $($name: Some(config.$name)),+ }
            }
        }

        /// The sizes and choices of a world: a value for each of [`Options`].
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Config {
            $(
                #[doc = concat!("See [`Options::", stringify!($name), "`](Options::", stringify!($name), "()).")]
                pub $name: $type,
            )+
        }

        impl Config {
            /// The values that suit a world of `size` ranks.
            pub fn new(size: usize) -> Config {
                $(let $name: fn(usize) -> $type = $default;)+
                Config { $($name: $name(size)),+ }
            }

            /// Checks that the values can be used.
            ///
            /// # Errors
            ///
            /// The first that cannot.
            pub fn check(&self) -> Result<(), InvalidOption> {
                let mut infos = Options::ALL.iter();
                $(infos.next().map_or(Ok(()), |info| self.$name.check(info))?;)+
                Ok(())
            }
        }
    };
}
world_options!(make_options);

// The memory of a world grows with the square of its size: from 16 ranks on messages and windows
// get smaller. It is 136 MB for 8 ranks, 574 for 64 and 1.9 GB for 256, and of these only pages
// that were written to are there.

fn segment_bytes(size: usize) -> usize {
    (1 << 20) / size.next_power_of_two().clamp(16, 256)
}

/// Together 64 MiB for the segments of all pairs, as long as that is enough for the fewest.
fn bulk_window(size: usize) -> u32 {
    let pairs = size.saturating_mul(size).max(1);
    let window = (64 << 20) / segment_bytes(size) / pairs;
    (window as u32).clamp(FEWEST_SEGMENTS, MOST_SEGMENTS)
}

/// Where what was measured is kept from job to job: the algorithms that [`Algorithm::Auto`] has
/// found, and the rules of `runahead tune` for the shapes of collectives. Whatever is wrong with
/// the file, a job runs as if there were none. Where it is off, no rules are used either.
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
    /// As words where the network writes them into the peer's memory and that costs less than a
    /// message, as by RDMA; else as messages.
    #[default]
    Auto,
    /// As words wherever the network can write such. Groups for which there is no room signal by
    /// messages all the same.
    Words,
    /// As messages.
    Messages,
}

named!("signal transport", Signals { Auto = "auto", Words = "words", Messages = "messages" });

impl Setting for Signals {
    fn read(info: &OptionInfo, value: &OsStr) -> Result<Signals, InvalidOption> {
        info.named(info.text(value)?)
    }
}

impl Setting for Notify {
    fn read(info: &OptionInfo, value: &OsStr) -> Result<Notify, InvalidOption> {
        info.named(info.text(value)?)
    }
}

impl Setting for TuneCache {
    /// A path need not be text.
    fn read(_: &OptionInfo, value: &OsStr) -> Result<TuneCache, InvalidOption> {
        Ok(if value == "off" { TuneCache::Off } else { TuneCache::File(PathBuf::from(value)) })
    }
}

impl Options {
    /// The same for a network that locks what messages may take: few systems let their users lock
    /// much.
    pub(crate) fn locking_little(mut self) -> Options {
        self.bulk_window.get_or_insert(FEWEST_SEGMENTS);
        self
    }
}

impl Config {
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
            reliable(self.window_messages, Header::BYTES + self.eager_bytes.max(Exposure::BYTES)),
            reliable(self.bulk_window, Header::BYTES + self.segment_bytes),
        ]
    }

    /// The same for a network whose messages are no longer than `most` bytes: what is sent at once
    /// is shorter then, and so are segments.
    pub(super) fn fitting(mut self, most: usize) -> Config {
        let most = most.saturating_sub(Header::BYTES);
        self.eager_bytes = self.eager_bytes.min(most);
        self.segment_bytes = self.segment_bytes.min(most.max(1));
        self
    }

    /// How many words the ranks of a world of `size` must share
    /// ([`Nic::shared_words`](crate::verbs::Nic::shared_words)) for [`Algorithm::Board`], and for
    /// deposits.
    pub const fn shared_words(&self, size: usize) -> usize {
        Config::shared_words_on(size, 1)
    }

    /// The same where the ranks are on so many hosts, each of which has words of its own.
    pub const fn shared_words_on(size: usize, hosts: usize) -> usize {
        Layout::behind(board_words(size, hosts), size, hosts).words()
    }

    /// How many groups of a rank, the world included, can use [`Algorithm::Board`] at a time. One
    /// that was dropped counts until its barriers are complete at all members and these have
    /// dropped it too.
    pub const BOARD_SLOTS: usize = PLACES;
}

mod time_slice;

#[cfg(test)]
mod tests;
