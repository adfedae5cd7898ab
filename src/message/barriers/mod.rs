//! Barriers: which are open, how far each has got, and the words by which they travel. One of the
//! parts of the engine.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4, GRP-3 and SAFE-1 of SEMANTICS.md.
//!
//! The part is told what has come (`handle_*`), looks for what others have written, and does what
//! is due (`poll_*`). It writes words through the network that it is handed, and signals that are
//! no words through [`Frames`]. What a barrier means is the order core's ([`crate::order`]); when
//! to look and what to deliver is the engine's.
//!
//! | file | holds |
//! |---|---|
//! | `groups` | which carrier a group gets; joining and leaving its place |
//! | `signals` | signals that go, come, and are asked for |
//! | `published` | barriers on the board: entering, looking, telling those that wait |
//! | `sole` | the same for the one group with open barriers |
//! | `written`, `releases` | signals that are words in cells; releases by multicast |
//! | `sight` | what is seen here of one member |
//! | `places` | which group has which words of the two below, and until when |
//! | `board`, `cells` | the words in shared memory; those in registered memory |

mod board;
mod cells;
mod groups;
mod places;
mod published;
mod releases;
mod sight;
mod signals;
mod sole;
mod written;

#[cfg(all(test, not(loom)))]
mod tests;

use board::Board;
use board::Layout;
pub(super) use board::Want;
use cells::Cells;
pub(super) use places::PLACES;
use places::WORLD_PLACE;
use releases::Releases;
pub(super) use signals::Frames;
pub(super) use sole::Next;

use super::Stats;
use super::config::{Config, Signals};
use crate::order::core::board::Publication;
use crate::order::core::sole::NotedSole;
use crate::order::hosts::ports;
use crate::order::written::MOST_OPEN;
use crate::order::{Algorithm, GroupId, Order, ProtocolError, Rank, Refused, Ticket};
use crate::verbs::{Nic, RemoteWords, SharedWords, VerbsError};

/// The barriers of one rank.
pub(super) struct Barriers {
    order: Order,
    /// Where the ranks share memory for it.
    board: Option<Board>,
    /// Where signals are words.
    cells: Option<Cells>,
    /// Of these, the groups that are released by multicast.
    releases: Releases,
    /// What was published just now; empty between calls.
    publications: Vec<Publication>,
    /// As much of `order.completions()` as the engine has seen.
    seen_completions: u64,
    /// The group of the last barrier that was entered on the fast path, if it was the sole one.
    sole: NotedSole,
    /// Whether signals may be lost.
    lossy: bool,
    /// Which group comes first in the next questions.
    ask_turn: u64,
    /// What was signalled, published, released and asked for; nothing else.
    stats: Stats,
}

impl Barriers {
    /// With the world as the only group. Registers what the network needs for it.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if the network has no room for cells.
    pub(super) fn new<N: Nic>(nic: &mut N, config: &Config) -> Result<Barriers, VerbsError> {
        let (rank, size, first) = (nic.rank(), nic.size(), config.first_epoch);
        let order = Order::new(rank, size, config.ordering, config.open_barriers);
        let mut barriers = Barriers {
            order: order.with_clocks_at(first),
            board: board_on(nic),
            cells: writes_signals(nic, config).then(|| Cells::new(nic)).transpose()?,
            releases: Releases::new(rank, config.resend_after),
            publications: Vec::with_capacity(4),
            seen_completions: 0,
            sole: NotedSole::default(),
            lossy: false,
            ask_turn: 0,
            stats: Stats::default(),
        };
        let everyone: Vec<Rank> = (0..size).collect();
        let (carrier, _) = barriers.carrier((config.algorithm, Some(WORLD_PLACE)), &everyone);
        let made = barriers.order.add_group(GroupId::WORLD, &everyone, carrier, first);
        made.expect("the group of all ranks is always valid");
        barriers.join(nic, GroupId::WORLD, first);
        barriers.order.handle_ids_used(GroupId(1));
        Ok(barriers)
    }

    /// All VIs are open, and signals may be lost if `lossy`. The world goes by this algorithm.
    pub(super) fn handle_open<N: Nic>(&mut self, nic: &mut N, lossy: bool, algorithm: Algorithm) {
        self.lossy = lossy;
        self.choose_release(nic, GroupId::WORLD, algorithm);
    }

    /// The ordering state, to look at.
    #[inline(always)]
    pub(super) fn order(&self) -> &Order {
        &self.order
    }

    /// What was signalled, published, released and asked for so far. The rest is zero.
    pub(super) fn stats(&self) -> Stats {
        self.stats
    }

    /// Whether signals may be lost.
    #[inline(always)]
    pub(super) fn is_lossy(&self) -> bool {
        self.lossy
    }

    /// As [`Order::handle_initiate`]. What is due then is left to the `poll_*`.
    ///
    /// # Errors
    ///
    /// As by [`Order::handle_initiate`].
    #[inline]
    pub(super) fn handle_initiate(&mut self, group: GroupId) -> Result<Ticket, Refused> {
        self.order.handle_initiate(group)
    }

    /// As [`Order::poll_fault`].
    #[inline]
    pub(super) fn poll_fault(&mut self) -> Option<ProtocolError> {
        self.order.poll_fault()
    }

    /// Whether barriers have completed since [`poll_completed`](Barriers::poll_completed) last said
    /// so.
    #[inline(always)]
    pub(super) fn has_completed(&self) -> bool {
        self.order.completions() != self.seen_completions
    }

    /// Whether barriers have completed since this last said so. Then receive clocks may have moved,
    /// and what was held, contained or deferred may go on.
    #[inline(always)]
    pub(super) fn poll_completed(&mut self) -> bool {
        let has_completed = self.has_completed();
        self.seen_completions = self.order.completions();
        has_completed
    }

    /// Whether there is nothing to be signalled or published, and no place to be left.
    #[inline(always)]
    pub(super) fn owes_nothing(&self) -> bool {
        self.board.as_ref().is_none_or(|board| !board.has_dropped()) && self.order.owes_nothing()
    }
}

/// The board, if the ranks share memory for it.
fn board_on<N: Nic>(nic: &N) -> Option<Board> {
    let shared = nic.shared_words()?;
    let (rank, size, words) = (nic.rank(), nic.size(), shared.count());
    let host_of: Vec<u32> = (0..size).map(|peer| shared.host_of(peer) as u32).collect();
    let hosts = host_of.iter().max().map_or(0, |&last| last as usize + 1);
    if words < board_words(size, hosts) {
        return None;
    }
    Some(if hosts <= 1 { Board::new(rank, size) } else { Board::on_hosts(rank, host_of, ports) })
}

/// How many words the board takes of each host, where `size` ranks are on so many hosts.
pub(super) const fn board_words(size: usize, hosts: usize) -> usize {
    match hosts {
        0..=1 => Layout::new(size).words(),
        _ => Layout::on_hosts(size, hosts, ports(hosts)).words(),
    }
}

/// Whether signals are words, as far as it follows from what all ranks have alike.
fn writes_signals<N: Nic>(nic: &N, config: &Config) -> bool {
    let wanted = match config.signals {
        Signals::Auto => nic.remote_words().is_some_and(RemoteWords::is_one_sided),
        Signals::Words => nic.remote_words().is_some(),
        Signals::Messages => false,
    };
    wanted && config.open_barriers <= MOST_OPEN
}
