//! The message layer of one rank: its state, and progress, which takes in what has arrived and then
//! sends what is due.
//!
//! The path of a message inwards is `poll_network` (in `arrivals`) → hold queue → `deliver` → match
//! queue; outwards it is `post_data` (in `send`), for which a blocking send waits in its call; what
//! was queued goes by the outbox → `flush_outboxes` (in `flush`). Only files of this folder see the
//! engine's fields:
//!
//! | file | holds |
//! |---|---|
//! | `send`, `recv`, `barrier`, `groups`, `end` | the operations that programs call |
//! | `begun` | the wait for the first of several of them |
//! | `confirm` | messages whose sender is told that they have met a receive |
//! | `fast_path`, `templates`, `sole` | calls that go straight between program and network |
//! | `transfers`, `gather`, `reads` | large payloads: at the sender; at the receiver, in segments or read |
//! | `joined` | payloads that go behind a head, copied with it |
//! | `filling` | payloads that are copied while their receivers read them |
//! | `lending` | payloads that are lent to their receivers, and fetched there |
//! | `offers` | payloads of calls that stay until their receivers have read them |
//! | `arrivals`, `flush` | from the network inwards; what is due, in order of urgency |
//! | `deposits` | short messages of collectives, in memory that members share |
//! | `discard` | messages that nobody will ever receive |
//! | `wait`, `stall` | the wait loop; the questions and the report of a wait that takes too long |
//!
//! Keeps rules FLOW-1 and SAFE-1 of SEMANTICS.md.

mod arrivals;
mod barrier;
mod begun;
mod confirm;
mod deposits;
mod discard;
mod end;
mod fast_path;
mod filling;
mod flush;
mod gather;
mod groups;
mod joined;
mod lending;
mod losses;
mod offers;
mod reads;
mod recv;
mod rooms;
mod send;
mod sole;
mod stall;
mod templates;
mod transfers;
mod wait;

pub use begun::Begun;
pub use deposits::{BeforeRoom, Contribution};
pub use recv::{Came, Destination, FromMember, Memory, PostedRun, Received, Soon};
pub use rooms::{Held, RoomKey};
pub use send::{Envelope, Lack, SendId};

use confirm::Confirming;
use std::fmt;

use crate::message::barriers::{Barriers, board_words};
use crate::message::config::{BULK, CONTROL, Config, EAGER, QUEUES, SIGNAL};
use crate::message::deposits::Deposits;
use crate::message::error::MessageError;
use crate::message::links::Links;
use crate::message::matching::Matching;
use crate::message::obstacles::{Obstacles, Watched};
use crate::message::transfers::gathering::Gathering;
use crate::message::transfers::{Reading, Transfers};
use crate::message::waiting::{Crowd, Waiting};
use crate::order::{GroupId, Order, Rank};
use crate::sys::host;
use crate::verbs::{Cq, Nic, ReadPayload, Reliability, RemoteRead, SharedWords, VerbsError, Vi};

/// What a rank's message layer has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Stats {
    /// Messages sent to other ranks.
    pub messages_sent: u64,
    /// Messages received from other ranks.
    pub messages_received: u64,
    /// Of these, how many came ahead of their barrier and were held.
    pub messages_held: u64,
    /// Barrier signals sent, repetitions included.
    pub signals_sent: u64,
    /// Of these signals, how many were written into a peer's memory.
    pub signals_written: u64,
    /// Of those written, how many woke their receiver, which slept or was about to.
    pub signals_notified: u64,
    /// Datagrams by which this rank has told all members of a group at once that everyone has entered.
    pub releases_sent: u64,
    /// How often this rank has asked whether such a one was lost.
    pub releases_asked: u64,
    /// How often one was.
    pub releases_missed: u64,
    /// How often this rank has published that it has entered barriers, where ranks share memory.
    pub publications: u64,
    /// How often this rank has told other hosts what all members on its own had entered, mostly since it was
    /// the last of them to enter.
    #[serde(default)]
    pub hosts_told: u64,
    /// Ranks woken because a publication of this rank completed a barrier that they slept for.
    pub ranks_woken: u64,
    /// Questions for signals that were missing.
    pub signals_asked: u64,
    /// Time spent waiting inside calls, in nanoseconds. Waits that end within some dozens of looks,
    /// about a microsecond or two, are not counted: the clock would take longer.
    pub wait_ns: u64,
    /// How often a waiting call gave up polling and slept.
    pub sleeps: u64,
    /// Payloads of messages that their receivers were allowed to read by themselves.
    #[serde(default)]
    pub payloads_exposed: u64,
    /// Payloads that this rank has read so.
    #[serde(default)]
    pub payloads_read: u64,
    /// Of these, the ones that it has read where their sender had them, without a copy between.
    #[serde(default)]
    pub payloads_fetched: u64,
    /// Long parts of collectives that this rank has offered to their receivers, to be read where they lie.
    #[serde(default)]
    pub offers: u64,
    /// Those of others that it has read so.
    #[serde(default)]
    pub offers_accepted: u64,
    /// Short messages of collectives that this rank has put where all members of the group see them,
    /// instead of sending them.
    #[serde(default)]
    pub deposits: u64,
}

/// The message layer of one rank: it owns a network and the parts that decide, and drives both.
///
/// A part is told what has come, and says what is to be done. Links, matching, transfers and
/// waiting know neither each other nor the network; the barriers write their words through what
/// they are handed. Only the engine knows more than one part, reads the clock, and sleeps.
///
/// # The order of [`progress`](Engine::progress)
///
/// One step takes in all that has come, then sends all that is due:
///
/// 1. Board and cells, then the queues SIGNAL and CONTROL. Others wait for what this rank makes of
///    these, so a call that does not wait takes them in as well (`progress_urgent`).
/// 2. The queue BULK and payloads that were read, which make room for what peers have queued.
/// 3. The queue EAGER. It comes after the signals: once a barrier completes, what its members sent
///    before it has been looked for later than their signals (rule FEN-1).
/// 4. The hold queue, and receives that are posted: step 1 may have released what is held, and step
///    3 brought what is asked for.
/// 5. `flush`, in order of urgency: signals and publications, control frames, outboxes, segments. It
///    comes after the steps that make them due. A publication may complete a barrier; then step 4
///    and the signals come once more.
/// 6. Where signals may be lost, the questions for those that are missing.
///
/// Mostly there is nothing to do, which `is_idle` finds out at less cost. It looks at the board
/// last: a word found there sends the caller to the queues once more (FEN-1).
///
/// A wait repeats such steps (`wait`). The fast path leaves them out while the obstacles allow it,
/// and for a bounded number of calls (`fast_path`).
pub struct Engine<N: Nic> {
    nic: N,
    config: Config,
    /// The longest payload that goes without a request for room.
    short_bytes: usize,
    /// What stands between calls and the fast path.
    obstacles: Obstacles,
    life: Life,
    stats: Stats,
    /// See [`keep_unexpected`](Engine::keep_unexpected).
    keeps_unexpected: bool,
    /// See [`give_up`](Engine::give_up).
    given_up: Vec<GroupId>,
    /// Confirmations that may not leave before a barrier completes.
    confirming: Watched<Vec<Confirming>>,

    // Links: what this rank knows of each peer, and owes it.
    links: Links,

    // Matching: messages that have come, and receives.
    matching: Matching<N::Frame>,

    // Transfers: the payloads of large messages, at the sender and at the receiver.
    transfers: Transfers,
    gathering: Gathering<ReadPayload<N>, N::Frame>,

    // Barriers: which are open, how far each has got, and the words by which they travel.
    barriers: Barriers,

    // Deposits: short messages of collectives, in memory that the members of a group share.
    deposits: Deposits,
    /// What requests that were dropped have yet to be given.
    dropped: Vec<Contribution>,
    /// What was read last of a deposit, if that lies in an area of its sender, and how many bytes the room behind it has.
    deposited: Option<(ReadPayload<N>, usize)>,

    // Waiting: what a call waits for, and when it looks, yields or sleeps.
    waiting: Waiting,
}

/// How far this rank has got with its world.
enum Life {
    /// Its program runs.
    Open,
    /// Its program has returned: it begins to read or to receive no payload any more.
    Returned,
    /// A violation has ended the world; every later call returns it again.
    Broken(MessageError),
}

impl<N: Nic> Engine<N> {
    /// Opens all VIs of `nic`, with the world as the only group. Where the provider's messages are shorter than
    /// `config` wants them, eager messages and segments are.
    ///
    /// # Errors
    ///
    /// [`MessageError::Verbs`] if the provider's limits do not allow what `config` asks for.
    ///
    /// # Panics
    ///
    /// If `config` has not passed [`Config::check`].
    pub fn new(mut nic: N, config: Config) -> Result<Engine<N>, MessageError> {
        let (rank, size) = (nic.rank(), nic.size());
        let config = config.fitting(nic.attributes().max_message_bytes);
        let mut barriers = Barriers::new(&mut nic, &config)?;
        let mut lossy = false;
        for peer in (0..size).filter(|&peer| peer != rank) {
            for (cq, spec) in (0..QUEUES).map(Cq).zip(config.vi_specs()) {
                let has = nic.open_vi(Vi { peer, cq }, &spec)?;
                lossy |= cq == SIGNAL && has == Reliability::Unreliable;
                // A signal that is lost is asked for again; nothing else may be lost.
                if has < spec.reliability && cq != SIGNAL {
                    let provider = nic.attributes().provider;
                    return Err(VerbsError::TooUnreliable { provider, cq }.into());
                }
            }
        }
        let reading = (0..size).map(|peer| {
            let network = nic.remote_read()?;
            let least_bytes = network.least_bytes(peer)?;
            Some(Reading { least_bytes, copies: network.copies(peer) })
        });
        let transfers = Transfers::new(config.segment_bytes, reading);
        barriers.handle_open(&mut nic, lossy, config.algorithm);
        let host_of = |peer| nic.shared_words().map_or(0, |words| words.host_of(peer));
        let (hosts, words) = words_of(&nic);
        let deposits = Deposits::new(rank, (size, hosts), words);
        let crowd = Crowd::of(rank, size, host_of, host::cores());
        let mut engine = Engine {
            short_bytes: config.eager_bytes.min(config.message_bytes),
            barriers,
            matching: Matching::new(size),
            links: Links::new(rank, size, &config, lossy),
            obstacles: Obstacles::NONE,
            gathering: Gathering::new(size, config.bulk_window as usize),
            transfers,
            deposits,
            dropped: Vec::new(),
            deposited: None,
            waiting: Waiting::new(config.notify, crowd, size),
            stats: Stats::default(),
            keeps_unexpected: false,
            given_up: Vec::new(),
            confirming: Watched::new(Obstacles::CONFIRMING, Vec::new()),
            life: Life::Open,
            nic,
            config,
        };
        engine.join_deposits(GroupId::WORLD);
        Ok(engine)
    }

    /// The rank whose engine this is.
    pub fn rank(&self) -> Rank {
        self.order().rank()
    }

    /// As [`Nic::why_gone`].
    pub fn why_gone(&self, peer: Rank) -> Option<String> {
        self.nic.why_gone(peer)
    }

    /// The number of ranks in the world.
    pub fn size(&self) -> usize {
        self.order().size()
    }

    /// The sizes and choices of the world.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The network underneath.
    pub fn nic(&self) -> &N {
        &self.nic
    }

    /// What has been done so far.
    pub fn stats(&self) -> Stats {
        // All fields by name: the compiler asks of a new one which part counts it.
        let Stats {
            signals_sent,
            signals_written,
            signals_notified,
            releases_sent,
            releases_asked,
            releases_missed,
            publications,
            hosts_told,
            ranks_woken,
            signals_asked,
            messages_sent: _,
            messages_received: _,
            messages_held: _,
            wait_ns: _,
            sleeps: _,
            payloads_exposed: _,
            payloads_read: _,
            payloads_fetched: _,
            offers: _,
            offers_accepted: _,
            deposits: _,
        } = self.barriers.stats();
        Stats {
            signals_sent,
            signals_written,
            signals_notified,
            releases_sent,
            releases_asked,
            releases_missed,
            publications,
            hosts_told,
            ranks_woken,
            signals_asked,
            deposits: self.deposits.count(),
            ..self.stats
        }
    }

    /// The ordering state, to look at.
    #[inline(always)]
    pub fn order(&self) -> &Order {
        self.barriers.order()
    }

    /// Handles all that has been received and sends all that is due, without waiting. Returns
    /// whether anything was received.
    ///
    /// # Errors
    ///
    /// [`MessageError::Protocol`] if a peer broke the protocol, which ends this world: every later
    /// call returns the same. [`MessageError::Verbs`] and [`MessageError::Post`] if the network
    /// failed.
    pub fn progress(&mut self) -> Result<bool, MessageError> {
        self.check_broken()?;
        self.poll_lent();
        self.waiting.handle_all_looked_for();
        let none_came = |nic: &mut N| {
            nic.is_empty(SIGNAL)
                && nic.is_empty(EAGER)
                && nic.is_empty(CONTROL)
                && nic.is_empty(BULK)
        };
        if self.is_idle(none_came) {
            return Ok(false);
        }
        let result = self.poll_network().and_then(|news| {
            self.flush()?;
            self.ask_when_due()?;
            // A program that polls does not sleep, and the ranks that owe it room may.
            if self.waiting.waits_for().is_none() && !self.links.sending().is_empty() {
                self.wake_for_room();
            }
            Ok(news)
        });
        self.remember(result)
    }

    /// As [`progress`](Engine::progress), for signals and control frames alone: a call that does not
    /// wait still passes on what others wait for.
    pub(super) fn progress_urgent(&mut self) -> Result<(), MessageError> {
        self.check_broken()?;
        if self.is_idle(|nic| nic.is_empty(SIGNAL) && nic.is_empty(CONTROL)) {
            return Ok(());
        }
        let result = self.poll_urgent().and_then(|news| {
            if news || self.obstacles.has_any(Obstacles::CONTROL_DUE) || self.order().has_signals()
            {
                self.settle_matches()?;
                self.flush()?;
            }
            Ok(())
        });
        self.remember(result)
    }

    /// Whether nothing has come, as far as `none_came` looks at the queues, or on the board, and nothing is
    /// left to be done: most looks find it so, and this is much less than to go through all that could be.
    /// It says no where it is not sure. (The queues are named one by one: a loop over a list of them is
    /// compiled as a function of its own, which takes 15 instructions more for each.)
    #[inline(always)]
    fn is_idle(&mut self, none_came: impl FnOnce(&mut N) -> bool) -> bool {
        // Last the board: what is found there sends the caller to the queues once more (rule FEN-1).
        !self.barriers.is_lossy()
            && self.has_nothing_due()
            && self.matching.is_settled()
            && !self.barriers.has_completed()
            && none_came(&mut self.nic)
            && self.barriers.are_cells_quiet(&self.nic)
            && self.barriers.is_board_quiet(&self.nic)
    }

    /// Ends this world with an error that every later call returns again.
    pub(super) fn break_with(&mut self, error: MessageError) -> Result<(), MessageError> {
        self.remember(Err(error))
    }

    /// Fails if this world has ended with an error.
    #[inline]
    pub(super) fn check_broken(&self) -> Result<(), MessageError> {
        if self.obstacles.has_any(Obstacles::BROKEN) { self.tell_broken() } else { Ok(()) }
    }

    /// Whether the program runs, and the world goes on.
    fn is_open(&self) -> bool {
        matches!(self.life, Life::Open)
    }

    /// Compares the obstacles with a recount, in debug builds.
    #[inline(always)]
    pub(super) fn check_obstacles(&self) {
        debug_assert_eq!(self.obstacles, self.recount());
    }

    fn recount(&self) -> Obstacles {
        Obstacles::BROKEN
            .when(matches!(self.life, Life::Broken(_)))
            .and(self.links.recount())
            .and(self.matching.recount())
            .and(self.transfers.recount())
            .and(self.gathering.recount())
            .and(self.confirming.recount())
    }

    /// Apart, so that what nearly always comes out of `check_broken` costs a look.
    #[cold]
    fn tell_broken(&self) -> Result<(), MessageError> {
        match &self.life {
            Life::Broken(error) => Err(error.clone()),
            Life::Open | Life::Returned => Ok(()),
        }
    }

    #[inline(always)]
    pub(super) fn remember<T>(
        &mut self,
        result: Result<T, MessageError>,
    ) -> Result<T, MessageError> {
        if let Err(error) = &result {
            self.note_failure(error);
        }
        result
    }

    /// Ends this world, if the error does that. Apart, as `tell_broken` is.
    #[cold]
    pub(super) fn note_failure(&mut self, error: &MessageError) {
        if let MessageError::Protocol { .. } | MessageError::Verbs(_) = error {
            self.life = Life::Broken(error.clone());
            self.obstacles.raise(Obstacles::BROKEN);
        }
    }
}

/// The number of hosts, how many words the board of a network takes, and how many the ranks share.
fn words_of<N: Nic>(nic: &N) -> (usize, (usize, usize)) {
    let (size, words) = (nic.size(), nic.shared_words());
    let hosts =
        words.map_or(1, |words| 1 + (0..size).map(|peer| words.host_of(peer)).max().unwrap_or(0));
    (hosts, (board_words(size, hosts), words.map_or(0, SharedWords::count)))
}

// Not derived: that would require a network that is `Debug`.
impl<N: Nic> fmt::Debug for Engine<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.size(), self.nic.attributes().provider)
    }
}
